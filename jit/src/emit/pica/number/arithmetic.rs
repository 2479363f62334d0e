//! Arithmetic: each operation in each of the four arithmetics.

use super::{Arithmetic, CHECKED, Data, HALF_SCALE, Num, Numbers, Operand, Origin, ROOM, SCALE, grown};
use crate::emit::lanes::F32s;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use picaflor_pipeline::pica::float::{CANONICAL_NAN, MANTISSA_MASK, OVERFLOW, SMALLEST_NORMAL};

impl Numbers<'_> {
    /// `a × b` with 0 × ∞ = 0.
    pub(crate) fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        match self.arithmetic {
            Arithmetic::Binary32Fast => {
                if let Some(result) = self.mul_by_one(a, b) {
                    return result;
                }
                let (x, y) = (self.plain_form(a.num), self.plain_form(b.num));
                let product = self.l.fmul(x, y);
                self.ieee(product, a.negate ^ b.negate)
            }
            Arithmetic::ConsoleFast => self.mul_console(a, b),
            Arithmetic::Binary32Exact => {
                let (x, y) = (self.signed_plain(a), self.signed_plain(b));
                let product = self.product_exact(x, y);
                self.plain(product, f32::INFINITY, true)
            }
            Arithmetic::ConsoleExact => {
                let (x, y) = (self.flushed(a), self.flushed(b));
                let product = self.product_exact(x, y);
                self.truncated(product)
            }
        }
    }

    /// An arithmetic result of plain IEEE.
    pub(super) fn ieee(&mut self, value: F32s, negate: bool) -> Operand {
        let result = self.add_data(Data { plain: Some(value), unseen: true, ..Data::new(Origin::Computed) });
        Operand { negate, ..result }
    }

    pub(super) fn is_one(&self, operand: Operand) -> bool {
        self.data(operand.num).origin == Origin::Constant(1.0)
    }

    /// The other factor when one is 1: its bits, unless it is NaN (then canonical) or, with 24 bits, -0.
    pub(super) fn mul_by_one(&mut self, a: Operand, b: Operand) -> Option<Operand> {
        let (other, one) = match (self.is_one(a), self.is_one(b)) {
            (true, _) => (b, a),
            (_, true) => (a, b),
            _ => return None,
        };
        let console = self.arithmetic == Arithmetic::ConsoleFast;
        let data = self.data(other.num).clone();
        let data = Data { unseen: !console, dirty: console, squares: Vec::new(), ..data };
        let result = self.add_data(data);
        Some(Operand { negate: other.negate ^ one.negate, ..result })
    }

    pub(super) fn mul_console(&mut self, a: Operand, b: Operand) -> Operand {
        self.bounded(a.num);
        self.bounded(b.num);
        if let Some(result) = self.mul_by_one(a, b) {
            return result;
        }
        let ([plain_a, scaled_a], [plain_b, scaled_b]) = (self.costs(a.num), self.costs(b.num));
        let (x, y) = if plain_a + scaled_b < scaled_a + plain_b {
            (self.plain_form(a.num), self.scaled_form(b.num))
        } else {
            (self.scaled_form(a.num), self.plain_form(b.num))
        };
        let product = self.l.fmul(x, y);
        let result = self.scaled_result(product, self.product_bound(a.num, b.num));
        if a == b {
            self.data_mut(result.num).squares = vec![a.num];
        }
        Operand { negate: a.negate ^ b.negate, ..result }
    }

    pub(super) fn product_bound(&self, a: Num, b: Num) -> f32 {
        let (x, y) = (self.data(a), self.data(b));
        if x.normalises.contains(&b) || y.normalises.contains(&a) {
            // |v| / √(sum of squares with v² among them): truncation on the way adds less than 2^-13.
            return 1.001;
        }
        grown(f64::from(x.bound) * f64::from(y.bound))
    }

    /// `T` of a scaled result: truncated, checked where the bound asks for it.
    pub(super) fn scaled_result(&mut self, value: F32s, bound: f32) -> Operand {
        let value = self.l.and_bits(value, MANTISSA_MASK);
        let bound = if bound < ROOM {
            bound
        } else {
            self.check(value, CHECKED * SCALE);
            CHECKED
        };
        let data = Data {
            scaled: Some(value),
            bound,
            dirty: true,
            negative_zero: false,
            ..Data::new(Origin::Computed)
        };
        self.add_data(data)
    }

    /// `T` of a result without scale that is known not to underflow.
    pub(super) fn plain_result(&mut self, value: F32s, bound: f32) -> Operand {
        let value = self.l.and_bits(value, MANTISSA_MASK);
        let data = Data { dirty: true, negative_zero: false, ..Data::new(Origin::Computed) };
        self.add_data(Data { plain: Some(value), bound, ..data })
    }

    pub(super) fn product_exact(&mut self, a: F32s, b: F32s) -> F32s {
        let product = self.l.fmul(a, b);
        let nan = self.l.compare(FloatCC::Unordered, product, product);
        let brought = self.l.compare(FloatCC::Unordered, a, b);
        let canonical = self.l.bits(CANONICAL_NAN);
        let replacement = self.l.keep(brought, canonical);
        self.l.select(nan, replacement, product)
    }

    /// `a + b`.
    pub(crate) fn add(&mut self, a: Operand, b: Operand) -> Operand {
        match self.arithmetic {
            Arithmetic::Binary32Fast => {
                let (x, y) = match (a.negate, b.negate) {
                    (true, true) => (self.signed_plain(a), self.plain_form(b.num)),
                    _ => (self.plain_form(a.num), self.plain_form(b.num)),
                };
                let sum = match (a.negate, b.negate) {
                    (false, false) => self.l.fadd(x, y),
                    (_, true) => self.l.fsub(x, y),
                    (true, false) => self.l.fsub(y, x),
                };
                self.ieee(sum, false)
            }
            Arithmetic::ConsoleFast => self.add_console(a, b),
            Arithmetic::Binary32Exact => {
                let (x, y) = (self.signed_plain(a), self.signed_plain(b));
                let sum = self.l.fadd(x, y);
                self.canonical(sum)
            }
            Arithmetic::ConsoleExact => {
                let (x, y) = (self.flushed(a), self.flushed(b));
                let sum = self.l.fadd(x, y);
                self.truncated(sum)
            }
        }
    }

    pub(super) fn add_console(&mut self, a: Operand, b: Operand) -> Operand {
        self.bounded(a.num);
        self.bounded(b.num);
        let (x, y) = (self.scaled_form(a.num), self.scaled_form(b.num));
        let sum = match (a.negate, b.negate) {
            (false, true) => self.l.fsub(x, y),
            (true, false) => self.l.fsub(y, x),
            _ => self.l.fadd(x, y),
        };
        let bound = grown(f64::from(self.data(a.num).bound) + f64::from(self.data(b.num).bound));
        let squares = self.summed_squares(a, b);
        let result = self.scaled_result(sum, bound);
        self.data_mut(result.num).squares = squares;
        Operand { negate: a.negate && b.negate, ..result }
    }

    pub(super) fn summed_squares(&self, a: Operand, b: Operand) -> Vec<Num> {
        let (x, y) = (&self.data(a.num).squares, &self.data(b.num).squares);
        if x.is_empty() || y.is_empty() || a.negate || b.negate {
            Vec::new()
        } else {
            [x.as_slice(), y].concat()
        }
    }

    /// `Binary32Exact`: a NaN becomes the canonical one.
    pub(super) fn canonical(&mut self, value: F32s) -> Operand {
        let nan = self.l.compare(FloatCC::Unordered, value, value);
        let canonical = self.l.bits(CANONICAL_NAN);
        let value = self.l.select(nan, canonical, value);
        self.plain(value, f32::INFINITY, true)
    }

    /// `ConsoleExact`: the operand with everything below the smallest normal made +0.
    pub(super) fn flushed(&mut self, operand: Operand) -> F32s {
        let flushed = self.data(operand.num).flushed;
        let value = self.signed_plain(operand);
        if flushed && !operand.negate { value } else { self.flush(value) }
    }

    pub(super) fn flush(&mut self, value: F32s) -> F32s {
        let magnitude = self.l.magnitude(value);
        let magnitude = self.l.as_ints(magnitude);
        let least = self.l.int(SMALLEST_NORMAL as i32 - 1);
        let normal = self.l.int_compare(IntCC::SignedGreaterThan, magnitude, least);
        self.l.keep(normal, value)
    }

    /// `T`, whole.
    pub(super) fn truncate_exact(&mut self, value: F32s) -> F32s {
        let kept = self.l.and_bits(value, MANTISSA_MASK);
        let magnitude = self.l.magnitude(value);
        let magnitude = self.l.as_ints(magnitude);
        let least = self.l.int(SMALLEST_NORMAL as i32 - 1);
        let normal = self.l.int_compare(IntCC::SignedGreaterThan, magnitude, least);
        let kept = self.l.keep(normal, kept);
        let most = self.l.int(OVERFLOW as i32 - 1);
        let beyond = self.l.int_compare(IntCC::SignedGreaterThan, magnitude, most);
        let sign = self.l.and_bits(value, 0x8000_0000);
        let infinity = self.l.float(f32::INFINITY);
        let signed_infinity = self.l.or_floats(sign, infinity);
        let result = self.l.select(beyond, signed_infinity, kept);
        let nan = self.l.compare(FloatCC::Unordered, value, value);
        let canonical = self.l.bits(CANONICAL_NAN);
        self.l.select(nan, canonical, result)
    }

    pub(super) fn truncated(&mut self, value: F32s) -> Operand {
        let value = self.truncate_exact(value);
        let data = Data { plain: Some(value), flushed: true, ..Data::new(Origin::Computed) };
        self.add_data(Data { negative_zero: false, ..data })
    }

    /// A result of a one-operand function that the profile rounds.
    pub(super) fn rounded(&mut self, value: F32s) -> Operand {
        match self.arithmetic {
            Arithmetic::Binary32Exact => self.canonical(value),
            Arithmetic::ConsoleExact => self.truncated(value),
            Arithmetic::Binary32Fast => self.ieee(value, false),
            Arithmetic::ConsoleFast => {
                self.check(value, CHECKED);
                self.plain_result(value, CHECKED)
            }
        }
    }

    /// The operand of a one-operand function.
    pub(super) fn argument(&mut self, a: Operand) -> F32s {
        match self.arithmetic {
            Arithmetic::ConsoleExact => self.flushed(a),
            _ => self.signed_plain(a),
        }
    }

    /// `1 / a`.
    pub(crate) fn rcp(&mut self, a: Operand) -> Operand {
        if self.arithmetic != Arithmetic::ConsoleFast {
            let x = self.argument(a);
            let one = self.l.float(1.0);
            let quotient = self.l.fdiv(one, x);
            return self.rounded(quotient);
        }
        self.bounded(a.num);
        if self.data(a.num).bound > CHECKED {
            // Keeps the quotient above the smallest normal.
            self.data_mut(a.num).bound = f32::INFINITY;
            self.bounded(a.num);
        }
        let (numerator, x) = match self.data(a.num).scaled {
            Some(x) => (SCALE, x),
            None => (1.0, self.plain_form(a.num)),
        };
        let numerator = self.l.float(numerator);
        let quotient = self.l.fdiv(numerator, x);
        let result = self.rounded(quotient);
        Operand { negate: a.negate, ..result }
    }

    /// `1 / √a`.
    pub(crate) fn rsq(&mut self, a: Operand) -> Operand {
        // √(a × 2^-64) is √a × 2^-32 exactly, because both roots are rounded alike.
        let scaled = match self.arithmetic {
            Arithmetic::ConsoleFast => {
                self.bounded(a.num);
                self.data(a.num).scaled
            }
            _ => None,
        };
        let (numerator, x) = match scaled {
            Some(x) => (HALF_SCALE, self.finish(x, a.negate, false)),
            None => (1.0, self.argument(a)),
        };
        let root = self.l.sqrt(x);
        let numerator = self.l.float(numerator);
        let quotient = self.l.fdiv(numerator, root);
        let result = self.rounded(quotient);
        if !a.negate {
            self.data_mut(result.num).normalises = self.data(a.num).squares.clone();
        }
        result
    }

    /// 2 to the power `a`.
    pub(crate) fn ex2(&mut self, a: Operand) -> Operand {
        let console = matches!(self.arithmetic, Arithmetic::ConsoleFast | Arithmetic::ConsoleExact);
        let x = self.argument(a);
        let power = self.l.ex2(x, console);
        if self.arithmetic != Arithmetic::ConsoleFast {
            return self.rounded(power);
        }
        self.bounded(a.num);
        self.check(power, CHECKED);
        // Small powers underflow: the scaled form is flushed.
        let scale = self.l.float(SCALE);
        let scaled = self.l.fmul(power, scale);
        self.scaled_result(scaled, CHECKED)
    }

    /// Logarithm of `a` to base 2.
    pub(crate) fn lg2(&mut self, a: Operand) -> Operand {
        let x = self.argument(a);
        // Of a 24-bit value other than 1 it is at least 2^-17 in magnitude, so it cannot underflow.
        let log = self.l.lg2(x);
        self.rounded(log)
    }

    /// Floor of `a`.
    pub(crate) fn flr(&mut self, a: Operand) -> Operand {
        let x = self.argument(a);
        let floor = self.l.floor(x);
        if self.arithmetic != Arithmetic::ConsoleFast {
            return self.rounded(floor);
        }
        self.bounded(a.num);
        let bound = grown(f64::from(self.data(a.num).bound) + 1.0);
        self.plain_result(floor, bound)
    }
}
