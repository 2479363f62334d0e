//! The engine's state for the GE, besides routines.

use super::vertex::Transforms;

/// The state behind both seams.
#[derive(Debug, Default)]
pub(crate) struct Side {
    /// Vertex routines at work.
    pub(super) transforms: Transforms,
}
