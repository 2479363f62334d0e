//! The seams between the machine and its engines, implemented by both `interp` and `jit`: shaders, [primitives](primitive),
//! fragments, [blits](blit).

pub mod blit;
pub mod primitive;

use crate::fault::{Fault, FaultList};
use crate::memory::Memory;
use crate::pica::display::ScanOut;
use crate::pica::float::Precision;
use crate::pica::lut::Luts;
use crate::pica::raster::triangles::Triangles;
use crate::pica::regs::Registers;
use crate::pica::shader::program::Program;
use crate::pica::shader::unit::{EmitLatch, Record, ShaderUnit, Uniforms, Vec4};
use crate::pica::surface::Target;
use crate::pica::transfer::TransferRegisters;
use crate::pica::vertex::{OutputForm, VertexInputs};
use crate::picture::Picture;
use crate::rect::Rect;
use crate::stop::Stopper;
use crate::tile::Workers;
use blit::{BlitStage, Fill};
use primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Default instruction budget of one invocation. Real programs stay far below; the budget stops malformed programs,
/// which could otherwise hang an emulator.
pub const DEFAULT_INSTRUCTION_BUDGET: u32 = 65_536;

/// Vertices to shade. The result depends on nothing else.
#[derive(Clone, Copy)]
pub struct VertexBatch<'a> {
    /// Guest memory, for attribute arrays.
    pub memory: &'a dyn Memory,
    /// Index of each vertex in the attribute arrays.
    pub indices: &'a [u32],
    /// Attributes and the registers they go to.
    pub inputs: &'a VertexInputs,
    /// Code and descriptors.
    pub program: &'a Program,
    /// First word executed.
    pub entry: u16,
    /// Float, integer and boolean uniforms.
    pub uniforms: &'a Uniforms,
    /// Output mask and map.
    pub output: &'a OutputForm,
    /// Rounding of arithmetic.
    pub precision: Precision,
    /// Instructions that each vertex may execute, `END` included.
    pub instruction_budget: u32,
}

/// Shaded vertices, structure of arrays: component `k` of all vertices lies together.
///
/// With [`OutputForm::Mapped`] component `k` is semantic `k`; with [`OutputForm::Records`] it is component
/// `k % 4` of slot `k / 4`.
#[derive(Debug, Clone, Default)]
pub struct ShadedVertices {
    values: Vec<f32>,
    len: usize,
    stride: usize,
    components: usize,
    /// Rows known to contain only ones, up to `ones_len`.
    ones: u64,
    ones_len: usize,
}

impl ShadedVertices {
    /// No vertices.
    #[must_use]
    pub const fn new() -> Self {
        Self { values: Vec::new(), len: 0, stride: 0, components: 0, ones: 0, ones_len: 0 }
    }

    /// Room for [`reset`](Self::reset) with these numbers; false if the system has none, and the run is to end.
    pub(crate) fn makes_room(&mut self, len: usize, components: usize, stopper: &Stopper) -> bool {
        let more = (row_stride(len) * components).saturating_sub(self.values.len());
        stopper.makes_room(&mut self.values, more)
    }

    /// Resizes to `len` vertices of `components` components each; the contents are unspecified. Keeps the allocation
    /// if it is large enough.
    pub fn reset(&mut self, len: usize, components: usize) {
        if self.stride != row_stride(len) || self.components != components {
            self.ones = 0;
        }
        self.len = len;
        self.components = components;
        self.stride = row_stride(len);
        if self.values.len() < self.stride * components {
            self.values.resize(self.stride * components, 0.0);
        }
    }

    /// Number of vertices.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// True if there are no vertices.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Components of each vertex.
    #[must_use]
    pub const fn components(&self) -> usize {
        self.components
    }

