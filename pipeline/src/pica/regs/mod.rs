//! The registers 0x000-0x3FF: the raw array, the names, and typed views.
//!
//! The array is the truth: guests write raw words, captures store them, views are `Copy` and computed on
//! demand. Each block of the register map has a file with its views, its accessors (methods of
//! [`Registers`]) and its part of the table ([`describe`]).
//!
//! Source: pica-geometry.md section 2; 3dbrew, GPU/Internal Registers; gbatek, 3DS GPU (implemented bits).

pub mod combiner;
pub mod fixed;
pub mod fragop;
pub mod framebuffer;
pub mod geometry;
pub mod lighting;
pub mod misc;
pub mod rasterizer;
pub mod shader;
pub mod texture;

use crate::bits::{Field, FieldInfo};
pub use crate::compare::CompareFunc;
use crate::persist::Words;
use crate::pica::float;
use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

/// Effect of a write to a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Stored, read at draw time.
    Configuration,
    /// A write has an effect.
    Trigger,
    /// Index of a data port.
    Index,
    /// Data port.
    Data,
    /// Read only.
    Status,
    /// Readable and writable, effect unknown.
    Undocumented,
    /// Reads zero, no known function.
    Zero,
    /// Reads and writes the storage of `RESTART_PRIMITIVE` (pica-geometry.md 2.9).
    Mirror,
}

/// An entry of the register table.
#[derive(Debug, Clone)]
pub struct Description {
    /// 3dbrew's name without `GPUREG_`; four hexadecimal digits for a register without one.
    pub name: Cow<'static, str>,
    /// Effect of a write.
    pub class: Class,
    /// Mask of the stored bits; all bits if not measured.
    pub implemented: u32,
    /// Value after [reset](Registers::new).
    pub reset: u32,
    /// The decoded fields; empty if none are known.
    pub fields: &'static [FieldInfo],
}

impl Description {
    /// A configuration register that stores all its bits.
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>, fields: &'static [FieldInfo]) -> Self {
        let name = name.into();
        Self { name, class: Class::Configuration, implemented: u32::MAX, reset: 0, fields }
    }

    /// A register without a name.
    #[must_use]
    pub fn unnamed(id: u16, class: Class) -> Self {
        Self { class, ..Self::new(format!("{id:04X}"), &[]) }
    }

    /// Replaces the class.
    #[must_use]
    pub fn class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    /// Replaces the mask of stored bits.
    #[must_use]
    pub fn implemented(self, implemented: u32) -> Self {
        Self { implemented, ..self }
    }

    /// Replaces the value after reset.
    #[must_use]
    pub fn reset(self, reset: u32) -> Self {
        Self { reset, ..self }
    }
}

/// The entry of the register table for `id`. Every id below [`Registers::COUNT`] has one; the registers above read as
/// zero.
#[must_use]
pub fn describe(id: u16) -> Description {
    match id {
        0x000..=0x03f => misc::describe(id),
        0x040..=0x07f => rasterizer::describe(id),
        0x080..=0x0bf => texture::describe(id),
        0x0c0..=0x0ff | 0x120..=0x12f => combiner::describe(id),
        0x100..=0x10f | 0x130..=0x13f => fragop::describe(id),
        0x110..=0x11f => framebuffer::describe(id),
        0x140..=0x1ff => lighting::describe(id),
        0x200..=0x27f => geometry::describe(id),
        0x280..=0x3ff => shader::describe(id),
        _ => Description::unnamed(id, Class::Zero),
    }
}

/// The words of all registers.
#[derive(Clone, PartialEq, Eq)]
pub struct Registers {
    words: [u32; Self::COUNT],
}

struct Columns {
    implemented: [u32; Registers::COUNT],
    reset: [u32; Registers::COUNT],
}

static COLUMNS: LazyLock<Columns> = LazyLock::new(|| Columns {
    implemented: std::array::from_fn(|id| describe(id as u16).implemented),
    reset: std::array::from_fn(|id| describe(id as u16).reset),
});

impl Default for Registers {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Registers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = self.words.iter().enumerate().filter(|(_, word)| **word != 0);
        f.debug_map().entries(set.map(|(id, word)| (format!("{id:#05x}"), format!("{word:#010x}")))).finish()
    }
}

impl Registers {
    /// Number of registers.
    pub const COUNT: usize = 0x400;

    /// Registers as after reset (pica-geometry.md 2.8).
    #[must_use]
    pub fn new() -> Self {
        Self { words: COLUMNS.reset }
    }

