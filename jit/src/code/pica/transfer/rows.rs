//! From a tiled image of 24 or 32 bits to a linear one: two blocks beside each other, one in either half of a vector, so that
//! what is written of a row of pixels follows each other. Pixels of 16 bits gain nothing by it: theirs are loaded in one piece
//! where they are of one block.

use super::format::{Colours, Eights, Format, is_short, read};
use super::short::short;
use super::words::{in_order, short_in_order};
use super::{Place, SIDE};
use crate::code::moves::{store_halves, store32, store48_in_row};
use picaflor_pipeline::pica::texel::ColourFormat;

/// Moves pairs of blocks, two rows at a time.
///
/// # Safety
/// The pixels of twice `pairs` blocks are readable and writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn rows<S: Format, D: Format>(from: Place, to: Place, pairs: usize) {
    for pair in 0..pairs {
        for two in 0..SIDE / 2 {
            let [left, right] = squares::<S>(from, pair, two);
            let upper = to.start.wrapping_add(2 * SIDE * pair * D::BYTES);
            let upper = upper.wrapping_offset(2 * two.cast_signed() * to.pitch);
            let lower = upper.wrapping_offset(to.pitch);
            // SAFETY: the caller's promise, for the pixels of two rows of two blocks after the other.
            unsafe {
                if is_short::<D>() {
                    let [a, b] = short_in_order::<true, false>(short::<S, D>(left), short::<S, D>(right));
                    store32(upper, a);
                    store32(lower, b);
                } else {
                    let [a, b] = in_order::<true, false>(read::<S, D>(left), read::<S, D>(right));
                    write::<D>(upper, a);
                    write::<D>(lower, b);
                }
            }
        }
    }
}

/// The left four pixels of two rows in both blocks, and the right ones.
#[inline(always)]
fn squares<F: Format>(from: Place, pair: usize, two: usize) -> [Eights; 2] {
    let block = SIDE * SIDE;
    // Rows 2 and 3 come after 0 and 1; those from the fourth on, half a block later.
    let place = 2 * block * pair + block / 2 * (two / 2) + SIDE * (two % 2);
    let distance = (block * F::BYTES).cast_signed();
    [0, 2 * SIDE].map(|right| {
        let start = from.start.wrapping_add((place + right) * F::BYTES);
        Eights { start, distance }
    })
}

/// Writes the colours of a row, eight in either half, as pixels of 24 or 32 bits.
///
/// # Safety
/// Sixteen pixels are writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn write<F: Format>(to: *mut u8, colours: Colours) {
    // SAFETY: they have 64 or 48 bytes.
    unsafe {
        if matches!(F::FORMAT, ColourFormat::Rgb8) {
            store48_in_row(to, colours, [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]);
        } else {
            let [first, last] = colours;
            store_halves::<0>(to, 32, first);
            store_halves::<16>(to, 32, last);
        }
    }
}
