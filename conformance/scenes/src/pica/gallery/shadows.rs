//! Shadow maps: depth is drawn from a lamp in shadow mode, then read as a shadow texture.

use super::lamp::{Lamp, Lighting, light};
use crate::modelling::matrix::{Matrix, cross, dot, sub};
use crate::modelling::mesh::{Mesh, Vertex};
use crate::modelling::paint::{Canvas, mix};
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::kit::{Buffers, Kit, Screen, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, func, op, source};
use picaflor_pipeline::pica::float;
use std::collections::BTreeSet;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "shadow_map",
    about: "Columns and a ring in low light: shadows that are sharp where they begin and soft where they end",
    build: shadow_map,
}];

/// The distance from the lamp that is depth 1.
pub(super) const REACH: f32 = 32.0;
const SIDE: u32 = 512;
const LAMP: [f32; 3] = [-9.0, 6.2, 4.0];

/// Rows for the projected program: s w, t w and w of a matrix, all times `scale`.
pub(super) fn rows(matrix: &Matrix, scale: f32) -> [[f32; 4]; 3] {
    let [x, y, _, w] = matrix.0;
    let half = |a: [f32; 4]| std::array::from_fn(|c| (a[c] + w[c]) * 0.5 * scale);
    [half(x), half(y), w.map(|v| v * scale)]
}

/// A shadow buffer: nothing near, all lit.
pub(super) fn shadow_buffer(kit: &mut Kit, side: u32) -> Buffers {
    let buffers = kit.buffers(side, side);
    kit.fill(buffers.colour, side * side * 4, 0xffff_ffff);
    buffers
}

/// Shadow mode: depth is the distance over [`REACH`]; `penumbra` is (scale, bias).
pub(super) fn shadow_mode(kit: &mut Kit, buffers: &Buffers, (scale, bias): (f32, f32)) {
    kit.list.defaults(buffers).depth_map(0.0, 1.0 / REACH, true).write(0x100, 0x00e4_0003);
    kit.list.write(0x130, float::encode_f16(scale + bias) | float::encode_f16(-scale) << 16);
}

/// The combiner of opaque shadow casters.
pub(super) const OPAQUE: Combiner = Combiner::replace(source::CONSTANT).constant([0, 0, 0, 255]);

/// A shadow buffer as a texture.
pub(super) const fn as_texture(buffers: &Buffers) -> Texture {
    let (width, height) = (buffers.width, buffers.height);
    Texture { address: buffers.colour, width, height, format: format::RGBA8, levels: 1 }
}

/// The word of the shadow register for a bias in the world's units.
pub(super) const fn bias(distance: f32) -> u32 {
    (distance / REACH * 16_777_216.0) as u32 & 0x00ff_fffe
}

fn shadow_map(kit: &mut Kit) {
    let things = things();
    let from_lamp = Matrix::perspective(0.75, 1.0, 1.0, REACH).after(Matrix::look_at(LAMP, [0.6, 0.6, 0.0]));
    let map = shadow_buffer(kit, SIDE);
    draw_map(kit, &map, &from_lamp, &things);
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0x2a2f_4cff);
    kit.list.defaults(&buffers).depth_test(func::GREATER, true).units(0b11);
    let program = ShaderProgram::assemble(programs::PROJECTED);
    let view = Matrix::look_at([2.6, 4.3, 8.6], [0.5, 0.75, 0.0]);
    kit.vertex_program(&program);
    kit.matrix(&program, "projection", &Screen::Top.perspective(0.62, 0.5, 60.0));
    kit.uniform(&program, "modelview", &view.affine());
    kit.uniform(&program, "projector", &rows(&from_lamp, 1.0 / REACH));
    kit.list.texture(0, &as_texture(&map), &Sampler { kind: 2, ..Sampler::LINEAR.wrap(0, 0) });
    kit.list.write(0x08b, bias(0.06));
    let [x, y, z, _] = view.apply(LAMP);
    let lamp = Lamp { at: [x, y, z], far: false, diffuse: [1.0, 0.86, 0.66], specular: [0.5, 0.45, 0.36] };
    light(&mut kit.list, &Lighting { ambient: [0.27, 0.3, 0.46], shine: 40.0, shadow: true }, &[lamp]);
    kit.list.combiners(&[
        Combiner::modulate(source::PRIMARY, source::VERTEX),
        Combiner::modulate(source::PREVIOUS, source::TEXTURE1),
        Combiner::both(op::ADD, [source::PREVIOUS, source::SECONDARY, source::SECONDARY]),
    ]);
    draw_lit(kit, &things);
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

fn draw_map(kit: &mut Kit, map: &Buffers, from_lamp: &Matrix, things: &[Mesh]) {
    let program = ShaderProgram::assemble(programs::COLOUR);
    shadow_mode(kit, map, (2.6, 0.12));
    kit.vertex_program(&program);
    kit.matrix(&program, "transform", from_lamp);
    kit.list.combiners(&[OPAQUE]);
    for mesh in things.iter().chain([&ground()]) {
        let placed = kit.mesh(mesh);
        kit.draw(&placed);
    }
    kit.list.combiners(&[Combiner::replace(source::VERTEX)]);
    for mesh in things {
        let placed = kit.mesh(&silhouette(mesh, LAMP, 0.34));
        kit.draw(&placed);
    }
    kit.submit();
}

