//! Upload ports: programs, uniforms and the configuration of a shader unit.
//!
//! The vertex units (0x2B0-0x2DF) and the geometry unit (0x280-0x2AF) have equal banks of registers. [`ShaderBank`]
//! is one bank with its memories. A write, addressed by its offset in the bank, returns an [`Upload`], which can be
//! applied to the other bank while the two are shared.
//!
//! Source: pica-shader.md 5.7 and 7, pica-geometry.md 1.4 and 2.7; 3dbrew, GPU/Internal Registers.

pub(crate) mod handler;
pub mod immediate;
pub mod lut;

use super::float;
use super::regs::expand_mask;
use super::shader::program::{Program, UnitKind};
use super::shader::unit::Uniforms;
use crate::persist::Words;

/// Offsets in a bank. Ranges are the eight aliases of one data port.
mod offset {
    use std::ops::RangeInclusive;

    pub(super) const BOOLS: u8 = 0x00;
    pub(super) const INTS: RangeInclusive<u8> = 0x01..=0x04;
    pub(super) const INPUT_CONFIG: u8 = 0x09;
    pub(super) const ENTRY: u8 = 0x0a;
    pub(super) const PERMUTATION_LOW: u8 = 0x0b;
    pub(super) const PERMUTATION_HIGH: u8 = 0x0c;
    pub(super) const OUTPUT_MASK: u8 = 0x0d;
    pub(super) const FLOAT_INDEX: u8 = 0x10;
    pub(super) const FLOAT_DATA: RangeInclusive<u8> = 0x11..=0x18;
    pub(super) const CODE_INDEX: u8 = 0x1b;
    pub(super) const CODE_DATA: RangeInclusive<u8> = 0x1c..=0x23;
    pub(super) const DESCRIPTOR_INDEX: u8 = 0x25;
    pub(super) const DESCRIPTOR_DATA: RangeInclusive<u8> = 0x26..=0x2d;
}

/// A complete float uniform in its upload format, x first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatVector {
    /// Four raw 24-bit floats.
    F24([u32; 4]),
    /// Four binary32 words.
    F32([u32; 4]),
}

/// The float uniform port: an index, and the words of an incomplete vector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FloatPort {
    index: u8,
    f32_mode: bool,
    words: [u32; 4],
    filled: usize,
}

impl FloatPort {
    /// A write to the index register: bits 7:0 are the next uniform, bit 31 selects binary32 words. An incomplete
    /// vector is dropped (two emulators do so, one keeps it; the console is unknown).
    pub const fn select(&mut self, register: u32) {
        *self = Self { index: register as u8, f32_mode: register >> 31 != 0, words: [0; 4], filled: 0 };
    }

    /// A word of data, w first. The last word of a vector completes it and advances the index, up to 0xff without
    /// wrapping: titles send far more vectors than there are uniforms, and rely on that having no effect.
    pub fn push(&mut self, word: u32) -> Option<(u8, FloatVector)> {
        self.words[self.filled] = word;
        self.filled += 1;
        let [w0, w1, w2, w3] = self.words;
        let vector = match (self.f32_mode, self.filled) {
            (true, 4) => FloatVector::F32([w3, w2, w1, w0]),
            (false, 3) => FloatVector::F24(float::unpack_f24x4([w0, w1, w2])),
            _ => return None,
        };
        let n = self.index;
        self.filled = 0;
        self.index = n.saturating_add(1);
        Some((n, vector))
    }
}

impl FloatPort {
    fn persist(&mut self, words: &mut Words) {
        words.byte(&mut self.index);
        words.flag(&mut self.f32_mode);
        words.words(&mut self.words);
        words.count(&mut self.filled, if self.f32_mode { 3 } else { 2 });
    }
}

/// The code port or the descriptor port: an index that advances with every word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WordPort {
    index: u32,
}

impl WordPort {
    /// A write to the index register: bits 11:0.
    pub const fn select(&mut self, register: u32) {
        self.index = register & 0xfff;
    }

    /// A word of data: returns its address, which may lie past the end of the memory. The index does not wrap, so
    /// further words are dropped until the next [`select`](Self::select).
    pub const fn push(&mut self) -> u32 {
        let at = self.index;
        self.index = at.saturating_add(1);
        at
    }
}

