//! The combiner stages, as `interp::fragment::combiner`.

use super::quad::Quad;
use crate::emit::pixels::Colour;
use crate::key::fragment::FragmentKey;
use crate::key::fragment::combiner::CombinerKey;

/// The colour after the last stage.
pub(super) fn combine(
    quad: &mut Quad<'_, '_>,
    key: &FragmentKey,
    textures: &[Option<Colour>; 4],
    _lighting: [Option<Colour>; 2],
) -> Colour {
    match key.combiners {
        CombinerKey::VertexColour => quad.vertex_colour(),
        CombinerKey::Texture(unit) => textures[usize::from(unit)].expect("the key reads it"),
    }
}
