//! Vectors of 128 bits of x86-64: each of u, v, and the channels of two pixels is one.

use super::super::{CUT, DOUBT};
use super::Vectors;
use crate::code::ge::depth_test::DepthTest;
use crate::code::vectors::Work;
use crate::emit::ge::span::{DEPTH_BITS, GroupTexels, PLACE_BITS};
use std::arch::x86_64::{
    __m128d, __m128i, _mm_add_epi16, _mm_add_epi32, _mm_add_epi64, _mm_add_pd, _mm_and_pd, _mm_and_si128,
    _mm_andnot_pd, _mm_castpd_ps, _mm_castpd_si128, _mm_castps_si128, _mm_castsi128_pd, _mm_castsi128_ps,
    _mm_cmpeq_epi32, _mm_cmpgt_epi32, _mm_cmplt_pd, _mm_cvtepu8_epi16, _mm_cvtepu16_epi32, _mm_cvtsi32_si128,
    _mm_cvtsi128_si32, _mm_div_pd, _mm_loadl_epi64, _mm_loadu_si128, _mm_maddubs_epi16, _mm_max_epi32,
    _mm_max_epu32, _mm_max_pd, _mm_min_epi32, _mm_min_pd, _mm_movemask_epi8, _mm_movemask_pd, _mm_mul_pd,
    _mm_mullo_epi16, _mm_mullo_epi32, _mm_or_pd, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi32,
    _mm_set1_epi64x, _mm_set1_pd, _mm_setr_epi8, _mm_setr_epi32, _mm_setr_pd, _mm_setzero_si128,
    _mm_shuffle_epi8, _mm_shuffle_ps, _mm_sll_epi32, _mm_slli_epi16, _mm_slli_epi32, _mm_slli_epi64,
    _mm_sra_epi32, _mm_srai_epi32, _mm_srl_epi16, _mm_srli_epi32, _mm_srli_epi64, _mm_store_si128,
    _mm_storeu_si128, _mm_sub_epi16, _mm_sub_epi32, _mm_sub_pd, _mm_testz_si128, _mm_unpackhi_epi8,
    _mm_unpackhi_pd,
};
use std::cmp::Ordering;

/// A proof that the processor has SSE4.1 and SSSE3.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Sse41(());

impl Sse41 {
    /// Where there is compiled code, there are both.
    pub(in super::super) fn detected() -> Option<Self> {
        let is_there =
            std::arch::is_x86_feature_detected!("sse4.1") && std::arch::is_x86_feature_detected!("ssse3");
        is_there.then_some(Self(()))
    }
}

#[target_feature(enable = "sse4.1,ssse3")]
#[inline(never)]
fn apart<W: Work>(work: W) -> W::Found {
    work.work()
}

/// Instructions of SSE4.1 and SSSE3, which are there, and no access to memory: a value of [`Sse41`] says so.
macro_rules! instructions {
    ($found:expr) => {
        // SAFETY: the processor has SSE4.1 and SSSE3, and nothing else is required.
        unsafe { $found }
    };
}

/// An instruction on both vectors of each of two.
macro_rules! both {
    ($of:ident, $a:expr, $b:expr) => {
        // SAFETY: the processor has SSE4.1 and SSSE3, and nothing else is required.
        unsafe { [$of($a[0], $b[0]), $of($a[1], $b[1])] }
    };
}

impl Vectors for Sse41 {
    type Doubles = [__m128d; 2];
    type Longs = [__m128i; 2];
    type Ints = __m128i;
    type Places = [__m128i; 2];
    type Colours = [__m128i; 2];

    fn apart<W: Work>(self, work: W) -> W::Found {
        instructions!(apart(work))
    }

    #[inline(always)]
    fn doubles(self, [a, b, c, d]: [f64; 4]) -> [__m128d; 2] {
        instructions!([_mm_setr_pd(a, b), _mm_setr_pd(c, d)])
    }

    #[inline(always)]
    fn add(self, a: [__m128d; 2], b: [__m128d; 2]) -> [__m128d; 2] {
        both!(_mm_add_pd, a, b)
    }

    #[inline(always)]
    fn sub(self, a: [__m128d; 2], b: [__m128d; 2]) -> [__m128d; 2] {
        both!(_mm_sub_pd, a, b)
    }

