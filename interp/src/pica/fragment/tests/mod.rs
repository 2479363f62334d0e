//! Triangles into memory, through all stages: a target to draw to, the arithmetic that stages share, and
//! everything up to the output merger.

mod output;
mod random;

use super::*;
use crate::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, read_bytes, write_bytes};
use picaflor_pipeline::pica::lut::Luts;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::{FragmentStage, FragmentState};
use picaflor_pipeline::pica::surface::Target;
use picaflor_pipeline::pica::vertex::SEMANTICS;
use picaflor_pipeline::rect::Rect;

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

    fn surface(&self) -> Surface<'_> {
        Surface::new(&self.regs, &self.memory)
    }

    /// Draws triangles in order; returns the number of fragments inside the scissor.
    fn draw(&self, triangles: &[Triangle]) -> u64 {
        let order: Vec<u32> = (0..triangles.len() as u32).collect();
        self.draw_tile(triangles, &order, Rect { x0: 0, y0: 0, x1: 16, y1: 16 })
    }

    fn draw_tile(&self, triangles: &[Triangle], order: &[u32], tile: Rect) -> u64 {
        let (state, target) = (self.state(), Target::new(&self.regs, &self.memory));
        let routine = Interpreter::new().fragment_routine(&state);
        routine.run(&TileBatch { state, triangles: &triangles.into(), order, tile, target: &target })
    }

    /// Draws over the whole target.
    fn cover(&self, colour: [u8; 4], depth: f32) -> u64 {
        self.draw(&[covering(colour, depth)])
    }

    fn colour(&self, x: u32, y: u32) -> [u8; 4] {
        self.surface().colour(x, y)
    }

    /// Depth and stencil of the pixel in the corner.
    fn depth_stencil(&self) -> (u32, u8) {
        (self.surface().depth(0, 0), self.surface().stencil(0, 0))
    }

    fn clear(&self, colour: [u8; 4], depth: u32, stencil: u8) {
        for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
            self.surface().set_colour(x, y, colour);
            self.surface().set_depth(x, y, depth);
            self.surface().set_stencil(x, y, stencil);
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
#[cfg_attr(miri, ignore = "too slow")]
fn div255r_is_the_nearest_integer() {
    for p in 0..=2 * 255 * 255_u32 {
        assert!((div255r(p) * 255).abs_diff(p) <= 127, "{p}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn div255r_against_the_shift_form() {
    let shift_form = |p: u32| (p + 128 + ((p + 128) >> 8)) >> 8;
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
        assert_eq!(scene.cover(ORANGE, 0.5), 0);
        assert_eq!(scene.bytes(), before);
    }
}

#[test]
fn colour_operation_bit_24_skips_odd_lines() {
    let scene = Scene::new().with(&[(0x100, 1 << 24)]);
    scene.cover(ORANGE, 0.5);
    assert!((0..16).all(|y| (scene.colour(5, y) == ORANGE) == (y % 2 == 0)));
    assert_eq!((scene.surface().depth(0, 0), scene.surface().depth(0, 1)), (8_388_607, 0));
}

/// A texture of 8x8 texels RGBA8, each of one colour, in unit 0, 1 or 2 (registers of the unit from `base`).
fn texture(scene: &mut Scene, base: u16, format: u16, address: u32, texel: [u8; 4]) {
    write_bytes(&scene.memory, address, &texel.repeat(64));
    scene.set(&[(base + 1, 8 << 16 | 8), (format, 0)]);
    let at = if base == 0x081 { 0x085 } else { base + 4 };
    scene.set(&[(at, address >> 3)]);
}

#[test]
fn textures_reach_the_combiners() {
    let mut scene = Scene::new().with(&[(0x080, 7), (0x0c0, 0x0543_0543), (0x0c2, 0x0008_0008)]);
    texture(&mut scene, 0x081, 0x08e, 0x1800_0800, [100, 120, 130, 140]);
    texture(&mut scene, 0x091, 0x096, 0x1800_0900, [255; 4]);
    texture(&mut scene, 0x099, 0x09e, 0x1800_0a00, [4, 3, 2, 1]);
    scene.cover(ORANGE, 0.0);
    // Texels lie as A B G R: unit 0 times unit 1 plus unit 2.
    assert_eq!(scene.colour(0, 0), [141, 132, 123, 104]);
    // A unit that is off gives zeros.
    let scene = scene.with(&[(0x080, 6)]);
    scene.cover(ORANGE, 0.0);
    assert_eq!(scene.colour(0, 0), [1, 2, 3, 4]);
}

#[test]
fn lighting_reaches_the_combiners() {
    // Ambient light alone, and the combiners add the primary and the secondary colour.
    let scene = Scene::new().with(&[(0x1c6, 0), (0x1c0, 30 << 20 | 20 << 10 | 10)]);
    let scene = scene.with(&[(0x0c0, 0x0021_0021), (0x0c2, 0x0000_0002)]);
    scene.cover(ORANGE, 0.0);
    assert_eq!(scene.colour(0, 0), [30, 20, 10, 255]);
}
