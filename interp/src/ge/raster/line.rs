//! Lines: one pixel for each pixel centre along the major axis (8.4).

use super::{Coverage, colour, sample, texture};
use picaflor_pipeline::ge::raster::Corner;
use picaflor_pipeline::rect::Rect;

/// A line, from its lower to its higher end on the major axis; of ends that are equal there, the first is the lower
/// (assumed).
pub(super) struct Line<'a> {
    low: &'a Corner,
    high: &'a Corner,
    is_x_major: bool,
}

impl<'a> Line<'a> {
    /// The line between two corners. If both distances are equal, x is the major axis (assumed).
    pub(super) fn of(a: &'a Corner, b: &'a Corner) -> Self {
        let is_x_major = (b.x - a.x).abs() >= (b.y - a.y).abs();
        let is_forward = if is_x_major { a.x <= b.x } else { a.y <= b.y };
        let [low, high] = if is_forward { [a, b] } else { [b, a] };
        Self { low, high, is_x_major }
    }

    /// Major and minor position of a corner.
    fn axes(&self, corner: &Corner) -> [i64; 2] {
        let [x, y] = [i64::from(corner.x), i64::from(corner.y)];
        if self.is_x_major { [x, y] } else { [y, x] }
    }

    /// Length along the major axis.
    fn length(&self) -> i64 {
        self.axes(self.high)[0] - self.axes(self.low)[0]
    }

    /// Distance of a pixel's centre from the lower end along the major axis.
    fn distance(&self, x: i32, y: i32) -> i64 {
        sample(if self.is_x_major { x } else { y }) - self.axes(self.low)[0]
    }

    /// The covered pixels inside of a tile. Both ends are inclusive.
    pub(super) fn pixels(&self, tile: Rect) -> impl Iterator<Item = (i32, i32)> {
        let [low, high] = [self.axes(self.low)[0], self.axes(self.high)[0]];
        let centres = move |pixel: &i32| (low..=high).contains(&sample(*pixel));
        let [from, to] = if self.is_x_major { [tile.x0, tile.x1] } else { [tile.y0, tile.y1] };
        let majors = ((low >> 4) as i32).max(from)..((high >> 4) as i32 + 1).min(to);
        let pixels = majors.filter(centres).map(|major| {
            let minor = self.minor(major);
            if self.is_x_major { (major, minor) } else { (minor, major) }
        });
        pixels.filter(move |&(x, y)| tile.contains(x, y))
    }

    /// The minor pixel: the exact position at the centre of `major`, floored.
    fn minor(&self, major: i32) -> i32 {
        let [low, high] = [self.axes(self.low), self.axes(self.high)];
        let way = (high[1] - low[1]) * (sample(major) - low[0]);
        let length = self.length().max(1);
        (low[1] * length + way).div_euclid(16 * length) as i32
    }

    /// Weights of the lower and the higher end.
    fn weights(&self, x: i32, y: i32) -> [f64; 2] {
        let length = self.length();
        let k = if length == 0 { 0.0 } else { self.distance(x, y) as f64 / length as f64 };
        [1.0 - k, k]
    }
}

