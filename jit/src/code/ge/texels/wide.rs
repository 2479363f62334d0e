//! A group at a time, in vectors of 256 bits: u of its four pixels and v of these, or their four channels.

pub(super) mod levels;

use super::{CUT, DOUBT, LOWER, MOST_GROUPS, Numbers, Places, Sampled, Sampling, bounds, exact};
use crate::emit::ge::span::{
    DEPTH_BITS, DoubleSteps, GroupTexels, LevelConstants, PLACE_BITS, PixelConstants, PrimitiveNumbers, Run,
    StepNumbers,
};
use picaflor_pipeline::ge::vram::VRAM_BYTES;
use std::arch::x86_64::{
    __m128i, __m256d, __m256i, _mm_add_epi32, _mm_and_si128, _mm_cmpeq_epi32, _mm_cmpgt_epi32,
    _mm_cvtepu16_epi32, _mm_cvtsi32_si128, _mm_loadl_epi64, _mm_loadu_si128, _mm_max_epi32, _mm_min_epi32,
    _mm_mullo_epi32, _mm_or_si128, _mm_set1_epi32, _mm_setr_epi32, _mm_setzero_si128, _mm_slli_epi32,
    _mm_srai_epi32, _mm_srli_epi32, _mm_storeu_si128, _mm_sub_epi32, _mm_testz_si128, _mm_unpacklo_epi64,
    _mm256_add_epi16, _mm256_add_epi64, _mm256_add_pd, _mm256_and_pd, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_castpd_ps, _mm256_castpd_si256, _mm256_castps_si256,
    _mm256_castsi128_si256, _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_castsi256_si128,
    _mm256_cmpeq_epi32, _mm256_cvtepu8_epi16, _mm256_div_pd, _mm256_extracti128_si256,
    _mm256_inserti128_si256, _mm256_maddubs_epi16, _mm256_max_epi32, _mm256_max_epu32, _mm256_min_epi32,
    _mm256_movemask_epi8, _mm256_mul_pd, _mm256_mullo_epi16, _mm256_permute4x64_epi64, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_setr_epi8, _mm256_setr_epi32,
    _mm256_setr_epi64x, _mm256_setr_pd, _mm256_shuffle_epi8, _mm256_shuffle_ps, _mm256_sll_epi32,
    _mm256_slli_epi16, _mm256_slli_epi64, _mm256_srai_epi32, _mm256_srli_epi16, _mm256_srli_epi32,
    _mm256_store_si256, _mm256_sub_epi16,
};
use std::cmp::Ordering;

/// Whole texels in a number of fixed point.
const TEXEL_BITS: u32 = PLACE_BITS + LOWER;

/// [`super::sample`].
///
/// # Safety
/// As there; `MIXES` is what the filter of one level says.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sample<const MIXES: bool>(
    sampling: &Sampling,
    constants: &PixelConstants,
    sampled: Sampled<'_>,
    mut to: &mut [GroupTexels],
) {
    let level = &constants.levels[0];
    let texture = Texture::new(sampling.clamp, level);
    for run in sampled.runs {
        let numbers = sampled.numbers(run);
        let (here, rest) = to.split_at_mut(run.groups as usize);
        to = rest;
        let row = Row { sampling, level, numbers, at: [run.column, run.row] };
        // SAFETY: as the caller promises.
        unsafe {
            match (numbers.is_plain(), numbers.is_level()) {
                (true, true) => row.level::<MIXES>(&texture, here),
                (true, false) => row.plain::<MIXES>(&texture, here),
                _ if numbers.is_divided() => row.divided::<MIXES>(&texture, here),
                _ => row.exact::<MIXES>(&texture, here),
            }
        }
    }
}

/// Groups from a column on.
// Taken by value: in memory, what was just stored in pieces would be loaded as a whole before it is there.
#[derive(Clone, Copy)]
struct Row<'a> {
    sampling: &'a Sampling,
    level: &'a LevelConstants,
    numbers: Numbers<'a>,
    at: [u32; 2],
}