    /// Distance between components in values: a multiple of 16, at least the number of vertices rounded up to a
    /// multiple of four. Values past the last vertex are scratch.
    #[must_use]
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// Component `k` of every vertex.
    ///
    /// # Panics
    /// If `k` is not below [`components`](Self::components).
    #[must_use]
    pub fn component(&self, k: usize) -> &[f32] {
        assert!(k < self.components, "component {k} of {}", self.components);
        &self.values[k * self.stride..][..self.len]
    }

    /// Component `k` of every vertex, mutable.
    ///
    /// # Panics
    /// If `k` is not below [`components`](Self::components).
    pub fn component_mut(&mut self, k: usize) -> &mut [f32] {
        assert!(k < self.components, "component {k} of {}", self.components);
        self.ones &= !row_bit(k);
        &mut self.values[k * self.stride..][..self.len]
    }

    /// Sets component `k` of every vertex to 1. Skips a row that has this value already.
    ///
    /// # Panics
    /// If `k` is not below [`components`](Self::components).
    pub fn set_ones(&mut self, k: usize) {
        if self.ones & row_bit(k) != 0 && self.len <= self.ones_len {
            return;
        }
        if self.len > self.ones_len || self.ones == 0 {
            self.ones = 0;
            self.ones_len = self.len;
        }
        assert!(k < self.components, "component {k} of {}", self.components);
        // As far as the other rows, so that one length holds for all of them.
        self.values[k * self.stride..][..self.ones_len].fill(1.0);
        self.ones |= row_bit(k);
    }

    /// Sets the components whose bit is set in `rows` to 1, for every vertex, like [`set_ones`](Self::set_ones).
    ///
    /// # Panics
    /// If one of them is not below [`components`](Self::components).
    pub fn set_all_ones(&mut self, rows: u64) {
        if rows & !self.ones == 0 && self.len <= self.ones_len {
            return;
        }
        (0..64).filter(|k| rows >> k & 1 != 0).for_each(|k| self.set_ones(k));
    }

    /// True if component `k` is known to be 1 for every vertex: by [`set_ones`](Self::set_ones), since when the row was not
    /// lent for writing.
    #[must_use]
    pub const fn is_all_ones(&self, k: usize) -> bool {
        self.ones & row_bit(k) != 0 && self.len <= self.ones_len
    }

    /// All values, scratch included: `components` rows of `stride`.
    pub fn values_mut(&mut self) -> &mut [f32] {
        self.values_mut_but(0)
    }

    /// [`values_mut`](Self::values_mut) for a caller that does not write the rows whose bit in `kept` is set.
    pub fn values_mut_but(&mut self, kept: u64) -> &mut [f32] {
        self.ones &= kept;
        &mut self.values[..self.stride * self.components]
    }
}

const fn row_bit(k: usize) -> u64 {
    if k < 64 { 1 << k } else { 0 }
}

/// The [stride](ShadedVertices::stride) of `len` vertices.
///
/// Size of `len` values in whole cache lines, rounded up to an odd number of lines. With strides of a power of two,
/// rows would share few cache sets, and the host would detect false conflicts between stores and loads of different
/// rows.
#[must_use]
pub const fn row_stride(len: usize) -> usize {
    let lines = len.div_ceil(16);
    (lines + 1 - lines % 2) * 16
}

/// One run of the geometry program. It changes the unit and `b15`.
pub struct GeometryRun<'a> {
    /// Code and descriptors of the geometry unit.
    pub program: &'a Program,
    /// First word executed.
    pub entry: u16,
    /// Uniforms of the geometry unit; `b15` is set when the run ends.
    pub uniforms: &'a mut Uniforms,
    /// The registers, which persist from run to run. Inputs are already loaded.
    pub unit: &'a mut ShaderUnit,
    /// Output mask (0x28D) by which `EMIT` packs.
    pub output_mask: u16,
    /// Rounding of arithmetic.
    pub precision: Precision,
    /// Instructions that the run may execute, `END` included.
    pub instruction_budget: u32,
    /// Guest memory, of which engines that wait for code ask whether the list [ends](Memory::is_stopping).
    pub memory: &'a dyn Memory,
}

