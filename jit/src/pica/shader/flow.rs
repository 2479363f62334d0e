//! From the graph to blocks.
//!
//! Lanes may part at a branch, so every node has a mask of the lanes that wait for it. Nodes are visited in
//! order; a node for which no lane waits is skipped, an edge back goes back at once. Since every lane that
//! waits is at the current node or later, each node finds all lanes together that will ever come by before
//! the next round. A node that no edge leads past needs no mask: all lanes come through it, once.
//!
//! In geometry code all lanes go the same way: there is one that counts, or branches depend on nothing that differs. Its
//! branches are branches of the host, without masks.

use super::fetch::INPUT_LIMIT;
use super::graph::{Action, Al, Count, Exit, Graph, Node, Test};
use super::lower::Lowering;
use super::places::{self, A0, CMP, Liveness, OUTPUTS, Places, REGISTERS};
use crate::emit::flow::{IntVar, ScalarVar};
use crate::emit::lanes::{I32s, Mask, Scalar};
use crate::emit::pica::number::Form;
use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::IntCC;
use picaflor_pipeline::pica::shader::program::Program;

/// Nodes of up to this many words run even when no lane waits: a branch that the host mispredicts costs more.
/// Not where words are counted, because these would count for lanes that are elsewhere.
const SHORT: u32 = 2;

/// Unit-specific part of the flow: the only difference between vertex code and geometry code.
pub(crate) trait Unit {
    /// A node begins.
    fn begin_node(&mut self, _lowering: &mut Lowering<'_, '_>, _node: usize) {}
    /// After word `at` of the actions of a node has been lowered.
    fn after_word(&mut self, lowering: &mut Lowering<'_, '_>, node: usize, at: usize);
    /// After the last word of a node.
    fn end_node(&mut self, _lowering: &mut Lowering<'_, '_>, _node: usize) {}
    /// Called in a node that ends the program for its lanes. Returns true if it has stored the results; otherwise the
    /// written places are stored for use in [`Flow::done`].
    fn at_end(&mut self, lowering: &mut Lowering<'_, '_>, node: usize) -> bool;
    /// The value of a variable boolean, the same in all lanes.
    fn bool(&mut self, lowering: &mut Lowering<'_, '_>, id: u8) -> Mask;
    /// In geometry code: called in a node that ends the program, once `flags` holds the lanes flagged so far. `over`: those
    /// of which the budget is exceeded.
    fn finish(
        &mut self,
        _lowering: &mut Lowering<'_, '_>,
        _node: usize,
        _flags: IntVar,
        _over: Option<Mask>,
    ) {
    }
}

/// The parts of emitting a graph that stay the same for all nodes.
pub(crate) struct Flow<'g> {
    graph: &'g Graph,
    liveness: &'g Liveness,
    /// Per node: its mask variable, or `None` where all lanes come through.
    pending: Vec<Option<IntVar>>,
    heads: Vec<Block>,
    /// After the last node.
    pub(crate) done: Block,
    /// True if all lanes go the same way.
    together: bool,
    flags: IntVar,
    executed: ScalarVar,
    budget: Option<Scalar>,
    bounds: Vec<[f32; REGISTERS]>,
}

