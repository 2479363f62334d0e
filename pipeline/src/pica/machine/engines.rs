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
use crate::pica::prices;
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

    /// Runs a fill unit or the transfer engine to its end. What cannot be paid does nothing, but the guest, which may wait
    /// for it, finds the engine done.
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
        self.check_fill(unit);
        let FillSettings { start, end, value, width } = settings;
        let fill = Fill { start, end, value, width: FillWidth::from_bits(u32::from(width)) };
        if self.account.pay(prices::blit::fill(&fill)) {
            self.state.stats.fills += 1;
            if let Err(fault) = host.stages.fill(host.memory, &fill) {
                self.faults.push_once(of_unit(fault, unit));
            }
        }
        let interrupt = if unit == 0 { Interrupt::Psc0 } else { Interrupt::Psc1 };
        self.raise(interrupt, Some(&|rates| rates.of_fill(end.saturating_sub(start))));
    }

    fn transfer(&mut self, host: &mut Host<'_>) {
        let registers = transfer_registers(self.state.external.transfer_words());
        self.check_transfer(&registers);
        if self.account.pay(prices::blit::transfer(host.memory, &registers)) {
            self.state.stats.transfers += 1;
            if let Err(fault) = host.stages.transfer(host.memory, &registers) {
                self.faults.push_once(fault);
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::limits::Limits;
    use crate::pica::machine::budget::RunError;
    use crate::pica::testing::{Bench, LIST};

    const VRAM: u32 = 0x1800_0000;
    const FILL: [(u32, u32); 4] = [(0x10, VRAM >> 3), (0x14, (VRAM + 0x800) >> 3), (0x18, 0x0505), (0x1c, 1)];
    const COPY: [(u32, u32); 5] =
        [(0xc00, LIST >> 3), (0xc04, VRAM >> 3), (0xc20, 0x800), (0xc10, 8), (0xc18, 1)];

    /// Writes words at offsets from 0x10400000 within a limit; the end of the last write, and what was written.
    fn started(words: &[(u32, u32)], work: u64) -> (Result<(), RunError>, Bench) {
        let mut bench = Bench::new();
        bench.pica = bench.pica.with_limits(Limits::DEFAULT.with_work(work));
        bench.put(LIST, &[0x0505_0505; 0x200]);
        let ends: Vec<_> =
            words.iter().map(|&(offset, value)| bench.mmio(0x1040_0000 + offset, value)).collect();
        (*ends.last().expect("a write"), bench)
    }

    /// Control words, interrupts, and whether anything was filled or copied.
    fn seen(bench: &mut Bench) -> (u32, Vec<Interrupt>, bool) {
        let raised = bench.pica.interrupts().iter().collect();
        let is_written = match bench.bytes(VRAM, 0x800) {
            bytes if bytes == [5; 0x800] => true,
            bytes => {
                assert_eq!(bytes, [0; 0x800], "all or nothing");
                false
            }
        };
        (bench.pica.read_mmio(0x1040_0034), raised, is_written)
    }

    #[test]
    fn what_cannot_be_paid_has_no_effect_and_completes() {
        for (words, completion, interrupt) in
            [(FILL.as_slice(), 1 << 26, Interrupt::Psc0), (&COPY, 1 << 30, Interrupt::Ppf)]
        {
            let price = started(words, u64::MAX).1.pica.work();
            assert!(price > 0x800 / 4);
            for work in [0, price - 1, price, price + 1] {
                let (end, mut bench) = started(words, work);
                let is_paid = work >= price;
                assert_eq!(end, if is_paid { Ok(()) } else { Err(RunError::Budget { limit: work }) });
                assert_eq!(seen(&mut bench), (completion, vec![interrupt], is_paid), "{interrupt:?} {work}");
                let stats = bench.pica.stats();
                assert_eq!(
                    (stats.fills + stats.transfers, bench.pica.work()),
                    if is_paid { (1, price) } else { (0, 0) }
                );
                assert!(bench.pica.faults().as_slice().is_empty());
            }
        }
    }

    /// Each write has an account of its own.
    #[test]
    fn accounts_begin_with_each_start() {
        let price = started(&FILL, u64::MAX).1.pica.work();
        let twice = [FILL.as_slice(), &[(0x1c, 1)]].concat();
        let (end, bench) = started(&twice, price);
        assert_eq!((end, bench.pica.stats().fills), (Ok(()), 2));
    }

    /// Immediate vertices that are drawn before a fill are paid from its account.
    #[test]
    fn vertices_before_a_fill_are_paid_with_it() {
        let run = |work: u64| {
            let mut bench = Bench::new();
            bench.pica = bench.pica.with_limits(Limits::DEFAULT.with_work(work));
            let vertex = [(0x232, 15), (0x233, 0), (0x233, 0), (0x233, 0)];
            vertex.iter().for_each(|&(id, word)| bench.cpu(id, word).expect("nothing is drawn"));
            let (last, first) = FILL.split_last().expect("words");
            first
                .iter()
                .for_each(|&(offset, value)| bench.mmio(0x1040_0000 + offset, value).expect("no start"));
            (bench.mmio(0x1040_0000 + last.0, last.1), bench)
        };
        let (fill, both) = (started(&FILL, u64::MAX).1.pica.work(), run(Limits::DEFAULT.work).1.pica.work());
        assert!(both > fill + prices::DRAW, "{both} {fill}");
        for work in [both - 1, both] {
            let (end, mut bench) = run(work);
            assert_eq!(end.is_ok(), work == both, "{end:?}");
            assert_eq!(seen(&mut bench).2, work == both);
            assert_eq!(bench.pica.stats().draws, 1, "the draw was paid");
        }
    }
}
