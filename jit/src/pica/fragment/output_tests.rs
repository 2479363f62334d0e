//! Combiners, tests and writes against the interpreter, byte for byte.

use super::texture;
use super::texture::tests::Bench;
use crate::code::targets;
use crate::pica::key::fragment::FragmentKey;
use crate::{Engine, EngineMode};
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::raster::scissor::Scissor;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::pica::vertex::SEMANTICS;
use picaflor_pipeline::rect::Rect;
use std::sync::Arc;

const MEMORY: u32 = 0x1800_0000;
const BYTES: u32 = 0x4000;
const COLOUR: u32 = MEMORY + 0x40;
const DEPTH: u32 = MEMORY + 0x2000;
const WIDTH: u32 = 24;
const HEIGHT: u32 = 40;

struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        picaflor_pipeline::random::word(&mut self.0)
    }

    fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }

    /// Numbers around the range that matters, and now and then any bits.
    fn float(&mut self) -> f32 {
        match self.below(16) {
            0 => f32::from_bits(self.word()),
            1 => [0.0, -0.0, 1.0, f32::NAN, f32::INFINITY, -f32::INFINITY][self.below(6) as usize],
            _ => self.below(1300) as f32 / 1024.0 - 0.125,
        }
    }

    fn triangle(&mut self, registers: &Registers) -> Triangle {
        let reach = [16 * WIDTH, 64 * WIDTH][self.below(2) as usize];
        let mut side = || self.below(reach) as i32 - (reach / 8) as i32;
        let (x, y) = ([side(), side(), side()], [side(), side(), side()]);
        let z = [-self.float(), -self.float(), -self.float()];
        let r = if self.below(2) == 0 { [1.0; 3] } else { [self.float(), self.float(), self.float()] };
        let mut p = [[0.0; SEMANTICS]; 3];
        p.iter_mut().flat_map(|vertex| &mut vertex[8..12]).for_each(|value| *value = self.float());
        let colour = [self.float(), self.float(), 1.0, self.float()];
        let flat_colour = registers.flat_colour().enable().then_some(colour);
        Triangle { x, y, z, r, p, flat_colour }
    }

    /// Sources that need no other unit; every code that nobody knows among them.
    fn sources(&mut self) -> u32 {
        let known = [0, 0, 0, 7, 12, 13, 13, 13, 14, 14, 15, 15, 15, 15, 3, 6];
        (0..8).map(|n| known[self.below(16) as usize] << (4 * n)).sum()
    }

    fn stage(&mut self, registers: &mut Registers, base: u16) {
        let mut words = [self.sources(), self.word(), self.word(), self.word(), self.word() & self.word()];
        if self.below(3) == 0 {
            // Both groups alike, as programs have it.
            words[2] = self.below(10) * 0x1_0001;
            words[1] = [0, 0x0001_0010, 0x0022_2222][self.below(3) as usize];
        }
        if self.below(3) == 0 {
            words = [0x0fff_0fff, 0, 0, 0, 0];
        }
        for (n, word) in words.into_iter().enumerate() {
            registers.set_raw(base + n as u16, word);
        }
    }

    fn combiners(&mut self, registers: &mut Registers) {
        for base in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
            self.stage(registers, base);
        }
        let update = self.word() & 0x0001_ff08 | [0, 0, 0, 0, 1, 2, 5, 7][self.below(8) as usize];
        registers.set_raw(0x0e0, update);
        registers.set_raw(0x0fd, self.word());
        registers.set_raw(0x0e1, self.word());
    }

    /// Registers of the output merger.
    fn output(&mut self, registers: &mut Registers) {
        for id in (0x101..=0x106).chain([0x130]) {
            registers.set_raw(id, self.word());
        }
        let mode = [0, 0, 0, 0, 0, 0, 2, 3, 3, 1][self.below(10) as usize];
        registers.set_raw(0x100, mode | self.below(2) << 8 | u32::from(self.below(32) == 0) << 24);
        for id in 0x112..=0x115 {
            registers.set_raw(id, if self.below(5) == 0 { 0 } else { self.below(15) + 1 });
        }
        registers.set_raw(0x116, [3, 3, 3, 2, 1, 0][self.below(6) as usize]);
        registers.set_raw(0x117, [0, 0, 0, 1, 2, 3, 4, 5][self.below(8) as usize] << 16);
        if self.below(3) == 0 {
            registers.set_raw(0x101, [0x7676_0000, 0x0176_0000, 0x1111_0000][self.below(3) as usize]);
        }
        let mask = if self.below(2) == 0 { 0xf00 } else { 0 };
        registers.set_raw(0x107, self.word() | mask);
        // Tests that hide nearly everything are common enough.
        for id in [0x104, 0x105] {
            registers.set_raw(id, registers.raw(id) & !u32::from(self.below(2) == 0));
        }
    }

    fn registers(&mut self) -> Registers {
        let mut registers = Registers::new();
        let words = [
            (0x04d, [0x00bf_0000, 0x00be_8000][self.below(2) as usize]),
            (0x04e, [0, 0x003d_0000][self.below(2) as usize]),
            (0x058, u32::from(self.below(8) == 0)),
            (0x06d, u32::from(self.below(4) != 0)),
            (0x11c, DEPTH >> 3),
            (0x11d, (COLOUR + 0x40 * self.below(4)) >> 3),
            (0x11e, self.below(2) << 24 | (HEIGHT - 1) << 12 | WIDTH),
        ];
        words.iter().for_each(|&(id, word)| registers.set_raw(id, word));
        self.combiners(&mut registers);
        self.output(&mut registers);
        if self.below(4) == 0 {
            registers.set_raw(0x065, 1 + 2 * self.below(2));
            registers.set_raw(0x066, self.below(12) << 16 | self.below(12));
            registers.set_raw(0x067, (self.below(30) + 8) << 16 | (self.below(12) + 8));
        }
        registers
    }

    fn bytes(&mut self) -> Vec<u8> {
        let any: Vec<u8> = (0..BYTES).map(|_| self.word() as u8).collect();
        if self.below(4) == 0 { any.iter().map(|b| if b & 1 != 0 { 255 } else { 0 }).collect() } else { any }
    }
}

