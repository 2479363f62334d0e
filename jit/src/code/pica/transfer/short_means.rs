//! Reduction of tiled images of 16 bits to a half of their pixels in the same format, and of RGB565 to a quarter, without
//! colours of eight bits.
//!
//! A channel `a` of five bits has the value `8 a + t` in eight, where `t` are its top three bits. So the mean of two,
//! truncated to five bits, is `(a + b + c) / 2`, where `c` is the carry of the sum of their top bits. The same holds for six
//! bits and the top two, and for four bits and all of them; there the lowest one may be left out: it decides nothing if
//! `a + b` is odd, and `c` matters in no other case. Alpha of one bit has no carry.
//!
//! The mean of four is `(sum + c) / 4`, where `c` is what the sum of the four times their top bits carries, 0 to 3.

use super::format::{Format, Rgb565, is_short};
use super::{Place, SIDE};
use crate::code::moves::{as_is, load32, ordered, product, store_halves, store32};
use picaflor_pipeline::pica::texel::ColourFormat;
use std::arch::x86_64::*;

/// Bits of the channels of a pixel.
struct Channels {
    /// The lowest one of each but alpha's single one.
    lowest: u16,
    /// All but the lowest ones.
    others: u16,
    /// The top ones that make up the carry.
    top: u16,
    /// The topmost one of each.
    first: u16,
    /// High half of the product: moves the topmost bits to the lowest ones.
    first_to_lowest: u16,
}

impl Channels {
    const fn of(format: ColourFormat) -> Self {
        match format {
            ColourFormat::Rgb565 => Self {
                lowest: 0x0821,
                others: 0xf7de,
                top: 0xe61c,
                first: 0x8410,
                // Four bits down, and five for green.
                first_to_lowest: 1 << 12 | 1 << 11,
            },
            ColourFormat::Rgb5a1 => {
                Self { lowest: 0x0842, others: 0xf7bc, top: 0xe738, first: 0x8420, first_to_lowest: 1 << 12 }
            }
            _ => {
                Self { lowest: 0x1111, others: 0xeeee, top: 0xeeee, first: 0x8888, first_to_lowest: 1 << 13 }
            }
        }
    }
}

/// True if [`of_pairs`] is for these formats, and [`of_squares`] if they are RGB565.
pub(super) const fn is_for<S: Format, D: Format>() -> bool {
    is_short::<S>() && S::FORMAT as u8 == D::FORMAT as u8
}

/// Makes one block of two neighbours.
///
/// # Safety
/// The pixels of `blocks` blocks are writable, those of twice as many readable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn of_pairs<F: Format, const TO_TILED: bool>(from: Place, to: Place, blocks: usize) {
    for block in 0..blocks {
        for half in 0..2 {
            let source = from.start.wrapping_add((4 * block + half) * SIDE * SIDE / 2 * F::BYTES);
            let [a, b] = to.half::<F, TO_TILED>(block, half);
            // SAFETY: the caller's promise, for the pixels of half a block of the output after the other, and of half of
            // two neighbours.
            unsafe {
                let left = mean::<F>(neighbours(source));
                let right = mean::<F>(neighbours(source.wrapping_add(SIDE * SIDE * F::BYTES)));
                if TO_TILED {
                    let order = |v| ordered(v, [0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 10, 11, 6, 7, 14, 15]);
                    store32(a.start, order(left));
                    store32(b.start, order(right));
                } else {
                    let order = |v| ordered(v, [0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15]);
                    let [left, right] = [order(left), order(right)];
                    store_halves::<0>(a.start, a.distance, as_is(_mm256_unpacklo_epi64(left, right)));
                    store_halves::<0>(b.start, b.distance, as_is(_mm256_unpackhi_epi64(left, right)));
                }
            }
        }
    }
}

/// Makes a quarter of a block of each block, of RGB565.
///
/// # Safety
/// As for [`of_pairs`], for two rows of blocks.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn of_squares<const TO_TILED: bool>(from: Place, to: Place, blocks: usize) {
    const BLOCK: usize = SIDE * SIDE * Rgb565::BYTES;
    for block in 0..blocks {
        for half in 0..2 {
            // Two neighbours become the upper half of a block, or the lower one.
            let start = from.start.wrapping_offset((half * SIDE) as isize * from.pitch);
            let source = start.wrapping_add(2 * block * BLOCK);
            let [a, b] = to.half::<Rgb565, TO_TILED>(block, half);
            // SAFETY: the caller's promise, for the pixels of half a block of the output after the other.
            unsafe {
                let left = means_of_block(source);
                let right = means_of_block(source.wrapping_add(BLOCK));
                if TO_TILED {
                    let order = |v| {
                        let rows = as_is(_mm256_permute4x64_epi64::<0b11_01_10_00>(v));
                        ordered(rows, [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15])
                    };
                    store32(a.start, order(left));
                    store32(b.start, order(right));
                } else {
                    let order = |v| ordered(v, [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]);
                    let [left, right] = [order(left), order(right)];
                    // The first two rows, and the last two.
                    let below = a.start.wrapping_offset(2 * to.pitch);
                    store_halves::<0>(a.start, to.pitch, as_is(_mm256_unpacklo_epi64(left, right)));
                    store_halves::<0>(below, to.pitch, as_is(_mm256_unpackhi_epi64(left, right)));
                }
            }
        }
    }
}

