//! Keys of the PICA200, for tools.

use super::key::fragment::{FragmentKey, combiner};
use crate::error::CompileError;
use crate::key::public_key;
use picaflor_pipeline::pica::regs::Registers;

public_key! {
    /// The key of a fragment state: states with equal keys run the same code.
    pub struct FragmentStateKey(FragmentKey);
}

impl FragmentStateKey {
    /// The key of a state.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for a state without a compiled path.
    pub fn of(registers: &Registers) -> Result<Self, CompileError> {
        FragmentKey::of(registers).map(Self)
    }

    /// Constants from the combiner registers for draws with this key, in the order of their names in the key.
    #[must_use]
    pub fn constants(&self, registers: &Registers) -> CombinerConstants {
        let uses = combiner::constants(registers, self.0.needs());
        let values = uses.as_flattened().iter().flatten().flatten();
        CombinerConstants(values.map(|use_| use_.value(registers)).collect())
    }

    /// A register state with this key.
    #[must_use]
    pub fn to_registers(&self) -> Registers {
        self.0.to_registers()
    }
}

/// Constants of combiner stages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CombinerConstants(Vec<[u8; 4]>);
