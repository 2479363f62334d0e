//! `History`: what touched a pixel. A guest may touch one any number of times; what is kept of it is bounded, and the rest
//! is counted.

use super::answer::Entry;
use picaflor_interp::trace::MOST_TRACED_FRAGMENTS;

/// Entries that are kept: the first ones.
const MOST_ENTRIES: usize = 20_000;
/// Fragments whose traces are kept: those of the latest entries. A trace has some kilobytes, and several times that as JSON;
/// a session keeps the histories of several pixels. A draw with as many as an engine records still has all of them.
const MOST_TRACES: usize = MOST_TRACED_FRAGMENTS;

/// Everything that touched a pixel, in order.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Number of entries after them, which are not kept.
    pub left_out: u64,
    /// Traces of all entries.
    traces: usize,
    /// Entries at the start whose traces have been left out.
    bare: usize,
}

impl History {
    /// Adds an entry. Traces of the oldest ones make room for its own.
    pub fn push(&mut self, entry: Entry) {
        if self.entries.len() == MOST_ENTRIES {
            self.left_out += 1;
            return;
        }
        self.traces += entry.traces.len();
        // An entry of another history that has made room for later ones: no trace before it is among the latest.
        let is_bare = entry.traces.is_empty() && entry.fragments_left_out > 0;
        self.entries.push(entry);
        while self.bare < self.entries.len() && (is_bare || self.traces > MOST_TRACES) {
            self.traces -= self.entries[self.bare].leave_out_traces();
            self.bare += 1;
        }
    }

    /// Adds a history that follows, with `placed` entries.
    pub fn append(&mut self, later: Self, placed: impl Fn(Entry) -> Entry) {
        later.entries.into_iter().for_each(|entry| self.push(placed(entry)));
        self.left_out += later.left_out;
    }