/// Destination of the inputs of geometry runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GeometryInputs {
    /// Registers: nibble `k` is the `v` register of input `k`; the later of two inputs wins.
    Registers(u64),
    /// Float uniforms from this one on, in register form; inputs past the last uniform are dropped.
    Uniforms(u8),
}

/// Runs of one geometry program, one after another: each sees the registers that the run before left.
pub struct GeometryBatch<'a> {
    /// The program, and the state before the first run and after the last.
    pub run: GeometryRun<'a>,
    /// Inputs of all runs, one run after another; other `v` registers and uniforms keep their values.
    pub inputs: &'a [Vec4],
    /// Inputs of each run; runs without inputs are not possible in a batch.
    pub each: NonZeroUsize,
    /// Destination of the inputs.
    pub destination: GeometryInputs,
}

impl GeometryBatch<'_> {
    /// Loads the inputs of a run, before it.
    pub fn load(&mut self, inputs: &[Vec4]) {
        match self.destination {
            GeometryInputs::Registers(permutation) => {
                for (k, value) in inputs.iter().enumerate().take(16) {
                    self.run.unit.v[(permutation >> (4 * k) & 15) as usize] = *value;
                }
            }
            GeometryInputs::Uniforms(first) => {
                for (n, value) in (usize::from(first)..Uniforms::FLOATS).zip(inputs) {
                    self.run.uniforms.set_float_register(n, *value);
                }
            }
        }
    }
}

/// One executed `EMIT`. Engines write it by the offsets of its fields, in code that they may store.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Emission {
    /// The packed outputs.
    pub record: Record,
    /// State of the latch at the `EMIT`.
    pub latch: EmitLatch,
}

/// A shader engine: [`VertexBatch`] in, [`ShadedVertices`] out. The result depends on the batch alone, so an emulator
/// with a pipeline of its own can use an engine without the machine.
///
/// Engines can be wrapped:
///
/// ```
/// use picaflor_pipeline::fault::FaultList;
/// use picaflor_pipeline::pica::stage::{Emission, GeometryRun, ShadedVertices, ShaderStage, VertexBatch};
///
/// /// Counts what passes through.
/// struct Counting<E> {
///     engine: E,
///     vertices: usize,
/// }
///
/// impl<E: ShaderStage> ShaderStage for Counting<E> {
///     fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
///         self.vertices += batch.indices.len();
///         self.engine.shade(batch, out, faults);
///     }
///
///     fn run_geometry(&mut self, run: &mut GeometryRun<'_>, emitted: &mut Vec<Emission>, faults: &mut FaultList) {
///         self.engine.run_geometry(run, emitted, faults);
///     }
/// }
/// ```
pub trait ShaderStage {
    /// Shades every vertex of the batch into `out`, which it resets. Mistakes of the guest are recorded in `faults`;
    /// the result is complete nevertheless.
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList);

    /// Runs a geometry program once and appends its emissions to `emitted`.
    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    );

    /// Runs a geometry program for each set of inputs, in order, and appends the emissions of all runs to `emitted`.
    /// Equals [`run_geometry`](Self::run_geometry) once for each.
    fn run_geometry_batch(
        &mut self,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        for inputs in batch.inputs.chunks_exact(batch.each.get()) {
            batch.load(inputs);
            self.run_geometry(&mut batch.run, emitted, faults);
        }
    }
}

/// State on which the fragments of a draw depend, beside the target.
#[derive(Clone, Copy)]
pub struct FragmentState<'a> {
    /// All registers during the draw.
    pub registers: &'a Registers,
    /// Tables of lighting, fog, procedural texture and gas.
    pub luts: &'a Luts,
    /// Guest memory, for textures.
    pub memory: &'a dyn Memory,
}

