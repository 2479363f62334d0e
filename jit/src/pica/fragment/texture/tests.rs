//! Compiled texture units against the interpreter: random registers, coordinates and memory.
//!
//! `PICAFLOR_CASES` multiplies the number of cases.

use crate::fallback::testing::Host;
use crate::{CpuLevel, Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::pica::vertex::SEMANTICS;
use picaflor_pipeline::rect::Rect;
use std::sync::Arc;
use std::time::Instant;

pub(super) const TARGET: u32 = 0x1800_0000;
const TARGET_BYTES: u32 = 4 * SIDE * SIDE;
pub(super) const SIDE: u32 = 16;
/// Textures lie from here on.
pub(in super::super) const TEXTURES: u32 = 0x2000_0000;
const TEXTURE_BYTES: u32 = 8 << 20;

/// Random numbers, from a seed.
pub(super) struct Random(pub(super) u64);

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
        const ODD: [f32; 7] = [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-39];
        match self.below(100) {
            0..=2 => f32::from_bits(self.word()),
            3..=5 => self.one_of(&ODD),
            _ => self.unit() * range,
        }
    }

    /// A triangle over the whole target, or one that is not.
    pub(super) fn triangle(&mut self) -> Triangle {
        let range = self.one_of(&[0.01, 0.3, 1.0, 1.0, 4.0, 40.0, 1e6, 1e12]);
        let wild = self.chance(30);
        let mut number = || if wild { self.coordinate(range) } else { self.unit() * range };
        let mut p = [[0.0; SEMANTICS]; 3];
        p.as_flattened_mut().iter_mut().for_each(|value| *value = number());
        let flat = self.chance(50);
        let r = [0; 3].map(|_| if flat { 1.0 } else { self.unit().abs() + 0.01 });
        let small = self.chance(20);
        let at = |n: i32| if small { n / 3 } else { n };
        Triangle { x: [0, at(512), 0], y: [0, 0, at(512)], z: [-0.5; 3], r, p, flat_colour: None }
    }
}

