//! Choices of a host: time of compilation, and variant of the code.

/// Time of compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum EngineMode {
    /// A missing routine is compiled before the batch runs. For tests and tools.
    Blocking,
    /// A missing routine is compiled on a worker; the interpreter serves until it is there, or until its work with a
    /// state comes to what compiling takes: then the routine is made at once or waited for. Both give the same bits, so
    /// the change is invisible to the guest.
    #[default]
    Background,
    /// Nothing is compiled.
    InterpreterOnly,
}

/// Variant of shader code that runs first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// Without the rare cases of the arithmetic; groups in which such a case is possible are replayed.
    #[default]
    Fast,
    /// With every rule of the arithmetic.
    Exact,
}
