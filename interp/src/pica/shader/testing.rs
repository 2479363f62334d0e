//! Instruction words and runs for the tests of this folder.

use super::trace::Trace;
use super::{Invocation, run_unit};
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms};
use picaflor_pipeline::pica::stage::Emission;

/// A descriptor that writes every component and swizzles nothing.
pub(super) const IDENTITY: u32 = 0x1b << 23 | 0x1b << 14 | 0x1b << 5 | 0xf;

pub(super) fn bare(op: Opcode) -> u32 {
    op.code() << 26
}

pub(super) fn nop() -> u32 {
    bare(Opcode::Nop)
}

pub(super) fn end() -> u32 {
    bare(Opcode::End)
}

/// Formats 2 and 3: `id` is the uniform, or condition and references.
pub(super) fn flow(op: Opcode, id: u32, dst: u32, num: u32) -> u32 {
    op.code() << 26 | id << 22 | dst << 10 | num
}

pub(super) fn call(dst: u32, num: u32) -> u32 {
    flow(Opcode::Call, 0, dst, num)
}

/// Format 1 with descriptor 0; register codes as in the words (0x10 is `r0`, 0x20 is `c0`).
pub(super) fn two(op: Opcode, dst: u32, src1: u32, src2: u32) -> u32 {
    op.code() << 26 | dst << 21 | src1 << 12 | src2 << 7
}

/// Format 1u with descriptor 0.
pub(super) fn one(op: Opcode, dst: u32, src1: u32) -> u32 {
    two(op, dst, src1, 0)
}

pub(super) fn setemit(id: u32, primitive: bool, winding: bool) -> u32 {
    bare(Opcode::SetEmit) | id << 24 | u32::from(primitive) << 23 | u32::from(winding) << 22
}

/// A program with everything that it runs on, to be changed before it runs.
pub(super) struct Bench {
    pub(super) program: Program,
    pub(super) uniforms: Uniforms,
    pub(super) unit: ShaderUnit,
    pub(super) precision: Precision,
    pub(super) budget: u32,
    pub(super) entry: u16,
    pub(super) output_mask: u16,
}

/// Results of a run, apart from the registers.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) trace: Trace,
    pub(super) faults: Vec<Fault>,
    pub(super) emitted: Vec<Emission>,
}

impl Outcome {
    pub(super) fn addresses(&self) -> Vec<u16> {
        self.trace.addresses().collect()
    }
}

impl Bench {
    /// A program whose descriptor 0 is [`IDENTITY`].
    pub(super) fn new(kind: UnitKind, code: &[u32]) -> Self {
        Self {
            program: Program::from_words(kind, code, &[IDENTITY]),
            uniforms: Uniforms::default(),
            unit: ShaderUnit::default(),
            precision: Precision::Console,
            budget: 1000,
            entry: 0,
            output_mask: 0xffff,
        }
    }

    pub(super) fn run(&mut self) -> Outcome {
        let invocation = Invocation {
            program: &self.program,
            entry: self.entry,
            uniforms: &self.uniforms,
            output_mask: self.output_mask,
            precision: self.precision,
            instruction_budget: self.budget,
            vertex: 0,
        };
        let (mut emitted, mut faults, mut trace) = (Vec::new(), FaultList::new(), Trace::default());
        run_unit(&invocation, &mut self.unit, &mut emitted, &mut faults, Some(&mut trace));
        Outcome { trace, faults: faults.as_slice().to_vec(), emitted }
    }
}
