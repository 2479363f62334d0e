//! Bit ranges, and the fields that documents and machine have together.

use std::collections::BTreeMap;
use std::fmt;

/// A number of a register or command.
pub(super) type Id = u16;

/// Bits of a word, both ends inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Span {
    pub(super) low: u32,
    pub(super) high: u32,
}

impl Span {
    /// From `3` or `4-7`.
    pub(super) fn parse(text: &str) -> Self {
        let (low, high) = text.split_once('-').unwrap_or((text, text));
        let bit = |text: &str| text.parse().unwrap_or_else(|why| panic!("bits `{text}`: {why}"));
        Self { low: bit(low), high: bit(high) }
    }

    pub(super) const fn mask(self) -> u32 {
        let ones = u32::MAX >> (31 - (self.high - self.low));
        ones << self.low
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.low == self.high {
            write!(f, "{}", self.low)
        } else {
            write!(f, "{}-{}", self.low, self.high)
        }
    }
}

/// Registers of a document: name (empty if it has none) and fields.
pub(super) type Document = BTreeMap<Id, (String, Vec<Span>)>;

/// Reads a file of ids, names and fields.
pub(super) fn document(text: &str) -> Document {
    let mut document = Document::new();
    for line in super::lines(text) {
        let mut columns = line.split_whitespace();
        let (Some(which), Some(name)) = (columns.next(), columns.next()) else { panic!("too short: {line}") };
        let spans: Vec<Span> =
            columns.map(|span| Span::parse(span.split(':').next().unwrap_or(span))).collect();
        for id in ids(which) {
            let name = if matches!(name, "*" | "-") { String::new() } else { name.to_owned() };
            assert!(document.insert(id, (name, spans.clone())).is_none(), "{id:#05x} is listed twice");
        }
    }
    document
}

/// `040`, `203-224/3`, or several with commas, hexadecimal.
pub(super) fn ids(text: &str) -> Vec<Id> {
    let hex = |text: &str| Id::from_str_radix(text, 16).unwrap_or_else(|why| panic!("id `{text}`: {why}"));
    let range = |part: &str| {
        let (span, step) = part.split_once('/').unwrap_or((part, "1"));
        let (first, last) = span.split_once('-').unwrap_or((span, span));
        (hex(first)..=hex(last)).step_by(usize::from(hex(step)))
    };
    text.split(',').flat_map(range).collect()
}

/// The fields of documents and machine together: a range that smaller ones fill is left out.
pub(super) fn merged(documents: &[Span], machine: &[Span]) -> Vec<Span> {
    let mut all: Vec<Span> = documents.iter().chain(machine).copied().collect();
    all.sort_unstable();
    all.dedup();
    let is_filled = |span: &Span| {
        let inside = all.iter().filter(|other| *other != span && other.mask() & !span.mask() == 0);
        inside.fold(0, |mask, other| mask | other.mask()) == span.mask()
    };
    all.iter().copied().filter(|span| !is_filled(span)).collect()
}

#[test]
fn fields_that_others_fill_are_left_out() {
    let spans = |text: &str| text.split(' ').map(Span::parse).collect::<Vec<_>>();
    assert_eq!(merged(&spans("0-7 8-15"), &spans("0-15 16-31")), spans("0-7 8-15 16-31"));
    assert_eq!(merged(&spans("0-15"), &spans("0-11")), spans("0-11 0-15"));
    assert_eq!((Span::parse("0-31").mask(), Span::parse("3").mask()), (u32::MAX, 8));
    assert_eq!(ids("203-209/3,22d"), [0x203, 0x206, 0x209, 0x22d]);
}
