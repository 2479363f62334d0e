//! A user interface of immediate vertices and fixed attributes.

use crate::modelling::math::Real;
use crate::modelling::paint::{Canvas, mix};
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::kit::{Kit, Screen, ShaderProgram};
use crate::pica::state::{Combiner, Sampler, State, func, op, source};
use std::f32::consts::TAU;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "immediate_mode",
    about: "A mixing desk: dials and words vertex by vertex, panels from fixed attributes",
    build: immediate_mode,
}];

const TOP: Screen = Screen::Top;
/// The vertex program: corner, rectangle, lower colour, upper colour, part of the texture.
const PROGRAM: &str = include_str!("../programs/ui.v.pica");
/// The letters of the font, 6 x 8 texels each, in one row of 64.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-./:!() ";
const ATLAS: [f32; 2] = [512.0, 8.0];
/// A texel that is opaque, for things without a texture.
const SOLID: [f32; 4] = [508.5 / 512.0, 0.5, 0.0, 0.0];

const INK: [f32; 4] = [0.84, 0.9, 1.0, 1.0];
const FACE: [f32; 4] = [0.16, 0.2, 0.3, 1.0];
const EDGE: [f32; 4] = [0.08, 0.1, 0.16, 1.0];
const WARM: [f32; 4] = [1.0, 0.62, 0.22, 1.0];
const COOL: [f32; 4] = [0.26, 0.84, 0.8, 1.0];

fn immediate_mode(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0x0a0e_18ff);
    let program = ShaderProgram::assemble(PROGRAM);
    kit.vertex_program(&program);
    kit.matrix(&program, "transform", &TOP.flat());
    let atlas = kit.texture(&atlas(), format::A8);
    kit.list.defaults(&buffers).blend_alpha().texture(0, &atlas, &Sampler::NEAREST).units(1);
    let cover = Combiner::replace(source::VERTEX);
    let alpha = [source::TEXTURE0, source::VERTEX, source::VERTEX];
    kit.list.combiners(&[cover.alpha(op::MODULATE, alpha)]).alpha_test(func::GREATER, 0);
    panels(kit);
    for (k, (name, value)) in [("GAIN", 0.72), ("TONE", 0.35), ("ECHO", 0.55)].into_iter().enumerate() {
        knob(kit, [70.0 + 74.0 * k as f32, 96.0], value, name);
    }
    scope(kit);
    meters(kit);
    buttons(kit);
    text(kit, [14.0, 11.0], 2.0, INK, "PICAFLOR MIXER");
    text(kit, [316.0, 15.0], 1.0, COOL, "48.0 KHZ  OK");
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

/// All letters in a row, and an opaque block at the end.
fn atlas() -> Canvas {
    let mut canvas = Canvas::plain(512, 8, [0; 4]);
    canvas.text(0, 0, 1, [255; 4], LETTERS).rect([500, 0, 512, 8], [255; 4]).clone()
}

/// The unit square as an array; the rest of a vertex is fixed attributes.
fn panels(kit: &mut Kit) {
    let square = kit.data(vec![0, 0, 1, 0, 0, 1, 1, 1]);
    kit.arrays(square, 2, &[(1, 2)]);
    let fixed_mask = 0b1_1110 << 16;
    kit.list.write(0x202, 4 << 28 | fixed_mask).write(0x242, 4).write_bytes(0x2b9, 4, 1);
    for ([x0, y0, x1, y1], low, high) in [
        ([0.0, 0.0, 400.0, 34.0], [0.13, 0.19, 0.33, 1.0], [0.22, 0.32, 0.52, 1.0]),
        ([0.0, 34.0, 400.0, 35.0], WARM, WARM),
        ([10.0, 44.0, 278.0, 150.0], EDGE, FACE),
        ([288.0, 44.0, 390.0, 232.0], EDGE, FACE),
        ([10.0, 158.0, 278.0, 232.0], EDGE, FACE),
        ([18.0, 186.0, 270.0, 226.0], [0.02, 0.05, 0.07, 1.0], [0.03, 0.09, 0.1, 1.0]),
        ([296.0, 62.0, 382.0, 164.0], [0.03, 0.04, 0.07, 1.0], [0.05, 0.07, 0.11, 1.0]),
    ] {
        // Fixed attributes follow one another: the index moves on with each.
        kit.list.fixed_attribute(1, [x0, 240.0 - y1, x1 - x0, y1 - y0]);
        for value in [low, high, SOLID] {
            kit.list.feed(0x233, &picaflor_pipeline::pica::command::list_builder::pack_f24x4(value));
        }
        kit.list.draw_arrays(1, 0, 4);
    }
}

