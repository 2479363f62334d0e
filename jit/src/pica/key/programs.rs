//! Programs by content: a small number stands for all words of a program, compared in full.

use picaflor_pipeline::hashing::Seeds;
use picaflor_pipeline::pica::shader::instr::Instruction;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::sync::Arc;

/// Bytes of programs that are remembered, 1,100 of the geometry unit or 6,000 others; beyond, all are forgotten and get new
/// numbers, and code is made anew. A run pays for 512 states before it pays for the first of them again.
const MOST_BYTES: usize = 18 << 20;
/// Generations that are remembered, of which a program has one for each time that it was written.
const MOST_GENERATIONS: usize = 1024;

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
    /// Spares the comparison; has no program that is not among those whose bytes count.
    by_generation: HashMap<u64, Arc<KnownProgram>>,
    /// By the hash of the contents. Of programs with one hash, which chance alone makes, it has the last.
    by_hash: HashMap<u64, Arc<KnownProgram>, Seeds>,
    /// Bytes of the programs.
    bytes: usize,
    next: u32,
}

impl Programs {
    /// The known program with these contents.
    pub(crate) fn intern(&mut self, program: &Program) -> Arc<KnownProgram> {
        if let Some(known) = self.by_generation.get(&program.generation()) {
            return Arc::clone(known);
        }
        if self.by_generation.len() >= MOST_GENERATIONS {
            self.by_generation.clear();
        }
        let hash = hash(program);
        let known = match self.by_hash.get(&hash) {
            Some(known) if known.program == *program => Arc::clone(known),
            _ => self.add(hash, program),
        };
        self.by_generation.insert(program.generation(), Arc::clone(&known));
        known
    }

    /// Gives a program a number.
    fn add(&mut self, hash: u64, program: &Program) -> Arc<KnownProgram> {
        self.next += 1;
        let known = Arc::new(KnownProgram::new(self.next, program));
        if self.bytes + known.bytes() > MOST_BYTES {
            self.by_generation.clear();
            self.by_hash.clear();
            self.bytes = 0;
        }
        self.bytes += known.bytes();
        self.by_hash.insert(hash, Arc::clone(&known));
        known
    }
}

/// The hash of the contents.
fn hash(program: &Program) -> u64 {
    Seeds::default().hash_one((program.kind(), used(program.code()), used(program.descriptors())))
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
    /// Bytes that it takes.
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(self.program.code())
    }

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
        for word in 0..(MOST_BYTES / first.bytes()) as u32 {
            programs.intern(&Program::from_words(UnitKind::Vertex, &[7, word + 1], &[]));
        }
        let again = programs.intern(&Program::from_words(UnitKind::Vertex, &[1], &[]));
        assert!(again.id > first.id);
    }

    /// A guest writes a few programs again and again, each time in part.
    #[test]
    fn programs_that_are_written_again_keep_their_ids() {
        let mut programs = Programs::default();
        let mut intern = |word| programs.intern(&Program::from_words(UnitKind::Geometry, &[word], &[])).id;
        let first = [1, 2, 3].map(&mut intern);
        for _ in 0..MOST_GENERATIONS {
            assert_eq!([1, 2, 3].map(&mut intern), first);
        }
        assert!(programs.by_generation.len() <= MOST_GENERATIONS && programs.by_hash.len() == 3);
    }

    /// New programs of the larger kind, and old ones between them, so that generations and programs are not as many.
    #[test]
    fn bytes_of_programs_are_bounded() {
        let (mut programs, mut seen) = (Programs::default(), Vec::new());
        for word in 1..=1500 {
            let program = Program::from_words(UnitKind::Geometry, &[word], &[]);
            let known = programs.intern(&program);
            seen.push(Arc::downgrade(&known));
            for _ in 0..word % 5 {
                programs.intern(&Program::from_words(UnitKind::Geometry, &[word], &[]));
            }
            let bytes = known.bytes();
            drop(known);
            seen.retain(|known| known.strong_count() > 0);
            assert!(seen.len() * bytes <= MOST_BYTES, "{} programs", seen.len());
        }
    }
}
