//! Blocks, branches and variables.

use super::lanes::{F32s, F64s, I32s, Lanes, Mask, Scalar};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32, F32X4, F64X2, I32, I32X4, I64};
use cranelift_codegen::ir::{
    Block, BlockArg, Inst, InstBuilder, MemFlagsData, StackSlot, StackSlotData, StackSlotKind, Value,
};
use cranelift_frontend::Variable;

/// A variable of four floats.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FloatVar(Variable);

/// A variable of four integers or of a mask.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntVar(Variable);

/// A variable of two doubles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DoubleVar(Variable);

/// A variable of one 64-bit integer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScalarVar(Variable);

/// Room on the stack.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room(StackSlot);

/// Values that come from two blocks.
pub(crate) trait Merged: Sized {
    /// A variable for them.
    type Var: Copy;

    /// A new variable.
    fn var(l: &mut Lanes<'_>) -> Self::Var;

    /// Sets it.
    fn set(self, l: &mut Lanes<'_>, var: Self::Var);

    /// Its value.
    fn get(l: &mut Lanes<'_>, var: Self::Var) -> Self;
}

impl Merged for F32s {
    type Var = FloatVar;

    fn var(l: &mut Lanes<'_>) -> FloatVar {
        l.float_var()
    }

    fn set(self, l: &mut Lanes<'_>, var: FloatVar) {
        l.set_float(var, self);
    }

    fn get(l: &mut Lanes<'_>, var: FloatVar) -> Self {
        l.get_float(var)
    }
}

impl Merged for I32s {
    type Var = IntVar;

    fn var(l: &mut Lanes<'_>) -> IntVar {
        l.int_var()
    }

    fn set(self, l: &mut Lanes<'_>, var: IntVar) {
        l.set_int(var, self);
    }

    fn get(l: &mut Lanes<'_>, var: IntVar) -> Self {
        l.get_int(var)
    }
}

impl Merged for F64s {
    type Var = DoubleVar;

    fn var(l: &mut Lanes<'_>) -> DoubleVar {
        DoubleVar(l.b.declare_var(F64X2))
    }

    fn set(self, l: &mut Lanes<'_>, var: DoubleVar) {
        l.b.def_var(var.0, self.0);
    }

    fn get(l: &mut Lanes<'_>, var: DoubleVar) -> Self {
        Self(l.b.use_var(var.0))
    }
}

impl Lanes<'_> {
    /// Instructions that follow belong to a word of the program.
    pub(crate) fn at_word(&mut self, pc: u16) {
        self.b.set_srcloc(cranelift_codegen::ir::SourceLoc::new(u32::from(pc)));
    }

    pub(crate) fn block(&mut self) -> Block {
        self.b.create_block()
    }

    pub(crate) fn cold_block(&mut self) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        block
    }

    pub(crate) fn jump(&mut self, to: Block) {
        self.b.ins().jump(to, &[] as &[BlockArg]);
    }

    /// To `then` where the condition is not zero, else to `other`.
    pub(crate) fn branch(&mut self, condition: Value, then: Block, other: Block) {
        self.b.ins().brif(condition, then, &[] as &[BlockArg], other, &[] as &[BlockArg]);
    }

    pub(crate) fn ret(&mut self) {
        self.b.ins().return_(&[]);
    }

    pub(crate) fn float_var(&mut self) -> FloatVar {
        FloatVar(self.b.declare_var(F32X4))
    }

    pub(crate) fn int_var(&mut self) -> IntVar {
        IntVar(self.b.declare_var(I32X4))
    }

    pub(crate) fn scalar_var(&mut self) -> ScalarVar {
        ScalarVar(self.b.declare_var(I64))
    }

    pub(crate) fn set_float(&mut self, var: FloatVar, value: F32s) {
        self.b.def_var(var.0, value.0);
    }

    pub(crate) fn get_float(&mut self, var: FloatVar) -> F32s {
        F32s(self.b.use_var(var.0))
    }

    pub(crate) fn set_int(&mut self, var: IntVar, value: I32s) {
        self.b.def_var(var.0, value.0);
    }

    pub(crate) fn get_int(&mut self, var: IntVar) -> I32s {
        I32s(self.b.use_var(var.0))
    }

    pub(crate) fn set_mask(&mut self, var: IntVar, value: Mask) {
        self.b.def_var(var.0, value.0);
    }

    pub(crate) fn get_mask(&mut self, var: IntVar) -> Mask {
        Mask(self.b.use_var(var.0))
    }

    pub(crate) fn set_scalar(&mut self, var: ScalarVar, value: Scalar) {
        self.b.def_var(var.0, value.0);
    }

    pub(crate) fn get_scalar(&mut self, var: ScalarVar) -> Scalar {
        Scalar(self.b.use_var(var.0))
    }

    pub(crate) fn scalar_add_constant(&mut self, a: Scalar, constant: i64) -> Scalar {
        Scalar(self.b.ins().iadd_imm_s(a.0, constant))
    }

    /// Emits instructions without branches twice, for values of number 0 and of number 1. They take turns, so that a host
    /// that waits for one of them has the other.
    pub(crate) fn in_turns<T>(&mut self, mut emit: impl FnMut(&mut Self, usize) -> T) -> [T; 2] {
        let block = self.b.current_block().expect("code is emitted into a block");
        let last = |l: &Self| l.b.func.layout.last_inst(block);
        let before = last(self);
        let first = emit(self, 0);
        let middle = last(self);
        let second = emit(self, 1);
        debug_assert_eq!(self.b.current_block(), Some(block), "no branches");
        let seconds = self.taken_after(block, middle);
        let firsts = self.taken_after(block, before);
        self.append_in_turns(block, &firsts, &seconds);
        [first, second]
    }

    /// Takes the instructions after one out of a block.
    fn taken_after(&mut self, block: Block, inst: Option<Inst>) -> Vec<Inst> {
        let layout = &mut self.b.func.layout;
        let first = inst.map_or_else(|| layout.first_inst(block), |inst| layout.next_inst(inst));
        let taken: Vec<_> = std::iter::successors(first, |&inst| layout.next_inst(inst)).collect();
        taken.iter().for_each(|&inst| layout.remove_inst(inst));
        taken
    }

    /// Each of `seconds`, which have fewer constants, comes behind its counterpart, and so behind what that one needs.
    fn append_in_turns(&mut self, block: Block, firsts: &[Inst], seconds: &[Inst]) {
        let func = &mut *self.b.func;
        let mut rest = seconds.iter().copied().peekable();
        for &first in firsts {
            func.layout.append_inst(first, block);
            let opcode = |inst: Inst| func.dfg.insts[inst].opcode();
            if let Some(second) = rest.next_if(|&second| opcode(second) == opcode(first)) {
                func.layout.append_inst(second, block);
            }
        }
        rest.for_each(|second| func.layout.append_inst(second, block));
    }

    /// Room of a multiple of 16 bytes on the stack.
    pub(crate) fn room(&mut self, bytes: u32) -> Room {
        Room(self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4)))
    }

    /// The address of room on the stack.
    pub(crate) fn room_address(&mut self, room: Room) -> Scalar {
        Scalar(self.b.ins().stack_addr(I64, room.0, 0))
    }

    /// True if `a < b`, unsigned, as a branch condition.
    pub(crate) fn scalar_below(&mut self, a: Scalar, b: Scalar) -> Value {
        self.b.ins().icmp(IntCC::UnsignedLessThan, a.0, b.0)
    }

    /// All lanes where `a < b`, unsigned, else none.
    pub(crate) fn scalar_below_mask(&mut self, a: Scalar, b: Scalar) -> Mask {
        let below = self.scalar_below(a, b);
        let wide = self.b.ins().uextend(I32, below);
        let all = self.b.ins().ineg(wide);
        Mask(self.b.ins().splat(I32X4, all))
    }

    pub(crate) fn store_scalar(&mut self, value: Scalar, base: Scalar, offset: i32) {
        self.b.ins().store(MemFlagsData::new().with_notrap(), value.0, base.0, offset);
    }

    /// Stores the low 32 bits.
    pub(crate) fn store_u32(&mut self, value: Scalar, base: Scalar, offset: i32) {
        self.b.ins().istore32(MemFlagsData::new().with_notrap(), value.0, base.0, offset);
    }

    /// Lane 0 of four integers, stored as 32 bits.
    pub(crate) fn store_lane0(&mut self, value: I32s, base: Scalar, offset: i32) {
        let lane = self.b.ins().extractlane(value.0, 0);
        self.b.ins().store(MemFlagsData::new().with_notrap(), lane, base.0, offset);
    }

    /// 32 bits of memory in lane 0; the other lanes are zero.
    pub(crate) fn load_lane0(&mut self, base: Scalar, offset: i32) -> I32s {
        let word = self.b.ins().load(I32, MemFlagsData::new().with_notrap(), base.0, offset);
        I32s(self.b.ins().scalar_to_vector(I32X4, word))
    }

    /// True if lane 0 is set, as a branch condition.
    pub(crate) fn is_first_set(&mut self, mask: Mask) -> Value {
        self.b.ins().extractlane(mask.0, 0)
    }

    /// True if `a == b`, as a branch condition.
    pub(crate) fn scalar_equal(&mut self, a: Scalar, b: Scalar) -> Value {
        self.b.ins().icmp(IntCC::Equal, a.0, b.0)
    }

    /// 32 bits of memory in all lanes.
    pub(crate) fn load_splat(&mut self, base: Scalar, offset: i32) -> I32s {
        let word = self.b.ins().load(I32, MemFlagsData::new().with_notrap(), base.0, offset);
        I32s(self.b.ins().splat(I32X4, word))
    }

    /// A float of memory in lane 0; what the other lanes hold does not matter.
    pub(crate) fn load_first(&mut self, base: Scalar, offset: i32) -> F32s {
        let float = self.b.ins().load(F32, MemFlagsData::new().with_notrap(), base.0, offset);
        F32s(self.b.ins().scalar_to_vector(F32X4, float))
    }

    /// A float of memory in all lanes.
    pub(crate) fn load_float_splat(&mut self, base: Scalar, offset: i32) -> F32s {
        let float = self.b.ins().load(F32, MemFlagsData::new().with_notrap(), base.0, offset);
        F32s(self.b.ins().splat(F32X4, float))
    }

    /// One lane of four floats.
    pub(crate) fn store_lane(&mut self, value: F32s, lane: u8, base: Scalar, offset: i32) {
        let lane = self.b.ins().extractlane(value.0, lane);
        self.b.ins().store(MemFlagsData::new().with_notrap(), lane, base.0, offset);
    }

    /// A byte.
    pub(crate) fn load_u8(&mut self, base: Scalar, offset: i32) -> Scalar {
        Scalar(self.b.ins().uload8(I64, MemFlagsData::new().with_notrap(), base.0, offset))
    }

    /// Stores the low 8 bits.
    pub(crate) fn store_u8(&mut self, value: Scalar, base: Scalar, offset: i32) {
        self.b.ins().istore8(MemFlagsData::new().with_notrap(), value.0, base.0, offset);
    }
}
