//! The JIT's control-flow graph: the stack machine of the hardware, unfolded.
//!
//! The control-flow machine of the shader unit (pica-shader.md 4.1) has no lexical structure: three bounded stacks
//! are compared with addresses after every instruction. All contents of its entries come from instruction words and
//! integer uniforms, so the machine is executed symbolically with its stacks as part of the *state*, and every
//! distinct state becomes a node of the graph. Lost jumps, stale entries and overflowing rings need no special cases,
//! and only branches on `cmp` or on a boolean that may change after compilation remain in the graph.
//!
//! Integer uniforms are known when a routine is made. Loops are unrolled with their counters in the state
//! ([`Loops::Unrolled`]) as long as the graph stays small; else the counters live in lanes
//! ([`Loops::Counted`]).

use crate::code::pica::facts::Length;
use crate::error::CompileError;
use picaflor_pipeline::pica::shader::instr::{Condition, Index, Instruction, Source};
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::Program;
use std::collections::{HashMap, TryReserveError};

/// Maximal number of words after unrolling; above it, loops are counted in lanes.
const UNROLL_LIMIT: usize = 512;
/// Maximal [weight](Graph::weight) of them: frames of heavier words are too large.
const UNROLL_WEIGHT: u32 = 1024;
/// Maximal number of nodes after unrolling. Compile time grows superlinearly with the number of nodes.
const UNROLL_NODES: usize = 96;
/// Maximal number of states of a graph.
const STATE_LIMIT: usize = 4096;
/// Maximal number of nodes of a graph.
const NODE_LIMIT: usize = 128;

/// Specialisation of a routine, as far as it affects control flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uniform<'a> {
    /// Boolean uniforms.
    pub(crate) bools: u16,
    /// Booleans that may differ when the routine runs.
    pub(crate) variable_bools: u16,
    /// Integer uniforms.
    pub(crate) ints: &'a [[u8; 4]; 4],
    /// True if `aL` is zero at the start; it is unknown in the geometry unit.
    pub(crate) al_is_zero: bool,
}

/// Location of loop counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loops {
    /// In the state: each iteration has its own nodes.
    Unrolled,
    /// In lanes.
    Counted,
}

/// `aL` at one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Al {
    /// The same constant for every lane.
    Known(i32),
    /// Per-lane values in a variable.
    Lanes,
    /// No word reads it before a `LOOP` sets it. Places that differ only in such an `aL` are one place.
    Dead,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct CallEntry {
    end: u16,
    ret: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct IfEntry {
    els: u16,
    join: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct LoopEntry {
    entry: u16,
    end: u16,
    /// Iterations left when unrolled, else 0.
    left: u8,
    increment: u8,
    saved: Al,
    /// Slot of the counter when counted in lanes.
    slot: u8,
}

/// A ring: pushing on a full one discards the oldest entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Ring<T, const N: usize> {
    entries: [Option<T>; N],
    len: u8,
}

impl<T: Copy, const N: usize> Ring<T, N> {
    const fn new() -> Self {
        Self { entries: [None; N], len: 0 }
    }

    fn push(&mut self, entry: T) {
        if usize::from(self.len) == N {
            self.entries.rotate_left(1);
            self.len -= 1;
        }
        self.entries[usize::from(self.len)] = Some(entry);
        self.len += 1;
    }

    fn top(&mut self) -> Option<&mut T> {
        let top = usize::from(self.len).checked_sub(1)?;
        self.entries[top].as_mut()
    }

    fn pop(&mut self) {
        self.len -= 1;
        self.entries[usize::from(self.len)] = None;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    pc: u16,
    al: Al,
    calls: Ring<CallEntry, 4>,
    ifs: Ring<IfEntry, 8>,
    loops: Ring<LoopEntry, 4>,
}

/// Operation on the counters in lanes after a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    /// `LOOP`: slot `slot` starts with `left` iterations more, remembers `aL`, and `aL` becomes `start`.
    Start {
        /// The lanes that count.
        slot: u8,
        /// Iterations after the first.
        left: u8,
        /// First value of `aL`.
        start: u8,
    },
    /// End of a body: `aL` grows by `increment`.
    Step {
        /// Added to `aL`.
        increment: u8,
    },
    /// Exit of a loop inside another: restores the previous `aL`.
    Restore {
        /// The lanes that remember.
        slot: u8,
    },
    /// One iteration less.
    Decrement {
        /// The lanes that count.
        slot: u8,
    },
}

/// One executed word.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// Its address.
    pub(crate) pc: u16,
    /// The word.
    pub(crate) word: Instruction,
    /// `aL` while it executes.
    pub(crate) al: Al,
}

