//! `Case`: all inputs of one result, as a small readable file.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use crate::pica::notation::{Bytes, Row, Word};
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::float::{self, Precision};
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{EmitLatch, ShaderUnit, Uniforms, Vec4};
use picaflor_pipeline::pica::stage::GeometryInputs;
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, OutputMap, VertexInputs};
use serde::{Deserialize, Serialize};

/// A vertex batch or a sequence of geometry runs. Everything that decides the result is in here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Rounding of arithmetic.
    #[serde(with = "PrecisionName")]
    pub precision: Precision,
    /// First word executed.
    pub entry: u16,
    /// Instructions that each invocation may execute.
    pub budget: u32,
    /// Code from address 0; the remaining words are 0.
    pub code: Vec<Word>,
    /// Operand descriptors from 0; the remaining ones are 0.
    pub descriptors: Vec<Word>,
    /// Uniforms before the first invocation.
    pub uniforms: UniformSet,
    /// The work of the program.
    pub work: Work,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Precision", rename_all = "lowercase")]
enum PrecisionName {
    Console,
    Binary32,
}

/// Uniforms; floats that are not named are zero.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UniformSet {
    /// `c` registers by number.
    pub floats: BTreeMap<u8, FloatUniform>,
    /// `b0` in bit 0.
    pub bools: u16,
    /// `i0`-`i3`: x, y, z and a byte of no use.
    pub ints: [[u8; 4]; Uniforms::INTS],
}

/// A float uniform as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FloatUniform {
    /// Raw 24-bit floats.
    F24(Row),
    /// Binary32 words from the 32-bit upload mode.
    F32(Row),
    /// Register contents, written by the geometry stage.
    Register(Row),
}

/// The work of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// One batch of vertices.
    Vertex(VertexWork),
    /// Runs of a geometry program, one after another on the same unit.
    Geometry(GeometryWork),
}

/// One batch of vertices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VertexWork {
    /// Index of each vertex in the arrays.
    pub indices: Vec<u32>,
    /// Address of the first byte of `memory`; other addresses are not mapped.
    pub base: Word,
    /// Guest memory.
    pub memory: Bytes,
    /// Attribute 0 first.
    pub attributes: Vec<Attribute>,
    /// The destination of results.
    pub output: Output,
}

/// One attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// The destination, a `v` register.
    pub register: u8,
    /// The source.
    pub source: Source,
}

/// The source of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// An array in guest memory.
    Array {
        /// Address of the attribute of vertex 0.
        address: Word,
        /// Distance between vertices.
        stride: u32,
        /// Type of the elements.
        #[serde(with = "ElementName")]
        element: ElementType,
        /// Number of components, 1-4.
        components: u8,
    },
    /// Bits of the value of every vertex.
    Fixed(Row),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ElementType", rename_all = "lowercase")]
enum ElementName {
    I8,
    U8,
    I16,
    F32,
}

/// The destination of a vertex's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Output {
    /// Semantics, through the output map.
    Mapped {
        /// Bit n enables `o[n]`.
        mask: u16,
        /// Slots that are consumed.
        total: u8,
        /// Semantics of each slot.
        slots: [Word; 7],
    },
    /// Packed records for the geometry stage.
    Records {
        /// Bit n enables `o[n]`.
        mask: u16,
        /// Slots forwarded, 1-16.
        slots: u8,
    },
}

/// Runs of a geometry program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeometryWork {
    /// Output mask by which `EMIT` packs.
    pub output_mask: u16,
    /// The unit before the first run; registers that are not named are zero.
    pub start: UnitState,
    /// The runs.
    pub runs: Vec<Run>,
    /// True if they are one batch, as far as each of them loads the same registers or the same consecutive uniforms.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
}

/// Inputs of runs that form a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchInputs {
    /// Inputs of all runs.
    pub inputs: Vec<Vec4>,
    /// Inputs of a run.
    pub each: NonZeroUsize,
    /// Their destination.
    pub destination: GeometryInputs,
}

