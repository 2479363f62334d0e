//! Prices of the PICA200's work, in units of the [account](crate::work): nanoseconds of the slowest form on compiled code,
//! or of the interpreter for draws that it always draws.

pub(crate) mod blit;

use crate::memory::Memory;
use crate::pica::regs::Registers;
use crate::pica::surface::{Target, feedback};
use crate::pica::vertex::AttributeSource;
use crate::work;

/// A command, before its parameters.
pub(crate) const COMMAND: u64 = 20;
/// A parameter: a write to a register or to a port.
pub(crate) const PARAMETER: u64 = 30;
/// A jump to another list.
pub(crate) const JUMP: u64 = 500;
/// A draw, before its first vertex: constants, tables, routine, hand-over.
pub(crate) const DRAW: u64 = 10_000;
/// A program that is new to a draw: comparison, analysis, request of code.
pub(crate) const PROGRAM: u64 = 200_000;
/// A state of fragments, or a program with what its flow follows and the form of its inputs, that is new to a run: its code is
/// made, or the interpreter draws meanwhile.
pub(crate) const STATE: u64 = 1_000_000;
/// A word of the code of such a program, which is made fast, and exact where values need that.
pub(crate) const STATE_WORD: u64 = 60_000;
/// What makes the code of fragments longer.
const STATE_TEXTURE: u64 = 300_000;
const STATE_PROCEDURAL: u64 = 1_000_000;
const STATE_LIGHTING: u64 = 500_000;
const STATE_LIGHT: u64 = 500_000;
/// Another entry of the program of the draw before: look-up and request of code.
pub(crate) const ENTRY: u64 = 5_000;
/// A word of a program with another entry, which is looked at to know how long an invocation may be.
pub(crate) const SCANNED_WORD: u64 = 50;
/// A position of a vertex stream.
pub(crate) const POSITION: u64 = 5;
/// Four numbers of a vertex that the geometry stage collects.
pub(crate) const SLOT: u64 = 6;
/// A batch of immediate vertices: those that an array can represent are together, others one by one.
pub(crate) const BATCH: u64 = 800;
/// A vertex, before its first instruction.
const VERTEX: u64 = 100;
/// An attribute of a vertex.
const ATTRIBUTE: u64 = 10;
/// An instruction of an invocation.
pub(crate) const INSTRUCTION: u64 = 10;
/// An instruction of a program that may have to be interpreted.
pub(crate) const SLOW_INSTRUCTION: u64 = 35;
/// What EX2 and LG2 cost beside.
pub(crate) const DEAR_INSTRUCTION: u64 = 20;
/// A run of the geometry program, before its first instruction.
pub(crate) const GEOMETRY: u64 = 500;
/// The same, where its inputs are uniforms: tables of those are filled in anew.
pub(crate) const GEOMETRY_UNIFORMS: u64 = 1500;
/// An emission of the geometry program.
pub(crate) const EMISSION: u64 = 40;
/// A triangle: assembly, clipping, set-up.
pub(crate) const TRIANGLE: u64 = 400;
/// Tables that changed since the draw before: they are copied, and expanded for code.
pub(crate) const TABLES: u64 = 10_000;
/// A texel that is decoded.
pub(crate) const TEXEL: u64 = 10;

/// Bytes that code may read from the start of an element on.
const READ: u32 = 16;

/// A vertex among `first` to `last`, its fetch included. Where code cannot read an array in place, all are copied byte by
/// byte.
pub(crate) fn vertex(memory: &dyn Memory, sources: &[AttributeSource], (first, last): (u32, u32)) -> u64 {
    let is_apart = |source: &AttributeSource| {
        let AttributeSource::Array { address, stride_bytes, .. } = *source else { return false };
        // Addresses wrap around; code reads no array where they do.
        let start = u64::from(address) + u64::from(stride_bytes) * u64::from(first);
        let length = u64::from(stride_bytes) * u64::from(last.wrapping_sub(first)) + u64::from(READ);
        let wraps = start + length > 1 << 32;
        wraps || memory.region(start as u32, u32::try_from(length).unwrap_or(u32::MAX)).is_none()
    };
    let attribute = if sources.iter().any(is_apart) { work::bytes(READ.into(), false) } else { ATTRIBUTE };
    VERTEX + attribute * sources.len() as u64
}

