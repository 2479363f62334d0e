//! The control-flow machine of pica-shader.md 4.1: three bounded stacks and no lexical structure.
//!
//! An instruction pushes and says where it wants to go ([`Transfer`]); then [`Flow::advance`] compares the top
//! of each stack with the following address and has the last word. Depths, ring behaviour, pop counts,
//! priorities and the defect of the fourth pop are measured on consoles (Tilka, on 3dbrew); the details of
//! `aL` are known from that model only.

use picaflor_pipeline::pica::shader::instr::Instruction;

/// Target of an instruction. Any of the stacks may override it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transfer {
    /// To the following word.
    Next,
    /// To this word.
    To(u16),
    /// Out of the innermost loop.
    Leave,
    /// Nowhere: the invocation ends.
    End,
}

/// A stack of bounded depth: pushing on a full one discards the oldest entry.
#[derive(Debug, Clone, Copy)]
struct Ring<T, const DEPTH: usize> {
    entries: [T; DEPTH],
    /// Index of the next entry.
    next: usize,
    len: usize,
}

impl<T: Copy + Default, const DEPTH: usize> Default for Ring<T, DEPTH> {
    fn default() -> Self {
        Self { entries: [T::default(); DEPTH], next: 0, len: 0 }
    }
}

impl<T: Copy, const DEPTH: usize> Ring<T, DEPTH> {
    fn push(&mut self, entry: T) {
        self.entries[self.next] = entry;
        self.next = (self.next + 1) % DEPTH;
        self.len = DEPTH.min(self.len + 1);
    }

    fn pop(&mut self) {
        debug_assert!(self.len > 0, "pop of an empty stack");
        self.next = (self.next + DEPTH - 1) % DEPTH;
        self.len -= 1;
    }

    const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn top(&mut self) -> Option<&mut T> {
        (self.len > 0).then(|| &mut self.entries[(self.next + DEPTH - 1) % DEPTH])
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Call {
    end: u16,
    ret: u16,
}

#[derive(Debug, Clone, Copy, Default)]
struct If {
    else_: u16,
    join: u16,
}

#[derive(Debug, Clone, Copy, Default)]
struct Loop {
    entry: u16,
    end: u16,
    /// Iterations left after the current one.
    left: u8,
    increment: u8,
    /// Value of `aL` before the loop.
    saved: i32,
}

/// The three stacks; empty when an invocation starts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flow {
    calls: Ring<Call, 4>,
    ifs: Ring<If, 8>,
    loops: Ring<Loop, 4>,
}

impl Flow {
    /// A taken `CALL`, `CALLC` or `CALLU` at `pc`: `num` words from `dst`, then back.
    pub(super) fn call(&mut self, pc: u16, instruction: Instruction) -> Transfer {
        let dst = instruction.target();
        self.calls.push(Call { end: dst + instruction.num(), ret: pc + 1 });
        Transfer::To(dst)
    }

    /// `IFU`, `IFC`: a then-block up to `dst`, an else-block of `num` words from `dst`.
    pub(super) fn if_(&mut self, instruction: Instruction, holds: bool) -> Transfer {
        let dst = instruction.target();
        if !holds {
            return Transfer::To(dst);
        }
        self.ifs.push(If { else_: dst, join: dst + instruction.num() });
        Transfer::Next
    }

    /// `LOOP` at `pc`: the words up to and including `dst`, `x + 1` times. The bytes of the integer uniform
    /// are unsigned (assumed).
    pub(super) fn loop_(
        &mut self,
        pc: u16,
        instruction: Instruction,
        int: [u8; 4],
        al: &mut i32,
    ) -> Transfer {
        let [x, y, z, _] = int;
        let end = instruction.target() + 1;
        self.loops.push(Loop { entry: pc + 1, end, left: x, increment: z, saved: *al });
        *al = i32::from(y);
        Transfer::Next
    }

    /// True if no loop is open.
    pub(super) const fn outside_loops(&self) -> bool {
        self.loops.is_empty()
    }

