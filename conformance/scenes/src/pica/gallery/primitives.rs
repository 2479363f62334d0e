//! Ways to say triangles.

use crate::modelling::math::Real;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::mix;
use crate::pica::Scene;
use crate::pica::flat::{self, Label};
use crate::pica::kit::{Buffers, FCRAM, Kit, Screen, ShaderProgram};
use crate::pica::programs;
use crate::pica::state::State;
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "primitives",
    about: "List, strip, fan, indexed list, indexed strip and immediate vertices, with numbered corners",
    build: primitives,
}];

const TOP: Screen = Screen::Top;
/// A corner: place in a cell and colour.
type Corner = ([f32; 2], [f32; 4]);

fn primitives(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0x1018_2aff);
    cells(kit, &buffers);
    let program = ShaderProgram::assemble(programs::COLOUR);
    kit.vertex_program(&program);
    kit.matrix(&program, "transform", &TOP.flat());
    kit.list.defaults(&buffers).write(0x058, 1);
    arrays(kit, 0, &list(), 0);
    arrays(kit, 1, &strip(), 1);
    arrays(kit, 2, &fan(), 2);
    indexed(kit, 3, &wheel(), 3, &wheel_indices());
    indexed(kit, 4, &ladder(), 1, &[0, 3, 1, 4, 2, 5, 5, 8, 8, 5, 7, 4, 6, 3]);
    immediate(kit, 5, &star());
    kit.list.write(0x058, 0);
    captions(kit, &buffers);
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

/// The middle of a cell, from the upper left corner of the screen.
fn middle(cell: usize) -> [f32; 2] {
    [67.0 + (cell % 3) as f32 * 133.0, 68.0 + (cell / 3) as f32 * 119.0]
}

fn cells(kit: &mut Kit, buffers: &Buffers) {
    let mut mesh = Mesh::default();
    for cell in 0..6 {
        let [x, y] = middle(cell);
        let panel = [x - 63.0, y - 64.0, x + 63.0, y + 52.0];
        mesh.append(&flat::shaded(panel, [0.14, 0.2, 0.34, 1.0], [0.09, 0.13, 0.23, 1.0]));
        mesh.append(&flat::rect([panel[0], panel[1], panel[2], panel[1] + 15.0], [0.2, 0.3, 0.5, 1.0]));
    }
    flat::panels(kit, TOP, buffers, &mesh);
}

/// From warm to cool along the corners.
fn hue(k: usize, count: usize) -> [f32; 4] {
    let stops = [
        [0.98, 0.82, 0.3, 1.0],
        [0.96, 0.5, 0.24, 1.0],
        [0.88, 0.28, 0.42, 1.0],
        [0.52, 0.3, 0.72, 1.0],
        [0.22, 0.5, 0.88, 1.0],
        [0.22, 0.78, 0.72, 1.0],
    ];
    let along = k as f32 / count.max(2) as f32 * (stops.len() - 1) as f32;
    let left = along as usize;
    mix(stops[left], stops[(left + 1).min(stops.len() - 1)], along.fract())
}

fn corners(places: &[[f32; 2]]) -> Vec<Corner> {
    places.iter().enumerate().map(|(k, &place)| (place, hue(k, places.len()))).collect()
}

fn on_circle(turn: f32, radius: f32) -> [f32; 2] {
    let (s, c) = (turn * TAU).sine_cosine();
    [s * radius, c * radius]
}

fn list() -> Vec<Corner> {
    corners(&[
        [-50.0, -32.0],
        [-8.0, -36.0],
        [-34.0, 8.0],
        [-12.0, 36.0],
        [-6.0, -14.0],
        [22.0, 22.0],
        [16.0, -36.0],
        [52.0, -20.0],
        [34.0, 30.0],
    ])
}

fn strip() -> Vec<Corner> {
    let zigzag = |k: u32| [-49.0 + k as f32 * 14.0, if k.is_multiple_of(2) { -30.0 } else { 26.0 }];
    corners(&(0..8).map(zigzag).collect::<Vec<_>>())
}

