//! The register file of a shader unit, and the uniforms.

use super::program::Generation;
use crate::persist::Words as State;
use crate::pica::float;
use crate::pica::float::Precision;

/// A register: x, y, z, w.
pub type Vec4 = [f32; 4];

/// Packed output registers of one vertex: slot `n` holds the `n`-th register enabled by the output mask, in ascending
/// order. Further slots are zero.
pub type Record = [Vec4; 16];

/// Upload format of the words of a float uniform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// Raw 24-bit floats.
    F24,
    /// Binary32 words from the 32-bit upload mode.
    F32,
    /// Register contents, written by the geometry stage.
    Register,
}

impl Words {
    fn persist(&mut self, state: &mut State) {
        let mut code = *self as u8;
        state.byte(&mut code);
        *self = match code {
            0 => Self::F24,
            1 => Self::F32,
            _ => Self::Register,
        };
    }
}

/// Uniforms of one unit. Raw words are stored as uploaded; the value depends on the precision.
#[derive(Debug, Clone)]
pub struct Uniforms {
    words: [[u32; 4]; Self::FLOATS],
    forms: [Words; Self::FLOATS],
    bools: u16,
    ints: [[u8; 4]; Self::INTS],
    generation: Generation,
}

impl Default for Uniforms {
    fn default() -> Self {
        Self {
            words: [[0; 4]; Self::FLOATS],
            forms: [Words::F24; Self::FLOATS],
            bools: 0,
            ints: [[0; 4]; Self::INTS],
            generation: Generation::new(),
        }
    }
}

impl Uniforms {
    /// `c0`-`c95`.
    pub const FLOATS: usize = 96;
    /// `i0`-`i3`.
    pub const INTS: usize = 4;

    /// The value of `c[n]`, `n` below [`FLOATS`](Self::FLOATS).
    #[must_use]
    pub fn float(&self, n: usize, precision: Precision) -> Vec4 {
        let words = self.words[n];
        match self.forms[n] {
            Words::F24 => words.map(float::f24),
            Words::F32 => words.map(|word| precision.load_f32(f32::from_bits(word))),
            Words::Register => words.map(f32::from_bits),
        }
    }

    /// The boolean uniforms, `b0` in bit 0.
    #[must_use]
    pub const fn bools(&self) -> u16 {
        self.bools
    }

    /// Boolean uniform `id`; only the low four bits of `id` are used.
    #[must_use]
    pub const fn bool(&self, id: u8) -> bool {
        self.bools >> (id & 15) & 1 != 0
    }

    /// Integer uniform `id` as x, y, z and an unused byte; only the low two bits of `id` are used.
    #[must_use]
    pub const fn int(&self, id: u8) -> [u8; 4] {
        self.ints[(id & 3) as usize]
    }

    /// All integer uniforms.
    #[must_use]
    pub const fn ints(&self) -> [[u8; 4]; Self::INTS] {
        self.ints
    }

    /// Writes four raw 24-bit floats, x first. Dropped if `n` is not below [`FLOATS`](Self::FLOATS).
    pub fn set_float_f24(&mut self, n: usize, raw: [u32; 4]) {
        self.set(n, raw.map(|word| word & 0xff_ffff), Words::F24);
    }

    /// Writes four binary32 words, x first: the 32-bit upload mode.
    pub fn set_float_f32(&mut self, n: usize, words: [u32; 4]) {
        self.set(n, words, Words::F32);
    }

    /// Writes consecutive uniforms in the 32-bit upload mode, from `first` on; drops those past the last uniform. Equal
    /// words keep the [generation](Self::generation).
    pub fn set_floats_f32(&mut self, first: usize, words: &[[u32; 4]]) {
        let first = first.min(Self::FLOATS);
        let words = &words[..words.len().min(Self::FLOATS - first)];
        let range = first..first + words.len();
        let (mine, forms) = (&mut self.words[range.clone()], &mut self.forms[range]);
        if mine != words || forms.iter().any(|form| *form != Words::F32) {
            mine.copy_from_slice(words);
            forms.fill(Words::F32);
            self.generation.advance();
        }
    }

    /// Writes register contents: vertex outputs from the geometry stage.
    pub fn set_float_register(&mut self, n: usize, value: Vec4) {
        self.set(n, value.map(f32::to_bits), Words::Register);
    }

    /// Writes a representation for which [`float`](Self::float) returns exactly `value` in both precisions: 24-bit
    /// floats if they can represent it, else register contents.
    pub fn set_float(&mut self, n: usize, value: Vec4) {
        match value.map(float::to_f24) {
            [Some(x), Some(y), Some(z), Some(w)] => self.set_float_f24(n, [x, y, z, w]),
            _ => self.set_float_register(n, value),
        }
    }

