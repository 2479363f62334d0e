//! Primitives, and where they are cut.

use super::super::Scene;
use super::super::draw::shape;
use super::super::kit::Kit;
use super::super::texture::{Style, format};
use super::super::vertices::{Corner, layout};
use super::pictures;
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::hash;
use picaflor_pipeline::ge::regs::op;
use std::f32::consts::TAU;

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "primitives",
        about: "Points, lines, strips, fans and rectangles, flat and smooth, and primitives that are continued",
        build: primitives,
    },
    Scene {
        name: "immediate",
        about: "Vertices that the list itself holds: fans, strips, lines and rectangles with fog and textures",
        build: immediate,
    },
    Scene {
        name: "clipping",
        about: "A tunnel around the eye, cut at the near plane, and without cutting; depth kept in a range",
        build: clipping,
    },
];

const FLAT: u32 = layout::COLOUR | layout::POSITION | layout::THROUGH;

/// Corners of a star around (x, y), colours around the circle.
fn star([x, y]: [f32; 2], radii: [f32; 2], count: u32) -> Vec<Corner> {
    let corner = |n: u32| {
        let (s, c) = (n as f32 * TAU / count as f32 + 0.2).sine_cosine();
        let radius = radii[n as usize % 2];
        let hue = |shift: f32| (128.0 + 127.0 * (n as f32 * TAU / count as f32 + shift).sine()) as u8;
        Corner {
            colour: [hue(0.0), hue(2.1), hue(4.2), 255],
            position: [x + c * radius, y + s * radius, 0.0],
            ..Corner::default()
        }
    };
    (0..count).map(corner).collect()
}

fn primitives(kit: &mut Kit) {
    kit.start([24, 26, 36]);
    kit.flat();
    kit.list.switch(op::ABE, false);
    for (row, is_smooth) in [true, false].into_iter().enumerate() {
        kit.list.switch(op::SHADE, is_smooth);
        for (n, kind) in [2, 1, 3, 4, 5, 6].into_iter().enumerate() {
            let middle = [42.0 + n as f32 * 79.0, 46.0 + row as f32 * 84.0];
            let mut corners =
                star(middle, [36.0, if kind == shape::TRIANGLE_STRIP { 16.0 } else { 28.0 }], 12);
            if kind == shape::TRIANGLE_FAN {
                corners.insert(
                    0,
                    Corner { colour: [255; 4], position: [middle[0], middle[1], 0.0], ..Corner::default() },
                );
            }
            if kind == shape::LINE_STRIP || kind == shape::TRIANGLE_STRIP {
                corners.extend_from_within(0..2);
            }
            kit.draw_corners(kind, FLAT, &corners);
        }
    }
    kit.list.switch(op::SHADE, true);
    points(kit);
    continued(kit);
    culled(kit);
    kit.show();
}

/// A galaxy of points.
fn points(kit: &mut Kit) {
    let point = |n: u32| {
        let (turn, far) = (hash(n, 1, 1), hash(n, 2, 1));
        let (s, c) = (far * 7.0 + (turn * 4.0).floor() * TAU / 4.0 + turn * 0.9).sine_cosine();
        let glow = (255.0 * (1.0 - far * 0.8)) as u8;
        Corner {
            colour: [glow, glow, 255, 255],
            position: [80.0 + c * far * 74.0, 220.0 + s * far * 44.0, 0.0],
            ..Corner::default()
        }
    };
    kit.draw_corners(shape::POINTS, FLAT, &(0..900).map(point).collect::<Vec<_>>());
}