/// Condition of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    /// The condition flags of each lane.
    Cmp(Condition),
    /// A variable boolean uniform, true when it equals the second field.
    Bool(u8, bool),
    /// True if the counter of a slot is not zero.
    Counter(u8),
}

/// Exit of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// End of the invocation.
    End,
    /// To one node.
    Goto(usize),
    /// Per lane, to the first node where the test holds, else to the second.
    Branch(Test, usize, usize),
}

/// Action of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    /// Executes a word.
    Word(Step),
    /// Works on the counters in lanes.
    Count(Count),
}

/// Basic block: actions executed in sequence.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// The actions, in order; may be empty.
    pub(crate) actions: Vec<Action>,
    /// True if the node commits a reported fault.
    pub(crate) faulty: bool,
    /// The exit.
    pub(crate) exit: Exit,
    /// `aL` after the last word.
    pub(crate) al: Al,
    /// Number of incoming edges; one more for node 0.
    pub(crate) predecessors: usize,
}

impl Node {
    /// Number of words that the node executes.
    pub(crate) fn words(&self) -> u32 {
        self.actions.iter().filter(|action| matches!(action, Action::Word(_))).count() as u32
    }

    /// Successors of the node.
    pub(crate) fn successors(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, second) = match self.exit {
            Exit::End => (None, None),
            Exit::Goto(next) => (Some(next), None),
            Exit::Branch(_, yes, no) => (Some(yes), Some(no)),
        };
        first.into_iter().chain(second)
    }
}

/// The unfolded program. Node 0 is the entry; nodes are in reverse post-order, so that an edge to a lower or
/// equal number closes a cycle.
#[derive(Debug, Clone)]
pub(crate) struct Graph {
    /// The nodes.
    pub(crate) nodes: Vec<Node>,
    /// True if some edge closes a cycle.
    pub(crate) cyclic: bool,
    /// Maximal number of words that an invocation executes; in a graph with cycles, without iterations.
    pub(crate) longest: u32,
}

impl Graph {
    /// Bound of the length of an invocation.
    pub(crate) fn length(&self) -> Length {
        Length { longest: self.longest, counts: self.cyclic }
    }

    /// Words by how much code they become: `EX2` and `LG2` count four times.
    pub(crate) fn weight(&self) -> u32 {
        let weight = |action: &Action| match action {
            Action::Word(step) if matches!(step.word.opcode(), Opcode::Ex2 | Opcode::Lg2) => 4,
            Action::Word(_) => 1,
            Action::Count(_) => 0,
        };
        self.nodes.iter().flat_map(|node| &node.actions).map(weight).sum()
    }

    /// Predicate: rounds of a loop come in a row.
    pub(crate) fn is_unrolled(&self) -> bool {
        let actions = || self.nodes.iter().flat_map(|node| &node.actions);
        let is_loop =
            |action: &Action| matches!(action, Action::Word(step) if step.word.opcode() == Opcode::Loop);
        let counts = |action: &Action| matches!(action, Action::Count(Count::Start { .. }));
        actions().any(is_loop) && !actions().any(counts)
    }

    /// Unfolds the program from `entry`. Loops that are to be [unrolled](Loops::Unrolled) are counted where that is too long.
    pub(crate) fn new(
        program: &Program,
        entry: u16,
        uniform: Uniform<'_>,
        loops: Loops,
    ) -> Result<Self, CompileError> {
        // After the last loop `aL` is taken for dead where it does not persist, unless that turns out wrong.
        let unroll =
            |forgets| Unfolder::new(program, uniform, Loops::Unrolled, forgets).run(entry, UNROLL_LIMIT);
        if loops == Loops::Unrolled {
            let forgotten = if uniform.al_is_zero { unroll(true)? } else { None };
            let unrolled = if forgotten.is_some() { forgotten } else { unroll(false)? };
            let is_small =
                |graph: &Self| graph.nodes.len() <= UNROLL_NODES && graph.weight() <= UNROLL_WEIGHT;
            if let Some(graph) = unrolled.filter(is_small) {
                return Ok(graph);
            }
        }
        let counted = Unfolder::new(program, uniform, Loops::Counted, false).run(entry, STATE_LIMIT)?;
        counted
            .filter(|graph| graph.nodes.len() <= NODE_LIMIT)
            .ok_or(CompileError::TooManyStates { limit: NODE_LIMIT })
    }
}

/// Continuation after a word once some of its conditions are known.
struct Way {
    counts: Vec<Count>,
    faulty: bool,
    next: Next,
}

