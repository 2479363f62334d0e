//! Fog.

use super::eye::{Eye, LIT_PREVIOUS, PAINTED};
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, clouds, hash, mix};
use crate::pica::Scene;
use crate::pica::kit::{Kit, Placed, Screen};
use crate::pica::light::{Light, Lighting};
use crate::pica::state::{Sampler, State, func};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "fog",
    about: "Columns that vanish in fog; on the lower screen the table is read from its other end",
    build: fog,
}];

/// Distances of the nearest and the farthest plane.
const NEAR: f32 = 2.0;
const FAR: f32 = 42.0;

fn fog(kit: &mut Kit) {
    let dawn = [226, 196, 168];
    landscape(kit, Screen::Top, dawn, |kit| {
        kit.list.fog(dawn, &|depth| thin(distance(depth)));
    });
    let dusk = [34, 46, 78];
    landscape(kit, Screen::Bottom, dusk, |kit| {
        kit.list.fog(dusk, &|depth| thin(distance(1.0 - depth))).write_bytes(0x0e0, 1 << 16, 0b0100);
    });
    kit.frame();
}

/// The distance that belongs to a depth: with the W-buffer, depth falls evenly from 1 to 0.
fn distance(depth: f32) -> f32 {
    FAR - depth * (FAR - NEAR)
}

/// The remaining share of a colour at a distance.
fn thin(distance: f32) -> f32 {
    let fogged = 1.0 - (-(distance - 5.0).max(0.0) * 0.075).exponential();
    let last = ((FAR - distance) / 8.0).clamp(0.0, 1.0);
    (1.0 - fogged) * last
}

fn landscape(kit: &mut Kit, screen: Screen, sky: [u8; 3], fog: impl FnOnce(&mut Kit)) {
    let buffers = kit.screen_buffers(screen);
    let [r, g, b] = sky;
    kit.clear(&buffers, u32::from_be_bytes([r, g, b, 255]));
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    kit.list.depth_map(-1.0 / NEAR, 0.0, true);
    let eye = Eye::new(kit, &screen.perspective(0.8, NEAR, FAR), [1.0, 2.6, 6.0], [-0.2, 2.4, -10.0]);
    let warm = sky.map(|c| 0.3 + 0.7 * f32::from(c) / 255.0);
    let sun = Light::directional(eye.direction([-0.7, 0.6, 0.35])).diffuse(warm);
    Lighting::new(0).ambient(warm.map(|c| c * 0.35)).write(&mut kit.list, &[sun]);
    kit.list.combiners(&[PAINTED, LIT_PREVIOUS]).units(1);
    fog(kit);
    ground(kit, &eye);
    colonnade(kit, &eye);
    kit.list.write_bytes(0x0e0, 0, 0b0101);
    kit.submit();
    kit.show(screen, &buffers);
}

fn ground(kit: &mut Kit, eye: &Eye) {
    let slabs = kit.mipmapped(&Canvas::paint(128, 128, slab), 1, 5);
    kit.list.texture(0, &slabs, &Sampler::LINEAR);
    let sheet = Mesh::sheet(1, 1, |u, v| [(u - 0.5) * 80.0, 0.0, 12.0 - v * 60.0]);
    eye.put(kit, &sheet.map(|vertex| vertex.uv = [vertex.uv[0] * 20.0, vertex.uv[1] * 15.0]));
}

fn slab(x: f32, y: f32) -> [f32; 4] {
    let (fx, fy) = ((x * 2.0).fract(), (y * 2.0).fract());
    let edge = fx.min(1.0 - fx).min(fy.min(1.0 - fy));
    let tone = 0.5 * hash((x * 2.0) as u32, (y * 2.0) as u32, 4) + 0.5 * clouds(x, y, 2);
    mix([0.28, 0.27, 0.3, 1.0], mix([0.5, 0.46, 0.42, 1.0], [0.7, 0.66, 0.58, 1.0], tone), edge * 30.0)
}

/// Two rows of columns, some of them broken.
fn colonnade(kit: &mut Kit, eye: &Eye) {
    let stone = kit.mipmapped(&Canvas::paint(64, 64, marble), 1, 4);
    kit.list.texture(0, &stone, &Sampler::LINEAR);
    let (whole, broken) = (kit.mesh(&column(5.2)), kit.mesh(&column(2.6)));
    let lintel = kit.mesh(&Mesh::cube().map(|vertex| vertex.position[1] += 1.0));
    for k in 0..11 {
        for (side, x) in [(0, -3.2), (1, 3.2)] {
            let whether = hash(k, side, 11) < 0.8;
            let z = -0.2 - 3.6 * k as f32;
            eye.draw(kit, &Matrix::translation(x, 0.0, z), if whether { &whole } else { &broken });
        }
        beam(kit, eye, &lintel, k);
    }
}

/// A beam across, where both columns still stand.
fn beam(kit: &mut Kit, eye: &Eye, lintel: &Placed, k: u32) {
    if (0..2).all(|side| hash(k, side, 11) < 0.8) {
        let place = Matrix::translation(0.0, 5.2, -0.2 - 3.6 * k as f32);
        eye.draw(kit, &place.after(Matrix::scale(4.0, 0.28, 0.5)), lintel);
    }
}

fn marble(x: f32, y: f32) -> [f32; 4] {
    let vein = (0.5 - (clouds(x, y, 31) - 0.5).abs() * 5.0).clamp(0.0, 1.0);
    mix([0.92, 0.88, 0.82, 1.0], [0.6, 0.55, 0.55, 1.0], vein)
}

/// A fluted shaft between two round slabs.
fn column(height: f32) -> Mesh {
    let flutes = 14.0 * std::f32::consts::TAU;
    let mut shaft = Mesh::sheet(84, 6, |u, v| {
        let (s, c) = (u * std::f32::consts::TAU).sine_cosine();
        let radius = (0.52 - 0.06 * v) * (1.0 - 0.05 * (0.5 + 0.5 * (u * flutes).cosine()));
        [radius * s, 0.3 + v * (height - 0.6), radius * c]
    });
    for y in [0.0, height - 0.3] {
        shaft.append(&Mesh::revolution(24, 3, |v| match v {
            v if v < 0.3 => [0.68, y],
            v if v < 0.6 => [0.68, y + 0.3],
            _ => [0.0, y + 0.3],
        }));
    }
    shaft
}
