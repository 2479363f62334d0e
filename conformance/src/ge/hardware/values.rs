//! Tables of console values, `.hw`.
//!
//! ```text
//! kind idx address size other_value hw_value how line | text
//! ```
//!
//! Kind `G` is a register, others are memory. `idx` is the number of records of the dump after which the value holds.

use std::fmt;

/// The place of a value: a register or memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A little-endian number in VRAM.
    Memory {
        /// Address.
        address: u32,
        /// Bytes, up to 4.
        size: u32,
    },
    /// The register of a command.
    Register(u8),
}

/// The evidence for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The console's value, which an existing emulator has too.
    Exact,
    /// The console's value, where that emulator is wrong.
    HwDiff,
    /// No observation contradicts it.
    Consistent,
    /// No evidence.
    None,
}

/// Hexadecimal digits, some of them not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digits {
    /// The value.
    pub value: u32,
    /// Which of its bits are known.
    pub known: u32,
}

impl Digits {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > 8 {
            return None;
        }
        let digit = |known: Self, letter: char| {
            let (value, mask) = if letter == '?' { (0, 0) } else { (letter.to_digit(16)?, 0xf) };
            Some(Self { value: known.value << 4 | value, known: known.known << 4 | mask })
        };
        text.chars().try_fold(Self { value: 0, known: 0 }, digit)
    }

    /// True if a value has the known digits.
    #[must_use]
    pub const fn matches(&self, value: u32) -> bool {
        (value ^ self.value) & self.known == 0
    }
}

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..8).rev().try_for_each(|place| match self.known >> (place * 4) & 0xf {
            0 => f.write_str("?"),
            _ => write!(f, "{:x}", self.value >> (place * 4) & 0xf),
        })
    }
}

/// A value that a console gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The place.
    pub place: Place,
    /// Number of records of the dump after which it holds.
    pub records: usize,
    /// The value, unless there is no evidence.
    pub digits: Digits,
    /// The evidence for it.
    pub evidence: Evidence,
    /// The program's output line.
    pub text: String,
}

/// The first line that is not one of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {0} is no value of a console")]
pub struct BadLine(pub usize);

/// Reads a table.
///
/// # Errors
/// [`BadLine`], counted from 1.
pub fn parse(text: &str) -> Result<Vec<Value>, BadLine> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
    lines.map(|(number, line)| value(line).ok_or(BadLine(number + 1))).collect()
}

fn value(line: &str) -> Option<Value> {
    let (fields, text) = line.split_once('|').unwrap_or((line, ""));
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let &[kind, records, address, size, _, hardware, how, ..] = &fields[..] else { return None };
    let address = u32::from_str_radix(address, 16).ok()?;
    let place = match kind {
        "G" => Place::Register(u8::try_from(address).ok()?),
        "P" | "D" => {
            Place::Memory { address, size: size.parse().ok().filter(|size| (1..=4).contains(size))? }
        }
        _ => return None,
    };
    let evidence = match how {
        "exact" => Evidence::Exact,
        "hwdiff" => Evidence::HwDiff,
        "consistent" => Evidence::Consistent,
        "ambiguous" | "unknown" => Evidence::None,
        _ => return None,
    };
    let digits = match evidence {
        Evidence::None => Digits { value: 0, known: 0 },
        _ => Digits::parse(hardware)?,
    };
    Some(Value { place, records: records.parse().ok()?, digits, evidence, text: text.trim().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_kind() {
        let text = "# kind idx ...\n\
                    D 816 0403f800 4 0033ffcc ??33ff88 hwdiff 172 | [r]   TL=000000\n\
                    G 10 5d 4 5d000002 5d000002 exact 1 | [x]   a | b\n\
                    P 21 04000000 2 00000000 - ambiguous 3 |\n\
                    P 37 04088808 4 00000000 0 consistent 11 |\n";
        let values = parse(text).unwrap();
        let place = Place::Memory { address: 0x0403_f800, size: 4 };
        assert_eq!((values[0].place, values[0].records), (place, 816));
        assert_eq!(values[0].evidence, Evidence::HwDiff);
        let digits = values[0].digits;
        assert!(digits.matches(0x1233_ff88) && !digits.matches(0x0033_ffcc));
        assert_eq!(digits.to_string(), "??33ff88");
        assert_eq!((values[1].place, &*values[1].text), (Place::Register(0x5d), "[x]   a | b"));
        assert_eq!(values[2].evidence, Evidence::None);
        assert!(values[3].digits.matches(0) && values[3].evidence == Evidence::Consistent);
    }

    #[test]
    fn other_lines_are_errors() {
        for line in [
            "X 0 0 4 0 0 exact 1 |",
            "D 0 0 8 0 0 exact 1 |",
            "D 0 0 4 0 0 sure 1 |",
            "D 0 0 4 0 12x exact 1 |",
            "D 0 0 4 0 123456789 exact 1 |",
            "G 0 100 4 0 0 exact 1 |",
            "D 0 0 4 0",
        ] {
            assert_eq!(parse(&format!("\n{line}")), Err(BadLine(2)), "{line}");
        }
    }
}
