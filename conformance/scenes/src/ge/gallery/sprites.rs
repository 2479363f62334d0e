//! Scenes of flat drawing on the screen.

use super::super::Scene;
use super::super::draw::shape;
use super::super::kit::Kit;
use super::super::texture::{Style, format};
use super::super::vertices::{Corner, layout};
use super::pictures;
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use crate::modelling::paint::{Canvas, hash};
use picaflor_pipeline::ge::regs::op;
use std::f32::consts::TAU;

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "sprites",
    about: "A game of sprites: tile map, figures with palettes of 16 and 256 colours, flips, turns, a status bar",
    build: sprites,
}];

/// Four tiles of 16 texels beside each other: grass, brick, water, coin.
fn tile_set() -> Canvas {
    let mut canvas = Canvas::paint(64, 16, |x, y| {
        let (tile, u) = ((x * 4.0) as u32, x * 4.0 % 1.0);
        let speck = 0.1 * hash((x * 64.0) as u32, (y * 16.0) as u32, 7);
        let course = ((y * 4.0) as u32 % 2) as f32 * 0.5;
        let is_joint = (y * 4.0) % 1.0 < 0.25 || (u * 2.0 + course) % 1.0 < 0.12;
        match tile {
            0 if y < 0.3 + speck => [0.3, 0.75 - speck, 0.25, 1.0],
            0 => [0.5 + speck, 0.33, 0.2, 1.0],
            1 if is_joint => [0.75, 0.72, 0.66, 1.0],
            1 => [0.7 + speck, 0.3, 0.22, 1.0],
            2 => [0.15, 0.4, 0.8 + 0.2 * (u * TAU + y * 4.0).sine(), 0.7],
            _ => [0.0; 4],
        }
    });
    for (x, y) in (48..64).flat_map(|x| (0..16).map(move |y| (x, y))) {
        let d = ((x as f32 - 55.5).powi(2) + (y as f32 - 7.5).powi(2)).sqrt();
        if d < 6.5 {
            canvas.set(x, y, if d > 5.0 || (x / 2 == 27) { [180, 110, 0, 255] } else { [255, 210, 60, 255] });
        }
    }
    canvas
}

/// A little bird of 16 colours.
fn bird() -> Canvas {
    const ROWS: [&str; 16] = [
        "................",
        "......rrr.......",
        ".....rrrrr......",
        "....rrwwrrr.....",
        "....rrwkrrryy...",
        "....rrrrrrryyyy.",
        "...rrrrrrrr.....",
        "..rrbbbrrrr.....",
        ".rrbbbbbrrr.....",
        "rrbbbbbbrrr.....",
        "rrrbbbbrrrr.....",
        "..rrrrrrrr......",
        "....wwwwr.......",
        ".....y..y.......",
        ".....y..y.......",
        "....yy.yy.......",
    ];
    let mut canvas = Canvas::plain(16, 16, [0; 4]);
    for (y, row) in (0..).zip(ROWS) {
        for (x, letter) in (0..).zip(row.chars()) {
            let colour = match letter {
                'r' => [40, 170, 90, 255],
                'b' => [30, 90, 200, 255],
                'w' => [250, 250, 250, 255],
                'k' => [20, 20, 20, 255],
                'y' => [240, 170, 40, 255],
                _ => continue,
            };
            canvas.set(x, y, colour);
        }
    }
    canvas
}

fn sprites(kit: &mut Kit) {
    kit.start([110, 180, 240]);
    kit.flat();
    backdrop(kit);
    let tiles = kit.texture(&tile_set(), Style::of(format::CLUT8).palette(3).swizzled());
    kit.use_texture(&tiles);
    map(kit);
    birds(kit);
    status(kit);
    kit.show();
}

/// A sky of shaded strips, and clouds.
fn backdrop(kit: &mut Kit) {
    let vertex_type = layout::COLOUR | layout::POSITION16 | layout::THROUGH;
    let corner = |x: f32, y: f32, colour| Corner { colour, position: [x, y, 0.0], ..Corner::default() };
    let [top, low] = [[70, 130, 220, 255], [220, 235, 250, 255]];
    let sky =
        [corner(0.0, 0.0, top), corner(480.0, 0.0, top), corner(0.0, 224.0, low), corner(480.0, 224.0, low)];
    kit.draw_corners(shape::TRIANGLE_STRIP, vertex_type, &sky);
    let cloud = kit.texture(
        &pictures::blob(32, [1.0, 1.0, 1.0, 0.9], [1.0, 1.0, 1.0, 0.0]),
        Style::of(format::RGBA4444),
    );
    kit.filter(1, 1);
    for n in 0..9_u32 {
        let (x, y) = (hash(n, 1, 3) * 440.0, 20.0 + hash(n, 2, 3) * 70.0);
        kit.picture(&cloud, [x.floor(), y.floor(), 90.0, 34.0]);
    }
    kit.filter(0, 0);
}

