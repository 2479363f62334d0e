//! EX2 and LG2: the numbered steps of `pipeline::pica::float::{ex2, lg2}`, four lanes at a time.

use crate::emit::lanes::{F32s, F64s, I32s, Lanes, Mask};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use picaflor_pipeline::pica::float::{
    CANONICAL_NAN, EX2_CLAMP, EX2_COEFFICIENTS, EX2_EXCEPTIONS, EX2_ROUND, LG2_BIAS, LG2_COEFFICIENTS,
    LG2_INTEGER, LG2_PIVOT,
};

const ONE: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;

impl Lanes<'_> {
    /// `float::ex2`. `narrow`: no lane holds more than 24 bits, so the exceptions of step 9 cannot occur.
    pub(crate) fn ex2(&mut self, x: F32s, narrow: bool) -> F32s {
        let [low, high] = EX2_CLAMP.map(|bound| self.float(bound));
        let below = self.compare(FloatCC::LessThan, x, low);
        let clamped = self.select(below, low, x);
        let above = self.compare(FloatCC::GreaterThan, clamped, high);
        let clamped = self.select(above, high, clamped);
        let halves = self.widen(clamped).map(|d| self.ex2_half(d));
        let mut result = self.narrow(halves);
        if !narrow {
            result = self.ex2_exceptions(x, result);
        }
        let nan = self.compare(FloatCC::Unordered, x, x);
        let canonical = self.bits(CANONICAL_NAN);
        self.select(nan, canonical, result)
    }

    /// Steps 3 to 8, without the rounding.
    fn ex2_half(&mut self, d: F64s) -> F64s {
        let round = self.double(EX2_ROUND);
        let t = self.dadd(d, round);
        let n = self.dsub(t, round);
        let f = self.dsub(d, n);
        let w = self.dmul(f, f);
        let [c1, c2, c3, c4, c5, c6, c7, c8, c9, c10] = EX2_COEFFICIENTS;
        let a = self.horner(w, &[c10, c8, c6, c4, c2]);
        let b = self.horner(w, &[c9, c7, c5, c3]);
        let inner = self.dmul(f, b);
        let inner = self.dadd(a, inner);
        let inner = self.dmul(f, inner);
        let c1 = self.double(c1);
        let inner = self.dadd(c1, inner);
        let inner = self.dmul(f, inner);
        let one = self.double(ONE);
        let p = self.dadd(one, inner);
        let scale = self.double_bits_shl(t, 52);
        self.double_bits_add(p, scale)
    }

    fn ex2_exceptions(&mut self, x: F32s, result: F32s) -> F32s {
        let bits = self.as_ints(x);
        let hits = EX2_EXCEPTIONS.map(|exception| {
            let exception = self.int(exception as i32);
            self.int_compare(IntCC::Equal, bits, exception)
        });
        let hit = self.or(hits[0], hits[1]);
        // A set lane is -1: subtracting it adds one.
        let result = self.as_ints(result);
        let bumped = self.int_sub(result, I32s(hit.0));
        self.as_floats(bumped)
    }

    /// `float::lg2`.
    pub(crate) fn lg2(&mut self, x: F32s) -> F32s {
        let halves = self.widen(x).map(|d| self.lg2_half(d));
        let nearest = self.narrow(halves);
        let infinity = self.float(f32::INFINITY);
        let zero = self.float(0.0);
        let is_infinity = self.compare(FloatCC::Equal, x, infinity);
        let result = self.select(is_infinity, infinity, nearest);
        let is_zero = self.compare(FloatCC::Equal, x, zero);
        let minus_infinity = self.float(f32::NEG_INFINITY);
        let result = self.select(is_zero, minus_infinity, result);
        let defined: Mask = self.compare(FloatCC::GreaterThanOrEqual, x, zero);
        let canonical = self.bits(CANONICAL_NAN);
        self.select(defined, result, canonical)
    }

    /// Steps 2 to 8, without the rounding.
    fn lg2_half(&mut self, d: F64s) -> F64s {
        let offset = self.double(ONE - LG2_PIVOT);
        let u = self.double_bits_add(d, offset);
        let exponent = self.double_bits_shr(u, 52);
        let integer = self.double(LG2_INTEGER);
        let exponent = self.double_bits_or(exponent, integer);
        let bias = self.double(LG2_BIAS);
        let k = self.dsub(exponent, bias);
        let mantissa = self.double(MANTISSA);
        let mantissa = self.double_bits_and(u, mantissa);
        let pivot = self.double(LG2_PIVOT);
        let m = self.double_bits_add(mantissa, pivot);
        let log = self.lg2_mantissa(m);
        self.dadd(k, log)
    }

    fn lg2_mantissa(&mut self, m: F64s) -> F64s {
        let one = self.double(ONE);
        let above = self.dsub(m, one);
        let sum = self.dadd(m, one);
        let s = self.ddiv(above, sum);
        let z = self.dmul(s, s);
        let y = self.dmul(z, z);
        let [c0, c1, c2, c3, c4, c5, c6] = LG2_COEFFICIENTS;
        let a = self.horner(y, &[c5, c3, c1]);
        let b = self.horner(y, &[c6, c4, c2]);
        let inner = self.dmul(z, b);
        let inner = self.dadd(a, inner);
        let inner = self.dmul(z, inner);
        let c0 = self.double(c0);
        let inner = self.dadd(c0, inner);
        self.dmul(s, inner)
    }

    /// A polynomial in `x`, coefficients from the highest power down.
    fn horner(&mut self, x: F64s, coefficients: &[u64]) -> F64s {
        let mut sum = self.double(coefficients[0]);
        for &coefficient in &coefficients[1..] {
            let product = self.dmul(x, sum);
            let coefficient = self.double(coefficient);
            sum = self.dadd(coefficient, product);
        }
        sum
    }
}
