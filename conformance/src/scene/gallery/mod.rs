//! The scenes.

mod bump;
mod card;
mod combiners;
mod cutouts;
mod eye;
mod finishes;
mod fog;
mod lamps;

mod merger;
mod shadows;
mod toon;
mod transforms;

use super::Scene;

/// All of them, in the order in which they are shown.
pub(super) fn all() -> Vec<Scene> {
    [
        transforms::SCENES,
        combiners::SCENES,
        lamps::SCENES,
        bump::SCENES,
        finishes::SCENES,
        toon::SCENES,
        fog::SCENES,
        merger::SCENES,
        shadows::SCENES,
        cutouts::SCENES,
    ]
    .concat()
}
