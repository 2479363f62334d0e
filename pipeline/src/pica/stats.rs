//! `Stats`: counters of a machine's work.

use crate::capture::replay::Counters;
use crate::persist::Words;

/// Counters; they only increase. Registers 0x05A-0x05C contain the low 32 bits of three of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Vertices that entered primitive assembly (0x05A).
    pub vertices: u64,
    /// Triangles assembled (0x05B).
    pub triangles: u64,
    /// Triangles that were not culled (0x05C).
    pub triangles_displayed: u64,
    /// Draws; immediate vertices without another register write between them are one draw.
    pub draws: u64,
    /// Fragments covered and inside the scissor.
    pub fragments: u64,
    /// Pixels in the bounding boxes of the triangles, clipped to the drawable area: upper bound of the cost of
    /// drawing.
    pub pixels: u64,
    /// Vertices that were shaded, and runs of the geometry program.
    pub shaded: u64,
    /// Positions of vertex streams processed, whether or not they were drawn.
    pub positions: u64,
    /// Command lists, those jumped to included.
    pub lists: u64,
    /// Commands executed.
    pub commands: u64,
    /// Memory fills.
    pub fills: u64,
    /// Display transfers and texture copies.
    pub transfers: u64,
}

impl Stats {
    /// What was counted since `earlier`, a moment of the same machine. A machine that was restored, from a recording, say,
    /// begins with what was counted before.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    const fn counters(&mut self) -> [&mut u64; 12] {
        [
            &mut self.vertices,
            &mut self.triangles,
            &mut self.triangles_displayed,
            &mut self.draws,
            &mut self.fragments,
            &mut self.pixels,
            &mut self.shaded,
            &mut self.positions,
            &mut self.lists,
            &mut self.commands,
            &mut self.fills,
            &mut self.transfers,
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
