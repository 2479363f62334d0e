//! Index of a pixel in a tiled buffer.
//!
//! Source: pica-geometry.md 6.8, pica-fragment.md 2.7 and 7.1; order inside a block measured on a console.

use picaflor_pipeline::pica::tiling::{block_side, morton, morton32};

/// Gathers the even bits of the low six bits of `v`.
#[inline]
const fn gather(v: u32) -> u32 {
    v & 1 | v >> 1 & 2 | v >> 2 & 4
}

/// Column and row of a pixel inside its 8x8 block, from its [index](morton) there.
#[inline]
pub(crate) const fn unmorton(index: u32) -> (u32, u32) {
    (gather(index), gather(index >> 1))
}

/// Index of a pixel in a buffer of `width` pixels per row, `row` counted in memory; blocks are row-major. Wraps for
/// sizes that no buffer can have.
#[inline]
pub(crate) const fn block_index(x: u32, row: u32, width: u32, block32: bool) -> u32 {
    let side = block_side(block32);
    let inside = if block32 { morton32(x, row) } else { morton(x, row) };
    let (column, row) = (x & !(side - 1), row & !(side - 1));
    row.wrapping_mul(width).wrapping_add(column.wrapping_mul(side)).wrapping_add(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_inside_a_block() {
        let places = (0..8).flat_map(|y| (0..8).map(move |x| (x, y)));
        assert!(places.into_iter().all(|(x, y)| unmorton(morton(x, y)) == (x, y)));
    }

    #[test]
    fn index_in_a_buffer() {
        assert_eq!(block_index(13, 9, 64, false), 595);
        assert_eq!(block_index(239, 319, 240, false), 76_799);
        assert_eq!(block_index(33, 32, 64, true), 2048 + 1024 + 1);
    }

    #[test]
    fn every_index_of_a_buffer_once() {
        for (width, rows, block32) in [(24, 16, false), (64, 96, true)] {
            let pixels = (0..rows).flat_map(|y| (0..width).map(move |x| (x, y)));
            let mut all: Vec<u32> = pixels.map(|(x, y)| block_index(x, y, width, block32)).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..width * rows));
        }
    }
}
