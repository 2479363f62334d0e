//! One level: position, wrapping, one texel or four (9.1 to 9.4, 9.6, 9.7).

use super::Drawn;
use crate::ge::texel;
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::ge::regs::Registers;

/// The stage of these numbers.
const STAGE: Stage = Stage::one("texture");

/// Largest texel index reachable by coordinates, independent of the size (read off console results: texture sizes).
const REACH: i32 = 511;

/// The texel of a level at the coordinates of a fragment.
pub(super) fn level(state: &Drawn<'_>, level: u8, linear: bool, uv: [f64; 2], probe: &impl Probe) -> [u8; 4] {
    let position = position(state.registers, level, uv);
    probe.note(STAGE, "position / 256", || Value::integers(position));
    if linear {
        four(state, level, position, probe)
    } else {
        texel(state, level, position.map(|c| c >> 8), probe)
    }
}

/// Bound of positions, in 1/256 texels: a multiple of every size.
const FARTHEST: f64 = (1 << 30) as f64;

/// The position in 1/256 texels of the level. Positions are clamped to [`FARTHEST`]: an infinite coordinate selects
/// texel 0 of a repeated texture (measured on a console: normals of zero through a texture matrix). A NaN acts as 0
/// does.
fn position(registers: &Registers, level: u8, uv: [f64; 2]) -> [i32; 2] {
    let (size, whole) = (registers.texture_size_log2(level), registers.texture_size_log2(0));
    std::array::from_fn(|k| {
        let before = if registers.is_through() { f64::from(1 << whole[k]) } else { 1.0 };
        let position = (uv[k] * (f64::from(1 << size[k]) / before) * 256.0).floor();
        let above = if position > -FARTHEST { position } else { -FARTHEST };
        (if above < FARTHEST { above } else { FARTHEST }) as i32
    })
}

/// Four texels, weighted by sixteenths (measured on a console).
fn four(state: &Drawn<'_>, level: u8, position: [i32; 2], probe: &impl Probe) -> [u8; 4] {
    let corner = position.map(|c| c - 128);
    let [x, y] = corner.map(|c| c >> 8);
    let [fx, fy] = corner.map(|c| (c >> 4 & 15) as u32);
    probe.note(STAGE, "weights / 16", || Value::integers([fx, fy]));
    let row = |y| {
        let pair = [x, x + 1].map(|x| texel(state, level, [x, y], probe));
        std::array::from_fn::<_, 4, _>(|c| u32::from(pair[0][c]) * (16 - fx) + u32::from(pair[1][c]) * fx)
    };
    let rows = [row(y), row(y + 1)];
    std::array::from_fn(|c| ((rows[0][c] * (16 - fy) + rows[1][c] * fy) >> 8) as u8)
}

/// A texel at any coordinates, wrapped.
fn texel(state: &Drawn<'_>, level: u8, place: [i32; 2], probe: &impl Probe) -> [u8; 4] {
    let (size, wrap) = (state.registers.texture_size_log2(level), state.registers.texture_wrap());
    let [x, y] = [(0, wrap.clamp_s()), (1, wrap.clamp_t())].map(|(k, clamps)| {
        let last = (1 << size[k]) - 1;
        let wrapped = if clamps { place[k].clamp(0, last.min(REACH)) } else { place[k] & last & REACH };
        wrapped as u32
    });
    let colour = match state.replaced(level, x, y) {
        Some(texel) => texel,
        None => texel::texel(state, level, x, y, probe),
    };
    let colour = colour.to_le_bytes();
    probe.note(STAGE, "texel", || Value::Texel { level: level.into(), place, colour });
    colour
}

#[cfg(test)]
mod tests {
    use super::super::super::rig::Rig;
    use super::*;
    use picaflor_pipeline::ge::vram::AddressMaps;

    const BASE: u32 = 0x0880_0000;

    /// A texture at [`BASE`], in through mode.
    fn textured(format: u32, width: u32, size: u32, more: &[u32]) -> Rig {
        let mut rig = Rig::new(&[0x1280_0000, 0xa080_0000, 0xa808_0000 | width, 0xb800_0000 | size]);
        rig.set(&[0xc300_0000 | format]);
        rig.set(more);
        rig
    }

    /// A texel, 0xAABBGGRR.
    fn at(rig: &Rig, x: i32, y: i32) -> u32 {
        u32::from_le_bytes(texel(&rig.state(), 0, [x, y], &()))
    }

