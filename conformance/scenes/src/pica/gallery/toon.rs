//! Drawn light: tables with steps, and outlines.

use super::eye::{Eye, Part};
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::pica::Scene;
use crate::pica::kit::{Kit, Screen};
use crate::pica::light::{Light, Lighting, input, table};
use crate::pica::state::{Combiner, State, func, op, source};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "toon",
    about: "A hummingbird in three tones from reflection tables, outlined by its hull turned inside out",
    build: toon,
}];

fn toon(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0xf7e4_bcff);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    let eye = Eye::new(kit, &Eye::lens(0.5), [0.45, 0.5, 8.4], [0.45, 0.2, 0.0]);
    let mut picture = bird();
    picture.append(&flower());
    plain(kit);
    eye.put(kit, &disc([0.3, 0.25, -3.0], 2.35, [0.97, 0.73, 0.42, 1.0]));
    tones(kit, &eye);
    eye.put(kit, &picture);
    plain(kit);
    kit.list.cull(1);
    eye.put(kit, &hull(picture));
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

/// Vertex colours as they are.
fn plain(kit: &mut Kit) {
    kit.list.combiners(&[Combiner::replace(source::VERTEX)]);
}

/// Three tones over the angle to the light, violet in the shadow, and a spot of white through alpha.
fn tones(kit: &mut Kit, eye: &Eye) {
    let sun = Light::directional(eye.direction([-0.4, 0.75, 0.55])).specular([0.0; 3], [1.0; 3]);
    for (id, [shade, half]) in [(table::RR, [0.5, 0.82]), (table::RG, [0.44, 0.8]), (table::RB, [0.68, 0.88])]
    {
        let tone = |x| [shade, half, 1.0][usize::from(x > 0.1) + usize::from(x > 0.5)];
        kit.list.light_table(id, false, &tone);
    }
    kit.list.light_table(table::FR, false, &|x| f32::from(u8::from(x > 0.975)));
    let lighting = [table::RR, table::RG, table::RB].into_iter();
    let lighting = lighting.fold(Lighting::new(5), |lighting, id| lighting.table(id, input::LN));
    lighting.table(table::FR, input::NH).fresnel(false, true).write(&mut kit.list, &[sun]);
    let toned =
        Combiner::modulate(source::VERTEX, source::SECONDARY).alpha(op::REPLACE, [source::SECONDARY; 3]);
    let shine = Combiner::both(op::INTERPOLATE, [source::CONSTANT, source::PREVIOUS, source::PREVIOUS])
        .operands([0, 0, 2])
        .constant([255, 250, 235, 255]);
    kit.list.combiners(&[toned, shine]);
}

/// All of it a little larger and in ink; only its inside is drawn.
fn hull(mesh: Mesh) -> Mesh {
    mesh.map(|vertex| {
        let normal = vertex.normal;
        for (place, normal) in vertex.position.iter_mut().zip(normal) {
            *place += normal * 0.028;
        }
        vertex.colour = [0.16, 0.1, 0.2, 1.0];
    })
}

fn disc(at: [f32; 3], radius: f32, colour: [f32; 4]) -> Mesh {
    let flat = Mesh::revolution(48, 1, |v| [1.0 - v, 0.0]).map(|vertex| {
        let [x, _, z] = vertex.position;
        vertex.position = [x, -z, 0.0];
    });
    flat.moved(radius, at).coloured(colour)
}

/// Feathers and skin.
const GREEN: [f32; 4] = [0.2, 0.68, 0.46, 1.0];
const DEEP: [f32; 4] = [0.12, 0.48, 0.52, 1.0];
const RUBY: [f32; 4] = [0.88, 0.18, 0.34, 1.0];
const CREAM: [f32; 4] = [0.97, 0.93, 0.83, 1.0];
const INK: [f32; 4] = [0.2, 0.15, 0.24, 1.0];

fn bird() -> Mesh {
    let parts = [
        Part::new([0.8, 0.4, 0.4], [-0.75, -0.1, 0.0], 0.62, GREEN),
        Part::new([0.55, 0.31, 0.36], [-0.52, -0.16, 0.06], 0.75, CREAM),
        Part::new([0.37, 0.34, 0.34], [-0.06, 0.52, 0.0], 0.0, GREEN),
        Part::new([0.24, 0.2, 0.27], [0.06, 0.33, 0.04], 0.5, RUBY),
        Part::new([0.62, 0.035, 0.04], [0.84, 0.5, 0.0], -0.03, INK),
        Part::new([0.075, 0.085, 0.05], [0.13, 0.6, 0.29], 0.0, INK),
        Part::new([0.02, 0.024, 0.02], [0.15, 0.63, 0.34], 0.0, CREAM),
        Part::new([0.5, 0.1, 0.05], [-1.6, -0.72, 0.06], 0.55, DEEP),
        Part::new([0.5, 0.1, 0.05], [-1.62, -0.62, -0.08], 0.3, DEEP),
        Part::new([0.85, 0.24, 0.05], [-1.1, 0.78, 0.34], 2.2, DEEP),
        Part::new([0.62, 0.17, 0.06], [-0.95, 0.6, 0.44], 2.2, GREEN),
        Part::new([0.85, 0.24, 0.05], [-0.45, 0.98, -0.4], 1.75, DEEP),
    ];
    Part::join(&parts)
}

/// Petals around a heart that looks at the bird, a stem and two leaves.
fn flower() -> Mesh {
    let heart = [1.78, 0.5, 0.0];
    let mut parts = vec![
        Part::new([0.2, 0.2, 0.2], heart, 0.0, [0.98, 0.78, 0.24, 1.0]),
        Part::new([0.045, 1.2, 0.045], [2.05, -0.75, -0.05], 0.14, [0.3, 0.55, 0.25, 1.0]),
        Part::new([0.42, 0.13, 0.06], [2.5, -0.95, 0.0], 0.7, [0.36, 0.66, 0.3, 1.0]),
        Part::new([0.38, 0.12, 0.06], [1.75, -1.25, 0.05], 2.4, [0.36, 0.66, 0.3, 1.0]),
    ];
    for k in 0..7 {
        let (s, c) = (k as f32 * TAU / 7.0 + 0.2).sine_cosine();
        let at = [heart[0] + 0.14, heart[1] + 0.42 * c, heart[2] + 0.42 * s];
        let turn = Matrix::rotation_x(s.angle(c)).after(Matrix::rotation_z(-0.35));
        let tint = if k % 2 == 0 { [0.93, 0.36, 0.5, 1.0] } else { [0.98, 0.5, 0.56, 1.0] };
        parts.push(Part { turn, ..Part::new([0.08, 0.36, 0.23], at, 0.0, tint) });
    }
    Part::join(&parts)
}