    fn set(&mut self, n: usize, words: [u32; 4], form: Words) {
        if n < Self::FLOATS && (self.words[n], self.forms[n]) != (words, form) {
            self.words[n] = words;
            self.forms[n] = form;
            self.generation.advance();
        }
    }

    /// Writes all boolean uniforms.
    pub fn set_bools(&mut self, bools: u16) {
        self.bools = bools;
    }

    /// Writes integer uniform `id`; only the low two bits of `id` are used.
    pub fn set_int(&mut self, id: u8, value: [u8; 4]) {
        self.ints[usize::from(id & 3)] = value;
    }

    /// Identifies the contents of the float uniforms: equal generations mean equal contents, in the whole process.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation.get()
    }

    pub(crate) fn persist(&mut self, state: &mut State) {
        self.persist_floats(state);
        self.persist_forms(state);
        state.half(&mut self.bools);
        self.ints.as_flattened_mut().iter_mut().for_each(|byte| state.byte(byte));
    }

    /// The words of the float uniforms, as uploaded, x first.
    pub(crate) fn persist_floats(&mut self, state: &mut State) {
        state.words(self.words.as_flattened_mut());
        if state.is_loading() {
            self.generation.advance();
        }
    }

    /// The form of the words of each float uniform: 0 floats of 24 bits, 1 binary32 from an upload, 2 contents of a
    /// register.
    pub(crate) fn persist_forms(&mut self, state: &mut State) {
        self.forms.iter_mut().for_each(|form| form.persist(state));
        if state.is_loading() {
            self.generation.advance();
        }
    }

    /// All words of the float uniforms, as uploaded.
    pub(crate) const fn words(&self) -> &[u32] {
        self.words.as_flattened()
    }

    /// Replaces words of the float uniforms, as uploaded; equal words keep the [generation](Self::generation). Those
    /// past the last are dropped.
    pub(crate) fn set_words(&mut self, first: usize, words: &[u32]) {
        let mine = self.words.as_flattened_mut();
        let end = first.saturating_add(words.len()).min(mine.len());
        let Some(mine) = mine.get_mut(first..end) else { return };
        let words = &words[..mine.len()];
        if mine != words {
            mine.copy_from_slice(words);
            self.generation.advance();
        }
    }
}

/// State set by `SETEMIT` and used by `EMIT`. Engines write it by the offsets of its fields, in code that they may store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C)]
pub struct EmitLatch {
    /// Entry of the emit buffer, 0-3.
    pub id: u8,
    /// True if the EMIT completes a primitive.
    pub primitive: bool,
    /// True if the primitive's winding is reversed.
    pub winding: bool,
}

impl EmitLatch {
    fn persist(&mut self, state: &mut State) {
        state.byte(&mut self.id);
        self.id &= 3;
        state.flag(&mut self.primitive);
        state.flag(&mut self.winding);
    }
}

/// The registers of one shader unit.
///
/// Vertex units start every vertex from [`ShaderUnit::default`] with the inputs loaded; the geometry unit keeps its
/// whole state, also across draws (measured on a console: citra PR 3787, Azahar PR 2338).
#[derive(Debug, Clone, PartialEq)]
#[repr(C)]
pub struct ShaderUnit {
    /// `v0`-`v15`.
    pub v: [Vec4; 16],
    /// `r0`-`r15`.
    pub r: [Vec4; 16],
    /// `o0`-`o15`, two banks. Vertex units use bank 0 only (assumed).
    pub o: [[Vec4; 16]; 2],
    /// The output bank for writes, 0 or 1. `EMIT` toggles it.
    pub bank: u32,
    /// `a0.x` and `a0.y`.
    pub a0: [i32; 2],
    /// `aL`.
    pub al: i32,
    /// `cmp.x` and `cmp.y`.
    pub cmp: [bool; 2],
    /// State set by the last `SETEMIT`.
    pub latch: EmitLatch,
}

impl Default for ShaderUnit {
    fn default() -> Self {
        Self {
            v: [[0.0; 4]; 16],
            r: [[0.0; 4]; 16],
            o: [[[0.0; 4]; 16]; 2],
            bank: 0,
            a0: [0; 2],
            al: 0,
            cmp: [false; 2],
            latch: EmitLatch::default(),
        }
    }
}

