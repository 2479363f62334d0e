//! Colour on terminals: verdicts green and red, errors red. `NO_COLOR` turns it off, `CLICOLOR_FORCE` on; files and
//! pipes have none.

use std::io::IsTerminal;

/// What a text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Good,
    Bad,
}

impl Tone {
    /// The tone of a cell of a table.
    pub(super) fn of_cell(cell: &str) -> Option<Self> {
        match cell {
            "same" | "pass" | "passes" => Some(Self::Good),
            _ if cell.starts_with("DIFFERS") || cell.starts_with("FAIL") => Some(Self::Bad),
            _ => None,
        }
    }
}

/// True if this output takes colours.
pub(super) fn is_on(output: &dyn IsTerminal) -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    match (std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()), is_set("CLICOLOR_FORCE")) {
        (true, _) => false,
        (false, true) => true,
        _ => output.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

/// A text in a colour.
pub(super) fn painted(text: &str, tone: Tone) -> String {
    let code = match tone {
        Tone::Good => 32,
        Tone::Bad => 31,
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
