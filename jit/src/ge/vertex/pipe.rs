//! Numbers of four vertices, as code.

use super::Group;
use crate::emit::ge::row::Quadruple;
use crate::emit::ge::vertices::{INTEGERS_BYTES, NUMBERS_BYTES};
use crate::emit::lanes::{F64s, I32s, Lanes, Scalar};
use cranelift_codegen::ir::condcodes::FloatCC;

/// Numbers of four vertices.
pub(super) type Num = Quadruple;

/// A vector.
pub(super) type Vec3 = [Num; 3];

/// Bits of a double that its 16 significant ones leave.
const KEPT: u64 = u64::MAX << 37;

/// The function under construction.
pub(super) struct Pipe<'q, 'f> {
    pub(super) l: &'q mut Lanes<'f>,
    /// Constants of the batch.
    pub(super) constants: Scalar,
}

impl<'q, 'f> Pipe<'q, 'f> {
    pub(super) const fn new(l: &'q mut Lanes<'f>, constants: Scalar) -> Self {
        Self { l, constants }
    }

    /// Stores numbers of the group.
    pub(super) fn store<const N: usize>(&mut self, numbers: [Num; N], group: Group, offset: i32) {
        for (number, at) in numbers.iter().zip((offset..).step_by(NUMBERS_BYTES as usize)) {
            self.l.store_doubles(number[0], group.numbers, at);
            self.l.store_doubles(number[1], group.numbers, at + 16);
        }
    }

    /// Stores integers of the group.
    pub(super) fn store_ints<const N: usize>(&mut self, integers: [I32s; N], group: Group, offset: i32) {
        for (lanes, at) in integers.into_iter().zip((offset..).step_by(INTEGERS_BYTES as usize)) {
            self.l.store_ints(lanes, group.integers, at);
        }
    }

    /// A double of the constants.
    pub(super) fn constant(&mut self, offset: i32) -> Num {
        [self.l.load_doubles(self.constants, offset); 2]
    }

    /// Some of them, one after the other.
    pub(super) fn constants<const N: usize>(&mut self, offset: i32) -> [Num; N] {
        std::array::from_fn(|n| self.constant(offset + 16 * n as i32))
    }

    /// A number that the code knows.
    pub(super) fn known(&mut self, value: f64) -> Num {
        [self.l.double_of(value); 2]
    }

    fn each(&mut self, a: Num, f: impl Fn(&mut Lanes<'f>, F64s) -> F64s) -> Num {
        a.map(|half| f(self.l, half))
    }

    /// 16 significant bits.
    pub(super) fn t16(&mut self, a: Num) -> Num {
        self.each(a, |l, a| {
            let kept = l.double(KEPT);
            l.double_bits_and(a, kept)
        })
    }

    /// The plain product.
    pub(super) fn times(&mut self, a: Num, b: Num) -> Num {
        [0, 1].map(|half| self.l.dmul(a[half], b[half]))
    }

    /// The plain sum.
    pub(super) fn plus(&mut self, a: Num, b: Num) -> Num {
        [0, 1].map(|half| self.l.dadd(a[half], b[half]))
    }

    /// Truncated and limited to 0 and `most`; 0 for a NaN.
    pub(super) fn natural(&mut self, a: Num, most: f64) -> I32s {
        let limited = self.each(a, |l, a| {
            let (zero, most) = (l.double(0), l.double_of(most));
            let above = l.double_larger(a, zero);
            let below = l.double_smaller(above, most);
            l.double_floor(below)
        });
        self.l.small_to_int(limited)
    }

    /// A whole number, limited to the ends of the type; 0 for a NaN.
    pub(super) fn saturated(&mut self, a: Num) -> I32s {
        let limited = self.each(a, |l, a| {
            let ordered = l.double_compare(FloatCC::Equal, a, a);
            let a = l.double_bits_and(a, ordered);
            let low = l.double_of(f64::from(i32::MIN));
            let high = l.double_of(f64::from(i32::MAX));
            let above = l.double_larger(a, low);
            l.double_smaller(above, high)
        });
        self.l.small_to_int(limited)
    }

    /// Toward zero.
    pub(super) fn truncated(&mut self, a: Num) -> Num {
        self.each(a, Lanes::double_trunc)
    }
}