    /// The word of register `id`; 0 if there is none.
    #[must_use]
    pub fn raw(&self, id: u16) -> u32 {
        self.words.get(usize::from(id)).copied().unwrap_or(0)
    }

    /// All words.
    #[must_use]
    pub const fn words(&self) -> &[u32; Self::COUNT] {
        &self.words
    }

    /// Sets the word of register `id` directly, for captures and tests; no effect if there is none.
    pub fn set_raw(&mut self, id: u16, word: u32) {
        if let Some(stored) = self.words.get_mut(usize::from(id)) {
            *stored = word;
        }
    }

    pub(crate) fn persist(&mut self, words: &mut Words) {
        words.words(&mut self.words);
    }

    /// True if a write of this word would change register `id`.
    pub(crate) fn differs(&self, id: u16, word: u32) -> bool {
        let implemented = COLUMNS.implemented.get(usize::from(id)).copied().unwrap_or(0);
        self.raw(id) != word & implemented
    }

    /// Writes a register, as the guest: only bytes that `mask` enables (bit 0 for the lowest), and only implemented
    /// bits. Returns the new word.
    pub fn write(&mut self, id: u16, value: u32, mask: u8) -> u32 {
        let Some(stored) = self.words.get_mut(usize::from(id)) else { return 0 };
        let bytes = expand_mask(mask);
        *stored = (*stored & !bytes | value & bytes) & COLUMNS.implemented[usize::from(id)];
        *stored
    }
}

/// Expands a mask of four bytes to a mask of 32 bits.
#[must_use]
pub const fn expand_mask(mask: u8) -> u32 {
    let mask = mask as u32;
    (mask & 1 | (mask & 2) << 7 | (mask & 4) << 14 | (mask & 8) << 21) * 0xff
}

macro_rules! float_field {
    ($($(#[$doc:meta])* $name:ident = $widen:path, $bits:literal, $mantissa:literal;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct $name(u32);

        impl $name {
            /// The value. Exponent 0 reads as zero: configuration registers have no subnormals (reported for the
            /// console, pica-fragment.md 0.3).
            #[must_use]
            pub fn to_f32(self) -> f32 {
                let exponent = self.0 >> $mantissa & ((1 << ($bits - 1 - $mantissa)) - 1);
                if exponent == 0 { $widen(self.0 >> ($bits - 1) << ($bits - 1)) } else { $widen(self.0) }
            }
        }

        impl Field for $name {
            fn from_bits(raw: u32) -> Self {
                Self(raw)
            }
            fn to_bits(self) -> u32 {
                self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.to_f32().fmt(f)
            }
        })*
    };
}

float_field! {
    /// A field in 1.5.10.
    F16 = float::f16, 16, 10;
    /// A field in 1.7.12.
    F20 = float::f20, 20, 12;
    /// A field in 1.7.16.
    F24 = float::f24, 24, 16;
}

crate::bits! {
    /// A colour of four bytes, red lowest.
    pub struct Rgba8(u32) {
        /// Red.
        r, with_r: u8 = 0..8;
        /// Green.
        g, with_g: u8 = 8..16;
        /// Blue.
        b, with_b: u8 = 16..24;
        /// Alpha.
        a, with_a: u8 = 24..32;
    }
}

impl Rgba8 {
    /// Red, green, blue, alpha.
    #[must_use]
    pub const fn channels(self) -> [u8; 4] {
        self.0.to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_merge_bytes() {
        let mut regs = Registers::new();
        regs.set_raw(0x0c3, 0x1122_3344);
        assert_eq!(regs.write(0x0c3, 0xaabb_ccdd, 0b0101), 0x11bb_33dd);
        assert_eq!(regs.write(0x0c3, 0, 0), 0x11bb_33dd);
        assert_eq!((regs.write(0x400, 1, 15), regs.raw(0xffff)), (0, 0));
    }

    #[test]
    fn float_fields_flush() {
        assert_eq!(F16::from_bits(0x2e66).to_f32(), 0.099_975_586);
        assert_eq!(F16::from_bits(0x0001).to_f32().to_bits(), 0);
        assert_eq!(F16::from_bits(0x8001).to_f32().to_bits(), 0x8000_0000);
        assert_eq!(F20::from_bits(0x3f000).to_f32(), 1.0);
        assert_eq!(F24::from_bits(0x45_e000).to_f32(), 120.0);
        assert_eq!(F24::from_bits(0xffff).to_f32(), 0.0);
    }
}
