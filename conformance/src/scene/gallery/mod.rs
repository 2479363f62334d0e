//! The scenes.

mod buffers;
mod card;
mod lamp;
mod levels;
mod materials;
mod mirrors;
mod pictures;
mod point_shadows;
mod procedural;
mod projector;
mod sampling;
mod screens;
mod shadows;
mod transfers;
mod transforms;

use super::Scene;

/// All of them, in the order in which they are shown.
pub(super) fn all() -> Vec<Scene> {
    [
        transforms::SCENES,
        sampling::SCENES,
        levels::SCENES,
        buffers::SCENES,
        transfers::SCENES,
        screens::SCENES,
        materials::SCENES,
        mirrors::SCENES,
        projector::SCENES,
        shadows::SCENES,
        point_shadows::SCENES,
    ]
    .concat()
}
