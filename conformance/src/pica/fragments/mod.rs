//! Random states of the fragment pipeline, and triangles in them, on the interpreter and on compiled code.
//!
//! [`check`] draws a [case](case::FragmentCase) on the interpreter and in several [ways](Way) on compiled code, and
//! compares memory and the number of fragments. [`campaign`] runs many cases, [`reduce`] reduces a failing one,
//! [`report`] describes its failure; [`scenes`] counts the keys of captures, [`law`] derives states with the same
//! key, which have to draw the same, and [`laws`] tests that and the other laws of keys on many states. [`traces`] holds
//! traces of pixels against what is drawn.

pub mod campaign;
pub mod case;
pub mod law;
pub mod laws;
pub mod reduce;
pub mod report;
pub mod scenes;
pub mod state;
pub mod traces;
pub mod triangle;

use crate::crew::panicked;
use crate::pica::fragments::state::{BASE, SIZE};
use crate::random::Random;
use case::FragmentCase;
use picaflor_interp::Interpreter;
use picaflor_jit::keys::FragmentStateKey;
use picaflor_jit::{CompileError, CpuLevel, Engine, EngineMode, Stats};
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::queue;
use picaflor_pipeline::pica::raster::triangles::Triangles;
use picaflor_pipeline::pica::stage::{FragmentStage, FragmentState, TileBatch, TileRoutine};
use picaflor_pipeline::pica::surface::feedback;
use picaflor_pipeline::pica::surface::{Target, overlap};
use picaflor_pipeline::rect::Rect;
use picaflor_pipeline::tile::Tiling;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A way to draw a case on compiled code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// Without the interpreter, on this many threads.
    Alone(usize),
    /// Without the interpreter, in random tiles in random order.
    Tiles,
    /// With the interpreter to fall back to, on this many threads.
    Fallback(usize),
    /// Code is made while the interpreter draws; then once more with the code.
    Background,
    /// Without the interpreter, with code for older processors, for which nothing is found in wider vectors.
    Older,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Alone(1),
        Self::Tiles,
        Self::Alone(2),
        Self::Alone(5),
        Self::Fallback(1),
        Self::Fallback(5),
        Self::Background,
        Self::Older,
    ];
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone(threads) => write!(f, "compiled, {threads} threads"),
            Self::Tiles => f.write_str("compiled, random tiles"),
            Self::Fallback(threads) => write!(f, "compiled or interpreted, {threads} threads"),
            Self::Background => f.write_str("compiled in the background"),
            Self::Older => f.write_str("compiled for older processors"),
        }
    }
}

/// Engines for all ways, and memory to draw in.
#[derive(Debug)]
pub struct Engines {
    alone: Engine,
    fallback: Engine,
    background: Engine,
    older: Engine,
    memory: FlatMemory,
}

impl Engines {
    /// New engines.
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    pub fn new() -> Result<Self, CompileError> {
        let blocking = || Engine::builder().mode(EngineMode::Blocking);
        Ok(Self {
            alone: blocking().fallback(false).build()?,
            fallback: blocking().build()?,
            background: Engine::builder().mode(EngineMode::Background).build()?,
            older: blocking().fallback(false).cpu(CpuLevel::WithoutAvx).build()?,
            memory: FlatMemory::new(BASE, vec![0; SIZE as usize]),
        })
    }
}

/// The result of a drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// Memory from [`BASE`] on.
    pub memory: Vec<u8>,
    /// Fragments that were covered.
    pub fragments: u64,
}

/// The failure of a case.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The way in which it does.
    pub way: Way,
    /// The failure, in words.
    pub what: String,
    /// True if it was a panic.
    pub panicked: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.way, self.what)
    }
}

/// A case that does not fail.
#[derive(Debug, Clone)]
pub struct Passed {
    /// The interpreter's result.
    pub expected: Drawn,
    /// The key; or why compiled code did not draw the case.
    pub served: Result<FragmentStateKey, String>,
    /// The ways with the same result.
    pub ways: Vec<Way>,
}

/// Draws a case on the interpreter.
#[must_use]
pub fn reference(case: &FragmentCase, memory: &mut FlatMemory) -> Drawn {
    draw(case, &case.set_up(), memory, &mut Interpreter::new(), Cut::Threads(1))
}

