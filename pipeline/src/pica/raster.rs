//! Triangles in window space: the data between the primitive seam and the fragment seam, and what bounds a draw.
//!
//! Engines set a [`Triangle`] up, and find and interpolate its pixels. Between the seams they share vertices: [`triangles`].
//!
//! Source: pica-geometry.md 6.1-6.3.

use super::vertex::SEMANTICS;
use crate::rect::Rect;

/// Window coordinates in sixteenths of a pixel, y upward.
pub(crate) type Fixed12_4 = i32;

/// A triangle in window space, counter-clockwise, set up for interpolation.
#[derive(Debug, Clone, PartialEq)]
pub struct Triangle {
    /// Horizontal position of each vertex, at most 2^18 in magnitude.
    pub x: [Fixed12_4; 3],
    /// Vertical position of each vertex, at most 2^18 in magnitude.
    pub y: [Fixed12_4; 3],
    /// z / w of each vertex.
    pub z: [f32; 3],
    /// 1 / w of each vertex.
    pub r: [f32; 3],
    /// Each semantic of each vertex times its 1 / w; see [`SEMANTICS`] for the numbering.
    pub p: [[f32; SEMANTICS]; 3],
    /// The colour of all pixels, if colours are not interpolated (0x058 bit 0).
    pub flat_colour: Option<[f32; 4]>,
}

impl Triangle {
    /// The pixels that the triangle may cover.
    #[must_use]
    #[inline]
    pub fn bounds(&self) -> Rect {
        triangles::bounds([self.x, self.y])
    }
}

pub mod scissor;
#[cfg(test)]
pub(crate) mod testing;
pub mod triangles;

#[cfg(test)]
mod tests {
    use super::testing::window_triangle;
    use crate::rect::Rect;

    /// Corners in sixteenths: the last column and row are those of the greatest corner unless it begins them.
    #[test]
    fn bounds() {
        let of = |points| window_triangle(points).map(|triangle| triangle.bounds());
        let rect = |x0, y0, x1, y1| Some(Rect { x0, y0, x1, y1 });
        assert_eq!(of([[16, 32], [48, 32], [16, 64]]), rect(1, 2, 3, 4));
        assert_eq!(of([[15, 47], [49, 33], [20, 65]]), rect(0, 2, 4, 5));
        assert_eq!(of([[-17, -16], [63, 0], [0, 1]]), rect(-2, -1, 4, 1));
    }
}
