//! `Engine`: look a routine up, else interpret and enqueue.

#[cfg(feature = "gdb")]
use crate::code::compile::host_isa_for_debuggers;
use crate::code::compile::{Compiler, host_isa};
use crate::code::fp_mode::{self, HOST_FLUSHES_AFTER_ROUNDING};
use crate::code::ge::rows::PixelRoutine;
use crate::code::jitdump::JitDump;
use crate::code::memory::{Arena, MappingScheme};
use crate::code::pica::blocks::FragmentRoutine;
use crate::code::pica::geometry::GeometryRoutine;
use crate::code::pica::shade::{VertexJob, VertexRoutine};
use crate::disk_cache::DiskCache;
use crate::error::CompileError;
use crate::ge;
use crate::ge::key::PixelKey;
use crate::pica::fragment::Binder;
use crate::pica::key::fragment::FragmentKey;
use crate::pica::key::programs::{KnownProgram, Programs};
use crate::pica::key::shader::{GeometryKey, VertexKey, exact, fast};
use crate::pica::shader::batch::{self, Staging};
use crate::pica::shader::recent::Recent;
use crate::pica::shader::tables::Tables;
use crate::pica::shader::vertex::UNIFORM_LIMIT;
use crate::profile::{PerfMap, Profile, Stats};
use crate::routines::{AnyRoutine, RoutineKey, Routines};
use crate::texture_cache;
use crate::textures::Textures;
use cranelift_codegen::isa::OwnedTargetIsa;
use picaflor_interp::Interpreter;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::stage::{Emission, GeometryRun, ShadedVertices, ShaderStage, VertexBatch};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// When compiled code is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineMode {
    /// A missing routine is compiled before the batch runs. For tests and tools.
    Blocking,
    /// A missing routine is compiled on a worker; the interpreter serves until it is there. Both give the
    /// same bits, so nobody can see the swap.
    #[default]
    Background,
    /// Nothing is compiled.
    InterpreterOnly,
}

/// Which form of the code runs first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// Without the rare cases of the arithmetic; groups in which one could have mattered are replayed.
    #[default]
    Fast,
    /// With every rule of the arithmetic.
    Exact,
}

/// Who produced the result of the last batch or run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Served {
    /// Compiled code alone, replays included.
    Compiled,
    /// The interpreter, wholly or for some groups; the reason where there is one.
    Interpreter(Option<CompileError>),
    /// Nobody: the fallback is off and compiled code could not do it. Results are unspecified.
    #[default]
    Nobody,
}

/// How the last batch or run was served.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunReport {
    /// By whom.
    pub served: Served,
    /// Groups of four vertices, or geometry runs.
    pub groups: u32,
    /// Groups that the fast variant flagged and that ran again.
    pub replayed: u32,
    /// Why compiled code did not do it, where it did not.
    pub refusal: Option<CompileError>,
}

/// What [`Engine::compile`] made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompileReport {
    /// From the program's words to code that can run.
    pub time: Duration,
    /// Words that were compiled, each as often as control flow was unfolded over it.
    pub words: u32,
    /// Length of the machine code.
    pub code_bytes: usize,
}

/// Settings of an [`Engine`]; the defaults are right for an emulator.
///
/// ```
/// use picaflor_jit::{Engine, EngineMode};
///
/// let engine = Engine::builder()
///     .compile_threads(2)
///     .code_budget(32 << 20)
///     .disk_cache(std::env::temp_dir().join("picaflor-routines"))
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
    fallback: bool,
    compile_threads: usize,
    code_budget: usize,
    texture_budget: usize,
    mapping: MappingScheme,
    perf_map: bool,
    jitdump: Option<PathBuf>,
    dumps: Option<PathBuf>,
    #[cfg(feature = "gdb")]
    gdb: bool,
    disk_cache: Option<PathBuf>,
    disk_budget: u64,
}

impl EngineBuilder {
    /// When code is made. Default: [`EngineMode::Background`].
    #[must_use]
    pub fn mode(mut self, mode: EngineMode) -> Self {
        self.mode = mode;
        self
    }

    /// Which variant runs first. Default: [`Variant::Fast`].
    #[must_use]
    pub fn variant(mut self, variant: Variant) -> Self {
        self.variant = variant;
        self
    }

    /// Whether the interpreter may stand in. Default: true. Without it, what compiled code refuses is not
    /// computed at all, and replays run in compiled code only: for tests.
    #[must_use]
    pub fn fallback(mut self, fallback: bool) -> Self {
        self.fallback = fallback;
        self
    }