    #[inline(always)]
    fn mul(self, a: [__m128d; 2], b: [__m128d; 2]) -> [__m128d; 2] {
        both!(_mm_mul_pd, a, b)
    }

    #[inline(always)]
    fn div(self, a: [__m128d; 2], b: [__m128d; 2]) -> [__m128d; 2] {
        both!(_mm_div_pd, a, b)
    }

    #[inline(always)]
    fn smaller(self, a: [__m128d; 2], b: [__m128d; 2]) -> [__m128d; 2] {
        both!(_mm_min_pd, a, b)
    }

    #[inline(always)]
    fn larger(self, a: [__m128d; 2], b: [__m128d; 2]) -> [__m128d; 2] {
        both!(_mm_max_pd, a, b)
    }

    #[inline(always)]
    fn magnitude(self, a: [__m128d; 2]) -> [__m128d; 2] {
        let signs = instructions!(_mm_set1_pd(-0.0));
        both!(_mm_andnot_pd, [signs; 2], a)
    }

    #[inline(always)]
    fn cut(self, a: [__m128d; 2]) -> [__m128d; 2] {
        let kept = (u64::MAX << CUT).cast_signed();
        let kept = instructions!(_mm_castsi128_pd(_mm_set1_epi64x(kept)));
        both!(_mm_and_pd, a, [kept; 2])
    }

    #[inline(always)]
    fn along(self, a: [__m128d; 2]) -> [__m128d; 2] {
        self.sub(both!(_mm_unpackhi_pd, a, a), a)
    }

    #[inline(always)]
    fn upper(self, [a, c]: [__m128d; 2]) -> [i32; 2] {
        instructions!([
            _mm_cvtsi128_si32(_mm_srli_epi64::<48>(_mm_castpd_si128(a))),
            _mm_cvtsi128_si32(_mm_srli_epi64::<48>(_mm_castpd_si128(c))),
        ])
    }

    #[inline(always)]
    fn any_below(self, [a, b]: [__m128d; 2], least: f64) -> bool {
        instructions!({
            let least = _mm_set1_pd(least);
            _mm_movemask_pd(_mm_or_pd(_mm_cmplt_pd(a, least), _mm_cmplt_pd(b, least))) != 0
        })
    }

    #[inline(always)]
    fn longs(self, [a, b, c, d]: [i64; 4]) -> [__m128i; 2] {
        instructions!([_mm_set_epi64x(b, a), _mm_set_epi64x(d, c)])
    }

    #[inline(always)]
    fn sum(self, a: [__m128i; 2], b: [__m128i; 2]) -> [__m128i; 2] {
        both!(_mm_add_epi64, a, b)
    }

    #[inline(always)]
    unsafe fn any_passes(
        self,
        test: &DepthTest,
        depth: [__m128i; 2],
        stored: *const u16,
        covered: &[i32; 4],
    ) -> bool {
        // SAFETY: as the caller promises; the processor has SSE4.1.
        unsafe { any_passes(test, upper_halves(depth), stored, covered) }
    }

    #[inline(always)]
    fn ints(self, [a, b, c, d]: [i32; 4]) -> __m128i {
        instructions!(_mm_setr_epi32(a, b, c, d))
    }

    #[inline(always)]
    fn places(self, [u, v]: [[i32; 4]; 2]) -> [__m128i; 2] {
        [self.ints(u), self.ints(v)]
    }

    #[inline(always)]
    fn low(self, [u, v]: [[__m128d; 2]; 2]) -> [__m128i; 2] {
        instructions!([lower_halves(u), lower_halves(v)])
    }

    #[inline(always)]
    fn high(self, [u, v]: [[__m128i; 2]; 2]) -> [__m128i; 2] {
        instructions!([upper_halves(u), upper_halves(v)])
    }

    #[inline(always)]
    fn clamped(self, a: [__m128i; 2], [least, most]: [[__m128i; 2]; 2]) -> [__m128i; 2] {
        let above = both!(_mm_max_epi32, a, least);
        both!(_mm_min_epi32, above, most)
    }

    #[inline(always)]
    fn whole(self, [u, v]: [__m128i; 2], masks: [__m128i; 2]) -> [__m128i; 2] {
        const BITS: i32 = PLACE_BITS as i32;
        let whole = instructions!([_mm_srai_epi32::<BITS>(u), _mm_srai_epi32::<BITS>(v)]);
        both!(_mm_and_si128, whole, masks)
    }

