//! Parts of a source line with their positions, and the number formats.

/// A problem with a part of the current line.
#[derive(Debug)]
pub(super) struct Complaint {
    /// Byte offset in the line.
    pub(super) at: usize,
    /// Bytes.
    pub(super) len: usize,
    /// Message.
    pub(super) message: String,
}

/// A result whose error is a problem with the current line.
pub(super) type Parse<T> = Result<T, Complaint>;

/// A part of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Offset in the line, in bytes.
    at: usize,
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\x0b'
}

impl<'a> Piece<'a> {
    /// A whole line.
    pub(super) const fn line(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The part `from..to` of the piece, in bytes; both on character boundaries.
    fn part(self, from: usize, to: usize) -> Self {
        Self { text: &self.text[from..to], at: self.at + from }
    }

    /// Without blanks at both ends.
    pub(super) fn trim(self) -> Self {
        let from = self.text.len() - self.text.trim_start_matches(is_blank).len();
        let to = self.text.trim_end_matches(is_blank).len();
        self.part(from.min(to), to)
    }

    /// The parts before and after the first `separator`.
    pub(super) fn split_once(self, separator: char) -> Option<(Self, Self)> {
        let at = self.text.find(separator)?;
        Some((self.part(0, at), self.part(at + separator.len_utf8(), self.text.len())))
    }

    /// The first word, and the rest without blanks around it.
    pub(super) fn word(self) -> (Self, Self) {
        let this = self.trim();
        let at = this.text.find(is_blank).unwrap_or(this.text.len());
        (this.part(0, at), this.part(at, this.text.len()).trim())
    }

    /// All words.
    pub(super) fn words(self) -> Vec<Self> {
        let mut words = Vec::new();
        let mut rest = self.trim();
        while !rest.text.is_empty() {
            let (word, after) = rest.word();
            words.push(word);
            rest = after;
        }
        words
    }

    /// The parts between commas outside of parentheses, trimmed; none for an empty piece.
    pub(super) fn commas(self) -> Vec<Self> {
        let mut parts = Vec::new();
        let (mut depth, mut from) = (0_u32, 0);
        for (at, c) in self.text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(self.part(from, at).trim());
                    from = at + 1;
                }
                _ => {}
            }
        }
        let last = self.part(from, self.text.len()).trim();
        if !parts.is_empty() || !last.text.is_empty() {
            parts.push(last);
        }
        parts
    }

    /// The piece without `prefix`, if it starts with it.
    pub(super) fn strip(self, prefix: char) -> Option<Self> {
        self.text.starts_with(prefix).then(|| self.part(prefix.len_utf8(), self.text.len()).trim())
    }

    /// `name` and `inside` of `name OPEN inside CLOSE`; an error if text follows the closing bracket.
    pub(super) fn bracketed(self, open: char, close: char) -> Parse<Option<(Self, Self)>> {
        let Some((name, rest)) = self.split_once(open) else { return Ok(None) };
        match rest.split_once(close) {
            Some((inside, after)) if after.trim().text.is_empty() => Ok(Some((name.trim(), inside.trim()))),
            Some((_, after)) => after.trim().fail(format!("unexpected after `{close}`")),
            None => self.fail(format!("`{open}` without `{close}`")),
        }
    }

    /// The piece in lower case.
    pub(super) fn lower(self) -> String {
        self.text.to_ascii_lowercase()
    }

    /// A complaint about the piece.
    pub(super) fn complaint(self, message: impl Into<String>) -> Complaint {
        Complaint { at: self.at, len: self.text.len(), message: message.into() }
    }

    /// An error about the piece.
    pub(super) fn fail<T>(self, message: impl Into<String>) -> Parse<T> {
        Err(self.complaint(message))
    }

    /// The piece as an identifier.
    pub(super) fn identifier(self) -> Parse<&'a str> {
        let mut chars = self.text.chars();
        let head = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
        if chars.next().is_some_and(head) && chars.all(|c| head(c) || c.is_ascii_digit()) {
            return Ok(self.text);
        }
        self.fail(format!("`{}` is not a name", self.text))
    }

    /// The piece as a number by C rules: `0x` is hexadecimal, a leading 0 octal.
    pub(super) fn number(self) -> Parse<u32> {
        c_integer(self.text).ok_or_else(|| self.complaint(format!("`{}` is not a number", self.text)))
    }

    /// The piece as a plain decimal number; text after the digits is ignored.
    pub(super) fn decimal(self) -> Parse<i64> {
        decimal_prefix(self.text)
            .ok_or_else(|| self.complaint(format!("`{}` does not start with a decimal number", self.text)))
    }
}

/// A number by C rules, whole text.
pub(super) fn c_integer(text: &str) -> Option<u32> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = match (hexadecimal, text.len()) {
        (Some(digits), _) => (digits, 16),
        (None, 2..) if text.starts_with('0') => (&text[1..], 8),
        _ => (text, 10),
    };
    let plain = digits.chars().all(|c| c.is_digit(radix));
    if plain { u32::from_str_radix(digits, radix).ok() } else { None }
}

/// The decimal number at the start of a text, saturating.
fn decimal_prefix(text: &str) -> Option<i64> {
    let (negative, rest) = sign(text);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let value = rest[..digits]
        .bytes()
        .fold(0_i64, |value, digit| value.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    (digits > 0).then_some(if negative { -value } else { value })
}

fn sign(text: &str) -> (bool, &str) {
    match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    }
}

