//! Coverage and interpolation of primitives, one pixel at a time (8).
//!
//! Every candidate pixel is tested by itself and every value is computed from the corners: nothing is stepped. A file
//! for each shape: `triangle.rs`, `line.rs`, `rectangle.rs`, `point.rs`; `colour.rs` interpolates channels (8.3, 8.4),
//! `texture.rs` texture coordinates (8.6). `fragment.rs`: what a covered pixel is given.

mod colour;
pub(crate) mod fragment;
mod line;
mod point;
mod rectangle;
#[cfg(test)]
mod testing;
mod texture;
mod triangle;

use fragment::{Fragment, Quad};
use picaflor_pipeline::ge::raster::{Corner, Primitive, Shape};
use picaflor_pipeline::rect::Rect;

/// A shape whose pixels can be asked for one by one. Values are defined for pixels that are not covered, too.
trait Coverage {
    /// True if the pixel is covered.
    fn covers(&self, x: i32, y: i32) -> bool;

    /// The depth of a covered pixel.
    fn depth(&self, x: i32, y: i32) -> i32;

    /// Channels of a covered pixel.
    fn channels(&self, x: i32, y: i32) -> [u8; 8];

    /// Texture coordinates u, v.
    fn texture(&self, x: i32, y: i32) -> [f64; 2];

    /// Clip w.
    fn w(&self, x: i32, y: i32) -> f64;
}

/// A shape as neighbourhood of its pixels.
struct Neighbours<'a>(&'a dyn Coverage);

impl Quad for Neighbours<'_> {
    /// 9.5: the differences in the quad whose upper left pixel has even coordinates.
    fn change(&self, x: i32, y: i32) -> [f64; 2] {
        let [x, y] = [x & !1, y & !1];
        let [u, v] = self.0.texture(x, y);
        [self.0.texture(x + 1, y)[0] - u, self.0.texture(x, y + 1)[1] - v]
    }

    fn w(&self, x: i32, y: i32) -> f64 {
        self.0.w(x & !1, y & !1)
    }
}

/// Visits the covered pixels inside of `tile`, row by row downward, each row from left to right; a line from its lower
/// to its higher end. Returns their number.
pub(super) fn walk(primitive: &Primitive, tile: Rect, visit: &mut dyn FnMut(&Fragment, &dyn Quad)) -> u64 {
    let [a, b, c] = &primitive.corners;
    match primitive.shape {
        Shape::Point => scan(&point::Point(a), box_of(&[a]).intersect(tile), visit),
        Shape::Rectangle => scan(&rectangle::Rectangle(a, b), box_of(&[a, b]).intersect(tile), visit),
        Shape::Triangle => scan(&triangle::Triangle([a, b, c]), box_of(&[a, b, c]).intersect(tile), visit),
        Shape::Line => {
            let line = line::Line::of(a, b);
            line.pixels(tile).map(|(x, y)| visit_pixel(&line, x, y, visit)).sum()
        }
    }
}

/// Visits the covered pixels among those of `area`.
fn scan(shape: &dyn Coverage, area: Rect, visit: &mut dyn FnMut(&Fragment, &dyn Quad)) -> u64 {
    let pixels = (area.y0..area.y1).flat_map(|y| (area.x0..area.x1).map(move |x| (x, y)));
    pixels.filter(|&(x, y)| shape.covers(x, y)).map(|(x, y)| visit_pixel(shape, x, y, visit)).sum()
}

/// Visits one pixel.
fn visit_pixel(shape: &dyn Coverage, x: i32, y: i32, visit: &mut dyn FnMut(&Fragment, &dyn Quad)) -> u64 {
    let [r, g, b, a, secondary_r, secondary_g, secondary_b, fog] = shape.channels(x, y);
    let [u, v] = shape.texture(x, y);
    let colour = [r, g, b, a];
    let secondary = [secondary_r, secondary_g, secondary_b, 0];
    let fragment = Fragment { x, y, z: shape.depth(x, y), colour, secondary, fog, u, v };
    visit(&fragment, &Neighbours(shape));
    1
}

/// All pixels that corners may touch.
fn box_of(corners: &[&Corner]) -> Rect {
    let xs = || corners.iter().map(|corner| corner.x >> 4);
    let ys = || corners.iter().map(|corner| corner.y >> 4);
    Rect {
        x0: xs().min().unwrap_or(0),
        y0: ys().min().unwrap_or(0),
        x1: xs().max().unwrap_or(-1) + 1,
        y1: ys().max().unwrap_or(-1) + 1,
    }
}

/// The sample of a pixel along an axis, in sixteenths: its centre.
fn sample(pixel: i32) -> i64 {
    16 * i64::from(pixel) + 8
}

#[cfg(test)]
mod tests {
    use super::testing::{corner, fragments};
    use picaflor_pipeline::ge::raster::{Corner, Shape};

    /// 9.5: with perspective no two steps are equal, yet one pair of them serves a whole quad: those of its upper left
    /// pixel.
    #[test]
    fn a_quad_has_one_change() {
        let corners = [(0, 0, [0.0, 0.0], 1.0), (256, 0, [8.0, 0.0], 2.0), (0, 256, [0.0, 8.0], 4.0)]
            .map(|(x, y, [s, t], w)| Corner { texture: [s, t, 1.0], w, ..corner(x, y) });
        let visited = fragments(Shape::Triangle, &corners);
        let pixel = |x, y| visited.iter().find(|(at, ..)| (at.x, at.y) == (x, y)).unwrap();
        let uv = |x, y| [pixel(x, y).0.u, pixel(x, y).0.v];
        let step = |x, y| [uv(x + 1, y)[0] - uv(x, y)[0], uv(x, y + 1)[1] - uv(x, y)[1]];
        for (x, y) in [(2, 4), (3, 4), (2, 5), (3, 5)] {
            assert_eq!(pixel(x, y).1, step(2, 4), "{x} {y}");
        }
        assert_ne!(step(3, 5), step(2, 4));
    }
}
