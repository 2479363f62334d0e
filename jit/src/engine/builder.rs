//! Settings of an engine, and construction of its [`Core`].

use super::core::Core;
use super::mode::{EngineMode, Variant};
#[cfg(feature = "gdb")]
use crate::code::compile::host_isa_for_debuggers;
use crate::code::compile::{Compiler, host_isa};
use crate::code::jitdump::JitDump;
use crate::code::memory::{Arena, MappingScheme};
use crate::code::profilers::{PerfMap, Profilers};
use crate::cpu_level::CpuLevel;
use crate::disk_cache::DiskCache;
use crate::effort::Effort;
use crate::error::CompileError;
use crate::profile::Profile;
use crate::routines::{Routines, Settings};
use crate::texture_cache;
use crate::tracer::Tracer;
use cranelift_codegen::isa::OwnedTargetIsa;
use picaflor_interp::Interpreter;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings of an [`Engine`](crate::Engine); the defaults are right for an emulator.
///
/// ```
/// use picaflor_jit::{Engine, EngineMode};
///
/// let engine = Engine::builder()
///     .compile_threads(2)
///     .code_budget(64 << 20)
///     // A folder that nobody else can write to: its content is executed.
///     .disk_cache("/home/ana/.cache/picaflor")
///     .build()?;
/// // Where no code can run, or none should:
/// let slow = Engine::builder().mode(EngineMode::InterpreterOnly).build()?;
/// assert_eq!((engine.stats().compiles, slow.stats().compiles), (0, 0));
/// # Ok::<(), picaflor_jit::CompileError>(())
/// ```
#[derive(Debug, Clone)]
pub struct EngineBuilder {
    mode: EngineMode,
    variant: Variant,
    effort: Effort,
    fallback: bool,
    compile_threads: usize,
    code_budget: usize,
    pub(crate) texture_budget: usize,
    mapping: MappingScheme,
    cpu: CpuLevel,
    perf_map: bool,
    jitdump: Option<PathBuf>,
    dumps: Option<PathBuf>,
    #[cfg(feature = "gdb")]
    gdb: bool,
    disk_cache: Option<PathBuf>,
    disk_budget: u64,
}

impl EngineBuilder {
    /// Default settings.
    pub(crate) fn new() -> Self {
        Self {
            mode: EngineMode::default(),
            variant: Variant::default(),
            effort: Effort::default(),
            fallback: true,
            compile_threads: 1,
            code_budget: 32 << 20,
            texture_budget: texture_cache::BUDGET,
            mapping: MappingScheme::default(),
            cpu: CpuLevel::default(),
            perf_map: false,
            jitdump: None,
            dumps: None,
            #[cfg(feature = "gdb")]
            gdb: false,
            disk_cache: None,
            disk_budget: 64 << 20,
        }
    }

    /// Time of compilation. Default: [`EngineMode::Background`].
    #[must_use]
    pub fn mode(mut self, mode: EngineMode) -> Self {
        self.mode = mode;
        self
    }

    /// Variant of shader code that runs first. Default: [`Variant::Fast`].
    #[must_use]
    pub fn variant(mut self, variant: Variant) -> Self {
        self.variant = variant;
        self
    }

    /// Effort of compilation. Default: [`Effort::Adaptive`].
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Enables the interpreter as fallback. Default: true. Without the fallback, refused work is not computed at all,
    /// and replays run in compiled code only: for tests.
    #[must_use]
    pub fn fallback(mut self, fallback: bool) -> Self {
        self.fallback = fallback;
        self
    }

    /// Number of compile threads of the background mode, at least 1, beside one that begins when a draw first needs a routine at
    /// once that none of them has begun. Default: 1.
    #[must_use]
    pub fn compile_threads(mut self, threads: usize) -> Self {
        self.compile_threads = threads.max(1);
        self
    }

