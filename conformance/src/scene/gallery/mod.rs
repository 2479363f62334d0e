//! The scenes.

mod transforms;

use super::Scene;

/// All of them, in the order in which they are shown.
pub(super) fn all() -> Vec<Scene> {
    [transforms::SCENES].concat()
}
