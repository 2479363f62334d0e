//! Pixels in vectors: from memory to colours, and back.
//!
//! A colour is a word in the form of an RGBA8 pixel: alpha in the lowest byte, then blue, green, red. All functions
//! need AVX2.

use crate::code::moves::{
    as_is, between, load_halves, load32, ordered, product, store_halves, store32, times,
};
use picaflor_pipeline::pica::texel::ColourFormat;
use std::arch::x86_64::*;

/// Constants of the formats, as types, so that each pair has code of its own.
pub(super) trait Format {
    const FORMAT: ColourFormat;
    const BYTES: usize = Self::FORMAT.bytes() as usize;
}
pub(super) struct Rgba8;
pub(super) struct Rgb8;
pub(super) struct Rgb5a1;
pub(super) struct Rgb565;
pub(super) struct Rgba4;
impl Format for Rgba8 {
    const FORMAT: ColourFormat = ColourFormat::Rgba8;
}
impl Format for Rgb8 {
    const FORMAT: ColourFormat = ColourFormat::Rgb8;
}
impl Format for Rgb5a1 {
    const FORMAT: ColourFormat = ColourFormat::Rgb5a1;
}
impl Format for Rgb565 {
    const FORMAT: ColourFormat = ColourFormat::Rgb565;
}
impl Format for Rgba4 {
    const FORMAT: ColourFormat = ColourFormat::Rgba4;
}

/// Where colours go.
pub(super) trait Target {
    /// Whether their alpha is looked at; otherwise it may have any value.
    const ALPHA: bool;
}
impl<F: Format> Target for F {
    const ALPHA: bool = !matches!(F::FORMAT, ColourFormat::Rgb8 | ColourFormat::Rgb565);
}

/// Memory of eight pixels each at two places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eights {
    /// The first place.
    pub(super) start: *mut u8,
    /// Bytes from it to the second one.
    pub(super) distance: isize,
}

/// Colours of [`Eights`]: the first four of both places, and the last four.
pub(super) type Colours = [__m256i; 2];

/// Whether pixels have 16 bits.
pub(super) const fn is_short<F: Format>() -> bool {
    F::BYTES == 2
}

/// The pixels of 16 bits at two places, which follow each other in a tiled image.
///
/// # Safety
/// Their bytes are readable.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn load<const TILED: bool>(from: Eights) -> __m256i {
    // SAFETY: eight pixels have 16 bytes.
    unsafe { if TILED { load32::<0>(from.start) } else { load_halves::<0>(from.start, from.distance) } }
}

/// The inverse of [`load`].
///
/// # Safety
/// Their bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn store<const TILED: bool>(to: Eights, pixels: __m256i) {
    // SAFETY: as for `load`.
    unsafe {
        if TILED { store32(to.start, pixels) } else { store_halves::<0>(to.start, to.distance, pixels) }
    }
}

/// The colours of pixels in any format.
///
/// # Safety
/// Their bytes are readable.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn read<F: Format, T: Target>(from: Eights) -> Colours {
    // SAFETY: the caller's promise; eight pixels have 16 bytes if not 24 or 32.
    unsafe {
        if is_short::<F>() {
            decode::<F, T>(load::<false>(from))
        } else {
            [read_half::<F, T, false>(from), read_half::<F, T, true>(from)]
        }
    }
}

/// The first or the last four colours of pixels of 24 or 32 bits at both places.
///
/// # Safety
/// Their bytes are readable.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn read_half<F: Format, T: Target, const LAST: bool>(
    Eights { start, distance }: Eights,
) -> __m256i {
    // SAFETY: eight pixels have 32 or 24 bytes, of which the first 16 and the last 16 are read.
    unsafe {
        match (F::FORMAT, LAST) {
            (ColourFormat::Rgb8, false) => {
                let first = load_halves::<0>(start, distance);
                words::<T>(first, [-1, 0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11])
            }
            (ColourFormat::Rgb8, true) => {
                let last = load_halves::<8>(start, distance);
                words::<T>(last, [-1, 4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15])
            }
            (_, false) => load_halves::<0>(start, distance),
            (_, true) => load_halves::<16>(start, distance),
        }
    }
}

/// Colours of pixels of three bytes, which come in this order.
#[target_feature(enable = "avx2")]
#[inline]
fn words<T: Target>(triples: __m256i, order: [i8; 16]) -> __m256i {
    let colours = ordered(triples, order);
    if T::ALPHA { _mm256_or_si256(colours, _mm256_set1_epi32(255)) } else { colours }
}

