//! The levels of a decoded image: texel addresses, and wrapping of outside indices.

use super::filter;
use crate::emit::lanes::{F32s, I32s, Lanes, Mask, Scalar};
use crate::emit::pica::constants::{LevelConstants, Splat};
use crate::emit::pixels::Colour;
use crate::emit::texels::TexelPairs;
use crate::pica::key::fragment::texture::{Filter, Wrap};
use cranelift_codegen::ir::condcodes::IntCC;
use std::mem::offset_of;

/// The constants of a level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub(super) row: Scalar,
}

macro_rules! of_level {
    ($($field:tt)+) => { offset_of!(LevelConstants, $($field)+) as i32 };
}

/// A splatted number for each axis.
pub(super) const fn of_axis(start: i32, axis: usize) -> i32 {
    start + (axis * size_of::<Splat>()) as i32
}

impl Level {
    fn number(self, l: &mut Lanes<'_>, offset: i32) -> F32s {
        l.load_floats(self.row, offset)
    }

    fn integer(self, l: &mut Lanes<'_>, offset: i32) -> I32s {
        l.load_ints(self.row, offset)
    }

    /// s or t in texels.
    pub(super) fn position(self, l: &mut Lanes<'_>, axis: usize, s: F32s) -> F32s {
        let scale = self.number(l, of_axis(of_level!(scale), axis));
        l.fmul(s, scale)
    }

    /// s or t, kept where its position is an index: sizes are powers of two, unless positions far outside are all alike.
    pub(super) fn coordinate_limited(self, l: &mut Lanes<'_>, axis: usize, s: F32s) -> F32s {
        let scale = self.number(l, of_axis(of_level!(scale), axis));
        let [low, high] = [-filter::FAR, filter::FAR].map(|far| {
            let far = l.float(far);
            l.fdiv(far, scale)
        });
        l.clamp(s, low, high)
    }

    /// The last index of an axis.
    pub(super) fn last(self, l: &mut Lanes<'_>, axis: usize) -> I32s {
        self.integer(l, of_axis(of_level!(last), axis))
    }

    /// Texels before row `j`, or before the row of the face that starts at `face`.
    pub(super) fn row(self, l: &mut Lanes<'_>, j: I32s, face: Option<I32s>) -> I32s {
        let width = self.integer(l, of_level!(width));
        let row = l.int_mul(j, width);
        match face {
            Some(face) => l.int_add(row, face),
            None => row,
        }
    }

    /// The texels in columns `i` of rows that start at `row`.
    ///
    /// Columns are 0 to the last one, rows 0 to the last one, and faces 0 to 5 of a cube: each is clamped, masked
    /// or a remainder. So the sum is an index inside the level's texels, whose address is the one in its
    /// constants.
    pub(super) fn fetch(self, l: &mut Lanes<'_>, i: I32s, row: I32s) -> I32s {
        let index = l.int_add(i, row);
        let texels = self.texels(l);
        l.image_texels(texels, index)
    }

    /// The colour of the texel at coordinates from 0 to 1, 1 excluded. Those of pixels that are not drawn can be anything:
    /// the last texel of the level limits the index.
    pub(super) fn texel_inside(self, l: &mut Lanes<'_>, at: [F32s; 2]) -> Colour {
        let [i, j] = [0, 1].map(|axis| {
            let position = self.position(l, axis, at[axis]);
            l.float_to_int_loose(position)
        });
        let row = self.row(l, j, None);
        let index = l.int_add(i, row);
        let last = self.integer(l, of_level!(last_texel));
        let index = l.int_min_unsigned(index, last);
        let texels = self.texels(l);
        let texels = l.image_texels(texels, index);
        l.unpack(texels)
    }

    /// Address of the first texel.
    fn texels(self, l: &mut Lanes<'_>) -> Scalar {
        l.load_pointer(self.row, of_level!(texels))
    }

    /// The texels in two columns of a row, neither with a border. Mostly one is next to the other in all pixels.
    fn fetch_pairs(self, l: &mut Lanes<'_>, [left, right]: [I32s; 2], rows: [I32s; 2]) -> [TexelPairs; 2] {
        let [near, far, both] = [(); 3].map(|()| l.block());
        let vars = rows.map(|_| [(); 2].map(|()| l.int_var()));
        let set = |l: &mut Lanes<'_>, fetched: [TexelPairs; 2]| {
            for (&var, value) in vars.iter().flatten().zip(fetched.iter().flat_map(|row| row.0)) {
                l.set_int(var, value);
            }
            l.jump(both);
        };
        let [_, next] = beside(l, left);
        let is_next = l.int_equal(next, right);
        let are_next = l.every(is_next);
        l.branch(are_next, near, far);

        l.switch_to(near);
        let texels = self.texels(l);
        let fetched = rows.map(|row| {
            let index = l.int_add(left, row);
            l.texel_pairs(texels, index)
        });
        set(l, fetched);

