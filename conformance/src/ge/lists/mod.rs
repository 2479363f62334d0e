//! Random display lists on the whole machine of the GE: never a panic, never endless, and every engine the same.
//!
//! [`generate`] makes cases, [`run`] plays one within [`LIMITS`] and keeps everything that a guest could see
//! afterwards, [`check`] does so on the reference and in every other way, and compares. [`campaign`] does that to many
//! cases, [`reduce`] makes a failing one small.

pub mod campaign;
pub mod generate;
pub mod program;
pub mod reduce;

use crate::crew::panicked;
use picaflor_interp::Interpreter;
use picaflor_jit::{CompileError, Engine, EngineMode, Stats as EngineStats};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::ge::capture::Capture;
use picaflor_pipeline::ge::limits::Limits;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::stats::Stats;
use picaflor_pipeline::tile::Tiling;
use program::{Machine, Program, Step};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a case may do: enough for some pictures, and over in milliseconds.
pub const LIMITS: Limits = Limits::DEFAULT
    .with_vertices(2048)
    .with_pixels(1 << 15)
    .with_commands(1 << 13)
    .with_run_vertices(1 << 13)
    .with_run_pixels(1 << 16)
    .with_run_bytes(1 << 20)
    .with_work(1 << 26);

/// As [`LIMITS`], but so wide that small draws of most states are certain to stay below: the machine puts only such together.
pub const WIDE: Limits = LIMITS.with_pixels(1 << 22).with_run_pixels(1 << 22).with_work(1 << 28);

/// Pixels in bounds, vertices and commands after which a case ends: recordings have many lists.
pub const ENOUGH: [u64; 3] = [1 << 17, 1 << 14, 1 << 15];

/// How a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// Name of the engine, as in [`engine`](crate::ge::engine).
    pub engine: &'static str,
    /// Threads that draw.
    pub threads: usize,
    /// Width and height of a tile in pixels.
    pub tile: [u32; 2],
    /// With an observer: each draw by itself, however small.
    pub one_by_one: bool,
    /// In sessions: draws may be pending while the CPU writes memory.
    pub in_sessions: bool,
    /// Pixels for which draws are collected; 0: each is handed over by itself.
    pub collected: u64,
    /// The host announces what it writes, and answers with versions; otherwise engines look at the bytes.
    pub announced: bool,
    /// Some steps are done in vain before they are done.
    pub in_vain: bool,
}

impl Way {
    /// What the others are held against.
    pub const REFERENCE: Self = Self {
        engine: "interp",
        threads: 1,
        tile: [64; 2],
        one_by_one: true,
        in_sessions: false,
        collected: 0,
        announced: false,
        in_vain: false,
    };
    /// The others. The last makes code in the background.
    pub const OTHERS: [Self; 6] = [
        Self { engine: "jit", tile: [64; 2], ..Self::shared(1, 0) },
        Self { engine: "jit", tile: [8; 2], in_sessions: true, in_vain: true, ..Self::shared(3, 0) },
        Self { engine: "jit", in_sessions: true, ..Self::shared(2, 512) },
        Self { engine: "jit", in_sessions: true, announced: true, in_vain: true, ..Self::shared(2, 512) },
        Self { engine: "interp", tile: [64, 16], in_sessions: true, in_vain: true, ..Self::shared(2, 128) },
        Self { engine: "jit-default", in_vain: true, ..Self::shared(2, 512) },
    ];

    const fn shared(threads: usize, collected: u64) -> Self {
        Self { threads, tile: [512, 32], one_by_one: false, collected, ..Self::REFERENCE }
    }

    pub(super) const fn tiling(self) -> Tiling {
        Tiling { threads: self.threads, tile: self.tile, least_work: self.collected }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sessions = if self.in_sessions { ", in sessions" } else { "" };
        let collected = if self.collected > 0 { ", collected" } else { "" };
        let announced = if self.announced { ", announced" } else { "" };
        let in_vain = if self.in_vain { ", partly in vain before" } else { "" };
        let [width, height] = self.tile;
        write!(f, "{}, {} threads, tiles of {width}x{height}", self.engine, self.threads)?;
        write!(f, "{sessions}{collected}{announced}{in_vain}")
    }
}

/// Engines for all ways.
#[derive(Debug)]
pub struct Engines {
    compiled: Engine,
    background: Engine,
}

