//! Spots and attenuation by distance.

use super::eye::{Eye, LIT};
use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, sub, unit};
use crate::modelling::mesh::Mesh;
use crate::pica::Scene;
use crate::pica::kit::{Kit, Screen};
use crate::pica::light::{Light, Lighting, input, table};
use crate::pica::state::{Combiner, State, func, source};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "spot_light",
        about: "Four spots whose cones are tables: soft ones, a hard one, and one with a ring",
        build: spot_light,
    },
    Scene {
        name: "attenuation",
        about: "Eight lamps over a floor, fading with distance as their tables say",
        build: attenuation,
    },
];

/// Positions, targets and colours of the spots.
const SPOTS: [([f32; 3], [f32; 3], [f32; 3]); 4] = [
    ([-4.5, 5.0, 3.0], [-2.3, 2.6, -4.0], [0.85, 0.2, 0.12]),
    ([0.0, 6.0, 4.5], [0.0, 3.3, -4.0], [0.14, 0.7, 0.26]),
    ([4.5, 5.0, 3.0], [2.3, 2.6, -4.0], [0.14, 0.28, 0.9]),
    ([0.0, 6.5, 4.0], [0.0, 0.0, -0.9], [0.8, 0.72, 0.6]),
];

fn spot_light(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0x0408_12ff);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true).combiners(&[LIT]);
    let eye = Eye::new(kit, &Eye::lens(0.66), [0.0, 2.6, 8.4], [0.0, 1.85, 0.0]);
    spot_tables(kit);
    let lights = SPOTS.map(|(from, to, colour)| {
        let light = Light::point(eye.point(from)).diffuse(colour).specular(colour, [0.0; 3]);
        light.spot(eye.direction(unit(sub(to, from))))
    });
    let lighting = Lighting::new(0).table(table::D0, input::NH).table(table::SP, input::SP);
    lighting.ambient([0.09, 0.1, 0.15]).write(&mut kit.list, &lights);
    stage(kit, &eye);
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

/// The cones, over the cosine of the angle from the axis.
fn spot_tables(kit: &mut Kit) {
    let smooth = |x: f32, from: f32, to: f32| {
        let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    kit.list.light_table(table::D0, false, &|x| x.powi(40));
    kit.list.light_table(table::spot(0), false, &|x| smooth(x, 0.92, 0.99));
    kit.list.light_table(table::spot(3), false, &|x| smooth(x, 0.84, 0.95));
    let ring = |x| smooth(x, 0.945, 0.955) - 0.75 * smooth(x, 0.968, 0.974) + 0.75 * smooth(x, 0.984, 0.99);
    kit.list.light_table(table::spot(1), false, &ring);
    kit.list.light_table(table::spot(2), false, &|x| smooth(x, 0.955, 0.96));
}

/// A wall, a floor, and objects to light.
fn stage(kit: &mut Kit, eye: &Eye) {
    eye.put(kit, &Mesh::quad(18.0, 9.0).moved(1.0, [0.0, 4.5, -4.0]).coloured([0.9, 0.9, 0.92, 1.0]));
    eye.put(kit, &Mesh::floor(18.0, 1).coloured([0.62, 0.6, 0.58, 1.0]));
    let ball = kit.mesh(&Mesh::sphere(40, 24).coloured([0.95, 0.93, 0.9, 1.0]));
    let torus = kit.mesh(&Mesh::torus(48, 20, 0.32).coloured([0.95, 0.9, 0.8, 1.0]));
    let cube = kit.mesh(&Mesh::cube().coloured([0.85, 0.88, 0.95, 1.0]));
    eye.draw(kit, &Matrix::translation(-2.6, 0.8, -1.6).after(Matrix::scale(0.8, 0.8, 0.8)), &ball);
    let upright = Matrix::rotation_y(-0.5).after(Matrix::rotation_x(1.57));
    eye.draw(kit, &Matrix::translation(0.0, 1.1, -2.0).after(upright).after(scale(0.85)), &torus);
    let turned = Matrix::rotation_y(0.6).after(scale(0.62));
    eye.draw(kit, &Matrix::translation(2.6, 0.62, -1.6).after(turned), &cube);
}

fn scale(s: f32) -> Matrix {
    Matrix::scale(s, s, s)
}

fn attenuation(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0x0406_10ff);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true).combiners(&[LIT]);
    let eye = Eye::new(kit, &Eye::lens(0.62), [0.0, 7.0, 10.4], [0.0, 0.0, 0.45]);
    let lights: Vec<_> = (0..8).map(|k| lamp(&eye, k)).collect();
    for k in 0..8 {
        kit.list.light_table(table::distance(k), false, &|x| fading(k, x));
    }
    kit.list.light_table(table::D0, false, &|x| x.powi(50));
    let lighting = Lighting::new(0).table(table::D0, input::NH).clamp_highlights();
    lighting.ambient([0.06, 0.07, 0.12]).write(&mut kit.list, &lights);
    let tiles = Mesh::sheet(1, 1, |u, v| [(u - 0.5) * 30.0, 0.0, (0.5 - v) * 30.0]);
    eye.put(kit, &tiles.coloured([0.8, 0.8, 0.84, 1.0]));
    let pillar = kit.mesh(&pillar());
    for k in 0..8 {
        let [x, _, z] = around(k as f32 + 0.5, 2.45);
        eye.draw(kit, &Matrix::translation(x, 0.0, z), &pillar);
    }
    eye.draw(kit, &scale(1.5), &pillar);
    bulbs(kit, &eye);
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

/// Attenuation of a lamp over its reach: four fade evenly, two in steps, two as rings.
fn fading(lamp: u32, x: f32) -> f32 {
    let even = (1.0 - x).power(1.5);
    match lamp % 4 {
        1 => (even * 5.0).round() / 5.0,
        3 => even * (0.55 + 0.45 * (x * 9.0 * TAU).cosine()),
        _ => even,
    }
}

/// A place on a ring.
fn around(turn: f32, radius: f32) -> [f32; 3] {
    let (s, c) = (turn * TAU / 8.0).sine_cosine();
    [s * radius * 1.35, 0.7, c * radius]
}

fn hue(k: u32) -> [f32; 3] {
    let wave = |turn: f32| 0.66 + 0.44 * ((k as f32 / 8.0 - turn) * TAU).cosine();
    [wave(0.02), wave(0.36), wave(0.69)].map(|c| c.min(1.0))
}

fn lamp(eye: &Eye, k: u32) -> Light {
    let place = eye.point(around(k as f32, 3.6));
    Light::point(place).diffuse(hue(k)).specular(hue(k).map(|c| c * 0.6), [0.0; 3]).reach(4.6)
}

/// A baluster.
fn pillar() -> Mesh {
    Mesh::revolution(24, 16, |v| {
        let bulge = 0.2 + 0.1 * (v * TAU * 1.5).cosine();
        [if v > 0.99 { 0.0 } else { bulge }, v.min(0.98) * 1.3]
    })
    .coloured([0.95, 0.92, 0.86, 1.0])
}

/// The lamps themselves, without lighting.
fn bulbs(kit: &mut Kit, eye: &Eye) {
    kit.list.combiners(&[Combiner::replace(source::VERTEX)]);
    for k in 0..8 {
        let [r, g, b] = hue(k).map(|c| 0.5 + 0.5 * c);
        let ball = Mesh::sphere(16, 10).moved(0.14, around(k as f32, 3.6)).coloured([r, g, b, 1.0]);
        eye.put(kit, &ball);
    }
}
