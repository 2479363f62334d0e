//! Primitives as input of the rasterizer: in drawing space, after set-up.
//!
//! Source: psp-ge.md 7, 8.

use crate::rect::Rect;

/// A corner of a primitive.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Corner {
    /// Texture coordinates s, t, q, see [`Vertex::texture`](super::vertex::Vertex::texture).
    pub texture: [f64; 3],
    /// Clip w; 1 in through mode.
    pub w: f64,
    /// Position in sixteenths of a pixel.
    pub x: i32,
    /// As `x`, downward.
    pub y: i32,
    /// Depth, 0 to 65535.
    pub z: i32,
    /// Primary colour, 0xAABBGGRR. With flat shading, all corners have the same.
    pub colour: u32,
    /// Secondary colour, 0x00BBGGRR.
    pub secondary: u32,
    /// Fog coefficient, 0 to 255.
    pub fog: u32,
}

/// Shape of a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Shape {
    /// Corner 0.
    Point,
    /// From corner 0 to corner 1, as submitted.
    Line,
    /// Corners 0 to 2, clockwise on the screen and of an area above 0; corner 0 is the anchor of gradients (8.3).
    Triangle,
    /// Between corner 0 and corner 1, as submitted.
    Rectangle,
}

/// One primitive.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Primitive {
    /// The corners; unused ones repeat the last.
    pub corners: [Corner; 3],
    /// Shape.
    pub shape: Shape,
    /// Unused; zero.
    pub reserved: u32,
}

impl Shape {
    /// True of points and lines.
    #[must_use]
    pub const fn is_thin(self) -> bool {
        matches!(self, Self::Point | Self::Line)
    }
}

impl Primitive {
    /// The shape of primitives that have one shape; of none, that of triangles.
    #[must_use]
    pub fn shape_of(primitives: &[Self]) -> Shape {
        primitives.first().map_or(Shape::Triangle, |first| first.shape)
    }

    /// True if texture coordinates are divided by q or w inside of it.
    #[must_use]
    pub fn divides(&self) -> bool {
        let is_rectangle = self.shape == Shape::Rectangle;
        let corners = &self.corners[..if is_rectangle { 2 } else { 3 }];
        corners.iter().any(|corner| corner.texture[2] != 1.0 || !is_rectangle && corner.w != corners[0].w)
    }

    /// True if a corner has a secondary colour other than black.
    #[must_use]
    #[inline]
    pub fn has_secondary(&self) -> bool {
        self.corners.iter().any(|corner| corner.secondary & 0xff_ffff != 0)
    }

    /// True of triangles whose doubled area, in square sixteenths of a pixel, may be above 2^33: in through mode.
    #[must_use]
    #[inline]
    pub fn is_vast(&self) -> bool {
        self.shape == Shape::Triangle && self.bounds().pixels() > 1 << 25
    }

    /// Pixels that it may cover in a tile, at most. Points and lines have one in each column, or one in each row.
    #[must_use]
    #[inline]
    pub fn most_pixels(&self, tile: Rect) -> u64 {
        let bounds = self.bounds().intersect(tile);
        match self.shape.is_thin() && !bounds.is_empty() {
            true => (bounds.x1 - bounds.x0).max(bounds.y1 - bounds.y0) as u64,
            false => bounds.pixels(),
        }
    }

    /// Bounding box of the pixels that it may cover.
    #[must_use]
    #[inline]
    pub fn bounds(&self) -> Rect {
        let [a, b, c] = &self.corners;
        let least = |of: fn(&Corner) -> i32| of(a).min(of(b)).min(of(c)) >> 4;
        let end = |of: fn(&Corner) -> i32| (of(a).max(of(b)).max(of(c)) >> 4) + 1;
        Rect { x0: least(|c| c.x), y0: least(|c| c.y), x1: end(|c| c.x), y1: end(|c| c.y) }
    }
}
