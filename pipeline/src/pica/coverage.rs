//! Coverage: which pixels a triangle owns, and the scissor.
//!
//! A sample lies in the centre of its pixel. Left edges and edges on the low side own the samples on them,
//! right edges and horizontal ones on the high side do not; so triangles that share an edge cover each pixel
//! once. The rule is software tradition, not measured. Edge values are exact; nothing is decided in floats.
//!
//! Source: pica-geometry.md 6.1-6.3.

use super::raster::{Rect, Sample, Triangle};
use super::regs::Registers;
use super::regs::rasterizer::ScissorMode;

/// An edge from a to b: its value is positive to the left of it.
#[derive(Debug, Clone, Copy)]
struct Edge {
    /// At the first pixel of the current row.
    value: i64,
    /// Change per pixel to the right.
    right: i64,
    /// Change per pixel upward.
    up: i64,
    /// Least value inside: 0 where the edge owns its samples, else 1.
    least: i64,
}

impl Edge {
    /// The edge opposite to vertex `i`, at pixel (`x`, `y`).
    fn opposite(triangle: &Triangle, i: usize, x: i32, y: i32) -> Self {
        let (a, b) = ((i + 1) % 3, (i + 2) % 3);
        let [ax, ay, bx, by] = [triangle.x[a], triangle.y[a], triangle.x[b], triangle.y[b]];
        let [dx, dy] = [bx - ax, by - ay].map(i64::from);
        let [from_x, from_y] = [16 * x + 8 - ax, 16 * y + 8 - ay].map(i64::from);
        let open = dy > 0 || dy == 0 && dx < 0;
        Self { value: dx * from_y - dy * from_x, right: -16 * dy, up: 16 * dx, least: i64::from(open) }
    }

    /// Narrows `first .. end`, columns of the current row, to those inside.
    fn narrow(&self, first: &mut i64, end: &mut i64) {
        let spare = self.value - self.least;
        if self.right > 0 && spare < 0 {
            *first = (*first).max(-spare.div_euclid(self.right));
        } else if self.right < 0 && spare + (*end - 1) * self.right < 0 {
            *end = (*end).min(spare.div_euclid(-self.right) + 1);
        } else if self.right == 0 && spare < 0 {
            *end = 0;
        }
    }
}

/// The covered pixels of a triangle inside a rectangle, see [`Triangle::samples`].
#[derive(Debug, Clone)]
pub struct Samples {
    edges: [Edge; 3],
    rect: Rect,
    /// The next row.
    y: i32,
    /// The next pixel of the current row, and where the row ends.
    x: i32,
    end: i32,
    /// Edge values at the next pixel.
    e: [i64; 3],
    row: i32,
}

impl Samples {
    pub(super) fn new(triangle: &Triangle, rect: Rect) -> Self {
        let rect = rect.intersect(triangle.bounds());
        let rect = if rect.is_empty() { Rect { x0: 0, y0: 0, x1: 0, y1: 0 } } else { rect };
        let edges = [0, 1, 2].map(|i| Edge::opposite(triangle, i, rect.x0, rect.y0));
        Self { edges, rect, y: rect.y0, x: 0, end: 0, e: [0; 3], row: 0 }
    }

    /// Goes to the first pixel of the next row that has one; false if none has.
    fn next_row(&mut self) -> bool {
        while self.y < self.rect.y1 {
            let (mut first, mut end) = (0, i64::from(self.rect.x1 - self.rect.x0));
            self.edges.iter().for_each(|edge| edge.narrow(&mut first, &mut end));
            self.e = self.edges.map(|edge| edge.value + first * edge.right);
            self.edges.iter_mut().for_each(|edge| edge.value += edge.up);
            self.row = self.y;
            self.y += 1;
            if first < end {
                self.x = self.rect.x0 + first as i32;
                self.end = self.rect.x0 + end as i32;
                return true;
            }
        }
        false
    }
}

impl Iterator for Samples {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        if self.x >= self.end && !self.next_row() {
            return None;
        }
        let sum = self.e[0] + self.e[1] + self.e[2];
        let sample = Sample { x: self.x, y: self.row, e: self.e.map(|e| e as f32), sum: sum as f32 };
        self.x += 1;
        for (e, edge) in self.e.iter_mut().zip(&self.edges) {
            *e += edge.right;
        }
        Some(sample)
    }
}

/// The scissor: a rectangle, both ends inclusive, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scissor {
    /// What the rectangle does.
    pub mode: ScissorMode,
    /// The rectangle; empty where its corners are swapped.
    pub rect: Rect,
}

impl Scissor {
    /// The scissor of a draw.
    #[must_use]
    pub fn of(registers: &Registers) -> Self {
        let [low, high] = registers.scissor_corners();
        let rect = Rect {
            x0: i32::from(low.x()),
            y0: i32::from(low.y()),
            x1: i32::from(high.x()) + 1,
            y1: i32::from(high.y()) + 1,
        };
        Self { mode: registers.scissor_test().mode(), rect }
    }

    /// Whether a pixel is drawn.
    #[must_use]
    pub const fn keeps(&self, x: i32, y: i32) -> bool {
        let r = &self.rect;
        let inside = r.x0 <= x && x < r.x1 && r.y0 <= y && y < r.y1;
        match self.mode {
            ScissorMode::Off | ScissorMode::OffToo => true,
            ScissorMode::KeepOutside => !inside,
            ScissorMode::KeepInside => inside,
        }
    }

    /// The part of `rect` outside of which nothing is drawn. [`keeps`](Self::keeps) decides within it.
    #[must_use]
    pub fn clip(&self, rect: Rect) -> Rect {
        if self.mode == ScissorMode::KeepInside { rect.intersect(self.rect) } else { rect }
    }
}
