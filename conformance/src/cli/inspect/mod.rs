//! `picaflor draws`, `pixel`, `dump`, `compare`, `cut` and `view`: questions about a capture.

pub mod compare;
pub mod cut;
pub mod draws;
pub mod dump;
pub mod pixel;
pub mod steps;
pub mod view;

use super::capture::machine_of;
use super::{CliError, print};
use crate::inspect::Inspector;
use crate::machine::{Precision, Reading};
use serde_json::Value;
use std::ops::Range;
use std::path::Path;

/// Options of all questions.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct How {
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<Precision>,
    /// Engine that draws what is not asked for; the oracle draws the pixels that are
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl How {
    /// The capture of a source.
    pub(in crate::cli) fn open(&self, source: &str) -> Result<Box<dyn Inspector>, CliError> {
        let how = Reading { precision: self.precision, ..Reading::default() };
        let (source, _) = place_in(source);
        machine_of(source).inspector(source, how, self.engine.as_deref())
    }
}

/// A source, and the place in it that a link names: `FILE#draw=586&px=244,182`.
fn place_in(source: &str) -> (&str, &str) {
    match source.find("#draw=") {
        Some(at) if !Path::new(source).exists() => source.split_at(at),
        _ => (source, ""),
    }
}

/// Prints a value.
fn print_json(value: &Value) -> Result<(), CliError> {
    print(&format!("{value:#}\n"))
}

/// Reads a number, decimal or hexadecimal with `0x`.
fn number(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("0x");
    let value = digits.map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16));
    value.map_err(|_| format!("`{text}` is no number"))
}

/// Reads a range of draws: `A..B` without B, `A..=B` with B, or one draw.
pub(in crate::cli) fn draws(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("`{text}` is no range of draws: write A..B, A..=B or A");
    let read = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let range = match (text.split_once("..="), text.split_once("..")) {
        (Some((first, last)), _) => read(first)?..read(last)?.saturating_add(1),
        (None, Some((first, end))) => read(first)?..read(end)?,
        (None, None) => read(text)?..read(text)?.saturating_add(1),
    };
    if range.is_empty() { Err(wrong()) } else { Ok(range) }
}

/// A text in lines of at most this width, broken between words.
fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, String::len);
        if last > 0 && indent + last + 1 + word.len() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_draws() {
        assert_eq!((draws("3..5"), draws("3..=5"), draws("7")), (Ok(3..5), Ok(3..6), Ok(7..8)));
        for wrong in ["", "5..3", "a..b", "-1", "3..3"] {
            assert!(draws(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_behind_a_source() {
        assert_eq!(place_in("ge:game#draw=5&px=1,2"), ("ge:game", "#draw=5&px=1,2"));
        assert_eq!(place_in("a#b.pcap"), ("a#b.pcap", ""));
    }

    #[test]
    fn lines_are_broken() {
        assert_eq!(wrapped("one two three", 2, 9), "one two\n  three");
        assert_eq!(wrapped("averylongword x", 2, 9), "averylongword\n  x");
    }

    #[test]
    fn numbers() {
        assert_eq!((number("0x10"), number("10")), (Ok(16), Ok(10)));
        assert!(number("x").is_err());
    }
}
