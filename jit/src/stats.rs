//! Numbers that hosts see: what an engine has done, and what it holds.

use crate::texture_cache::TextureStats;
use std::collections::BTreeMap;
use std::time::Duration;

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
    /// Decoded textures.
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

/// What an engine did with its cache on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DiskStats {
    /// Routines that were loaded instead of being compiled.
    pub loaded: u64,
    /// Time that this took, from the key to code that can run, over all threads.
    pub load_time: Duration,
    /// Bytes of the files of those routines.
    pub loaded_bytes: u64,
    /// Routines that were compiled and then written.
    pub stored: u64,
    /// Bytes of their files.
    pub stored_bytes: u64,
    /// Files that were ignored because they are not as they were written. Their routines were compiled, and
    /// written anew.
    pub damaged: u64,
    /// Files that were ignored because they are of another version, machine or key, though their names are not.
    /// What other versions and machines have in the same folder has other names and does not count.
    pub foreign: u64,
    /// Files removed because the folder was over its budget.
    pub removed: u64,
    /// Times that the system refused to read, write or remove something.
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