    /// The word after the one at `pc`. The stacks are compared with the *original* following address: no IF
    /// or LOOP sees an address that a jump, a call or another pop of the same step produced. LOOP goes over
    /// IF over CALL over jump.
    pub(super) fn advance(&mut self, pc: u16, transfer: Transfer, al: &mut i32) -> u16 {
        let seq = pc + 1;
        let wanted = if let Transfer::To(target) = transfer { target } else { seq };
        let call = self.check_calls(seq);
        let if_ = self.check_ifs(seq);
        let loop_ = self.check_loops(seq, transfer == Transfer::Leave, al);
        loop_.or(if_).or(call).unwrap_or(wanted)
    }

    /// At most four calls end in one step, each where the one above returned to. The fourth goes, but its
    /// return address is lost.
    fn check_calls(&mut self, seq: u16) -> Option<u16> {
        let mut target = None;
        let mut q = seq;
        for pop in 1..=4 {
            let ending = self.calls.top().filter(|call| call.end == q).copied();
            let Some(Call { ret, .. }) = ending else { break };
            self.calls.pop();
            if pop <= 3 {
                target = Some(ret);
                q = ret;
            }
        }
        target
    }

    /// At most one then-block ends in a step.
    fn check_ifs(&mut self, seq: u16) -> Option<u16> {
        let If { join, .. } = self.ifs.top().filter(|if_| if_.else_ == seq).copied()?;
        self.ifs.pop();
        Some(join)
    }

    /// At most one loop iterates or ends in a step. `aL` advances either way, also when it is left; at the
    /// end it gets its old value back unless the loop was the outermost.
    fn check_loops(&mut self, seq: u16, leave: bool, al: &mut i32) -> Option<u16> {
        let top = self.loops.top().filter(|loop_| loop_.end == seq || leave)?;
        *al = al.wrapping_add(i32::from(top.increment));
        if !leave && top.left != 0 {
            top.left -= 1;
            return Some(top.entry);
        }
        let Loop { end, saved, .. } = *top;
        self.loops.pop();
        if !self.loops.is_empty() {
            *al = saved;
        }
        Some(end)
    }
}

/// The worked traces of pica-shader.md 4.3, by their letters.
#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, Outcome, bare, call, end, flow, nop};
    use picaflor_pipeline::fault::Fault;
    use picaflor_pipeline::pica::shader::ops::Opcode;
    use picaflor_pipeline::pica::shader::program::UnitKind;

    /// A loop with integer uniform `id`.
    fn loop_(id: u32, dst: u32) -> u32 {
        flow(Opcode::Loop, id, dst, 0)
    }

    /// An IF that holds; `b0` is set.
    fn if_true(dst: u32, num: u32) -> u32 {
        flow(Opcode::Ifu, 0, dst, num)
    }

    /// An IF that does not hold.
    fn if_false(dst: u32, num: u32) -> u32 {
        flow(Opcode::Ifu, 1, dst, num)
    }

    /// A jump that is taken.
    fn jump(dst: u32) -> u32 {
        flow(Opcode::Jmpu, 0, dst, 0)
    }

    fn break_() -> u32 {
        bare(Opcode::Break)
    }

    /// The run of a program; `ints` are `i0`, `i1`.
    fn run(code: &[u32], ints: &[[u8; 3]]) -> (Outcome, i32) {
        let mut bench = Bench::new(UnitKind::Vertex, code);
        bench.uniforms.set_bools(1);
        for (id, &[x, y, z]) in (0..).zip(ints) {
            bench.uniforms.set_int(id, [x, y, z, 0xff]);
        }
        let outcome = bench.run();
        (outcome, bench.unit.al)
    }

    fn addresses(code: &[u32], ints: &[[u8; 3]]) -> Vec<u16> {
        run(code, ints).0.addresses()
    }

