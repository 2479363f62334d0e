//! The numbers of a triangle for compiled code: everything that is the same for all its pixels.

use super::coverage::Edges;
use crate::emit::block::{Interpolants, Slot, slot};
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::tiling::unmorton;

/// Fills the slots of a triangle, zeros before.
pub(super) fn fill(slots: &mut [Slot], triangle: &Triangle, edges: &Edges, interpolants: Interpolants) {
    if !edges.is_far {
        fill_steps(slots, edges);
    }
    for n in 0..3 {
        slots[slot::R + n] = splat(triangle.r[n]);
        slots[slot::Z + n] = splat(triangle.z[n]);
    }
    slots[slot::SUM] = splat(edges.sum() as f32);
    if let Some(colour) = triangle.flat_colour {
        let [r, g, b, a] = colour.map(colour_byte);
        slots[slot::FLAT] = [u32::from_le_bytes([a, b, g, r]); 4];
    }
    fill_attributes(slots, triangle, edges, interpolants);
}

/// How far edge values are from those at the block's first pixel, and inside a quad from those at its first.
fn fill_steps(slots: &mut [Slot], edges: &Edges) {
    let [right, down] = [edges.all.map(|edge| edge.right as i32), edges.all.map(|edge| edge.down as i32)];
    for (quad, slot) in slots[slot::QUADS..][..16].iter_mut().enumerate() {
        let (x, row) = unmorton(4 * quad as u32);
        let step = |n: usize| (right[n] * x as i32 + down[n] * row as i32) as u32;
        *slot = [step(0), step(1), step(2), 0];
    }
    for n in 0..3 {
        slots[slot::LANES + n] = [0, right[n], down[n], right[n] + down[n]].map(|step| step as u32);
    }
}

/// Fills a table with the edge values of a block, from those at its first pixel.
pub(super) fn fill_table(table: &mut [Slot], edges: &Edges, first: [i64; 3]) {
    for place in 0..64 {
        let values = edges.values(first, place as u32);
        for (n, value) in values.into_iter().enumerate() {
            table[place / 4 * 3 + n][place % 4] = value.to_bits();
        }
    }
}

fn fill_attributes(slots: &mut [Slot], triangle: &Triangle, edges: &Edges, interpolants: Interpolants) {
    let steps = edges.steps();
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
