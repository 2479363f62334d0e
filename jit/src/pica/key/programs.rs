//! Programs by content: a small number stands for all words of a program, compared in full.

use picaflor_pipeline::pica::shader::instr::Instruction;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use std::collections::HashMap;
use std::sync::Arc;

/// Programs that are remembered; beyond, all are forgotten and get new numbers.
const CAPACITY: usize = 1024;

/// A program with the data for looking up its routines.
#[derive(Debug)]
pub(crate) struct KnownProgram {
    /// Stands for the contents. Never used twice.
    pub(crate) id: u32,
    /// The contents.
    pub(crate) program: Program,
    /// Boolean uniforms that some word names.
    pub(crate) bools: u16,
    /// Integer uniforms that some word names.
    pub(crate) ints: [bool; 4],
}

/// The programs seen lately.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    by_generation: HashMap<u64, Arc<KnownProgram>>,
    by_content: HashMap<Box<[u32]>, Arc<KnownProgram>>,
    next: u32,
}

impl Programs {
    /// The known program with these contents.
    pub(crate) fn intern(&mut self, program: &Program) -> Arc<KnownProgram> {
        if let Some(known) = self.by_generation.get(&program.generation()) {
            return Arc::clone(known);
        }
        if self.by_generation.len() >= CAPACITY {
            self.by_generation.clear();
        }
        if self.by_content.len() >= CAPACITY {
            self.by_content.clear();
        }
        let known = self.by_content.entry(content(program)).or_insert_with(|| {
            self.next += 1;
            Arc::new(KnownProgram::new(self.next, program))
        });
        self.by_generation.insert(program.generation(), Arc::clone(known));
        Arc::clone(known)
    }
}

/// The words as one list: kind, code without the zeros at its end, descriptors likewise.
fn content(program: &Program) -> Box<[u32]> {
    let kind = u32::from(program.kind() == UnitKind::Geometry);
    let (code, descriptors) = (used(program.code()), used(program.descriptors()));
    let mut words = Vec::with_capacity(2 + code.len() + descriptors.len());
    words.extend([kind, code.len() as u32]);
    words.extend_from_slice(code);
    words.extend_from_slice(descriptors);
    words.into()
}

fn used(words: &[u32]) -> &[u32] {
    let len = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
    &words[..len]
}

impl KnownProgram {
    /// The words that tell programs apart.
    pub(crate) fn content(&self) -> Box<[u32]> {
        content(&self.program)
    }

    fn new(id: u32, program: &Program) -> Self {
        let (mut bools, mut ints) = (0, [false; 4]);
        for word in used(program.code()).iter().map(|&word| Instruction(word)) {
            match word.opcode() {
                Opcode::Ifu | Opcode::Callu | Opcode::Jmpu => bools |= 1 << word.bool_id(),
                Opcode::Loop => ints[usize::from(word.int_id())] = true,
                _ => {}
            }
        }
        Self { id, program: program.clone(), bools, ints }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_contents_have_one_id() {
        let mut programs = Programs::default();
        let first = programs.intern(&Program::from_words(UnitKind::Vertex, &[1, 2], &[3]));
        let same = programs.intern(&Program::from_words(UnitKind::Vertex, &[1, 2], &[3, 0]));
        let other = programs.intern(&Program::from_words(UnitKind::Vertex, &[1, 2, 3], &[]));
        let unit = programs.intern(&Program::from_words(UnitKind::Geometry, &[1, 2], &[3]));
        assert_eq!(first.id, same.id);
        assert!(first.id != other.id && first.id != unit.id && other.id != unit.id);
    }

    #[test]
    fn forgetting_gives_new_ids() {
        let mut programs = Programs::default();
        let first = programs.intern(&Program::from_words(UnitKind::Vertex, &[1], &[]));
        for word in 0..CAPACITY as u32 {
            programs.intern(&Program::from_words(UnitKind::Vertex, &[7, word + 1], &[]));
        }
        let again = programs.intern(&Program::from_words(UnitKind::Vertex, &[1], &[]));
        assert!(again.id > first.id);
    }
}
