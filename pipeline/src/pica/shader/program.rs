//! Program memory of one shader unit: code words and operand descriptors.

use super::instr::{Instruction, OperandDescriptor};
use crate::persist::Words;

/// Unit of a program; determines the size of code memory and the availability of EMIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnitKind {
    /// A unit that shades vertices: 512 words.
    Vertex,
    /// The unit that can run geometry programs: 4096 words.
    Geometry,
}

impl UnitKind {
    /// Words of code memory. Source: read-back masks of the entry registers (gbatek) and retail uploads.
    #[must_use]
    pub const fn code_words(self) -> usize {
        match self {
            Self::Vertex => 512,
            Self::Geometry => 4096,
        }
    }
}

/// Code and descriptor memory. Unwritten words are 0.
///
/// `generation` changes with every write that changes a word, so that engines can cache derived data; a write of the
/// same value, which is common in software, has no effect.
#[derive(Debug, Clone)]
pub struct Program {
    kind: UnitKind,
    code: Box<[u32]>,
    descriptors: [u32; Self::DESCRIPTORS],
    generation: u64,
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.code == other.code && self.descriptors == other.descriptors
    }
}

impl Eq for Program {}

impl Program {
    /// Entries of the descriptor table.
    pub const DESCRIPTORS: usize = 128;

    /// Empty memory.
    #[must_use]
    pub fn new(kind: UnitKind) -> Self {
        Self {
            kind,
            code: vec![0; kind.code_words()].into(),
            descriptors: [0; Self::DESCRIPTORS],
            generation: next_generation(),
        }
    }

    /// Memory that contains these words from address 0 on; excess words are dropped.
    #[must_use]
    pub fn from_words(kind: UnitKind, code: &[u32], descriptors: &[u32]) -> Self {
        let mut program = Self::new(kind);
        for (at, &word) in code.iter().enumerate().take(kind.code_words()) {
            program.code[at] = word;
        }
        for (slot, &word) in program.descriptors.iter_mut().zip(descriptors) {
            *slot = word;
        }
        program
    }

    /// The unit.
    #[must_use]
    pub const fn kind(&self) -> UnitKind {
        self.kind
    }

    /// All code words.
    #[must_use]
    pub fn code(&self) -> &[u32] {
        &self.code
    }

    /// All descriptors.
    #[must_use]
    pub const fn descriptors(&self) -> &[u32; Self::DESCRIPTORS] {
        &self.descriptors
    }

    /// The word at `pc`, or `None` at and past the end of memory, which acts as `END`
    /// (assumed; two titles have geometry programs without END).
    #[must_use]
    pub fn instruction(&self, pc: u16) -> Option<Instruction> {
        self.code.get(usize::from(pc)).copied().map(Instruction)
    }

    /// Descriptor `id`; the table is indexed by 7 bits.
    #[must_use]
    pub const fn descriptor(&self, id: usize) -> OperandDescriptor {
        OperandDescriptor(self.descriptors[id % Self::DESCRIPTORS])
    }

    /// Writes a code word; dropped past the end.
    pub fn write_code(&mut self, at: u32, word: u32) {
        if let Some(slot) = self.code.get_mut(at as usize)
            && *slot != word
        {
            *slot = word;
            self.generation = next_generation();
        }
    }

    /// Writes a descriptor; dropped past the end.
    pub fn write_descriptor(&mut self, at: u32, word: u32) {
        if let Some(slot) = self.descriptors.get_mut(at as usize)
            && *slot != word
        {
            *slot = word;
            self.generation = next_generation();
        }
    }

    /// Identifies the contents: equal generations mean equal contents, in the whole process.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn persist(&mut self, words: &mut Words) {
        words.words(self.code.iter_mut());
        words.words(&mut self.descriptors);
        if words.is_loading() {
            self.generation = next_generation();
        }
    }
}

/// A number not used before in this process.
pub(crate) fn next_generation() -> u64 {
    reserve(1)
}

/// The first of `count` consecutive numbers not used before in this process.
fn reserve(count: u64) -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(count, Ordering::Relaxed)
}

/// A generation that often advances: reserves numbers in blocks, so that few steps touch the counter of the process. A
/// clone has the same number and no block.
#[derive(Debug)]
pub(crate) struct Generation {
    now: u64,
    /// Last number of the block.
    last: u64,
}

impl Generation {
    const BLOCK: u64 = 256;

    pub(crate) fn new() -> Self {
        let now = next_generation();
        Self { now, last: now }
    }

    pub(crate) const fn get(&self) -> u64 {
        self.now
    }

    pub(crate) fn advance(&mut self) {
        if self.now == self.last {
            self.now = reserve(Self::BLOCK);
            self.last = self.now + Self::BLOCK - 1;
        } else {
            self.now += 1;
        }
    }
}

impl Clone for Generation {
    fn clone(&self) -> Self {
        Self { now: self.now, last: self.now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Generations that advance in turn, clones among them, never meet.
    #[test]
    fn generations_are_unique() {
        let mut first = Generation::new();
        first.advance();
        let mut all = [first.clone(), first.clone(), Generation::new(), first];
        assert_eq!(all[0].get(), all[1].get());
        let mut seen = HashSet::new();
        for _ in 0..3 * Generation::BLOCK {
            for generation in &mut all {
                generation.advance();
                assert!(seen.insert(generation.get()));
            }
            assert!(seen.insert(next_generation()));
        }
    }

    /// Programs are equal if their words are; generations tell nothing. Descriptors have numbers of 7 bits.
    #[test]
    fn programs_are_their_words() {
        let of = |kind, code, descriptor| Program::from_words(kind, &[1, code], &[2, descriptor]);
        let one = of(UnitKind::Vertex, 3, 4);
        assert_eq!(one, of(UnitKind::Vertex, 3, 4));
        assert_ne!(one, of(UnitKind::Vertex, 5, 4));
        assert_ne!(one, of(UnitKind::Vertex, 3, 5));
        assert_ne!(Program::new(UnitKind::Vertex), Program::new(UnitKind::Geometry));
        assert_eq!([0, 1, 128, 129].map(|id| one.descriptor(id).0), [2, 4, 2, 4]);
    }
}
