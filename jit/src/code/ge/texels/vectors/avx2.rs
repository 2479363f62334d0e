//! Vectors of 256 bits: u and v of four pixels, or their four channels, are one. Each half has two pixels, u of both and
//! then v of both: so what belongs to a pixel stays in one half, and nothing has to cross over.

use super::super::{CUT, DOUBT};
use super::Vectors;
use super::sse41::any_passes;
use crate::code::ge::depth_test::DepthTest;
use crate::code::moves::{as_is, halves_as_they_are};
use crate::code::vectors::Work;
use crate::emit::ge::span::{GroupTexels, PLACE_BITS};
use std::arch::x86_64::{
    __m128i, __m256d, __m256i, _CMP_LT_OQ, _mm_castps_si128, _mm_castsi128_ps, _mm_cvtsi32_si128,
    _mm_cvtsi128_si32, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_setr_epi32, _mm_shuffle_ps, _mm256_add_epi8,
    _mm256_add_epi16, _mm256_add_epi64, _mm256_add_pd, _mm256_and_pd, _mm256_and_si256, _mm256_andnot_pd,
    _mm256_blend_epi32, _mm256_broadcastsi128_si256, _mm256_castpd_ps, _mm256_castpd_si256,
    _mm256_castps_si256, _mm256_castsi256_pd, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmp_pd,
    _mm256_cmpeq_epi32, _mm256_cvtepu8_epi16, _mm256_div_pd, _mm256_extracti128_si256, _mm256_madd_epi16,
    _mm256_maddubs_epi16, _mm256_max_epi32, _mm256_max_epu32, _mm256_max_pd, _mm256_min_epi32, _mm256_min_pd,
    _mm256_movemask_epi8, _mm256_movemask_pd, _mm256_mul_pd, _mm256_mullo_epi16, _mm256_permute_pd,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_setr_epi8,
    _mm256_setr_epi32, _mm256_setr_epi64x, _mm256_setr_pd, _mm256_shuffle_epi8, _mm256_shuffle_ps,
    _mm256_sll_epi32, _mm256_slli_epi16, _mm256_slli_epi64, _mm256_srai_epi32, _mm256_srav_epi32,
    _mm256_srli_epi16, _mm256_srli_epi64, _mm256_store_si256, _mm256_sub_epi16, _mm256_sub_epi32,
    _mm256_sub_pd, _mm256_xor_si256,
};

const _: () = assert!(PLACE_BITS == 20, "sixteenths are the lower half of the third byte");
/// Upper and lower halves of two numbers of two vectors, in either half.
const UPPER: i32 = 0b11_01_11_01;
const LOWER: i32 = 0b10_00_10_00;
/// Bytes of the lower halves of u and v of a pixel, then of those of the next one.
const SIDE_BY_SIDE: i64 = 0x0d0c_0504_0908_0100;

/// A proof that the processor has AVX2.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Avx2 {
    /// The same instructions have 32 registers: loops over groups need more than 16.
    has_avx512: bool,
}

impl Avx2 {
    pub(in super::super) fn detected() -> Option<Self> {
        let has_avx512 = std::arch::is_x86_feature_detected!("avx512vl")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512dq");
        std::arch::is_x86_feature_detected!("avx2").then_some(Self { has_avx512 })
    }

    /// As on a processor without AVX-512.
    #[cfg(test)]
    pub(in super::super) const fn with_16_registers(self) -> Self {
        Self { has_avx512: false }
    }
}

// Apart from `code::vectors::work_with_avx2`, the same function: as one, with `inline(never)`, frames 02 and 06 took 3 to 5 % longer.
#[target_feature(enable = "avx2")]
#[inline(never)]
fn apart<W: Work>(work: W) -> W::Found {
    work.work()
}

#[target_feature(enable = "avx2,avx512vl,avx512bw,avx512dq")]
#[inline(never)]
fn apart_with_avx512<W: Work>(work: W) -> W::Found {
    work.work()
}

/// Instructions of AVX2, which are there, and no access to memory: a value of [`Avx2`] says so.
macro_rules! instructions {
    ($found:expr) => {
        // SAFETY: the processor has AVX2, and nothing else is required.
        unsafe { $found }
    };
}

