//! The scenes.

mod buffers;
mod bump;
mod card;
mod clip_plane;
mod combiners;
mod cube;
mod cutouts;
mod depth_modes;
mod eye;
mod finishes;
mod fog;
mod game_frame;
mod immediate_mode;
mod lamp;
mod levels;
mod materials;
mod merger;
mod mirrors;
mod particles;
mod pictures;
mod point_shadows;
mod primitives;
mod procedural;
mod projector;
mod sampling;
mod scissor;
mod screens;
mod shading;
mod shadows;
mod skinned;
mod spots;
mod subdivision;
mod test_card;
mod toon;
mod transfers;
mod transforms;
mod vertex_formats;
mod volumes;

use super::Scene;

/// All of them, in the order in which they are shown.
pub(super) fn all() -> Vec<Scene> {
    [
        transforms::SCENES,
        depth_modes::SCENES,
        primitives::SCENES,
        immediate_mode::SCENES,
        vertex_formats::SCENES,
        shading::SCENES,
        scissor::SCENES,
        clip_plane::SCENES,
        sampling::SCENES,
        levels::SCENES,
        combiners::SCENES,
        spots::SCENES,
        bump::SCENES,
        finishes::SCENES,
        toon::SCENES,
        fog::SCENES,
        merger::SCENES,
        volumes::SCENES,
        cutouts::SCENES,
        materials::SCENES,
        shadows::SCENES,
        buffers::SCENES,
        transfers::SCENES,
        screens::SCENES,
        particles::SCENES,
        subdivision::SCENES,
        skinned::SCENES,
        mirrors::SCENES,
        projector::SCENES,
        point_shadows::SCENES,
        game_frame::SCENES,
    ]
    .concat()
}
