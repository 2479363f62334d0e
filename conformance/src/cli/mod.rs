//! The `picaflor` command line: one module for each subcommand, and their common part. Code for one machine lies in
//! [`pica`] and [`ge`].
//!
//! A subcommand is a `clap` struct and `run(&args) -> Result<ExitCode, CliError>`. Exit codes: 0 fine,
//! 1 difference or failure, 2 usage.

/// Writes a line to standard error, as [`note`].
macro_rules! note {
    ($($text:tt)*) => { $crate::cli::note(&format_args!($($text)*)) };
}
/// Writes a line to standard output, as [`say`].
macro_rules! say {
    ($($text:tt)*) => { $crate::cli::say(&format_args!($($text)*)) };
}

pub mod bench;
mod cache;
mod capture;
pub mod check;
mod colour;
pub mod convert;
pub mod demo;
pub mod diff;
pub mod fuzz;
pub mod ge;
pub mod info;
mod input;
pub mod inspect;
mod junit;
pub(crate) mod machine;
pub mod machines;
pub mod merge;
mod output;
pub mod pica;
pub mod render;
mod results;
pub mod shell;
mod source;
mod table;
pub mod video;

pub use input::{read_file, read_text};
pub use output::{note, print_help, write_atomic};
use output::{print, say, stream_to, tell_of};
use std::fmt::{self, Display};
use std::io;
use std::path::Path;

/// The failure of a subcommand: one line, possibly followed by more, such as an excerpt of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliError {
    message: String,
    details: String,
    exit_code: u8,
}

impl CliError {
    /// A failure, in one line. `message` may quote a file: it is made legible.
    #[must_use]
    pub fn new(message: impl Display) -> Self {
        Self { message: legible(message.to_string().trim_end()), details: String::new(), exit_code: 1 }
    }

    /// A failure whose lines after the first are shown below it; all are made legible.
    #[must_use]
    pub fn with_details(text: impl Display) -> Self {
        let text = legible_lines(text);
        let (message, details) = text.split_once('\n').unwrap_or((&text, ""));
        Self { message: message.into(), details: details.into(), exit_code: 1 }
    }

    /// Arguments that do not go together.
    #[must_use]
    pub fn usage(message: impl Display) -> Self {
        Self { exit_code: 2, ..Self::new(message) }
    }

    /// The exit code of the process: 1, or 2 for wrong usage.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        self.exit_code
    }
}

/// Characters of a line that are shown: enough for the names of all scenes.
const MOST_SHOWN: usize = 700;

/// A text in a line, without control characters, except for tabs.
fn plain(text: &str) -> String {
    let plain = |letter: char| match letter {
        '\n' | '\r' => ' ',
        '\t' => letter,
        _ if letter.is_control() => '\u{fffd}',
        _ => letter,
    };
    text.chars().map(plain).collect()
}

/// A [plain] line. The middle of a long one is left out, because both its beginning, the file, and its end, the position,
/// matter.
fn legible(line: &str) -> String {
    let count = line.chars().count();
    if count <= MOST_SHOWN {
        return plain(line);
    }
    let end = MOST_SHOWN / 3;
    let start = line.chars().take(MOST_SHOWN - end - 3);
    let shown: String = start.chain("...".chars()).chain(line.chars().skip(count - end)).collect();
    plain(&shown)
}

/// Several lines, all of them [legible].
fn legible_lines(text: impl Display) -> String {
    text.to_string().lines().map(legible).collect::<Vec<_>>().join("\n")
}

impl Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "picaflor: error: {}", self.message)?;
        if !self.details.is_empty() {
            write!(f, "\n{}", self.details)?;
        }
        Ok(())
    }
}

impl std::error::Error for CliError {}

/// Prints the failure of a subcommand to standard error, in colour on a terminal.
pub fn print_error(error: &CliError) {
    let text = error.to_string();
    let word = "error:";
    match text.split_once(word).filter(|_| colour::is_on(&io::stderr())) {
        Some((before, after)) => note!("{before}{}{after}", colour::painted(word, colour::Tone::Bad)),
        None => note!("{text}"),
    }
}

/// The name of a file that is read, for an error.
fn shown_input(path: &Path) -> String {
    shown(path, "standard input")
}

/// The name of a file that is written, for an error.
fn shown_output(path: &Path) -> String {
    shown(path, "standard output")
}

fn shown(path: &Path, stream: &str) -> String {
    if path == Path::new("-") { stream.into() } else { format!("`{}`", path.display()) }
}

/// The name of a file in a text, without control characters.
fn plain_name(path: &Path) -> String {
    plain(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_and_details() {
        assert_eq!(CliError::new("one\n").to_string(), "picaflor: error: one");
        assert_eq!(CliError::with_details("one\n  | x\n").to_string(), "picaflor: error: one\n  | x");
        assert_eq!(CliError::with_details("one").to_string(), "picaflor: error: one");
    }

    /// Names in archives and keys of documents once were shown as they are.
    #[test]
    fn an_error_is_legible_whatever_it_quotes() {
        let shown = CliError::new("`a\nb\u{1b}[2J\r\u{85}\tc` is no register").to_string();
        assert_eq!(shown, "picaflor: error: `a b\u{fffd}[2J \u{fffd}\tc` is no register");
        let shown = CliError::new(format!("start {} end", "é\n".repeat(1 << 20))).to_string();
        assert!(shown.starts_with("picaflor: error: start é") && shown.ends_with("é  end"), "{shown}");
        assert_eq!(shown.chars().count(), "picaflor: error: ".len() + MOST_SHOWN);
        let shown = CliError::with_details(format!("one\n\tmov {}\n", "\u{7}".repeat(5000))).to_string();
        assert!(shown.starts_with("picaflor: error: one\n\tmov \u{fffd}") && shown.len() < 3000, "{shown}");
    }

    #[test]
    fn exit_codes() {
        assert_eq!([CliError::new("a").exit_code(), CliError::usage("a").exit_code()], [1, 2]);
        assert_eq!(CliError::usage("a").to_string(), "picaflor: error: a");
    }
}