impl Vectors for Avx2 {
    type Doubles = __m256d;
    type Longs = __m256i;
    type Ints = __m128i;
    type Places = __m256i;
    type Colours = __m256i;

    fn apart<W: Work>(self, work: W) -> W::Found {
        if self.has_avx512 {
            // SAFETY: the processor has all that it is compiled for, and nothing else is required.
            return unsafe { apart_with_avx512(work) };
        }
        instructions!(apart(work))
    }

    #[inline(always)]
    fn doubles(self, [a, b, c, d]: [f64; 4]) -> __m256d {
        instructions!(_mm256_setr_pd(a, b, c, d))
    }

    #[inline(always)]
    fn add(self, a: __m256d, b: __m256d) -> __m256d {
        instructions!(_mm256_add_pd(a, b))
    }

    #[inline(always)]
    fn sub(self, a: __m256d, b: __m256d) -> __m256d {
        instructions!(_mm256_sub_pd(a, b))
    }

    #[inline(always)]
    fn mul(self, a: __m256d, b: __m256d) -> __m256d {
        instructions!(_mm256_mul_pd(a, b))
    }

    #[inline(always)]
    fn div(self, a: __m256d, b: __m256d) -> __m256d {
        instructions!(_mm256_div_pd(a, b))
    }

    #[inline(always)]
    fn smaller(self, a: __m256d, b: __m256d) -> __m256d {
        instructions!(_mm256_min_pd(a, b))
    }

    #[inline(always)]
    fn larger(self, a: __m256d, b: __m256d) -> __m256d {
        instructions!(_mm256_max_pd(a, b))
    }

