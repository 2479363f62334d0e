//! The scenes.

mod clip_plane;
mod depth_modes;
mod game_frame;
mod immediate_mode;
mod particles;
mod primitives;
mod scissor;
mod shading;
mod skinned;
mod subdivision;
mod transforms;
mod vertex_formats;

use super::Scene;

/// All of them, in the order in which they are shown.
pub(super) fn all() -> Vec<Scene> {
    [
        transforms::SCENES,
        depth_modes::SCENES,
        scissor::SCENES,
        clip_plane::SCENES,
        primitives::SCENES,
        immediate_mode::SCENES,
        vertex_formats::SCENES,
        particles::SCENES,
        subdivision::SCENES,
        skinned::SCENES,
        shading::SCENES,
        game_frame::SCENES,
    ]
    .concat()
}
