//! The scenes.

mod buffers;
mod card;
mod clip_plane;
mod depth_modes;
mod game_frame;
mod lamp;
mod levels;
mod materials;
mod pictures;
mod procedural;
mod sampling;
mod scissor;
mod screens;
mod shading;
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
        game_frame::SCENES,
    ]
    .concat()
}
