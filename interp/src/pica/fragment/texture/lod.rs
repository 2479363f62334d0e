//! Level of detail: which levels of the chain, with which filter (2.5), in units of 1/256 level.

use super::image::last_usable_level;
use crate::pica::fragment::{Coordinate, max};
use picaflor_pipeline::pica::regs::texture::{TextureLod, TextureParam};
use std::sync::LazyLock;

/// `256 * log2(1 + k / 256)` to the nearest integer. There is no tie, so that any logarithm in double
/// precision gives this table.
static LOGARITHM: LazyLock<[i32; 257]> =
    LazyLock::new(|| std::array::from_fn(|k| (256.0 * (1.0 + k as f64 / 256.0).log2()).round() as i32));

/// `log2q` of 0.4: the logarithm in units of 1/256; -65536 unless `x` is above 0.
pub(crate) fn log2q(x: f32) -> i32 {
    if x.is_nan() || x <= 0.0 {
        return -65_536;
    }
    let exponent = (x.to_bits() >> 23) as i32 - 127;
    let mantissa = x.to_bits() & 0x7f_ffff;
    256 * exponent + LOGARITHM[((mantissa + 0x4000) >> 15) as usize]
}

/// Footprint of a pixel in texels of level 0, along its longer axis.
pub(super) fn footprint(st: [Coordinate; 2], size: [u32; 2]) -> f32 {
    let [w, h] = size.map(|n| n as f32);
    let [s, t] = st;
    max(max(s.dx.abs() * w, t.dx.abs() * h), max(s.dy.abs() * w, t.dy.abs() * h))
}

/// The levels to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Levels {
    /// One.
    One(u32),
    /// Two, and the weight of the second in units of 1/256.
    Two(u32, u32, u32),
}

/// The levels to read, and true for the linear filter, for a [`footprint`] of `rho`.
pub(super) fn choose(param: TextureParam, lod: TextureLod, top: u32, rho: f32) -> (Levels, bool) {
    let wanted = (log2q(rho) + lod.bias().units()).max(256 * i32::from(lod.min_level()));
    if wanted <= 0 {
        return (Levels::One(0), param.mag_linear());
    }
    // `wanted` is positive, and so is what is left of it unless `top` is 0.
    let lod = (wanted as u32).min(256 * top);
    let levels = if param.mip_linear() {
        Levels::Two(lod >> 8, ((lod >> 8) + 1).min(top), lod & 255)
    } else {
        Levels::One((lod + 127) >> 8)
    };
    (levels, param.min_linear())
}

