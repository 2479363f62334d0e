//! Reduction of captures of the GE that differ.

use super::flat::memory;
use crate::lockstep::{Moment, Place};
use crate::reducer::Reducer;
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::regs::op;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Minimum number of data words that are set to zero together; words of a list go one by one.
const LEAST_DATA: usize = 64;

/// The event of a place alone, on a machine and memory as they were before it.
pub(super) fn from_before(capture: &Capture, place: Place) -> Option<Capture> {
    let event = capture.events.get(place.event).filter(|_| place.moment != Moment::End)?;
    let mut player = Player::new(capture).ok()?;
    let mut interpreter = Interpreter::new();
    while player.position() < place.event {
        player.step(&mut interpreter)?;
    }
    let mut events = memory(&player);
    events.push(event.clone());
    Some(Capture { regions: capture.regions.clone(), initial: player.ge().save(), events })
}

/// The smallest capture found in `time` for which `fails` still holds.
pub(super) fn reduce(capture: &Capture, time: Duration, fails: &mut dyn FnMut(&Capture) -> bool) -> Capture {
    let mut reducer = Reducer { best: capture.clone(), end: Instant::now() + time, fails };
    loop {
        let before = reducer.best.clone();
        let events = reducer.best.events.len();
        reducer.pieces(events, 1, |capture, range| drop(capture.events.drain(range)));
        (0..reducer.best.events.len()).for_each(|at| reducer.list(at));
        (0..reducer.best.events.len()).for_each(|at| reducer.data(at));
        if reducer.best == before || Instant::now() >= reducer.end {
            return reducer.best;
        }
    }
}

impl Reducer<'_, Capture> {
    /// Tries zeros, commands without effect, for words of the list that event `at` runs.
    fn list(&mut self, at: usize) {
        let Some(Event::Run(list)) = self.best.events.get(at) else { return };
        let found = self.best.events[..at].iter().enumerate().rev().find_map(|(held, event)| {
            let words = words_of(list, event)?;
            Some((held, words))
        });
        let Some((held, words)) = found else { return };
        self.pieces(words.len(), 1, |capture, range| {
            clear(&mut capture.events[held], words.start + range.start..words.start + range.end);
        });
    }

    /// Tries zeros for the data of event `at`.
    fn data(&mut self, at: usize) {
        let Some(Event::Memory { bytes, .. }) = self.best.events.get(at) else { return };
        let words = bytes.len() / 4;
        self.pieces(words, LEAST_DATA, |capture, range| clear(&mut capture.events[at], range));
    }
}

/// The words of a list up to its stall address or its end, as positions in the data of an event.
fn words_of(list: &DisplayList, event: &Event) -> Option<Range<usize>> {
    let Event::Memory { address, bytes } = event else { return None };
    let start = list.pc.checked_sub(*address).map(|offset| offset as usize / 4)?;
    let words = bytes.get(start * 4..).filter(|rest| !rest.is_empty())?.as_chunks::<4>().0;
    let is_end = |word: &[u8; 4]| word[3] == op::END;
    let length = match list.stall.checked_sub(list.pc) {
        Some(bytes) if list.stall != 0 => words.len().min(bytes as usize / 4),
        _ => words.iter().position(is_end).map_or(words.len(), |end| end + 1),
    };
    Some(start..start + length)
}

fn clear(event: &mut Event, words: Range<usize>) {
    if let Event::Memory { bytes, .. } = event {
        let mut changed = bytes.to_vec();
        changed[words.start * 4..words.end * 4].fill(0);
        *bytes = Arc::from(changed);
    }
}

#[cfg(test)]
mod tests {
    use crate::defect::Defect;
    use crate::ge::Ge;
    use crate::lockstep::{Moment, Options, compare};
    use crate::reproduce::reproduce;
    use crate::setup::Setup;
    use picaflor_scenes::ge::Scene;
    use std::time::Duration;

    const ENGINES: [&str; 2] = ["interp", "jit"];

    #[test]
    fn a_wrong_engine_is_shown_with_less() {
        let capture = Scene::by_name("game").expect("a scene").capture();
        let sound = Options { threads: 1, steps: true, ..Options::default() };
        let setup = Setup { defect: Some(Defect::Pixels), ..Setup::default() };
        let options = Options { setup, ..sound };
        let found = compare::<Ge>(&capture, ENGINES, options, &|| ()).expect("both run");
        let first = found.findings.differences[0].place;
        assert_eq!(first.moment, Moment::Draw);
        let time = Duration::from_secs(3);
        let small = reproduce::<Ge>(&capture, ENGINES, options, first, time).expect("it differs again");
        let draws = [&small.comparison, &found].map(|comparison| comparison.candidate.stats.draws);
        assert!(draws[0] < draws[1], "{} of {} draws", draws[0], draws[1]);
        assert!(small.routines.iter().any(|routine| routine.clif.starts_with("function")));
        assert!(small.comparison.findings.state.is_some());
        let none = reproduce::<Ge>(&capture, ENGINES, sound, first, Duration::ZERO);
        assert!(none.is_none(), "nothing to reproduce");
    }
}
