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

/// 1.7.23, kept in bits 31 to 1 of a word. Exponent 0 reads as zero: configuration registers do not know
/// subnormals.
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

/// The 24-bit pattern of a value that 24 bits hold exactly; `None` for any other value. A NaN keeps the top
/// sixteen bits of its payload.
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

/// One 128-bit vector of four raw 24-bit floats, w first, as uniforms and fixed attributes arrive.
/// Returns raw x, y, z, w. Source: 3dbrew, GPUREG_VSH_FLOATUNIFORM_DATA.
#[must_use]
pub fn unpack_f24x4(words: [u32; 3]) -> [u32; 4] {
    let [w0, w1, w2] = words;
    [w2 & 0xff_ffff, (w1 & 0xffff) << 8 | w2 >> 24, (w0 & 0xff) << 16 | w1 >> 16, w0 >> 8]
}
