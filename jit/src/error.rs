//! Errors of the production engine.

use thiserror::Error;

/// Why no routine was made. The caller keeps using the interpreter.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// Following the control-flow stacks gives more program states than the limit.
    #[error("control flow unfolds into more than {limit} states")]
    TooManyStates {
        /// The limit.
        limit: usize,
    },
    /// The code budget given to the builder, in bytes, is used up and nothing can be evicted.
    #[error("the code budget of {budget} bytes is used up")]
    BudgetExceeded {
        /// The budget.
        budget: usize,
    },
    /// Cranelift refused the function.
    #[error("code generation failed: {0}")]
    Codegen(String),
    /// The compiler panicked; the panic was contained.
    #[error("the compiler panicked: {0}")]
    Panicked(String),
    /// The batch's instruction budget is smaller than the program is long, so that it may end anywhere.
    #[error("the instruction budget of {budget} may end the program early")]
    SmallInstructionBudget {
        /// The budget.
        budget: u32,
    },
    /// Compiled fragment paths do not know this state.
    #[error("no compiled fragment path for this state: {what}")]
    UnknownState {
        /// What of it.
        what: &'static str,
    },
    /// The host lacks what compiled code needs.
    #[error("this host cannot run compiled code: {0}")]
    Host(String),
}