/// A fog table with any entries.
fn luts() -> Luts {
    let (mut luts, mut random) = (Luts::default(), Random(0));
    luts.fog.iter_mut().for_each(|entry| *entry = random.word());
    luts
}

/// What a routine makes of triangles in this memory, drawn by so many threads, each in bands of a block's rows, and
/// how many fragments it counts.
fn drawn(
    routine: &dyn TileRoutine,
    registers: &Registers,
    bytes: &[u8],
    triangles: &[Triangle],
    threads: usize,
) -> (Vec<u8>, u64) {
    let memory = BlockMemory::zeroed(&[(MEMORY, BYTES)]);
    write_bytes(&memory, MEMORY, bytes);
    let luts = luts();
    let target = Target::new(registers, &memory);
    let order: Vec<u32> = (0..triangles.len() as u32).collect();
    let band = |y0: i32, y1: i32| {
        let state = FragmentState { registers, luts: &luts, memory: &memory };
        let (y0, y1) = (y0.max(0), y1.min(target.height() as i32));
        let tile = Scissor::of(registers).clip(Rect { x0: 0, y0, x1: WIDTH as i32, y1 });
        routine.run(&TileBatch { state, triangles: &triangles.into(), order: &order, tile, target: &target })
    };
    let height = HEIGHT as i32;
    // Blocks are counted from the row that lies first in memory.
    let lead = if target.top_first() { target.height().wrapping_neg() as i32 & 7 } else { 0 };
    let count = if threads == 1 {
        band(0, height)
    } else {
        let share = |thread: usize| {
            let starts = (-lead..height).step_by(8).skip(thread).step_by(threads);
            starts.map(|y| band(y, y + 8)).sum::<u64>()
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
            workers.into_iter().map(|worker| worker.join().expect("no thread panics")).sum()
        })
    };
    (memory.blocks()[0].as_slice().to_vec(), count)
}

/// Compiled code for a state; without it, nobody draws.
fn compiled(engine: &mut Engine, registers: &Registers) -> Arc<dyn TileRoutine> {
    let memory = BlockMemory::zeroed(&[]);
    let state = FragmentState { registers, luts: &luts(), memory: &memory };
    assert!(
        matches!(
            super::stage::compiled(&mut engine.core, &mut engine.pica.binder, &mut engine.textures, &state),
            Ok(Some(_))
        ),
        "a known state"
    );
    engine.fragment_routine(&state)
}

