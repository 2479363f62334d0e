//! A capture on two machines in lock step, everything compared whenever they meet.
//!
//! [`compare`] runs it on both at once: whenever the reference has drawn, filled or transferred it waits, until the
//! candidate has come to the same point and everything that both wrote has been compared byte for byte.

mod batches;
mod difference;
mod fingerprint;
mod point;
mod side;

pub use batches::Batches;
pub use difference::Difference;
pub use fingerprint::fingerprint;
pub use point::{Moment, Place, Role};
pub use side::Side;

use crate::defect::Defect;
use crate::lockstep::meeting::in_step;
use crate::lockstep::{Fingerprint, Step};
use crate::pica::replay::{engine, engine_with};
use crate::replay::ReplayError;
use crate::setup::Setup;
use picaflor_jit::keys::FragmentStateKey;
use picaflor_pipeline::capture::Capture;
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::stats::Stats;
use point::Point;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Differences that are described; more are counted.
const DESCRIBED: usize = 8;

/// What comparing found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Points at which both machines were compared.
    pub points: u64,
    /// Surfaces and other things compared there.
    pub surfaces: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// How many more there were.
    pub more: u64,
    /// A hash of what the reference drew, filled, transferred and showed, at every point.
    pub fingerprint: Fingerprint,
    /// Whether the machines did not do the same things, so that the rest could not be compared.
    pub parted: bool,
    /// The points, one by one, where that was asked for.
    pub steps: Vec<Step<Place>>,
    /// The registers of the reference at the first difference.
    pub registers: Option<Box<Registers>>,
    with_steps: bool,
}

impl Findings {
    /// Whether nothing differed.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.differences.is_empty() && self.more == 0 && !self.parted
    }

    fn compare(&mut self, expected: Option<&Point>, actual: &Point) {
        if self.parted {
            return;
        }
        match expected {
            Some(expected) if expected.place == actual.place => {
                self.points += 1;
                self.surfaces += actual.surfaces.len() as u64;
                self.bytes += actual.surfaces.iter().map(|surface| surface.bytes.len() as u64).sum::<u64>();
                expected.surfaces.iter().for_each(|surface| self.fingerprint.add(surface));
                let found = difference::find(expected, actual);
                if !found.is_empty() && self.registers.is_none() {
                    self.registers = Some(Box::new(expected.registers.clone()));
                }
                if self.with_steps {
                    self.step(expected, &found);
                }
                found.into_iter().for_each(|found| self.add(found));
            }
            other => self.part(other.map(|point| point.place), actual.place),
        }
    }

    fn step(&mut self, point: &Point, found: &[Difference]) {
        let Stats { vertices, triangles, fragments, .. } = point.stats;
        let key = || FragmentStateKey::of(&point.registers);
        let key = || key().map_or_else(|refusal| refusal.to_string(), |key| key.to_string());
        let key = || if point.place.moment == Moment::Draw { key() } else { String::new() };
        let found = found.iter().map(|difference| (difference.surface.clone(), difference.bytes));
        Step::add(&mut self.steps, point.place, [vertices, triangles, fragments], key, found);
    }

    fn part(&mut self, expected: Option<Place>, actual: Place) {
        self.parted = true;
        let expected = expected.map_or("nothing more".into(), |place| place.to_string());
        let what = format!("the machines part: {actual} instead of {expected}");
        self.add(Difference { place: actual, surface: "course".into(), bytes: 0, what, picture: None });
    }

    fn add(&mut self, difference: Difference) {
        if self.differences.len() < DESCRIBED {
            self.differences.push(difference);
        } else {
            self.more += 1;
        }
    }
}

/// A capture on two engines.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The engine against which the other was held.
    pub reference: Side,
    /// The other.
    pub candidate: Side,
    /// What comparing found.
    pub findings: Findings,
}

impl Comparison {
    /// Whether both machines did the same, byte for byte.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.findings.is_same()
    }
}

