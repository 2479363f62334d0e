//! A replay in one go: whole frames, as a host plays them that keeps the machine at work.
//!
//! Nobody looks at draws. They wait for others of their state or target, overlap from list to list, and engines keep between
//! them what they know to be unchanged. What the screens show at the ends of frames, all memory and the state at the end
//! have to be as if each had been drawn by itself.

use super::findings::{Difference, Findings, Origin};
use super::meeting::in_step;
use super::{Comparison, Fingerprint, Moment, Options, Place, Point, Surface, tiling};
use crate::given_up::GivenUpList;
use crate::machine::Machine;
use crate::replay::ReplayError;
use std::sync::{Arc, Mutex, PoisonError};

/// Has the candidate of a comparison without a difference play in one go, and adds what differs then.
///
/// # Errors
/// As for [`compare`](super::compare).
pub(super) fn judge<M: Machine>(
    capture: &M::Capture,
    [reference, candidate]: [&mut M::Engine; 2],
    options: Options<'_>,
    mut comparison: Comparison<M>,
) -> Result<Comparison<M>, ReplayError> {
    let ends = &comparison.reference.ends;
    if let Some(place) = first_unlike::<M>(capture, candidate, options.threads, ends)? {
        let found = compare::<M>(capture, [&mut *reference, candidate], options)?;
        let what = if found.is_same() {
            let alone = M::reference_threads(options.threads);
            Some(match first_unlike::<M>(capture, reference, alone, ends)? {
                Some(_) => "the reference has the same in one go, and had not with stops",
                None => "it did not show again",
            })
        } else {
            None
        };
        let findings = &mut comparison.findings;
        (findings.differences, findings.more, findings.state) = (found.differences, found.more, found.state);
        findings.differences.extend(what.map(|what| of_course(place, what)));
    }
    Ok(comparison)
}

/// The first place where an engine in one go has other ends than these.
fn first_unlike<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Engine,
    threads: usize,
    ends: &[Fingerprint],
) -> Result<Option<Place>, ReplayError> {
    let (mut ends, mut first) = (ends.iter(), None);
    play::<M>(capture, engine, threads, &mut |point| {
        let is_same = ends.next() == Some(&Fingerprint::of_bytes(&point.surfaces));
        first = (!is_same).then_some(point.place);
        is_same
    })?;
    Ok(first)
}

/// A difference that no surfaces show.
fn of_course(place: Place, what: &str) -> Difference {
    let (surface, what) = ("course".into(), what.into());
    Difference { place, surface, bytes: 0, what, picture: None, origin: Origin::InOneGo }
}

