//! The state of the yardstick pixel by pixel, for hosts without the vectors of `fragment_simd.rs`.

use super::fragment::{Block, Frame, SIDE, Set, Textures, TriangleNumbers};

/// Draws all triangles of a set and counts the covered pixels.
pub(super) fn draw(frame: &mut Frame, set: &mut Set<'_>) -> u64 {
    let mut covered = 0;
    let mut triangle = TriangleNumbers::default();
    while set.next(frame, &mut triangle) {
        let rows = (triangle.rows.0 & !(SIDE - 1)..triangle.rows.1).step_by(SIDE as usize);
        for row in rows {
            let columns = (triangle.columns.0 & !(SIDE - 1)..triangle.columns.1).step_by(SIDE as usize);
            for block in columns.filter_map(|x| triangle.block(x, row)) {
                covered +=
                    (0..64).filter(|&place| draw_pixel(frame, &triangle, &block, place)).count() as u64;
            }
        }
    }
    covered
}

/// Draws a pixel of a block; returns true if it is inside the triangle.
fn draw_pixel(frame: &mut Frame, triangle: &TriangleNumbers, block: &Block, place: usize) -> bool {
    let step = |n: usize| triangle.edges[n].step(place & !7) + triangle.edges[n].quads[place & 7];
    let e = [0, 1, 2].map(|n| block.edges[n] + step(n));
    if !block.whole && e.iter().zip(&triangle.edges).any(|(&e, edge)| e < edge.least) {
        return false;
    }
    let e = e.map(|e| e as f32);
    let weighted = |by: &[f32; 3]| (by[0] * e[0] + by[1] * e[1]) + by[2] * e[2];
    let z = weighted(&triangle.z) / triangle.sum * frame.depth_scale + frame.depth_offset;
    let z = (z.clamp(0.0, 1.0) * 16_777_215.0) as u32;
    let at = block.number * 64 + place;
    let old = frame.depth[at];
    if z >= old & 0x00ff_ffff {
        frame.depth[at] = old & 0xff00_0000 | z;
        let rd = 1.0 / weighted(&triangle.r);
        let values = triangle.values.map(|value| weighted(&value) * rd);
        frame.colour[at] = blend(shade(&frame.textures, &values), frame.colour[at]);
    }
    true
}

/// Colour times both texels: alpha, blue, green, red.
fn shade(textures: &Textures, values: &[f32; 8]) -> [u32; 4] {
    let [r, g, b, a, ..] = values.map(|value| (value * 255.0 + 0.5) as u32);
    let mut colour = [a, b, g, r];
    for (unit, at) in [&values[4..6], &values[6..8]].into_iter().enumerate() {
        let column = at[0].floor() as i32 & textures.columns();
        let row = at[1].floor() as i32 & textures.rows();
        let texel = textures.texels(unit)[(column | row) as usize].to_le_bytes();
        colour = std::array::from_fn(|c| div255(colour[c] * u32::from(texel[c])));
    }
    colour
}

/// Blends a colour over the target's by alpha; the target keeps its alpha.
fn blend(source: [u32; 4], there: u32) -> u32 {
    let factors = [255, source[0], source[0], source[0]];
    let there = there.to_le_bytes();
    let channel = |c: usize| div255(source[c] * factors[c] + u32::from(there[c]) * (255 - factors[c])) as u8;
    u32::from_le_bytes(std::array::from_fn(channel))
}

/// The integer nearest to p / 255.
const fn div255(p: u32) -> u32 {
    (p + 127) / 255
}