enum Next {
    End,
    Goto(State),
    Test(Test, Box<Way>, Box<Way>),
}

struct Unfolder<'a> {
    program: &'a Program,
    uniform: Uniform<'a>,
    loops: Loops,
    /// True if `aL` is forgotten when no loop is open.
    forgets_al: bool,
    /// True if a word read a forgotten `aL`.
    missed_al: bool,
    ids: HashMap<State, usize>,
    nodes: Vec<Node>,
    pending: Vec<(usize, State)>,
}

impl<'a> Unfolder<'a> {
    fn new(program: &'a Program, uniform: Uniform<'a>, loops: Loops, forgets_al: bool) -> Self {
        Self {
            program,
            uniform,
            loops,
            forgets_al,
            missed_al: false,
            ids: HashMap::new(),
            nodes: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// The graph, or `None` when it has more states than the limit, or a forgotten `aL` is read.
    ///
    /// # Errors
    /// [`CompileError::NoMemory`]
    fn run(mut self, entry: u16, limit: usize) -> Result<Option<Graph>, CompileError> {
        let al = match (self.loops, self.uniform.al_is_zero) {
            (Loops::Unrolled, true) => Al::Known(0),
            _ => Al::Lanes,
        };
        let mut first = State { pc: entry, al, calls: Ring::new(), ifs: Ring::new(), loops: Ring::new() };
        first.pc = entry.min(self.program.code().len() as u16);
        self.intern(first);
        while let Some((id, state)) = self.pending.pop() {
            self.reserve().map_err(|_| CompileError::NoMemory)?;
            self.expand(id, &state);
            if self.nodes.len() > limit || self.missed_al {
                return Ok(None);
            }
        }
        Ok(Some(assemble(self.nodes)))
    }

    /// Room for what follows a word.
    fn reserve(&mut self) -> Result<(), TryReserveError> {
        /// More than the ways on from a word.
        const WAYS: usize = 16;
        self.ids.try_reserve(WAYS)?;
        self.nodes.try_reserve(WAYS)?;
        self.pending.try_reserve(WAYS)
    }

    fn intern(&mut self, mut state: State) -> usize {
        if self.forgets_al && state.loops.len == 0 {
            state.al = Al::Dead;
        }
        if let Some(&id) = self.ids.get(&state) {
            return id;
        }
        let id = self.add(state.al);
        self.ids.insert(state, id);
        self.pending.push((id, state));
        id
    }

    fn add(&mut self, al: Al) -> usize {
        self.nodes.push(Node { actions: Vec::new(), faulty: false, exit: Exit::End, al, predecessors: 0 });
        self.nodes.len() - 1
    }

    fn expand(&mut self, id: usize, state: &State) {
        let Some(word) = self.program.instruction(state.pc) else { return };
        self.missed_al |= state.al == Al::Dead && reads_al(word);
        self.nodes[id].actions.push(Action::Word(Step { pc: state.pc, word, al: state.al }));
        let way = self.execute(*state, word);
        self.follow(id, way);
    }

    /// Ends node `id` the given way.
    fn follow(&mut self, id: usize, way: Way) {
        let exit = match way.next {
            Next::End => Exit::End,
            Next::Goto(state) => {
                self.nodes[id].al = state.al;
                Exit::Goto(self.intern(state))
            }
            Next::Test(test, yes, no) => {
                let (yes, no) = (self.way(*yes), self.way(*no));
                if yes == no { Exit::Goto(yes) } else { Exit::Branch(test, yes, no) }
            }
        };
        let node = &mut self.nodes[id];
        node.actions.extend(way.counts.into_iter().map(Action::Count));
        node.faulty |= way.faulty;
        node.exit = exit;
    }

    /// First node of a continuation: the node of its state, or a node without words for preceding counter operations.
    fn way(&mut self, way: Way) -> usize {
        match way {
            Way { counts, faulty: false, next: Next::Goto(state) } if counts.is_empty() => self.intern(state),
            way => {
                let id = self.add(Al::Lanes);
                self.follow(id, way);
                id
            }
        }
    }

    /// One step of the machine.
    fn execute(&self, state: State, word: Instruction) -> Way {
        let decision = match word.opcode() {
            Opcode::End => return Way { counts: Vec::new(), faulty: false, next: Next::End },
            Opcode::Callc | Opcode::Ifc | Opcode::Jmpc | Opcode::Breakc => {
                Decision::Test(Test::Cmp(word.condition()))
            }
            Opcode::Callu | Opcode::Ifu => self.decide_bool(word.bool_id(), true),
            Opcode::Jmpu => self.decide_bool(word.bool_id(), word.num() & 1 == 0),
            _ => Decision::Always(true),
        };
        match decision {
            Decision::Always(taken) => self.after(state, word, taken),
            Decision::Test(test) => {
                let ways = [true, false].map(|taken| Box::new(self.after(state, word, taken)));
                let [yes, no] = ways;
                Way { counts: Vec::new(), faulty: false, next: Next::Test(test, yes, no) }
            }
        }
    }

    fn decide_bool(&self, id: u8, wanted: bool) -> Decision {
        if self.uniform.variable_bools >> id & 1 != 0 {
            Decision::Test(Test::Bool(id, wanted))
        } else {
            Decision::Always((self.uniform.bools >> id & 1 != 0) == wanted)
        }
    }

    /// The rest of a step once it is known whether the instruction is taken.
    fn after(&self, mut state: State, word: Instruction, taken: bool) -> Way {
        let seq = state.pc + 1;
        let mut counts = Vec::new();
        let mut faulty = word.opcode() == Opcode::Undefined;
        let mut target = seq;
        let mut leave = false;
        let (dst, num) = (word.target(), word.num());
        match word.opcode() {
            Opcode::Call | Opcode::Callc | Opcode::Callu if taken => {
                state.calls.push(CallEntry { end: dst + num, ret: seq });
                target = dst;
            }
            Opcode::Ifu | Opcode::Ifc if taken => state.ifs.push(IfEntry { els: dst, join: dst + num }),
            Opcode::Ifu | Opcode::Ifc => target = dst,
            Opcode::Loop => self.open_loop(&mut state, word, &mut counts),
            Opcode::Jmpc | Opcode::Jmpu if taken => target = dst,
            Opcode::Break | Opcode::Breakc if taken => {
                leave = true;
                faulty |= state.loops.len == 0;
            }
            _ => {}
        }
        check_calls(&mut state, seq, &mut target);
        check_ifs(&mut state, seq, &mut target);
        state.pc = target;
        let next = self.check_loops(state, seq, leave, &mut counts);
        Way { counts, faulty, next }
    }

    fn open_loop(&self, state: &mut State, word: Instruction, counts: &mut Vec<Count>) {
        let [x, y, z, _] = self.uniform.ints[usize::from(word.int_id())];
        let slot = free_slot(&state.loops);
        let (left, al) = match self.loops {
            Loops::Unrolled => (x, Al::Known(i32::from(y))),
            Loops::Counted => {
                counts.push(Count::Start { slot, left: x, start: y });
                (0, Al::Lanes)
            }
        };
        let slot = if self.loops == Loops::Counted { slot } else { 0 };
        let end = word.target() + 1;
        // What was before the first loop is never restored.
        let saved = if state.loops.len == 0 { Al::Known(0) } else { state.al };
        state.loops.push(LoopEntry { entry: state.pc + 1, end, left, increment: z, saved, slot });
        state.al = al;
    }

    fn check_loops(&self, mut state: State, seq: u16, leave: bool, counts: &mut Vec<Count>) -> Next {
        let Some(&mut top) = state.loops.top() else { return Next::Goto(state) };
        if top.end != seq && !leave {
            return Next::Goto(state);
        }
        match self.loops {
            Loops::Unrolled => Next::Goto(unrolled_end(state, top, leave)),
            Loops::Counted => counted_end(state, top, leave, counts),
        }
    }
}

enum Decision {
    Always(bool),
    Test(Test),
}

/// True if some source of the word is indexed by `aL`.
fn reads_al(word: Instruction) -> bool {
    (0..word.source_count()).any(|n| matches!(word.source(n), Source::Uniform(_, Index::AL)))
}

fn check_calls(state: &mut State, seq: u16, target: &mut u16) {
    let mut q = seq;
    for pop in 1..=4 {
        let Some(&mut top) = state.calls.top() else { return };
        if top.end != q {
            return;
        }
        state.calls.pop();
        if pop < 4 {
            *target = top.ret;
            q = top.ret;
        }
    }
}

fn check_ifs(state: &mut State, seq: u16, target: &mut u16) {
    if let Some(&mut top) = state.ifs.top()
        && top.els == seq
    {
        *target = top.join;
        state.ifs.pop();
    }
}

/// The end of a body whose counter is part of the state. `aL` is known there: the `LOOP` set it, and what it
/// was before the first `LOOP` is never restored, because nothing is open beneath that one.
fn unrolled_end(mut state: State, top: LoopEntry, leave: bool) -> State {
    if let Al::Known(al) = &mut state.al {
        *al = al.wrapping_add(i32::from(top.increment));
    }
    if !leave && top.left != 0 {
        if let Some(entry) = state.loops.top() {
            entry.left -= 1;
        }
        state.pc = top.entry;
    } else {
        close_loop(&mut state, top);
    }
    state
}

/// The end of a body whose counter is in the lanes.
fn counted_end(state: State, top: LoopEntry, leave: bool, counts: &mut Vec<Count>) -> Next {
    counts.push(Count::Step { increment: top.increment });
    let mut again = state;
    again.pc = top.entry;
    let mut done = state;
    let restore = close_loop(&mut done, top).then_some(Count::Restore { slot: top.slot });
    if leave {
        counts.extend(restore);
        return Next::Goto(done);
    }
    let again =
        Way { counts: vec![Count::Decrement { slot: top.slot }], faulty: false, next: Next::Goto(again) };
    let done = Way { counts: restore.into_iter().collect(), faulty: false, next: Next::Goto(done) };
    Next::Test(Test::Counter(top.slot), Box::new(again), Box::new(done))
}

/// Leaves the innermost loop; returns true if `aL` must be restored.
fn close_loop(state: &mut State, top: LoopEntry) -> bool {
    state.pc = top.end;
    state.loops.pop();
    let restores = state.loops.len != 0;
    if restores {
        state.al = top.saved;
    }
    restores
}

/// A slot that no open loop uses; that of the oldest when all are used, since it will be discarded.
fn free_slot(loops: &Ring<LoopEntry, 4>) -> u8 {
    let used = |slot| loops.entries.iter().flatten().any(|entry| entry.slot == slot);
    (0..4).find(|&slot| !used(slot)).or(loops.entries[0].map(|entry| entry.slot)).unwrap_or(0)
}

/// Joins chains, orders the nodes and measures the graph.
fn assemble(mut nodes: Vec<Node>) -> Graph {
    count_predecessors(&mut nodes);
    join_chains(&mut nodes);
    let order = reverse_post_order(&nodes);
    let mut place = vec![usize::MAX; nodes.len()];
    for (at, &id) in order.iter().enumerate() {
        place[id] = at;
    }
    let mut nodes: Vec<Node> = order
        .iter()
        .map(|&id| {
            let mut node = nodes[id].clone();
            node.exit = match node.exit {
                Exit::End => Exit::End,
                Exit::Goto(next) => Exit::Goto(place[next]),
                Exit::Branch(test, yes, no) => Exit::Branch(test, place[yes], place[no]),
            };
            node
        })
        .collect();
    count_predecessors(&mut nodes);
    let cyclic = nodes.iter().enumerate().any(|(at, node)| node.successors().any(|next| next <= at));
    let longest = longest_path(&nodes);
    Graph { nodes, cyclic, longest }
}

fn count_predecessors(nodes: &mut [Node]) {
    for node in nodes.iter_mut() {
        node.predecessors = 0;
    }
    for at in 0..nodes.len() {
        for next in nodes[at].successors() {
            nodes[next].predecessors += 1;
        }
    }
    nodes[0].predecessors += 1;
}

/// Merges each node with successors that have no other predecessor. Merged nodes are left empty and unreachable.
fn join_chains(nodes: &mut [Node]) {
    for at in 0..nodes.len() {
        while let Exit::Goto(next) = nodes[at].exit {
            if nodes[next].predecessors != 1 || next == at {
                break;
            }
            let tail = std::mem::take(&mut nodes[next].actions);
            let (faulty, exit, al) = (nodes[next].faulty, nodes[next].exit, nodes[next].al);
            nodes[next].exit = Exit::End;
            let node = &mut nodes[at];
            node.actions.extend(tail);
            node.faulty |= faulty;
            node.exit = exit;
            node.al = al;
        }
    }
}

fn reverse_post_order(nodes: &[Node]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; nodes.len()];
    let mut stack = vec![(0, nodes[0].successors().collect::<Vec<_>>())];
    seen[0] = true;
    while let Some((at, successors)) = stack.last_mut() {
        match successors.pop() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, nodes[next].successors().collect()));
            }
            Some(_) => {}
            None => {
                order.push(*at);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

fn longest_path(nodes: &[Node]) -> u32 {
    let mut longest = vec![0_u32; nodes.len()];
    for at in (0..nodes.len()).rev() {
        let after = nodes[at].successors().filter(|&next| next > at).map(|next| longest[next]).max();
        longest[at] = nodes[at].words() + after.unwrap_or(0);
    }
    longest[0]
}

#[cfg(test)]
#[path = "graph_tests.rs"]
mod tests;
