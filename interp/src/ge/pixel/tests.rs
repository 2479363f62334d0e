//! Whole pixels.

use super::rig::{DEPTH, Rig, fragment};
use crate::ge::raster::fragment::Fragment;
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::ge::vram::VRAM;

// Enables.
const STENCIL: u32 = 0x2400_0001;
const BLEND: u32 = 0x2100_0001;
const DITHER: u32 = 0x2000_0001;
const DEPTH_TEST: u32 = 0x2300_0001;

/// All of 14.2.
#[test]
fn blending_into_5650_as_measured() {
    let table = [
        (0x4444, 0xeedd_ccbb, 0xaa, 0xff_ffff, 0, 0xde77),
        (0x4444, 0xeedd_ccbb, 0x32, 0, 0, 0xd636),
        (0x4444, 0x8080_8080, 0xa6, 0, 0, 0x8410),
        (0x4444, 0x8090_9090, 0xa6, 0, 0, 0x9492),
        (0x4444, 0xff70_7070, 0xa6, 0, 0, 0xe71c),
        (0x4444, 0x4080_8080, 0xa7, 0, 0, 0x39e7),
        (0x4444, 0x8080_8080, 0xa4, 0, 0, 0x0000),
        (0x4444, 0x8080_8080, 0xa8, 0, 0, 0x0000),
        (0xf444, 0xff11_88ff, 0xa9, 0, 0, 0x145f),
        (0x5444, 0x9080_8080, 0xa0, 0, 0, 0x2a22),
        (0x5444, 0x9080_8080, 0xa1, 0, 0, 0x51cd),
        (0x5444, 0x9080_8080, 0xa2, 0, 0, 0x4a49),
        (0x5444, 0x9080_8080, 0xa3, 0, 0, 0x31a6),
        (0x5444, 0x9080_8080, 0x2a, 0, 0, 0x2a62),
        (0x5444, 0x9080_8080, 0x3a, 0, 0, 0x21e1),
        (0x5444, 0x9080_8080, 0x6a, 0, 0, 0x5ce4),
        (0x5444, 0x9080_8080, 0xaa, 0x34_5678, 0, 0x1947),
        (0x5444, 0x9080_8080, 0xaf, 0x34_5678, 0, 0x1947),
        (0xcccc, 0x3333_3333, 0x300, 0, 0, 0x3186),
        (0xcccc, 0x3333_3333, 0x400, 0, 0, 0xcccc),
        (0xcccc, 0x3333_3333, 0x500, 0, 0, 0x9b26),
        (0x3333, 0xcccc_cccc, 0x300, 0, 0, 0x3333),
        (0x3333, 0xcccc_cccc, 0x400, 0, 0, 0xce79),
        (0x3333, 0xcccc_cccc, 0x500, 0, 0, 0x9b26),
    ];
    for (stored, source, alpha, sfix, dfix, expected) in table {
        let rig =
            Rig::new(&[0xd200_0000, BLEND, 0xdf00_0000 | alpha, 0xe000_0000 | sfix, 0xe100_0000 | dfix]);
        assert_eq!(rig.over(stored, source), expected, "{stored:x} {source:x} {alpha:x}");
    }
}

/// The set-up of the tables of 14.1: the stencil operation gives alpha.
#[test]
fn stencil_gives_alpha() {
    let rig = Rig::new(&[BLEND, 0xdf00_0032, STENCIL, 0xdcff_aa01, 0xdd02_0000]);
    assert_eq!(rig.over(0x4444_4444, 0xeedd_ccbb), 0xaad2_c2b2);
    // Without a stencil test the stored one stays.
    assert_eq!(Rig::new(&[]).over(0x4444_4444, 0xeedd_ccbb), 0x44dd_ccbb);
}

/// The table of 14.5, and that other pixels have other entries. Of blue the table tells the upper bits of four sums,
/// which leave 19 to 1F.
#[test]
fn dithering_as_measured() {
    let table = [
        (0, [0x1f91, 0x0fd1, 0x01f8, 0x1c_f088]),
        (-1, [0x1f70, 0x0fb0, 0x01e8, 0x1b_ef87]),
        (-8, [0x1750, 0x0bb0, 0x01e8, 0x14_e880]),
        (7, [0x27b1, 0x13d1, 0x02f8, 0x23_f78f]),
    ];
    for (entry, expected) in table {
        let dithered = [0, 1, 2, 3].map(|format| {
            let entry = entry as u32 & 15;
            Rig::new(&[0xd200_0000 | format, DITHER, 0xe200_0000 | entry]).over(0, 0x1c_f088)
        });
        assert_eq!(dithered, expected, "{entry}");
    }
    let rig = Rig::new(&[DITHER, 0xe400_0700]);
    rig.draw(&Fragment { x: 6, y: 10, colour: [1, 250, 255, 0], ..fragment() });
    assert_eq!(rig.peek(VRAM + 4 * (10 * 512 + 6)), 0xff_ff08);
}

