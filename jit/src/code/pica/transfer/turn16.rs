//! Scan-out as red, green, blue: sixteen rows of a framebuffer become sixteen columns of the picture, 48 bytes of each of
//! its rows at once.
//!
//! Rows are loaded in pairs, one in either half of a vector, so that a column comes out as two vectors: the *outer* one
//! has its first four pixels and its last four, the *inner* one those between.

use super::format::{Eights, Format, Rgb8, decode, is_short, load, read_half};
use super::picture::columns;
use super::{Place, SIDE};
use crate::code::moves::{as_is, store48};
use std::arch::x86_64::*;

/// Bytes of the picture's pixels of four colours.
const ORDER: [i8; 12] = [3, 2, 1, 7, 6, 5, 11, 10, 9, 15, 14, 13];

/// Turns sixteen rows as [`turn`](mod@super::picture) turns eight.
///
/// # Safety
/// The pixels of twice `blocks` blocks are readable and writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn turn16<S: Format>(from: Place, to: Place, blocks: usize) {
    for block in 0..blocks {
        let source = from.start.wrapping_add(SIDE * block * S::BYTES);
        // Rows 0 to 7, each with one of 12, 13, 14, 15, 8, 9, 10, 11.
        let pair = |n: isize| Eights {
            start: source.wrapping_offset(n * from.pitch),
            distance: if n < 4 { 12 } else { 4 } * from.pitch,
        };
        let place = |x: usize| to.start.wrapping_offset((SIDE * block + x) as isize * to.pitch);
        // SAFETY: the caller's promise, for the pixels of eight columns after the other.
        unsafe {
            if is_short::<S>() {
                let pairs = [0, 1, 2, 3, 4, 5, 6, 7].map(|n| load::<false>(pair(n)));
                let [left, right] = short_columns(pairs);
                show_four::<S>(left, place);
                show_four::<S>(right, |n| place(n + 4));
            } else {
                four_columns::<S, false>(pair, place);
                four_columns::<S, true>(pair, |n| place(n + 4));
            }
        }
    }
}

/// Writes four columns of pixels of 16 bits.
///
/// # Safety
/// As for [`turn16`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn show_four<S: Format>([a, b, c, d]: [__m256i; 4], place: impl Fn(usize) -> *mut u8) {
    // SAFETY: the caller's promise. One by one: the compiler would keep a loop, and the columns in memory.
    unsafe {
        store48(place(0), decode::<S, Rgb8>(a), ORDER);
        store48(place(1), decode::<S, Rgb8>(b), ORDER);
        store48(place(2), decode::<S, Rgb8>(c), ORDER);
        store48(place(3), decode::<S, Rgb8>(d), ORDER);
    }
}

/// Turns the first or the last four pixels of eight, of 24 or 32 bits.
///
/// # Safety
/// As for [`turn16`].
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn four_columns<S: Format, const LAST: bool>(
    pair: impl Fn(isize) -> Eights,
    place: impl Fn(usize) -> *mut u8,
) {
    // SAFETY: the caller's promise. `Rgb8` is a target without alpha.
    unsafe {
        let row = |n| read_half::<S, Rgb8, LAST>(pair(n));
        let outer = columns([row(0), row(1), row(2), row(3)]);
        let inner = columns([row(4), row(5), row(6), row(7)]);
        for n in 0..4 {
            store48(place(n), [outer[n], inner[n]], ORDER);
        }
    }
}

/// Columns of eight pixels of 16 bits, of both halves of eight rows.
#[target_feature(enable = "avx2")]
#[inline]
fn short_columns(r: [__m256i; 8]) -> [[__m256i; 4]; 2] {
    let twos = |a, b| [_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)];
    let fours = |a, b| [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
    let eights = |a, b| [as_is(_mm256_unpacklo_epi64(a, b)), as_is(_mm256_unpackhi_epi64(a, b))];
    let [[a, b], [c, d]] = [twos(r[0], r[1]), twos(r[2], r[3])];
    let [[e, f], [g, h]] = [twos(r[4], r[5]), twos(r[6], r[7])];
    // Two columns each, of four rows.
    let [[a, c], [b, d]] = [fours(a, c), fours(b, d)];
    let [[e, g], [f, h]] = [fours(e, g), fours(f, h)];
    let [[a, b], [c, d], [e, f], [g, h]] = [eights(a, e), eights(c, g), eights(b, f), eights(d, h)];
    [[a, b, c, d], [e, f, g, h]]
}
