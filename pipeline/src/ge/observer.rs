//! `Observer`: what a host can watch.

use super::Ge;
use super::regs::Registers;
use super::stats::Stats;
use crate::memory::Memory;

/// A machine as an observer sees it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Its registers.
    pub registers: &'a Registers,
    /// Guest memory.
    pub memory: &'a dyn Memory,
    /// What it has done so far.
    pub stats: &'a Stats,
}

/// Is told what a machine does, at the moment it is done.
pub trait Observer: Send {
    /// A drawing command is complete.
    fn draw_done(&mut self, view: View<'_>) {
        let _ = view;
    }

    /// A block transfer is complete.
    fn transfer_done(&mut self, view: View<'_>) {
        let _ = view;
    }
}

impl Ge {
    /// Has `observer` told what happens, from now on; returns the one before.
    pub fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        std::mem::replace(&mut self.observer, observer)
    }

    /// Tells the observer, if there is one.
    pub(super) fn tell(&mut self, memory: &dyn Memory, event: impl FnOnce(&mut dyn Observer, View<'_>)) {
        if let Some(observer) = &mut self.observer {
            let (registers, stats) = (&self.state.registers, &self.state.stats);
            event(&mut **observer, View { registers, memory, stats });
        }
    }
}
