//! What registers start: draws, fills, transfers.
//!
//! Source: pica-geometry.md 3.5, 3.6, 7.

use super::Pica;
use super::external::Engine;
use super::handler::Handler;
use super::interrupts::Interrupt;
use super::machine::Host;
use crate::memory::{Memory, write_bytes};

impl Pica {
    /// Draws the immediate vertices that wait.
    pub(super) fn flush(&mut self, host: &mut Host<'_>) {
        let _ = host;
    }

    pub(super) fn draw(&mut self, host: &mut Host<'_>, indexed: bool) {
        let _ = indexed;
        self.drawn = true;
        self.state.stats.draws += 1;
        self.tell(host.memory, |observer, view| observer.draw_done(view));
    }

    pub(super) fn write_fixed(
        &mut self,
        host: &mut Host<'_>,
        handler: Handler,
        id: u16,
        value: u32,
        mask: u8,
    ) {
        let _ = (host, handler);
        self.state.registers.write(id, value, mask);
    }

    pub(super) fn write_primitive(&mut self, value: u32, mask: u8) {
        self.state.registers.write(0x25e, value, mask);
    }

    pub(super) fn restart_primitive(&mut self) {}

    /// Runs a fill unit or the transfer engine to its end.
    pub(super) fn run_engine(&mut self, memory: &dyn Memory, engine: Engine) {
        self.tell(memory, |observer, view| observer.engine_started(view, engine));
        match engine {
            Engine::Fill(unit) => self.fill(memory, unit),
            Engine::Transfer => self.transfer(memory),
        }
        self.state.external.finish(engine);
        self.tell(memory, |observer, view| observer.engine_done(view, engine));
    }

    /// A fill from address 0 does nothing and raises no interrupt (assumed; software sets it so to leave out
    /// a unit).
    fn fill(&mut self, memory: &dyn Memory, unit: u8) {
        let fill = self.state.external.fill(unit);
        if fill.start == 0 {
            return;
        }
        self.state.stats.fills += 1;
        write_bytes(memory, fill.start, &[]);
        self.state.interrupts.raise(if unit == 0 { Interrupt::Psc0 } else { Interrupt::Psc1 });
    }

    fn transfer(&mut self, memory: &dyn Memory) {
        let _ = memory;
        self.state.stats.transfers += 1;
        self.state.interrupts.raise(Interrupt::Ppf);
    }
}
