//! Geometry programs of vector files: runs one after the other on one unit, whose registers persist.

use super::listing::{Conditions, encode};
use super::run::{Case, compare_faults, compare_register, load};
use super::value::{Register, Value};
use super::{Emitted, GeometryProgram, Run};
use crate::pica::engine::NamedEngine;
use crate::pica::notation::register_number;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::memory::NoMemory;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};
use picaflor_pipeline::pica::stage::{DEFAULT_INSTRUCTION_BUDGET, Emission, GeometryRun, ShaderStage};
use std::collections::BTreeMap;

/// Runs on one unit.
pub(super) struct Sequence {
    /// The case, for reports.
    pub(super) name: String,
    /// Rounding of arithmetic.
    pub(super) precision: Precision,
    /// Code.
    pub(super) program: Program,
    /// Uniforms before the first run.
    pub(super) uniforms: Uniforms,
    /// Registers before the first run.
    pub(super) unit: ShaderUnit,
    /// Output mask.
    pub(super) mask: u16,
    /// The runs.
    pub(super) runs: Vec<Expectation>,
}

/// Inputs of a run, and the expected state after it. `None` is not compared.
#[derive(Default)]
pub(super) struct Expectation {
    /// Loaded into v0 and on.
    pub(super) v: Vec<Vec4>,
    /// First word executed.
    pub(super) entry: u16,
    /// Emissions.
    pub(super) emitted: Option<Vec<Emitted>>,
    /// Temporaries by number.
    pub(super) r: BTreeMap<usize, [Value; 4]>,
    /// Address registers.
    pub(super) a0: Option<[i32; 2]>,
    /// Loop counter.
    pub(super) al: Option<i32>,
    /// Flags.
    pub(super) cmp: Option<[bool; 2]>,
    /// Output bank.
    pub(super) bank: Option<u32>,
    /// Boolean uniforms.
    pub(super) bools: Option<u16>,
    /// Faults.
    pub(super) faults: Vec<String>,
}

/// The case of one program in one profile.
pub(super) fn case(program: &GeometryProgram, precision: Precision) -> Result<Case, String> {
    let listing = encode(&program.code, Conditions::Uniform, &[])?;
    let mut uniforms = Uniforms::default();
    load(&mut uniforms, &program.with, precision)?;
    for n in (0..Uniforms::FLOATS).filter(|n| !program.with.float.contains_key(&format!("c{n}"))) {
        uniforms.set_float(n, [n as f32 + 0.5; 4]);
    }
    let runs = program.runs.iter().map(|run| expectation(run, precision)).collect::<Result<_, _>>()?;
    Ok(Case::Geometry(Box::new(Sequence {
        name: format!("{}\n{}", program.name, program.code.trim_end()),
        precision,
        program: Program::from_words(UnitKind::Geometry, &listing.code, &listing.descriptors),
        uniforms,
        unit: ShaderUnit::default(),
        mask: program.mask,
        runs,
    })))
}

fn expectation(run: &Run, precision: Precision) -> Result<Expectation, String> {
    let mut r = BTreeMap::new();
    for (name, value) in &run.r {
        r.insert(register_number(name, 'r', 16)?, value.components(Value::Any));
    }
    Ok(Expectation {
        v: run.v.iter().map(|value| value.operand(precision)).collect(),
        entry: run.entry,
        emitted: run.emitted.clone(),
        r,
        a0: run.a0,
        al: run.al,
        cmp: run.cmp,
        bank: run.bank,
        bools: run.bools,
        faults: run.faults.clone(),
    })
}

impl Sequence {
    /// Runs everything; returns the problems of the first run that has any.
    pub(super) fn judge(&self, engine: &mut NamedEngine) -> Vec<String> {
        let (mut uniforms, mut unit) = (self.uniforms.clone(), self.unit.clone());
        for (at, expected) in self.runs.iter().enumerate() {
            for (register, value) in unit.v.iter_mut().zip(&expected.v) {
                *register = *value;
            }
            let (mut emitted, mut faults) = (Vec::new(), FaultList::new());
            let mut run = GeometryRun {
                program: &self.program,
                entry: expected.entry,
                uniforms: &mut uniforms,
                unit: &mut unit,
                output_mask: self.mask,
                precision: self.precision,
                instruction_budget: DEFAULT_INSTRUCTION_BUDGET,
                memory: &NoMemory,
            };
            engine.run_geometry(&mut run, &mut emitted, &mut faults);
            if !engine.service().has_result() {
                return Vec::new();
            }
            let mut problems = expected.problems(&unit, &uniforms, &emitted, self.precision);
            compare_faults(&expected.faults, &faults, &mut problems);
            if !problems.is_empty() {
                problems.insert(0, format!("after run {at}:"));
                return problems;
            }
        }
        Vec::new()
    }
}

impl Expectation {
    fn problems(
        &self,
        unit: &ShaderUnit,
        uniforms: &Uniforms,
        emitted: &[Emission],
        precision: Precision,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        for (&n, expected) in &self.r {
            let expected = Register::List(expected.to_vec());
            compare_register(&format!("r{n}"), &expected, unit.r[n], precision, &mut problems);
        }
        differ("a0", self.a0.as_ref(), &unit.a0, &mut problems);
        differ("aL", self.al.as_ref(), &unit.al, &mut problems);
        differ("cmp", self.cmp.as_ref(), &unit.cmp, &mut problems);
        differ("bank", self.bank.as_ref(), &unit.bank, &mut problems);
        differ("b", self.bools.as_ref(), &uniforms.bools(), &mut problems);
        if let Some(expected) = &self.emitted {
            differ("emissions", Some(&expected.len()), &emitted.len(), &mut problems);
            for (at, (expected, actual)) in expected.iter().zip(emitted).enumerate() {
                emission(at, expected, actual, precision, &mut problems);
            }
        }
        problems
    }
}

fn differ<T: PartialEq + std::fmt::Debug>(
    place: &str,
    expected: Option<&T>,
    actual: &T,
    problems: &mut Vec<String>,
) {
    if let Some(expected) = expected.filter(|expected| *expected != actual) {
        problems.push(format!("{place}: expected {expected:?}, got {actual:?}"));
    }
}

fn emission(
    at: usize,
    expected: &Emitted,
    actual: &Emission,
    precision: Precision,
    problems: &mut Vec<String>,
) {
    let latch = (actual.latch.id, actual.latch.primitive, actual.latch.winding);
    let wanted = (expected.id, expected.primitive, expected.winding);
    differ(&format!("latch of emission {at}"), Some(&wanted), &latch, problems);
    for (slot, register) in expected.slots.iter().enumerate().take(16) {
        let place = format!("emission {at} slot {slot}");
        compare_register(&place, register, actual.record[slot], precision, problems);
    }
}
