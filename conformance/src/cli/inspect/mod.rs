//! `picaflor draws`, `pixel`, `dump`, `compare`, `cut` and `view`: questions about a capture.

pub mod compare;
pub mod cut;
pub mod draws;
pub mod dump;
mod maps;
pub mod pixel;
pub mod steps;
pub mod view;

use super::capture::{allow_precision, machine_of};
use super::machine::engines;
use super::source::Source;
use super::{CliError, print};
use crate::inspect::page::{draws, number};
use crate::inspect::{Draw, Inspector};
use crate::machine::{Precision, Reading};
use clap::builder::PossibleValuesParser;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::slice;

/// Options of all questions.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct How {
    /// Precision of shader arithmetic; that of the capture unless given
    #[arg(long, value_enum)]
    precision: Option<Precision>,
    /// Engine that draws what is not asked for; the oracle draws the pixels that are
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(engines(0)))]
    engine: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

impl How {
    /// The capture of a source.
    pub(in crate::cli) fn open(&self, source: impl AsRef<OsStr>) -> Result<Box<dyn Inspector>, CliError> {
        let how = Reading { precision: self.precision, ..Reading::default() };
        self.open_as(source.as_ref(), how)
    }

    /// The same with lists that were recorded in pieces as pieces, between which there can be checkpoints.
    pub(in crate::cli) fn open_in_pieces(&self, source: &Source) -> Result<Box<dyn Inspector>, CliError> {
        self.open_as(source.as_ref(), Reading { precision: self.precision, in_pieces: true })
    }

    fn open_as(&self, source: &OsStr, how: Reading) -> Result<Box<dyn Inspector>, CliError> {
        let (source, _) = place_in(source);
        allow_precision(slice::from_ref(&source), self.precision.is_some())?;
        machine_of(&source).inspector(&source, how, self.engine.as_deref())
    }
}

/// Fails if a draw has no vertex of this number. Of a large draw not all vertices are kept.
fn has_vertex(draw: u64, of: &Draw, vertex: usize) -> Result<(), CliError> {
    let count = of.mesh.vertices.len();
    if vertex < count || of.program.is_some() {
        return Ok(());
    }
    let more = if of.mesh.omitted > 0 { " that are kept" } else { "" };
    Err(CliError::new(format!("draw {draw} has no vertex {vertex}; it has {count}{more}")))
}

/// A source, and the place in it that a link names: `FILE#draw=586&px=244,182`. A name that is not UTF-8 has none.
fn place_in(source: &OsStr) -> (Source, &str) {
    let text = source.to_str().unwrap_or_default();
    match text.find("#draw=") {
        Some(at) if !Path::new(source).exists() => (Source::from(&text[..at]), &text[at..]),
        _ => (Source::from(source), ""),
    }
}

/// Prints a value.
fn print_json(value: &Value) -> Result<(), CliError> {
    print(&format!("{value:#}\n"))
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
    fn places_behind_a_source() {
        let place = |source: &'static str| place_in(OsStr::new(source));
        assert_eq!(place("ge:game#draw=5&px=1,2"), (Source::from("ge:game"), "#draw=5&px=1,2"));
        assert_eq!(place("a#b.pcap"), (Source::from("a#b.pcap"), ""));
    }

    #[test]
    fn lines_are_broken() {
        assert_eq!(wrapped("one two three", 2, 9), "one two\n  three");
        assert_eq!(wrapped("averylongword x", 2, 9), "averylongword\n  x");
    }
}
