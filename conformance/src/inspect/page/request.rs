//! Requests of the page, and the notation of numbers and ranges.

use picaflor_pipeline::rect::Rect;
use std::ops::Range;

/// The path and the parameters of a request, decoded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The path, with the slash at its start.
    pub path: String,
    parameters: Vec<(String, String)>,
}

impl Request {
    /// The parameter of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The number of a parameter.
    #[must_use]
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// The request of a path with parameters, percent-encoded; `None` if it is damaged.
    #[must_use]
    pub fn parse(target: &str) -> Option<Self> {
        request(target)
    }
}

fn request(target: &str) -> Option<Request> {
    if !target.starts_with('/') {
        return None;
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decoded(key)?, decoded(value)?))
    };
    Some(Request { path: decoded(path)?, parameters: pairs.map(pair).collect::<Option<_>>()? })
}

/// Text without its percent encoding; `None` if it is damaged.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                (high << 4 | low) as u8
            }
            b'+' => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Reads a number, decimal or hexadecimal with `0x`.
///
/// # Errors
/// The text is none.
pub fn number(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("0x");
    let value = digits.map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16));
    value.map_err(|_| format!("`{text}` is no number"))
}

/// Reads the checksum of a program: eight hexadecimal digits, or fewer behind zeros that are left out; `0x` may precede them.
///
/// # Errors
/// The text is none.
pub fn checksum(text: &str) -> Result<u32, String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let is_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let value = u32::from_str_radix(digits, 16).ok().filter(|_| is_digits);
    value.ok_or_else(|| format!("`{text}` is no checksum of a program: write eight hexadecimal digits"))
}

/// Reads a rectangle, X0,Y0,X1,Y1: columns X0 to X1, rows Y0 to Y1, ends excluded.
///
/// # Errors
/// The text is none, or has no pixel.
pub fn rectangle(text: &str) -> Result<Rect, String> {
    let numbers: Result<Vec<i32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[x0, y0, x1, y1]) if x0 < x1 && y0 < y1 => Ok(Rect { x0, y0, x1, y1 }),
        _ => Err("a rectangle is X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1".into()),
    }
}

/// Reads a range of draws: `A..B` without B, `A..=B` with B, or one draw.
///
/// # Errors
/// The text is none.
pub fn draws(text: &str) -> Result<Range<u64>, String> {
    let wrong = || format!("`{text}` is no range of draws: write A..B, A..=B or A");
    let read = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let range = match (text.split_once("..="), text.split_once("..")) {
        (Some((first, last)), _) => read(first)?..read(last)?.saturating_add(1),
        (None, Some((first, end))) => read(first)?..read(end)?,
        (None, None) => read(text)?..read(text)?.saturating_add(1),
    };
    if range.is_empty() { Err(wrong()) } else { Ok(range) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_draws() {
        assert_eq!((draws("3..5"), draws("3..=5"), draws("7")), (Ok(3..5), Ok(3..6), Ok(7..8)));
        for wrong in ["", "5..3", "a..b", "-1", "3..3"] {
            assert!(draws(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn checksums() {
        for text in ["0e81e2fa", "0E81E2FA", "0x0e81e2fa", "0X0E81E2FA", "e81e2fa"] {
            assert_eq!(checksum(text), Ok(0x0e81_e2fa), "{text}");
        }
        for wrong in ["", "xyz", "0x", "+e81e2fa", "-1", "10e81e2fa"] {
            assert!(checksum(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rectangles() {
        assert_eq!(rectangle("1, 2,3,4"), Ok(Rect { x0: 1, y0: 2, x1: 3, y1: 4 }));
        for wrong in ["", "1,2,3", "1,2,3,4,5", "1,x,2,3,4", "1,2,3,4,", "1,2,1,4", "1,4,2,3"] {
            assert!(rectangle(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!((number("0x10"), number("10")), (Ok(16), Ok(10)));
        assert!(number("x").is_err());
    }
}
