//! The rows of pica-fragment.md 10.2, and what section 5 says beside them.

use super::*;
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::pica::regs::combiner::{CombinerOps, CombinerSources};

const VERTEX: [u8; 4] = [11, 22, 33, 44];

fn sources() -> Sources {
    let lighting = [[1, 2, 3, 4], [5, 6, 7, 8]];
    Sources { vertex: VERTEX, lighting, textures: [[50; 4], [60; 4], [70; 4], [80; 4]] }
}

/// Registers whose stages from `first` on pass the result of the stage before.
fn passing_from(first: usize) -> Registers {
    let mut regs = Registers::new();
    for base in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8].into_iter().skip(first) {
        regs.set_raw(base, 0x000f_000f);
    }
    regs
}

/// Operation `op` on three values in one channel, through the registers: a and b come from textures 0 and 1,
/// c from texture 2.
fn channel(op: CombinerOp, [a, b, c]: [u8; 3]) -> u8 {
    let mut regs = passing_from(1);
    regs.set_raw(0x0c0, 0x0543_0543);
    regs.set_raw(0x0c2, CombinerOps(0).with_rgb(op).with_alpha(op).0);
    let sources = Sources { textures: [[a; 4], [b; 4], [c; 4], [0; 4]], ..sources() };
    let out = combine(&regs, &sources, &());
    assert_eq!(out, [out[0]; 4]);
    out[0]
}

/// The dot product of two colours, through the registers.
fn dot(a: [u8; 3], b: [u8; 3]) -> u8 {
    let mut regs = passing_from(1);
    regs.set_raw(0x0c0, 0x0000_0043);
    regs.set_raw(0x0c2, CombinerOps(0).with_rgb(CombinerOp::Dot3Rgb).0);
    let colour = |[r, g, b]: [u8; 3]| [r, g, b, 9];
    let sources = Sources { textures: [colour(a), colour(b), [0; 4], [0; 4]], ..sources() };
    let out = combine(&regs, &sources, &());
    assert_eq!(out, [out[0], out[0], out[0], VERTEX[3]]);
    out[0]
}

fn assert_diagonal(rows: &[(u8, u8)]) {
    for &(x, expected) in rows {
        assert_eq!(dot([x; 3], [x; 3]), expected, "x = {x:#x}");
    }
}

#[test]
fn dot3_diagonal_lower_half() {
    assert_diagonal(&[(0, 255), (0x36, 252), (0x37, 243), (0x40, 186)]);
    assert_diagonal(&[(0x59, 69), (0x60, 45), (0x70, 12), (0x7f, 0)]);
}

#[test]
fn dot3_diagonal_upper_half() {
    assert_diagonal(&[(0x80, 0), (0x86, 3), (0x8a, 6), (0x90, 12), (0xa0, 51)]);
    assert_diagonal(&[(0xb0, 111), (0xbf, 189), (0xc0, 195), (0xc4, 222), (0xe0, 255)]);
}

#[test]
fn dot3_80_80_80_with_x_80_80() {
    let at = |x| dot([0x80; 3], [x, 0x80, 0x80]);
    assert_eq!([191, 192, 255].map(at), [0, 1, 1]);
}

#[test]
fn dot3_80_80_80_with_x_x_80() {
    assert_eq!([191, 192].map(|x| dot([0x80; 3], [x, x, 0x80])), [0, 2]);
}

#[test]
fn dot3_80_80_80_with_x_x_x() {
    assert_eq!([191, 192].map(|x| dot([0x80; 3], [x; 3])), [0, 3]);
}