#[test]
fn masks_protect_bits_of_the_format() {
    let masked = |format: u32, stored| {
        Rig::new(&[0xd200_0000 | format, 0xe80f_f0ff, 0xe900_007f]).over(stored, 0xffff_ffff)
    };
    assert_eq!(masked(3, 0x1234_5678), 0x12f4_5f78);
    // The mask of 5650 is 00001 111100 11111.
    assert_eq!(masked(0, 0), 0xf800 & !0x0800 | 3 << 5);
    // Alpha stays as it was: no stencil test.
    assert_eq!(masked(1, 0x8000), 0x8000 | (0x1e << 10) | 1 << 5);
    assert_eq!(masked(2, 0xa000), 0xaf00);
}

#[test]
fn stencil_values_are_written_where_a_test_fails() {
    // Never; on failure invert.
    let rig = Rig::new(&[STENCIL, 0xdcff_0000, 0xdd00_0003]);
    assert_eq!(rig.over(0x1234_5678, 0xffff_ffff), 0xed34_5678);
    // Always; the depth test never; then replace, unmasked.
    let rig = Rig::new(&[STENCIL, 0xdc0f_9901, 0xdd00_0200, DEPTH_TEST, 0xde00_0000]);
    assert_eq!(rig.over(0x1234_5678, 0xffff_ffff), 0x9934_5678);
    // Protected bits.
    let rig = Rig::new(&[STENCIL, 0xdcff_0000, 0xdd00_0003, 0xe900_000f]);
    assert_eq!(rig.over(0x1234_5678, 0xffff_ffff), 0xe234_5678);
    // Without a stencil test a failed depth test writes nothing.
    assert_eq!(Rig::new(&[DEPTH_TEST, 0xdd00_0200]).over(0x1234_5678, u32::MAX), 0x1234_5678);
}

/// The reference is on the left.
#[test]
fn stencil_compares_masked_values() {
    let passes = |func: u32, stored| {
        let rig = Rig::new(&[STENCIL, 0xdc0f_3500 | func]);
        rig.over(stored, 0xff_ffff) & 0xff_ffff != 0
    };
    let less = [0x1400_0000, 0x1500_0000, 0x1600_0000].map(|stored| passes(4, stored));
    assert_eq!(less, [false, false, true]);
    assert_eq!([0xa500_0000, 0xa600_0000].map(|stored| passes(2, stored)), [true, false]);
}

#[test]
fn stencil_of_5650_is_zero() {
    let rig = Rig::new(&[0xd200_0000, STENCIL, 0xdcff_0002, 0xdd03_0303]);
    assert_eq!(rig.over(0x1234, 0xffff_ffff), 0xffff);
}

#[test]
fn depth_is_stored_where_it_passes() {
    let after = |words: &[u32]| {
        let rig = Rig::new(words);
        rig.poke(VRAM + DEPTH, 100);
        let drawn = [101, 100, 99].map(|z| {
            rig.poke(VRAM, 0);
            rig.draw(&Fragment { z, ..fragment() });
            rig.peek(VRAM) != 0
        });
        (drawn, rig.peek(VRAM + DEPTH))
    };
    assert_eq!(after(&[DEPTH_TEST, 0xde00_0004]), ([false, false, true], 99));
    assert_eq!(after(&[DEPTH_TEST, 0xde00_0005]), ([false, true, true], 99));
    assert_eq!(after(&[DEPTH_TEST, 0xde00_0006]), ([true, false, false], 101));
    assert_eq!(after(&[DEPTH_TEST, 0xde00_0001, 0xe700_0001]), ([true, true, true], 100));
    assert_eq!(after(&[0xde00_0001]), ([true, true, true], 100));
}

#[test]
fn depth_lies_in_its_mirror() {
    let mut rig = Rig::new(&[DEPTH_TEST, 0xde00_0001]);
    rig.maps = Default::default();
    rig.draw(&Fragment { x: 40, y: 3, z: 0xabcd, ..fragment() });
    let at = rig.maps.resolve(0x0460_0000 + DEPTH + 2 * (3 * 512 + 40));
    assert_eq!(rig.peek(at) & 0xffff, 0xabcd);
    assert_ne!(at, VRAM + DEPTH + 2 * (3 * 512 + 40));
}

