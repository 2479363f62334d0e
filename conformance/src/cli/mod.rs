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
pub mod pica;
pub mod render;
mod results;
pub mod shell;
mod table;
pub mod video;

pub use input::{read_file, read_text};
use std::fmt::{self, Display};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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

/// A line without control characters, except for tabs. The middle of a long one is left out, because both its beginning,
/// the file, and its end, the position, matter.
fn legible(line: &str) -> String {
    let plain = |letter: char| match letter {
        '\n' | '\r' => ' ',
        '\t' => letter,
        _ if letter.is_control() => '\u{fffd}',
        _ => letter,
    };
    let count = line.chars().count();
    if count <= MOST_SHOWN {
        return line.chars().map(plain).collect();
    }
    let end = MOST_SHOWN / 3;
    let start = line.chars().take(MOST_SHOWN - end - 3);
    start.chain("...".chars()).chain(line.chars().skip(count - end)).map(plain).collect()
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

/// Writes a file atomically: a temporary file beside it replaces it when it is complete. `-` is standard output; a
/// device or a pipe is written to, not replaced.
///
/// # Errors
/// The file cannot be written; no partial file is left then.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let fail = |why: io::Error| CliError::new(format!("cannot write {}: {why}", shown_output(path)));
    if path == Path::new("-") {
        // A closed pipe, as from `| head`, is how the reader says that it has seen enough.
        return match io::stdout().lock().write_all(bytes) {
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(fail(why)),
            _ => Ok(()),
        };
    }
    if path.exists() && !path.is_file() {
        return fs::write(path, bytes).map_err(fail);
    }
    replace(path, bytes).map_err(fail)
}

/// Writes a line to standard error. One that cannot be written is lost: the exit code tells.
pub fn note(line: &dyn Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes a line to standard output, as [`print()`]; a failure ends the process, with the exit code of failures.
fn say(line: &dyn Display) {
    if let Err(why) = print(&format!("{line}\n")) {
        note(&why);
        std::process::exit(1);
    }
}

/// Writes a file as its content is made: a temporary file beside it replaces it when `body` has succeeded. `-` is
/// standard output.
///
/// # Errors
/// That of `body`, or the file cannot be written; no partial file is left then.
fn stream_to(
    path: &Path,
    body: impl FnOnce(Box<dyn Write + Send>) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let fail = |why: io::Error| CliError::new(format!("cannot write {}: {why}", shown_output(path)));
    if path == Path::new("-") {
        return body(Box::new(io::stdout()));
    }
    if path.exists() && !path.is_file() {
        return body(Box::new(fs::OpenOptions::new().write(true).open(path).map_err(fail)?));
    }
    let temporary = temporary(path);
    let file = io::BufWriter::new(fs::File::create_new(&temporary).map_err(fail)?);
    body(Box::new(file)).and_then(|()| fs::rename(&temporary, path).map_err(fail)).inspect_err(|_| {
        // The first error is the one worth telling.
        let _ = fs::remove_file(&temporary);
    })
}

/// A name beside a file for what replaces it.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Writes text to standard output.
fn print(text: &str) -> Result<(), CliError> {
    write_atomic(Path::new("-"), text.as_bytes())
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    let mut file = fs::File::create_new(&temporary)?;
    file.write_all(bytes).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // The first error is the one worth telling.
        let _ = fs::remove_file(&temporary);
    })
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

    #[test]
    fn a_write_that_fails_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("picaflor-write-{}", std::process::id()));
        fs::create_dir_all(folder.join("taken")).unwrap();
        // A folder cannot be replaced by a file.
        assert!(write_atomic(&folder.join("taken"), b"x").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        write_atomic(&folder.join("new"), b"y").unwrap();
        assert_eq!(read_file(&folder.join("new")).unwrap(), b"y");
        fs::remove_dir_all(&folder).unwrap();
    }
}
