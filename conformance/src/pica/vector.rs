//! Vector files: facts about the shader unit as data, each with its origin.
//!
//! A file is a list of groups; a group has an origin for its cases and the profiles in which they hold. Every case
//! runs on every engine by construction: see [`run`].
//!
//! ```toml
//! [[group]]
//! title = "multiplication"
//! origin = "console"              # console | document | practice | emulator | derived | assumed
//! evidence = "3DS GPU tests, fp tests"
//! ops = [
//!     { op = "mul", a = "inf", b = 0, dst = 0 },
//! ]
//! ```
//!
//! `expect_failure = "reason"` marks a group whose source contradicts a decision of this project; a case of it that
//! passes is a failure.

mod flow;
mod geometry;
pub mod listing;
pub mod machine;
mod op;
pub mod run;
pub mod value;
mod vertex;

pub use crate::vector::Origin;
use picaflor_pipeline::pica::float::Precision;
use serde::Deserialize;
use std::collections::BTreeMap;
use value::{Register, Value};

/// A precision profile by its name in files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// [`Precision::Console`].
    Console,
    /// [`Precision::Binary32`].
    Binary32,
}

impl From<Profile> for Precision {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Console => Self::Console,
            Profile::Binary32 => Self::Binary32,
        }
    }
}

/// A vector file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Groups of cases.
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
}

/// Cases of one origin.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The subject of the cases.
    pub title: String,
    /// The origin of the cases.
    pub origin: Origin,
    /// The source.
    pub evidence: String,
    /// Profiles in which they hold.
    #[serde(default = "both")]
    pub profiles: Vec<Profile>,
    /// The reason for which this project differs from the source; then every case must fail.
    pub expect_failure: Option<String>,
    /// One instruction each.
    #[serde(default)]
    pub ops: Vec<Op>,
    /// Order of execution.
    #[serde(default)]
    pub flow: Vec<Flow>,
    /// Vertex programs.
    #[serde(default)]
    pub program: Vec<VertexProgram>,
    /// Geometry programs.
    #[serde(default)]
    pub geometry: Vec<GeometryProgram>,
    /// Conversions of number formats.
    #[serde(default)]
    pub formats: Vec<Format>,
    /// Packed 24-bit vectors.
    #[serde(default)]
    pub packed: Vec<Packed>,
}

fn both() -> Vec<Profile> {
    vec![Profile::Console, Profile::Binary32]
}

/// One arithmetic instruction. It runs with its operands in uniforms, attributes and temporaries, with the
/// destination apart from the sources and on top of one, and in the inverted form where there is one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Op {
    /// Mnemonic of the normal form.
    pub op: String,
    /// Source 1.
    pub a: Register,
    /// Source 2.
    pub b: Option<Register>,
    /// Source 3.
    pub c: Option<Register>,
    /// Swizzles of the sources, as `yx`.
    #[serde(default)]
    pub swizzle: Vec<String>,
    /// Which of the letters `a`, `b` and `c` are negated by the instruction.
    #[serde(default)]
    pub negate: String,
    /// Components written.
    #[serde(default = "all_components")]
    pub mask: String,
    /// Comparisons of `cmp`.
    #[serde(default)]
    pub compare: Vec<String>,
    /// Expected in the components that are written; those missing in a list are not looked at.
    pub dst: Option<Register>,
    /// Expected 8-bit framebuffer value, truncated, in every written component: the only evidence of programs whose
    /// result was read from the screen.
    pub dst8: Option<u8>,
    /// Expected flags; without, that they stay clear.
    pub flags: Option<[bool; 2]>,
    /// Largest distance from the expectation, where the source states one.
    pub within: Option<f32>,
    /// The reason.
    pub within_reason: Option<String>,
}

fn all_components() -> String {
    "xyzw".into()
}

/// The order in which a listing executes its `n` words, on both units, with conditions by uniforms and by
/// flags.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    /// Name of the case.
    pub name: String,
    /// The listing.
    pub code: String,
    /// Integer uniforms.
    #[serde(default)]
    pub int: BTreeMap<String, [u8; 3]>,
    /// Addresses of `n` words and values of aL at `l` words, in order of execution; at most 12, below 32.
    pub trail: Vec<u8>,
    /// aL at the end.
    pub al: Option<u8>,
}

/// Uniforms and start values of a program.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Inputs {
    /// Float uniforms by name.
    pub float: BTreeMap<String, Register>,
    /// Integer uniforms by name.
    pub int: BTreeMap<String, [u8; 3]>,
    /// Boolean uniforms that are set, by name.
    pub bool: Vec<String>,
    /// `v` registers from v0 on.
    pub v: Vec<Register>,
}

