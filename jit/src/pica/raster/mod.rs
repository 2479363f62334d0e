//! The reference of tests: coverage of a triangle and the interpolation recipe, one pixel at a time. Every formula is
//! written in the order of its computation, because the order determines the bits.
//!
//! Source: pica-geometry.md 6.1-6.5, pica-fragment.md 1.1-1.3.

mod coverage;

use coverage::Samples;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::rect::Rect;

/// One covered pixel of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// Window column.
    pub(crate) x: i32,
    /// Window row, upward.
    pub(crate) y: i32,
    /// Value of the edge opposite to each vertex at the sample point, exact and then rounded once.
    pub(crate) e: [f32; 3],
    /// Their sum, rounded once: twice the area.
    pub(crate) sum: f32,
}

/// `min(max(x, 0), 1)` by comparisons: a NaN gives 0.
fn clamp_unit(x: f32) -> f32 {
    let above = if x > 0.0 { x } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}

/// The pixels of a triangle, and their attributes.
pub(crate) trait Pixels {
    /// The pixels of `rect` that the triangle covers, rows from the lowest up, each from the left.
    fn samples(&self, rect: Rect) -> Samples;

    /// 1 over the interpolated 1 / w: `rd` of pica-fragment.md 1.1.
    fn rd(&self, at: &Sample) -> f32;

    /// Semantic `k` at the sample; `rd` is the result of [`rd`](Self::rd).
    fn attribute(&self, k: usize, at: &Sample, rd: f32) -> f32;

    /// Derivatives of semantic `k`, whose value at the sample is `a`: per pixel to the right and per pixel upward.
    fn derivative(&self, k: usize, a: f32, rd: f32) -> [f32; 2];

    /// z / w at the sample, linear in the window: `zow` of pica-fragment.md 1.3.
    fn z_over_w(&self, at: &Sample) -> f32;

    /// Depth at the sample, 0 to 1: `depth` of pica-fragment.md 1.3. `scale` and `offset` are the registers 0x04D and
    /// 0x04E; `w_buffer` is true if 0x06D bit 0 is clear.
    fn depth(&self, at: &Sample, scale: f32, offset: f32, w_buffer: bool) -> f32;
}

impl Pixels for Triangle {
    fn samples(&self, rect: Rect) -> Samples {
        Samples::new(self, rect)
    }

    fn rd(&self, at: &Sample) -> f32 {
        1.0 / ((self.r[0] * at.e[0] + self.r[1] * at.e[1]) + self.r[2] * at.e[2])
    }

    fn attribute(&self, k: usize, at: &Sample, rd: f32) -> f32 {
        let [p0, p1, p2] = [self.p[0][k], self.p[1][k], self.p[2][k]];
        ((p0 * at.e[0] + p1 * at.e[1]) + p2 * at.e[2]) * rd
    }

    fn derivative(&self, k: usize, a: f32, rd: f32) -> [f32; 2] {
        let p = [self.p[0][k], self.p[1][k], self.p[2][k]];
        edge_steps(self).map(|g| {
            let numerator = (p[0] * g[0] + p[1] * g[1]) + p[2] * g[2];
            let denominator = (self.r[0] * g[0] + self.r[1] * g[1]) + self.r[2] * g[2];
            (numerator - a * denominator) * rd
        })
    }

    fn z_over_w(&self, at: &Sample) -> f32 {
        ((self.z[0] * at.e[0] + self.z[1] * at.e[1]) + self.z[2] * at.e[2]) / at.sum
    }

    fn depth(&self, at: &Sample, scale: f32, offset: f32, w_buffer: bool) -> f32 {
        let mapped = self.z_over_w(at) * scale + offset;
        clamp_unit(if w_buffer { mapped * (self.rd(at) * at.sum) } else { mapped })
    }
}

/// Derivatives of the edge values: per pixel to the right, and upward.
fn edge_steps(triangle: &Triangle) -> [[f32; 3]; 2] {
    // Edge i runs from vertex i + 1 to vertex i + 2.
    let ends = |i: usize| ((i + 1) % 3, (i + 2) % 3);
    let right = |i| {
        let (a, b) = ends(i);
        (-16 * (triangle.y[b] - triangle.y[a])) as f32
    };
    let up = |i| {
        let (a, b) = ends(i);
        (16 * (triangle.x[b] - triangle.x[a])) as f32
    };
    [std::array::from_fn(right), std::array::from_fn(up)]
}
