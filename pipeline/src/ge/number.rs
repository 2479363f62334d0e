//! Number formats: arguments of commands, and the 16 significant bits of the geometry pipe, which are held in `f64`.
//!
//! Source: psp-ge.md 1.3, 1.4, measured on a console (depth precision, filtering, triangles, lights). The captures do
//! not cover exponents beyond those of a single float; there the range of `f64` is used (assumed).

/// Bits of an `f64` below its 16 significant ones.
const BELOW: u32 = 37;
/// Truncates toward zero to 16 significant bits: the low 37 bits of the pattern are cleared. Infinities are
/// unchanged; a NaN may become an infinity.
#[must_use]
#[inline]
pub const fn t16(x: f64) -> f64 {
    f64::from_bits(x.to_bits() >> BELOW << BELOW)
}

/// The float of a 24-bit argument: the upper bits of a single.
#[must_use]
#[inline]
pub const fn f24(argument: u32) -> f32 {
    f32::from_bits(argument << 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_truncate() {
        assert_eq!(t16(1.0 + f64::from(0x1_ffff) / 131_072.0), 1.0 + 65534.0 / 65536.0);
        assert_eq!([f64::INFINITY, -0.0].map(|x| t16(x).to_bits()), [f64::INFINITY, -0.0].map(f64::to_bits));
        assert_eq!(f24(0x3f_c000), 1.5);
    }
}
