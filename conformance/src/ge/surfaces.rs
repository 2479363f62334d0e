//! Random surfaces of the GE, divided by the interpreter and by the fast engine.

use crate::ge::campaign::{CASES_PER_MODE, Cases, Verdict};
use crate::ge::reduce::{self, Reducible};
use crate::ge::vertices::{numbers, registers};
use crate::random::Random;
use crate::reducer::Reducer;
use picaflor_interp::Interpreter;
use picaflor_jit::Engine;
use picaflor_pipeline::ge::matrices::Matrices;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::surface::{Piece, SurfaceBatch, SurfaceKind};
use picaflor_pipeline::ge::stage::{Remembered, TransformStage, VertexBatch};
use picaflor_pipeline::ge::vertex_type::VertexType;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::NoMemory;
use std::time::Duration;

/// Control points, and the command.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceCase {
    /// All registers.
    pub registers: Registers,
    /// All matrices.
    pub matrices: Matrices,
    /// Values of omitted components.
    pub remembered: Remembered,
    /// Bytes of the records.
    pub records: Vec<u8>,
    /// Record of each control point.
    pub indices: Vec<u32>,
    /// Control points along u and v.
    pub controls: [usize; 2],
    /// The command.
    pub kind: SurfaceKind,
}

/// The type of the vertices of a surface, and their records in the order of drawing.
type Drawn = Option<(Registers, Vec<u8>)>;

impl SurfaceCase {
    /// Case `number` of a seed.
    #[must_use]
    pub fn of(seed: u64, number: u64) -> Self {
        let mut random = Random::of_item(seed ^ 0x5bf, number / CASES_PER_MODE);
        let mut registers = registers::registers(&mut random);
        let kind = match random.chance(50) {
            true => SurfaceKind::Bezier,
            false => SurfaceKind::Spline([random.below(4), random.below(4)]),
        };
        let random = &mut Random::of_item(!seed ^ 0x5bf, number);
        registers::vary(random, &mut registers);
        let divisions = |random: &mut Random| {
            let few = random.below(9);
            random.weighted(&[(1, 0), (9, few), (1, 127)])
        };
        let both = divisions(random) | divisions(random) << 8;
        let bits = [(op::PSUB, both), (op::PPRIM, random.below(4)), (op::PFACE, random.below(2))];
        bits.into_iter().for_each(|(command, bits)| registers.write(u32::from(command) << 24 | bits));
        let side = |random: &mut Random| {
            let more = random.between(5, 11);
            random.weighted(&[(1, 3), (12, 4), (6, more)]) as usize
        };
        let controls = [side(random), side(random)];
        let style = numbers::Style::of(random);
        let count = (controls[0] * controls[1]) as u32;
        let records = numbers::records(random, style, registers.vertex_type(), count);
        let indices = (0..count).map(|n| if random.chance(90) { n } else { random.below(count) }).collect();
        let matrices = numbers::matrices(random, style);
        let remembered = numbers::remembered(random, style);
        Self { registers, matrices, remembered, records, indices, controls, kind }
    }

    /// What an engine draws.
    fn drawn(&self, stage: &mut dyn TransformStage) -> Drawn {
        let points = VertexBatch {
            registers: &self.registers,
            matrices: &self.matrices,
            remembered: self.remembered,
            records: GuestSlice::from_slice(&self.records),
            stride: self.registers.vertex_type().stride(),
            indices: &self.indices,
            memory: &NoMemory,
        };
        let (controls, kind) = (self.controls, self.kind);
        let mut surface = stage.surface(&SurfaceBatch { points, controls, kind })?;
        let (mut piece, mut all) = (Piece::default(), Vec::new());
        while surface.next_piece(&mut piece) {
            let size = surface.registers().vertex_type().stride() as usize;
            for &index in &piece.indices {
                all.extend_from_slice(&piece.records[index as usize * size..][..size]);
            }
        }
        Some((surface.registers().clone(), all))
    }

    /// The state in words.
    fn key(&self) -> String {
        let primitive = self.registers.arg(op::PPRIM) & 3;
        format!("{:?} {:06x} {primitive}", self.kind, self.registers.vertex_type().0)
    }
}

/// Surface cases of a seed.
#[derive(Debug)]
pub struct Surfaces(u64);

impl Cases for Surfaces {
    const KIND: &'static str = "ge-surface";
    const ABOUT: &'static str = "Bezier and spline surfaces of the PSP's GE";
    const COUNTS: [&'static str; 2] = ["surfaces", "bytes of vertices"];

    fn of_seed(seed: u64) -> Self {
        Self(seed)
    }

    fn check(&mut self, number: u64, engine: &mut Engine) -> Verdict {
        compare(&SurfaceCase::of(self.0, number), engine)
    }

    fn reduced(&mut self, number: u64, engine: &mut Engine, time: Duration) -> Option<String> {
        let case = SurfaceCase::of(self.0, number);
        Some(reduce::reduce(&case, time, &mut |case| compare(case, engine)).text())
    }
}

impl Reducible for SurfaceCase {
    fn reduce(reducer: &mut Reducer<'_, Self>) {
        for axis in [0, 1] {
            let mut fewer = 4..reducer.best.controls[axis];
            fewer.find(|&count| {
                reducer.attempt(|case| {
                    case.controls[axis] = count;
                    case.indices.truncate(case.controls[0] * case.controls[1]);
                })
            });
        }
        // The vertex type says where the records end.
        reduce::registers(reducer, Some(op::VTYPE), |case| Some(&mut case.registers));
        reducer.attempt(|case| case.matrices = Matrices::default());
        reducer.attempt(|case| case.remembered = Remembered::default());
        let bytes = reducer.best.records.len();
        reducer.zero(0, bytes, 1, &|case, from, to| case.records[from..to].fill(0));
    }