    #[test]
    fn a_loop_and_its_counter() {
        let (outcome, al) = run(&[loop_(0, 2), nop(), nop(), end()], &[[2, 10, 3]]);
        assert_eq!(outcome.addresses(), [0, 1, 2, 1, 2, 1, 2, 3]);
        let after: Vec<i32> = outcome.trace.steps().iter().map(|step| step.al).collect();
        assert_eq!(after, [10, 10, 13, 13, 16, 16, 19, 19]);
        assert_eq!(al, 19);
    }

    #[test]
    fn b_nested_loops() {
        let code = [loop_(0, 3), loop_(1, 2), nop(), nop(), end()];
        let (outcome, al) = run(&code, &[[1, 0, 1], [1, 50, 1]]);
        assert_eq!(outcome.addresses(), [0, 1, 2, 2, 3, 1, 2, 2, 3, 4]);
        let after: Vec<i32> = outcome.trace.steps().iter().map(|step| step.al).collect();
        assert_eq!(after, [0, 50, 51, 0, 1, 50, 51, 1, 2, 2]);
        assert_eq!(al, 2);
    }

    #[test]
    fn c_two_loops_ending_on_one_word() {
        let code = [loop_(0, 2), loop_(1, 2), nop(), end()];
        assert_eq!(addresses(&code, &[[1, 0, 1], [1, 50, 1]]), [0, 1, 2, 2, 3]);
    }

    #[test]
    fn d_if_with_else() {
        let then = [if_true(3, 1), nop(), nop(), nop(), nop(), end()];
        assert_eq!(addresses(&then, &[]), [0, 1, 2, 4, 5]);
        let otherwise = [if_false(3, 1), nop(), nop(), nop(), nop(), end()];
        assert_eq!(addresses(&otherwise, &[]), [0, 3, 4, 5]);
    }

    #[test]
    fn e_jump_at_the_end_of_a_then_block_is_lost() {
        let code = [if_true(3, 2), nop(), jump(6), nop(), nop(), nop(), end()];
        assert_eq!(addresses(&code, &[]), [0, 1, 2, 5, 6]);
    }

    #[test]
    fn f_call_at_the_end_of_a_then_block_is_lost() {
        let code = [if_true(2, 1), call(5, 1), nop(), nop(), end(), nop()];
        assert_eq!(addresses(&code, &[]), [0, 1, 3, 4]);
        let padded = [if_true(3, 1), call(6, 1), nop(), nop(), nop(), end(), nop()];
        assert_eq!(addresses(&padded, &[]), [0, 1, 6, 2, 4, 5]);
    }

    #[test]
    fn g_tail_call() {
        let code = [call(3, 1), nop(), end(), call(5, 1), end(), nop()];
        assert_eq!(addresses(&code, &[]), [0, 3, 5, 1, 2]);
    }

    #[test]
    fn h_three_calls_end_together() {
        let code = [call(2, 1), end(), call(3, 1), call(4, 2), nop(), nop()];
        assert_eq!(addresses(&code, &[]), [0, 2, 3, 4, 5, 1]);
    }

    #[test]
    fn i_the_fourth_return_is_lost() {
        let code = [call(2, 1), end(), call(3, 1), call(4, 1), call(5, 1), nop(), end()];
        assert_eq!(addresses(&code, &[]), [0, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5, 6]);
    }

    #[test]
    fn j_false_if_past_the_end_of_a_loop() {
        let code = [loop_(0, 3), nop(), if_false(4, 0), nop(), end()];
        assert_eq!(addresses(&code, &[[1, 0, 1]]), [0, 1, 2, 4]);
        let code = [loop_(0, 3), nop(), if_true(4, 0), nop(), end()];
        assert_eq!(addresses(&code, &[[1, 0, 1]]), [0, 1, 2, 3, 1, 2, 3, 4]);
    }

    #[test]
    fn k_if_joining_at_the_end_of_a_loop() {
        let code = [loop_(0, 4), if_true(3, 2), nop(), nop(), nop(), end()];
        assert_eq!(addresses(&code, &[[1, 0, 1]]), [0, 1, 2, 5]);
    }

