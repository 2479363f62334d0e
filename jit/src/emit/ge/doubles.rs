//! Operations of the GE's vertex code: more of doubles, small numbers of records.

use super::row::Quadruple;
use crate::emit::lanes::{F64s, I32s, Lanes, Scalar};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64X2, I32, I32X4};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

const fn loose() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Doubles.
impl Lanes<'_> {
    /// Toward zero.
    pub(crate) fn double_trunc(&mut self, a: F64s) -> F64s {
        F64s(self.b.ins().trunc(a.0))
    }

    /// All ones where it holds, as bits of doubles.
    pub(crate) fn double_compare(&mut self, cc: FloatCC, a: F64s, b: F64s) -> F64s {
        let mask = self.compared(cc, a.0, b.0);
        F64s(self.cast(F64X2, mask))
    }

    /// Stores both lanes.
    pub(crate) fn store_doubles(&mut self, value: F64s, base: Scalar, offset: i32) {
        self.b.ins().store(loose(), value.0, base.0, offset);
    }

    /// Integers of up to 24 bits.
    pub(crate) fn ints_to_doubles(&mut self, a: I32s) -> Quadruple {
        let floats = self.int_to_float(a);
        self.widen(floats)
    }
}

/// A number of one or two bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Small {
    pub(crate) is_short: bool,
    pub(crate) is_signed: bool,
}

/// Records.
impl Lanes<'_> {
    /// A small number at each address.
    pub(crate) fn gather_small(&mut self, at: [Scalar; 4], offset: i32, small: Small) -> I32s {
        let [first, rest @ ..] = at.map(|address| self.load_small(address, offset, small));
        let mut lanes = self.b.ins().scalar_to_vector(I32X4, first);
        for (n, number) in rest.into_iter().enumerate() {
            lanes = self.b.ins().insertlane(lanes, number, n as u8 + 1);
        }
        I32s(lanes)
    }

    fn load_small(&mut self, at: Scalar, offset: i32, small: Small) -> Value {
        let ins = self.b.ins();
        match (small.is_short, small.is_signed) {
            (false, false) => ins.uload8(I32, loose(), at.0, offset),
            (false, true) => ins.sload8(I32, loose(), at.0, offset),
            (true, false) => ins.uload16(I32, loose(), at.0, offset),
            (true, true) => ins.sload16(I32, loose(), at.0, offset),
        }
    }
}
