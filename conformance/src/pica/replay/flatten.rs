//! A capture with its lists written out: every command becomes a write by the CPU, so that single writes and
//! draws can be left out wherever they stood.

use crate::pica::listing::Lines;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::pica::capture::replay::Player;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::observer::{Observer, View};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stage::NoEngines;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Writes that are kept; a capture with more stays as it is.
const MOST_WRITES: usize = 1 << 20;

#[derive(Clone, Default)]
struct Writes(Arc<Mutex<Vec<Event>>>);

impl Writes {
    fn lock(&self) -> MutexGuard<'_, Vec<Event>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Writes {
    fn list_started(&mut self, view: View<'_>, list: CommandList) {
        let mut writes = self.lock();
        for line in Lines::new(view.memory, view.registers, list) {
            let Ok(id) = u16::try_from(line.id) else { continue };
            if line.mask != 0 && is_kept(id) && writes.len() <= MOST_WRITES {
                let write = |&value| Event::Register { id, value, mask: line.mask };
                writes.extend(line.words.iter().map(write));
            }
        }
    }
}

/// Interrupts and jumps belong to lists.
fn is_kept(id: u16) -> bool {
    (0x040..Registers::COUNT as u16).contains(&id) && !matches!(id, 0x238..=0x23d)
}

/// The same capture without lists, and the number of the event that each came from; `None` if it is too long. Lists
/// that the GPU itself draws at run time come out wrong, so the caller has to try the result.
///
/// # Errors
/// The player's errors.
pub(in crate::pica) fn flatten(capture: &Capture) -> Result<Option<(Capture, Vec<usize>)>, CaptureError> {
    let writes = Writes::default();
    let mut player = Player::new(capture)?;
    player.pica_mut().set_observer(Some(Box::new(writes.clone())));
    let (mut events, mut numbers) = (Vec::new(), Vec::new());
    while let Some(step) = player.step(&mut NoEngines) {
        let mut written = std::mem::take(&mut *writes.lock());
        match written.is_empty() {
            true => events.push(step.event.clone()),
            false => events.append(&mut written),
        }
        numbers.resize(events.len(), step.index);
        if events.len() > MOST_WRITES {
            return Ok(None);
        }
    }
    Ok(Some((Capture { events, ..capture.clone() }, numbers)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::Defect;
    use crate::lockstep::{Options, compare};
    use crate::pica::Pica;
    use crate::pica::lockstep::fingerprint;
    use crate::reproduce::reproduce;
    use crate::setup::Setup;
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_scenes::pica::Scene;
    use std::time::Duration;

    #[test]
    fn writes_draw_what_lists_drew() {
        for name in ["wrap_modes", "immediate_mode"] {
            let capture = Scene::by_name(name).expect("a scene").capture(Precision::Console);
            let (flat, numbers) = flatten(&capture).expect("sound").expect("short enough");
            assert!(numbers.len() == flat.events.len() && numbers.is_sorted());
            assert!(flat.events.iter().all(|event| !matches!(event, Event::List { .. })));
            let drawn = |capture| fingerprint(capture, "jit", 1).expect("it runs");
            let ((expected, lists), (actual, writes)) = (drawn(&capture), drawn(&flat));
            assert_eq!((expected, lists.stats.draws), (actual, writes.stats.draws), "{name}");
        }
    }

    const ENGINES: [&str; 2] = ["interp", "jit"];

    #[test]
    fn a_wrong_engine_is_shown_with_less() {
        let capture = Scene::by_name("wrap_modes").expect("a scene").capture(Precision::Console);
        let sound = Options { threads: 1, ..Options::default() };
        let setup = Setup { defect: Some(Defect::Pixels), ..Setup::default() };
        let options = Options { setup, ..sound };
        let found = compare::<Pica>(&capture, ENGINES, options, &|| ()).expect("both run").findings;
        let first = found.differences[0].place;
        let time = Duration::from_secs(3);
        let small = reproduce::<Pica>(&capture, ENGINES, options, first, time).expect("it differs again");
        let (whole, _) = flatten(&capture).expect("sound").expect("short enough");
        assert!(small.capture.events.len() < whole.events.len() / 2, "{}", small.capture.events.len());
        assert_eq!(small.comparison.candidate.stats.draws, 1);
        assert!(small.routines.iter().any(|routine| routine.clif.starts_with("function")));
        assert!(small.comparison.findings.state.is_some());
        assert!(reproduce::<Pica>(&capture, ENGINES, sound, first, time).is_none(), "nothing to reproduce");
    }
}
