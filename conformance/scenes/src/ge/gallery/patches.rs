//! Curved surfaces.

use super::super::Scene;
use super::super::draw::MESH;
use super::super::kit::Kit;
use super::super::state::Light;
use super::super::texture::{Style, format};
use super::super::vertices::{Corner, layout, records};
use super::pictures;
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use picaflor_pipeline::ge::regs::op;
use std::f32::consts::TAU;

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "bezier",
        about: "Bezier patches: a textured flag of four of them, a lit cup, the same patch in few and many divisions",
        build: bezier,
    },
    Scene {
        name: "splines",
        about: "Spline surfaces with open and closed edges, as triangles, lines and points",
        build: splines,
    },
];

/// Control points in rows, with colours.
struct Net {
    columns: u32,
    rows: u32,
    points: Vec<Corner>,
}

impl Net {
    fn new(columns: u32, rows: u32, place: impl Fn(f32, f32) -> ([f32; 3], [u8; 4])) -> Self {
        let at = |n: u32, count: u32| n as f32 / (count - 1) as f32;
        let point = |n: u32| {
            let (position, colour) = place(at(n % columns, columns), at(n / columns, rows));
            Corner { position, colour, ..Corner::default() }
        };
        Self { columns, rows, points: (0..columns * rows).map(point).collect() }
    }

    /// Draws with `command`, BEZIER or SPLINE; `edges` are those of SPLINE.
    fn draw(&self, kit: &mut Kit, vertex_type: u32, command: u8, edges: u32) {
        let points = kit.data(records(vertex_type, &self.points));
        kit.list.write(op::VTYPE, vertex_type).vertices(points);
        kit.list.write(command, self.columns | self.rows << 8 | edges << 16);
    }
}

fn divide(kit: &mut Kit, columns: u32, rows: u32) {
    kit.list.write(op::PSUB, columns | rows << 8);
}

fn bezier(kit: &mut Kit) {
    kit.start([34, 44, 60]);
    kit.look(0.7, [0.0, 1.2, 8.4], [0.0, 0.1, 0.0]);
    kit.cull(false);
    kit.lights([90; 3], &[Light::directional([-0.4, 0.7, 1.0], [255, 250, 240])]);
    flag(kit);
    cup(kit);
    let bump = Net::new(4, 4, |u, v| {
        let inner = (0.2..0.8).contains(&u) && (0.2..0.8).contains(&v);
        ([u * 1.4 - 0.7, v * 1.4 - 0.7, if inner { 1.6 } else { 0.0 }], [255; 4])
    });
    kit.list.switch(op::TME, false).switch(op::SHADE, false);
    kit.material([110, 180, 140], [0; 3], 1.0);
    for (n, divisions) in [1, 2, 4, 16].into_iter().enumerate() {
        divide(kit, divisions, divisions);
        kit.world(&Matrix::translation(n as f32 * 2.0 - 3.0, -1.9, 0.6).after(Matrix::rotation_x(-0.7)));
        bump.draw(kit, layout::POSITION, op::BEZIER, 0);
    }
    kit.show();
}

/// Two by two patches that share their edges, with texture coordinates of their own making.
fn flag(kit: &mut Kit) {
    let boards = kit.texture(&pictures::tiles(), Style::of(format::RGB5650));
    kit.use_texture(&boards);
    kit.material([250; 3], [0; 3], 1.0);
    // Their normals point away from who looks at them, unless they are turned around.
    kit.list.write(op::PFACE, 1);
    divide(kit, 10, 8);
    kit.world(&Matrix::translation(-1.7, 1.0, 0.0).after(Matrix::rotation_y(0.3)));
    let wave = Net::new(7, 7, |u, v| {
        let depth = (u * 9.0 - v * 1.5).sine() * 0.7 * u;
        ([u * 4.0 - 2.0, 1.2 - v * 2.4 - 0.2 * u, depth], [255; 4])
    });
    wave.draw(kit, layout::POSITION, op::BEZIER, 0);
    kit.list.switch(op::TME, false).write(op::PFACE, 0);
}

