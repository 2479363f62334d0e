//! The combiner stages, as `interp::fragment::combiner`.

use super::quad::Quad;
use super::texture;
use crate::emit::pixels::Colour;
use crate::key::fragment::FragmentKey;
use crate::key::fragment::combiner::CombinerKey;

/// The colour after the last stage.
pub(super) fn combine(quad: &mut Quad<'_, '_>, key: &FragmentKey) -> Colour {
    match key.combiners {
        CombinerKey::VertexColour => quad.vertex_colour(),
        CombinerKey::Texture(unit) => texture::sample(quad, key, usize::from(unit)),
    }
}
