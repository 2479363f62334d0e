//! Texture coordinates across triangles, in doubles. Source: psp-ge.md 8.6.
//!
//! Affine coordinates are exact on the console. Perspective ones are divided by a number of 16 significant bits. Of
//! the forms tried on its screens (reflection, texmtx/normals), truncated reciprocals of each w (as in 5.2) and of q
//! at the pixel leave the fewest wrong pixels, 754 and 242. Exact reciprocals leave 764 and 290, the one of q rounded
//! to nearest 765 and 285, sums of 16 bits before the multiplication 757 and 261, products of 16 bits 761 and 242.
//!
//! More forms, each alone on top of that one: reciprocals of w with 15, 17, 24 bits 761, 754, 760 (second screen 242 each), to
//! nearest 756, upward 764; of q with 15, 17, 24 bits 765 and 281, 760 and 256, 774 and 288, upward 787 and 334; q itself
//! cut to 16 bits 759 and 275, rounded 756 and 256; weights cut or rounded to 16 bits 759, to 16 fractional bits 757, to 12
//! 1094; the reciprocal of the area cut to 16 bits 752, rounded 754; coordinates rounded to 16 bits 774 and 255, with 2^-16
//! added 794 and 632. Two pixels of 754 decide nothing. The cause of the remaining differences is unknown.

use crate::ge::four::Four;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::raster::Corner;

/// The reciprocal used in place of a division: 16 significant bits, truncated.
#[must_use]
#[inline]
pub(crate) const fn reciprocal(x: f64) -> f64 {
    t16(1.0 / x)
}

/// Texture coordinates of `N` weighted corners. Unless all w are equal and all q are 1, they are multiplied by the
/// reciprocal of w.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Coordinates<const N: usize> {
    /// s of each corner.
    pub(crate) s: [f64; N],
    /// t of each corner.
    pub(crate) t: [f64; N],
    /// q of each corner.
    pub(crate) q: [f64; N],
    /// Clip w of each corner.
    pub(crate) w: [f64; N],
}

impl<const N: usize> Coordinates<N> {
    /// The coordinates of these corners.
    #[must_use]
    pub(crate) fn new(corners: [&Corner; N]) -> Self {
        let w = corners.map(|corner| corner.w);
        let is_affine = corners.iter().all(|corner| corner.w == w[0] && corner.texture[2] == 1.0);
        let factor = |corner: &Corner| if is_affine { 1.0 } else { reciprocal(corner.w) };
        let [s, t, q] = [0, 1, 2].map(|axis| corners.map(|corner| corner.texture[axis] * factor(corner)));
        Self { s, t, q, w }
    }
}

/// s, t, q and w of each corner of a triangle, as [`Coordinates`] has them.
#[must_use]
#[inline(always)]
pub(crate) fn weighted_by([a, b, c]: &[Corner; 3], is_affine: bool) -> [Four; 3] {
    let at = |corner: &Corner| {
        let [s, t, q] = corner.texture;
        Four([s, t, q, corner.w])
    };
    let at = [at(a), at(b), at(c)];
    if is_affine {
        return at;
    }
    let [x, y, z, _] = (Four::splat(1.0) / Four([a.w, b.w, c.w, 1.0])).each(t16).0;
    let times = |at: Four, factor: f64| at * Four([factor, factor, factor, 1.0]);
    [times(at[0], x), times(at[1], y), times(at[2], z)]
}
