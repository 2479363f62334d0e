//! States of the draws so far: their keys, bindings and routines.

use super::combiner;
use crate::code::pica::blocks::FragmentRoutine;
use crate::code::pica::found::{self, ToFind};
use crate::cpu_level::CpuLevel;
use crate::error::CompileError;
use crate::pica::key::fragment::FragmentKey;
use crate::pica::key::fragment::words::StateWords;
use picaflor_pipeline::hashing::Seeds;
use picaflor_pipeline::pica::regs::Registers;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// States that are kept, of about a kilobyte each; with more of them all are forgotten.
const MOST: usize = 4096;

/// A state, as long as nothing but data changes.
#[derive(Debug)]
pub(super) struct DrawState {
    /// The key of its code.
    pub(super) key: FragmentKey,
    /// The key of all that is done, in code or before.
    pub(super) whole: FragmentKey,
    /// What is found before.
    pub(super) to_find: Arc<ToFind>,
    pub(super) constants: combiner::Constants,
    /// The routine, weakly referenced: the engine's cache may evict it.
    routine: Weak<FragmentRoutine>,
    /// The list in which the cache was asked for it.
    asked: u64,
}

/// The states by their words.
#[derive(Debug, Default)]
pub(super) struct DrawStates {
    numbers: HashMap<StateWords, usize, Seeds>,
    states: Vec<DrawState>,
}

impl DrawStates {
    /// The number of a state, until the next one is asked for.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for a state that compiled code does not know.
    pub(super) fn find(&mut self, registers: &Registers, level: CpuLevel) -> Result<usize, CompileError> {
        let words = StateWords::of(registers);
        if let Some(&number) = self.numbers.get(&words) {
            return Ok(number);
        }
        let known = DrawState::of(&words.to_registers(), found::are_found(level))?;
        if self.states.len() >= MOST {
            self.numbers.clear();
            self.states.clear();
        }
        self.numbers.insert(words, self.states.len());
        self.states.push(known);
        Ok(self.states.len() - 1)
    }

    /// A state.
    pub(super) fn get(&self, number: usize) -> &DrawState {
        &self.states[number]
    }

    /// A state, to keep its routine.
    pub(super) fn get_mut(&mut self, number: usize) -> &mut DrawState {
        &mut self.states[number]
    }
}

impl DrawState {
    /// `found`: colours of textures and of lights are, before the code runs.
    fn of(registers: &Registers, found: bool) -> Result<Self, CompileError> {
        let whole = FragmentKey::of(registers)?;
        let key = if found { whole.of_code() } else { whole };
        let to_find = Arc::new(ToFind::new(&whole, &key));
        let constants = combiner::Constants::of(registers, key.needs());
        Ok(Self { key, whole, to_find, constants, routine: Weak::new(), asked: 0 })
    }

    /// Nanoseconds that the interpreter needs for a pixel, about (measured: 270 to 390 without lights, 580 with two).
    pub(super) fn interpreted(&self) -> u64 {
        300 + 150 * self.whole.lighting().map_or(0, |lighting| lighting.lights.count.into())
    }

    /// The routine, if it was looked up in this list: one lookup per list keeps the cache's times of last use
    /// current.
    pub(super) fn routine(&self, list: u64) -> Option<Arc<FragmentRoutine>> {
        if self.asked == list { self.routine.upgrade() } else { None }
    }

    /// The cache gave this routine.
    pub(super) fn keep(&mut self, list: u64, routine: &Arc<FragmentRoutine>) {
        self.routine = Arc::downgrade(routine);
        self.asked = list;
    }
}
