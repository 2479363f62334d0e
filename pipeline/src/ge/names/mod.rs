//! Names of the commands, and descriptions of their words in plain words.
//!
//! ```
//! use picaflor_pipeline::ge::names::{command, describe};
//!
//! assert_eq!(command(0x9c).name, "FBP");
//! assert_eq!(describe(0x0403_0006), "PRIM (draw): count 6, type triangles");
//! assert_eq!(describe(0x4243_7000), "XSCALE (viewport scale x): 240");
//! ```
//!
//! The bit ranges of fields are in the register views (`regs::fields`).
//!
//! Source: psp-ge.md 3.

mod enables;
mod lights;
mod lists;
mod pixels;
mod textures;
mod vertices;

use super::number::f24;
use super::regs::fields::{self, Bits};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Purpose of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// None: the word is only stored in its register.
    Nothing,
    /// State of later commands.
    State,
    /// A pointer, or part of an address.
    Pointer,
    /// Control flow.
    Flow,
    /// Upload of a matrix.
    Matrix,
    /// A draw, or a test of one.
    Draw,
    /// Another immediate action.
    Action,
}

/// Interpretation of the bits of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A number.
    Number,
    /// A number minus one; shown with one added.
    PlusOne,
    /// The exponent of a power of two.
    Power,
    /// Part of an address, mask or token.
    Hex,
    /// The float whose upper bits are the argument.
    Float,
    /// Sixteenths.
    Fixed,
    /// Sixteenths in eight bits, with a sign.
    SignedFixed,
    /// Red, green, blue, starting at the low byte.
    Colour,
    /// Four signed numbers of four bits.
    Nibbles,
    /// An index into these names; larger values have the last name.
    Choice(&'static [&'static str]),
}

/// A bit field of an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// Meaning; empty if the name of the command says it.
    pub name: &'static str,
    /// Bit range.
    pub bits: Bits,
    /// Interpretation.
    pub kind: Kind,
}

/// A command.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Description in a few words.
    pub meaning: Cow<'static, str>,
    /// Purpose.
    pub class: Class,
    /// Fields of the argument. Bits outside of all fields have no meaning.
    pub fields: &'static [Field],
}

const OFF_ON: Kind = Kind::Choice(&["off", "on"]);
const SWITCH: &[Field] = &[field("", fields::SWITCH, OFF_ON)];
const FLOAT: &[Field] = &[field("", fields::ARGUMENT, Kind::Float)];
const COLOUR: &[Field] = &[field("", fields::ARGUMENT, Kind::Colour)];
const BYTE: &[Field] = &[field("", fields::BYTE, Kind::Number)];
const ADDRESS: &[Field] = &[field("", fields::ARGUMENT, Kind::Hex)];
const POSITION: &[Field] =
    &[field("x", fields::PIXEL_X, Kind::Number), field("y", fields::PIXEL_Y, Kind::Number)];
/// Comparisons.
const TESTS: Kind = Kind::Choice(&[
    "never",
    "always",
    "equal",
    "not equal",
    "less",
    "less or equal",
    "greater",
    "greater or equal",
]);

const fn field(name: &'static str, bits: Bits, kind: Kind) -> Field {
    Field { name, bits, kind }
}

impl Command {
    fn new(
        name: impl Into<Cow<'static, str>>,
        meaning: impl Into<Cow<'static, str>>,
        class: Class,
        fields: &'static [Field],
    ) -> Self {
        Self { name: name.into(), meaning: meaning.into(), class, fields }
    }

    fn state(
        name: impl Into<Cow<'static, str>>,
        meaning: impl Into<Cow<'static, str>>,
        fields: &'static [Field],
    ) -> Self {
        Self::new(name, meaning, Class::State, fields)
    }

    /// An unassigned command.
    fn nothing(number: u8) -> Self {
        Self::new(format!("NOP{number:02X}"), "nothing", Class::Nothing, &[])
    }

    /// Text of all fields of an argument.
    #[must_use]
    pub(crate) fn fields_of(&self, argument: u32) -> String {
        let mut text = String::new();
        for field in self.fields {
            if !text.is_empty() {
                text += ", ";
            }
            if !field.name.is_empty() {
                let _ = write!(text, "{} ", field.name);
            }
            text += &field.value(argument);
        }
        text
    }
}

