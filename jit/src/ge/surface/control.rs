//! Control points and their weighted sums: along u once for each column of vertices, along v for each vertex.
//!
//! Source: psp-ge.md 7.6, 7.7.1.

use super::basis::Sample;
use crate::ge::vector::{point, skinning};
use crate::ge::vertex::decode::decode;
use picaflor_pipeline::ge::stage::VertexBatch;
use std::collections::VecDeque;

/// Control points in each direction that a vertex depends on.
const ROWS: usize = 4;

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

    fn row(&self, row: usize) -> &[Control] {
        &self.points[row * self.columns..][..self.columns]
    }
}

/// Sums along u at each position of a patch, of four rows of control points: as they move along v, each row's are made
/// once.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    /// The first of the rows.
    first: usize,
    rows: VecDeque<Vec<Along>>,
}

/// Components that are drawn; the others are 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    pub(super) texture: bool,
    pub(super) colour: bool,
    /// The normal of the surface; without it, that is (0, 0, 1).
    pub(super) normal: bool,
}

/// Components of the sum along u at a position.
#[derive(Debug, Clone, Copy)]
struct Along {
    /// Position and its derivative along u; 0 in the fourth.
    position: [f64; 4],
    slope: [f64; 4],
    /// Texture coordinates; 0 in the others.
    texture: [f64; 4],
    colour: [f64; 4],
}

/// A place on the surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) position: [f64; 3],
    pub(super) texture: [f64; 2],
    pub(super) colour: [f64; 4],
    /// The normal, not normalised.
    pub(super) normal: [f64; 3],
}

impl Along {
    fn new(row: &[Control], u: &Sample, wanted: Wanted) -> Self {
        let sum = |is_wanted, weights: &[f64; 4], of: fn(&Control) -> [f64; 4]| {
            if is_wanted { weighted(weights, |n| of(&row[n])) } else { [0.0; 4] }
        };
        let position = |control: &Control| filled(control.position);
        Self {
            position: sum(true, &u.weights, position),
            slope: sum(wanted.normal, &u.slopes, position),
            texture: sum(wanted.texture, &u.weights, |control| filled(control.texture)),
            colour: sum(wanted.colour, &u.weights, |control| control.colour),
        }
    }
}

impl Lines {
    /// Forgets all rows, for other positions.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
    }

    /// Moves to the rows of a position along v; `across` are the positions along u, the same since the last
    /// [`clear`](Self::clear).
    pub(super) fn move_to(&mut self, controls: &Controls, across: &[Sample], v: &Sample, wanted: Wanted) {
        if self.rows.is_empty() || v.first < self.first {
            (self.first, self.rows) = (v.first, VecDeque::new());
        }
        while self.first < v.first {
            self.rows.pop_front();
            self.first += 1;
        }
        while self.rows.len() < ROWS {
            let row = controls.row(self.first + self.rows.len());
            let along = across.iter().map(|u| Along::new(&row[u.first..][..ROWS], u, wanted));
            self.rows.push_back(along.collect());
        }
    }

    /// The place at position number `column` along u, and at the position along v that [`move_to`](Self::move_to) was
    /// called for, with the same components wanted. Sums go first along u, then along v.
    #[inline]
    pub(super) fn at(&self, column: usize, v: &Sample, wanted: Wanted) -> Point {
        let rows: [&Along; ROWS] = std::array::from_fn(|n| &self.rows[n][column]);
        let sum = |is_wanted, weights: &[f64; 4], of: fn(&Along) -> [f64; 4]| {
            if is_wanted { weighted(weights, |n| of(rows[n])) } else { [0.0; 4] }
        };
        let [x, y, z, _] = sum(true, &v.weights, |along| along.position);
        let [s, t, ..] = sum(wanted.texture, &v.weights, |along| along.texture);
        let colour = sum(wanted.colour, &v.weights, |along| along.colour);
        let normal = if wanted.normal {
            let along_u = sum(true, &v.weights, |along| along.slope);
            let along_v = sum(true, &v.slopes, |along| along.position);
            let component = |a: usize, b: usize| along_u[a] * along_v[b] - along_u[b] * along_v[a];
            [component(1, 2), component(2, 0), component(0, 1)]
        } else {
            [0.0, 0.0, 1.0]
        };
        Point { position: [x, y, z], texture: [s, t], colour, normal }
    }
}

/// Zeros behind some numbers.
fn filled<const N: usize>(values: [f64; N]) -> [f64; 4] {
    std::array::from_fn(|n| values.get(n).copied().unwrap_or(0.0))
}

#[inline]
fn weighted(weights: &[f64; 4], values: impl Fn(usize) -> [f64; 4]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for (n, &weight) in weights.iter().enumerate() {
        let value = values(n);
        sum = std::array::from_fn(|k| sum[k] + weight * value[k]);
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
