//! Shadow volumes in the stencil buffer.

use super::eye::{Eye, LIT};
use crate::modelling::matrix::{Matrix, cross, dot, sub, unit};
use crate::modelling::mesh::{Mesh, Vertex};
use crate::pica::Scene;
use crate::pica::kit::{Kit, Placed, Screen};
use crate::pica::light::{Light, Lighting, input, table};
use crate::pica::state::{Combiner, State, func, source};
use std::collections::HashSet;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "stencil_shadows",
    about: "Two lamps with shadow volumes counted where depth fails: each lamp adds light outside its shadows",
    build: stencil_shadows,
}];

/// The lamps and their colours.
const LAMPS: [([f32; 3], [f32; 3]); 2] =
    [([-3.1, 3.3, 1.8], [0.95, 0.72, 0.42]), ([3.5, 2.9, 2.2], [0.24, 0.38, 0.74])];
/// Length of shadows.
const REACH: f32 = 12.0;
/// Stencil operations.
const ZERO: u32 = 1;
const COUNT_UP: u32 = 6;
const COUNT_DOWN: u32 = 7;

fn stencil_shadows(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0x1014_20ff);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    let eye = Eye::new(kit, &Eye::lens(0.56), [0.4, 3.6, 9.4], [0.2, 1.35, 0.0]);
    let casters = casters();
    let scene = [kit.mesh(&room()), kit.mesh(&casters)];
    dusk(kit, &eye, &scene);
    for (place, colour) in LAMPS {
        let volume = kit.mesh(&volume(&casters, place));
        count(kit, &eye, &volume);
        add_light(kit, &eye, &scene, place, colour);
    }
    bulbs(kit, &eye);
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

/// Depth, and the light that is everywhere.
fn dusk(kit: &mut Kit, eye: &Eye, scene: &[Placed]) {
    let black = Light::point([0.0; 3]);
    Lighting::new(0).ambient([0.13, 0.14, 0.2]).write(&mut kit.list, &[black]);
    kit.list.combiners(&[LIT]);
    scene.iter().for_each(|part| eye.draw(kit, &Matrix::IDENTITY, part));
}

/// Counts, for each pixel, the sides of the volume behind the visible surface: back sides up, front sides down. The
/// count is 0 outside of the volume.
fn count(kit: &mut Kit, eye: &Eye, volume: &Placed) {
    kit.list.write(0x1c6, 1).write(0x08f, 0).combiners(&[Combiner::replace(source::VERTEX)]);
    kit.list.cull(0).writes(0, None, false).stencil(func::ALWAYS, 0, [0xff; 2], [ZERO; 3]);
    eye.overlay(kit, &Mesh::quad(9.0, 6.0).moved(1.0, [0.0, 0.0, -2.0]));
    for (faces, change) in [(1, COUNT_UP), (2, COUNT_DOWN)] {
        kit.list.cull(faces).writes(0, Some(func::GREATER), false);
        kit.list.stencil(func::ALWAYS, 0, [0xff; 2], [0, change, 0]);
        eye.draw(kit, &Matrix::IDENTITY, volume);
    }
}

/// Adds a lamp where the count is 0.
fn add_light(kit: &mut Kit, eye: &Eye, scene: &[Placed], place: [f32; 3], colour: [f32; 3]) {
    kit.list.light_table(table::D0, false, &|x| 0.6 * x.powi(30));
    kit.list.light_table(table::distance(0), false, &|x| (1.0 - x * 0.85).powi(2) * 1.35);
    let lamp = Light::point(eye.point(place)).diffuse(colour).specular(colour, [0.0; 3]).reach(16.0);
    let lighting = Lighting::new(0).table(table::D0, input::NH).clamp_highlights();
    lighting.write(&mut kit.list, &[lamp]);
    kit.list.combiners(&[LIT]).cull(2).depth_test(func::EQUAL, false).blend(0, 1, 1);
    kit.list.stencil(func::EQUAL, 0, [0xff, 0], [0; 3]);
    scene.iter().for_each(|part| eye.draw(kit, &Matrix::IDENTITY, part));
}

fn bulbs(kit: &mut Kit, eye: &Eye) {
    kit.list.combiners(&[Combiner::replace(source::VERTEX)]).no_stencil().logic_op(3);
    kit.list.depth_test(func::GREATER, true);
    for (place, [r, g, b]) in LAMPS {
        let colour = [0.6 + 0.4 * r, 0.6 + 0.4 * g, 0.6 + 0.4 * b, 1.0];
        eye.put(kit, &Mesh::sphere(16, 10).moved(0.13, place).coloured(colour));
    }
}

fn room() -> Mesh {
    let mut room = Mesh::floor(24.0, 1).coloured([0.78, 0.72, 0.66, 1.0]);
    room.append(&Mesh::quad(24.0, 14.0).moved(1.0, [0.0, 7.0, -4.0]).coloured([0.72, 0.74, 0.8, 1.0]));
    room
}

