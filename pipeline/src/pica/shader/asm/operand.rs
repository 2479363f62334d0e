//! Registers, indices, swizzles and aliases.

use std::collections::HashMap;

use super::line::{Parse, Piece, c_integer};

/// The identity selector, `.xyzw`.
pub(super) const IDENTITY: u32 = 0x1b;

/// Class of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Spelled with an upper-case letter: the number is the code; the letter is ignored.
    Bare,
    Output,
    Input,
    Temporary,
    Float,
    Int,
    Bool,
}

impl Class {
    /// Letter, first code, and number of registers available to literals.
    const ALL: [(Self, char, u32, u32); 6] = [
        (Self::Output, 'o', 0x00, 16),
        (Self::Input, 'v', 0x00, 15),
        (Self::Temporary, 'r', 0x10, 16),
        (Self::Float, 'c', 0x20, 96),
        (Self::Int, 'i', 0x80, 8),
        (Self::Bool, 'b', 0x88, 16),
    ];

    /// The code of register 0.
    pub(super) fn base(self) -> u32 {
        Self::ALL.iter().find(|entry| entry.0 == self).map_or(0, |entry| entry.2)
    }
}

/// A register: class and code. Codes 0x00-0x7f are those of source fields; `i` starts at 0x80, `b` at 0x88.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) class: Class,
    pub(super) code: u32,
}

impl Register {
    /// Register `number` of a class.
    pub(super) fn new(class: Class, number: u32) -> Self {
        Self { class, code: class.base() + number }
    }

    /// The number within the class.
    pub(super) fn number(self) -> u32 {
        self.code - self.class.base()
    }
}

/// Meaning of an alias.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alias {
    pub(super) register: Register,
    pub(super) selector: u32,
    pub(super) negate: bool,
}

impl Alias {
    /// The alias of a register without index or swizzle.
    pub(super) const fn plain(register: Register) -> Self {
        Self { register, selector: IDENTITY, negate: false }
    }
}

/// A parsed operand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand<'a> {
    pub(super) register: Register,
    /// Code of the address register, 0 for none.
    pub(super) index: u32,
    pub(super) selector: u32,
    pub(super) negate: bool,
    /// The letters of the swizzle as written, empty without one.
    pub(super) letters: Piece<'a>,
    /// The operand as written.
    pub(super) piece: Piece<'a>,
}

/// Meaning of names in a context.
pub(super) struct Names<'s> {
    pub(super) aliases: &'s HashMap<String, Alias>,
    /// In a geometry file; `o7`-`o15` do not exist there.
    pub(super) geometry: bool,
    /// In a raw section; every encodable register is allowed there.
    pub(super) raw: bool,
}

impl Names<'_> {
    /// A literal register; `None` if the text does not have the form of one.
    fn literal(&self, piece: Piece<'_>) -> Option<Parse<Register>> {
        let letter = piece.text.chars().next()?;
        let entry = Class::ALL.iter().find(|entry| entry.1 == letter.to_ascii_lowercase())?;
        let digits = &piece.text[1..];
        let number = c_integer(digits)?;
        let limit = match entry.0 {
            Class::Output if self.geometry => 7,
            Class::Input if self.raw => 16,
            Class::Int if self.raw => 16,
            _ => entry.3,
        };
        let number = Some(number).filter(|&number| number < limit);
        let class = if letter.is_ascii_uppercase() { Class::Bare } else { entry.0 };
        Some(number.map(|number| Register::new(class, number)).ok_or_else(|| {
            piece.complaint(format!(
                "there is no register `{}` here: {letter}0 to {letter}{}",
                piece.text,
                limit - 1
            ))
        }))
    }

    /// The alias of a name; a literal register is an alias of itself.
    pub(super) fn alias(&self, piece: Piece<'_>) -> Parse<Alias> {
        if let Some(&alias) = self.aliases.get(piece.text) {
            return Ok(alias);
        }
        match self.literal(piece) {
            Some(register) => register.map(Alias::plain),
            None if piece.text.is_empty() => piece.fail("a register is missing"),
            None => piece.fail(format!("`{}` is neither a register nor declared", piece.text)),
        }
    }

    /// True if the name is that of a register.
    pub(super) fn is_register(&self, piece: Piece<'_>) -> bool {
        self.literal(piece).is_some()
    }

    /// `['-'] name ['[' index ']'] ['.' swizzle]`.
    pub(super) fn operand<'a>(&self, piece: Piece<'a>) -> Parse<Operand<'a>> {
        let (minus, body) = piece.strip('-').map_or((false, piece), |body| (true, body));
        let (name, index, tail) = split_index(body)?;
        let alias = self.alias(name)?;
        let literal = !self.aliases.contains_key(name.text);
        let (offset, address) = index.map_or(Ok((0, 0)), read_index)?;
        let register = self.displaced(name, alias.register, offset, literal)?;
        if address != 0 && literal && register.class != Class::Float && !self.raw {
            return piece.fail("an index register needs a `c` register or an alias");
        }
        let own = read_swizzle(tail)?;
        Ok(Operand {
            register,
            index: address,
            selector: compose(alias.selector, own),
            negate: minus != alias.negate,
            letters: tail,
            piece,
        })
    }

    fn displaced(&self, piece: Piece<'_>, register: Register, offset: u32, literal: bool) -> Parse<Register> {
        if offset == 0 {
            return Ok(register);
        }
        let class = register.class;
        let last =
            Class::ALL.iter().find(|entry| entry.0 == class).map_or(0x7f, |entry| entry.2 + entry.3 - 1);
        let end = if literal || register.code >= 0x80 { last } else { 0x7f };
        let code = register.code.saturating_add(offset);
        if code > end {
            return piece.fail(format!("offset {offset} leaves the registers of `{}`", piece.text));
        }
        // An alias may run on into the next class; its code then belongs to that one.
        Ok(Register { class: if code > last { Class::Bare } else { class }, code })
    }
}

