//! Whether runs of a geometry program can go side by side: the one way that all of them take, walked word by word.
//!
//! Registers persist from run to run and emissions keep their order, so runs are independent only if
//!
//! * the way through the program depends on nothing but the key: no branch on `cmp` or `b15`;
//! * whatever a run reads it has written before, or no run writes it; likewise what an `EMIT` packs, in its bank of `o`,
//!   and the latch;
//! * what a run writes every run writes, so that the last one decides what remains.

use super::GeometrySpec;
use crate::emit::pica::layout::RunInputs;
use crate::pica::shader::graph::{Action, Al, Count, Exit, Graph, Step, Test};
use crate::pica::shader::places::{self, Liveness, OUTPUTS, Places};
use picaflor_pipeline::pica::shader::instr::{Index, Source};
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::stage::DEFAULT_INSTRUCTION_BUDGET;

/// What every run does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Path {
    /// Number of emissions.
    pub(crate) emissions: u32,
    /// Executed words.
    pub(crate) words: u32,
    /// Components of `o` that are written, by bank; the first is the one that is current when the run begins.
    pub(crate) written: [u64; 2],
}

/// What runs of the program do, if they can go side by side. `results`: what some word writes, without `o`; `liveness`:
/// with these live at the end.
pub(super) fn side_by_side(
    spec: &GeometrySpec<'_>,
    graph: &Graph,
    liveness: &Liveness,
    results: &Places,
) -> Option<Path> {
    if spec.inputs == RunInputs::Unit {
        return None;
    }
    // A result is live at the start if it is read before it is written, or if a way does not write it.
    let seen = results.iter().any(|place| liveness.at_start[0].contains(place));
    if seen { None } else { Walk::new(spec, graph).end() }
}

/// A run on its way.
struct Walk<'a> {
    spec: &'a GeometrySpec<'a>,
    graph: &'a Graph,
    path: Path,
    /// Iterations left, by slot.
    left: [u8; 4],
    /// True if `aL` was set, or the latch.
    al_is_set: bool,
    latch_is_set: bool,
    /// True if one of them was read before.
    al_was_read: bool,
    latch_was_read: bool,
}

impl<'a> Walk<'a> {
    fn new(spec: &'a GeometrySpec<'a>, graph: &'a Graph) -> Self {
        Self {
            spec,
            graph,
            path: Path::default(),
            left: [0; 4],
            al_is_set: false,
            latch_is_set: false,
            al_was_read: false,
            latch_was_read: false,
        }
    }

    /// The path, if it ends within the usual budget and no word forbids it.
    fn end(mut self) -> Option<Path> {
        let mut at = 0;
        loop {
            let node = &self.graph.nodes[at];
            if node.faulty || self.path.words > DEFAULT_INSTRUCTION_BUDGET {
                return None;
            }
            node.actions.iter().try_for_each(|action| self.action(action))?;
            at = match node.exit {
                Exit::End => break,
                Exit::Goto(next) => next,
                Exit::Branch(Test::Counter(slot), yes, no) => {
                    if self.left[usize::from(slot)] != 0 {
                        yes
                    } else {
                        no
                    }
                }
                Exit::Branch(Test::Cmp(_) | Test::Bool(..), ..) => return None,
            };
        }
        if !self.path.emissions.is_multiple_of(2) {
            self.path.written.swap(0, 1);
        }
        let persists = self.al_is_set && self.al_was_read || self.latch_is_set && self.latch_was_read;
        (!persists).then_some(self.path)
    }

    fn action(&mut self, action: &Action) -> Option<()> {
        match action {
            Action::Word(step) => self.word(step),
            Action::Count(count) => {
                match *count {
                    Count::Start { slot, left, .. } => self.left[usize::from(slot)] = left,
                    Count::Decrement { slot } => {
                        let left = &mut self.left[usize::from(slot)];
                        *left = left.wrapping_sub(1);
                    }
                    Count::Step { .. } | Count::Restore { .. } => {}
                }
                Some(())
            }
        }
    }

    fn word(&mut self, step: &Step) -> Option<()> {
        self.path.words += 1;
        (0..step.word.source_count()).try_for_each(|n| self.source(step, n))?;
        match step.word.opcode() {
            Opcode::Loop => self.al_is_set = true,
            Opcode::SetEmit => self.latch_is_set = true,
            Opcode::Emit => self.emit()?,
            op if places::is_arithmetic(op) => self.write(step),
            _ => {}
        }
        Some(())
    }

    fn source(&mut self, step: &Step, n: usize) -> Option<()> {
        let Source::Uniform(_, index) = step.word.source(n) else { return Some(()) };
        let is_known = index == Index::None || index == Index::AL && matches!(step.al, Al::Known(_));
        self.al_was_read |= index == Index::AL && !is_known && !self.al_is_set;
        // A register chosen at run time may be an input of the run.
        (is_known || !matches!(self.spec.inputs, RunInputs::Uniforms { .. })).then_some(())
    }

    fn write(&mut self, step: &Step) {
        let first = places::destination_place(step.word.destination());
        if first >= OUTPUTS {
            let descriptor = self.spec.program.descriptor(step.word.descriptor());
            let components = (0..4).filter(|&i| descriptor.writes(i));
            components.for_each(|i| self.path.written[0] |= 1 << (first - OUTPUTS + i));
        }
    }

