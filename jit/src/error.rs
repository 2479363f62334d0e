//! Errors of the production engine.

use thiserror::Error;

/// Reasons for which a routine was not compiled. The caller keeps using the interpreter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The analysis of the control-flow stacks reaches more program states than the limit.
    #[error("control flow unfolds into more than {limit} states")]
    TooManyStates {
        /// Maximal number of states.
        limit: usize,
    },
    /// The code budget of the builder is exhausted and nothing can be evicted.
    #[error("the code budget of {budget} bytes is used up")]
    BudgetExceeded {
        /// The budget.
        budget: usize,
    },
    /// The routine would use more of the caller's stack than routines may.
    #[error("a stack frame of {bytes} bytes, more than {limit}")]
    LargeFrame {
        /// The frame, in bytes.
        bytes: u32,
        /// The most that is allowed, in bytes.
        limit: u32,
    },
    /// Cranelift refused the function.
    #[error("code generation failed: {0}")]
    Codegen(String),
    /// The compiler panicked; the panic was contained.
    #[error("the compiler panicked: {0}")]
    Panicked(String),
    /// The instruction budget of the batch is smaller than the longest path of the program, so that the run may end
    /// at any instruction.
    #[error("the instruction budget of {budget} may end the program early")]
    SmallInstructionBudget {
        /// The budget.
        budget: u32,
    },
    /// Fragment state without a compiled path.
    #[error("no compiled fragment path for this state: {what}")]
    UnknownState {
        /// The unsupported part of the state.
        what: &'static str,
    },
    /// The run was [stopped](picaflor_pipeline::stop::Stopper) while a texture was decoded: nothing is drawn any more.
    #[error("the run was stopped")]
    Stopped,
    /// The system has no memory for the texels of a texture.
    #[error("there is no memory for a texture")]
    NoMemory,
    /// A folder of the builder has no name: its files would go to the current folder.
    #[error("{setting} is a folder without a name")]
    UnnamedFolder {
        /// Which one.
        setting: &'static str,
    },
    /// A file for profilers cannot be made, or a folder for listings is not there.
    #[error("{setting}: cannot write to {path}: {why}")]
    Unwritable {
        /// The method of the builder.
        setting: &'static str,
        /// The file or folder.
        path: String,
        /// The system's reason.
        why: String,
    },
    /// The host lacks a feature that compiled code needs.
    #[error("this host cannot run compiled code: {0}")]
    Host(String),
}