/// The value of the longest numeric prefix, as C's `atof` reads it, rounded to binary32; 0 without one.
pub(in crate::pica::shader) fn c_float(text: &str) -> f32 {
    let (negative, rest) = sign(text);
    let lower = rest.to_ascii_lowercase();
    let magnitude = if lower.starts_with("inf") {
        f64::INFINITY
    } else if lower.starts_with("nan") {
        f64::NAN
    } else if let Some(digits) = lower.strip_prefix("0x").filter(|digits| is_hexadecimal(digits)) {
        hexadecimal_float(digits)
    } else {
        decimal_float(&lower)
    };
    (if negative { -magnitude } else { magnitude }) as f32
}

fn is_hexadecimal(digits: &str) -> bool {
    let digits = digits.strip_prefix('.').unwrap_or(digits);
    digits.starts_with(|c: char| c.is_ascii_hexdigit())
}

fn decimal_float(text: &str) -> f64 {
    let digits = |from: usize| {
        let rest = &text[from..];
        from + rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len()
    };
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    let mantissa = &text[..end];
    if !mantissa.contains(|c: char| c.is_ascii_digit()) {
        return 0.0;
    }
    if text[end..].starts_with('e') {
        let signed = end + 1 + usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(signed);
        end = if exponent > signed { exponent } else { end };
    }
    text[..end].parse().unwrap_or(0.0)
}

/// A hexadecimal float after its `0x`. Digits after the sixteenth count by their position only.
fn hexadecimal_float(text: &str) -> f64 {
    let (mut value, mut scale, mut fraction, mut end) = (0_u64, 0_i32, false, text.len());
    for (at, c) in text.char_indices() {
        match c.to_digit(16) {
            Some(digit) if value >> 60 == 0 => {
                value = value << 4 | u64::from(digit);
                scale -= if fraction { 4 } else { 0 };
            }
            Some(_) => scale = scale.saturating_add(if fraction { 0 } else { 4 }),
            None if c == '.' && !fraction => fraction = true,
            None => {
                end = at;
                break;
            }
        }
    }
    let exponent = text[end..].strip_prefix('p').and_then(decimal_prefix).unwrap_or(0);
    let exponent = exponent.clamp(-5000, 5000) as i32 + scale.clamp(-5000, 5000);
    // Two steps, because the power alone may leave the range of the type.
    value as f64 * 2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2)
}

/// Narrows a constant to 24 bits, like the common assembler: mantissa truncated, exponent re-biased, and no special
/// cases at the limits (pica-shader.md 9.5).
pub(in crate::pica::shader) fn constant_f24(value: f32) -> u32 {
    let bits = value.to_bits();
    let (sign, exponent) = (bits >> 31 << 23, (bits >> 23 & 0xff) as i32 - 64);
    match exponent {
        ..0 => sign,
        0..=127 => sign | (exponent as u32) << 16 | bits >> 7 & 0xffff,
        _ => sign | 0x7f_0000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of pica-shader.md 9.5.
    #[test]
    fn constant_conversion() {
        let table = [
            ("0.1", 0x3b_9999),
            ("-0.1", 0xbb_9999),
            ("3.14159265", 0x40_921f),
            ("1.0000153", 0x3f_0001),
            ("0.99999994", 0x3e_ffff),
            ("65537", 0x4f_0001),
            ("131073", 0x50_0000),
            ("0.3", 0x3d_3333),
            ("-1", 0xbf_0000),
            ("0.5", 0x3e_0000),
            ("2.1684043e-19", 0x01_0000),
            ("1.5e-19", 0x00_622d),
            ("1.0842022e-19", 0),
            ("1e-20", 0),
            ("1e-40", 0),
            ("-0.0", 0x80_0000),
            ("9.223372e18", 0x7e_0000),
            ("1.8446744e19", 0x7f_0000),
            ("2e19", 0x7f_158e),
            ("1e20", 0x7f_0000),
            ("3.4e38", 0x7f_0000),
            ("inf", 0x7f_0000),
            ("nan", 0x7f_0000),
            ("-inf", 0xff_0000),
        ];
        for (text, expected) in table {
            assert_eq!(constant_f24(c_float(text)), expected, "{text}");
        }
    }

    #[test]
    fn floats_read_like_atof() {
        let table =
            [("1.0/128.0", 1.0), ("1e", 1.0), (".5", 0.5), ("foo", 0.0), ("1e+2x", 100.0), ("+3.", 3.0)];
        for (text, expected) in table {
            assert_eq!(c_float(text), expected, "{text}");
        }
        let hexadecimal = [("0x10", 16.0), ("0x", 0.0), ("-0x1.8p1", -3.0), ("0x.8", 0.5), ("0xp3", 0.0)];
        for (text, expected) in hexadecimal {
            assert_eq!(c_float(text), expected, "{text}");
        }
    }

    #[test]
    fn integers() {
        assert_eq!(
            ["10", "0x1f", "010", "0", "08", "", "+1"].map(c_integer),
            [Some(10), Some(31), Some(8), Some(0), None, None, None]
        );
        assert_eq!(["12x", "-3", "x"].map(decimal_prefix), [Some(12), Some(-3), None]);
    }

    #[test]
    fn commas_outside_parentheses() {
        let parts: Vec<_> = Piece::line(" a, b(1, 2) ,c").commas().iter().map(|part| part.text).collect();
        assert_eq!(parts, ["a", "b(1, 2)", "c"]);
    }
}
