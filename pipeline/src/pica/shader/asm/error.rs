//! Errors and warnings with their position in the source.

use std::fmt;
use std::sync::Arc;

/// Severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// No program is produced.
    Error,
    /// The program is produced nevertheless.
    Warning,
}

/// A range of a source line. Places share the texts: a file may have a long name, and a name for each of its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name of the file, as given or as set by a `# number "file"` line.
    pub file: Arc<str>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// Width in characters, at least 1.
    pub width: u32,
    /// The whole line.
    pub source: Arc<str>,
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
        let file = Shown::of(file, 0, MOST_NAME);
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

/// Characters of the name of a file that are shown.
const MOST_NAME: usize = 200;
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

/// Number of errors after which an assembly is aborted, and of diagnostics of one severity that are kept.
pub(super) const LIMIT: usize = 20;

/// Diagnostics of one severity: the first ones, and the number of the others. A small source may have millions.
#[derive(Debug)]
pub(super) struct Diagnostics {
    severity: Severity,
    kept: Vec<Diagnostic>,
    /// Number of the others, and the place of the first of them.
    others: Option<(usize, Place)>,
}

impl Diagnostics {
    pub(super) const fn new(severity: Severity) -> Self {
        Self { severity, kept: Vec::new(), others: None }
    }

    /// Adds a diagnostic. All of an assembly come through here.
    pub(super) fn push(&mut self, place: Place, message: String) {
        match &mut self.others {
            Some((count, _)) => *count += 1,
            None if self.kept.len() == LIMIT => self.others = Some((1, place)),
            None => self.kept.push(Diagnostic { severity: self.severity, place, message }),
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// True if no further one would be kept.
    pub(super) const fn is_full(&self) -> bool {
        self.kept.len() >= LIMIT
    }

    /// The list, of which the last one may stand for all others.
    pub(super) fn into_list(mut self) -> Vec<Diagnostic> {
        if let Some((count, place)) = self.others {
            let message = format!("and {count} more, the first of them here");
            self.kept.push(Diagnostic { severity: self.severity, place, message });
        }
        self.kept
    }
}

/// The errors of an assembly, in order of discovery; never empty. After 20 of them the last one stands for all others.
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
    use super::super::{Options, SourceFile, assemble, assemble_with_warnings};
    use super::*;

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

    /// Megabytes in the name of a file once stood in each error, and each jump, block and warning had a copy.
    #[test]
    fn errors_of_long_names_are_short() {
        let source =
            format!("# 1 \"{}\"\n.proc main\n{}", "n".repeat(1 << 20), "jmpc cmp.x, l\n".repeat(500));
        let errors = assemble(&[SourceFile::new("a", source)], Options::default()).expect_err("no labels");
        let text = errors.to_string();
        assert!(text.len() < 20_000 && text.contains("n...:1:7: error: this block"), "{} bytes", text.len());
        let file = |n: usize| &errors.0[n].place.file;
        assert!((1..21).all(|n| Arc::ptr_eq(file(n), file(0))));
    }

    /// Missing ends, labels, procedures and entries, which are found after the last line.
    #[test]
    fn few_of_many_errors_are_kept() {
        let jumps = format!(".proc main\n{}.end\n", "jmpc cmp.x, l\n".repeat(500));
        let calls = format!(".proc main\n{}.end\n", "call p\n".repeat(500));
        let entries = ".entry main\n.file a\n".repeat(500);
        let blocks = format!(".proc main\n{}", "for i0\n".repeat(31));
        for (source, more) in [(jumps, 480), (calls, 480), (entries, 480), (blocks, 12)] {
            let errors =
                assemble(&[SourceFile::new("a", source)], Options::default()).expect_err("no program");
            let last = errors.0.last().map(|last| (last.severity, last.message.as_str()));
            let message = format!("and {more} more, the first of them here");
            assert_eq!((errors.0.len(), last), (LIMIT + 1, Some((Severity::Error, &*message))));
        }
    }

    #[test]
    fn few_of_many_warnings_are_kept() {
        let source = format!(".proc main\n{}end\n.end\n", "ifu b0\n.end\n".repeat(100));
        let options = Options { no_nop: true };
        let (_, warnings) =
            assemble_with_warnings(&[SourceFile::new("a", source)], options).expect("a program");
        let last = warnings.last().map(ToString::to_string);
        let expected = "a:43:1: warning: and 80 more, the first of them here\n.end\n^^^^";
        assert_eq!((warnings.len(), last.as_deref()), (LIMIT + 1, Some(expected)));
    }
}