    /// Compile workers of the background mode, at least 1. Default: 1.
    #[must_use]
    pub fn compile_threads(mut self, threads: usize) -> Self {
        self.compile_threads = threads.max(1);
        self
    }

    /// Bytes of compiled code to keep. Default: 16 MiB.
    #[must_use]
    pub fn code_budget(mut self, bytes: usize) -> Self {
        self.code_budget = bytes;
        self
    }

    /// Bytes of decoded textures, and of copies of what they were decoded from, to keep, for both machines
    /// together. A draw that needs more has it while it lasts. Default: 96 MiB.
    #[must_use]
    pub fn texture_budget(mut self, bytes: usize) -> Self {
        self.texture_budget = bytes;
        self
    }

    /// How code pages are mapped. Default: the platform's best.
    #[must_use]
    pub fn mapping(mut self, scheme: MappingScheme) -> Self {
        self.mapping = scheme;
        self
    }

    /// Whether every routine is listed where `perf report` looks for names (`/tmp/perf-PID.map`). Takes
    /// [`MappingScheme::Protect`], because `perf` asks its map only about anonymous pages. Default: false.
    #[must_use]
    pub fn perf_map(mut self, on: bool) -> Self {
        self.perf_map = on;
        self
    }

    /// Records every routine, code included, as a jitdump file in this folder, for `perf inject --jit`.
    /// Default: off.
    #[must_use]
    pub fn jitdump(mut self, folder: impl Into<PathBuf>) -> Self {
        self.jitdump = Some(folder.into());
        self
    }

    /// Writes the CLIF and the machine instructions of every routine into this folder, which must exist; a
    /// file's name is the routine's key. All routines are compiled then, also those that are in the cache on
    /// disk. Default: off.
    #[must_use]
    pub fn dumps(mut self, folder: impl Into<PathBuf>) -> Self {
        self.dumps = Some(folder.into());
        self
    }

    /// Tells debuggers of every routine, by the interface of GDB: `bt` shows its name and finds its callers.
    /// Takes [`MappingScheme::Protect`], because breakpoints do nothing in the pages of the default.
    /// All routines are compiled then, also those that are in the cache on disk. Only with the feature `gdb`,
    /// with which the program has the symbols `__jit_debug_descriptor` and `__jit_debug_register_code`; another
    /// compiler in the program may bring them too, and then it does not link. Default: false.
    #[cfg(feature = "gdb")]
    #[must_use]
    pub fn gdb(mut self, on: bool) -> Self {
        self.gdb = on;
        self
    }

    /// Keeps compiled routines in this folder, which is made if it is not there, and loads them from it instead
    /// of compiling them. Several engines and processes may share it, and it may be deleted at any time.
    /// Code of another version, for another machine, or that is not as it was written, is not used; what
    /// happens is in [`Stats::disk`]. In the background mode files are read and written by compile workers
    /// only. Default: off.
    ///
    /// **The folder holds code that this process runs**: whoever can write to it can make the process do
    /// anything, so it has to be as trusted as the program itself. On Unix, what is made in it is for the user
    /// alone (modes 0700 and 0600).
    #[must_use]
    pub fn disk_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.disk_cache = Some(folder.into());
        self
    }

    /// Bytes of files to keep in the folder, those of other versions included; the files that were not used
    /// for longest go first. It may be exceeded by a sixteenth for each process that writes to it. Default:
    /// 64 MiB.
    #[must_use]
    pub fn disk_budget(mut self, bytes: u64) -> Self {
        self.disk_budget = bytes;
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// [`CompileError::Host`] when the host cannot run compiled code, or a profiler file cannot be opened.
    /// [`EngineMode::InterpreterOnly`] needs nothing of the host.
    pub fn build(self) -> Result<Engine, CompileError> {
        let profile = Arc::new(self.profile()?);
        // Evicted code lives on while somebody holds it, so the arena has room for more than the cache.
        let arena = Arena::new(self.visible_mapping(), self.code_budget.saturating_add(self.code_budget / 4));
        let routines = match self.mode {
            EngineMode::InterpreterOnly => None,
            EngineMode::Blocking => Some(self.routines(0, &arena, &profile)?),
            EngineMode::Background => Some(self.routines(self.compile_threads, &arena, &profile)?),
        };
        Ok(Engine {
            variant: self.variant,
            fallback: self.fallback,
            interpreter: Interpreter::new(),
            binder: Binder::default(),
            ge_interpreter: picaflor_interp::Interpreter::new(),
            textures: Textures::new(self.texture_budget),
            ge_transforms: ge::vertex::Transforms::default(),
            programs: Programs::default(),
            routines,
            arena,
            profile,
            staging: Staging::default(),
            tables: Tables::new(),
            flagged: [Vec::new(), Vec::new()],
            recent: None,
            partial: ShadedVertices::new(),
            last: RunReport::default(),
        })
    }

    fn profile(&self) -> Result<Profile, CompileError> {
        let host = |error: std::io::Error| CompileError::Host(error.to_string());
        let mut profile = Profile::default();
        if self.perf_map {
            profile = profile.with_perf_map(PerfMap::open(&PerfMap::standard_path()).map_err(host)?);
        }
        if let Some(folder) = &self.jitdump {
            profile = profile.with_jitdump(JitDump::create(folder).map_err(host)?);
        }
        Ok(profile)
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
            return host_isa_for_debuggers();
        }
        host_isa()
    }

    fn routines(
        &self,
        threads: usize,
        arena: &Arc<Arena>,
        profile: &Arc<Profile>,
    ) -> Result<Routines, CompileError> {
        let isa = self.isa()?;
        let dumps = self.dumps.as_deref().map(Arc::from);
        let compiler = || {
            let compiler = Compiler::new(Arc::clone(&isa), Arc::clone(arena));
            compiler.profiled(Arc::clone(profile)).dumping(dumps.clone())
        };
        let background = (0..threads).map(|_| compiler()).collect();
        let disk = self.disk_cache.as_deref().map(|path| DiskCache::new(path, self.disk_budget, &*isa));
        Routines::new(compiler(), background, self.code_budget, Arc::clone(profile), disk)
    }
}

