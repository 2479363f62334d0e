//! Compressed blocks of 4 x 4 texels.
//!
//! Source: psp-ge.md 9.3; alpha of the third format was measured on a console, the colours of 14.11 too.

use picaflor_pipeline::ge::regs::texture::Compression;

/// The texels of a block, 0xAABBGGRR, row by row. A block of 8 bytes is the first half.
#[must_use]
pub(crate) fn block(compression: Compression, block: &[u8; 16]) -> [[u32; 4]; 4] {
    let half: [u8; COLOUR_BYTES] = std::array::from_fn(|n| block[n]);
    let palette = palette(&half);
    let alphas = match compression {
        Compression::Dxt5 => {
            std::array::from_fn(|n| interpolated_alpha(block[14].into(), block[15].into(), n as u32))
        }
        _ => [0; 8],
    };
    let texel = |x: u32, y: u32| {
        let (colour, is_undefined) = palette[index(&half, x, y) as usize];
        match compression {
            Compression::Dxt1 if is_undefined => 0,
            Compression::Dxt1 => colour | 0xff00_0000,
            Compression::Dxt3 => colour | upper_alpha(block, x, y),
            Compression::Dxt5 => colour | alphas[alpha_index(block, x, y)] << 24,
        }
    };
    std::array::from_fn(|y| std::array::from_fn(|x| texel(x as u32, y as u32)))
}

/// Size in bytes of a block without alpha, and of the colour part of other blocks.
const COLOUR_BYTES: usize = 8;

/// Red, green and blue of a colour, shifted up, without repetition of bits. Red is in the upper bits, unlike in all
/// other formats.
const fn channels(word: u16) -> [u32; 3] {
    let word = word as u32;
    [word >> 8 & 0xf8, word >> 3 & 0xfc, word << 3 & 0xf8]
}

/// The two index bits of a texel of a block.
const fn index(block: &[u8; COLOUR_BYTES], x: u32, y: u32) -> u32 {
    (block[(y & 3) as usize] >> (2 * (x & 3))) as u32 & 3
}

/// The colour of each index, 0x00BBGGRR, and true if the block defines no colour for it.
fn palette(block: &[u8; COLOUR_BYTES]) -> [(u32, bool); 4] {
    let word = |at: usize| u16::from_le_bytes([block[at], block[at + 1]]);
    let [c0, c1] = [channels(word(4)), channels(word(6))];
    let mix = |of: fn(u32, u32) -> u32| std::array::from_fn(|k| of(c0[k], c1[k]));
    let rgb = |[r, g, b]: [u32; 3]| (r | g << 8 | b << 16, false);
    if word(4) > word(6) {
        let thirds = [mix(|a, b| (2 * a + b) / 3), mix(|a, b| (a + 2 * b) / 3)];
        [c0, c1, thirds[0], thirds[1]].map(rgb)
    } else {
        [rgb(c0), rgb(c1), rgb(mix(|a, b| (a + b) / 2)), (0, true)]
    }
}

/// Alpha of the second format: four bits, which become the upper four.
const fn upper_alpha(block: &[u8; 16], x: u32, y: u32) -> u32 {
    let row = 8 + 2 * (y & 3) as usize;
    let bits = u16::from_le_bytes([block[row], block[row + 1]]) as u32;
    (bits >> (4 * (x & 3)) & 15) << 28
}

/// Alpha of the third format is interpolated between two values, by an index of three bits.
const fn alpha_index(block: &[u8; 16], x: u32, y: u32) -> usize {
    let [_, _, _, _, _, _, _, _, a, b, c, d, e, f, _, _] = *block;
    let bits = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    (bits >> (3 * (4 * (y & 3) + (x & 3)))) as usize & 7
}