fn engine() -> Engine {
    let builder = Engine::builder().mode(EngineMode::Blocking).fallback(false).code_budget(64 << 20);
    builder.build().expect("a host for compiled code")
}

/// Compares both engines on one state; whether anything was written.
fn compare(
    engine: &mut Engine,
    registers: &Registers,
    bytes: &[u8],
    triangles: &[Triangle],
    case: u64,
) -> bool {
    let memory = BlockMemory::zeroed(&[]);
    let state = FragmentState { registers, luts: &luts(), memory: &memory };
    let interpreted = Interpreter::new().fragment_routine(&state);
    let tiles = compiled(engine, registers);
    let expected = drawn(&*interpreted, registers, bytes, triangles, 1);
    for threads in [1, 2, 5] {
        let found = drawn(&*tiles, registers, bytes, triangles, threads);
        let first = (0..bytes.len()).find(|&n| found.0[n] != expected.0[n]);
        let key = FragmentKey::of(registers).expect("a known state");
        assert_eq!(first, None, "case {case}, {threads} threads, {key}: {:08x?}", registers_of(registers));
        assert_eq!(found.1, expected.1, "case {case}, {threads} threads, {key}: fragments");
    }
    expected.0 != bytes
}

fn registers_of(registers: &Registers) -> Vec<(u16, u32)> {
    (0x0c0..0x131).map(|id| (id, registers.raw(id))).filter(|&(_, word)| word != 0).collect()
}

