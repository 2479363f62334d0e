//! Keys of shader routines.

use super::programs::KnownProgram;
use crate::emit::pica::layout::InputKey;
use crate::emit::pica::number::Arithmetic;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::stage::{GeometryRun, VertexBatch};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
use std::fmt;

/// What a vertex routine is specialised on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct VertexKey {
    /// Stands for the words of the program.
    pub(crate) program: u32,
    pub(crate) entry: u16,
    /// Boolean uniforms, those that the program names.
    pub(crate) bools: u16,
    /// Integer uniforms, those that the program names.
    pub(crate) ints: [[u8; 4]; 4],
    pub(crate) inputs: [InputKey; 16],
    pub(crate) output: OutputForm,
    pub(crate) arithmetic: Arithmetic,
}

impl VertexKey {
    pub(crate) fn of(batch: &VertexBatch<'_>, program: &KnownProgram, arithmetic: Arithmetic) -> Self {
        Self {
            program: program.id,
            entry: batch.entry,
            bools: batch.uniforms.bools() & program.bools,
            ints: named_ints(batch.uniforms, program),
            inputs: input_keys(batch.inputs),
            output: *batch.output,
            arithmetic,
        }
    }
}

/// What a geometry routine is specialised on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GeometryKey {
    /// Stands for the words of the program.
    pub(crate) program: u32,
    pub(crate) entry: u16,
    /// Boolean uniforms, those that the program names; `b15` is data.
    pub(crate) bools: u16,
    /// Integer uniforms, those that the program names.
    pub(crate) ints: [[u8; 4]; 4],
    pub(crate) arithmetic: Arithmetic,
}

impl GeometryKey {
    pub(crate) fn of(run: &GeometryRun<'_>, program: &KnownProgram, arithmetic: Arithmetic) -> Self {
        Self {
            program: program.id,
            entry: run.entry,
            bools: run.uniforms.bools() & program.bools & 0x7fff,
            ints: named_ints(run.uniforms, program),
            arithmetic,
        }
    }
}

/// The exact arithmetic of a precision.
pub(crate) const fn exact(precision: Precision) -> Arithmetic {
    match precision {
        Precision::Console => Arithmetic::ConsoleExact,
        Precision::Binary32 => Arithmetic::Binary32Exact,
    }
}

/// The fast arithmetic of a precision. `flushes`: whether the host can flush as the scaled form needs it.
pub(crate) const fn fast(precision: Precision, flushes: bool) -> Arithmetic {
    match precision {
        Precision::Console if flushes => Arithmetic::ConsoleFast,
        Precision::Console => Arithmetic::ConsoleExact,
        Precision::Binary32 => Arithmetic::Binary32Fast,
    }
}

fn named_ints(uniforms: &Uniforms, program: &KnownProgram) -> [[u8; 4]; 4] {
    [0, 1, 2, 3].map(|id: u8| {
        let [x, y, z, _] = uniforms.int(id);
        if program.ints[usize::from(id)] { [x, y, z, 0] } else { [0; 4] }
    })
}

fn input_keys(inputs: &VertexInputs) -> [InputKey; 16] {
    let sources = inputs.by_register();
    let mut keys = [InputKey::Absent; 16];
    for (register, source) in sources.iter().enumerate() {
        keys[register] = match source {
            None => InputKey::Absent,
            Some(AttributeSource::Fixed(_)) => InputKey::Fixed,
            Some(AttributeSource::Array { stride_bytes, element, components, .. }) => InputKey::Array {
                element: *element,
                components: (*components).clamp(1, 4),
                stride_of: first_with_stride(&sources, *stride_bytes) as u8,
            },
        };
    }
    keys
}

fn first_with_stride(sources: &[Option<&AttributeSource>; 16], stride: u32) -> usize {
    let same = |source: &Option<&AttributeSource>| matches!(source, Some(AttributeSource::Array { stride_bytes, .. }) if *stride_bytes == stride);
    sources.iter().position(same).unwrap_or(0)
}

impl fmt::Display for VertexKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "vs{}@{:x}:b{:04x}", self.program, self.entry, self.bools)?;
        write_ints(f, &self.ints)?;
        f.write_str(":")?;
        for key in &self.inputs {
            write!(f, "{key}")?;
        }
        match self.output {
            OutputForm::Mapped(map) => {
                write!(f, ":m{:04x}", map.mask)?;
                for slot in &map.slots[..usize::from(map.total & 7)] {
                    write!(f, ".{slot:08x}")?;
                }
            }
            OutputForm::Records { mask, slots } => write!(f, ":r{mask:04x}.{slots}")?,
        }
        write!(f, ":{}", arithmetic_name(self.arithmetic))
    }
}

impl fmt::Display for GeometryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gs{}@{:x}:b{:04x}", self.program, self.entry, self.bools)?;
        write_ints(f, &self.ints)?;
        write!(f, ":{}", arithmetic_name(self.arithmetic))
    }
}

fn write_ints(f: &mut fmt::Formatter<'_>, ints: &[[u8; 4]; 4]) -> fmt::Result {
    for (id, [x, y, z, _]) in ints.iter().enumerate().filter(|(_, int)| **int != [0; 4]) {
        write!(f, ":i{id}={x},{y},{z}")?;
    }
    Ok(())
}

impl fmt::Display for InputKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("-"),
            Self::Fixed => f.write_str("c"),
            Self::Array { element, components, stride_of } => {
                let element = match element {
                    ElementType::I8 => 's',
                    ElementType::U8 => 'u',
                    ElementType::I16 => 'h',
                    ElementType::F32 => 'f',
                };
                write!(f, "{element}{components}{stride_of:x}")
            }
        }
    }
}

const fn arithmetic_name(arithmetic: Arithmetic) -> &'static str {
    match arithmetic {
        Arithmetic::Binary32Fast => "binary32",
        Arithmetic::Binary32Exact => "binary32-exact",
        Arithmetic::ConsoleFast => "console",
        Arithmetic::ConsoleExact => "console-exact",
    }
}