/// Effect of a write to a bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upload {
    /// Bytes of a register, those of `parameter` that `mask` enables, bit 0 for the lowest.
    Register {
        /// Offset in the bank.
        offset: u8,
        /// The word written.
        parameter: u32,
        /// Byte mask.
        mask: u8,
    },
    /// A complete float uniform, number below 96.
    Float {
        /// Number of the uniform.
        n: u8,
        /// Its value.
        vector: FloatVector,
    },
    /// A code word inside the code memory.
    Code {
        /// Address.
        at: u32,
        /// The word.
        word: u32,
    },
    /// An operand descriptor inside the table.
    Descriptor {
        /// Number of the descriptor.
        at: u32,
        /// The word.
        word: u32,
    },
}

impl Upload {
    /// True if the geometry unit receives the upload while the banks are shared: uniforms, code, descriptors and the
    /// output mask; not input configuration, permutation, entry point and index registers.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        match self {
            Self::Float { .. } | Self::Code { .. } | Self::Descriptor { .. } => true,
            Self::Register { offset, .. } => {
                matches!(*offset, offset::BOOLS | offset::OUTPUT_MASK) || offset::INTS.contains(offset)
            }
        }
    }
}

/// True if writes to the vertex bank also reach the geometry unit: `VSH_COM_MODE` (0x244) bit 0 is clear and
/// `GEOSTAGE_CONFIG` (0x229) bits 1:0 are not 2. Needed by Luigi's Mansion 2 and others; that the mode at the time of
/// the write decides is assumed.
#[must_use]
pub const fn banks_are_shared(com_mode: u32, geostage_config: u32) -> bool {
    com_mode & 1 == 0 && geostage_config & 3 != 2
}

/// A bank of 0x30 registers, its ports, and the memories behind them.
#[derive(Debug, Clone)]
pub struct ShaderBank {
    registers: [u32; Self::REGISTERS],
    program: Program,
    uniforms: Uniforms,
    float_port: FloatPort,
    code_port: WordPort,
    descriptor_port: WordPort,
}

impl ShaderBank {
    /// Registers of a bank.
    pub const REGISTERS: usize = 0x30;

    /// A bank after start-up of a console: zero, except for the input configuration and an identity permutation.
    #[must_use]
    pub fn new(kind: UnitKind) -> Self {
        let mut registers = [0; Self::REGISTERS];
        registers[usize::from(offset::INPUT_CONFIG)] = match kind {
            UnitKind::Vertex => 0xa000_0000,
            UnitKind::Geometry => 0xa000_0001,
        };
        registers[usize::from(offset::PERMUTATION_LOW)] = 0x7654_3210;
        registers[usize::from(offset::PERMUTATION_HIGH)] = 0xfedc_ba98;
        Self {
            registers,
            program: Program::new(kind),
            uniforms: Uniforms::default(),
            float_port: FloatPort::default(),
            code_port: WordPort::default(),
            descriptor_port: WordPort::default(),
        }
    }

    /// Writes the register at `offset` in the bank. `mask` enables bytes of `parameter`, bit 0 the lowest; mask 0 has
    /// no effect. Data ports take the whole word with any other mask (assumed; every emulator does). Returns the
    /// effect, if any.
    pub fn write(&mut self, offset: u8, parameter: u32, mask: u8) -> Option<Upload> {
        if mask & 15 == 0 || usize::from(offset) >= Self::REGISTERS {
            return None;
        }
        let upload = if offset::FLOAT_DATA.contains(&offset) {
            let (n, vector) = self.float_port.push(parameter)?;
            (usize::from(n) < Uniforms::FLOATS).then_some(Upload::Float { n, vector })
        } else if offset::CODE_DATA.contains(&offset) {
            let at = self.code_port.push();
            let inside = (at as usize) < self.program.code().len();
            inside.then_some(Upload::Code { at, word: parameter })
        } else if offset::DESCRIPTOR_DATA.contains(&offset) {
            let at = self.descriptor_port.push();
            let inside = (at as usize) < Program::DESCRIPTORS;
            inside.then_some(Upload::Descriptor { at, word: parameter })
        } else {
            Some(Upload::Register { offset, parameter, mask })
        }?;
        self.apply(upload);
        Some(upload)
    }

    /// Applies the effect of a write to another bank. Uniforms, code and descriptors neither use nor change the ports
    /// of this bank.
    pub fn apply(&mut self, upload: Upload) {
        match upload {
            Upload::Register { offset, parameter, mask } => self.write_register(offset, parameter, mask),
            Upload::Float { n, vector: FloatVector::F24(raw) } => {
                self.uniforms.set_float_f24(usize::from(n), raw);
            }
            Upload::Float { n, vector: FloatVector::F32(words) } => {
                self.uniforms.set_float_f32(usize::from(n), words);
            }
            Upload::Code { at, word } => self.program.write_code(at, word),
            Upload::Descriptor { at, word } => self.program.write_descriptor(at, word),
        }
    }

