//! Rectangles: boxes with the colour and depth of the second corner, and texture axes that depend on the diagonal
//! (7.3, 8.2, 8.6).

use super::{Coverage, colour, sample};
use crate::ge::number::t16;
use picaflor_pipeline::ge::raster::Corner;

/// The box between two corners.
pub(super) struct Rectangle<'a>(pub(super) &'a Corner, pub(super) &'a Corner);

/// The first corner, and the signed way to the second, along an axis.
#[derive(Clone, Copy)]
struct Span {
    start: i64,
    length: i64,
}

impl Span {
    /// True if the sample of a pixel lies between both ends; the lower one is inside.
    fn contains(self, pixel: i32) -> bool {
        let [low, high] =
            [self.start.min(self.start + self.length), self.start.max(self.start + self.length)];
        (low..high).contains(&sample(pixel))
    }

    /// The first half; odd lengths are cut toward 0.
    const fn first_half(self) -> Self {
        Self { start: self.start, length: self.length / 2 }
    }

    /// A value that changes along the axis, at a pixel: a sum of exact products if values are short, and one division.
    fn value(self, [a, b]: [f64; 2], pixel: i32) -> f64 {
        let [length, distance] = [self.length as f64, (sample(pixel) - self.start) as f64];
        (a * length + (b - a) * distance) / length
    }
}

impl Rectangle<'_> {
    fn spans(&self) -> [Span; 2] {
        let [ax, ay, bx, by] = [self.0.x, self.0.y, self.1.x, self.1.y].map(i64::from);
        [Span { start: ax, length: bx - ax }, Span { start: ay, length: by - ay }]
    }

    /// Both values of a texture component.
    const fn ends(&self, component: usize) -> [f64; 2] {
        [self.0.texture[component], self.1.texture[component]]
    }
}