/// A vertex program, and its results for several inputs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexProgram {
    /// Name of the program.
    pub name: String,
    /// The listing.
    pub code: String,
    /// True if every `c[n]` starts as n + 0.5 in all components.
    #[serde(default)]
    pub numbered: bool,
    /// Defaults of all cases.
    #[serde(default)]
    pub with: Inputs,
    /// Attribute arrays instead of `v`: attribute k is array k.
    #[serde(default)]
    pub arrays: Vec<Array>,
    /// Permutation, 16 hexadecimal digits.
    pub permutation: Option<String>,
    /// Output mask.
    #[serde(default = "all_outputs")]
    pub mask: u16,
    /// Output map; without, registers are looked at.
    pub map: Option<Map>,
    /// Instruction budget.
    pub budget: Option<u32>,
    /// The cases.
    pub cases: Vec<VertexCase>,
}

const fn all_outputs() -> u16 {
    0xffff
}

/// An attribute array of which every vertex sees the same element.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// `i8`, `u8`, `i16` or `f32`.
    pub element: String,
    /// Components, 1-4.
    pub components: u8,
    /// The bytes of one element.
    pub bytes: Vec<u8>,
}

/// Output map of a vertex program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// Slots consumed.
    pub total: u8,
    /// `SH_OUTMAP_O0` and on, hexadecimal.
    pub slots: Vec<String>,
}

/// One set of inputs and its results.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexCase {
    /// Float uniforms by name, in addition to the defaults of all cases; the same holds for the other inputs.
    #[serde(default)]
    pub float: BTreeMap<String, Register>,
    /// Integer uniforms by name.
    #[serde(default)]
    pub int: BTreeMap<String, [u8; 3]>,
    /// Boolean uniforms that are set, by name.
    #[serde(default)]
    pub bool: Vec<String>,
    /// `v` registers from v0 on, instead of those that all cases share.
    #[serde(default)]
    pub v: Vec<Register>,
    /// Expected output registers; components missing in a list are not looked at.
    #[serde(default)]
    pub out: BTreeMap<String, Register>,
    /// Expected semantics by number.
    #[serde(default)]
    pub semantic: BTreeMap<String, Value>,
    /// Expected faults, as they print.
    #[serde(default)]
    pub faults: Vec<String>,
}

/// A geometry program and a sequence of runs on one unit.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeometryProgram {
    /// Name of the program.
    pub name: String,
    /// The listing.
    pub code: String,
    /// Inputs before the first run.
    #[serde(default)]
    pub with: Inputs,
    /// Output mask.
    #[serde(default = "all_outputs")]
    pub mask: u16,
    /// The runs.
    pub runs: Vec<Run>,
}

/// One run of a geometry program, expectations after it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Run {
    /// `v` registers loaded before it, from v0 on.
    pub v: Vec<Register>,
    /// The address of its first instruction.
    pub entry: u16,
    /// The emitted vertices; `None` if they are not compared.
    pub emitted: Option<Vec<Emitted>>,
    /// Temporaries by name.
    pub r: BTreeMap<String, Register>,
    /// Address registers.
    pub a0: Option<[i32; 2]>,
    /// Loop counter.
    pub al: Option<i32>,
    /// Flags.
    pub cmp: Option<[bool; 2]>,
    /// Output bank.
    pub bank: Option<u32>,
    /// All boolean uniforms.
    pub bools: Option<u16>,
    /// Faults, as they print.
    pub faults: Vec<String>,
}

/// An expected emission.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Emitted {
    /// Vertex id.
    #[serde(default)]
    pub id: u8,
    /// True if it completes a primitive.
    #[serde(default)]
    pub primitive: bool,
    /// True if the primitive is reversed.
    #[serde(default)]
    pub winding: bool,
    /// Slots from slot 0 on.
    #[serde(default)]
    pub slots: Vec<Register>,
}

/// A raw pattern of a number format and its value.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// `f24`, `f20`, `f16`, `f31`; `truncate`: the bits of a binary32 pattern that 24 bits keep.
    pub format: String,
    /// The pattern, hexadecimal.
    pub raw: String,
    /// The value.
    pub value: Value,
}

/// Three words of a packed upload and the four patterns in them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packed {
    /// The words, hexadecimal.
    pub words: [String; 3],
    /// x, y, z, w.
    pub value: [Value; 4],
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