    /// The entries up to a point: those for which `is_before` holds.
    #[must_use]
    pub fn up_to(mut self, is_before: impl Fn(&Entry) -> bool) -> Self {
        let kept = self.entries.len();
        self.entries.retain(is_before);
        // All that is left out is behind the entries.
        if self.entries.len() < kept {
            self.left_out = 0;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::Ge;
    use crate::inspect::{Action, Inspector as _, Kind, Session, Spot};
    use crate::pica::Pica;
    use crate::plays::{Plays as _, Reading};
    use picaflor_pipeline::ge::capture::Capture;
    use picaflor_pipeline::ge::regs::op;
    use picaflor_scenes::ge::draw::shape;
    use picaflor_scenes::ge::kit::Kit;
    use picaflor_scenes::ge::vertices::layout;

    /// Numbers of traces of the entries, and of fragments without one.
    fn numbers(history: &History) -> Vec<(usize, u64)> {
        history.entries.iter().map(|entry| (entry.traces.len(), entry.fragments_left_out)).collect()
    }

    fn of(all: &[usize]) -> History {
        let mut history = History::default();
        all.iter().for_each(|&traces| history.push(Entry::of_fragments(traces, 0)));
        history
    }

    #[test]
    fn the_latest_traces_are_kept() {
        let most = MOST_TRACES;
        assert_eq!(numbers(&of(&[1, most - 1])), [(1, 0), (most - 1, 0)]);
        assert_eq!(numbers(&of(&[2, 0, most - 2, 1, 0])), [(0, 2), (0, 0), (most - 2, 0), (1, 0), (0, 0)]);
        let mut history = of(&[3]);
        history.push(Entry::of_fragments(most, 50));
        assert_eq!(numbers(&history), [(0, 3), (most, 50)]);
        history.push(Entry::of_fragments(1, 0));
        assert_eq!(numbers(&history), [(0, 3), (0, most as u64 + 50), (1, 0)]);
    }

    /// Parts of a history, each in its own bounds, are as the whole in one.
    #[test]
    fn a_history_of_parts() {
        let half = MOST_TRACES / 2;
        let (first, second) = ([5, 1], [half, half, 1, 0, 2]);
        let mut parts = of(&first);
        parts.append(of(&second), |entry| entry);
        assert_eq!(numbers(&parts), numbers(&of(&[first.as_slice(), second.as_slice()].concat())));
        assert_eq!(numbers(&parts)[..4], [(0, 5), (0, 1), (0, half as u64), (half, 0)]);
    }

    #[test]
    fn the_first_entries_are_kept_and_the_others_counted() {
        let mut history = of(&[0; MOST_ENTRIES - 1]);
        history.append(of(&[1, 1, 1]), |entry| entry);
        assert_eq!((history.entries.len(), history.left_out), (MOST_ENTRIES, 2));
        let mut many = of(&[0; MOST_ENTRIES + 3]);
        many.append(of(&[0]), |entry| entry);
        assert_eq!((many.entries.len(), many.left_out), (MOST_ENTRIES, 4));
        assert_eq!(many.clone().up_to(|_| true).left_out, 4);
        many.entries[9].draws_before = 1;
        let few = many.up_to(|entry| entry.draws_before != 1);
        assert_eq!(few.left_out, 0, "they are behind the point");
    }

    /// Writes through, in 32 bits, without tests.
    const STATE: [(u8, u32); 9] = [
        (op::FBP, 0),
        (op::FBW, 64),
        (op::PSM, 3),
        (op::REGION1, 0),
        (op::REGION2, 0xf_ffff),
        (op::SCISSOR1, 0),
        (op::SCISSOR2, 63 << 10 | 63),
        (op::VTYPE, layout::COLOUR | layout::POSITION16 | layout::THROUGH),
        (op::PMSKC, 0),
    ];

    /// Draws of so many red rectangles, each of pixel (10, 12) alone.
    fn rectangles(draws: &[u32]) -> Capture {
        let mut kit = Kit::new();
        let corner = |n: i16| [10 + n, 12 + n, 0, 0].into_iter().flat_map(i16::to_le_bytes);
        let record = |n: u32| [255, 0, 0, 255].into_iter().chain(corner(n as i16 % 2));
        let most = draws.iter().max().copied().unwrap_or(0);
        let vertices = kit.data((0..2 * most).flat_map(record).collect());
        STATE.into_iter().for_each(|(register, argument)| _ = kit.list.write(register, argument));
        for count in draws {
            kit.list.vertices(vertices).prim(shape::RECTANGLES, 2 * count);
        }
        kit.submit();
        kit.finish()
    }

    /// What writes the bytes that are there already touches them, too: a fill with zeros, and a load of zeros.
    #[test]
    fn writes_that_change_nothing() {
        let mut session = Session::<Pica>::new(
            Pica::scene("transforms", Reading::default()).expect("a scene"),
            Pica::interpreter(),
        );
        let is_fill = |action: &Action| action.kind == Kind::Fill;
        let fills: Vec<usize> =
            session.actions().expect("it plays").iter().filter(|of| is_fill(of)).map(|of| of.index).collect();
        // The buffer of depth values, which the second fill clears.
        let history = session.history(Spot { address: 0x1805_dc10, bytes: 4 }).expect("it plays");
        let first = &history.entries[0];
        assert_eq!((first.action.index, first.before == first.after), (fills[1], true), "{first:?}");
        let mut session = Session::<Ge>::new(rectangles(&[1]), Ge::interpreter());
        // Rows of a vertex, and the depth and padding behind them.
        let history = session.history(Spot { address: 0x0880_0008, bytes: 2 }).expect("it plays");
        let entries: Vec<_> =
            history.entries.iter().map(|of| (of.action.kind, of.after.as_slice())).collect();
        assert_eq!(entries, [(Kind::Load, &[0, 0][..])]);
    }

    /// A pixel under more fragments than an engine records, and a history keeps.
    #[test]
    fn fragments_without_a_trace_are_counted() {
        let most = MOST_TRACED_FRAGMENTS;
        let history = |draws: &[u32]| {
            let mut session = Session::<Ge>::new(rectangles(draws), Ge::interpreter());
            let spot = session.spot_of_draw(0, 10, 12).expect("a pixel");
            let mut history = session.history(spot).expect("it plays");
            history.entries.retain(|entry| entry.action.draw.is_some());
            history
        };
        assert_eq!(numbers(&history(&[2, most as u32 + 5])), [(0, 2), (most, 5)]);
        let history = history(&[2, most as u32 + 5, 1]);
        assert_eq!(numbers(&history), [(0, 2), (0, most as u64 + 5), (1, 0)]);
        let outcomes: Vec<_> = history.entries.iter().map(Entry::outcome).collect();
        assert_eq!(outcomes, ["written", "written, the same bytes", "written, the same bytes"]);
    }
}
