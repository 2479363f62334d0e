//! `F32s`, `I32s`, `Mask`: typed wrappers over CLIF values, and their operations.
//!
//! A lane is one of four vertices; a component of a guest register is one CLIF value. `b.ins()` is used in
//! `emit/` only.

use super::pixels::Colour;
use cranelift_codegen::ir::condcodes::{CondCode, FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8X16, I32X4, I64, I64X2};
use cranelift_codegen::ir::{ConstantData, Endianness, InstBuilder, MemFlagsData, Type, Value};
use cranelift_frontend::FunctionBuilder;
use std::collections::HashMap;

/// Four floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct F32s(pub(crate) Value);

/// Four integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct I32s(pub(crate) Value);

/// Four times all ones or all zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mask(pub(crate) Value);

/// Two doubles: half of the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct F64s(pub(crate) Value);

/// An address or a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scalar(pub(crate) Value);

/// The function builder with our vocabulary.
pub(crate) struct Lanes<'f> {
    /// Cranelift's builder.
    pub(crate) b: FunctionBuilder<'f>,
    /// True if the target has the x86 conversion instruction.
    pub(crate) x86: bool,
    /// Vector constants of the current block: a value of another block need not dominate.
    constants: HashMap<(u128, Type), Value>,
    /// Complements of colours, with the colours, which are known wherever those are.
    pub(super) complements: Vec<(Colour, Colour)>,
}

const fn loose() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

const fn cast() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

impl<'f> Lanes<'f> {
    pub(crate) fn new(b: FunctionBuilder<'f>, x86: bool) -> Self {
        Self { b, x86, constants: HashMap::new(), complements: Vec::new() }
    }

    /// Goes on in another block.
    pub(crate) fn switch_to(&mut self, block: cranelift_codegen::ir::Block) {
        self.constants.clear();
        self.b.switch_to_block(block);
    }

    fn constant(&mut self, bytes: [u8; 16], ty: Type) -> Value {
        let key = (u128::from_le_bytes(bytes), ty);
        if let Some(&value) = self.constants.get(&key) {
            return value;
        }
        let handle = self.b.func.dfg.constants.insert(ConstantData::from(&bytes[..]));
        let value = self.b.ins().vconst(ty, handle);
        self.constants.insert(key, value);
        value
    }

    /// The same bits in each lane.
    pub(crate) fn bits(&mut self, bits: u32) -> F32s {
        F32s(self.constant(splat_bytes(bits), F32X4))
    }

    /// The same float in each lane.
    pub(crate) fn float(&mut self, value: f32) -> F32s {
        self.bits(value.to_bits())
    }

    /// The same integer in each lane.
    pub(crate) fn int(&mut self, value: i32) -> I32s {
        I32s(self.constant(splat_bytes(value as u32), I32X4))
    }

    /// All lanes set.
    pub(crate) fn all(&mut self) -> Mask {
        Mask(self.int(-1).0)
    }

    /// No lane set.
    pub(crate) fn none(&mut self) -> Mask {
        Mask(self.int(0).0)
    }

    fn double_bits(&mut self, bits: u64, ty: Type) -> Value {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&bits.to_le_bytes());
        bytes[8..].copy_from_slice(&bits.to_le_bytes());
        self.constant(bytes, ty)
    }

    /// The same double in both lanes, from its bits.
    pub(crate) fn double(&mut self, bits: u64) -> F64s {
        F64s(self.double_bits(bits, F64X2))
    }

    /// A vector constant.
    pub(super) fn vector_constant(&mut self, bytes: [u8; 16], ty: Type) -> Value {
        self.constant(bytes, ty)
    }

    /// The same bits as another type.
    pub(super) fn cast(&mut self, ty: Type, value: Value) -> Value {
        self.recast(ty, value)
    }

    /// Lanes of one vector in another order.
    pub(super) fn permute(&mut self, a: Value, lanes: [u8; 4]) -> Value {
        self.shuffle(a, a, lanes)
    }

    fn recast(&mut self, ty: Type, value: Value) -> Value {
        if self.b.func.dfg.value_type(value) == ty { value } else { self.b.ins().bitcast(ty, cast(), value) }
    }

    /// The lanes' bits as integers.
    pub(crate) fn as_ints(&mut self, a: F32s) -> I32s {
        I32s(self.recast(I32X4, a.0))
    }

    /// The lanes' bits as floats.
    pub(crate) fn as_floats(&mut self, a: I32s) -> F32s {
        F32s(self.recast(F32X4, a.0))
    }

    fn mask_floats(&mut self, mask: Mask) -> Value {
        self.recast(F32X4, mask.0)
    }
}

