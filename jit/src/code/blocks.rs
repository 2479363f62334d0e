//! Running fragment routines on blocks.

use super::fp_mode::FpMode;
use super::routine::{CodeBlock, Routine};
use crate::emit::block::{BlockCall, Slot};
use crate::emit::constants::DrawConstants;
use crate::error::CompileError;
use crate::fragment::FragmentFacts;
use picaflor_pipeline::guest_slice::GuestSlice;
use std::sync::Arc;

/// Pixels of a block.
const PIXELS: usize = 64;

/// A compiled fragment path.
#[derive(Debug)]
pub(crate) struct FragmentRoutine {
    routine: Routine<BlockCall>,
    /// What the caller has to know.
    pub(crate) facts: FragmentFacts,
}

/// One triangle in one block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockJob<'a> {
    /// Constants of the draw.
    pub(crate) constants: &'a DrawConstants,
    /// Numbers of the triangle, as many as the routine's interpolants ask for.
    pub(crate) triangle: &'a [Slot],
    /// All bytes of the colour buffer; nobody else uses those of this block's allowed pixels meanwhile.
    pub(crate) colour: Option<GuestSlice<'a>>,
    /// All bytes of the depth buffer, likewise.
    pub(crate) depth: Option<GuestSlice<'a>>,
    /// Number of the block in memory.
    pub(crate) block: usize,
    /// Values of the edges at the block's first pixel.
    pub(crate) edges: [i32; 3],
    /// Pixels that may be drawn, or none for all 64, which are then also inside the triangle.
    pub(crate) allowed: Option<u64>,
}

impl FragmentRoutine {
    /// A handle on code that [`crate::fragment::build`] emitted.
    ///
    /// # Errors
    /// [`CompileError::Codegen`] when the code has another signature.
    pub(crate) fn new(code: Arc<CodeBlock>, facts: FragmentFacts) -> Result<Self, CompileError> {
        // SAFETY: the generator emits loads and stores through the fields of its `BlockCall` argument only,
        // within the bounds that `run` checks: of the buffers, the bytes of one of the block's 16 quads. Indices of
        // texels are masked, clamped or remainders, so that they lie inside the images that the constants
        // name, and those of tables likewise.
        let routine = unsafe { Routine::new(code)? };
        Ok(Self { routine, facts })
    }

    /// Bytes of code memory.
    pub(crate) fn charged(&self) -> usize {
        self.routine.code().charged()
    }

    /// Draws the triangle in the block; how many pixels were covered.
    ///
    /// # Panics
    /// If the job does not fit the routine, which is a mistake of the engine.
    pub(crate) fn run(&self, job: &BlockJob<'_>) -> u64 {
        assert!(job.triangle.len() >= self.facts.interpolants.slots(), "all numbers of the triangle");
        let [edge0, edge1, edge2] = job.edges;
        let mut call = BlockCall {
            constants: job.constants,
            triangle: job.triangle.as_ptr(),
            colour: block_bytes(job.colour, job.block, self.facts.colour_bytes),
            depth: block_bytes(job.depth, job.block, self.facts.depth_bytes),
            allowed: job.allowed.unwrap_or(u64::MAX),
            edges: [edge0, edge1, edge2, 0],
            partial: u64::from(job.allowed.is_some()),
            covered: 0,
        };
        // SAFETY: the numbers of the triangle were counted, the blocks lie inside their buffers (see
        // `block_bytes`), the constants are borrowed, and what they point to is kept alive by their owner.
        // The buffers are writable, and the caller says that nobody else uses these pixels.
        unsafe { self.routine.run(&mut call, FpMode::Ieee) };
        if job.allowed.is_some() { call.covered } else { PIXELS as u64 }
    }
}

/// The first byte of a block in a buffer; null when the code does not touch the buffer.
fn block_bytes(buffer: Option<GuestSlice<'_>>, block: usize, pixel_bytes: u32) -> *mut u8 {
    if pixel_bytes == 0 {
        return std::ptr::null_mut();
    }
    let bytes = PIXELS * pixel_bytes as usize;
    let buffer = buffer.expect("a buffer that the routine touches");
    assert!(buffer.is_writable(), "buffers can be written");
    buffer.slice(block * bytes, bytes).as_ptr().cast_mut()
}
