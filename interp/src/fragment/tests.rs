//! Triangles into memory, through all stages: the rows of pica-fragment.md 10.4 that need a target, and the
//! order of 1.4.

use super::*;
use crate::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, read_bytes, write_bytes};
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::raster::Rect;
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::pica::vertex::SEMANTICS;
use picaflor_pipeline::stage::{FragmentStage, FragmentState};

const COLOUR: u32 = 0x1800_0000;
const DEPTH: u32 = 0x1800_0400;
const SIDE: u32 = 16;

/// Registers, memory and tables of a draw.
struct Scene {
    regs: Registers,
    luts: Luts,
    memory: BlockMemory,
}

impl Scene {
    /// A target of 16x16 pixels, RGBA8 with D24S8, all zero; vertex colours are written as they are.
    fn new() -> Self {
        let mut regs = Registers::new();
        for base in [0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8] {
            regs.set_raw(base, 0x000f_000f);
        }
        let words = [
            (0x04d, 0x00bf_0000),
            (0x06d, 1),
            (0x102, 3),
            (0x107, 0x1f00),
            (0x112, 0xf),
            (0x113, 0xf),
            (0x114, 3),
            (0x115, 3),
            (0x116, 3),
            (0x11c, DEPTH >> 3),
            (0x11d, COLOUR >> 3),
            (0x11e, 1 << 24 | (SIDE - 1) << 12 | SIDE),
            (0x1c6, 1),
        ];
        let mut scene =
            Self { regs, luts: Luts::default(), memory: BlockMemory::zeroed(&[(COLOUR, 0x1000)]) };
        scene.set(&words);
        scene
    }

    fn set(&mut self, words: &[(u16, u32)]) {
        words.iter().for_each(|&(id, word)| self.regs.set_raw(id, word));
    }

    fn with(mut self, words: &[(u16, u32)]) -> Self {
        self.set(words);
        self
    }

    fn state(&self) -> FragmentState<'_> {
        FragmentState { registers: &self.regs, luts: &self.luts, memory: &self.memory }
    }

    fn target(&self) -> Target<'_> {
        Target::new(&self.regs, &self.memory)
    }

    /// Draws triangles in order; returns the number of fragments inside the scissor.
    fn draw(&self, triangles: &[Triangle]) -> u64 {
        let order: Vec<u32> = (0..triangles.len() as u32).collect();
        self.draw_tile(triangles, &order, Rect { x0: 0, y0: 0, x1: 16, y1: 16 })
    }

    fn draw_tile(&self, triangles: &[Triangle], order: &[u32], tile: Rect) -> u64 {
        let (state, target) = (self.state(), self.target());
        let routine = Interpreter::new().fragment_routine(&state);
        routine.run(&TileBatch { state, triangles, order, tile, target: &target })
    }

    /// Draws over the whole target.
    fn cover(&self, colour: [u8; 4], depth: f32) -> u64 {
        self.draw(&[covering(colour, depth)])
    }

    fn colour(&self, x: u32, y: u32) -> [u8; 4] {
        self.target().colour(x, y)
    }

    /// Depth and stencil of the pixel in the corner.
    fn depth_stencil(&self) -> (u32, u8) {
        (self.target().depth(0, 0), self.target().stencil(0, 0))
    }

    fn clear(&self, colour: [u8; 4], depth: u32, stencil: u8) {
        for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
            self.target().set_colour(x, y, colour);
            self.target().set_depth(x, y, depth);
            self.target().set_stencil(x, y, stencil);
        }
    }

    fn bytes(&self) -> Vec<u8> {
        self.memory.blocks()[0].as_slice().to_vec()
    }
}

/// A triangle over the whole target in one colour at one depth.
fn covering(colour: [u8; 4], depth: f32) -> Triangle {
    let mut vertex = [0.0; SEMANTICS];
    for (c, value) in colour.into_iter().enumerate() {
        vertex[8 + c] = f32::from(value) / 255.0;
    }
    Triangle {
        x: [0, 16 * 32, 0],
        y: [0, 0, 16 * 32],
        z: [-depth; 3],
        r: [1.0; 3],
        p: [vertex; 3],
        flat_colour: None,
    }
}

const ORANGE: [u8; 4] = [255, 128, 7, 200];

#[test]
fn div255r_is_the_nearest_integer() {
    for p in 0..=2 * 255 * 255_u32 {
        assert!((div255r(p) * 255).abs_diff(p) <= 127, "{p}");
    }
}

