//! Conversions between the PICA200's float formats and binary32.

use super::{OVERFLOW, SMALLEST_NORMAL};

/// Widens a float with `EXPONENT` exponent bits and `MANTISSA` mantissa bits. Exact, subnormals included.
fn widen<const EXPONENT: u32, const MANTISSA: u32>(raw: u32) -> f32 {
    let sign = (raw >> (EXPONENT + MANTISSA) & 1) << 31;
    let field_max = (1 << EXPONENT) - 1;
    let bias = field_max >> 1;
    let exponent = raw >> MANTISSA & field_max;
    let mantissa = raw & ((1 << MANTISSA) - 1);
    let magnitude = if exponent == 0 {
        // The mantissa fits a binary32 mantissa, and the power of two is in range: both steps are exact.
        (mantissa as f32 * f32::from_bits((128 - bias - MANTISSA) << 23)).to_bits()
    } else if exponent == field_max {
        0x7f80_0000 | mantissa << (23 - MANTISSA)
    } else {
        (exponent + 127 - bias) << 23 | mantissa << (23 - MANTISSA)
    };
    f32::from_bits(sign | magnitude)
}

/// 1.7.16, the main number format. Bits above 23 are ignored.
#[must_use]
pub fn f24(raw: u32) -> f32 {
    widen::<7, 16>(raw)
}

/// 1.7.12. Bits above 19 are ignored.
#[must_use]
pub fn f20(raw: u32) -> f32 {
    widen::<7, 12>(raw)
}

/// 1.5.10. Bits above 15 are ignored.
#[must_use]
pub fn f16(raw: u32) -> f32 {
    widen::<5, 10>(raw)
}

/// 1.7.23, in bits 31 to 1 of a word. Exponent 0 reads as zero: configuration registers have no subnormals.
#[must_use]
pub fn f31(raw: u32) -> f32 {
    let sign = raw & 0x8000_0000;
    let exponent = raw >> 24 & 0x7f;
    let mantissa = raw >> 1 & 0x007f_ffff;
    f32::from_bits(match exponent {
        0 => sign,
        0x7f => sign | 0x7f80_0000 | mantissa,
        _ => sign | (exponent + 64) << 23 | mantissa,
    })
}

/// The 24-bit pattern of an exactly representable value, subnormals and -0 included; `None` for other values. A NaN
/// is representable if the low seven bits of its payload are zero.
#[must_use]
pub fn to_f24(value: f32) -> Option<u32> {
    let bits = value.to_bits();
    let (sign, magnitude) = (bits >> 31 << 23, bits & 0x7fff_ffff);
    let raw = match magnitude {
        0 => 0,
        0x7f80_0000.. => 0x7f_0000 | magnitude >> 7 & 0xffff,
        SMALLEST_NORMAL..OVERFLOW => ((magnitude >> 23) - 64) << 16 | magnitude >> 7 & 0xffff,
        // A subnormal pattern m stands for m × 2^-78; a value outside the format becomes a pattern that
        // does not widen back.
        _ => (f64::from(f32::from_bits(magnitude)) * 2_f64.powi(78)) as u32 & 0x7f_ffff,
    };
    (f24(sign | raw).to_bits() == bits).then_some(sign | raw)
}

/// Encoder for register values: narrows binary32 to a format by truncating the mantissa. Values below the smallest
/// normal become zero, values above the largest become infinite; a NaN stays a NaN.
fn narrow<const EXPONENT: u32, const MANTISSA: u32>(value: f32) -> u32 {
    let bits = value.to_bits();
    let (field_max, sign) = ((1 << EXPONENT) - 1, bits >> 31 << (EXPONENT + MANTISSA));
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + (field_max >> 1);
    let mantissa = (bits & 0x007f_ffff) >> (23 - MANTISSA);
    sign | match exponent {
        _ if value.is_nan() => (field_max as u32) << MANTISSA | 1 << (MANTISSA - 1),
        i32::MIN..=0 => 0,
        _ if exponent >= field_max => (field_max as u32) << MANTISSA,
        _ => (exponent as u32) << MANTISSA | mantissa,
    }
}

/// The 1.7.16 pattern of a value, truncated.
#[must_use]
pub fn encode_f24(value: f32) -> u32 {
    narrow::<7, 16>(value)
}

/// The 1.7.12 pattern of a value, truncated.
#[must_use]
pub fn encode_f20(value: f32) -> u32 {
    narrow::<7, 12>(value)
}

/// The 1.5.10 pattern of a value, truncated.
#[must_use]
pub fn encode_f16(value: f32) -> u32 {
    narrow::<5, 10>(value)
}

/// The word of a value in 1.7.23, which lies in bits 31 to 1.
#[must_use]
pub fn encode_f31(value: f32) -> u32 {
    narrow::<7, 23>(value) << 1
}

