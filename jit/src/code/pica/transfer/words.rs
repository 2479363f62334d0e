//! Blocks, half of one at a time: through words, or through halves where both formats have 16 bits.

use super::Place;
use super::format::{Colours, Eights, Format, decode, encode, is_short, load, read, store, write};
use super::rows::rows;
use super::short::{converted, short};
use crate::code::moves::as_is;
use std::arch::x86_64::*;
use std::ops::Range;

/// Moves blocks through words, one colour each.
///
/// # Safety
/// The pixels of `blocks` blocks are readable and writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn words<S: Format, D: Format>(from: Place, to: Place, blocks: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match (from.tiled, to.tiled) {
            (true, false) if !is_short::<S>() => {
                rows::<S, D>(from, to, blocks / 2);
                of_layout::<S, D, true, false>(from, to, blocks - blocks % 2..blocks);
            }
            (true, false) => of_layout::<S, D, true, false>(from, to, 0..blocks),
            (false, true) => of_layout::<S, D, false, true>(from, to, 0..blocks),
            (true, true) => of_layout::<S, D, true, true>(from, to, 0..blocks),
            (false, false) => of_layout::<S, D, false, false>(from, to, 0..blocks),
        }
    }
}

/// See [`words`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn of_layout<S: Format, D: Format, const FROM_TILED: bool, const TO_TILED: bool>(
    from: Place,
    to: Place,
    blocks: Range<usize>,
) {
    for block in blocks {
        for half in 0..2 {
            let [a, b] = from.half::<S, FROM_TILED>(block, half);
            let [c, d] = to.half::<D, TO_TILED>(block, half);
            // SAFETY: the caller's promise, for the pixels of one half of a block after the other.
            unsafe {
                // In order while they have 16 bits, if they do at all.
                if is_short::<S>() {
                    let [a, b] =
                        short_in_order::<FROM_TILED, TO_TILED>(load::<FROM_TILED>(a), load::<FROM_TILED>(b));
                    write::<D>(c, decode::<S, D>(a));
                    write::<D>(d, decode::<S, D>(b));
                } else if is_short::<D>() {
                    let (a, b) = (short::<S, D>(a), short::<S, D>(b));
                    store_half::<FROM_TILED, TO_TILED>([c, d], a, b);
                } else {
                    let (a, b) = (read::<S, D>(a), read::<S, D>(b));
                    write_half::<D, FROM_TILED, TO_TILED>([c, d], a, b);
                }
            }
        }
    }
}

/// Writes colours of half a block, which are in the order of a layout, in that of another.
///
/// # Safety
/// The pixels are writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn write_half<D: Format, const FROM_TILED: bool, const TO_TILED: bool>(
    [c, d]: [Eights; 2],
    a: Colours,
    b: Colours,
) {
    // SAFETY: the caller's promise.
    unsafe {
        if is_short::<D>() {
            store_half::<FROM_TILED, TO_TILED>([c, d], encode::<D>(a), encode::<D>(b));
        } else {
            let [a, b] = in_order::<FROM_TILED, TO_TILED>(a, b);
            write::<D>(c, a);
            write::<D>(d, b);
        }
    }
}

/// As [`write_half`], pixels of 16 bits.
///
/// # Safety
/// As for [`write_half`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store_half<const FROM_TILED: bool, const TO_TILED: bool>(
    [c, d]: [Eights; 2],
    a: __m256i,
    b: __m256i,
) {
    let [a, b] = short_in_order::<FROM_TILED, TO_TILED>(a, b);
    // SAFETY: the caller's promise.
    unsafe {
        store::<TO_TILED>(c, a);
        store::<TO_TILED>(d, b);
    }
}

/// Moves blocks through halves of words.
///
/// # Safety
/// As for [`words`]; pixels have 16 bits.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn halves<S: Format, D: Format>(from: Place, to: Place, blocks: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match (from.tiled, to.tiled) {
            (true, false) => short_of_layout::<S, D, true, false>(from, to, blocks),
            (false, true) => short_of_layout::<S, D, false, true>(from, to, blocks),
            (true, true) => short_of_layout::<S, D, true, true>(from, to, blocks),
            (false, false) => short_of_layout::<S, D, false, false>(from, to, blocks),
        }
    }
}

/// See [`halves`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn short_of_layout<S: Format, D: Format, const FROM_TILED: bool, const TO_TILED: bool>(
    from: Place,
    to: Place,
    blocks: usize,
) {
    for block in 0..blocks {
        for half in 0..2 {
            let [a, b] = from.half::<S, FROM_TILED>(block, half);
            let [c, d] = to.half::<D, TO_TILED>(block, half);
            // SAFETY: the caller's promise, for the pixels of one half of a block after the other.
            unsafe {
                let (a, b) = (load::<FROM_TILED>(a), load::<FROM_TILED>(b));
                store_half::<FROM_TILED, TO_TILED>([c, d], converted::<S, D>(a), converted::<S, D>(b));
            }
        }
    }
}

/// Colours of half a block, in the order of a layout, in that of another: see [`Place::half`]. Groups of 2x2 pixels are
/// fours of the left and right eights of a tiled image.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn in_order<const FROM_TILED: bool, const TO_TILED: bool>(a: Colours, b: Colours) -> [Colours; 2] {
    let upper = |a, b| as_is(_mm256_unpacklo_epi64(a, b));
    let lower = |a, b| as_is(_mm256_unpackhi_epi64(a, b));
    match (FROM_TILED, TO_TILED) {
        (true, false) => [[upper(a[0], a[1]), upper(b[0], b[1])], [lower(a[0], a[1]), lower(b[0], b[1])]],
        (false, true) => [[upper(a[0], b[0]), lower(a[0], b[0])], [upper(a[1], b[1]), lower(a[1], b[1])]],
        _ => [a, b],
    }
}

/// As [`in_order`], pixels of 16 bits.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn short_in_order<const FROM_TILED: bool, const TO_TILED: bool>(
    a: __m256i,
    b: __m256i,
) -> [__m256i; 2] {
    match (FROM_TILED, TO_TILED) {
        (true, false) => {
            let [a, b] = [_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)];
            [
                as_is(_mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b))),
                as_is(_mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(a, b))),
            ]
        }
        (false, true) => [as_is(_mm256_unpacklo_epi32(a, b)), as_is(_mm256_unpackhi_epi32(a, b))],
        _ => [a, b],
    }
}
