//! What an engine keeps for the PICA200, besides routines.

use super::fragment::Binder;
use super::shader::stage::Shading;
use crate::texture_cache::TextureStats;

/// The state behind both seams.
#[derive(Debug)]
pub(crate) struct Side {
    /// Vertices and geometry.
    pub(super) shading: Shading,
    /// Makes constants for fragment routines.
    pub(super) binder: Binder,
}

impl Side {
    /// Keeps so many bytes of textures.
    pub(crate) fn new(texture_budget: usize) -> Self {
        Self { shading: Shading::new(), binder: Binder::new(texture_budget) }
    }

    pub(crate) fn texture_stats(&self) -> TextureStats {
        self.binder.texture_stats()
    }
}
