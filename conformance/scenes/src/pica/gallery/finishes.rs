//! Surfaces by lighting tables: glass, and six finishes of a ball.

use super::eye::{Eye, LIT, LIT_PREVIOUS, PAINTED};
use super::test_card::{Card, DIM, PAPER};
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::Canvas;
use crate::pica::Scene;
use crate::pica::kit::{Kit, Placed, Screen};
use crate::pica::light::{Light, Lighting, input, table};
use crate::pica::state::{Combiner, Sampler, State, func, op, source};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "fresnel",
        about: "Glass: the Fresnel table makes edges dense and faces clear, blended over what is behind",
        build: fresnel,
    },
    Scene {
        name: "reflection_luts",
        about: "Six finishes of one ball under two lights, all from lighting tables",
        build: reflection_luts,
    },
];

fn fresnel(kit: &mut Kit) {
    let buffers = kit.screen_buffers(Screen::Top);
    kit.clear(&buffers, 0xf2c8_9cff);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    let eye = Eye::new(kit, &Eye::lens(0.6), [0.0, 2.6, 9.0], [0.0, 1.15, 0.0]);
    backdrop(kit, &eye);
    glass_state(kit, &eye);
    for (shape, at, colour) in glasses(kit) {
        let [r, g, b] = colour;
        let tint = [r, g, b, 255];
        kit.list.combiners(&[
            glass_tint(tint),
            Combiner::both(op::ADD, [source::PREVIOUS, source::SECONDARY, 0])
                .alpha(op::REPLACE, [source::PREVIOUS; 3]),
        ]);
        for face in [1, 2] {
            kit.list.cull(face);
            eye.draw(kit, &at, &shape);
        }
    }
    kit.submit();
    kit.show(Screen::Top, &buffers);
    kit.frame();
}

/// A checkered floor and columns in the light of the evening.
fn backdrop(kit: &mut Kit, eye: &Eye) {
    let sun = Light::directional(eye.direction([-0.6, 0.7, 0.4])).diffuse([1.0, 0.86, 0.7]);
    Lighting::new(0).ambient([0.3, 0.28, 0.36]).write(&mut kit.list, &[sun]);
    let checker = Canvas::checker(128, 2, [240, 226, 204, 255], [70, 84, 120, 255]);
    let floor = kit.mipmapped(&checker, 1, 5);
    kit.list.texture(0, &floor, &Sampler::LINEAR).units(1).combiners(&[PAINTED, LIT_PREVIOUS]);
    eye.put(kit, &Mesh::floor(24.0, 12).tiled(12.0));
    kit.list.combiners(&[LIT]);
    for k in 0..9 {
        let hue = |turn: f32| 0.55 + 0.35 * ((k as f32 / 9.0 - turn) * TAU).cosine();
        let column = Mesh::revolution(20, 1, |v| [0.28, v * 4.6]);
        let at = [(k as f32 - 4.0) * 1.25, 0.0, -3.6 + 0.9 * (k % 2) as f32];
        eye.put(kit, &column.moved(1.0, at).coloured([hue(0.0), hue(0.33), hue(0.66), 1.0]));
    }
}

/// Lighting and blending of glass; both faces are lit.
fn glass_state(kit: &mut Kit, eye: &Eye) {
    let lamp = |from, colour: [f32; 3]| {
        let mut light = Light::directional(eye.direction(from)).specular(colour, [0.0; 3]);
        light.two_sided = true;
        light
    };
    let lights = [lamp([-0.6, 0.7, 0.5], [1.0, 0.95, 0.85]), lamp([0.8, 0.3, 0.5], [0.3, 0.4, 0.6])];
    kit.list.light_table(table::D0, false, &|x| x.powi(90));
    kit.list.light_table(table::FR, false, &|x| 0.12 + 0.85 * (1.0 - x).powi(3));
    let lighting = Lighting::new(1 + 5).table(table::D0, input::NH).table(table::FR, input::NV);
    lighting.fresnel(true, false).write(&mut kit.list, &lights);
    kit.list.writes(0xf, Some(func::GREATER), false).blend_alpha();
}