/// Contents of a unit. Registers that are not named are zero.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UnitState {
    /// `r0`-`r15` by number.
    pub r: BTreeMap<u8, Row>,
    /// `o0`-`o15` of bank 0, then those of bank 1 from number 16.
    pub o: BTreeMap<u8, Row>,
    /// The bank to write.
    pub bank: u8,
    /// `a0.x` and `a0.y`.
    pub a0: [i32; 2],
    /// `aL`.
    pub al: i32,
    /// `cmp.x` and `cmp.y`.
    pub cmp: [bool; 2],
    /// Vertex id, primitive flag, winding flag of the last `SETEMIT`.
    pub latch: (u8, bool, bool),
}

/// Changes before one geometry run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// `v` registers to load, by number; the others keep their values.
    pub v: BTreeMap<u8, Row>,
    /// All boolean uniforms, where software wrote them.
    pub bools: Option<u16>,
    /// Float uniforms written, as register contents.
    pub c: BTreeMap<u8, Row>,
}

impl Case {
    /// The unit that the program runs on.
    #[must_use]
    pub const fn kind(&self) -> UnitKind {
        match self.work {
            Work::Vertex(_) => UnitKind::Vertex,
            Work::Geometry(_) => UnitKind::Geometry,
        }
    }

    /// The program memory.
    #[must_use]
    pub fn program(&self) -> Program {
        let words = |list: &[Word]| list.iter().map(|word| word.0).collect::<Vec<_>>();
        Program::from_words(self.kind(), &words(&self.code), &words(&self.descriptors))
    }

    /// The same case in another precision. Register contents that `Console` cannot hold are narrowed.
    #[must_use]
    pub fn with_precision(&self, precision: Precision) -> Self {
        let mut case = Self { precision, ..self.clone() };
        if precision == Precision::Console {
            case.register_rows().into_iter().for_each(narrow);
        }
        case
    }

    /// Rows of register contents, as opposed to data that an upload or a fetch converts.
    fn register_rows(&mut self) -> Vec<&mut Row> {
        let uniforms = self.uniforms.floats.values_mut().filter_map(|uniform| match uniform {
            FloatUniform::Register(row) => Some(row),
            _ => None,
        });
        let mut rows: Vec<&mut Row> = uniforms.collect();
        match &mut self.work {
            Work::Vertex(work) => {
                rows.extend(work.attributes.iter_mut().filter_map(|attribute| match &mut attribute.source {
                    Source::Fixed(row) => Some(row),
                    Source::Array { .. } => None,
                }));
            }
            Work::Geometry(work) => {
                rows.extend(work.start.r.values_mut().chain(work.start.o.values_mut()));
                rows.extend(
                    work.runs.iter_mut().flat_map(|run| run.v.values_mut().chain(run.c.values_mut())),
                );
            }
        }
        rows
    }