/// Replays a capture on two engines in lock step; `done` is called after every event.
///
/// # Errors
/// As [`ReplayError`] says; a difference is none.
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
/// As [`ReplayError`] says; a difference is none.
pub fn compare_cached(
    capture: &Capture,
    engines: [&str; 2],
    cache: Option<&Path>,
    threads: usize,
    done: &dyn Fn(),
) -> Result<Comparison, ReplayError> {
    compare_two([capture; 2], engines, Options { cache, threads, ..Options::default() }, done)
}

/// How two engines are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Folder in which the compiled code of both engines is kept.
    pub cache: Option<&'a Path>,
    /// Folder for CLIF and machine instructions of the candidate's routines.
    pub dumps: Option<&'a Path>,
    /// What is wrong with the candidate, on purpose.
    pub defect: Option<Defect>,
    /// Threads to draw on.
    pub threads: usize,
    /// Whether [`Findings::steps`] are wanted.
    pub steps: bool,
}

/// [`compare`], with more to choose.
///
/// # Errors
/// As [`ReplayError`] says; a difference is none.
pub fn compare_with(
    capture: &Capture,
    engines: [&str; 2],
    options: Options<'_>,
    done: &dyn Fn(),
) -> Result<Comparison, ReplayError> {
    compare_two([capture; 2], engines, options, done)
}

fn compare_two(
    [first, second]: [&Capture; 2],
    [reference, candidate]: [&str; 2],
    options: Options<'_>,
    done: &dyn Fn(),
) -> Result<Comparison, ReplayError> {
    let Options { cache, dumps, defect, threads, steps } = options;
    let findings = Arc::new(Mutex::new(Findings { with_steps: steps, ..Findings::default() }));
    let shared = Arc::clone(&findings);
    let compare = move |expected: Option<&Point>, actual: &Point| {
        shared.lock().unwrap_or_else(PoisonError::into_inner).compare(expected, actual);
    };
    let (expected, actual) = in_step(
        compare,
        move |meeting| side::run(first, &mut engine(reference, cache)?, threads, meeting, &|| ()),
        |meeting| {
            let mut engine = engine_with(candidate, Setup { cache, dumps, defect })?;
            side::run(second, &mut engine, threads, meeting, done)
        },
    );
    let findings = std::mem::take(&mut *findings.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Comparison { reference: expected?, candidate: actual?, findings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::scene::Scene;
    use picaflor_pipeline::capture::Event;
    use picaflor_pipeline::pica::external::Engine;
    use picaflor_pipeline::pica::float::Precision;

    const ENGINES: [&str; 2] = ["interp", "jit"];

    fn scene() -> Capture {
        Scene::all()[0].capture(Precision::Console)
    }

    fn compared(first: &Capture, second: &Capture) -> Comparison {
        compare_two([first, second], ENGINES, Options { threads: 2, ..Options::default() }, &|| ())
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
        assert!(comparison.candidate.batches.compiled > 0);
        assert_eq!(comparison.reference.batches.reference, comparison.reference.batches.total());
        assert_eq!(comparison.reference.picture, comparison.candidate.picture);
        let again = compared(&capture, &capture).findings.fingerprint;
        assert_eq!(comparison.findings.fingerprint, again);
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
        assert_eq!(differences[0].place.moment, Moment::Engine(Engine::Fill(0)));
        assert!(differences[0].surface.starts_with("output at 0x18000000"), "{:?}", differences[0]);
        let draw = differences.iter().find(|found| found.place.moment == Moment::Draw).unwrap();
        assert!(draw.surface.starts_with("colour buffer"), "{draw:?}");
        assert!(draw.what.starts_with("pixel (0, 399): rgba "), "{draw:?}");
        let picture = draw.picture.as_ref().unwrap();
        let sheet = picture.side_by_side();
        assert_eq!((sheet.width(), sheet.height()), (3 * 240 + 16, 400));
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
    fn engines_that_do_not_exist() {
        let capture = scene();
        for engines in [["interp", "gpu"], ["gpu", "interp"], ["gpu", "gpu"]] {
            let error = compare(&capture, engines, 1, &|| ()).unwrap_err();
            assert_eq!(error.to_string(), "there is no engine `gpu`");
        }
    }
}