#[test]
fn div255r_against_the_shift_form() {
    let shift_form = |p: u32| (p + 128 + (p + 128 >> 8)) >> 8;
    assert!((0..=65662).all(|p| shift_form(p) == div255r(p)));
    assert_eq!((65663..=130_050).filter(|&p| shift_form(p) != div255r(p)).count(), 253);
}

#[test]
fn depth_quantisation() {
    assert_eq!((quant(0.5, 16), quant(0.5, 24)), (32767, 8_388_607));
    assert_eq!(quant(0.1, 24), 1_677_721);
    assert_eq!(quant(f32::from_bits(0x3f00_0080), 16), 32768);
    assert_eq!((quant(1.0, 16), quant(1.0, 24), quant(0.0, 24)), (0xffff, 0xff_ffff, 0));
}

#[test]
fn colour_bytes_round_and_saturate() {
    let bytes = [0.0, 0.5, 1.0, 2.0, -1.0, 0.1, f32::NAN, f32::INFINITY, -f32::INFINITY].map(colour_byte);
    assert_eq!(bytes, [0, 128, 255, 255, 0, 26, 0, 255, 0]);
}

#[test]
fn vertex_colour_to_every_pixel() {
    let scene = Scene::new();
    assert_eq!(scene.cover(ORANGE, 0.5), 256);
    assert!((0..256).all(|n| scene.colour(n % 16, n / 16) == ORANGE));
    assert_eq!(scene.depth_stencil(), (8_388_607, 0));
    // RGBA8 lies as A B G R.
    assert_eq!(read_bytes(&scene.memory, COLOUR), [200, 7, 128, 255]);
}

#[test]
fn colours_run_from_vertex_to_vertex() {
    let scene = Scene::new();
    let mut triangle = covering([0, 0, 0, 255], 0.0);
    triangle.p[1][8] = 1.0;
    // Pixel centres at 8.5 and 0.5 of 32.
    scene.draw(&[triangle.clone()]);
    assert_eq!((scene.colour(8, 0)[0], scene.colour(0, 8)[0]), (68, 4));
    // In perspective, with w 1, 4, 1: r and p shrink together, and the far vertex counts less.
    triangle.r[1] = 0.25;
    triangle.p[1] = triangle.p[1].map(|v| v * 0.25);
    scene.draw(&[triangle]);
    assert_eq!(scene.colour(8, 0)[0], 21);
}

#[test]
fn flat_colour() {
    let scene = Scene::new();
    scene.draw(&[Triangle { flat_colour: Some([0.0, 1.0, 0.0, 1.0]), ..covering(ORANGE, 0.0) }]);
    assert_eq!(scene.colour(3, 3), [0, 255, 0, 255]);
}

#[test]
fn order_of_submission() {
    let scene = Scene::new();
    let triangles = [covering(ORANGE, 0.0), covering([1, 2, 3, 4], 0.0)];
    let tile = Rect { x0: 8, y0: 0, x1: 16, y1: 8 };
    assert_eq!(scene.draw_tile(&triangles, &[1, 0, 7], tile), 128);
    assert_eq!((scene.colour(8, 0), scene.colour(7, 0), scene.colour(8, 8)), (ORANGE, [0; 4], [0; 4]));
    scene.draw_tile(&triangles, &[0, 1], tile);
    assert_eq!(scene.colour(8, 0), [1, 2, 3, 4]);
}

#[test]
fn scissor_x1_10_x2_10_keeps_column_10() {
    let scene = Scene::new().with(&[(0x065, 3), (0x066, 10), (0x067, 0x03ff_000a)]);
    assert_eq!(scene.cover(ORANGE, 0.0), 16);
    assert!((0..256).all(|n| (scene.colour(n % 16, n / 16) == ORANGE) == (n % 16 == 10)));
}

#[test]
fn scissor_exclude_and_off() {
    let scene = Scene::new().with(&[(0x065, 1), (0x066, 0x0002_0003), (0x067, 0x0002_0004)]);
    assert_eq!(scene.cover(ORANGE, 0.0), 254);
    assert_eq!([2, 3, 4, 5].map(|x| scene.colour(x, 2)), [ORANGE, [0; 4], [0; 4], ORANGE]);
    for mode in [0, 2] {
        assert_eq!(Scene::new().with(&[(0x065, mode)]).cover(ORANGE, 0.0), 256);
    }
}