fn draw_lit(kit: &mut Kit, things: &[Mesh]) {
    let plain = kit.texture(&Canvas::plain(8, 8, [255; 4]), format::I8);
    kit.list.texture(1, &plain, &Sampler::NEAREST);
    for mesh in things {
        let placed = kit.mesh(mesh);
        kit.draw(&placed);
    }
    let slabs = Canvas::checker(64, 2, [226, 214, 196, 255], [186, 170, 160, 255]);
    let slabs = kit.mipmapped(&slabs, format::RGB565, 4);
    kit.list.texture(1, &slabs, &Sampler::LINEAR);
    let placed = kit.mesh(&ground());
    kit.draw(&placed);
}

fn ground() -> Mesh {
    Mesh::floor(24.0, 24).tiled(9.0).map(|corner| {
        let [x, _, z] = corner.position;
        corner.colour = mix([1.0; 4], [0.5, 0.55, 0.8, 1.0], (x * x + z * z) / 140.0);
    })
}

fn things() -> Vec<Mesh> {
    let column = |x: f32, z: f32, height: f32| {
        Mesh::revolution(32, 40, move |v| {
            let foot = 0.16 * (1.0 - v * 7.0).max(0.0).sqrt();
            let head = 0.14 * ((v - 0.8) * 9.0).clamp(0.0, 1.0);
            let shaft = 0.26 - 0.05 * v;
            [(shaft + foot + head) * ((1.0 - v) * 30.0).min(1.0), (v * 1.03).min(1.0) * height]
        })
        .moved(1.0, [x, 0.0, z])
        .coloured([0.96, 0.9, 0.82, 1.0])
    };
    let ring = Matrix::translation(0.7, 1.25, 0.5)
        .after(Matrix::rotation_y(0.9))
        .after(Matrix::rotation_x(1.35))
        .after(Matrix::scale(0.85, 0.85, 0.85));
    vec![
        column(-2.6, -1.6, 2.9),
        column(-0.9, -2.1, 2.9),
        column(-2.9, 1.2, 1.5),
        Mesh::torus(56, 20, 0.3).placed(&ring).coloured([0.9, 0.36, 0.22, 1.0]),
        Mesh::sphere(48, 32).moved(0.5, [2.7, 0.5, 1.7]).coloured([0.3, 0.56, 0.8, 1.0]),
    ]
}

/// Strips that lead outward, `width` wide, from a lamp's silhouette of a smooth shape; their colour grows from black
/// to white.
fn silhouette(mesh: &Mesh, lamp: [f32; 3], width: f32) -> Mesh {
    let key = |corner: &Vertex| corner.position.map(|p| (p * 4096.0).round() as i32);
    let (mut lit, mut unlit) = (Vec::new(), BTreeSet::new());
    for triangle in mesh.indices.chunks_exact(3) {
        let [a, b, c] = [0, 1, 2].map(|k| mesh.vertices[usize::from(triangle[k])]);
        let facing = cross(sub(b.position, a.position), sub(c.position, a.position));
        let seen = dot(facing, sub(lamp, a.position));
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if seen > 0.0 {
                lit.push((from, to));
            } else if dot(facing, facing) > 1e-12 {
                unlit.insert((key(&from), key(&to)));
            }
        }
    }
    let mut strips = Mesh::default();
    for (from, to) in lit.into_iter().filter(|(from, to)| unlit.contains(&(key(to), key(from)))) {
        strips.append(&strip(from, to, width));
    }
    strips
}

fn strip(from: Vertex, to: Vertex, width: f32) -> Mesh {
    let black = |vertex: Vertex| Vertex { colour: [0.0, 0.0, 0.0, 1.0], ..vertex };
    let outer = |vertex: Vertex| {
        let position = std::array::from_fn(|c| vertex.position[c] + vertex.normal[c] * width);
        Vertex { position, colour: [1.0; 4], ..vertex }
    };
    Mesh { vertices: vec![black(from), outer(from), outer(to), black(to)], indices: vec![0, 1, 2, 0, 2, 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ball_has_a_round_silhouette_that_leads_outward() {
        let strips = silhouette(&Mesh::sphere(32, 24), [100.0, 0.0, 0.0], 0.5);
        assert!(strips.indices.len() / 6 >= 32);
        for corner in &strips.vertices {
            let [x, y, z] = corner.position;
            let outer = corner.colour[0] > 0.5;
            assert!(x.abs() < 0.35, "{corner:?}");
            let radius = (x * x + y * y + z * z).sqrt();
            assert!((radius - if outer { 1.5 } else { 1.0 }).abs() < 1e-4, "{corner:?}");
        }
    }

    #[test]
    fn rows_take_clip_space_to_the_unit_square() {
        let [s, t, w] = rows(&Matrix::IDENTITY, 0.25);
        let at = |row: [f32; 4], p: [f32; 3]| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
        assert_eq!([s, t, w].map(|row| at(row, [-1.0, 1.0, -0.5])), [0.0, 0.25, 0.25]);
    }
}