    #[inline(always)]
    fn strides(self, columns: i32) -> [__m128i; 2] {
        self.places([[1; 4], [columns; 4]])
    }

    #[inline(always)]
    fn indices(self, [u, v]: [__m128i; 2], [_, columns]: [__m128i; 2]) -> [u32; 4] {
        let indices = instructions!(_mm_add_epi32(_mm_mullo_epi32(v, columns), u));
        let mut to = [0; 4];
        // SAFETY: four words are 16 bytes.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), indices) };
        to
    }

    #[inline(always)]
    fn sixteenths(self, [u, v]: [__m128i; 2]) -> [[__m128i; 2]; 2] {
        const BITS: i32 = PLACE_BITS as i32 - 4;
        let shifted = instructions!([_mm_srli_epi32::<BITS>(u), _mm_srli_epi32::<BITS>(v)]);
        let [u, v] = both!(_mm_and_si128, shifted, [self.ints([15; 4]); 2]);
        [self.spread(instructions!(weights(u))), self.spread(v)]
    }

    #[inline(always)]
    fn halved(self, a: [__m128i; 2], [u, v]: [u32; 2], less: i32) -> [__m128i; 2] {
        let (by, less) = instructions!({
            ([_mm_cvtsi32_si128(u.cast_signed()), _mm_cvtsi32_si128(v.cast_signed())], _mm_set1_epi32(less))
        });
        let halved = both!(_mm_sra_epi32, a, by);
        both!(_mm_sub_epi32, halved, [less; 2])
    }

    #[inline(always)]
    fn last_bits(self, a: [__m128i; 2], above: u32, cut: [__m128d; 2]) -> [__m128i; 2] {
        let above = instructions!(_mm_cvtsi32_si128(above.cast_signed()));
        let [u, v] = both!(_mm_sll_epi32, a, [above; 2]);
        [instructions!(_mm_max_epu32(u, last_bits(cut))), v]
    }

    #[inline(always)]
    fn later(self, a: [__m128i; 2], b: [__m128i; 2]) -> [__m128i; 2] {
        both!(_mm_max_epu32, a, b)
    }

    #[inline(always)]
    fn are_doubtful(self, [a, b]: [__m128i; 2]) -> bool {
        instructions!(are_doubtful(_mm_max_epu32(a, b)))
    }

    #[inline(always)]
    fn is_cut_doubtful(self, cut: [__m128d; 2]) -> bool {
        instructions!(are_doubtful(last_bits(cut)))
    }

    #[inline(always)]
    unsafe fn words(self, from: *const u32, [a, b, c, d]: [u32; 4]) -> [__m128i; 2] {
        // SAFETY: the words are there, as the caller promises; the processor has SSE4.1.
        unsafe {
            let word = |at: u32| (*from.add(at as usize)).cast_signed();
            channels(_mm_setr_epi32(word(a), word(b), word(c), word(d)))
        }
    }

    #[inline(always)]
    unsafe fn neighbours(self, words: *const u32) -> [__m128i; 2] {
        // SAFETY: four words are 16 bytes, and there, as the caller promises; the processor has SSE4.1.
        unsafe { channels(_mm_loadu_si128(words.cast())) }
    }

    #[inline(always)]
    unsafe fn mixed(
        self,
        from: *const u32,
        [a, b, c, d]: [u32; 4],
        [before, after]: [__m128i; 2],
    ) -> [__m128i; 2] {
        // SAFETY: two words are 8 bytes, and there, as the caller promises; the processor has SSSE3.
        unsafe {
            // As doubles, of whose loads the second one goes into the upper half: as integers it would be an instruction more.
            let pair = |at: u32| from.add(at as usize).cast::<f64>().read_unaligned();
            let first = _mm_castpd_si128(_mm_setr_pd(pair(a), pair(b)));
            let second = _mm_castpd_si128(_mm_setr_pd(pair(c), pair(d)));
            let turns = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
            [
                _mm_maddubs_epi16(_mm_shuffle_epi8(first, turns), before),
                _mm_maddubs_epi16(_mm_shuffle_epi8(second, turns), after),
            ]
        }
    }

