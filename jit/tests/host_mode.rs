//! A host thread whose floating-point mode flushes subnormals, as that of audio code does.
#![allow(unsafe_code)]

use crate::common::{Scene, blocking, compiled_only};
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, Served};
use picaflor_pipeline::memory::BlockMemory;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::{FragmentState, Stages, TileBatch};
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::pica::vertex::SEMANTICS;
use picaflor_pipeline::rect::Rect;

/// FTZ, DAZ, rounding toward zero, all exceptions masked.
const AUDIO: u32 = 0x1f80 | 1 << 15 | 1 << 6 | 3 << 13;

fn set_mode(mode: u32) -> u32 {
    let (mut before, mode) = (0_u32, mode);
    // SAFETY: the operands are live locals. What runs until the mode is set back computes floats in generated
    // code only, which sets a mode of its own.
    unsafe {
        std::arch::asm!("stmxcsr [{}]", "ldmxcsr [{}]", in(reg) &raw mut before, in(reg) &raw const mode, options(nostack));
    }
    before
}

/// The result while the thread is in the mode of audio code.
fn shade(scene: &Scene, engine: &mut Engine) -> Vec<Vec<u32>> {
    let before = set_mode(AUDIO);
    let (rows, _) = scene.shade(engine);
    let after = set_mode(before);
    assert_eq!(after & !0x3f, AUDIO, "the host's mode is restored");
    rows
}

/// Products and sums that round, or that are subnormal.
fn scene(precision: Precision) -> Scene {
    let mut scene = Scene::new(
        "mul o0, c0, v0\nadd o1, c1, v0\nmad r0, v0, c2, v1\nmov o2, r0\nrcp r1, v1.x\nmov o3, r1\nend",
    );
    scene.floats(&[[[1.1, 1e-30, 0.3, 1.0 / 3.0], [3.0, -0.7, 1e-20, 2.5]]; 3]);
    scene.uniform(0, [0.3, 1e-10, 1e-8, 3.0]);
    scene.uniform(1, [1e-6, 0.7, -0.3, 1e3]);
    scene.uniform(2, [0.1, -0.2, 1e-15, 7.0]);
    scene.precision = precision;
    scene
}

#[test]
fn compiled_code_has_its_own_mode() {
    for precision in [Precision::Console, Precision::Binary32] {
        let scene = scene(precision);
        let mut engine = compiled_only();
        for round in 0..2 {
            assert_eq!(shade(&scene, &mut engine), scene.expected().0, "{precision:?}, {round}");
            assert_eq!(engine.last_run().served, Served::Compiled);
        }
    }
}

/// What the interpreter stands in for has the same bits.
#[test]
fn the_interpreter_behind_the_engine_has_too() {
    for precision in [Precision::Console, Precision::Binary32] {
        let mut scene = scene(precision);
        scene.budget = 3;
        let mut engine = blocking();
        assert_eq!(shade(&scene, &mut engine), scene.expected().0, "{precision:?}");
        assert!(matches!(engine.last_run().served, Served::Interpreter(_)));
    }
}

/// 32x32 pixels of RGBA8 and D24, drawn by `engine` while the thread is in `mode`.
fn draw(engine: &mut dyn Stages, mode: u32) -> Vec<u8> {
    let (mut registers, luts) = (Registers::new(), Luts::default());
    let memory = BlockMemory::zeroed(&[(0x1800_0000, 0x2000)]);
    for (id, word) in [
        (0x04d, 0x3f_5555),
        (0x06d, 0),
        (0x0c2, 0x0002_0002),
        (0x102, 3),
        (0x107, 0x1f00),
        (0x113, 1),
        (0x115, 1),
        (0x116, 2),
        (0x11c, 0x1800_1000 >> 3),
        (0x11d, 0x1800_0000 >> 3),
        (0x11e, 1 << 24 | 31 << 12 | 32),
    ] {
        registers.set_raw(id, word);
    }
    let state = FragmentState { registers: &registers, luts: &luts, memory: &memory };
    let row = |scale: f32| std::array::from_fn::<f32, SEMANTICS, _>(|k| scale * (k as f32 + 0.3) / 24.0);
    let triangle = Triangle {
        x: [3, 16 * 30, 16 * 9],
        y: [5, 16 * 3, 16 * 31],
        z: [0.1, 0.7, 0.3],
        r: [0.9, 0.4, 1.0 / 3.0],
        p: [row(0.9), row(0.4), row(0.1)],
        flat_colour: None,
    };
    let target = Target::new(&registers, &memory);
    let tile = Rect { x0: 0, y0: 0, x1: 32, y1: 32 };
    let routine = engine.fragment_routine(&state);
    let batch =
        TileBatch { state, triangles: &[triangle].as_slice().into(), order: &[0], tile, target: &target };
    let before = set_mode(mode);
    let drawn = routine.run(&batch);
    let after = set_mode(before);
    assert_eq!(after & !0x3f, mode & !0x3f, "the host's mode is restored");
    assert!(drawn > 300, "{drawn}");
    memory.blocks()[0].as_slice().to_vec()
}

#[test]
fn fragments_have_too() {
    let expected = draw(&mut Interpreter::new(), 0x1f80);
    assert_eq!(draw(&mut blocking(), AUDIO), expected);
    assert_eq!(draw(&mut compiled_only(), AUDIO), expected);
}
