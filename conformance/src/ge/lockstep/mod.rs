//! Two machines side by side: after every list, and after every draw where that is asked for, all of VRAM and all
//! that the machines know; at the end all memory.

mod point;
mod side;

pub use point::{Moment, Place};

use crate::image::{Image, Panels};
use crate::lockstep::Fingerprint;
use crate::lockstep::Step;
use crate::lockstep::meeting::in_step;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::Capture;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::stats::Stats;
use point::{Point, Role};
use side::Side;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Differences that are described; more are counted.
const DESCRIBED: usize = 8;

/// Something that two machines did not do alike.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Where.
    pub place: Place,
    /// In what.
    pub surface: String,
    /// How many bytes differ.
    pub bytes: u64,
    /// The first difference.
    pub what: String,
    /// The target on both machines: expected, difference and actual.
    pub picture: Option<Panels>,
}

/// What comparing found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Lists after which both machines were compared.
    pub lists: u64,
    /// Draws in them.
    pub draws: u64,
    /// Points at which both machines were compared.
    pub points: u64,
    /// What was compared there.
    pub surfaces: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// How many more there were.
    pub more: u64,
    /// What the guest did wrong, and lists given up.
    pub notes: Vec<String>,
    /// Time in each machine.
    pub times: [Duration; 2],
    /// Of all of VRAM after every list, on the reference.
    pub fingerprint: Fingerprint,
    /// Counters of the candidate's machine.
    pub stats: Stats,
    /// What each machine showed last.
    pub screens: [Option<Image>; 2],
    /// The points, one by one, where that was asked for.
    pub steps: Vec<Step<Place>>,
    /// The state of the reference at the first difference.
    pub state: Option<Box<State>>,
    /// Whether the machines did not do the same things, so that the rest could not be compared.
    pub parted: bool,
    with_steps: bool,
}

/// The state of a machine that draws.
#[derive(Debug, Clone)]
pub struct State {
    /// Its registers.
    pub registers: Registers,
    /// The keys of the last draws, where points are draws.
    pub keys: String,
}

/// How machines are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Threads on which the candidate draws; the reference has one. With more than one, anything is worth sharing
    /// out, so that small draws are, too.
    pub threads: usize,
    /// Whether [`Findings::steps`] are wanted: then machines stop after every draw, and no draw overlaps with the
    /// next.
    pub steps: bool,
}

impl Findings {
    /// Whether nothing differed.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.differences.is_empty() && self.more == 0 && !self.parted
    }

    /// What the candidate showed last.
    #[must_use]
    pub const fn picture(&self) -> Option<&Image> {
        self.screens[1].as_ref()
    }

    fn add(&mut self, difference: Difference) {
        if self.differences.len() < DESCRIBED {
            self.differences.push(difference);
        } else {
            self.more += 1;
        }
    }

    fn compare(&mut self, expected: Option<&Point>, actual: &Point) {
        if self.parted {
            return;
        }
        match expected {
            Some(expected) if expected.place == actual.place => self.compare_alike(expected, actual),
            other => self.part(other.map(|point| point.place), actual.place),
        }
    }

    fn compare_alike(&mut self, expected: &Point, actual: &Point) {
        self.points += 1;
        self.surfaces += actual.surfaces.len() as u64;
        self.bytes += actual.surfaces.iter().map(|surface| surface.bytes.len() as u64).sum::<u64>();
        if expected.place.moment == Moment::List {
            self.lists += 1;
            let vram = expected.surfaces.iter().filter(|surface| surface.role == Role::Vram);
            vram.for_each(|vram| self.fingerprint.add_bytes(&vram.bytes));
        }
        let found = point::find(expected, actual);
        if !found.is_empty() && self.state.is_none() {
            let (registers, keys) = (expected.registers.clone(), expected.keys.clone());
            self.state = Some(Box::new(State { registers, keys }));
        }
        if self.with_steps {
            let Stats { vertices, primitives, covered, .. } = expected.stats;
            let surfaces = found.iter().map(|difference| (difference.surface.clone(), difference.bytes));
            let counters = [vertices, primitives, covered];
            Step::add(&mut self.steps, expected.place, counters, || expected.keys.clone(), surfaces);
        }
        found.into_iter().for_each(|found| self.add(found));
    }

    fn part(&mut self, expected: Option<Place>, actual: Place) {
        self.parted = true;
        let expected = expected.map_or("nothing more".into(), |place| place.to_string());
        let what = format!("the machines part: {actual} instead of {expected}");
        self.add(Difference { place: actual, surface: "course".into(), bytes: 0, what, picture: None });
    }

    fn finish(&mut self, reference: Side, candidate: Side) {
        self.draws = candidate.stats.draws;
        self.stats = candidate.stats;
        self.times = [reference.time, candidate.time];
        self.notes = candidate.notes;
        self.screens = [reference.picture, candidate.picture];
    }
}

/// Plays a capture on the reference and on the candidate, on one thread each; `done` is called after every event.
///
/// # Errors
/// The capture is not sound; a difference is no error.
pub fn compare(
    capture: &Capture,
    engines: [&mut (dyn Stages + Send); 2],
    done: &dyn Fn(),
) -> Result<Findings, CaptureError> {
    compare_with(capture, engines, Options::default(), done)
}

