//! What a bench needs from an SHBIN file.

use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::vertex::OutputMap;

/// A container with one vertex program. Only for the files of this crate: others may panic.
pub struct Container<'a> {
    bytes: &'a [u8],
    dvlp: usize,
    dvle: usize,
}

impl<'a> Container<'a> {
    /// The first entry of a file.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        let entries = word(bytes, 4) as usize;
        Self { bytes, dvlp: 8 + 4 * entries, dvle: word(bytes, 8) as usize }
    }

    fn dvle(&self, at: usize) -> usize {
        word(self.bytes, self.dvle + at) as usize
    }

    /// The records of the table whose offset and count stand at `at`.
    fn table(&self, at: usize, size: usize) -> impl Iterator<Item = &'a [u8]> {
        let start = self.dvle + self.dvle(at);
        self.bytes[start..start + size * self.dvle(at + 4)].chunks_exact(size)
    }

    /// The first word executed.
    #[must_use]
    pub fn entry(&self) -> u16 {
        self.dvle(8) as u16
    }

    /// The number of code words.
    #[must_use]
    pub fn words(&self) -> usize {
        word(self.bytes, self.dvlp + 12) as usize
    }

    /// Code and descriptors.
    #[must_use]
    pub fn program(&self) -> Program {
        let at = |field: usize| word(self.bytes, self.dvlp + field) as usize;
        let words = |start: usize, count: usize, step: usize| -> Vec<u32> {
            (0..count).map(|i| word(self.bytes, self.dvlp + start + step * i)).collect()
        };
        Program::from_words(UnitKind::Vertex, &words(at(8), at(12), 4), &words(at(16), at(20), 8))
    }

    /// Loads the constants.
    pub fn load_constants(&self, uniforms: &mut Uniforms) {
        for record in self.table(0x18, 20) {
            let (kind, register) = (half(record, 0), half(record, 2));
            match kind {
                0 => uniforms.set_bools(uniforms.bools() | (word(record, 4) as u16 & 1) << register),
                1 => uniforms.set_int(register as u8, [record[4], record[5], record[6], record[7]]),
                _ => uniforms
                    .set_float_f24(usize::from(register), std::array::from_fn(|i| word(record, 4 + 4 * i))),
            }
        }
    }

    /// The registers of a uniform: first and last in the numbering of the symbol table.
    #[must_use]
    pub fn uniform(&self, name: &str) -> Option<(u16, u16)> {
        let symbols = &self.bytes[self.dvle + self.dvle(0x38)..];
        self.table(0x30, 8)
            .find(|record| {
                let symbol = &symbols[word(record, 0) as usize..];
                symbol.starts_with(name.as_bytes()) && symbol.get(name.len()) == Some(&0)
            })
            .map(|record| (half(record, 4), half(record, 6)))
    }

    /// The output map as libraries for the console derive it from the container.
    #[must_use]
    pub fn output_map(&self) -> OutputMap {
        const FIRST: [u32; 9] = [0, 4, 8, 12, 16, 14, 22, 31, 18];
        const COUNT: [u32; 9] = [4, 4, 4, 2, 1, 2, 2, 0, 3];
        let mut map = OutputMap { slots: [0x1f1f_1f1f; 7], ..OutputMap::default() };
        for record in self.table(0x28, 8) {
            let (semantic, register) = (usize::from(half(record, 0)), half(record, 2));
            for i in 0..COUNT[semantic] {
                let slot = &mut map.slots[usize::from(register)];
                *slot = *slot & !(0xff << (8 * i)) | (FIRST[semantic] + i) << (8 * i);
            }
            map.mask |= 1 << register;
            map.total += 1;
        }
        map
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]))
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
