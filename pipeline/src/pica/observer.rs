//! `Observer`: notifications of a machine's progress for a host.

use super::command::CommandList;
use super::external::{Engine, External};
use super::regs::Registers;
use super::stats::Stats;
use crate::memory::Memory;

/// State of a machine, as passed to an observer.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Its registers.
    pub registers: &'a Registers,
    /// Its registers outside the command processor.
    pub external: &'a External,
    /// Guest memory.
    pub memory: &'a dyn Memory,
    /// Counters of the work so far.
    pub stats: &'a Stats,
}

/// Observer of a machine; each method is called at the time of its event.
pub trait Observer: Send {
    /// A list starts, by the CPU or by a jump.
    fn list_started(&mut self, view: View<'_>, list: CommandList) {
        let _ = (view, list);
    }

    /// A draw is complete; immediate vertices without another register write between them are one draw.
    fn draw_done(&mut self, view: View<'_>) {
        let _ = view;
    }

    /// A fill or transfer is about to start.
    fn engine_started(&mut self, view: View<'_>, engine: Engine) {
        let _ = (view, engine);
    }

    /// A fill or transfer is complete.
    fn engine_done(&mut self, view: View<'_>, engine: Engine) {
        let _ = (view, engine);
    }
}
