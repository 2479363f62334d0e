//! The compiled procedural texture against the interpreter: random registers, tables and triangles.
//!
//! `PICAFLOR_FRAGMENT_CASES` says how many keys; each is drawn with several tables and triangles.

use crate::code::targets;
use crate::pica::key::fragment::FragmentKey;
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::{FragmentStage, FragmentState, TileBatch};
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::pica::vertex::SEMANTICS;
use picaflor_pipeline::rect::Rect;
use std::collections::BTreeSet;

const TARGET: u32 = 0x1800_0000;
const TARGET_BYTES: u32 = 4 * SIDE * SIDE;
const SIDE: u32 = 16;

/// Random numbers, from a seed.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        picaflor_pipeline::random::word(&mut self.0)
    }

    fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// From -1 to 1.
    fn unit(&mut self) -> f32 {
        self.word() as f32 / 2_147_483_648.0 - 1.0
    }

    /// Mostly in some range, or any bits, or an odd one.
    fn coordinate(&mut self, range: f32) -> f32 {
        const ODD: [f32; 8] =
            [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-39, (1 << 30) as f32];
        match self.below(100) {
            0..=4 => f32::from_bits(self.word()),
            5..=12 => self.one_of(&ODD),
            _ => self.unit() * range,
        }
    }

    /// A triangle over the whole target, or one that is not.
    fn triangle(&mut self) -> Triangle {
        let range = self.one_of(&[0.01, 0.3, 1.0, 1.0, 1.5, 4.0, 40.0, 1e6, 1e9, 1e12]);
        let wild = self.chance(25);
        let range = if self.chance(15) { 0.0 } else { range };
        let mut p = [[0.0; SEMANTICS]; 3];
        for value in p.iter_mut().flatten() {
            *value = if wild { self.coordinate(range) } else { self.unit() * range };
        }
        let flat = self.chance(50);
        let r = [0; 3].map(|_| if flat { 1.0 } else { self.unit().abs() + 0.01 });
        let side = if self.chance(20) { 170 } else { 512 };
        Triangle { x: [0, side, 0], y: [0, 0, side], z: [-0.5; 3], r, p, flat_colour: None }
    }

    /// A half float: common ones, small ones, anything.
    fn half(&mut self) -> u32 {
        match self.below(8) {
            0 => self.word() & 0xffff,
            1 => self.one_of(&[0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x0001]),
            2..=5 => 0x3000 | self.word() & 0x0fff,
            _ => self.word() & 0x83ff | self.below(20) << 10,
        }
    }
}

/// Register words of a target of 16x16 pixels to which the colour of unit 3 is written.
fn target_words() -> Vec<(u16, u32)> {
    let passing = [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8].map(|id| (id, 0x000f_000f));
    let mut words = passing.to_vec();
    words.extend([
        (0x0c0, 0x0006_0006),
        (0x04d, 0x00bf_0000),
        (0x06d, 1),
        (0x102, 3),
        (0x107, 0x0f00),
        (0x112, 0xf),
        (0x113, 0xf),
        (0x114, 3),
        (0x115, 3),
        (0x116, 3),
        (0x11c, (TARGET + 0x1000) >> 3),
        (0x11d, TARGET >> 3),
        (0x11e, 1 << 24 | (SIDE - 1) << 12 | SIDE),
        (0x1c6, 1),
    ]);
    words
}

/// Both engines and what they draw with.
struct Bench {
    memory: BlockMemory,
    registers: Registers,
    luts: Luts,
    engine: Engine,
}

impl Bench {
    fn new() -> Self {
        let engine = Engine::builder().mode(EngineMode::Blocking).fallback(false).build().unwrap();
        let mut bench = Self {
            memory: BlockMemory::zeroed(&[(TARGET, 0x2000)]),
            registers: Registers::new(),
            luts: Luts::default(),
            engine,
        };
        bench.set(&target_words());
        bench
    }

    fn set(&mut self, words: &[(u16, u32)]) {
        words.iter().for_each(|&(id, word)| self.registers.set_raw(id, word));
    }