#[test]
fn colour_operation_bit_25_changes_nothing() {
    for mode in [0, 1, 3] {
        let scene = Scene::new().with(&[(0x100, 1 << 25 | mode), (0x105, 0xffff_ff11), (0x106, 0x222)]);
        scene.clear([1, 2, 3, 4], 0xff_ffff, 9);
        let before = scene.bytes();
        assert_eq!(scene.cover(ORANGE, 0.5), 256);
        assert_eq!(scene.bytes(), before);
    }
}

#[test]
fn colour_operation_bit_24_skips_odd_lines() {
    let scene = Scene::new().with(&[(0x100, 1 << 24)]);
    scene.cover(ORANGE, 0.5);
    assert!((0..16).all(|y| (scene.colour(5, y) == ORANGE) == (y % 2 == 0)));
    assert_eq!((scene.target().depth(0, 0), scene.target().depth(0, 1)), (8_388_607, 0));
}

#[test]
fn depth_test_off_depth_write_on() {
    let scene = Scene::new();
    scene.clear([0; 4], 0, 0);
    scene.cover(ORANGE, 1.0);
    assert_eq!(scene.depth_stencil(), (0xff_ffff, 0));
}

#[test]
fn depth_test_less() {
    let scene = Scene::new().with(&[(0x107, 0x1f41)]);
    scene.clear([0; 4], 8_388_607, 0);
    scene.cover(ORANGE, 0.5);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), ([0; 4], 8_388_607));
    scene.cover(ORANGE, 0.25);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), (ORANGE, 4_194_303));
    // Without bit 12 the test runs and the buffer stays.
    let scene = scene.with(&[(0x107, 0x0f41)]);
    scene.cover([9; 4], 0.125);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), ([9; 4], 4_194_303));
}

#[test]
fn depth_functions_at_16_bits() {
    let below = f32::from_bits(0x3eff_0000);
    for (func, expected) in [
        (0, [false, false, false]),
        (1, [true, true, true]),
        (2, [false, true, false]),
        (3, [true, false, true]),
        (4, [true, false, false]),
        (5, [true, true, false]),
        (6, [false, false, true]),
        (7, [false, true, true]),
    ] {
        let drawn = [below, 0.5, 0.75].map(|depth| {
            let scene = Scene::new().with(&[(0x107, 0x0f01 | func << 4), (0x116, 0)]);
            scene.clear([0; 4], 32767, 0);
            scene.cover(ORANGE, depth);
            scene.colour(0, 0) == ORANGE
        });
        assert_eq!(drawn, expected, "{func}");
    }
}

#[test]
fn depth_read_off_with_less_draws_nothing() {
    for stored in [0, 1, 0xff_ffff] {
        let scene = Scene::new().with(&[(0x107, 0x1f41), (0x114, 0)]);
        scene.clear([1, 2, 3, 4], stored, 0);
        let before = scene.bytes();
        scene.cover(ORANGE, 0.0);
        assert_eq!(scene.bytes(), before);
    }
}

#[test]
fn allow_registers_1_and_f_are_the_same() {
    let drawn = |values: [u32; 4]| {
        let scene = Scene::new().with(&[(0x100, 0x100), (0x101, 0x7676_0000), (0x107, 0x1f41)]);
        let scene = scene.with(&[(0x105, 0xff01_ff11), (0x106, 0x333)]);
        scene.clear([50, 60, 70, 80], 0xff_ffff, 5);
        let scene = scene.with(&[0x112, 0x113, 0x114, 0x115].map(|id| (id, values[usize::from(id) - 0x112])));
        scene.cover(ORANGE, 0.5);
        scene.bytes()
    };
    let all = drawn([0xf, 0xf, 3, 3]);
    for values in [[1; 4], [2, 8, 2, 2], [0xf, 0xf, 1, 2], [0xff; 4]] {
        assert_eq!(drawn(values), all, "{values:?}");
    }
    assert_ne!(drawn([0, 0xf, 3, 3]), all);
    // Bits past the fields do not count.
    assert_eq!(drawn([0x10, 0xf, 4, 3]), drawn([0, 0xf, 0, 3]));
}

#[test]
fn colour_write_off() {
    let scene = Scene::new().with(&[(0x113, 0)]);
    scene.cover(ORANGE, 0.5);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), ([0; 4], 8_388_607));
}

