//! Structured random cases, from the same tables as the decoder.
//!
//! A seed gives a sequence of programs, and each program [`CASES_PER_PROGRAM`] cases: one layout with several sets of
//! data, so that most of the time is spent in compiled code and not in the compiler. Case `n` does not depend on the
//! cases generated before it.

mod batch;
mod flow;
pub mod shader;
pub mod value;

use std::collections::BTreeMap;

use self::batch::{Layout, random_register};
use self::shader::{Shader, Shape, USED_UNIFORMS};
use self::value::Style;
use crate::pica::notation::{Row, Word};
use crate::pica::programs::case::{Case, FloatUniform, GeometryWork, Run, UniformSet, UnitState, Work};
use crate::random::Random;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::program::UnitKind;
use picaflor_pipeline::pica::stage::DEFAULT_INSTRUCTION_BUDGET;

/// Cases of one program, with the same layout and mostly the same other inputs of the compiler.
pub const CASES_PER_PROGRAM: u64 = 8;

/// The cases of program `number` of a seed, in `Console` precision.
#[must_use]
pub fn cases(seed: u64, number: u64) -> Vec<Case> {
    generate(&mut Random::of_item(seed, number))
}

/// The cases of one program, from any stream of decisions.
pub fn generate(random: &mut Random) -> Vec<Case> {
    let shader = Shader::random(random);
    let setting = Setting::random(random, &shader);
    (0..CASES_PER_PROGRAM).map(|_| setting.case(random, &shader)).collect()
}

/// The setting that most cases of a program share.
struct Setting {
    layout: Layout,
    bools: u16,
    ints: [[u8; 4]; 4],
    budget: u32,
}

impl Setting {
    fn random(random: &mut Random, shader: &Shader) -> Self {
        let ints = std::array::from_fn(|_| random_int(random));
        Self {
            layout: Layout::random(random, shader),
            bools: random.word() as u16,
            ints,
            budget: random_budget(random, shader.shape, ints),
        }
    }

    fn case(&self, random: &mut Random, shader: &Shader) -> Case {
        let style = Style::random(random);
        let words = |list: &[u32]| list.iter().copied().map(Word).collect();
        let work = match shader.kind {
            UnitKind::Vertex => Work::Vertex(self.layout.batch(random, style)),
            UnitKind::Geometry => Work::Geometry(random_runs(random, style, shader)),
        };
        let floats = random_floats(random, style);
        let mut case = Case {
            precision: Precision::Console,
            entry: shader.entry,
            budget: self.budget,
            code: words(&shader.code),
            descriptors: words(&shader.descriptors),
            uniforms: UniformSet { floats, bools: self.bools, ints: self.ints },
            work,
        };
        // The start of a program is where its generator put it, except for some.
        if shader.shape == Shape::Irregular && random.chance(5) {
            case.entry = random.below(600) as u16;
        }
        case
    }
}

/// Trip counts are small, because they multiply.
fn random_int(random: &mut Random) -> [u8; 4] {
    let trips = match random.below(100) {
        0..85 => random.below(4),
        85..99 => random.below(20),
        _ => 255,
    };
    let small = random.chance(80);
    let mut field = || if small { random.below(6) } else { random.below(256) };
    [trips as u8, field() as u8, field() as u8, field() as u8]
}

/// Mostly more than the program needs; sometimes it ends in the middle.
fn random_budget(random: &mut Random, shape: Shape, ints: [[u8; 4]; 4]) -> u32 {
    let long = ints.iter().any(|int| int[0] > 8);
    match random.below(50) {
        0 => random.below(40),
        1 => random.between(40, 400),
        _ if matches!(shape, Shape::Irregular | Shape::Raw) => 2_000,
        _ if long => 8_000,
        _ => DEFAULT_INSTRUCTION_BUDGET,
    }
}

fn random_floats(random: &mut Random, style: Style) -> BTreeMap<u8, FloatUniform> {
    let count = if random.chance(10) { 96 } else { USED_UNIFORMS };
    (0..count as u8).map(|n| (n, random_uniform(random, style))).collect()
}

fn random_uniform(random: &mut Random, style: Style) -> FloatUniform {
    match random.below(10) {
        0 | 1 => FloatUniform::Register(random_register(random, style)),
        2 | 3 => FloatUniform::F32(Row(std::array::from_fn(|_| value::word_f32(random, style)))),
        _ => FloatUniform::F24(Row(std::array::from_fn(|_| value::raw_f24(random, style)))),
    }
}

/// Runs of a geometry program; registers, banks and b15 persist between them.
fn random_runs(random: &mut Random, style: Style, shader: &Shader) -> GeometryWork {
    if random.chance(50) { random_batch(random, style, shader) } else { random_single(random, style, shader) }
}

/// One to nine runs together. Mostly `EMIT` packs only what the program writes, as real programs have it.
fn random_batch(random: &mut Random, style: Style, shader: &Shader) -> GeometryWork {
    let count = random.between(1, u32::from(shader.inputs)) as u8;
    let first = random.chance(25).then(|| random.below(USED_UNIFORMS) as u8);
    let runs = (0..random.between(1, 9)).map(|_| {
        let rows = (first.unwrap_or(0)..).take(count.into());
        let rows = rows.map(|n| (n, random_register(random, style))).collect();
        match first {
            Some(_) => Run { c: rows, ..Run::default() },
            None => Run { v: rows, ..Run::default() },
        }
    });
    let runs = runs.collect();
    let any = random.word() as u16;
    let output_mask = match random.below(10) {
        0..4 => shader.outputs(),
        4..8 => shader.outputs() & any,
        _ => any,
    };
    GeometryWork { output_mask, start: random_start(random, style), runs, together: true }
}

fn random_start(random: &mut Random, style: Style) -> UnitState {
    if random.chance(50) { UnitState::default() } else { random_unit(random, style) }
}

/// One to five runs, one at a time.
fn random_single(random: &mut Random, style: Style, shader: &Shader) -> GeometryWork {
    let runs = (0..random.between(1, 5)).map(|_| random_run(random, style, shader)).collect();
    let output_mask = if random.chance(60) { 0x7f } else { random.word() as u16 };
    GeometryWork { output_mask, start: random_start(random, style), runs, together: false }
}

fn random_run(random: &mut Random, style: Style, shader: &Shader) -> Run {
    let inputs = random.between(1, shader.inputs.into()) as u8;
    Run {
        v: (0..inputs).map(|n| (n, random_register(random, style))).collect(),
        bools: random.chance(20).then(|| random.word() as u16),
        c: if random.chance(30) {
            [(random.below(USED_UNIFORMS) as u8, random_register(random, style))].into()
        } else {
            BTreeMap::new()
        },
    }
}

fn random_unit(random: &mut Random, style: Style) -> UnitState {
    let mut rows = |count: u8| (0..count).map(|n| (n, random_register(random, style))).collect();
    let (r, o) = (rows(16), rows(32));
    UnitState {
        r,
        o,
        bank: random.below(2) as u8,
        a0: [random.below(20) as i32 - 10, random.below(300) as i32 - 150],
        al: random.below(140) as i32,
        cmp: [random.chance(50), random.chance(50)],
        latch: (random.below(4) as u8, random.chance(50), random.chance(50)),
    }
}