/// The production engine: compiled code, and the interpreter where there is none.
///
/// One engine serves one thread at a time; compile workers are its own. A machine takes it
/// (`pica.run(&mut engine, …)`), or a host shades batches with it:
///
/// ```
/// use picaflor_jit::{Engine, EngineMode, Served};
/// use picaflor_pipeline::fault::FaultList;
/// use picaflor_pipeline::memory::FlatMemory;
/// use picaflor_pipeline::pica::float::Precision;
/// use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
/// use picaflor_pipeline::pica::shader::unit::Uniforms;
/// use picaflor_pipeline::pica::vertex::{AttributeSource, ElementType, OutputForm, VertexInputs};
/// use picaflor_pipeline::pica::stage::{ShadedVertices, ShaderStage, VertexBatch};
///
/// // add o0, c0, v0; end
/// let program = Program::from_words(UnitKind::Vertex, &[0x0002_0000, 0x8800_0000], &[0x0006_c36f]);
/// let mut uniforms = Uniforms::default();
/// uniforms.set_float_f32(0, [0.5_f32; 4].map(f32::to_bits));
/// let (element, components) = (ElementType::U8, 1);
/// let v0 = AttributeSource::Array { address: 0x2000_0000, stride_bytes: 1, element, components };
/// let batch = VertexBatch {
///     memory: &FlatMemory::new(0x2000_0000, vec![10, 20, 30, 40, 50]),
///     indices: &[4, 0, 2],
///     inputs: &VertexInputs { attributes: vec![v0], permutation: 0 },
///     program: &program,
///     entry: 0,
///     uniforms: &uniforms,
///     output: &OutputForm::Records { mask: 1, slots: 1 },
///     precision: Precision::Console,
///     instruction_budget: 1000,
/// };
///
/// let mut engine = Engine::builder().mode(EngineMode::Blocking).build()?;
/// let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
/// engine.shade(&batch, &mut out, &mut faults);
/// assert_eq!(out.component(0), [50.5, 10.5, 30.5]); // x of o0
/// assert_eq!(engine.last_run().served, Served::Compiled);
/// # Ok::<(), picaflor_jit::CompileError>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    variant: Variant,
    pub(crate) fallback: bool,
    pub(crate) interpreter: Interpreter,
    /// Makes constants for fragment routines.
    pub(crate) binder: Binder,
    pub(crate) ge_interpreter: picaflor_interp::Interpreter,
    /// Decoded images of both machines.
    pub(crate) textures: Textures,
    /// Vertex routines of the GE at work.
    pub(crate) ge_transforms: ge::vertex::Transforms,
    programs: Programs,
    pub(crate) routines: Option<Routines>,
    arena: Arc<Arena>,
    pub(crate) profile: Arc<Profile>,
    staging: Staging,
    tables: Tables,
    /// Groups that the fast and the exact code flagged.
    flagged: [Vec<u32>; 2],
    /// The batch before.
    recent: Option<Recent>,
    /// Results of a group that the interpreter ran.
    partial: ShadedVertices,
    last: RunReport,
}

