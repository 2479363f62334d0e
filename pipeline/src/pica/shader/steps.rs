//! Static upper bound of the instructions of an invocation.
//!
//! The budget of a run is charged with this bound, because not all engines count executed instructions, and a list
//! has to end at the same point on each of them.

use super::instr::Instruction;
use super::ops::Opcode;
use super::program::Program;
use super::unit::Uniforms;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Integer uniforms, which loops take their rounds from.
pub(crate) type Ints = [[u8; 4]; 4];

/// Bound of one invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Steps {
    /// Instructions, at most.
    pub(crate) most: u32,
    /// True if an engine may have to interpret the program: the budget may end it, it has many branches or an undefined word,
    /// or leaves entries on its stack in many ways.
    pub(crate) is_slow: bool,
    /// EX2 and LG2 among them, at most.
    pub(crate) dear: u32,
    /// Words that were looked at to find the bound, those of procedures for each call.
    pub(crate) words: u32,
}

impl Steps {
    /// Words of the code that an engine may make of it.
    pub(crate) fn code_words(self) -> u64 {
        self.unrolled().min(MOST_CODE)
    }

    /// Words with loops as rows of rounds, up to a limit.
    fn unrolled(self) -> u64 {
        self.words.max(self.most.min(MOST_UNROLLED)).into()
    }
}

/// The bound of the program and entry that were asked for last. The program is looked at again where these change; other
/// integer uniforms cost a sum.
#[derive(Debug, Clone, Default)]
pub struct MostSteps {
    generation: u64,
    entry: u16,
    bound: Bound,
    ints: Ints,
    /// The sum for `ints`, and that of EX2 and LG2.
    most: Option<u64>,
    dear: u64,
}

/// The bound of a program from one entry, for any integer uniforms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bound {
    /// Instructions by the loops around them; `None` where control flow is not structured.
    parts: Option<Vec<Part>>,
    branches: u32,
    /// Entries that BREAKs leave.
    left: usize,
    is_undefined: bool,
    words: u32,
}

/// Words that are in the same loops.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// Number of loops around them by each integer uniform.
    loops: [u8; 4],
    words: u32,
    /// EX2 and LG2 among them.
    dear: u32,
}

/// Branches of a program that compiled code surely runs.
const FEW_BRANCHES: u64 = 24;
/// Words of code whose frame is surely small enough, with loops once, and `EX2` and `LG2` as four.
const LONG_CODE: u64 = 320;
/// Entries that its BREAKs leave, of which each may double the states that code tells apart.
const FEW_LEFT: usize = 4;
/// Words of code in which loops come as rows of rounds.
const MOST_UNROLLED: u32 = 512;
/// Words of code, those of each state counted; no code is made of more.
const MOST_CODE: u64 = 4096;

impl MostSteps {
    /// Instructions of an invocation that starts at `entry`, at most: no more than `budget`.
    pub fn most(&mut self, program: &Program, entry: u16, uniforms: &Uniforms, budget: u32) -> u32 {
        self.of(program, entry, uniforms.ints(), budget).most
    }

    /// The bound of an invocation that starts at `entry`; no more than `budget` instructions are executed.
    pub(crate) fn of(&mut self, program: &Program, entry: u16, ints: Ints, budget: u32) -> Steps {
        let is_same = (self.generation, self.entry) == (program.generation(), entry);
        if !is_same {
            (self.generation, self.entry) = (program.generation(), entry);
            self.bound = Bound::of(program, entry);
        }
        if !is_same || self.ints != ints {
            self.ints = ints;
            self.most = self.bound.most(ints);
            self.dear = self.bound.sum(ints, |part| part.dear).unwrap_or(u64::MAX);
        }
        let budget = u64::from(budget);
        let most = self.most.unwrap_or(budget).min(budget) as u32;
        let steps =
            Steps { most, is_slow: false, dear: self.dear.min(most.into()) as u32, words: self.bound.words };
        Steps { is_slow: self.is_slow(steps, budget), ..steps }
    }

    /// True if an engine may have to interpret it. Each entry that is left may double the states of what follows.
    fn is_slow(&self, steps: Steps, budget: u64) -> bool {
        let Bound { branches, left, is_undefined, .. } = self.bound;
        let in_states = |count: u64| count << left.min(FEW_LEFT);
        self.most.is_none_or(|most| in_states(most) > budget)
            || in_states(branches.into()) > FEW_BRANCHES
            || in_states(steps.unrolled()) > MOST_CODE
            || in_states(self.bound.weight()) > LONG_CODE
            || left > FEW_LEFT
            || is_undefined
    }
}

