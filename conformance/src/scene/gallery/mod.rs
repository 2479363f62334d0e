//! The scenes.

mod buffers;
mod bump;
mod card;
mod clip_plane;
mod combiners;
mod cutouts;
mod depth_modes;
mod eye;
mod finishes;
mod fog;
mod game_frame;
mod lamp;
mod levels;
mod materials;
mod merger;
mod pictures;
mod procedural;
mod sampling;
mod scissor;
mod screens;
mod shading;

mod spots;
mod test_card;
mod toon;
mod transfers;
mod transforms;
mod volumes;

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
        combiners::SCENES,
        spots::SCENES,
        bump::SCENES,
        finishes::SCENES,
        toon::SCENES,
        fog::SCENES,
        merger::SCENES,
        volumes::SCENES,
        cutouts::SCENES,
        buffers::SCENES,
        transfers::SCENES,
        screens::SCENES,
        materials::SCENES,
        game_frame::SCENES,
    ]
    .concat()
}
