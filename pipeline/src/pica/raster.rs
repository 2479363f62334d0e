//! Triangles in window space: set-up, coverage, and the interpolation recipe.
//!
//! A [`Triangle`] is set up once; [`Sample`] is one covered pixel with its edge values. Every formula is
//! written in the order in which it is computed, because that order decides the bits.
//!
//! Source: pica-geometry.md 5.4-6.5, pica-fragment.md 1.1-1.3.

use super::vertex::SEMANTICS;

/// Window coordinates in sixteenths of a pixel, y upward.
pub type Fixed12_4 = i32;

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
    /// The colour of all pixels, when colours are not interpolated (0x058 bit 0).
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

impl Triangle {
    /// 1 over the interpolated 1 / w: `rd` of pica-fragment.md 1.1.
    #[must_use]
    pub fn rd(&self, at: &Sample) -> f32 {
        1.0 / ((self.r[0] * at.e[0] + self.r[1] * at.e[1]) + self.r[2] * at.e[2])
    }

    /// Semantic `k` at the sample; `rd` as [`rd`](Self::rd) gives it.
    #[must_use]
    pub fn attribute(&self, k: usize, at: &Sample, rd: f32) -> f32 {
        let [p0, p1, p2] = [self.p[0][k], self.p[1][k], self.p[2][k]];
        ((p0 * at.e[0] + p1 * at.e[1]) + p2 * at.e[2]) * rd
    }

    /// Change of semantic `k`, whose value here is `a`, per pixel to the right and per pixel upward.
    #[must_use]
    pub fn derivative(&self, k: usize, a: f32, rd: f32) -> [f32; 2] {
        let p = [self.p[0][k], self.p[1][k], self.p[2][k]];
        self.edge_steps().map(|g| {
            let numerator = (p[0] * g[0] + p[1] * g[1]) + p[2] * g[2];
            let denominator = (self.r[0] * g[0] + self.r[1] * g[1]) + self.r[2] * g[2];
            (numerator - a * denominator) * rd
        })
    }

    /// Change of the edge values per pixel: to the right, and upward.
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
}

/// Pixels `x0 <= x < x1`, `y0 <= y < y1` in window coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rect {
    /// First column.
    pub x0: i32,
    /// First row, the lowest.
    pub y0: i32,
    /// Column after the last.
    pub x1: i32,
    /// Row after the last.
    pub y1: i32,
}
