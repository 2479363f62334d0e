//! A model of time: cycles that the work of a guest would take, for hosts that deliver interrupts later.
//!
//! It is off by default, and nothing that a guest can see depends on it. Cycles follow from counters of the guest's
//! requests, so they are the same on every engine and any number of threads. No console was measured; each constant names
//! its origin.
//!
//! Source: pica-geometry.md 11.

use super::external::interrupts::Interrupt;
use super::stats::Stats;
use super::transfer::{TransferFlags, TransferRegisters};

/// Cycles of the GPU in a second (pica-geometry.md 11).
pub const CYCLES_PER_SECOND: u64 = 268_111_856;
/// Parts of a cycle in which [`Rates`] are given.
pub const PARTS: u64 = 256;
/// Delays that are kept until they are taken.
const MOST_DELAYS: usize = 64;

/// Costs in 256ths of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rates {
    /// A command of a list.
    pub command: u32,
    /// A draw.
    pub draw: u32,
    /// A vertex that is shaded, or a run of the geometry program.
    pub vertex: u32,
    /// A triangle that is culled.
    pub culled: u32,
    /// A triangle that is drawn, before its pixels.
    pub triangle: u32,
    /// A pixel in the bounds of triangles, of which about half are covered.
    pub pixel: u32,
    /// A byte that is filled.
    pub fill_byte: u32,
    /// A byte that a transfer or copy writes.
    pub transfer_byte: u32,
}

impl Rates {
    /// 6 cycles: an estimate of an emulator (pica-geometry.md 11).
    pub const COMMAND: u32 = 6 * 256;
    /// 64 cycles: assumed.
    pub const DRAW: u32 = 64 * 256;
    /// 8 cycles: assumed.
    pub const VERTEX: u32 = 8 * 256;
    /// 80 ns: an estimate of an emulator (pica-geometry.md 11).
    pub const CULLED: u32 = 5491;
    /// 400 ns, half of what was measured with pixels: an estimate of an emulator (pica-geometry.md 11).
    pub const TRIANGLE: u32 = 27_455;
    /// An eighth: four covered pixels in a cycle, assumed.
    pub const PIXEL: u32 = 32;
    /// A sixteenth: assumed.
    pub const FILL_BYTE: u32 = 16;
    /// A quarter: assumed.
    pub const TRANSFER_BYTE: u32 = 64;

    /// Cost of counted work, in parts of a cycle.
    fn of(&self, stats: &Stats) -> u64 {
        let displayed = stats.triangles_displayed.min(stats.triangles);
        let items = [
            (stats.commands, self.command),
            (stats.draws, self.draw),
            (stats.shaded, self.vertex),
            (stats.triangles - displayed, self.culled),
            (displayed, self.triangle),
            (stats.pixels, self.pixel),
        ];
        items.into_iter().fold(0, |sum, (count, rate)| sum.wrapping_add(count.wrapping_mul(rate.into())))
    }

    pub(crate) fn of_fill(&self, bytes: u32) -> u64 {
        u64::from(bytes) * u64::from(self.fill_byte)
    }

    pub(crate) fn of_transfer(&self, registers: &TransferRegisters) -> u64 {
        let flags = TransferFlags(registers.flags);
        let [width, height] = [registers.output_size & 0xffff, registers.output_size >> 16].map(u64::from);
        let bytes = match flags.copy() {
            true => u64::from(registers.copy_size),
            false => width * height * u64::from(flags.output_format().colour().bytes()),
        };
        bytes * u64::from(self.transfer_byte)
    }
}

/// The constants.
impl Default for Rates {
    fn default() -> Self {
        Self {
            command: Self::COMMAND,
            draw: Self::DRAW,
            vertex: Self::VERTEX,
            culled: Self::CULLED,
            triangle: Self::TRIANGLE,
            pixel: Self::PIXEL,
            fill_byte: Self::FILL_BYTE,
            transfer_byte: Self::TRANSFER_BYTE,
        }
    }
}

/// An interrupt, and the cycles from the start of the run, fill or transfer that raised it until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delay {
    /// The interrupt.
    pub interrupt: Interrupt,
    /// Cycles of the GPU.
    pub cycles: u64,
}

/// The model of a machine.
#[derive(Debug, Clone)]
pub(crate) struct Timing {
    rates: Rates,
    /// Cost of everything before the run.
    start: u64,
    delays: Vec<Delay>,
}