#[test]
fn dot3_80_7f_80_with_x_x_x() {
    assert_eq!(dot([0x80, 0x7f, 0x80], [192; 3]), 1);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn dot3_80_7f_80_with_x_x_80_is_zero() {
    assert!((0..=255).all(|x| dot([0x80, 0x7f, 0x80], [x, x, 0x80]) == 0));
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn dot3_80_80_80_with_x_7f_80_is_zero() {
    assert!((0..=255).all(|x| dot([0x80; 3], [x, 0x7f, 0x80]) == 0));
}

/// The first x that gives each of 1, 2, ...
fn first_reaching(count: usize, at: impl Fn(u8) -> u8) -> Vec<u8> {
    let first = |n: usize| (0..=255).find(|&x| usize::from(at(x)) == n);
    (1..=count).filter_map(first).collect()
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn dot3_83_80_80_with_x_80_80() {
    let at = |x| dot([0x83, 0x80, 0x80], [x, 0x80, 0x80]);
    assert_eq!(first_reaching(7, at), [137, 155, 174, 192, 210, 228, 246]);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn dot3_83_80_80_with_x_7f_80() {
    let at = |x| dot([0x83, 0x80, 0x80], [x, 0x7f, 0x80]);
    assert_eq!(first_reaching(6, at), [155, 174, 192, 210, 228, 246]);
}

#[test]
fn dot3_terms() {
    let terms = [(127, 127), (127, 128), (0, 0), (0, 255), (255, 255)].map(|(a, b)| dot3_term(a, b));
    assert_eq!(terms, [0, -1, 253, -255, 255]);
}

#[test]
fn dot3_mixed_colours() {
    assert_eq!(dot([200, 100, 50], [220, 120, 40]), 213);
    assert_eq!(dot([90, 170, 240], [100, 160, 210]), 184);
    assert_eq!(dot([128, 128, 255], [200, 128, 228]), 202);
}

#[test]
fn modulate_rounds() {
    let product = |[a, b]: [u8; 2]| channel(CombinerOp::Modulate, [a, b, 7]);
    assert_eq!([[128, 128], [1, 127], [1, 128], [200, 100]].map(product), [64, 0, 1, 78]);
}

#[test]
fn interpolate_rounds() {
    assert_eq!(channel(CombinerOp::Interpolate, [255, 0, 128]), 128);
    assert_eq!(channel(CombinerOp::Interpolate, [100, 200, 64]), 175);
}

#[test]
fn multiply_add_and_add_multiply() {
    assert_eq!(channel(CombinerOp::MultiplyAdd, [100, 100, 50]), 89);
    assert_eq!(channel(CombinerOp::AddMultiply, [200, 100, 128]), 128);
    assert_eq!(channel(CombinerOp::MultiplyAdd, [255, 255, 1]), 255);
}

#[test]
fn add_signed() {
    let sum = |[a, b]: [u8; 2]| channel(CombinerOp::AddSigned, [a, b, 7]);
    assert_eq!([[128, 128], [200, 200], [10, 20]].map(sum), [128, 255, 0]);
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn modulate_by_255_and_interpolate_between_equals_are_identities() {
    for a in 0..=255 {
        assert_eq!(operate(CombinerOp::Modulate, [a, 255, 0]), a);
        assert!((0..=255).all(|c| operate(CombinerOp::Interpolate, [a, a, c]) == a));
    }
}

#[test]
fn add_subtract_replace_and_unknown() {
    assert_eq!(channel(CombinerOp::Replace, [9, 8, 7]), 9);
    assert_eq!([[200, 100, 0], [20, 30, 0]].map(|v| channel(CombinerOp::Add, v)), [255, 50]);
    assert_eq!([[200, 50, 0], [50, 200, 0]].map(|v| channel(CombinerOp::Subtract, v)), [150, 0]);
    for code in 10..16 {
        let mut regs = passing_from(1);
        regs.set_raw(0x0c2, code << 16 | code);
        assert_eq!(combine(&regs, &sources(), &()), [0; 4], "{code}");
    }
}

#[test]
fn stage_0_previous_is_source_3() {
    let mut regs = passing_from(1);
    regs.set_raw(0x0c0, 0x0e0f_0e0f);
    regs.set_raw(0x0c3, 0x0403_0201);
    assert_eq!(combine(&regs, &sources(), &()), [1, 2, 3, 4]);
}

#[test]
fn stage_0_previous_in_each_group_by_itself() {
    let mut regs = passing_from(1);
    // RGB: previous, source 3 texture 2. Alpha: previous, source 3 previous too.
    regs.set_raw(0x0c0, 0x0f0f_050f);
    assert_eq!(combine(&regs, &sources(), &()), [70, 70, 70, 0]);
    // Position 2, with its own operand: 255 - constant.
    regs.set_raw(0x0c0, 0x0000_0ef0);
    regs.set_raw(0x0c1, 0x0000_0010);
    regs.set_raw(0x0c2, 2);
    regs.set_raw(0x0c3, 0x00ff_ffff - 0x0003_0201);
    assert_eq!(combine(&regs, &sources(), &())[..3], [11 + 1, 22 + 2, 33 + 3]);
}

#[test]
fn stage_0_operand_of_the_missing_previous() {
    let mut regs = passing_from(1);
    regs.set_raw(0x0c0, 0x0f0f_0f0f);
    regs.set_raw(0x0c1, 0x0000_1001);
    assert_eq!(combine(&regs, &sources(), &()), [255; 4]);
}

#[test]
fn stage_0_sees_no_buffer() {
    let mut regs = passing_from(1);
    regs.set_raw(0x0fd, 0x0403_0201);
    regs.set_raw(0x0c0, 0x000d_000d);
    assert_eq!(combine(&regs, &sources(), &()), [0; 4]);
}

#[test]
fn buffer_lags_one_stage() {
    let mut regs = passing_from(2);
    regs.set_raw(0x0fd, 0x0403_0201);
    regs.set_raw(0x0e0, 1 << 8);
    regs.set_raw(0x0c8, 0x000d_000d);
    assert_eq!(combine(&regs, &sources(), &()), [1, 2, 3, 4], "stage 1 reads the initial colour");
    let mut regs = passing_from(1);
    regs.set_raw(0x0fd, 0x0403_0201);
    regs.set_raw(0x0e0, 1 << 8);
    regs.set_raw(0x0d0, 0x000d_000d);
    assert_eq!(combine(&regs, &sources(), &()), [11, 22, 33, 4], "stage 2 reads RGB of stage 0");
}

#[test]
fn buffer_keeps_the_latest_update_to_the_end() {
    // Stages 0 to 4 give their constants 1 to 5, stage 5 gives the buffer.
    let mut regs = Registers::new();
    for (n, base) in [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0].into_iter().enumerate() {
        regs.set_raw(base, 0x000e_000e);
        regs.set_raw(base + 3, 0x0101_0101 * (n as u32 + 1));
    }
    regs.set_raw(0x0f8, 0x000d_000d);
    regs.set_raw(0x0fd, 0x0909_0909);
    let with = |word| {
        let mut regs = regs.clone();
        regs.set_raw(0x0e0, word);
        combine(&regs, &sources(), &())
    };
    assert_eq!(with(0), [9; 4]);
    assert_eq!(with(0xff00), [4; 4]);
    assert_eq!(with(0x2100), [1, 1, 1, 2]);
    assert_eq!(with(0x0005), [9; 4], "the fog mode is in the same word");
}

#[test]
fn dot3_rgba_takes_alpha_too() {
    let mut regs = passing_from(1);
    regs.set_raw(0x0c0, 0x000e_0043);
    regs.set_raw(0x0c2, 7);
    regs.set_raw(0x0c3, 0x7700_0000);
    let textures = [[0xa0; 4]; 4];
    assert_eq!(combine(&regs, &Sources { textures, ..sources() }, &()), [51; 4]);
    // Each group keeps its scale.
    regs.set_raw(0x0c4, 0x0002_0001);
    assert_eq!(combine(&regs, &Sources { textures, ..sources() }, &()), [102, 102, 102, 204]);
}

#[test]
fn dot3_as_alpha_operation_is_zero() {
    for (rgb, alpha) in [(6, 6), (0, 6), (0, 7), (6, 7)] {
        let mut regs = passing_from(1);
        regs.set_raw(0x0c2, alpha << 16 | rgb);
        assert_eq!(combine(&regs, &sources(), &())[3], 0, "{rgb} {alpha}");
    }
}

#[test]
fn every_source() {
    for (code, expected) in [
        VERTEX,
        [1, 2, 3, 4],
        [5, 6, 7, 8],
        [50; 4],
        [60; 4],
        [70; 4],
        [80; 4],
        [0; 4],
        [0; 4],
        [0; 4],
        [0; 4],
        [0; 4],
        [0; 4],
        [1, 2, 4, 8],
        [3, 6, 9, 12],
        VERTEX,
    ]
    .into_iter()
    .enumerate()
    {
        let mut regs = passing_from(2);
        let source = CombinerSource::from_bits(code as u32);
        regs.set_raw(0x0c8, CombinerSources(0).with_rgb0(source).with_alpha0(source).0);
        regs.set_raw(0x0cb, 0x0c09_0603);
        regs.set_raw(0x0fd, 0x0804_0201);
        assert_eq!(combine(&regs, &sources(), &()), expected, "{source:?}");
    }
}

#[test]
fn every_rgb_operand() {
    let (colour, inverted) = ([11, 22, 33], [244, 233, 222]);
    let expected = [
        (0, colour),
        (1, inverted),
        (2, [44; 3]),
        (3, [211; 3]),
        (4, [11; 3]),
        (5, [244; 3]),
        (6, colour),
        (7, colour),
        (8, [22; 3]),
        (9, [233; 3]),
        (10, colour),
        (11, colour),
        (12, [33; 3]),
        (13, [222; 3]),
        (14, colour),
        (15, colour),
    ];
    for (code, expected) in expected {
        let mut regs = passing_from(1);
        regs.set_raw(0x0c1, code);
        assert_eq!(combine(&regs, &sources(), &())[..3], expected, "{code}");
    }
}

#[test]
fn every_alpha_operand() {
    for (code, expected) in [44, 211, 11, 244, 22, 233, 33, 222].into_iter().enumerate() {
        let mut regs = passing_from(1);
        regs.set_raw(0x0c1, (code as u32) << 12);
        assert_eq!(combine(&regs, &sources(), &())[3], expected, "{code}");
    }
}

#[test]
fn scale_after_the_clamp_and_scale_3() {
    for (scale, expected) in [(0, 100), (1, 200), (2, 255), (3, 100)] {
        let mut regs = passing_from(1);
        regs.set_raw(0x0c0, 0x0003_0003);
        regs.set_raw(0x0c4, scale << 16 | scale);
        let textures = [[100; 4]; 4];
        assert_eq!(combine(&regs, &Sources { textures, ..sources() }, &()), [expected; 4]);
    }
    // 200 - 100 doubled is 200: the difference is clamped first, 100 - 200 doubled is 0.
    let mut regs = passing_from(1);
    regs.set_raw(0x0c0, 0x0043_0043);
    regs.set_raw(0x0c2, 0x0005_0005);
    regs.set_raw(0x0c4, 0x0001_0001);
    let textures = [[100; 4], [200; 4], [0; 4], [0; 4]];
    assert_eq!(combine(&regs, &Sources { textures, ..sources() }, &()), [0; 4]);
}

/// Alpha reads the sources, not the RGB result of its own stage.
#[test]
fn alpha_does_not_see_rgb_of_its_stage() {
    let mut regs = passing_from(1);
    regs.set_raw(0x0c0, 0x0000_000e);
    regs.set_raw(0x0c1, 2 << 12);
    regs.set_raw(0x0c3, 0x0000_0099);
    assert_eq!(combine(&regs, &sources(), &()), [0x99, 0, 0, 11]);
}

/// (100 + 50) * 255 / 255, and (200 + 100), limited to 255, * 128 / 255.
#[test]
fn add_multiply() {
    assert_eq!([[100, 50, 255], [200, 100, 128]].map(|v| operate(CombinerOp::AddMultiply, v)), [150, 128]);
}
