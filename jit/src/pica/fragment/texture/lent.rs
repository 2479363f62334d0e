//! The host's images for draws that the interpreter draws: those of the engine's cache, which shows a texture once and not for
//! each draw.

use super::bind::image_key;
use super::image_key::ImageKey;
use crate::pica::key::fragment::texture::TextureKey;
use crate::texture_cache::{Image, Images};
use picaflor_interp::host::HostImages;
use picaflor_pipeline::pica::stage::FragmentState;
use std::sync::Arc;

/// Images of the units.
#[derive(Debug)]
struct Lent([Option<(ImageKey, Arc<Image>)>; 3]);

impl HostImages for Lent {
    fn texel(&self, [unit, face, level]: [u32; 3], at: [u32; 2]) -> Option<u32> {
        let (key, image) = self.0.get(unit as usize)?.as_ref()?;
        key.texel(image, [face, level], at)
    }
}

/// The images of the textures that a draw may sample; `None` if the host wants to see none. A texture for which there is no
/// memory is sampled as it is.
pub(in super::super) fn lent(
    state: &FragmentState<'_>,
    cache: &mut impl Images<ImageKey>,
) -> Option<Arc<dyn HostImages>> {
    state.memory.replacements()?;
    let mut of_unit = |unit| {
        let key = image_key(state, unit, TextureKey::of(state.registers, unit).sampler()?);
        let image = key.is_shown().then(|| cache.image(state.memory, key))?;
        Some((key, image.ok()?))
    };
    Some(Arc::new(Lent([of_unit(0), of_unit(1), of_unit(2)])))
}
