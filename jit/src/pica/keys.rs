//! What code is selected by, for tools: printable, comparable keys of fragment states.

use super::key::fragment::{FragmentKey, combiner};
use crate::error::CompileError;
use picaflor_pipeline::pica::regs::Registers;
use std::fmt;
use std::str::FromStr;

/// The key of a fragment state: states with equal keys run the same code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentStateKey(FragmentKey);

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

/// The text was printed for no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the text of a fragment key")]
pub struct NotAKey;

impl FromStr for FragmentStateKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        text.parse().map(Self).map_err(|()| NotAKey)
    }
}

impl fmt::Display for FragmentStateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
