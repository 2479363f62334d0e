//! The engine's state for the PICA200, besides routines.

use super::fragment::Binder;
use super::shader::stage::Shading;

/// The state behind both seams.
#[derive(Debug)]
pub(crate) struct Side {
    /// Vertices and geometry.
    pub(super) shading: Shading,
    /// Makes constants for fragment routines.
    pub(super) binder: Binder,
}

impl Side {
    /// The state of a new engine.
    pub(crate) fn new() -> Self {
        Self { shading: Shading::new(), binder: Binder::default() }
    }
}