/// One vertex: the corner of nothing but itself.
fn vertex([x, y]: [f32; 2], colour: [f32; 4]) -> [[f32; 4]; 5] {
    [[0.0; 4], [x, 240.0 - y, 0.0, 0.0], colour, colour, SOLID]
}

fn send(kit: &mut Kit, topology: u32, vertices: &[[[f32; 4]; 5]]) {
    kit.list.write(0x242, 4).immediate(topology, vertices.iter().map(|vertex| &vertex[..]));
}

/// A rectangle of two triangles.
fn quad(kit: &mut Kit, [x0, y0, x1, y1]: [f32; 4], low: [f32; 4], high: [f32; 4], part: [f32; 4]) {
    let rect = [x0, 240.0 - y1, x1 - x0, y1 - y0];
    let corner = |x, y| [[x, y, 0.0, 1.0], rect, low, high, part];
    send(kit, 1, &[corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0)]);
}

fn text(kit: &mut Kit, [x, y]: [f32; 2], scale: f32, colour: [f32; 4], words: &str) {
    for (k, letter) in words.chars().enumerate() {
        let Some(place) = LETTERS.find(letter) else { continue };
        let left = x + k as f32 * 6.0 * scale;
        let part = [place as f32 * 6.0 / ATLAS[0], 0.0, 6.0 / ATLAS[0], 1.0];
        quad(kit, [left, y, left + 6.0 * scale, y + 8.0 * scale], colour, colour, part);
    }
}

/// A ring segment as a strip; turns from above, clockwise.
fn arc(kit: &mut Kit, [x, y]: [f32; 2], radii: [f32; 2], turns: [f32; 2], colours: [[f32; 4]; 2]) {
    let count = (48.0 * (turns[1] - turns[0])).ceil().max(2.0) as u32;
    let at = |k: u32, radius: f32| {
        let t = k as f32 / count as f32;
        let (s, c) = ((turns[0] + (turns[1] - turns[0]) * t) * TAU).sine_cosine();
        vertex([x + s * radius, y - c * radius], mix(colours[0], colours[1], t))
    };
    let vertices: Vec<_> = (0..=count).flat_map(|k| [at(k, radii[0]), at(k, radii[1])]).collect();
    send(kit, 1, &vertices);
}

/// A disc as a fan, lighter above.
fn disc(kit: &mut Kit, [x, y]: [f32; 2], radius: f32, low: [f32; 4], high: [f32; 4]) {
    let rim = (0..=32).map(|k| {
        let (s, c) = (k as f32 / 32.0 * TAU).sine_cosine();
        vertex([x + s * radius, y - c * radius], mix(low, high, c * 0.5 + 0.5))
    });
    let vertices: Vec<_> = [vertex([x, y], mix(low, high, 0.5))].into_iter().chain(rim).collect();
    send(kit, 2, &vertices);
}

