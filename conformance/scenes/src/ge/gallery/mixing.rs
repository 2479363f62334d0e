//! The end of the pixel path: blending, tests, masks, logic, dithering, clear mode.

use super::super::Scene;
use super::super::draw::shape;
use super::super::kit::{Kit, SCREEN, Target};
use super::super::state::{compare, factor, rgb};
use super::super::texture::{Style, Texture, format};
use super::super::vertices::{Corner, layout};
use super::pictures;
use crate::modelling::math::Real;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, clouds, mix};
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::vram::VRAM;
use std::f32::consts::TAU;

pub(super) const SCENES: &[Scene] = &[
    Scene { name: "blending", about: "Blend equations and factors over a picture", build: blending },
    Scene {
        name: "tests",
        about: "Alpha, colour and depth tests with all their comparisons, scissor, pixel masks and logic operations",
        build: tests,
    },
    Scene {
        name: "dithering",
        about: "A picture in frame buffers of all formats, with and without dithering",
        build: dithering,
    },
    Scene {
        name: "clearing",
        about: "Clear mode with colour, alpha and depth apart, and what is drawn afterwards",
        build: clearing,
    },
];

fn backdrop() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let band = (0.5 + 0.5 * ((x + y) * TAU * 2.0).sine()) * clouds(x, y, 31);
        mix([0.1, 0.25, 0.4, x], [0.95, 0.6, 0.2, x], band * 1.5)
    })
}

/// Two triangles of a smooth colour, alpha rising downward.
fn veil(kit: &mut Kit, [x, y, width, height]: [f32; 4]) {
    let corner = |dx: f32, dy: f32, colour| Corner {
        colour,
        position: [x + dx * width, y + dy * height, 0.0],
        ..Corner::default()
    };
    let corners = [
        corner(0.0, 0.0, [255, 60, 60, 40]),
        corner(1.0, 0.0, [60, 255, 90, 40]),
        corner(0.0, 1.0, [90, 80, 255, 255]),
        corner(1.0, 1.0, [250, 240, 120, 255]),
    ];
    let vertex_type = layout::COLOUR | layout::POSITION16 | layout::THROUGH;
    kit.draw_corners(shape::TRIANGLE_STRIP, vertex_type, &corners);
}

fn blending(kit: &mut Kit) {
    const FACTORS: [(u32, u32); 12] =
        [(2, 3), (2, 10), (0, 3), (1, 0), (0, 10), (10, 1), (4, 5), (5, 4), (6, 7), (8, 9), (10, 10), (3, 2)];
    kit.start([40; 3]);
    kit.flat();
    let picture = kit.texture(&backdrop(), Style::of(format::RGBA8888));
    kit.list.write(op::SFIX, 0xff_ffff).write(op::DFIX, 0xff_ffff).write(op::CLEAR, 0);
    for n in 0..18 {
        let (x, y) = (6.0 + (n % 6) as f32 * 79.0, 4.0 + (n / 6) as f32 * 90.0);
        // Alpha is the stencil: the picture is put down with what it holds.
        kit.list.switch(op::ABE, false);
        kit.picture(&picture, [x, y, 74.0, 74.0]);
        stored_alpha(kit, [x, y, 74.0, 74.0]);
        let (source, destination, equation) = match n {
            0..12 => (FACTORS[n as usize].0, FACTORS[n as usize].1, 0),
            12..17 => (2, 10, n - 11),
            _ => (factor::FIXED, factor::FIXED, 0),
        };
        let (fixed, other) = if n == 17 { (0x80_4020, 0xff_ff00) } else { (0xff_ffff, 0xff_ffff) };
        kit.list.switch(op::TME, false).write(op::SFIX, fixed).write(op::DFIX, other);
        kit.blend(source, destination, equation);
        veil(kit, [x + 8.0, y + 8.0, 58.0, 58.0]);
        kit.blend_alpha();
        let words = if n < 12 {
            format!("{source} + {destination}")
        } else {
            format!("{source}/{destination} {equation}")
        };
        kit.text([x, y + 76.0], [255; 4], &words);
    }
    kit.show();
}

/// Puts a stencil of steps under a place: clear mode writes alpha.
fn stored_alpha(kit: &mut Kit, [x, y, width, height]: [f32; 4]) {
    kit.list.write(op::CLEAR, 0x201);
    for step in 0..4 {
        let left = x + (step as f32 * width / 4.0).floor();
        let right = x + ((step + 1) as f32 * width / 4.0).floor();
        kit.plate([left, y, right - left, height], [0, 0, 0, step * 85]);
    }
    kit.list.write(op::CLEAR, 0);
}

