//! Counters, phase timers and symbols for profilers.
//!
//! One [`Profile`] per engine, shared by its compilers. Counting is a relaxed addition and happens per routine
//! or per batch, never per vertex. [`Stats`] is what hosts see.

use crate::code::jitdump::JitDump;
use crate::code::memory::Arena;
use crate::code::routine::CodeBlock;
use crate::disk_cache::DiskStats;
use crate::error::CompileError;
use crate::texture_cache::TextureStats;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What an engine has done so far, and what it holds. Times and counts only grow; `code_bytes`,
/// `live_routines` and `textures.held_bytes` are of now.
///
/// Differences between two frames say most: once a scene has been seen, `compiles`, `evictions`,
/// `interpreter_batches` and `interpreted_tiles` stand still. The chapter on profiling (`docs/profiling.md` of
/// this crate) has real figures, and what to do about others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Routines compiled. What keeps growing in a scene that does not change was evicted before
    /// ([`Stats::evictions`]), or has a state that is new each time.
    pub compiles: u64,
    /// Time spent on them, over all threads. In the background mode draws do not wait for it.
    pub compile_time: Duration,
    /// The longest of them: how long the interpreter had to stand in at the least.
    pub compile_time_max: Duration,
    /// Time spent per phase, in the order of [`Phase::ALL`]. `compile_time` is a little more than the last three
    /// together; following control flow comes before it.
    pub phase_times: [Duration; Phase::ALL.len()],
    /// Machine code compiled, in bytes, whether or not it is still there.
    pub compiled_bytes: u64,
    /// Code memory in use, in bytes, rounding up included: to 64 bytes a routine, or to pages under
    /// [`MappingScheme::Protect`](crate::MappingScheme::Protect). At most
    /// [`code_budget`](crate::EngineBuilder::code_budget) and a quarter.
    pub code_bytes: usize,
    /// Routines whose code is there, those included that were evicted while somebody still ran them.
    pub live_routines: usize,
    /// Routines that had to go because the code budget was full. 0 with the default budget unless states are
    /// many; a number that grows with `compiles` frame by frame asks for a larger budget.
    pub evictions: u64,
    /// Panics inside a compilation. Each became a refusal, and each is a mistake of this crate: 0.
    pub panics_contained: u64,
    /// Programs and states that were not compiled, by reason. The interpreter draws these for good.
    pub refusals: BTreeMap<String, u64>,
    /// Groups of four vertices, or geometry runs, that compiled code ran.
    pub groups: u64,
    /// Those of them that ran again, because a rare case of the arithmetic could have mattered. Of ordinary
    /// meshes none or very few; where it is a good part of `groups`, [`Variant::Exact`](crate::Variant::Exact)
    /// may be faster.
    pub replayed_groups: u64,
    /// Batches that the interpreter served, wholly or in part: while code was being made, or for what
    /// `refusals` says.
    pub interpreter_batches: u64,
    /// Draws whose fragments went to compiled code.
    pub fragment_draws: u64,
    /// Tiles, or triangles in one, whose fragments the interpreter drew: while code was being made, in states
    /// that compiled code does not know (see `refusals`), on targets that it does not reach.
    pub interpreted_tiles: u64,
    /// The same where the interpreter was not allowed to: nothing was drawn. 0 with the fallback on.
    pub missing_tiles: u64,
    /// Decoded textures of both machines.
    pub textures: TextureStats,
    /// The longest time that a draw waited for its routine in the background mode: looking it up, and ordering
    /// it where there is none yet. Some 0.03 ms, unless the scheduler takes the processor away meanwhile.
    pub longest_lookup: Duration,
    /// The cache on disk, if there is one. What was loaded from it was not compiled.
    pub disk: DiskStats,
}

/// A step of a compilation; [`Stats::phase_times`] has the time of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Following the program's control flow. Fragment routines have none.
    Analyse,
    /// Emitting Cranelift's form of it.
    Emit,
    /// Cranelift's code generation: lowering, register allocation, encoding. Most of the time.
    Generate,
    /// Making the code executable.
    Publish,
}

impl Phase {
    /// All phases, in the order they happen.
    pub const ALL: [Self; 4] = [Self::Analyse, Self::Emit, Self::Generate, Self::Publish];
}

/// Refusals are counted by their text; further texts than these are counted together, because texts may hold
/// numbers of the guest's choosing.
const MAX_REASONS: usize = 256;

/// The counters behind [`Stats`], and the profilers to be told of new code.
#[derive(Debug, Default)]
pub(crate) struct Profile {
    compiles: AtomicU64,
    compile_nanoseconds: AtomicU64,
    compile_nanoseconds_max: AtomicU64,
    phase_nanoseconds: [AtomicU64; Phase::ALL.len()],
    compiled_bytes: AtomicU64,
    panics: AtomicU64,
    refusals: Mutex<BTreeMap<String, u64>>,
    groups: AtomicU64,
    replayed_groups: AtomicU64,
    interpreter_batches: AtomicU64,
    fragment_draws: AtomicU64,
    interpreted_tiles: AtomicU64,
    missing_tiles: AtomicU64,
    longest_lookup_nanoseconds: AtomicU64,
    perf_map: Option<PerfMap>,
    jitdump: Option<JitDump>,
}

