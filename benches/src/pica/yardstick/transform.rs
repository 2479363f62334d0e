//! `transform.v.pica` by hand.

use super::{Attributes, Semantics, Yardstick, project};

const PROJECTION: usize = 0;

#[inline(always)]
pub(super) fn vertex(job: &Yardstick, input: Attributes<'_, 12>, out: &mut Semantics<'_>) {
    let position = input.load::<4>(0);
    out.position(project(&job.c, PROJECTION, position));
    out.colour(input.load::<4>(4));
    let [u, v, ..] = input.load::<4>(8);
    out.uv(0, [u, v]);
    out.unmapped([4, 5, 6, 7, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]);
}