impl Row<'_> {
    /// Positions of a group.
    #[inline(always)]
    fn exact_places(&self, group: usize) -> Places {
        exact(self.sampling, self.level, self.numbers, [self.at[0] + 4 * group as u32, self.at[1]])
    }

    /// Where s, t and q go in steps.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn divided<const MIXES: bool>(self, texture: &Texture, to: &mut [GroupTexels]) {
        let mut now = Divided::of(self.numbers.primitive, self.at);
        let doubt = Doubt::of(self.sampling);
        for (n, texels) in to.iter_mut().enumerate() {
            let (positions, estimate) = now.positions();
            let (lower, is_doubtful) = doubt.places(positions, estimate);
            let places = if is_doubtful { joined(&self.exact_places(n)) } else { ordered(lower) };
            // SAFETY: as the caller promises.
            store(unsafe { texture.colours::<MIXES>(places) }, texels);
            now.advance();
        }
    }

    /// Where u and v go in steps.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn plain<const MIXES: bool>(self, texture: &Texture, to: &mut [GroupTexels]) {
        let [u, v] = &self.numbers.primitive.plain;
        let mut u_now = longs(self.sampling.fixed(u, self.at), u);
        let mut v_now = longs(self.sampling.fixed(v, self.at), v);
        let [u_step, v_step] = [_mm256_set1_epi64x(u.group[0]), _mm256_set1_epi64x(v.group[0])];
        for texels in to {
            let (u, v) = (_mm256_castsi256_ps(u_now), _mm256_castsi256_ps(v_now));
            let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(u, v));
            // SAFETY: as the caller promises.
            store(unsafe { texture.colours::<MIXES>(ordered(upper)) }, texels);
            u_now = _mm256_add_epi64(u_now, u_step);
            v_now = _mm256_add_epi64(v_now, v_step);
        }
    }

    /// Where v does not change.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn level<const MIXES: bool>(self, texture: &Texture, to: &mut [GroupTexels]) {
        let steps = &self.numbers.primitive.plain[0];
        let first = self.sampling.fixed(steps, self.at);
        let mut now = longs(first, steps);
        let step = _mm256_set1_epi64x(steps.group[0]);
        let v = (self.numbers.v(self.sampling, self.at) >> LOWER) as i32;
        let inside = v.max(texture.bounds[0][1]).min(texture.bounds[1][1]);
        let before = (inside >> PLACE_BITS & texture.last[1]) * texture.columns;
        let down = _mm256_set1_epi16((inside >> (PLACE_BITS - 4) & 15) as i16);
        let [least, most] = texture.bounds.map(|[u, _]| _mm_set1_epi32(u));
        let (last, before_all) = (_mm_set1_epi32(texture.last[0]), _mm_set1_epi32(before));
        let by_texels = self.numbers.primitive.goes_by_texels != 0;
        for (n, texels) in to.iter_mut().enumerate() {
            let column = (first.wrapping_add(steps.group[0].wrapping_mul(n as i64)) >> TEXEL_BITS) as i32;
            let column = if self.sampling.clamp[0] { column } else { column & texture.last[0] };
            // Four neighbours, of whom only they themselves count.
            let colours = if by_texels && (0..=texture.last[0] - 3).contains(&column) {
                // SAFETY: the first and the last one lie in the row.
                let words = unsafe { _mm_loadu_si128(texture.texels.add((before + column) as usize).cast()) };
                _mm256_cvtepu8_epi16(words)
            } else {
                let place = halves(now);
                let inside = _mm_min_epi32(_mm_max_epi32(place, least), most);
                let whole = _mm_and_si128(_mm_srai_epi32::<{ PLACE_BITS as i32 }>(inside), last);
                let right =
                    _mm_and_si128(_mm_srli_epi32::<{ PLACE_BITS as i32 - 4 }>(inside), _mm_set1_epi32(15));
                // SAFETY: as the caller promises.
                unsafe { texture.at::<MIXES>(_mm_add_epi32(whole, before_all), right, down) }
            };
            store(colours, texels);
            now = _mm256_add_epi64(now, step);
        }
    }

    /// Where the manual's order counts.
    #[target_feature(enable = "avx2")]
    unsafe fn exact<const MIXES: bool>(self, texture: &Texture, to: &mut [GroupTexels]) {
        for (n, texels) in to.iter_mut().enumerate() {
            // SAFETY: as the caller promises.
            store(unsafe { texture.colours::<MIXES>(joined(&self.exact_places(n))) }, texels);
        }
    }
}