impl Profile {
    /// Lists every new routine in `map`.
    pub(crate) fn with_perf_map(mut self, map: PerfMap) -> Self {
        self.perf_map = Some(map);
        self
    }

    /// Records every new routine, code included, in `dump`.
    pub(crate) fn with_jitdump(mut self, dump: JitDump) -> Self {
        self.jitdump = Some(dump);
        self
    }

    /// A routine was compiled, in `time`.
    pub(crate) fn compiled(&self, code: &CodeBlock, time: Duration) {
        self.compiles.fetch_add(1, Relaxed);
        self.compile_nanoseconds.fetch_add(nanoseconds(time), Relaxed);
        self.compile_nanoseconds_max.fetch_max(nanoseconds(time), Relaxed);
        self.compiled_bytes.fetch_add(code.size() as u64, Relaxed);
        self.show(code);
        tracing::debug!(name = code.name(), bytes = code.size(), ?time, "routine compiled");
    }

    /// Tells profilers of a routine.
    pub(crate) fn show(&self, code: &CodeBlock) {
        let map = self.perf_map.as_ref().map(|map| map.record(code));
        let dump = self.jitdump.as_ref().map(|dump| dump.record(code));
        for error in [map, dump].into_iter().flatten().filter_map(Result::err) {
            tracing::warn!(%error, "a profiler file could not be written");
        }
    }

    /// A panic was contained.
    pub(crate) fn panicked(&self) {
        self.panics.fetch_add(1, Relaxed);
    }

    /// A program will not be compiled.
    pub(crate) fn refused(&self, reason: &CompileError) {
        let mut refusals = lock(&self.refusals);
        let text = reason.to_string();
        let known = refusals.len() < MAX_REASONS || refusals.contains_key(&text);
        *refusals.entry(if known { text } else { "other reasons".into() }).or_default() += 1;
    }

    /// Compiled code ran `groups` groups and `replayed` of them again.
    pub(crate) fn ran(&self, groups: u32, replayed: u32) {
        self.groups.fetch_add(groups.into(), Relaxed);
        self.replayed_groups.fetch_add(replayed.into(), Relaxed);
    }

    /// The interpreter served a batch.
    pub(crate) fn interpreted(&self) {
        self.interpreter_batches.fetch_add(1, Relaxed);
    }

    /// The fragments of a draw go to compiled code.
    pub(crate) fn fragments_drawn(&self) {
        self.fragment_draws.fetch_add(1, Relaxed);
    }

    /// A tile was left to the interpreter, or to nobody.
    pub(crate) fn fragments_left(&self, interpreted: bool) {
        let counter = if interpreted { &self.interpreted_tiles } else { &self.missing_tiles };
        counter.fetch_add(1, Relaxed);
    }

    /// A routine was looked up, which took `time`.
    pub(crate) fn looked_up(&self, time: Duration) {
        self.longest_lookup_nanoseconds.fetch_max(nanoseconds(time), Relaxed);
    }

    /// Adds the time until the guard is dropped to `phase`.
    pub(crate) fn time(&self, phase: Phase) -> PhaseTimer<'_> {
        PhaseTimer { nanoseconds: &self.phase_nanoseconds[phase as usize], start: Instant::now() }
    }

    /// The counters as they are now, but for those of textures and of the disk. `evictions` comes from the cache.
    pub(crate) fn stats(&self, arena: &Arena, evictions: u64) -> Stats {
        let load = |counter: &AtomicU64| counter.load(Relaxed);
        let time = |counter: &AtomicU64| Duration::from_nanos(counter.load(Relaxed));
        Stats {
            compiles: load(&self.compiles),
            compile_time: time(&self.compile_nanoseconds),
            compile_time_max: time(&self.compile_nanoseconds_max),
            phase_times: self.phase_nanoseconds.each_ref().map(time),
            compiled_bytes: load(&self.compiled_bytes),
            code_bytes: arena.used(),
            live_routines: arena.regions(),
            evictions,
            panics_contained: load(&self.panics),
            refusals: lock(&self.refusals).clone(),
            groups: load(&self.groups),
            replayed_groups: load(&self.replayed_groups),
            interpreter_batches: load(&self.interpreter_batches),
            fragment_draws: load(&self.fragment_draws),
            interpreted_tiles: load(&self.interpreted_tiles),
            missing_tiles: load(&self.missing_tiles),
            textures: TextureStats::default(),
            longest_lookup: time(&self.longest_lookup_nanoseconds),
            disk: DiskStats::default(),
        }
    }
}

/// Counts time until it is dropped.
#[derive(Debug)]
pub(crate) struct PhaseTimer<'a> {
    nanoseconds: &'a AtomicU64,
    start: Instant,
}

