//! A choice of a host: how much time goes into the compilation of a routine.

/// Effort of compilation: the allocation of registers takes most of the time. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Effort {
    /// In the background mode, vertex routines of the GE, which take longest, are made in a single pass first, and once more
    /// with care when nothing else waits; the careful version then takes their place. In the blocking mode as
    /// [`Careful`](Self::Careful).
    #[default]
    Adaptive,
    /// In a single pass: half the time, code of up to one and a half times the time. Such code is not stored on disk.
    Quick,
    /// With care, always.
    Careful,
}
