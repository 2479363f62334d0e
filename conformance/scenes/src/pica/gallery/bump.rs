//! Normal maps and tangent maps.

use super::eye::{Eye, LIT, LIT_PREVIOUS, PAINTED};
use crate::modelling::math::Real;
use crate::modelling::matrix::{Matrix, unit};
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, clouds, hash, mix};
use crate::pica::Scene;
use crate::pica::kit::{Kit, Screen};
use crate::pica::light::{Light, Lighting, input, table};
use crate::pica::state::{Combiner, Sampler, State, func, source};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "bump_map",
    about: "A brick wall and a hammered ball from normal maps, and a brushed disc from a tangent map",
    build: bump_map,
}];

/// The two lamps in front of the wall, and their colours.
const LAMPS: [([f32; 3], [f32; 3]); 2] =
    [([-2.0, 1.2, 1.6], [1.0, 0.78, 0.5]), ([2.15, -0.95, 1.5], [0.4, 0.58, 1.0])];

fn bump_map(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0x0808_0cff);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true).units(3);
    let eye = Eye::new(kit, &Eye::lens(0.62), [0.0, 0.0, 6.4], [0.0; 3]);
    let lights = LAMPS.map(|(place, colour)| {
        let light = Light::point(eye.point(place)).diffuse(colour).reach(7.0);
        light.specular(colour.map(|c| c * 0.8), [0.0; 3])
    });
    for k in 0..2 {
        kit.list.light_table(table::distance(k), false, &|x| 1.0 - x);
    }
    wall(kit, &eye, &lights);
    ball(kit, &eye, &lights);
    disc(kit, &eye, &lights);
    bulbs(kit, &eye);
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

/// Lighting with normals from unit 1 and a highlight of some sharpness.
fn bumped(kit: &mut Kit, lights: &[Light], sharpness: i32) {
    kit.list.light_table(table::D0, false, &|x| 0.8 * x.powi(sharpness));
    let lighting = Lighting::new(0).table(table::D0, input::NH).bump(1, 1).clamp_highlights();
    lighting.ambient([0.05, 0.05, 0.08]).write(&mut kit.list, lights);
}

fn wall(kit: &mut Kit, eye: &Eye, lights: &[Light]) {
    let paint = kit.mipmapped(&Canvas::paint(256, 256, brick_colour), 1, 6);
    let normals = kit.mipmapped(&normal_map(256, 0.03, brick_height), 1, 6);
    kit.list.texture(0, &paint, &Sampler::LINEAR).texture(1, &normals, &Sampler::LINEAR);
    kit.list.combiners(&[PAINTED, LIT_PREVIOUS]);
    bumped(kit, lights, 14);
    let wall = Mesh::quad(8.0, 4.8).map(|vertex| vertex.uv = [vertex.uv[0] * 2.0, vertex.uv[1] * 1.2]);
    eye.put(kit, &wall);
}

/// A half of a ball, with texture coordinates as seen from the front: there the frame of the map is that of
/// the eye.
fn ball(kit: &mut Kit, eye: &Eye, lights: &[Light]) {
    let normals = kit.mipmapped(&normal_map(256, 0.02, dents), 1, 5);
    kit.list.texture(1, &normals, &Sampler::LINEAR).combiners(&[LIT]);
    bumped(kit, lights, 40);
    let ball = Mesh::sphere(64, 40).map(|vertex| {
        let [x, y, _] = vertex.position;
        vertex.uv = [x * 0.5 + 0.5, y * 0.5 + 0.5];
    });
    eye.put(kit, &ball.moved(0.95, [-1.05, -0.4, 0.0]).coloured([0.96, 0.72, 0.34, 1.0]));
}

/// A disc whose grooves run around its centre.
fn disc(kit: &mut Kit, eye: &Eye, lights: &[Light]) {
    let tangents = kit.texture(&Canvas::paint(256, 256, tangent), 1);
    kit.list.texture(1, &tangents, &Sampler::LINEAR).combiners(&[LIT]);
    kit.list.light_table(table::D0, true, &|x| 0.85 * (1.0 - x * x).max(0.0).powi(60));
    let lighting = Lighting::new(8).signed_table(table::D0, input::CP).bump(1, 2).clamp_highlights();
    lighting.ambient([0.06, 0.06, 0.08]).write(&mut kit.list, lights);
    let face = Mesh::revolution(64, 8, |v| [1.0 - v, 0.1 * (1.0 - (1.0 - v).powi(4))]).map(|vertex| {
        let [x, y, z] = vertex.position;
        (vertex.position, vertex.uv) = ([x, -z, y], [x * 0.5 + 0.5, 0.5 - z * 0.5]);
        vertex.normal = unit([vertex.normal[0], -vertex.normal[2], vertex.normal[1]]);
    });
    let placed = kit.mesh(&face.coloured([0.42, 0.44, 0.48, 1.0]));
    eye.draw(kit, &Matrix::translation(1.2, 0.4, 0.3), &placed);
}