#[test]
fn the_depth_range_is_not_for_through_mode() {
    let mut rig = Rig::new(&[0xd600_0010, 0xd700_0020]);
    let drawn = |rig: &Rig| {
        [0x0f, 0x10, 0x20, 0x21].map(|z| {
            rig.poke(VRAM, 0);
            rig.draw(&Fragment { z, ..fragment() });
            rig.peek(VRAM) != 0
        })
    };
    assert_eq!(drawn(&rig), [false, true, true, false]);
    rig.set(&[0xd300_0101]);
    assert_eq!(drawn(&rig), [false, true, true, false]);
    rig.set(&[0x1280_0000]);
    assert_eq!(drawn(&rig), [true; 4]);
}

/// Each bit of clear mode writes its own, through masks and dithering, and no test counts.
#[test]
fn clear_mode() {
    let tests = [STENCIL, DEPTH_TEST, BLEND, 0x2200_0001, 0x2700_0001, 0x2800_0001, 0x1e00_0001, 0xe700_0001];
    let cleared = |bits: u32, words: &[u32]| {
        let mut rig = Rig::new(&tests);
        rig.set(&[0xd300_0001 | bits << 8]);
        rig.set(words);
        rig.poke(VRAM + DEPTH, 7);
        rig.poke(VRAM, 0x1122_3344);
        rig.draw(&Fragment { z: 9, colour: [1, 2, 3, 4], secondary: [9; 4], ..fragment() });
        (rig.peek(VRAM), rig.peek(VRAM + DEPTH))
    };
    let all = [0, 1, 2, 4, 7].map(|bits| cleared(bits, &[]));
    let expected = [(0x1122_3344, 7), (0x1103_0201, 7), (0x0422_3344, 7), (0x1122_3344, 9), (0x0403_0201, 9)];
    assert_eq!(all, expected);
    assert_eq!(cleared(3, &[DITHER, 0xe200_000e, 0xe8ff_0000, 0xe900_00f0]).0, 0x1422_0000);
}

#[test]
fn logic_operations_come_after_dithering() {
    let rig = Rig::new(&[0x2800_0001, 0xe600_0006, DITHER, 0xe200_0003, STENCIL, 0xdcff_0001]);
    assert_eq!(rig.over(0x770f_0f0f, 0x1020_304f), 0x772c_3c5d);
    let rig = Rig::new(&[0xd200_0001, 0x2800_0001, 0xe600_000a]);
    assert_eq!(rig.over(0x9234, 0xffff_ffff), 0x8000 | !0x1234 & 0x7fff);
}

#[test]
fn fog_comes_before_the_colour_test() {
    let fog = [0x1f00_0001, 0xcf00_00ff, 0x2700_0001, 0xd800_0002, 0xd900_00ff, 0xdaff_ffff];
    let mut rig = Rig::new(&fog);
    rig.draw(&Fragment { colour: [1, 2, 3, 4], fog: 0, ..fragment() });
    assert_eq!(rig.peek(VRAM), 0xff);
    rig.set(&[0x1280_0000]);
    rig.poke(VRAM, 0);
    rig.draw(&Fragment { colour: [1, 2, 3, 4], fog: 0, ..fragment() });
    assert_eq!(rig.peek(VRAM), 0);
    rig.is_immediate = true;
    rig.draw(&Fragment { colour: [1, 2, 3, 4], fog: 0, ..fragment() });
    assert_eq!(rig.peek(VRAM), 0xff);
}

/// White, black, red, green, in through mode, clamped.
fn filtered(filter: u32) -> Rig {
    let words = [0x1280_0000, 0x1e00_0001, 0xa018_0000, 0xa804_0004, 0xb800_0101, 0xc300_0003, 0xc700_0101];
    let mut rig = Rig::new(&words);
    rig.set(&[0xc900_0003, 0xc600_0000 | filter]);
    for (at, texel) in [(0, 0xff_ffff), (4, 0), (16, 0xff), (20, 0xff00)] {
        rig.poke(VRAM + 0x18_0000 + at, texel);
    }
    rig
}

/// A sprite of 2 x 2 texels between two corners, in sixteenths, and the colours of 500 pixels along an axis.
fn sprite(rig: &Rig, from: [i32; 2], to: [i32; 2], along: [u32; 2]) -> Vec<u32> {
    let corner = |[x, y]: [i32; 2], texel| {
        let texture = [texel, texel, 1.0];
        Corner { texture, w: 1.0, x, y, z: 0, colour: u32::MAX, secondary: 0, fog: 255 }
    };
    let [a, b] = [corner(from, 0.0), corner(to, 2.0)];
    rig.draw_all(&[Primitive { corners: [a, b, b], shape: Shape::Rectangle, reserved: 0 }]);
    (0..500).map(|n| rig.peek(VRAM + 4 * (n * along[0] + 512 * n * along[1])) & 0xff_ffff).collect()
}

