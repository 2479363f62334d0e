//! Conversion of the index in a texel to the colour of a CLUT entry.
//!
//! Source: psp-ge.md 9.4, measured on a console (CLUT masks, shifts, offsets).

use super::colour::decode;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::texture::ClutMode;

/// Bytes of the table.
const CLUT_BYTES: usize = 1024;

/// Number of entries, a power of two.
#[must_use]
#[inline]
pub(crate) fn entries(mode: ClutMode) -> u32 {
    CLUT_BYTES as u32 / mode.format().bytes()
}

/// The entry of an index. The bits of the start are set in it, not added. `first` is added: the first entry of a
/// level with its own part of the table (assumed: wraps at the end).
#[must_use]
#[inline]
pub(crate) fn entry(mode: ClutMode, index: u32, first: u32) -> u32 {
    let last = entries(mode) - 1;
    let entry = (index >> mode.shift() & mode.mask()) | (mode.start() << 4 & last);
    (entry + first) & last
}

/// The colours 0xAABBGGRR of the entries of the indices below `N`. Palettes change from draw to draw: a loop for each
/// format.
#[must_use]
pub(crate) fn colours<const N: usize>(mode: ClutMode, clut: &[u8; CLUT_BYTES], first: u32) -> [u32; N] {
    use PixelFormat::{Rgb5650, Rgba4444, Rgba5551, Rgba8888};
    match mode.format() {
        Rgb5650 => each(mode, first, |entry| decode(Rgb5650, half(clut, entry))),
        Rgba5551 => each(mode, first, |entry| decode(Rgba5551, half(clut, entry))),
        Rgba4444 => each(mode, first, |entry| decode(Rgba4444, half(clut, entry))),
        Rgba8888 => each(mode, first, |entry| {
            let at = entry % (CLUT_BYTES / 4) * 4;
            u32::from_le_bytes([clut[at], clut[at + 1], clut[at + 2], clut[at + 3]])
        }),
    }
}

/// What entries become, for the indices in order.
#[inline(always)]
fn each<const N: usize>(mode: ClutMode, first: u32, colour: impl Fn(usize) -> u32) -> [u32; N] {
    std::array::from_fn(|index| colour(entry(mode, index as u32, first) as usize))
}

