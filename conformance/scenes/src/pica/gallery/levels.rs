//! Mip levels in a corridor.

use super::card::Card;
use crate::modelling::matrix::Matrix;
use crate::modelling::mesh::Mesh;
use crate::modelling::paint::{Canvas, mix, noise};
use crate::pica::Scene;
use crate::pica::encode::{self, format};
use crate::pica::kit::{Kit, Placed, Screen, ShaderProgram, Texture};
use crate::pica::programs;
use crate::pica::state::{Combiner, Sampler, State, source};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "mipmaps",
    about: "A floor with a mip chain and a ceiling whose levels have colours: no levels, nearest, linear, biased",
    build: mipmaps,
}];

const LEVELS: u32 = 6;

/// Settings of each lane of the corridor: the usable levels, the mip filter, the bias in 1/256.
const LANES: [(u32, bool, i32); 4] =
    [(1, false, 0), (LEVELS, false, 0), (LEVELS, true, 0), (LEVELS, true, 256)];

fn mipmaps(kit: &mut Kit) {
    let mut card = Card::new(kit, 0x0b12_24ff);
    let program = ShaderProgram::assemble(programs::TEXTURED);
    kit.list.combiners(&[Combiner::modulate(source::TEXTURE0, source::VERTEX)]);
    let view = Matrix::look_at([0.0, 0.0, 0.0], [0.0, 0.0, -1.0]);
    kit.matrix(&program, "transform", &Screen::Top.perspective(1.15, 0.5, 80.0).after(view));
    let real = kit.mipmapped(&tiles(), format::RGB565, LEVELS);
    let coloured = coloured_chain(kit);
    for (k, lane) in LANES.iter().enumerate() {
        let left = -3.0 + 1.5 * k as f32;
        strip(kit, real, *lane, left, -1.0);
        strip(kit, coloured, *lane, left, 1.0);
    }
    card.resume(kit);
    card.plate(kit, [0.0, 225.0, 400.0, 15.0], [11, 18, 36, 255]);
    card.caption(10, 114, "LEVEL 0");
    card.centred(20, 180, 229, "NEAREST MIP");
    card.centred(200, 180, 229, "LINEAR MIP");
    card.caption(346, 114, "BIAS +1");
    card.finish(kit);
}

/// One lane at a height, from the viewer to far away, where it grows dark.
fn strip(kit: &mut Kit, texture: Texture, (levels, mip_linear, bias): (u32, bool, i32), x: f32, y: f32) {
    let sampler = Sampler { mip_linear, bias, ..Sampler::LINEAR };
    kit.list.texture(0, &Texture { levels, ..texture }, &sampler);
    let lane = lane(kit, x, y);
    kit.draw(&lane);
}

fn lane(kit: &mut Kit, x: f32, y: f32) -> Placed {
    let mesh = Mesh::sheet(1, 64, |u, v| [x + 0.02 + u * 1.46, y, -0.6 - 60.0 * v * v]);
    kit.mesh(&mesh.map(|corner| {
        let [x, _, z] = corner.position;
        corner.uv = [x / 1.5, -z / 1.5];
        let light = (1.0 + z / 62.0).powi(2);
        corner.colour = mix([0.043, 0.07, 0.14, 1.0], [1.0; 4], light);
    }))
}

/// Glazed tiles with fine joints.
fn tiles() -> Canvas {
    Canvas::paint(256, 256, |x, y| {
        let (cx, cy) = (x * 4.0, y * 4.0);
        let edge = |c: f32| (c - c.floor() - 0.5).abs();
        if edge(cx).max(edge(cy)) > 0.46 {
            return [0.16, 0.15, 0.17, 1.0];
        }
        let dark = (cx as u32 + cy as u32).is_multiple_of(2);
        let grain = noise(x * 64.0, y * 64.0, 64, 3) * 0.25;
        let (a, b) = ([0.18, 0.34, 0.52, 1.0], [0.93, 0.86, 0.7, 1.0]);
        let star = edge(cx) + edge(cy) < 0.3;
        mix(if dark != star { a } else { b }, [0.1, 0.1, 0.12, 1.0], grain)
    })
}

/// Colours of the levels, the largest first.
const COLOURS: [[u8; 4]; LEVELS as usize] = [
    [214, 72, 66, 255],
    [232, 152, 52, 255],
    [226, 214, 92, 255],
    [88, 182, 98, 255],
    [66, 140, 214, 255],
    [152, 92, 204, 255],
];

/// A chain in which each level has its own colour.
fn coloured_chain(kit: &mut Kit) -> Texture {
    let level = |(k, colour): (usize, [u8; 4])| {
        let dark = colour.map(|c| c - c / 5);
        let mut canvas = Canvas::checker(256 >> k, 4, colour, [dark[0], dark[1], dark[2], 255]);
        if k == 0 {
            canvas.rect([0, 0, 256, 2], [255; 4]);
        }
        encode::texture(&canvas, format::RGB565)
    };
    let bytes = COLOURS.into_iter().enumerate().flat_map(level).collect();
    Texture { address: kit.data(bytes), width: 256, height: 256, format: format::RGB565, levels: LEVELS }
}
