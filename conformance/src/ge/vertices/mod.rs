//! Random batches of vertices of the GE, transformed by the interpreter and by compiled code.

pub(in crate::ge) mod numbers;
pub(in crate::ge) mod registers;

use crate::ge::campaign::{CASES_PER_MODE, Cases, Verdict};
use crate::random::Random;
use picaflor_interp::Interpreter;
use picaflor_jit::Engine;
use picaflor_jit::keys::TransformStateKey;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::{Remembered, TransformStage, VertexBatch};
use picaflor_pipeline::ge::vertex::{Outside, Vertex};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::NoMemory;

/// Records of a case.
const RECORDS: u32 = 12;

/// A state, and vertices in it.
#[derive(Debug, Clone)]
pub struct VertexCase {
    /// All registers.
    pub registers: Registers,
    /// All matrices.
    pub matrices: Matrices,
    /// The values of attributes that a format leaves out.
    pub remembered: Remembered,
    /// Bytes of the records.
    pub records: Vec<u8>,
    /// Which of them are transformed.
    pub indices: Vec<u32>,
}

impl VertexCase {
    /// Case `number` of a seed.
    #[must_use]
    pub fn of(seed: u64, number: u64) -> Self {
        let mut random = Random::of_item(seed, number / CASES_PER_MODE);
        let mut registers = registers::registers(&mut random);
        let mut random = Random::of_item(!seed, number);
        registers::vary(&mut random, &mut registers);
        let style = numbers::Style::of(&mut random);
        let records = numbers::records(&mut random, style, registers.vertex_type(), RECORDS);
        let indices = (0..random.between(1, 19)).map(|_| random.below(RECORDS)).collect();
        let mut matrices = numbers::matrices(&mut random, style);
        let remembered = numbers::remembered(&mut random, style);
        // The others show more of what a vertex depends on.
        if number % 4 == 3 {
            numbers::simplify(&mut random, &mut matrices);
        }
        Self { registers, matrices, remembered, records, indices }
    }

    /// The name of its routine, or why there is none.
    #[must_use]
    pub fn key(&self) -> String {
        TransformStateKey::of(&self.registers).map_or_else(|reason| reason.to_string(), |key| key.to_string())
    }

    /// The vertices that an engine makes of the case.
    pub(in crate::ge) fn transformed(&self, stage: &mut dyn TransformStage) -> Vec<Vertex> {
        let mut out = Vec::new();
        stage.transform(&self.batch(), &mut out);
        out
    }

    /// What an engine says of the case beside its vertices.
    fn facts(&self, stage: &mut dyn TransformStage) -> (Remembered, bool, Vertex) {
        let batch = self.batch();
        (stage.remembered(&batch), stage.is_outside(&batch), stage.immediate(&self.registers))
    }

    fn batch(&self) -> VertexBatch<'_> {
        VertexBatch {
            registers: &self.registers,
            matrices: &self.matrices,
            remembered: self.remembered,
            records: GuestSlice::from_slice(&self.records),
            stride: self.registers.vertex_type().stride(),
            indices: &self.indices,
            memory: &NoMemory,
        }
    }
}

/// Vertex cases of a seed.
#[derive(Debug)]
pub struct Vertices(u64);