impl<'g> Flow<'g> {
    /// Begins in the current block, which must continue into the first node.
    pub(crate) fn begin(
        lowering: &mut Lowering<'_, '_>,
        graph: &'g Graph,
        liveness: &'g Liveness,
        budget: Option<Scalar>,
    ) -> Self {
        let together = lowering.context.geometry;
        let l = &mut lowering.n.l;
        let full = if together { vec![true; graph.nodes.len()] } else { full_nodes(graph) };
        let pending = full.iter().map(|&full| (!full).then(|| l.int_var())).collect::<Vec<_>>();
        let heads = graph.nodes.iter().map(|_| l.block()).collect();
        let (done, flags, executed) = (l.block(), l.int_var(), l.scalar_var());
        let none = l.none();
        l.set_mask(flags, none);
        for variable in pending.iter().flatten() {
            l.set_mask(*variable, none);
        }
        if let Some(first) = pending[0] {
            let lanes = l.all();
            l.set_mask(first, lanes);
        }
        let zero = l.scalar(0);
        l.set_scalar(executed, zero);
        let mut bounds = vec![[-1.0; REGISTERS]; graph.nodes.len()];
        bounds[0] = if together { [INPUT_LIMIT; REGISTERS] } else { [0.0; REGISTERS] };
        for (at, node) in graph.nodes.iter().enumerate() {
            for back in node.successors().filter(|&next| next <= at) {
                bounds[back] = [f32::INFINITY; REGISTERS];
            }
        }
        for place in written_by_several(graph, lowering.context.program).iter() {
            lowering.variables.forms[place] = Some(Form::Scaled);
        }
        Self { graph, liveness, pending, heads, done, together, flags, executed, budget, bounds }
    }

    /// Emits all nodes; continues in [`done`](Self::done). Returns the lanes that are flagged.
    pub(crate) fn emit(&mut self, lowering: &mut Lowering<'_, '_>, unit: &mut dyn Unit) -> Mask {
        lowering.n.l.jump(self.heads[0]);
        for at in 0..self.graph.nodes.len() {
            self.node(lowering, unit, at);
        }
        let l = &mut lowering.n.l;
        l.switch_to(self.done);
        let flags = l.get_mask(self.flags);
        self.with_budget(lowering, flags)
    }

    /// Adds every lane when the group executed more words than one vertex may: some lane may have.
    fn with_budget(&self, lowering: &mut Lowering<'_, '_>, flags: Mask) -> Mask {
        let Some(over) = self.over(lowering) else { return flags };
        lowering.n.l.or(flags, over)
    }

    fn over(&self, lowering: &mut Lowering<'_, '_>) -> Option<Mask> {
        let budget = self.budget?;
        let l = &mut lowering.n.l;
        let executed = l.get_scalar(self.executed);
        Some(l.scalar_below_mask(budget, executed))
    }

    fn next_head(&self, at: usize) -> Block {
        self.heads.get(at + 1).copied().unwrap_or(self.done)
    }

    fn node(&mut self, lowering: &mut Lowering<'_, '_>, unit: &mut dyn Unit, at: usize) {
        let graph = self.graph;
        let node = &graph.nodes[at];
        lowering.n.l.switch_to(self.heads[at]);
        let mask = self.pending[at].map(|variable| {
            let l = &mut lowering.n.l;
            let mask = l.get_mask(variable);
            if self.budget.is_some() || node.words() > SHORT {
                let body = l.block();
                let any = l.any(mask);
                l.branch(any, body, self.next_head(at));
                l.switch_to(body);
            }
            mask
        });
        lowering.begin_node(self.bounds[at]);
        unit.begin_node(lowering, at);
        self.count_words(lowering, node);
        let effects = self.liveness.effects(graph, lowering.context.program, at);
        for (i, (action, effects)) in node.actions.iter().zip(&effects).enumerate() {
            match action {
                Action::Word(step) => {
                    lowering.n.l.at_word(step.pc);
                    lowering.compute(step, effects);
                    unit.after_word(lowering, at, i);
                }
                Action::Count(count) => self.count(lowering, *count, mask),
            }
        }
        unit.end_node(lowering, at);
        let taken_care_of = node.exit == Exit::End && unit.at_end(lowering, at);
        let test = self.test(lowering, unit, node);
        if !taken_care_of {
            self.store_places(lowering, at, mask);
        }
        self.raise_flags(lowering, node, mask);
        if self.together {
            if node.exit == Exit::End {
                let over = self.over(lowering);
                unit.finish(lowering, at, self.flags, over);
            }
            return self.leave_together(lowering, at, test);
        }
        self.leave(lowering, at, mask, test);
    }

