//! Notation of words, registers and bytes in case files: hexadecimal, without loss.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A word, written `"0x4e000000"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Word(
    /// The word.
    pub u32,
);

/// Four words, x first, written `"3f800000 00000000 bf800000 7fc00000"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Row(
    /// The words.
    pub [u32; 4],
);

/// Bytes, written `"00ff7f80"`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bytes(
    /// The bytes.
    pub Vec<u8>,
);

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{:#010x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        parse_word(digits).map(Self).ok_or_else(|| de::Error::custom(format!("'{text}' is not a word")))
    }
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [x, y, z, w] = self.0;
        serializer.serialize_str(&format!("{x:08x} {y:08x} {z:08x} {w:08x}"))
    }
}

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let words: Option<Vec<u32>> = text.split_whitespace().map(parse_word).collect();
        words
            .and_then(|words| words.try_into().ok())
            .map(Self)
            .ok_or_else(|| de::Error::custom(format!("'{text}' is not four words")))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_bytes(&text).map(Self).ok_or_else(|| de::Error::custom("not an even number of hex digits"))
    }
}

/// The number of a register, below `count`, written as letter and number.
pub(crate) fn register_number(name: &str, letter: char, count: usize) -> Result<usize, String> {
    let digits = name.strip_prefix(letter).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    let n = digits.and_then(|digits| digits.parse().ok()).filter(|n| *n < count);
    n.ok_or_else(|| format!("`{name}` is no register from {letter}0 to {letter}{}", count - 1))
}

fn parse_word(digits: &str) -> Option<u32> {
    let valid = (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    valid.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

fn parse_bytes(text: &str) -> Option<Vec<u8>> {
    if !text.bytes().all(|b| b.is_ascii_hexdigit()) || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let given = (Word(0x4e00_0000), Row([1, 2, 3, 0xffff_ffff]), Bytes(vec![0, 255]));
        let text = serde_json::to_string(&given).unwrap();
        assert_eq!(text, r#"["0x4e000000","00000001 00000002 00000003 ffffffff","00ff"]"#);
        assert_eq!(serde_json::from_str::<(Word, Row, Bytes)>(&text).unwrap(), given);
    }

    #[test]
    fn malformed_text_is_an_error() {
        assert!(serde_json::from_str::<Word>(r#""0x""#).is_err());
        assert!(serde_json::from_str::<Word>(r#""+1""#).is_err());
        assert!(serde_json::from_str::<Row>(r#""1 2 3""#).is_err());
        assert!(serde_json::from_str::<Bytes>(r#""0""#).is_err());
        assert!(serde_json::from_str::<Bytes>(r#""é0""#).is_err());
    }
}
