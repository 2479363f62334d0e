//! Random streams of vertices of the GE, made into primitives by the interpreter and by the fast engine.

use crate::ge::campaign::{CASES_PER_MODE, Cases, Verdict};
use crate::ge::reduce::{self, Reducible};
use crate::ge::vertices::{VertexCase, are_same, same_numbers};
use crate::random::Random;
use crate::reducer::Reducer;
use picaflor_interp::Interpreter;
use picaflor_jit::Engine;
use picaflor_pipeline::ge::raster::{Corner, Primitive};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::primitive::{Kind, PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::vertex::Vertex;
use std::time::Duration;

/// Longest stream of a batch.
const LONGEST: u32 = 12;

/// Width and height of the largest drawing area, in sixteenths of a pixel.
const SIDE: i32 = 1024 << 4;

/// The last pixel of it, as registers name it.
const LAST_PIXEL: u32 = 1023 << 10 | 1023;

/// Batches that follow each other in one state.
#[derive(Debug, Clone, PartialEq)]
pub struct AssemblyCase {
    /// All registers.
    pub registers: Registers,
    /// Vertices after transform and lighting.
    pub vertices: Vec<Vertex>,
    /// The type that a batch begins, or `None` where it continues; and its stream.
    pub batches: Vec<(Option<Kind>, Vec<u32>)>,
}

/// What an engine made of a batch, without the primitives that the machine drops as outside of the drawing area.
type Made = (Vec<Primitive>, PendingVertices);

impl AssemblyCase {
    /// Case `number` of a seed: vertices as the interpreter transforms them, some of them moved.
    #[must_use]
    pub fn of(seed: u64, number: u64) -> Self {
        let case = VertexCase::of(seed, number);
        let mut vertices = case.transformed(&mut Interpreter::new());
        let mut random = Random::of_item(seed ^ 0xa55e, number / CASES_PER_MODE);
        let mut registers = case.registers;
        for (command, percent) in [(op::CPE, 60), (op::SHADE, 60), (op::BCE, 40), (op::FFACE, 50)] {
            set(&mut registers, command, u32::from(random.chance(percent)));
        }
        set(&mut registers, op::CLEAR, u32::from(random.chance(10)));
        // Primitives beside the drawing area are dropped: most cases lie on it.
        let is_seen = random.chance(80);
        if is_seen {
            for (command, pixel) in
                [(op::REGION1, 0), (op::REGION2, LAST_PIXEL), (op::SCISSOR1, 0), (op::SCISSOR2, LAST_PIXEL)]
            {
                set(&mut registers, command, pixel);
            }
        }
        let mut random = Random::of_item(!seed ^ 0xa55e, number);
        for vertex in &mut vertices {
            if is_seen {
                (vertex.x, vertex.y) = (vertex.x.rem_euclid(SIDE), vertex.y.rem_euclid(SIDE));
            }
            change(&mut random, vertex);
        }
        let batches = (0..random.between(1, 5)).map(|n| batch(&mut random, n == 0, vertices.len())).collect();
        Self { registers, vertices, batches }
    }

    /// What an engine makes of each batch.
    fn run(&self, stage: &mut dyn PrimitiveStage) -> Vec<Made> {
        let mut pending = PendingVertices::default();
        let area = self.registers.drawing_area();
        let made = self.batches.iter().map(|(kind, stream)| {
            pending.begin(*kind);
            let mut out = Vec::new();
            let batch = PrimitiveBatch { registers: &self.registers, vertices: &self.vertices, stream };
            stage.primitives(&batch, &mut pending, &mut out);
            out.retain(|primitive| primitive.bounds().intersect(area).pixels() > 0);
            (out, pending.clone())
        });
        made.collect()
    }

    /// Leaves out the vertices that no stream uses.
    fn compact(&mut self) {
        let mut used: Vec<u32> = self.batches.iter().flat_map(|batch| batch.1.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        for at in self.batches.iter_mut().flat_map(|batch| &mut batch.1) {
            *at = used.partition_point(|old| old < at) as u32;
        }
        self.vertices = used.iter().map(|&at| self.vertices[at as usize]).collect();
    }

    /// The state in words.
    fn key(&self) -> String {
        let [clip, smooth, cull, front] =
            [op::CPE, op::SHADE, op::BCE, op::FFACE].map(|command| self.registers.arg(command) & 1);
        let kind = self.batches.first().and_then(|batch| batch.0);
        let through = u8::from(self.registers.is_through());
        format!("{kind:?} clip={clip} smooth={smooth} cull={cull}{front} through={through}")
    }
}

fn set(registers: &mut Registers, command: u8, argument: u32) {
    registers.write(u32::from(command) << 24 | argument & 0xff_ffff);
}

/// Changes what transform leaves: vertices that coincide or lie on a line, coordinates without a value.
fn change(random: &mut Random, vertex: &mut Vertex) {
    match random.below(24) {
        0 => {
            vertex.texture[random.below(2) as usize] = random.pick(&[f64::NAN, f64::INFINITY, -f64::INFINITY])
        }
        1 => (vertex.x, vertex.y) = (random.below(64) as i32 * 16, random.below(64) as i32 * 16),
        2 => {
            vertex.x = random.pick(&[i32::MIN, -(1 << 20) - 1, -(1 << 20), (1 << 20) - 1, 1 << 20, i32::MAX])
        }
        3 => vertex.y = vertex.x,
        _ => {}
    }
}

fn batch(random: &mut Random, is_first: bool, vertices: usize) -> (Option<Kind>, Vec<u32>) {
    let code = if random.chance(if is_first { 96 } else { 25 }) { random.below(7) } else { 7 };
    let stream = (0..random.below(LONGEST + 1)).map(|_| random.below(vertices as u32)).collect();
    (Kind::of(code), stream)
}

/// Assembly cases of a seed.
#[derive(Debug)]
pub struct Assemblies(u64);

impl Cases for Assemblies {
    const KIND: &'static str = "ge-primitive";
    const ABOUT: &'static str = "Streams of vertices of the PSP's GE, made into primitives";
    const COUNTS: [&'static str; 2] = ["primitives", "batches"];

    fn of_seed(seed: u64) -> Self {
        Self(seed)
    }

    fn check(&mut self, number: u64, engine: &mut Engine) -> Verdict {
        compare(&AssemblyCase::of(self.0, number), engine)
    }

    fn reduced(&mut self, number: u64, engine: &mut Engine, time: Duration) -> Option<String> {
        let case = AssemblyCase::of(self.0, number);
        Some(reduce::reduce(&case, time, &mut |case| compare(case, engine)).text())
    }
}

impl Reducible for AssemblyCase {
    fn reduce(reducer: &mut Reducer<'_, Self>) {
        reducer.pieces(reducer.best.batches.len(), 1, |case, range| _ = case.batches.drain(range));
        for n in 0..reducer.best.batches.len() {
            let length = reducer.best.batches[n].1.len();
            reducer.pieces(length, 1, |case, range| _ = case.batches[n].1.drain(range));
        }
        reducer.attempt(Self::compact);
        reduce::registers(reducer, None, |case| Some(&mut case.registers));
        for n in 0..reducer.best.vertices.len() {
            let plain = Vertex::EMPTY;
            reducer.attempt(|case| case.vertices[n] = plain);
            reducer.attempt(|case| {
                (case.vertices[n].texture, case.vertices[n].fog) = (plain.texture, plain.fog)
            });
            reducer.attempt(|case| (case.vertices[n].colour, case.vertices[n].secondary) = (0, 0));
            reducer.attempt(|case| (case.vertices[n].z, case.vertices[n].outside) = (0, 0));
            reducer.attempt(|case| case.vertices[n].clip = plain.clip);
        }
    }

    fn text(&self) -> String {
        let registers = reduce::text(&self.registers);
        let vertices = self.vertices.iter().enumerate().map(|(n, vertex)| format!("{n}  {vertex:?}\n"));
        let batches = self.batches.iter().map(|(kind, stream)| format!("{kind:?}  {stream:?}\n"));
        registers + &vertices.chain(batches).collect::<String>()
    }
}

/// Makes the primitives of a case both ways.
pub fn compare(case: &AssemblyCase, engine: &mut dyn PrimitiveStage) -> Verdict {
    let (expected, found) = (case.run(&mut Interpreter::new()), case.run(engine));
    for (n, (expected, found)) in expected.iter().zip(&found).enumerate() {
        if let Some(what) = difference(expected, found) {
            return Verdict::Differs(format!("{}: batch {n}: {what}", case.key()));
        }
    }
    let primitives = expected.iter().map(|made| made.0.len() as u64).sum();
    Verdict::Same { key: case.key(), counts: primitives > 0, of: [primitives, expected.len() as u64] }
}

fn difference((expected, pending): &Made, (found, other): &Made) -> Option<String> {
    if let Some((a, b)) = expected.iter().zip(found).find(|(a, b)| !same_primitives(a, b)) {
        return Some(format!("{a:?} expected, {b:?} found"));
    }
    if expected.len() != found.len() {
        return Some(format!("{} primitives instead of {}", found.len(), expected.len()));
    }
    let same = pending.vertices.len() == other.vertices.len()
        && pending.vertices.iter().zip(&other.vertices).all(|(a, b)| are_same(a, b))
        && (pending.kind, pending.is_odd) == (other.kind, other.is_odd);
    (!same).then(|| format!("{pending:?} pending expected, {other:?} found"))
}

/// Bit for bit, but that a NaN is as good as another.
fn same_primitives(a: &Primitive, b: &Primitive) -> bool {
    let same = |a: &Corner, b: &Corner| {
        let rest = |corner: &Corner| Corner { texture: [0.0; 3], w: 0.0, ..*corner };
        same_numbers(&a.texture, &b.texture) && same_numbers(&[a.w], &[b.w]) && rest(a) == rest(b)
    };
    a.shape == b.shape && a.corners.iter().zip(&b.corners).all(|(a, b)| same(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::campaign::{Plan, run};

    #[test]
    fn random_streams_are_the_same() {
        let plan = Plan { seed: 5, first: 0, cases: 2000, time: None, threads: 2 };
        let summary = run::<Assemblies>(&plan, &|_| ()).expect("an engine");
        assert!(summary.findings.is_empty(), "{summary:?}");
        assert!(summary.compiled * 3 > summary.cases && summary.keys.len() > 100, "{summary:?}");
    }

    /// The interpreter, but that colours of triangles are one too high.
    struct Wrong;

    impl PrimitiveStage for Wrong {
        fn primitives(
            &mut self,
            batch: &PrimitiveBatch<'_>,
            pending: &mut PendingVertices,
            out: &mut Vec<Primitive>,
        ) {
            Interpreter::new().primitives(batch, pending, out);
            out.iter_mut().for_each(|primitive| primitive.corners[1].colour ^= 1);
        }
    }

    #[test]
    fn a_planted_defect_is_found() {
        let found = |n: &u64| matches!(compare(&AssemblyCase::of(1, *n), &mut Wrong), Verdict::Differs(_));
        assert!((0..100).filter(found).count() > 20);
    }

    /// A triangle has three vertices, and its colours do not depend on most registers.
    #[test]
    fn failing_cases_become_small() {
        let differs = |case: &AssemblyCase| matches!(compare(case, &mut Wrong), Verdict::Differs(_));
        let case = (0..).map(|n| AssemblyCase::of(1, n)).find(|case| differs(case)).expect("a failing case");
        let time = Duration::from_secs(20);
        let small = reduce::reduce(&case, time, &mut |case| compare(case, &mut Wrong));
        assert!(differs(&small));
        let corners: usize = small.batches.iter().map(|batch| batch.1.len()).sum();
        assert!(corners <= 3 && small.vertices.len() <= corners, "{}", small.text());
        let left = reduce::text(&small.registers).lines().count();
        assert!(left <= 2, "{}", small.text());
    }
}
