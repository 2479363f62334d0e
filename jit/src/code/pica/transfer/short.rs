//! Pixels of 16 bits of one format to those of another.

use super::format::Format;
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
