//! One-operand opcodes on two engines, for all 2^24 values of the 24-bit format.
//!
//! Most values are loaded as binary32 attributes, many vertices to a batch. Values that loading would change (in
//! `Console`: -0, subnormals, NaN payloads and signs) are loaded as uniforms instead, 64 to a run, so that all values
//! are covered.

use crate::pica::encode::{self, Operands};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::float::{self, Precision};
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::stage::{DEFAULT_INSTRUCTION_BUDGET, ShadedVertices, ShaderStage, VertexBatch};
use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
use std::fmt;

/// The opcodes that can be swept. `MOVA` is seen through `MOV` from a uniform that it addresses.
pub const ONE_OPERAND: [Opcode; 8] = [
    Opcode::Ex2,
    Opcode::Lg2,
    Opcode::Litp,
    Opcode::Flr,
    Opcode::Rcp,
    Opcode::Rsq,
    Opcode::Mova,
    Opcode::Mov,
];

/// Vertices in a batch, with four values each.
const VERTICES: usize = 1 << 16;
/// Address of the attribute array.
const BASE: u32 = 0x1800_0000;
/// First uniform that is no input. `MOVA` addresses from the middle of these.
const TABLE: usize = 16;
/// Number of the uniform from which `MOVA` counts.
const CENTRE: u32 = 48;
/// Number of values in a run that takes them from uniforms: `c0`-`c15`.
const UNIFORM_VALUES: usize = 64;

/// An input on which the engines differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The operand, as binary32 bits.
    pub input: u32,
    /// The result of the first engine.
    pub first: u32,
    /// The result of the second engine.
    pub second: u32,
}

/// Two engines on one opcode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineReport {
    /// The opcode.
    pub opcode: Opcode,
    /// The profile.
    pub precision: Precision,
    /// Values that arrived as attributes.
    pub attributes: u64,
    /// Values that arrived as uniforms.
    pub uniforms: u64,
    /// Inputs on which the results differ in a bit.
    pub differing: u64,
    /// The first of those, at most [`KEPT`](Self::KEPT).
    pub first: Vec<Difference>,
}

impl EngineReport {
    /// Maximum number of listed differences.
    pub const KEPT: usize = 16;

    fn new(opcode: Opcode, precision: Precision) -> Self {
        Self { opcode, precision, attributes: 0, uniforms: 0, differing: 0, first: Vec::new() }
    }

    /// Inputs tried.
    #[must_use]
    pub const fn inputs(&self) -> u64 {
        self.attributes + self.uniforms
    }

    fn record(&mut self, input: f32, first: f32, second: f32) {
        let [input, first, second] = [input, first, second].map(f32::to_bits);
        if first != second {
            self.differing += 1;
            if self.first.len() < Self::KEPT {
                self.first.push(Difference { input, first, second });
            }
        }
    }
}

impl fmt::Display for EngineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { opcode, precision, attributes, uniforms, differing, first } = self;
        write!(f, "{:4} {precision:?}: {differing} of {} inputs differ", opcode.mnemonic(), self.inputs())?;
        write!(f, " ({attributes} by attribute, {uniforms} by uniform)")?;
        first.iter().try_for_each(|d| write!(f, "\n  {:08x}: {:08x} {:08x}", d.input, d.first, d.second))
    }
}

/// Runs `opcode`, one of [`ONE_OPERAND`], on every 24-bit value with both engines and compares all bits. With
/// `step` above 1, on every `step`-th value.
///
/// # Panics
/// If `step` is 0.
pub fn compare_engines(
    opcode: Opcode,
    precision: Precision,
    step: usize,
    first: &mut dyn ShaderStage,
    second: &mut dyn ShaderStage,
) -> EngineReport {
    let loads = |value: &f32| precision.load_f32(*value).to_bits() == value.to_bits();
    let (by_attribute, by_uniform): (Vec<f32>, Vec<f32>) =
        (0..1 << 24).step_by(step).map(float::f24).partition(loads);
    let mut sweep =
        Sweep { precision, report: EngineReport::new(opcode, precision), engines: [first, second] };
    let program = program(opcode, 1, 0);
    for values in by_attribute.chunks(VERTICES * 4) {
        sweep.attributes(&program, values);
    }
    let program = self::program(opcode, TABLE as u32, 0x20);
    for values in by_uniform.chunks(UNIFORM_VALUES) {
        sweep.uniforms(&program, values);
    }
    sweep.report
}

/// `opcode` applied to each component of `registers` registers from code `source`, into `o0` and following.
/// Descriptor `i` enables component `i` and delivers it in every component.
fn program(opcode: Opcode, registers: u32, source: u32) -> Program {
    let mut words = Vec::new();
    for register in 0..registers {
        for component in 0..4 {
            let applied = Operands {
                destination: register,
                wide: source + register,
                descriptor: component,
                ..Operands::default()
            };
            if opcode == Opcode::Mova {
                // mova a0.x, source.component; mov oN.component, c[CENTRE + a0.x]
                let address = Operands { destination: 0, descriptor: 4 + component, ..applied };
                words.push(encode::arithmetic(Opcode::Mova, address));
                let looked_up = Operands { wide: 0x20 + CENTRE, index: 1, ..applied };
                words.push(encode::arithmetic(Opcode::Mov, looked_up));
            } else {
                words.push(encode::arithmetic(opcode, applied));
            }
        }
    }
    words.push(encode::bare(Opcode::End));
    let descriptors: Vec<u32> = (0..8)
        .map(|i| {
            let mask = if i < 4 { 8 >> i } else { 8 };
            encode::descriptor(mask, [i % 4 * 0x55, 0, 0], [false; 3])
        })
        .collect();
    Program::from_words(UnitKind::Vertex, &words, &descriptors)
}

