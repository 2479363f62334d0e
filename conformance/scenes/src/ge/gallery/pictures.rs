//! Pictures that scenes share.

use crate::modelling::paint::{Canvas, clouds, hash, mix};

/// Boards with a frame around them.
pub(super) fn boards() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let board = (x * 4.0).floor();
        let is_frame = !(0.09..0.91).contains(&x) || !(0.09..0.91).contains(&y);
        let gap = (x * 4.0 - board) < 0.06 && !is_frame;
        let grain = clouds(x * 4.0 % 1.0, y / 4.0, 3 + board as u32) - 0.5;
        let wood = mix([0.62, 0.4, 0.2, 1.0], [0.4, 0.24, 0.11, 1.0], 0.5 + 1.5 * grain);
        if gap {
            [0.15, 0.08, 0.04, 1.0]
        } else if is_frame {
            mix(wood, [0.9, 0.7, 0.4, 1.0], 0.45)
        } else {
            wood
        }
    })
}

/// Tiles with a dark joint.
pub(super) fn tiles() -> Canvas {
    Canvas::paint(64, 64, |x, y| {
        let (column, row) = ((x * 4.0) as u32, (y * 4.0) as u32);
        let (fx, fy) = (x * 4.0 % 1.0, y * 4.0 % 1.0);
        let shade = 0.75 + 0.2 * hash(column, row, 9) + 0.2 * (clouds(x, y, 5) - 0.5);
        let tile =
            if (column + row).is_multiple_of(2) { [0.85, 0.8, 0.7, 1.0] } else { [0.45, 0.5, 0.56, 1.0] };
        if fx < 0.07 || fy < 0.07 { [0.2, 0.2, 0.22, 1.0] } else { tile.map(|c: f32| c * shade) }
    })
}

/// Grass, which repeats.
pub(super) fn grass(size: u32) -> Canvas {
    Canvas::paint(size, size, |x, y| {
        let light = clouds(x, y, 11);
        let blade = hash((x * 128.0) as u32, (y * 128.0) as u32, 4);
        mix([0.16, 0.34, 0.1, 1.0], [0.5, 0.66, 0.24, 1.0], light * 0.8 + blade * 0.3)
    })
}

/// A round thing that is clear around: a sun, a cloud, a spark.
pub(super) fn blob(size: u32, inner: [f32; 4], outer: [f32; 4]) -> Canvas {
    Canvas::paint(size, size, |x, y| {
        let d = ((x - 0.5).powi(2) + (y - 0.5).powi(2)).sqrt() * 2.0;
        let colour = mix(inner, outer, d);
        if d > 1.0 { [colour[0], colour[1], colour[2], 0.0] } else { colour }
    })
}

/// A scene to be mirrored in shiny things: sky, hills, ground.
pub(super) fn surroundings(size: u32) -> Canvas {
    Canvas::paint(size, size, |x, y| {
        let hill = 0.52 + 0.06 * (clouds(x, 0.5, 2) - 0.5);
        let sky = mix([0.25, 0.5, 0.9, 1.0], [0.95, 0.9, 0.8, 1.0], y / 0.55);
        let ground = mix([0.35, 0.26, 0.16, 1.0], [0.12, 0.08, 0.05, 1.0], (y - 0.5) * 2.0);
        let cloud = ((clouds(x, y, 21) - 0.5) * 5.0).max(0.0);
        if y < hill { mix(sky, [1.0; 4], cloud) } else { ground }
    })
}
