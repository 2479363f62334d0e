//! Keys from text: the way back from `Display`.

use super::{FogKey, FragmentKey, LightingKey, ProctexKey, RasterKey};
use std::fmt::Debug;
use std::str::FromStr;

/// What is left of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    /// Reads from the start of a text.
    pub(crate) const fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// Goes past `prefix`, if that comes next.
    pub(crate) fn takes(&mut self, prefix: &str) -> bool {
        let rest = self.0.strip_prefix(prefix);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// As [`takes`](Self::takes), where it has to come next.
    pub(crate) fn expect(&mut self, prefix: &str) -> Option<()> {
        self.takes(prefix).then_some(())
    }

    /// The place of the next character among these.
    pub(crate) fn one_of(&mut self, characters: &str) -> Option<usize> {
        let at = characters.find(self.0.chars().next()?)?;
        self.0 = &self.0[1..];
        Some(at)
    }

    /// A hexadecimal digit below `limit`.
    pub(crate) fn digit(&mut self, limit: u8) -> Option<u8> {
        self.one_of(&"0123456789abcdef"[..usize::from(limit)]).map(|digit| digit as u8)
    }

    /// The longest name that comes next.
    pub(crate) fn name<T: Copy + Debug>(&mut self, all: &[T]) -> Option<T> {
        let names = all.iter().map(|&value| (format!("{value:?}"), value));
        let (name, value) =
            names.filter(|(name, _)| self.0.starts_with(name.as_str())).max_by_key(|(name, _)| name.len())?;
        self.0 = &self.0[name.len()..];
        Some(value)
    }

    /// Whether nothing is left.
    pub(crate) const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Nothing may be left.
    pub(crate) fn end(self) -> Option<()> {
        self.is_empty().then_some(())
    }
}

impl FromStr for FragmentKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        parse(text).ok_or(())
    }
}

fn parse(text: &str) -> Option<FragmentKey> {
    let mut parts = text.split(':').peekable();
    let mut start = Reader::new(parts.next()?);
    start.expect("fs")?;
    let raster = RasterKey { w_buffer: start.takes("w"), flat_colour: start.takes("f") };
    start.end()?;
    let mut textures = parts.next()?.split('.').map(|text| text.parse().ok());
    let textures = [textures.next()??, textures.next()??, textures.next()??];
    let combiners = parts.next()?.parse().ok()?;
    let proctex = parts.peek()?.strip_prefix('p').map(str::parse::<ProctexKey>).transpose().ok()?;
    if proctex.is_some() {
        parts.next();
    }
    let lighting = parts.peek()?.strip_prefix('l').map(str::parse::<LightingKey>);
    let lighting = lighting.transpose().ok()?;
    if lighting.is_some() {
        parts.next();
    }
    let fog: FogKey = parts.next()?.parse().ok()?;
    let output = parts.next()?.parse().ok()?;
    parts.next().is_none().then_some(FragmentKey {
        raster,
        textures,
        proctex,
        combiners,
        lighting,
        fog,
        output,
    })
}

impl FromStr for FogKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let all = [Self::Off, Self::Fog { flip: false }, Self::Fog { flip: true }, Self::Gas];
        all.into_iter().find(|key| key.to_string() == text).ok_or(())
    }
}
