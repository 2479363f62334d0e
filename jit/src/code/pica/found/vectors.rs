//! Vectors of eight pixels: a number each, or four channels of 8 bits, or, of four pixels, of 16.

use super::{Integers, Place, QuadColours, Slot};
use crate::emit::pica::block::QuadLanes;
use std::arch::x86_64::{
    __m128, __m128i, __m256, __m256i, _mm_cvtsi128_si64, _mm_extract_epi64, _mm256_add_epi16,
    _mm256_add_epi32, _mm256_castpd_ps, _mm256_castps_si256, _mm256_castsi128_si256, _mm256_castsi256_si128,
    _mm256_extracti128_si256, _mm256_inserti128_si256, _mm256_loadu_ps, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_mullo_epi16, _mm256_or_si256, _mm256_packus_epi16, _mm256_packus_epi32,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi8, _mm256_setr_epi32,
    _mm256_setr_pd, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_shuffle_epi32, _mm256_shuffle_ps,
    _mm256_slli_epi16, _mm256_slli_epi32, _mm256_srli_epi16, _mm256_srli_epi32, _mm256_storeu_ps,
    _mm256_storeu_si256, _mm256_sub_epi16, _mm256_sub_epi32, _mm256_unpackhi_epi8, _mm256_unpackhi_epi16,
    _mm256_unpacklo_epi8, _mm256_unpacklo_epi16, _mm256_xor_si256,
};

/// A number that all lanes of a slot have.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn number(slot: &Slot) -> __m256 {
    _mm256_set1_ps(f32::from_bits(slot[0]))
}

/// Four words.
#[inline(always)]
pub(super) fn four(words: [u32; 4]) -> __m128i {
    // SAFETY: both have 16 bytes, and any bits are a value of each.
    unsafe { std::mem::transmute(words) }
}

/// The numbers of a quad and the next one.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn two(numbers: &QuadLanes, quad: usize) -> __m256 {
    // SAFETY: two quads are 32 bytes.
    unsafe { _mm256_loadu_ps(numbers[quad..quad + 2].as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn set_two(numbers: &mut QuadLanes, quad: usize, values: __m256) {
    // SAFETY: two quads are 32 bytes.
    unsafe { _mm256_storeu_ps(numbers[quad..quad + 2].as_mut_ptr().cast(), values) }
}

/// Integers likewise.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn two_integers(numbers: &Integers, quad: usize) -> __m256i {
    // SAFETY: two quads are 32 bytes.
    unsafe { _mm256_loadu_si256(numbers[quad..quad + 2].as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn set_two_integers(numbers: &mut Integers, quad: usize, values: __m256i) {
    // SAFETY: two quads are 32 bytes.
    unsafe { _mm256_storeu_si256(numbers[quad..quad + 2].as_mut_ptr().cast(), values) }
}

/// Four numbers of a vector.
#[inline(always)]
pub(super) fn floats(vector: __m128) -> [f32; 4] {
    // SAFETY: both have 16 bytes, and any bits are a value of each.
    unsafe { std::mem::transmute(vector) }
}

/// Eight words of a vector.
#[inline(always)]
pub(super) fn lanes(vector: __m256i) -> [i32; 8] {
    // SAFETY: both have 32 bytes, and any bits are a value of each.
    unsafe { std::mem::transmute(vector) }
}

/// Four numbers of a quad and four of another one.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn two_fours(numbers: [f32; 4], other: [f32; 4]) -> __m256 {
    // SAFETY: both have 32 bytes, and any bits are a value of each.
    unsafe { std::mem::transmute([numbers, other]) }
}

/// A vector of eight numbers.
#[inline(always)]
pub(super) fn eight(lanes: [f32; 8]) -> __m256 {
    // SAFETY: both have 32 bytes, and any bits are a value of each.
    unsafe { std::mem::transmute(lanes) }
}

/// A vector of eight words.
#[inline(always)]
pub(super) fn vector(lanes: [i32; 8]) -> __m256i {
    // SAFETY: both have 32 bytes, and any bits are a value of each.
    unsafe { std::mem::transmute(lanes) }
}

impl Place {
    /// The colours of a quad and the next one.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn two(self, colours: &[QuadColours], quad: usize) -> __m256i {
        let colours = &colours[self.first + quad * self.step..][..=self.step];
        joined(four(colours[0]), four(colours[self.step]))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn set_two(self, colours: &mut [QuadColours], quad: usize, values: __m256i) {
        let colours = &mut colours[self.first + quad * self.step..][..=self.step];
        // SAFETY: both have 32 bytes, and any bits are a value of each.
        [colours[0], colours[self.step]] =
            unsafe { std::mem::transmute::<__m256i, [QuadColours; 2]>(values) };
    }
}

/// Two halves.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn joined(low: __m128i, high: __m128i) -> __m256i {
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
}

/// Indices, which are not negative, as numbers: in pairs, as single lanes take longer.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn indices(vector: __m256i) -> [usize; 8] {
    let (low, high) = (_mm256_castsi256_si128(vector), _mm256_extracti128_si256::<1>(vector));
    let [a, b] = [_mm_cvtsi128_si64(low) as u64, _mm_extract_epi64::<1>(low) as u64];
    let [c, d] = [_mm_cvtsi128_si64(high) as u64, _mm_extract_epi64::<1>(high) as u64];
    let (first, second) = (|pair: u64| pair as u32 as usize, |pair: u64| (pair >> 32) as usize);
    [first(a), second(a), first(b), second(b), first(c), second(c), first(d), second(d)]
}

/// The words at indices.
///
/// # Safety
/// They are there.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn words(from: *const u32, at: __m256i) -> __m256i {
    let [a, b, c, d, e, f, g, h] = indices(at);
    // SAFETY: as the caller promises.
    let word = |at: usize| unsafe { *from.add(at) }.cast_signed();
    _mm256_setr_epi32(word(a), word(b), word(c), word(d), word(e), word(f), word(g), word(h))
}