/// Unpacks a 128-bit vector of four raw 24-bit floats, w first, the upload format of uniforms and fixed attributes.
/// Returns raw x, y, z, w. Source: 3dbrew, GPUREG_VSH_FLOATUNIFORM_DATA.
#[must_use]
pub fn unpack_f24x4(words: [u32; 3]) -> [u32; 4] {
    let [w0, w1, w2] = words;
    [w2 & 0xff_ffff, (w1 & 0xffff) << 8 | w2 >> 24, (w0 & 0xff) << 16 | w1 >> 16, w0 >> 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of pica-shader.md 11.6: raw pattern, binary32 bits.
    const F24_ROWS: [(u32, u32); 18] = [
        (0x3f_0000, 0x3f80_0000),
        (0xbf_0000, 0xbf80_0000),
        (0x3e_0000, 0x3f00_0000),
        (0xbe_0000, 0xbf00_0000),
        (0x3d_0000, 0x3e80_0000),
        (0xbd_0000, 0xbe80_0000),
        (0x40_8000, 0x4040_0000),
        (0x80_0000, 0x8000_0000),
        (0x00_0000, 0x0000_0000),
        (0x7f_0000, 0x7f80_0000),
        (0xff_0000, 0xff80_0000),
        (0x01_0000, 0x2080_0000),
        (0x7e_ffff, 0x5f7f_ff80),
        (0x00_0001, 0x1880_0000),
        (0x00_ffff, 0x207f_ff00),
        (0x7f_8000, 0x7fc0_0000),
        (0xff_8000, 0xffc0_0000),
        (0xff_ffff, 0xffff_ff80),
    ];

    #[test]
    fn f24_rows() {
        for (raw, bits) in F24_ROWS {
            assert_eq!(f24(raw).to_bits(), bits, "f24({raw:06x})");
            assert_eq!(f24(raw | 0xff00_0000).to_bits(), bits, "higher bits of {raw:06x}");
            assert_eq!(to_f24(f32::from_bits(bits)), Some(raw), "to_f24({bits:08x})");
        }
    }

    #[test]
    fn f20_rows() {
        for (raw, bits) in [
            (0x3_f000, 0x3f80_0000),
            (0x4_0800, 0x4040_0000),
            (0x0_1000, 0x2080_0000),
            (0x7_efff, 0x5f7f_f800),
            (0x0_0001, 0x1a80_0000),
            (0x0_0fff, 0x207f_f000),
            (0x7_f000, 0x7f80_0000),
            (0x7_f800, 0x7fc0_0000),
            (0xf_ffff, 0xffff_f800),
            (0xfff3_f000, 0x3f80_0000),
        ] {
            assert_eq!(f20(raw).to_bits(), bits, "f20({raw:05x})");
        }
    }

    #[test]
    fn f16_rows() {
        for (raw, bits) in [
            (0x3c00, 0x3f80_0000),
            (0x4200, 0x4040_0000),
            (0x0400, 0x3880_0000),
            (0x7bff, 0x477f_e000),
            (0x0001, 0x3380_0000),
            (0x03ff, 0x387f_c000),
            (0x7c00, 0x7f80_0000),
            (0x7e00, 0x7fc0_0000),
            (0xffff, 0xffff_e000),
            (0xffff_3c00, 0x3f80_0000),
        ] {
            assert_eq!(f16(raw).to_bits(), bits, "f16({raw:04x})");
        }
    }

    #[test]
    fn encoded_values_widen_back() {
        for value in [0.0, 1.0, -1.0, 120.0, 0.5, -200.0, 3.25] {
            assert_eq!(f24(encode_f24(value)), value);
            assert_eq!(f20(encode_f20(value)), value);
            assert_eq!(f16(encode_f16(value)), value);
            assert_eq!(f31(encode_f31(value)), value);
        }
        assert_eq!(encode_f31(2.0 / 240.0) & 0xffff_ff00, 0x3811_1100);
        assert_eq!((encode_f24(1.0), encode_f24(-1.0), encode_f24(200.0)), (0x3f_0000, 0xbf_0000, 0x46_9000));
        assert_eq!((encode_f16(1e9), encode_f16(-1e-9)), (0x7c00, 0x8000));
        assert!(f24(encode_f24(f32::NAN)).is_nan() && f24(encode_f24(f32::INFINITY)).is_infinite());
    }

    #[test]
    fn f31_rows() {
        for (raw, value) in [(0x3811_1100, 2.0 / 240.0), (0x3799_9900, 2.0 / 320.0)] {
            assert!((f31(raw) - value).abs() < 1e-7, "f31({raw:08x})");
        }
        for (raw, bits) in [
            (0x3f00_0000, 0x3f80_0000),
            (0x3f00_0001, 0x3f80_0000),
            (0xbf00_0002, 0xbf80_0001),
            (0x00ff_fffe, 0),
            (0x80ff_fffe, 0x8000_0000),
            (0x0100_0000, 0x2080_0000),
            (0x7eff_ffff, 0x5f7f_ffff),
            (0x7f00_0000, 0x7f80_0000),
            (0xff00_0000, 0xff80_0000),
            (0x7f80_0000, 0x7fc0_0000),
        ] {
            assert_eq!(f31(raw).to_bits(), bits, "f31({raw:08x})");
        }
    }

    #[test]
    fn to_f24_refuses_what_24_bits_do_not_hold() {
        for bits in [
            0x3f80_0001, // too many mantissa bits
            0x5f80_0000, // 2^64
            0x7f7f_ffff,
            0x207f_ff80, // between subnormals
            0x1800_0000, // half of the smallest subnormal
            0x0000_0001,
            0x0080_0000,
            0x7f80_0001, // NaN payloads in the low seven bits
            0x7fc0_0001,
            0xff80_007f,
        ] {
            assert_eq!(to_f24(f32::from_bits(bits)), None, "{bits:08x}");
        }
    }

    #[test]
    fn unpacking_a_vector() {
        let words = [0x4080_00bf, 0x0000_3e00, 0x003f_0000];
        assert_eq!(unpack_f24x4(words).map(f24), [1.0, 0.5, -1.0, 3.0]);
    }
}
