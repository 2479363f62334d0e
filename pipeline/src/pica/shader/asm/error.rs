//! Errors and warnings with their position in the source.

use std::fmt;

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// No program is produced.
    Error,
    /// The program is produced nevertheless.
    Warning,
}

/// A range of a source line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name of the file, as given or as set by a `# number "file"` line.
    pub file: String,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// Width in characters, at least 1.
    pub width: u32,
    /// The whole line.
    pub source: String,
}

/// One error or warning. Its display is a message line, the source line and a caret under the position, all of bounded
/// length; an empty source line is omitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Position.
    pub place: Place,
    /// Message.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column, width, source } = &self.place;
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let message = Shown::of(&self.message, 0, MOST_MESSAGE);
        write!(f, "{file}:{line}:{column}: {severity}: {message}")?;
        if source.is_empty() {
            return Ok(());
        }
        let at = *column as usize - 1;
        let shown = Shown::of(source, at.saturating_sub(MOST_SOURCE / 2), MOST_SOURCE);
        // Tabs stay tabs, so that the caret stands under its place whatever their width.
        let before = shown.text.chars().take(at - shown.first);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let marks = if shown.first > 0 { "   " } else { "" };
        let carets = "^".repeat((*width as usize).min(MOST_SOURCE));
        write!(f, "\n{shown}\n{marks}{indent}{carets}")
    }
}

/// Characters of a message that are shown.
const MOST_MESSAGE: usize = 400;
/// Characters of a source line that are shown: lines of files that no assembler wrote may be as long as the file.
const MOST_SOURCE: usize = 200;

/// A part of a text, with dots where it was cut.
struct Shown<'a> {
    text: &'a str,
    /// Characters before it.
    first: usize,
    goes_on: bool,
}

impl<'a> Shown<'a> {
    /// Up to `most` characters from number `first` on; a text that is short enough is whole.
    fn of(text: &'a str, first: usize, most: usize) -> Self {
        let place = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
        let first = if place(most) == text.len() { 0 } else { first };
        let (start, end) = (place(first), place(first + most));
        Self { text: &text[start..end], first, goes_on: end < text.len() }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = [self.first > 0, self.goes_on].map(|cut| if cut { "..." } else { "" });
        write!(f, "{before}{}{after}", self.text)
    }
}

/// All errors of an assembly, in order of discovery; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsmErrors(
    /// The errors.
    pub Vec<Diagnostic>,
);

impl fmt::Display for AsmErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, diagnostic) in self.0.iter().enumerate() {
            let separator = if n == 0 { "" } else { "\n" };
            write!(f, "{separator}{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for AsmErrors {}

#[cfg(test)]
mod tests {
    use super::super::{Options, SourceFile, assemble};

    /// Megabytes in one line once gave three times as many in the error.
    #[test]
    fn errors_of_long_lines_are_short() {
        for line in
            ["x".repeat(1 << 20), "mov ".repeat(1 << 18), format!("{}\u{e9} mov", " ".repeat(1 << 20))]
        {
            let error = assemble(&[SourceFile::new("a", line)], Options::default()).expect_err("no program");
            let text = error.to_string();
            assert!(text.len() < 40_000 && text.contains("a:1:"), "{} bytes", text.len());
        }
    }
}