    #[test]
    fn texels_of_every_size() {
        let stored = |format, words: &[u32]| {
            let rig = textured(format, 64, 0x0404, &[0xc500_ff03]);
            for (n, &word) in words.iter().enumerate() {
                rig.poke(BASE + 4 * n as u32, word);
            }
            [0, 1].map(|x| at(&rig, x, 0))
        };
        assert_eq!(stored(0, &[0xffff_8410]), [0xff84_8284, 0xffff_ffff]);
        assert_eq!(stored(1, &[0x8000_7fff]), [0x00ff_ffff, 0xff00_0000]);
        assert_eq!(stored(2, &[0x1234_8888]), [0x8888_8888, 0x1122_3344]);
        assert_eq!(stored(3, &[0x1234_5678, 0x9abc_def0]), [0x1234_5678, 0x9abc_def0]);
        assert_eq!(stored(11, &[u32::MAX]), [0, 0]);
        assert_eq!(stored(8, &[0xe4, 0x8410_ffe3]), [0xff18_fcf8, 0xff80_8080]);
    }

    /// Entry i is iiiiii, as in 14.10.
    #[test]
    fn indices_of_every_size() {
        let looked_up = |format: u32, clut: u32, word: u32| {
            let mut rig = textured(format, 64, 0x0404, &[0xc500_0003 | clut]);
            rig.clut.change().iter_mut().enumerate().for_each(|(n, byte)| *byte = (n / 4) as u8);
            rig.poke(BASE, word);
            rig.poke(BASE + 4, 0x77);
            [0, 1].map(|x| at(&rig, x, 0) & 0xff)
        };
        assert_eq!(looked_up(4, 0xff00, 0x4321), [1, 2]);
        assert_eq!(looked_up(5, 0xff00, 0x4321), [0x21, 0x43]);
        assert_eq!(looked_up(6, 0xff00 | 8 << 2, 0x1234_4321), [0x43, 0x12]);
        assert_eq!(looked_up(7, 0xff00 | 24 << 2, 0x1234_4321), [0x12, 0]);
        assert_eq!(looked_up(7, 0x0f00 | 0x3_0000, 0x1234_4321), [0x31, 0x37]);
    }

    #[test]
    fn levels_with_entries_of_their_own() {
        let mut rig = textured(4, 32, 0x0202, &[0xc500_ff03, 0xa180_0000, 0xa908_0020, 0xb900_0202]);
        rig.clut.change().iter_mut().enumerate().for_each(|(n, byte)| *byte = (n / 4) as u8);
        rig.poke(BASE, 5);
        let red = |rig: &Rig, level| texel(&rig.state(), level, [0, 0], &())[0];
        assert_eq!([red(&rig, 0), red(&rig, 1)], [5, 5]);
        rig.set(&[0xc200_0100]);
        assert_eq!([red(&rig, 0), red(&rig, 1)], [5, 0x15]);
        rig.set(&[0xc300_0005]);
        assert_eq!([red(&rig, 0), red(&rig, 1)], [5, 5]);
    }

    /// Sizes go beyond 512, coordinates do not.
    #[test]
    fn wrapping() {
        for swizzled in [0, 1] {
            let mut rig = textured(3, 512, 0x0f0f, &[0xc200_0000 | swizzled]);
            for (x, y) in [(0, 0), (1, 0), (1, 15), (17, 3), (511, 0), (510, 9)] {
                // 9.2: rows of 2048 bytes, or 128 blocks of 16 bytes and 8 rows in each block row.
                let block = (y / 8) * 128 + x / 4;
                let at = [2048 * y + 4 * x, 128 * block + 16 * (y % 8) + 4 * (x % 4)][swizzled as usize];
                rig.poke(BASE + at, y << 16 | x | 0xff00_0000);
            }
            assert_eq!([at(&rig, 17, 3), at(&rig, 17 + 512, 3 - 512)], [0xff03_0011; 2]);
            assert_eq!([at(&rig, -1, 0), at(&rig, 510, 9)], [0xff00_01ff, 0xff09_01fe]);
            rig.set(&[0xc700_0001]);
            assert_eq!([at(&rig, 9999, 512), at(&rig, -5, 0)], [0xff00_01ff, 0xff00_0000]);
            // 16 x 16 texels; s repeats, t stays inside.
            rig.set(&[0xb800_0404, 0xc700_0100]);
            assert_eq!([at(&rig, 33, -7), at(&rig, 17, 99)], [0xff00_0001, 0xff0f_0001]);
        }
    }

