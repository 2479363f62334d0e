//! The control-flow machine of pica-shader.md 4.1: three bounded stacks and no lexical structure.
//!
//! An instruction pushes and says where it wants to go ([`Transfer`]); then [`Flow::advance`] compares the top
//! of each stack with the following address and has the last word. Depths, ring behaviour, pop counts,
//! priorities and the defect of the fourth pop are measured on consoles (Tilka, on 3dbrew); the details of
//! `aL` are known from that model only.

use picaflor_pipeline::pica::shader::instr::Instruction;

/// Where an instruction wants to go. Any of the stacks may override it.
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
    /// Where the next entry goes.
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
    /// `aL` as it was before the loop.
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

    /// Whether no loop is open.
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