/// The colour of the glass; alpha comes from the Fresnel table, and is higher in highlights.
fn glass_tint(tint: [u8; 4]) -> Combiner {
    let mut stage = Combiner::replace(source::CONSTANT)
        .alpha(op::ADD, [source::PRIMARY, source::SECONDARY, source::SECONDARY])
        .constant(tint);
    stage.alpha_operands = [0, 2, 2];
    stage
}

/// Shapes from the farthest to the nearest.
fn glasses(kit: &mut Kit) -> [(Placed, Matrix, [u8; 3]); 3] {
    let vase = Mesh::revolution(48, 40, |v| {
        let radius = 0.42 + 0.3 * (v * 5.2 + 0.4).sine() + 0.12 * v;
        [if v < 0.02 { 0.0 } else { radius }, v * 2.5]
    });
    let (vase, ball) = (kit.mesh(&vase), kit.mesh(&Mesh::sphere(56, 36)));
    let torus = kit.mesh(&Mesh::torus(64, 28, 0.3));
    let upright = Matrix::rotation_y(0.5).after(Matrix::rotation_x(1.35));
    [
        (vase, Matrix::translation(-2.5, 0.02, 0.2), [150, 226, 190]),
        (torus, Matrix::translation(2.5, 1.3, 0.6).after(upright), [250, 190, 150]),
        (ball, Matrix::translation(0.1, 1.25, 1.6).after(Matrix::scale(1.2, 1.2, 1.2)), [170, 206, 250]),
    ]
}

/// Names of the finishes, and the inputs of their tables.
const FINISHES: [[&str; 2]; 6] = [
    ["LACQUER", "D0: NH, TWO LOBES"],
    ["GOLD", "D1: NH  RR RG RB: VH"],
    ["SOAP BUBBLE", "RR RG RB: NV"],
    ["VELVET", "D1: NV  RR: LN"],
    ["BRUSHED", "D0: CP, GEOMETRIC"],
    ["WAX", "D0: LN, SIGNED"],
];

fn reflection_luts(kit: &mut Kit) {
    let card = Card::new(kit, Screen::Top, |canvas| {
        for (k, [name, tables]) in (0..).zip(FINISHES) {
            let (left, top) = (k % 3 * 133, k / 3 * 120);
            let centred = |text: &str| left + 66 - text.len() as u32 * 3;
            canvas.text(centred(name), top + 98, 1, PAPER, name);
            canvas.text(centred(tables), top + 108, 1, DIM, tables);
        }
    });
    let ball = kit.mesh(&Mesh::sphere(64, 40));
    let lens = Matrix::perspective(0.3, 1.0, 1.0, 30.0).tilted();
    let eye = Eye::new(kit, &lens, [0.0, 0.0, 7.2], [0.0; 3]);
    kit.list.cull(2);
    for k in 0..6 {
        let (left, top) = (k % 3 * 133 + 20, k / 3 * 120 + 3);
        kit.list.viewport(240 - top - 92, 400 - left - 92, 92, 92);
        finish(kit, k);
        eye.draw(kit, &Matrix::rotation_x(0.3), &ball);
    }
    kit.list.viewport(0, 0, 240, 400);
    card.show(kit);
    kit.frame();
}

/// A warm key light and a cool one from the other side.
fn lights(diffuse: f32, first: [f32; 3], second: [f32; 3]) -> [Light; 2] {
    let light = |from, tint: [f32; 3], weight: f32| {
        let times = |colour: [f32; 3]| [0, 1, 2].map(|c| colour[c] * tint[c] * weight);
        Light::directional(from).diffuse(times([diffuse; 3])).specular(times(first), times(second))
    };
    [light([-0.6, 0.7, 0.6], [1.0, 0.95, 0.86], 1.0), light([0.8, -0.2, 0.35], [0.5, 0.66, 1.0], 0.55)]
}