    /// What selects code, mostly: registers of a new key.
    fn select(&mut self, random: &mut Random) {
        let enable = u32::from(!random.chance(2)) << 10;
        let unit = random.word() & !(u32::from(random.chance(40)) << 15);
        let any = random.word() & 0x7f8;
        let bias = if random.chance(20) { 0 } else { 0x3c };
        let levels = random.one_of(&[6 << 7, 7 << 7, 15 << 7, 2 << 3 | 6 << 7, any]);
        self.set(&[
            (0x080, enable | random.below(4) << 8),
            (0x0a8, unit & 0x000f_ffff),
            (0x0ac, random.below(8) | levels | bias << 19),
        ]);
    }

    /// What does not: numbers and tables.
    fn vary(&mut self, random: &mut Random) {
        // The lowest bits of the bias alone do not make it 0, so the key stays the same.
        let bias = if self.registers.proctex_bias().to_f32() == 0.0 { 0 } else { random.half() | 0x400 };
        let any = random.below(256);
        let width = random.one_of(&[128, 128, 64, 32, 255, 3, 1, 0, any]);
        let (unit, levels) = (self.registers.raw(0x0a8) & 0x000f_ffff, self.registers.raw(0x0ac) & 0x7ff);
        let mut axis = || random.half() << 16 | random.one_of(&[0, 0x0400, 0xf800, 0x7fff, 0x8000]);
        let axes = [axis(), axis()];
        self.set(&[
            (0x0a8, unit | (bias & 0xff) << 20),
            (0x0a9, axes[0] ^ random.word() & 0x3f),
            (0x0aa, axes[1] ^ random.word() & 0x3f),
            (0x0ab, random.half() << 16 | random.half()),
            (0x0ac, levels | width << 11 | (bias >> 8) << 19),
            (0x0ad, if random.chance(50) { 0xe0c0_8000 } else { random.word() }),
        ]);
        for table in [&mut self.luts.noise, &mut self.luts.colour_map, &mut self.luts.alpha_map] {
            fill(random, table);
        }
        self.luts.colours.fill_with(|| random.word());
        let steep = random.chance(50);
        let mask = if steep { u32::MAX } else { 0x0707_0707 };
        self.luts.colour_differences.fill_with(|| random.word() & mask);
    }

    /// What an engine draws on a pattern, and how many fragments it counts.
    fn draw(&mut self, triangles: &[Triangle], compiled: bool) -> (Vec<u8>, u64) {
        write_bytes(&self.memory, TARGET, &[0x5a; TARGET_BYTES as usize]);
        let state = FragmentState { registers: &self.registers, luts: &self.luts, memory: &self.memory };
        let routine = match compiled {
            true => self.engine.fragment_routine(&state),
            false => Interpreter::new().fragment_routine(&state),
        };
        let order: Vec<u32> = (0..triangles.len() as u32).collect();
        let tile = Rect { x0: 0, y0: 0, x1: SIDE as i32, y1: SIDE as i32 };
        let target = Target::new(&self.registers, &self.memory);
        let triangles = &triangles.into();
        let drawn = routine.run(&TileBatch { state, triangles, order: &order, tile, target: &target });
        (self.memory.region(TARGET, TARGET_BYTES).unwrap().to_vec(), drawn)
    }

    /// True if nothing differs, and compiled code did it.
    fn check(&mut self, triangles: &[Triangle]) -> Vec<u8> {
        let (expected, actual) = (self.draw(triangles, false), self.draw(triangles, true));
        let stats = self.engine.stats();
        let key = FragmentKey::of(&self.registers).unwrap();
        assert_eq!((&stats.refusals.len(), stats.missing_tiles), (&0, 0), "{key}: {:?}", stats.refusals);
        let differs = expected.0.iter().zip(&actual.0).position(|(a, b)| a != b);
        if let Some(at) = differs {
            let words: Vec<_> =
                (0x0a8..0x0ae).map(|id| format!("{id:03x}: {:08x}", self.registers.raw(id))).collect();
            let pixel = |bytes: &[u8]| bytes[at & !3..][..4].to_vec();
            let (expected, actual) = (pixel(&expected.0), pixel(&actual.0));
            panic!("{key}: pixel {} is {actual:?} instead of {expected:?}\n{}", at / 4, words.join("\n"));
        }
        assert_eq!(actual.1, expected.1, "{key}: fragments");
        actual.0
    }
}

