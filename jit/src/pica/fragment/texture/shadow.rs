//! Depth maps that shadow rendering wrote, compared and filtered.

use super::super::quad::Quad;
use super::filter;
use super::image::{Level, beside};
use super::of_unit;
use crate::emit::lanes::{F32s, I32s, Lanes, Mask};
use crate::emit::pixels::Colour;
use cranelift_codegen::ir::condcodes::IntCC;

/// The depth to compare with: quantised, and less the bias.
pub(super) fn reference(quad: &mut Quad<'_, '_>, unit: usize, depth: F32s) -> I32s {
    let bias = quad.integer(of_unit!(unit, shadow_bias));
    let l = &mut *quad.l;
    let (one, scale, zero) = (l.float(1.0), l.float(16_777_215.0), l.int(0));
    // A magnitude, and a NaN becomes 1.
    let limited = l.min(depth, one);
    let scaled = l.fmul(limited, scale);
    let quantised = l.float_to_int_loose(scaled);
    let reference = l.int_sub(quantised, bias);
    l.int_max(reference, zero)
}

/// Percentage-closer filter of four taps. Taps outside a face are those at its edge; taps outside another image
/// are lit.
pub(super) fn filtered(
    quad: &mut Quad<'_, '_>,
    unit: usize,
    st: [F32s; 2],
    reference: I32s,
    face: Option<I32s>,
) -> Colour {
    let level = Level { row: super::level(quad, unit) };
    let l = &mut *quad.l;
    let [(i, gx), (j, gy)] = [0, 1].map(|axis| {
        let x = level.position(l, axis, st[axis]);
        let x = filter::limit(l, x);
        filter::pair(l, x)
    });
    let [columns, rows] = [i, j].map(|i| beside(l, i));
    let columns = columns.map(|i| place(l, level, 0, i));
    let rows = rows.map(|j| {
        let (j, j_inside) = place(l, level, 1, j);
        let row = level.row(l, j, face);
        columns.map(|(i, i_inside)| {
            let map = level.fetch(l, i, row);
            let lit = lit(l, map, reference);
            if face.is_some() {
                return lit;
            }
            let inside = l.and(i_inside, j_inside);
            let full = l.int(255);
            l.int_select(inside, lit, full)
        })
    });
    let value = blend(l, rows, gx, gy);
    l.spread(value)
}

/// The closest index of the image, and whether it is the same.
fn place(l: &mut Lanes<'_>, level: Level, axis: usize, i: I32s) -> (I32s, Mask) {
    let (last, zero) = (level.last(l, axis), l.int(0));
    let above = l.int_max(i, zero);
    let clamped = l.int_min(above, last);
    (clamped, l.int_equal(clamped, i))
}

/// Intensity if the depth of a texel is above the reference, else 0.
fn lit(l: &mut Lanes<'_>, texel: I32s, reference: I32s) -> I32s {
    let depth = l.int_shr(texel, 8);
    let above = l.int_compare(IntCC::SignedGreaterThan, depth, reference);
    let intensity = l.byte_field(texel, 0);
    l.int_and(I32s(above.0), intensity)
}

/// As the linear filter, for one channel.
fn blend(l: &mut Lanes<'_>, rows: [[I32s; 2]; 2], gx: I32s, gy: I32s) -> I32s {
    let [lower, upper] = rows.map(|[left, right]| mixed(l, left, right, gx));
    let sum = mixed(l, lower, upper, gy);
    let half = l.int(32_768);
    let sum = l.int_add(sum, half);
    l.int_shr(sum, 16)
}

/// `a (256 - f) + b f`.
fn mixed(l: &mut Lanes<'_>, a: I32s, b: I32s, f: I32s) -> I32s {
    let whole = l.int(256);
    let complement = l.int_sub(whole, f);
    let first = l.int_mul(a, complement);
    let second = l.int_mul(b, f);
    l.int_add(first, second)
}