/// The alpha of an index.
const fn interpolated_alpha(a1: u32, a2: u32, index: u32) -> u32 {
    let steps = if a1 > a2 { 7 } else { 5 };
    match index {
        0 => a1,
        1 => a2,
        _ if index <= steps => {
            let n = index - 1;
            (((a1 * (steps - n)) << 8) / steps + ((a2 * n) << 8) / steps + 31) >> 8
        }
        6 => 0,
        _ => 255,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block whose rows all hold indices 0 to 3.
    fn block(c0: u16, c1: u16) -> [u8; 8] {
        let [[a, b], [c, d]] = [c0.to_le_bytes(), c1.to_le_bytes()];
        [0xe4, 0xe4, 0xe4, 0xe4, a, b, c, d]
    }

    /// Texel (x, y) of the first format.
    fn dxt1(half: &[u8; 8], x: usize, y: usize) -> u32 {
        let bytes = std::array::from_fn(|n| half.get(n).copied().unwrap_or(0xaa));
        super::block(Compression::Dxt1, &bytes)[y][x]
    }

    fn dxt3(bytes: &[u8; 16], x: usize, y: usize) -> u32 {
        super::block(Compression::Dxt3, bytes)[y][x]
    }

    fn dxt5(bytes: &[u8; 16], x: usize, y: usize) -> u32 {
        super::block(Compression::Dxt5, bytes)[y][x]
    }

    fn with_alpha(c0: u16, c1: u16, alpha: [u8; 8]) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&block(c0, c1));
        bytes[8..].copy_from_slice(&alpha);
        bytes
    }

    /// The table of 14.11.
    #[test]
    fn colours_as_measured() {
        let table = [
            (0xffff, 0xffff, [0xf8_fcf8, 0xf8_fcf8, 0xf8_fcf8, 0]),
            (0xffe3, 0x8410, [0x18_fcf8, 0x80_8080, 0x3a_d2d0, 0x5d_a9a8]),
            (0x8410, 0xf85f, [0x80_8080, 0xf8_08f8, 0xbc_44bc, 0]),
        ];
        for (c0, c1, expected) in table {
            let block = block(c0, c1);
            assert_eq!([0, 1, 2, 3].map(|x| dxt1(&block, x, 2) & 0xff_ffff), expected, "{c0:x} {c1:x}");
        }
        let rgb = |c0, c1, x| dxt1(&block(c0, c1), x, 0) & 0xff_ffff;
        assert_eq!([rgb(0x7890, 0x1234, 2), rgb(0x7890, 0x1234, 3)], [0x8a_2155, 0x95_3232]);
    }

    #[test]
    fn alpha_as_measured() {
        let alpha = |c0, c1| [0, 3].map(|x| dxt1(&block(c0, c1), x, 0) >> 24);
        assert_eq!((alpha(2, 1), alpha(1, 2)), ([255, 255], [255, 0]));
        let nibbles = with_alpha(1, 2, [0x5f, 0x0f, 0, 0, 0, 0, 0, 0xf0]);
        assert_eq!([0, 1, 2, 3].map(|x| dxt3(&nibbles, x, 0) >> 24), [0xf0, 0x50, 0xf0, 0]);
        assert_eq!(dxt3(&nibbles, 3, 3), 0xf000_0000);
        // Indices 0 to 7 and again.
        let bits = [0x88, 0xc6, 0xfa, 0x88, 0xc6, 0xfa, 0x55, 0xff];
        let at = |n: usize| dxt5(&with_alpha(1, 2, bits), n % 4, n / 4) >> 24;
        let expected = [0x55, 0xff, 0x77, 0x99, 0xbb, 0xdd, 0x00, 0xff];
        assert!((0..16).all(|n| at(n) == expected[n % 8]));
    }

    #[test]
    fn alpha_in_sevenths() {
        let values = [0, 1, 2, 3, 4, 5, 6, 7].map(|index| interpolated_alpha(255, 0, index));
        assert_eq!(values, [255, 0, 218, 182, 145, 109, 72, 36]);
    }

    /// The first two bits of the first byte are the upper left texel.
    #[test]
    fn texels_lie_row_by_row() {
        let mut bytes = block(0xffff, 0x0000);
        bytes[..4].copy_from_slice(&[0x00, 0x40, 0x00, 0x01]);
        let ones: Vec<_> = (0..16).filter(|n| dxt1(&bytes, n % 4, n / 4) == 0xff00_0000).collect();
        assert_eq!(ones, [7, 12]);
    }
}
