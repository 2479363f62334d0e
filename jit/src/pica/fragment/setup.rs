//! The numbers of a triangle for compiled code: everything that is the same for all its pixels.

use super::common;
use super::coverage::Edges;
use crate::code::pica::facts::FragmentFacts;
use crate::code::pica::found::ToFind;
use crate::emit::pica::block::{Interpolants, Slot, slot};
use picaflor_pipeline::pica::raster::triangles::Face;
use picaflor_pipeline::pica::vertex::Vertex;

/// A triangle of a batch.
pub(super) struct Triangle<'a> {
    pub(super) face: &'a Face,
    /// Semantics of each corner, times 1 / w.
    pub(super) p: &'a [Vertex; 3],
    pub(super) flat_colour: Option<[f32; 4]>,
}

/// Fills the slots of a triangle. Slots that its routine does not read keep their values. `depth`: its scale and its
/// offset. `pixels`: about how many the triangle has.
pub(super) fn fill(
    slots: &mut [Slot],
    (triangle, edges): (&Triangle<'_>, &Edges),
    (facts, to_find): (&FragmentFacts, &ToFind),
    depth: [f32; 2],
    pixels: i32,
) {
    if !edges.is_far {
        fill_steps(slots, edges);
    }
    splat_all(&mut slots[slot::R..], triangle.face.r);
    splat_all(&mut slots[slot::Z..], triangle.face.z);
    slots[slot::SUM] = splat(edges.sum() as f32);
    if let Some(colour) = triangle.flat_colour {
        let [r, g, b, a] = colour.map(colour_byte);
        slots[slot::FLAT] = [u32::from_le_bytes([a, b, g, r]); 4];
    }
    common::fill(slots, (triangle, edges), facts, depth, pixels);
    if facts.interpolants.changes | to_find.interpolants.changes != 0 {
        for (slot, g) in slots[slot::R_STEP..].iter_mut().zip(edges.steps()) {
            *slot = splat(weighted(triangle.face.r, g));
        }
    }
    fill_attributes(&mut slots[slot::ATTRIBUTES..], triangle, edges, facts.interpolants);
    fill_attributes(&mut slots[to_find.behind..], triangle, edges, to_find.interpolants);
}

/// Fills the differences of edge values: of each quad to the block's first pixel, and of each lane to the quad's
/// first pixel.
fn fill_steps(slots: &mut [Slot], edges: &Edges) {
    let [a, b, c] = &edges.all;
    let right = [a.right as i32, b.right as i32, c.right as i32, 0];
    let down = [a.down as i32, b.down as i32, c.down as i32, 0];
    let columns = [times(right, 0), times(right, 2), times(right, 4), times(right, 6)];
    let rows = [times(down, 0), times(down, 2), times(down, 4), times(down, 6)];
    for (quad, slot) in slots[slot::QUADS..][..16].iter_mut().enumerate() {
        // Column and row of a quad alternate in the bits of its number.
        let (column, row) = (quad & 1 | quad >> 1 & 2, quad >> 1 & 1 | quad >> 2 & 2);
        *slot = sum(columns[column], rows[row]);
    }
    for n in 0..3 {
        slots[slot::LANES + n] = [0, right[n], down[n], right[n] + down[n]].map(|step| step as u32);
    }
}

fn times(steps: [i32; 4], factor: i32) -> [i32; 4] {
    std::array::from_fn(|n| steps[n] * factor)
}

fn sum(a: [i32; 4], b: [i32; 4]) -> Slot {
    std::array::from_fn(|n| (a[n] + b[n]) as u32)
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

/// Attributes in the order of [`Interpolants::slot`] and [`Interpolants::change_slot`], from the first slot on.
fn fill_attributes(slots: &mut [Slot], triangle: &Triangle<'_>, edges: &Edges, interpolants: Interpolants) {
    let mut to = slots.iter_mut();
    let [a, b, c] = triangle.p;
    for k in bits(interpolants.values) {
        for value in [a[k], b[k], c[k]] {
            put(&mut to, value);
        }
    }
    if interpolants.changes == 0 {
        return;
    }
    let steps = edges.steps();
    for k in bits(interpolants.changes) {
        for g in steps {
            put(&mut to, weighted([a[k], b[k], c[k]], g));
        }
    }
}

fn weighted(v: [f32; 3], g: [f32; 3]) -> f32 {
    (v[0] * g[0] + v[1] * g[1]) + v[2] * g[2]
}

/// Numbers of the bits that are set, the lowest first.
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        bit
    })
}

fn put<'s>(to: &mut impl Iterator<Item = &'s mut Slot>, value: f32) {
    if let Some(slot) = to.next() {
        *slot = splat(value);
    }
}

fn splat_all(slots: &mut [Slot], values: [f32; 3]) {
    for (slot, value) in slots.iter_mut().zip(values) {
        *slot = splat(value);
    }
}

/// A float's bits in all lanes.
pub(super) const fn splat(value: f32) -> Slot {
    [value.to_bits(); 4]
}

/// `round(clamp(c, 0, 1) * 255)`; a NaN gives 0.
pub(super) fn colour_byte(c: f32) -> u8 {
    let above = if c > 0.0 { c } else { 0.0 };
    let clamped = if above < 1.0 { above } else { 1.0 };
    (clamped * 255.0 + 0.5) as u8
}
