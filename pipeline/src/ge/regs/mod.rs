//! The register file: the last word of every command.
//!
//! Source: psp-ge.md 2.1, 3.

pub mod fields;
pub mod light;
pub mod op;
pub mod patch;
pub mod pixel;
pub mod raster;
pub mod same;
pub mod texture;
pub mod transform;

use self::fields::Bits;
use super::number::f24;
use crate::persist::Words;

/// 256 words, one for each command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registers {
    words: [u32; 256],
}

impl Default for Registers {
    /// Each word is its own command with argument 0 (2.1).
    fn default() -> Self {
        Self { words: std::array::from_fn(|n| (n as u32) << 24) }
    }
}

impl Registers {
    /// The word that `command` wrote last.
    #[must_use]
    #[inline]
    pub const fn word(&self, command: u8) -> u32 {
        self.words[command as usize]
    }

    /// All words.
    #[must_use]
    pub const fn words(&self) -> &[u32; 256] {
        &self.words
    }

    /// Stores a word in the register of its command.
    #[inline]
    pub const fn write(&mut self, word: u32) {
        self.words[(word >> 24) as usize] = word;
    }

    /// The 24 bits of the argument.
    #[must_use]
    #[inline]
    pub const fn arg(&self, command: u8) -> u32 {
        self.word(command) & 0xff_ffff
    }

    /// The argument as a float.
    #[must_use]
    #[inline]
    pub const fn float(&self, command: u8) -> f32 {
        f24(self.arg(command))
    }

    /// Bit 0 of the argument: true if the switch is on.
    #[must_use]
    #[inline]
    pub const fn is_on(&self, command: u8) -> bool {
        self.arg(command) & 1 != 0
    }

    /// Bits `from .. from + count` of the argument.
    #[must_use]
    #[inline]
    pub const fn bits(&self, command: u8, from: u32, count: u32) -> u32 {
        (self.arg(command) >> from) & ((1 << count) - 1)
    }

    /// A field of the argument.
    #[must_use]
    #[inline]
    pub const fn field(&self, command: u8, field: Bits) -> u32 {
        field.of(self.word(command))
    }

    pub(super) fn persist(&mut self, words: &mut Words) {
        words.words(&mut self.words);
        self.words.iter_mut().zip(0_u32..).for_each(|(word, n)| *word = n << 24 | *word & 0xff_ffff);
    }

    /// True if vertices are in screen coordinates (VTYPE bit 23).
    #[must_use]
    #[inline]
    pub const fn is_through(&self) -> bool {
        self.field(op::VTYPE, fields::VTYPE_THROUGH) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_an_argument() {
        let mut registers = Registers::default();
        registers.write(0x2312_3456);
        let bits =
            [(0, 24), (4, 8), (8, 8), (0, 4), (20, 4)].map(|(from, count)| registers.bits(0x23, from, count));
        assert_eq!(bits, [0x12_3456, 0x45, 0x34, 0x6, 0x1]);
    }
}
