//! Cards for the sampling of textures: formats, filters, wrap modes.

use super::card::Card;
use super::pictures;
use crate::modelling::math::Real;
use crate::modelling::paint::Canvas;
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::kit::Kit;
use crate::pica::state::Sampler;

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "texture_formats",
        about: "One picture with soft edges in all 14 texture formats, over a checkered ground",
        build: texture_formats,
    },
    Scene {
        name: "wrap_modes",
        about: "The eight wrap modes around the unit square, which is framed; the border is orange",
        build: wrap_modes,
    },
    Scene {
        name: "filters",
        about: "Nearest and linear filters: a sprite magnified, rings minified, rings with mip levels",
        build: filters,
    },
];

fn texture_formats(kit: &mut Kit) {
    let mut card = Card::new(kit, 0x1423_3aff);
    let ground = Canvas::checker(8, 2, [92, 106, 128, 255], [58, 70, 92, 255]);
    let ground = kit.texture(&ground, format::RGB565);
    let picture = pictures::mounted(64);
    for (code, name) in format::NAMES.into_iter().enumerate() {
        let code = code as u32;
        let (x, y) = (8 + code % 5 * 80, 3 + code / 5 * 79);
        let place = [x as f32, y as f32, 64.0, 64.0];
        card.picture(kit, (&ground, &Sampler::NEAREST), place, [0.0, 0.0, 8.0, 8.0]);
        let texture = kit.texture(&picture, code);
        card.whole(kit, &texture, place);
        card.centred(x, 64, y + 67, name);
    }
    for (k, words) in ["FOURTEEN", "TEXTURE", "FORMATS"].into_iter().enumerate() {
        card.centred(328, 64, 180 + 14 * k as u32, words);
    }
    card.finish(kit);
}

/// Names of the modes.
const MODES: [&str; 8] = [
    "0 EDGE",
    "1 BORDER",
    "2 REPEAT",
    "3 MIRROR",
    "4 REPEAT/EDGE",
    "5 REPEAT/BORDER",
    "6 REPEAT",
    "7 REPEAT",
];

fn wrap_modes(kit: &mut Kit) {
    let mut card = Card::new(kit, 0x1423_3aff);
    let tile = kit.texture(&lettered_tile(), format::RGBA8);
    for (mode, name) in MODES.into_iter().enumerate() {
        let mode = mode as u32;
        let (x, y) = (3 + mode % 4 * 99, 17 + mode / 4 * 118);
        let sampler = Sampler { border: [228, 128, 44, 255], ..Sampler::NEAREST.wrap(mode, mode) };
        let place = [x as f32, y as f32, 96.0, 96.0];
        card.picture(kit, (&tile, &sampler), place, [-1.0, -1.0, 2.0, 2.0]);
        card.frame([x + 31, y + 31, 34, 34]);
        card.centred(x, 96, y - 11, name);
    }
    card.finish(kit);
}

/// A letter that no mirror leaves alone, on a ground whose edges have all colours.
fn lettered_tile() -> Canvas {
    let mut tile = Canvas::paint(32, 32, |x, y| [0.12 + 0.5 * x, 0.25 + 0.45 * y, 0.62 - 0.3 * x, 1.0]);
    tile.rect([6, 5, 10, 27], [246, 238, 214, 255]).rect([10, 5, 26, 9], [246, 238, 214, 255]);
    tile.rect([10, 14, 20, 18], [246, 238, 214, 255]);
    tile
}

fn filters(kit: &mut Kit) {
    let mut card = Card::new(kit, 0x1423_3aff);
    let bird = kit.texture(&pictures::bird(), format::RGBA8);
    let rings = Canvas::paint(256, 256, ring);
    let plain = kit.texture(&rings, format::RGB565);
    let mipped = kit.mipmapped(&rings, format::RGB565, 6);
    let minify = Sampler { minify_linear: true, ..Sampler::NEAREST };
    let rows = [
        (19, "NEAREST", Sampler::NEAREST, Sampler::NEAREST, minify),
        (131, "LINEAR", Sampler::LINEAR, Sampler::LINEAR, Sampler::LINEAR),
    ];
    for (y, name, large, small, levels) in rows {
        for (k, (texture, sampler)) in
            [(&bird, large), (&plain, small), (&mipped, levels)].into_iter().enumerate()
        {
            let place = [70.0 + 110.0 * k as f32, y as f32, 104.0, 104.0];
            card.picture(kit, (texture, &sampler.wrap(0, 0)), place, [0.0, 0.0, 1.0, 1.0]);
        }
        card.centred(0, 66, y + 48, name);
    }
    for (k, name) in ["MAGNIFIED", "MINIFIED", "MIP LEVELS"].into_iter().enumerate() {
        card.centred(70 + 110 * k as u32, 104, 6, name);
    }
    card.finish(kit);
}

/// Rings that grow finer outward, up to the limit of 256 pixels.
fn ring(x: f32, y: f32) -> [f32; 4] {
    let r = ((x - 0.5).powi(2) + (y - 0.5).powi(2)) * 256.0;
    let wave = 0.5 + 0.5 * (r * std::f32::consts::PI * 0.9).cosine();
    [0.07 + 0.9 * wave, 0.12 + 0.8 * wave, 0.24 + 0.56 * wave, 1.0]
}
