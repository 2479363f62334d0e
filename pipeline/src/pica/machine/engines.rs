//! Operations started by registers: draws, fills, transfers.
//!
//! Source: pica-geometry.md 3.5, 3.6, 4.3, 7.

use crate::bits::Field;
use crate::fault::Fault;
use crate::pica::Pica;
use crate::pica::draw::{DrawContext, FrontEnd};
use crate::pica::external::interrupts::Interrupt;
use crate::pica::external::{Engine, FAULT_ID, FillSettings};
use crate::pica::machine::{Host, State};
use crate::pica::regs::Registers;
use crate::pica::stage::blit::Fill;
use crate::pica::transfer::{FillWidth, TransferRegisters};

/// `PRIMITIVE_CONFIG`.
const PRIMITIVE_CONFIG: u16 = 0x25e;

impl Pica {
    /// Runs an action of the front end, and calls the observer if the action drew.
    fn front_end(&mut self, host: &mut Host<'_>, action: impl FnOnce(&mut FrontEnd, &mut DrawContext<'_>)) {
        self.front_end_under(host, None, action);
    }

    /// The same with other registers than those of the machine.
    pub(crate) fn front_end_under(
        &mut self,
        host: &mut Host<'_>,
        registers: Option<&Registers>,
        action: impl FnOnce(&mut FrontEnd, &mut DrawContext<'_>),
    ) {
        let State { registers: own, luts, vertex, geometry, front_end, stats, .. } = &mut self.state;
        let draws = stats.draws;
        let mut context = DrawContext {
            registers: registers.unwrap_or(own),
            luts,
            vertex,
            geometry,
            stages: &mut *host.stages,
            memory: host.memory,
            precision: self.precision,
            obeys_attribute_clocks: self.obeys_attribute_clocks,
            limits: &self.limits,
            queue: &mut *host.queue,
            faults: &mut self.faults,
            stats,
            account: &mut self.account,
            texels: &mut self.texels,
            stopper: &self.stopper,
        };
        action(front_end, &mut context);
        if self.state.stats.draws != draws {
            self.drawn = true;
            if self.observer.is_some() {
                host.queue.finish();
            }
            self.state.stats.fragments += host.queue.take_fragments();
            self.tell(host.memory, |observer, view| observer.draw_done(view));
        }
    }

    /// Draws the pending immediate vertices.
    pub(crate) fn flush(&mut self, host: &mut Host<'_>) {
        if self.state.front_end.has_pending() {
            self.tell(host.memory, |observer, view| observer.draw_started(view));
            self.front_end(host, FrontEnd::flush);
        }
    }

    pub(crate) fn draw(&mut self, host: &mut Host<'_>, indexed: bool) {
        self.flush(host);
        self.tell(host.memory, |observer, view| observer.draw_started(view));
        self.front_end(host, |front_end, context| front_end.draw(context, indexed));
    }

    pub(crate) fn select_fixed(&mut self, host: &mut Host<'_>, value: u32, mask: u8) {
        let value = self.state.registers.write(0x232, value, mask);
        self.front_end(host, |front_end, context| front_end.select_fixed(context, value));
    }

    pub(crate) fn fixed_word(&mut self, host: &mut Host<'_>, word: u32) {
        self.front_end(host, |front_end, context| front_end.fixed_word(context, word));
    }

    pub(crate) fn write_primitive(&mut self, value: u32, mask: u8) {
        let registers = &mut self.state.registers;
        let before = registers.raw(PRIMITIVE_CONFIG);
        let after = registers.write(PRIMITIVE_CONFIG, value, mask);
        if (before ^ after) & 0x300 != 0 {
            self.state.front_end.topology_changed();
        }
    }

    pub(crate) const fn restart_primitive(&mut self) {
        self.state.front_end.restart();
    }

    /// Runs a fill unit or the transfer engine to its end.
    pub(crate) fn run_engine(&mut self, host: &mut Host<'_>, engine: Engine) {
        self.tell(host.memory, |observer, view| observer.engine_started(view, engine));
        match engine {
            Engine::Fill(unit) => self.fill(host, unit),
            Engine::Transfer => self.transfer(host),
        }
        self.state.external.finish(engine);
        self.tell(host.memory, |observer, view| observer.engine_done(view, engine));
    }

    /// A fill from address 0 does nothing and raises no interrupt (assumed; software uses it to skip a unit).
    fn fill(&mut self, host: &mut Host<'_>, unit: u8) {
        let settings = self.state.external.fill(unit);
        if settings.start == 0 {
            return;
        }
        self.state.stats.fills += 1;
        self.check_fill(unit);
        let FillSettings { start, end, value, width } = settings;
        let fill = Fill { start, end, value, width: FillWidth::from_bits(u32::from(width)) };
        if let Err(fault) = host.stages.fill(host.memory, &fill) {
            self.faults.push_once(of_unit(fault, unit));
        }
        let interrupt = if unit == 0 { Interrupt::Psc0 } else { Interrupt::Psc1 };
        self.raise(interrupt, Some(&|rates| rates.of_fill(end.saturating_sub(start))));
    }

    fn transfer(&mut self, host: &mut Host<'_>) {
        self.state.stats.transfers += 1;
        let registers = transfer_registers(self.state.external.transfer_words());
        self.check_transfer(&registers);
        if let Err(fault) = host.stages.transfer(host.memory, &registers) {
            self.faults.push_once(fault);
        }
        self.raise(Interrupt::Ppf, Some(&|rates| rates.of_transfer(&registers)));
    }
}

/// Sets the register of a fault to the start register of the unit that caused it.
const fn of_unit(fault: Fault, unit: u8) -> Fault {
    match fault {
        Fault::Unmapped { address, .. } => {
            Fault::Unmapped { id: FAULT_ID | (0x10 + 0x10 * unit as u16), address }
        }
        other => other,
    }
}

const fn transfer_registers(words: [u32; 12]) -> TransferRegisters {
    TransferRegisters {
        input: words[0],
        output: words[1],
        output_size: words[2],
        input_size: words[3],
        flags: words[4],
        copy_size: words[8],
        copy_input: words[9],
        copy_output: words[10],
    }
}