impl Drop for PhaseTimer<'_> {
    fn drop(&mut self) {
        self.nanoseconds.fetch_add(nanoseconds(self.start.elapsed()), Relaxed);
    }
}

/// The file in which `perf report` looks for names of code without a file: lines of start, size (hexadecimal)
/// and name. An address that is used again has several lines. `perf` uses it for anonymous memory, that is for
/// code under `MappingScheme::Protect`, and not for files in memory.
#[derive(Debug)]
pub(crate) struct PerfMap {
    file: Mutex<File>,
}

impl PerfMap {
    /// Where `perf` looks for this process's map: in `/tmp`, whatever the environment says.
    pub(crate) fn standard_path() -> PathBuf {
        let directory = if cfg!(unix) { PathBuf::from("/tmp") } else { std::env::temp_dir() };
        directory.join(format!("perf-{}.map", std::process::id()))
    }

    /// Appends to `path`: other code generators of this process may have lines in it.
    ///
    /// # Errors
    /// The system's refusal to open it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { file: Mutex::new(file) })
    }

    /// Adds a line, in one write so that lines of different writers do not mix.
    fn record(&self, code: &CodeBlock) -> io::Result<()> {
        let mut line = String::new();
        let name = code.name().replace(['\n', '\r'], " ");
        // Writing to a string cannot fail.
        let _ = writeln!(line, "{:x} {:x} {name}", code.entry() as usize, code.size());
        lock(&self.file).write_all(line.as_bytes())
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What the locks guard is consistent after every step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::tests::{compiler, store};
    use std::sync::Arc;

    #[test]
    fn compilations_are_counted_and_timed() {
        let profile = Arc::new(Profile::default());
        let mut compiler = compiler().profiled(Arc::clone(&profile));
        let routines: Vec<_> = (0..5).map(|value| store(&mut compiler, value, 10).unwrap()).collect();
        let stats = profile.stats(compiler.arena(), 3);
        assert_eq!((stats.compiles, stats.live_routines, stats.evictions), (5, 5, 3));
        assert_eq!(
            stats.compiled_bytes,
            routines.iter().map(|routine| routine.code().size() as u64).sum::<u64>()
        );
        assert_eq!(stats.code_bytes, routines.iter().map(|routine| routine.code().charged()).sum::<usize>());
        assert!(stats.compile_time_max <= stats.compile_time && stats.compile_time_max > Duration::ZERO);
        let [analyse, emit, generate, publish] = stats.phase_times;
        assert_eq!(analyse, Duration::ZERO);
        assert!(emit > Duration::ZERO && generate > Duration::ZERO && publish > Duration::ZERO);
        assert!(emit + generate + publish <= stats.compile_time);
        drop(routines);
        let stats = profile.stats(compiler.arena(), 3);
        assert_eq!((stats.compiles, stats.live_routines, stats.code_bytes), (5, 0, 0));
    }

    #[test]
    fn panics_are_counted() {
        let profile = Arc::new(Profile::default());
        let mut compiler = compiler().profiled(Arc::clone(&profile));
        assert!(compiler.define("panics", |_, _, _| panic!("for this test")).is_err());
        let stats = profile.stats(compiler.arena(), 0);
        assert_eq!((stats.panics_contained, stats.compiles), (1, 0));
    }

    #[test]
    fn refusals_are_counted_by_reason_within_bounds() {
        let profile = Profile::default();
        for limit in 0..1000 {
            profile.refused(&CompileError::TooManyStates { limit });
            profile.refused(&CompileError::TooManyStates { limit: 1 });
        }
        let refusals = profile.stats(compiler().arena(), 0).refusals;
        assert_eq!(refusals.len(), MAX_REASONS + 1);
        assert_eq!(refusals[&CompileError::TooManyStates { limit: 1 }.to_string()], 1001);
        assert_eq!(refusals.values().sum::<u64>(), 2000);
    }

    #[test]
    fn runs_are_counted() {
        let profile = Profile::default();
        profile.ran(10, 2);
        profile.ran(5, 0);
        profile.interpreted();
        let stats = profile.stats(compiler().arena(), 0);
        assert_eq!((stats.groups, stats.replayed_groups, stats.interpreter_batches), (15, 2, 1));
    }

    #[test]
    fn the_perf_map_names_every_routine() {
        let path = std::env::temp_dir().join(format!("picaflor-perf-map-test-{}", std::process::id()));
        let profile = Profile::default().with_perf_map(PerfMap::open(&path).unwrap());
        let mut compiler = compiler().profiled(Arc::new(profile));
        let routines: Vec<_> = (0..3).map(|value| store(&mut compiler, value, 10).unwrap()).collect();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let expected: Vec<_> = routines
            .iter()
            .map(|routine| routine.code())
            .map(|code| format!("{:x} {:x} {}", code.entry() as usize, code.size(), code.name()))
            .collect();
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