/// A state of fragments that is new to a run.
pub(crate) fn fragment_state(registers: &Registers) -> u64 {
    let units = registers.raw(0x080);
    let lights = match registers.lighting_disable().disabled() {
        true => 0,
        false => STATE_LIGHTING + STATE_LIGHT * u64::from(registers.raw(0x1c2) % 8 + 1),
    };
    STATE
        + STATE_TEXTURE * u64::from((units & 7).count_ones())
        + STATE_PROCEDURAL * u64::from(units >> 10 & 1)
        + lights
}

const PIXEL: u64 = 15;
const TEXTURED: u64 = 15;
const LIT: u64 = 60;
const PROCEDURAL: u64 = 80;
/// A pixel in a buffer that is not mapped as a whole.
const APART: u64 = 100;
const INTERPRETED_PIXEL: u64 = 1000;

/// A pixel in the bounds of triangles. Draws whose pixels depend on each other are interpreted.
pub(crate) fn pixel(registers: &Registers, target: &Target<'_>) -> u64 {
    let [colour, depth] = target.ranges();
    if !target.tiles_are_disjoint() || feedback::target_is_texture(registers, [colour, depth]) {
        return INTERPRETED_PIXEL;
    }
    let units = registers.raw(0x080);
    let textured = TEXTURED * u64::from((units & 7).count_ones());
    let procedural = PROCEDURAL * u64::from(units >> 10 & 1);
    let lit = LIT * u64::from(!registers.lighting_disable().disabled());
    let buffers = [(colour, target.colour_bytes()), (depth, target.depth_bytes())];
    let is_apart =
        buffers.iter().any(|(range, bytes)| range.1 > 0 && !bytes.is_some_and(|bytes| bytes.is_writable()));
    PIXEL + textured + procedural + lit + APART * u64::from(is_apart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FlatMemory;
    use crate::pica::regs::geometry::ElementType;

    /// Code reads 16 bytes for each element: one array at the edge of memory, and all are copied.
    #[test]
    fn arrays_at_the_edge_of_memory() {
        let memory = FlatMemory::new(0x1000, vec![0; 0x1000]);
        let array = |address: u32| AttributeSource::Array {
            address,
            stride_bytes: 12,
            element: ElementType::F32,
            components: 3,
        };
        let price = |address: u32| vertex(&memory, &[array(0x1000), array(address)], (0, 9));
        let end = 0x2000 - 12 * 10;
        assert_eq!([0x1100, end - 4].map(price), [VERTEX + 2 * ATTRIBUTE; 2]);
        assert_eq!([end - 3, end, 0xffff_fff0].map(price), [VERTEX + 2 * 320; 3]);
    }

    #[test]
    fn pixels_of_lit_draws_and_of_unmapped_targets() {
        let price = |mapped: usize, words: &[(u16, u32)]| {
            let memory = FlatMemory::new(0x1800_0000, vec![0; mapped]);
            let mut registers = Registers::default();
            let usual =
                [(0x11d, 0x1800_0000 >> 3), (0x11e, 1 << 24 | 63 << 12 | 64), (0x112, 15), (0x113, 15)];
            usual.iter().chain(words).for_each(|&(id, word)| registers.set_raw(id, word));
            pixel(&registers, &Target::new(&registers, &memory))
        };
        let unlit = (0x1c6, 1);
        assert_eq!(price(1 << 16, &[unlit]), PIXEL);
        assert_eq!(price(1 << 16, &[(0x08f, 0)]), PIXEL + LIT, "the other switch selects nothing");
        assert_eq!(price(1 << 16, &[(0x08f, 1), unlit]), PIXEL);
        assert_eq!(price(1 << 10, &[unlit]), PIXEL + APART);
    }
}
