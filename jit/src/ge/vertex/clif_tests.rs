//! Small vertex routines as CLIF: one for each thing that a key can ask for, with as little else as possible.
//!
//! The snapshots lie in `snapshots/`, each with its key in the first line. A change of the generator that changes them
//! on purpose is accepted with `cargo insta accept`, or by running the tests with `INSTA_UPDATE=always`; read the
//! difference first.

use super::build;
use crate::code::targets;
use crate::ge::key::TransformKey;
use picaflor_pipeline::ge::regs::{Registers, op};

/// Places on the screen of three halfwords, colours of 32 bits.
const THROUGH: u32 = 1 << 23 | 2 << 7 | 7 << 2;
/// Positions of three floats.
const POSITION: u32 = 3 << 7;
/// Normals of three bytes.
const NORMAL: u32 = 1 << 5;

/// Compares a snapshot.
fn check(name: &str, vertex_type: u32, words: &[(u8, u32)]) {
    let mut registers = Registers::default();
    let all = [(op::VTYPE, vertex_type)];
    let all = all.iter().chain(words);
    all.for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    let key = TransformKey::of(&registers).expect("a state that is compiled").of_code();
    insta::assert_snapshot!(
        name,
        targets::snapshot(&key, |func, context, isa| build(&key, func, context, isa))
    );
}

#[test]
fn records() {
    check("through", THROUGH, &[]);
    check("morphed", THROUGH | 1 << 18, &[]);
    check("positions", POSITION, &[]);
    check("skinned", POSITION | 1 << 9 | 1 << 14, &[]);
}

#[test]
fn coordinates_and_fog() {
    check("coordinates_and_fog", POSITION | 1, &[(op::TME, 1), (op::FGE, 1)]);
}

/// States with lights or environments differ in that code reads normals.
#[test]
fn lighting() {
    let spot = [(op::LTE, 1), (op::LTE0, 1), (op::LT0, 2 << 8 | 1), (op::LXD0, 0x3f_8000)];
    check("normals", POSITION | NORMAL, &spot);
    let of_code = |words: &[(u8, u32)]| {
        let mut registers = Registers::default();
        let all = [(op::VTYPE, POSITION | NORMAL), (op::RNORM, 1)];
        let all = all.iter().chain(words);
        all.for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
        TransformKey::of(&registers).expect("a state that is compiled").of_code().to_string()
    };
    let plain = of_code(&spot);
    assert_eq!(of_code(&[(op::LTE, 1), (op::LTE0 + 1, 1), (op::CMAT, 1), (op::SPOW, 7)]), plain);
    assert_eq!(of_code(&[(op::TME, 1), (op::TMAP, 2)]), plain);
    assert_ne!(of_code(&[]), plain);
}
