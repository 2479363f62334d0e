//! The judge: expectations of a case, compared with memory.

use super::build::{Built, COLOUR, DEPTH};
use super::{Case, Pixel, TargetForm, bytes};
use picaflor_pipeline::memory::{BlockMemory, Memory};

/// Differences, one line each.
pub(super) fn judge(case: &Case, built: &Built) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for (at, pixel) in &built.pixels {
        for problem in judge_pixel(*at, pixel, built)? {
            problems.push(format!("pixel {at:?} {}: {problem}", pixel.name));
        }
    }
    for part in &case.bytes {
        problems.extend(differing(&built.memory, part.at, &part.bytes()?));
    }
    judge_picture(case, built, &mut problems)?;
    Ok(problems)
}

/// True if a case has an expectation.
pub(super) fn expects(case: &Case) -> bool {
    let pixel = |p: &Pixel| {
        p.rgba.is_some()
            || p.rgb.is_some()
            || p.alpha.is_some()
            || p.raw.is_some()
            || p.depth_after.is_some()
            || p.stencil_after.is_some()
    };
    let probes = case.pixels.iter().all(|p| pixel(&p.on(&case.probe)));
    let some = case.sweep.is_some() || !case.bytes.is_empty() || !case.picture.is_empty();
    some || !case.pixels.is_empty() && probes
}

fn judge_pixel(at: [u32; 2], pixel: &Pixel, built: &Built) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    let mut check = |what: &str, expected: &[u8], actual: &[u8]| {
        if expected != actual {
            problems.push(format!("{what}: expected {expected:02x?}, got {actual:02x?}"));
        }
    };
    let raw = stored(&built.memory, COLOUR, index(at, built.target), colour_size(built.target));
    if pixel.rgba.is_some() || pixel.rgb.is_some() || pixel.alpha.is_some() {
        let [a, b, g, r] = raw[..] else { return Err("colours are expected of RGBA8 only".into()) };
        pixel.rgba.inspect(|rgba| check("rgba", rgba, &[r, g, b, a]));
        pixel.rgb.inspect(|rgb| check("rgb", rgb, &[r, g, b]));
        pixel.alpha.inspect(|alpha| check("alpha", &[*alpha], &[a]));
    }
    if let Some(text) = &pixel.raw {
        check("raw", &bytes::parse(text)?, &raw);
    }
    let size = [2, 2, 3, 4][(built.target.depth & 3) as usize];
    let mut cell = stored(&built.memory, DEPTH, index(at, built.target), size);
    let stencil = if size == 4 { cell.pop() } else { None };
    if let Some(expected) = pixel.depth_after {
        let actual = cell.iter().rev().fold(0_u32, |depth, byte| depth << 8 | u32::from(*byte));
        if actual.abs_diff(expected) > pixel.depth_within.unwrap_or(0) {
            check("depth", &expected.to_be_bytes(), &actual.to_be_bytes());
        }
    }
    if let Some(expected) = pixel.stencil_after {
        check("stencil", &[expected], &[stencil.ok_or("no stencil in this format")?]);
    }
    Ok(problems)
}

fn judge_picture(case: &Case, built: &Built, problems: &mut Vec<String>) -> Result<(), String> {
    for (row, line) in case.picture.iter().enumerate() {
        let y = built.target.height - 1 - row as u32;
        for (x, letter) in line.chars().enumerate() {
            let expected = case.palette.get(&letter.to_string()).ok_or(format!("no colour {letter}"))?;
            let at = [x as u32, y];
            let raw = stored(&built.memory, COLOUR, index(at, built.target), 4);
            if raw.iter().rev().ne(expected) {
                problems.push(format!("pixel {at:?}: expected {letter} {expected:?}, got ABGR {raw:?}"));
            }
        }
    }
    Ok(())
}

fn differing(memory: &BlockMemory, at: u32, expected: &[u8]) -> Option<String> {
    let actual: Vec<u8> = (0..expected.len() as u32).map(|i| memory.byte(at + i)).collect();
    let first = expected.iter().zip(&actual).position(|(a, b)| a != b)?;
    let end = (first + 16).min(expected.len());
    let (expected, actual) = (&expected[first..end], &actual[first..end]);
    Some(format!("from {:08x}: expected {expected:02x?}, got {actual:02x?}", at + first as u32))
}

fn colour_size(target: TargetForm) -> u32 {
    match target.colour {
        0 => 4,
        1 => 3,
        _ => 2,
    }
}

/// The place of a pixel in its buffer, where y counts from below and the uppermost row comes first in memory
/// (pica-fragment.md 7.1).
fn index([x, y]: [u32; 2], target: TargetForm) -> u32 {
    let row = target.height - 1 - y;
    let bit = |value: u32, n: u32| value >> n & 1;
    let inside: u32 = (0..3).map(|n| bit(x, n) << (2 * n) | bit(row, n) << (2 * n + 1)).sum();
    (row & !7) * target.width + (x & !7) * 8 + inside
}

fn stored(memory: &BlockMemory, base: u32, index: u32, size: u32) -> Vec<u8> {
    (0..size).map(|i| memory.byte(base + index * size + i)).collect()
}
