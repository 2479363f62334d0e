//! Prices of the PICA200's work, in units of the [account](crate::work): nanoseconds of the slowest form on compiled code,
//! or of the interpreter for draws that it always draws.

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
/// Another entry of the program of the draw before: look-up and request of code.
pub(crate) const ENTRY: u64 = 5_000;
/// A word of a program with another entry, which is looked at to know how long an invocation may be.
pub(crate) const SCANNED_WORD: u64 = 50;
/// A position of a vertex stream.
pub(crate) const POSITION: u64 = 5;
/// A vertex, before its first instruction.
const VERTEX: u64 = 100;
/// An attribute of a vertex.
const ATTRIBUTE: u64 = 10;
/// An instruction of an invocation.
pub(crate) const INSTRUCTION: u64 = 10;
/// An instruction of a program that may have to be interpreted.
pub(crate) const SLOW_INSTRUCTION: u64 = 35;
/// A run of the geometry program, before its first instruction.
pub(crate) const GEOMETRY: u64 = 500;
/// A triangle: assembly, clipping, set-up.
pub(crate) const TRIANGLE: u64 = 400;
/// A texel that is decoded.
pub(crate) const TEXEL: u64 = 10;

/// A vertex among `first` to `last`, its fetch included.
pub(crate) fn vertex(memory: &dyn Memory, sources: &[AttributeSource], (first, last): (u32, u32)) -> u64 {
    let price = |source: &AttributeSource| match source.bytes(first, last) {
        Some((address, length)) if memory.region(address, length).is_none() => work::bytes(16, false),
        _ => ATTRIBUTE,
    };
    VERTEX + sources.iter().map(price).sum::<u64>()
}

const PIXEL: u64 = 15;
const TEXTURED: u64 = 15;
const LIT: u64 = 60;
const PROCEDURAL: u64 = 80;
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
    let lit = LIT * u64::from(registers.raw(0x08f) & 1);
    PIXEL + textured + procedural + lit
}
