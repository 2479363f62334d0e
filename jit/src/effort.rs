//! A choice of a host: how much time goes into the compilation of a routine.

/// Effort of compilation: the allocation of registers takes most of the time. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Effort {
    /// In the background mode routines are made in a single pass first, and once more with care when nothing else waits; the careful
    /// version then takes their place. In the blocking mode as [`Careful`](Self::Careful), but long programs stay as they were made
    /// in a single pass.
    #[default]
    Adaptive,
    /// In a single pass, in half the time. Such code takes up to one and a half times as long, for fragments of the PICA200 up to two
    /// and a half times. It is not stored on disk, but for programs that are made so in any case.
    Quick,
    /// With care at once, where that takes some hundredths of a second at most: shader programs that are longer still are made in a
    /// single pass in any case.
    Careful,
}
