//! Number formats of the PICA200 and the two precision profiles.
//!
//! A register value is kept as an `f32`: every 24-bit value is also a binary32 value, so both profiles share
//! registers, uniforms and outputs. In the `Console` profile the low seven mantissa bits of a value are zero.
//!
//! Source for the formats: 3dbrew, GPU/Internal Registers (float formats) and GPU/Shader Instruction Set
//! (floating-point behaviour); for truncation and flushing: the console tests and games listed in each item.

/// How shader arithmetic rounds. Belongs to the machine and travels with every batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// Every arithmetic result passes through [`truncate`]: 24 bits, no subnormals, no negative zero.
    /// What the evidence says the chip does; games are known that need it.
    #[default]
    Console,
    /// Plain binary32 with the PICA multiply rule: what most emulators compute.
    Binary32,
}

/// The NaN that arithmetic produces, in both profiles: payloads and signs on the console are unknown.
pub const CANONICAL_NAN: u32 = 0x7fc0_0000;
/// Bits of the smallest positive normal 24-bit value, 2^-62.
pub const SMALLEST_NORMAL: u32 = 0x2080_0000;
/// Bits of the first magnitude that 24 bits cannot hold, 2^64.
pub const OVERFLOW: u32 = 0x5f80_0000;
/// The mantissa bits of binary32 that 24 bits keep, with sign and exponent.
pub const MANTISSA_MASK: u32 = 0xffff_ff80;

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

/// `T`: what the 24-bit unit keeps of a binary32 result.
///
/// Flushes below 2^-62 to +0, makes an infinity of 2^64 and above, truncates the mantissa to 16 bits, and
/// knows neither -0 nor NaN payloads. Source: pica-shader.md 3.2; truncation and flushing are measured on
/// consoles, truncation *of the rounded binary32 result* is assumed (a console test of 1 - 2^-25 would
/// settle it).
#[must_use]
pub fn truncate(value: f32) -> f32 {
    let bits = value.to_bits();
    match bits & 0x7fff_ffff {
        0x7f80_0001.. => f32::from_bits(CANONICAL_NAN),
        0..SMALLEST_NORMAL => 0.0,
        OVERFLOW.. => f32::from_bits(bits & 0x8000_0000 | 0x7f80_0000),
        _ => f32::from_bits(bits & MANTISSA_MASK),
    }
}

/// What 24-bit arithmetic makes of an operand: everything below 2^-62, -0 included, is +0.
/// Measured on a console: `mul(s, 2) = 0`, `rcp(-0) = +inf`.
#[must_use]
pub fn flush(value: f32) -> f32 {
    if value.to_bits() & 0x7fff_ffff < SMALLEST_NORMAL { 0.0 } else { value }
}

/// An arithmetic NaN as both profiles make it; any other value as it is.
#[must_use]
pub fn canonical(value: f32) -> f32 {
    if value.is_nan() { f32::from_bits(CANONICAL_NAN) } else { value }
}

impl Precision {
    /// A binary32 word that a guest supplies (an attribute, or a uniform in 32-bit mode) as a register value.
    /// Narrowing by [`truncate`] in `Console` is assumed.
    #[must_use]
    pub fn load_f32(self, value: f32) -> f32 {
        match self {
            Self::Console => truncate(value),
            Self::Binary32 => value,
        }
    }
}

/// One 128-bit vector of four raw 24-bit floats, w first, as uniforms and fixed attributes arrive.
/// Returns raw x, y, z, w. Source: 3dbrew, GPUREG_VSH_FLOATUNIFORM_DATA.
#[must_use]
pub fn unpack_f24x4(words: [u32; 3]) -> [u32; 4] {
    let [w0, w1, w2] = words;
    [w2 & 0xff_ffff, (w1 & 0xffff) << 8 | w2 >> 24, (w0 & 0xff) << 16 | w1 >> 16, w0 >> 8]
}