fn map(kit: &mut Kit) {
    let mut corners = Vec::new();
    let mut tile = |column: u32, row: u32, kind: u32| {
        let (x, y, u) = ((column * 16) as f32, (row * 16) as f32, (kind * 16) as f32);
        for [dx, dy] in [[0.0, 0.0], [16.0, 16.0]] {
            corners.push(Corner {
                texture: [u + dx, dy],
                colour: [255; 4],
                position: [x + dx, y + dy, 0.0],
                ..Corner::default()
            });
        }
    };
    for column in 0..30 {
        let ground = if (12..17).contains(&column) { 2 } else { 0 };
        tile(column, 14, ground);
        (15..17).for_each(|row| tile(column, row, if ground == 2 { 2 } else { 1 }));
    }
    (5..9).for_each(|column| tile(column, 10, 1));
    (19..26).for_each(|column| tile(column, 9, if column % 3 == 0 { 0 } else { 1 }));
    (0..6).for_each(|n| tile(19 + n, 7 - n % 2, 3));
    let vertex_type = layout::TEXTURE16 | layout::COLOUR | layout::POSITION16 | layout::THROUGH;
    kit.draw_corners(shape::RECTANGLES, vertex_type, &corners);
}

/// The same bird with several palettes, mirrored, turned by a quarter, turned freely, large and clear.
fn birds(kit: &mut Kit) {
    let bird = kit.texture(&bird(), Style::of(format::CLUT4).palette(1));
    kit.use_texture(&bird);
    let texels = [0.0, 0.0, 16.0, 16.0];
    kit.sprite([100.0, 144.0, 116.0, 160.0], texels, [255; 4]);
    kit.sprite([140.0, 208.0, 172.0, 224.0], [16.0, 0.0, 0.0, 16.0], [255; 4]);
    // From the upper right corner to the lower left one the axes of the texture change places.
    kit.sprite([348.0, 96.0, 316.0, 128.0], texels, [255; 4]);
    kit.sprite([360.0, 112.0, 392.0, 144.0], texels, [255, 255, 255, 110]);
    kit.sprite([400.0, 112.0, 464.0, 176.0], texels, [255, 160, 120, 255]);
    let (s, c) = 0.5_f32.sine_cosine();
    let place = Matrix([[c, -s, 0.0, 230.0], [s, c, 0.0, 92.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
    let corner = |u: f32, v: f32| {
        let [x, y, ..] = place.apply([u * 4.0 - 32.0, v * 4.0 - 32.0, 0.0]);
        Corner { texture: [u, v], colour: [255; 4], position: [x, y, 0.0], ..Corner::default() }
    };
    let vertex_type = layout::TEXTURE | layout::COLOUR | layout::POSITION | layout::THROUGH;
    let turned = [corner(0.0, 0.0), corner(16.0, 0.0), corner(0.0, 16.0), corner(16.0, 16.0)];
    kit.draw_corners(shape::TRIANGLE_STRIP, vertex_type, &turned);
}

fn status(kit: &mut Kit) {
    kit.plate([0.0, 0.0, 480.0, 20.0], [10, 14, 40, 190]);
    kit.plate([0.0, 20.0, 480.0, 1.0], [255, 255, 255, 120]);
    kit.text([8.0, 6.0], [255, 220, 90, 255], "COINS 06/12");
    kit.text([150.0, 6.0], [255, 255, 255, 255], "WORLD 1-3");
    kit.text([400.0, 6.0], [120, 255, 140, 255], "LIFE");
    for n in 0..4 {
        let colour = if n < 3 { [90, 230, 110, 255] } else { [60, 60, 70, 255] };
        kit.plate([430.0 + n as f32 * 11.0, 5.0, 9.0, 10.0], colour);
    }
    kit.list.switch(op::ABE, false);
}
