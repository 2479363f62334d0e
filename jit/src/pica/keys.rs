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
    /// [`CompileError::UnknownState`] for a state that compiled code does not know.
    pub fn of(registers: &Registers) -> Result<Self, CompileError> {
        FragmentKey::of(registers).map(Self)
    }

    /// The constants that draws in a state with this key take from combiner registers, in the order in which the
    /// key names them.
    #[must_use]
    pub fn constants(&self, registers: &Registers) -> CombinerConstants {
        let uses = combiner::constants(registers, self.0.needs());
        let values = uses.as_flattened().iter().flatten().flatten();
        CombinerConstants(values.map(|use_| use_.value(registers)).collect())
    }

    /// Registers of which this is the key.
    #[must_use]
    pub fn to_registers(&self) -> Registers {
        self.0.to_registers()
    }
}

/// Constants of combiner stages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CombinerConstants(Vec<[u8; 4]>);