/// The words at indices, and the next ones.
///
/// # Safety
/// They are there.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn neighbours(from: *const u32, at: __m256i) -> [__m256i; 2] {
    let [a, b, c, d, e, f, g, h] = indices(at);
    // SAFETY: two words are 8 bytes, and there, as the caller promises.
    let pair = |at: usize| unsafe { from.add(at).cast::<f64>().read_unaligned() };
    // Of loads of doubles the second one goes into the upper half: of integers it would be an instruction more.
    let pairs = |a, b, c, d| _mm256_castpd_ps(_mm256_setr_pd(pair(a), pair(b), pair(c), pair(d)));
    let (first, second) = (pairs(a, b, e, f), pairs(c, d, g, h));
    let left = _mm256_shuffle_ps::<0b10_00_10_00>(first, second);
    let right = _mm256_shuffle_ps::<0b11_01_11_01>(first, second);
    [_mm256_castps_si256(left), _mm256_castps_si256(right)]
}

/// Channels of 16 bits of the first two pixels of each quad, and of the other two.
#[target_feature(enable = "avx2")]
#[inline]
fn channels(pixels: __m256i) -> [__m256i; 2] {
    let zero = _mm256_setzero_si256();
    [_mm256_unpacklo_epi8(pixels, zero), _mm256_unpackhi_epi8(pixels, zero)]
}

/// Numbers below 2^16 in all channels of their pixels, as [`channels`].
#[target_feature(enable = "avx2")]
#[inline]
fn spread(numbers: __m256i) -> [__m256i; 2] {
    let first = _mm256_setr_epi8(
        0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5, 0, 1, 0, 1, 0, 1, 0, 1, 4, 5, 4, 5, 4, 5, 4, 5,
    );
    let other = _mm256_setr_epi8(
        8, 9, 8, 9, 8, 9, 8, 9, 12, 13, 12, 13, 12, 13, 12, 13, 8, 9, 8, 9, 8, 9, 8, 9, 12, 13, 12, 13, 12,
        13, 12, 13,
    );
    [_mm256_shuffle_epi8(numbers, first), _mm256_shuffle_epi8(numbers, other)]
}