/// Draws a random case as it is and after a change of its registers, on the interpreter, and compares; returns what the
/// change returns.
#[cfg(test)]
pub(in crate::pica) fn draws_the_same(
    seed: u64,
    number: u64,
    change: impl FnOnce(&mut picaflor_pipeline::pica::regs::Registers) -> u32,
) -> u32 {
    let (state, mut random) = state::state(seed, number);
    let mut case = FragmentCase::random(&mut random, &state);
    let mut memory = FlatMemory::new(state::BASE, vec![0; state::SIZE as usize]);
    let expected = reference(&case, &mut memory);
    let count = change(&mut case.registers);
    assert!(reference(&case, &mut memory) == expected, "case {number} of seed {seed}");
    count
}

/// Draws a case on the interpreter and in some ways on compiled code, and compares. If compiled code refuses the
/// state, one way with the interpreter as fallback is tried instead.
///
/// # Errors
/// A panic, or a difference.
pub fn check(case: &FragmentCase, ways: &[Way], engines: &mut Engines) -> Result<Passed, Failure> {
    let triangles = case.set_up();
    let expected = draw(case, &triangles, &mut engines.memory, &mut Interpreter::new(), Cut::Threads(1));
    let mut served = FragmentStateKey::of(&case.registers).map_err(|refusal| refusal.to_string());
    let ways = if served.is_ok() { ways } else { &[Way::Fallback(1)] };
    let mut same = Vec::new();
    for &way in ways {
        match contained(case, &triangles, way, &expected, engines)? {
            Outcome::Same => same.push(way),
            Outcome::Left(why) => {
                served = Err(why);
                contained(case, &triangles, Way::Fallback(1), &expected, engines)?;
                break;
            }
        }
    }
    Ok(Passed { expected, served, ways: same })
}

/// The outcome of a way that did not fail.
enum Outcome {
    Same,
    /// Compiled code refused tiles, so nothing was compared: the reason.
    Left(String),
}

/// Draws and compares; a panic is a failure, and engines are new afterwards.
fn contained(
    case: &FragmentCase,
    triangles: &Triangles,
    way: Way,
    expected: &Drawn,
    engines: &mut Engines,
) -> Result<Outcome, Failure> {
    let attempt = AssertUnwindSafe(|| attempt(case, triangles, way, expected, engines));
    catch_unwind(attempt).unwrap_or_else(|panic| {
        if let Ok(new) = Engines::new() {
            *engines = new;
        }
        Err(Failure { way, what: panicked(&*panic), panicked: true })
    })
}

fn attempt(
    case: &FragmentCase,
    triangles: &Triangles,
    way: Way,
    expected: &Drawn,
    engines: &mut Engines,
) -> Result<Outcome, Failure> {
    let Engines { alone, fallback, background, older, memory } = engines;
    let (engine, cut) = match way {
        Way::Alone(threads) => (alone, Cut::Threads(threads)),
        Way::Tiles => (alone, Cut::Random),
        Way::Fallback(threads) => (fallback, Cut::Threads(threads)),
        Way::Background => (background, Cut::Threads(2)),
        Way::Older => (older, Cut::Threads(1)),
    };
    let before = engine.stats();
    let mut compare = |engine: &mut Engine| {
        let fragments = draw_into(case, triangles, memory, engine, cut);
        let after = engine.stats();
        if after.missing_tiles > before.missing_tiles {
            return Err(left(case, &before, &after));
        }
        Ok(difference(case, memory, fragments, expected))
    };
    let mut verdict = compare(engine);
    if way == Way::Background && verdict == Ok(None) {
        engine.wait_for_compiles();
        verdict = compare(engine);
    }
    match verdict {
        Err(why) => Ok(Outcome::Left(why)),
        Ok(None) => Ok(Outcome::Same),
        Ok(Some(what)) => Err(Failure { way, what, panicked: false }),
    }
}

/// The reason for which compiled code refused tiles.
fn left(case: &FragmentCase, before: &Stats, after: &Stats) -> String {
    let new = |(why, count): &(&String, &u64)| before.refusals.get(*why).is_none_or(|known| known < count);
    let refusal = after.refusals.iter().find(new).map(|(why, _)| why.clone());
    refusal.unwrap_or_else(|| unreached(case).into())
}

