//! Formats of vertex attributes.

use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::mix;
use crate::pica::Scene;
use crate::pica::flat::{self, Label};
use crate::pica::kit::{FCRAM, Kit, Screen, ShaderProgram};
use crate::pica::state::{State, func};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "vertex_formats",
    about: "One jug in eight vertex layouts: bytes, 16 bits, floats, padding, two arrays, fixed attributes",
    build: vertex_formats,
}];

const TOP: Screen = Screen::Top;
/// Position, colour, both times a scale and moved.
const PROGRAM: &str = include_str!("../programs/formats.v.pica");

/// Storage of an attribute: type, multiplier from the unit range, offset that is added first.
#[derive(Clone, Copy)]
struct Stored {
    kind: u32,
    times: f32,
    shift: f32,
}

const FLOAT: Stored = Stored { kind: 3, times: 1.0, shift: 0.0 };
const WORD: Stored = Stored { kind: 2, times: 32000.0, shift: 0.0 };
const SIGNED: Stored = Stored { kind: 0, times: 127.0, shift: 0.0 };
const UNSIGNED: Stored = Stored { kind: 1, times: 127.0, shift: 1.0 };
const COLOUR: Stored = Stored { kind: 1, times: 255.0, shift: 0.0 };

impl Stored {
    fn bytes(self, value: f32) -> Vec<u8> {
        let value = (value + self.shift) * self.times;
        let whole = value.round() as i32;
        match self.kind {
            0 | 1 => vec![whole as u8],
            2 => (whole as i16).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        }
    }

    /// The program's multiplier and offset: back to the unit range.
    fn undo(self) -> [[f32; 4]; 2] {
        [[1.0 / self.times; 4], [-self.shift; 4]]
    }
}

/// Where the parts of a vertex come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Position, then colour.
    Plain,
    /// 8 bytes of padding before the position and 4 behind it.
    Padded,
    /// Each attribute in an array of its own.
    Apart,
    /// Positions in an array, one colour for all.
    Fixed,
}

fn vertex_formats(kit: &mut Kit) {
    let buffers = kit.screen_buffers(TOP);
    kit.clear(&buffers, 0x1c26_38ff);
    let cards = [
        ("FLOAT", FLOAT, FLOAT, Layout::Plain),
        ("16 BITS", WORD, WORD, Layout::Plain),
        ("SIGNED BYTE", SIGNED, SIGNED, Layout::Plain),
        ("UNSIGNED BYTE", UNSIGNED, COLOUR, Layout::Plain),
        ("16 + BYTE", WORD, COLOUR, Layout::Plain),
        ("PADDED", WORD, FLOAT, Layout::Padded),
        ("TWO ARRAYS", FLOAT, COLOUR, Layout::Apart),
        ("FIXED COLOUR", SIGNED, FLOAT, Layout::Fixed),
    ];
    let mut panels = Mesh::default();
    for k in 0..cards.len() {
        let [x, y] = corner(k);
        let panel = [x, y, x + 94.0, y + 112.0];
        panels.append(&flat::shaded(panel, [0.34, 0.46, 0.6, 1.0], [0.2, 0.28, 0.42, 1.0]));
    }
    flat::panels(kit, TOP, &buffers, &panels);
    let program = ShaderProgram::assemble(PROGRAM);
    kit.vertex_program(&program);
    kit.list.defaults(&buffers).cull(2).depth_test(func::GREATER, true);
    let mesh = jug();
    for (k, (_, place, colour, layout)) in cards.into_iter().enumerate() {
        let [x, y] = corner(k).map(|v| v as u32);
        let [left, low, width, height] = flat::machine(TOP, [x, y, x + 94, y + 100]);
        kit.list.viewport(left as i32, low as i32, width, height);
        let eye = Matrix::perspective(0.5, 0.94, 1.0, 20.0)
            .tilted()
            .after(Matrix::look_at([0.0, 2.0, 5.0], [0.0, -0.02, 0.0]));
        kit.matrix(&program, "transform", &eye);
        kit.uniform(&program, "place", &place.undo());
        kit.uniform(&program, "paint", &colour.undo());
        draw(kit, &mesh, [place, colour], layout);
    }
    let labels: Vec<_> = (0..cards.len())
        .map(|k| Label::centred(corner(k)[0] as u32 + 47, corner(k)[1] as u32 + 101, 1, cards[k].0))
        .collect();
    flat::labels(kit, TOP, &buffers, &labels);
    kit.submit();
    kit.show(TOP, &buffers);
    kit.frame();
}

/// Upper left corner of a card.
fn corner(k: usize) -> [f32; 2] {
    [5.0 + (k % 4) as f32 * 98.67, 5.0 + (k / 4) as f32 * 118.0].map(f32::floor)
}