/// Triangles to draw inside one tile of the target.
#[derive(Clone, Copy)]
pub struct TileBatch<'a> {
    /// State on which the fragments depend.
    pub state: FragmentState<'a>,
    /// The triangles of the draw.
    pub triangles: &'a Triangles,
    /// Indices into `triangles` of those that may touch the tile, in the order of submission.
    pub order: &'a [u32],
    /// The pixels of the tile; all of them lie inside the target.
    pub tile: Rect,
    /// The buffers. During the call, the memory blocks of these pixels are accessed by this batch alone.
    pub target: &'a Target<'a>,
}

/// A routine that draws tiles in one state. Workers share it.
pub trait TileRoutine: Send + Sync {
    /// Draws the triangles inside the tile in order, each block by block of 8x8 pixels: rows of blocks in
    /// the order of memory, each from the left. That matters only where pixels share memory, in a target whose side is
    /// not a multiple of the side of a block; hardware is unknown there. Returns the number of covered fragments, inside
    /// the scissor and on a line that is drawn: the sum of those of all parts, whichever tiles and parts of tiles are drawn.
    fn run(&self, batch: &TileBatch<'_>) -> u64;

    /// Pixels that take about a millisecond, or 2.5 on an interpreter that lights them: pieces of about this size are drawn by
    /// one call each if somebody may [stop](crate::stop::Stopper) the run.
    fn pixels_at_once(&self) -> u64 {
        2048
    }
}

/// A fragment engine. For each draw, the machine requests one routine for the state of the draw; its workers run it.
/// A compiling engine may return an interpreter's routine first, and a compiled one for a later draw.
///
/// ```
/// use picaflor_pipeline::pica::stage::{FragmentStage, FragmentState, NoEngines, TileRoutine};
/// use picaflor_pipeline::tile::Workers;
/// use std::sync::Arc;
///
/// /// Leaves out what is drawn under an alpha test.
/// struct Solid<E>(E);
///
/// impl<E: FragmentStage> FragmentStage for Solid<E> {
///     fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
///         match state.registers.alpha_test().enable() {
///             true => Arc::new(NoEngines),
///             false => self.0.fragment_routine(state),
///         }
///     }
///
///     fn list_begins(&mut self) {
///         self.0.list_begins();
///     }
///
///     fn list_ends(&mut self) {
///         self.0.list_ends();
///     }
///
///     fn workers(&mut self) -> Option<&mut Workers> {
///         self.0.workers()
///     }
/// }
/// ```
pub trait FragmentStage {
    /// Returns the routine that draws tiles in this state. It is called only with batches of the same state.
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine>;

    /// True if draws that are not complete hold more of the engine's memory than it may use: the machine completes them before
    /// it asks for the next [routine](Self::fragment_routine).
    fn is_full(&mut self) -> bool {
        false
    }

    /// Announces how many pixels the bounds of the next draw's triangles hold, for an engine that weighs compiling
    /// against interpreting. Results do not depend on it.
    fn next_draw(&mut self, pixels: u64) {
        let _ = pixels;
    }

    /// Announces the start of a list. Until it [ends](Self::list_ends), all draws see the same memory at the same
    /// addresses, written only by draws for which [`fragment_routine`](Self::fragment_routine) was called. An engine
    /// that has read a texture once need not read it again before such a draw has it as its target. Writes by other
    /// threads of the host may become visible at the next list.
    fn list_begins(&mut self) {}

    /// Announces the end of the list.
    fn list_ends(&mut self) {}

    /// Threads that the engine keeps for its machines to draw on; without them each machine has its own. They are taken when a run
    /// begins, and given back when it ends.
    fn workers(&mut self) -> Option<&mut Workers> {
        None
    }
}

/// All seams: the engines of a machine.
pub trait Stages: ShaderStage + PrimitiveStage + FragmentStage + BlitStage {}

impl<T: ShaderStage + PrimitiveStage + FragmentStage + BlitStage + ?Sized> Stages for T {}

/// Engines without effect, for analysing the register and memory accesses of lists without drawing: all outputs are
/// zero, nothing is emitted, assembled, drawn, filled, transferred or shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEngines;

impl ShaderStage for NoEngines {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, _: &mut FaultList) {
        out.reset(batch.indices.len(), batch.output.components());
        out.values_mut().fill(0.0);
    }

