//! The engine's state for the PICA200, besides routines.

use super::fragment::Binder;
use super::primitive::PrimitiveUnit;
use super::shader::stage::Shading;

/// The state behind the seams.
#[derive(Debug)]
pub(crate) struct Side {
    /// Vertices and geometry.
    pub(super) shading: Shading,
    /// Assembly and set-up.
    pub(super) primitives: PrimitiveUnit,
    /// Makes constants for fragment routines.
    pub(super) binder: Binder,
}

impl Side {
    /// The state of a new engine.
    pub(crate) fn new() -> Self {
        Self { shading: Shading::new(), primitives: PrimitiveUnit::default(), binder: Binder::default() }
    }
}
