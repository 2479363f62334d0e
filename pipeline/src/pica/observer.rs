//! `Observer`: what a host can watch.

use super::command::CommandList;
use super::external::{Engine, External};
use super::regs::Registers;
use super::stats::Stats;
use crate::memory::Memory;

/// A machine as an observer sees it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Its registers.
    pub registers: &'a Registers,
    /// Its registers outside the command processor.
    pub external: &'a External,
    /// Guest memory.
    pub memory: &'a dyn Memory,
    /// What it has done so far.
    pub stats: &'a Stats,
}

/// Is told what a machine does, at the moment it is done.
pub trait Observer: Send {
    /// A list begins, by the CPU or by a jump.
    fn list_started(&mut self, view: View<'_>, list: CommandList) {
        let _ = (view, list);
    }

    /// A draw is complete; immediate vertices without another register write in between are one.
    fn draw_done(&mut self, view: View<'_>) {
        let _ = view;
    }

    /// A fill or transfer is about to begin.
    fn engine_started(&mut self, view: View<'_>, engine: Engine) {
        let _ = (view, engine);
    }

    /// A fill or transfer is complete.
    fn engine_done(&mut self, view: View<'_>, engine: Engine) {
        let _ = (view, engine);
    }
}