impl Engines {
    /// New engines.
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    pub fn new() -> Result<Self, CompileError> {
        let compiled = Engine::builder().mode(EngineMode::Blocking).build()?;
        Ok(Self { compiled, background: Engine::builder().build()? })
    }

    /// Runs a program in a way.
    fn run(&mut self, program: &Program, way: Way) -> Run {
        let mut interpreter = Interpreter::new();
        let stages: &mut dyn Stages = match way.engine {
            "jit" => &mut self.compiled,
            "jit-default" => &mut self.background,
            _ => &mut interpreter,
        };
        run(program, stages, way)
    }

    /// Counters of the engine that compiles on the spot.
    fn stats(&self) -> EngineStats {
        self.compiled.stats()
    }
}

/// Everything that a case leaves behind.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Memory, block by block.
    pub memory: Vec<(u32, Vec<u8>)>,
    /// The machine's state and that of its queue, as saved.
    pub state: Vec<u32>,
    /// What became of each step.
    pub course: Vec<String>,
    /// What the guest did wrong.
    pub faults: FaultList,
    /// Counters.
    pub stats: Stats,
    /// A byte that changed without an announcement, where changes are announced.
    pub unannounced: Option<u32>,
}

impl Run {
    /// What differs from `expected`, the first of it in words.
    #[must_use]
    pub fn difference(&self, expected: &Self) -> Option<String> {
        let steps = self.course.iter().zip(&expected.course).enumerate();
        let step =
            steps.filter(|(_, (a, e))| a != e).map(|(n, (a, e))| format!("step {n}: {a} instead of {e}"));
        let blocks = self.memory.iter().zip(&expected.memory);
        let byte = blocks.filter(|(a, e)| a != e).find_map(|((base, a), (_, e))| {
            let at = a.iter().zip(e).position(|(a, e)| a != e)?;
            Some(format!("memory {:#010x}: {:#04x} instead of {:#04x}", base + at as u32, a[at], e[at]))
        });
        let word = || {
            let at = self.state.iter().zip(&expected.state).position(|(a, e)| a != e)?;
            Some(format!("state word {at:#x}: {:#x} instead of {:#x}", self.state[at], expected.state[at]))
        };
        let unannounced = || self.unannounced.map(|at| format!("memory {at:#010x}: written without a word"));
        let rest = || (self != expected).then(|| "other faults or counters".to_owned());
        step.into_iter().next().or(byte).or_else(word).or_else(unannounced).or_else(rest)
    }
}

/// Plays a case to its end.
///
/// # Panics
/// If the machine does.
pub fn run(program: &Program, stages: &mut dyn Stages, way: Way) -> Run {
    let (mut machine, mut course) = (Machine::new(program, way), Vec::new());
    machine.play(&program.steps, stages, way, &mut course).expect("nobody stops it");
    machine.finish(course)
}

/// Whether the rest of a case is left out.
fn has_done_enough(stats: &Stats) -> bool {
    [stats.pixels, stats.vertices, stats.commands].iter().zip(ENOUGH).any(|(&done, enough)| done > enough)
}

/// Why a case fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Way in which it does.
    pub way: Way,
    /// What happened.
    pub what: String,
    /// Whether that was a panic.
    pub panicked: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.way, self.what)
    }
}

/// A case that is the same in every way.
#[derive(Debug, Clone)]
pub struct Checked {
    /// What the reference left behind.
    pub run: Run,
    /// Whether there was something to draw and compiled code alone drew it.
    pub is_compiled: bool,
}

/// Runs a case in every way, in the background too if wanted; the run of the reference.
///
/// # Errors
/// What panicked, or differs from the reference.
pub fn check(program: &Program, in_background: bool, engines: &mut Engines) -> Result<Checked, Failure> {
    let run = contained(program, Way::REFERENCE, engines)?;
    let before = engines.stats();
    let ways = if in_background { &Way::OTHERS[..] } else { &Way::OTHERS[..5] };
    for &way in ways {
        let mut other = contained(program, way, engines)?;
        if way.in_vain && program.steps.iter().any(|step| matches!(step, Step::InVain(..))) {
            // No state has them.
            other.faults.clone_from(&run.faults);
        }
        if let Some(what) = other.difference(&run) {
            return Err(Failure { way, what, panicked: false });
        }
    }
    let after = engines.stats();
    let interpreted = |stats: &EngineStats| stats.interpreted_tiles + stats.interpreter_batches;
    let is_compiled = run.stats.covered > 0 && interpreted(&before) == interpreted(&after);
    Ok(Checked { run, is_compiled })
}