    fn run_geometry(&mut self, _: &mut GeometryRun<'_>, _: &mut Vec<Emission>, _: &mut FaultList) {}
}

impl PrimitiveStage for NoEngines {
    fn primitives(&mut self, _: &PrimitiveBatch<'_>, _: &mut PendingVertices, _: &mut Primitives) {}
}

impl BlitStage for NoEngines {
    fn fill(&mut self, _: &dyn Memory, _: &Fill) -> Result<(), Fault> {
        Ok(())
    }

    fn transfer(&mut self, _: &dyn Memory, _: &TransferRegisters) -> Result<(), Fault> {
        Ok(())
    }

    fn scan_out(&mut self, _: &dyn Memory, _: &ScanOut) -> Option<Picture> {
        None
    }
}

impl FragmentStage for NoEngines {
    fn fragment_routine(&mut self, _: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        Arc::new(*self)
    }
}

impl TileRoutine for NoEngines {
    fn run(&self, _: &TileBatch<'_>) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_restored_after_every_kind_of_write() {
        let mut out = ShadedVertices::new();
        let is_ones = |out: &ShadedVertices, k| out.component(k).iter().all(|&v| v == 1.0);
        for (len, components) in [(7, 3), (5, 3), (7, 3), (9, 3), (3, 2), (40, 3)] {
            out.reset(len, components);
            out.set_ones(1);
            assert!(is_ones(&out, 1), "{len} vertices");
            out.component_mut(1).fill(2.0);
            out.set_ones(1);
            assert!(is_ones(&out, 1), "after component_mut");
            out.values_mut().fill(3.0);
            out.set_ones(1);
            assert!(is_ones(&out, 1), "after values_mut");
            out.values_mut_but(0b10);
            out.set_ones(0);
            assert!(is_ones(&out, 0) && is_ones(&out, 1));
        }
    }

    #[test]
    fn rows_made_ones_at_different_lengths() {
        let mut out = ShadedVertices::new();
        out.reset(9, 3);
        out.values_mut().fill(3.0);
        out.set_ones(1);
        out.reset(3, 3);
        out.set_ones(2);
        out.reset(9, 3);
        out.set_ones(2);
        assert_eq!((out.component(1), out.component(2)), (&[1.0; 9][..], &[1.0; 9][..]));
    }

    #[test]
    fn rows_do_not_share_cache_sets() {
        for len in [1, 16, 17, 64, 256, 1000] {
            let stride = row_stride(len);
            assert!(stride >= len.next_multiple_of(4) && stride / 16 % 2 == 1);
        }
    }

    /// A row is known to be ones until it is lent, or until there are more vertices than it was set for.
    #[test]
    fn rows_that_are_known_to_be_ones() {
        let known = |out: &ShadedVertices| [0, 1, 2, 3].map(|k| out.is_all_ones(k));
        let mut out = ShadedVertices::new();
        assert!(out.is_empty());
        out.reset(8, 4);
        assert!(!out.is_empty() && known(&out) == [false; 4]);
        out.set_ones(1);
        out.set_all_ones(0b1100);
        assert_eq!(known(&out), [false, true, true, true]);
        out.component_mut(2).fill(0.0);
        assert_eq!(known(&out), [false, true, false, true]);
        out.values_mut_but(0b0010);
        assert_eq!(known(&out), [false, true, false, false]);
        out.reset(5, 4);
        assert!(out.is_all_ones(1), "as many rows of the same length");
        out.reset(9, 4);
        assert_eq!(known(&out), [false; 4], "the ninth was not set");
        out.set_all_ones(0b0010);
        assert!(out.is_all_ones(1) && out.component(1) == [1.0; 9]);
        out.reset(40, 4);
        assert_eq!(known(&out), [false; 4], "rows of another length");
    }
}