impl Engine {
    /// Default settings, to be changed.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder {
            mode: EngineMode::default(),
            variant: Variant::default(),
            fallback: true,
            compile_threads: 1,
            code_budget: 16 << 20,
            texture_budget: texture_cache::BUDGET,
            mapping: MappingScheme::default(),
            perf_map: false,
            jitdump: None,
            dumps: None,
            #[cfg(feature = "gdb")]
            gdb: false,
            disk_cache: None,
            disk_budget: 64 << 20,
        }
    }

    /// How the last batch or run was served.
    #[must_use]
    pub fn last_run(&self) -> &RunReport {
        &self.last
    }

    /// Counters since the engine was built.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let evictions = self.routines.as_ref().map_or(0, Routines::evictions);
        let disk = self.routines.as_ref().map(Routines::disk_stats).unwrap_or_default();
        Stats { textures: self.textures.stats(), disk, ..self.profile.stats(&self.arena, evictions) }
    }

    /// Compiles the routine of a batch on this thread, whether or not it exists, and keeps it: to have it
    /// before the first draw, or to measure. Leaves the cache on disk alone.
    ///
    /// # Errors
    /// Why there is no routine. [`EngineMode::InterpreterOnly`] gives [`CompileError::Host`].
    pub fn compile(&mut self, batch: &VertexBatch<'_>) -> Result<CompileReport, CompileError> {
        let program = self.programs.intern(batch.program);
        let arithmetic = self.first_arithmetic(batch.precision);
        let Some(routines) = &mut self.routines else {
            return Err(CompileError::Host("this engine only interprets".into()));
        };
        let key = RoutineKey::Vertex(VertexKey::of(batch, &program, arithmetic));
        let start = Instant::now();
        let routine = routines.make_now(&key, Some(&program))?;
        let time = start.elapsed();
        let routine = as_vertex(&routine);
        Ok(CompileReport { time, words: routine.facts.words, code_bytes: routine.size() })
    }

    /// Waits until everything that was ordered in the background has been compiled.
    pub fn wait_for_compiles(&self) {
        if let Some(routines) = &self.routines {
            routines.wait();
        }
    }

    /// The arithmetic that runs first for a precision.
    fn first_arithmetic(&self, precision: Precision) -> crate::emit::pica::number::Arithmetic {
        match self.variant {
            Variant::Fast => fast(precision, HOST_FLUSHES_AFTER_ROUNDING),
            Variant::Exact => exact(precision),
        }
    }

    /// The interpreter does the whole batch, or nobody.
    fn fall_back(
        &mut self,
        batch: &VertexBatch<'_>,
        out: &mut ShadedVertices,
        faults: &mut FaultList,
        refusal: Option<CompileError>,
    ) {
        self.last.refusal.clone_from(&refusal);
        if self.fallback {
            self.profile.interpreted();
            self.last.served = Served::Interpreter(refusal);
            fp_mode::ieee(|| self.interpreter.shade(batch, out, faults));
        } else {
            self.last.served = Served::Nobody;
        }
    }

    /// Finds the routine of a batch.
    fn vertex_routine(
        &mut self,
        batch: &VertexBatch<'_>,
        program: &Arc<KnownProgram>,
        arithmetic: crate::emit::pica::number::Arithmetic,
    ) -> Result<Option<Arc<AnyRoutine>>, CompileError> {
        let Some(routines) = &mut self.routines else { return Ok(None) };
        let key = RoutineKey::Vertex(VertexKey::of(batch, program, arithmetic));
        routines.find(&key, Some(program))
    }

    /// [`vertex_routine`](Self::vertex_routine), without making a key where the batch is like the one before.
    fn first_routine(
        &mut self,
        batch: &VertexBatch<'_>,
        program: &Arc<KnownProgram>,
        arithmetic: crate::emit::pica::number::Arithmetic,
    ) -> Result<Option<Arc<AnyRoutine>>, CompileError> {
        if let Some(recent) = self.recent.as_ref().filter(|recent| recent.fits(batch, program.id, arithmetic))
        {
            return Ok(Some(Arc::clone(&recent.routine)));
        }
        let found = self.vertex_routine(batch, program, arithmetic)?;
        self.recent = found.clone().map(|routine| Recent::new(batch, program.id, arithmetic, routine));
        Ok(found)
    }

    /// Whether this engine compiles at all.
    pub(crate) const fn compiles(&self) -> bool {
        self.routines.is_some()
    }

    /// The routine of a pixel state of the GE, `None` while it is being made, or why there is none.
    pub(crate) fn pixels(&mut self, key: &PixelKey) -> Result<Option<Arc<PixelRoutine>>, CompileError> {
        let Some(routines) = &mut self.routines else { return Ok(None) };
        let found = routines.find(&RoutineKey::GePixel(Box::new(*key)), None)?;
        Ok(found.map(|routine| match &*routine {
            AnyRoutine::GePixel(routine) => Arc::clone(routine),
            _ => unreachable!("a pixel key leads to a pixel routine"),
        }))
    }

    /// The routine of a fragment state, `None` while it is being made, or why there is none.
    pub(crate) fn fragment(
        &mut self,
        key: &FragmentKey,
    ) -> Result<Option<Arc<FragmentRoutine>>, CompileError> {
        let Some(routines) = &mut self.routines else { return Ok(None) };
        let found = routines.find(&RoutineKey::Fragment(Box::new(*key)), None)?;
        Ok(found.map(|routine| match &*routine {
            AnyRoutine::Fragment(routine) => Arc::clone(routine),
            _ => unreachable!("a fragment key leads to a fragment routine"),
        }))
    }

    /// Compiled code does the batch, or an error or `None` says that it cannot (yet).
    fn shade_compiled(
        &mut self,
        batch: &VertexBatch<'_>,
        out: &mut ShadedVertices,
        faults: &mut FaultList,
    ) -> Result<Option<()>, CompileError> {
        let program = self.programs.intern(batch.program);
        let arithmetic = self.first_arithmetic(batch.precision);
        let Some(first) = self.first_routine(batch, &program, arithmetic)? else { return Ok(None) };
        let first = as_vertex(&first);
        first.facts.length.affords(batch.instruction_budget)?;
        let fixed = batch::fixed(batch);
        let uses = (first.id, &first.facts.uses);
        let in_range = self.tables.fill(batch.uniforms, batch.precision, &fixed, uses, UNIFORM_LIMIT);
        let groups = batch.indices.len().div_ceil(4) as u32;
        let mut flagged = std::mem::take(&mut self.flagged);
        let [again, left] = &mut flagged;
        let exact_first = !arithmetic.is_fast() || (is_console(arithmetic) && !in_range);
        if exact_first {
            again.clear();
            again.extend(0..groups);
        } else {
            let views = self.staging.prepare(batch);
            let job = job(batch, &views, &self.tables);
            first.run(&job, &[], out, again);
            self.last.replayed = again.len() as u32;
        }
        let done = self.replay(batch, &program, out, faults, (again, left), exact_first);
        self.flagged = flagged;
        if !matches!(done, Ok(Some(()))) {
            return done;
        }
        self.last.groups = groups;
        self.profile.ran(groups, self.last.replayed);
        fill_unmapped(first.facts.untouched, out);
        Ok(Some(()))
    }

    /// Runs the groups of `again` in exact code, and what that leaves in the interpreter.
    fn replay(
        &mut self,
        batch: &VertexBatch<'_>,
        program: &Arc<KnownProgram>,
        out: &mut ShadedVertices,
        faults: &mut FaultList,
        (again, left): (&mut Vec<u32>, &mut Vec<u32>),
        whole: bool,
    ) -> Result<Option<()>, CompileError> {
        self.last.served = Served::Compiled;
        left.clear();
        if again.is_empty() {
            return Ok(Some(()));
        }
        match self.vertex_routine(batch, program, exact(batch.precision)) {
            Ok(Some(routine)) => {
                let routine = as_vertex(&routine);
                let fixed = batch::fixed(batch);
                let uses = (routine.id, &routine.facts.uses);
                self.tables.fill(batch.uniforms, batch.precision, &fixed, uses, UNIFORM_LIMIT);
                let views = self.staging.prepare(batch);
                routine.run(&job(batch, &views, &self.tables), again, out, left);
            }
            // The interpreter serves until the exact code is there.
            Ok(None) if whole => return Ok(None),
            Ok(None) => left.clone_from(again),
            Err(reason) if whole => return Err(reason),
            Err(reason) => {
                self.last.refusal = Some(reason);
                left.clone_from(again);
            }
        }
        if !left.is_empty() {
            self.interpret_groups(batch, left, out, faults);
        }
        Ok(Some(()))
    }

    /// The interpreter does some groups: those whose faults have to be reported, or whose exact code is not
    /// there.
    fn interpret_groups(
        &mut self,
        batch: &VertexBatch<'_>,
        groups: &[u32],
        out: &mut ShadedVertices,
        faults: &mut FaultList,
    ) {
        if !self.fallback {
            self.last.served = Served::Nobody;
            return;
        }
        self.profile.interpreted();
        self.last.served = Served::Interpreter(self.last.refusal.clone());
        for &group in groups {
            let first = group as usize * 4;
            let indices = &batch.indices[first..batch.indices.len().min(first + 4)];
            let known = faults.as_slice().len();
            let part = VertexBatch { indices, ..*batch };
            fp_mode::ieee(|| self.interpreter.shade(&part, &mut self.partial, faults));
            faults.move_vertices(known, first as u32);
            for component in 0..out.components() {
                let target = &mut out.component_mut(component)[first..first + indices.len()];
                target.copy_from_slice(self.partial.component(component));
            }
        }
    }

    fn geometry_compiled(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
    ) -> Result<Option<()>, CompileError> {
        let program = self.programs.intern(run.program);
        let Some(routines) = &mut self.routines else { return Ok(None) };
        let key = RoutineKey::Geometry(GeometryKey::of(run, &program, exact(run.precision)));
        let Some(routine) = routines.find(&key, Some(&program))? else { return Ok(None) };
        let routine = as_geometry(&routine);
        routine.facts.length.affords(run.instruction_budget)?;
        let uses = (routine.id, &routine.facts.uses);
        self.tables.fill(run.uniforms, run.precision, &[None; 16], uses, UNIFORM_LIMIT);
        let before = (run.unit.clone(), emitted.len());
        let b15 = run.uniforms.bool(15);
        let budget = run.instruction_budget;
        if routine.run(&self.tables, run.unit, b15, run.output_mask, budget, emitted) {
            run.uniforms.set_bools(run.uniforms.bools() | 0x8000);
            self.last.served = Served::Compiled;
            self.last.groups = 1;
            self.profile.ran(1, 0);
            return Ok(Some(()));
        }
        *run.unit = before.0;
        emitted.truncate(before.1);
        Ok(None)
    }
}

