//! What `diff` shows of a comparison, whichever machine it is of.

use crate::html;
use crate::image::Panels;
use crate::machine::{Precision, Reading};
use crate::routines::Routine;
use crate::setup::Setup;
use picaflor_jit::DiskStats;
use serde_json::{Map, Value};
use std::time::Duration;

/// A capture to compare, and how.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) source: String,
    pub(crate) precision: Option<Precision>,
    pub(crate) threads: usize,
}

impl Task {
    /// How its capture is read. Draws of one list overlap on several threads; where they cannot, short lists say better
    /// where a difference begins.
    pub(crate) const fn reading(&self) -> Reading {
        Reading { precision: self.precision, in_pieces: self.threads == 1 }
    }
}

/// What is held against the interpreter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held<'a> {
    /// Name of the engine.
    pub(crate) engine: &'a str,
    /// How it is made.
    pub(crate) setup: Setup<'a>,
    /// Whether every point is wanted, for a report.
    pub(crate) steps: bool,
}

/// A comparison of a capture.
pub(crate) trait Compared {
    /// The precision, or the machine where there is only one.
    fn kind(&self) -> &'static str;

    /// Whether nothing differed.
    fn is_same(&self) -> bool;

    /// Points, what was compared there, and its bytes.
    fn counts(&self) -> [u64; 3];

    /// How many surfaces differ.
    fn differing(&self) -> u64;

    /// How much of the work compiled code did.
    fn compiled(&self) -> String;

    /// The differences, what was not compiled, and what the guest did wrong, line by line.
    fn lines(&self) -> Vec<String>;

    /// Pictures of the differences.
    fn pictures(&self) -> Vec<&Panels>;

    /// What the candidate did with its cache.
    fn disk(&self) -> DiskStats;

    /// What `--json` prints beside the capture, the kind and the verdict.
    fn details(&self) -> Map<String, Value>;

    /// What the report shows.
    fn entry(&self, name: &str) -> html::Entry;

    /// Looks so long for a smaller capture that differs.
    fn smaller(&self, time: Duration) -> Option<Smaller>;
}

/// A smaller capture that differs.
pub(crate) struct Smaller {
    /// Its file.
    pub(crate) bytes: Vec<u8>,
    /// Events in it.
    pub(crate) events: usize,
    /// What differs.
    pub(crate) found: html::Found,
    /// The routines that compiled code has for it.
    pub(crate) routines: Vec<Routine>,
}

/// Whether it is the same, in words.
pub(crate) fn verdict(differing: u64) -> String {
    match differing {
        0 => "same".into(),
        1 => "DIFFERS in 1 surface".into(),
        count => format!("DIFFERS in {count} surfaces"),
    }
}
