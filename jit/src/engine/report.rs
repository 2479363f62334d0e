//! Reports: who served a batch, and what a compilation made.

use crate::error::CompileError;
use std::time::Duration;

/// Who produced the result of the last batch or run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Served {
    /// Compiled code alone, replays included.
    Compiled,
    /// The interpreter, wholly or for some groups; the reason where there is one.
    Interpreter(Option<CompileError>),
    /// Nobody: the fallback is off and compiled code could not do it. Results are unspecified.
    #[default]
    Nobody,
}

/// How the last batch or run was served.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunReport {
    /// By whom.
    pub served: Served,
    /// Groups of four vertices, or geometry runs.
    pub groups: u32,
    /// Groups that the fast variant flagged and that ran again.
    pub replayed: u32,
    /// Why compiled code did not do it, where it did not.
    pub refusal: Option<CompileError>,
}

/// What [`Engine::compile`](crate::Engine::compile) made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileReport {
    /// From the program's words to code that can run.
    pub time: Duration,
    /// Words that were compiled, each as often as control flow was unfolded over it.
    pub words: u32,
    /// Length of the machine code.
    pub code_bytes: usize,
}
