//! Words of a display list as vectors write them.

use picaflor_pipeline::ge::names;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Numbers of commands by name.
static NUMBERS: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    (0..=u8::MAX).map(|number| (names::command(number).name.into_owned(), number)).collect()
});

/// The command of a name.
///
/// # Errors
/// A line that names it.
pub(super) fn command(name: &str) -> Result<u8, String> {
    NUMBERS.get(name).copied().ok_or_else(|| format!("no command `{name}`"))
}

/// The word of a command with an argument.
///
/// # Errors
/// A line, if the argument has more than 24 bits.
pub(super) fn word(command: u8, argument: u32) -> Result<u32, String> {
    match argument >> 24 {
        0 => Ok(u32::from(command) << 24 | argument),
        _ => Err(format!("the argument {argument:#x} has more than 24 bits")),
    }
}

/// The words of a text.
///
/// # Errors
/// The first line that is no word.
pub(super) fn parse(text: &str) -> Result<Vec<u32>, String> {
    text.split_whitespace().map(one).collect()
}

fn one(text: &str) -> Result<u32, String> {
    let number = |digits: &str| u32::from_str_radix(digits, 16).map_err(|_| format!("`{text}` is no word"));
    match text.split_once('=') {
        Some((name, argument)) => word(command(name)?, number(argument)?),
        None if text.len() == 8 && text.bytes().all(|digit| digit.is_ascii_hexdigit()) => number(text),
        None => word(command(text)?, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_named_or_raw() {
        assert_eq!(parse("PRIM=60002 0f00abcd\nORIGIN"), Ok(vec![0x0406_0002, 0x0f00_abcd, 0x1400_0000]));
    }

    #[test]
    fn what_is_no_word_is_named() {
        for text in ["PRIM=x", "PRIM=1000000", "FROB", "FROB=1", "0f00abc"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
