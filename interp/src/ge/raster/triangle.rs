//! Triangles: exact edge functions, tested at the centre of each pixel (8.1, 8.3, 8.5, 8.6).

use super::{Coverage, colour, sample, texture};
use picaflor_pipeline::ge::raster::Corner;

/// A clockwise triangle of an area above 0.
pub(super) struct Triangle<'a>(pub(super) [&'a Corner; 3]);

impl Triangle<'_> {
    /// Edge values at a pixel, each opposite the corner of its number. They are at most 2^43.
    fn edges(&self, x: i32, y: i32) -> [i64; 3] {
        let [v0, v1, v2] = self.0;
        [[v1, v2], [v2, v0], [v0, v1]].map(|[a, b]| edge(a, b, sample(x), sample(y)))
    }

    /// Twice the area: the sum of the edge values anywhere.
    fn area(&self) -> i64 {
        self.edges(0, 0).iter().sum()
    }

    fn weights(&self, x: i32, y: i32) -> [f64; 3] {
        self.edges(x, y).map(|edge| edge as f64)
    }
}

impl Coverage for Triangle<'_> {
    fn covers(&self, x: i32, y: i32) -> bool {
        let [v0, v1, v2] = self.0;
        let starts_and_ends = [[v1, v2], [v2, v0], [v0, v1]];
        self.edges(x, y)
            .iter()
            .zip(starts_and_ends)
            .all(|(&value, [a, b])| value > 0 || value == 0 && (b.y < a.y || b.y == a.y && b.x > a.x))
    }

    /// The exact quotient, floored (8.5).
    fn depth(&self, x: i32, y: i32) -> i32 {
        let products = self.edges(x, y).into_iter().zip(self.0).map(|(e, corner)| e * i64::from(corner.z));
        products.sum::<i64>().div_euclid(self.area()) as i32
    }

    fn channels(&self, x: i32, y: i32) -> [u8; 8] {
        let anchor = self.0[0];
        let distance = [sample(x) - i64::from(anchor.x), sample(y) - i64::from(anchor.y)];
        let area = self.area();
        std::array::from_fn(|channel| {
            let slopes = colour::slopes(self.0, channel, area);
            colour::planar(colour::of(anchor)[channel], slopes, distance)
        })
    }

    fn texture(&self, x: i32, y: i32) -> [f64; 2] {
        texture::interpolated(self.0, self.weights(x, y))
    }

    fn w(&self, x: i32, y: i32) -> f64 {
        texture::w(self.0, self.weights(x, y))
    }
}

