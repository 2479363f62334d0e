//! What code is selected by, for tools: the names of routines.

use super::key::texture::textured;
use super::key::{PixelKey, TransformKey};
use crate::error::CompileError;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::PixelState;

/// The key of a pixel state of the GE, as text: the name of its routine.
///
/// # Errors
/// [`CompileError::UnknownState`] for what compiled code does not draw.
pub fn ge_pixel(state: &PixelState<'_>, shape: Shape) -> Result<String, CompileError> {
    Ok(PixelKey::of(state, shape)?.to_string())
}

/// The key of the GE's vertex path, as text: the name of its routine.
///
/// # Errors
/// [`CompileError::UnknownState`] for what compiled code does not transform.
pub fn ge_transform(registers: &Registers) -> Result<String, CompileError> {
    Ok(TransformKey::of(registers)?.to_string())
}

/// What of a GE pixel state's key belongs to its texture, as text; nothing where pixels have no texture.
#[must_use]
pub fn ge_texture(state: &PixelState<'_>) -> Option<String> {
    textured(state.registers, state.is_immediate).map(|key| key.to_string())
}
