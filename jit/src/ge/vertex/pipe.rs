//! Arithmetic of the geometry pipe, four vertices at a time: [`number`](crate::ge::number) and [`vector`](crate::ge::vector)
//! as code.
//!
//! A sum aligns its terms to the exponent `L` of the largest. Here the terms are multiplied by a power of two that
//! makes their last place 1, truncated, added as whole numbers, and multiplied back: exact, as long as `L` is not so
//! small that the power of two is no number. Where that cannot be excluded by what is known of the terms, it is
//! looked for; those groups are the interpreter's. Infinities and NaN go through all of it as they do through a sum.

use super::Group;
use crate::emit::ge::row::Quadruple;
use crate::emit::ge::vertices::{INTEGERS_BYTES, NUMBERS_BYTES};
use crate::emit::lanes::{F64s, I32s, Lanes, Scalar};
use cranelift_codegen::ir::condcodes::FloatCC;

/// Numbers of four vertices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Num {
    pub(super) q: Quadruple,
    /// Nonzero magnitudes are at least 2 to this power.
    pub(super) least: i32,
}

/// A vector.
pub(super) type Vec3 = [Num; 3];

/// Bits of a double that its 16 significant ones leave.
const KEPT: u64 = u64::MAX << 37;
/// The exponent field.
const EXPONENT: u64 = 0x7ff << 52;
/// Least exponent for which sums are aligned here.
pub(super) const LEAST: i32 = -1005;
/// For singles, and for values uploaded as parts of one.
pub(super) const SINGLE: i32 = -149;
/// Nothing is known.
pub(super) const ANY: i32 = -4096;

/// The function under construction, and the state shared by the stages.
pub(super) struct Pipe<'q, 'f> {
    pub(super) l: &'q mut Lanes<'f>,
    /// Constants of the batch.
    pub(super) constants: Scalar,
    /// All ones in some lane where the interpreter has to do the group.
    rare: Option<F64s>,
}

impl<'q, 'f> Pipe<'q, 'f> {
    pub(super) const fn new(l: &'q mut Lanes<'f>, constants: Scalar) -> Self {
        Self { l, constants, rare: None }
    }

    /// All ones where the interpreter has to do the group.
    pub(super) const fn rare(&self) -> Option<F64s> {
        self.rare
    }

    /// A single of the constants.
    pub(super) fn single(&mut self, offset: i32) -> Num {
        self.constant(offset, SINGLE)
    }

    /// Stores numbers of the group.
    pub(super) fn store<const N: usize>(&mut self, numbers: [Num; N], group: Group, offset: i32) {
        for (number, at) in numbers.iter().zip((offset..).step_by(NUMBERS_BYTES as usize)) {
            self.l.store_doubles(number.q[0], group.numbers, at);
            self.l.store_doubles(number.q[1], group.numbers, at + 16);
        }
    }

    /// Stores integers of the group.
    pub(super) fn store_ints<const N: usize>(&mut self, integers: [I32s; N], group: Group, offset: i32) {
        for (lanes, at) in integers.into_iter().zip((offset..).step_by(INTEGERS_BYTES as usize)) {
            self.l.store_ints(lanes, group.integers, at);
        }
    }

    /// A double of the constants.
    pub(super) fn constant(&mut self, offset: i32, least: i32) -> Num {
        Num { q: [self.l.load_doubles(self.constants, offset); 2], least }
    }

    /// Three of them, one after the other.
    pub(super) fn constants(&mut self, offset: i32, least: i32) -> Vec3 {
        [0, 16, 32].map(|at| self.constant(offset + at, least))
    }

    /// A number that the code knows: 0, or a power of two that is not small.
    pub(super) fn known(&mut self, value: f64) -> Num {
        Num { q: [self.l.double_of(value); 2], least: -1 }
    }

