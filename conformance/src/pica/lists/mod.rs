//! Random command lists on the whole machine: never a panic, never endless, and every engine the same.
//!
//! [`run`] plays a case within [`LIMITS`] and keeps everything that a guest could see afterwards; [`check`]
//! does so on the reference and on every other way, and compares. [`campaign`] does that to many cases,
//! [`reduce`] makes a failing one small.

pub mod campaign;
pub mod generate;
pub mod reduce;

use crate::crew::panicked;
use crate::image::Image;
use crate::machine::Eye;
use crate::pica::engine::NamedEngine;
use crate::pica::replay::display;
use picaflor_jit::CompileError;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::capture::replay::{Outcome, Player};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::limits::Limits;
use picaflor_pipeline::pica::stats::Stats;
use picaflor_pipeline::pica::{Pica, RunError};
use picaflor_pipeline::tile::Tiling;
use std::fmt;
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
}

impl Way {
    /// What the others are held against.
    pub const REFERENCE: Self = Self { engine: "interp", threads: 1, collected: 0 };
    /// The others; the last two suffice where cases are slow.
    pub const OTHERS: [Self; 4] = [
        Self { engine: "interp", threads: 2, collected: 0 },
        Self { engine: "jit", threads: 2, collected: 0 },
        Self { engine: "jit", threads: 1, collected: 0 },
        Self { engine: "jit", threads: 2, collected: 512 },
    ];

    fn tiling(self) -> Tiling {
        Tiling { least_work: self.collected, ..Tiling::new(self.threads) }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let collected = if self.collected > 0 { ", collected" } else { "" };
        write!(f, "{}, {} threads{collected}", self.engine, self.threads)
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
    run_within(LIMITS, capture, engine, Tiling { least_work: 0, ..Tiling::new(threads) })
}

fn run_within(limits: Limits, capture: &Capture, engine: &mut NamedEngine, tiling: Tiling) -> Run {
    let mut player = Player::new(capture).expect("a sound capture").with_limits(limits);
    player.pica_mut().set_tiling(tiling);
    let mut given_up = Vec::new();
    while let Some(step) = player.step(engine) {
        if let Outcome::GaveUp(why) = step.outcome {
            given_up.push((step.index, why));
        }
    }
    let (stats, faults) = (*player.pica().stats(), player.pica().faults().clone());
    let state = player.pica().save().words().to_vec();
    let picture = display(player.pica(), engine, player.memory(), Eye::Both);
    let reads = reads(player.pica_mut());
    let blocks = player.memory().blocks().iter();
    let memory = blocks.map(|block| (block.base(), block.as_slice().to_vec())).collect();
    Run { memory, state, reads, faults, given_up, picture, stats }
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
    let capture = with_precision(capture, precision);
    let mut contained = |way: Way| {
        let ran =
            catch_unwind(AssertUnwindSafe(|| run_within(LIMITS, &capture, engines.of(way), way.tiling())));
        ran.map_err(|panic| {
            renew(engines);
            Failure { precision, way, what: panicked(&*panic), panicked: true }
        })
    };
    let expected = contained(Way::REFERENCE)?;
    let skipped = if expected.stats.pixels > MANY_PIXELS { 2 } else { 0 };
    for way in Way::OTHERS.into_iter().skip(skipped) {
        if let Some(what) = contained(way)?.difference(&expected) {
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
    let mut run = |way: Way| run_within(limits, capture, engines.of(way), way.tiling());
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
