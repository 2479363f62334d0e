//! The combiner stages, as `interp::fragment::combiner`.

use super::quad::Quad;
use crate::emit::pixels::Colour;
use crate::key::fragment::FragmentKey;

/// The colour after the last stage.
pub(super) fn combine(
    quad: &mut Quad<'_, '_>,
    _key: &FragmentKey,
    _textures: &[Option<Colour>; 4],
    _lighting: [Option<Colour>; 2],
) -> Colour {
    quad.vertex_colour()
}