impl ShaderUnit {
    /// Saves or restores the registers of the geometry unit, which survive draws.
    pub fn persist(&mut self, state: &mut State) {
        let [bank0, bank1] = &mut self.o;
        for register in [&mut self.v, &mut self.r, bank0, bank1] {
            state.floats(register.as_flattened_mut());
        }
        state.word(&mut self.bank);
        self.bank &= 1;
        for index in self.a0.iter_mut().chain([&mut self.al]) {
            let mut word = *index as u32;
            state.word(&mut word);
            *index = word as i32;
        }
        self.cmp.iter_mut().for_each(|flag| state.flag(flag));
        self.latch.persist(state);
    }

    /// The outputs of the current bank that `mask` enables, packed.
    #[must_use]
    pub fn packed_outputs(&self, mask: u16) -> Record {
        Self::pack(&self.o[(self.bank & 1) as usize], mask)
    }

    /// The registers that `mask` enables, packed in ascending order.
    #[must_use]
    pub fn pack(outputs: &[Vec4; 16], mask: u16) -> Record {
        let mut record = [[0.0; 4]; 16];
        Self::pack_into(outputs, mask, &mut record);
        record
    }

    /// The same into a record of zeros.
    pub fn pack_into(outputs: &[Vec4; 16], mask: u16, record: &mut Record) {
        let mut left = mask;
        for slot in record.iter_mut().take(mask.count_ones() as usize) {
            *slot = outputs[left.trailing_zeros() as usize & 15];
            left &= left.wrapping_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_uniforms_at_once_equal_one_by_one() {
        let words: [[u32; 4]; 5] =
            std::array::from_fn(|n| [n as u32 * 0x0080_0000, 0x3f80_0001, 0x7fc0_0000, 1]);
        for first in [0, 7, Uniforms::FLOATS - 2, Uniforms::FLOATS, usize::MAX] {
            let (mut one, mut all) = (Uniforms::default(), Uniforms::default());
            one.set_float_f24(first.min(95), [0x3f_0000; 4]);
            all.set_float_f24(first.min(95), [0x3f_0000; 4]);
            (first..Uniforms::FLOATS).zip(words).for_each(|(n, words)| one.set_float_f32(n, words));
            let before = all.generation();
            all.set_floats_f32(first, &words);
            assert_eq!((all.words, all.forms), (one.words, one.forms), "{first}");
            assert_eq!(all.generation() == before, first >= Uniforms::FLOATS);
            let before = all.generation();
            all.set_floats_f32(first, &words);
            assert_eq!(all.generation(), before, "nothing has changed");
        }
    }

    /// `b0` is bit 0; numbers have four bits.
    /// Uploads of 32 bits replace other words, and words of 24 bits that are the same.
    #[test]
    fn uniforms_are_replaced() {
        let mut uniforms = Uniforms::default();
        let (one, two) = ([1.0_f32.to_bits(); 4], [2.0_f32.to_bits(); 4]);
        for (words, value) in [(one, 1.0), (two, 2.0)] {
            uniforms.set_floats_f32(3, &[words]);
            assert_eq!(uniforms.float(3, Precision::Binary32), [value; 4]);
        }
        let bits = [0x12_3456; 4];
        uniforms.set_float_f24(3, bits);
        uniforms.set_floats_f32(3, &[bits]);
        assert_eq!(uniforms.float(3, Precision::Binary32), bits.map(f32::from_bits));
    }

    #[test]
    fn boolean_uniforms() {
        let mut uniforms = Uniforms::default();
        uniforms.set_bools(0b1000_0000_0000_0110);
        assert_eq!([0, 1, 2, 3, 15, 17].map(|id| uniforms.bool(id)), [false, true, true, false, true, true]);
    }

    /// Values that 24 bits can hold are held so, others as they are; beyond the last uniform nothing is written.
    #[test]
    fn uniforms_by_value() {
        let mut uniforms = Uniforms::default();
        let (short, long) = ([1.0, -2.0, 0.5, 0.0], [1.0, 0.1, 0.0, 0.0]);
        uniforms.set_float(0, short);
        uniforms.set_float(Uniforms::FLOATS - 1, long);
        let before = uniforms.generation();
        uniforms.set_float(Uniforms::FLOATS, short);
        assert_eq!(uniforms.generation(), before);
        for precision in [Precision::Console, Precision::Binary32] {
            assert_eq!(uniforms.float(0, precision), short);
            assert_eq!(uniforms.float(Uniforms::FLOATS - 1, precision), long);
        }
        assert_eq!((uniforms.forms[0], uniforms.forms[Uniforms::FLOATS - 1]), (Words::F24, Words::Register));
    }
}