#[test]
fn depth_write_off_stops_depth_and_stencil_but_no_test() {
    let scene = Scene::new().with(&[(0x115, 0), (0x107, 0x1f41), (0x105, 0xff01_ff11), (0x106, 0x222)]);
    scene.clear([0; 4], 8_388_607, 5);
    scene.cover(ORANGE, 0.75);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil()), ([0; 4], (8_388_607, 5)));
    scene.cover(ORANGE, 0.25);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil()), (ORANGE, (8_388_607, 5)));
}

#[test]
fn colour_read_off_gives_zero_to_blending_and_keeps_masked_channels() {
    // Source + destination, green masked off.
    let scene = Scene::new().with(&[(0x100, 0x100), (0x101, 0x1111_0000), (0x107, 0x0d00), (0x112, 0)]);
    scene.clear([50, 60, 70, 80], 0, 0);
    scene.cover([1, 2, 3, 4], 0.0);
    assert_eq!(scene.colour(0, 0), [1, 60, 3, 4]);
    // Exclusive or with 0.
    let scene = scene.with(&[(0x100, 0), (0x102, 11)]);
    scene.cover([9, 9, 9, 9], 0.0);
    assert_eq!(scene.colour(0, 0), [9, 60, 9, 9]);
}

#[test]
fn colour_mask_keeps_stored_bits() {
    for mask in 0..16_u32 {
        let scene = Scene::new().with(&[(0x107, mask << 8), (0x117, 3 << 16)]);
        write_bytes(&scene.memory, COLOUR, &[0x5a, 0xa7]);
        scene.cover([255; 4], 0.0);
        let bits = [0xf800, 0x07e0, 0x001f, 0];
        let ones: u16 = (0..4).filter(|c| mask >> c & 1 == 1).map(|c| bits[c]).sum();
        assert_eq!(u16::from_le_bytes(read_bytes(&scene.memory, COLOUR)), 0xa75a | ones, "{mask:#x}");
    }
}

#[test]
fn colour_formats_truncate() {
    let word = |format: u32, colour| {
        let scene = Scene::new().with(&[(0x117, format << 16)]);
        scene.cover(colour, 0.0);
        u16::from_le_bytes(read_bytes(&scene.memory, COLOUR))
    };
    assert_eq!(word(3, [255, 128, 7, 0]), 0xfc00);
    assert_eq!(word(2, [200, 100, 50, 127]), 0xcb0c);
    assert_eq!(word(4, [0xab, 0xcd, 0xef, 0x12]), 0xace1);
}

#[test]
fn unknown_colour_formats_have_no_colour_write() {
    for format in 5..8 {
        let scene = Scene::new().with(&[(0x117, format << 16 | 2)]);
        scene.cover(ORANGE, 0.5);
        assert!(scene.bytes()[..0x400].iter().all(|&byte| byte == 0));
        assert_eq!(scene.depth_stencil().0, 8_388_607);
    }
}

#[test]
fn blending_in_the_target() {
    let scene = Scene::new().with(&[(0x100, 0x100), (0x101, 0x7676_0000)]);
    scene.clear([50, 50, 50, 255], 0, 0);
    scene.cover([200, 0, 255, 128], 0.0);
    assert_eq!(scene.colour(0, 0), [125, 25, 153, 191]);
}

/// Reference 0x0f, all bits; increments on pass, decrements on a depth fail, inverts on a stencil fail.
fn stencil_scene(func: u32) -> Scene {
    Scene::new().with(&[(0x105, 0xff0f_ff01 | func << 4), (0x106, 0x345), (0x107, 0x1f41)])
}

#[test]
fn stencil_operation_of_each_outcome() {
    let outcome = |stored, depth| {
        let scene = stencil_scene(2);
        scene.clear([0; 4], 8_388_607, stored);
        scene.cover(ORANGE, depth);
        (scene.depth_stencil(), scene.colour(0, 0) == ORANGE)
    };
    assert_eq!(outcome(0x0e, 0.25), ((8_388_607, 0xf1), false), "stencil fail");
    assert_eq!(outcome(0x0f, 0.75), ((8_388_607, 0x0e), false), "depth fail");
    assert_eq!(outcome(0x0f, 0.25), ((4_194_303, 0x10), true), "pass");
}

