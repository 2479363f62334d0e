//! Engines: settings, creation and destruction, counters.

use crate::buffer::Buffer;
use crate::handle::{Handle, Owned};
use crate::raw::{Fill, In, Out, Text, c_struct, check_reserved};
use crate::slot::Slot;
use crate::status::{Failure, Status, guard};
use picaflor_jit::{CompileError, CpuLevel, Effort, Engine, EngineMode, MappingScheme, Variant};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::shader::unit::Uniforms;
use picaflor_pipeline::pica::stage::{Emission, ShadedVertices};
use picaflor_pipeline::pica::vertex::AttributeSource;
use std::sync::Arc;
use std::time::Duration;

/// `picaflor_engine`. Machines that use an engine keep it alive.
pub(crate) struct EngineHandle(pub(crate) Arc<Slot<Bench>>);

/// An engine, with buffers that are reused from batch to batch.
pub(crate) struct Bench {
    pub(crate) engine: Engine,
    pub(crate) uniforms: Uniforms,
    pub(crate) shaded: ShadedVertices,
    pub(crate) emitted: Vec<Emission>,
    pub(crate) indices: Vec<u32>,
    pub(crate) attributes: Vec<AttributeSource>,
    pub(crate) registers: Vec<[f32; 4]>,
    pub(crate) faults: FaultList,
    /// Counters at the last reset.
    since: EngineStats,
}

c_struct! {
    growing
    /// `picaflor_engine_config`.
    EngineConfig {
        /// `picaflor_mode`.
        mode: u32,
        /// `picaflor_variant`.
        variant: u32,
        /// Threads that compile; 0 is 1.
        compile_threads: u32,
        /// Nonzero: lists routines for `perf`.
        perf_map: u32,
        /// Budget for code, in bytes; 0 is the default.
        code_budget: usize,
        /// Budget for decoded textures, in bytes; 0 is the default.
        texture_budget: usize,
        /// Budget for files, in bytes; 0 is the default.
        disk_budget: u64,
        /// Folder of compiled routines, or NULL.
        disk_cache: Text,
        /// Folder for jitdump files, or NULL.
        jitdump: Text,
        /// Folder for listings of routines, or NULL.
        dumps: Text,
        /// `PICAFLOR_MAPPING_...`.
        mapping: u32,
        /// `PICAFLOR_EFFORT_...`.
        effort: u32,
        /// `PICAFLOR_CPU_...`.
        cpu: u32,
        /// Zero.
        reserved: u32,
    }
}

c_struct! {
    growing
    /// `picaflor_engine_stats`.
    EngineStats {
        /// Routines compiled.
        compiles: u64,
        /// Compile time, in nanoseconds.
        compile_ns: u64,
        /// Longest compilation, in nanoseconds.
        compile_ns_max: u64,
        /// Machine code compiled.
        compiled_bytes: u64,
        /// Code memory in use.
        code_bytes: u64,
        /// Routines alive.
        live_routines: u64,
        /// Routines evicted.
        evictions: u64,
        /// Panics contained.
        panics_contained: u64,
        /// Programs and states not compiled.
        refusals: u64,
        /// Groups executed by compiled code.
        groups: u64,
        /// Groups executed again.
        replayed_groups: u64,
        /// Batches served by the interpreter.
        interpreter_batches: u64,
        /// Draws with fragments drawn by compiled code.
        fragment_draws: u64,
        /// Tiles drawn by the interpreter.
        interpreted_tiles: u64,
        /// Textures found decoded.
        texture_hits: u64,
        /// Textures decoded.
        texture_misses: u64,
        /// Bytes of textures held.
        texture_bytes: u64,
        /// The longest wait of a draw for its routine.
        longest_lookup_ns: u64,
        /// Routines loaded from disk.
        disk_loaded: u64,
        /// Routines stored.
        disk_stored: u64,
        /// Files ignored: damaged.
        disk_damaged: u64,
        /// Files ignored: of another version, target or key.
        disk_foreign: u64,
        /// Errors of the system.
        disk_errors: u64,
        /// Routines compiled a second time.
        refined: u64,
        /// Compile time: control flow.
        analyse_ns: u64,
        /// Compile time: emission.
        emit_ns: u64,
        /// Compile time: code generation.
        generate_ns: u64,
        /// Compile time: mapping.
        publish_ns: u64,
        /// Misses because of changed bytes.
        texture_stale: u64,
        /// Guest bytes decoded.
        texture_decoded_bytes: u64,
        /// Guest bytes compared.
        texture_compared_bytes: u64,
        /// Textures evicted.
        texture_evictions: u64,
        /// Load time.
        disk_load_ns: u64,
        /// Bytes loaded.
        disk_loaded_bytes: u64,
        /// Bytes written.
        disk_stored_bytes: u64,
        /// Files removed.
        disk_removed: u64,
    }
}