/// [`check`] of a recording, within [`LIMITS`] and within [`WIDE`], without and with images of the host: it does not say for which of
/// them it was kept.
///
/// # Errors
/// As [`check`].
pub fn check_capture(capture: &Capture, in_background: bool, engines: &mut Engines) -> Result<(), Failure> {
    [(LIMITS, false), (WIDE, false), (LIMITS, true), (WIDE, true)].into_iter().try_for_each(
        |(limits, replaces)| {
            let program = Program { limits, replaces, ..Program::of_capture(capture) };
            check(&program, in_background, engines).map(|_| ())
        },
    )
}

/// An engine that panicked is not used again.
fn contained(program: &Program, way: Way, engines: &mut Engines) -> Result<Run, Failure> {
    catch_unwind(AssertUnwindSafe(|| engines.run(program, way))).map_err(|panic| {
        if let Ok(new) = Engines::new() {
            *engines = new;
        }
        Failure { way, what: panicked(&*panic), panicked: true }
    })
}

#[cfg(test)]
mod tests {
    use super::program::Step;
    use super::*;
    use picaflor_pipeline::ge::Ge;
    use picaflor_pipeline::ge::display_list::DisplayList;
    use picaflor_pipeline::ge::list_builder::ListBuilder;
    use picaflor_pipeline::ge::regs::op;
    use std::collections::HashSet;

    /// Six draws of a triangle each in one state, the third as a strip.
    fn triangles(limits: Limits) -> Program {
        const VERTICES: u32 = 0x0880_0100;
        let mut list = ListBuilder::default();
        list.write(op::VTYPE, 1 << 23 | 2 << 7).write(op::REGION2, 0x3f << 10 | 0x3f);
        list.write(op::SCISSOR2, 0x3f << 10 | 0x3f).write(op::FBW, 64).write(op::PSM, 3).vertices(VERTICES);
        for kind in [3, 3, 4, 3, 3, 3] {
            list.prim(kind, 3);
        }
        list.write(op::FINISH, 0).write(op::END, 0);
        let words: Vec<u8> = list.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        let places = (0..18_i16).flat_map(|n| [n % 3 * 20 + n / 3, n % 2 * 30, 0]).flat_map(i16::to_le_bytes);
        let regions = vec![(0x0400_0000, 2 << 20), (0x0880_0000, 0x1000)];
        let machine = Capture { regions, initial: Ge::new().save(), events: Vec::new() };
        let steps = vec![
            Step::Memory(0x0880_0000, words.into()),
            Step::Memory(VERTICES, places.collect::<Vec<_>>().into()),
            Step::Run(DisplayList::new(0x0880_0000, 0)),
        ];
        Program { machine, sdk: 0, limits, replaces: false, steps }
    }

    /// What a run reports has all draws in it, also those that wait when a limit is reached.
    #[test]
    fn limits_among_draws_that_wait() {
        let mut engines = Engines::new().expect("this host runs compiled code");
        let mut ends = HashSet::new();
        for limits in (0..20).map(|n| WIDE.with_run_vertices(n)).chain((0..40).map(|n| WIDE.with_commands(n)))
        {
            let checked = check(&triangles(limits), false, &mut engines).expect("the same in every way");
            ends.insert(format!("{:?} {:?}", checked.run.course, checked.run.stats));
        }
        assert!(ends.len() > 15, "{ends:?}");
    }

    #[test]
    fn differences_are_noticed() {
        let program = generate::case(1, 0, &[]).program;
        let run = run(&program, &mut Interpreter::new(), Way::REFERENCE);
        assert_eq!(run.difference(&run), None);
        let mut memory = run.clone();
        memory.memory[0].1[0x123] ^= 1;
        assert!(memory.difference(&run).expect("a difference").starts_with("memory 0x04000123"));
        let mut state = run.clone();
        state.state[7] ^= 1;
        assert!(state.difference(&run).expect("a difference").starts_with("state word 0x7"));
        let mut counters = run.clone();
        counters.stats.draws += 1;
        assert_eq!(counters.difference(&run).as_deref(), Some("other faults or counters"));
        let mut course = run.clone();
        course.course[0] = "gone".into();
        assert!(course.difference(&run).expect("a difference").starts_with("step 0: gone instead of"));
    }
}
