//! Channels: primary colour, secondary colour and fog coefficient, interpolated alike (8.3, 8.4, 8.7).

use crate::ge::number::t16;
use picaflor_pipeline::ge::raster::Corner;

/// Red, green, blue, alpha; red, green, blue of the secondary colour; fog.
pub(super) fn of(corner: &Corner) -> [u8; 8] {
    let [r, g, b, a] = corner.colour.to_le_bytes();
    let [secondary_r, secondary_g, secondary_b, _] = corner.secondary.to_le_bytes();
    [r, g, b, a, secondary_r, secondary_g, secondary_b, corner.fog as u8]
}

/// Slope of a triangle's channel along x and y, in 1024ths for each pixel (8.3). `area` is twice the area in 1/256
/// pixels.
pub(super) fn slopes(corners: [&Corner; 3], channel: usize, area: i64) -> [i64; 2] {
    let [c0, c1, c2] = corners.map(|corner| i64::from(of(corner)[channel]));
    let [x0, x1, x2] = corners.map(|corner| i64::from(corner.x));
    let [y0, y1, y2] = corners.map(|corner| i64::from(corner.y));
    let reciprocal = t16(1.0 / area as f64);
    // Less than 2^47: products and their 16 bits of reciprocal are exact, the cast after the floor too.
    let slope = |sum: i64| ((1024 * 16 * sum) as f64 * reciprocal).floor() as i64;
    [
        slope((c1 - c0) * (y2 - y0) - (c2 - c0) * (y1 - y0)),
        slope((c2 - c0) * (x1 - x0) - (c1 - c0) * (x2 - x0)),
    ]
}

/// A channel of a pixel of a triangle, from its anchor and the distance from there in sixteenths.
pub(super) fn planar(anchor: u8, slopes: [i64; 2], distance: [i64; 2]) -> u8 {
    let [x, y] = [0, 1].map(|axis| i128::from(slopes[axis]) * i128::from(distance[axis]));
    shortened(anchor, (x + y) >> 4)
}

/// A channel of a pixel of a line, at `distance` of `length` sixteenths from its lower end. Clamped as in triangles
/// (assumed); a line without length has the colour of that end (assumed).
pub(super) fn linear(from: u8, to: u8, distance: i64, length: i64) -> u8 {
    if length == 0 {
        return from;
    }
    let slope = (1024 * 16 * (i64::from(to) - i64::from(from))).div_euclid(length);
    shortened(from, i128::from((slope * distance) >> 4))
}

/// Adds 1024ths to a channel, and drops the fraction.
fn shortened(start: u8, added: i128) -> u8 {
    ((i128::from(start) * 1024 + added) >> 10).clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::super::testing::corner;
    use super::*;

    /// A right angle of 3 x 3 pixels: area 48 * 48 = 2304, T16(1/2304) = 58254 / 2^27. Red from 0 to 255 would grow by
    /// 87040 = 85 * 1024 each pixel; the truncated reciprocal gives less.
    #[test]
    fn reciprocals_are_truncated() {
        let [a, mut b, c] = [corner(0, 0), corner(48, 0), corner(0, 48)];
        b.colour = 255;
        let reciprocal = 58254.0 / f64::from(1 << 27);
        assert_eq!(t16(1.0 / 2304.0), reciprocal);
        let expected = (16384.0 * 255.0 * 48.0 * reciprocal).floor() as i64;
        assert_eq!(slopes([&a, &b, &c], 0, 2304), [expected, 0]);
        assert!((87030..87040).contains(&expected));
    }

    /// 8.3: floors also for negatives.
    #[test]
    fn slopes_are_floored() {
        let [mut a, b, c] = [corner(0, 0), corner(768, 0), corner(0, 768)];
        a.colour = 1;
        // 16384 * -768 / 589824 = -21.33
        assert_eq!(slopes([&a, &b, &c], 0, 768 * 768), [-22, -22]);
    }

    /// (10 * 1024 + ((-1000 * 8 + 24 * 8) >> 4)) >> 10: 10240 - 488 = 9752 is 9.5.
    #[test]
    fn values_of_pixels() {
        assert_eq!(planar(10, [-1000, 24], [8, 8]), 9);
        assert_eq!(planar(10, [0, 0], [1 << 20, -(1 << 20)]), 10);
        assert_eq!([planar(250, [4096, 0], [160, 0]), planar(5, [-4096, 0], [160, 0])], [255, 0]);
    }

    /// From 0 to 255 over 16 pixels: a slope of 16320 per pixel. Downward it is floored, and stays at 0.
    #[test]
    fn lines() {
        assert_eq!([0, 8, 16, 256].map(|m| linear(0, 255, m, 256)), [0, 7, 15, 255]);
        assert_eq!([0, 24, 48].map(|m| linear(1, 0, m, 48)), [1, 0, 0]);
        assert_eq!(linear(9, 200, 0, 0), 9);
    }

    /// 8.3, with corners away from the origin: legs (64, 32) and (32, 80), so that twice the area is
    /// 64 * 80 - 32 * 32 = 4096. Channels rise by 10 and by 30: 10 * 80 - 30 * 32 = -160 and 30 * 64 - 10 * 32 = 1600,
    /// each times 16384 / 4096.
    #[test]
    fn slopes_of_slanted_triangles() {
        let [mut a, mut b, mut c] = [corner(16, 32), corner(80, 64), corner(48, 112)];
        (a.colour, b.colour, c.colour) = (10, 20, 40);
        assert_eq!(slopes([&a, &b, &c], 0, 4096), [-640, 6400]);
    }
}