fn tests(kit: &mut Kit) {
    kit.start([50, 54, 60]);
    kit.flat();
    kit.list.switch(op::ABE, false);
    let blob = pictures::blob(64, [1.0, 0.9, 0.3, 1.0], [0.8, 0.1, 0.1, 0.1]);
    let blob = kit.texture(&blob, Style::of(format::RGBA8888));
    for comparison in 0..8 {
        let x = 4.0 + comparison as f32 * 59.0;
        kit.alpha_test(comparison, 0x8b);
        kit.picture(&blob, [x, 4.0, 56.0, 56.0]);
        kit.list.switch(op::ATE, false);
        depth_cell(kit, x, comparison);
    }
    for comparison in 0..4 {
        kit.list.switch(op::CTE, true).write(op::CTST, comparison);
        kit.list.write(op::CREF, rgb([0x80, 0, 0])).write(op::CMSK, rgb([0x80, 0x40, 0]));
        let picture = kit.texture(&backdrop(), Style::of(format::RGB5650));
        kit.picture(&picture, [4.0 + comparison as f32 * 59.0, 124.0, 56.0, 56.0]);
        kit.list.switch(op::CTE, false);
    }
    masks(kit);
    logic(kit);
    kit.list.switch(op::LOE, false);
    kit.show();
}

/// A slope of depth, and a plate in the middle of it.
fn depth_cell(kit: &mut Kit, x: f32, comparison: u32) {
    let corner = |dx: f32, dy: f32, z: f32, colour| Corner {
        colour,
        position: [x + dx, 64.0 + dy, z],
        ..Corner::default()
    };
    let vertex_type = layout::COLOUR | layout::POSITION | layout::THROUGH;
    let blue = [40, 90, 200, 255];
    let slope = [
        corner(0.0, 0.0, 10_000.0, blue),
        corner(56.0, 0.0, 30_000.0, blue),
        corner(0.0, 56.0, 30_000.0, blue),
        corner(56.0, 56.0, 50_000.0, blue),
    ];
    kit.list.switch(op::TME, false);
    kit.depth(compare::ALWAYS, true);
    kit.draw_corners(shape::TRIANGLE_STRIP, vertex_type, &slope);
    kit.depth(comparison, false);
    let plate = [corner(6.0, 6.0, 0.0, [250; 4]), corner(50.0, 50.0, 30_000.0, [250, 220, 120, 255])];
    kit.draw_corners(shape::RECTANGLES, vertex_type, &plate);
    kit.list.switch(op::ZTE, false);
}

/// Scissor, and masks of colour bits.
fn masks(kit: &mut Kit) {
    kit.scissor([246, 132, 286, 168]);
    veil(kit, [240.0, 124.0, 56.0, 56.0]);
    kit.scissor([0, 0, 480, 272]);
    for (n, mask) in
        [rgb([0xff, 0, 0]), rgb([0, 0xff, 0xff]), rgb([0xe0, 0xe0, 0xe0])].into_iter().enumerate()
    {
        let x = 299.0 + n as f32 * 59.0;
        kit.plate([x, 124.0, 56.0, 56.0], [30, 200, 60, 255]);
        kit.list.write(op::PMSKC, mask);
        veil(kit, [x + 6.0, 130.0, 44.0, 44.0]);
        kit.list.write(op::PMSKC, 0);
    }
}

fn logic(kit: &mut Kit) {
    for operation in 0..16 {
        let (x, y) = (4.0 + (operation % 8) as f32 * 59.0, 184.0 + (operation / 8) as f32 * 44.0);
        kit.list.switch(op::LOE, false);
        kit.plate([x, y, 56.0, 20.0], [200, 120, 40, 255]);
        kit.plate([x, y + 20.0, 56.0, 20.0], [60, 90, 170, 255]);
        kit.list.switch(op::LOE, true).write(op::LOP, operation);
        kit.plate([x + 8.0, y + 6.0, 40.0, 28.0], [230, 60, 190, 255]);
    }
}

/// The buffer as a texture, each of its formats being a format of textures.
fn buffer_texture(target: Target, sides: [u32; 2]) -> Texture {
    Texture::of_buffer(VRAM + target.colour, target.stride, target.format, sides)
}