/// A jug with bands of glaze, within the unit cube.
fn jug() -> Mesh {
    let outline = |v: f32| {
        let belly = (v * 3.0).min(1.0).sqrt() * (0.62 - 0.34 * ((v - 0.3) * 2.4).clamp(0.0, 1.0).powi(2));
        let lip = 0.22 * ((v - 0.8) * 5.0).clamp(0.0, 1.0).powi(2);
        [belly + lip, v * 1.8 - 0.9]
    };
    let mut mesh = Mesh::revolution(40, 28, outline).map(|vertex| {
        let band = (vertex.uv[1] * 7.0) as usize;
        let wave = (vertex.uv[0] * std::f32::consts::TAU * 8.0).sine() * 0.012;
        let line = ((vertex.uv[1] + wave) * 14.0).fract() < 0.3 && (2..5).contains(&band);
        let clay = mix([0.8, 0.4, 0.2, 1.0], [0.95, 0.66, 0.36, 1.0], vertex.uv[1]);
        vertex.colour = if line { [0.1, 0.3, 0.45, 1.0] } else { clay };
    });
    let handle = Mesh::torus(24, 10, 0.16).placed(&Matrix::rotation_x(std::f32::consts::FRAC_PI_2));
    let handle = handle.moved(0.36, [0.55, 0.2, 0.0]).coloured([0.16, 0.42, 0.52, 1.0]);
    mesh.append(&handle).clone().placed(&Matrix::rotation_y(-0.5)).lit([-0.5, 0.7, 0.7], 0.3)
}

fn draw(kit: &mut Kit, mesh: &Mesh, [place, colour]: [Stored; 2], layout: Layout) {
    let places: Vec<Vec<u8>> =
        mesh.vertices.iter().map(|v| v.position.into_iter().flat_map(|p| place.bytes(p)).collect()).collect();
    let colours: Vec<Vec<u8>> =
        mesh.vertices.iter().map(|v| v.colour.into_iter().flat_map(|c| colour.bytes(c)).collect()).collect();
    let indices = kit.data(mesh.indices.iter().flat_map(|index| index.to_le_bytes()).collect());
    let formats = place.kind | 2 << 2 | (colour.kind | 3 << 2) << 4;
    let loaders: Vec<(Vec<u8>, Vec<u32>)> = match layout {
        Layout::Plain => vec![(together(&places, &colours, colour, 0, 0), vec![0, 1])],
        Layout::Padded => vec![(together(&places, &colours, colour, 8, 4), vec![13, 0, 12, 1])],
        Layout::Apart => vec![(places.concat(), vec![0]), (colours.concat(), vec![1])],
        Layout::Fixed => vec![(places.concat(), vec![0])],
    };
    let fixed = u32::from(layout == Layout::Fixed) << 17;
    kit.list.burst(0x200, &[FCRAM >> 3, formats, 1 << 28 | fixed]);
    for loader in 0..12_u16 {
        let (address, order, stride) = match loaders.get(usize::from(loader)) {
            Some((bytes, order)) => {
                (kit.data(bytes.clone()) - FCRAM, &order[..], bytes.len() / mesh.vertices.len())
            }
            None => (0, &[][..], 0),
        };
        let nibbles = order.iter().rev().fold(0, |all, nibble| all << 4 | nibble);
        let config = (order.len() as u32) << 28 | (stride as u32) << 16;
        kit.list.burst(0x203 + 3 * loader, &[address, nibbles, config]);
    }
    if layout == Layout::Fixed {
        kit.list.fixed_attribute(1, [0.62, 0.86, 0.8, 1.0]);
    }
    kit.list.write(0x242, 1).write_bytes(0x2b9, 1, 1).draw_elements(
        3,
        indices - FCRAM,
        mesh.indices.len() as u32,
    );
}

/// Entries of one array: padding, position, padding, colour, each aligned to its own size.
fn together(
    places: &[Vec<u8>],
    colours: &[Vec<u8>],
    colour: Stored,
    before: usize,
    between: usize,
) -> Vec<u8> {
    let entry = |(place, paint): (&Vec<u8>, &Vec<u8>)| {
        let mut entry = vec![0xee; before];
        entry.extend(place);
        if between > 0 {
            entry.resize(entry.len().next_multiple_of(4) + between, 0xee);
        }
        let size = [1, 1, 2, 4][colour.kind as usize];
        entry.resize(entry.len().next_multiple_of(size), 0xee);
        entry.extend(paint);
        entry
    };
    places.iter().zip(colours).flat_map(entry).collect()
}