    fn each(&mut self, a: Num, least: i32, f: impl Fn(&mut Lanes<'f>, F64s) -> F64s) -> Num {
        Num { q: a.q.map(|half| f(self.l, half)), least }
    }

    fn both(&mut self, a: Num, b: Num, least: i32, f: impl Fn(&mut Lanes<'f>, F64s, F64s) -> F64s) -> Num {
        Num { q: [0, 1].map(|half| f(self.l, a.q[half], b.q[half])), least }
    }

    /// 16 significant bits.
    pub(super) fn t16(&mut self, a: Num) -> Num {
        self.each(a, a.least, |l, a| {
            let kept = l.double(KEPT);
            l.double_bits_and(a, kept)
        })
    }

    /// The plain product.
    pub(super) fn times(&mut self, a: Num, b: Num) -> Num {
        let least = (a.least + b.least).max(ANY);
        self.both(a, b, least, Lanes::dmul)
    }

    /// The plain sum, without known bounds.
    pub(super) fn plus(&mut self, a: Num, b: Num) -> Num {
        self.both(a, b, ANY, Lanes::dadd)
    }

    /// The plain quotient.
    pub(super) fn over(&mut self, a: Num, b: Num) -> Num {
        self.both(a, b, ANY, Lanes::ddiv)
    }

    /// The truncated product.
    pub(super) fn mul(&mut self, a: Num, b: Num) -> Num {
        let product = self.times(a, b);
        self.t16(product)
    }

    /// The truncated reciprocal.
    pub(super) fn reciprocal(&mut self, a: Num) -> Num {
        let one = self.known(1.0);
        let quotient = self.over(one, a);
        self.t16(quotient)
    }

    /// The sum of products that aligns its terms.
    pub(super) fn dot<const N: usize>(&mut self, a: [Num; N], b: [Num; N]) -> Num {
        let terms: [Num; N] = std::array::from_fn(|n| self.times(a[n], b[n]));
        self.aligned(&terms, 2)
    }

    /// The sum of terms with guard bits.
    pub(super) fn aligned(&mut self, terms: &[Num], guard: u64) -> Num {
        let least = terms.iter().map(|term| term.least).min().unwrap_or(0);
        let q = [0, 1].map(|half| {
            let halves: Vec<F64s> = terms.iter().map(|term| term.q[half]).collect();
            self.aligned_half(&halves, guard, least < LEAST)
        });
        // The last place of the terms.
        Num { q, least: least.max(LEAST) - 17 }
    }

    fn aligned_half(&mut self, terms: &[F64s], guard: u64, may_be_small: bool) -> F64s {
        let l = &mut *self.l;
        let mut largest = l.double_magnitude(terms[0]);
        for &term in &terms[1..] {
            let magnitude = l.double_magnitude(term);
            largest = l.double_larger(magnitude, largest);
        }
        let least = l.double(((LEAST + 1023) as u64) << 52);
        // Otherwise the largest can be 0, and the powers some numbers that leave zeros as they are.
        let limited = if may_be_small { l.double_larger(largest, least) } else { largest };
        let exponents = l.double(EXPONENT);
        let exponent = l.double_bits_and(limited, exponents);
        // Two to the power that makes the last place 1, and its reciprocal.
        let top = l.double((2061 + guard) << 52);
        let up = l.double_bits_sub(top, exponent);
        let place = l.double((15 + guard) << 52);
        let down = l.double_bits_sub(exponent, place);
        let [first, rest @ ..] = terms else { return l.double(0) };
        let scaled = l.dmul(*first, up);
        let mut sum = l.double_trunc(scaled);
        for &term in rest {
            let scaled = l.dmul(term, up);
            let whole = l.double_trunc(scaled);
            sum = l.dadd(sum, whole);
        }
        let sum = l.dmul(sum, down);
        // A sum of zeros is +0.
        let zero = l.double(0);
        let sum = l.dadd(sum, zero);
        let kept = l.double(KEPT);
        let sum = l.double_bits_and(sum, kept);
        if may_be_small {
            let zero = l.double(0);
            let small = l.double_compare(FloatCC::LessThan, largest, least);
            let something = l.double_compare(FloatCC::NotEqual, largest, zero);
            let rare = l.double_bits_and(small, something);
            self.raise(rare);
        }
        sum
    }

    /// Leaves groups with a NaN among these numbers to the interpreter. For the machine a product with a zero factor
    /// is 0, whatever the other factor (1.4); here infinity times 0 is NaN. It goes through every later sum, so it is
    /// looked for at the ends only. (Infinities of both signs raise too.)
    pub(super) fn without_nan(&mut self, numbers: &[Num]) {
        let [first, rest @ ..] = numbers else { return };
        for half in 0..2 {
            let mut sum = first.q[half];
            for number in rest {
                sum = self.l.dadd(sum, number.q[half]);
            }
            let nan = self.l.double_compare(FloatCC::NotEqual, sum, sum);
            self.raise(nan);
        }
    }

    /// Groups with a lane that is set are the interpreter's.
    pub(super) fn raise(&mut self, lanes: F64s) {
        self.rare = Some(match self.rare {
            Some(rare) => self.l.double_bits_or(rare, lanes),
            None => lanes,
        });
    }

    /// The product with axes and translation.
    pub(super) fn point(&mut self, v: Vec3, matrix: i32) -> Vec3 {
        [0, 1, 2].map(|c| {
            let column = [0, 3, 6, 9].map(|row| self.single(matrix + (row + c) * 16));
            self.affine(v, column)
        })
    }

    /// `(v, 1)` times a column.
    pub(super) fn affine(&mut self, [x, y, z]: Vec3, [a, b, c, d]: [Num; 4]) -> Num {
        let [x, y, z] = [(x, a), (y, b), (z, c)].map(|(v, m)| self.times(v, m));
        self.aligned(&[x, y, z, d], 2)
    }
}

/// Directions.
pub(super) struct Direction {
    pub(super) unit: Vec3,
    /// All ones where there is none.
    none: Quadruple,
}

impl<'f> Pipe<'_, 'f> {
    /// The direction of a vector.
    pub(super) fn direction_of(&mut self, v: Vec3) -> Direction {
        let squared = self.dot(v, v);
        let root = self.each(squared, squared.least / 2 - 1, Lanes::double_sqrt);
        let length = self.t16(root);
        let reciprocal = self.reciprocal(length);
        let unit = v.map(|component| self.mul(component, reciprocal));
        let none = length.q.map(|length| {
            let zero = self.l.double(0);
            self.l.double_compare(FloatCC::Equal, length, zero)
        });
        Direction { unit, none }
    }

    /// The unit vector, or another one where there is none: its z.
    pub(super) fn unit_or(&mut self, direction: &Direction, z: f64) -> Vec3 {
        [0.0, 0.0, z].into_iter().enumerate().fold(direction.unit, |mut unit, (n, other)| {
            let Num { q, least } = unit[n];
            let q = [0, 1].map(|half| {
                let other = self.l.double_of(other);
                self.l.double_select(direction.none[half], other, q[half])
            });
            unit[n] = Num { q, least };
            unit
        })
    }

    /// Every sign flipped.
    pub(super) fn negated(&mut self, v: Vec3) -> Vec3 {
        v.map(|component| {
            self.each(component, component.least, |l, a| {
                let sign = l.double(1 << 63);
                l.double_bits_xor(a, sign)
            })
        })
    }
}

/// Whole numbers.
impl<'f> Pipe<'_, 'f> {
    /// Truncated and limited to 0 and `most`; 0 for a NaN.
    pub(super) fn natural(&mut self, a: Num, most: f64) -> I32s {
        let limited = a.q.map(|a| {
            let (zero, most) = (self.l.double(0), self.l.double_of(most));
            let above = self.l.double_larger(a, zero);
            let below = self.l.double_smaller(above, most);
            self.l.double_floor(below)
        });
        self.l.small_to_int(limited)
    }

    /// A whole number, limited to the ends of the type; 0 for a NaN.
    pub(super) fn saturated(&mut self, a: Num) -> I32s {
        let limited = a.q.map(|a| {
            let ordered = self.l.double_compare(FloatCC::Equal, a, a);
            let a = self.l.double_bits_and(a, ordered);
            let low = self.l.double_of(f64::from(i32::MIN));
            let high = self.l.double_of(f64::from(i32::MAX));
            let above = self.l.double_larger(a, low);
            self.l.double_smaller(above, high)
        });
        self.l.small_to_int(limited)
    }

    /// Toward zero.
    pub(super) fn truncated(&mut self, a: Num) -> Num {
        self.each(a, ANY, Lanes::double_trunc)
    }
}
