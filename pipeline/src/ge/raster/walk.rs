//! The walker: from a primitive to its covered pixels.

use super::fragment::{Fragment, Quad};
use super::{Primitive, Shape, line, rectangle, triangle};
use crate::rect::Rect;

/// What a covered pixel is given to.
pub type Visit<'a> = dyn FnMut(&Fragment, &dyn Quad) + 'a;

/// Gives every pixel of `rect` that the primitive covers to `visit`, row by row downward and each row from left to
/// right; a line from its lower to its higher end along the axis where it is longer. Returns how many there were.
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

/// How u changes to the right and v downward in the quad around a pixel.
pub(super) fn quad_change(x: i32, y: i32, coordinates: impl Fn(i32, i32) -> [f64; 2]) -> [f64; 2] {
    let (x, y) = quad_corner(x, y);
    let [u, v] = coordinates(x, y);
    [coordinates(x + 1, y)[0] - u, coordinates(x, y + 1)[1] - v]
}
