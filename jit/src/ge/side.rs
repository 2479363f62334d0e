//! What an engine keeps for the GE, besides routines.

use super::pixel::Binder;
use super::vertex::Transforms;

/// The state behind both seams.
#[derive(Debug)]
pub(crate) struct Side {
    /// Makes constants for pixel routines.
    pub(super) binder: Binder,
    /// Vertex routines at work.
    pub(super) transforms: Transforms,
}

impl Side {
    /// Keeps so many bytes of textures.
    pub(crate) fn new(texture_budget: usize) -> Self {
        Self { binder: Binder::new(texture_budget), transforms: Transforms::default() }
    }
}
