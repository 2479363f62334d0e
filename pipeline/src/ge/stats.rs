//! `Stats`: counters of a machine's work.

use crate::capture::replay::Counters;
use crate::persist::Words;

/// Counters; they only increase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Runs of lists.
    pub runs: u64,
    /// Commands executed.
    pub commands: u64,
    /// Drawing commands that drew something: `PRIM`, `BEZIER`, `SPLINE`, `VAP`.
    pub draws: u64,
    /// Vertices that entered primitive assembly, and those tested by `BBOX`.
    pub vertices: u64,
    /// Primitives passed to the rasterizer.
    pub primitives: u64,
    /// Pixels in the bounds of the primitives, clipped to the drawing area: upper bound of the cost of drawing.
    pub pixels: u64,
    /// Pixels covered.
    pub covered: u64,
    /// Block transfers.
    pub transfers: u64,
    /// Bytes moved by block transfers.
    pub transferred: u64,
}

impl Stats {
    /// What was counted since `earlier`, a moment of the same machine. A machine that was restored, from a recording, say,
    /// begins with what was counted before.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    const fn counters(&mut self) -> [&mut u64; 9] {
        [
            &mut self.runs,
            &mut self.commands,
            &mut self.draws,
            &mut self.vertices,
            &mut self.primitives,
            &mut self.pixels,
            &mut self.covered,
            &mut self.transfers,
            &mut self.transferred,
        ]
    }

    pub(crate) fn persist(&mut self, words: &mut Words) {
        for counter in self.counters() {
            words.long(counter);
            // A damaged snapshot does not make them overflow.
            *counter &= u64::MAX >> 8;
        }
    }
}

impl Counters for Stats {
    #[inline]
    fn with(mut self, mut other: Self, change: impl Fn(u64, u64) -> u64) -> Self {
        for (counter, &mut other) in self.counters().into_iter().zip(other.counters()) {
            *counter = change(*counter, other);
        }
        self
    }
}
