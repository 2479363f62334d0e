//! Coverage: the pixels whose centre a triangle owns.
//!
//! Source: pica-geometry.md 6.1 and 6.2. The grid of sixteenths and the fill rule are tradition of software, not
//! measured.

use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::rect::Rect;

/// Parts of a pixel in the unit of window coordinates.
const PIXEL: i32 = 16;

/// A point of the window in sixteenths of a pixel.
type Point = [i64; 2];

/// The directed edge opposite to vertex `i` of a triangle: from vertex `i + 1` to vertex `i + 2`.
pub(super) fn edge(triangle: &Triangle, i: usize) -> [Point; 2] {
    [(i + 1) % 3, (i + 2) % 3].map(|k| [triangle.x[k].into(), triangle.y[k].into()])
}

/// E(p) of a directed edge: twice the area of the triangle that it forms with `p`, positive if `p` is to the left.
fn value([[ax, ay], [bx, by]]: [Point; 2], [px, py]: Point) -> i64 {
    (bx - ax) * (py - ay) - (by - ay) * (px - ax)
}

/// True if an edge does not own the points on it: it is a right edge or, y being upward, a horizontal edge at the top.
fn is_open([[ax, ay], [bx, by]]: [Point; 2]) -> bool {
    by > ay || by == ay && bx < ax
}

/// The value of the edge opposite to each vertex at the centre of a pixel; `None` if the triangle, whose vertices are
/// in counter-clockwise order, does not cover the pixel.
pub(crate) fn at_pixel(triangle: &Triangle, x: i32, y: i32) -> Option<[i64; 3]> {
    let centre = [x, y].map(|side| i64::from(PIXEL) * i64::from(side) + i64::from(PIXEL / 2));
    let edges = [0, 1, 2].map(|i| edge(triangle, i));
    let values = edges.map(|edge| value(edge, centre));
    let owns = |i: usize| values[i] > 0 || values[i] == 0 && !is_open(edges[i]);
    (0..3).all(owns).then_some(values)
}

/// The pixels that a triangle may cover.
pub(crate) fn bounds(triangle: &Triangle) -> Rect {
    let first = |side: [i32; 3]| side.into_iter().fold(i32::MAX, i32::min).div_euclid(PIXEL);
    let end = |side: [i32; 3]| {
        let last = side.into_iter().fold(i32::MIN, i32::max);
        last.div_euclid(PIXEL) + i32::from(last.rem_euclid(PIXEL) != 0)
    };
    Rect { x0: first(triangle.x), y0: first(triangle.y), x1: end(triangle.x), y1: end(triangle.y) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::triangle;
    use super::*;

    fn covered(corners: [[i32; 2]; 3], area: Rect) -> Vec<[i32; 2]> {
        let pixels = (area.y0..area.y1).flat_map(|y| (area.x0..area.x1).map(move |x| [x, y]));
        pixels.filter(|&[x, y]| at_pixel(&triangle(corners), x, y).is_some()).collect()
    }

    const AREA: Rect = Rect { x0: -2, y0: -2, x1: 6, y1: 6 };

    /// A square of two triangles with corners at the centres of (0, 0) and (2, 2): the left and the low edge own their
    /// centres, the right and the high edge do not (pica-geometry.md 6.2), and the diagonal belongs to one of the two.
    #[test]
    fn fill_rule() {
        let [low, high] = [8, 40];
        let below = covered([[low, low], [high, low], [high, high]], AREA);
        let above = covered([[low, low], [high, high], [low, high]], AREA);
        // The diagonal runs upward to the right. Below, it is the closing edge, from high to low: by < ay, so closed.
        assert_eq!(below, [[0, 0], [1, 0], [1, 1]]);
        // Above, it goes from low to high: by > ay, so open.
        assert_eq!(above, [[0, 1]]);
    }

    /// A shared edge through a pixel centre: each centre belongs to one side.
    #[test]
    fn shared_edges() {
        let left = covered([[0, 0], [24, 0], [24, 64]], AREA);
        let right = covered([[24, 0], [64, 0], [24, 64]], AREA);
        assert!(left.iter().all(|&[x, _]| x == 0) && right.iter().all(|&[x, _]| x > 0), "{left:?} {right:?}");
        assert!(right.contains(&[1, 0]), "the left edge of the right triangle owns its centres");
    }

    #[test]
    fn values_are_opposite_to_their_vertices() {
        // Twice the area is 64 * 64; the centre (8, 8) is an eighth of the way from each leg.
        let found = at_pixel(&triangle([[0, 0], [64, 0], [0, 64]]), 0, 0);
        assert_eq!(found, Some([64 * 48, 64 * 8, 64 * 8]));
        assert_eq!(at_pixel(&triangle([[0, 0], [64, 0], [0, 64]]), 3, 3), None);
    }

    #[test]
    fn far_corners_do_not_overflow() {
        let far = 1 << 18;
        let found = at_pixel(&triangle([[-far, -far], [far, -far], [-far, far]]), -16_384, -16_384);
        assert_eq!(found, Some([(1 << 38) - (16 << 19), 8 << 19, 8 << 19]));
    }

    /// pica-geometry.md 6.2: from floor(min / 16) up to ceil(max / 16).
    #[test]
    fn bounds_contain_partial_pixels() {
        let rect = bounds(&triangle([[-1, 16], [17, 31], [16, 32]]));
        assert_eq!(rect, Rect { x0: -1, y0: 1, x1: 2, y1: 2 });
    }
}