    /// `EMIT`, if all it packs was written. Until the end, the first bank is the current one.
    fn emit(&mut self) -> Option<()> {
        let packed = (0..16).filter(|n| self.spec.output_mask >> n & 1 != 0);
        let packed = packed.fold(0_u64, |bits, n| bits | 15 << (4 * n));
        self.latch_was_read |= !self.latch_is_set;
        if packed & !self.path.written[0] != 0 {
            return None;
        }
        self.path.emissions += 1;
        self.path.written.swap(0, 1);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{outputs, unfold, written};
    use super::*;
    use crate::emit::pica::number::Arithmetic;
    use crate::pica::shader::graph::Loops;
    use crate::pica::shader::lowering_tests::program;
    use picaflor_pipeline::pica::shader::program::UnitKind;

    const REGISTERS: RunInputs = RunInputs::Registers { loaded: 0b11 };

    /// The path of a program whose `EMIT` packs `o0` and `o2`; `i1` has too many rounds to be unrolled.
    fn path(lines: &str, inputs: RunInputs) -> Option<Path> {
        let program = program(UnitKind::Geometry, lines);
        let spec = GeometrySpec {
            program: &program,
            entry: 0,
            bools: 0,
            ints: &[[2, 1, 3, 0], [255, 0, 1, 0], [0; 4], [0; 4]],
            output_mask: 0b101,
            inputs,
            arithmetic: Arithmetic::ConsoleFast,
        };
        let graph = unfold(&spec, Loops::Unrolled).expect("a small program");
        let results = written(&graph, &program);
        side_by_side(&spec, &graph, &Liveness::new(&graph, &program, &results, outputs()), &results)
    }

    fn is_side_by_side(lines: &str) -> bool {
        path(lines, REGISTERS).is_some()
    }

    #[test]
    fn what_runs_do() {
        let lines =
            "add r0, c1, v0\nmov o0, r0\nmov o2, v1\nemit\nmov o0, v0\nmov o2, r0\nmov o3.x, v0\nemit\nend";
        let (both, one) = (0xf0f, 0x1000);
        assert_eq!(
            path(lines, REGISTERS),
            Some(Path { emissions: 2, words: 9, written: [both, both | one] })
        );
        let loops = "mov o0, v0\nmov o2, v1\nfor i1, 5\nmov o0, v0\nmov o2, v1\nemit\nend";
        let looped = path(loops, REGISTERS).expect("loops are the same for all");
        assert_eq!((looped.emissions, looped.words, looped.written), (256, 3 + 256 * 3 + 1, [both, both]));
        let odd = path("mov o0, v0\nmov o2, v1\nemit\nend", REGISTERS).expect("nothing persists");
        assert_eq!(odd.written, [both, 0]);
        assert_eq!(path(lines, RunInputs::Unit), None);
    }

    #[test]
    fn registers_that_persist_can_be_seen() {
        assert!(is_side_by_side("mov o0, r3\nmov o2, c0[a0.x]\nemit\nend"), "no run writes them");
        assert!(!is_side_by_side("add r3, c1, r3\nmov o0, r3\nmov o2, r3\nemit\nend"));
        assert!(!is_side_by_side("mov r3.x, v0\nmov o0, r4\nmov o2, r3\nemit\nmov r4, v0\nend"));
        assert!(!is_side_by_side("mov o0, c0[a0.x]\nmova a0.x, v0\nend"));
        assert!(!is_side_by_side("mov o0, c0[aL]\nfor i0, 2\nmov r0, v0\nend"));
        assert!(is_side_by_side("mov o0, c0[aL]\nend"));
        assert!(is_side_by_side("for i1, 1\nmov r0, c0[aL]\nend"));
    }

    #[test]
    fn ways_that_differ() {
        assert!(is_side_by_side("cmp v0, gt, gt, v0\nend"), "flags without a branch");
        assert!(!is_side_by_side("cmp v0, gt, gt, v0\nifc cmp.x, 3, 0\nmov r0, v0\nend"));
        assert!(!is_side_by_side("ifu b15, 2, 0\nmov r0, v0\nend"));
        assert!(is_side_by_side("ifu b3, 2, 0\nmov r0, v0\nend"));
        assert!(!is_side_by_side("break\nend"), "a fault");
        assert!(!is_side_by_side("jmpu !b3, 0\nend"), "no end");
    }

    #[test]
    fn emissions_that_persist() {
        assert!(!is_side_by_side("mov o0, v0\nemit\nend"), "o2 is of a run before");
        assert!(!is_side_by_side("mov o0, v0\nmov o2, v0\nemit\nmov o0, v0\nemit\nend"), "the other bank");
        let third = "mov o0, v0\nmov o2, v0\nemit\nmov o0, v0\nmov o2, v1\nemit\nemit\nend";
        assert!(is_side_by_side(third), "what was written two emissions before");
        let pair = "mov o0, v0\nmov o2, v0";
        assert!(is_side_by_side(&format!("{pair}\nemit\nend")), "no run sets the latch");
        assert!(is_side_by_side(&format!("setemit 1\n{pair}\nemit\nend")));
        assert!(!is_side_by_side(&format!("{pair}\nemit\nsetemit 1\nend")));
    }

    #[test]
    fn inputs_in_uniforms() {
        let inputs = RunInputs::Uniforms { first: 4, count: 2 };
        assert!(path("mov r0, c5\nend", inputs).is_some());
        assert!(path("mova a0.x, c4\nmov r0, c5[a0.x]\nend", inputs).is_none());
        assert!(path("for i0, 1\nmov r0, c1[aL]\nend", inputs).is_some(), "aL is known");
        assert!(path("mova a0.x, c4\nmov r0, c5[a0.x]\nend", REGISTERS).is_some());
    }
}
