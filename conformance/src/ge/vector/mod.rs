//! Vectors of the GE: registers, memory and a display list before; words in memory and registers after.
//!
//! A case is a small run of [`Ge`](picaflor_pipeline::ge::Ge) through its public interface, on every
//! [engine](crate::ge::engine). All of it is raw: registers have 24-bit arguments, vertices are bytes, and no code of
//! this project encodes them.
//!
//! ```toml
//! [[group]]
//! title = "modulate"
//! unit = "texture function"
//! origin = "console"              # console | document | practice | emulator | derived | assumed
//! evidence = "gpu/texfunc/modulate; psp-ge.md 9.8"
//! with.state = { VTYPE = 0x80011f, TME = 1 }
//! with.list = "PRIM=060002"
//!
//! [[group.cases]]
//! state = { TFUNC = 0x10000 }
//! vertices = "u16 0 0 ..."
//! after = { 04000000 = "44??0000" }
//! ```
//!
//! | address | content |
//! |---|---|
//! | `0x04000000` | VRAM, 2 MiB |
//! | [`LIST`](build::LIST) | the list that the runner makes: a plain state, the case's `state`, its `list`, `FINISH`, `END` |
//! | [`VERTICES`](build::VERTICES), [`INDICES`](build::INDICES) | vertices and indices; `VADDR` and `IADDR` point at them |
//! | `0x08100000` and on | free, 3 MiB |
//!
//! * [`build`] makes memory and list, `judge` compares the results.
//! * [`run`]: every case on every engine.

pub mod build;
mod judge;
mod merge;
pub mod run;
mod words;

use crate::vector::Origin;
use crate::vector::bytes::{Bytes, Words};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A file of vectors.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Defaults of all groups.
    #[serde(default)]
    pub with: Case,
    /// Groups of cases.
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
}

/// Cases of one origin and one subject.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The subject of the cases.
    pub title: String,
    /// The unit of the machine.
    pub unit: String,
    /// The origin of the cases.
    pub origin: Origin,
    /// The source.
    pub evidence: String,
    /// The reason for which this project differs from the source; then every case must fail.
    pub expect_failure: Option<String>,
    /// Defaults of all cases.
    #[serde(default)]
    pub with: Case,
    /// The cases.
    pub cases: Vec<Case>,
}

/// One run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Case {
    /// Name, for reports.
    pub name: String,
    /// Arguments of commands by name, in addition to a plain state; several values go to the same command in turn.
    /// They come before the list, in the order of the commands' numbers.
    pub state: BTreeMap<String, Words>,
    /// The list behind the state: words of 8 hexadecimal digits, or `NAME` and `NAME=argument` in hexadecimal.
    pub list: Option<String>,
    /// Memory before.
    pub memory: Vec<Bytes>,
    /// Vertices.
    pub vertices: Option<String>,
    /// Indices.
    pub indices: Option<String>,
    /// The address translation value; 0x400 unless given.
    pub translation: Option<u32>,
    /// The stops of the list until it is complete: `finished TOKEN`, `signal BEHAVIOUR TOKEN`, `paused TOKEN` in
    /// hexadecimal. Default: complete at once.
    pub stops: Option<Vec<String>>,
    /// Expected memory by address: 2, 4 or 8 hexadecimal digits of a little-endian number, `?` for those not known.
    pub after: BTreeMap<String, String>,
    /// Expected registers by name: the whole word.
    pub registers: BTreeMap<String, String>,
    /// Expected registers each time that the list stops.
    pub at_stops: Vec<BTreeMap<String, String>>,
    /// Expected memory.
    pub bytes: Vec<Bytes>,
    /// Expected pixels.
    pub picture: Option<Picture>,
    /// Expected numbers of drawn pixels.
    pub lit: Vec<Lit>,
}

/// Part of a buffer of 8888 at the start of VRAM, 512 pixels from row to row.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// Column and row of the upper left pixel.
    pub at: [u32; 2],
    /// Rows of letters of `palette`.
    pub rows: Vec<String>,
    /// Colours by letter, as `after` has them.
    pub palette: BTreeMap<String, String>,
}

/// Pixels that are not 0, in the same buffer.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lit {
    /// Column and row of the upper left pixel.
    pub at: [u32; 2],
    /// Columns and rows.
    pub size: [u32; 2],
    /// Their number.
    pub count: u32,
}

impl File {
    /// Reads a file's text.
    ///
    /// # Errors
    /// The first error, and its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|why| why.to_string())
    }
}
