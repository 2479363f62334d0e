//! Textures: formats, levels, functions, generated coordinates.

use super::super::Scene;
use super::super::draw::MESH;
use super::super::kit::Kit;
use super::super::state::{Light, elements, function, perspective, rgb};
use super::super::texture::{Style, format};
use super::pictures;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, clouds, mix};
use picaflor_pipeline::ge::matrix_ports::MatrixPort;
use picaflor_pipeline::ge::regs::op;

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "formats",
        about: "One picture in all eleven texture formats, in rows and in blocks, and palettes of all formats",
        build: formats,
    },
    Scene {
        name: "levels",
        about: "A floor with mipmaps: nearest and mixed levels, biased, constant, by slope, and none",
        build: levels,
    },
    Scene {
        name: "functions",
        about: "Texture functions, with doubled colours and with and without alpha of the texture",
        build: functions,
    },
    Scene {
        name: "environment",
        about: "Environment maps on shiny things, and a picture projected by the texture matrix",
        build: environment,
    },
];

/// A picture with many colours, fine lines and soft alpha.
fn sample() -> Canvas {
    let mut canvas = Canvas::paint(64, 64, |x, y| {
        let ring = ((x - 0.5).powi(2) + (y - 0.6).powi(2)).sqrt();
        let field = mix([0.1, 0.2, 0.9, 1.0], [1.0, 0.9, 0.2, 1.0], x);
        let field = mix(field, [0.9, 0.1, 0.2, 1.0], y * clouds(x, y, 8) * 1.6);
        let alpha = ((0.52 - ring) * 12.0).clamp(0.0, 1.0);
        let corner = if y < 0.25 { 1.0 } else { alpha };
        [field[0], field[1], field[2], corner]
    });
    canvas.text(4, 4, 1, [255, 255, 255, 255], "PICAFLOR").rect([0, 15, 64, 16], [0, 0, 0, 255]);
    canvas
}

fn formats(kit: &mut Kit) {
    kit.start([60, 60, 66]);
    kit.flat();
    checks(kit);
    kit.filter(0, 0);
    let sample = sample();
    for (n, name) in (0..).zip(format::NAMES) {
        let at = [8.0 + (n % 6) as f32 * 79.0, 6.0 + (n / 6) as f32 * 88.0];
        let style = Style::of(n);
        let texture = kit.texture(&sample, if n % 2 == 1 { style.swizzled() } else { style });
        kit.picture(&texture, [at[0], at[1], 72.0, 72.0]);
        kit.text([at[0], at[1] + 74.0], [255; 4], name);
    }
    for (n, palette) in [0, 1, 2].into_iter().enumerate() {
        let texture = kit.texture(&sample, Style::of(format::CLUT8).palette(palette).swizzled());
        let at = [8.0 + n as f32 * 79.0, 182.0];
        kit.picture(&texture, [at[0], at[1], 72.0, 72.0]);
        kit.text([at[0], at[1] + 74.0], [255; 4], &format!("CLUT8/{}", format::NAMES[palette as usize]));
    }
    ranges(kit);
    kit.show();
}

/// Checks as a background that shows transparency.
fn checks(kit: &mut Kit) {
    let checks = kit.texture(
        &Canvas::checker(16, 2, [120, 120, 126, 255], [90, 90, 96, 255]),
        Style::of(format::RGBA5551),
    );
    kit.use_texture(&checks);
    kit.sprite([0.0, 0.0, 480.0, 272.0], [0.0, 0.0, 480.0, 272.0], [255; 4]);
}

/// Indices that are shifted, masked and moved before they are looked up.
fn ranges(kit: &mut Kit) {
    let ramp = Canvas::paint(64, 64, |x, y| [x, 0.3, y, 1.0]);
    let texture = kit.texture(&ramp, Style::of(format::CLUT8));
    kit.use_texture(&texture);
    for (n, mode) in [(0xff << 8), 4 << 2 | 0xff << 8, 0x0f << 8 | 4 << 16].into_iter().enumerate() {
        kit.list.write(op::CMODE, 3 | mode);
        let left = 245.0 + n as f32 * 79.0;
        kit.sprite([left, 182.0, left + 72.0, 254.0], [0.0, 0.0, 64.0, 64.0], [255; 4]);
    }
    for (left, words) in [(245.0, "WHOLE"), (324.0, "SHIFTED"), (403.0, "MASKED")] {
        kit.text([left, 256.0], [255; 4], words);
    }
}

/// Lines of a colour for every level.
fn lined() -> Canvas {
    Canvas::paint(128, 128, |x, y| {
        let is_line = (x * 16.0) % 1.0 < 0.25 || (y * 16.0) % 1.0 < 0.25;
        let ground = mix([0.9, 0.85, 0.7, 1.0], [0.6, 0.75, 0.85, 1.0], clouds(x, y, 13));
        if is_line { [0.1, 0.12, 0.3, 1.0] } else { ground }
    })
}