        l.switch_to(far);
        let fetched = rows.map(|row| {
            let [left, right] = [left, right].map(|i| self.fetch(l, i, row));
            l.paired(left, right)
        });
        set(l, fetched);

        l.switch_to(both);
        vars.map(|row| TexelPairs(row.map(|var| l.get_int(var))))
    }

    /// The wrapped index, and with a border the mask of indices inside.
    fn wrap(self, l: &mut Lanes<'_>, filter: Filter, axis: usize, i: I32s) -> (I32s, Option<Mask>) {
        let last = self.last(l, axis);
        match filter.wrap[axis] {
            Wrap::Edge => (clamp(l, i, last), None),
            Wrap::Border => {
                let clamped = clamp(l, i, last);
                (clamped, Some(l.int_equal(clamped, i)))
            }
            Wrap::Repeat => (modulo(l, i, last, filter.odd), None),
            Wrap::Mirror => {
                let twice = self.integer(l, of_axis(of_level!(twice), axis));
                let k = modulo(l, i, twice, filter.odd);
                // Above the middle the mirrored index is the smaller one.
                let mirrored = l.int_sub(twice, k);
                (l.int_min(k, mirrored), None)
            }
            Wrap::EdgeRepeat => {
                // Only an index below 0 repeats.
                let below = l.int_min(i, last);
                (modulo(l, below, last, filter.odd), None)
            }
            Wrap::BorderRepeat => {
                let above = l.int_compare(IntCC::SignedGreaterThan, i, last);
                (modulo(l, i, last, filter.odd), Some(l.not(above)))
            }
        }
    }
}

fn clamp(l: &mut Lanes<'_>, i: I32s, last: I32s) -> I32s {
    let zero = l.int(0);
    let above = l.int_max(i, zero);
    l.int_min(above, last)
}

/// The floored remainder of a division by `last + 1`, which is a power of two unless `odd`.
fn modulo(l: &mut Lanes<'_>, i: I32s, last: I32s, odd: bool) -> I32s {
    if !odd {
        return l.int_and(i, last);
    }
    let one = l.int(1);
    let size = l.int_add(last, one);
    l.int_modulo(i, size)
}

/// Properties common to all levels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Image {
    pub(super) filter: Filter,
    /// Border colour as pixels, where there can be a border.
    pub(super) border: Option<I32s>,
    /// s and t, no NaN.
    pub(super) at: [F32s; 2],
    /// Their positions are indices.
    pub(super) is_limited: bool,
    /// Texels before the pixels' faces.
    pub(super) face: Option<I32s>,
}

impl Image {
    /// The colour of a level.
    pub(super) fn of_level(&self, l: &mut Lanes<'_>, level: Level, linear: bool) -> Colour {
        let [x, y] = [0, 1].map(|axis| {
            let x = level.position(l, axis, self.at[axis]);
            if self.is_limited { x } else { filter::limit(l, x) }
        });
        if !linear {
            let [i, j] = [x, y].map(|x| filter::nearest(l, x));
            let (j, j_inside) = level.wrap(l, self.filter, 1, j);
            let row = level.row(l, j, self.face);
            let (i, i_inside) = level.wrap(l, self.filter, 0, i);
            return self.tap(l, level, [i, row], [i_inside, j_inside]);
        }
        let ((i, gx), (j, gy)) = (filter::pair(l, x), filter::pair(l, y));
        let columns = beside(l, i).map(|i| level.wrap(l, self.filter, 0, i));
        if self.border.is_none() {
            let rows = beside(l, j).map(|j| {
                let (j, _) = level.wrap(l, self.filter, 1, j);
                level.row(l, j, self.face)
            });
            let fetched = level.fetch_pairs(l, columns.map(|(i, _)| i), rows);
            return l.bilinear(fetched, gx, gy);
        }
        let rows = beside(l, j).map(|j| {
            let (j, inside) = level.wrap(l, self.filter, 1, j);
            let row = level.row(l, j, self.face);
            columns.map(|(i, i_inside)| self.tap(l, level, [i, row], [i_inside, inside]))
        });
        filter::blend(l, rows, gx, gy)
    }

    /// A texel, or the border where an axis says so.
    fn tap(&self, l: &mut Lanes<'_>, level: Level, [i, row]: [I32s; 2], inside: [Option<Mask>; 2]) -> Colour {
        let mut texels = level.fetch(l, i, row);
        for (inside, border) in inside.into_iter().flatten().zip(self.border.into_iter().cycle()) {
            texels = l.int_select(inside, texels, border);
        }
        l.unpack(texels)
    }
}

/// An index and the next one.
pub(super) fn beside(l: &mut Lanes<'_>, i: I32s) -> [I32s; 2] {
    let one = l.int(1);
    [i, l.int_add(i, one)]
}