/// u and v of four pixels as one vector.
#[target_feature(enable = "avx2")]
#[inline]
fn joined(Places([u, v]): &Places) -> __m256i {
    _mm256_setr_epi32(u[0], u[1], u[2], u[3], v[0], v[1], v[2], v[3])
}

/// s, t and q of four pixels, which go in steps.
struct Divided {
    now: [__m256d; 3],
    steps: [__m256d; 3],
}

impl Divided {
    /// Those of a run's first group.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn of(primitive: &PrimitiveNumbers, at: [u32; 2]) -> Self {
        let [s, t, q] = &primitive.divided;
        let at = [f64::from(at[0].cast_signed()), f64::from(at[1].cast_signed())];
        Self {
            now: [doubles(s, at), doubles(t, at), doubles(q, at)],
            steps: [_mm256_set1_pd(s.group[0]), _mm256_set1_pd(t.group[0]), _mm256_set1_pd(q.group[0])],
        }
    }

    /// u and v, and reciprocals of q before they are cut.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn positions(&self) -> ([__m256d; 2], __m256d) {
        let kept = _mm256_castsi256_pd(_mm256_set1_epi64x((u64::MAX << CUT).cast_signed()));
        let estimate = _mm256_div_pd(_mm256_set1_pd(1.0), self.now[2]);
        let reciprocal = _mm256_and_pd(estimate, kept);
        ([_mm256_mul_pd(self.now[0], reciprocal), _mm256_mul_pd(self.now[1], reciprocal)], estimate)
    }

    /// On to the next group.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn advance(&mut self) {
        let [s, t, q] = self.steps;
        self.now =
            [_mm256_add_pd(self.now[0], s), _mm256_add_pd(self.now[1], t), _mm256_add_pd(self.now[2], q)];
    }
}

/// From positions as doubles to such in fixed point.
struct Doubt {
    units: __m256d,
    /// Bits that decide.
    above: __m128i,
}

impl Doubt {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn of(sampling: &Sampling) -> Self {
        let above = _mm_cvtsi32_si128(32 - sampling.bits() as i32);
        Self { units: _mm256_set1_pd(sampling.units()), above }
    }

    /// Positions, not [`ordered`] yet, and whether one of them, or a reciprocal, may be another one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn places(&self, [u, v]: [__m256d; 2], estimate: __m256d) -> (__m256i, bool) {
        let [u, v] = [_mm256_add_pd(u, self.units), _mm256_add_pd(v, self.units)];
        let (u, v) = (_mm256_castpd_ps(u), _mm256_castpd_ps(v));
        let lower = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(u, v));
        let largest = _mm256_max_epu32(_mm256_sll_epi32(lower, self.above), last_bits(estimate));
        (lower, is_doubtful(largest))
    }
}

/// The bits of reciprocals that are cut, in upper halves.
#[target_feature(enable = "avx2")]
#[inline]
fn last_bits(estimate: __m256d) -> __m256i {
    let upper = _mm256_set1_epi64x((u64::MAX << 32).cast_signed());
    _mm256_and_si256(_mm256_slli_epi64::<{ 64 - CUT as i32 }>(_mm256_castpd_si256(estimate)), upper)
}

/// True if one of these may be that of the next number.
#[target_feature(enable = "avx2")]
#[inline]
fn is_doubtful(last: __m256i) -> bool {
    let doubt = _mm256_set1_epi32(DOUBT.cast_signed());
    _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(last, doubt), last)) != 0
}

#[target_feature(enable = "avx2")]
#[inline]
fn store(colours: __m256i, to: &mut GroupTexels) {
    // SAFETY: the place has 32 bytes, aligned.
    unsafe { _mm256_store_si256(std::ptr::from_mut(to).cast(), colours) };
}

