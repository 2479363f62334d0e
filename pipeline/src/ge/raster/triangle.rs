//! Triangles: interpolation at covered pixels.
//!
//! Source: psp-ge.md 8.1, 8.3, 8.5, 8.6.

use super::edges::{Edges, centre};
use super::fragment::{Fragment, Quad};
use super::gradient::{CHANNELS, Gradient};
use super::texture::Coordinates;
use super::walk::{Visit, quad_change, quad_corner};
use super::{Corner, Primitive};
use crate::rect::Rect;

/// A triangle, after set-up.
struct Triangle<'a> {
    corners: &'a [Corner; 3],
    edges: Edges,
    area: i64,
    gradients: [Gradient; CHANNELS],
    coordinates: Coordinates<3>,
}

/// Calls `visit` for the pixels of `rect` that the triangle covers.
pub(super) fn walk(primitive: &Primitive, rect: Rect, visit: &mut Visit<'_>) -> u64 {
    let corners = &primitive.corners;
    let edges = Edges::new(corners);
    if edges.area() <= 0 {
        return 0;
    }
    let [a, b, c] = corners;
    let triangle = Triangle {
        corners,
        edges,
        area: edges.area(),
        gradients: Gradient::of_triangle(corners),
        coordinates: Coordinates::new([a, b, c]),
    };
    let mut covered = 0;
    for y in rect.y0..rect.y1 {
        for x in rect.x0..rect.x1 {
            let values = edges.at(x, y);
            if edges.covers(values) {
                visit(&triangle.fragment(x, y, values), &triangle);
                covered += 1;
            }
        }
    }
    covered
}

impl Triangle<'_> {
    fn fragment(&self, x: i32, y: i32, edges: [i64; 3]) -> Fragment {
        let anchor = &self.corners[0];
        let [dx, dy] =
            [(x, anchor.x), (y, anchor.y)].map(|(at, from)| i64::from(centre(at)) - i64::from(from));
        let channels = self.gradients.map(|gradient| gradient.at(dx, dy));
        let coordinates = self.coordinates.at(edges.map(|edge| edge as f64), self.area as f64);
        Fragment::new(x, y, self.depth(edges), channels, coordinates)
    }

    /// The exact value, floored (assumed: the console's precision is unknown).
    fn depth(&self, edges: [i64; 3]) -> i32 {
        let products = edges.iter().zip(self.corners).map(|(edge, corner)| edge * i64::from(corner.z));
        products.sum::<i64>().div_euclid(self.area) as i32
    }

    fn coordinates_at(&self, x: i32, y: i32) -> [f64; 2] {
        self.coordinates.at(self.edges.at(x, y).map(|edge| edge as f64), self.area as f64)
    }
}

impl Quad for Triangle<'_> {
    fn change(&self, x: i32, y: i32) -> [f64; 2] {
        quad_change(x, y, |x, y| self.coordinates_at(x, y))
    }

    fn w(&self, x: i32, y: i32) -> f64 {
        let (x, y) = quad_corner(x, y);
        self.coordinates.w_at(self.edges.at(x, y).map(|edge| edge as f64), self.area as f64)
    }
}
