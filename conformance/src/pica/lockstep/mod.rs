//! [Lock step](crate::lockstep) of the PICA200. Compared surfaces: the written memory after every draw, fill and
//! transfer, the screens after every frame, everything at the end.

mod batches;
pub(super) mod difference;
pub(super) mod point;
mod watch;

pub use batches::{Batches, Counted};
pub use point::Role;
pub(super) use watch::watch;

use super::Pica;
use crate::lockstep::{self, Fingerprint, Options, Side};
use crate::replay::ReplayError;
use crate::setup::Setup;
use picaflor_pipeline::pica::capture::Capture;
use std::path::Path;

/// A capture on two engines.
pub type Comparison = lockstep::Comparison<Pica>;

/// Replays a capture on two engines in lock step; `done` is called after every event.
///
/// # Errors
/// [`ReplayError`]. A difference is no error.
pub fn compare(
    capture: &Capture,
    engines: [&str; 2],
    threads: usize,
    done: &dyn Fn(),
) -> Result<Comparison, ReplayError> {
    compare_cached(capture, engines, None, threads, done)
}

/// [`compare`], with the compiled code of both engines in a folder.
///
/// # Errors
/// [`ReplayError`]. A difference is no error.
pub fn compare_cached(
    capture: &Capture,
    engines: [&str; 2],
    cache: Option<&Path>,
    threads: usize,
    done: &dyn Fn(),
) -> Result<Comparison, ReplayError> {
    let setup = Setup { cache, ..Setup::default() };
    lockstep::compare::<Pica>(capture, engines, Options { setup, threads, ..Options::default() }, done)
}