/// Name, index and swizzle letters (empty without a swizzle).
fn split_index(body: Piece<'_>) -> Parse<(Piece<'_>, Option<Piece<'_>>, Piece<'_>)> {
    if let Some((name, rest)) = body.split_once('[') {
        let Some((index, tail)) = rest.split_once(']') else { return rest.fail("`[` without `]`") };
        let tail = tail.trim();
        let letters = match tail.strip('.') {
            Some(letters) if letters.text.is_empty() => return tail.fail("components are missing after `.`"),
            Some(letters) => letters,
            None if tail.text.is_empty() => tail,
            None => return tail.fail("unexpected after `]`"),
        };
        return Ok((name.trim(), Some(index.trim()), letters));
    }
    match body.split_once('.') {
        Some((_, letters)) if letters.trim().text.is_empty() => body.fail("components are missing after `.`"),
        Some((name, letters)) => Ok((name.trim(), None, letters.trim())),
        None => {
            let end = body.text.len();
            let (name, rest) = body.word();
            if rest.text.is_empty() {
                return Ok((name, None, Piece::line(&body.text[end..])));
            }
            rest.fail("unexpected here; is a comma missing?")
        }
    }
}

/// Offset and code of the address register.
fn read_index(piece: Piece<'_>) -> Parse<(u32, u32)> {
    let (name, offset) = match piece.split_once('+') {
        Some((name, offset)) => (name.trim(), Some(offset.trim())),
        None => (piece, None),
    };
    let address = match name.lower().as_str() {
        "a0.x" | "a0" => 1,
        "a0.y" | "a1" => 2,
        "al" | "a2" | "lcnt" => 3,
        _ if offset.is_none() => return Ok((read_offset(piece)?, 0)),
        _ => return name.fail(format!("`{}` is not an index register: a0.x, a0.y, aL", name.text)),
    };
    Ok((offset.map_or(Ok(0), read_offset)?, address))
}

fn read_offset(piece: Piece<'_>) -> Parse<u32> {
    match piece.decimal()? {
        offset @ 0.. => Ok(u32::try_from(offset).unwrap_or(u32::MAX)),
        _ => piece.fail("an offset cannot be negative"),
    }
}

/// The selector of swizzle letters; the last letter repeats.
fn read_swizzle(letters: Piece<'_>) -> Parse<u32> {
    if letters.text.is_empty() {
        return Ok(IDENTITY);
    }
    if letters.text.len() > 4 {
        return letters.fail("a swizzle has one to four components");
    }
    let mut components = [0; 4];
    for (n, slot) in components.iter_mut().enumerate() {
        let letter = letters.text.as_bytes()[n.min(letters.text.len() - 1)];
        *slot = component(letter).ok_or_else(|| {
            letters.complaint(format!("`{}` is not a swizzle of xyzw, rgba or stpq", letters.text))
        })?;
    }
    Ok(components.iter().fold(0, |selector, component| selector << 2 | component))
}

/// The component that a letter names.
pub(super) fn component(letter: u8) -> Option<u32> {
    Some(match letter.to_ascii_lowercase() {
        b'x' | b'r' | b's' => 0,
        b'y' | b'g' | b't' => 1,
        b'z' | b'b' | b'p' => 2,
        b'w' | b'a' | b'q' => 3,
        _ => return None,
    })
}

/// Component `j` of a selector.
pub(super) const fn lane(selector: u32, j: u32) -> u32 {
    selector >> (6 - 2 * j) & 3
}

/// Composition of selectors: `outer` applied to the result of `inner`.
fn compose(inner: u32, outer: u32) -> u32 {
    (0..4).fold(0, |selector, j| selector << 2 | lane(inner, lane(outer, j)))
}

/// The destination mask of a selector: the set of its components, bit 3 is x.
pub(super) fn mask(selector: u32) -> u32 {
    (0..4).fold(0, |mask, j| mask | 8 >> lane(selector, j))
}

/// The output table's mask of swizzle letters: bit 0 is x.
pub(super) fn table_mask(letters: Piece<'_>) -> Parse<u16> {
    Ok((mask(read_swizzle(letters)?) as u8).reverse_bits() as u16 >> 4)
}