/// The lowest channel of pixels in all four.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn in_all_channels(pixels: __m256i) -> __m256i {
    let lowest = _mm256_setr_epi8(
        0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12,
        12,
    );
    _mm256_shuffle_epi8(pixels, lowest)
}

/// `a (256 - f) + b f` of channels, `f` up to 256; modulo 2^16, which the sum is below.
#[target_feature(enable = "avx2")]
#[inline]
fn mixed(a: __m256i, b: __m256i, f: __m256i) -> __m256i {
    _mm256_add_epi16(_mm256_slli_epi16::<8>(a), _mm256_mullo_epi16(_mm256_sub_epi16(b, a), f))
}

/// `(lower (256 - f) + upper f + 2^15) >> 16` of channels of which all 16 bits count; `weights`: 256 - f below, f above, in the
/// pixels' lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn rows_mixed<const FIRST: i32, const SECOND: i32>(
    lower: __m256i,
    upper: __m256i,
    weights: __m256i,
) -> __m256i {
    // Products are signed: with 2^15 taken off both, their sum is 256 * 2^15 less.
    let offset = _mm256_set1_epi16(i16::MIN);
    let (lower, upper) = (_mm256_xor_si256(lower, offset), _mm256_xor_si256(upper, offset));
    let correction = _mm256_set1_epi32(0x0080_0000 + 0x8000);
    let first =
        _mm256_madd_epi16(_mm256_unpacklo_epi16(lower, upper), _mm256_shuffle_epi32::<FIRST>(weights));
    let second =
        _mm256_madd_epi16(_mm256_unpackhi_epi16(lower, upper), _mm256_shuffle_epi32::<SECOND>(weights));
    let first = _mm256_srli_epi32::<16>(_mm256_add_epi32(first, correction));
    let second = _mm256_srli_epi32::<16>(_mm256_add_epi32(second, correction));
    _mm256_packus_epi32(first, second)
}

/// The colour between four: left and right ones of two rows, with weights of the right ones and of the second row, up to 256.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn bilinear(rows: [[__m256i; 2]; 2], [gx, gy]: [__m256i; 2]) -> __m256i {
    let [f0, f1] = spread(gx);
    let [[left, right], [upper_left, upper_right]] = rows;
    let ([a0, a1], [b0, b1]) = (channels(left), channels(right));
    let ([c0, c1], [d0, d1]) = (channels(upper_left), channels(upper_right));
    let whole = _mm256_set1_epi32(256);
    let weights = _mm256_or_si256(_mm256_slli_epi32::<16>(gy), _mm256_sub_epi32(whole, gy));
    let first = rows_mixed::<0b00_00_00_00, 0b01_01_01_01>(mixed(a0, b0, f0), mixed(c0, d0, f0), weights);
    let other = rows_mixed::<0b10_10_10_10, 0b11_11_11_11>(mixed(a1, b1, f1), mixed(c1, d1, f1), weights);
    _mm256_packus_epi16(first, other)
}

/// `(a (256 - f) + b f + 128) >> 8` of pixels, `f` up to 256.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn between(a: __m256i, b: __m256i, f: __m256i) -> __m256i {
    let ([a0, a1], [b0, b1], [f0, f1]) = (channels(a), channels(b), spread(f));
    let half = _mm256_set1_epi16(128);
    let first = _mm256_srli_epi16::<8>(_mm256_add_epi16(mixed(a0, b0, f0), half));
    let other = _mm256_srli_epi16::<8>(_mm256_add_epi16(mixed(a1, b1, f1), half));
    _mm256_packus_epi16(first, other)
}
