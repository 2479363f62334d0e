//! The walker: enumerates the covered pixels of a primitive.

use super::fragment::{Fragment, Quad};
use super::{Primitive, Shape, line, rectangle, triangle};
use crate::rect::Rect;

/// Callback for a covered pixel.
pub type Visit<'a> = dyn FnMut(&Fragment, &dyn Quad) + 'a;

/// Calls `visit` for every pixel of `rect` that the primitive covers, row by row downward and each row from left to
/// right; for a line, from its lower to its higher end along its major axis. Returns the number of pixels.
pub fn walk(primitive: &Primitive, rect: Rect, visit: &mut Visit<'_>) -> u64 {
    let rect = primitive.bounds().intersect(rect);
    match primitive.shape {
        Shape::Point => rectangle::walk_point(primitive, rect, visit),
        Shape::Line => line::walk(primitive, rect, visit),
        Shape::Triangle => triangle::walk(primitive, rect, visit),
        Shape::Rectangle => rectangle::walk(primitive, rect, visit),
    }
}

/// The upper left pixel of the quad around a pixel.
pub(super) const fn quad_corner(x: i32, y: i32) -> (i32, i32) {
    (x & !1, y & !1)
}

/// Change of u to the right and of v downward in the quad around a pixel.
pub(super) fn quad_change(x: i32, y: i32, coordinates: impl Fn(i32, i32) -> [f64; 2]) -> [f64; 2] {
    let (x, y) = quad_corner(x, y);
    let [u, v] = coordinates(x, y);
    [coordinates(x + 1, y)[0] - u, coordinates(x, y + 1)[1] - v]
}