/// Floats.
impl Lanes<'_> {
    pub(crate) fn fadd(&mut self, a: F32s, b: F32s) -> F32s {
        F32s(self.b.ins().fadd(a.0, b.0))
    }

    pub(crate) fn fsub(&mut self, a: F32s, b: F32s) -> F32s {
        F32s(self.b.ins().fsub(a.0, b.0))
    }

    pub(crate) fn fmul(&mut self, a: F32s, b: F32s) -> F32s {
        F32s(self.b.ins().fmul(a.0, b.0))
    }

    pub(crate) fn fdiv(&mut self, a: F32s, b: F32s) -> F32s {
        F32s(self.b.ins().fdiv(a.0, b.0))
    }

    pub(crate) fn sqrt(&mut self, a: F32s) -> F32s {
        F32s(self.b.ins().sqrt(a.0))
    }

    pub(crate) fn floor(&mut self, a: F32s) -> F32s {
        F32s(self.b.ins().floor(a.0))
    }

    /// Bitwise and with constant bits.
    pub(crate) fn and_bits(&mut self, a: F32s, bits: u32) -> F32s {
        let mask = self.bits(bits);
        F32s(self.b.ins().band(a.0, mask.0))
    }

    pub(crate) fn or_floats(&mut self, a: F32s, b: F32s) -> F32s {
        F32s(self.b.ins().bor(a.0, b.0))
    }

    /// Every sign flipped, that of zero and of a NaN too.
    pub(crate) fn negate(&mut self, a: F32s) -> F32s {
        let sign = self.bits(0x8000_0000);
        F32s(self.b.ins().bxor(a.0, sign.0))
    }

    /// Without the sign.
    pub(crate) fn magnitude(&mut self, a: F32s) -> F32s {
        self.and_bits(a, 0x7fff_ffff)
    }

    /// `a > b ? a : b`, so `b` where the comparison is unordered.
    pub(crate) fn max(&mut self, a: F32s, b: F32s) -> F32s {
        let greater = self.compare(FloatCC::LessThan, b, a);
        self.select(greater, a, b)
    }

    /// `a < b ? a : b`, so `b` where the comparison is unordered.
    pub(crate) fn min(&mut self, a: F32s, b: F32s) -> F32s {
        let less = self.compare(FloatCC::LessThan, a, b);
        self.select(less, a, b)
    }

    pub(crate) fn compare(&mut self, cc: FloatCC, a: F32s, b: F32s) -> Mask {
        Mask(self.compared(cc, a.0, b.0))
    }

    /// Lanes of two vectors of floats or doubles, compared.
    pub(super) fn compared(&mut self, cc: FloatCC, a: Value, b: Value) -> Value {
        // Cranelift has no aarch64 code for these: they hold where their complement does not.
        let is_missing = matches!(cc, FloatCC::UnorderedOrLessThan | FloatCC::UnorderedOrGreaterThan);
        if is_missing && !self.x86 {
            let not = self.b.ins().fcmp(cc.complement(), a, b);
            self.b.ins().bnot(not)
        } else {
            self.b.ins().fcmp(cc, a, b)
        }
    }

    /// `a` where the mask is set, else `b`.
    pub(crate) fn select(&mut self, mask: Mask, a: F32s, b: F32s) -> F32s {
        let mask = self.mask_floats(mask);
        F32s(self.b.ins().bitselect(mask, a.0, b.0))
    }

    /// [`select`](Self::select) by a mask that is not itself a comparison, for which x86 has an instruction.
    pub(crate) fn blend(&mut self, mask: Mask, a: F32s, b: F32s) -> F32s {
        if !self.x86 {
            return self.select(mask, a, b);
        }
        let (a, b) = (self.as_ints(a), self.as_ints(b));
        let blended = self.int_select(mask, a, b);
        self.as_floats(blended)
    }

    /// `a` where the mask is set, else +0.
    pub(crate) fn keep(&mut self, mask: Mask, a: F32s) -> F32s {
        let mask = self.mask_floats(mask);
        F32s(self.b.ins().band(mask, a.0))
    }
}

