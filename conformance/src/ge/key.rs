//! The key of the code that draws pixels, in words.

use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::stage::PixelState;

/// The key, or why there is none.
#[cfg(not(target_family = "wasm"))]
pub(super) fn key(state: &PixelState<'_>, shape: Shape) -> String {
    use picaflor_jit::keys::PixelStateKey;
    PixelStateKey::of(state, shape).map_or_else(|why| why.to_string(), |key| key.to_string())
}

/// Nothing: compiled code cannot run here.
#[cfg(target_family = "wasm")]
pub(super) const fn key(_: &PixelState<'_>, _: Shape) -> String {
    String::new()
}
