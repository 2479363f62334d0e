//! Bytes and words in the notation of vector files, the same for both machines.

use serde::Deserialize;

/// One word or several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Words {
    /// One.
    One(u32),
    /// Several.
    Many(Vec<u32>),
}

/// Bytes in memory, written as words that name a type and numbers of that type behind them.
///
/// | word | its numbers |
/// |---|---|
/// | none, `hex` | bytes of two hexadecimal digits |
/// | `u8`, `s8`, `u16`, `s16`, `u32` | little-endian integers, decimal or `0x` |
/// | `f32` | binary32 |
/// | `pad` | so many zero bytes |
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    /// Address of the first.
    pub at: u32,
    /// The bytes.
    pub data: String,
    /// Number of repetitions.
    #[serde(default = "once")]
    pub times: usize,
    /// Increment of each repetition, as one little-endian number.
    #[serde(default)]
    pub step: u64,
}

impl Bytes {
    /// All bytes, with repetitions.
    ///
    /// # Errors
    /// The first text that is no byte, or a number that overflows.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, String> {
        if self.step == 0 {
            return repeated(&self.data, self.times);
        }
        let first = parse(&self.data)?;
        let size = first.len();
        if size > 8 {
            return Err(format!("`{}` is too long to be added to", self.data));
        }
        let first = first.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
        let number = |n: usize| first.wrapping_add(self.step.wrapping_mul(n as u64)).to_le_bytes();
        Ok((0..self.times).flat_map(|n| number(n).into_iter().take(size)).collect())
    }
}

pub(crate) const fn once() -> usize {
    1
}

/// The bytes that a text stands for: see [`Bytes`].
///
/// # Errors
/// A line that names the word.
pub(crate) fn parse(text: &str) -> Result<Vec<u8>, String> {
    let (mut bytes, mut kind) = (Vec::new(), "hex");
    for word in text.split_whitespace() {
        match word {
            "hex" | "u8" | "s8" | "u16" | "s16" | "u32" | "f32" | "pad" => kind = word,
            _ => bytes.extend(one(kind, word).ok_or_else(|| format!("`{word}` is no {kind}"))?),
        }
    }
    Ok(bytes)
}

fn one(kind: &str, word: &str) -> Option<Vec<u8>> {
    let size = match kind {
        "hex" if word.len() == 2 => return u8::from_str_radix(word, 16).ok().map(|byte| vec![byte]),
        "hex" => return None,
        "f32" => return word.parse::<f32>().ok().map(|value| value.to_le_bytes().to_vec()),
        "pad" => return word.parse().ok().map(|count: u8| vec![0; count.into()]),
        "u8" | "s8" => 1,
        "u16" | "s16" => 2,
        _ => 4,
    };
    let value = match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => word.parse(),
    };
    let value = value.ok()?;
    let bits = 8 * size as u32;
    let lowest = if kind.starts_with('s') { -1_i64 << (bits - 1) } else { 0 };
    (lowest..lowest + (1 << bits)).contains(&value).then(|| value.to_le_bytes()[..size].to_vec())
}

/// The bytes, so many times.
pub(crate) fn repeated(text: &str, times: usize) -> Result<Vec<u8>, String> {
    Ok(parse(text)?.repeat(times))
}

/// `N` hexadecimal bytes.
pub(crate) fn exactly<const N: usize>(text: &str) -> Result<[u8; N], String> {
    parse(text)?.try_into().map_err(|_| format!("`{text}` does not have {N} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_each_other() {
        let bytes = parse("a5 ff s8 -1 pad 2 u16 0x102 f32 1 hex 7f").unwrap();
        assert_eq!(bytes, [0xa5, 0xff, 0xff, 0, 0, 2, 1, 0, 0, 0x80, 0x3f, 0x7f]);
        assert_eq!(repeated("u32 1", 2).unwrap(), [1, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn numbers_rise() {
        let ramp = |data: &str, step| Bytes { at: 0, data: data.into(), times: 3, step }.bytes();
        assert_eq!(ramp("u16 0xff", 1).unwrap(), [0xff, 0, 0, 1, 1, 1]);
        assert_eq!(ramp("u8 0xfe", 2).unwrap(), [0xfe, 0, 2]);
        assert_eq!(ramp("07", 0).unwrap(), [7; 3]);
        assert!(ramp("u32 1 2 3", 1).is_err());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for text in ["5", "u8 256", "s8 128", "u16 -1", "f32 x", "hex xy"] {
            assert!(parse(text).unwrap_err().contains(text.split(' ').next_back().unwrap()), "{text}");
        }
        assert!(exactly::<4>("00 01").is_err());
    }
}