impl Bound {
    /// The bound of a program whose control flow is structured (pica-shader.md 4.4).
    pub(crate) fn of(program: &Program, entry: u16) -> Self {
        let mut scan = Scan {
            program,
            visited: 0,
            branches: 0,
            is_undefined: false,
            open: Vec::new(),
            left: Vec::new(),
            passed: vec![false; program.code().len() + 1],
            parts: vec![Part { loops: [0; 4], words: 0, dear: 0 }],
            part: 0,
        };
        let is_whole = scan.scope(&Scope::whole(program), entry).is_some();
        let is_met = |&left: &u16| scan.passed.get(usize::from(left)) == Some(&true);
        let is_structured = is_whole && !scan.left.iter().any(is_met);
        Self {
            parts: is_structured.then_some(scan.parts),
            branches: scan.branches,
            left: scan.left.len(),
            is_undefined: scan.is_undefined,
            words: scan.visited.min(MOST_VISITED),
        }
    }

    /// Words that were looked at by how much code they become: `EX2` and `LG2` count four times.
    fn weight(&self) -> u64 {
        u64::from(self.words) + 3 * self.sum([[0; 4]; 4], |part| part.dear).unwrap_or(0)
    }

    /// Instructions, at most; `None` where control flow is not structured. No sum is too large: at most four loops are open,
    /// of 256 rounds each.
    pub(crate) fn most(&self, ints: Ints) -> Option<u64> {
        self.sum(ints, |part| part.words)
    }

    /// The sum over all rounds of some words of each part.
    fn sum(&self, ints: Ints, words: impl Fn(&Part) -> u32) -> Option<u64> {
        let rounds = |(&[rounds, ..], &loops): (&[u8; 4], &u8)| (u64::from(rounds) + 1).pow(loops.into());
        let most =
            |part: &Part| u64::from(words(part)) * ints.iter().zip(&part.loops).map(rounds).product::<u64>();
        self.parts.as_ref().map(|parts| parts.iter().map(most).sum())
    }
}

/// Words that are looked at, before a program counts as unknown: procedures are, for each call.
const MOST_VISITED: u32 = 20_000;

/// A scan over the words of a program.
struct Scan<'a> {
    program: &'a Program,
    visited: u32,
    branches: u32,
    /// A word is undefined: no engine has code for it.
    is_undefined: bool,
    /// Entries of IF and LOOP that are open, in the order of their stacks.
    open: Vec<Entry>,
    /// Ends of then-blocks whose entries a BREAK left on their stack.
    left: Vec<u16>,
    /// Addresses behind words that are not the last of a then-block or of the body of a loop.
    passed: Vec<bool>,
    parts: Vec<Part>,
    /// The part that words are counted in.
    part: usize,
}

/// An entry on the stack of IF or LOOP, and the address that it is compared with. No word of a procedure may meet that of an
/// entry that its caller opened: procedures are any words, also such as lie across the end of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    If(u16),
    Loop(u16),
}

impl Entry {
    const fn end(self) -> u16 {
        match self {
            Self::If(end) | Self::Loop(end) => end,
        }
    }
}

/// Words that control enters at the first and leaves behind the last.
#[derive(Debug, Clone, Copy)]
struct Scope {
    /// The word behind the last.
    end: u16,
    /// Jumps may go there, and any word may be the last one.
    is_whole: bool,
    /// The end is compared with the stack of IF or LOOP, which some words must not precede.
    is_compared: bool,
    /// The newest entry of IF or LOOP ends there.
    has_entry: bool,
    /// Open entries: calls, IFs, LOOPs, of all procedures.
    depth: [u8; 3],
    /// A BREAK has a loop of this procedure to leave, and leaves no IF open that encloses the loop.
    may_break: bool,
    /// IFs that were open at the loop.
    ifs_at_loop: u8,
}

impl Scope {
    fn whole(program: &Program) -> Self {
        Self {
            end: program.code().len() as u16,
            is_whole: true,
            is_compared: false,
            has_entry: false,
            depth: [0; 3],
            may_break: false,
            ifs_at_loop: 0,
        }
    }

    /// A scope inside, with one more entry on a stack, of which there is room for `most`.
    fn inner(&self, end: u16, stack: usize, most: u8) -> Option<Self> {
        let mut depth = self.depth;
        depth[stack] += 1;
        let inner = Self { end, is_whole: false, is_compared: true, has_entry: true, depth, ..*self };
        (depth[stack] <= most).then_some(inner)
    }
}

const CALLS: usize = 0;
const IFS: usize = 1;
const LOOPS: usize = 2;