    fn write_register(&mut self, offset: u8, parameter: u32, mask: u8) {
        let bytes = expand_mask(mask);
        let value = (self.register(offset) & !bytes | parameter & bytes) & self.implemented(offset);
        if let Some(register) = self.registers.get_mut(usize::from(offset)) {
            *register = value;
        }
        match offset {
            offset::BOOLS => self.uniforms.set_bools(value as u16),
            offset::FLOAT_INDEX => self.float_port.select(value),
            offset::CODE_INDEX => self.code_port.select(value),
            offset::DESCRIPTOR_INDEX => self.descriptor_port.select(value),
            _ if offset::INTS.contains(&offset) => {
                self.uniforms.set_int(offset - offset::INTS.start(), value.to_le_bytes());
            }
            _ => {}
        }
    }

    /// Mask of the stored bits of a register (read back by gbatek).
    fn implemented(&self, offset: u8) -> u32 {
        let vertex = self.program.kind() == UnitKind::Vertex;
        match offset {
            offset::BOOLS if vertex => 0x01ff_ffff,
            offset::BOOLS => 0x0fff_ffff,
            offset::INPUT_CONFIG => 0xb800_010f,
            offset::ENTRY if vertex => 0x01ff_01ff,
            offset::ENTRY => 0x0fff_0fff,
            _ => u32::MAX,
        }
    }

    /// The register at `offset`, 0 outside the bank. Index registers hold the last written value, not the current
    /// index of their port. The boolean uniforms are the register itself, so it shows a `b15` set by a geometry run.
    #[must_use]
    pub fn register(&self, offset: u8) -> u32 {
        let stored = self.registers.get(usize::from(offset)).copied().unwrap_or(0);
        match offset {
            offset::BOOLS => stored & 0xffff_0000 | u32::from(self.uniforms.bools()),
            _ => stored,
        }
    }

    /// The entry point, with the implemented number of bits.
    #[must_use]
    pub fn entry(&self) -> u16 {
        self.register(offset::ENTRY) as u16
    }

    /// Number of attributes loaded, 1-16.
    #[must_use]
    pub fn input_count(&self) -> usize {
        (self.register(offset::INPUT_CONFIG) & 15) as usize + 1
    }

    /// The permutation: nibble `k` is the `v` register of attribute `k`.
    #[must_use]
    pub fn permutation(&self) -> u64 {
        u64::from(self.register(offset::PERMUTATION_HIGH)) << 32
            | u64::from(self.register(offset::PERMUTATION_LOW))
    }

    /// The output mask, bit `n` for `o[n]`.
    #[must_use]
    pub fn output_mask(&self) -> u16 {
        self.register(offset::OUTPUT_MASK) as u16
    }

    /// Code and descriptors.
    #[must_use]
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// The uniforms.
    #[must_use]
    pub const fn uniforms(&self) -> &Uniforms {
        &self.uniforms
    }

    /// The uniforms, mutable, for the geometry stage: it writes vertex outputs into them, and runs set `b15`.
    pub const fn uniforms_mut(&mut self) -> &mut Uniforms {
        &mut self.uniforms
    }

    pub(crate) fn persist(&mut self, words: &mut Words) {
        words.words(&mut self.registers);
        self.program.persist(words);
        self.uniforms.persist(words);
        self.persist_ports(words);
    }

    /// The progress of uploads: the float port (next uniform, 1 for binary32, words of an incomplete vector and their
    /// number), next code word, next descriptor.
    pub(crate) fn persist_ports(&mut self, words: &mut Words) {
        self.float_port.persist(words);
        words.word(&mut self.code_port.index);
        words.word(&mut self.descriptor_port.index);
    }

    /// All registers, as stored; the boolean uniforms are elsewhere.
    pub(crate) const fn registers(&self) -> &[u32; Self::REGISTERS] {
        &self.registers
    }

    /// Stores a register without any effect on the ports. Boolean and integer uniforms follow.
    pub(crate) fn set_register(&mut self, offset: u8, word: u32) {
        let value = word & self.implemented(offset);
        let Some(register) = self.registers.get_mut(usize::from(offset)) else { return };
        *register = value;
        if offset == offset::BOOLS {
            self.uniforms.set_bools(value as u16);
        } else if offset::INTS.contains(&offset) {
            self.uniforms.set_int(offset - offset::INTS.start(), value.to_le_bytes());
        }
    }