    /// Budget for compiled code, in bytes. Default: 32 MiB, which has room for
    /// the code of all states that a run pays for once; with less, a hostile list can have it made again and again.
    #[must_use]
    pub fn code_budget(mut self, bytes: usize) -> Self {
        self.code_budget = bytes;
        self
    }

    /// Budget for decoded textures and copies of their source bytes, in bytes. A single draw may exceed it
    /// temporarily. Default: 96 MiB.
    #[must_use]
    pub fn texture_budget(mut self, bytes: usize) -> Self {
        self.texture_budget = bytes;
        self
    }

    /// Mapping of code pages. Default: the best scheme of the platform.
    #[must_use]
    pub fn mapping(mut self, scheme: MappingScheme) -> Self {
        self.mapping = scheme;
        self
    }

    /// Features of the processor that compiled code may use. Default: [`CpuLevel::Host`].
    #[must_use]
    pub fn cpu(mut self, level: CpuLevel) -> Self {
        self.cpu = level;
        self
    }

    /// Lists every routine in the map of names that `perf report` reads (`/tmp/perf-PID.map`). Takes
    /// [`MappingScheme::Protect`], because `perf` asks its map only about anonymous pages. Default: false.
    #[must_use]
    pub fn perf_map(mut self, on: bool) -> Self {
        self.perf_map = on;
        self
    }

    /// Records every routine, code included, as a jitdump file in this folder, which must exist, for `perf inject --jit`.
    /// Engines of a process share the file. Default: off.
    #[must_use]
    pub fn jitdump(mut self, folder: impl Into<PathBuf>) -> Self {
        self.jitdump = Some(folder.into());
        self
    }

    /// Writes the CLIF and the machine instructions of every routine into this folder, which must exist; the file
    /// name is the key of the routine. Disables loading from the disk cache: every routine is compiled. Default: off.
    #[must_use]
    pub fn dumps(mut self, folder: impl Into<PathBuf>) -> Self {
        self.dumps = Some(folder.into());
        self
    }

    /// Registers every routine with debuggers through the JIT interface of GDB: `bt` shows its name and finds its
    /// callers. Takes [`MappingScheme::Protect`], because breakpoints do nothing in the pages of the default.
    /// Disables loading from the disk cache: every routine is compiled. Needs the feature `gdb`, which adds the
    /// symbols `__jit_debug_descriptor` and `__jit_debug_register_code` to the program; linking fails if another JIT
    /// compiler in the program defines them too. Default: false.
    #[cfg(feature = "gdb")]
    #[must_use]
    pub fn gdb(mut self, on: bool) -> Self {
        self.gdb = on;
        self
    }

