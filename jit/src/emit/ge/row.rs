//! Operations of the GE's pixel code: doubles, 16-bit pixels, integers.

use crate::emit::lanes::{F64s, I32s, Lanes, Mask, Scalar};
use crate::emit::pixels::Colour;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{F32, F64, F64X2, I8X16, I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{ConstantData, InstBuilder, MemFlagsData, Value};

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

    /// One double in both lanes.
    pub(crate) fn load_double(&mut self, base: Scalar, offset: i32) -> F64s {
        let value = self.b.ins().load(F64, loose(), base.0, offset);
        F64s(self.b.ins().splat(F64X2, value))
    }

    /// A count in both lanes.
    pub(crate) fn count_to_doubles(&mut self, count: Scalar) -> F64s {
        let value = self.b.ins().fcvt_from_sint(F64, count.0);
        F64s(self.b.ins().splat(F64X2, value))
    }

    /// Two constants.
    pub(crate) fn double_pair(&mut self, pair: [f64; 2]) -> F64s {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&pair[0].to_le_bytes());
        bytes[8..].copy_from_slice(&pair[1].to_le_bytes());
        F64s(self.vector_constant(bytes, F64X2))
    }

    pub(crate) fn double_floor(&mut self, a: F64s) -> F64s {
        F64s(self.b.ins().floor(a.0))
    }

    /// Whole numbers as integers, limited to 2^30 on both sides; a NaN becomes -2^30.
    pub(crate) fn whole_to_int(&mut self, a: Quadruple) -> I32s {
        let (low, high) = (self.double_of(f64::from(-(1 << 30))), self.double_of(f64::from(1 << 30)));
        let limited = a.map(|a| {
            let above = self.double_larger(a, low);
            self.double_smaller(above, high)
        });
        self.small_to_int(limited)
    }

    /// Whole numbers that fit 32 bits.
    pub(crate) fn small_to_int(&mut self, a: Quadruple) -> I32s {
        self.rounded_less(a, 0)
    }

    /// Rounded to a whole number, less another one; what does not fit 32 bits becomes some number.
    pub(crate) fn rounded_less(&mut self, a: Quadruple, less: u32) -> I32s {
        // 1.5 * 2^52 leaves the number in the low half of the pattern.
        let magic = self.double_of(6_755_399_441_055_744.0 - f64::from(less));
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

    /// `a` where both bits say so, else `b`.
    pub(crate) fn double_select(&mut self, mask: F64s, a: F64s, b: F64s) -> F64s {
        F64s(self.b.ins().bitselect(mask.0, a.0, b.0))
    }
}

/// Variables of two doubles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DoubleVar(cranelift_frontend::Variable);

impl Lanes<'_> {
    pub(crate) fn double_var(&mut self) -> DoubleVar {
        DoubleVar(self.b.declare_var(F64X2))
    }

    pub(crate) fn set_double(&mut self, var: DoubleVar, value: F64s) {
        self.b.def_var(var.0, value.0);
    }

    pub(crate) fn get_double(&mut self, var: DoubleVar) -> F64s {
        F64s(self.b.use_var(var.0))
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

    /// Each lane shifted right by a count, with its sign.
    pub(crate) fn int_sar_by(&mut self, a: I32s, by: Scalar) -> I32s {
        I32s(self.b.ins().sshr(a.0, by.0))
    }

    /// The lanes in another order.
    pub(crate) fn int_order(&mut self, a: I32s, lanes: [u8; 4]) -> I32s {
        I32s(self.permute(a.0, lanes))
    }

    /// 32 bits of memory, with their sign, as a count.
    pub(crate) fn load_i32(&mut self, base: Scalar, offset: i32) -> Scalar {
        Scalar(self.b.ins().sload32(loose(), base.0, offset))
    }

    /// The low 32 bits of a count in each lane.
    pub(crate) fn count_to_ints(&mut self, count: Scalar) -> I32s {
        let low = self.b.ins().ireduce(I32, count.0);
        I32s(self.b.ins().splat(I32X4, low))
    }

    /// Four constants.
    pub(crate) fn int_lanes(&mut self, lanes: [i32; 4]) -> I32s {
        let mut bytes = [0; 16];
        for (to, lane) in bytes.chunks_exact_mut(4).zip(lanes) {
            to.copy_from_slice(&lane.to_le_bytes());
        }
        I32s(self.vector_constant(bytes, I32X4))
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

    /// True if `a < b`, signed, as a branch condition.
    pub(crate) fn scalar_less(&mut self, a: Scalar, b: Scalar) -> Value {
        self.b.ins().icmp(cranelift_codegen::ir::condcodes::IntCC::SignedLessThan, a.0, b.0)
    }

    /// `a` where a number is not 0, else `b`.
    pub(crate) fn scalar_select(&mut self, number: Scalar, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().select(number.0, a.0, b.0))
    }

    /// The smaller one, signed.
    pub(crate) fn scalar_min(&mut self, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().smin(a.0, b.0))
    }

    /// The bits of a double rounded to a single, as an unsigned count.
    pub(crate) fn single_bits(&mut self, a: F64s) -> Scalar {
        let double = self.b.ins().extractlane(a.0, 0);
        let single = self.b.ins().fdemote(F32, double);
        let bits = self.b.ins().bitcast(I32, MemFlagsData::new(), single);
        Scalar(self.b.ins().uextend(I64, bits))
    }

    /// True in all lanes of 32 bits of a double that is all ones.
    pub(crate) fn double_mask(&mut self, a: F64s) -> Mask {
        Mask(self.cast(I32X4, a.0))
    }

    /// Lane `n` of both halves in both lanes.
    pub(crate) fn double_broadcast(&mut self, a: F64s, n: u8) -> F64s {
        let lane = self.b.ins().extractlane(a.0, n);
        F64s(self.b.ins().splat(F64X2, lane))
    }

    /// Without the sign.
    pub(crate) fn double_magnitude(&mut self, a: F64s) -> F64s {
        let mask = self.double(i64::MAX.cast_unsigned());
        self.double_bits_and(a, mask)
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