fn cases(default: u64) -> u64 {
    std::env::var("PICAFLOR_FRAGMENT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

#[test]
fn random_states_are_those_of_the_interpreter() {
    let mut engine = engine();
    let mut wrote = 0;
    let count = cases(1000);
    for case in 0..count {
        let mut random = Random(case);
        let registers = random.registers();
        let bytes = random.bytes();
        let triangles: Vec<_> = (0..4).map(|_| random.triangle(&registers)).collect();
        wrote += u64::from(compare(&mut engine, &registers, &bytes, &triangles, case));
    }
    assert!(wrote > count / 3, "{wrote} of {count} cases wrote something");
}

/// Vertex colours up to 1, as vertices have them, which need no limits, and any others.
#[test]
fn vertex_colours_of_any_value() {
    let (mut bench, mut random) = (Bench::new(4), Random(5));
    bench.set(&texture::tests::words(0));
    bench.set(&[(0x0c0, 0)]);
    for case in 0..cases(1000) {
        let mut triangle = random.triangle(&bench.registers);
        let factor = [1.0, 1.01, 2.0, -1.0, 300.0, 1e7, f32::INFINITY, f32::NAN][random.below(8) as usize];
        triangle.p[random.below(3) as usize][8 + random.below(4) as usize] *= factor;
        // Products with 1 over the largest values are 0 or denormal, with 1 over the smallest infinite.
        let scale = [1.0, 1.0, 1e-38, 1e-42, 1e38, f32::INFINITY][random.below(6) as usize];
        triangle.r.iter_mut().chain(triangle.p.as_flattened_mut()).for_each(|value| *value *= scale);
        bench.check(&[triangle], &format!("case {case}"));
    }
}

/// Targets of which not all blocks lie in memory in one piece, and triangles whose edge values need more than
/// 32 bits, together: such blocks are drawn apart, with tables.
#[test]
fn far_triangles_in_blocks_that_are_cut() {
    let mut engine = engine();
    let mut wrote = 0;
    for case in 0..60 {
        let mut random = Random(case);
        let mut registers = random.registers();
        registers.set_raw(0x11e, random.below(2) << 24 | (HEIGHT - 1 - random.below(7)) << 12 | WIDTH);
        if case % 3 == 0 {
            // The last blocks are not mapped.
            registers.set_raw(0x11d, (MEMORY + BYTES - 0x200) >> 3);
        }
        let bytes = random.bytes();
        let mut triangles: Vec<_> = (0..4).map(|_| random.triangle(&registers)).collect();
        for (n, triangle) in triangles.iter_mut().enumerate().filter(|(n, _)| n % 2 == 0) {
            let far = (1 << 18) - n as i32;
            (triangle.x, triangle.y) = ([-far, far, 40 * n as i32], [-far, -far + 9, far]);
        }
        wrote += u32::from(compare(&mut engine, &registers, &bytes, &triangles, case));
    }
    assert!(wrote > 20, "{wrote} of 60 cases wrote something");
}

/// Registers of a state that programs use.
fn typical(words: &[(u16, u32)]) -> Registers {
    let mut registers = Registers::new();
    for base in [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
        registers.set_raw(base, 0x000f_000f);
    }
    let usual = [
        (0x06d, 1),
        (0x102, 3),
        (0x107, 0x1f00),
        (0x112, 15),
        (0x113, 15),
        (0x114, 3),
        (0x115, 3),
        (0x116, 3),
    ];
    usual.iter().chain(words).for_each(|&(id, word)| registers.set_raw(id, word));
    registers
}

/// Depth test LESS; blending by source alpha; vertex colour times a constant.
const DEPTH_TEST: (u16, u32) = (0x107, 0x1f41);
const BLENDING: [(u16, u32); 2] = [(0x100, 0x100), (0x101, 0x7676_0000)];
const MODULATE: [(u16, u32); 2] = [(0x0c0, 0x00e0_00e0), (0x0c2, 0x0001_0001)];

/// Name, registers, and the instructions that a routine may have.
type Typical = (&'static str, Vec<(u16, u32)>, usize);

/// Instructions of Cranelift's language for states that programs use, and how many there may be.
#[test]
fn typical_states_stay_small() {
    let [blend, blend_on] = BLENDING;
    let [from, op] = MODULATE;
    let states: [Typical; 10] = [
        ("colour only", vec![(0x107, 0xf00)], 225),
        ("depth and colour", vec![DEPTH_TEST], 280),
        ("depth, modulated", vec![DEPTH_TEST, from, op], 290),
        ("blending", vec![(0x107, 0xf00), blend, blend_on], 270),
        ("adding", vec![(0x107, 0xf00), blend, (0x101, 0x1111_0000)], 235),
        ("depth, alpha test, blending", vec![DEPTH_TEST, (0x104, 0x0061), blend, blend_on], 325),
        ("depth, stencil", vec![DEPTH_TEST, (0x105, 0xffff_ff11), (0x106, 0x210)], 300),
        ("rgb565 blending", vec![(0x107, 0xf00), (0x117, 3 << 16), blend, blend_on], 330),
        ("depth only", vec![(0x107, 0x1041)], 160),
        ("shadow", vec![(0x100, 3), (0x130, 0xb800_3c00)], 295),
    ];
    let folder = std::env::temp_dir().join(format!("picaflor-sizes-{}", std::process::id()));
    for (name, words, most) in states {
        std::fs::create_dir_all(&folder).expect("a folder");
        let builder = Engine::builder().mode(EngineMode::Blocking).fallback(false).dumps(&folder);
        compiled(&mut builder.build().expect("a host for compiled code"), &typical(&words));
        let [clif, vcode] = ["clif", "vcode"].map(|kind| instructions(&folder, kind));
        std::fs::remove_dir_all(&folder).expect("the folder is there");
        println!("{name}: {clif} in CLIF, {vcode} of the machine");
        assert!(clif <= most, "{name}: {clif}");
    }
}

/// Lines of the only file of a kind that are instructions.
fn instructions(folder: &std::path::Path, kind: &str) -> usize {
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let file = files.into_iter().find(|file| file.extension().is_some_and(|own| own == kind));
    let text = std::fs::read_to_string(file.expect("a dump")).expect("text");
    text.lines().filter(|line| line.starts_with("  ") && !line.trim_end().ends_with(':')).count()
}

#[test]
fn random_states_compile_for_every_target() {
    let targets = targets::all();
    for case in 0..100 {
        let registers = Random(case).registers();
        let key = FragmentKey::of(&registers).expect("a known state");
        for (target, isa) in &targets {
            let code = targets::compile_only(&**isa, |func, context, isa| {
                super::build(&key, func, context, isa);
                Ok(())
            });
            assert!(code.is_ok(), "{key} for {target}: {}", code.unwrap_err());
        }
    }
}