/// Register words of a target of 16x16 pixels to which the colour of a texture unit is written.
pub(in super::super) fn words(unit: u32) -> Vec<(u16, u32)> {
    let passing = [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8].map(|id| (id, 0x000f_000f));
    let mut words = passing.to_vec();
    words.extend([
        (0x0c0, (3 + unit) * 0x0001_0001),
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
pub(in super::super) struct Bench {
    pub(super) memory: Host,
    pub(in super::super) registers: Registers,
    pub(in super::super) luts: Luts,
    pub(in super::super) engine: Engine,
}

impl Bench {
    pub(in super::super) fn new(seed: u64) -> Self {
        Self::with_memory(seed, &[(TEXTURES, TEXTURE_BYTES)])
    }

    /// Random bytes in blocks of (address, bytes).
    fn with_memory(seed: u64, blocks: &[(u32, u32)]) -> Self {
        let memory = BlockMemory::zeroed(&[&[(TARGET, 0x2000)], blocks].concat());
        let mut random = Random(seed);
        for &(base, length) in blocks {
            let bytes: Vec<u8> = (0..length.div_ceil(4)).flat_map(|_| random.word().to_le_bytes()).collect();
            write_bytes(&memory, base, &bytes[..length as usize]);
        }
        let engine = Engine::builder().mode(EngineMode::Blocking).fallback(false).build().unwrap();
        Self { memory: Host::new(memory, None), registers: Registers::new(), luts: Luts::default(), engine }
    }

    pub(in super::super) fn set(&mut self, words: &[(u16, u32)]) {
        words.iter().for_each(|&(id, word)| self.registers.set_raw(id, word));
    }

    /// What an engine draws on black.
    fn draw(&mut self, triangles: &[Triangle], compiled: bool) -> Vec<u8> {
        write_bytes(&self.memory, TARGET, &[0; TARGET_BYTES as usize]);
        let routine = self.routine(compiled);
        self.run(&*routine, triangles);
        self.memory.region(TARGET, TARGET_BYTES).unwrap().to_vec()
    }

    fn state(&self) -> FragmentState<'_> {
        FragmentState { registers: &self.registers, luts: &self.luts, memory: &self.memory }
    }

    /// What draws in the state of now.
    pub(in super::super) fn routine(&mut self, compiled: bool) -> Arc<dyn TileRoutine> {
        let state = FragmentState { registers: &self.registers, luts: &self.luts, memory: &self.memory };
        match compiled {
            true => self.engine.fragment_routine(&state),
            false => Interpreter::new().fragment_routine(&state),
        }
    }

    /// Draws into the whole target.
    pub(super) fn run(&self, routine: &dyn TileRoutine, triangles: &[Triangle]) {
        let order: Vec<u32> = (0..triangles.len() as u32).collect();
        let tile = Rect { x0: 0, y0: 0, x1: SIDE as i32, y1: SIDE as i32 };
        let (state, target) = (self.state(), Target::new(&self.registers, &self.memory));
        routine.run(&TileBatch { state, triangles: &triangles.into(), order: &order, tile, target: &target });
    }

    /// True if compiled code did it, and nothing differs.
    pub(in super::super) fn check(&mut self, triangles: &[Triangle], name: &str) {
        let (expected, actual) = (self.draw(triangles, false), self.draw(triangles, true));
        let refusals = self.engine.stats().refusals;
        assert!(refusals.is_empty(), "{name}: {refusals:?}");
        let differs = expected.iter().zip(&actual).position(|(a, b)| a != b);
        if let Some(at) = differs {
            let ids = (0x080..0x0a0).map(|id| format!("{id:03x}: {:08x}", self.registers.raw(id)));
            let pixel = |bytes: &[u8]| bytes[at & !3..][..4].to_vec();
            let (expected, actual) = (pixel(&expected), pixel(&actual));
            panic!(
                "{name}: pixel {} is {actual:?} instead of {expected:?}\n{}",
                at / 4,
                ids.collect::<Vec<_>>().join("\n")
            );
        }
    }
}

/// Nanoseconds of the fastest of some runs.
pub(in super::super) fn fastest(runs: u32, mut work: impl FnMut()) -> f64 {
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().map_or(0.0, |time| time.as_nanos() as f64)
}

fn cases(count: u32) -> u32 {
    count * std::env::var("PICAFLOR_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// First register of a unit.
const UNITS: [u16; 3] = [0x081, 0x091, 0x099];

/// Random words of a unit: what selects code.
fn sampler(random: &mut Random, unit: usize) -> Vec<(u16, u32)> {
    let first = UNITS[unit];
    let kind = if random.chance(50) { 0 } else { random.below(8) };
    let param = random.word() & 0x8fff_ffff | kind << 28;
    let max = if random.chance(40) { 0 } else { random.below(16) };
    let min = if random.chance(70) { 0 } else { random.below(16) };
    vec![
        (0x080, if random.chance(3) { 0 } else { 1 << unit } | (random.word() & 0x2000)),
        (first + 2, param),
        (first + 3, max << 16 | min << 24),
        (0x08b, random.word() & 1),
    ]
}

/// Random words of a unit: what does not, mostly.
fn image(random: &mut Random, unit: usize) -> Vec<(u16, u32)> {
    const SIDES: [u32; 14] = [8, 8, 16, 16, 32, 32, 64, 128, 24, 40, 1, 7, 100, 0];
    let first = UNITS[unit];
    let side = |random: &mut Random| match random.below(100) {
        0 => random.one_of(&[256, 512, 1024, 1023]),
        1..=15 => random.one_of(&SIDES),
        _ => random.one_of(&SIDES[..7]),
    };
    let (width, height) = (side(random), side(random));
    let near = |random: &mut Random| (TEXTURES >> 3) + random.below(0x1000);
    let format = if unit == 0 { 0x08e } else { first + 5 };
    let bias = if random.chance(50) { 0 } else { random.word() & 0x1fff };
    let mut words = vec![
        (first, random.word()),
        (first + 1, width << 16 | height),
        (first + 4, if random.chance(2) { 0 } else { near(random) }),
        (format, random.word()),
        (0x08b, random.below(0x20_0000) << 1),
    ];
    words.extend((0x086..0x08b).map(|id| (id, near(random))));
    words.push((first + 3, bias));
    words
}

/// Sampler and image words into registers; the level of detail is put together from both.
fn set_unit(bench: &mut Bench, random: &mut Random, unit: usize, sampler: &[(u16, u32)]) {
    let image = image(random, unit);
    bench.set(&image);
    for &(id, word) in sampler {
        let keeps = if id == UNITS[unit] + 3 || id == 0x08b { bench.registers.raw(id) & !1 } else { 0 };
        bench.set(&[(id, word | keeps)]);
    }
}

#[test]
fn random_states() {
    draw_random_states(&mut Bench::new(1), 250);
}

/// The same by code alone, as on processors without vectors of 256 bits.
#[test]
fn random_states_in_code() {
    let mut bench = Bench::new(1);
    bench.engine = in_code();
    draw_random_states(&mut bench, 120);
}

/// An engine whose code samples itself.
fn in_code() -> Engine {
    let builder = Engine::builder().mode(EngineMode::Blocking).fallback(false);
    builder.cpu(CpuLevel::WithoutAvx).build().unwrap()
}

/// Three units side by side, in many triangles that share calls: small ones, ones over the whole target, and ones whose edge
/// values need more than 32 bits.
#[test]
fn many_triangles_and_all_units() {
    let mut random = Random(0x0a11);
    for found in [true, false] {
        let mut bench = Bench::new(3);
        if !found {
            bench.engine = in_code();
        }
        for round in 0..cases(40) {
            bench.set(&words(0));
            for unit in 0..3 {
                let sampler = sampler(&mut random, unit);
                set_unit(&mut bench, &mut random, unit, &sampler);
            }
            // The units' product, and the sum with one of them.
            bench.set(&[(0x080, 7), (0x0c0, 0x0043_0043), (0x0c2, 1 | 1 << 16)]);
            bench.set(&[(0x0c8, 0x005f_005f), (0x0ca, 2 | 2 << 16)]);
            let triangles: Vec<Triangle> = (0..40)
                .map(|n| {
                    let mut triangle = random.triangle();
                    let [x, y] = [0; 2].map(|_| random.below(16 * SIDE) as i32);
                    let size = [24, 60, 200, 1 << 18][n % 4];
                    (triangle.x, triangle.y) = ([x, x + size, x], [y, y, y + size]);
                    triangle
                })
                .collect();
            bench.check(&triangles, &format!("round {round}, {found}"));
        }
    }
}

/// The host's images too, on compiled code and, from the same cache, in draws of the interpreter.
#[test]
fn random_states_with_images_of_the_host() {
    let mut bench = Bench::new(1);
    bench.memory.images = Some(1);
    draw_random_states(&mut bench, 60);
    bench.engine = Engine::builder().mode(EngineMode::InterpreterOnly).build().unwrap();
    draw_random_states(&mut bench, 60);
    assert!(bench.engine.stats().textures.misses > 100, "{:?}", bench.engine.stats().textures);
}

fn draw_random_states(bench: &mut Bench, rounds: u32) {
    let mut random = Random(0x7e97);
    for round in 0..cases(rounds) {
        let unit = random.one_of(&[0, 0, 0, 1, 2]);
        bench.set(&words(unit as u32));
        let sampler = sampler(&mut random, unit);
        for case in 0..8 {
            set_unit(bench, &mut random, unit, &sampler);
            let triangle = random.triangle();
            bench.check(&[triangle], &format!("round {round}, case {case}, unit {unit}"));
        }
    }
}

/// Every wrap mode with both filters, on sides that are and are not powers of two.
#[test]
fn wrap_modes() {
    let mut random = Random(3);
    let mut bench = Bench::new(2);
    bench.set(&words(0));
    for (mode, linear) in (0..8).flat_map(|mode| [(mode, 0), (mode, 6)]) {
        for sides in [[8, 8], [64, 16], [24, 8], [8, 40], [1, 1], [9, 1023]] {
            bench.set(&[
                (0x080, 1),
                (0x081, 0x1234_5678),
                (0x082, sides[0] << 16 | sides[1]),
                (0x083, linear | mode << 8 | ((mode + 1) & 7) << 12),
                (0x085, TEXTURES >> 3),
                (0x08e, random.below(14)),
            ]);
            for _ in 0..4 {
                let triangle = random.triangle();
                bench.check(&[triangle], &format!("mode {mode}, filter {linear}, {sides:?}"));
            }
        }
    }
}

/// Memory that changes between draws, bytes that are not mapped, and textures that come and go.
#[test]
fn writes_are_seen() {
    let mut random = Random(9);
    let mut bench = Bench::new(4);
    bench.set(&words(0));
    bench.set(&[(0x080, 1), (0x082, 0x0010_0010), (0x083, 0x2200), (0x08e, 0)]);
    for _ in 0..50 {
        let triangle = random.triangle();
        let end = TEXTURES + TEXTURE_BYTES;
        let address = random.one_of(&[TEXTURES, TEXTURES + 0x400, end - 0x80, end, 0x1fff_ff80]);
        bench.set(&[(0x085, address >> 3)]);
        bench.check(&[triangle], "a texture");
        for _ in 0..random.below(3) {
            write_bytes(&bench.memory, TEXTURES + random.below(0x800), &random.word().to_le_bytes());
        }
    }
}

/// A texture that is the target: the interpreter does it, and says why.
#[test]
fn drawing_to_the_texture() {
    let mut bench = Bench::new(5);
    bench.engine = Engine::builder().mode(EngineMode::Blocking).build().unwrap();
    bench.set(&words(0));
    bench.set(&[(0x080, 1), (0x082, 0x0010_0010), (0x083, 0x2200), (0x08e, 0), (0x085, TARGET >> 3)]);
    let triangles = [Random(1).triangle()];
    assert_eq!(bench.draw(&triangles, true), bench.draw(&triangles, false));
    let refusals = bench.engine.stats().refusals;
    assert_eq!(refusals.values().sum::<u64>(), 1, "{refusals:?}");
}

/// Textures of which some bytes are mapped here, some there and some nowhere; their faces too.
#[test]
fn scattered_over_memory() {
    let blocks = [(0, 0x1000), (0x1000, 0x40), (0x1050, 0x1f1), (0x1400, 0x2000), (0x4000, 0x8_0001)];
    let mut bench = Bench::with_memory(6, &blocks.map(|(start, length)| (TEXTURES + start, length)));
    bench.set(&words(0));
    let mut random = Random(12);
    for round in 0..cases(400) {
        let kind = random.one_of(&[0, 0, 0, 1, 2, 4]);
        let side = random.one_of(&[8, 16, 64, 128, 24]);
        let lod = random.one_of(&[0, 3, 7]) << 16;
        bench.set(&[(0x080, 1), (0x082, side << 16 | side), (0x083, kind << 28 | random.below(8) << 1)]);
        bench.set(&[(0x084, lod), (0x08b, 1), (0x08e, random.below(16))]);
        for id in 0x085..0x08b {
            let address = random.one_of(&[0, 0xf80, 0x1000, 0x13c0, 0x3c00, 0x8_3e00, 0x20_0000]);
            bench.set(&[(id, (TEXTURES + address + random.below(8) * 8) >> 3)]);
        }
        let triangle = random.triangle();
        bench.check(&[triangle], &format!("round {round}"));
        let byte = random.word().to_le_bytes();
        write_bytes(&bench.memory, TEXTURES + random.below(0x4000), &byte[..1]);
    }
}

/// The largest images there are, with little of them mapped, or nothing.
#[test]
fn enormous_textures() {
    let mut bench = Bench::with_memory(7, &[(TEXTURES, 0x40_0000)]);
    bench.set(&words(0));
    bench.set(&[(0x080, 1), (0x082, 2047 << 16 | 2047), (0x084, 8 << 16), (0x08e, 0)]);
    bench.set(&[0x085, 0x086, 0x087, 0x088, 0x089, 0x08a].map(|id| (id, TEXTURES >> 3)));
    let mut random = Random(13);
    for (kind, address) in [(1, TEXTURES), (0, TEXTURES + 0x3f_f000), (2, 0x7fff_f000)] {
        bench.set(&[(0x083, 0x0100_2206 | kind << 28), (0x085, address >> 3)]);
        for _ in 0..3 {
            let triangle = random.triangle();
            bench.check(&[triangle], &format!("kind {kind}"));
        }
    }
}

/// A texture in the depth buffer, which the draw does not touch or only reads, is no feedback.
#[test]
fn texture_in_a_buffer_that_is_not_written() {
    let mut bench = Bench::new(8);
    bench.set(&words(0));
    bench.set(&[(0x080, 1), (0x082, 0x0010_0010), (0x083, 0x2200), (0x08e, 0)]);
    bench.set(&[(0x085, (TARGET + 0x1000) >> 3)]);
    let bytes: Vec<u8> = (0..0x400).map(|n| (n * 5) as u8).collect();
    write_bytes(&bench.memory, TARGET + 0x1000, &bytes);
    // Without a test, and with each one but `Never`.
    for word in [0x0f00].into_iter().chain((1..8).map(|func| 0x0f01 | func << 4)) {
        bench.set(&[(0x107, word)]);
        bench.check(&[Random(1).triangle()], "the depth buffer");
        assert_eq!(
            bench.memory.region(TARGET + 0x1000, 0x400).map(|slice| slice.to_vec()),
            Some(bytes.clone())
        );
    }
    bench.engine = Engine::builder().mode(EngineMode::Blocking).build().unwrap();
    bench.set(&[(0x107, 0x1f71)]);
    bench.draw(&[Random(1).triangle()], true);
    assert_eq!(bench.engine.stats().refusals.len(), 1, "it is written");
}
