//! CiTrace (`.ctf`): recordings that Citra made between 2014 and 2022.
//!
//! They hold the registers at the start, register writes by the CPU, and the memory that the recording emulator saw
//! the GPU read. [`CiTrace`] is the parsed file; [`read`] converts a file to a [`Capture`], and [`CiTrace::to_bytes`]
//! writes one, for tests and tools.
//!
//! Properties of the recorder that a loader has to handle:
//! * Tables of lighting, fog and procedural textures, the geometry program and all memory are missing from
//!   the initial state; so are lists reached by jumps, mip levels and sources of transfers from the loads.
//! * The w components of the initial float uniforms and fixed attributes are uninitialised memory.
//! * An element is recorded after the write was handled, so the loads of a trigger precede it.
//! * The list size at 0x104018E0 is in bytes when it was written through the service layer.
//!
//! Source: pica-geometry.md 9, where every rule is stated.

mod events;
mod parse;
mod state;

#[cfg(test)]
mod tests;
mod write;

pub use parse::{parse, parse_limited};

use crate::capture::CaptureError;
use crate::pica::capture::Capture;
use std::sync::Arc;

/// The first bytes of a file.
pub const MAGIC: &[u8; 4] = b"CiTr";

/// Sizes of the header in bytes; they distinguish the generations.
const HEADER_BYTES: [u32; 2] = [92, 100];
/// Size of an element of the stream in bytes.
const ELEMENT_BYTES: usize = 20;
/// Codes of elements.
const FRAME: u32 = 0xe1;
const LOAD: u32 = 0xe2;
const WRITE: u32 = 0xe3;
/// Width codes of register writes, from 8 to 64 bits.
const WIDTHS: std::ops::RangeInclusive<u32> = 0xd1..=0xd4;

/// The initial state, as words. A table that the file lacks is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tables {
    /// Words from 0x10400000 on, 0x1000 of them.
    pub gpu_registers: Vec<u32>,
    /// Words from 0x10202000 on, 0x400 of them.
    pub lcd_registers: Vec<u32>,
    /// P3D registers from id 0 on, 0x300 of them.
    pub pica_registers: Vec<u32>,
    /// 16 fixed attributes, x to w, in the low 24 bits.
    pub default_attributes: Vec<u32>,
    /// Instruction words of the vertex units.
    pub vs_program: Vec<u32>,
    /// Operand descriptors of the vertex units.
    pub vs_descriptors: Vec<u32>,
    /// 96 float uniforms of the vertex units, x to w, in the low 24 bits.
    pub vs_floats: Vec<u32>,
    /// Instruction words of the geometry unit; normally empty.
    pub gs_program: Vec<u32>,
    /// Operand descriptors of the geometry unit; normally empty.
    pub gs_descriptors: Vec<u32>,
    /// Float uniforms of the geometry unit; normally empty.
    pub gs_floats: Vec<u32>,
}

impl Tables {
    /// Number of tables in the newer header; the older one lacks the default attributes.
    const COUNT: usize = 10;
    /// Index of the default attributes.
    const DEFAULT_ATTRIBUTES: usize = 3;
    /// Maximum number of meaningful words of each table, in the order of [`all`](Self::all).
    const WORDS: [usize; Self::COUNT] = [0x1000, 0x400, 0x300, 64, 4096, 4096, 384, 4096, 4096, 384];

    /// The tables in the order of the file.
    fn all(&self) -> [&Vec<u32>; Self::COUNT] {
        [
            &self.gpu_registers,
            &self.lcd_registers,
            &self.pica_registers,
            &self.default_attributes,
            &self.vs_program,
            &self.vs_descriptors,
            &self.vs_floats,
            &self.gs_program,
            &self.gs_descriptors,
            &self.gs_floats,
        ]
    }

    fn from_all(all: [Vec<u32>; Self::COUNT]) -> Self {
        let [
            gpu_registers,
            lcd_registers,
            pica_registers,
            default_attributes,
            vs_program,
            vs_descriptors,
            vs_floats,
            gs_program,
            gs_descriptors,
            gs_floats,
        ] = all;
        Self {
            gpu_registers,
            lcd_registers,
            pica_registers,
            default_attributes,
            vs_program,
            vs_descriptors,
            vs_floats,
            gs_program,
            gs_descriptors,
            gs_floats,
        }
    }
}

/// An element of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// The end of a displayed frame.
    Frame,
    /// Memory at the time of a read by the GPU.
    Load {
        /// Physical address.
        address: u32,
        /// Its contents.
        bytes: Arc<[u8]>,
    },
    /// A write by the CPU, recorded after it was handled.
    Write {
        /// Physical address.
        address: u32,
        /// 1, 2, 4 or 8 bytes.
        width_bytes: u8,
        /// The value, in the low bits.
        value: u64,
    },
}

/// Variant of the file layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// The first generation: a header of 92 bytes without default attributes.
    pub first_generation: bool,
    /// The late variant of register writes, always of 32 bits.
    pub late_writes: bool,
}

/// A CiTrace file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CiTrace {
    /// The initial state.
    pub tables: Tables,
    /// The elements, in order.
    pub elements: Vec<Element>,
}

/// Reads a file as a capture of a machine in the [`Console`](crate::pica::float::Precision::Console)
/// profile.
///
/// # Errors
/// [`CaptureError`] with the offset of the unreadable part.
pub fn read(bytes: &[u8]) -> Result<Capture, CaptureError> {
    parse(bytes).map(|trace| trace.to_capture())
}
