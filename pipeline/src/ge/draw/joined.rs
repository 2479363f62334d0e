//! `Joined`: draws in one state, submitted as one.
//!
//! Games send a model as hundreds of short strips, each a `PRIM` of its own, with nothing between them that a pixel depends
//! on (in recorded frames of such games nine draws of ten are in the state of the draw before). Their primitives are
//! collected and submitted together, at the latest before something that pixels depend on changes: registers under
//! [`OF_PIXELS`], the colour table, memory. Whatever is counted, paid or limited is so for each draw by itself. Vertices are
//! [gathered](super::gathered) before.

use super::FrontEnd;
use super::context::DrawContext;
use super::gathered::Gathered;
use super::limits::Spent;
use crate::ge::queue::Submitted;
use crate::ge::raster::Primitive;
use crate::ge::regs::op;
use crate::ge::regs::same::{OF_PIXELS, OF_VERTICES};

/// Primitives and pixels of enough work to begin with.
const ENOUGH: usize = 1024;
const ENOUGH_PIXELS: u64 = 1 << 16;

/// Draws that wait for more in the same state; none between runs, and none with an observer after a draw.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    /// The latest draws, as far as vertices are not transformed yet.
    pub(super) gathered: Gathered,
    /// Primitives of the draws before them; all of one shape.
    primitives: Vec<Primitive>,
    /// What they took of their budgets.
    spent: Spent,
}

/// What a word in a register ends, beside the word that was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Nothing: neither vertices nor pixels depend on it.
    Nothing,
    /// The state of vertices.
    Vertices,
    /// That of pixels too, or the list.
    Pixels,
}

impl Ends {
    /// Of a word that takes the place of another one.
    #[inline]
    pub(crate) const fn of(before: u32, word: u32) -> Self {
        let command = (word >> 24) as u8;
        let changed = before ^ word;
        if changed & OF_PIXELS[command as usize] != 0 || command == op::END {
            Self::Pixels
        } else if changed & OF_VERTICES[command as usize] != 0 {
            Self::Vertices
        } else {
            Self::Nothing
        }
    }
}

impl Joined {
    /// True if no draw waits.
    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.primitives.is_empty() && self.gathered.is_empty()
    }

    /// True if no word ends anything.
    #[inline]
    pub(crate) const fn is_idle(&self) -> bool {
        self.primitives.is_empty() && self.gathered.is_idle()
    }

    /// Something changes that vertices or pixels may depend on; whatever waited is done.
    pub(crate) const fn end_state(&mut self) {
        self.gathered.end_state();
    }

    /// Begins a run; the machine's counter of pixels is here. What a run left waits no more, in which a callback of the host
    /// panicked.
    pub(crate) fn begin(&mut self, pixels: u64) {
        self.primitives.clear();
        self.spent = Spent::default();
        self.gathered.begin(pixels);
    }

    /// Units that the account must have before a command: with less, draws that wait are to be done first.
    #[inline]
    pub(crate) const fn units(&self) -> u64 {
        self.gathered.units()
    }
}

impl FrontEnd {
    /// Submits the draws that wait. Whatever they depend on is as it was when they were joined.
    pub(crate) fn settle(&mut self, cx: &mut DrawContext<'_>) {
        self.transform_gathered(cx);
        cx.submit_joined();
    }
}

impl DrawContext<'_> {
    /// Submits primitives of a draw in the state of the registers, now or together with those of later draws.
    pub(super) fn join(&mut self, primitives: &mut Vec<Primitive>, spent: Spent) {
        let shape = |primitives: &[Primitive]| primitives.first().map(|first| first.shape);
        let joined = &mut self.joined.primitives;
        let has_room = joined.is_empty() || joined.try_reserve(primitives.len()).is_ok();
        if shape(joined) != shape(primitives) || !has_room {
            self.submit_joined();
        }
        if self.joined.primitives.is_empty() {
            std::mem::swap(&mut self.joined.primitives, primitives);
        } else {
            self.joined.primitives.append(primitives);
        }
        self.joined.spent.add(spent);
        if self.joined.primitives.len() >= ENOUGH || self.joined.spent.pixels >= ENOUGH_PIXELS {
            self.submit_joined();
        }
    }

    /// Submits the primitives that wait.
    pub(super) fn submit_joined(&mut self) {
        if self.joined.primitives.is_empty() {
            return;
        }
        let state = self.pixel_state(false);
        let primitives = &mut self.joined.primitives;
        let Spent { pixels, covered } = std::mem::take(&mut self.joined.spent);
        self.stages.next_draw(pixels);
        self.queue.draw(self.stages, Submitted { state, primitives, covered, pixels });
        primitives.clear();
    }
}