/// An entry of 16 bits.
#[inline(always)]
fn half(clut: &[u8; CLUT_BYTES], entry: usize) -> u32 {
    let at = entry % (CLUT_BYTES / 2) * 2;
    u32::from(u16::from_le_bytes([clut[at], clut[at + 1]]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::bits::Field;

    /// The colour of an entry, 0xAABBGGRR.
    fn colour(mode: ClutMode, clut: &[u8; CLUT_BYTES], entry: u32) -> u32 {
        let bytes = mode.format().bytes();
        let at = ((entry & (entries(mode) - 1)) * bytes) as usize;
        let raw = match mode.format() {
            PixelFormat::Rgba8888 => u32::from_le_bytes(std::array::from_fn(|n| clut[at + n])),
            _ => u16::from_le_bytes([clut[at], clut[at + 1]]).into(),
        };
        decode(mode.format(), raw)
    }

    /// Entry i of 32 bits is iiiiii; as entries of 16 bits, j is 0x0101 times j / 2.
    fn table() -> [u8; CLUT_BYTES] {
        std::array::from_fn(|n| (n / 4) as u8)
    }

    fn rgb(format: u32, shift: u32, mask: u32, start: u32, index: u32) -> u32 {
        let mode = ClutMode(0).with_format(PixelFormat::from_bits(format));
        let mode = mode.with_shift(shift).with_mask(mask).with_start(start);
        colour(mode, &table(), entry(mode, index, 0)) & 0xff_ffff
    }

    /// Whole tables are what single look-ups give, for every format and many modes.
    #[test]
    fn tables_and_entries_agree() {
        let table: [u8; CLUT_BYTES] = std::array::from_fn(|n| (n * 37 + n / 256) as u8);
        for word in (0..0x20_0000).step_by(0x357) {
            let mode = ClutMode(word);
            for first in [0, 16, 112] {
                let all: [u32; 256] = colours(mode, &table, first);
                let single = |index| colour(mode, &table, entry(mode, index, first));
                assert!((0..256).all(|index| all[index as usize] == single(index)), "{word:#x} {first}");
                assert_eq!(colours::<16>(mode, &table, first), all[..16]);
            }
        }
    }

    /// Masks, shifts and starts of 14.10.
    #[test]
    fn entries_of_32_bits_as_measured() {
        let indices = [0, 1, 15, 16, 255];
        let red = |start| indices.map(|index| rgb(3, 0, 255, start, index) & 255);
        assert_eq!(red(1), [0x10, 0x11, 0x1f, 0x10, 0xff]);
        assert_eq!(red(31), [0xf0, 0xf1, 0xff, 0xf0, 0xff]);
        assert_eq!([red(2)[3], red(3)[3], red(16)[1]], [0x30, 0x30, 1]);
        let masks = [0x00, 0x01, 0x02, 0x0f, 0xf0, 0x77, 0x80, 0x55];
        assert!(masks.iter().all(|&mask| rgb(3, 0, mask, 0, 255) == mask * 0x01_0101));
        let shifts = [0, 1, 4, 8, 12, 16, 24, 28, 31, 32];
        let shifted = shifts.map(|shift| rgb(3, shift, 255, 0, 0x1234_5678) & 255);
        assert_eq!(shifted, [0x78, 0x3c, 0x67, 0x56, 0x45, 0x34, 0x12, 0x01, 0x00, 0x78]);
    }

    /// The second table of 14.10.
    #[test]
    fn entries_of_16_bits_as_measured() {
        let table = [
            (0, [0x00_0000, 0x00_0000, 0x77_0077, 0x88_0088, 0xff_77ff]),
            (1, [0x88_0088, 0x88_0088, 0xff_00ff, 0x88_0088, 0xff_77ff]),
            (2, [0x00_1100, 0x00_1100, 0x77_1177, 0x88_1188, 0xff_77ff]),
            (15, [0x88_7788, 0x88_7788, 0xff_77ff, 0x88_7788, 0xff_77ff]),
            (16, [0x00_8800, 0x00_8800, 0x77_8877, 0x88_8888, 0xff_ffff]),
            (17, [0x88_8888, 0x88_8888, 0xff_88ff, 0x88_8888, 0xff_ffff]),
            (30, [0x00_ff00, 0x00_ff00, 0x77_ff77, 0x88_ff88, 0xff_ffff]),
            (31, [0x88_ff88, 0x88_ff88, 0xff_ffff, 0x88_ff88, 0xff_ffff]),
        ];
        for (start, expected) in table {
            assert_eq!([0, 1, 15, 16, 255].map(|index| rgb(2, 0, 255, start, index)), expected, "{start}");
        }
        let masks = [0x00, 0x01, 0x02, 0x0f, 0xf0, 0x77, 0x80, 0x55].map(|mask| rgb(2, 0, mask, 0, 255));
        let expected = [0, 0, 0x11_0011, 0x77_0077, 0x88_7788, 0xbb_33bb, 0x00_4400, 0xaa_22aa];
        assert_eq!(masks, expected);
    }

    #[test]
    fn levels_with_entries_of_their_own() {
        let mode = ClutMode(0).with_format(PixelFormat::Rgba8888).with_mask(255).with_start(15);
        assert_eq!((entry(mode, 3, 0), entry(mode, 3, 16), entry(mode, 3, 48)), (0xf3, 0x03, 0x23));
        let mode = mode.with_format(PixelFormat::Rgba4444);
        assert_eq!(entry(mode, 3, 16), 0x103);
    }
}