/// A fan and a line in three pieces each: type 7 continues the primitive before.
fn continued(kit: &mut Kit) {
    let fan = star([210.0, 220.0], [44.0, 30.0], 15);
    for (n, piece) in fan.chunks(5).enumerate() {
        kit.draw_corners(if n == 0 { shape::TRIANGLE_FAN } else { shape::MORE }, FLAT, piece);
    }
    let spiral = |n: u32| {
        let (s, c) = (n as f32 * 0.5).sine_cosine();
        let radius = n as f32 * 0.9;
        Corner {
            colour: [255, 200, (n * 5) as u8, 255],
            position: [310.0 + c * radius, 220.0 + s * radius, 0.0],
            ..Corner::default()
        }
    };
    let spiral: Vec<Corner> = (0..48).map(spiral).collect();
    for (n, piece) in spiral.chunks(7).enumerate() {
        kit.draw_corners(if n == 0 { shape::LINE_STRIP } else { shape::MORE }, FLAT, piece);
    }
}

/// The same strip three times: both sides, and each side alone.
fn culled(kit: &mut Kit) {
    let ribbon = |n: u32| {
        let (s, c) = (n as f32 * 0.4).sine_cosine();
        let side = if n.is_multiple_of(2) { 1.0 } else { -1.0 };
        let shade = (n * 9) as u8;
        Corner {
            colour: [240 - shade, 90, 60 + shade, 255],
            position: [n as f32 * 5.0, side * 11.0 * c + 4.0 * s, 0.0],
            ..Corner::default()
        }
    };
    for (n, (cull, face)) in [(false, 0), (true, 0), (true, 1)].into_iter().enumerate() {
        kit.cull(cull);
        kit.list.write(op::FFACE, face);
        let placed = (0..20).map(ribbon).map(|mut corner| {
            corner.position[0] += 370.0;
            corner.position[1] += 190.0 + n as f32 * 30.0;
            corner
        });
        kit.draw_corners(shape::TRIANGLE_STRIP, FLAT, &placed.collect::<Vec<_>>());
    }
    kit.cull(false);
}

/// A vertex in the list; `flags` count for the first of a primitive.
fn emit(kit: &mut Kit, [x, y, z]: [f32; 3], colour: [u8; 4], kind: u32, flags: u32) {
    let sixteenths = |v: f32| (0x8000 + (v * 16.0).round() as i32) as u32 & 0xffff;
    let [r, g, b, a] = colour;
    kit.list.write(op::VSCX, sixteenths(x)).write(op::VSCY, sixteenths(y)).write(op::VSCZ, z as u32);
    kit.list.write(op::VCV, u32::from_le_bytes([r, g, b, 0]));
    kit.list.write(op::VAP, u32::from(a) | kind << 8 | flags);
}

fn texture_at(kit: &mut Kit, [s, t, q]: [f32; 3]) {
    kit.list.float(op::VTCS, s).float(op::VTCT, t).float(op::VTCQ, q);
}

fn immediate(kit: &mut Kit) {
    const SMOOTH: u32 = 1 << 18;
    const TEXTURED: u32 = 1 << 21;
    const FOGGY: u32 = 1 << 22;
    kit.start([40, 34, 44]);
    kit.list.write(op::VTYPE, layout::THROUGH | layout::POSITION16).write(op::VFC, 0xff);
    for (n, flags) in [SMOOTH, 0].into_iter().enumerate() {
        for corner in star([70.0 + n as f32 * 120.0, 70.0], [54.0, 30.0], 16) {
            let kind =
                if corner == star([70.0 + n as f32 * 120.0, 70.0], [54.0, 30.0], 16)[0] { 5 } else { 7 };
            emit(kit, corner.position, corner.colour, kind, flags);
        }
    }
    for n in 0..24_u32 {
        let (s, c) = (n as f32 * TAU / 12.0).sine_cosine();
        let place =
            if n.is_multiple_of(2) { [310.0, 70.0, 0.0] } else { [310.0 + c * 52.0, 70.0 + s * 52.0, 0.0] };
        emit(
            kit,
            place,
            [255, (n * 10) as u8, 120, 255],
            if n == 0 { shape::LINES } else { shape::MORE },
            SMOOTH,
        );
    }
    let tiles = kit.texture(&pictures::tiles(), Style::of(format::RGB5650).swizzled());
    kit.use_texture(&tiles);
    kit.list.write(op::FCOL, 0x80_40_20);
    // A floor whose q grows toward the eye: as far as its far edge is narrower, so much smaller is q there.
    for (n, (x, y, q)) in
        [(150.0, 150.0, 0.375), (330.0, 150.0, 0.375), (0.0, 270.0, 1.0), (480.0, 270.0, 1.0)]
            .into_iter()
            .enumerate()
    {
        let (s, t) = ((n % 2) as f32 * 4.0, if n < 2 { 0.0 } else { 4.0 });
        texture_at(kit, [s * q, t * q, q]);
        let kind = if n == 0 { shape::TRIANGLE_STRIP } else { shape::MORE };
        emit(kit, [x, y, 0.0], [255; 4], kind, SMOOTH | TEXTURED);
    }
    foggy(kit, SMOOTH | TEXTURED | FOGGY);
    kit.show();
}

