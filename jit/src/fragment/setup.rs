//! The numbers of a triangle for compiled code: everything that is the same for all its pixels.

use crate::emit::block::{Interpolants, Slot, slot};
use picaflor_pipeline::pica::raster::Triangle;

/// Edge values up to here fit the code's 32-bit integers, with room for steps inside a block.
const LIMIT: i64 = 1 << 30;

/// An edge of a triangle: value and change, in memory order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    /// At the sample of pixel (0, 0) of the window.
    origin: i64,
    /// Change per pixel to the right.
    pub(crate) right: i64,
    /// Change per pixel upward.
    pub(crate) up: i64,
    /// Least value inside: 0 or 1.
    pub(crate) least: i64,
}

impl Edge {
    /// The edge opposite to vertex `n`; pica-geometry.md 6.2.
    pub(crate) fn opposite(triangle: &Triangle, n: usize) -> Self {
        let (a, b) = ((n + 1) % 3, (n + 2) % 3);
        let [ax, ay, bx, by] = [triangle.x[a], triangle.y[a], triangle.x[b], triangle.y[b]].map(i64::from);
        let (dx, dy) = (bx - ax, by - ay);
        let is_open = dy > 0 || dy == 0 && dx < 0;
        Self {
            origin: dx * (8 - ay) - dy * (8 - ax),
            right: -16 * dy,
            up: 16 * dx,
            least: i64::from(is_open),
        }
    }

    /// The value at the sample of a pixel.
    pub(crate) fn at(&self, x: i32, y: i32) -> i64 {
        self.origin + self.right * i64::from(x) + self.up * i64::from(y)
    }
}

/// Whether the values of all edges fit, in a rectangle of pixels with these corners.
pub(crate) fn fits(edges: &[Edge; 3], x: [i32; 2], y: [i32; 2]) -> bool {
    edges.iter().all(|edge| {
        let corners = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| edge.at(x[i], y[j]));
        corners.iter().all(|value| value.abs() < LIMIT)
    })
}

/// Fills the slots of a triangle. `down`: change of the window's y from one row in memory to the next, 1 or
/// -1. The edges' values must [fit](fits).
pub(crate) fn fill(
    slots: &mut Vec<Slot>,
    triangle: &Triangle,
    edges: &[Edge; 3],
    interpolants: Interpolants,
    down: i64,
) {
    slots.clear();
    slots.resize(interpolants.slots(), [0; 4]);
    for (n, edge) in edges.iter().enumerate() {
        let step = |x: i64, row: i64| (edge.right * x + edge.up * down * row) as i32;
        for quad in 0..16 {
            // Places of a quad in its block: the bits of its number alternate between x and row.
            let x = (quad & 1 | quad >> 1 & 2) as i64 * 2;
            let row = (quad >> 1 & 1 | quad >> 2 & 2) as i64 * 2;
            slots[slot::QUADS + quad][n] = step(x, row) as u32;
        }
        slots[slot::LANES + n] = [step(0, 0), step(1, 0), step(0, 1), step(1, 1)].map(|step| step as u32);
        slots[slot::LEAST + n] = [edge.least as u32; 4];
        slots[slot::R + n] = splat(triangle.r[n]);
        slots[slot::Z + n] = splat(triangle.z[n]);
    }
    let sum: i64 = edges.iter().map(|edge| edge.at(0, 0)).sum();
    slots[slot::SUM] = splat(sum as f32);
    if let Some(colour) = triangle.flat_colour {
        let [r, g, b, a] = colour.map(colour_byte);
        slots[slot::FLAT] = [u32::from_le_bytes([a, b, g, r]); 4];
    }
    fill_attributes(slots, triangle, edges, interpolants);
}

fn fill_attributes(slots: &mut [Slot], triangle: &Triangle, edges: &[Edge; 3], interpolants: Interpolants) {
    // The change of the edge values per pixel, exact and then rounded once.
    let steps = [edges.each_ref().map(|edge| edge.right as f32), edges.each_ref().map(|edge| edge.up as f32)];
    let weighted = |v: [f32; 3], g: [f32; 3]| (v[0] * g[0] + v[1] * g[1]) + v[2] * g[2];
    for (n, g) in steps.into_iter().enumerate() {
        slots[slot::R_STEP + n] = splat(weighted(triangle.r, g));
    }
    for k in (0..24).filter(|k| interpolants.values >> k & 1 != 0) {
        let p = [0, 1, 2].map(|vertex| triangle.p[vertex][k]);
        for (n, value) in p.into_iter().enumerate() {
            slots[interpolants.slot(k) + n] = splat(value);
        }
        if interpolants.changes >> k & 1 != 0 {
            for (n, g) in steps.into_iter().enumerate() {
                slots[interpolants.change_slot(k) + n] = splat(weighted(p, g));
            }
        }
    }
}

/// A float's bits in all lanes.
const fn splat(value: f32) -> Slot {
    [value.to_bits(); 4]
}

/// `round(clamp(c, 0, 1) * 255)`; a NaN gives 0.
fn colour_byte(c: f32) -> u8 {
    let above = if c > 0.0 { c } else { 0.0 };
    let clamped = if above < 1.0 { above } else { 1.0 };
    (clamped * 255.0 + 0.5) as u8
}
