//! Depth of triangles, which goes in steps from group to group.

use crate::emit::ge::span::{DEPTH_BITS, StepNumbers, of_primitive};
use crate::emit::ge::steps::LongVar;
use crate::emit::lanes::{I32s, Lanes, Scalar};
use std::mem::offset_of;

/// Depth in the first two lanes of a group, in fixed point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depth(LongVar);

/// Where a primitive has a field of its [`StepNumbers`].
const fn of_depth(field: usize) -> i32 {
    of_primitive!(deep) + field as i32
}

impl Depth {
    pub(crate) fn new(l: &mut Lanes<'_>) -> Self {
        Self(l.long_var())
    }

    /// At the first group of a run, in a column and a row.
    pub(crate) fn begin(self, l: &mut Lanes<'_>, primitive: Scalar, place: [Scalar; 2]) {
        let mut number = l.load_pointer(primitive, of_depth(offset_of!(StepNumbers, first)));
        let lanes = of_depth(offset_of!(StepNumbers, lanes));
        for (step, count) in [lanes + 8, of_depth(offset_of!(StepNumbers, down))].into_iter().zip(place) {
            let step = l.load_pointer(primitive, step);
            let change = l.scalar_mul(step, count);
            number = l.scalar_add(number, change);
        }
        let number = l.long_splat(number);
        let lanes = l.load_longs(primitive, lanes);
        let number = l.long_add(number, lanes);
        l.set_long(self.0, number);
    }

    /// On to the next group.
    pub(crate) fn advance(self, l: &mut Lanes<'_>, primitive: Scalar) {
        let number = l.get_long(self.0);
        let step = l.load_longs(primitive, of_depth(offset_of!(StepNumbers, group)));
        let number = l.long_add(number, step);
        l.set_long(self.0, number);
    }

    /// In four lanes.
    pub(crate) fn lanes(self, l: &mut Lanes<'_>, primitive: Scalar) -> I32s {
        let low = l.get_long(self.0);
        let pair = l.load_longs(primitive, of_depth(offset_of!(StepNumbers, pair)));
        let high = l.long_add(low, pair);
        let lanes = l.upper_halves(low, high);
        l.int_sar(lanes, DEPTH_BITS as u8)
    }
}