/// Uniforms with `values` in the first registers and a distinct value in each of the others.
fn uniforms(values: &[f32]) -> Uniforms {
    let mut uniforms = Uniforms::default();
    for n in TABLE..Uniforms::FLOATS {
        uniforms.set_float_f24(n, [pattern(n as f32); 4]);
    }
    for (n, vector) in values.chunks(4).enumerate() {
        uniforms.set_float_f24(n, std::array::from_fn(|i| vector.get(i).map_or(0, |&v| pattern(v))));
    }
    uniforms
}

/// The pattern of a value that has one.
fn pattern(value: f32) -> u32 {
    float::to_f24(value).expect("a 24-bit value")
}

/// A comparison under way.
struct Sweep<'a> {
    precision: Precision,
    report: EngineReport,
    engines: [&'a mut dyn ShaderStage; 2],
}

impl Sweep<'_> {
    /// Four values to a vertex, from an array.
    fn attributes(&mut self, program: &Program, values: &[f32]) {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let source = AttributeSource::Array {
            address: BASE,
            stride_bytes: 16,
            element: ElementType::F32,
            components: 4,
        };
        let vertices = values.len().div_ceil(4);
        let results = self.shade(program, &FlatMemory::new(BASE, bytes), source, &uniforms(&[]), vertices, 1);
        for (i, &input) in values.iter().enumerate() {
            let [first, second] = results.each_ref().map(|r| r.component(i % 4)[i / 4]);
            self.report.record(input, first, second);
        }
        self.report.attributes += values.len() as u64;
    }

    /// Four values to a register, one vertex.
    fn uniforms(&mut self, program: &Program, values: &[f32]) {
        let source = AttributeSource::Fixed([0.0; 4]);
        let memory = FlatMemory::default();
        let results = self.shade(program, &memory, source, &uniforms(values), 1, TABLE as u8);
        for (i, &input) in values.iter().enumerate() {
            let [first, second] = results.each_ref().map(|r| r.component(i)[0]);
            self.report.record(input, first, second);
        }
        self.report.uniforms += values.len() as u64;
    }

    /// One batch on both engines.
    fn shade(
        &mut self,
        program: &Program,
        memory: &FlatMemory,
        source: AttributeSource,
        uniforms: &Uniforms,
        vertices: usize,
        slots: u8,
    ) -> [ShadedVertices; 2] {
        let indices: Vec<u32> = (0..vertices as u32).collect();
        let batch = VertexBatch {
            memory,
            indices: &indices,
            inputs: &VertexInputs { attributes: vec![source], permutation: 0 },
            program,
            entry: 0,
            uniforms,
            output: &OutputForm::Records { mask: ((1_u32 << slots) - 1) as u16, slots },
            precision: self.precision,
            instruction_budget: DEFAULT_INSTRUCTION_BUDGET,
        };
        self.engines.each_mut().map(|engine| {
            let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
            engine.shade(&batch, &mut out, &mut faults);
            out
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::stage::{Emission, GeometryRun};

    /// The interpreter, which also keeps all results. A result whose bits are `spoiled` gets one bit wrong.
    #[derive(Default)]
    struct Spoiling {
        interpreter: Interpreter,
        spoiled: u32,
        results: Vec<u32>,
    }

    impl ShaderStage for Spoiling {
        fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
            self.interpreter.shade(batch, out, faults);
            assert_eq!(faults.as_slice(), []);
            for k in 0..out.components() {
                for value in out.component_mut(k) {
                    self.results.push(value.to_bits());
                    let wrong = u32::from(value.to_bits() == self.spoiled);
                    *value = f32::from_bits(value.to_bits() ^ wrong);
                }
            }
        }

        fn run_geometry(&mut self, _: &mut GeometryRun<'_>, _: &mut Vec<Emission>, _: &mut FaultList) {
            unreachable!("the sweep has no geometry programs")
        }
    }

    /// One attribute (1.0) and one uniform (a subnormal) are moved wrongly, and nothing else.
    #[test]
    fn wrong_results_are_found() {
        for input in [0x3f80_0000, 0x1b80_0000] {
            let mut wrong = Spoiling { spoiled: input, ..Default::default() };
            let report =
                compare_engines(Opcode::Mov, Precision::Console, 64, &mut Interpreter::new(), &mut wrong);
            assert_eq!(report.inputs(), 1 << 18);
            let expected = Difference { input, first: input, second: input ^ 1 };
            assert_eq!((report.differing, report.first), (1, vec![expected]), "{input:08x}");
        }
    }

    /// `MOVA` reaches every uniform of the table, and what lies beyond.
    #[test]
    fn mova_is_visible() {
        let mut seen = Spoiling { spoiled: u32::MAX, ..Default::default() };
        compare_engines(Opcode::Mova, Precision::Binary32, 61, &mut Interpreter::new(), &mut seen);
        for n in TABLE..Uniforms::FLOATS {
            assert!(seen.results.contains(&(n as f32).to_bits()), "c{n}");
        }
        assert!(seen.results.contains(&1.0_f32.to_bits()));
    }
}
