//! `.in` and `.out`: inputs and outputs of a program.

use super::line::{Parse, Piece};
use super::operand::{Alias, Class, Register, table_mask};
use super::{Assembler, Kind};
use crate::pica::shader::shbin::Output;

/// The semantic that does not reach the fragment stages.
const DUMMY: u16 = 9;

impl Assembler {
    /// `.in name [vN]`.
    pub(super) fn input(&mut self, rest: Piece<'_>) -> Parse<()> {
        let words = rest.words();
        let (name, register) = match words[..] {
            [name] => (name, None),
            [name, register] => (name, Some(register)),
            _ => return rest.fail("`.in` takes a name and maybe a `v` register"),
        };
        self.new_name(name)?;
        let number = match register {
            Some(piece) => self.numbered(piece, Class::Input)?,
            None => lowest_free(self.file.input_mask, 16)
                .ok_or_else(|| name.complaint("all input registers are in use"))?,
        };
        if self.file.input_mask >> number & 1 != 0 {
            return rest.fail(format!("v{number} already has a name"));
        }
        self.file.input_mask |= 1 << number;
        self.file.aliases.insert(name.text.into(), Alias::plain(Register::new(Class::Input, number)));
        self.list(name, number as u16, 1)
    }

    fn numbered(&self, piece: Piece<'_>, class: Class) -> Parse<u32> {
        let register = self.names().alias(piece)?.register;
        if register.class == class {
            return Ok(register.number());
        }
        let letter = if class == Class::Input { 'v' } else { 'o' };
        piece.fail(format!("`{}` is not an `{letter}` register", piece.text))
    }

    /// `.out name|- property[.mask] [oN[.mask]]`.
    pub(super) fn output(&mut self, rest: Piece<'_>) -> Parse<()> {
        let words = rest.words();
        let (name, property, register) = match words[..] {
            [name, property] => (name, property, None),
            [name, property, register] => (name, property, Some(register)),
            _ => return rest.fail("`.out` takes a name or `-`, a property, and maybe an `o` register"),
        };
        if name.text != "-" {
            self.new_name(name)?;
        }
        let (property, own_mask) = masked(property)?;
        let semantic = semantic(property)?;
        let (number, mask) = match register.map(masked).transpose()? {
            Some(_) if own_mask != 0xf => {
                return property.fail("the mask belongs to the register when one is given");
            }
            Some((register, mask)) => (self.numbered(register, Class::Output)?, mask),
            None => (self.free_output(property, semantic)?, own_mask),
        };
        self.check_output(rest, semantic, number, mask)?;
        let register = number as u16;
        self.file.outputs.push(Output { semantic, register, mask, unknown: 0 });
        self.file.merge |= semantic == DUMMY && matches!(self.file.kind, Kind::Geometry(_));
        if name.text != "-" {
            self.file.aliases.insert(name.text.into(), Alias::plain(Register::new(Class::Output, number)));
        }
        Ok(())
    }

    fn free_output(&self, piece: Piece<'_>, semantic: u16) -> Parse<u32> {
        let used = self.file.outputs.iter().fold(0, |mask, output| mask | 1 << output.register);
        let limit = if semantic == DUMMY && !self.file.gsh { 16 } else { 7 };
        lowest_free(used, limit).ok_or_else(|| piece.complaint("all output registers are in use"))
    }

    fn check_output(&self, rest: Piece<'_>, semantic: u16, number: u32, mask: u16) -> Parse<()> {
        let outputs = &self.file.outputs;
        if outputs.len() == 16 {
            return rest.fail("more than 16 outputs");
        }
        if number >= 7 && semantic != DUMMY {
            return rest.fail("o7 to o15 can only be dummy outputs");
        }
        if outputs.iter().any(|output| u32::from(output.register) == number && output.mask & mask != 0) {
            return rest.fail(format!("a component of o{number} already has a meaning"));
        }
        Ok(())
    }
}

fn lowest_free(used: u16, limit: u32) -> Option<u32> {
    (0..limit).find(|number| used >> number & 1 == 0)
}

/// A word without its mask, and the mask; without a mask, all components.
fn masked(piece: Piece<'_>) -> Parse<(Piece<'_>, u16)> {
    match piece.split_once('.') {
        Some((_, letters)) if letters.text.is_empty() => piece.fail("components are missing after `.`"),
        Some((name, letters)) => Ok((name, table_mask(letters)?)),
        None => Ok((piece, 0xf)),
    }
}

fn semantic(piece: Piece<'_>) -> Parse<u16> {
    let lower = piece.lower();
    let long = match lower.as_str() {
        "pos" => "position",
        "nquat" => "normalquat",
        "clr" => "color",
        "tcoord0" => "texcoord0",
        "tcoord0w" => "texcoord0w",
        "tcoord1" => "texcoord1",
        "tcoord2" => "texcoord2",
        other => other,
    };
    let number = Output::SEMANTICS.iter().position(|name| !name.is_empty() && *name == long);
    number.map(|number| number as u16).ok_or_else(|| {
        let known = Output::SEMANTICS.iter().filter(|name| !name.is_empty());
        let known: Vec<_> = known.copied().collect();
        piece.complaint(format!("`{}` is not a property: {}", piece.text, known.join(", ")))
    })
}
