//! From a difference to words: which pixel, which buffer, which key, which registers matter.

use super::Failure;
use super::case::{FragmentCase, tables};
use crate::pica::fragments::state::BASE;
use picaflor_interp::pica::surface::Surface;
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::regs::{self, Registers};
use picaflor_pipeline::pica::surface::Target;
use std::fmt::Write;

/// Colour, depth and stencil of a pixel.
type Pixel = ([u8; 4], u32, u8);

/// The first pixel of the target that differs, in rows from the lowest up; or the first byte, if that is in no pixel.
#[must_use]
pub fn first_difference(case: &FragmentCase, actual: &[u8], expected: &[u8]) -> String {
    let [a, e] = [actual, expected].map(|bytes| FlatMemory::new(BASE, bytes.to_vec()));
    let target = Target::new(&case.registers, &e);
    let [a, e] = [&a, &e].map(|memory| Surface::new(&case.registers, memory));
    let pixel = |surface: &Surface<'_>, x, y| -> Pixel {
        let colour = if case.registers.raw(0x100) & 3 == 3 {
            let (depth, intensity) = surface.shadow(x, y);
            (depth << 8 | u32::from(intensity)).to_be_bytes()
        } else {
            surface.colour(x, y)
        };
        (colour, surface.depth(x, y), surface.stencil(x, y))
    };
    let all = (0..target.height()).flat_map(|y| (0..target.width()).map(move |x| (x, y)));
    let differing: Vec<_> = all.filter(|&(x, y)| pixel(&a, x, y) != pixel(&e, x, y)).collect();
    match differing.first() {
        Some(&(x, y)) => {
            let count = differing.len();
            format!("{count} pixels, first ({x}, {y}): {}", in_words(pixel(&a, x, y), pixel(&e, x, y)))
        }
        None => {
            let at = actual.iter().zip(expected).position(|(a, e)| a != e).unwrap_or(0);
            let (a, e) = (actual[at], expected[at]);
            format!("outside the target, byte {:#010x}: {a:#04x} instead of {e:#04x}", BASE as usize + at)
        }
    }
}

fn in_words(actual: Pixel, expected: Pixel) -> String {
    let mut parts = Vec::new();
    if actual.0 != expected.0 {
        parts.push(format!("colour {:?} instead of {:?}", actual.0, expected.0));
    }
    if actual.1 != expected.1 {
        parts.push(format!("depth {:#08x} instead of {:#08x}", actual.1, expected.1));
    }
    if actual.2 != expected.2 {
        parts.push(format!("stencil {:#04x} instead of {:#04x}", actual.2, expected.2));
    }
    parts.join(", ")
}

/// The report of a reduced case: the failure, the key, and all registers that differ from their values after reset.
#[must_use]
pub fn report(case: &FragmentCase, failure: &Failure, origin: &str) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "case {origin}\n{failure}");
    let _ = match FragmentStateKey::of(&case.registers) {
        Ok(key) => writeln!(text, "key       {key}"),
        Err(refusal) => writeln!(text, "refused   {refusal}"),
    };
    let reset = Registers::new();
    let words = case.registers.words().iter().zip(reset.words()).enumerate();
    for (id, (word, _)) in words.filter(|(_, (word, reset))| word != reset) {
        let description = regs::describe(id as u16);
        let _ = writeln!(text, "{:<9} {id:03x} {:<24} {word:#010x}", room(id as u16), description.name);
    }
    for (name, table) in tables(&case.luts) {
        let entries = table.iter().filter(|entry| **entry != 0).count();
        if entries > 0 {
            let _ = writeln!(text, "table     {name}: {entries} entries are not 0");
        }
    }
    let _ = writeln!(text, "{} triangles", case.triangles.len());
    text
}

/// The stage that a register belongs to.
#[must_use]
pub const fn room(id: u16) -> &'static str {
    match id {
        0x040..=0x07f => "raster",
        0x0a8..=0x0b7 => "proctex",
        0x080..=0x0a7 => "texture",
        0x0e0..=0x0ef | 0x120..=0x12f => "fog",
        0x0c0..=0x0ff => "combiner",
        0x110..=0x11f => "target",
        0x100..=0x13f => "output",
        0x140..=0x1df => "lighting",
        _ => "other",
    }
}

/// The stages whose registers are not plain: the needs of a reduced case, in short.
#[must_use]
pub fn rooms(case: &FragmentCase, plain: &Registers) -> Vec<&'static str> {
    let words = case.registers.words().iter().zip(plain.words()).enumerate();
    let mut rooms: Vec<_> =
        words.filter(|(_, (word, plain))| word != plain).map(|(id, _)| room(id as u16)).collect();
    rooms.dedup();
    rooms
}