/// The first pixel and where its neighbours differ, with their colour there: downward and to the right.
fn changes(rig: &Rig, from: [i32; 2], to: [i32; 2]) -> (u32, [(usize, u32); 2]) {
    let first = |colours: &[u32]| {
        let at = colours.iter().position(|&colour| colour != colours[0]).unwrap_or(0);
        (at, colours[at])
    };
    let axes = [[0, 1], [1, 0]].map(|along| sprite(rig, from, to, along));
    (axes[0][0], [first(&axes[0]), first(&axes[1])])
}

/// The table of 14.6.
#[test]
fn linear_filters_as_measured() {
    let rig = filtered(0x101);
    let all = |size: i32| {
        let side = 16 * size;
        let corners =
            [([0, 0], [side, side]), ([side, side], [0, 0]), ([side, 0], [0, side]), ([0, side], [side, 0])];
        corners.map(|(from, to)| changes(&rig, from, to))
    };
    let expected = [
        (0xff_ffff, [(72, 0xef_efff), (72, 0xef_efef)]),
        (0x00_ff00, [(64, 0x00_ef00), (64, 0x00_ef0f)]),
        (0x00_00ff, [(72, 0x00_0fef), (64, 0x0f_0fff)]),
        (0x00_0000, [(64, 0x0f_0f0f), (72, 0x00_0f00)]),
    ];
    assert_eq!(all(256), expected);
    let moved = |k: i32| changes(&rig, [-k, 0], [512 * 16 - k, 512 * 16]);
    assert_eq!(moved(0), (0xff_ffff, [(144, 0xef_efff), (144, 0xef_efef)]));
    assert!((8..16).all(|k| moved(k) == (0xff_ffff, [(144, 0xef_efff), (143, 0xef_efef)])));
}

#[test]
fn sixteenths_of_texels_as_measured() {
    let rig = filtered(0x101);
    for k in 1..16_u32 {
        let left = -k.cast_signed();
        let colour = sprite(&rig, [left, 0], [32 + left, 32], [1, 0])[0];
        assert_eq!(colour, 0xff_ffff - 0x10_1010 * k, "{k}");
    }
}

#[test]
fn nearest_texels_as_measured() {
    let rig = filtered(0);
    let moved = |size: i32, k: i32| {
        let (_, [(down, _), (right, _)]) = changes(&rig, [-k, 0], [16 * size - k, 16 * size]);
        (down, right)
    };
    assert_eq!([moved(256, 0), moved(512, 0)], [(128, 128), (256, 256)]);
    assert!((0..16).all(|k| moved(512, k) == (256, if k < 8 { 256 } else { 255 })));
}

/// Whatever registers hold, nothing is read or written out of bounds and nothing overflows.
#[test]
fn random_states() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || picaflor_pipeline::random::word(&mut state);
    let mut rig = Rig::new(&[]);
    for n in 0..4000_u32 {
        for register in 0..=255 {
            rig.set(&[register << 24 | random() & 0xff_ffff]);
        }
        rig.set(&[0xd600_0000, 0xd700_ffff, 0x2200_0000, 0x2700_0000, 0x2400_0000, 0x2300_0000]);
        rig.set(&[0x1e00_0001, 0xd300_0000 | u32::from(n % 8 == 7)]);
        let mut number = || f64::from(f32::from_bits(random()));
        let [u, v] = [number(), number()];
        let [x, y, z, colour] = [random(), random(), random() & 0xffff, random()];
        let colour = colour.to_le_bytes();
        let [x, y] = [x, y].map(|c| c.cast_signed() >> 16);
        rig.draw(&Fragment { x, y, z: z.cast_signed(), colour, secondary: colour, fog: colour[0], u, v });
    }
}

/// Where depth lies in the same bytes, a colour that stays as it was does not put back what was there before.
#[test]
fn colours_that_stay_leave_depth_alone() {
    let depth_always = [DEPTH_TEST, 0xde00_0001];
    // Clear mode for depth alone; the logic operation that does nothing; a mask that keeps everything.
    for words in [&[0xd300_0401][..], &[0x2800_0001, 0xe600_0005], &[0xe8ff_ffff, 0xe900_00ff]] {
        let rig = Rig::new(&[&[0x9e00_0000][..], &depth_always, words].concat());
        rig.poke(VRAM, 0x1111_2222);
        rig.draw(&Fragment { z: 0x1234, ..fragment() });
        assert_eq!(rig.peek(VRAM), 0x1111_1234, "{words:x?}");
    }
}
