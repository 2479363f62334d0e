//! The `picaflor` command line: one module for each subcommand, and what they share.
//!
//! A subcommand is a `clap` struct and `run(&args) -> Result<ExitCode, CliError>`. Exit codes: 0 fine,
//! 1 difference or failure, 2 usage.

pub mod fuzz;

use std::fmt::{self, Display};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Why a subcommand failed: one line, after which more may follow, such as an excerpt of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliError {
    message: String,
    details: String,
}

impl CliError {
    /// A failure that one line says all about. Further lines of `message` are joined to it.
    #[must_use]
    pub fn new(message: impl Display) -> Self {
        let message = message.to_string();
        let lines: Vec<&str> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        Self { message: lines.join(" "), details: String::new() }
    }

    /// The same failure with lines to show below it.
    #[must_use]
    pub fn with_details(mut self, details: impl Display) -> Self {
        self.details = details.to_string();
        self
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

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// When it cannot be read; the line names it.
pub fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    let fail = |why: io::Error| CliError::new(format!("cannot read {}: {why}", shown(path)));
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(fail)?;
        return Ok(bytes);
    }
    fs::read(path).map_err(fail)
}

/// The text of a file; `-` is standard input.
///
/// # Errors
/// When it cannot be read or is not UTF-8; the line names it and the position.
pub fn read_text(path: &Path) -> Result<String, CliError> {
    String::from_utf8(read_file(path)?).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        CliError::new(format!("{} is not UTF-8 text from byte {at} on", shown(path)))
    })
}

/// Writes a file as a whole or not at all: a temporary file beside it takes its place when it is complete.
/// `-` is standard output.
///
/// # Errors
/// When it cannot be written; nothing is left behind then.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let fail = |why: io::Error| CliError::new(format!("cannot write {}: {why}", shown(path)));
    if path == Path::new("-") {
        return io::stdout().lock().write_all(bytes).map_err(fail);
    }
    let temporary = beside(path);
    let written = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    written.map_err(|why| {
        // What is left of the attempt, if anything, is of no use to anybody.
        let _ = fs::remove_file(&temporary);
        fail(why)
    })
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input or output".into() } else { format!("`{}`", path.display()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_and_details() {
        let error = CliError::new("one\n  two\n");
        assert_eq!(error.to_string(), "picaflor: error: one two");
        assert_eq!(error.with_details("  | x\n").to_string(), "picaflor: error: one two\n  | x");
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
