//! Positions of plain primitives in level 0, which go on in equal steps from group to group. Rectangles have a row of
//! texels, or two, for each row of pixels.

use super::plain::FRACTION;
use super::sample::of_level;
use crate::emit::flow::ScalarVar;
use crate::emit::lanes::{I32s, Lanes, Scalar};
use crate::emit::span::{PrimitiveNumbers, StepNumbers, of_draw, of_job};
use crate::emit::steps::{ChannelVar, LongVar};
use crate::key::ge::PixelKey;
use crate::key::ge::texture::FilterKey;
use std::mem::offset_of;

/// Bits below a texel in the upper half of a fixed-point number.
pub(super) const BITS: u8 = FRACTION as u8 + 8 - 32;

/// What changes from group to group, and from row to row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    /// u of the first two lanes.
    u: LongVar,
    v: V,
    linear: bool,
    clamps_v: bool,
}

#[derive(Debug, Clone, Copy)]
enum V {
    /// It goes on as u does.
    Goes(LongVar),
    /// One for each row.
    Stays(RowVars),
}

/// Of the texels of a row of pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowVars {
    /// The address of the first texel.
    pub(super) texels: ScalarVar,
    /// With four texels, weights of the row below and of this one.
    pub(super) weights: [ChannelVar; 2],
}

impl Steps {
    /// Those that a routine needs.
    pub(super) fn of(l: &mut Lanes<'_>, key: &PixelKey) -> Option<Self> {
        let texture = key.texture.filter(|texture| !matches!(texture.filter, FilterKey::Lod(_)))?;
        let u = l.long_var();
        let v = if key.rectangles {
            V::Stays(RowVars { texels: l.scalar_var(), weights: [(); 2].map(|()| l.channel_var()) })
        } else {
            V::Goes(l.long_var())
        };
        Some(Self { u, v, linear: texture.filter == FilterKey::Linear, clamps_v: texture.clamp[1] })
    }

    /// At the first group of a job.
    pub(super) fn begin(&self, l: &mut Lanes<'_>, constants: Scalar, primitive: Scalar, job: Scalar) {
        self.begin_axis(l, primitive, job, 0, self.u);
        match self.v {
            V::Goes(v) => self.begin_axis(l, primitive, job, 1, v),
            V::Stays(row) => self.begin_row(l, constants, job, row),
        }
    }

    fn begin_axis(&self, l: &mut Lanes<'_>, primitive: Scalar, job: Scalar, axis: i32, var: LongVar) {
        let first = l.load_long(job, of_job!(plain) + 8 * axis);
        let lanes = l.load_longs(primitive, of_steps(axis, offset_of!(StepNumbers, lanes)));
        let mut position = l.long_add(first, lanes);
        if self.linear {
            let half = l.long(-128 << FRACTION);
            position = l.long_add(position, half);
        }
        l.set_long(var, position);
    }

    /// Finds the row of texels, and how much of the next one counts.
    fn begin_row(&self, l: &mut Lanes<'_>, constants: Scalar, job: Scalar, row: RowVars) {
        let level = l.scalar_add_constant(constants, i64::from(of_draw!(levels)));
        let mut v = l.load_pointer(job, of_job!(plain) + 8);
        if self.linear {
            v = l.scalar_add_constant(v, -128 << FRACTION);
        }
        let last = l.load_i32(level, of_level!(last) + 16);
        let texel = FRACTION as u8 + 8;
        if self.clamps_v {
            let zero = l.scalar(0);
            let most = l.scalar_shl(last, texel);
            v = l.scalar_max(v, zero);
            v = l.scalar_min(v, most);
        }
        let y = l.scalar_sar(v, texel);
        let y = if self.clamps_v { y } else { l.scalar_and(y, last) };
        let width = l.load_i32(level, of_level!(width));
        let before = l.scalar_mul(y, width);
        let before = l.scalar_shl(before, 2);
        let texels = l.load_pointer(level, of_level!(texels));
        let texels = l.scalar_add(texels, before);
        l.set_scalar(row.texels, texels);
        if self.linear {
            let sixteenths = l.scalar_down(v, texel - 4);
            let below = l.scalar_mask(sixteenths, 15);
            let whole = l.scalar(16);
            let here = l.scalar_sub(whole, below);
            for (var, weight) in row.weights.into_iter().zip([below, here]) {
                l.set_channels(var, weight);
            }
        }
    }

    /// On to the next group.
    pub(super) fn advance(&self, l: &mut Lanes<'_>, primitive: Scalar) {
        let v = if let V::Goes(v) = self.v { Some(v) } else { None };
        for (axis, var) in [Some(self.u), v].into_iter().flatten().enumerate() {
            let step = l.load_longs(primitive, of_steps(axis as i32, offset_of!(StepNumbers, group)));
            let position = l.get_long(var);
            let position = l.long_add(position, step);
            l.set_long(var, position);
        }
    }

    /// u of four lanes, with [`BITS`] below a texel; with four texels, that of the left one.
    pub(super) fn u(&self, l: &mut Lanes<'_>, primitive: Scalar) -> I32s {
        lanes(l, primitive, 0, self.u)
    }

    /// v likewise.
    pub(super) fn v(&self, l: &mut Lanes<'_>, primitive: Scalar) -> Result<I32s, RowVars> {
        match self.v {
            V::Goes(v) => Ok(lanes(l, primitive, 1, v)),
            V::Stays(row) => Err(row),
        }
    }
}

fn lanes(l: &mut Lanes<'_>, primitive: Scalar, axis: i32, var: LongVar) -> I32s {
    let low = l.get_long(var);
    let pair = l.load_longs(primitive, of_steps(axis, offset_of!(StepNumbers, pair)));
    let high = l.long_add(low, pair);
    l.upper_halves(low, high)
}

/// Offset of a field of the steps of an axis.
const fn of_steps(axis: i32, field: usize) -> i32 {
    (offset_of!(PrimitiveNumbers, plain) + field) as i32 + axis * size_of::<StepNumbers>() as i32
}
