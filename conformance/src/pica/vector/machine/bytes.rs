//! Bytes as machine vectors write them.

/// The bytes that a text stands for: see [`Bytes`](super::Bytes).
///
/// # Errors
/// A line that names the word.
pub(super) fn parse(text: &str) -> Result<Vec<u8>, String> {
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
pub(super) fn repeated(text: &str, times: usize) -> Result<Vec<u8>, String> {
    Ok(parse(text)?.repeat(times))
}

/// `N` hexadecimal bytes.
pub(super) fn exactly<const N: usize>(text: &str) -> Result<[u8; N], String> {
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
    fn what_does_not_fit_is_named() {
        for text in ["5", "u8 256", "s8 128", "u16 -1", "f32 x", "hex xy"] {
            assert!(parse(text).unwrap_err().contains(text.split(' ').next_back().unwrap()), "{text}");
        }
        assert!(exactly::<4>("00 01").is_err());
    }
}
