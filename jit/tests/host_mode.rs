//! A host thread whose floating-point mode flushes subnormals, as that of audio code does.
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code)]

mod common;

use common::{Scene, blocking, compiled_only};
use picaflor_jit::{Engine, Served};
use picaflor_pipeline::pica::float::Precision;

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
