//! Compressed blocks of 4 x 4 texels (9.3). The indices come first, unlike in the formats of other machines.

/// Texels of a row.
const SIDE: u32 = 4;

/// A texel of a block of 8 bytes, 0xAABBGGRR. Transparent black is the only colour that is not opaque.
pub(super) fn dxt1(block: [u8; 8], x: u32, y: u32) -> u32 {
    let (rgb, is_transparent) = colour(&block, x, y);
    if is_transparent { rgb } else { rgb | 0xff00_0000 }
}

/// A texel of a block of 16 bytes with four bits of alpha each.
pub(super) fn dxt3(block: [u8; 16], x: u32, y: u32) -> u32 {
    let (rgb, _) = colour(&block, x, y);
    let row = u32::from(u16::from_le_bytes([block[8 + 2 * y as usize], block[9 + 2 * y as usize]]));
    let nibble = row >> (4 * x) & 15;
    rgb | nibble << 28
}

/// A texel of a block of 16 bytes with an alpha between two values.
pub(super) fn dxt5(block: [u8; 16], x: u32, y: u32) -> u32 {
    let (rgb, _) = colour(&block, x, y);
    let mut stream = [0; 8];
    stream[..6].copy_from_slice(&block[8..14]);
    let index = u64::from_le_bytes(stream) >> (3 * (SIDE * y + x)) & 7;
    rgb | alpha(block[14].into(), block[15].into(), index as u32) << 24
}

/// Red, green and blue of a texel, and whether it is the transparent one.
fn colour(block: &[u8], x: u32, y: u32) -> (u32, bool) {
    let index = block[y as usize] >> (2 * x) & 3;
    let raw = [4, 6].map(|at| u32::from(u16::from_le_bytes([block[at], block[at + 1]])));
    let [first, second] = raw.map(channels);
    let mixed = |a: u32, b: u32| {
        let channel = |n: usize| (a * first[n] + b * second[n]) / (a + b);
        [channel(0), channel(1), channel(2)]
    };
    let has_transparency = raw[0] <= raw[1];
    let [r, g, b] = match (index, has_transparency) {
        (0, _) => first,
        (1, _) => second,
        (2, false) => mixed(2, 1),
        (_, false) => mixed(1, 2),
        (2, true) => mixed(1, 1),
        (_, true) => [0; 3],
    };
    (b << 16 | g << 8 | r, index == 3 && has_transparency)
}

/// Red, green, blue of 565 with red in the high bits, shifted without replication.
const fn channels(raw: u32) -> [u32; 3] {
    [raw >> 8 & 0xf8, raw >> 3 & 0xfc, raw << 3 & 0xf8]
}

/// Alpha of an index.
const fn alpha(a1: u32, a2: u32, index: u32) -> u32 {
    let steps = if a1 > a2 { 7 } else { 5 };
    match (index, steps) {
        (0, _) => a1,
        (1, _) => a2,
        (6, 5) => 0,
        (7, 5) => 255,
        _ => {
            let n = index - 1;
            ((a1 * ((steps - n) << 8)) / steps + (a2 * (n << 8)) / steps + 31) >> 8
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Indices 0, 1, 2, 3 in row 0; in row 1 the other way round.
    fn block(first: u16, second: u16) -> [u8; 8] {
        let [a, b] = [first.to_le_bytes(), second.to_le_bytes()];
        [0xe4, 0x1b, 0, 0, a[0], a[1], b[0], b[1]]
    }

    /// The colours of 14.11, BBGGRR.
    #[test]
    fn measured_colours() {
        let row = |first, second| [0, 1, 2, 3].map(|x| dxt1(block(first, second), x, 0) & 0xff_ffff);
        assert_eq!(row(0xffff, 0xffff), [0xf8_fcf8, 0xf8_fcf8, 0xf8_fcf8, 0]);
        assert_eq!(row(0xffe3, 0x8410), [0x18_fcf8, 0x80_8080, 0x3a_d2d0, 0x5d_a9a8]);
        assert_eq!(row(0x8410, 0xf85f), [0x80_8080, 0xf8_08f8, 0xbc_44bc, 0]);
        assert_eq!(row(0x7890, 0x1234)[2..], [0x8a_2155, 0x95_3232]);
        // 7777 and 1356: one of the two mixes.
        assert!(row(0x7777, 0x1356).contains(&0xb5_c050));
    }

    #[test]
    fn rows_and_transparency() {
        let alphas = |first, second| [0, 3].map(|x| dxt1(block(first, second), x, 1) >> 24);
        assert_eq!([alphas(0xffff, 0xffff), alphas(0xffff, 0)], [[0, 255], [255, 255]]);
        assert_eq!(dxt1(block(0xffff, 0), 3, 1) & 0xff_ffff, 0xf8_fcf8);
    }

    /// 14.11: nibble 5 is 50, F is F0, and index 3 of the second branch has the alpha of the block.
    #[test]
    fn measured_nibbles() {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&block(0xffff, 0xffff));
        (bytes[8], bytes[9], bytes[10]) = (0x05, 0xf0, 0x0a);
        assert_eq!(
            [dxt3(bytes, 0, 0) >> 24, dxt3(bytes, 3, 0), dxt3(bytes, 0, 1) >> 24],
            [0x50, 0xf000_0000, 0xa0]
        );
    }

    /// 14.11: a1 = 55, a2 = FF; and the other branch: 255 to 0 in sevenths, (255 * (6 << 8)) / 7 + 31 is 55985.
    #[test]
    fn measured_alphas() {
        let all = |a1, a2| [0, 1, 2, 3, 4, 5, 6, 7].map(|index| alpha(a1, a2, index));
        assert_eq!(all(0x55, 0xff), [0x55, 0xff, 0x77, 0x99, 0xbb, 0xdd, 0x00, 0xff]);
        assert_eq!(all(255, 0)[2], 55985 >> 8);
        assert_eq!(all(0x55, 0x55)[6..], [0x00, 0xff], "equal ends are the other branch");
        let mut bytes = [0; 16];
        (bytes[14], bytes[15]) = (0x55, 0xff);
        // Texel 5 has bits 15 to 17: the top bit of byte 9 and two of byte 10.
        (bytes[9], bytes[10]) = (0x80, 0x02);
        assert_eq!([dxt5(bytes, 1, 1) >> 24, dxt5(bytes, 0, 0) >> 24], [0xdd, 0x55]);
    }

    /// 9.3: the alpha row of texel row 1 is bytes 10 and 11, of row 3 bytes 14 and 15.
    #[test]
    fn nibbles_of_the_last_column() {
        let mut bytes = [0; 16];
        (bytes[11], bytes[15]) = (0x70, 0x90);
        assert_eq!([0, 1, 2, 3].map(|y| dxt3(bytes, 3, y) >> 24), [0, 0x70, 0, 0x90]);
    }
}
