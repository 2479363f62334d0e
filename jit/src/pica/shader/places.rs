//! Places (register components that live across nodes) and their liveness.

use super::graph::{Action, Exit, Graph, Step, Test};
use picaflor_pipeline::pica::shader::instr::{Destination, Index, Instruction, OperandDescriptor, Source};
use picaflor_pipeline::pica::shader::ops::{Combine, Opcode};
use picaflor_pipeline::pica::shader::program::Program;

/// Component `c` of `r[n]` is place `4n + c`, that of `o[n]` follows.
pub(crate) const OUTPUTS: usize = 64;
/// `cmp.x`, `cmp.y`.
pub(crate) const CMP: usize = 128;
/// `a0.x`, `a0.y`.
pub(crate) const A0: usize = 130;
/// Components of registers: temporaries and outputs.
pub(crate) const REGISTERS: usize = 128;

/// A set of places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Places([u64; 3]);

impl Places {
    pub(crate) fn insert(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub(crate) fn remove(&mut self, place: usize) {
        self.0[place / 64] &= !(1 << (place % 64));
    }

    pub(crate) fn contains(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 != 0
    }

    /// Adds the other set; returns true if this one changed.
    pub(crate) fn extend(&mut self, other: &Self) -> bool {
        let before = *self;
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine |= theirs;
        }
        *self != before
    }

    /// The places, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let set = *self;
        (0..192).filter(move |&place| set.contains(place))
    }
}

/// First place of a destination register.
pub(crate) const fn destination_place(destination: Destination) -> usize {
    match destination {
        Destination::Temporary(n) => n as usize * 4,
        Destination::Output(n) => OUTPUTS + n as usize * 4,
    }
}

/// Live definitions and uses of one word.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Effects {
    /// Components of the destination that are written and live.
    pub(crate) components: [bool; 4],
    /// `cmp.x` and `cmp.y`, written and live.
    pub(crate) flags: [bool; 2],
    /// `a0.x` and `a0.y`, written and live.
    pub(crate) addresses: [bool; 2],
    /// For each source, the lanes of the operand (after its swizzle) that are read.
    pub(crate) lanes: [[bool; 4]; 3],
}

impl Effects {
    /// Effects of `word`, with the places in `wanted` live after it.
    pub(crate) fn of(word: Instruction, descriptor: OperandDescriptor, wanted: &Places) -> Self {
        let mut effects = Self::default();
        match word.opcode() {
            Opcode::Cmp => effects.flags = [0, 1].map(|i| wanted.contains(CMP + i)),
            Opcode::Mova => {
                effects.addresses = [0, 1].map(|i| descriptor.writes(i) && wanted.contains(A0 + i));
            }
            op if is_arithmetic(op) => {
                let first = destination_place(word.destination());
                effects.components = [0, 1, 2, 3].map(|i| descriptor.writes(i) && wanted.contains(first + i));
                if op == Opcode::Litp {
                    effects.flags = [0, 1].map(|i| wanted.contains(CMP + i));
                }
            }
            _ => {}
        }
        effects.lanes = effects.lanes_of(word.opcode());
        effects
    }

    fn lanes_of(&self, op: Opcode) -> [[bool; 4]; 3] {
        let c = self.components;
        let any = c.contains(&true);
        let [fx, fy] = self.flags;
        let [ax, ay] = self.addresses;
        let three = [any, any, any, false];
        match op {
            Opcode::Dp3 => [three, three, [false; 4]],
            Opcode::Dp4 => [[any; 4], [any; 4], [false; 4]],
            Opcode::Dph | Opcode::Dphi => [three, [any; 4], [false; 4]],
            Opcode::Dst | Opcode::Dsti => {
                [[false, c[1], c[2], false], [false, c[1], false, c[3]], [false; 4]]
            }
            Opcode::Ex2 | Opcode::Lg2 | Opcode::Rcp | Opcode::Rsq => {
                [[any, false, false, false], [false; 4], [false; 4]]
            }
            Opcode::Litp => [[c[0] || fx, c[1], false, c[3] || fy], [false; 4], [false; 4]],
            Opcode::Mova => [[ax, ay, false, false], [false; 4], [false; 4]],
            Opcode::Cmp => [[fx, fy, false, false], [fx, fy, false, false], [false; 4]],
            Opcode::Mov | Opcode::Flr => [c, [false; 4], [false; 4]],
            Opcode::Mad | Opcode::Madi => [c, c, c],
            op if is_arithmetic(op) => [c, c, [false; 4]],
            _ => [[false; 4]; 3],
        }
    }

