//! Reports on the last batch and on a compilation.

use crate::error::CompileError;
use std::time::Duration;

/// Producer of the result of the last batch or run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Served {
    /// Compiled code alone, replays included.
    Compiled,
    /// The interpreter, wholly or for some groups; with the refusal, if any.
    Interpreter(Option<CompileError>),
    /// No producer: compiled code was not available and the fallback is off. Results are unspecified.
    #[default]
    Nobody,
}

/// Report on the last batch or run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunReport {
    /// Producer of the result.
    pub served: Served,
    /// Groups of four vertices, or geometry runs.
    pub groups: u32,
    /// Groups that the fast variant flagged and that ran again.
    pub replayed: u32,
    /// The reason for which compiled code was not used, if any.
    pub refusal: Option<CompileError>,
}

/// Result of [`Engine::compile`](crate::Engine::compile).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileReport {
    /// Duration, from program words to executable code.
    pub time: Duration,
    /// Words compiled; a word counts once for each unfolded path through it.
    pub words: u32,
    /// Length of the machine code, in bytes.
    pub code_bytes: usize,
}
