//! A card for the transfer and fill engines.

use super::card::Card;
use super::pictures;
use crate::pica::Scene;
use crate::pica::encode::format;
use crate::pica::kit::{Kit, Texture};

/// The scenes of this file.
pub(super) const SCENES: &[Scene] = &[Scene {
    name: "transfers",
    about: "What the transfer engine makes of one picture: flips, scales, formats, crops, tilings, copies; and fills",
    build: transfers,
}];

/// Flags of the transfer engine.
mod flag {
    pub(super) const FLIP: u32 = 1;
    pub(super) const TO_TILED: u32 = 1 << 1;
    pub(super) const CROP: u32 = 1 << 2;
    pub(super) const COPY: u32 = 1 << 3;
    pub(super) const KEEP_TILES: u32 = 1 << 5;
    pub(super) const HALF_WIDTH: u32 = 1 << 24;
    pub(super) const HALF: u32 = 2 << 24;
}

/// The engine's codes for colour formats, by those of textures.
const CODES: [u32; 5] = [0, 1, 3, 2, 4];

/// Side of the source.
const SIDE: u32 = 64;

/// Makes one of the pictures from the source.
type Make = fn(&mut Kit, &Texture) -> Texture;

const CELLS: [(&str, Make); 15] = [
    ("SOURCE", |_, source| *source),
    ("FLIP", |kit, source| convert(kit, source, format::RGBA8, flag::FLIP)),
    ("HALF WIDTH", |kit, source| convert(kit, source, format::RGBA8, flag::HALF_WIDTH)),
    ("HALF SIZE", |kit, source| convert(kit, source, format::RGBA8, flag::HALF)),
    ("CROP", |kit, source| cropped(kit, source, flag::CROP)),
    ("NO CROP", |kit, source| cropped(kit, source, 0)),
    ("TO RGB8", |kit, source| convert(kit, source, format::RGB8, 0)),
    ("TO RGB5A1", |kit, source| convert(kit, source, format::RGB5A1, 0)),
    ("TO RGB565", |kit, source| convert(kit, source, format::RGB565, 0)),
    ("TO RGBA4", |kit, source| convert(kit, source, format::RGBA4, 0)),
    ("LINEAR", linear),
    ("AND BACK", |kit, source| {
        let linear = linear(kit, source);
        let output = output(kit, format::RGBA8, SIDE, SIDE);
        transfer(kit, (&linear, &output), flag::TO_TILED)
    }),
    ("COPY TILES", copied),
    ("FILLS", filled),
    ("FILLED 24", |kit, _| {
        let stripes = output(kit, format::RGB8, SIDE, SIDE);
        kit.fill_units(stripes.address, SIDE * SIDE * 3, 0x00d8_8a30, 1);
        stripes
    }),
];

fn transfers(kit: &mut Kit) {
    let mut card = Card::new(kit, 0x1423_3aff);
    let source = kit.texture(&pictures::evening_canvas(SIDE), format::RGBA8);
    for (k, (name, make)) in CELLS.into_iter().enumerate() {
        let k = k as u32;
        let (x, y) = (8 + k % 5 * 80, 3 + k / 5 * 79);
        let result = make(kit, &source);
        let (left, top) = (x + (SIDE - result.width) / 2, y + (SIDE - result.height) / 2);
        let place = [left, top, result.width, result.height].map(|v| v as f32);
        card.whole(kit, &result, place);
        card.centred(x, SIDE, y + 67, name);
    }
    card.finish(kit);
}

fn output(kit: &mut Kit, format: u32, width: u32, height: u32) -> Texture {
    let bytes = [4, 3, 2, 2, 2][format as usize];
    Texture { address: kit.reserve(width * height * bytes), width, height, format, levels: 1 }
}

/// From tiles to tiles in another format, scaled or flipped.
fn convert(kit: &mut Kit, source: &Texture, format: u32, flags: u32) -> Texture {
    let halves = flags >> 24;
    let output = output(kit, format, SIDE >> halves.min(1), SIDE >> (halves / 2));
    transfer(kit, (source, &output), flags | flag::KEEP_TILES);
    output
}

/// The left half: with lines cut short, or read as if the source were as narrow.
fn cropped(kit: &mut Kit, source: &Texture, crop: u32) -> Texture {
    let output = output(kit, format::RGBA8, SIDE / 2, SIDE);
    transfer(kit, (source, &output), crop | flag::KEEP_TILES)
}

/// Rows of pixels, which a texture unit then takes for tiles.
fn linear(kit: &mut Kit, source: &Texture) -> Texture {
    let output = output(kit, format::RGBA8, SIDE, SIDE);
    transfer(kit, (source, &output), 0)
}

/// A display transfer. The engine's output size is the one before scaling.
fn transfer(kit: &mut Kit, (source, output): (&Texture, &Texture), flags: u32) -> Texture {
    let halves = flags >> 24;
    let size = (output.height << (halves / 2)) << 16 | output.width << halves.min(1);
    let formats = CODES[source.format as usize] << 8 | CODES[output.format as usize] << 12;
    kit.mmio(0x1040_0c00, source.address >> 3);
    kit.mmio(0x1040_0c04, output.address >> 3);
    kit.mmio(0x1040_0c08, size);
    kit.mmio(0x1040_0c0c, source.height << 16 | source.width);
    kit.mmio(0x1040_0c10, formats | flags);
    kit.mmio(0x1040_0c18, 1);
    *output
}

/// Every second tile of the source (256 bytes of 512), close together.
fn copied(kit: &mut Kit, source: &Texture) -> Texture {
    let output = output(kit, format::RGBA8, SIDE / 2, SIDE);
    kit.mmio(0x1040_0c00, source.address >> 3);
    kit.mmio(0x1040_0c04, output.address >> 3);
    kit.mmio(0x1040_0c20, SIDE * SIDE * 2);
    kit.mmio(0x1040_0c24, 16 << 16 | 16);
    kit.mmio(0x1040_0c28, 0);
    kit.mmio(0x1040_0c10, flag::COPY);
    kit.mmio(0x1040_0c18, 1);
    output
}

/// Rows of tiles, each filled with another word.
fn filled(kit: &mut Kit, _: &Texture) -> Texture {
    let output = output(kit, format::RGBA8, SIDE, SIDE);
    let row = SIDE * 8 * 4;
    for k in 0..8 {
        let word = (0x30 + 0x18 * k) << 24 | (0x50 + 0x0c * k) << 16 | (0xb0 - 0x10 * k) << 8 | 0xff;
        kit.fill(output.address + k * row, row, word);
    }
    output
}