    fn count_words(&self, lowering: &mut Lowering<'_, '_>, node: &Node) {
        if self.budget.is_some() {
            let l = &mut lowering.n.l;
            let executed = l.get_scalar(self.executed);
            let executed = l.scalar_add_constant(executed, i64::from(node.words()));
            l.set_scalar(self.executed, executed);
        }
    }

    /// Counters in lanes. Values in lanes that do not take part stay.
    fn count(&self, lowering: &mut Lowering<'_, '_>, count: Count, mask: Option<Mask>) {
        match count {
            Count::Start { slot, left, start } => {
                let al = lowering.al();
                let slot = usize::from(slot);
                let (saved, counter) = (lowering.variables.saved[slot], lowering.variables.left[slot]);
                store_int(lowering, saved, al, mask);
                let left = lowering.n.l.int(i32::from(left));
                store_int(lowering, counter, left, mask);
                let start = lowering.n.l.int(i32::from(start));
                self.store_al(lowering, start, mask);
            }
            Count::Step { increment } => {
                let al = lowering.al();
                let increment = lowering.n.l.int(i32::from(increment));
                let al = lowering.n.l.int_add(al, increment);
                self.store_al(lowering, al, mask);
            }
            Count::Restore { slot } => {
                let saved = lowering.variables.saved[usize::from(slot)];
                let saved = lowering.n.l.get_int(saved);
                self.store_al(lowering, saved, mask);
            }
            Count::Decrement { slot } => {
                let counter = lowering.variables.left[usize::from(slot)];
                let left = lowering.n.l.get_int(counter);
                let minus_one = lowering.n.l.int(-1);
                let left = lowering.n.l.int_add(left, minus_one);
                store_int(lowering, counter, left, mask);
            }
        }
    }

    fn store_al(&self, lowering: &mut Lowering<'_, '_>, al: I32s, mask: Option<Mask>) {
        let variable = lowering.variables.al;
        store_int(lowering, variable, al, mask);
        let al = lowering.n.l.get_int(variable);
        lowering.set_al(al);
    }

    /// The lanes that take the first way of a branch.
    fn test(&self, lowering: &mut Lowering<'_, '_>, unit: &mut dyn Unit, node: &Node) -> Option<Mask> {
        let Exit::Branch(test, ..) = node.exit else { return None };
        Some(match test {
            Test::Cmp(condition) => lowering.condition(condition),
            Test::Bool(id, wanted) => {
                let set = unit.bool(lowering, id);
                if wanted { set } else { lowering.n.l.not(set) }
            }
            Test::Counter(slot) => {
                let l = &mut lowering.n.l;
                let left = l.get_int(lowering.variables.left[usize::from(slot)]);
                let zero = l.int(0);
                l.int_compare(IntCC::NotEqual, left, zero)
            }
        })
    }

    /// Written places go to their variables where they are still wanted.
    fn store_places(&mut self, lowering: &mut Lowering<'_, '_>, at: usize, mask: Option<Mask>) {
        let wanted = self.liveness.at_end[at];
        // The outputs of the geometry unit live in memory.
        let in_memory = |place| lowering.context.geometry && (OUTPUTS..CMP).contains(&place);
        let kept = |&place: &usize| wanted.contains(place) && !in_memory(place);
        for place in lowering.written.iter().filter(kept).collect::<Vec<_>>() {
            store_place(lowering, place, mask);
        }
        self.pass_bounds(lowering, at);
    }

    fn pass_bounds(&mut self, lowering: &mut Lowering<'_, '_>, at: usize) {
        let mut bounds = lowering.bounds;
        for place in lowering.written.iter().filter(|&place| place < REGISTERS) {
            let operand = lowering.register(place);
            bounds[place] = lowering.n.bound(operand);
        }
        for next in self.graph.nodes[at].successors().filter(|&next| next > at) {
            for (bound, out) in self.bounds[next].iter_mut().zip(bounds) {
                *bound = bound.max(out);
            }
        }
    }

