//! Forms of a number: plain, scaled, as bits.

use super::{CHECKED, Data, Num, Numbers, Operand, Origin, SCALE, UNSCALE};
use crate::emit::lanes::{F32s, Lanes};
use crate::emit::pica::layout::splat_offset;

impl Numbers<'_> {
    /// The number without scale; its sign of zero may be dirty.
    pub(super) fn plain_form(&mut self, num: Num) -> F32s {
        if let Some(value) = self.data(num).plain {
            return value;
        }
        match self.data(num).origin {
            Origin::Splat(slot) => self.l.load_floats(self.splats, splat_offset(slot)),
            Origin::Row(row, component) => self.row_form(row, component, false),
            Origin::Constant(value) => self.l.float(value),
            Origin::Ones(mask) => {
                let one = self.l.float(1.0);
                self.keep_plain(num, |l| l.keep(mask, one))
            }
            Origin::Computed => {
                let scaled = self.scaled_form(num);
                let unscale = self.l.float(UNSCALE);
                self.keep_plain(num, |l| l.fmul(scaled, unscale))
            }
        }
    }

    pub(super) fn keep_plain(&mut self, num: Num, make: impl FnOnce(&mut Lanes<'_>) -> F32s) -> F32s {
        let value = make(&mut self.l);
        self.data_mut(num).plain = Some(value);
        value
    }

    /// The number times 2^-64. `ConsoleFast` only.
    pub(super) fn scaled_form(&mut self, num: Num) -> F32s {
        if let Some(value) = self.data(num).scaled {
            return value;
        }
        let value = match self.data(num).origin {
            Origin::Splat(slot) => return self.l.load_floats(self.scaled_splats, splat_offset(slot)),
            Origin::Row(row, component) => return self.row_form(row, component, true),
            Origin::Constant(value) => return self.l.float(value * SCALE),
            Origin::Ones(mask) => {
                let one = self.l.float(SCALE);
                self.l.keep(mask, one)
            }
            Origin::Computed => {
                let plain = self.plain_form(num);
                let scale = self.l.float(SCALE);
                self.l.fmul(plain, scale)
            }
        };
        self.data_mut(num).scaled = Some(value);
        value
    }

    /// Instructions that the two forms of a number cost now: plain, scaled.
    pub(super) fn costs(&self, num: Num) -> [u32; 2] {
        let data = self.data(num);
        match data.origin {
            Origin::Splat(_) | Origin::Constant(_) => [0, 0],
            Origin::Row(row, _) => {
                // Once one table's row is loaded, the other's would be work for nothing.
                let [plain, scaled] = &self.rows[row].forms;
                [u32::from(scaled.lanes.is_some()), u32::from(plain.lanes.is_some())]
            }
            _ => [u32::from(data.plain.is_none()), u32::from(data.scaled.is_none())],
        }
    }

    /// Applies a pending negation, and makes +0 of a -0 that stands for it.
    pub(super) fn finish(&mut self, value: F32s, negate: bool, dirty: bool) -> F32s {
        match (negate, dirty) {
            (false, false) => value,
            (true, false) => self.l.negate(value),
            (false, true) => {
                let zero = self.l.float(0.0);
                self.l.fadd(value, zero)
            }
            (true, true) => {
                let zero = self.l.float(0.0);
                self.l.fsub(zero, value)
            }
        }
    }

    /// The register's bits, as a program sees them. A NaN seen here is flagged.
    pub(crate) fn bits_of(&mut self, operand: Operand) -> F32s {
        self.observe(operand);
        let dirty = self.data(operand.num).dirty;
        let value = self.plain_form(operand.num);
        self.finish(value, operand.negate, dirty)
    }

    /// The magnitude of the register.
    pub(crate) fn magnitude_of(&mut self, operand: Operand) -> F32s {
        self.observe(operand);
        let value = self.plain_form(operand.num);
        self.l.magnitude(value)
    }

    /// The number without scale, negated where asked; the sign of zero may be dirty.
    pub(super) fn signed_plain(&mut self, operand: Operand) -> F32s {
        let value = self.plain_form(operand.num);
        self.finish(value, operand.negate, false)
    }

    /// A source operand with its sign flipped, for arithmetic, which does not see the sign of zero where it
    /// is dirty.
    pub(crate) fn flipped(operand: Operand) -> Operand {
        Operand { negate: !operand.negate, ..operand }
    }

    /// A source operand with its sign flipped as registers are, that of zero too, for copies.
    pub(crate) fn negated(&mut self, operand: Operand) -> Operand {
        let clean = self.cleaned(operand);
        if self.data(clean.num).negative_zero {
            return Operand { negate: !clean.negate, ..clean };
        }
        // The copy may hold a -0 that means it; the original cannot.
        let copy = Data { negative_zero: true, ..self.data(clean.num).clone() };
        let copy = self.add_data(copy);
        Operand { negate: !clean.negate, ..copy }
    }

    /// The number with the sign of zero that the register has.
    pub(super) fn cleaned(&mut self, operand: Operand) -> Operand {
        if !self.data(operand.num).dirty {
            return operand;
        }
        let bound = self.data(operand.num).bound;
        let scaled = self.data(operand.num).scaled.is_some();
        let value = if scaled { self.scaled_form(operand.num) } else { self.plain_form(operand.num) };
        let value = self.finish(value, operand.negate, true);
        let mut data = Data { bound, negative_zero: false, ..Data::new(Origin::Computed) };
        if scaled {
            data.scaled = Some(value);
        } else {
            data.plain = Some(value);
        }
        self.add_data(data)
    }

    /// `ConsoleFast`: makes sure that the number is bounded.
    pub(super) fn bounded(&mut self, num: Num) {
        if self.data(num).bound.is_finite() {
            return;
        }
        if self.data(num).plain.is_some() {
            let value = self.plain_form(num);
            self.check(value, CHECKED);
        } else {
            let value = self.scaled_form(num);
            self.check(value, CHECKED * SCALE);
        }
        self.data_mut(num).bound = CHECKED;
    }
}
