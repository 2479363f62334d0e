//! Random command lists on the whole machine: never a panic, never endless, and every engine the same.
//!
//! [`run`] plays a case within [`LIMITS`] and keeps everything that a guest could see afterwards; [`check`]
//! does so on the reference and on every other way, and compares. [`campaign`] does that to many cases,
//! [`reduce`] makes a failing one small.

pub mod campaign;
pub mod generate;
pub mod reduce;

use crate::crew::panicked;
use crate::host_memory::{Habits, HostMemory, InVain};
use crate::image::Image;
use crate::machine::Eye;
use crate::pica::engine::NamedEngine;
use crate::pica::events;
use crate::pica::replay::display;
use crate::random::Random;
use picaflor_jit::CompileError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::pica::stats::Stats;
use picaflor_pipeline::pica::{Pica, RunError};
use picaflor_pipeline::tile::Tiling;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a case may do: enough for some pictures, and over in milliseconds.
pub const LIMITS: Limits = Limits::DEFAULT
    .with_instructions(4096)
    .with_vertices(512)
    .with_triangles(512)
    .with_pixels(1 << 15)
    .with_commands(1 << 14)
    .with_jumps(64)
    .with_run_vertices(4096)
    .with_run_pixels(1 << 16)
    .with_run_instructions(1 << 22)
    .with_work(1 << 27);

/// Of so many events, the one after which a host that has images in place of textures has others.
const CHANGED: usize = 8;

/// Pixels from which on a case is not run in every way.
const MANY_PIXELS: u64 = 40_000;

/// How a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Name of the engine.
    pub engine: &'static str,
    /// Threads that draw.
    pub threads: usize,
    /// Pixels for which draws are collected; 0: each is handed over by itself.
    pub collected: u64,
    /// The host announces what it writes, and answers with versions; otherwise engines look at the bytes.
    pub announced: bool,
    /// Some events are done in vain before they are done.
    pub in_vain: bool,
}

/// What a host does beside playing a case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Whims {
    /// It has images in place of textures.
    pub replaces: bool,
    /// Events that it has done in vain, before they are done.
    pub in_vain: Vec<(Range<usize>, InVain)>,
}

impl Whims {
    /// Those of a host that plays a case of so many events.
    #[must_use]
    pub fn random(random: &mut Random, events: usize) -> Self {
        let replaces = random.chance(6);
        let times = if random.chance(30) { random.between(1, 3) } else { 0 };
        let in_vain = (0..times).map(|_| {
            let first = random.below(events.max(1) as u32) as usize;
            let end = (first + random.between(1, 16) as usize).min(events);
            (first..end, InVain::random(random))
        });
        Self { replaces, in_vain: in_vain.collect() }
    }
}

impl Way {
    /// What the others are held against.
    pub const REFERENCE: Self =
        Self { engine: "interp", threads: 1, collected: 0, announced: false, in_vain: false };
    /// The others; the last two suffice where cases are slow.
    pub const OTHERS: [Self; 5] = [
        Self { threads: 2, ..Self::REFERENCE },
        Self { engine: "jit", threads: 2, in_vain: true, ..Self::REFERENCE },
        Self { engine: "jit", threads: 2, collected: 512, ..Self::REFERENCE },
        Self { engine: "jit", threads: 1, ..Self::REFERENCE },
        Self { engine: "jit", threads: 2, collected: 512, announced: true, in_vain: true },
    ];

    fn tiling(self) -> Tiling {
        Tiling { least_work: self.collected, ..Tiling::new(self.threads) }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let collected = if self.collected > 0 { ", collected" } else { "" };
        let announced = if self.announced { ", announced" } else { "" };
        let in_vain = if self.in_vain { ", partly in vain before" } else { "" };
        write!(f, "{}, {} threads{collected}{announced}{in_vain}", self.engine, self.threads)
    }
}

/// Engines for all ways.
#[derive(Debug)]
pub struct Engines {
    interpreter: NamedEngine,
    compiled: NamedEngine,
}

impl Engines {
    /// New engines.
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    ///
    /// # Panics
    /// Never: the names are those of engines.
    pub fn new() -> Result<Self, CompileError> {
        let named = |name| NamedEngine::by_name(name).expect("an engine of this name");
        Ok(Self { interpreter: named("interp")?, compiled: named("jit")? })
    }