    fn raise_flags(&self, lowering: &mut Lowering<'_, '_>, node: &Node, mask: Option<Mask>) {
        let mut raised = lowering.n.take_flags();
        let l = &mut lowering.n.l;
        if node.faulty {
            raised = Some(l.all());
        }
        let Some(raised) = raised else { return };
        let raised = mask.map_or(raised, |mask| l.and(raised, mask));
        let flags = l.get_mask(self.flags);
        let flags = l.or(flags, raised);
        l.set_mask(self.flags, flags);
    }

    /// The jump at the end of a node.
    fn leave(&self, lowering: &mut Lowering<'_, '_>, at: usize, mask: Option<Mask>, test: Option<Mask>) {
        let l = &mut lowering.n.l;
        let lanes = mask.unwrap_or_else(|| l.all());
        if let (Some(variable), true) = (self.pending[at], self.graph.cyclic) {
            let none = l.none();
            l.set_mask(variable, none);
        }
        let mut back = None;
        match (self.graph.nodes[at].exit, test) {
            (Exit::Goto(next), _) => back = self.send(lowering, at, next, lanes),
            (Exit::Branch(_, yes, no), Some(test)) => {
                let l = &mut lowering.n.l;
                let (yes_lanes, no_lanes) = (l.and(lanes, test), l.and_not(lanes, test));
                let first = self.send(lowering, at, yes, yes_lanes);
                let second = self.send(lowering, at, no, no_lanes);
                back = match (first, second) {
                    // Both ways lead back: to the earlier node first.
                    (Some(a), Some(b)) => return self.back_twice(lowering, at, a, b),
                    (a, b) => a.or(b),
                };
            }
            _ => {}
        }
        match back {
            Some(back) => self.go_back(lowering, back, self.next_head(at)),
            None => lowering.n.l.jump(self.next_head(at)),
        }
    }

    /// The jump at the end of a node where all lanes go the same way.
    fn leave_together(&self, lowering: &mut Lowering<'_, '_>, at: usize, test: Option<Mask>) {
        let l = &mut lowering.n.l;
        match (self.graph.nodes[at].exit, test) {
            (Exit::Goto(next), _) => self.go(lowering, at, next),
            (Exit::Branch(_, yes, no), Some(test)) => {
                let ways = [l.block(), l.block()];
                let taken = l.is_first_set(test);
                l.branch(taken, ways[0], ways[1]);
                l.switch_to(ways[0]);
                self.go(lowering, at, yes);
                lowering.n.l.switch_to(ways[1]);
                self.go(lowering, at, no);
            }
            _ => l.jump(self.done),
        }
    }

    /// To a node; if it is an earlier one, while the budget lasts.
    fn go(&self, lowering: &mut Lowering<'_, '_>, at: usize, next: usize) {
        let l = &mut lowering.n.l;
        match self.budget {
            Some(budget) if next <= at => {
                let executed = l.get_scalar(self.executed);
                let over = l.scalar_below(budget, executed);
                l.branch(over, self.done, self.heads[next]);
            }
            _ => l.jump(self.heads[next]),
        }
    }

    /// Adds lanes to those that wait for `next`; an edge back is returned to be taken at once.
    fn send(
        &self,
        lowering: &mut Lowering<'_, '_>,
        at: usize,
        next: usize,
        lanes: Mask,
    ) -> Option<(usize, Mask)> {
        let l = &mut lowering.n.l;
        if let Some(variable) = self.pending[next] {
            let alone = !self.graph.cyclic && self.graph.nodes[next].predecessors == 1;
            let waiting = if alone {
                lanes
            } else {
                let waiting = l.get_mask(variable);
                l.or(waiting, lanes)
            };
            l.set_mask(variable, waiting);
        }
        (next <= at).then_some((next, lanes))
    }

