//! Small pixel routines as CLIF: one for each thing that a key can ask for, with as little else as possible.
//!
//! The snapshots lie in `snapshots/`, each with its key in the first line. A change of the generator that changes them
//! on purpose is accepted with `cargo insta accept`, or by running the tests with `INSTA_UPDATE=always`; read the
//! difference first.

use super::build;
use crate::code::targets;
use crate::ge::key::PixelKey;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::FlatMemory;

/// Triangles of one colour in through mode, 32 bits to the pixel.
const PLAIN: [(u8, u32); 3] = [(op::VTYPE, 1 << 23), (op::PSM, 3), (op::FARZ, 0xffff)];
/// With a texture.
const TEXTURED: [(u8, u32); 2] = [(op::TME, 1), (op::TFUNC, 3)];

fn key(shape: Shape, words: &[(u8, u32)]) -> PixelKey {
    let mut registers = Registers::default();
    let all = PLAIN.iter().chain(words);
    all.for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
    let (clut, memory) = (Clut::default(), FlatMemory::default());
    let state = PixelState {
        registers: &registers,
        clut: &clut,
        memory: &memory,
        maps: AddressMaps::default(),
        is_immediate: false,
    };
    PixelKey::of(&state, shape).expect("a state that is compiled")
}

/// Compares a snapshot.
fn check(name: &str, shape: Shape, words: &[(u8, u32)]) {
    let key = key(shape, words).of_code();
    insta::assert_snapshot!(
        name,
        targets::snapshot(&key, |func, context, isa| build(&key, func, context, isa))
    );
}

fn triangles(name: &str, words: &[(u8, u32)]) {
    check(name, Shape::Triangle, words);
}

fn textured(name: &str, words: &[(u8, u32)]) {
    check(name, Shape::Triangle, &[&TEXTURED, words].concat());
}

#[test]
fn shapes() {
    triangles("flat", &[]);
    triangles("smooth", &[(op::SHADE, 1)]);
    check("rectangles", Shape::Rectangle, &[]);
    triangles("clear", &[(op::CLEAR, 0x701)]);
}

/// Neither formats and tables, nor filters, levels and wrap modes are a part of code.
#[test]
fn textures() {
    textured("texture", &[]);
    let of_code =
        |words: &[(u8, u32)]| key(Shape::Triangle, &[&TEXTURED, words].concat()).of_code().to_string();
    let plain = of_code(&[]);
    assert_eq!(of_code(&[(op::TFLT, 0x101), (op::TWRAP, 0x101)]), plain);
    assert_eq!(of_code(&[(op::TFLT, 0x6), (op::TMODE, 3 << 16), (op::TBIAS, 0x08_0001)]), plain);
    assert_eq!(of_code(&[(op::VTYPE, 0)]), plain);
}

#[test]
fn functions() {
    textured("function_modulate", &[(op::TFUNC, 0x100)]);
    textured("function_decal", &[(op::TFUNC, 0x101)]);
    textured("function_blend", &[(op::TFUNC, 2)]);
    textured("function_add_doubled", &[(op::TFUNC, 0x1_0004)]);
    triangles(
        "fog_and_secondary",
        &[(op::VTYPE, 0), (op::FGE, 1), (op::LMODE, 1), (op::LTE, 1), (op::LTE0, 1), (op::LT0, 1)],
    );
}

#[test]
fn tests_of_pixels() {
    triangles("alpha_test", &[(op::ATE, 1), (op::ATST, 6)]);
    triangles("colour_test", &[(op::CTE, 1), (op::CTST, 2)]);
    triangles("stencil", &[(op::STE, 1), (op::STST, 2), (op::SOP, 0x02_0401)]);
    triangles("depth", &[(op::ZTE, 1), (op::ZTST, 4)]);
    triangles("depth_range", &[(op::VTYPE, 0), (op::NEARZ, 0x100), (op::FARZ, 0x8000)]);
}

#[test]
fn writes() {
    triangles("blend_add", &[(op::ABE, 1), (op::ALPHA, 0x032)]);
    triangles("blend_fixed", &[(op::ABE, 1), (op::ALPHA, 0x2aa)]);
    triangles("blend_distance", &[(op::ABE, 1), (op::ALPHA, 0x500)]);
    triangles("logic", &[(op::LOE, 1), (op::LOP, 6)]);
    triangles("dither", &[(op::DTE, 1), (op::PSM, 2)]);
    triangles("format_5650", &[(op::PSM, 0)]);
    triangles("format_5551", &[(op::PSM, 1)]);
}