/// The shadow casters: flat faces, so that light and shadow change at the same edges.
fn casters() -> Mesh {
    let mut all = Mesh::default();
    let mut put = |mesh: Mesh, place: Matrix, colour: [f32; 4]| {
        all.append(&faceted(&mesh, &place).coloured(colour));
    };
    let size = |s: f32| Matrix::scale(s, s, s);
    let ring = Matrix::rotation_y(0.4).after(Matrix::rotation_x(1.4));
    put(Mesh::torus(20, 9, 0.28), Matrix::translation(-0.4, 1.36, -0.1).after(ring), [0.9, 0.5, 0.36, 1.0]);
    let turned = Matrix::rotation_y(0.5).after(size(0.55));
    put(Mesh::cube(), Matrix::translation(-2.5, 0.55, 0.4).after(turned), [0.85, 0.8, 0.7, 1.0]);
    let gem = Matrix::translation(2.0, 1.0, 0.5).after(Matrix::scale(0.6, 1.0, 0.6));
    put(Mesh::sphere(6, 4), gem, [0.5, 0.78, 0.74, 1.0]);
    let post = Matrix::scale(0.14, 1.1, 0.14);
    for x in [-3.3, -2.1, 2.7, 3.9] {
        put(Mesh::cube(), Matrix::translation(x, 1.1, -1.9).after(post), [0.7, 0.6, 0.55, 1.0]);
    }
    for x in [-2.7, 3.3] {
        let beam = Matrix::translation(x, 2.3, -1.9).after(Matrix::scale(0.9, 0.1, 0.2));
        put(Mesh::cube(), beam, [0.7, 0.6, 0.55, 1.0]);
    }
    all
}

/// A placed shape with three corners of its own for each triangle, and the normal of its face.
fn faceted(mesh: &Mesh, place: &Matrix) -> Mesh {
    let mut flat = Mesh::default();
    for corners in mesh.indices.chunks_exact(3) {
        let points = [0, 1, 2].map(|c| {
            let [x, y, z, _] = place.apply(mesh.vertices[usize::from(corners[c])].position);
            [x, y, z]
        });
        let normal = cross(sub(points[1], points[0]), sub(points[2], points[0]));
        if dot(normal, normal) > 1e-10 {
            triangle(&mut flat, points, unit(normal));
        }
    }
    flat
}

fn triangle(mesh: &mut Mesh, points: [[f32; 3]; 3], normal: [f32; 3]) {
    for position in points {
        mesh.indices.push(mesh.vertices.len() as u16);
        mesh.vertices.push(Vertex { position, normal, uv: [0.0; 2], colour: [1.0; 4] });
    }
}

/// The shadow of a shape: the faces that see the lamp, the same ones far behind, and a wall along each edge
/// between a face that sees it and one that does not.
fn volume(casters: &Mesh, lamp: [f32; 3]) -> Mesh {
    let faces = casters.vertices.chunks_exact(3).map(|face| [0, 1, 2].map(|c| face[c].position));
    let sees = |face: &[[f32; 3]; 3]| {
        let normal = cross(sub(face[1], face[0]), sub(face[2], face[0]));
        dot(normal, sub(lamp, face[0])) > 0.0
    };
    let lit: Vec<_> = faces.filter(sees).collect();
    let edges: HashSet<_> =
        lit.iter().flat_map(|&face| around(face)).map(|[a, b]| [key(a), key(b)]).collect();
    let mut volume = Mesh::default();
    for face in lit {
        let [a, b, c] = face.map(|point| away(point, lamp));
        triangle(&mut volume, face, [0.0; 3]);
        triangle(&mut volume, [c, b, a], [0.0; 3]);
        for [a, b] in around(face).into_iter().filter(|&[a, b]| !edges.contains(&[key(b), key(a)])) {
            let (far_a, far_b) = (away(a, lamp), away(b, lamp));
            triangle(&mut volume, [b, a, far_a], [0.0; 3]);
            triangle(&mut volume, [b, far_a, far_b], [0.0; 3]);
        }
    }
    volume
}

/// The edges of a face in its direction of turn.
fn around([a, b, c]: [[f32; 3]; 3]) -> [[[f32; 3]; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The same for corners at the same place.
fn key(point: [f32; 3]) -> [i32; 3] {
    point.map(|p| (p * 4096.0).round() as i32)
}

fn away(point: [f32; 3], lamp: [f32; 3]) -> [f32; 3] {
    let direction = unit(sub(point, lamp));
    [0, 1, 2].map(|c| point[c] + direction[c] * REACH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn volumes_are_closed() {
        let casters = casters();
        for (lamp, _) in LAMPS {
            let volume = volume(&casters, lamp);
            let mut open: HashMap<_, i32> = HashMap::new();
            for face in volume.vertices.chunks_exact(3) {
                for [a, b] in around([0, 1, 2].map(|c| face[c].position)) {
                    let (a, b) = (key(a), key(b));
                    *open.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
                }
            }
            assert!(open.len() > 500 && open.values().all(|&balance| balance == 0));
        }
    }
}
