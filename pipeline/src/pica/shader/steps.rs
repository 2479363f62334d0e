//! Static upper bound of the instructions of an invocation.
//!
//! The budget of a run is charged with this bound, because not all engines count executed instructions, and a list
//! has to end at the same point on each of them.

use super::instr::Instruction;
use super::ops::Opcode;
use super::program::Program;

/// Cached upper bound of an invocation of a program; valid until the program or its entry changes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MostSteps {
    /// Generations begin at 1, so 0 marks an empty cache.
    generation: u64,
    entry: u16,
    most: Option<u32>,
}

impl MostSteps {
    /// Upper bound of the instructions of an invocation; `budget` is its own limit.
    pub(crate) fn of(&mut self, program: &Program, entry: u16, budget: u32) -> u32 {
        if (self.generation, self.entry) != (program.generation(), entry) {
            *self = Self { generation: program.generation(), entry, most: most_steps(program, entry) };
        }
        self.most.map_or(budget, |most| most.min(budget))
    }
}

/// Number of words reachable from `entry`, if all control flow is forward, so that each is executed at most once;
/// `None` if words can repeat: after a `LOOP`, a `CALL` or a backward jump.
fn most_steps(program: &Program, entry: u16) -> Option<u32> {
    let words = program.code().len();
    let mut reached = vec![false; words + 1];
    let mark = |reached: &mut [bool], at: u16| reached[usize::from(at).min(words)] = true;
    let mut most = 0;
    mark(&mut reached, entry);
    for pc in entry..words as u16 {
        if !reached[usize::from(pc)] {
            continue;
        }
        most += 1;
        for next in successors(pc, program.instruction(pc)?)?.into_iter().flatten() {
            mark(&mut reached, next);
        }
    }
    Some(most)
}

/// Possible successors of a word. An `IF` counts as a whole: first word, else-block, and the word after that. `None`
/// if a successor may be backward.
fn successors(pc: u16, instruction: Instruction) -> Option<[Option<u16>; 3]> {
    let (next, target) = (pc + 1, instruction.target());
    let ways = match instruction.opcode() {
        Opcode::End => [None; 3],
        Opcode::Loop | Opcode::Call | Opcode::Callc | Opcode::Callu => return None,
        Opcode::Jmpc | Opcode::Jmpu => [Some(next), Some(target), None],
        Opcode::Ifu | Opcode::Ifc => [Some(next), Some(target), Some(target + instruction.num())],
        _ => [Some(next), None, None],
    };
    ways.iter().flatten().all(|&way| way > pc).then_some(ways)
}

#[cfg(test)]
mod tests {
    use super::super::asm::{self, SourceFile};
    use super::*;

    fn steps(body: &str) -> Option<u32> {
        let source = format!(".out p position\n.bool b\n.proc main\n{body}\nend\n.end\n.proc sub\nnop\n.end");
        let shbin = asm::assemble(&[SourceFile::new("a", source.as_str())], asm::Options::default());
        let shbin = shbin.unwrap_or_else(|error| panic!("{error:?}"));
        let program = Program::from_words(super::super::program::UnitKind::Vertex, &shbin.program.code, &[]);
        most_steps(&program, 0)
    }

    #[test]
    fn words_in_a_row_and_both_sides_of_an_if() {
        assert_eq!(steps("nop"), Some(2));
        assert_eq!(steps("nop\nnop\nend\nnop"), Some(3));
        assert_eq!(steps("ifu b\nnop\n.else\nnop\nnop\n.end"), Some(5));
        assert_eq!(steps("jmpu b, over\nnop\nover:\nnop"), Some(4));
    }

    #[test]
    fn what_may_come_again_is_unknown() {
        assert_eq!(steps("back:\nnop\njmpu b, back"), None);
        assert_eq!(steps("for i0\nnop\n.end"), None);
        assert_eq!(steps("call sub"), None);
        // Behind the end nothing matters.
        assert_eq!(steps("end\nback:\njmpu b, back"), Some(1));
    }

    #[test]
    fn entries_and_ends_of_memory() {
        let program = Program::new(super::super::program::UnitKind::Vertex);
        // Words never written are additions, and the end of memory ends a program.
        assert_eq!(most_steps(&program, 0), Some(512));
        assert_eq!(most_steps(&program, 511), Some(1));
        assert_eq!(most_steps(&program, 512), Some(0));
        assert_eq!(most_steps(&program, u16::MAX), Some(0));
    }

    #[test]
    fn a_changed_program_is_looked_at_again() {
        let mut known = MostSteps::default();
        let mut program = Program::new(super::super::program::UnitKind::Vertex);
        assert_eq!([known.of(&program, 500, 1000), known.of(&program, 500, 5)], [12, 5]);
        program.write_code(501, 0x22 << 26);
        assert_eq!([known.of(&program, 500, 1000), known.of(&program, 509, 1000)], [2, 3]);
        program.write_code(509, 0x29 << 26);
        assert_eq!(known.of(&program, 509, 1000), 1000);
    }
}