/// Masks and integers.
impl Lanes<'_> {
    pub(crate) fn and(&mut self, a: Mask, b: Mask) -> Mask {
        Mask(self.b.ins().band(a.0, b.0))
    }

    pub(crate) fn or(&mut self, a: Mask, b: Mask) -> Mask {
        Mask(self.b.ins().bor(a.0, b.0))
    }

    /// `a` and not `b`.
    pub(crate) fn and_not(&mut self, a: Mask, b: Mask) -> Mask {
        Mask(self.b.ins().band_not(a.0, b.0))
    }

    pub(crate) fn not(&mut self, a: Mask) -> Mask {
        let all = self.all();
        Mask(self.b.ins().bxor(a.0, all.0))
    }

    /// True if all lanes are set, as a branch condition.
    pub(crate) fn every(&mut self, mask: Mask) -> Value {
        self.b.ins().vall_true(mask.0)
    }

    /// True if any lane is set, as a branch condition.
    pub(crate) fn any(&mut self, mask: Mask) -> Value {
        self.b.ins().vany_true(mask.0)
    }

    pub(crate) fn int_compare(&mut self, cc: IntCC, a: I32s, b: I32s) -> Mask {
        Mask(self.b.ins().icmp(cc, a.0, b.0))
    }

    /// The smaller one, unsigned.
    pub(crate) fn int_min_unsigned(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().umin(a.0, b.0))
    }

    pub(crate) fn int_max(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().smax(a.0, b.0))
    }

    pub(crate) fn int_add(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().iadd(a.0, b.0))
    }

    pub(crate) fn int_sub(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().isub(a.0, b.0))
    }

    pub(crate) fn int_and(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().band(a.0, b.0))
    }

    pub(crate) fn int_select(&mut self, mask: Mask, a: I32s, b: I32s) -> I32s {
        if self.x86 {
            I32s(self.b.ins().blendv(mask.0, a.0, b.0))
        } else {
            I32s(self.b.ins().bitselect(mask.0, a.0, b.0))
        }
    }

    /// Shifts left, then right with the sign: bits `shift.0..` moved to the bottom.
    pub(crate) fn sign_field(&mut self, a: I32s, left: u8, right: u8) -> I32s {
        let up = if left == 0 { a.0 } else { self.b.ins().ishl_imm_u(a.0, i64::from(left)) };
        I32s(if right == 0 { up } else { self.b.ins().sshr_imm_u(up, i64::from(right)) })
    }

    /// Byte `n` of each lane, zero extended.
    pub(crate) fn byte_field(&mut self, a: I32s, n: u8) -> I32s {
        let down = if n == 0 { a.0 } else { self.b.ins().ushr_imm_u(a.0, i64::from(8 * n)) };
        if n == 3 {
            return I32s(down);
        }
        let mask = self.int(0xff);
        I32s(self.b.ins().band(down, mask.0))
    }

    /// Exact for up to 24 bits.
    pub(crate) fn int_to_float(&mut self, a: I32s) -> F32s {
        F32s(self.b.ins().fcvt_from_sint(F32X4, a.0))
    }

    /// Truncates toward zero; saturates, NaN gives 0.
    pub(crate) fn float_to_int(&mut self, a: F32s) -> I32s {
        I32s(self.b.ins().fcvt_to_sint_sat(I32X4, a.0))
    }

    /// Truncates toward zero; values out of range give some integer outside -2^30..2^30, or 0.
    pub(crate) fn float_to_int_loose(&mut self, a: F32s) -> I32s {
        if self.x86 { I32s(self.b.ins().x86_cvtt2dq(I32X4, a.0)) } else { self.float_to_int(a) }
    }

    /// Lane `n` as a 64-bit integer, with its sign.
    pub(crate) fn lane(&mut self, a: I32s, n: u8) -> Scalar {
        let lane = self.b.ins().extractlane(a.0, n);
        Scalar(self.b.ins().sextend(I64, lane))
    }
}