/// The last level that is read.
pub(super) fn top_level(lod: TextureLod, size: [u32; 2]) -> u32 {
    u32::from(lod.max_level()).min(last_usable_level(size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::bits::Field;
    use picaflor_pipeline::pica::regs::fixed::Fix1_4_8;

    const STILL: Coordinate = Coordinate { value: 0.0, dx: 0.0, dy: 0.0 };
    const MIP_LINEAR: TextureParam = TextureParam(1 << 24);

    fn lod(bias: i32, min_level: u32, max_level: u32) -> TextureLod {
        TextureLod(bias as u32 & 0x1fff | max_level << 16 | min_level << 24)
    }

    #[test]
    fn log2q_vectors() {
        assert_eq!([1.0, 1.5, 3.0, 0.75, 0.0].map(log2q), [0, 150, 406, -106, -65_536]);
        assert_eq!([1, 106, 107, 256].map(|k| LOGARITHM[k]), [1, 128, 129, 256]);
    }

    /// The largest of four products, whichever it is: changes of s by the width, of t by the height.
    #[test]
    fn footprint_along_the_longer_axis() {
        let of = |s: [f32; 2], t: [f32; 2]| {
            footprint([s, t].map(|[dx, dy]| Coordinate { value: 0.0, dx, dy }), [32, 128])
        };
        assert_eq!(of([0.5, 0.25], [0.125, 0.0625]), 16.0);
        assert_eq!(of([0.25, -0.75], [0.125, 0.0625]), 24.0);
        assert_eq!(of([0.25, 0.5], [-0.25, 0.125]), 32.0);
        assert_eq!(of([0.25, 0.5], [0.125, 0.5]), 64.0);
        assert_eq!(of([0.0; 2], [0.0; 2]), 0.0);
    }

    #[test]
    fn log2q_of_odd_numbers() {
        assert_eq!([-1.0, f32::NAN, -0.0, f32::NEG_INFINITY].map(log2q), [-65_536; 4]);
        assert_eq!(log2q(f32::INFINITY), 256 * 128);
        assert_eq!(log2q(f32::MAX), 256 * 128);
        assert_eq!(log2q(f32::from_bits(1)), -127 * 256);
    }

    /// Expected: the bound stated beside the definition, against the host's logarithm.
    #[test]
    #[cfg_attr(miri, ignore = "too slow")]
    fn log2q_error() {
        for i in 0..100_000 {
            let x = f32::from_bits(0x3000_0000 + i * 5237);
            assert!((f64::from(log2q(x)) - 256.0 * f64::from(x).log2()).abs() < 1.2, "{x}");
        }
    }

    #[test]
    fn lod_two_levels() {
        let s = Coordinate { dx: 1.0 / 32.0, ..STILL };
        let t = Coordinate { dy: 1.0 / 16.0, ..STILL };
        let rho = footprint([s, t], [64, 64]);
        assert_eq!(log2q(rho), 512);
        assert_eq!(choose(MIP_LINEAR, lod(0, 0, 3), 3, rho), (Levels::Two(2, 3, 0), false));
    }

    #[test]
    fn lod_with_bias() {
        let s = Coordinate { dx: 1.0 / 64.0, ..STILL };
        let rho = footprint([s, STILL], [128, 8]);
        assert_eq!(choose(MIP_LINEAR, lod(-128, 0, 3), 3, rho), (Levels::Two(0, 1, 128), false));
        assert_eq!(TextureLod::default().with_bias(Fix1_4_8::from_bits(0x1f80)), lod(-128, 0, 0));
    }

    #[test]
    fn mip_choice() {
        // A footprint of 1 leaves the bias as the level of detail.
        let nearest = TextureParam(0);
        let level = |lod_256| choose(nearest, lod(lod_256, 0, 4), 4, 1.0).0;
        assert_eq!((level(384), level(385)), (Levels::One(1), Levels::One(2)));
        assert_eq!(choose(MIP_LINEAR, lod(385, 0, 4), 4, 1.0).0, Levels::Two(1, 2, 129));
    }

    #[test]
    fn filter_follows_the_footprint_before_the_upper_limit() {
        let mag = TextureParam(1 << 1);
        let min = TextureParam(1 << 2);
        assert_eq!(choose(mag, lod(0, 0, 0), 0, 1.0), (Levels::One(0), true));
        assert_eq!(choose(min, lod(0, 0, 0), 0, 1.0), (Levels::One(0), false));
        assert_eq!(choose(min, lod(1, 0, 0), 0, 1.0), (Levels::One(0), true));
        assert_eq!(choose(mag, lod(1, 0, 0), 0, 1.0), (Levels::One(0), false));
        assert_eq!(choose(min, lod(0, 2, 4), 4, 0.0), (Levels::One(2), true), "first level above 0");
        assert_eq!(choose(min, lod(0, 5, 4), 4, 0.0), (Levels::One(4), true), "first level above the last");
        assert_eq!(choose(MIP_LINEAR, lod(2000, 0, 4), 4, 1.0).0, Levels::Two(4, 4, 0));
        assert_eq!(choose(min, lod(0, 0, 4), 4, f32::NAN), (Levels::One(0), false));
    }

    #[test]
    fn footprint_of_a_nan() {
        let nan = Coordinate { dx: f32::NAN, ..STILL };
        let one = Coordinate { dx: 1.0, ..STILL };
        assert_eq!(footprint([nan, one], [8, 8]), 8.0, "the comparison fails, the right operand stays");
        assert_eq!(footprint([one, nan], [8, 8]), 0.0, "so does a NaN on the right, until the next one");
    }

    #[test]
    fn last_usable_level() {
        let top = |size| top_level(lod(0, 0, 15), size);
        assert_eq!(
            [[8, 1024], [16, 16], [1024, 512], [4, 4], [1, 2047], [15, 15]].map(top),
            [0, 1, 6, 0, 0, 0]
        );
        assert_eq!(top_level(lod(0, 0, 2), [1024, 1024]), 2);
    }
}
