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

/// One error or warning. Its display is a message line, the source line and a caret under the position; an empty
/// source line is omitted.
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
        write!(f, "{file}:{line}:{column}: {severity}: {}", self.message)?;
        if source.is_empty() {
            return Ok(());
        }
        // Tabs stay tabs, so that the caret stands under its place whatever their width.
        let before = source.chars().take(*column as usize - 1);
        let indent: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let carets = "^".repeat(*width as usize);
        write!(f, "\n{source}\n{indent}{carets}")
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
