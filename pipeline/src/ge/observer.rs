//! `Observer`: notifications of a machine's progress for a host.

use super::regs::Registers;
use super::stats::Stats;
use crate::memory::Memory;

/// State of a machine, as passed to an observer.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Its registers.
    pub registers: &'a Registers,
    /// Guest memory.
    pub memory: &'a dyn Memory,
    /// Counters of the work so far.
    pub stats: &'a Stats,
    /// Vertex and index pointer: where the next draw finds its vertices and indices.
    pub pointers: [u32; 2],
}

/// Observer of a machine; each method is called at the time of its event. It may write guest memory, and what comes after
/// reads that; a host that gives [versions](Memory::version), or announces its writes, has them changed when the method returns.
pub trait Observer: Send {
    /// A word of a list is about to be executed; its register holds the word before it.
    fn command(&mut self, view: View<'_>, address: u32, word: u32) {
        let _ = (view, address, word);
    }

    /// A drawing command is about to be executed; one that draws nothing ends without [`draw_done`](Self::draw_done).
    fn draw_started(&mut self, view: View<'_>) {
        let _ = view;
    }

    /// A drawing command is complete.
    fn draw_done(&mut self, view: View<'_>) {
        let _ = view;
    }

    /// A block transfer is complete.
    fn transfer_done(&mut self, view: View<'_>) {
        let _ = view;
    }
}
