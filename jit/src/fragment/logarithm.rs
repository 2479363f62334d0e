//! The logarithm that levels of detail go by, as `interp::fragment::texture::log2q`.

use crate::emit::lanes::{F32s, I32s, Lanes, Scalar};
use cranelift_codegen::ir::condcodes::FloatCC;
use std::sync::LazyLock;

/// `256 * log2(1 + k / 256)` to the nearest integer. There is no tie.
pub(super) static LOGARITHMS: LazyLock<[i32; 257]> =
    LazyLock::new(|| std::array::from_fn(|k| (256.0 * (1.0 + k as f64 / 256.0).log2()).round() as i32));

/// The logarithm in units of 1/256; -65536 unless `x` is above 0. `logarithms`: address of [`LOGARITHMS`].
pub(super) fn log2q(l: &mut Lanes<'_>, logarithms: Scalar, x: F32s) -> I32s {
    let bits = l.as_ints(x);
    let (mantissa, half) = (l.int(0x7f_ffff), l.int(0x4000));
    let mantissa = l.int_and(bits, mantissa);
    let rounded = l.int_add(mantissa, half);
    // From 0 to 256: inside the table, whatever the bits are.
    let index = l.int_shr(rounded, 15);
    let offsets = l.int_shl(index, 2);
    let at = l.addresses(logarithms, offsets);
    let fraction = l.gather_words(at, 0);
    // The sign bit does not matter: negative numbers do not get through below.
    let exponent = l.int_shr(bits, 23);
    let exponent = l.int_shl(exponent, 8);
    let bias = l.int(127 * 256);
    let exponent = l.int_sub(exponent, bias);
    let logarithm = l.int_add(exponent, fraction);
    let zero = l.float(0.0);
    let above = l.compare(FloatCC::LessThan, zero, x);
    let lowest = l.int(-65_536);
    l.int_select(above, logarithm, lowest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected: the vectors beside the definition, pica-fragment.md 0.4.
    #[test]
    fn logarithms() {
        assert_eq!([0, 1, 106, 107, 128, 256].map(|k| LOGARITHMS[k]), [0, 1, 128, 129, 150, 256]);
    }
}
