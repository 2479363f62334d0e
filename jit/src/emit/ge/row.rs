//! Operations of the GE's pixel code: 16-bit pixels, integers; and doubles, which its vertex code has.

use crate::emit::lanes::{F64s, I32s, Lanes, Scalar};
use crate::emit::pixels::Colour;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F64X2, I8X16, I16X8, I32, I32X4, I64X2};
use cranelift_codegen::ir::{ConstantData, InstBuilder, MemFlagsData};

const fn loose() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Four doubles: the first two lanes, the last two.
pub(crate) type Quadruple = [F64s; 2];

/// Doubles.
impl Lanes<'_> {
    /// The same double everywhere.
    pub(crate) fn double_of(&mut self, value: f64) -> F64s {
        self.double(value.to_bits())
    }

    /// 16 bytes as two doubles.
    pub(crate) fn load_doubles(&mut self, base: Scalar, offset: i32) -> F64s {
        F64s(self.b.ins().load(F64X2, loose(), base.0, offset))
    }

    pub(crate) fn double_floor(&mut self, a: F64s) -> F64s {
        F64s(self.b.ins().floor(a.0))
    }

    /// Whole numbers that fit 32 bits.
    pub(crate) fn small_to_int(&mut self, a: Quadruple) -> I32s {
        // 1.5 * 2^52 leaves the number in the low half of the pattern.
        let magic = self.double_of(6_755_399_441_055_744.0);
        let [low, high] = a.map(|a| {
            let sum = self.b.ins().fadd(a.0, magic.0);
            self.cast(I8X16, sum)
        });
        let order: Vec<u8> =
            [0, 8, 16, 24].into_iter().flat_map(|from: u8| (0..4).map(move |byte| from + byte)).collect();
        let mask = self.b.func.dfg.immediates.push(ConstantData::from(order));
        let mixed = self.b.ins().shuffle(low, high, mask);
        I32s(self.cast(I32X4, mixed))
    }
}

/// Pixels of 16 bits.
impl Lanes<'_> {
    /// Four 16-bit numbers.
    pub(crate) fn load_halves(&mut self, base: Scalar, offset: i32) -> I32s {
        I32s(self.b.ins().uload16x4(loose(), base.0, offset))
    }

    /// Stores four numbers of up to 16 bits.
    pub(crate) fn store_halves(&mut self, value: I32s, base: Scalar, offset: i32) {
        let halves = self.b.ins().unarrow(value.0, value.0);
        let halves = self.cast(I64X2, halves);
        let low = self.b.ins().extractlane(halves, 0);
        self.b.ins().store(loose(), low, base.0, offset);
    }

    /// Bits `from ..` moved down by `from` and up by `to`, and those of `mask` kept.
    pub(crate) fn moved(&mut self, a: I32s, by: i8, mask: u32) -> I32s {
        let moved = match by {
            0 => a,
            1.. => self.int_shl(a, by as u8),
            _ => self.int_shr(a, by.unsigned_abs()),
        };
        let mask = self.int(mask.cast_signed());
        self.int_and(moved, mask)
    }

    /// Each lane shifted right with its sign.
    pub(crate) fn int_sar(&mut self, a: I32s, by: u8) -> I32s {
        I32s(self.b.ins().sshr_imm_u(a.0, i64::from(by)))
    }

    /// The low 32 bits of a count in each lane.
    pub(crate) fn count_to_ints(&mut self, count: Scalar) -> I32s {
        let low = self.b.ins().ireduce(I32, count.0);
        I32s(self.b.ins().splat(I32X4, low))
    }

    /// `a` and not `b`.
    pub(crate) fn int_and_not(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().band_not(a.0, b.0))
    }

    /// The bits of `a` where `mask` has ones, else those of `b`.
    pub(crate) fn int_bits(&mut self, mask: I32s, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().bitselect(mask.0, a.0, b.0))
    }

    /// Exclusive or of counts with a constant.
    pub(crate) fn scalar_xor(&mut self, a: Scalar, bits: i64) -> Scalar {
        Scalar(self.b.ins().bxor_imm_u(a.0, bits))
    }

    /// Exclusive or of counts.
    pub(crate) fn scalar_bits_xor(&mut self, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().bxor(a.0, b.0))
    }

    /// A count's bits under a constant mask.
    pub(crate) fn scalar_mask(&mut self, a: Scalar, bits: i64) -> Scalar {
        Scalar(self.b.ins().band_imm_u(a.0, bits))
    }

    /// A count shifted right by a constant.
    pub(crate) fn scalar_down(&mut self, a: Scalar, by: u8) -> Scalar {
        Scalar(self.b.ins().ushr_imm_u(a.0, i64::from(by)))
    }

    /// Bits of two counts.
    pub(crate) fn scalar_or(&mut self, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().bor(a.0, b.0))
    }

    /// Two pixels each from two different vectors of constants.
    pub(crate) fn load_four(&mut self, base: Scalar, offset: i32) -> Colour {
        Colour([0, 16].map(|half| self.b.ins().load(I16X8, loose(), base.0, offset + half)))
    }

    /// `a` where a number is not 0, else `b`.
    pub(crate) fn scalar_select(&mut self, number: Scalar, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().select(number.0, a.0, b.0))
    }

    /// `a < b ? a : b`.
    pub(crate) fn double_smaller(&mut self, a: F64s, b: F64s) -> F64s {
        let less = self.b.ins().fcmp(FloatCC::LessThan, a.0, b.0);
        let less = self.cast(F64X2, less);
        F64s(self.b.ins().bitselect(less, a.0, b.0))
    }

    /// `a > b ? a : b`.
    pub(crate) fn double_larger(&mut self, a: F64s, b: F64s) -> F64s {
        let less = self.b.ins().fcmp(FloatCC::LessThan, b.0, a.0);
        let less = self.cast(F64X2, less);
        F64s(self.b.ins().bitselect(less, a.0, b.0))
    }
}