/// Rectangles outside of through mode, with fog of their own.
fn foggy(kit: &mut Kit, flags: u32) {
    kit.list.write(op::VTYPE, layout::POSITION16);
    // Drawing space begins where the offsets say, in sixteenths.
    let origin = [(2048.0 - 240.0) - 2048.0, (2048.0 - 136.0) - 2048.0];
    for n in 0..4 {
        let x = 382.0 + (n % 2) as f32 * 48.0;
        let y = 18.0 + (n / 2) as f32 * 54.0;
        kit.list.write(op::VFC, 255 - n * 80);
        texture_at(kit, [0.0, 0.0, 1.0]);
        emit(kit, [origin[0] + x, origin[1] + y, 0.0], [255; 4], shape::RECTANGLES, flags);
        texture_at(kit, [1.0, 1.0, 1.0]);
        emit(kit, [origin[0] + x + 42.0, origin[1] + y + 46.0, 0.0], [255; 4], shape::MORE, flags);
    }
}

fn clipping(kit: &mut Kit) {
    kit.start([10, 10, 16]);
    let tiles = kit.texture(&pictures::tiles(), Style::of(format::RGB5650).swizzled());
    let boards = kit.texture(&pictures::boards(), Style::of(format::RGB5650).swizzled());
    // Few and large cells: triangles reach from far ahead to behind the eye.
    let ring = |cells: u16| {
        Mesh::sheet(8, cells, |u, v| {
            let (s, c) = (u * TAU).sine_cosine();
            [s * 2.0, c * 2.0, v * 26.0 - 20.0]
        })
    };
    let cells = [
        (true, 2, [0, 0, 0xffff]),
        (false, 2, [0, 0, 0xffff]),
        (false, 26, [0, 0, 0xffff]),
        (true, 26, [1, 1300, 4500]),
    ];
    for (n, (clamps, count, [_, near, far])) in (0..).zip(cells) {
        let (left, top) = (n % 2 * 240, n / 2 * 136);
        kit.scissor([left, top, left + 239, top + 135]);
        kit.viewport([left, top, left + 240, top + 136]);
        kit.look(1.1, [0.3, -0.4, 3.0], [0.0, 0.2, -4.0]);
        kit.cull(false);
        kit.list.switch(op::CPE, clamps).write(op::NEARZ, near).write(op::FARZ, far);
        kit.use_texture(&tiles);
        kit.draw_mesh(&ring(count).map(|vertex| vertex.uv = [vertex.uv[0] * 4.0, vertex.uv[1] * 8.0]));
        kit.use_texture(&boards);
        kit.world(&Matrix::translation(0.5, -0.9, -1.0).after(Matrix::rotation_y(0.5)));
        kit.draw_mesh(&Mesh::cube().moved(0.6, [0.0; 3]));
        kit.world(&Matrix::IDENTITY);
    }
    kit.flat();
    for (n, words) in
        ["CUT AT THE NEAR PLANE", "NOT CUT, LARGE CELLS", "NOT CUT, SMALL CELLS", "A RANGE OF DEPTH"]
            .into_iter()
            .enumerate()
    {
        kit.text([(n % 2 * 240 + 6) as f32, (n / 2 * 136 + 6) as f32], [255; 4], words);
    }
    kit.show();
}