/// E of the edge from `a` to `b`: above 0 to its right, y down.
fn edge(a: &Corner, b: &Corner, x: i64, y: i64) -> i64 {
    let [ax, ay, bx, by] = [a.x, a.y, b.x, b.y].map(i64::from);
    (bx - ax) * (y - ay) - (by - ay) * (x - ax)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{corner, fragments, fragments_in, places};
    use picaflor_pipeline::ge::raster::Corner;
    use picaflor_pipeline::ge::raster::Shape::Triangle as SHAPE;
    use picaflor_pipeline::rect::Rect;

    /// Corners on the centres of pixels 0 and 2: left edge and top edge are inside, the diagonal is not.
    #[test]
    fn edges_on_samples() {
        let corners = [corner(8, 8), corner(40, 8), corner(8, 40)];
        assert_eq!(places(SHAPE, &corners), [(0, 0), (1, 0), (0, 1)]);
        // The other half of the square has the diagonal, and neither the right nor the bottom edge.
        let corners = [corner(40, 8), corner(40, 40), corner(8, 40)];
        assert_eq!(places(SHAPE, &corners), [(1, 1)]);
    }

    /// 8.2: two halves of a square cover each of its pixels once: columns 8 <= 16 px + 8 < 72 and rows likewise.
    #[test]
    fn halves_cover_a_square_once() {
        let [tl, tr, bl, br] = [corner(8, 8), corner(72, 8), corner(8, 72), corner(72, 72)];
        let mut all = [places(SHAPE, &[tl, tr, bl]), places(SHAPE, &[tr, br, bl])].concat();
        all.sort_unstable();
        let square: Vec<_> = (0..4).flat_map(|x| (0..4).map(move |y| (x, y))).collect();
        assert_eq!(all, square);
    }

    /// 8.1, triangle/triangle: 4995 pixels of this triangle, given clockwise.
    #[test]
    fn the_measured_triangle() {
        let corners = [corner(2716, 2047), corner(4466, 1679), corner(3711, 3299)];
        assert_eq!(places(SHAPE, &corners).len(), 4995);
    }

    /// w is 1 + x + 2 y at the samples; of a quad, that of the pixel with even coordinates counts (9.5).
    #[test]
    fn clip_w_of_the_upper_left_pixel() {
        let corners =
            [(8, 8, 1.0), (136, 8, 9.0), (8, 136, 17.0)].map(|(x, y, w)| Corner { w, ..corner(x, y) });
        let visited = fragments(SHAPE, &corners);
        assert_eq!(visited.len(), 36);
        for (at, _, w) in visited {
            assert_eq!(w, f64::from(1 + (at.x / 2 * 2) + 2 * (at.y / 2 * 2)), "{} {}", at.x, at.y);
        }
    }

    /// Two tiles cover together what one does.
    #[test]
    fn tiles_share_pixels() {
        let corners = [corner(0, 0), corner(320, 16), corner(100, 300)];
        let of = |x0, x1| fragments_in(SHAPE, &corners, Rect { x0, y0: 0, x1, y1: 1024 }).len();
        assert_eq!(of(0, 7) + of(7, 1024), places(SHAPE, &corners).len());
    }

    /// Depths 0, 16, 0 over 16 pixels: pixel x has its centre at x + 1/2 pixels, and 1/16 of depth 256 there is 8.
    #[test]
    fn depths_are_floored() {
        let mut corners = [corner(0, 0), corner(256, 0), corner(0, 256)];
        corners[1].z = 16;
        let depths: Vec<i32> = fragments(SHAPE, &corners)[..16].iter().map(|(at, ..)| at.z).collect();
        // x + 1/2, floored. The last pixel of row 0 lies on the diagonal.
        assert_eq!(depths[..15], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
        corners[1].z = 0;
        corners[2].z = 65535;
        // 65535 / 32 = 2047.97
        assert_eq!(fragments(SHAPE, &corners)[0].0.z, 2047);
    }

    /// Area 65536, its reciprocal is exact: red grows by 16 each pixel, at the first centre it is 8. Of the anchor
    /// only the fog is 3, falling by 3/16 each pixel: 3 - 3/32 - 3/32 is 2.8.
    #[test]
    fn channels_are_planar() {
        let mut corners = [corner(0, 0), corner(256, 0), corner(0, 256)];
        (corners[1].colour, corners[0].fog, corners[2].secondary) = (0xff, 3, 0x80_0000);
        let all = fragments(SHAPE, &corners);
        // 255 / 32 = 7.97; 255 * 3 / 32 = 23.9
        assert_eq!([all[0].0.colour[0], all[1].0.colour[0]], [7, 23]);
        assert_eq!(all[0].0.fog, 2);
        assert_eq!(all[0].0.secondary, [0, 0, 4, 0]);
    }

    /// s = x pixels, t = 2 y pixels; the derivative belongs to the quad.
    #[test]
    fn texture_and_its_change() {
        let mut corners = [corner(0, 0), corner(256, 0), corner(0, 256)];
        (corners[1].texture, corners[2].texture) = ([16.0, 0.0, 1.0], [0.0, 32.0, 1.0]);
        let (at, change, w) = fragments(SHAPE, &corners)[1];
        assert_eq!(([at.u, at.v], change, w), ([1.5, 1.0], [1.0, 2.0], 1.0));
    }

    /// A triangle has the same colours wherever it lies: three columns to the right and five rows down.
    #[test]
    fn channels_move_with_the_triangle() {
        let mut corners = [corner(0, 0), corner(256, 0), corner(0, 256)];
        (corners[0].colour, corners[1].colour, corners[2].colour) = (200, 0xff, 0x20);
        let moved = corners.map(|at| Corner { x: at.x + 48, y: at.y + 80, ..at });
        let colours = |corners: &[Corner], [x, y]: [i32; 2]| -> Vec<_> {
            fragments(SHAPE, corners).iter().map(|(at, ..)| (at.x - x, at.y - y, at.colour)).collect()
        };
        assert_eq!(colours(&corners, [0, 0]), colours(&moved, [3, 5]));
    }
}
