//! Points: one pixel with the values of the vertex (7.1, 7.5).

use super::{Coverage, colour, texture};
use picaflor_pipeline::ge::raster::Corner;

/// A point.
pub(super) struct Point<'a>(pub(super) &'a Corner);

impl Coverage for Point<'_> {
    fn covers(&self, x: i32, y: i32) -> bool {
        (x, y) == (self.0.x >> 4, self.0.y >> 4)
    }

    fn depth(&self, _: i32, _: i32) -> i32 {
        self.0.z
    }

    fn channels(&self, _: i32, _: i32) -> [u8; 8] {
        colour::of(self.0)
    }

    /// As for a triangle whose corners are all this one (assumed).
    fn texture(&self, _: i32, _: i32) -> [f64; 2] {
        texture::interpolated([self.0], [1.0])
    }

    fn w(&self, _: i32, _: i32) -> f64 {
        self.0.w
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{corner, fragments, places};
    use picaflor_pipeline::ge::raster::Shape::Point as SHAPE;

    #[test]
    fn one_pixel() {
        assert_eq!(places(SHAPE, &[corner(31, 32)]), [(1, 2)]);
        assert!(places(SHAPE, &[corner(-1, 0)]).is_empty());
    }

    #[test]
    fn its_own_values() {
        let mut corner = corner(16, 16);
        (corner.z, corner.colour, corner.fog, corner.w) = (5, 0x0403_0201, 6, 8.0);
        corner.texture = [0.5, 0.25, 1.0];
        let (at, change, w) = fragments(SHAPE, &[corner])[0];
        assert_eq!((at.z, at.colour, at.fog, [at.u, at.v]), (5, [1, 2, 3, 4], 6, [0.5, 0.25]));
        assert_eq!((change, w), ([0.0; 2], 8.0));
        corner.texture[2] = 2.0;
        assert_eq!(fragments(SHAPE, &[corner])[0].0.u, 0.25);
    }
}