impl Coverage for Rectangle<'_> {
    fn covers(&self, x: i32, y: i32) -> bool {
        let [columns, rows] = self.spans();
        columns.contains(x) && rows.contains(y)
    }

    fn depth(&self, _: i32, _: i32) -> i32 {
        self.1.z
    }

    /// The fog coefficients of the halves are exchanged, for immediate vertices in through mode too (assumed).
    fn channels(&self, x: i32, _: i32) -> [u8; 8] {
        let [columns, _] = self.spans();
        let mut channels = colour::of(self.1);
        if !columns.first_half().contains(x) {
            channels[7] = colour::of(self.0)[7];
        }
        channels
    }

    /// u runs along x if the second corner is to the right and below, or to the left and above; else along y. q runs
    /// along x, and its reciprocal has 16 significant bits as in triangles (assumed).
    fn texture(&self, x: i32, y: i32) -> [f64; 2] {
        let [columns, rows] = self.spans();
        let is_swapped = (self.1.x > self.0.x) != (self.1.y > self.0.y);
        let [s, t] = [self.ends(0), self.ends(1)];
        let [u, v] = match is_swapped {
            false => [columns.value(s, x), rows.value(t, y)],
            true => [rows.value(s, y), columns.value(t, x)],
        };
        let reciprocal = t16(1.0 / columns.value(self.ends(2), x));
        [u * reciprocal, v * reciprocal]
    }

    fn w(&self, _: i32, _: i32) -> f64 {
        self.1.w
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{corner, fragments, places};
    use picaflor_pipeline::ge::raster::Shape::Rectangle as SHAPE;

    /// 8.2: .5 is inside on the left and top, outside on the right and bottom.
    #[test]
    fn coverage() {
        assert_eq!(places(SHAPE, &[corner(8, 8), corner(40, 24)]), [(0, 0), (1, 0)]);
        assert_eq!(places(SHAPE, &[corner(40, 24), corner(8, 8)]), [(0, 0), (1, 0)]);
        assert_eq!(places(SHAPE, &[corner(9, 8), corner(41, 9)]), [(1, 0), (2, 0)]);
        assert!(places(SHAPE, &[corner(8, 8), corner(8, 24)]).is_empty());
    }

    /// The table of 7.3: texels 1 2 / 3 4 between two corners of 2 x 2 pixels.
    #[test]
    fn rotations() {
        let shown = |from: [i32; 2], to: [i32; 2]| -> Vec<i32> {
            let [mut a, mut b] = [corner(16 * from[0], 16 * from[1]), corner(16 * to[0], 16 * to[1])];
            (a.texture, b.texture) = ([0.0, 0.0, 1.0], [2.0, 2.0, 1.0]);
            let texel = |u: f64, v: f64| u.floor() as i32 + 2 * v.floor() as i32 + 1;
            fragments(SHAPE, &[a, b]).iter().map(|(at, ..)| texel(at.u, at.v)).collect()
        };
        assert_eq!(shown([0, 0], [2, 2]), [1, 2, 3, 4]);
        assert_eq!(shown([2, 0], [0, 2]), [3, 1, 4, 2]);
        assert_eq!(shown([0, 2], [2, 0]), [2, 4, 1, 3]);
        assert_eq!(shown([2, 2], [0, 0]), [4, 3, 2, 1]);
    }

    /// 7.1: all but texture coordinates and fog from the second corner; w too (9.5).
    #[test]
    fn values_of_the_second_corner() {
        let [a, mut b] = [corner(0, 0), corner(32, 32)];
        (b.z, b.colour, b.secondary, b.w) = (77, 0x0102_0304, 0x05_0607, 9.0);
        let (at, _, w) = fragments(SHAPE, &[a, b])[0];
        assert_eq!((at.z, at.colour, at.secondary, w), (77, [4, 3, 2, 1], [7, 6, 5, 0], 9.0));
    }

    /// 7.3: four columns, the first two with B's fog. From right to left, the first half is the right one.
    #[test]
    fn halves_of_fog() {
        let fogs = |from: i32, to: i32| -> Vec<u8> {
            let [mut a, mut b] = [corner(16 * from, 0), corner(16 * to, 16)];
            (a.fog, b.fog) = (10, 20);
            fragments(SHAPE, &[a, b]).iter().map(|(at, ..)| at.fog).collect()
        };
        assert_eq!(fogs(0, 4), [20, 20, 10, 10]);
        assert_eq!(fogs(4, 0), [10, 10, 20, 20]);
        // The middle of 3 pixels is the centre of the second, which belongs to what lies right of it.
        assert_eq!(fogs(0, 3), [20, 10, 10]);
        assert_eq!(fogs(3, 0), [10, 20, 20]);
    }

    /// 5.8: q from 1 to 3 along x over 2 pixels: 1.5 and 2.5. Reciprocals cut to 16 bits: 43690/65536, 52428/131072.
    #[test]
    fn projected_coordinates() {
        let [mut a, mut b] = [corner(0, 0), corner(32, 32)];
        (a.texture, b.texture) = ([6.0, 6.0, 1.0], [6.0, 6.0, 3.0]);
        let us: Vec<f64> = fragments(SHAPE, &[a, b]).iter().map(|(at, ..)| at.u).collect();
        let expected = [6.0 * 43690.0 / 65536.0, 6.0 * 52428.0 / 131_072.0];
        assert_eq!(us, [expected, expected].concat());
    }

    #[test]
    fn changes_along_swapped_axes() {
        let [mut a, mut b] = [corner(0, 0), corner(64, 64)];
        (a.texture, b.texture) = ([0.0, 0.0, 1.0], [8.0, 4.0, 1.0]);
        assert_eq!(fragments(SHAPE, &[a, b])[5].1, [2.0, 1.0]);
        (a.x, b.x) = (64, 0);
        assert_eq!(fragments(SHAPE, &[a, b])[5].1, [0.0, 0.0]);
    }

    /// 8.6: each axis has its own length: 2 columns, 4 rows.
    #[test]
    fn axes_of_unequal_length() {
        let [mut a, mut b] = [corner(0, 0), corner(32, 64)];
        (a.texture, b.texture) = ([0.0, 0.0, 1.0], [6.0, 4.0, 1.0]);
        let all = fragments(SHAPE, &[a, b]);
        assert_eq!(all.iter().map(|(at, ..)| at.u).collect::<Vec<_>>(), [1.5, 4.5].repeat(4));
        let rows = all.iter().step_by(2).map(|(at, ..)| at.v).collect::<Vec<_>>();
        assert_eq!(rows, [0.5, 1.5, 2.5, 3.5]);
    }

    /// 8.6: v is divided by q as u is: 6 / 2.
    #[test]
    fn both_coordinates_are_projected() {
        let [mut a, mut b] = [corner(0, 0), corner(16, 16)];
        (a.texture, b.texture) = ([2.0, 6.0, 2.0], [2.0, 6.0, 2.0]);
        let at = fragments(SHAPE, &[a, b])[0].0;
        assert_eq!([at.u, at.v], [1.0, 3.0]);
    }
}
