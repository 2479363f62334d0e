//! The host's images for draws that the interpreter draws: those of the engine's cache, which shows a level once and not for
//! each draw.

use super::image_key::ImageKey;
use crate::texture_cache::{Image, Images};
use picaflor_interp::host::HostImages;
use picaflor_pipeline::ge::stage::PixelState;
use std::sync::Arc;

/// Images of levels.
#[derive(Debug)]
struct Lent(Vec<(ImageKey, Arc<Image>)>);

impl HostImages for Lent {
    fn texel(&self, [_, _, level]: [u32; 3], at: [u32; 2]) -> Option<u32> {
        self.0.iter().find_map(|(key, image)| key.texel(image, level, at))
    }
}

/// The images of the levels that a draw may sample; `None` if the host wants to see none. A level for which there is no memory
/// is sampled as it is.
pub(crate) fn lent(state: &PixelState<'_>, cache: &mut impl Images<ImageKey>) -> Option<Arc<dyn HostImages>> {
    state.memory.replacements()?;
    let levels = if state.registers.is_textured() { state.registers.sampled_levels() } else { 0..0 };
    let keys = levels.filter_map(|level| ImageKey::shown(state, level));
    let images = keys.filter_map(|key| Some((key.clone(), cache.image(state.memory, key).ok()?)));
    Some(Arc::new(Lent(images.collect())))
}