/// The colours of the pixels of 16 bits in both halves.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn decode<F: Format, T: Target>(v: __m256i) -> Colours {
    let and = |v, mask: u16| _mm256_and_si256(v, _mm256_set1_epi16(mask.cast_signed()));
    let low = |v, factor| _mm256_mullo_epi16(v, _mm256_set1_epi16(factor));
    let or = |a, b| _mm256_or_si256(a, b);
    let joined = |a, b| [as_is(_mm256_unpacklo_epi16(a, b)), as_is(_mm256_unpackhi_epi16(a, b))];
    match F::FORMAT {
        ColourFormat::Rgb5a1 => {
            // A channel of five bits is 8.25 times as large in eight.
            let green_red =
                or(_mm256_slli_epi16::<8>(product(v, 0xf800, 0x0108)), product(v, 0x07c0, 0x2100));
            let blue = low(and(v, 0x003e), 0x0420);
            if !T::ALPHA {
                return joined(blue, green_red);
            }
            joined(or(and(blue, 0xff00), low(and(v, 1), 255)), green_red)
        }
        ColourFormat::Rgb565 => {
            // Six bits: 4.0625 times.
            let green_red =
                or(_mm256_slli_epi16::<8>(product(v, 0xf800, 0x0108)), product(v, 0x07e0, 0x2080));
            let blue = low(and(v, 0x001f), 0x0840);
            joined(if T::ALPHA { or(blue, _mm256_set1_epi16(255)) } else { blue }, green_red)
        }
        _ => {
            // Alpha and green, blue and red: nibbles in bytes of their own, then twice.
            let alpha_green = times(and(v, 0x0f0f), 17);
            let blue_red = times(and(_mm256_srli_epi16::<4>(v), 0x0f0f), 17);
            [
                as_is(_mm256_unpacklo_epi8(alpha_green, blue_red)),
                as_is(_mm256_unpackhi_epi8(alpha_green, blue_red)),
            ]
        }
    }
}

/// The inverse of [`decode`]; truncates.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn encode<F: Format>([first, last]: Colours) -> __m256i {
    // The top bits of each byte, joined by products and their sums.
    let bits = |v, bytes: u32, factors| {
        let bits = _mm256_and_si256(v, _mm256_set1_epi32(bytes.cast_signed()));
        _mm256_maddubs_epi16(bits, _mm256_set1_epi32(factors))
    };
    let sums = |v, factors| _mm256_madd_epi16(v, _mm256_set1_epi32(factors));
    match F::FORMAT {
        ColourFormat::Rgb565 => {
            // 8 b, and 4 g + 256 r; then 8 times the pixel.
            let pixels = |v| _mm256_srli_epi32::<3>(sums(bits(v, 0xf8fc_f800, 0x2001_0100), 64 << 16 | 1));
            _mm256_packus_epi32(pixels(first), pixels(last))
        }
        ColourFormat::Rgb5a1 => {
            // 128 a + 256 b, and 8 g + 256 r; then 128 times the pixel.
            let pixels = |v| _mm256_srli_epi32::<7>(sums(bits(v, 0xf8f8_f880, 0x2001_2001), 1024 << 16 | 1));
            _mm256_packus_epi32(pixels(first), pixels(last))
        }
        _ => {
            // a + 16 b, and g + 16 r: the bytes of the pixel.
            let pixels = |v| bits(_mm256_srli_epi16::<4>(v), 0x0f0f_0f0f, 0x1001_1001);
            _mm256_packus_epi16(pixels(first), pixels(last))
        }
    }
}

/// Writes the pixels of colours in any format.
///
/// # Safety
/// Their bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn write<F: Format>(to: Eights, [first, last]: Colours) {
    let Eights { start, distance } = to;
    // SAFETY: eight pixels have 32, 24 or 16 bytes.
    unsafe {
        match F::FORMAT {
            ColourFormat::Rgba8 => {
                store_halves::<0>(start, distance, first);
                store_halves::<16>(start, distance, last);
            }
            ColourFormat::Rgb8 => {
                // 24 bytes that follow each other, of which the first 16 and the last 16 are written.
                let first = ordered(first, [-1, -1, -1, -1, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]);
                let last = ordered(last, [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, -1, -1, -1, -1]);
                store_halves::<0>(start, distance, between::<4>(first, last));
                store_halves::<8>(start, distance, between::<12>(first, last));
            }
            _ => store::<false>(to, encode::<F>([first, last])),
        }
    }
}
