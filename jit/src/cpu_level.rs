//! A choice of a host: features of the processor.

/// Features of the processor that compiled code may use. Results do not depend on it. Code of another level is not
/// loaded from the cache on disk. Below [`Host`](Self::Host) code of the PICA200 finds all colours of textures itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CpuLevel {
    /// All that this processor has.
    #[default]
    Host,
    /// On x86-64 those before AVX: up to SSE4.2 with POPCNT. Elsewhere as [`Oldest`](Self::Oldest).
    WithoutAvx,
    /// The least that is supported. On x86-64 SSE4.1; elsewhere the architecture's first version.
    Oldest,
}
