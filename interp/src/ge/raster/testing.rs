//! Corners and visited pixels for tests.

use super::walk;
use crate::ge::raster::fragment::{Fragment, Quad};
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::rect::Rect;

/// A corner at sixteenths of pixels; w and q are 1, all else is 0.
pub(super) fn corner(x: i32, y: i32) -> Corner {
    Corner { texture: [0.0, 0.0, 1.0], w: 1.0, x, y, z: 0, colour: 0, secondary: 0, fog: 0 }
}

/// The fragments of a primitive on 1024 x 1024 pixels, in order; and the derivatives of each.
pub(super) fn fragments(shape: Shape, corners: &[Corner]) -> Vec<(Fragment, [f64; 2], f64)> {
    fragments_in(shape, corners, Rect { x0: 0, y0: 0, x1: 1024, y1: 1024 })
}

/// The fragments in a tile.
pub(super) fn fragments_in(shape: Shape, corners: &[Corner], tile: Rect) -> Vec<(Fragment, [f64; 2], f64)> {
    let last = corners[corners.len() - 1];
    let corners = std::array::from_fn(|n| *corners.get(n).unwrap_or(&last));
    let mut out = vec![];
    let mut visit =
        |at: &Fragment, quad: &dyn Quad| out.push((*at, quad.change(at.x, at.y), quad.w(at.x, at.y)));
    let count = walk(&Primitive { corners, shape, reserved: 0 }, tile, &mut visit);
    assert_eq!(count, out.len() as u64);
    out
}

/// Their places.
pub(super) fn places(shape: Shape, corners: &[Corner]) -> Vec<(i32, i32)> {
    fragments(shape, corners).iter().map(|(at, ..)| (at.x, at.y)).collect()
}