    /// Live set before the word.
    fn before(&self, word: Instruction, descriptor: OperandDescriptor, wanted: &Places) -> Places {
        let mut before = *wanted;
        let first = destination_place(word.destination());
        for i in (0..4).filter(|&i| self.components[i]) {
            before.remove(first + i);
        }
        for i in 0..2 {
            if self.flags[i] {
                before.remove(CMP + i);
            }
            if self.addresses[i] {
                before.remove(A0 + i);
            }
        }
        for n in 0..word.source_count() {
            self.read(word, descriptor, n, &mut before);
        }
        before
    }

    fn read(&self, word: Instruction, descriptor: OperandDescriptor, n: usize, before: &mut Places) {
        for lane in (0..4).filter(|&lane| self.lanes[n][lane]) {
            match word.source(n) {
                Source::Temporary(r) => {
                    before.insert(usize::from(r) * 4 + descriptor.component(n, lane));
                }
                Source::Uniform(_, Index::A0X) => before.insert(A0),
                Source::Uniform(_, Index::A0Y) => before.insert(A0 + 1),
                Source::Input(_) | Source::Uniform(..) => {}
            }
        }
    }
}

/// True if the opcode writes a destination register.
pub(crate) const fn is_arithmetic(op: Opcode) -> bool {
    use picaflor_pipeline::pica::shader::ops::Form;
    matches!(op.form(), Form::One | Form::Two | Form::TwoInverted | Form::Three | Form::ThreeInverted)
}

/// Liveness analysis: the live set after each action of each node.
#[derive(Debug)]
pub(crate) struct Liveness {
    /// Live set at the start of each node.
    pub(crate) at_start: Vec<Places>,
    /// Live set at the end of each node, after its test.
    pub(crate) at_end: Vec<Places>,
    /// Places live everywhere: outputs that an EMIT may pack.
    always: Places,
}