/// A body of revolution: four patches around, two from bottom to top.
fn cup(kit: &mut Kit) {
    const OUTLINE: [[f32; 2]; 7] =
        [[0.0, -1.0], [0.9, -1.0], [0.25, -0.7], [0.25, -0.3], [0.25, 0.0], [1.2, 0.1], [0.95, 1.2]];
    const BULGE: f32 = 0.552;
    kit.material([225, 180, 80], [255; 3], 24.0);
    divide(kit, 8, 8);
    kit.world(&Matrix::translation(2.5, 0.9, 0.0).after(Matrix::rotation_x(0.35)));
    // Of each quarter the end, and the two points along the tangents.
    let around = |n: u32| {
        let (quarter, k) = (n / 3, n % 3);
        let (s, c) = (quarter as f32 * TAU / 4.0).sine_cosine();
        let (t, d) = ((quarter + 1) as f32 * TAU / 4.0).sine_cosine();
        match k {
            0 => [c, s],
            1 => [c + d * BULGE, s + t * BULGE],
            _ => [d + c * BULGE, t + s * BULGE],
        }
    };
    let cup = Net::new(13, 7, |u, v| {
        let ([x, z], [radius, y]) = (around((u * 12.0 + 0.5) as u32 % 12), OUTLINE[(v * 6.0 + 0.5) as usize]);
        ([-x * radius, y, z * radius], [255; 4])
    });
    cup.draw(kit, layout::POSITION, op::BEZIER, 0);
}

fn splines(kit: &mut Kit) {
    kit.start([238, 236, 228]);
    kit.look(0.7, [0.0, 2.8, 9.0], [0.1, -0.2, 0.0]);
    kit.cull(false);
    divide(kit, 6, 6);
    let hills = Net::new(7, 7, |u, v| {
        let height = (u * 8.0).sine() * (v * 7.0).cosine() * 0.9;
        let colour = [
            (60.0 + 180.0 * u) as u8,
            (90.0 + 120.0 * (height + 0.9) / 1.8) as u8,
            (220.0 - 170.0 * v) as u8,
            255,
        ];
        ([u * 3.0 - 1.5, height, v * 3.0 - 1.5], colour)
    });
    let kinds = [(0, 0, 0), (3, 3, 0), (3, 3, 1), (1, 2, 0), (0, 3, 2), (3, 3, 3)];
    for (n, (columns, rows, primitive)) in kinds.into_iter().enumerate() {
        let (x, z) = ((n % 3) as f32 * 2.9 - 2.9, (n / 3) as f32 * 3.2 - 1.8);
        kit.world(&Matrix::translation(x, 0.0, z).after(Matrix::scale(0.8, 0.8, 0.8)));
        kit.list.write(op::PPRIM, primitive).switch(op::SHADE, n != 4);
        hills.draw(kit, layout::COLOUR | layout::POSITION, op::SPLINE, columns | rows << 2);
    }
    kit.list.write(op::PPRIM, 0).switch(op::SHADE, true);
    tube(kit);
    kit.show();
}

/// A closed tube: the first three columns come again at the end.
fn tube(kit: &mut Kit) {
    kit.lights([70; 3], &[Light::directional([0.5, 1.0, 0.8], [255; 3]).shiny()]);
    kit.list.write(op::PFACE, 1);
    kit.material([190, 60, 80], [255; 3], 16.0);
    kit.world(&Matrix::translation(0.0, 1.9, -1.5).after(Matrix::rotation_z(1.45)));
    let tube = Net::new(9, 9, |u, v| {
        let (s, c) = (u * 8.0 * TAU / 6.0).sine_cosine();
        let radius = 0.5 + 0.35 * (v * 12.0).sine();
        ([c * radius, v * 7.0 - 3.5, s * radius], [255; 4])
    });
    tube.draw(kit, MESH & !0x7f, op::SPLINE, 3 << 2);
}
