//! The texels of levels around positions, wrapped and weighted.

use super::super::vectors::{bilinear, lanes, neighbours, vector, words};
use crate::emit::pica::constants::TextureConstants;
use crate::pica::key::fragment::texture::{Filter, Wrap};
use std::arch::x86_64::{
    __m256, __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpeq_epi32,
    _mm256_cmpgt_epi32, _mm256_cvttps_epi32, _mm256_floor_ps, _mm256_max_epi32, _mm256_max_ps,
    _mm256_min_epi32, _mm256_min_ps, _mm256_movemask_epi8, _mm256_mul_ps, _mm256_mullo_epi32,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_si256, _mm256_sub_epi32, _mm256_sub_ps,
};
use std::ptr;

/// Magnitude of a position whose floor is an index, at most.
const FAR: f32 = (1 << 30) as f32;

/// The levels that pixels read.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// Width and height.
    pub(super) scale: [__m256; 2],
    /// The last column and row.
    pub(super) last: [__m256i; 2],
    /// Texels from row to row.
    pub(super) width: __m256i,
    /// Texels before the level and, of a cube, its face.
    pub(super) start: __m256i,
}

/// An image. `LOD`: levels differ from pixel to pixel; each form has one caller, so that it is inlined. `WRAPS`: one of the following
/// numbers.
#[derive(Clone, Copy)]
pub(super) struct Image<'a, const LOD: bool, const WRAPS: u8> {
    pub(super) filter: Filter,
    pub(super) constants: &'a TextureConstants,
}

/// Indices of both axes are clamped.
pub(super) const CLAMPED: u8 = 0;
/// They repeat after a power of two.
pub(super) const REPEATED: u8 = 1;
/// Anything else.
pub(super) const ANY: u8 = 2;

/// How both axes are wrapped.
pub(super) fn wraps(filter: Filter) -> u8 {
    match filter.wrap {
        [Wrap::Edge, Wrap::Edge] => CLAMPED,
        [Wrap::Repeat, Wrap::Repeat] if !filter.odd => REPEATED,
        _ => ANY,
    }
}

/// Columns or rows: wrapped, and which are inside, where there can be a border.
#[derive(Clone, Copy)]
pub(super) struct Wrapped {
    pub(super) index: __m256i,
    pub(super) inside: __m256i,
}

impl Wrapped {
    /// The closest index of the image, which is inside if it is the same.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn closest(i: __m256i, last: __m256i) -> Self {
        let index = clamped(i, last);
        Self { index, inside: _mm256_cmpeq_epi32(index, i) }
    }
}