impl ShaderStage for Engine {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        self.last = RunReport::default();
        out.reset(batch.indices.len(), batch.output.components());
        if batch.indices.is_empty() {
            self.last.served = Served::Compiled;
            return;
        }
        match self.shade_compiled(batch, out, faults) {
            Ok(Some(())) => {}
            Ok(None) => self.fall_back(batch, out, faults, None),
            Err(refusal) => self.fall_back(batch, out, faults, Some(refusal)),
        }
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.last = RunReport::default();
        let refusal = match self.geometry_compiled(run, emitted) {
            Ok(Some(())) => return,
            Ok(None) => None,
            Err(refusal) => Some(refusal),
        };
        self.last.refusal.clone_from(&refusal);
        if self.fallback {
            self.profile.interpreted();
            self.last.served = Served::Interpreter(refusal);
            fp_mode::ieee(|| self.interpreter.run_geometry(run, emitted, faults));
        }
    }
}

fn as_vertex(routine: &AnyRoutine) -> &VertexRoutine {
    match routine {
        AnyRoutine::Vertex(routine) => routine,
        _ => unreachable!("a vertex key leads to a vertex routine"),
    }
}

fn as_geometry(routine: &AnyRoutine) -> &GeometryRoutine {
    match routine {
        AnyRoutine::Geometry(routine) => routine,
        _ => unreachable!("a geometry key leads to a geometry routine"),
    }
}

const fn is_console(arithmetic: crate::emit::pica::number::Arithmetic) -> bool {
    matches!(arithmetic, crate::emit::pica::number::Arithmetic::ConsoleFast)
}

fn job<'a>(batch: &VertexBatch<'_>, views: &batch::Views<'a>, tables: &'a Tables) -> VertexJob<'a> {
    VertexJob {
        indices: views.indices,
        largest: views.largest,
        arrays: views.arrays,
        tables,
        instruction_budget: batch.instruction_budget,
    }
}

/// Semantics that no output feeds are 1.
fn fill_unmapped(untouched: u64, out: &mut ShadedVertices) {
    for semantic in (0..out.components()).filter(|&semantic| untouched >> semantic & 1 != 0) {
        out.set_ones(semantic);
    }
}