/// The means of the squares of a block: those of the first and third row in the low half, in either half those of the
/// upper row first, in the order of columns 0, 2, 1, 3.
///
/// # Safety
/// The pixels of the block are readable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn means_of_block(from: *const u8) -> __m256i {
    // SAFETY: the promised bytes: those of the upper half, and of the lower one.
    let (upper, lower) = unsafe { (neighbours(from), neighbours(from.wrapping_add(64))) };
    let [[a, b], [c, d]] = [0, 1].map(|n| {
        let [upper, lower] = [_mm256_castsi256_ps(upper[n]), _mm256_castsi256_ps(lower[n])];
        [
            as_is(_mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(upper, lower))),
            as_is(_mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(upper, lower))),
        ]
    });
    mean_of_four::<Rgb565>([[a, c], [b, d]])
}

/// The left ones of neighbours in half a block, and the right ones: those in the left squares of 4x4 pixels are in the
/// even places, those in the right squares in the odd places.
///
/// # Safety
/// 64 bytes are readable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn neighbours(from: *const u8) -> [__m256i; 2] {
    // SAFETY: the promised bytes. Of each pixel, one of the copies is used.
    let (left, left_next, right_before, right) =
        unsafe { (load32::<0>(from), load32::<2>(from), load32::<30>(from), load32::<32>(from)) };
    [
        _mm256_blend_epi16::<0b1010_1010>(left, right_before),
        _mm256_blend_epi16::<0b1010_1010>(left_next, right),
    ]
}

/// Two pixels, channel by channel.
struct Pair {
    /// Half of the sum, truncated.
    halved: __m256i,
    /// Bits that differ: the lowest one of a channel is what `halved` lacks.
    differing: __m256i,
}

impl Pair {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new<F: Format>(a: __m256i, b: __m256i) -> Self {
        let differing = _mm256_xor_si256(a, b);
        let others = masked(differing, const { Channels::of(F::FORMAT) }.others);
        let halved = _mm256_add_epi16(_mm256_and_si256(a, b), _mm256_srli_epi16::<1>(others));
        Self { halved, differing }
    }
}

/// Some bits of words.
#[target_feature(enable = "avx2")]
#[inline]
fn masked(v: __m256i, bits: u16) -> __m256i {
    _mm256_and_si256(v, _mm256_set1_epi16(bits.cast_signed()))
}

/// Half of a sum of 17 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn half_sum(a: __m256i, b: __m256i) -> __m256i {
    // Hidden from the compiler, which would make sums of words of 32 bits.
    as_is(_mm256_avg_epu16(as_is(a), as_is(b)))
}

/// The mean of each channel, truncated.
#[target_feature(enable = "avx2")]
#[inline]
fn mean<F: Format>([a, b]: [__m256i; 2]) -> __m256i {
    let Channels { lowest, top, first, first_to_lowest, .. } = const { Channels::of(F::FORMAT) };
    let Pair { halved, differing } = Pair::new::<F>(a, b);
    // Carries are where the topmost bits were.
    let carries = product(half_sum(masked(a, top), masked(b, top)), first, first_to_lowest);
    _mm256_add_epi16(halved, _mm256_and_si256(carries, masked(differing, lowest)))
}

/// The mean of each channel of two pairs, truncated; no alpha.
#[target_feature(enable = "avx2")]
#[inline]
fn mean_of_four<F: Format>([[a, b], [c, d]]: [[__m256i; 2]; 2]) -> __m256i {
    let Channels { lowest, top, first, first_to_lowest, .. } = const { Channels::of(F::FORMAT) };
    let [ab, cd] = [Pair::new::<F>(a, b), Pair::new::<F>(c, d)];
    let all = Pair::new::<F>(ab.halved, cd.halved);
    let half = |a, b| half_sum(masked(a, top), masked(b, top));
    let quarter = half_sum(half(a, b), half(c, d));
    let twos = product(quarter, first, first_to_lowest);
    let ones = product(quarter, first >> 1, first_to_lowest << 1);
    // What the quarter of the sum lacks: one each, and two.
    let twos_of_ones = most(ones, ab.differing, cd.differing);
    let fours = most(twos, all.differing, twos_of_ones);
    _mm256_add_epi16(all.halved, masked(fours, lowest))
}

/// Bits that most of three have.
#[target_feature(enable = "avx2")]
#[inline]
fn most(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(c, _mm256_or_si256(a, b)))
}
