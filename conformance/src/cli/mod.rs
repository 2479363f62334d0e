//! The `picaflor` command line: one module for each subcommand, and their common part. Code for one machine lies in
//! [`pica`] and [`ge`].
//!
//! A subcommand is a `clap` struct and `run(&args) -> Result<ExitCode, CliError>`. Exit codes: 0 fine,
//! 1 difference or failure, 2 usage.

pub mod bench;
mod cache;
mod capture;
pub mod check;
pub mod demo;
pub mod diff;
pub mod fuzz;
pub mod ge;
pub mod info;
pub mod inspect;
mod junit;
pub(crate) mod machine;
pub mod machines;
pub mod merge;
pub mod pica;
pub mod render;
mod results;
mod table;

use std::fmt::{self, Display};
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::OnceLock;

/// The failure of a subcommand: one line, possibly followed by more, such as an excerpt of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliError {
    message: String,
    details: String,
}

impl CliError {
    /// A failure. Lines of `message` after the first are shown below it.
    #[must_use]
    pub fn new(message: impl Display) -> Self {
        let text = message.to_string();
        let (message, details) = text.split_once('\n').unwrap_or((&text, ""));
        Self { message: message.into(), details: details.into() }
    }
}

impl Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "picaflor: error: {}", self.message)?;
        if !self.details.is_empty() {
            write!(f, "\n{}", self.details.trim_end())?;
        }
        Ok(())
    }
}

impl std::error::Error for CliError {}

/// Standard input, read once and kept.
fn standard_input() -> io::Result<&'static [u8]> {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    if let Some(bytes) = BYTES.get() {
        return Ok(bytes);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(BYTES.get_or_init(|| bytes))
}

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// The input cannot be read; the message names it.
pub fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    let fail = |why: io::Error| CliError::new(format!("cannot read {}: {why}", shown(path)));
    if path == Path::new("-") {
        return Ok(standard_input().map_err(fail)?.to_vec());
    }
    fs::read(path).map_err(fail)
}

/// The text of a file; `-` is standard input.
///
/// # Errors
/// The input cannot be read or is not UTF-8; the message names it and the position.
pub fn read_text(path: &Path) -> Result<String, CliError> {
    String::from_utf8(read_file(path)?).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        CliError::new(format!("{} is not UTF-8 text from byte {at} on", shown(path)))
    })
}

/// Writes a file atomically: a temporary file beside it replaces it when it is complete. `-` is standard output; a
/// device or a pipe is written to, not replaced.
///
/// # Errors
/// The file cannot be written; no partial file is left then.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let fail = |why: io::Error| CliError::new(format!("cannot write {}: {why}", shown(path)));
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

/// Writes text to standard output.
fn print(text: &str) -> Result<(), CliError> {
    write_atomic(Path::new("-"), text.as_bytes())
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(name);
    let mut file = fs::File::create_new(&temporary)?;
    file.write_all(bytes).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // The first error is the one worth telling.
        let _ = fs::remove_file(&temporary);
    })
}

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input or output".into() } else { format!("`{}`", path.display()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_and_details() {
        assert_eq!(CliError::new("one\n").to_string(), "picaflor: error: one");
        assert_eq!(CliError::new("one\n  | x\n").to_string(), "picaflor: error: one\n  | x");
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
