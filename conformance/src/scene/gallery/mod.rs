//! The scenes.

mod buffers;
mod card;
mod clip_plane;
mod cube;
mod depth_modes;
mod game_frame;
mod lamp;
mod levels;
mod materials;
mod mirrors;
mod pictures;
mod point_shadows;
mod procedural;
mod projector;
mod sampling;
mod scissor;
mod screens;
mod shading;
mod shadows;
mod transfers;
mod transforms;

use super::Scene;

/// All of them, in the order in which they are shown.
pub(super) fn all() -> Vec<Scene> {
    [
        transforms::SCENES,
        depth_modes::SCENES,
        scissor::SCENES,
        clip_plane::SCENES,
        shading::SCENES,
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
        game_frame::SCENES,
    ]
    .concat()
}
