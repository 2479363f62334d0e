//! Random cases: what a hostile or broken guest makes of the machine. Case `n` of a seed is the same whatever was
//! generated before it.

mod damage;
mod draws;
mod host;
mod queue;
mod writer;

use super::program::{Program, Step};
use super::{LIMITS, WIDE};
use crate::random::Random;
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture::Capture;
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use std::sync::Arc;
use writer::Writer;

/// Main memory: textures first, which modes of the pixel path expect there.
const RAM: u32 = 0x0880_0000;
/// Bytes of it.
const RAM_BYTES: u32 = 0x8_0000;
/// Bytes of textures that are filled.
const TEXTURES: u32 = 0x2_0000;
/// Where lists are; each has room for [`LIST_BYTES`].
const LISTS: u32 = RAM + 0x4_0000;
/// Bytes of a list.
const LIST_BYTES: u32 = 0x2000;
/// Vertices, indices, colour tables.
const DATA: u32 = RAM + 0x6_0000;
/// Bytes of them.
const DATA_BYTES: u32 = 0x1_0000;
/// Where states are kept.
const CONTEXTS: u32 = RAM + 0x7_0000;

/// What a case is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListKind {
    /// Sensible draws with random state, one list after the other.
    Structured,
    /// The same through the queue, with stalls that move and handlers that are called.
    Queued,
    /// Either, some words of it changed.
    Damaged,
    /// A recording, some words of it changed.
    Recording,
    /// Random words.
    Raw,
}

impl ListKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Structured, Self::Queued, Self::Damaged, Self::Recording, Self::Raw];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Structured => "structured",
            Self::Queued => "queued",
            Self::Damaged => "damaged",
            Self::Recording => "damaged recording",
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
    pub program: Program,
}

/// Case `number` of a seed. Without recordings there are none of their kind.
#[must_use]
pub fn case(seed: u64, number: u64, recordings: &[Capture]) -> ListCase {
    let mut random = Random::of_item(seed, number);
    let random = &mut random;
    let kind = random.weighted(&[
        (40, ListKind::Structured),
        (22, ListKind::Queued),
        (18, ListKind::Damaged),
        (if recordings.is_empty() { 0 } else { 6 }, ListKind::Recording),
        (14, ListKind::Raw),
    ]);
    let mut program = match kind {
        ListKind::Structured => Writer::new(random).plain(),
        ListKind::Queued => queue::queued(Writer::new(random)),
        ListKind::Damaged => {
            let is_queued = random.chance(40);
            let writer = Writer::new(random);
            let mut program = if is_queued { queue::queued(writer) } else { writer.plain() };
            damage::lists(random, &mut program);
            program
        }
        ListKind::Recording => {
            let recording = &recordings[random.below(recordings.len() as u32) as usize];
            let mut program = some_runs(random, Program::of_capture(recording));
            damage::lists(random, &mut program);
            program
        }
        ListKind::Raw => raw(random),
    };
    if random.chance(40) {
        program.limits = WIDE;
    }
    // A stream of its own, so that it changes nothing else of a case.
    host::whims(&mut Random::of_item(!seed, number), &mut program);
    ListCase { kind, program }
}

/// The first runs of a recording, which set things up, and some that follow: there may be thousands.
fn some_runs(random: &mut Random, mut program: Program) -> Program {
    let is_run = |step: &Step| matches!(step, Step::Run(_));
    let runs = program.steps.iter().filter(|step| is_run(step)).count() as u32;
    let first = random.below(runs + 1);
    let mut number = 0;
    program.steps.retain(|step| {
        number += u32::from(is_run(step));
        !is_run(step) || number <= 24 || (first..first + 40).contains(&number)
    });
    program
}

/// A program begins with a machine after reset.
fn program(sdk: u32, steps: Vec<Step>) -> Program {
    let regions = vec![(VRAM, VRAM_BYTES), (RAM, RAM_BYTES)];
    let machine = Capture { regions, initial: Ge::new().save(), events: Vec::new() };
    Program { machine, sdk, limits: LIMITS, replaces: false, steps }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

fn bytes(words: &[u32]) -> Arc<[u8]> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A list of words without any plan, or of commands that exist.
fn raw(random: &mut Random) -> Program {
    let count = random.between(4, 800);
    let tame = random.pick(&[0, 50, 95]);
    let list: Vec<u32> = (0..count)
        .map(|_| if random.chance(tame) { draws::command(random) } else { random.word() })
        .collect();
    let stall = if random.chance(80) { LISTS + 4 * count } else { random.word() };
    let data: Vec<u32> = (0..256).map(|_| random.word()).collect();
    let place = if random.chance(90) { LISTS } else { VRAM + 16 * random.below(1 << 17) };
    let run = |at| Step::Run(DisplayList::new(at, stall));
    program(
        0,
        vec![
            Step::Memory(RAM, bytes(&data)),
            Step::Memory(DATA, bytes(&data)),
            Step::Memory(place, bytes(&list)),
            run(place),
            run(place + 4 * random.below(count)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_do_not_depend_on_their_neighbours() {
        let of = |number| case(9, number, &[]).program;
        let first: Vec<_> = (0..6).map(of).collect();
        assert!((0..6).rev().all(|number| of(number) == first[number as usize]));
        assert_ne!(first[0], first[1]);
    }

    #[test]
    fn every_kind_occurs() {
        let recording = Writer::new(&mut Random::new(1)).plain().to_capture();
        let kinds: Vec<_> =
            (0..200).map(|number| case(1, number, std::slice::from_ref(&recording)).kind).collect();
        assert!(ListKind::ALL.iter().all(|kind| kinds.contains(kind)));
        assert!((0..200).all(|number| case(1, number, &[]).kind != ListKind::Recording));
    }
}