/// Both machines in one go and in step, until they differ.
fn compare<M: Machine>(
    capture: &M::Capture,
    [reference, candidate]: [&mut M::Engine; 2],
    options: Options<'_>,
) -> Result<Findings<M>, ReplayError> {
    let findings = Arc::new(Mutex::new(Findings::<M>::in_one_go()));
    let shared = Arc::clone(&findings);
    let compare = move |expected: Option<&Point<M>>, actual: &Point<M>| {
        shared.lock().unwrap_or_else(PoisonError::into_inner).compare(expected, actual)
    };
    let alone = M::reference_threads(options.threads);
    let goes_on = |adopted: Option<Point<M>>| adopted.is_none();
    let (expected, actual) = in_step(
        compare,
        move |mut meeting| play::<M>(capture, reference, alone, &mut |point| goes_on(meeting.meet(point))),
        move |mut meeting| {
            play::<M>(capture, candidate, options.threads, &mut |point| goes_on(meeting.meet(point)))
        },
    )
    .map_err(|why| ReplayError::Thread(why.to_string()))?;
    expected.and(actual)?;
    Ok(std::mem::take(&mut *findings.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Plays frame by frame until `meet` returns false. It gets the end of each frame; then faults, the state and the rest of
/// what the machine has at the end, and memory in pieces.
fn play<M: Machine>(
    capture: &M::Capture,
    engine: &mut M::Engine,
    threads: usize,
    meet: &mut dyn FnMut(Point<M>) -> bool,
) -> Result<(), ReplayError> {
    let name = M::engine_name(engine);
    let mut player = M::player(capture)?;
    M::set_tiling(&mut player, tiling(threads));
    let mut given_up = GivenUpList::default();
    let mut place = Place { frame: 0, event: 0, draw: 0, moment: Moment::Frame };
    let mut known = M::Known::default();
    loop {
        let (mut lacked, mut last) = (None, None);
        M::watch_frame(&mut player, M::stages(engine), &mut |step, _| {
            if M::lacked_memory(step.outcome) {
                lacked.get_or_insert(step.index);
            }
            if let Some(why) = M::given_up(step.outcome) {
                given_up.push(step.index, why);
            }
            last = Some((step.index, M::ends_frame(step.event)));
        });
        if let Some(event) = lacked {
            return Err(ReplayError::NoMemory { event, engine: name });
        }
        let Some((event, is_whole)) = last else { break };
        place.event = event;
        if is_whole {
            M::note(&player, &mut known);
            let surfaces = M::at_frame(&player, M::stages(engine));
            if !meet(point(&player, &mut known, place, surfaces)) {
                return Ok(());
            }
            place.frame += 1;
        }
    }
    M::note(&player, &mut known);
    let place = Place { event: place.event + 1, moment: Moment::End, ..place };
    let at_end = M::at_end(&player, M::stages(engine), &given_up);
    let memory = Surface::of_memory(M::MEMORY, M::memory(&player)).map(|surface| vec![surface]);
    let mut ends = [at_end].into_iter().chain(memory);
    ends.all(|surfaces| meet(point(&player, &mut known, place, surfaces)));
    Ok(())
}

fn point<M: Machine>(
    player: &M::Player<'_>,
    known: &mut M::Known,
    place: Place,
    surfaces: Vec<Surface<M::Role>>,
) -> Point<M> {
    Point { place, state: M::state(player, known), stats: M::stats(player), surfaces }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::Defect;
    use crate::ge::Ge;
    use crate::lockstep;
    use crate::pica::Pica;
    use crate::plays::{Plays as _, Reading};
    use crate::setup::Setup;
    use picaflor_pipeline::ge::capture::Event;

    const ENGINES: [&str; 2] = ["interp", "jit"];

    fn pica() -> <Pica as crate::plays::Plays>::Capture {
        Pica::scene("wrap_modes", Reading::default()).expect("a scene")
    }

    /// A scene of the GE whose list runs twice in a frame, on memory that a host writes before each run.
    fn twice() -> <Ge as crate::plays::Plays>::Capture {
        let mut capture = Ge::scene("sprites", Reading::default()).expect("a scene");
        let end =
            capture.events.iter().position(|event| matches!(event, Event::Display(_))).expect("a frame");
        let again = capture.events[..end].to_vec();
        capture.events.splice(end..end, again);
        capture
    }

    fn found<M: Machine>(capture: &M::Capture, defect: Option<Defect>, threads: usize) -> Comparison<M> {
        let setup = Setup { defect, ..Setup::default() };
        let options = Options { setup, threads, ..Options::default() };
        lockstep::compare::<M>(capture, ENGINES, options, &|| ()).unwrap_or_else(|why| panic!("{why}"))
    }

    /// What no stop shows is found at the end of the frame, and said to be of a replay in one go.
    fn shows_in_one_go<M: Machine>(capture: &M::Capture, surface: &str) {
        for threads in [1, 2] {
            assert!(found::<M>(capture, None, threads).is_same());
            let comparison = found::<M>(capture, Some(Defect::Kept), threads);
            assert!(!comparison.is_same());
            let Findings { differences, more, carried, .. } = comparison.findings;
            assert_eq!((more, carried), (0, 0));
            let [difference] = &differences[..] else { panic!("{differences:?}") };
            assert_eq!((difference.place.frame, difference.place.moment), (0, Moment::Frame));
            assert_eq!((difference.origin, difference.label()), (Origin::InOneGo, surface.to_owned()));
            assert!(difference.bytes > 0 && difference.picture.is_some(), "{difference:?}");
        }
    }

    #[test]
    fn what_only_a_host_sees() {
        shows_in_one_go::<Pica>(&pica(), "upper screen (in one go)");
        shows_in_one_go::<Ge>(&twice(), "VRAM (in one go)");
    }

    /// The last frame may be cut short: what it leaves is compared with the rest of memory.
    #[test]
    fn captures_that_end_within_a_frame() {
        let mut capture = twice();
        capture.events.truncate(capture.events.len() - 1);
        assert!(found::<Ge>(&capture, None, 2).is_same());
        let findings = found::<Ge>(&capture, Some(Defect::Kept), 2).findings;
        let [difference] = &findings.differences[..] else { panic!("{:?}", findings.differences) };
        assert_eq!((difference.place.moment, difference.surface.as_str()), (Moment::End, "memory"));
    }

    /// Code that both engines share is wrong where nobody stops.
    #[test]
    fn differences_of_both_engines() {
        let capture = pica();
        let comparison = found::<Pica>(&capture, None, 1);
        let setup = Setup { defect: Some(Defect::Kept), ..Setup::default() };
        let mut engines = ENGINES.map(|name| Pica::engine(name, setup).expect("an engine"));
        let options = Options { threads: 1, ..Options::default() };
        let judged = judge(&capture, engines.each_mut(), options, comparison).expect("a sound capture");
        let [difference] = &judged.findings.differences[..] else { panic!("{:?}", judged.findings) };
        assert_eq!((difference.place.moment, difference.origin), (Moment::Frame, Origin::InOneGo));
        assert!(difference.what.starts_with("the reference has the same"), "{difference:?}");
    }
}