impl Coverage for Line<'_> {
    fn covers(&self, x: i32, y: i32) -> bool {
        self.pixels(Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 }).next().is_some()
    }

    /// The exact value, floored.
    fn depth(&self, x: i32, y: i32) -> i32 {
        let [low, high] = [self.low.z, self.high.z].map(i64::from);
        (low + ((high - low) * self.distance(x, y)).div_euclid(self.length().max(1))) as i32
    }

    fn channels(&self, x: i32, y: i32) -> [u8; 8] {
        let [low, high] = [colour::of(self.low), colour::of(self.high)];
        std::array::from_fn(|n| colour::linear(low[n], high[n], self.distance(x, y), self.length()))
    }

    fn texture(&self, x: i32, y: i32) -> [f64; 2] {
        texture::interpolated([self.low, self.high], self.weights(x, y))
    }

    fn w(&self, x: i32, y: i32) -> f64 {
        texture::w([self.low, self.high], self.weights(x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{corner, fragments, places};
    use picaflor_pipeline::ge::raster::Shape::Line as SHAPE;

    fn line(from: [i32; 2], to: [i32; 2]) -> Vec<(i32, i32)> {
        places(SHAPE, &[corner(16 * from[0], 16 * from[1]), corner(16 * to[0], 16 * to[1])])
    }

    /// The table of 14.14, with the strips as single lines.
    #[test]
    fn measured_lines() {
        assert_eq!(line([14, 10], [16, 10]), [(14, 10), (15, 10)]);
        assert_eq!(line([24, 10], [22, 10]), [(22, 10), (23, 10)]);
        assert_eq!(line([16, 10], [16, 12]), [(16, 10), (16, 11)]);
        // (110,10) (150,10) (150,50) (110,50): the corner (150, 50) stays dark.
        assert_eq!(line([110, 10], [150, 10]).len(), 40);
        let down = line([150, 10], [150, 50]);
        assert_eq!((down[0], down[39], down.len()), ((150, 10), (150, 49), 40));
        let back = line([150, 50], [110, 50]);
        assert_eq!((back[0], back[39], back.len()), ((110, 50), (149, 50), 40));
    }

    /// Centres at both ends are inside. With equal distances x is the major axis; the slope is exact.
    #[test]
    fn ends_and_slopes() {
        assert_eq!(places(SHAPE, &[corner(8, 0), corner(40, 0)]), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(places(SHAPE, &[corner(9, 0), corner(39, 0)]), [(1, 0)]);
        // From (0, 0) to (3, -1) pixels: -1/6, -1/2, -5/6 are all in row -1, which no tile has.
        assert!(line([0, 0], [3, -1]).is_empty());
        assert_eq!(line([0, 1], [3, 0]), [(0, 0), (1, 0), (2, 0)]);
        assert_eq!(line([0, 0], [2, 2]), [(0, 0), (1, 1)]);
        assert_eq!(line([2, 4], [0, 0]), [(0, 0), (0, 1), (1, 2), (1, 3)]);
    }

    #[test]
    fn lines_without_length() {
        assert_eq!(places(SHAPE, &[corner(24, 8), corner(24, 8)]), [(1, 0)]);
        assert!(places(SHAPE, &[corner(16, 16), corner(16, 16)]).is_empty());
        // The minor axis decides nothing.
        assert_eq!(places(SHAPE, &[corner(24, 9), corner(24, 9)]), [(1, 0)]);
        let mut ends = [corner(24, 8), corner(24, 8)];
        (ends[0].z, ends[0].colour) = (7, 0x0102_0304);
        let at = fragments(SHAPE, &ends)[0].0;
        assert_eq!((at.z, at.colour), (7, [4, 3, 2, 1]));
    }

    /// 4 pixels backward: the lower end is the second corner. Values at 1/8, 3/8, 5/8, 7/8.
    #[test]
    fn values_from_the_lower_end() {
        let mut ends = [corner(64, 0), corner(0, 0)];
        (ends[1].z, ends[1].colour, ends[1].texture[0]) = (100, 200, 8.0);
        let all = fragments(SHAPE, &ends);
        assert_eq!(all.iter().map(|(at, ..)| at.z).collect::<Vec<_>>(), [87, 62, 37, 12]);
        assert_eq!(all.iter().map(|(at, ..)| at.colour[0]).collect::<Vec<_>>(), [175, 125, 75, 25]);
        assert_eq!(all.iter().map(|(at, ..)| at.u).collect::<Vec<_>>(), [7.0, 5.0, 3.0, 1.0]);
        assert_eq!(all[3].1, [-2.0, 0.0]);
    }

    /// w = 1 and 2, at k = 1/2: S = 8/2 * 1/2 = 2, Q = (1 + 1/2) / 2 = 3/4, T16(4/3) = 43690/32768.
    #[test]
    fn perspective() {
        let mut ends = [corner(0, 0), corner(16, 0)];
        (ends[1].w, ends[1].texture[0]) = (2.0, 8.0);
        let (at, _, w) = fragments(SHAPE, &ends)[0];
        assert_eq!((at.u, w), (2.0 * 43690.0 / 32768.0, 1.5));
    }

    /// Neither ends nor values depend on where the line is: 4 pixels from (3, 2), one row down for each column.
    #[test]
    fn lines_away_from_the_origin() {
        let mut ends = [corner(48, 32), corner(112, 96)];
        (ends[1].z, ends[1].colour) = (100, 200);
        let all = fragments(SHAPE, &ends);
        assert_eq!(
            all.iter().map(|(at, ..)| (at.x, at.y)).collect::<Vec<_>>(),
            [(3, 2), (4, 3), (5, 4), (6, 5)]
        );
        // At 1/8, 3/8, 5/8, 7/8.
        assert_eq!(all.iter().map(|(at, ..)| at.z).collect::<Vec<_>>(), [12, 37, 62, 87]);
        assert_eq!(all.iter().map(|(at, ..)| at.colour[0]).collect::<Vec<_>>(), [25, 75, 125, 175]);
    }
}