impl Liveness {
    /// Analyses a graph with `results` live at its ends, and `always` everywhere.
    pub(crate) fn new(graph: &Graph, program: &Program, results: &Places, always: Places) -> Self {
        let none = vec![Places::default(); graph.nodes.len()];
        let count = graph.nodes.len();
        let mut liveness = Self { at_start: none.clone(), at_end: none, always };
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..count).rev() {
                changed |= liveness.update(graph, program, results, at);
            }
        }
        liveness
    }

    fn update(&mut self, graph: &Graph, program: &Program, results: &Places, at: usize) -> bool {
        let node = &graph.nodes[at];
        let mut end = self.always;
        if node.exit == Exit::End {
            end.extend(results);
        }
        for next in node.successors() {
            end.extend(&self.at_start[next]);
        }
        let mut start = self.wanted_by_test(node.exit, &end);
        self.at_end[at] = end;
        for action in node.actions.iter().rev() {
            if let Action::Word(Step { word, .. }) = action {
                start = self.before(program, *word, &start);
            }
        }
        self.at_start[at].extend(&start)
    }

    fn wanted_by_test(&self, exit: Exit, end: &Places) -> Places {
        let mut wanted = *end;
        if let Exit::Branch(Test::Cmp(condition), ..) = exit {
            if condition.combine != Combine::Y {
                wanted.insert(CMP);
            }
            if condition.combine != Combine::X {
                wanted.insert(CMP + 1);
            }
        }
        wanted
    }

    /// Places carried between nodes: the union of all live sets at node starts, and `results`. None in a graph of one
    /// node.
    pub(crate) fn carried(&self, results: &Places) -> Places {
        let mut carried = Places::default();
        if self.at_start.len() > 1 {
            self.at_start.iter().chain([results]).for_each(|places| {
                carried.extend(places);
            });
        }
        carried
    }

    /// Components of `r` and `o` at the start of each node that some word reads before another writes them; not those
    /// that are only live as results.
    pub(crate) fn read_later(&self, graph: &Graph, program: &Program) -> Vec<Places> {
        let nodes: Vec<_> = (0..graph.nodes.len()).map(|at| self.exposed(graph, program, at)).collect();
        let mut live: Vec<Places> = nodes.iter().map(|(exposed, _)| *exposed).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..nodes.len()).rev() {
                let mut through = Places::default();
                for next in graph.nodes[at].successors() {
                    through.extend(&live[next]);
                }
                nodes[at].1.iter().for_each(|place| through.remove(place));
                changed |= live[at].extend(&through);
            }
        }
        live
    }

    /// What a node reads before it writes it, and what it writes.
    fn exposed(&self, graph: &Graph, program: &Program, at: usize) -> (Places, Places) {
        let (mut exposed, mut written) = (Places::default(), Places::default());
        let effects = self.effects(graph, program, at);
        for (action, effects) in graph.nodes[at].actions.iter().zip(&effects) {
            let Action::Word(Step { word, .. }) = action else { continue };
            let descriptor = program.descriptor(word.descriptor());
            let mut read = Places::default();
            (0..word.source_count()).for_each(|n| effects.read(*word, descriptor, n, &mut read));
            read.iter().filter(|&place| !written.contains(place)).for_each(|place| exposed.insert(place));
            let first = destination_place(word.destination());
            (0..4).filter(|&i| effects.components[i]).for_each(|i| written.insert(first + i));
        }
        (exposed, written)
    }

    /// The effects of each word of a node, in order of its actions.
    pub(crate) fn effects(&self, graph: &Graph, program: &Program, at: usize) -> Vec<Effects> {
        let node = &graph.nodes[at];
        let mut wanted = self.wanted_by_test(node.exit, &self.at_end[at]);
        let mut effects = vec![Effects::default(); node.actions.len()];
        for (slot, action) in effects.iter_mut().zip(&node.actions).rev() {
            if let Action::Word(Step { word, .. }) = action {
                *slot = Effects::of(*word, program.descriptor(word.descriptor()), &wanted);
                wanted = self.before(program, *word, &wanted);
            }
        }
        effects
    }

    fn before(&self, program: &Program, word: Instruction, wanted: &Places) -> Places {
        let descriptor = program.descriptor(word.descriptor());
        let mut before = Effects::of(word, descriptor, wanted).before(word, descriptor, wanted);
        before.extend(&self.always);
        before
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Loops, Uniform};
    use super::super::lowering_tests::program;
    use super::*;
    use picaflor_pipeline::pica::shader::program::UnitKind;

    /// `r0.x` is read everywhere, `r1` only remains, `r2.y` is read after a block that one way leaves out.
    #[test]
    fn what_is_read_later() {
        let lines = "add r0.x, c1, r0\nmov r1, v0\ncmp r0.x, gt, gt, v0\nifc cmp.x, 5, 0\nmov r2.y, r0.x\n\
                     mov o0.x, r2.y\nmov r3.z, r0.x\nend";
        let program = program(UnitKind::Geometry, lines);
        let uniform = Uniform { bools: 0, variable_bools: 0, ints: &[[0; 4]; 4], al_is_zero: false };
        let graph = Graph::new(&program, 0, uniform, Loops::Unrolled).expect("a small program");
        let mut results = Places::default();
        (0..16).for_each(|place| results.insert(place));
        let liveness = Liveness::new(&graph, &program, &results, Places::default());
        let read: Vec<Vec<usize>> =
            liveness.read_later(&graph, &program).iter().map(|places| places.iter().collect()).collect();
        assert_eq!(read, [vec![0], vec![0], vec![0]]);
        results.insert(OUTPUTS);
        let liveness = Liveness::new(&graph, &program, &results, Places::default());
        let read: Vec<Vec<usize>> =
            liveness.read_later(&graph, &program).iter().map(|places| places.iter().collect()).collect();
        assert_eq!(read, [vec![0, 9], vec![0], vec![0, 9]]);
    }
}