    /// Stores compiled routines in this folder, which is created if needed, and loads them from it instead of
    /// compiling them. Several engines and processes may share it, and it may be deleted at any time. Code of another
    /// version or target, and damaged code, is not used; [`Stats::disk`](crate::Stats::disk) has the counters. In the
    /// background mode files are read and written by compile workers only. Default: off.
    ///
    /// **The folder holds code that this process executes**: write access to it allows arbitrary code execution, so
    /// it must be as trusted as the program itself. On Unix, new folders and files are private to the user (modes
    /// 0700 and 0600).
    #[must_use]
    pub fn disk_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.disk_cache = Some(folder.into());
        self
    }

    /// Budget for the files in the folder, in bytes, those of other versions included; the least recently used files
    /// are removed first. Each writing process may exceed it by a sixteenth. Default: 64 MiB.
    #[must_use]
    pub fn disk_budget(mut self, bytes: u64) -> Self {
        self.disk_budget = bytes;
        self
    }

    /// The core of the engine.
    ///
    /// # Errors
    /// Those of [`build`](Self::build).
    pub(crate) fn core(&self) -> Result<Core, CompileError> {
        self.check_folders()?;
        let (profile, profilers) = (Arc::<Profile>::default(), Arc::new(self.profilers()?));
        // Evicted code lives on while somebody holds it, so the arena has room for more than the cache.
        let arena = Arena::new(self.visible_mapping(), self.code_budget.saturating_add(self.code_budget / 4));
        let routines = match self.mode {
            EngineMode::InterpreterOnly => None,
            EngineMode::Blocking => Some(self.routines(0, &arena, &profile, &profilers)?),
            EngineMode::Background => {
                Some(self.routines(self.compile_threads, &arena, &profile, &profilers)?)
            }
        };
        let (variant, cpu, fallback, interpreter) =
            (self.variant, self.cpu, self.fallback, Interpreter::new());
        Ok(Core { variant, cpu, fallback, interpreter, routines, arena, profile, tracer: Tracer::default() })
    }

    /// Files in a folder without a name would go to the current folder.
    fn check_folders(&self) -> Result<(), CompileError> {
        let folders = [("disk_cache", &self.disk_cache), ("jitdump", &self.jitdump), ("dumps", &self.dumps)];
        let is_empty = |folder: &Option<PathBuf>| folder.as_deref().is_some_and(|path| path == Path::new(""));
        match folders.into_iter().find(|(_, folder)| is_empty(folder)) {
            Some((setting, _)) => Err(CompileError::UnnamedFolder { setting }),
            None => Ok(()),
        }
    }

    fn profilers(&self) -> Result<Profilers, CompileError> {
        let perf_map = self.perf_map.then(|| {
            let path = PerfMap::standard_path();
            PerfMap::open(&path).map_err(unwritable("perf_map", &path))
        });
        let jitdump = |folder: &PathBuf| JitDump::in_folder(folder).map_err(unwritable("jitdump", folder));
        let jitdump = self.jitdump.as_ref().map(jitdump);
        // Listings are made while nobody can be told.
        self.dumps
            .as_deref()
            .map_or(Ok(()), |folder| is_folder(folder).map_err(unwritable("dumps", folder)))?;
        Ok(Profilers { perf_map: perf_map.transpose()?, jitdump: jitdump.transpose()? })
    }

    /// `perf` ignores its map for pages that a file backs, and breakpoints written into such pages do nothing.
    fn visible_mapping(&self) -> MappingScheme {
        #[cfg(feature = "gdb")]
        if self.gdb {
            return MappingScheme::Protect;
        }
        if self.perf_map { MappingScheme::Protect } else { self.mapping }
    }

    fn isa(&self) -> Result<OwnedTargetIsa, CompileError> {
        #[cfg(feature = "gdb")]
        if self.gdb {
            return host_isa_for_debuggers(self.cpu);
        }
        host_isa(self.cpu)
    }

    fn routines(
        &self,
        threads: usize,
        arena: &Arc<Arena>,
        profile: &Arc<Profile>,
        profilers: &Arc<Profilers>,
    ) -> Result<Routines, CompileError> {
        let isa = self.isa()?;
        let dumps = self.dumps.as_deref().map(Arc::from);
        let compiler = || {
            let compiler = Compiler::new(Arc::clone(&isa), Arc::clone(arena)).for_cpu(self.cpu);
            compiler.profiled(Arc::clone(profile)).shown_to(Arc::clone(profilers)).dumping(dumps.clone())
        };
        let background = (0..threads).map(|_| compiler()).collect();
        let disk = self.disk_cache.as_deref().map(|path| DiskCache::new(path, self.disk_budget, &*isa));
        let settings = Settings { budget: self.code_budget, effort: self.effort };
        Routines::new(compiler(), background, settings, Arc::clone(profile), disk)
    }
}

fn is_folder(path: &Path) -> io::Result<()> {
    if path.metadata()?.is_dir() { Ok(()) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

fn unwritable(setting: &'static str, path: &Path) -> impl Fn(io::Error) -> CompileError {
    let path = path.display().to_string();
    move |why| CompileError::Unwritable { setting, path: path.clone(), why: why.to_string() }
}
