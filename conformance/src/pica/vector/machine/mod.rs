//! Vectors of the whole machine: registers, tables and bytes before; pixels and bytes after.
//!
//! A case is a small run of [`Pica`](picaflor_pipeline::pica::Pica) through its public interface, on every engine.
//! The drawn triangles are *probes*: each covers one pixel, and its first vertex lies on the centre of that pixel, so
//! that an attribute arrives there with the bits that the file gives. The change per pixel of an attribute can be
//! given too. There are also meshes, draws from arrays of the case's own, and writes to the fill and transfer
//! engines.
//!
//! ```toml
//! [[group]]
//! title = "alpha test: greater"
//! unit = "output"
//! origin = "document"
//! evidence = "3dbrew"
//! with = { write = { FRAGOP_ALPHA_TEST = 0x8061 } }
//!
//! [[group.cases]]
//! pixels = [
//!     { colour = "c8 64 32 80", rgba = [0, 0, 0, 0] },
//!     { colour = "c8 64 32 81", rgba = [200, 100, 50, 129] },
//! ]
//! ```
//!
//! `covered_by` names the unit tests of facts that no pixel shows.
//!
//! | address | content |
//! |---|---|
//! | [`COLOUR`](build::COLOUR), [`DEPTH`](build::DEPTH) | colour and depth buffer |
//! | `0x18200000` and on | free, 2 MiB |
//! | [`LIST`](build::LIST), [`VERTICES`](build::VERTICES) | data of the runner |
//! | `0x20100000` and on | free, 1 MiB |

pub mod build;
mod judge;
mod merge;
mod raw;
pub mod run;

pub use crate::vector::bytes::{Bytes, Words};

use super::value::Value;
use super::{Origin, Profile};
use crate::vector::bytes;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A file of machine vectors.
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
    /// Profiles in which they hold.
    #[serde(default = "super::both")]
    pub profiles: Vec<Profile>,
    /// The reason for which this project differs from the source; then every case must fail.
    pub expect_failure: Option<String>,
    /// Defaults of all cases.
    #[serde(default)]
    pub with: Case,
    /// The cases.
    #[serde(default)]
    pub cases: Vec<Case>,
    /// Unit tests, as `path/from/the/root.rs::name`, for facts that do not show in pixels.
    #[serde(default)]
    pub covered_by: Vec<String>,
}

/// One run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Case {
    /// Name, for reports.
    pub name: String,
    /// Registers by name or number, in addition to a plain state; a list goes to consecutive registers.
    pub write: BTreeMap<String, Words>,
    /// Table uploads.
    pub tables: Vec<Table>,
    /// Memory before.
    pub memory: Vec<Bytes>,
    /// The buffers.
    pub target: Option<TargetForm>,
    /// Every pixel of the colour buffer before, as bytes in memory.
    pub colour_before: Option<String>,
    /// Every pixel of the depth buffer before.
    pub depth_before: Option<String>,
    /// Defaults of all probes.
    pub probe: Pixel,
    /// Probes.
    pub pixels: Vec<Pixel>,
    /// One probe for each value 0-255 of a colour.
    pub sweep: Option<Sweep>,
    /// Triangles in window coordinates.
    pub mesh: Option<Mesh>,
    /// A draw without indices from arrays that `write` describes: topology, first vertex, vertices.
    pub arrays: Option<[u32; 3]>,
    /// A command list word by word, in place of the runner's: nothing is set for it. See `raw` for the notation.
    pub list: Option<String>,
    /// What comes before it.
    pub state: Option<String>,
    /// A memory fill.
    pub fill: Option<Fill>,
    /// A display transfer or texture copy.
    pub transfer: Option<Transfer>,
    /// Expected memory.
    pub bytes: Vec<Bytes>,
    /// Expected colours of the target, the uppermost row first: letters of `palette`.
    pub picture: Vec<String>,
    /// Colours by letter.
    pub palette: BTreeMap<String, [u8; 4]>,
}

/// Entries for a table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// `fog`, `light N` with the id, or `noise`, `colour map`, `alpha map`, `colour`, `difference` of the
    /// procedural texture.
    pub table: String,
    /// First index.
    #[serde(default)]
    pub first: u32,
    /// Entries.
    #[serde(default)]
    pub data: Vec<u32>,
    /// Number of repetitions.
    #[serde(default = "bytes::once")]
    pub times: usize,
    /// Entries that rise evenly, after those of `data`.
    pub ramp: Option<Ramp>,
}