/// Finds groups of a run of which some pixel may pass the depth test.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn find_alive(sampling: &Sampling, sampled: Sampled<'_>, run: &Run, alive: &mut [bool; MOST_GROUPS]) {
    let Some(test) = sampling.depth else { return };
    let deep = &sampled.numbers(run).primitive.deep;
    let first = (deep.first)
        .wrapping_add(deep.down.wrapping_mul(run.row.into()))
        .wrapping_add(deep.lanes[1].wrapping_mul(run.column.into()));
    let mut now = longs(first, deep);
    let step = _mm256_set1_epi64x(deep.group[0]);
    let first_at = run.depth_at.wrapping_add(2 * run.column);
    let groups = run.groups as usize;
    for (n, alive) in alive[..groups].iter_mut().enumerate() {
        let offset = test.maps.depth(first_at.wrapping_add(8 * n as u32) & (VRAM_BYTES - 1));
        // SAFETY: offsets of groups are multiples of 8 below the size of VRAM.
        let stored = _mm_cvtepu16_epi32(unsafe { _mm_loadl_epi64(sampled.vram.add(offset as usize).cast()) });
        let depth = _mm_srai_epi32::<{ DEPTH_BITS as i32 }>(halves(now));
        let covered = run.covered[if n == 0 { 2 } else { usize::from(n + 1 < groups) }];
        // SAFETY: four integers are 16 bytes.
        let covered = unsafe { _mm_loadu_si128(covered.as_ptr().cast()) };
        let passes = match test.passes {
            Ordering::Greater => _mm_cmpgt_epi32(depth, stored),
            Ordering::Less => _mm_cmpgt_epi32(stored, depth),
            Ordering::Equal => _mm_setzero_si128(),
        };
        let equal = if test.or_equal { _mm_cmpeq_epi32(depth, stored) } else { _mm_setzero_si128() };
        *alive = _mm_testz_si128(_mm_or_si128(passes, equal), covered) == 0;
        now = _mm256_add_epi64(now, step);
    }
}

/// A number in four lanes of a run's first group: exact, whatever the order.
#[target_feature(enable = "avx2")]
#[inline]
fn doubles(steps: &DoubleSteps, [column, row]: [f64; 2]) -> __m256d {
    let first = steps.first + steps.down * row + steps.right * column;
    let lanes = _mm256_mul_pd(_mm256_set1_pd(steps.right), _mm256_setr_pd(0.0, 1.0, 2.0, 3.0));
    _mm256_add_pd(_mm256_set1_pd(first), lanes)
}

/// A number in four lanes, from the first on.
#[target_feature(enable = "avx2")]
#[inline]
fn longs(first: i64, steps: &StepNumbers) -> __m256i {
    let (once, twice) = (steps.lanes[1], steps.pair[0]);
    _mm256_add_epi64(_mm256_set1_epi64x(first), _mm256_setr_epi64x(0, once, twice, twice.wrapping_add(once)))
}

/// Two of u, two of v, and so again, as four each.
#[target_feature(enable = "avx2")]
#[inline]
fn ordered(mixed: __m256i) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(mixed)
}

/// The upper halves.
#[target_feature(enable = "avx2")]
#[inline]
fn halves(longs: __m256i) -> __m128i {
    let longs = _mm256_castsi256_ps(longs);
    let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(longs, longs));
    _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b00_00_10_00>(upper))
}

/// What is known of a texture.
struct Texture {
    /// Least and greatest position, of u and v.
    bounds: [[i32; 2]; 2],
    /// Last column and row.
    last: [i32; 2],
    /// Texels from row to row.
    columns: i32,
    texels: *const u32,
    /// The same in vectors.
    least: __m256i,
    most: __m256i,
    masks: __m256i,
    width: __m128i,
}

