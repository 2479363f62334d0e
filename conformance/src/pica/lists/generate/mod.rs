//! Random command lists: what a hostile or broken guest makes of the whole machine.
//!
//! An [`ListCase`] is a capture of a few hundred kilobytes: data in memory, command lists, and what a host
//! does in between. Most are structured, so that draws reach pixels; some of those are damaged afterwards,
//! some are the project's own scenes with damaged words, and some are nothing but random words. Case `n` of
//! a seed is the same whatever was generated before it.

mod damage;
mod host;
mod shaders;
mod words;
mod work;
mod writer;

use self::writer::Writer;
use crate::random::Random;
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::{Capture, Event, Origin};
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use picaflor_scenes::pica::kit::{FCRAM, VRAM};
use std::sync::{Arc, LazyLock};

/// The memory of generated cases.
const REGIONS: [(u32, u32); 2] = [(VRAM, 512 << 10), (FCRAM, 512 << 10)];

/// What a case is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListKind {
    /// Sensible draws with random state.
    Structured,
    /// The same, some words of its lists changed.
    Damaged,
    /// A scene, some words of its lists changed.
    Scene,
    /// Random words.
    Raw,
}

impl ListKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Structured, Self::Damaged, Self::Scene, Self::Raw];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Damaged => "damaged",
            Self::Scene => "damaged scene",
            Self::Raw => "raw words",
        }
    }
}

/// A random case.
#[derive(Debug, Clone)]
pub struct ListCase {
    /// What it is like.
    pub kind: ListKind,
    /// What happens.
    pub capture: Capture,
}

/// Case `number` of a seed.
#[must_use]
pub fn case(seed: u64, number: u64) -> ListCase {
    let mut case = generate(&mut Random::of_item(seed, number));
    // A stream of its own, so that it changes nothing else of a case.
    host::writes_state(&mut Random::of_item(seed ^ u64::from(u32::MAX), number), &mut case.capture);
    case
}

/// A case from any stream of decisions.
#[must_use]
pub fn generate(random: &mut Random) -> ListCase {
    let kind = random.weighted(&[
        (60, ListKind::Structured),
        (24, ListKind::Damaged),
        (2, ListKind::Scene),
        (14, ListKind::Raw),
    ]);
    of_kind(random, kind)
}

/// A case of a kind.
#[must_use]
pub fn of_kind(random: &mut Random, kind: ListKind) -> ListCase {
    let capture = match kind {
        ListKind::Structured => Writer::new(random).write(),
        ListKind::Damaged => {
            let mut capture = Writer::new(random).write();
            damage::lists(random, &mut capture);
            capture
        }
        ListKind::Scene => {
            let mut capture = scene(random);
            damage::lists(random, &mut capture);
            capture
        }
        ListKind::Raw => raw(random),
    };
    ListCase { kind, capture }
}

/// A capture begins with a machine after reset.
pub(crate) fn capture(events: Vec<Event>) -> Capture {
    let precision = Precision::Console;
    let initial = Pica::new(precision).save();
    Capture { origin: Origin::Recorder, precision, regions: REGIONS.to_vec(), initial, events }
}

/// Scenes take time to build, and cases only change some words of them.
fn scene(random: &mut Random) -> Capture {
    static SCENES: LazyLock<Vec<Capture>> =
        LazyLock::new(|| Scene::all().iter().map(|scene| scene.capture(Precision::Console)).collect());
    SCENES[random.below(SCENES.len() as u32) as usize].clone()
}

/// A list of words without any plan, or with headers of registers that exist.
fn raw(random: &mut Random) -> Capture {
    let count = random.between(4, 600);
    let tame = random.chance(70);
    let word = |at: u32| match (at % 2, tame) {
        (1, true) => words::header(random),
        _ => words::any(random),
    };
    let bytes: Vec<u8> = (0..count).map(word).flat_map(u32::to_le_bytes).collect();
    let size_bytes = if random.chance(95) { bytes.len() as u32 } else { random.word() };
    capture(vec![
        Event::Memory { address: FCRAM, bytes: Arc::from(bytes) },
        Event::List { address: FCRAM, size_bytes },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_do_not_depend_on_their_neighbours() {
        let of = |number| case(9, number).capture.to_bytes();
        let first: Vec<_> = (0..8).map(of).collect();
        assert!((0..8).rev().all(|number| of(number) == first[number as usize]));
        assert_ne!(first[0], first[1]);
    }

    #[test]
    fn every_kind_occurs() {
        let kinds: Vec<_> = (0..400).map(|number| case(1, number).kind).collect();
        assert!(ListKind::ALL.iter().all(|kind| kinds.contains(kind)));
    }
}
