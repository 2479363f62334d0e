//! Texels of a level, wrapped and weighted.

use crate::emit::lanes::{F32s, I32s, Lanes};
use crate::emit::pixels::Colour;

/// Magnitude of a position whose floor is an index, at most.
pub(super) const FAR: f32 = (1 << 30) as f32;

/// The texel that contains a position in texels along an axis.
pub(super) fn nearest(l: &mut Lanes<'_>, x: F32s) -> I32s {
    let floor = l.floor(x);
    l.float_to_int_loose(floor)
}

/// The lower of the two texels on either side of a position, and the weight of the upper in units of 1/256,
/// 256 included.
pub(super) fn pair(l: &mut Lanes<'_>, x: F32s) -> (I32s, I32s) {
    let (half, scale) = (l.float(0.5), l.float(256.0));
    let from_centre = l.fsub(x, half);
    let lower = l.floor(from_centre);
    let fraction = l.fsub(from_centre, lower);
    let weight = l.fmul(fraction, scale);
    // Neither is negative, so that truncation is the floor.
    (l.float_to_int_loose(lower), l.float_to_int_loose(weight))
}

/// Rows of two texels by weights: `gx` of the right ones, `gy` of the second row.
pub(super) fn blend(l: &mut Lanes<'_>, rows: [[Colour; 2]; 2], gx: I32s, gy: I32s) -> Colour {
    let f = l.spread(gx);
    let whole = l.channel_splat(256);
    let complement = l.colour_sub(whole, f);
    let [lower, upper] = rows.map(|[left, right]| l.mixed(left, right, f, complement));
    l.rows_mixed(lower, upper, gy)
}

/// Keeps a position where its floor is an index. Half a texel makes no difference there.
pub(super) fn limit(l: &mut Lanes<'_>, x: F32s) -> F32s {
    let (low, high) = (l.float(-FAR), l.float(FAR));
    l.clamp(x, low, high)
}
