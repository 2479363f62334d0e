//! Triangles in window space: the data between the primitive seam and the fragment seam, coverage, and the interpolation
//! recipe.
//!
//! A [`Triangle`] is set up once, by an engine; [`Sample`] is one covered pixel with its edge values. Every formula is written in
//! the order of its computation, because the order determines the bits.
//!
//! Source: pica-geometry.md 5.4-6.5, pica-fragment.md 1.1-1.3.

use super::vertex::SEMANTICS;
use crate::pica::raster::coverage::Samples;
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

/// One covered pixel of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Window column.
    pub x: i32,
    /// Window row, upward.
    pub y: i32,
    /// Value of the edge opposite to each vertex at the sample point, exact and then rounded once.
    pub e: [f32; 3],
    /// Their sum, rounded once: twice the area.
    pub sum: f32,
}

/// `min(max(x, 0), 1)` by comparisons: a NaN gives 0.
fn clamp_unit(x: f32) -> f32 {
    let above = if x > 0.0 { x } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}

impl Triangle {
    /// The pixels that the triangle may cover.
    #[must_use]
    #[inline]
    pub fn bounds(&self) -> Rect {
        let least = |[a, b, c]: [Fixed12_4; 3]| a.min(b).min(c) >> 4;
        let end = |[a, b, c]: [Fixed12_4; 3]| (a.max(b).max(c) + 15) >> 4;
        Rect { x0: least(self.x), y0: least(self.y), x1: end(self.x), y1: end(self.y) }
    }

    /// The pixels of `rect` that the triangle covers, rows from the lowest up, each from the left.
    #[must_use]
    pub fn samples(&self, rect: Rect) -> Samples {
        Samples::new(self, rect)
    }

    /// 1 over the interpolated 1 / w: `rd` of pica-fragment.md 1.1.
    #[must_use]
    pub fn rd(&self, at: &Sample) -> f32 {
        1.0 / ((self.r[0] * at.e[0] + self.r[1] * at.e[1]) + self.r[2] * at.e[2])
    }

    /// Semantic `k` at the sample; `rd` is the result of [`rd`](Self::rd).
    #[must_use]
    pub fn attribute(&self, k: usize, at: &Sample, rd: f32) -> f32 {
        let [p0, p1, p2] = [self.p[0][k], self.p[1][k], self.p[2][k]];
        ((p0 * at.e[0] + p1 * at.e[1]) + p2 * at.e[2]) * rd
    }

    /// Derivatives of semantic `k`, whose value at the sample is `a`: per pixel to the right and per pixel upward.
    #[must_use]
    pub fn derivative(&self, k: usize, a: f32, rd: f32) -> [f32; 2] {
        let p = [self.p[0][k], self.p[1][k], self.p[2][k]];
        self.edge_steps().map(|g| {
            let numerator = (p[0] * g[0] + p[1] * g[1]) + p[2] * g[2];
            let denominator = (self.r[0] * g[0] + self.r[1] * g[1]) + self.r[2] * g[2];
            (numerator - a * denominator) * rd
        })
    }

    /// Derivatives of the edge values: per pixel to the right, and upward.
    fn edge_steps(&self) -> [[f32; 3]; 2] {
        // Edge i runs from vertex i + 1 to vertex i + 2.
        let ends = |i: usize| ((i + 1) % 3, (i + 2) % 3);
        let right = |i| {
            let (a, b) = ends(i);
            (-16 * (self.y[b] - self.y[a])) as f32
        };
        let up = |i| {
            let (a, b) = ends(i);
            (16 * (self.x[b] - self.x[a])) as f32
        };
        [std::array::from_fn(right), std::array::from_fn(up)]
    }

    /// z / w at the sample, linear in the window: `zow` of pica-fragment.md 1.3.
    #[must_use]
    pub fn z_over_w(&self, at: &Sample) -> f32 {
        ((self.z[0] * at.e[0] + self.z[1] * at.e[1]) + self.z[2] * at.e[2]) / at.sum
    }

    /// Depth at the sample, 0 to 1: `depth` of pica-fragment.md 1.3. `scale` and `offset` are the registers 0x04D and
    /// 0x04E; `w_buffer` is true if 0x06D bit 0 is clear.
    #[must_use]
    pub fn depth(&self, at: &Sample, scale: f32, offset: f32, w_buffer: bool) -> f32 {
        let mapped = self.z_over_w(at) * scale + offset;
        clamp_unit(if w_buffer { mapped * (self.rd(at) * at.sum) } else { mapped })
    }
}

pub mod coverage;
#[cfg(test)]
pub(crate) mod testing;
