//! `Observer`: what a host can watch.

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
