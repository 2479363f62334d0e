//! Choices of a host: when code is made, and which form of it runs.

/// When compiled code is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EngineMode {
    /// A missing routine is compiled before the batch runs. For tests and tools.
    Blocking,
    /// A missing routine is compiled on a worker; the interpreter serves until it is there. Both give the
    /// same bits, so nobody can see the swap.
    #[default]
    Background,
    /// Nothing is compiled.
    InterpreterOnly,
}

/// Which form of the code runs first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// Without the rare cases of the arithmetic; groups in which one could have mattered are replayed.
    #[default]
    Fast,
    /// With every rule of the arithmetic.
    Exact,
}
