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

/// Observer of a machine; each method is called at the time of its event. It may write guest memory, and what comes after
/// reads that; a host that gives [versions](Memory::version), or announces its writes, has them changed when the method returns.
pub trait Observer: Send {
    /// A list starts, by the CPU or by a jump.
    fn list_started(&mut self, view: View<'_>, list: CommandList) {
        let _ = (view, list);
    }

    /// A command is about to be executed: its address, the first register and the first value that it writes.
    fn command(&mut self, view: View<'_>, address: u32, register: u32, value: u32) {
        let _ = (view, address, register, value);
    }

    /// A register was written, by a command or the CPU, and what the write started is done. `mask` has the bytes, bit 0
    /// for the lowest. Registers of ports and triggers are among them.
    fn register_written(&mut self, view: View<'_>, register: u32, value: u32, mask: u8) {
        let _ = (view, register, value, mask);
    }

    /// A draw is about to start; one without vertices ends without [`draw_done`](Self::draw_done).
    fn draw_started(&mut self, view: View<'_>) {
        let _ = view;
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