/// Random entries, or those of a smooth table.
fn fill(random: &mut Random, table: &mut [u32; 128]) {
    let is_smooth = random.chance(60);
    for k in 0..128 {
        let value = |k: u32| (k * 4095 + 64) / 128;
        let smooth = value(k) | (value(k + 1) - value(k)) << 12;
        table[k as usize] = if is_smooth { smooth } else { random.word() };
    }
}

fn cases(count: u64) -> u64 {
    std::env::var("PICAFLOR_FRAGMENT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(count)
}

#[test]
fn random_states_are_those_of_the_interpreter() {
    let mut bench = Bench::new();
    let (mut keys, mut colours) = (BTreeSet::new(), BTreeSet::<[u8; 4]>::new());
    let count = cases(400);
    for case in 0..count {
        let mut random = Random(case);
        bench.select(&mut random);
        for _ in 0..10 {
            bench.vary(&mut random);
            keys.insert(FragmentKey::of(&bench.registers).unwrap().to_string());
            let triangles: Vec<_> = (0..2).map(|_| random.triangle()).collect();
            let pixels = bench.check(&triangles);
            colours.extend(pixels.as_chunks::<4>().0.iter().copied());
        }
    }
    assert!(keys.len() as u64 > count / 2, "{} keys of {count}", keys.len());
    assert!(colours.len() as u64 > 100 * count, "{} colours in {count} cases", colours.len());
}

/// Smooth coordinates over the lattice, where every entry of the gradients is met, and enormous ones.
#[test]
fn noise_of_near_and_far_points() {
    let mut bench = Bench::new();
    let mut random = Random(77);
    bench.vary(&mut random);
    for frequency in [0x2f1c, 0x3c00, 0x4c00, 0x5c00, 0x7bff, 0x7c00, 0xbc00, 0xfbff] {
        for range in [1.0, 16.0, 300.0, 1e5, 1e8, 2e9, f32::INFINITY] {
            bench.set(&[
                (0x080, 1 << 10),
                (0x0a8, 1 << 15 | 1 << 14 | 2 << 10 | 0b010_010),
                (0x0a9, 0x0fff),
                (0x0aa, 0x3c00_0fff),
                (0x0ab, 0x0001_0001 * frequency),
                (0x0ac, 1 | 255 << 11),
            ]);
            let mut triangle = random.triangle();
            for vertex in &mut triangle.p {
                (vertex[12], vertex[13]) = (random.unit() * range, random.unit() * range);
            }
            bench.check(std::slice::from_ref(&triangle));
        }
    }
}

/// Colours and alpha by hand: what the interpreter's own tests say.
#[test]
fn a_colour_by_u_and_alpha_by_v() {
    let mut bench = Bench::new();
    let mut random = Random(0);
    while bench.luts.colour_map[127] != 4063 | 32 << 12 {
        fill(&mut random, &mut bench.luts.colour_map);
    }
    *bench.luts.alpha_map = *bench.luts.colour_map;
    *bench.luts.colours = std::array::from_fn(|k| k as u32 * 0x0001_0101);
    bench.set(&[(0x080, 1 << 10), (0x0a8, 0b001_001 | 1 << 14 | 2 << 10), (0x0ac, 128 << 11)]);
    let mut triangle = random.triangle();
    (triangle.r, triangle.x, triangle.y) = ([1.0; 3], [0, 512, 0], [0, 0, 512]);
    for vertex in &mut triangle.p {
        (vertex[12], vertex[13]) = (1.0, 0.25);
    }
    assert_eq!(bench.check(std::slice::from_ref(&triangle))[..4], [64, 127, 127, 127]);
    bench.set(&[(0x080, 0)]);
    assert_eq!(bench.check(std::slice::from_ref(&triangle))[..4], [0; 4], "disabled");
}

/// The unit as bump and as shadow map of the lighting unit, enabled or not.
#[test]
fn lighting_reads_the_unit() {
    let mut bench = Bench::new();
    let mut random = Random(5);
    for case in 0..cases(400) / 10 {
        bench.select(&mut random);
        let maps = random.word() & 0x400f_0000 | 3 << 22 | 3 << 24 | 1 << 28 | 1;
        bench.set(&[
            (0x0c0, 0x0001_0001 * (1 + case as u32 % 2)),
            (0x080, u32::from(!random.chance(10)) << 10 | random.below(4) << 8),
            (0x140, random.word() & 0x3fff_ffff),
            (0x142, random.word() & 0x3fff_ffff),
            (0x144, 0x3c00_b800),
            (0x145, 0x3800),
            (0x149, random.below(4)),
            (0x1c0, random.word() & 0x0ff3_fcff),
            (0x1c3, maps),
            (0x1c4, 0x017f_0000),
            (0x1c6, 0),
        ]);
        bench.vary(&mut random);
        let triangles: Vec<_> = (0..2).map(|_| random.triangle()).collect();
        let key = FragmentKey::of(&bench.registers).unwrap();
        assert!(key.lighting().is_some_and(|lighting| lighting.reads_texture(3)), "{key}");
        bench.check(&triangles);
    }
}

#[test]
fn random_states_compile_for_every_target() {
    let targets = targets::all();
    let mut bench = Bench::new();
    for case in 0..40 {
        bench.select(&mut Random(case));
        let key = FragmentKey::of(&bench.registers).unwrap();
        for (target, isa) in &targets {
            let code = targets::compile_only(&**isa, |func, context, isa| {
                crate::pica::fragment::build(&key, func, context, isa);
                Ok(())
            });
            assert!(code.is_ok(), "{key} for {target}: {}", code.unwrap_err());
        }
    }
}

/// Nanoseconds for each pixel of typical states.
#[test]
#[ignore = "measures"]
fn speed() {
    const PIXELS: f64 = (SIDE * SIDE) as f64;
    let mut bench = Bench::new();
    let mut random = Random(1);
    bench.vary(&mut random);
    let mut triangle = random.triangle();
    (triangle.r, triangle.x, triangle.y) = ([1.0; 3], [0, 512, 0], [0, 0, 512]);
    for (n, vertex) in triangle.p.iter_mut().enumerate() {
        (vertex[12], vertex[13]) = (n as f32 * 0.3, n as f32 * n as f32 * 0.2);
    }
    let triangles = vec![triangle; 64];
    let order: Vec<u32> = (0..64).collect();
    for (name, unit, filter) in [
        ("disabled", None, 0),
        ("u, nearest", Some(0o11), 0),
        ("u + v, nearest", Some(0o11 | 4 << 6), 0),
        ("u + v, linear", Some(0o11 | 4 << 6), 1),
        ("distance, alpha, shifts, linear", Some(0o33 | 6 << 6 | 5 << 10 | 1 << 14 | 9 << 16), 1),
        ("noise, linear", Some(0o33 | 4 << 6 | 1 << 15), 1),
        ("u + v, linear, nearest level", Some(0o11 | 4 << 6), 3),
        ("u + v, linear, two levels", Some(0o11 | 4 << 6), 5),
    ] {
        bench.set(&[
            (0x080, u32::from(unit.is_some()) << 10),
            (0x0a8, unit.unwrap_or(0)),
            (0x0ac, filter | 6 << 7 | 128 << 11 | 0x3c << 19),
        ]);
        let state = FragmentState { registers: &bench.registers, luts: &bench.luts, memory: &bench.memory };
        let routine = bench.engine.fragment_routine(&state);
        let tile = Rect { x0: 0, y0: 0, x1: SIDE as i32, y1: SIDE as i32 };
        let target = Target::new(&bench.registers, &bench.memory);
        let triangles = &triangles[..].into();
        let batch = TileBatch { state, triangles, order: &order, tile, target: &target };
        let best = (0..200).map(|_| {
            let start = std::time::Instant::now();
            routine.run(&batch);
            start.elapsed().as_nanos()
        });
        let nanoseconds = best.min().unwrap() as f64 / (64.0 * PIXELS);
        println!("{name:32} {nanoseconds:6.2} ns");
    }
}