    #[test]
    fn l_call_on_the_last_word_of_a_loop_is_lost() {
        let code = [loop_(0, 2), nop(), call(5, 1), nop(), end(), nop()];
        assert_eq!(addresses(&code, &[[1, 0, 1]]), [0, 1, 2, 1, 2, 3, 4]);
    }

    #[test]
    fn m_break_adds_the_increment() {
        let (outcome, al) = run(&[loop_(0, 3), nop(), break_(), nop(), end()], &[[5, 0, 1]]);
        assert_eq!(outcome.addresses(), [0, 1, 2, 4]);
        assert_eq!((al, outcome.faults.len()), (1, 0));
    }

    #[test]
    fn n_jump_out_of_a_loop() {
        let code = [loop_(0, 2), jump(5), nop(), nop(), nop(), nop(), end()];
        assert_eq!(addresses(&code, &[[1, 0, 1]]), [0, 1, 5, 6]);
    }

    #[test]
    fn o_break_in_a_then_block_leaves_a_stale_if() {
        let code = [if_true(7, 1), loop_(0, 5), if_true(5, 0), break_(), nop(), nop(), nop(), nop(), end()];
        assert_eq!(addresses(&code, &[[3, 0, 1]]), [0, 1, 2, 3, 6, 7, 8]);
    }

    #[test]
    fn p_break_in_a_call_leaves_a_stale_call() {
        let code = [call(2, 5), end(), loop_(0, 4), call(8, 2), nop(), nop(), nop(), end(), break_(), nop()];
        assert_eq!(addresses(&code, &[[3, 0, 1]]), [0, 2, 3, 8, 5, 6, 7]);
    }

    #[test]
    fn q_the_fifth_call_discards_the_oldest() {
        let code = [
            call(3, 2),
            nop(),
            end(),
            call(5, 2),
            nop(),
            call(7, 2),
            nop(),
            call(9, 2),
            nop(),
            call(11, 1),
            nop(),
            nop(),
            end(),
        ];
        assert_eq!(addresses(&code, &[])[..11], [0, 3, 5, 7, 9, 11, 10, 8, 6, 4, 5]);
    }

    #[test]
    fn r_jump_on_the_last_word_of_a_called_range_is_lost() {
        let code = [call(3, 2), nop(), end(), nop(), jump(6), nop(), end()];
        assert_eq!(addresses(&code, &[]), [0, 3, 4, 1, 2]);
    }

    #[test]
    fn s_empty_then_block() {
        assert_eq!(addresses(&[if_true(1, 0), nop(), end()], &[]), [0, 1, 2]);
    }

    /// Nine then-blocks, each inside the one before. The innermost joins first; the ninth push discarded the
    /// outermost entry, so that block runs on into its else part at word 18.
    #[test]
    fn the_ninth_if_discards_the_oldest() {
        let openers = (0..9).map(|n| if_true(18 - n, 0));
        let outer_has_else = std::iter::once(if_true(18, 1));
        let code: Vec<u32> =
            outer_has_else.chain(openers.skip(1)).chain([nop(); 10]).chain([end()]).collect();
        let expected: Vec<u16> = (0..=19).collect();
        assert_eq!(addresses(&code, &[]), expected);
        let eight: Vec<u32> = [if_true(18, 1), nop()]
            .into_iter()
            .chain((2..9).map(|n| if_true(18 - n, 0)))
            .chain([nop(); 10])
            .chain([end()])
            .collect();
        assert_eq!(addresses(&eight, &[]), (0..=17).chain([19]).collect::<Vec<u16>>());
    }

    /// The fifth loop discards the oldest: the outermost body runs once, and `aL` is restored by the inner
    /// exits but not by the last, which finds no other loop.
    #[test]
    fn the_fifth_loop_discards_the_oldest() {
        let code: Vec<u32> =
            (0..5).map(|n| loop_(n.min(1), 9 - n)).chain([nop(); 5]).chain([end()]).collect();
        let (outcome, al) = run(&code, &[[1, 3, 1], [0, 20, 5]]);
        assert_eq!(outcome.addresses(), (0..=10).collect::<Vec<u16>>());
        assert_eq!(al, 25);
        let (outcome, al) = run(&[&code[..4], &[nop()], &code[5..]].concat(), &[[1, 3, 1], [0, 20, 5]]);
        assert_eq!(outcome.addresses(), (0..=9).chain(1..=10).collect::<Vec<u16>>());
        assert_eq!(al, 5);
    }