fn finish(kit: &mut Kit, k: i32) {
    let base =
        [[150, 20, 34], [120, 74, 16], [16, 18, 34], [70, 14, 60], [60, 64, 72], [170, 120, 70]][k as usize];
    let [r, g, b] = base;
    let stage =
        Combiner { rgb: (op::MULTIPLY_ADD, [source::CONSTANT, source::PRIMARY, source::SECONDARY]), ..LIT };
    kit.list.combiners(&[stage.constant([r, g, b, 255])]);
    let lighting = Lighting::new(4).ambient([0.1, 0.1, 0.14]);
    match k {
        0 => lacquer(kit, lighting),
        1 => gold(kit, lighting),
        2 => bubble(kit, lighting),
        3 => velvet(kit, lighting),
        4 => brushed(kit, Lighting::new(8).ambient([0.1, 0.1, 0.14])),
        _ => wax(kit, lighting),
    }
}

fn lacquer(kit: &mut Kit, lighting: Lighting) {
    kit.list.light_table(table::D0, false, &|x| 0.25 * x.powi(8) + 0.75 * x.powi(150));
    let lighting = lighting.table(table::D0, input::NH).clamp_highlights();
    lighting.write(&mut kit.list, &lights(1.0, [1.0; 3], [0.0; 3]));
}

/// Reflection turns from yellow to white where light grazes.
fn gold(kit: &mut Kit, lighting: Lighting) {
    kit.list.light_table(table::D1, false, &|x| 0.35 * x.powi(4) + 0.65 * x.powi(28));
    for (id, base) in [(table::RR, 1.0), (table::RG, 0.72), (table::RB, 0.24)] {
        kit.list.light_table(id, false, &|x| base + (1.0 - base) * (1.0 - x).powi(3));
    }
    let lighting = reflection(lighting.table(table::D1, input::NH), input::VH);
    lighting.write(&mut kit.list, &lights(0.9, [0.0; 3], [0.95; 3]));
}

fn reflection(lighting: Lighting, input: u32) -> Lighting {
    lighting.table(table::RR, input).table(table::RG, input).table(table::RB, input)
}

/// Colours of a thin film: three waves of different length over the angle to the eye.
fn bubble(kit: &mut Kit, lighting: Lighting) {
    for (id, waves) in [(table::RR, 2.1), (table::RG, 2.6), (table::RB, 3.2)] {
        kit.list.light_table(id, false, &|x| (1.0 - 0.6 * x) * (0.5 - 0.5 * (x * waves * TAU).cosine()));
    }
    kit.list.light_table(table::D0, false, &|x| x.powi(200));
    let lighting = reflection(lighting.table(table::D0, input::NH), input::NV);
    lighting.write(&mut kit.list, &lights(0.3, [1.0; 3], [0.62; 3]));
}

fn velvet(kit: &mut Kit, lighting: Lighting) {
    kit.list.light_table(table::D1, false, &|x| (1.0 - x).powi(2));
    kit.list.light_table(table::RR, true, &|x| (0.3 + 0.7 * x).max(0.0));
    let lighting = lighting.table(table::D1, input::NV).signed_table(table::RR, input::LN);
    lighting.write(&mut kit.list, &lights(1.0, [0.0; 3], [0.95, 0.5, 0.8]));
}

/// Highlights across the grooves, which run along the tangent.
fn brushed(kit: &mut Kit, lighting: Lighting) {
    kit.list.light_table(table::D0, true, &|x| (1.0 - x * x).max(0.0).powi(50));
    let lights = lights(1.0, [1.0; 3], [0.0; 3]).map(|light| Light { geometric: [true, false], ..light });
    lighting.signed_table(table::D0, input::CP).scaled(table::D0, 1).write(&mut kit.list, &lights);
}

/// Light goes around the edge of the shadow: the table has values for the side that is turned away.
fn wax(kit: &mut Kit, lighting: Lighting) {
    kit.list.light_table(table::D0, true, &|x| (0.5 + 0.5 * x).powi(2));
    let lighting = lighting.signed_table(table::D0, input::LN);
    lighting.write(&mut kit.list, &lights(0.3, [0.95, 0.66, 0.38], [0.0; 3]));
}
