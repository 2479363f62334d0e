//! Histories of pixels without the parts of a replay in which nothing can touch the pixel.
//!
//! The parts lie between checkpoints. A part is left out if the boxes of its draws miss the pixel, and it has neither a fill
//! or transfer nor a load of its bytes. The bytes at the next checkpoint have to be those before the part, else the whole
//! capture is played.

use super::action::Kind;
use super::answer::Entry;
use super::checkpoints::At;
use super::desk::{Question, Spot};
use super::history::History;
use super::session::{Session, is_loaded};
use super::{Inspect, NoAnswer};
use std::ops::Range;

impl<M: Inspect> Session<M> {
    /// The history of a pixel; `None` without checkpoints, or if a change was missed.
    pub(super) fn history_in_spans(&mut self, spot: Spot) -> Result<Option<History>, NoAnswer> {
        let Some(spans) = self.spans(spot) else { return Ok(None) };
        let mut history = History::default();
        // Memory is zero before the first event.
        let mut bytes = vec![0; spot.bytes as usize];
        for Range { start, end } in spans {
            let question = Question { spot: Some(spot), ..Question::default() };
            let is_before = |at: At| at.event <= start.event;
            let (log, _) = self.play(question, true, is_before, &mut |_, _, at| at.event < end.event)?;
            let first = log.history.entries.first().map_or(&log.bytes, |entry| &entry.before);
            if bytes != *first {
                return Ok(None);
            }
            bytes.clone_from(&log.bytes);
            history.append(log.history, |entry| self.placed(entry, start));
        }
        Ok(Some(history))
    }

    /// An entry of a replay that began in the middle, as one from the start has it.
    fn placed(&self, mut entry: Entry, start: At) -> Entry {
        entry.action.index += start.actions;
        if let Some((_, numbers)) = &self.pieces {
            entry.action.event = numbers.get(entry.action.event).copied().unwrap_or(entry.action.event);
        }
        let known = self.known.as_ref().and_then(|known| known.actions.get(entry.action.index));
        if let Some(known) =
            known.filter(|known| known.kind == entry.action.kind && known.draw == entry.action.draw)
        {
            entry.action = known.clone();
        }
        entry
    }

    /// The parts of a replay in which something may touch a pixel; `None` without checkpoints.
    fn spans(&self, spot: Spot) -> Option<Vec<Range<At>>> {
        let known = self.known.as_ref()?;
        let capture = self.pieces.as_ref().map_or(&self.capture, |(pieces, _)| pieces);
        let events = M::events(capture);
        let end =
            At { draws: u64::MAX, frame: usize::MAX, actions: known.actions.len(), event: events.len() };
        let mut places: Vec<At> = self.checkpoints.places().collect();
        if places.is_empty() {
            return None;
        }
        places.insert(0, At::default());
        places.push(end);
        let touched = self.touched(spot)?;
        let loads = |event: &M::Event| is_loaded::<M>(event, spot);
        let mut spans: Vec<Range<At>> = Vec::new();
        for pair in places.windows(2) {
            let is_touched = touched[pair[0].actions..pair[1].actions].contains(&true)
                || events[pair[0].event..pair[1].event].iter().any(loads);
            match spans.last_mut() {
                _ if !is_touched => {}
                Some(last) if last.end == pair[0] => last.end = pair[1],
                _ => spans.push(pair[0]..pair[1]),
            }
        }
        Some(spans)
    }

    /// For each action, whether it may touch a pixel.
    fn touched(&self, spot: Spot) -> Option<Vec<bool>> {
        let known = self.known.as_ref()?;
        let mut words = known.first.clone();
        let touches = known.actions.iter().map(|action| {
            for &[number, _, new] in &action.changed {
                if let Some(word) = words.get_mut(number as usize) {
                    *word = new;
                }
            }
            match action.kind {
                Kind::Draw => action.bounds.is_some_and(|bounds| M::may_touch(&words, bounds, spot)),
                Kind::Fill | Kind::Transfer => true,
                Kind::Load | Kind::Frame => false,
            }
        });
        Some(touches.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::Ge;
    use crate::inspect::Inspector as _;
    use crate::pica::Pica;
    use crate::plays::{Plays, Reading};
    use crate::random::Random;

    /// What an entry says, without times.
    fn told(mut entry: Entry) -> String {
        entry.action.nanoseconds = 0;
        entry.action.bounds = None;
        format!("{entry:?}")
    }

    /// Histories are those of a replay of the whole, and most pixels have parts that are left out.
    fn check<M: Inspect>(name: &str)
    where
        M::Capture: Send,
    {
        let capture = <M as Plays>::scene(name, Reading::default()).expect("a scene");
        let mut plain = Session::<M>::new(capture.clone(), M::interpreter());
        let mut quick = Session::<M>::new(capture, M::interpreter()).with_span(0);
        let draws =
            quick.actions().expect("it plays").iter().filter(|action| action.draw.is_some()).count() as u64;
        let (mut random, mut shorter, mut entries) = (Random::of_item(3, 0), 0, 0);
        for _ in 0..24 {
            let draw = u64::from(random.below(draws as u32));
            let Ok(spot) = quick.spot_of_draw(draw, random.below(240), random.below(272)) else { continue };
            let spans = quick.spans(spot).expect("there are checkpoints");
            let events: usize = spans.iter().map(|span| span.end.event - span.start.event).sum();
            let all = M::events(quick.pieces.as_ref().map_or(&quick.capture, |(pieces, _)| pieces)).len();
            shorter += usize::from(events < all / 2);
            let fast = quick.history_in_spans(spot).expect("it plays").expect("no change is missed");
            let whole = plain.history(spot).expect("it plays");
            entries += whole.entries.len();
            let [fast, whole] =
                [fast, whole].map(|all| all.entries.into_iter().map(told).collect::<Vec<_>>());
            assert_eq!(fast, whole, "{name}: {spot:?}");
        }
        assert!(shorter > 8 && entries > 24, "{name}: {shorter} are shorter, {entries} entries");
    }

    #[test]
    fn parts_that_are_left_out_change_no_history() {
        check::<Ge>("game");
        check::<Pica>("game_frame");
    }
}