fn fan() -> Vec<Corner> {
    let rim = (0..9).map(|k| on_circle(k as f32 / 8.0 * 0.8 - 0.4, 46.0 - (k % 2) as f32 * 8.0));
    corners(&[[0.0, -4.0]].into_iter().chain(rim.map(|[x, y]| [x, y - 4.0])).collect::<Vec<_>>())
}

/// A hexagon of two rings of corners, each used several times.
fn wheel() -> Vec<Corner> {
    let ring = |radius: f32, shift: f32| (0..6).map(move |k| on_circle(k as f32 / 6.0 + shift, radius));
    corners(&ring(19.0, 0.0).chain(ring(44.0, 1.0 / 12.0)).collect::<Vec<_>>())
}

fn wheel_indices() -> Vec<u16> {
    let spoke = |k: u16| [k, k + 6, (k + 1) % 6, k + 6, (k + 1) % 6 + 6, (k + 1) % 6];
    (0..6).flat_map(spoke).collect()
}

/// Three rows of three, which a strip visits with a turn.
fn ladder() -> Vec<Corner> {
    let place = |k: u32| [(k % 3) as f32 * 44.0 - 44.0, 34.0 - (k / 3) as f32 * 34.0];
    corners(&(0..9).map(place).collect::<Vec<_>>())
}

fn star() -> Vec<Corner> {
    let spike = |k: u32| {
        let turn = k as f32 / 7.0;
        [on_circle(turn - 0.06, 17.0), on_circle(turn, 46.0), on_circle(turn + 0.06, 17.0)]
    };
    corners(&(0..7).flat_map(spike).collect::<Vec<_>>())
}

fn vertex(cell: usize, (at, colour): Corner) -> [[f32; 4]; 4] {
    let [x, y] = middle(cell);
    let place = [x + at[0], 240.0 - y + at[1], 0.0, 1.0];
    [place, [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0], colour]
}

/// Corners in the layout of a mesh.
fn place(kit: &mut Kit, cell: usize, corners: &[Corner]) {
    let floats = corners.iter().flat_map(|&corner| {
        let [place, normal, uv, colour] = vertex(cell, corner);
        [&place[..3], &normal[..3], &uv[..2], &colour[..]].concat()
    });
    let address = kit.data(floats.flat_map(f32::to_le_bytes).collect());
    kit.arrays(address, 48, &[(3, 3), (3, 3), (3, 2), (3, 4)]);
}

fn arrays(kit: &mut Kit, cell: usize, corners: &[Corner], topology: u32) {
    place(kit, cell, corners);
    kit.list.draw_arrays(topology, 0, corners.len() as u32);
}

fn indexed(kit: &mut Kit, cell: usize, corners: &[Corner], topology: u32, indices: &[u16]) {
    let list = kit.data(indices.iter().flat_map(|index| index.to_le_bytes()).collect());
    place(kit, cell, corners);
    kit.list.draw_elements(topology, list - FCRAM, indices.len() as u32);
}

fn immediate(kit: &mut Kit, cell: usize, corners: &[Corner]) {
    let vertices: Vec<_> = corners.iter().map(|&corner| vertex(cell, corner)).collect();
    kit.list.write(0x242, 3).immediate(0, vertices.iter().map(|vertex| &vertex[..]));
}

/// Names of the cells, numbers of the corners.
fn captions(kit: &mut Kit, buffers: &Buffers) {
    let names = ["LIST", "STRIP", "FAN", "INDEXED LIST", "INDEXED STRIP", "IMMEDIATE"];
    let numbers: Vec<_> = (0..12).map(|k| k.to_string()).collect();
    let mut labels = Vec::new();
    for (cell, name) in names.into_iter().enumerate() {
        let [x, y] = middle(cell);
        labels.push(Label::centred(x as u32, y as u32 - 60, 1, name));
    }
    for (cell, corners) in [list(), strip(), fan(), wheel(), ladder()].iter().enumerate() {
        for (k, (at, _)) in corners.iter().enumerate() {
            let [x, y] = middle(cell);
            let out = if at[1] < 0.0 { 3.0 } else { -10.0 };
            let (left, top) = (x + at[0] - 2.0, y - at[1] + out);
            labels.push(Label::new(left as u32, top as u32, &numbers[k]));
        }
    }
    flat::labels(kit, TOP, buffers, &labels);
}
