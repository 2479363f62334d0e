//! From a capture that differs to a small one that still does, and the code that is to blame.

use super::engine::{by_name, with_setup};
use super::lockstep::{Findings, Moment, Options, Place, compare_with};
use crate::reducer::Reducer;
use crate::replay::ReplayError;
use crate::routines::{Routine, Scratch};
use crate::setup::Setup;
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::capture::replay::Player;
use picaflor_pipeline::ge::capture::{Capture, Event};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::regs::op;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of memory that are looked at together.
const PAGE: usize = 4096;
/// Fewest words of data that are set to zero together; those of a list go one by one.
const LEAST_DATA: usize = 64;

/// A capture that shows a difference again.
#[derive(Debug, Clone)]
pub struct Reproducer {
    /// The capture.
    pub capture: Capture,
    /// What came of it on both engines.
    pub findings: Findings,
    /// The routines that the candidate made for it, up to a dozen.
    pub routines: Vec<Routine>,
}

/// Which engine is held against the interpreter, and how.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its name.
    pub engine: &'a str,
    /// How it is made.
    pub setup: Setup<'a>,
    /// Threads to draw on.
    pub threads: usize,
}

impl Candidate<'_> {
    fn findings(&self, capture: &Capture, steps: bool) -> Result<Findings, ReplayError> {
        let mut reference = by_name("interp")?;
        let mut candidate = with_setup(self.engine, self.setup)?;
        let options = Options { threads: self.threads, steps };
        Ok(compare_with(capture, [reference.as_mut(), &mut candidate], options, &|| ())?)
    }

    fn differs(&self, capture: &Capture) -> bool {
        self.findings(capture, false).is_ok_and(|findings| !findings.is_same())
    }
}

/// Makes a capture that differs small. It begins where the list that differs first begins, with the state and the
/// memory of that moment; where that is not enough, with the first event. Then events go, words of lists become
/// commands that do nothing, and data become zeros, while it keeps differing, for so long. `None` if it does not
/// differ when it runs again.
#[must_use]
pub fn reproduce(
    capture: &Capture,
    candidate: Candidate<'_>,
    first: Place,
    time: Duration,
) -> Option<Reproducer> {
    let from = from_before(capture, first);
    let cut = cut_after(capture, first);
    let mut starts = from.iter().chain([&cut, capture]);
    let start = starts.find(|capture| candidate.differs(capture))?;
    let capture = reduce(start, time, &mut |capture| candidate.differs(capture));
    let folder = Scratch::new().ok()?;
    let setup = Setup { dumps: Some(&folder.0), cache: None, ..candidate.setup };
    let findings = Candidate { setup, ..candidate }.findings(&capture, true).ok()?;
    // A difference that only draws show which overlap is none when they stop.
    let findings = if findings.is_same() { candidate.findings(&capture, false).ok()? } else { findings };
    let routines = folder.routines().unwrap_or_default();
    (!findings.is_same()).then_some(Reproducer { capture, findings, routines })
}

fn cut_after(capture: &Capture, place: Place) -> Capture {
    let mut cut = capture.clone();
    if place.moment != Moment::End {
        cut.events.truncate(place.event + 1);
    }
    cut
}

/// The event of a place alone, on a machine and memory as they were before it.
fn from_before(capture: &Capture, place: Place) -> Option<Capture> {
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

/// What is not zero in memory, as events; pages that follow each other are one.
fn memory(player: &Player<'_>) -> Vec<Event> {
    let mut runs: Vec<(u32, Vec<u8>)> = Vec::new();
    for block in player.memory().blocks() {
        let bytes = block.as_slice();
        for start in (0..bytes.len()).step_by(PAGE) {
            let page = bytes.slice(start, PAGE.min(bytes.len() - start)).to_vec();
            let address = block.base() + start as u32;
            match runs.last_mut() {
                _ if page.iter().all(|&byte| byte == 0) => {}
                Some((base, run)) if *base + run.len() as u32 == address => run.extend(page),
                _ => runs.push((address, page)),
            }
        }
    }
    runs.into_iter().map(|(address, bytes)| Event::Memory { address, bytes: bytes.into() }).collect()
}

/// The smallest capture found in `time` for which `fails` still holds.
fn reduce(capture: &Capture, time: Duration, fails: &mut dyn FnMut(&Capture) -> bool) -> Capture {
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
    /// Words of the list that event `at` runs become zero, which is a command that does nothing.
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

    /// What event `at` puts into memory becomes zero.
    fn data(&mut self, at: usize) {
        let Some(Event::Memory { bytes, .. }) = self.best.events.get(at) else { return };
        let words = bytes.len() / 4;
        self.pieces(words, LEAST_DATA, |capture, range| clear(&mut capture.events[at], range));
    }
}

/// The words of a list, as positions in what an event puts into memory: to where it stalls, or its end.
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
    use super::*;
    use crate::defect::Defect;
    use crate::ge::scene::Scene;

    #[test]
    fn a_wrong_engine_is_shown_with_less() {
        let capture = Scene::by_name("game").expect("a scene").capture();
        let setup = Setup { defect: Some(Defect::Pixels), ..Setup::default() };
        let candidate = Candidate { engine: "jit", setup, threads: 1 };
        let found = candidate.findings(&capture, true).expect("both run");
        let first = found.differences[0].place;
        assert_eq!(first.moment, Moment::Draw);
        let small = reproduce(&capture, candidate, first, Duration::from_secs(3)).expect("it differs again");
        assert!(small.findings.draws < found.draws, "{} of {} draws", small.findings.draws, found.draws);
        assert!(small.routines.iter().any(|routine| routine.clif.starts_with("function")));
        assert!(small.findings.state.is_some());
        let sound = Candidate { setup: Setup::default(), ..candidate };
        assert!(reproduce(&capture, sound, first, Duration::ZERO).is_none(), "nothing to reproduce");
    }
}