/// [`compare`], with more to choose.
///
/// # Errors
/// The capture is not sound; a difference is no error.
pub fn compare_with(
    capture: &Capture,
    [reference, candidate]: [&mut (dyn Stages + Send); 2],
    options: Options,
    done: &dyn Fn(),
) -> Result<Findings, CaptureError> {
    let Options { threads, steps } = options;
    let findings = Arc::new(Mutex::new(Findings { with_steps: steps, ..Findings::default() }));
    let shared = Arc::clone(&findings);
    let compare = move |expected: Option<&Point>, actual: &Point| {
        shared.lock().unwrap_or_else(PoisonError::into_inner).compare(expected, actual);
    };
    let alone = Options { threads: 1, steps };
    let (expected, actual) = in_step(
        compare,
        move |meeting| side::run(capture, reference, alone, meeting, &|| ()),
        move |meeting| side::run(capture, candidate, Options { threads, steps }, meeting, done),
    );
    let mut findings = std::mem::take(&mut *findings.lock().unwrap_or_else(PoisonError::into_inner));
    findings.finish(expected?, actual?);
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_interp::Interpreter;
    use picaflor_pipeline::ge::capture::ppdmp::write::Writer;
    use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
    use picaflor_pipeline::ge::raster::Shape;
    use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileRoutine, TransformStage, VertexBatch};
    use picaflor_pipeline::ge::vertex::Vertex;
    use picaflor_pipeline::ge::vram::{AddressMaps, VRAM};
    use std::sync::Arc;

    /// The interpreter, but for the lowest bit of blue.
    struct Blue(Interpreter);

    impl TransformStage for Blue {
        fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
            self.0.transform(batch, out);
            out.iter_mut().for_each(|vertex| vertex.colour ^= 1 << 16);
        }
    }

    impl PixelStage for Blue {
        fn pixel_routine(&mut self, state: &PixelState<'_>, shape: Shape) -> Arc<dyn TileRoutine> {
            self.0.pixel_routine(state, shape)
        }
    }

    /// One point, and a frame.
    fn capture() -> Capture {
        let mut writer = Writer::default();
        writer
            .words(1, &[0x9d00_0200, 0xd200_0003, 0xd300_0301, 0x16ff_ffff, 0xd504_3ddf, 0x1280_011c])
            .record(2, &[1, 2, 3, 4, 7, 0, 5, 0, 0, 0, 0, 0])
            .words(1, &[0x0400_0001])
            .words(9, &[0x0400_0000, 512, 3]);
        let dump = ppdmp::read(&writer.file(6)).unwrap();
        ppdmp::translate(&dump, Lists::OfRecords).unwrap().0
    }

    #[test]
    fn one_bit_is_found() {
        let mut engines = [Interpreter::new(), Interpreter::new()];
        let [first, second] = &mut engines;
        let same = compare(&capture(), [first, second], &|| ()).unwrap();
        assert!(same.is_same() && same.lists == 3 && same.draws == 1, "{same:?}");
        let found = compare(&capture(), [first, &mut Blue(Interpreter::new())], &|| ()).unwrap();
        let [difference, end] = &found.differences[..] else { panic!("{found:?}") };
        assert_eq!((end.place.moment, end.bytes), (Moment::End, 1));
        assert_eq!((difference.surface.as_str(), difference.bytes, difference.place.frame), ("VRAM", 1, 0));
        assert_eq!(
            difference.what,
            format!("byte at {:#010x}: 0x02 instead of 0x03", VRAM + (5 * 512 + 7) * 4 + 2)
        );
    }

    /// Draw by draw, the difference is where it was made, with its state; and a thread more changes nothing.
    #[test]
    fn draws_are_steps() {
        for threads in [1, 3] {
            let options = Options { threads, steps: true };
            let engines: [&mut (dyn Stages + Send); 2] =
                [&mut Interpreter::new(), &mut Blue(Interpreter::new())];
            let found = compare_with(&capture(), engines, options, &|| ()).unwrap();
            let place = found.differences[0].place;
            assert_eq!((place.moment, place.draw), (Moment::Draw, 0), "{:?}", found.differences);
            let wrong: Vec<_> = found.steps.iter().filter(|step| !step.is_same()).collect();
            assert_eq!((wrong[0].place, wrong[0].vertices, wrong[0].fragments), (place, 1, 1));
            let state = found.state.as_ref().expect("the state");
            assert_eq!(wrong[0].key, state.keys);
            assert!(state.keys.contains("ge-vertex/"), "{}", state.keys);
            assert!(found.is_same() == found.differences.is_empty() && found.picture().is_some());
        }
    }

    #[test]
    fn machines_that_part_are_noticed() {
        let point = |event| Point {
            place: Place { frame: 0, event, draw: 0, moment: Moment::List },
            registers: Registers::default(),
            maps: AddressMaps::default(),
            stats: Stats::default(),
            keys: String::new(),
            surfaces: Vec::new(),
        };
        for expected in [Some(point(1)), None] {
            let mut findings = Findings::default();
            findings.compare(Some(&point(0)), &point(0));
            assert!(findings.is_same() && findings.points == 1);
            findings.compare(expected.as_ref(), &point(2));
            assert!(findings.parted && !findings.is_same());
            assert!(findings.differences[0].what.starts_with("the machines part: frame 0, event 2 instead"));
        }
    }
}
