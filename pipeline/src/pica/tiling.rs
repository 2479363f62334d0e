//! Order of the pixels of a tiled buffer, and the space that it needs.
//!
//! Source: pica-geometry.md 6.8, pica-fragment.md 2.7 and 7.1; order inside a block measured on a console.

/// Spreads the low five bits of `v` to the even positions.
#[inline]
const fn spread(v: u32) -> u32 {
    v & 1 | (v & 2) << 1 | (v & 4) << 2 | (v & 8) << 3 | (v & 16) << 4
}

/// Index of a pixel inside its 8x8 block: the low three bits of `x` and `y` interleaved, `x` lowest.
#[must_use]
#[inline]
pub const fn morton(x: u32, y: u32) -> u32 {
    spread(x & 7) | spread(y & 7) << 1
}

/// Index of a pixel inside its 32x32 block: five bits of each coordinate (inferred from the first 16 entries, which
/// were measured).
#[must_use]
#[inline]
pub const fn morton32(x: u32, y: u32) -> u32 {
    spread(x & 31) | spread(y & 31) << 1
}

/// Side of a block.
#[must_use]
#[inline]
pub const fn block_side(block32: bool) -> u32 {
    if block32 { 32 } else { 8 }
}

/// Number of pixels that a buffer needs: the highest index of the pixels `0..width`, `0..rows`, plus one;
/// blocks are row-major, and `pitch` is the number of pixels from row to row.
#[must_use]
pub fn block_extent(width: u32, rows: u32, pitch: u32, block32: bool) -> u64 {
    if width == 0 || rows == 0 {
        return 0;
    }
    let side = u64::from(block_side(block32));
    let start = |x: u32, row: u32| {
        let inside = if block32 { morton32(x, row) } else { morton(x, row) };
        let (x, row) = (u64::from(x), u64::from(row));
        (row & !(side - 1)) * u64::from(pitch) + (x & !(side - 1)) * side + u64::from(inside)
    };
    let last = rows - 1;
    let whole = last & !(block_side(block32) - 1);
    // A whole row of blocks can reach further than the partial one below it when the pitch is small.
    let above = if whole > 0 { start(width - 1, whole - 1) } else { 0 };
    start(width - 1, last).max(above) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_inside_a_block() {
        let at = [(1, 0), (0, 1), (2, 0), (0, 2), (3, 5), (5, 3), (7, 7)].map(|(x, y)| morton(x, y));
        assert_eq!(at, [1, 2, 4, 8, 39, 27, 63]);
        let rows = [[0, 1, 4, 5, 16, 17, 20, 21], [42, 43, 46, 47, 58, 59, 62, 63]];
        assert_eq!(std::array::from_fn(|x| morton(x as u32, 0)), rows[0]);
        assert_eq!(std::array::from_fn(|x| morton(x as u32, 7)), rows[1]);
    }

    #[test]
    fn blocks_of_32() {
        assert_eq!((0..8).map(|x| morton32(x, 0)).collect::<Vec<_>>(), [0, 1, 4, 5, 16, 17, 20, 21]);
        assert_eq!((morton32(8, 0), morton32(0, 16), morton32(31, 31)), (64, 512, 1023));
    }

    #[test]
    fn extent_is_the_highest_index() {
        for block32 in [false, true] {
            for (width, rows, pitch) in
                [(1, 9, 1), (3, 20, 3), (8, 8, 8), (40, 33, 0), (40, 33, 40), (9, 65, 9), (33, 31, 64)]
            {
                let (side, pixels) =
                    (block_side(block32), (0..rows).flat_map(|y| (0..width).map(move |x| (x, y))));
                let index = |x: u32, y: u32| {
                    let inside = if block32 { morton32(x, y) } else { morton(x, y) };
                    (y / side * pitch + x / side * side) * side + inside
                };
                let highest = pixels.map(|(x, y)| index(x, y)).max();
                let extent = block_extent(width, rows, pitch, block32);
                assert_eq!(Some(extent), highest.map(|v| u64::from(v) + 1), "{width}x{rows} at {pitch}");
            }
        }
        assert_eq!(block_extent(0, 5, 8, false) + block_extent(5, 0, 8, false), 0);
        assert!(block_extent(65_528, 65_528, 65_528, true) > 1 << 31);
    }
}