    /// A then-block and a called range that end on one word: both go, and the join counts.
    #[test]
    fn if_goes_over_call() {
        let code = [call(2, 2), end(), if_true(4, 2), nop(), nop(), nop(), nop(), end()];
        assert_eq!(addresses(&code, &[]), [0, 2, 3, 6, 7]);
    }

    #[test]
    fn inner_loop_restores_the_counter_on_break_too() {
        let code = [loop_(0, 4), loop_(1, 3), break_(), nop(), nop(), end()];
        let (outcome, al) = run(&code, &[[0, 7, 2], [9, 100, 1]]);
        assert_eq!(outcome.addresses(), [0, 1, 2, 4, 5]);
        assert_eq!(outcome.trace.steps()[2].al, 7);
        assert_eq!(al, 9);
    }

    #[test]
    fn loop_fields_are_unsigned_bytes_and_the_counter_is_wide() {
        let code = [loop_(0, 1), nop(), end()];
        let (outcome, al) = run(&code, &[[255, 255, 255]]);
        assert_eq!(outcome.addresses().len(), 258);
        assert_eq!(al, 255 + 256 * 255);
    }

    #[test]
    fn break_outside_a_loop_goes_on_and_is_reported_once() {
        let code = [jump(2), nop(), call(4, 2), end(), break_(), break_(), nop()];
        let (outcome, _) = run(&code, &[]);
        assert_eq!(outcome.addresses(), [0, 2, 4, 5, 3]);
        assert_eq!(outcome.faults, [4, 5].map(|pc| Fault::BreakOutsideLoop { pc }));
        let twice = [call(3, 1), call(3, 1), end(), break_()];
        assert_eq!(run(&twice, &[]).0.faults, [Fault::BreakOutsideLoop { pc: 3 }]);
    }

    /// An entry pushed in a step is compared in the same step (assumed): a loop over nothing makes its first
    /// pass there, and is left open by the word after it.
    #[test]
    fn empty_scopes_are_compared_in_the_step_that_opens_them() {
        let (outcome, al) = run(&[loop_(0, 0), nop(), end()], &[[2, 1, 4]]);
        assert_eq!((outcome.addresses(), al), (vec![0, 1, 2], 5));
        let (outcome, al) = run(&[loop_(0, 0), nop(), end()], &[[0, 1, 4]]);
        assert_eq!((outcome.addresses(), al), (vec![0, 1, 2], 5));
        // The call ends at once: the word it names, 2, is the one it returns to, and nothing stays open.
        assert_eq!(addresses(&[nop(), call(2, 0), nop(), end()], &[]), [0, 1, 2, 3]);
    }

    #[test]
    fn num_has_eight_bits() {
        // Bits 9:8 of the number field are unused: 0x301 is one word.
        let code = [call(3, 0x301), nop(), end(), nop(), nop()];
        assert_eq!(addresses(&code, &[]), [0, 3, 1, 2]);
    }

    #[test]
    fn jmpu_inverts_by_bit_zero_of_num() {
        let jumps =
            |id: u32, num: u32| addresses(&[flow(Opcode::Jmpu, id, 2, num), nop(), end()], &[]) == [0, 2];
        assert!(jumps(0, 0) && !jumps(0, 1) && !jumps(1, 0) && jumps(1, 1));
        // No other bit does, and IFU does not invert.
        assert!(jumps(0, 2));
        let ifu = [flow(Opcode::Ifu, 0, 2, 1), nop(), nop(), end()];
        assert_eq!(addresses(&ifu, &[]), [0, 1, 3]);
    }
}