fn knob(kit: &mut Kit, at: [f32; 2], value: f32, name: &str) {
    let full = 0.74;
    let turn = |v: f32| (v - 0.5) * full;
    arc(kit, at, [27.0, 31.0], [turn(0.0), turn(1.0)], [[1.0, 1.0, 1.0, 0.1]; 2]);
    arc(kit, at, [27.0, 31.0], [turn(0.0), turn(value)], [COOL, mix(COOL, WARM, value)]);
    disc(kit, [at[0], at[1] + 3.0], 23.0, [0.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.5]);
    disc(kit, at, 22.0, [0.2, 0.24, 0.33, 1.0], [0.5, 0.57, 0.7, 1.0]);
    disc(kit, at, 18.0, [0.34, 0.4, 0.52, 1.0], [0.24, 0.29, 0.4, 1.0]);
    let (s, c) = (turn(value) * TAU).sine_cosine();
    let point = |r: f32, side: f32| vertex([at[0] + s * r + c * side, at[1] - c * r + s * side], INK);
    send(kit, 1, &[point(7.0, -1.5), point(7.0, 1.5), point(17.0, -1.5), point(17.0, 1.5)]);
    text(kit, [at[0] - 3.0 * name.len() as f32, at[1] + 34.0], 1.0, INK, name);
}

/// A curve as a band of triangles.
fn scope(kit: &mut Kit) {
    text(kit, [18.0, 168.0], 1.0, INK, "SCOPE");
    text(kit, [222.0, 168.0], 1.0, WARM, "440.0 HZ");
    for k in 0..9 {
        let x = 18.0 + 28.0 * k as f32;
        quad(kit, [x, 186.0, x + 1.0, 226.0], [1.0, 1.0, 1.0, 0.07], [1.0, 1.0, 1.0, 0.07], SOLID);
    }
    let wave = |t: f32| (t * TAU * 4.0).sine() * (0.35 + 0.65 * (t * TAU / 2.0).sine()) * 15.0;
    let band = (0..=126).flat_map(|k| {
        let t = k as f32 / 126.0;
        let (x, y) = (18.0 + 252.0 * t, 206.0 - wave(t));
        let colour = mix(COOL, WARM, (wave(t).abs() / 15.0).powi(2));
        [vertex([x, y - 1.2], colour), vertex([x, y + 1.2], colour)]
    });
    send(kit, 1, &band.collect::<Vec<_>>());
}

/// Bars of segments with a mark at their peak.
fn meters(kit: &mut Kit) {
    text(kit, [296.0, 50.0], 1.0, INK, "LEVELS");
    for (bar, level) in [9, 12, 14, 11, 13, 8, 6].into_iter().enumerate() {
        let x = 300.0 + 11.8 * bar as f32;
        for step in 0..16 {
            let y = 160.0 - 6.0 * step as f32;
            let lit = step < level || step == level + 1;
            let hot = mix(COOL, [1.0, 0.3, 0.25, 1.0], (step as f32 - 7.0) / 8.0);
            let colour = if lit { hot } else { [1.0, 1.0, 1.0, 0.06] };
            quad(kit, [x, y - 4.5, x + 8.0, y], colour, colour, SOLID);
        }
    }
}

fn buttons(kit: &mut Kit) {
    for (k, (name, pressed)) in [("PLAY", true), ("LOOP", false), ("REC", false)].into_iter().enumerate() {
        let y = 171.0 + 20.0 * k as f32;
        let (low, high) = match pressed {
            true => ([0.86, 0.42, 0.1, 1.0], [1.0, 0.72, 0.3, 1.0]),
            false => ([0.17, 0.23, 0.36, 1.0], [0.32, 0.4, 0.56, 1.0]),
        };
        quad(kit, [296.0, y + 1.0, 382.0, y + 17.0], EDGE, EDGE, SOLID);
        quad(kit, [296.0, y, 382.0, y + 15.0], low, high, SOLID);
        let colour = if pressed { [0.12, 0.06, 0.02, 1.0] } else { INK };
        text(kit, [326.0, y + 4.0], 1.0, colour, name);
        let lamp = [[0.2, 0.12, 0.02, 1.0], COOL, [1.0, 0.25, 0.25, 1.0]][k];
        disc(kit, [310.0, y + 7.5], 4.0, lamp, lamp);
    }
}