#[test]
fn stencil_pass_without_depth_test() {
    let scene = stencil_scene(1).with(&[(0x107, 0x0f40)]);
    scene.clear([0; 4], 0, 7);
    scene.cover(ORANGE, 0.5);
    assert_eq!(scene.depth_stencil(), (0, 8));
}

#[test]
fn stencil_replace_is_unmasked_but_written_by_mask() {
    let scene = Scene::new().with(&[(0x105, 0x00a5_3c11), (0x106, 0x222)]);
    scene.clear([0; 4], 0, 0xff);
    scene.cover(ORANGE, 0.5);
    assert_eq!(scene.depth_stencil().1, 0xa5 & 0x3c | 0xc3);
}

#[test]
fn stencil_needs_its_format() {
    for format in 0..3 {
        let scene = stencil_scene(0).with(&[(0x116, format), (0x107, 0x1f00)]);
        scene.cover(ORANGE, 1.0);
        assert_eq!(scene.colour(0, 0), ORANGE, "{format}");
        assert_eq!(scene.target().depth(0, 0), if format == 2 { 0xff_ffff } else { 0xffff });
    }
}

#[test]
fn stencil_read_off() {
    // Seen as 0: EQUAL with reference 0 passes, increment gives 1; bits masked off keep what memory holds.
    let scene = Scene::new().with(&[(0x105, 0xff00_0f21), (0x106, 0x300), (0x114, 0)]);
    scene.clear([0; 4], 0, 0xa5);
    scene.cover(ORANGE, 0.5);
    assert_eq!((scene.depth_stencil().1, scene.colour(0, 0)), (0xa1, ORANGE));
}

#[test]
fn alpha_fail_runs_no_stencil_operation() {
    let scene = stencil_scene(0).with(&[(0x104, 201 << 8 | 0x71)]);
    scene.clear([0; 4], 0, 9);
    let before = scene.bytes();
    scene.cover(ORANGE, 0.5);
    assert_eq!(scene.bytes(), before);
    let scene = scene.with(&[(0x104, 200 << 8 | 0x71)]);
    scene.cover(ORANGE, 0.5);
    assert_eq!(scene.depth_stencil().1, !9);
}

#[test]
fn fog_changes_rgb_before_blending() {
    let mut scene = Scene::new().with(&[(0x0e0, 5), (0x0e1, 0xff_0000), (0x104, 200 << 8 | 0x21)]);
    scene.luts.fog.fill(1024 << 13);
    scene.cover([200, 100, 0, 200], 0.5);
    assert_eq!(scene.colour(0, 0), [100, 50, 127, 200]);
}

/// Shadow mode with C = 1, K = -0.5, cleared to ones, and everything set that it does not look at.
fn shadow_scene() -> Scene {
    let scene = Scene::new().with(&[
        (0x100, 3),
        (0x130, 0xb800_3c00),
        (0x104, 1),
        (0x105, 0xffff_ff01),
        (0x106, 0x555),
        (0x107, 1),
        (0x117, 3 << 16),
        (0x0e0, 7),
    ]);
    write_bytes(&scene.memory, COLOUR, &[0xff; 0x400]);
    scene
}

#[test]
fn shadow_write_depth_25_occluder() {
    let scene = shadow_scene();
    assert_eq!(scene.cover([9, 0, 9, 9], 0.25), 256);
    assert_eq!(read_bytes(&scene.memory, COLOUR), [0x3f, 0xff, 0xff, 255]);
    assert!(scene.bytes()[0x400..].iter().all(|&byte| byte == 0), "the depth buffer is not used");
}

#[test]
fn shadow_write_depth_25_penumbra() {
    let scene = shadow_scene();
    scene.cover([9, 128, 9, 9], 0.25);
    assert_eq!(read_bytes(&scene.memory, COLOUR), [0xff, 0xff, 0xff, 146]);
}

#[test]
fn shadow_needs_colour_access() {
    for id in [0x112, 0x113] {
        let scene = shadow_scene().with(&[(id, 0)]);
        let before = scene.bytes();
        scene.cover([0; 4], 0.25);
        assert_eq!(scene.bytes(), before, "{id:#x}");
    }
}

#[test]
fn gas_accumulation_writes_nothing() {
    let scene = Scene::new().with(&[(0x100, 1), (0x105, 0xffff_ff11), (0x106, 0x222)]);
    let before = scene.bytes();
    assert_eq!(scene.cover(ORANGE, 0.5), 256);
    assert_eq!(scene.bytes(), before);
}