impl EngineStats {
    /// Counters since `before`; amounts in use and the longest times are those of now.
    fn since(self, before: &Self) -> Self {
        Self {
            compiles: self.compiles - before.compiles,
            compile_ns: self.compile_ns - before.compile_ns,
            compiled_bytes: self.compiled_bytes - before.compiled_bytes,
            evictions: self.evictions - before.evictions,
            panics_contained: self.panics_contained - before.panics_contained,
            refusals: self.refusals - before.refusals,
            groups: self.groups - before.groups,
            replayed_groups: self.replayed_groups - before.replayed_groups,
            interpreter_batches: self.interpreter_batches - before.interpreter_batches,
            fragment_draws: self.fragment_draws - before.fragment_draws,
            interpreted_tiles: self.interpreted_tiles - before.interpreted_tiles,
            texture_hits: self.texture_hits - before.texture_hits,
            texture_misses: self.texture_misses - before.texture_misses,
            disk_loaded: self.disk_loaded - before.disk_loaded,
            disk_stored: self.disk_stored - before.disk_stored,
            disk_damaged: self.disk_damaged - before.disk_damaged,
            disk_foreign: self.disk_foreign - before.disk_foreign,
            disk_errors: self.disk_errors - before.disk_errors,
            refined: self.refined - before.refined,
            analyse_ns: self.analyse_ns - before.analyse_ns,
            emit_ns: self.emit_ns - before.emit_ns,
            generate_ns: self.generate_ns - before.generate_ns,
            publish_ns: self.publish_ns - before.publish_ns,
            texture_stale: self.texture_stale - before.texture_stale,
            texture_decoded_bytes: self.texture_decoded_bytes - before.texture_decoded_bytes,
            texture_compared_bytes: self.texture_compared_bytes - before.texture_compared_bytes,
            texture_evictions: self.texture_evictions - before.texture_evictions,
            disk_load_ns: self.disk_load_ns - before.disk_load_ns,
            disk_loaded_bytes: self.disk_loaded_bytes - before.disk_loaded_bytes,
            disk_stored_bytes: self.disk_stored_bytes - before.disk_stored_bytes,
            disk_removed: self.disk_removed - before.disk_removed,
            ..self
        }
    }
}

fn mode(code: u32) -> Result<EngineMode, Failure> {
    match code {
        0 => Ok(EngineMode::Background),
        1 => Ok(EngineMode::Blocking),
        2 => Ok(EngineMode::InterpreterOnly),
        _ => Err(Failure::argument(format!("engine mode {code}"))),
    }
}

/// `PICAFLOR_MAPPING_...`; `None`: the default.
fn mapping(code: u32) -> Result<Option<MappingScheme>, Failure> {
    match code {
        0 => Ok(None),
        1 => Ok(Some(MappingScheme::DualView)),
        2 => Ok(Some(MappingScheme::Protect)),
        _ => Err(Failure::argument(format!("mapping {code}"))),
    }
}

fn variant(code: u32) -> Result<Variant, Failure> {
    match code {
        0 => Ok(Variant::Fast),
        1 => Ok(Variant::Exact),
        _ => Err(Failure::argument(format!("variant {code}"))),
    }
}

fn effort(code: u32) -> Result<Effort, Failure> {
    match code {
        0 => Ok(Effort::Adaptive),
        1 => Ok(Effort::Quick),
        2 => Ok(Effort::Careful),
        _ => Err(Failure::argument(format!("effort {code}"))),
    }
}

fn cpu(code: u32) -> Result<CpuLevel, Failure> {
    match code {
        0 => Ok(CpuLevel::Host),
        1 => Ok(CpuLevel::WithoutAvx),
        2 => Ok(CpuLevel::Oldest),
        _ => Err(Failure::argument(format!("cpu {code}"))),
    }
}

/// `PICAFLOR_MAX_THREADS`.
const MAX_THREADS: u32 = 64;

/// Checks a number of threads.
pub(crate) fn threads(count: u32) -> Result<usize, Failure> {
    if count > MAX_THREADS {
        return Err(Failure::argument(format!("{count} threads, more than {MAX_THREADS}")));
    }
    Ok(count.max(1) as usize)
}