    /// Code and descriptors, for a host that restores them.
    pub(crate) const fn program_mut(&mut self) -> &mut Program {
        &mut self.program
    }

    /// The program and the mutable uniforms, for a run.
    pub const fn parts_mut(&mut self) -> (&Program, &mut Uniforms) {
        (&self.program, &mut self.uniforms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::float::Precision;

    /// The packed upload of (1, 0.5, -1, 3), pica-shader.md 11.6.
    const PACKED: [u32; 3] = [0x4080_00bf, 0x0000_3e00, 0x003f_0000];

    fn vertex_bank() -> ShaderBank {
        ShaderBank::new(UnitKind::Vertex)
    }

    fn value(bank: &ShaderBank, n: usize) -> [f32; 4] {
        bank.uniforms().float(n, Precision::Console)
    }

    #[test]
    fn float_packed() {
        let mut bank = vertex_bank();
        bank.write(0x10, 7, 15);
        let uploads = PACKED.map(|word| bank.write(0x11, word, 15));
        let vector = FloatVector::F24([0x3f_0000, 0x3e_0000, 0xbf_0000, 0x40_8000]);
        assert_eq!(uploads, [None, None, Some(Upload::Float { n: 7, vector })]);
        assert_eq!(value(&bank, 7), [1.0, 0.5, -1.0, 3.0]);
    }

    #[test]
    fn float_f32_mode_sends_w_first() {
        let mut bank = vertex_bank();
        bank.write(0x10, 0x8000_0005, 15);
        for value in [4.0_f32, 3.0, 2.0, 1.0] {
            bank.write(0x18, value.to_bits(), 15);
        }
        assert_eq!(value(&bank, 5), [1.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn float_aliases_are_one_port_and_the_index_advances() {
        let mut bank = vertex_bank();
        bank.write(0x10, 0, 15);
        let words = PACKED.into_iter().chain(PACKED).chain(PACKED);
        for (alias, word) in (0x11..=0x18).cycle().zip(words) {
            bank.write(alias, word, 15);
        }
        assert_eq!([0, 1, 2].map(|n| value(&bank, n)), [[1.0, 0.5, -1.0, 3.0]; 3]);
        assert_eq!(value(&bank, 3), [0.0; 4]);
    }

    #[test]
    fn float_index_restarts_the_vector() {
        let mut bank = vertex_bank();
        bank.write(0x10, 0, 15);
        bank.write(0x11, 0xffff_ffff, 15);
        bank.write(0x10, 3, 15);
        for word in PACKED {
            bank.write(0x11, word, 15);
        }
        assert_eq!(value(&bank, 3), [1.0, 0.5, -1.0, 3.0]);
        assert_eq!(value(&bank, 0), [0.0; 4]);
    }

    #[test]
    fn float_beyond_the_last_is_dropped_without_wrapping() {
        let mut bank = vertex_bank();
        bank.write(0x10, 0x5f, 15);
        for n in 0x5f..=0x1ff {
            let uploads = PACKED.map(|word| bank.write(0x11, word, 15));
            assert_eq!(uploads[2].is_some(), n == 0x5f, "vector {n:#x}");
        }
        assert_eq!(value(&bank, 95), [1.0, 0.5, -1.0, 3.0]);
        assert!((0..95).all(|n| value(&bank, n) == [0.0; 4]));
    }

    #[test]
    fn float_index_has_eight_bits() {
        let mut port = FloatPort::default();
        port.select(0x7fff_ff80);
        let last = PACKED.map(|word| port.push(word))[2];
        assert_eq!(last.map(|(n, _)| n), Some(0x80));
    }

    #[test]
    fn code_advances_and_drops_past_the_end() {
        let mut bank = vertex_bank();
        bank.write(0x1b, 0xf000 + 510, 15);
        let uploads = [11, 12, 13].map(|word| bank.write(0x1c, word, 15));
        assert_eq!(bank.program().code()[510..], [11, 12]);
        assert_eq!(uploads[1], Some(Upload::Code { at: 511, word: 12 }));
        assert_eq!(uploads[2], None);
    }

    #[test]
    fn code_index_does_not_wrap() {
        let mut bank = ShaderBank::new(UnitKind::Geometry);
        bank.write(0x1b, 0xfff, 15);
        bank.write(0x1c, 1, 15);
        bank.write(0x23, 2, 15);
        assert_eq!((bank.program().code()[4095], bank.program().code()[0]), (1, 0));
    }

    #[test]
    fn descriptors_through_every_alias() {
        let mut bank = vertex_bank();
        bank.write(0x25, 123, 15);
        for alias in 0x26..=0x2d {
            let upload = bank.write(alias, u32::from(alias), 15);
            assert_eq!(upload.is_some(), alias <= 0x2a, "alias {alias:#x}");
        }
        assert_eq!(bank.program().descriptors()[122..], [0, 0x26, 0x27, 0x28, 0x29, 0x2a]);
        assert_eq!(bank.program().descriptors()[0], 0);
    }

    #[test]
    fn bools_merge_bytes_and_keep_b15() {
        let mut bank = ShaderBank::new(UnitKind::Geometry);
        bank.write(0x00, 0xffff_0003, 15);
        assert_eq!(bank.register(0x00), 0x0fff_0003);
        bank.uniforms_mut().set_bools(0x8003);
        bank.write(0x00, 0x5555_5540, 0b0001);
        assert_eq!(bank.uniforms().bools(), 0x8040);
        bank.write(0x00, 0, 0b0010);
        assert_eq!(bank.uniforms().bools(), 0x0040);
    }

    #[test]
    fn ints_are_bytes() {
        let mut bank = vertex_bank();
        bank.write(0x04, 0xdd_03_02_01, 15);
        bank.write(0x04, 0xffff_ffff, 0b0010);
        assert_eq!(bank.uniforms().int(3), [1, 0xff, 3, 0xdd]);
    }

    #[test]
    fn plain_registers() {
        let mut bank = vertex_bank();
        assert_eq!((bank.input_count(), bank.permutation()), (1, 0xfedc_ba98_7654_3210));
        bank.write(0x09, 0xa000_000f, 15);
        bank.write(0x0a, 0x7fff_ffff, 15);
        bank.write(0x0b, 0x0000_0021, 0b0001);
        bank.write(0x0d, 0x0001_8001, 15);
        assert_eq!((bank.input_count(), bank.entry(), bank.output_mask()), (16, 0x1ff, 0x8001));
        assert_eq!(bank.permutation(), 0xfedc_ba98_7654_3221);
    }

    #[test]
    fn masks_of_data_ports_do_not_matter_unless_zero() {
        let mut bank = vertex_bank();
        assert_eq!(bank.write(0x1c, 0x1234_5678, 0), None);
        bank.write(0x1c, 0x1234_5678, 0b0100);
        assert_eq!(bank.program().code()[..2], [0x1234_5678, 0]);
    }

    #[test]
    fn offsets_outside_the_bank_do_nothing() {
        let mut bank = vertex_bank();
        assert_eq!(bank.write(0x30, 1, 15), None);
        assert_eq!(bank.write(0xff, 1, 15), None);
        assert_eq!(bank.register(0xff), 0);
    }

    #[test]
    fn sharing_needs_both_mode_bits() {
        assert!(banks_are_shared(0, 0) && banks_are_shared(2, 1) && banks_are_shared(0, 3));
        assert!(!banks_are_shared(1, 0) && !banks_are_shared(0, 2));
    }

    /// Code, uniforms and the output mask reach the geometry bank; the entry does not, and a vector that the
    /// geometry bank has begun stays begun.
    #[test]
    fn mirrored_uploads() {
        let mut vertex = vertex_bank();
        let mut geometry = ShaderBank::new(UnitKind::Geometry);
        geometry.write(0x10, 1, 15);
        geometry.write(0x11, PACKED[0], 15);
        let writes = [(0x0a, 9), (0x0d, 3), (0x1b, 4), (0x1c, 77), (0x10, 2)];
        for (offset, parameter) in writes.into_iter().chain(PACKED.map(|word| (0x11, word))) {
            if let Some(upload) = vertex.write(offset, parameter, 15).filter(Upload::is_mirrored) {
                geometry.apply(upload);
            }
        }
        assert_eq!((geometry.entry(), geometry.output_mask(), geometry.program().code()[4]), (0, 3, 77));
        assert_eq!(value(&geometry, 2), [1.0, 0.5, -1.0, 3.0]);
        geometry.write(0x11, PACKED[1], 15);
        geometry.write(0x11, PACKED[2], 15);
        assert_eq!(value(&geometry, 1), [1.0, 0.5, -1.0, 3.0]);
    }
}