/// See [`lockstep::fingerprint`].
///
/// # Errors
/// [`ReplayError`].
pub fn fingerprint(
    capture: &Capture,
    name: &str,
    threads: usize,
) -> Result<(Fingerprint, Side<Pica>), ReplayError> {
    lockstep::fingerprint::<Pica>(capture, name, threads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::Defect;
    use crate::lockstep::{Findings, Moment, Origin};
    use crate::machine::Machine as _;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::capture::Event;
    use picaflor_pipeline::pica::capture::replay::Player;
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_scenes::pica::Scene;

    const ENGINES: [&str; 2] = ["interp", "jit"];

    fn scene() -> Capture {
        Scene::all()[0].capture(Precision::Console)
    }

    fn compared(first: &Capture, second: &Capture) -> Comparison {
        let [mut reference, mut candidate] =
            ENGINES.map(|name| Pica::engine(name, Setup::default()).unwrap_or_else(|why| panic!("{why}")));
        let (engines, options) =
            ([&mut reference, &mut candidate], Options { threads: 2, carry: true, ..Options::default() });
        lockstep::compare_two::<Pica>([first, second], engines, options, &|| ())
            .unwrap_or_else(|why| panic!("{why}"))
    }

    #[test]
    fn a_capture_is_like_itself() {
        let capture = scene();
        let comparison = compared(&capture, &capture);
        assert!(comparison.is_same(), "{:?}", comparison.findings.differences);
        let stats = comparison.candidate.stats;
        assert!(stats.draws > 0 && stats.fragments > 0, "{stats:?}");
        assert_eq!(stats, comparison.reference.stats);
        assert!(comparison.findings.points > stats.draws);
        assert!(comparison.candidate.work.compiled > 0);
        assert_eq!(comparison.reference.work.reference, comparison.reference.work.total());
        assert_eq!(comparison.reference.picture, comparison.candidate.picture);
        let again = compared(&capture, &capture).findings.fingerprint;
        assert_eq!(comparison.findings.fingerprint, again);
    }

    /// The state that a recording begins with has what the machine had counted until then.
    #[test]
    fn counters_are_those_of_the_replay() {
        let capture = scene();
        let mut player = Player::new(&capture).unwrap();
        while player.run_frame(&mut Interpreter::new()).is_some() {}
        let later = Capture { initial: player.pica().save(), ..capture.clone() };
        assert_eq!(compared(&later, &later).candidate.stats, compared(&capture, &capture).candidate.stats);
    }

    /// One bit of the background differs: it is seen in the fill, in every draw and on the screen.
    #[test]
    fn one_bit_is_found_where_it_begins() {
        let first = scene();
        let mut second = first.clone();
        let is_value = |event: &&mut Event| matches!(event, Event::Mmio { address: 0x1040_0018, .. });
        let Some(Event::Mmio { value, .. }) = second.events.iter_mut().find(is_value) else {
            panic!("the scene clears its buffers")
        };
        *value ^= 0x0100_0000;
        let Findings { differences, more, parted, .. } = compared(&first, &second).findings;
        assert!(!parted && more > 0);
        assert_eq!(differences[0].place.moment, Moment::Fill(0));
        assert!(differences[0].surface.starts_with("output at 0x18000000"), "{:?}", differences[0]);
        let draw = differences.iter().find(|found| found.place.moment == Moment::Draw).unwrap();
        assert!(draw.surface.starts_with("colour buffer"), "{draw:?}");
        assert!(draw.what.starts_with("pixel (0, 399): rgba "), "{draw:?}");
        let picture = draw.picture.as_ref().unwrap();
        let sheet = picture.side_by_side();
        assert_eq!((sheet.width(), sheet.height()), (3 * 240 + 16, 400));
    }

    /// Textured draws are wrong, each by itself; the screens and the rest of memory are not, unless the draws' output is
    /// carried on.
    #[test]
    fn draws_are_judged_alone() {
        let capture = Scene::by_name("wrap_modes").expect("a scene").capture(Precision::Console);
        let found = |carry| {
            let setup = Setup { defect: Some(Defect::Pixels), ..Setup::default() };
            let options = Options { setup, threads: 1, steps: true, carry, ..Options::default() };
            lockstep::compare::<Pica>(&capture, ENGINES, options, &|| ()).unwrap().findings
        };
        let alone = found(false);
        let mut wrong = alone.steps.iter().filter(|step| !step.is_same());
        assert!(wrong.clone().count() > 1 && wrong.all(|step| step.place.moment == Moment::Draw));
        assert_eq!(alone.carried, 0);
        let carried = found(true);
        assert_eq!(carried.differences[0].place, alone.differences[0].place);
        assert!(carried.differences[0].origin == Origin::New && carried.carried > 0);
        let end = carried.steps.last().expect("steps");
        assert_eq!(end.place.moment, Moment::End);
        let is_carried = |(surface, _): &(String, u64)| surface.ends_with(" (carried)");
        assert!(!end.is_same() && end.differences.iter().all(is_carried), "{:?}", end.differences);
    }

    #[test]
    fn machines_that_part_are_noticed() {
        let first = scene();
        let mut second = first.clone();
        let last = second.events.iter().rposition(|event| matches!(event, Event::List { .. })).unwrap();
        second.events.remove(last);
        for (first, second) in [(&first, &second), (&second, &first)] {
            let findings = compared(first, second).findings;
            assert!(findings.parted && !findings.is_same());
            assert!(findings.differences[0].what.contains("the machines part"));
        }
    }

    #[test]
    fn settings_and_loads_are_not_made() {
        assert!(Pica::is_made(Moment::Draw, Role::Colour) && Pica::is_made(Moment::Fill(1), Role::Output));
        let others = [Role::Registers, Role::Memory, Role::State, Role::Faults];
        assert!(!others.into_iter().any(|role| Pica::is_made(Moment::End, role)));
    }

    #[test]
    fn engines_that_do_not_exist() {
        let capture = scene();
        for engines in [["interp", "gpu"], ["gpu", "interp"], ["gpu", "gpu"]] {
            let error = compare(&capture, engines, 1, &|| ()).unwrap_err();
            assert_eq!(error.to_string(), "there is no engine `gpu`");
        }
    }
}