impl Cases for Vertices {
    const KIND: &'static str = "ge-vertex";
    const ABOUT: &'static str = "Vertex states of the PSP's GE, and batches";
    /// Counts: groups of four vertices, and the groups that compiled code leaves to the interpreter.
    const COUNTS: [&'static str; 2] = ["groups", "replayed"];

    fn of_seed(seed: u64) -> Self {
        Self(seed)
    }

    fn check(&mut self, number: u64, engine: &mut Engine) -> Verdict {
        compare(&VertexCase::of(self.0, number), engine)
    }
}

/// Transforms a case both ways.
#[must_use]
pub fn compare(case: &VertexCase, engine: &mut Engine) -> Verdict {
    let expected = case.transformed(&mut Interpreter::new());
    let before = engine.stats();
    let found = case.transformed(engine);
    let after = engine.stats();
    if after.groups == before.groups {
        let reasons =
            after.refusals.iter().filter(|(reason, count)| before.refusals.get(*reason) != Some(*count));
        let reason = reasons.map(|(reason, _)| reason.to_string()).next();
        return Verdict::NotCompiled(reason.unwrap_or_else(|| "no reason was given".into()));
    }
    if found.len() != expected.len() {
        return Verdict::Differs(format!("{} vertices instead of {}", found.len(), expected.len()));
    }
    let [facts, others] = [case.facts(&mut Interpreter::new()), case.facts(engine)];
    if !same_facts(&facts, &others) {
        return Verdict::Differs(format!("{}: {facts:?} expected, {others:?} found", case.key()));
    }
    match expected.iter().zip(&found).position(|(expected, found)| !are_same(expected, found)) {
        Some(n) => Verdict::Differs(format!(
            "{}: vertex {n}: {:?} expected, {:?} found",
            case.key(),
            expected[n],
            found[n]
        )),
        None => Verdict::Same {
            key: case.key(),
            counts: true,
            of: [after.groups - before.groups, after.replayed_groups - before.replayed_groups],
        },
    }
}

/// Bit for bit, but that a NaN is as good as another.
pub(in crate::ge) fn same_numbers(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

/// [`same_numbers`] of vertices. The place of a vertex beside the guard band is not defined.
pub(in crate::ge) fn are_same(a: &Vertex, b: &Vertex) -> bool {
    let rest = |vertex: &Vertex| {
        let [x, y] = if vertex.outside & Outside::GUARD_BAND == 0 { [vertex.x, vertex.y] } else { [0; 2] };
        Vertex { clip: [0.0; 4], texture: [0.0; 3], x, y, ..*vertex }
    };
    same_numbers(&a.clip, &b.clip) && same_numbers(&a.texture, &b.texture) && rest(a) == rest(b)
}

fn same_facts(a: &(Remembered, bool, Vertex), b: &(Remembered, bool, Vertex)) -> bool {
    let same = same_numbers(&a.0.texture, &b.0.texture) && same_numbers(&a.0.normal, &b.0.normal);
    same && a.1 == b.1 && are_same(&a.2, &b.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::campaign::{Plan, run};

    #[test]
    fn random_batches_are_the_same() {
        let plan = Plan { seed: 5, first: 0, cases: 800, time: None, threads: 2 };
        let summary = run::<Vertices>(&plan, &|_| ()).expect("an engine");
        assert!(summary.findings.is_empty(), "{summary:?}");
        assert!(summary.compiled * 10 > summary.cases * 9, "{summary:?}");
        // Some numbers are the interpreter's: groups with a NaN, of which random floats have many.
        let [groups, replayed] = summary.counts;
        assert!(replayed > 0 && replayed * 4 < groups, "{summary:?}");
    }

    #[test]
    fn another_bit_is_a_difference() {
        let case = VertexCase::of(1, 1);
        let vertex = case.transformed(&mut Interpreter::new())[0];
        let nan = Vertex { clip: [f64::NAN; 4], ..vertex };
        assert!(are_same(&vertex, &vertex) && are_same(&nan, &Vertex { clip: [-f64::NAN; 4], ..vertex }));
        assert!(!are_same(&vertex, &Vertex { fog: vertex.fog ^ 1, ..vertex }));
        let beside = Vertex { outside: Outside::GUARD_BAND, ..vertex };
        let moved = |vertex: Vertex| Vertex { x: vertex.x ^ 1, ..vertex };
        assert!(
            are_same(&beside, &moved(beside))
                && !are_same(&Vertex { outside: 0, ..vertex }, &moved(Vertex { outside: 0, ..vertex }))
        );
        let zero = Vertex { texture: [0.0; 3], ..vertex };
        assert!(!are_same(&zero, &Vertex { texture: [-0.0, 0.0, 0.0], ..vertex }));
    }
}