impl Timing {
    pub(crate) fn new(rates: Rates, stats: &Stats) -> Self {
        Self { rates, start: rates.of(stats), delays: Vec::new() }
    }

    pub(crate) fn begin(&mut self, stats: &Stats) {
        self.start = self.rates.of(stats);
    }

    /// Cycles of the run so far.
    pub(crate) fn cycles(&self, stats: &Stats) -> u64 {
        self.rates.of(stats).wrapping_sub(self.start) / PARTS
    }

    /// Keeps an interrupt of the run, or of a unit with a cost of its own, in parts of a cycle.
    pub(crate) fn raised(&mut self, interrupt: Interrupt, stats: &Stats, own: Option<u64>) {
        let cycles = own.map_or_else(|| self.cycles(stats), |parts| parts / PARTS);
        if self.delays.len() == MOST_DELAYS {
            self.delays.remove(0);
        }
        self.delays.push(Delay { interrupt, cycles });
    }

    pub(crate) const fn rates(&self) -> &Rates {
        &self.rates
    }

    pub(crate) fn take(&mut self) -> Vec<Delay> {
        std::mem::take(&mut self.delays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::testing::{Bench, LIST, header};

    const VRAM: u32 = 0x1800_0000;

    fn delay(interrupt: Interrupt, cycles: u64) -> Delay {
        Delay { interrupt, cycles }
    }

    /// Three commands up to the request of an interrupt, and one behind it.
    #[test]
    fn lists_take_what_their_commands_cost() {
        let mut bench = Bench::new();
        let list = [1, header(0x040, 15), 2, header(0x041, 15), 0x1234_5678, header(0x010, 15), 0, 0];
        bench.run(&list).expect("a list");
        assert_eq!((bench.pica.take_delays(), bench.pica.run_cycles()), (vec![], 0), "off");
        bench.pica.set_timing(Some(Rates::default()));
        bench.run(&list).expect("a list");
        bench.run(&list).expect("a list");
        assert_eq!(bench.pica.take_delays(), [delay(Interrupt::P3d, 18); 2], "each from its own start");
        assert_eq!(bench.pica.take_delays(), []);
        assert!(bench.pica.run_cycles() >= 18);
        bench.pica.set_timing(Some(Rates { command: 256, ..Rates::default() }));
        bench.run(&list).expect("a list");
        assert_eq!(bench.pica.take_delays(), [delay(Interrupt::P3d, 3)]);
        bench.pica.set_timing(None);
        bench.run_at(crate::pica::command::CommandList { address: LIST, size_bytes: 16 }).expect("a list");
        assert_eq!(bench.pica.take_delays(), []);
    }

    /// Units run beside each other: each has its own time.
    #[test]
    fn fills_and_transfers_take_what_their_bytes_cost() {
        let mut bench = Bench::new();
        bench.pica.set_timing(Some(Rates::default()));
        let fill = [(0x10, VRAM >> 3), (0x14, (VRAM + 0x4000) >> 3), (0x18, 0), (0x1c, 0x201)];
        let transfer =
            [(0xc00, VRAM >> 3), (0xc04, (VRAM + 0x8000) >> 3), (0xc08, 0x0020_0040), (0xc0c, 0x0020_0040)];
        let start = [(0xc10, 1 << 12), (0xc18, 1), (0xc10, 8), (0xc20, 0x100), (0xc18, 1)];
        for (offset, value) in fill.into_iter().chain(transfer).chain(start) {
            bench.mmio(0x1040_0000 + offset, value).expect("a write");
        }
        let expected = [
            delay(Interrupt::Psc0, 0x4000 / 16),
            delay(Interrupt::Ppf, 64 * 32 * 3 / 4),
            delay(Interrupt::Ppf, 0x100 / 4),
        ];
        assert_eq!(bench.pica.take_delays(), expected);
    }

    #[test]
    fn delays_are_bounded() {
        let mut timing = Timing::new(Rates::default(), &Stats::default());
        (0..100).for_each(|n| timing.raised(Interrupt::Ppf, &Stats::default(), Some(n * PARTS)));
        let taken = timing.take();
        assert_eq!((taken.len(), taken[0], taken[63].cycles), (64, delay(Interrupt::Ppf, 36), 99));
    }
}