    #[inline(always)]
    fn between<const BITS: i32>(self, [a, b]: [[__m128i; 2]; 2], sixteenths: [__m128i; 2]) -> [__m128i; 2] {
        let difference = both!(_mm_sub_epi16, b, a);
        let change = both!(_mm_mullo_epi16, difference, sixteenths);
        let (whole, bits) = instructions!({
            ([_mm_slli_epi16::<4>(a[0]), _mm_slli_epi16::<4>(a[1])], _mm_cvtsi32_si128(BITS))
        });
        let mixed = both!(_mm_add_epi16, whole, change);
        both!(_mm_srl_epi16, mixed, [bits; 2])
    }

    #[inline(always)]
    fn spread(self, a: __m128i) -> [__m128i; 2] {
        let orders = instructions!([
            _mm_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5),
            _mm_setr_epi8(8, 9, 8, 9, 8, 9, 8, 9, 12, 13, 12, 13, 12, 13, 12, 13),
        ]);
        both!(_mm_shuffle_epi8, [a; 2], orders)
    }

    #[inline(always)]
    fn halves(self, [first, _]: [__m128i; 2], [_, second]: [__m128i; 2]) -> [__m128i; 2] {
        [first, second]
    }

    #[inline(always)]
    fn store(self, [first, second]: [__m128i; 2], to: &mut GroupTexels) {
        let to = std::ptr::from_mut(to).cast::<__m128i>();
        // SAFETY: the place has 32 bytes, aligned.
        unsafe {
            _mm_store_si128(to, first);
            _mm_store_si128(to.add(1), second);
        }
    }
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn upper_halves([a, b]: [__m128i; 2]) -> __m128i {
    _mm_castps_si128(_mm_shuffle_ps::<0b11_01_11_01>(_mm_castsi128_ps(a), _mm_castsi128_ps(b)))
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn lower_halves([a, b]: [__m128d; 2]) -> __m128i {
    _mm_castps_si128(_mm_shuffle_ps::<0b10_00_10_00>(_mm_castpd_ps(a), _mm_castpd_ps(b)))
}

/// The bits that are cut.
#[target_feature(enable = "sse4.1")]
#[inline]
fn last_bits([a, b]: [__m128d; 2]) -> __m128i {
    const BITS: i32 = 64 - CUT as i32;
    upper_halves([_mm_slli_epi64::<BITS>(_mm_castpd_si128(a)), _mm_slli_epi64::<BITS>(_mm_castpd_si128(b))])
}

/// True if one of these may be that of the next number.
#[target_feature(enable = "sse4.1")]
#[inline]
fn are_doubtful(last: __m128i) -> bool {
    let doubt = _mm_set1_epi32(DOUBT.cast_signed());
    _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_max_epu32(last, doubt), last)) != 0
}

#[target_feature(enable = "sse4.1")]
#[inline]
fn channels(words: __m128i) -> [__m128i; 2] {
    [_mm_cvtepu8_epi16(words), _mm_unpackhi_epi8(words, _mm_setzero_si128())]
}

/// True if one of the depths that are covered passes.
///
/// # Safety
/// Four numbers are stored there.
#[target_feature(enable = "sse4.1")]
#[inline]
pub(super) unsafe fn any_passes(
    test: &DepthTest,
    depth: __m128i,
    stored: *const u16,
    covered: &[i32; 4],
) -> bool {
    let depth = _mm_srai_epi32::<{ DEPTH_BITS as i32 }>(depth);
    // SAFETY: four numbers are stored, as the caller promises, and four integers are 16 bytes.
    let (stored, covered) = unsafe {
        (_mm_cvtepu16_epi32(_mm_loadl_epi64(stored.cast())), _mm_loadu_si128(covered.as_ptr().cast()))
    };
    let passes = match test.passes {
        Ordering::Greater => _mm_cmpgt_epi32(depth, stored),
        Ordering::Less => _mm_cmpgt_epi32(stored, depth),
        Ordering::Equal => _mm_setzero_si128(),
    };
    let equal = if test.or_equal { _mm_cmpeq_epi32(depth, stored) } else { _mm_setzero_si128() };
    _mm_testz_si128(_mm_or_si128(passes, equal), covered) == 0
}

/// 16 - f and f of each lane, a byte each.
#[target_feature(enable = "sse4.1")]
#[inline]
fn weights(sixteenths: __m128i) -> __m128i {
    let change = _mm_sub_epi32(_mm_slli_epi32::<8>(sixteenths), sixteenths);
    _mm_add_epi32(change, _mm_set1_epi32(16))
}