    /// The case as a file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a case.
    ///
    /// # Errors
    /// The file cannot be read, or is not a case; the message names file, line and column.
    pub fn load(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// The nearest thing to these bits that a register of the 24-bit unit can hold.
fn narrow(row: &mut Row) {
    for word in &mut row.0 {
        let value = f32::from_bits(*word);
        if float::to_f24(value).is_none() {
            *word = float::truncate(value).to_bits();
        }
    }
}

impl UniformSet {
    /// The uniforms of a unit.
    #[must_use]
    pub fn uniforms(&self) -> Uniforms {
        let mut uniforms = Uniforms::default();
        for (&n, value) in &self.floats {
            match value {
                FloatUniform::F24(row) => uniforms.set_float_f24(n.into(), row.0),
                FloatUniform::F32(row) => uniforms.set_float_f32(n.into(), row.0),
                FloatUniform::Register(row) => uniforms.set_float_register(n.into(), row.value()),
            }
        }
        for (id, &value) in self.ints.iter().enumerate() {
            uniforms.set_int(id as u8, value);
        }
        uniforms.set_bools(self.bools);
        uniforms
    }
}

impl VertexWork {
    /// The attributes and their registers.
    #[must_use]
    pub fn inputs(&self) -> VertexInputs {
        let registers = self.attributes.iter().enumerate().take(16);
        VertexInputs {
            attributes: self.attributes.iter().map(|attribute| attribute.source.attribute()).collect(),
            permutation: registers.fold(0, |p, (k, a)| p | u64::from(a.register & 15) << (4 * k)),
        }
    }

    /// The guest memory.
    #[must_use]
    pub fn memory(&self) -> FlatMemory {
        FlatMemory::new(self.base.0, self.memory.0.clone())
    }
}

impl Source {
    const fn attribute(&self) -> AttributeSource {
        match *self {
            Self::Array { address, stride, element, components } => {
                AttributeSource::Array { address: address.0, stride_bytes: stride, element, components }
            }
            Self::Fixed(row) => AttributeSource::Fixed(row.value()),
        }
    }
}

impl Output {
    /// The form that engines take.
    #[must_use]
    pub fn form(&self) -> OutputForm {
        match *self {
            Self::Mapped { mask, total, slots } => {
                OutputForm::Mapped(OutputMap { mask, total, slots: slots.map(|word| word.0) })
            }
            Self::Records { mask, slots } => OutputForm::Records { mask, slots: slots.clamp(1, 16) },
        }
    }
}

impl UnitState {
    /// The unit.
    #[must_use]
    pub fn unit(&self) -> ShaderUnit {
        let mut unit = ShaderUnit {
            bank: u32::from(self.bank & 1),
            a0: self.a0,
            al: self.al,
            cmp: self.cmp,
            latch: EmitLatch { id: self.latch.0 & 3, primitive: self.latch.1, winding: self.latch.2 },
            ..ShaderUnit::default()
        };
        for (&n, row) in &self.r {
            unit.r[usize::from(n & 15)] = row.value();
        }
        for (&n, row) in &self.o {
            unit.o[usize::from(n >> 4 & 1)][usize::from(n & 15)] = row.value();
        }
        unit
    }
}

impl GeometryWork {
    /// The runs as a batch, if they are one.
    #[must_use]
    pub fn batch(&self) -> Option<BatchInputs> {
        let first = self.runs.first().filter(|_| self.together)?;
        let alike = |run: &Run| {
            run.bools.is_none() && run.v.keys().eq(first.v.keys()) && run.c.keys().eq(first.c.keys())
        };
        if !self.runs.iter().all(alike) {
            return None;
        }
        let (&lowest, _) = first.v.first_key_value().or(first.c.first_key_value())?;
        let destination = if first.c.is_empty() {
            let registers = first.v.keys().zip(0..);
            GeometryInputs::Registers(registers.fold(0, |p, (&v, k)| p | u64::from(v & 15) << (4 * k)))
        } else if first.v.is_empty() && first.c.keys().copied().eq((lowest..).take(first.c.len())) {
            GeometryInputs::Uniforms(lowest)
        } else {
            return None;
        };
        let rows = self.runs.iter().flat_map(|run| run.v.values().chain(run.c.values()));
        let inputs = rows.map(Row::value).collect();
        Some(BatchInputs { inputs, each: NonZeroUsize::new(first.v.len() + first.c.len())?, destination })
    }
}

impl Run {
    /// Applies the changes before the run.
    pub fn apply(&self, unit: &mut ShaderUnit, uniforms: &mut Uniforms) {
        for (&n, row) in &self.v {
            unit.v[usize::from(n & 15)] = row.value();
        }
        for (&n, row) in &self.c {
            uniforms.set_float_register(n.into(), row.value());
        }
        if let Some(bools) = self.bools {
            uniforms.set_bools(bools);
        }
    }
}

impl From<Vec4> for Row {
    fn from(value: Vec4) -> Self {
        Self(value.map(f32::to_bits))
    }
}

impl Row {
    /// The register.
    #[must_use]
    pub const fn value(&self) -> Vec4 {
        let [x, y, z, w] = self.0;
        [f32::from_bits(x), f32::from_bits(y), f32::from_bits(z), f32::from_bits(w)]
    }
}
