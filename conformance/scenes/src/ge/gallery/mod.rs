//! The scenes.

mod buffers;
mod cube;
mod figures;
mod game;
mod lights;
mod mixing;
mod patches;
mod pictures;
mod shapes;
mod sprites;
mod stencils;
mod textures;

use super::Scene;

/// All of them, in the order in which they are shown.
pub(super) fn all() -> Vec<Scene> {
    [
        cube::SCENES,
        lights::SCENES,
        figures::SCENES,
        patches::SCENES,
        sprites::SCENES,
        textures::SCENES,
        mixing::SCENES,
        stencils::SCENES,
        shapes::SCENES,
        buffers::SCENES,
        game::SCENES,
    ]
    .concat()
}
