//! The judge: expectations of a case, compared with memory and registers.

use super::build::Built;
use super::{Case, Lit, Picture, words};
use crate::ge::hardware::values::Digits;
use picaflor_pipeline::ge::Ge;
use std::collections::BTreeMap;

/// Differences, one line each.
///
/// # Errors
/// An error in the case.
pub(super) fn judge(case: &Case, built: &Built, ge: &Ge) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for (address, expected) in &case.after {
        problems.extend(word(address, expected, built)?);
    }
    problems.extend(registers(&case.registers, ge)?);
    for part in &case.bytes {
        problems.extend(differing(built, part.at, &part.bytes()?));
    }
    if let Some(picture) = &case.picture {
        judge_picture(picture, built, &mut problems)?;
    }
    problems.extend(case.lit.iter().filter_map(|lit| judge_lit(lit, built)));
    Ok(problems)
}

/// Registers that differ from their expectations, one line each.
///
/// # Errors
/// A text that is no register or no value.
pub(super) fn registers(expected: &BTreeMap<String, String>, ge: &Ge) -> Result<Vec<String>, String> {
    let mut problems = Vec::new();
    for (name, expected) in expected {
        let actual = ge.registers().word(words::command(name)?);
        problems.extend(differs(name, digits(expected)?, actual));
    }
    Ok(problems)
}

fn digits(text: &str) -> Result<Digits, String> {
    Digits::parse(text).ok_or_else(|| format!("`{text}` is no value"))
}

fn differs(what: &str, expected: Digits, actual: u32) -> Option<String> {
    (!expected.matches(actual)).then(|| format!("{what}: expected {expected}, got {actual:08x}"))
}

/// A number of as many bytes as it has pairs of digits.
fn word(address: &str, expected: &str, built: &Built) -> Result<Option<String>, String> {
    let at = u32::from_str_radix(address, 16).map_err(|_| format!("`{address}` is no address"))?;
    if ![2, 4, 8].contains(&expected.len()) {
        return Err(format!("`{expected}` does not have 2, 4 or 8 digits"));
    }
    let size = expected.len() as u32 / 2;
    let actual = (0..size).map(|n| u32::from(built.byte(at + n)) << (8 * n)).sum();
    Ok(differs(address, digits(expected)?, actual))
}

fn differing(built: &Built, at: u32, expected: &[u8]) -> Option<String> {
    let actual: Vec<u8> = (at..).take(expected.len()).map(|address| built.byte(address)).collect();
    let first = expected.iter().zip(&actual).position(|(a, b)| a != b)?;
    let end = (first + 16).min(expected.len());
    let (expected, actual) = (&expected[first..end], &actual[first..end]);
    Some(format!("from {:08x}: expected {expected:02x?}, got {actual:02x?}", at + first as u32))
}

fn judge_picture(picture: &Picture, built: &Built, problems: &mut Vec<String>) -> Result<(), String> {
    let [left, top] = picture.at;
    for (y, row) in (top..).zip(&picture.rows) {
        for (x, letter) in (left..).zip(row.chars()) {
            let colour = picture.palette.get(&letter.to_string()).ok_or(format!("no colour {letter}"))?;
            problems.extend(differs(&format!("pixel [{x}, {y}]"), digits(colour)?, built.pixel(x, y)));
        }
    }
    Ok(())
}

fn judge_lit(lit: &Lit, built: &Built) -> Option<String> {
    let ([left, top], [width, height]) = (lit.at, lit.size);
    let pixels = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
    let count = pixels.filter(|&(x, y)| built.pixel(x, y) != 0).count() as u32;
    (count != lit.count).then(|| format!("lit from {:?}: expected {}, got {count}", lit.at, lit.count))
}
