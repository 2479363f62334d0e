//! Text forms of the fields of keys, as combinators.
//!
//! A form writes a value and reads it back. Reading takes the longest match; [`parse`](super::text::parse) rejects
//! misreadings.

use super::bytes::Listed;
use super::text::{Reader, Text};
use std::fmt::{Display, Formatter, Result};
use std::str::FromStr;

/// The text of a field.
pub(crate) trait Form<T> {
    /// Writes a value.
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result;
    /// Reads the text of a value and advances past it.
    fn read(&self, text: &mut Reader<'_>) -> Option<T>;
}

/// The text form of the type itself.
pub(crate) struct Own;

impl<T: Text> Form<T> for Own {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        value.fmt(f)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        T::read(text)
    }
}

/// A text for off and one for on.
pub(crate) struct Either(pub(crate) &'static str, pub(crate) &'static str);

impl Form<bool> for Either {
    fn write(&self, value: &bool, f: &mut Formatter<'_>) -> Result {
        f.write_str(if *value { self.1 } else { self.0 })
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<bool> {
        text.name([(self.0, false), (self.1, true)].into_iter())
    }
}

/// A text for on, none for off.
pub(crate) struct Flag(pub(crate) &'static str);

impl Form<bool> for Flag {
    fn write(&self, value: &bool, f: &mut Formatter<'_>) -> Result {
        Either("", self.0).write(value, f)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<bool> {
        Some(text.takes(self.0))
    }
}

/// As [`Flag`], for several flags, each with its own text.
pub(crate) struct Flags<const N: usize>(pub(crate) [&'static str; N]);

impl<const N: usize> Form<[bool; N]> for Flags<N> {
    fn write(&self, value: &[bool; N], f: &mut Formatter<'_>) -> Result {
        self.0.iter().zip(value).try_for_each(|(text, on)| Flag(text).write(on, f))
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<[bool; N]> {
        Some(self.0.map(|start| text.takes(start)))
    }
}

/// As [`Flag`], for a text that may be a prefix of the following text: it ends at a slash or at the end.
pub(crate) struct Word(pub(crate) &'static str);

impl Form<bool> for Word {
    fn write(&self, value: &bool, f: &mut Formatter<'_>) -> Result {
        Flag(self.0).write(value, f)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<bool> {
        Some(text.takes_word(self.0))
    }
}

/// The name of the variant.
pub(crate) struct Name;

impl<T: Listed> Form<T> for Name {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        write!(f, "{value:?}")
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        text.name(T::VALUES.iter().map(|value| (format!("{value:?}"), *value)))
    }
}

/// The index of the variant, as a hexadecimal digit.
pub(crate) struct Place;

impl<T: Listed> Form<T> for Place {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        write!(f, "{:x}", value.place())
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        T::VALUES.get(usize::from(text.digit(16)?)).copied()
    }
}

/// A given text for each variant.
pub(crate) struct Spelled<T: 'static>(pub(crate) &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Form<T> for Spelled<T> {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        self.0.iter().filter(|(_, named)| named == value).try_for_each(|(name, _)| f.write_str(name))
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        text.name(self.0.iter().copied())
    }
}

/// A decimal number.
pub(crate) struct Decimal;

impl<T: Display + FromStr> Form<T> for Decimal {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        value.fmt(f)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        text.all(|next| next.is_ascii_digit()).parse().ok()
    }
}

/// A hexadecimal number with a minimal number of digits.
pub(crate) struct Hex(pub(crate) usize);

impl<T: Copy + Into<u32> + TryFrom<u32>> Form<T> for Hex {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        write!(f, "{:0digits$x}", (*value).into(), digits = self.0)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        let digits = text.all(|next| next.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok()?.try_into().ok()
    }
}

/// A hexadecimal digit below a limit.
pub(crate) struct Digit(pub(crate) u8);

impl Form<u8> for Digit {
    fn write(&self, value: &u8, f: &mut Formatter<'_>) -> Result {
        write!(f, "{value:x}")
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<u8> {
        text.digit(self.0)
    }
}

/// A form with a prefix.
pub(crate) struct After<F>(pub(crate) &'static str, pub(crate) F);

impl<T, F: Form<T>> Form<T> for After<F> {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.0)?;
        self.1.write(value, f)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        text.expect(self.0)?;
        self.1.read(text)
    }
}

/// A form with a prefix and a suffix.
pub(crate) struct Between<F>(pub(crate) &'static str, pub(crate) F, pub(crate) &'static str);

impl<T, F: Form<T>> Form<T> for Between<F> {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.0)?;
        self.1.write(value, f)?;
        f.write_str(self.2)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        text.expect(self.0)?;
        let value = self.1.read(text)?;
        text.expect(self.2)?;
        Some(value)
    }
}

/// A form for `Some` and a text for `None`.
pub(crate) struct Or<F>(pub(crate) F, pub(crate) &'static str);

impl<T, F: Form<T>> Form<Option<T>> for Or<F> {
    fn write(&self, value: &Option<T>, f: &mut Formatter<'_>) -> Result {
        match value {
            Some(value) => self.0.write(value, f),
            None => f.write_str(self.1),
        }
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<Option<T>> {
        let mut rest = *text;
        if let Some(value) = self.0.read(&mut rest) {
            *text = rest;
            return Some(Some(value));
        }
        text.expect(self.1)?;
        Some(None)
    }
}

/// A form for `Some`, no text for `None`.
pub(crate) struct Maybe<F>(pub(crate) F);

impl<T, F: Form<T>> Form<Option<T>> for Maybe<F> {
    fn write(&self, value: &Option<T>, f: &mut Formatter<'_>) -> Result {
        value.iter().try_for_each(|value| self.0.write(value, f))
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<Option<T>> {
        let mut rest = *text;
        let value = self.0.read(&mut rest);
        *text = if value.is_some() { rest } else { *text };
        Some(value)
    }
}

/// A form that omits a default value.
pub(crate) struct Unless<T, F>(pub(crate) T, pub(crate) F);

impl<T: Copy + PartialEq, F: Form<T>> Form<T> for Unless<T, F> {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        if *value == self.0 { Ok(()) } else { self.1.write(value, f) }
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        Some(Maybe(&self.1).read(text)?.unwrap_or(self.0))
    }
}

impl<T, F: Form<T>> Form<T> for &F {
    fn write(&self, value: &T, f: &mut Formatter<'_>) -> Result {
        (*self).write(value, f)
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<T> {
        (*self).read(text)
    }
}

/// All elements in one form, with a separator.
pub(crate) struct Each<F>(pub(crate) &'static str, pub(crate) F);

impl<T, F: Form<T>, const N: usize> Form<[T; N]> for Each<F> {
    fn write(&self, value: &[T; N], f: &mut Formatter<'_>) -> Result {
        value.iter().enumerate().try_for_each(|(n, value)| {
            f.write_str(if n == 0 { "" } else { self.0 })?;
            self.1.write(value, f)
        })
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<[T; N]> {
        let mut one = |n: usize| {
            text.expect(if n == 0 { "" } else { self.0 })?;
            self.1.read(text)
        };
        (0..N).map(&mut one).collect::<Option<Vec<T>>>()?.try_into().ok()
    }
}

/// The elements that are `Some`, each with its own prefix.
pub(crate) struct Named<const N: usize>(pub(crate) [&'static str; N]);

impl<T: Text, const N: usize> Form<[Option<T>; N]> for Named<N> {
    fn write(&self, value: &[Option<T>; N], f: &mut Formatter<'_>) -> Result {
        self.0.iter().zip(value).try_for_each(|(name, value)| Maybe(After(name, Own)).write(value, f))
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<[Option<T>; N]> {
        let mut one = |name: &&'static str| Maybe(After(name, Own)).read(text);
        self.0.iter().map(&mut one).collect::<Option<Vec<_>>>()?.try_into().ok()
    }
}
