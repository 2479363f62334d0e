//! The arithmetic rules of the two precisions (pica-shader.md 3.2 and 3.4), and nothing else that depends on
//! the precision.

use picaflor_pipeline::pica::float::{canonical, flush, truncate};

/// Treatment of operands and results by arithmetic.
pub(super) trait Rules {
    /// Conversion of an operand before an operation.
    fn operand(value: f32) -> f32;

    /// Rounding of the binary32 result of one operation.
    fn result(value: f32) -> f32;

    /// One operation on one operand.
    fn unary(operation: fn(f32) -> f32, a: f32) -> f32 {
        Self::result(operation(Self::operand(a)))
    }

    /// A sum; `inf - inf` is NaN.
    fn add(a: f32, b: f32) -> f32 {
        Self::result(Self::operand(a) + Self::operand(b))
    }

    /// A product. A NaN that no factor brought along becomes zero: `0 × inf = 0`, but `0 × NaN = NaN`.
    /// Measured on a console (fp tests; a retest in Azahar issue 7371).
    fn mul(a: f32, b: f32) -> f32 {
        let (a, b) = (Self::operand(a), Self::operand(b));
        let product = a * b;
        if product.is_nan() && !a.is_nan() && !b.is_nan() { 0.0 } else { Self::result(product) }
    }
}

/// 24 bits: operands are flushed, every result is truncated.
pub(super) struct Console;

impl Rules for Console {
    fn operand(value: f32) -> f32 {
        flush(value)
    }

    fn result(value: f32) -> f32 {
        truncate(value)
    }
}

/// Plain binary32 with one NaN.
pub(super) struct Binary32;

impl Rules for Binary32 {
    fn operand(value: f32) -> f32 {
        value
    }

    fn result(value: f32) -> f32 {
        canonical(value)
    }
}