fn dithering(kit: &mut Kit) {
    let mut targets = Vec::new();
    for (format, is_dithered) in (0..4).flat_map(|format| [(format, false), (format, true)]) {
        let target = kit.buffers(128, 128, format);
        kit.start_on(target, [20, 16, 40]);
        (op::DTH0..)
            .zip([0x2a08, 0xe6c4, 0x193b, 0xd5f7])
            .for_each(|(row, steps)| _ = kit.list.write(row, steps));
        kit.list.switch(op::DTE, is_dithered);
        veil(kit, [0.0, 0.0, 128.0, 112.0]);
        kit.look(0.8, [0.0, 0.4, 4.0], [0.0; 3]);
        kit.draw_mesh(&Mesh::sphere(36, 24).lit([-0.6, 0.8, 0.7], 0.05));
        targets.push(target);
    }
    kit.start([12; 3]);
    kit.flat();
    for (n, target) in targets.into_iter().enumerate() {
        let (x, y) = (2.0 + (n / 2) as f32 * 119.0, (n % 2) as f32 * 136.0 + 2.0);
        kit.list.switch(op::ABE, false);
        kit.use_texture(&buffer_texture(target, [128, 128]));
        kit.sprite([x, y, x + 116.0, y + 128.0], [0.0, 0.0, 116.0, 128.0], [255; 4]);
        kit.blend_alpha();
        kit.text([x + 3.0, y + 118.0], [255; 4], format::NAMES[target.format as usize]);
    }
    kit.show();
}

/// The screen's depth as four-bit colours: near is bright.
fn clearing(kit: &mut Kit) {
    kit.start([70, 80, 120]);
    kit.look(0.7, [0.0, 1.0, 7.0], [0.0, 0.0, 0.0]);
    let cube = kit
        .mesh(&Mesh::cube().lit([0.4, 1.0, 0.8], 0.3).moved(0.8, [-2.4, 0.9, 0.0]), super::super::draw::MESH);
    kit.draw(&cube);
    // Three stripes, colour alone, depth alone, and both, through the cube and where the ball will be.
    for (n, which) in [0x101, 0x401, 0x501].into_iter().enumerate() {
        kit.list.write(op::CLEAR, which);
        let y = 30.0 + n as f32 * 75.0;
        let vertex_type = layout::COLOUR | layout::POSITION | layout::THROUGH;
        let corner = |x: f32, y: f32| Corner {
            colour: [200, 150, 60, 255],
            position: [x, y, 40_000.0],
            ..Corner::default()
        };
        kit.draw_corners(shape::RECTANGLES, vertex_type, &[corner(40.0, y), corner(440.0, y + 40.0)]);
    }
    kit.list.write(op::CLEAR, 0);
    let ball = Mesh::sphere(40, 28)
        .moved(1.9, [1.2, 0.0, -1.0])
        .coloured([0.3, 0.8, 0.5, 1.0])
        .lit([0.4, 1.0, 0.8], 0.3);
    kit.draw_mesh(&ball);
    // Triangles in clear mode are flat and drawn from behind too.
    kit.list.write(op::CLEAR, 0x101).write(op::DTH0, 0x7777).switch(op::DTE, true);
    veil(kit, [10.0, 10.0, 60.0, 60.0]);
    veil(kit, [130.0, 200.0, -60.0, 60.0]);
    kit.list.write(op::CLEAR, 0).switch(op::DTE, false);
    depth_picture(kit);
    kit.show();
}

/// The depth buffer through the window in which it lies in order.
fn depth_picture(kit: &mut Kit) {
    const WINDOW: u32 = 0x0060_0000;
    kit.flat();
    kit.list.switch(op::ABE, false);
    let depth = Texture::of_buffer(VRAM + WINDOW + SCREEN.depth, SCREEN.stride, format::CLUT16, [512, 512]);
    let greys: Vec<[u8; 4]> = (0..=255).map(|grey| [grey, grey, 255 - grey / 2, 255]).collect();
    let palette = kit.palette(&greys, 3);
    kit.use_texture(&depth);
    kit.use_palette(palette, 3 | 5 << 2);
    kit.plate([354.0, 196.0, 124.0, 74.0], [255; 4]);
    kit.use_texture(&depth);
    kit.sprite([356.0, 198.0, 476.0, 268.0], [0.0, 0.0, 480.0, 272.0], [255; 4]);
}
