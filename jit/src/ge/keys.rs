//! Keys of the GE, for tools.

use super::key::texture::{TextureKey, textured};
use super::key::{PixelKey, TransformKey};
use crate::error::CompileError;
use crate::key::public_key;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::vram::AddressMaps;

public_key! {
    /// The key of a pixel state, for primitives of a shape: states with equal keys are drawn in the same way. Its text is the
    /// name of the routine, but for filters and wrap modes, which code does not depend on.
    pub struct PixelStateKey(PixelKey);
}

impl PixelStateKey {
    /// The key of a state.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for a state without a compiled path.
    pub fn of(state: &PixelState<'_>, shape: Shape) -> Result<Self, CompileError> {
        PixelKey::of(state, shape).map(Self)
    }

    /// Registers of a state, and its shape, of which this is the key; with the address maps that a depth test needs,
    /// and vertices that do not come from registers.
    #[must_use]
    pub fn to_registers(&self) -> (Registers, AddressMaps, Shape) {
        self.0.to_registers()
    }
}

public_key! {
    /// The texture part of a pixel state's key.
    pub struct TextureStateKey(TextureKey);
}

impl TextureStateKey {
    /// The part of a state's key; nothing where pixels have no texture.
    #[must_use]
    pub fn of(state: &PixelState<'_>) -> Option<Self> {
        textured(state.registers, state.is_immediate).map(Self)
    }
}

public_key! {
    /// The key of the vertex path: states with equal keys are transformed in the same way. Its text is the name of the routine,
    /// but for what is done with what is read of records, on which code does not depend.
    pub struct TransformStateKey(TransformKey);
}

impl TransformStateKey {
    /// The key of a state.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for a state without a compiled path.
    pub fn of(registers: &Registers) -> Result<Self, CompileError> {
        TransformKey::of(registers).map(Self)
    }

    /// Registers of which this is the key.
    #[must_use]
    pub fn to_registers(&self) -> Registers {
        self.0.to_registers()
    }
}