#[test]
fn gas_rendering_tests_the_combiners_alpha_and_draws_zeros() {
    let drawn = |reference: u32| {
        let scene = Scene::new().with(&[(0x0e0, 7), (0x104, reference << 8 | 0x71)]);
        scene.clear([1, 2, 3, 4], 0, 0);
        scene.cover(ORANGE, 0.5);
        (scene.colour(0, 0), scene.depth_stencil().0)
    };
    assert_eq!((drawn(200), drawn(201)), (([0; 4], 8_388_607), ([1, 2, 3, 4], 0)));
}

#[test]
fn unknown_mode_2_is_normal() {
    let scene = Scene::new().with(&[(0x100, 2)]);
    scene.cover(ORANGE, 0.5);
    assert_eq!((scene.colour(0, 0), scene.depth_stencil().0), (ORANGE, 8_388_607));
}

/// A w-buffer multiplies the mapped depth by w.
#[test]
fn depth_of_a_w_buffer() {
    let scene = Scene::new().with(&[(0x06d, 0)]);
    scene.draw(&[Triangle { r: [2.0; 3], ..covering(ORANGE, 0.5) }]);
    assert_eq!(scene.depth_stencil().0, 4_194_303);
}

struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// Any bits, small numbers, or special ones.
    fn float(&mut self) -> f32 {
        match self.word() % 4 {
            0 => f32::from_bits(self.word()),
            1 => [0.0, -0.0, f32::NAN, f32::INFINITY, -f32::INFINITY][self.word() as usize % 5],
            _ => self.word() as i32 as f32 / 1e9,
        }
    }

    fn triangle(&mut self) -> Triangle {
        let mut side = || (self.word() % 1024) as i32 - 256;
        let (x, y) = ([side(), side(), side()], [side(), side(), side()]);
        let mut floats = || [self.float(), self.float(), self.float()];
        let (z, r) = (floats(), floats());
        let p = std::array::from_fn(|_| std::array::from_fn(|_| self.float()));
        Triangle { x, y, z, r, p, flat_colour: (self.word() % 8 == 0).then(|| [self.float(); 4]) }
    }

    /// All registers and tables, with the target mostly where memory is.
    fn scene(&mut self) -> Scene {
        let mut scene = Scene::new();
        for id in 0x040..0x200 {
            let word = self.word();
            if self.word() % 3 != 0 {
                scene.regs.set_raw(id, word);
            }
        }
        scene.regs.set_raw(0x065, scene.regs.raw(0x065) & !2);
        scene.regs.set_raw(0x100, scene.regs.raw(0x100) & !(3 << 24));
        if self.word() % 4 != 0 {
            let dim = self.word() % 2 << 24 | (SIDE - 1) << 12 | SIDE;
            scene.set(&[(0x11c, DEPTH >> 3), (0x11d, COLOUR >> 3), (0x11e, dim)]);
        }
        let bytes: Vec<u8> = (0..0x1000).map(|_| self.word() as u8).collect();
        write_bytes(&scene.memory, COLOUR, &bytes);
        scene.luts.fog.iter_mut().for_each(|entry| *entry = self.word());
        scene.luts.lighting.iter_mut().flatten().for_each(|entry| *entry = self.word());
        scene
    }
}

/// Whatever the registers hold and the vertices bring, fragments are drawn twice alike and nothing panics.
#[test]
fn random_registers_never_panic() {
    let mut random = Random(1);
    let mut changed = 0;
    for case in 0..400 {
        let scene = random.scene();
        let triangles: Vec<_> = (0..4).map(|_| random.triangle()).collect();
        let (before, target) = (scene.bytes(), scene.target());
        let side = |length: u32| length.min(SIDE) as i32;
        let tile = Rect { x0: 0, y0: 0, x1: side(target.width()), y1: side(target.height()) };
        let drawn = scene.draw_tile(&triangles, &[0, 1, 2, 3, 3, 4], tile);
        let after = scene.bytes();
        changed += u32::from(after != before);
        write_bytes(&scene.memory, COLOUR, &before);
        assert_eq!(scene.draw_tile(&triangles, &[0, 1, 2, 3, 3, 4], tile), drawn, "case {case}");
        assert_eq!(scene.bytes(), after, "case {case}");
    }
    assert!(changed > 100, "{changed} cases wrote something");
}
