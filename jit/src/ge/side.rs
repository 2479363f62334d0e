//! The engine's state for the GE, besides routines.

use super::pixel::stage::Pixels;
use super::vertex::Transforms;

/// The state behind both seams.
#[derive(Debug, Default)]
pub(crate) struct Side {
    /// Vertex routines at work.
    pub(super) transforms: Transforms,
    /// The pixel routine at work.
    pub(super) pixels: Pixels,
}
