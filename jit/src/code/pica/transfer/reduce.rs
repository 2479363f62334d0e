//! Reduction of tiled images to a half or a quarter of their pixels.
//!
//! Each channel is the mean of two or four, truncated (measured on a console).

use super::format::{Colours, Eights, Format, read};
use super::words::write_half;
use super::{Move, Place, SIDE, short_means};
use crate::code::moves::{as_is, ordered};
use picaflor_pipeline::pica::texel::ColourFormat;
use std::arch::x86_64::*;

/// The code of a reduction of pairs of pixels in a row, or of squares.
pub(super) fn reduce<S: Format, D: Format>(squares: bool, to_tiled: bool) -> Move {
    let is_short = short_means::is_for::<S, D>();
    let is_rgb565 = is_short && matches!(S::FORMAT, ColourFormat::Rgb565);
    match (squares, to_tiled) {
        (false, false) if is_short => short_means::of_pairs::<S, false>,
        (false, true) if is_short => short_means::of_pairs::<S, true>,
        (true, false) if is_rgb565 => short_means::of_squares::<false>,
        (true, true) if is_rgb565 => short_means::of_squares::<true>,
        (false, false) => of_pairs::<S, D, false>,
        (false, true) => of_pairs::<S, D, true>,
        (true, false) => of_squares::<S, D, false>,
        (true, true) => of_squares::<S, D, true>,
    }
}

/// Makes one block of two neighbours.
///
/// # Safety
/// The pixels of `blocks` blocks are writable, those of twice as many readable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn of_pairs<S: Format, D: Format, const TO_TILED: bool>(from: Place, to: Place, blocks: usize) {
    for block in 0..blocks {
        for half in 0..2 {
            let [a, b] = from.half::<S, true>(2 * block, half);
            let [c, d] = from.half::<S, true>(2 * block + 1, half);
            // SAFETY: the caller's promise, for the pixels of half a block after the other.
            unsafe {
                let [a, b] = [means_of_two(read::<S, D>(a)), means_of_two(read::<S, D>(b))];
                let [c, d] = [means_of_two(read::<S, D>(c)), means_of_two(read::<S, D>(d))];
                let upper = [words::<0>(a, b), words::<0>(c, d)];
                let lower = [words::<1>(a, b), words::<1>(c, d)];
                write_half::<D, false, TO_TILED>(to.half::<D, TO_TILED>(block, half), upper, lower);
            }
        }
    }
}

/// Makes one block of two neighbours and those below them.
///
/// # Safety
/// As for [`of_pairs`], for two rows of blocks.
#[target_feature(enable = "avx2")]
unsafe fn of_squares<S: Format, D: Format, const TO_TILED: bool>(from: Place, to: Place, blocks: usize) {
    for block in 0..blocks {
        for half in 0..2 {
            // Two neighbours become the upper half of a block, or the lower one.
            let start = from.start.wrapping_offset((half * SIDE) as isize * from.pitch);
            let first = start.wrapping_add(2 * block * SIDE * SIDE * S::BYTES);
            let last = first.wrapping_add(SIDE * SIDE * S::BYTES);
            // SAFETY: as for `of_pairs`.
            unsafe {
                let upper = [rows::<S, D>(first, 0), rows::<S, D>(last, 0)];
                let lower = [rows::<S, D>(first, 1), rows::<S, D>(last, 1)];
                write_half::<D, false, TO_TILED>(to.half::<D, TO_TILED>(block, half), upper, lower);
            }
        }
    }
}

/// Fours of the first and the third row that a block is reduced to, or of the second and the fourth.
///
/// # Safety
/// The pixels of the block are readable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn rows<S: Format, D: Format>(block: *mut u8, odd: usize) -> __m256i {
    // Eights at the left, in both halves of the block; those at the right follow after as many.
    let left = Eights {
        start: block.wrapping_add(8 * odd * S::BYTES),
        distance: (SIDE * SIDE / 2 * S::BYTES).cast_signed(),
    };
    let right = Eights { start: left.start.wrapping_add(16 * S::BYTES), ..left };
    // SAFETY: the caller's promise.
    unsafe {
        let [a, b] = [sums_of_four(read::<S, D>(left)), sums_of_four(read::<S, D>(right))];
        as_is(_mm256_packus_epi16(_mm256_srli_epi16::<2>(a), _mm256_srli_epi16::<2>(b)))
    }
}

/// The means of each two neighbours.
#[target_feature(enable = "avx2")]
#[inline]
fn means_of_two([first, last]: Colours) -> __m256i {
    let [a, b] = [words::<0>(first, last), words::<1>(first, last)];
    // The mean of the host's vectors is rounded up.
    let odd = _mm256_and_si256(_mm256_xor_si256(a, b), _mm256_set1_epi8(1));
    _mm256_sub_epi8(_mm256_avg_epu8(a, b), odd)
}

/// The sums of each four that follow each other, in 16 bits a channel.
#[target_feature(enable = "avx2")]
#[inline]
fn sums_of_four([first, last]: Colours) -> __m256i {
    let sums_of_two = |colours| {
        let pairs = ordered(colours, [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]);
        as_is(_mm256_maddubs_epi16(pairs, _mm256_set1_epi8(1)))
    };
    let [a, b] = [sums_of_two(first), sums_of_two(last)];
    _mm256_add_epi16(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
}

/// The even or the odd words of both.
#[target_feature(enable = "avx2")]
#[inline]
fn words<const ODD: i32>(a: __m256i, b: __m256i) -> __m256i {
    let [a, b] = [_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)];
    as_is(_mm256_castps_si256(if ODD == 0 {
        _mm256_shuffle_ps::<0b10_00_10_00>(a, b)
    } else {
        _mm256_shuffle_ps::<0b11_01_11_01>(a, b)
    }))
}
