//! Level of detail (9.5).

use crate::ge::raster::fragment::{Fragment, Quad};
use picaflor_pipeline::ge::regs::texture::LodMode;
use picaflor_pipeline::ge::regs::{Registers, op};

/// Sampled levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Levels {
    /// One level.
    One(u8),
    /// A level, and sixteenths of the next.
    Two(u8, u32),
}

/// The level of detail in sixteenths, with the bias; above 0 the texture is minified.
pub(super) fn detail(registers: &Registers, at: &Fragment, quad: &dyn Quad) -> i32 {
    let bias = registers.texture_bias();
    let detail = match bias.mode() {
        LodMode::Auto => logarithm(change(registers, quad.change(at.x, at.y))),
        LodMode::Slope => logarithm(2.0 * quad.w(at.x, at.y) * f64::from(registers.float(op::TSLOPE))),
        LodMode::Constant => 0,
    };
    detail + bias.bias()
}

/// Step of a pixel in texels of level 0: the larger of s along x and t along y. In through mode coordinates are in
/// texels.
fn change(registers: &Registers, change: [f64; 2]) -> f64 {
    let size = registers.texture_size_log2(0);
    let [s, t] = std::array::from_fn(|k| {
        let texels = if registers.is_through() { 1.0 } else { f64::from(1 << size[k]) };
        change[k].abs() * texels
    });
    // A NaN is not greater: t decides.
    if s > t { s } else { t }
}

/// The binary logarithm in sixteenths, linear between powers of two: exponent and upper bits of a single.
fn logarithm(x: f64) -> i32 {
    ((x as f32).to_bits() >> 19 & 0xfff).cast_signed() - 127 * 16
}

/// The levels of a level of detail.
pub(super) fn levels(registers: &Registers, detail: i32) -> Levels {
    let last = registers.texture_mode().max_level().cast_signed();
    let filter = registers.texture_filter();
    if detail <= 0 || !filter.mipmaps() || last == 0 {
        return Levels::One(0);
    }
    let level = detail.min(16 * last);
    if filter.mip_linear() {
        Levels::Two((level >> 4) as u8, (level & 15) as u32)
    } else {
        Levels::One(((level + 8) >> 4) as u8)
    }
}

/// The level after `level`, or the last one.
pub(super) fn next(registers: &Registers, level: u8) -> u8 {
    (u32::from(level) + 1).min(registers.texture_mode().max_level()) as u8
}

#[cfg(test)]
mod tests {
    use super::super::super::rig::{Still, fragment};
    use super::*;

    /// Two levels, textures of 256 texels, through mode, as the console was asked.
    fn registers(bias: u32) -> Registers {
        let mut registers = Registers::default();
        for word in [0x1280_0000, 0xb800_0808, 0xc207_0000, 0xc600_0006, 0xc800_0000 | bias] {
            registers.write(word);
        }
        registers
    }

    /// Level in sixteenths, for texels per pixel along s and t.
    fn measured(registers: &Registers, change: [f64; 2]) -> i32 {
        let quad = Still { change, w: 1.0 };
        match levels(registers, detail(registers, &fragment(), &quad)) {
            Levels::One(n) => 16 * i32::from(n),
            Levels::Two(n, frac) => 16 * i32::from(n) + frac.cast_signed(),
        }
    }

    /// The table of 9.5.
    #[test]
    fn levels_as_measured() {
        let scales = [[1.0, 1.0], [0.25, 0.25], [2.0, 2.0], [4.0, 1.0], [1.0, 4.0], [64.0; 2], [256.0; 2]];
        let table = [
            (0x00, [0x00, 0x00, 0x10, 0x20, 0x20, 0x60, 0x70]),
            (0x07, [0x07, 0x00, 0x17, 0x27, 0x27, 0x67, 0x70]),
            (0x08, [0x08, 0x00, 0x18, 0x28, 0x28, 0x68, 0x70]),
            (0x10, [0x10, 0x00, 0x20, 0x30, 0x30, 0x70, 0x70]),
            (0x70, [0x70, 0x50, 0x70, 0x70, 0x70, 0x70, 0x70]),
            (0x77, [0x70, 0x57, 0x70, 0x70, 0x70, 0x70, 0x70]),
            (0x78, [0x70, 0x58, 0x70, 0x70, 0x70, 0x70, 0x70]),
            (0x80, [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
            (0x87, [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07]),
            (0x88, [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x08]),
            (0xf0, [0x00, 0x00, 0x00, 0x10, 0x10, 0x50, 0x70]),
        ];
        for (bias, expected) in table {
            let registers = registers(bias << 16);
            assert_eq!(scales.map(|scale| measured(&registers, scale)), expected, "{bias:x}");
        }
    }

    #[test]
    fn constant_and_slope_as_measured() {
        let at = |word, slope: f32| {
            let mut registers = registers(word);
            registers.write(0xd000_0000 | slope.to_bits() >> 8);
            measured(&registers, [64.0; 2])
        };
        for mode in [1, 3] {
            let levels = [0x00, 0x07, 0x10, 0x70, 0x7f, 0x80, 0xf0].map(|bias| at(bias << 16 | mode, 2.0));
            assert_eq!(levels, [0, 0x07, 0x10, 0x70, 0x70, 0, 0]);
        }
        let levels = [0x00, 0x07, 0x08, 0x10, 0xf0, 0x80].map(|bias| at(bias << 16 | 2, 2.0));
        assert_eq!(levels, [0x20, 0x27, 0x28, 0x30, 0x10, 0]);
    }

    #[test]
    fn nearest_levels_are_rounded() {
        let mut registers = registers(1);
        registers.write(0xc600_0004);
        let level = |sixteenths| levels(&registers, sixteenths);
        assert_eq!([1, 7, 8, 0x68, 0x90].map(level), [0, 0, 1, 7, 7].map(Levels::One));
        registers.write(0xc202_0000);
        assert_eq!((levels(&registers, 0x90), next(&registers, 2)), (Levels::One(2), 2));
        registers.write(0xc600_0003);
        assert_eq!(levels(&registers, 0x90), Levels::One(0));
    }

    #[test]
    fn coordinates_of_the_whole_texture() {
        let mut registers = registers(0);
        registers.write(0x1200_0000);
        registers.write(0xb800_0603);
        assert_eq!(change(&registers, [-0.5, 0.03125]), 4.0);
        assert_eq!(change(&registers, [f64::NAN, 1.0]), 64.0);
    }

    /// 9.5: 2 * w * TSLOPE is 2 * 4 * 1/2, a level of 2.
    #[test]
    fn slopes_grow_with_w() {
        let mut registers = registers(2);
        registers.write(0xd000_0000 | 0.5_f32.to_bits() >> 8);
        assert_eq!(detail(&registers, &fragment(), &Still { change: [0.0; 2], w: 4.0 }), 0x20);
    }
}