impl Texture {
    #[target_feature(enable = "avx2")]
    fn new(clamp: [bool; 2], level: &LevelConstants) -> Self {
        let [[u_least, u_most], [v_least, v_most]] = bounds(clamp, level);
        let (last, columns) = (level.last.map(|last| last[0]), level.width[0]);
        let both = |u: i32, v: i32| _mm256_setr_epi32(u, u, u, u, v, v, v, v);
        Self {
            bounds: [[u_least, v_least], [u_most, v_most]],
            last,
            columns,
            texels: level.texels as *const u32,
            least: both(u_least, v_least),
            most: both(u_most, v_most),
            masks: both(last[0], last[1]),
            width: _mm_set1_epi32(columns),
        }
    }

    /// Colours at positions.
    ///
    /// # Safety
    /// The texels are valid.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn colours<const MIXES: bool>(&self, places: __m256i) -> __m256i {
        let inside = _mm256_min_epi32(_mm256_max_epi32(places, self.least), self.most);
        let whole = _mm256_and_si256(_mm256_srai_epi32::<{ PLACE_BITS as i32 }>(inside), self.masks);
        let before = _mm_mullo_epi32(_mm256_extracti128_si256::<1>(whole), self.width);
        let index = _mm_add_epi32(_mm256_castsi256_si128(whole), before);
        let shifted = _mm256_srli_epi32::<{ PLACE_BITS as i32 - 4 }>(inside);
        let sixteenths = _mm256_and_si256(shifted, _mm256_set1_epi32(15));
        let right = _mm256_castsi256_si128(sixteenths);
        let down = spread(_mm256_extracti128_si256::<1>(sixteenths));
        // SAFETY: column and row of each index are masked, so that they are at most the last ones.
        unsafe { self.at::<MIXES>(index, right, down) }
    }

    /// Colours at indices, or mixed with those to the right and below by sixteenths: one of each pixel, one of each channel.
    ///
    /// # Safety
    /// The texels are valid, and columns and rows of indices are at most the last ones.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn at<const MIXES: bool>(&self, index: __m128i, right: __m128i, down: __m256i) -> __m256i {
        let mut at = [0_u32; 4];
        // SAFETY: four words are 16 bytes.
        unsafe { _mm_storeu_si128(at.as_mut_ptr().cast(), index) };
        let [a, b, c, d] = at.map(|index| index as usize);
        if MIXES {
            // 16 - f and f, a byte each.
            let weights = _mm_add_epi32(_mm_sub_epi32(_mm_slli_epi32::<8>(right), right), _mm_set1_epi32(16));
            let across = spread(weights);
            let turns = _mm256_setr_epi8(
                0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15, 0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13,
                10, 14, 11, 15,
            );
            let row = |from: *const u32| {
                // SAFETY: behind the last column and row there is one more each, as the caller promises.
                let pairs = unsafe {
                    let pair = |at: usize| _mm_loadl_epi64(from.add(at).cast());
                    let first = _mm_unpacklo_epi64(pair(a), pair(b));
                    let second = _mm_unpacklo_epi64(pair(c), pair(d));
                    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(first), second)
                };
                _mm256_maddubs_epi16(_mm256_shuffle_epi8(pairs, turns), across)
            };
            // SAFETY: the row below is there, likewise.
            let next = unsafe { self.texels.add(self.columns as usize) };
            let [above, below] = [row(self.texels), row(next)];
            let change = _mm256_mullo_epi16(_mm256_sub_epi16(below, above), down);
            _mm256_srli_epi16::<8>(_mm256_add_epi16(_mm256_slli_epi16::<4>(above), change))
        } else {
            // SAFETY: as the caller promises.
            let word = |at: usize| unsafe { *self.texels.add(at) }.cast_signed();
            _mm256_cvtepu8_epi16(_mm_setr_epi32(word(a), word(b), word(c), word(d)))
        }
    }
}

/// The lower two bytes of each lane in all channels of its pixel.
#[target_feature(enable = "avx2")]
#[inline]
fn spread(lanes: __m128i) -> __m256i {
    let order = _mm256_setr_epi8(
        0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5, 8, 9, 8, 9, 8, 9, 8, 9, 12, 13, 12, 13, 12, 13, 12,
        13,
    );
    _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(lanes), order)
}
