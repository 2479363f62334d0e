//! Control points and their weighted sums.
//!
//! Source: psp-ge.md 7.6, 7.7.1.

use super::basis::Sample;
use crate::ge::vector::{point, skinning};
use crate::ge::vertex::decode::decode;
use picaflor_pipeline::ge::stage::VertexBatch;

/// A control point, skinned and morphed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Control {
    /// Position.
    pub(super) position: [f64; 3],
    /// Texture coordinates; 0 if the format has none.
    pub(super) texture: [f64; 2],
    /// Colour channels, red first; 0 if the format has none.
    pub(super) colour: [f64; 4],
}

/// The control points of a patch, row by row.
#[derive(Debug, Clone)]
pub(super) struct Controls {
    points: Vec<Control>,
    columns: usize,
}

impl Controls {
    /// Decodes the vertices of the batch as control points, `columns` per row.
    pub(super) fn read(batch: &VertexBatch<'_>, columns: usize) -> Self {
        Self { points: batch.indices.iter().map(|&index| control(batch, index)).collect(), columns }
    }

    /// Weighted sum of `component` over the control points of a position: first along u, then along v.
    pub(super) fn sum<const N: usize>(
        &self,
        (first_u, u): (usize, &[f64; 4]),
        (first_v, v): (usize, &[f64; 4]),
        component: impl Fn(&Control) -> [f64; N],
    ) -> [f64; N] {
        weighted(v, |j| {
            let start = (first_v + j) * self.columns + first_u;
            weighted(u, |i| component(&self.points[start + i]))
        })
    }

    /// The sum at a position.
    pub(super) fn at<const N: usize>(
        &self,
        u: &Sample,
        v: &Sample,
        component: impl Fn(&Control) -> [f64; N],
    ) -> [f64; N] {
        self.sum((u.first, &u.weights), (v.first, &v.weights), component)
    }

    /// Normal vector of the surface at a position, not normalised.
    pub(super) fn normal(&self, u: &Sample, v: &Sample) -> [f64; 3] {
        let along_u = self.sum((u.first, &u.slopes), (v.first, &v.weights), |c| c.position);
        let along_v = self.sum((u.first, &u.weights), (v.first, &v.slopes), |c| c.position);
        let component = |a: usize, b: usize| along_u[a] * along_v[b] - along_u[b] * along_v[a];
        [component(1, 2), component(2, 0), component(0, 1)]
    }
}

fn weighted<const N: usize>(weights: &[f64; 4], values: impl Fn(usize) -> [f64; N]) -> [f64; N] {
    let mut sum = [0.0; N];
    for (n, &weight) in weights.iter().enumerate() {
        sum.iter_mut().zip(values(n)).for_each(|(sum, value)| *sum += weight * value);
    }
    sum
}

fn control(batch: &VertexBatch<'_>, index: u32) -> Control {
    let vertex_type = batch.registers.vertex_type();
    let vertex = decode(batch, vertex_type, index);
    let position = match vertex_type.weight_count() {
        count if count > 0 && !vertex_type.is_through() => {
            point(vertex.position, &skinning(&vertex.weights, count, &batch.matrices.bones))
        }
        _ => vertex.position,
    };
    Control {
        position,
        texture: vertex.texture.unwrap_or_default(),
        colour: vertex.colour.unwrap_or_default().to_le_bytes().map(f64::from),
    }
}