    #[inline(always)]
    fn magnitude(self, a: __m256d) -> __m256d {
        instructions!(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a))
    }

    #[inline(always)]
    fn cut(self, a: __m256d) -> __m256d {
        let kept = (u64::MAX << CUT).cast_signed();
        instructions!(_mm256_and_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(kept))))
    }

    #[inline(always)]
    fn along(self, a: __m256d) -> __m256d {
        instructions!(_mm256_sub_pd(_mm256_permute_pd::<0b1111>(a), a))
    }

    #[inline(always)]
    fn upper(self, a: __m256d) -> [i32; 2] {
        instructions!({
            let upper = _mm256_srli_epi64::<48>(_mm256_castpd_si256(a));
            let second = _mm256_extracti128_si256::<1>(upper);
            [_mm_cvtsi128_si32(_mm256_castsi256_si128(upper)), _mm_cvtsi128_si32(second)]
        })
    }

    #[inline(always)]
    fn any_below(self, a: __m256d, least: f64) -> bool {
        instructions!(_mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, _mm256_set1_pd(least))) != 0)
    }

    #[inline(always)]
    fn longs(self, [a, b, c, d]: [i64; 4]) -> __m256i {
        instructions!(_mm256_setr_epi64x(a, b, c, d))
    }

    #[inline(always)]
    fn sum(self, a: __m256i, b: __m256i) -> __m256i {
        instructions!(_mm256_add_epi64(a, b))
    }

    #[inline(always)]
    unsafe fn any_passes(
        self,
        test: &DepthTest,
        depth: __m256i,
        stored: *const u16,
        covered: &[i32; 4],
    ) -> bool {
        let depth = instructions!(upper_halves(depth));
        // SAFETY: as the caller promises; a processor with AVX2 has SSE4.1.
        unsafe { any_passes(test, depth, stored, covered) }
    }

    #[inline(always)]
    fn ints(self, [a, b, c, d]: [i32; 4]) -> __m128i {
        instructions!(_mm_setr_epi32(a, b, c, d))
    }

    #[inline(always)]
    fn places(self, [[a, b, c, d], [e, f, g, h]]: [[i32; 4]; 2]) -> __m256i {
        instructions!(_mm256_setr_epi32(a, b, e, f, c, d, g, h))
    }

    #[inline(always)]
    fn low(self, [u, v]: [__m256d; 2]) -> __m256i {
        let halves = instructions!(_mm256_shuffle_ps::<LOWER>(_mm256_castpd_ps(u), _mm256_castpd_ps(v)));
        instructions!(_mm256_castps_si256(halves))
    }

    #[inline(always)]
    fn high(self, [u, v]: [__m256i; 2]) -> __m256i {
        let halves =
            instructions!(_mm256_shuffle_ps::<UPPER>(_mm256_castsi256_ps(u), _mm256_castsi256_ps(v)));
        instructions!(_mm256_castps_si256(halves))
    }

    #[inline(always)]
    fn clamped(self, a: __m256i, [least, most]: [__m256i; 2]) -> __m256i {
        instructions!(_mm256_min_epi32(_mm256_max_epi32(a, least), most))
    }

    #[inline(always)]
    fn whole(self, a: __m256i, masks: __m256i) -> __m256i {
        instructions!(_mm256_and_si256(_mm256_srai_epi32::<{ PLACE_BITS as i32 }>(a), masks))
    }

    #[inline(always)]
    fn strides(self, columns: i32) -> __m256i {
        // Others would make indices that are in no texture.
        assert!((0..1 << 15).contains(&columns));
        instructions!(_mm256_set1_epi32(columns << 16 | 1))
    }

    #[inline(always)]
    fn indices(self, whole: __m256i, strides: __m256i) -> [u32; 4] {
        instructions!({
            // Columns and rows of 16 bits each, side by side.
            let order = _mm256_setr_epi64x(SIDE_BY_SIDE, -1, SIDE_BY_SIDE, -1);
            let indices = _mm256_madd_epi16(_mm256_shuffle_epi8(whole, order), strides);
            // Single lanes, which the compiler would make of pairs, take longer.
            let of = |pair: __m128i| halves_as_they_are(_mm_cvtsi128_si64(pair).cast_unsigned());
            let halves = [_mm256_castsi256_si128(indices), _mm256_extracti128_si256::<1>(indices)];
            let [[a, b], [c, d]] = halves.map(of);
            [a, b, c, d]
        })
    }

    #[inline(always)]
    fn sixteenths(self, a: __m256i) -> [__m256i; 2] {
        let (of_u, of_v) = instructions!({
            let [u, next] = [2 * 0x0101_0101_0101_0101, 6 * 0x0101_0101_0101_0101];
            // The bytes of a position that are zero make words of single bytes.
            let [v, next_v] = [0x0b0a_0b0a_0b0a_0b0a, 0x0f0e_0f0e_0f0e_0f0e];
            (_mm256_setr_epi64x(u, next, u, next), _mm256_setr_epi64x(v, next_v, v, next_v))
        });
        instructions!({
            let sixteenths = as_is(_mm256_and_si256(a, _mm256_set1_epi32(15 << (PLACE_BITS - 4))));
            let u = _mm256_shuffle_epi8(sixteenths, of_u);
            // 16 - f and f, a byte each.
            let weights = _mm256_add_epi8(_mm256_xor_si256(u, _mm256_set1_epi16(15)), _mm256_set1_epi16(1));
            [weights, _mm256_shuffle_epi8(sixteenths, as_is(of_v))]
        })
    }

    #[inline(always)]
    fn halved(self, a: __m256i, [u, v]: [u32; 2], less: i32) -> __m256i {
        let by = self.places([[u.cast_signed(); 4], [v.cast_signed(); 4]]);
        instructions!(_mm256_sub_epi32(_mm256_srav_epi32(a, by), _mm256_set1_epi32(less)))
    }

    #[inline(always)]
    fn last_bits(self, a: __m256i, above: u32, cut: __m256d) -> __m256i {
        instructions!({
            let places = _mm256_sll_epi32(a, _mm_cvtsi32_si128(above.cast_signed()));
            _mm256_max_epu32(places, last_bits(cut))
        })
    }

    #[inline(always)]
    fn later(self, a: __m256i, b: __m256i) -> __m256i {
        instructions!(_mm256_max_epu32(a, b))
    }

    #[inline(always)]
    fn are_doubtful(self, last: __m256i) -> bool {
        instructions!(are_doubtful(last))
    }

    #[inline(always)]
    fn is_cut_doubtful(self, cut: __m256d) -> bool {
        instructions!(are_doubtful(last_bits(cut)))
    }

    #[inline(always)]
    unsafe fn words(self, from: *const u32, [a, b, c, d]: [u32; 4]) -> __m256i {
        // SAFETY: the words are there, as the caller promises; the processor has AVX2.
        unsafe {
            let word = |at: u32| (*from.add(at as usize)).cast_signed();
            _mm256_cvtepu8_epi16(_mm_setr_epi32(word(a), word(b), word(c), word(d)))
        }
    }

    #[inline(always)]
    unsafe fn neighbours(self, words: *const u32) -> __m256i {
        // SAFETY: four words are 16 bytes, and there, as the caller promises; the processor has AVX2.
        unsafe { _mm256_cvtepu8_epi16(_mm_loadu_si128(words.cast())) }
    }

    #[inline(always)]
    unsafe fn mixed(self, from: *const u32, [a, b, c, d]: [u32; 4], sixteenths: __m256i) -> __m256i {
        // SAFETY: two words are 8 bytes, and there, as the caller promises; the processor has AVX2.
        unsafe {
            // As doubles, of whose loads the second one goes into the upper half: as integers it would be an instruction more.
            let pair = |at: u32| from.add(at as usize).cast::<f64>().read_unaligned();
            let pairs = _mm256_castpd_si256(_mm256_setr_pd(pair(a), pair(b), pair(c), pair(d)));
            let turns = _mm256_setr_epi8(
                0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15, 0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13,
                10, 14, 11, 15,
            );
            _mm256_maddubs_epi16(_mm256_shuffle_epi8(pairs, turns), sixteenths)
        }
    }

    #[inline(always)]
    fn between<const BITS: i32>(self, [a, b]: [__m256i; 2], sixteenths: __m256i) -> __m256i {
        instructions!({
            let change = _mm256_mullo_epi16(_mm256_sub_epi16(b, a), sixteenths);
            _mm256_srli_epi16::<BITS>(_mm256_add_epi16(_mm256_slli_epi16::<4>(a), change))
        })
    }

    #[inline(always)]
    fn spread(self, a: __m128i) -> __m256i {
        instructions!({
            let order = _mm256_setr_epi8(
                0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5, 8, 9, 8, 9, 8, 9, 8, 9, 12, 13, 12, 13, 12,
                13, 12, 13,
            );
            _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(a), order)
        })
    }

    #[inline(always)]
    fn halves(self, first: __m256i, second: __m256i) -> __m256i {
        instructions!(_mm256_blend_epi32::<0b1111_0000>(first, second))
    }

    #[inline(always)]
    fn store(self, a: __m256i, to: &mut GroupTexels) {
        // SAFETY: the place has 32 bytes, aligned.
        unsafe { _mm256_store_si256(std::ptr::from_mut(to).cast(), a) };
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn upper_halves(longs: __m256i) -> __m128i {
    let (low, high) = (_mm256_castsi256_si128(longs), _mm256_extracti128_si256::<1>(longs));
    let halves = _mm_shuffle_ps::<0b11_01_11_01>(_mm_castsi128_ps(low), _mm_castsi128_ps(high));
    _mm_castps_si128(halves)
}

/// The bits that are cut, in upper halves; lower halves are those of no next number, as they have some bits of it alone.
#[target_feature(enable = "avx2")]
#[inline]
fn last_bits(cut: __m256d) -> __m256i {
    const { assert!(u32::MAX << (64 - CUT) < DOUBT) };
    _mm256_slli_epi64::<{ 64 - CUT as i32 }>(_mm256_castpd_si256(cut))
}

/// True if one of these may be that of the next number.
#[target_feature(enable = "avx2")]
#[inline]
fn are_doubtful(last: __m256i) -> bool {
    let doubt = _mm256_set1_epi32(DOUBT.cast_signed());
    _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(last, doubt), last)) != 0
}
