//! Statistics for hosts: counters, times and memory of an engine.

use crate::texture_cache::TextureStats;
use std::collections::BTreeMap;
use std::time::Duration;

/// Counters, times and memory of an engine. Times and counts are cumulative; `code_bytes`, `live_routines` and
/// `textures.held_bytes` are current values.
///
/// The differences between two frames are the useful figures: once a scene has been seen, `compiles`, `evictions`,
/// `interpreter_batches` and `interpreted_tiles` stand still. The chapter on profiling (`docs/profiling.md` of this
/// crate) has measured figures and remedies for deviations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Routines compiled. Growth in an unchanging scene means evictions ([`Stats::evictions`]) or a state that is new
    /// in each frame.
    pub compiles: u64,
    /// Compile time, summed over all threads. In the background mode a draw waits for it only once interpreting has cost
    /// as much.
    pub compile_time: Duration,
    /// Routines compiled a second time, with care, in place of a first version: see [`Effort`](crate::Effort). They count
    /// among `compiles` too.
    pub refined: u64,
    /// Longest single compilation.
    pub compile_time_max: Duration,
    /// Compile time by phase, in the order of [`Phase::ALL`]. `compile_time` is a little more than the last three
    /// together; following control flow comes before it.
    pub phase_times: [Duration; Phase::ALL.len()],
    /// Machine code compiled, in bytes, evicted code included.
    pub compiled_bytes: u64,
    /// Code memory in use, in bytes, rounding up included: to 64 bytes a routine, or to pages under
    /// [`MappingScheme::Protect`](crate::MappingScheme::Protect). At most
    /// [`code_budget`](crate::EngineBuilder::code_budget) and a quarter.
    pub code_bytes: usize,
    /// Routines with code in memory, evicted routines that are still in use included.
    pub live_routines: usize,
    /// Routines evicted because the code budget was full. 0 with the default budget unless states are many; a number
    /// that grows with `compiles` frame by frame asks for a larger budget.
    pub evictions: u64,
    /// Panics inside a compilation. Each became a refusal, and each is a bug of this crate. Expected: 0.
    pub panics_contained: u64,
    /// Programs and states refused by the compiler, by reason. The interpreter serves these permanently.
    pub refusals: BTreeMap<String, u64>,
    /// Groups of four vertices, or geometry runs, executed by compiled code.
    pub groups: u64,
    /// Groups executed twice, because a rare case of the arithmetic was possible. Close to 0 for ordinary meshes;
    /// where it is a large part of `groups`, [`Variant::Exact`](crate::Variant::Exact) may be faster.
    pub replayed_groups: u64,
    /// Batches served by the interpreter, wholly or in part: during compilation, or because of a refusal.
    pub interpreter_batches: u64,
    /// Draws with fragments drawn by compiled code.
    pub fragment_draws: u64,
    /// Tiles, or triangles within a tile, drawn by the interpreter: during compilation, in unsupported states (see
    /// `refusals`), or on targets that compiled code cannot address.
    pub interpreted_tiles: u64,
    /// The same with the fallback off: tiles that were not drawn. 0 with the fallback on.
    pub missing_tiles: u64,
    /// Statistics of the texture cache.
    pub textures: TextureStats,
    /// Longest wait of a draw for its routine in the background mode: lookup, queueing of a missing routine, and where
    /// interpreting would cost as much, the time until it is made. About 0.03 ms without such a wait, else milliseconds.
    pub longest_lookup: Duration,
    /// Statistics of the disk cache. Loaded routines do not count as compiled.
    pub disk: DiskStats,
}

/// Phase of a compilation; [`Stats::phase_times`] has the times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Control-flow analysis of the program. Fragment routines have none.
    Analyse,
    /// Emission of CLIF, Cranelift's intermediate representation.
    Emit,
    /// Cranelift's code generation: lowering, register allocation, encoding. Most of the time.
    Generate,
    /// Mapping of the code as executable.
    Publish,
}

impl Phase {
    /// All phases, in order of execution.
    pub const ALL: [Self; 4] = [Self::Analyse, Self::Emit, Self::Generate, Self::Publish];
}

/// Statistics of the disk cache of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DiskStats {
    /// Routines loaded.
    pub loaded: u64,
    /// Load time, from the key to executable code, summed over all threads.
    pub load_time: Duration,
    /// Size of their files, in bytes.
    pub loaded_bytes: u64,
    /// Routines compiled and written.
    pub stored: u64,
    /// Size of the written files, in bytes.
    pub stored_bytes: u64,
    /// Files ignored because of damage. Their routines were compiled and written again.
    pub damaged: u64,
    /// Files ignored because they belong to another version, target or key despite their name. Files of other
    /// versions and targets in the same folder have other names and do not count.
    pub foreign: u64,
    /// Files removed to keep the folder within its budget.
    pub removed: u64,
    /// Failed system calls to read, write or remove a file.
    pub errors: u64,
}

impl std::ops::AddAssign for DiskStats {
    fn add_assign(&mut self, other: Self) {
        let Self { loaded, load_time, loaded_bytes, stored, stored_bytes, damaged, foreign, removed, errors } =
            self;
        *loaded += other.loaded;
        *load_time += other.load_time;
        *loaded_bytes += other.loaded_bytes;
        *stored += other.stored;
        *stored_bytes += other.stored_bytes;
        *damaged += other.damaged;
        *foreign += other.foreign;
        *removed += other.removed;
        *errors += other.errors;
    }
}
