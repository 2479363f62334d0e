//! The engine's state for the GE, besides routines.

use super::pixel::stage::Pixels;
use super::vertex::Transforms;
use super::visibility::Visibility;

/// The state behind both seams.
#[derive(Debug, Default)]
pub(crate) struct Side {
    /// Draws that need no routines.
    pub(super) visibility: Visibility,
    /// Vertex routines at work.
    pub(super) transforms: Transforms,
    /// The pixel routine at work.
    pub(super) pixels: Pixels,
}