fn build(config: &EngineConfig) -> Result<Engine, Failure> {
    check_reserved(config.reserved, "picaflor_engine_config")?;
    let mut builder = Engine::builder()
        .mode(mode(config.mode)?)
        .variant(variant(config.variant)?)
        .effort(effort(config.effort)?)
        .cpu(cpu(config.cpu)?)
        .compile_threads(threads(config.compile_threads)?)
        .perf_map(config.perf_map != 0);
    if let Some(scheme) = mapping(config.mapping)? {
        builder = builder.mapping(scheme);
    }
    if config.code_budget != 0 {
        builder = builder.code_budget(config.code_budget);
    }
    if config.texture_budget != 0 {
        builder = builder.texture_budget(config.texture_budget);
    }
    if config.disk_budget != 0 {
        builder = builder.disk_budget(config.disk_budget);
    }
    if let Some(folder) = config.disk_cache.get("disk_cache")? {
        builder = builder.disk_cache(folder);
    }
    if let Some(folder) = config.jitdump.get("jitdump")? {
        builder = builder.jitdump(folder);
    }
    if let Some(folder) = config.dumps.get("dumps")? {
        builder = builder.dumps(folder);
    }
    builder.build().map_err(|error| match error {
        CompileError::UnnamedFolder { .. } => Failure::argument(error.to_string()),
        _ => Failure::new(Status::Host, error.to_string()),
    })
}

impl EngineHandle {
    fn new(engine: Engine) -> Self {
        Self(Arc::new(Slot::new(
            "engine",
            Bench {
                engine,
                uniforms: Uniforms::default(),
                shaded: ShadedVertices::new(),
                emitted: Vec::new(),
                indices: Vec::new(),
                attributes: Vec::new(),
                registers: Vec::new(),
                faults: FaultList::new(),
                since: count(&picaflor_jit::Stats::default()),
            },
        )))
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_engine_create(config: In<EngineConfig>, engine: Out<*mut EngineHandle>) -> Status {
    guard(|| {
        engine.give("engine", || {
            let config = config.read_or_default("picaflor_engine_config")?;
            build(&config).map(EngineHandle::new)
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_engine_destroy(engine: Owned<EngineHandle>) -> Status {
    // A machine may be using the engine: it keeps it.
    guard(|| engine.destroy("engine"))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_engine_wait(engine: Handle<EngineHandle>) -> Status {
    guard(|| {
        engine.get("engine")?.0.with(|bench| {
            bench.engine.wait_for_compiles();
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_engine_get_stats(engine: Handle<EngineHandle>, stats: Fill<EngineStats>) -> Status {
    guard(|| {
        let counted =
            engine.get("engine")?.0.with(|bench| Ok(count(&bench.engine.stats()).since(&bench.since)))?;
        stats.write(&counted, "picaflor_engine_stats")
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_engine_reset_stats(engine: Handle<EngineHandle>) -> Status {
    guard(|| {
        engine.get("engine")?.0.with(|bench| {
            bench.since = count(&bench.engine.stats());
            Ok(())
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_engine_refusals(engine: Handle<EngineHandle>, text: Out<*mut Buffer>) -> Status {
    guard(|| {
        text.give("text", || {
            engine.get("engine")?.0.with(|bench| {
                let refusals = bench.engine.stats().refusals;
                let lines = refusals.iter().map(|(reason, count)| format!("{count} {reason}\n"));
                Ok(Buffer::of_text(&lines.collect::<String>()))
            })
        })
    })
}

fn count(stats: &picaflor_jit::Stats) -> EngineStats {
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let [analyse, emit, generate, publish] = stats.phase_times;
    EngineStats {
        size: size_of::<EngineStats>(),
        compiles: stats.compiles,
        compile_ns: nanoseconds(stats.compile_time),
        compile_ns_max: nanoseconds(stats.compile_time_max),
        compiled_bytes: stats.compiled_bytes,
        code_bytes: stats.code_bytes as u64,
        live_routines: stats.live_routines as u64,
        evictions: stats.evictions,
        panics_contained: stats.panics_contained,
        refusals: stats.refusals.values().sum(),
        groups: stats.groups,
        replayed_groups: stats.replayed_groups,
        interpreter_batches: stats.interpreter_batches,
        fragment_draws: stats.fragment_draws,
        interpreted_tiles: stats.interpreted_tiles,
        texture_hits: stats.textures.hits,
        texture_misses: stats.textures.misses,
        texture_bytes: stats.textures.held_bytes as u64,
        longest_lookup_ns: nanoseconds(stats.longest_lookup),
        disk_loaded: stats.disk.loaded,
        disk_stored: stats.disk.stored,
        disk_damaged: stats.disk.damaged,
        disk_foreign: stats.disk.foreign,
        disk_errors: stats.disk.errors,
        refined: stats.refined,
        analyse_ns: nanoseconds(analyse),
        emit_ns: nanoseconds(emit),
        generate_ns: nanoseconds(generate),
        publish_ns: nanoseconds(publish),
        texture_stale: stats.textures.stale,
        texture_decoded_bytes: stats.textures.decoded_bytes,
        texture_compared_bytes: stats.textures.compared_bytes,
        texture_evictions: stats.textures.evictions,
        disk_load_ns: nanoseconds(stats.disk.load_time),
        disk_loaded_bytes: stats.disk.loaded_bytes,
        disk_stored_bytes: stats.disk.stored_bytes,
        disk_removed: stats.disk.removed,
    }
}