    const fn of(&mut self, way: Way) -> &mut NamedEngine {
        match way.engine.as_bytes() {
            b"interp" => &mut self.interpreter,
            _ => &mut self.compiled,
        }
    }
}

/// Everything that a case leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Memory, block by block.
    pub memory: Vec<(u32, Vec<u8>)>,
    /// The machine's state, as saved.
    pub state: Vec<u32>,
    /// What the CPU reads from every register afterwards.
    pub reads: Vec<u32>,
    /// What the guest did wrong.
    pub faults: FaultList,
    /// Lists that were given up, by event.
    pub given_up: Vec<(usize, RunError)>,
    /// What the screens show.
    pub picture: Option<Image>,
    /// Counters.
    pub stats: Stats,
    /// A byte that changed without an announcement, where changes are announced.
    pub unannounced: Option<u32>,
}

impl Run {
    /// What differs from `expected`, the first of it in words.
    #[must_use]
    pub fn difference(&self, expected: &Self) -> Option<String> {
        let word = |what: &str, a: &[u32], e: &[u32]| {
            let at = a.iter().zip(e).position(|(a, e)| a != e)?;
            Some(format!("{what} {at:#x}: {:#010x} instead of {:#010x}", a[at], e[at]))
        };
        let blocks = self.memory.iter().zip(&expected.memory);
        let byte = blocks.filter(|(a, e)| a != e).find_map(|((base, a), (_, e))| {
            let at = a.iter().zip(e).position(|(a, e)| a != e)?;
            Some(format!("memory {:#010x}: {:#04x} instead of {:#04x}", base + at as u32, a[at], e[at]))
        });
        byte.or_else(|| word("state word", &self.state, &expected.state))
            .or_else(|| word("register read", &self.reads, &expected.reads))
            .or_else(|| self.other_faults(expected))
            .or_else(|| self.unannounced.map(|at| format!("memory {at:#010x}: written without a word")))
            .or_else(|| (self != expected).then(|| "another picture, or other counters".into()))
    }

    fn other_faults(&self, expected: &Self) -> Option<String> {
        let count = |run: &Self| (run.faults.as_slice().len(), run.faults.dropped());
        let pairs = self.faults.as_slice().iter().zip(expected.faults.as_slice());
        let mut pairs = pairs.filter(|(a, e)| a != e);
        if let Some((a, e)) = pairs.next() {
            return Some(format!("fault: {a} instead of {e}"));
        }
        if self.faults != expected.faults {
            return Some(format!(
                "faults kept and dropped: {:?} instead of {:?}",
                count(self),
                count(expected)
            ));
        }
        let (a, e) = (&self.given_up, &expected.given_up);
        (a != e).then(|| format!("lists given up: {a:?} instead of {e:?}"))
    }
}

/// Plays a case to its end. Even the smallest draws are handed over.
///
/// # Panics
/// If the machine does, or the capture is not one that was generated.
pub fn run(capture: &Capture, engine: &mut NamedEngine, threads: usize) -> Run {
    run_within(LIMITS, capture, engine, (Way { threads, ..Way::REFERENCE }, &Whims::default()))
}

fn run_within(
    limits: Limits,
    capture: &Capture,
    engine: &mut NamedEngine,
    (way, whims): (Way, &Whims),
) -> Run {
    let mut pica = Pica::new(capture.precision).with_limits(limits);
    pica.load(&capture.initial).expect("a sound capture");
    pica.set_tiling(way.tiling());
    let habits = Habits { announces: way.announced, replaces: whims.replaces };
    let memory = HostMemory::zeroed(&capture.regions, habits);
    let mut given_up = Vec::new();
    for (index, event) in capture.events.iter().enumerate() {
        let in_vain = whims.in_vain.iter().filter(|(events, _)| way.in_vain && events.start == index);
        for (events, end) in in_vain {
            let (state, stopper) = (pica.save(), pica.stopper());
            memory.in_vain(*end, &stopper, || {
                for event in capture.events.iter().take(events.end).skip(events.start) {
                    let _ = play(&mut pica, engine, &memory, event);
                }
            });
            pica.load(&state).expect("its own state");
        }
        if let Err(why) = play(&mut pica, engine, &memory, event) {
            given_up.push((index, why));
        }
        if index % CHANGED == 0 {
            memory.change_images();
        }
    }
    let (stats, faults) = (*pica.stats(), pica.faults().clone());
    let state = pica.save().words().to_vec();
    let picture = display(&pica, engine, &memory, Eye::Both);
    let (reads, unannounced) = (reads(&mut pica), memory.unannounced());
    let blocks = memory.blocks().blocks().iter();
    let memory = blocks.map(|block| (block.base(), block.as_slice().to_vec())).collect();
    Run { memory, state, reads, faults, given_up, picture, stats, unannounced }
}