/// Doubles, for the recipes of EX2 and LG2.
impl Lanes<'_> {
    /// The lower and the upper half of the lanes, exactly.
    pub(crate) fn widen(&mut self, a: F32s) -> [F64s; 2] {
        let low = self.b.ins().fvpromote_low(a.0);
        let swapped = self.shuffle(a.0, a.0, [2, 3, 2, 3]);
        let high = self.b.ins().fvpromote_low(swapped);
        [F64s(low), F64s(high)]
    }

    /// Both halves rounded to floats.
    pub(crate) fn narrow(&mut self, halves: [F64s; 2]) -> F32s {
        let [low, high] = halves.map(|half| self.b.ins().fvdemote(half.0));
        F32s(self.shuffle(low, high, [0, 1, 4, 5]))
    }

    pub(crate) fn dadd(&mut self, a: F64s, b: F64s) -> F64s {
        F64s(self.b.ins().fadd(a.0, b.0))
    }

    pub(crate) fn dsub(&mut self, a: F64s, b: F64s) -> F64s {
        F64s(self.b.ins().fsub(a.0, b.0))
    }

    pub(crate) fn dmul(&mut self, a: F64s, b: F64s) -> F64s {
        F64s(self.b.ins().fmul(a.0, b.0))
    }

    pub(crate) fn ddiv(&mut self, a: F64s, b: F64s) -> F64s {
        F64s(self.b.ins().fdiv(a.0, b.0))
    }

    /// The bits of each double shifted left.
    pub(crate) fn double_bits_shl(&mut self, a: F64s, by: u8) -> F64s {
        let bits = self.recast(I64X2, a.0);
        let shifted = self.b.ins().ishl_imm_u(bits, i64::from(by));
        F64s(self.recast(F64X2, shifted))
    }

    /// The bits of each double shifted right.
    pub(crate) fn double_bits_shr(&mut self, a: F64s, by: u8) -> F64s {
        let bits = self.recast(I64X2, a.0);
        let shifted = self.b.ins().ushr_imm_u(bits, i64::from(by));
        F64s(self.recast(F64X2, shifted))
    }

    /// The sum of the bits as integers.
    pub(crate) fn double_bits_add(&mut self, a: F64s, b: F64s) -> F64s {
        let (a, b) = (self.recast(I64X2, a.0), self.recast(I64X2, b.0));
        let sum = self.b.ins().iadd(a, b);
        F64s(self.recast(F64X2, sum))
    }

    pub(crate) fn double_bits_and(&mut self, a: F64s, b: F64s) -> F64s {
        F64s(self.b.ins().band(a.0, b.0))
    }

    pub(crate) fn double_bits_or(&mut self, a: F64s, b: F64s) -> F64s {
        F64s(self.b.ins().bor(a.0, b.0))
    }
}