impl Scan<'_> {
    /// Counts the words from `start` to the end of a scope: each once, but for those of loops and procedures.
    fn scope(&mut self, scope: &Scope, start: u16) -> Option<()> {
        let mut pc = start;
        // Targets of jumps, the nearest first; those that were reached are taken out.
        let mut targets = BinaryHeap::new();
        while pc < scope.end {
            let Some(instruction) = self.program.instruction(pc) else { break };
            self.visited += 1;
            if self.visited > MOST_VISITED {
                return None;
            }
            let part = &mut self.parts[self.part];
            part.words += 1;
            part.dear += u32::from(matches!(instruction.opcode(), Opcode::Ex2 | Opcode::Lg2));
            let (next, target) = self.word(scope, pc, instruction)?;
            while targets.peek().is_some_and(|&Reverse(target)| target <= pc) {
                targets.pop();
            }
            // No jump enters a scope from outside.
            if targets.peek().is_some_and(|&Reverse(target)| target < next) {
                return None;
            }
            targets.extend(target.map(Reverse));
            if instruction.opcode() == Opcode::End && targets.is_empty() {
                break;
            }
            pc = next;
        }
        Some(())
    }

    /// Notes the address behind a word; `None` if it is that of an open entry, but for the newest one where a block ends.
    fn pass(&mut self, next: u16, ends_block: bool) -> Option<()> {
        if !ends_block {
            self.passed[usize::from(next)] = true;
        }
        let others = self.open.len() - usize::from(ends_block);
        (!self.open[..others].iter().any(|entry| entry.end() == next)).then_some(())
    }

    /// [`scope`](Self::scope) of the words that an entry ends.
    fn block(&mut self, entry: Entry, scope: &Scope, start: u16) -> Option<()> {
        self.open.push(entry);
        let is_known = self.scope(scope, start);
        self.open.pop();
        is_known
    }

    /// Notes what a BREAK leaves behind: it closes its loop alone.
    fn leave(&mut self) {
        let inside = self.open.iter().rev().take_while(|entry| matches!(entry, Entry::If(_)));
        self.left.extend(inside.map(|entry| entry.end()));
    }

    /// Counts what a word opens; returns the word behind that, and the target of a jump.
    fn word(&mut self, scope: &Scope, pc: u16, instruction: Instruction) -> Option<(u16, Option<u16>)> {
        let (next, target) = (pc + 1, instruction.target());
        let is_last = next == scope.end && !scope.is_whole;
        let opcode = instruction.opcode();
        let is_branch = matches!(
            opcode,
            Opcode::Jmpc
                | Opcode::Jmpu
                | Opcode::Ifc
                | Opcode::Ifu
                | Opcode::Loop
                | Opcode::Call
                | Opcode::Callc
                | Opcode::Callu
                | Opcode::Break
                | Opcode::Breakc
        );
        self.branches += u32::from(is_branch);
        self.is_undefined |= opcode == Opcode::Undefined;
        if is_branch && is_last && (scope.is_compared || !matches!(opcode, Opcode::Call)) {
            return None;
        }
        self.pass(next, is_last && scope.has_entry)?;
        match opcode {
            Opcode::Jmpc | Opcode::Jmpu => {
                let is_inside = target < scope.end || scope.is_whole && target == scope.end;
                (target > pc && is_inside).then_some((next, Some(target)))
            }
            Opcode::Ifc | Opcode::Ifu => self.if_(scope, pc, instruction),
            Opcode::Loop => self.loop_(scope, pc, instruction),
            Opcode::Call | Opcode::Callc | Opcode::Callu => {
                let end = target + instruction.num();
                let words = self.program.code().len() as u16;
                let inner = scope.inner(end, CALLS, 3).filter(|_| target < end && end <= words)?;
                let inner = Scope { is_compared: false, has_entry: false, may_break: false, ..inner };
                self.scope(&inner, target)?;
                Some((next, None))
            }
            Opcode::Break | Opcode::Breakc => {
                self.leave();
                scope.may_break.then_some((next, None))
            }
            _ => Some((next, None)),
        }
    }

    fn if_(&mut self, scope: &Scope, pc: u16, instruction: Instruction) -> Option<(u16, Option<u16>)> {
        let (else_, join) = (instruction.target(), instruction.target() + instruction.num());
        // Nothing is compared with the address where an IF joins, be it the end of a procedure or of a block.
        let fits = join < scope.end || join == scope.end && scope.is_whole;
        if else_ <= pc + 1 || !fits {
            return None;
        }
        let then = scope.inner(else_, IFS, 8)?;
        let then = Scope { may_break: scope.may_break && scope.ifs_at_loop == 0, ..then };
        let or_else = Scope { end: join, is_whole: false, is_compared: true, has_entry: false, ..*scope };
        self.block(Entry::If(else_), &then, pc + 1)?;
        self.scope(&or_else, else_)?;
        Some((join, None))
    }

    fn loop_(&mut self, scope: &Scope, pc: u16, instruction: Instruction) -> Option<(u16, Option<u16>)> {
        let end = instruction.target() + 1;
        if end <= pc + 1 || end >= scope.end {
            return None;
        }
        let inner = scope.inner(end, LOOPS, 4)?;
        let inner = Scope { may_break: true, ifs_at_loop: scope.depth[IFS], ..inner };
        let around = self.part;
        self.part = self.part_inside(instruction.int_id());
        let is_known = self.block(Entry::Loop(end), &inner, pc + 1);
        self.part = around;
        is_known?;
        Some((end, None))
    }

    /// The part of the words in one more loop.
    fn part_inside(&mut self, int: u8) -> usize {
        let mut loops = self.parts[self.part].loops;
        loops[usize::from(int & 3)] += 1;
        self.parts.iter().position(|part| part.loops == loops).unwrap_or_else(|| {
            self.parts.push(Part { loops, words: 0, dear: 0 });
            self.parts.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::asm::{self, SourceFile};
    use super::*;

    const INTS: Ints = [[2, 0, 1, 0], [255, 0, 0, 0], [0; 4], [0; 4]];

    fn steps(body: &str) -> Option<u64> {
        let source = format!(".out p position\n.bool b\n.proc main\n{body}\nend\n.end\n.proc sub\nnop\n.end");
        let shbin = asm::assemble(&[SourceFile::new("a", source.as_str())], asm::Options::default());
        let shbin = shbin.unwrap_or_else(|error| panic!("{error:?}"));
        let program = Program::from_words(super::super::program::UnitKind::Vertex, &shbin.program.code, &[]);
        Bound::of(&program, 0).most(INTS)
    }

    #[test]
    fn words_in_a_row_and_both_sides_of_an_if() {
        assert_eq!(steps("nop"), Some(2));
        assert_eq!(steps("nop\nnop\nend\nnop"), Some(3));
        assert_eq!(steps("ifu b\nnop\n.else\nnop\nnop\n.end"), Some(5));
        assert_eq!(steps("jmpu b, over\nnop\nover:\nnop"), Some(4));
    }

    fn of_words(code: &[u32]) -> Option<u64> {
        let program = Program::from_words(super::super::program::UnitKind::Vertex, code, &[]);
        Bound::of(&program, 0).most(INTS)
    }

    const NOP: u32 = 0x21 << 26;
    const END: u32 = 0x22 << 26;

    const fn flow(opcode: u32, target: u32, num: u32) -> u32 {
        opcode << 26 | target << 10 | num
    }

    /// An IF that joins at the end of a called range goes on behind it: 40 words, of which 5 were counted once.
    #[test]
    fn if_that_joins_at_the_end_of_a_procedure() {
        let procedure = [flow(0x24, 2, 3), END, flow(0x27, 4, 1), NOP, NOP];
        assert_eq!(of_words(&[&procedure[..], &[NOP; 36], &[END]].concat()), None);
        let padded = [flow(0x24, 2, 4), END, flow(0x27, 4, 1), NOP, NOP, NOP, END];
        assert_eq!(of_words(&padded), Some(1 + (1 + 1 + 1 + 1) + 1));
    }

    /// A call from the body of a loop to the last word of that body.
    #[test]
    fn a_call_to_the_end_of_the_loop_around_it() {
        let found = [
            0xa400_0c03,
            0x9080_1003,
            0x8c40_1001,
            NOP,
            NOP,
            0x9000_0c01,
            NOP,
            0xb400_2c01,
            NOP,
            NOP,
            NOP,
            NOP,
            NOP,
            NOP,
            NOP,
            END,
        ];
        assert_eq!(of_words(&found), None, "35 were counted, 41 executed");
    }

    /// A procedure of words across the end of a block, which an IF or LOOP of its caller or a BREAK left open.
    #[test]
    fn procedures_across_the_end_of_a_block() {
        let block = |opener: u32, call: u32| [opener, call, NOP, NOP, NOP, END];
        assert_eq!(of_words(&block(flow(0x27, 4, 0), flow(0x24, 3, 2))), None);
        assert_eq!(of_words(&block(flow(0x29, 3, 0), flow(0x24, 3, 2))), None);
        assert_eq!(of_words(&block(flow(0x27, 4, 0), NOP)), Some(6));
        let left = [flow(0x29, 4, 0), flow(0x27, 4, 0), flow(0x23, 0, 0), NOP, NOP];
        let rest = [flow(0x24, 3, 2), NOP, END];
        assert_eq!(of_words(&[&left[..], &rest[..]].concat()), None);
        assert_eq!(of_words(&[&left[..], &[END]].concat()), Some(1 + 3 * 4 + 1));
    }

    #[test]
    fn what_may_come_again_is_unknown() {
        assert_eq!(steps("back:\nnop\njmpu b, back"), None);
        // Behind the end nothing matters.
        assert_eq!(steps("end\nback:\njmpu b, back"), Some(1));
    }

    #[test]
    fn entries_and_ends_of_memory() {
        let program = Program::new(super::super::program::UnitKind::Vertex);
        let most = |program: &Program, entry| Bound::of(program, entry).most(INTS);
        // Words never written are additions, and the end of memory ends a program.
        assert_eq!(most(&program, 0), Some(512));
        assert_eq!(most(&program, 511), Some(1));
        assert_eq!(most(&program, 512), Some(0));
        assert_eq!(most(&program, u16::MAX), Some(0));
        assert_eq!(most(&program, 400).map(|most| most as usize), Some(112));
    }

    #[test]
    fn a_changed_program_is_looked_at_again() {
        let mut known = MostSteps::default();
        let mut program = Program::new(super::super::program::UnitKind::Vertex);
        assert_eq!(
            [known.of(&program, 500, INTS, 1000).most, known.of(&program, 500, INTS, 5).most],
            [12, 5]
        );
        program.write_code(501, 0x22 << 26);
        assert_eq!(
            [known.of(&program, 500, INTS, 1000).most, known.of(&program, 509, INTS, 1000).most],
            [2, 3]
        );
        program.write_code(509, 0x29 << 26);
        assert_eq!(
            known.of(&program, 509, INTS, 1000),
            Steps { most: 1000, is_slow: true, dear: 1000, words: 1 }
        );
    }

    /// Looking at a program may cost 20,000 words, and an engine without its code asks for each batch.
    #[test]
    fn the_same_program_is_looked_at_once() {
        let (mut known, mut uniforms) = (MostSteps::default(), Uniforms::default());
        let program = Program::new(super::super::program::UnitKind::Vertex);
        assert_eq!(known.most(&program, 500, &uniforms, 1000), 12);
        known.bound.parts = Some(Vec::new());
        assert_eq!(known.most(&program, 500, &uniforms, 1000), 12);
        uniforms.set_int(0, [3; 4]);
        assert_eq!(known.most(&program, 500, &uniforms, 1000), 0, "another sum of the same words");
        assert_eq!(known.most(&program, 501, &uniforms, 1000), 11);
    }

    /// Frames of 320 words, `EX2` and `LG2` as four, are surely small enough. Loops count once: an engine need not unroll them.
    #[test]
    fn long_code_may_be_interpreted() {
        const EX2: u32 = 5 << 26;
        let of = |words: &[u32]| {
            let code = [words, &[END]].concat();
            let program = Program::from_words(super::super::program::UnitKind::Geometry, &code, &[]);
            MostSteps::default().of(&program, 0, INTS, 1 << 16)
        };
        assert_eq!([319, 320].map(|count| of(&vec![NOP; count]).is_slow), [false, true]);
        assert_eq!([79, 80].map(|count| of(&vec![EX2; count]).is_slow), [false, true]);
        let rounds = |int: u32| of(&[&[flow(0x29, 100, 0) | int << 22][..], &[NOP; 101]].concat());
        assert!(!rounds(0).is_slow && !rounds(1).is_slow);
        assert_eq!(
            [rounds(0), rounds(1)].map(Steps::code_words),
            [303, 512],
            "3 rounds in a row; 256 are counted"
        );
    }

    /// Three rounds of i0; the word that closes a loop, and one behind it.
    #[test]
    fn loops_and_procedures() {
        assert_eq!(steps("for i0\nnop\nnop\n.end\nnop"), Some(1 + 3 * 2 + 2));
        assert_eq!(steps("for i0\nfor i1\nnop\n.end\nnop\n.end\nnop"), Some(1 + 3 * (1 + 256 + 1) + 2));
        assert_eq!(steps("call sub\nnop"), Some(1 + 1 + 2));
        assert_eq!(steps("for i0\ncall sub\nnop\n.end\nnop"), Some(1 + 3 * (1 + 1 + 1) + 2));
        assert_eq!(steps("for i0\nifu b\nnop\n.end\nnop\n.end\nnop"), Some(1 + 3 * (1 + 1 + 1) + 2));
    }
}