impl Field {
    /// Text of this field in an argument.
    #[must_use]
    pub fn value(&self, argument: u32) -> String {
        let bits = self.bits.of(argument);
        match self.kind {
            Kind::Number => bits.to_string(),
            Kind::PlusOne => (bits + 1).to_string(),
            Kind::Power => (1_u32 << (bits & 31)).to_string(),
            Kind::Hex => format!("{bits:#x}"),
            Kind::Float => f24(bits).to_string(),
            Kind::Fixed => (f64::from(bits) / 16.0).to_string(),
            Kind::SignedFixed => (f64::from(bits as u8 as i8) / 16.0).to_string(),
            Kind::Colour => format!("red {} green {} blue {}", bits & 255, bits >> 8 & 255, bits >> 16 & 255),
            Kind::Nibbles => {
                let nibble = |n: u32| ((bits >> (4 * n)) as i32) << 28 >> 28;
                format!("{} {} {} {}", nibble(0), nibble(1), nibble(2), nibble(3))
            }
            Kind::Choice(names) => names[(bits as usize).min(names.len() - 1)].to_string(),
        }
    }
}

/// The command with this number.
#[must_use]
pub fn command(number: u8) -> Command {
    match number {
        0x00..=0x0f | 0x10 | 0x13..=0x16 => lists::command(number),
        0x17..=0x28 => enables::command(number),
        0x12 | 0x29..=0x52 => vertices::command(number),
        0x53..=0x9b => lights::command(number),
        0x9c..=0xd1 => textures::command(number),
        0xd2..=0xee => pixels::command(number),
        0xf0..=0xf9 => vertices::immediate(number),
        _ => Command::nothing(number),
    }
}

/// Describes a word of a list in plain words.
#[must_use]
pub fn describe(word: u32) -> String {
    let Command { name, meaning, class: _, fields } = &command(word.to_le_bytes()[3]);
    match fields {
        [] => format!("{name} ({meaning})"),
        _ => format!("{name} ({meaning}): {}", command(word.to_le_bytes()[3]).fields_of(word & 0xff_ffff)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Where the manual has a NOP, and nowhere else.
    #[test]
    fn commands_that_do_nothing() {
        let nothing: Vec<_> = (0..=255).filter(|&n| command(n).class == Class::Nothing).collect();
        let manual = [
            0x00, 0x03, 0x0d, 0x11, 0x29, 0x34, 0x35, 0x39, 0x4e, 0x4f, 0x52, 0x59, 0x5a, 0xb6, 0xb7, 0xd1,
            0xed, 0xef, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
        ];
        assert_eq!(nothing, manual);
    }

    #[test]
    fn names_are_different_and_fields_do_not_overlap() {
        let names: HashSet<_> = (0..=255).map(|n| command(n).name).collect();
        assert_eq!(names.len(), 256);
        for number in 0..=255 {
            let mut used = 0;
            for field in command(number).fields {
                let bits = ((1 << field.bits.count) - 1) << field.bits.from;
                assert!(used & bits == 0 && bits < 1 << 24, "{number:#x} {}", field.name);
                used |= bits;
            }
        }
    }

    #[test]
    fn groups_of_three() {
        let names = [0x67, 0x7d, 0x96, 0x71, 0x33, 0xaf].map(|n| command(n).name);
        assert_eq!(names, ["LYP1", "LQA0", "DLC2", "LZD0", "MW7", "TBW7"]);
    }

    #[test]
    fn words() {
        let words = [
            (0x0e03_0007, "SIGNAL (signal): token 0x7, behaviour pause"),
            (
                0x1280_011f,
                "VTYPE (vertex type): texture floats, colour 8888, normal none, position shorts, weight none, \
                           index none, weights 1, morphs 1, mode through",
            ),
            (0xcf12_34ff, "FCOL (fog colour): red 255 green 52 blue 18"),
            (0xe200_1d0c, "DTH0 (dither row 0): -4 0 -3 1"),
            (0xc8f8_0001, "TBIAS (level of detail): mode constant, bias -0.5"),
            (0xb800_0409, "TSIZE0 (size of texture level 0): width 512, height 16"),
            (0xee00_0c1f, "TRXSIZE (transfer size): width 32, height 4"),
            (0x0b00_0000, "RET (return)"),
            (
                0xdf00_0232,
                "ALPHA (blending): source source alpha, destination inverse source alpha, \
                           equation reverse subtract",
            ),
        ];
        for (word, text) in words {
            assert_eq!(describe(word), text);
        }
        assert_eq!(describe(0xff00_0000), "NOPFF (nothing)");
    }
}