/// Entry i is `to * i / over`, rounded to nearest, `times` a factor, `plus` a constant.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// Their number.
    pub entries: u32,
    /// The index that has the value `to`.
    pub over: u32,
    /// That value.
    pub to: u32,
    /// A factor.
    #[serde(default = "unit")]
    pub times: u32,
    /// A constant.
    #[serde(default)]
    pub plus: u32,
    /// True if the difference to the next entry goes to bits 12-23.
    #[serde(default)]
    pub difference: bool,
}

const fn unit() -> u32 {
    1
}

impl Ramp {
    /// The entries.
    pub(super) fn values(self) -> impl Iterator<Item = u32> {
        let at = move |i: u32| (2 * i * self.to + self.over) / (2 * self.over);
        (0..self.entries).map(move |i| {
            let step = if self.difference { ((at(i + 1) - at(i)) & 0xfff) << 12 } else { 0 };
            (at(i) * self.times + self.plus) | step
        })
    }
}

/// The buffers that are drawn to.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TargetForm {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Format of the colour buffer.
    pub colour: u32,
    /// Format of the depth buffer.
    pub depth: u32,
}

impl Default for TargetForm {
    fn default() -> Self {
        Self { width: 8, height: 8, colour: 0, depth: 3 }
    }
}

/// A probe: attributes at a pixel's centre, and the expected pixel.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pixel {
    /// Name, for reports.
    pub name: String,
    /// Position of the pixel, from the lower left; default: row by row.
    pub at: Option<[u32; 2]>,
    /// Depth, which is -z/w; 0.5 unless given.
    pub depth: Option<Value>,
    /// Clip-space w, which multiplies the position; 1 unless given.
    pub w: Option<Value>,
    /// Vertex colour as four hexadecimal bytes.
    pub colour: Option<String>,
    /// Vertex colour as numbers.
    pub vertex: Option<[Value; 4]>,
    /// Texture coordinates 0 with w.
    pub tc0: Option<Vec<Value>>,
    /// Texture coordinates 1.
    pub tc1: Option<Vec<Value>>,
    /// Texture coordinates 2.
    pub tc2: Option<Vec<Value>>,
    /// Normal quaternion.
    pub quaternion: Option<[Value; 4]>,
    /// View vector.
    pub view: Option<[Value; 3]>,
    /// Change of texture coordinates 0, 1, 2 for one pixel to the right.
    pub dx: Option<Vec<Value>>,
    /// The same for one pixel up.
    pub dy: Option<Vec<Value>>,
    /// Expected colour in RGBA8.
    pub rgba: Option<[u8; 4]>,
    /// Expected colour without alpha.
    pub rgb: Option<[u8; 3]>,
    /// Expected alpha.
    pub alpha: Option<u8>,
    /// Expected bytes of the pixel in the colour buffer.
    pub raw: Option<String>,
    /// Expected depth.
    pub depth_after: Option<u32>,
    /// Tolerance of the depth, where the source states one; the group's evidence has the reason.
    pub depth_within: Option<u32>,
    /// Expected stencil.
    pub stencil_after: Option<u8>,
}

/// A probe for each x = 0..255.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// The vertex colour: hexadecimal bytes, `x` for the value.
    pub colour: String,
    /// Expected in red, green and blue: the number of these that are not above x. Default: x itself.
    pub steps: Option<Vec<u32>>,
}

/// Triangles.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    /// 0 list, 1 strip, 2 fan.
    pub topology: u32,
    /// x, y in pixels from the lower left, red, green, blue.
    pub vertices: Vec<[f32; 5]>,
}

/// A memory fill.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// First byte.
    pub start: u32,
    /// First byte after.
    pub end: u32,
    /// Value.
    pub value: u32,
    /// Field of the control register: 0 16 bits, 1 and 3 24 bits, 2 32 bits.
    pub width: u32,
}

/// A transfer.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Source.
    pub from: u32,
    /// Destination.
    pub to: u32,
    /// Output width and height.
    #[serde(default)]
    pub output: [u32; 2],
    /// Input width and height.
    #[serde(default)]
    pub input: [u32; 2],
    /// Flags.
    pub flags: u32,
    /// Texture copy: bytes, input line, output line.
    #[serde(default)]
    pub copy: [u32; 3],
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
