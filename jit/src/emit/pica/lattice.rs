//! The lattice of noise in the procedural texture: its period, and what hashes its points, as tables of sixteen bytes.

use crate::emit::bytes::ByteTable;

/// Limit of coordinates, and of columns and rows. All later sums with offsets fit an integer.
pub(crate) const FAR: f32 = (1 << 30) as f32;

/// Period of the lattice, in columns or rows.
pub(crate) const PERIOD: f32 = 144.0;

/// Of the hash of a column or a row, by ninths of its number: pica-fragment.md 3.4, as all tables here.
pub(crate) const AXIS: ByteTable = [0, 4, 10, 8, 4, 9, 7, 12, 5, 15, 13, 14, 11, 15, 2, 11];
/// Of the hash of a point, by that of its column: added to that of its row, then flipped in it, then added again, and
/// flipped in the lowest four bits of the sum.
pub(crate) const ADDED: ByteTable = [0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0];
pub(crate) const FLIPPED: ByteTable = [0, 6, 0, 6, 0, 6, 0, 6, 0, 6, 0, 6, 0, 6, 0, 6];
pub(crate) const OFFSET: ByteTable = [10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
pub(crate) const POINT: ByteTable = [10, 2, 15, 8, 0, 7, 4, 5, 5, 13, 2, 6, 13, 9, 3, 14];

/// The gradient of a point by its hash.
pub(crate) const GRADIENTS: [f32; 16] = {
    let (mut gradients, mut hash) = ([0.0; 16], 0);
    while hash < 16 {
        gradients[hash] = -1.0 + (2 * hash) as f32 / 15.0;
        hash += 1;
    }
    gradients
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected: the hash's test vectors, pica-fragment.md 10.4.
    #[test]
    fn hashes_of_the_lattice() {
        let of_axis = |k: usize| (((k % 9 + 2) * 3) & 15) ^ usize::from(AXIS[k / 9]);
        let at = |x, y| {
            let (p, row) = (of_axis(x), of_axis(y));
            let [added, flipped, offset, last] =
                [ADDED, FLIPPED, OFFSET, POINT].map(|table| usize::from(table[p]));
            ((((row + added) ^ flipped) + offset) & 15) ^ last
        };
        let expected = [[2, 2, 1, 7, 13, 12], [13, 3, 2, 6, 10, 13], [8, 4, 15, 13, 7, 2]];
        for (y, row) in expected.into_iter().enumerate() {
            for (x, hash) in row.into_iter().enumerate() {
                assert_eq!(at(x, y), hash, "{x}, {y}");
            }
        }
    }
}