impl<const LOD: bool, const WRAPS: u8> Image<'_, LOD, WRAPS> {
    /// The colours of levels at s and t, which are no NaN.
    ///
    /// # Safety
    /// Their texels are valid, with one more behind them.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) unsafe fn of_level(&self, level: &Level, [s, t]: [__m256; 2], linear: bool) -> __m256i {
        let (x, y) = (_mm256_mul_ps(s, level.scale[0]), _mm256_mul_ps(t, level.scale[1]));
        // SAFETY: as the caller promises.
        unsafe { if linear { self.linear(level, x, y) } else { self.nearest(level, x, y) } }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) unsafe fn nearest(&self, level: &Level, x: __m256, y: __m256) -> __m256i {
        let column = self.wrapped(level, 0, whole(limited(x)));
        let row = self.wrapped(level, 1, whole(limited(y)));
        // SAFETY: as the caller promises.
        unsafe { self.tap(column, (row, start_of(level, row))) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn linear(&self, level: &Level, x: __m256, y: __m256) -> __m256i {
        let ((i, gx), (j, gy)) = (pair(x), pair(y));
        let one = _mm256_set1_epi32(1);
        let columns = [self.wrapped(level, 0, i), self.wrapped(level, 0, _mm256_add_epi32(i, one))];
        let rows = [self.wrapped(level, 1, j), self.wrapped(level, 1, _mm256_add_epi32(j, one))];
        let starts = [start_of(level, rows[0]), start_of(level, rows[1])];
        let next = _mm256_add_epi32(columns[0].index, one);
        let are_next = _mm256_movemask_epi8(_mm256_cmpeq_epi32(next, columns[1].index)) == -1;
        // SAFETY: as the caller promises: columns and rows are in the level, whatever the positions are.
        let taps = unsafe {
            if are_next && !self.has_border() {
                [
                    neighbours(self.texels(), _mm256_add_epi32(columns[0].index, starts[0])),
                    neighbours(self.texels(), _mm256_add_epi32(columns[0].index, starts[1])),
                ]
            } else {
                let [lower, upper] = [(rows[0], starts[0]), (rows[1], starts[1])];
                [
                    [self.tap(columns[0], lower), self.tap(columns[1], lower)],
                    [self.tap(columns[0], upper), self.tap(columns[1], upper)],
                ]
            }
        };
        bilinear(taps, [gx, gy])
    }

    fn has_border(&self) -> bool {
        WRAPS == ANY && self.filter.has_border()
    }

    /// The first texel of level 0.
    pub(super) fn texels(&self) -> *const u32 {
        ptr::with_exposed_provenance(self.constants.levels[0].texels as usize)
    }

    /// The texels in columns of rows, or the border where either is outside.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn tap(&self, column: Wrapped, (row, start): (Wrapped, __m256i)) -> __m256i {
        // SAFETY: as the caller promises.
        let found = unsafe { words(self.texels(), _mm256_add_epi32(column.index, start)) };
        if !self.has_border() {
            return found;
        }
        let border = _mm256_set1_epi32(self.constants.border[0]);
        _mm256_blendv_epi8(border, found, _mm256_and_si256(column.inside, row.inside))
    }

    /// Indices of an axis, from 0 to the last one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn wrapped(&self, level: &Level, axis: usize, i: __m256i) -> Wrapped {
        let last = level.last[axis];
        let all = _mm256_set1_epi32(-1);
        match WRAPS {
            CLAMPED => return Wrapped { index: clamped(i, last), inside: all },
            REPEATED => return Wrapped { index: _mm256_and_si256(i, last), inside: all },
            _ => (),
        }
        let modulo = |i: __m256i, last: __m256i| modulo(i, last, self.filter.odd);
        let (index, inside) = match self.filter.wrap[axis] {
            Wrap::Edge => (clamped(i, last), all),
            Wrap::Border => return Wrapped::closest(i, last),
            Wrap::Repeat => (modulo(i, last), all),
            Wrap::Mirror => {
                let twice = _mm256_add_epi32(_mm256_add_epi32(last, last), _mm256_set1_epi32(1));
                let k = modulo(i, twice);
                // Above the middle the mirrored index is the smaller one.
                (_mm256_min_epi32(k, _mm256_sub_epi32(twice, k)), all)
            }
            // Only an index below 0 repeats.
            Wrap::EdgeRepeat => (modulo(_mm256_min_epi32(i, last), last), all),
            Wrap::BorderRepeat => {
                let above = _mm256_cmpgt_epi32(i, last);
                (modulo(i, last), _mm256_cmpeq_epi32(above, _mm256_setzero_si256()))
            }
        };
        Wrapped { index, inside }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn clamped(i: __m256i, last: __m256i) -> __m256i {
    _mm256_min_epi32(_mm256_max_epi32(i, _mm256_setzero_si256()), last)
}

/// Texels before a row.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn start_of(level: &Level, row: Wrapped) -> __m256i {
    _mm256_add_epi32(level.start, _mm256_mullo_epi32(row.index, level.width))
}

/// The floored remainder of a division by `last + 1`, which is a power of two unless `odd`.
#[target_feature(enable = "avx2")]
#[inline]
fn modulo(i: __m256i, last: __m256i, odd: bool) -> __m256i {
    if odd { remainder(i, last) } else { _mm256_and_si256(i, last) }
}

#[cold]
#[inline(never)]
fn remainder(i: __m256i, last: __m256i) -> __m256i {
    let (i, last) = (lanes(i), lanes(last));
    vector(std::array::from_fn(|n| i[n].rem_euclid(last[n] + 1)))
}

/// Keeps a position where its floor is an index.
#[target_feature(enable = "avx2")]
#[inline]
fn limited(x: __m256) -> __m256 {
    _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(-FAR)), _mm256_set1_ps(FAR))
}

/// The texel that contains a position in texels along an axis.
#[target_feature(enable = "avx2")]
#[inline]
fn whole(x: __m256) -> __m256i {
    _mm256_cvttps_epi32(_mm256_floor_ps(x))
}

/// The lower of the two texels on either side of a position, and the weight of the upper in units of 1/256, 256 included.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn pair(x: __m256) -> (__m256i, __m256i) {
    let from_centre = limited(_mm256_sub_ps(x, _mm256_set1_ps(0.5)));
    let lower = _mm256_floor_ps(from_centre);
    let fraction = _mm256_sub_ps(from_centre, lower);
    // Neither is negative, so that truncation is the floor.
    (_mm256_cvttps_epi32(lower), _mm256_cvttps_epi32(_mm256_mul_ps(fraction, _mm256_set1_ps(256.0))))
}