fn play(
    pica: &mut Pica,
    engine: &mut NamedEngine,
    memory: &HostMemory,
    event: &Event,
) -> Result<(), RunError> {
    if let Event::Memory { address, bytes } = event {
        memory.write(*address, bytes);
    }
    events::play(pica, engine, memory, event)
}

/// All registers, as the CPU reads them.
fn reads(pica: &mut Pica) -> Vec<u32> {
    let inside = (0x1040_1000..0x1040_2000_u32).step_by(4);
    let outside = (0x1040_0000..0x1040_1000_u32).step_by(4);
    inside.chain(outside).map(|address| pica.read_mmio(address)).collect()
}

/// A case in another precision; it begins with a machine after reset.
#[must_use]
pub fn with_precision(capture: &Capture, precision: Precision) -> Capture {
    Capture { precision, initial: Pica::new(precision).save(), ..capture.clone() }
}

/// Why a case fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Precision in which it does.
    pub precision: Precision,
    /// Way in which it does.
    pub way: Way,
    /// What happened.
    pub what: String,
    /// Whether that was a panic.
    pub panicked: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?}): {}", self.way, self.precision, self.what)
    }
}

/// Runs a case in one precision and every way; the run of the reference.
///
/// # Errors
/// What panicked, or differs from the reference.
pub fn check(capture: &Capture, precision: Precision, engines: &mut Engines) -> Result<Run, Failure> {
    check_hosted(capture, precision, &Whims::default(), engines)
}

/// [`check`] on a host with whims.
///
/// # Errors
/// As [`check`].
pub fn check_hosted(
    capture: &Capture,
    precision: Precision,
    whims: &Whims,
    engines: &mut Engines,
) -> Result<Run, Failure> {
    let capture = with_precision(capture, precision);
    let mut contained = |way: Way| {
        let ran =
            catch_unwind(AssertUnwindSafe(|| run_within(LIMITS, &capture, engines.of(way), (way, whims))));
        ran.map_err(|panic| {
            renew(engines);
            Failure { precision, way, what: panicked(&*panic), panicked: true }
        })
    };
    let expected = contained(Way::REFERENCE)?;
    let skipped = if expected.stats.pixels > MANY_PIXELS { 3 } else { 0 };
    for way in Way::OTHERS.into_iter().skip(skipped) {
        let mut other = contained(way)?;
        if way.in_vain && !whims.in_vain.is_empty() {
            // No state has them.
            other.faults.clone_from(&expected.faults);
        }
        if let Some(what) = other.difference(&expected) {
            return Err(Failure { precision, way, what, panicked: false });
        }
    }
    Ok(expected)
}

/// Runs a case as it is, within limits, in one way.
///
/// # Errors
/// What differs from the reference.
///
/// # Panics
/// If the machine does.
pub fn check_way(capture: &Capture, way: Way, limits: Limits, engines: &mut Engines) -> Result<(), Failure> {
    let mut run = |way: Way| run_within(limits, capture, engines.of(way), (way, &Whims::default()));
    let expected = run(Way::REFERENCE);
    let failure = |what| Failure { precision: capture.precision, way, what, panicked: false };
    run(way).difference(&expected).map_or(Ok(()), |what| Err(failure(what)))
}

/// An engine that panicked must not be used again.
fn renew(engines: &mut Engines) {
    if let Ok(new) = Engines::new() {
        *engines = new;
    }
}