fn bulbs(kit: &mut Kit, eye: &Eye) {
    kit.list.combiners(&[Combiner::replace(source::VERTEX)]);
    for (place, [r, g, b]) in LAMPS {
        let colour = [0.5 + 0.5 * r, 0.5 + 0.5 * g, 0.5 + 0.5 * b, 1.0];
        eye.put(kit, &Mesh::sphere(16, 10).moved(0.09, place).coloured(colour));
    }
}

/// Which brick, and where in it: column, row, and the distance from its edge.
fn brick(x: f32, y: f32) -> (u32, u32, f32) {
    let row = (y * 8.0).floor();
    let along = (x * 4.0 + 0.5 * (row % 2.0)).rem_euclid(4.0);
    let (fx, fy) = (along.fract(), (y * 8.0).fract());
    let edge = (fx.min(1.0 - fx) * 2.0).min(fy.min(1.0 - fy));
    (along as u32, row as u32, edge)
}

fn brick_height(x: f32, y: f32) -> f32 {
    let (column, row, edge) = brick(x.rem_euclid(1.0), y.rem_euclid(1.0));
    let body = ((edge - 0.04) * 9.0).clamp(0.0, 1.0);
    body * (0.8 + 0.2 * hash(column, row, 3)) + 0.25 * clouds(x.rem_euclid(1.0), y.rem_euclid(1.0), 9)
}

fn brick_colour(x: f32, y: f32) -> [f32; 4] {
    let (column, row, edge) = brick(x, y);
    let tone = hash(column, row, 7);
    let clay = mix([0.62, 0.27, 0.19, 1.0], [0.82, 0.46, 0.3, 1.0], tone);
    let worn = mix(clay, [0.46, 0.3, 0.26, 1.0], (clouds(x, y, 21) - 0.4) * 2.0);
    mix([0.66, 0.63, 0.58, 1.0], worn, (edge - 0.05) * 18.0)
}

/// Marks of a hammer: the nearest of many points.
fn dents(x: f32, y: f32) -> f32 {
    let (cx, cy) = ((x * 14.0).floor() as i32, (y * 14.0).floor() as i32);
    let centre = |cx: i32, cy: i32| {
        let at = |seed| hash(cx as u32 & 0xff, cy as u32 & 0xff, seed);
        (cx as f32 + at(1) - x * 14.0).powi(2) + (cy as f32 + at(2) - y * 14.0).powi(2)
    };
    let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
    around.map(|(dx, dy)| centre(cx + dx, cy + dy)).fold(2.0, f32::min)
}

/// Normals of a height; x to the right, y upward.
fn normal_map(size: u32, depth: f32, height: impl Fn(f32, f32) -> f32) -> Canvas {
    let step = 1.0 / size as f32;
    Canvas::paint(size, size, |x, y| {
        let across = (height(x + step, y) - height(x - step, y)) / (2.0 * step);
        let down = (height(x, y + step) - height(x, y - step)) / (2.0 * step);
        encoded([-across * depth, down * depth, 1.0])
    })
}

/// The direction around the centre.
fn tangent(x: f32, y: f32) -> [f32; 4] {
    let angle = (0.5 - y).angle(x - 0.5)
        + 0.06 * (hash(((x - 0.5).hypotenuse(y - 0.5) * 200.0) as u32, 0, 5) - 0.5) * TAU / 6.0;
    encoded([-angle.sine(), angle.cosine(), 0.0])
}

/// A direction as a colour.
fn encoded(direction: [f32; 3]) -> [f32; 4] {
    let [x, y, z] = unit(direction).map(|c| c * 0.5 + 0.5);
    [x, y, z, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_leans_its_normals_away() {
        let rising = normal_map(8, 1.0, |x, _| x);
        let [x, y, z, _] = rising.at(4, 4).map(f32::from);
        assert!(x < 64.0 && (y - 128.0).abs() < 1.0 && z > 192.0, "{x} {y} {z}");
        assert_eq!(normal_map(8, 1.0, |_, _| 0.5).at(3, 3), [128, 128, 255, 255]);
    }
}