    #[test]
    fn mirrors_of_vram() {
        let mut rig = textured(3, 16, 0x0404, &[0xa000_0000, 0xa804_0010]);
        rig.maps = AddressMaps::default();
        let (simple, depth) = (rig.maps.resolve(0x0420_0028), rig.maps.resolve(0x0460_0028));
        rig.poke(simple, 1);
        rig.poke(depth, 2);
        rig.poke(0x0400_0028, 3);
        let read = [0x00, 0x20, 0x40, 0x60, 0x80].map(|high| {
            rig.set(&[0xa000_0000 | high << 16]);
            at(&rig, 10, 0)
        });
        assert_eq!(read, [3, 1, 3, 2, 3]);
    }

    #[test]
    fn positions() {
        let mut rig = textured(3, 64, 0x0406, &[0xb900_0305]);
        let of = |rig: &Rig, level, u, v| position(&rig.registers, level, [u, v]);
        // Through mode: texels of level 0.
        assert_eq!(of(&rig, 0, 1.5, -0.001), [384, -1]);
        assert_eq!(of(&rig, 1, 1.5, 3.0), [192, 384]);
        rig.set(&[0x1200_0000]);
        assert_eq!(of(&rig, 0, 0.5, 0.25), [64 * 128, 16 * 64]);
        assert_eq!(of(&rig, 1, 0.5, 0.25), [32 * 128, 8 * 64]);
    }

    /// Far away, texel 0 repeats and the edges stay.
    #[test]
    fn positions_that_are_no_numbers() {
        let mut rig = textured(3, 4, 0x0202, &[0xa900_0000]);
        (0..16).for_each(|n| rig.poke(BASE + 4 * n, n));
        let all = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e9, 1e300];
        let red = |rig: &Rig, linear| all.map(|u| level(&rig.state(), 0, linear, [u, 1.0], &())[0]);
        assert_eq!(red(&rig, false), [4; 5]);
        // Halves of texels 3 and 0, of rows 0 and 1.
        assert_eq!(red(&rig, true), [level(&rig.state(), 0, true, [0.0, 1.0], &())[0]; 5]);
        rig.set(&[0xc700_0101]);
        assert_eq!(red(&rig, false), [7, 4, 4, 7, 7]);
        assert_eq!(red(&rig, true), [5, 2, 2, 5, 5]);
    }

    /// 9.3: a texture 8 texels wide has two blocks side by side. Block n has green 4 (n + 1) throughout; in DXT3 and DXT5
    /// texel (5, 6), column 1 of row 2 of block 3, has an alpha of its own.
    #[test]
    fn blocks_of_compressed_textures() {
        let block = |format: u32, bytes: u32, alpha: &[(u32, u32)]| {
            let rig = textured(format, 8, 0x0303, &[]);
            (0..4).for_each(|n| rig.poke(BASE + bytes * n + 4, (n + 1) << 5));
            alpha.iter().for_each(|&(at, word)| rig.poke(BASE + 3 * bytes + at, word));
            rig
        };
        for (format, bytes) in [(8, 8), (9, 16), (10, 16)] {
            let rig = block(format, bytes, &[]);
            let green = |x, y| at(&rig, x, y) >> 8 & 0xff;
            assert_eq!([green(0, 0), green(3, 3), green(4, 0), green(7, 3)], [4, 4, 8, 8], "{format}");
            assert_eq!([green(0, 4), green(3, 7), green(4, 4), green(7, 7)], [12, 12, 16, 16], "{format}");
        }
        // Row 2 of the nibbles is the halfword at 12.
        let rig = block(9, 16, &[(12, 0x00a0)]);
        assert_eq!([at(&rig, 5, 6) >> 24, at(&rig, 5, 5) >> 24, at(&rig, 4, 6) >> 24], [0xa0, 0, 0]);
        // Its index has bits 27 to 29 of the stream from byte 8 on; 1 selects the second alpha, 80.
        let rig = block(10, 16, &[(8, 1 << 27), (12, 0x8010_0000)]);
        assert_eq!([at(&rig, 5, 6) >> 24, at(&rig, 5, 5) >> 24, at(&rig, 4, 6) >> 24], [0x80, 0x10, 0x10]);
    }
}