fn levels(kit: &mut Kit) {
    kit.start([170, 190, 210]);
    let texture = kit.texture(&lined(), Style::of(format::RGBA8888).swizzled().levels(8));
    let mesh = Mesh::floor(40.0, 10).tiled(10.0).moved(1.0, [0.0, -1.0, -20.0]);
    let floor = kit.mesh(&mesh, MESH);
    // Filter, mode and bias.
    let ways: [(&str, u32, u32, i32); 6] = [
        ("NEAREST, NO LEVELS", 0, 0, 0),
        ("LINEAR, NO LEVELS", 1, 0, 0),
        ("NEAREST LEVEL", 5, 0, 0),
        ("MIXED LEVELS", 7, 0, 0),
        ("MIXED, LESS 1.5", 7, 0, -24),
        ("BY SLOPE", 7, 2, 0),
    ];
    for (n, (_, filter, mode, bias)) in (0..).zip(ways) {
        let (left, top) = (n % 3 * 160, n / 3 * 136);
        kit.scissor([left, top, left + 159, top + 135]);
        kit.viewport([left, top, left + 160, top + 136]);
        kit.look(0.9, [0.0, 0.8, 1.0], [0.0, -0.2, -3.0]);
        kit.use_texture(&texture);
        kit.filter(filter, filter & 1);
        kit.list.write(op::TBIAS, mode | (bias as u32 & 0xff) << 16).float(op::TSLOPE, 0.3);
        kit.draw(&floor);
    }
    kit.flat();
    for (n, (words, ..)) in ways.into_iter().enumerate() {
        kit.text([(n % 3 * 160 + 6) as f32, (n / 3 * 136 + 6) as f32], [20, 20, 40, 255], words);
    }
    kit.show();
}

fn functions(kit: &mut Kit) {
    kit.start([96, 96, 104]);
    kit.flat();
    checks(kit);
    kit.filter(1, 1);
    kit.list.write(op::TEC, rgb([40, 220, 255]));
    let texture = kit.texture(&sample(), Style::of(format::RGBA8888));
    let names = ["MODULATE", "DECAL", "BLEND", "REPLACE", "ADD"];
    for (function, name) in (0..).zip(names) {
        for (row, more) in [1 << 8, 0, 1 << 8 | 1 << 16].into_iter().enumerate() {
            kit.use_texture(&texture);
            kit.list.write(op::TFUNC, function | more);
            let (x, y) = (8.0 + function as f32 * 94.0, 14.0 + row as f32 * 84.0);
            kit.sprite([x, y, x + 88.0, y + 78.0], [0.0, 0.0, 64.0, 64.0], [230, 130, 90, 220]);
        }
        kit.list.write(op::TFUNC, function::MODULATE | 1 << 8);
        kit.text([8.0 + function as f32 * 94.0, 3.0], [255; 4], name);
    }
    kit.text([8.0, 264.0], [255; 4], "WITH ALPHA OF THE TEXTURE / WITHOUT / DOUBLED");
    kit.show();
}

fn environment(kit: &mut Kit) {
    kit.start([0; 3]);
    let around = kit.texture(&pictures::surroundings(128), Style::of(format::RGB5650).swizzled());
    kit.flat();
    kit.filter(1, 1);
    kit.picture(&around, [0.0, 0.0, 480.0, 300.0]);
    kit.defaults();
    kit.look(0.7, [0.0, 1.4, 7.6], [0.0, 0.1, 0.0]);
    kit.use_texture(&around);
    // The axes of the map are the positions of two lights, which need not shine.
    kit.lights(
        [0; 3],
        &[Light::directional([1.0, 0.0, 0.0], [0; 3]), Light::directional([0.0, -1.0, 0.0], [0; 3])],
    );
    kit.list.switch(op::LTE, false).write(op::TMAP, 2).write(op::TSHADE, 1 << 8);
    kit.world(&Matrix::translation(-2.2, 0.6, 0.0));
    kit.draw_mesh(&Mesh::sphere(40, 28));
    kit.world(
        &Matrix::translation(0.4, 0.5, 0.0).after(Matrix::rotation_z(0.5)).after(Matrix::rotation_x(1.0)),
    );
    kit.draw_mesh(&Mesh::torus(48, 24, 0.4).coloured([1.0, 0.85, 0.5, 1.0]));
    projected(kit);
    kit.show();
}

/// A picture that a projector throws on a floor and a ball, from where it stands: positions become coordinates.
fn projected(kit: &mut Kit) {
    let picture = kit.texture(&sample(), Style::of(format::RGBA8888).swizzled());
    kit.use_texture(&picture);
    kit.list.write(op::TWRAP, 0x101).write(op::TMAP, 1);
    let from = perspective(0.8, 1.0, 0.5, 20.0).after(Matrix::look_at([2.6, 5.0, 4.0], [1.6, -0.9, 0.0]));
    let halves =
        Matrix([[0.5, 0.0, 0.0, 0.5], [0.0, -0.5, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]]);
    kit.list.matrix(MatrixPort::Texture, &elements(&halves.after(from), 3));
    kit.function(function::DECAL);
    kit.world(&Matrix::IDENTITY);
    kit.draw_mesh(&Mesh::floor(9.0, 12).moved(1.0, [0.0, -1.0, 0.0]).coloured([0.5, 0.42, 0.36, 1.0]));
    let ball = Mesh::sphere(32, 20).moved(0.8, [2.7, -0.2, 0.5]).coloured([0.6, 0.6, 0.65, 1.0]);
    kit.draw_mesh(&ball.lit([0.5, 1.0, 0.6], 0.5));
}
