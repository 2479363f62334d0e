//! Pixels of 16 bits, from those of other formats.

use super::format::{Eights, Format, encode, read};
use crate::code::moves::{as_is, load_halves, ordered};
use picaflor_pipeline::pica::texel::ColourFormat;
use std::arch::x86_64::*;

/// Pixels of 16 bits of another format of 16 bits.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn converted<S: Format, D: Format>(v: __m256i) -> __m256i {
    let and = |v, mask: u16| _mm256_and_si256(v, _mm256_set1_epi16(mask.cast_signed()));
    let or = |a, b| _mm256_or_si256(a, b);
    let one = _mm256_set1_epi16(1);
    // Channels of four bits, each followed by its first bits again: in all of them four bits below.
    let repeated = |v, places| or(v, and(_mm256_srli_epi16::<4>(v), places));
    match (S::FORMAT, D::FORMAT) {
        (ColourFormat::Rgb565, ColourFormat::Rgb5a1) => {
            or(or(and(v, 0xffc0), and(_mm256_slli_epi16::<1>(v), 0x003e)), one)
        }
        (ColourFormat::Rgb565, ColourFormat::Rgba4) => {
            let [r, g, b] = [
                and(v, 0xf000),
                and(_mm256_slli_epi16::<1>(v), 0x0f00),
                and(_mm256_slli_epi16::<3>(v), 0x00f0),
            ];
            or(or(r, g), or(b, _mm256_set1_epi16(15)))
        }
        (ColourFormat::Rgb5a1, ColourFormat::Rgb565) => {
            // The sixth bit of green repeats its first.
            let green = and(_mm256_srli_epi16::<5>(v), 0x0020);
            or(or(and(v, 0xffc0), green), and(_mm256_srli_epi16::<1>(v), 0x001f))
        }
        (ColourFormat::Rgb5a1, ColourFormat::Rgba4) => {
            let [r, g, b] = [
                and(v, 0xf000),
                and(_mm256_slli_epi16::<1>(v), 0x0f00),
                and(_mm256_slli_epi16::<2>(v), 0x00f0),
            ];
            let alpha = and(_mm256_srai_epi16::<15>(_mm256_slli_epi16::<15>(v)), 0x000f);
            or(or(r, g), or(b, alpha))
        }
        (ColourFormat::Rgba4, ColourFormat::Rgb565) => {
            let [r, g, b] = [
                and(v, 0xf000),
                and(_mm256_srli_epi16::<1>(v), 0x0780),
                and(_mm256_srli_epi16::<3>(v), 0x001e),
            ];
            repeated(or(or(r, g), b), 0x0861)
        }
        (ColourFormat::Rgba4, ColourFormat::Rgb5a1) => {
            let [r, g, b] = [
                and(v, 0xf000),
                and(_mm256_srli_epi16::<1>(v), 0x0780),
                and(_mm256_srli_epi16::<2>(v), 0x003c),
            ];
            or(repeated(or(or(r, g), b), 0x0842), and(_mm256_srli_epi16::<3>(v), 1))
        }
        _ => v,
    }
}

/// Pixels of 24 or 32 bits as pixels of 16 bits.
///
/// # Safety
/// Their bytes are readable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn short<S: Format, D: Format>(from: Eights) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        match S::FORMAT {
            ColourFormat::Rgb8 => short_of_triples::<D>(from),
            _ => encode::<D>(read::<S, D>(from)),
        }
    }
}

/// [`short`] for pixels of 24 bits, whose channels are joined without a word for each pixel.
///
/// # Safety
/// As for [`short`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn short_of_triples<D: Format>(Eights { start, distance }: Eights) -> __m256i {
    // SAFETY: eight pixels have 24 bytes, of which the first 16 and the last 16 are read.
    let (first, last) = unsafe { (load_halves::<0>(start, distance), load_halves::<8>(start, distance)) };
    // Blue and green of four pixels, then red in the higher byte.
    let first = ordered(first, [0, 1, 3, 4, 6, 7, 9, 10, -1, 2, -1, 5, -1, 8, -1, 11]);
    let last = ordered(last, [4, 5, 7, 8, 10, 11, 13, 14, -1, 6, -1, 9, -1, 12, -1, 15]);
    let blue_green = as_is(_mm256_unpacklo_epi64(first, last));
    let red = as_is(_mm256_unpackhi_epi64(first, last));
    let and = |v, mask: u16| _mm256_and_si256(v, _mm256_set1_epi16(mask.cast_signed()));
    // The top bits of both bytes; the sum of blue and so many times green.
    let sums = |mask, green: i16| {
        let factors = _mm256_set1_epi16(green << 8 | 1);
        as_is(_mm256_maddubs_epi16(and(blue_green, mask), factors))
    };
    let (others, red, alpha) = match D::FORMAT {
        ColourFormat::Rgb565 => (_mm256_srli_epi16::<3>(sums(0xfcf8, 64)), and(red, 0xf800), 0),
        ColourFormat::Rgb5a1 => (_mm256_srli_epi16::<2>(sums(0xf8f8, 32)), and(red, 0xf800), 1),
        _ => (sums(0xf0f0, 16), and(red, 0xf000), 15),
    };
    _mm256_or_si256(_mm256_or_si256(others, red), _mm256_set1_epi16(alpha))
}
