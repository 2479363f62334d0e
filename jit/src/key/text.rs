//! Keys from text: the inverse of `Display`.

use std::fmt::Display;

/// A key, or a part of one, that can be parsed from its text.
pub(crate) trait Text: Display + Sized {
    /// Reads a value and advances past its text.
    fn read(text: &mut Reader<'_>) -> Option<Self>;
}

/// The text is not that of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the text of a key")]
pub struct NotAKey;

/// The value with exactly this text.
pub(crate) fn parse<K: Text>(text: &str) -> Result<K, NotAKey> {
    let mut rest = Reader(text);
    let key = K::read(&mut rest).filter(|_| rest.0.is_empty()).ok_or(NotAKey)?;
    // What reads like a key may not be how it is written.
    if key.to_string() == text { Ok(key) } else { Err(NotAKey) }
}

/// `FromStr` of a type with [`Text`].
macro_rules! from_text {
    ($name:ident) => {
        impl std::str::FromStr for $name {
            type Err = $crate::key::text::NotAKey;

            fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
                $crate::key::text::parse(text)
            }
        }
    };
}

pub(crate) use from_text;

/// The unread rest of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    /// Advances past `start`, if it comes next.
    pub(crate) fn takes(&mut self, start: &str) -> bool {
        let rest = self.0.strip_prefix(start);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// As [`takes`](Self::takes); `None` if `start` does not come next.
    pub(crate) fn expect(&mut self, start: &str) -> Option<()> {
        self.takes(start).then_some(())
    }

    /// As [`takes`](Self::takes), if the word ends at a slash or at the end of the text.
    pub(crate) fn takes_word(&mut self, word: &str) -> bool {
        let rest = self.0.strip_prefix(word).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// A hexadecimal digit below `limit`.
    pub(crate) fn digit(&mut self, limit: u8) -> Option<u8> {
        let digit = self.0.chars().next()?.to_digit(16)? as u8;
        self.0 = &self.0[1..];
        (digit < limit).then_some(digit)
    }

    /// The longest prefix of such characters.
    pub(crate) fn all(&mut self, is_next: fn(char) -> bool) -> &'a str {
        let end = self.0.find(|next| !is_next(next)).unwrap_or(self.0.len());
        let (start, rest) = self.0.split_at(end);
        self.0 = rest;
        start
    }

    /// The value with the longest of the texts that come next.
    pub(crate) fn name<T: Copy>(&mut self, names: impl Iterator<Item = (impl AsRef<str>, T)>) -> Option<T> {
        let next = names.filter(|(name, _)| self.0.starts_with(name.as_ref()));
        let (name, value) = next.max_by_key(|(name, _)| name.as_ref().len())?;
        self.0 = &self.0[name.as_ref().len()..];
        Some(value)
    }

    /// The longest of several readings.
    pub(crate) fn longest<T>(&mut self, readings: &[fn(&mut Self) -> Option<T>]) -> Option<T> {
        let all = readings.iter().filter_map(|read| {
            let mut rest = *self;
            read(&mut rest).map(|value| (value, rest))
        });
        let (value, rest) = all.min_by_key(|(_, rest)| rest.0.len())?;
        *self = rest;
        Some(value)
    }
}
