//! Copies and comparisons: the operations that observe bits and the sign of zero.

use super::{Arithmetic, Data, Numbers, Operand, Origin};
use crate::emit::lanes::{F32s, I32s, Lanes, Mask};
use cranelift_codegen::ir::condcodes::FloatCC;
use picaflor_pipeline::pica::shader::ops::Compare;

impl Numbers<'_> {
    /// `a > b ? a : b` (or `<`), bits and all.
    pub(super) fn pick(
        &mut self,
        a: Operand,
        b: Operand,
        pick: fn(&mut Lanes<'_>, F32s, F32s) -> F32s,
    ) -> Operand {
        self.observe(a);
        self.observe(b);
        if self.arithmetic != Arithmetic::ConsoleFast {
            let (x, y) = (self.signed_plain(a), self.signed_plain(b));
            let value = pick(&mut self.l, x, y);
            return self.plain(value, f32::INFINITY, true);
        }
        self.bounded(a.num);
        self.bounded(b.num);
        let (a, b) = self.comparable_zeros(a, b);
        let ([plain_a, scaled_a], [plain_b, scaled_b]) = (self.costs(a.num), self.costs(b.num));
        let plain = plain_a + plain_b < scaled_a + scaled_b;
        let [x, y] = [a, b].map(|o| {
            let value = if plain { self.plain_form(o.num) } else { self.scaled_form(o.num) };
            self.finish(value, o.negate, false)
        });
        let value = pick(&mut self.l, x, y);
        let (da, db) = (self.data(a.num), self.data(b.num));
        let data = Data {
            bound: da.bound.max(db.bound),
            dirty: da.dirty || db.dirty,
            negative_zero: da.negative_zero || db.negative_zero || a.negate || b.negate,
            plain: plain.then_some(value),
            scaled: (!plain).then_some(value),
            ..Data::new(Origin::Computed)
        };
        self.add_data(data)
    }

    /// Cleans one operand if the other may hold an intended -0: the result could not tell them apart.
    pub(super) fn comparable_zeros(&mut self, a: Operand, b: Operand) -> (Operand, Operand) {
        let (da, db) = (self.data(a.num), self.data(b.num));
        let (clean_a, clean_b) = (
            da.dirty && !db.dirty && (db.negative_zero || b.negate),
            db.dirty && !da.dirty && (da.negative_zero || a.negate),
        );
        (if clean_a { self.cleaned(a) } else { a }, if clean_b { self.cleaned(b) } else { b })
    }

    /// `a > b ? a : b`.
    pub(crate) fn max(&mut self, a: Operand, b: Operand) -> Operand {
        self.pick(a, b, |l, x, y| l.max(x, y))
    }

    /// `a < b ? a : b`.
    pub(crate) fn min(&mut self, a: Operand, b: Operand) -> Operand {
        self.pick(a, b, |l, x, y| l.min(x, y))
    }

    /// Mask of the lanes for which the comparison holds. Operands are not flushed, and the sign of zero does not
    /// matter.
    pub(crate) fn compare(&mut self, compare: Compare, a: Operand, b: Operand) -> Mask {
        let cc = match compare {
            Compare::Equal => FloatCC::Equal,
            Compare::NotEqual => FloatCC::NotEqual,
            Compare::Less => FloatCC::LessThan,
            Compare::LessEqual => FloatCC::LessThanOrEqual,
            Compare::Greater => FloatCC::GreaterThan,
            Compare::GreaterEqual => FloatCC::GreaterThanOrEqual,
            Compare::True => return self.l.all(),
        };
        self.observe(a);
        self.observe(b);
        let plain = if self.arithmetic == Arithmetic::ConsoleFast {
            self.bounded(a.num);
            self.bounded(b.num);
            let ([plain_a, scaled_a], [plain_b, scaled_b]) = (self.costs(a.num), self.costs(b.num));
            plain_a + plain_b < scaled_a + scaled_b
        } else {
            true
        };
        let [x, y] = [a, b].map(|o| {
            let value = if plain { self.plain_form(o.num) } else { self.scaled_form(o.num) };
            self.finish(value, o.negate, false)
        });
        self.l.compare(cc, x, y)
    }

    /// 1.0 where the mask is set, else +0.
    pub(crate) fn ones(&mut self, mask: Mask) -> Operand {
        let data = Data::new(Origin::Ones(mask));
        self.add_data(Data { bound: 1.0, negative_zero: false, flushed: true, ..data })
    }

    /// The integer that `MOVA` makes. `loose`: only offsets within a byte's range must be right.
    pub(crate) fn integer(&mut self, a: Operand, loose: bool) -> I32s {
        self.observe(a);
        if self.arithmetic == Arithmetic::ConsoleFast {
            self.bounded(a.num);
        }
        let x = self.signed_plain(a);
        if loose { self.l.float_to_int_loose(x) } else { self.l.float_to_int(x) }
    }
}