/// The part of a case that compiled code does not draw although it has the state's routine.
fn unreached(case: &FragmentCase) -> &'static str {
    let memory = FlatMemory::new(BASE, case.memory.clone());
    let target = Target::new(&case.registers, &memory);
    let [colour, depth] = target.ranges();
    if overlap(colour, depth) { "buffers that overlap" } else { "no known reason" }
}

/// The differences, the first of them in words.
fn difference(
    case: &FragmentCase,
    memory: &mut FlatMemory,
    fragments: u64,
    expected: &Drawn,
) -> Option<String> {
    let bytes = memory.bytes_mut();
    if *bytes != expected.memory {
        let actual = bytes.to_vec();
        return Some(report::first_difference(case, &actual, &expected.memory));
    }
    let other = fragments != expected.fragments;
    other.then(|| format!("{fragments} fragments instead of {}", expected.fragments))
}

/// The cut of the target into tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// The machine's cut for this number of threads.
    Threads(usize),
    /// Random tiles.
    Random,
}

fn draw(
    case: &FragmentCase,
    triangles: &Triangles,
    memory: &mut FlatMemory,
    stage: &mut dyn FragmentStage,
    cut: Cut,
) -> Drawn {
    let fragments = draw_into(case, triangles, memory, stage, cut);
    Drawn { memory: memory.bytes_mut().to_vec(), fragments }
}

/// Draws a case in fresh memory; returns the number of fragments.
fn draw_into(
    case: &FragmentCase,
    triangles: &Triangles,
    memory: &mut FlatMemory,
    stage: &mut dyn FragmentStage,
    cut: Cut,
) -> u64 {
    memory.bytes_mut().copy_from_slice(&case.memory);
    let memory = &*memory;
    let state = FragmentState { registers: &case.registers, luts: &case.luts, memory };
    let target = Target::new(&case.registers, memory);
    if target.width() == 0 || triangles.is_empty() {
        return 0;
    }
    let routine = stage.fragment_routine(&state);
    let separable =
        target.tiles_are_disjoint() && !feedback::target_is_texture(&case.registers, target.ranges());
    match cut {
        Cut::Random if separable => {
            random_tiles(case, |tile| draw_tile(&*routine, state, triangles, &target, tile))
        }
        Cut::Random => queue::rasterize(&*routine, state, triangles, &target, 1),
        Cut::Threads(threads) => {
            let tiling = Tiling { least_work: 0, ..Tiling::new(threads) };
            queue::rasterize_shared(&*routine, state, triangles, tiling)
        }
    }
}

fn draw_tile(
    routine: &dyn TileRoutine,
    state: FragmentState<'_>,
    triangles: &Triangles,
    target: &Target<'_>,
    tile: Rect,
) -> u64 {
    let touching = (0..).zip(triangles.faces()).filter(|(_, face)| !face.bounds().intersect(tile).is_empty());
    let order: Vec<u32> = touching.map(|(n, _)| n).collect();
    if order.is_empty() {
        0
    } else {
        routine.run(&TileBatch { state, triangles, order: &order, tile, target })
    }
}

/// Cuts the area at up to three random columns and rows and draws the pieces in random order.
fn random_tiles(case: &FragmentCase, mut draw: impl FnMut(Rect) -> u64) -> u64 {
    let mut random = Random::new(case.tiles);
    let area = case.area();
    if area.is_empty() {
        return 0;
    }
    let mut cuts = |low: i32, high: i32| {
        let mut cuts = vec![low, high];
        let length = (high - low).max(1) as u32;
        (0..random.below(3)).for_each(|_| cuts.push(low + random.below(length) as i32));
        cuts.sort_unstable();
        cuts
    };
    let (columns, rows) = (cuts(area.x0, area.x1), cuts(area.y0, area.y1));
    let tile = |x: &[i32], y: &[i32]| Rect { x0: x[0], y0: y[0], x1: x[1], y1: y[1] };
    let tiles: Vec<_> = rows.windows(2).flat_map(|y| columns.windows(2).map(move |x| tile(x, y))).collect();
    let order = random.shuffled(tiles.len() as u8);
    let order = order.into_iter().map(|n| tiles[usize::from(n)]);
    order.filter(|tile| !tile.is_empty()).map(&mut draw).sum()
}
