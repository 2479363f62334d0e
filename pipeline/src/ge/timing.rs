//! A model of time: cycles that the work of a guest would take, for hosts whose timing depends on it.
//!
//! It is no part of the machine: cycles are a sum over its counters, which follow from the guest's requests, so they are
//! the same on every engine and any number of threads. Few costs are known; each constant names its origin.
//!
//! Source: psp-ge.md 7.8, 11.1.

use super::stats::Stats;

/// Cycles of the GE in a second: assumed.
pub const CYCLES_PER_SECOND: u64 = 166_000_000;
/// Parts of a cycle in which [`Rates`] are given.
pub const PARTS: u64 = 256;

/// Costs in 256ths of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rates {
    /// A command.
    pub command: u32,
    /// A drawing command.
    pub draw: u32,
    /// A vertex that is transformed or tested.
    pub vertex: u32,
    /// A primitive that is drawn, before its pixels.
    pub primitive: u32,
    /// A pixel in the bounds of primitives, of which about half are covered.
    pub pixel: u32,
    /// A byte that a block transfer moves.
    pub transfer_byte: u32,
}

impl Rates {
    /// 2 cycles: assumed.
    pub const COMMAND: u32 = 2 * 256;
    /// 16 cycles: assumed.
    pub const DRAW: u32 = 16 * 256;
    /// 22 cycles: those of a vertex of the bounding box test (psp-ge.md 7.8).
    pub const VERTEX: u32 = 22 * 256;
    /// 8 cycles: assumed.
    pub const PRIMITIVE: u32 = 8 * 256;
    /// An eighth: four covered pixels in a cycle, assumed.
    pub const PIXEL: u32 = 32;
    /// 1.6 cycles, those of large transfers: practice of emulators (psp-ge.md 11.1).
    pub const TRANSFER_BYTE: u32 = 410;

    /// Cycles of all counted work. The cycles of a run, of a command, or until an interrupt are the difference of two
    /// such numbers.
    #[must_use]
    pub fn cycles(&self, stats: &Stats) -> u64 {
        let items = [
            (stats.commands, self.command),
            (stats.draws, self.draw),
            (stats.vertices, self.vertex),
            (stats.primitives, self.primitive),
            (stats.pixels, self.pixel),
            (stats.transferred, self.transfer_byte),
        ];
        let parts = items.into_iter().map(|(count, rate)| u128::from(count) * u128::from(rate)).sum::<u128>();
        (parts / u128::from(PARTS)) as u64
    }
}

/// The constants.
impl Default for Rates {
    fn default() -> Self {
        Self {
            command: Self::COMMAND,
            draw: Self::DRAW,
            vertex: Self::VERTEX,
            primitive: Self::PRIMITIVE,
            pixel: Self::PIXEL,
            transfer_byte: Self::TRANSFER_BYTE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_a_sum() {
        let rates = Rates::default();
        let stats =
            Stats { commands: 10, draws: 2, vertices: 6, primitives: 4, pixels: 80, ..Stats::default() };
        assert_eq!(rates.cycles(&stats), 20 + 32 + 132 + 32 + 10);
        assert_eq!(rates.cycles(&Stats { transferred: 1000, ..stats }) - rates.cycles(&stats), 1601);
        assert_eq!(Rates { pixel: 0, ..rates }.cycles(&stats), 216);
    }
}