    fn text(&self) -> String {
        let Self { registers, matrices, remembered, records, indices, controls, kind } = self;
        let records = records.chunks(registers.vertex_type().stride().max(1) as usize).enumerate();
        let records: String = records.map(|(n, record)| format!("{n}  {record:02x?}\n")).collect();
        let matrices =
            if *matrices == Matrices::default() { String::new() } else { format!("{matrices:?}\n") };
        let registers = reduce::text(registers);
        format!("{registers}{matrices}{remembered:?}\n{records}{kind:?}, {controls:?} points: {indices:?}\n")
    }
}

/// Divides a case both ways. Pieces may be cut differently: the vertices that the indices name are compared.
pub fn compare(case: &SurfaceCase, engine: &mut dyn TransformStage) -> Verdict {
    let (expected, found) = (case.drawn(&mut Interpreter::new()), case.drawn(engine));
    let bytes = expected.as_ref().map_or(0, |drawn| drawn.1.len() as u64);
    match difference(&expected, &found) {
        Some(what) => Verdict::Differs(format!("{}: {what}", case.key())),
        None => Verdict::Same { key: case.key(), counts: bytes > 0, of: [u64::from(bytes > 0), bytes] },
    }
}

fn difference(expected: &Drawn, found: &Drawn) -> Option<String> {
    let ((registers, expected), (other, found)) = match (expected, found) {
        (None, None) => return None,
        (Some(expected), Some(found)) => (expected, found),
        (expected, _) => return Some(format!("a surface is expected: {}", expected.is_some())),
    };
    let kind = registers.vertex_type();
    if registers != other {
        return Some(format!("vertex type {:06x} instead of {:06x}", other.vertex_type().0, kind.0));
    }
    if expected.len() != found.len() {
        return Some(format!("{} bytes instead of {}", found.len(), expected.len()));
    }
    let (expected, found) = (expected.as_chunks::<4>().0, found.as_chunks::<4>().0);
    let words = kind.stride() as usize / 4;
    let at = (0..expected.len()).find(|&at| !are_same(kind, at % words, expected[at], found[at]))?;
    let [expected, found] = [expected[at], found[at]].map(f32::from_le_bytes);
    Some(format!("word {} of vertex {}: {expected:?} expected, {found:?} found", at % words, at / words))
}

/// Bit for bit, but that a NaN is as good as another.
fn are_same(kind: VertexType, word: usize, a: [u8; 4], b: [u8; 4]) -> bool {
    let is_colour = kind.colour().is_some() && word * 4 == kind.layout().colour as usize;
    a == b || !is_colour && [a, b].iter().all(|&bytes| f32::from_le_bytes(bytes).is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::campaign::{Plan, run};

    #[test]
    fn random_surfaces_are_the_same() {
        let plan = Plan { seed: 5, first: 0, cases: 300, time: None, threads: 2 };
        let summary = run::<Surfaces>(&plan, &|_| ()).expect("an engine");
        assert!(summary.findings.is_empty(), "{summary:?}");
        assert!(summary.compiled * 2 > summary.cases && summary.keys.len() > 20, "{summary:?}");
    }

    #[test]
    fn another_bit_is_a_difference() {
        let case = (0..).map(|n| SurfaceCase::of(1, n)).find_map(|case| case.drawn(&mut Interpreter::new()));
        let (registers, bytes) = case.expect("a surface");
        let mut wrong = bytes.clone();
        wrong[9] ^= 1;
        let drawn = |bytes: &[u8]| Some((registers.clone(), bytes.to_vec()));
        assert_eq!(difference(&drawn(&bytes), &drawn(&bytes)), None);
        assert!(difference(&drawn(&bytes), &drawn(&wrong)).is_some());
        assert!(difference(&drawn(&bytes), &drawn(&bytes[4..])).is_some());
        assert!(difference(&drawn(&bytes), &None).is_some());
    }

    /// Every surface fails here that has a vertex: the smallest has nothing but its vertex type.
    #[test]
    fn failing_cases_become_small() {
        let drawn =
            |case: &SurfaceCase| case.drawn(&mut Interpreter::new()).is_some_and(|drawn| !drawn.1.is_empty());
        let case = (0..).map(|n| SurfaceCase::of(1, n)).find(|case| drawn(case)).expect("a surface");
        let mut check = |case: &SurfaceCase| match drawn(case) {
            true => Verdict::Differs(String::new()),
            false => Verdict::NotCompiled(String::new()),
        };
        let small = reduce::reduce(&case, Duration::from_secs(20), &mut check);
        let left = reduce::text(&small.registers).lines().count();
        assert!(drawn(&small) && left <= 2, "{}", small.text());
        assert!(
            small.records.iter().all(|&byte| byte == 0) && small.controls.iter().all(|&count| count <= 4),
            "{}",
            small.text()
        );
    }
}