    fn back_twice(&self, lowering: &mut Lowering<'_, '_>, at: usize, a: (usize, Mask), b: (usize, Mask)) {
        let (early, late) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        let other = lowering.n.l.block();
        self.go_back(lowering, early, other);
        lowering.n.l.switch_to(other);
        self.go_back(lowering, late, self.next_head(at));
    }

    /// To an earlier node if any lane goes there and the budget lasts, else to `otherwise`.
    fn go_back(&self, lowering: &mut Lowering<'_, '_>, back: (usize, Mask), otherwise: Block) {
        let (to, lanes) = back;
        let l = &mut lowering.n.l;
        let any = l.any(lanes);
        let Some(budget) = self.budget else {
            return l.branch(any, self.heads[to], otherwise);
        };
        let check = l.block();
        l.branch(any, check, otherwise);
        l.switch_to(check);
        let executed = l.get_scalar(self.executed);
        let over = l.scalar_below(budget, executed);
        l.branch(over, self.done, self.heads[to]);
    }
}

/// Register components that more than one node writes. Results of arithmetic come scaled, so they are carried
/// that way; what one node alone writes, often a copied input, is carried as that node has it.
fn written_by_several(graph: &Graph, program: &Program) -> Places {
    let (mut once, mut several) = (Places::default(), Places::default());
    for node in &graph.nodes {
        let mut written = Places::default();
        for action in &node.actions {
            let Action::Word(step) = action else { continue };
            if places::is_arithmetic(step.word.opcode()) {
                let first = places::destination_place(step.word.destination());
                let descriptor = program.descriptor(step.word.descriptor());
                (0..4).filter(|&i| descriptor.writes(i)).for_each(|i| written.insert(first + i));
            }
        }
        written.iter().filter(|&place| once.contains(place)).for_each(|place| several.insert(place));
        once.extend(&written);
    }
    several
}

/// Stores to active lanes only; inactive lanes keep their values.
fn store_int(lowering: &mut Lowering<'_, '_>, variable: IntVar, value: I32s, mask: Option<Mask>) {
    let l = &mut lowering.n.l;
    let value = match mask {
        Some(mask) => {
            let old = l.get_int(variable);
            l.int_select(mask, value, old)
        }
        None => value,
    };
    l.set_int(variable, value);
}

fn store_place(lowering: &mut Lowering<'_, '_>, place: usize, mask: Option<Mask>) {
    if place >= A0 {
        let (variable, value) = (lowering.variables.a0[place - A0], lowering.address(place - A0));
        return store_int(lowering, variable, value, mask);
    }
    if place >= CMP {
        let (variable, value) = (lowering.variables.cmp[place - CMP], lowering.flag(place - CMP));
        return store_int(lowering, variable, I32s(value.0), mask);
    }
    let operand = lowering.register(place);
    let Some(variable) = lowering.variables.registers[place] else { return };
    let better = lowering.n.better_form(operand);
    let form = *lowering.variables.forms[place].get_or_insert(better);
    let value = lowering.n.portable(operand, form);
    let l = &mut lowering.n.l;
    let value = match mask {
        Some(mask) => {
            let old = l.get_float(variable);
            l.blend(mask, value, old)
        }
        None => value,
    };
    l.set_float(variable, value);
}

/// Nodes that all lanes pass together, exactly once: no edge bypasses them, forward or back.
pub(crate) fn full_nodes(graph: &Graph) -> Vec<bool> {
    let count = graph.nodes.len();
    let mut full = vec![true; count];
    for (at, node) in graph.nodes.iter().enumerate() {
        let exit = (node.exit == Exit::End).then_some(count);
        for next in node.successors().chain(exit) {
            let past = if next > at { at + 1..next } else { next..at + 1 };
            full[past].fill(false);
        }
    }
    full
}

/// `aL` of a node's end in lanes.
pub(crate) fn al_in_lanes(lowering: &mut Lowering<'_, '_>, al: Al) -> I32s {
    match al {
        Al::Known(al) => lowering.n.l.int(al),
        Al::Lanes | Al::Dead => lowering.al(),
    }
}