/// Memory and shuffles.
impl Lanes<'_> {
    fn shuffle(&mut self, a: Value, b: Value, lanes: [u8; 4]) -> Value {
        let ty = self.b.func.dfg.value_type(a);
        let bytes: Vec<u8> = lanes.iter().flat_map(|&lane| (0..4).map(move |i| lane * 4 + i)).collect();
        let mask = self.b.func.dfg.immediates.push(ConstantData::from(bytes));
        let (a, b) = (self.recast(I8X16, a), self.recast(I8X16, b));
        let mixed = self.b.ins().shuffle(a, b, mask);
        self.recast(ty, mixed)
    }

    /// Lanes of two vectors: 0-3 name those of `a`, 4-7 those of `b`.
    pub(crate) fn mix(&mut self, a: F32s, b: F32s, lanes: [u8; 4]) -> F32s {
        F32s(self.shuffle(a.0, b.0, lanes))
    }

    pub(crate) fn load_floats(&mut self, base: Scalar, offset: i32) -> F32s {
        F32s(self.b.ins().load(F32X4, loose(), base.0, offset))
    }

    pub(crate) fn store_floats(&mut self, value: F32s, base: Scalar, offset: i32) {
        self.b.ins().store(loose(), value.0, base.0, offset);
    }

    pub(crate) fn load_pointer(&mut self, base: Scalar, offset: i32) -> Scalar {
        Scalar(self.b.ins().load(I64, loose(), base.0, offset))
    }

    pub(crate) fn load_u32(&mut self, base: Scalar, offset: i32) -> Scalar {
        Scalar(self.b.ins().uload32(loose(), base.0, offset))
    }

    /// Four bytes of each address as one vector. Loaded as floats, they never pass a general register.
    pub(crate) fn gather_words(&mut self, at: [Scalar; 4], offset: i32) -> I32s {
        let first = self.b.ins().load(F32, loose(), at[0].0, offset);
        let mut lanes = self.b.ins().scalar_to_vector(F32X4, first);
        for (n, address) in at.iter().enumerate().skip(1) {
            let word = self.b.ins().load(F32, loose(), address.0, offset);
            lanes = self.b.ins().insertlane(lanes, word, n as u8);
        }
        I32s(self.recast(I32X4, lanes))
    }

    /// Eight bytes of each address as two vectors: first words, second words.
    pub(crate) fn gather_pairs(&mut self, at: [Scalar; 4], offset: i32) -> [F32s; 2] {
        let halves = at.map(|address| {
            let pair = self.b.ins().load(F64, loose(), address.0, offset);
            let lanes = self.b.ins().scalar_to_vector(F64X2, pair);
            F32s(self.recast(F32X4, lanes))
        });
        let low = self.mix(halves[0], halves[1], [0, 1, 4, 5]);
        let high = self.mix(halves[2], halves[3], [0, 1, 4, 5]);
        [self.mix(low, high, [0, 2, 4, 6]), self.mix(low, high, [1, 3, 5, 7])]
    }

    /// Eight bytes of each entry of a table as two vectors: first words, second words. Lanes number entries; they are
    /// not negative. 16 bytes of each entry are loaded, so that there has to be one more behind the last.
    pub(crate) fn gather_entries(&mut self, table: Scalar, index: I32s) -> [F32s; 2] {
        let [a, b, c, d] = self.unsigned_lanes(index).map(|index| {
            let offset = self.scalar_shl(index, 3);
            let entry = self.scalar_add(table, offset);
            self.load_floats(entry, 0)
        });
        let low = self.mix(a, b, [0, 1, 4, 5]);
        let high = self.mix(c, d, [0, 1, 4, 5]);
        [self.mix(low, high, [0, 2, 4, 6]), self.mix(low, high, [1, 3, 5, 7])]
    }

    /// [`gather_words`](Self::gather_words) where 16 bytes may be loaded from each address.
    pub(crate) fn gather_spare_words(&mut self, at: [Scalar; 4]) -> I32s {
        let mut lanes = self.load_floats(at[0], 0).0;
        for (n, address) in at.iter().enumerate().skip(1) {
            let word = self.b.ins().load(F32, loose(), address.0, 0);
            lanes = self.b.ins().insertlane(lanes, word, n as u8);
        }
        I32s(self.recast(I32X4, lanes))
    }

    pub(crate) fn scalar(&mut self, value: i64) -> Scalar {
        Scalar(self.b.ins().iconst(I64, value))
    }

    pub(crate) fn scalar_add(&mut self, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().iadd(a.0, b.0))
    }

    pub(crate) fn scalar_mul(&mut self, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().imul(a.0, b.0))
    }

    pub(crate) fn scalar_shr(&mut self, a: Scalar, by: Scalar) -> Scalar {
        Scalar(self.b.ins().ushr(a.0, by.0))
    }

    pub(crate) fn scalar_and(&mut self, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().band(a.0, b.0))
    }

    pub(crate) fn scalar_shl(&mut self, a: Scalar, by: u8) -> Scalar {
        Scalar(self.b.ins().ishl_imm_u(a.0, i64::from(by)))
    }

    pub(crate) fn scalar_shl_by(&mut self, a: Scalar, by: Scalar) -> Scalar {
        Scalar(self.b.ins().ishl(a.0, by.0))
    }

    pub(crate) fn scalar_sub(&mut self, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().isub(a.0, b.0))
    }

    /// Number of the lowest bit that is set; 64 where none is.
    pub(crate) fn lowest_bit(&mut self, a: Scalar) -> Scalar {
        Scalar(self.b.ins().ctz(a.0))
    }

    /// Product with a constant.
    pub(crate) fn scalar_times(&mut self, a: Scalar, factor: i64) -> Scalar {
        if factor.count_ones() == 1 {
            return self.scalar_shl(a, factor.trailing_zeros() as u8);
        }
        Scalar(self.b.ins().imul_imm_s(a.0, factor))
    }
}

fn splat_bytes(bits: u32) -> [u8; 16] {
    let mut bytes = [0; 16];
    for lane in bytes.chunks_exact_mut(4) {
        lane.copy_from_slice(&bits.to_le_bytes());
    }
    bytes
}
