//! From a function builder to a published routine.
//!
//! One cranelift-jit module per routine, so that dropping the routine frees exactly its memory. Code must need
//! no relocation: it is position independent, calls nothing, and "linking" is the copy the module makes.

use super::memory::{Arena, OutOfBudget, Provider};
use super::profilers::Profilers;
use super::routine::CodeBlock;
#[cfg(feature = "gdb")]
use super::{debug_object, gdb::Registration};
use crate::cpu_level::CpuLevel;
use crate::error::CompileError;
use crate::profile::Profile;
use crate::stats::Phase;
use cranelift_codegen::ir::{Function, Signature};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, Context, control::ControlPlane};
use cranelift_frontend::FunctionBuilderContext;
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, ModuleError, default_libcall_names};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, io};

/// Text form of a function before and after code generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dump {
    /// The function before code generation.
    pub(crate) clif: String,
    /// The machine instructions, as Cranelift prints them.
    pub(crate) vcode: String,
}

impl Dump {
    /// Writes both files; characters of `name` that are invalid in file names become `_`.
    fn write(&self, folder: &Path, name: &str) -> io::Result<()> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || ".-@,".contains(c) { c } else { '_' };
        let stem: String = name.chars().map(plain).take(200).collect();
        fs::write(folder.join(format!("{stem}.clif")), &self.clif)?;
        fs::write(folder.join(format!("{stem}.vcode")), &self.vcode)
    }
}

/// Instructions of a function after which the buffers are given back: they keep about 640 bytes for each, 2.5 MB here,
/// which is worth it among functions of usual length alone. Measured.
const LONGEST_KEPT: usize = 4096;

/// How long the allocation of registers may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Pace {
    /// First versions of routines: always a single pass.
    Draft,
    /// Somebody waits: with care what does not take too long so.
    #[default]
    Usual,
    /// Nobody waits.
    Leisure,
}

/// Compiles functions, one at a time, into an arena. One per thread; its buffers are reused, but for those of functions that
/// are much longer than most.
pub(crate) struct Compiler {
    isa: OwnedTargetIsa,
    /// The same target with the quick register allocator, created on first use.
    quick_isa: Option<OwnedTargetIsa>,
    quick: bool,
    pace: Pace,
    /// Code was made in a single pass that is made with care at leisure.
    hurried: bool,
    arena: Arc<Arena>,
    context: Context,
    builder: FunctionBuilderContext,
    profile: Arc<Profile>,
    profilers: Arc<Profilers>,
    dumps: Option<Arc<Path>>,
    cpu: CpuLevel,
}

impl Compiler {
    /// A compiler for `isa`, which must be the host's for the code to be run.
    pub(crate) fn new(isa: OwnedTargetIsa, arena: Arc<Arena>) -> Self {
        Self {
            isa,
            quick_isa: None,
            quick: false,
            pace: Pace::default(),
            hurried: false,
            arena,
            context: Context::new(),
            builder: FunctionBuilderContext::new(),
            profile: Arc::default(),
            profilers: Arc::default(),
            dumps: None,
            cpu: CpuLevel::Host,
        }
    }

    /// Another one that does the same, for another thread.
    pub(crate) fn twin(&self) -> Self {
        let (isa, arena) = (Arc::clone(&self.isa), Arc::clone(&self.arena));
        let twin = Self::new(isa, arena).for_cpu(self.cpu).profiled(Arc::clone(&self.profile));
        twin.shown_to(Arc::clone(&self.profilers)).dumping(self.dumps.clone())
    }

    /// Writes a [`Dump`] of every function into a folder: `NAME.clif` and `NAME.vcode`.
    pub(crate) fn dumping(mut self, folder: Option<Arc<Path>>) -> Self {
        self.dumps = folder;
        self
    }

    /// Says for which processors `isa` is.
    pub(crate) fn for_cpu(mut self, level: CpuLevel) -> Self {
        self.cpu = level;
        self
    }

    /// Announces the routines to profilers.
    pub(crate) fn shown_to(mut self, profilers: Arc<Profilers>) -> Self {
        self.profilers = profilers;
        self
    }

    /// Sets the counters and timers.
    pub(crate) fn profiled(mut self, profile: Arc<Profile>) -> Self {
        self.profile = profile;
        self
    }

    /// The counters and timers.
    pub(crate) fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The arena that receives the code.
    #[cfg(test)]
    pub(crate) fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    /// Selects the register allocator of the following functions. `quick`: a single pass, worse code, compile time
    /// linear in the length of the function. The careful allocator's time grows much faster where many values cross
    /// many blocks.
    ///
    /// # Errors
    /// As [`host_isa`].
    pub(crate) fn allocate_quickly(&mut self, quick: bool) -> Result<(), CompileError> {
        let is_draft = self.pace == Pace::Draft;
        self.hurried |= is_draft && !quick;
        let quick = quick || is_draft;
        if quick && self.quick_isa.is_none() {
            self.quick_isa = Some(host_isa_with(self.cpu, "single_pass", self.isa.flags().unwind_info())?);
        }
        self.quick = quick;
        Ok(())
    }

    /// Has `work` compile everything with the quick register allocator.
    pub(crate) fn drafting<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.at_pace(Pace::Draft, work)
    }

    /// Has `work` compile what nobody waits for: longer code with the careful register allocator.
    pub(crate) fn at_leisure<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.at_pace(Pace::Leisure, work)
    }

    fn at_pace<T>(&mut self, pace: Pace, work: impl FnOnce(&mut Self) -> T) -> T {
        self.pace = pace;
        let done = work(self);
        self.pace = Pace::default();
        done
    }

    /// True for work that nobody waits for.
    pub(crate) fn has_leisure(&self) -> bool {
        self.pace == Pace::Leisure
    }

    /// Notes that code is made quickly which would be made with care [at leisure](Self::at_leisure).
    pub(crate) fn hurries(&mut self) {
        self.hurried = true;
    }

    /// True if that was noted since this was last asked.
    pub(crate) fn take_hurried(&mut self) -> bool {
        std::mem::take(&mut self.hurried)
    }

    fn isa(&self) -> &OwnedTargetIsa {
        self.quick_isa.as_ref().filter(|_| self.quick).unwrap_or(&self.isa)
    }

    /// Replaces the buffers, which a panic may have left inconsistent.
    pub(crate) fn reset(&mut self) {
        self.replace_buffers();
        self.pace = Pace::default();
    }

    fn replace_buffers(&mut self) {
        self.context = Context::new();
        self.builder = FunctionBuilderContext::new();
    }

    /// Compiles and publishes the function that `build` fills in, its signature included. `name` is its symbol.
    ///
    /// # Errors
    /// The error of `build`; [`CompileError::Codegen`] when Cranelift refuses the function or it needs a relocation;
    /// [`CompileError::BudgetExceeded`]; [`CompileError::Panicked`] for a panic in either.
    pub(crate) fn define(
        &mut self,
        name: &str,
        build: impl FnOnce(&mut Function, &mut FunctionBuilderContext, &dyn TargetIsa) -> Result<(), CompileError>,
    ) -> Result<Arc<CodeBlock>, CompileError> {
        if let Some(folder) = self.dumps.clone() {
            let (code, dump) = self.define_with_dump(name, build)?;
            if let Err(error) = dump.write(&folder, name) {
                tracing::warn!(%error, "a dump could not be written");
            }
            return Ok(code);
        }
        self.contained(|compiler| {
            let start = Instant::now();
            compiler.build(build)?;
            let code = compiler.publish(name)?;
            compiler.compiled(&code, start.elapsed());
            Ok(code)
        })
    }

    /// [`Compiler::define`], with a [`Dump`].
    ///
    /// # Errors
    /// As [`Compiler::define`].
    pub(crate) fn define_with_dump(
        &mut self,
        name: &str,
        build: impl FnOnce(&mut Function, &mut FunctionBuilderContext, &dyn TargetIsa) -> Result<(), CompileError>,
    ) -> Result<(Arc<CodeBlock>, Dump), CompileError> {
        self.contained(|compiler| {
            let start = Instant::now();
            compiler.build(build)?;
            let clif = compiler.context.func.display().to_string();
            compiler.context.set_disasm(true);
            let code = compiler.publish(name)?;
            compiler.compiled(&code, start.elapsed());
            let vcode = compiler.context.compiled_code().and_then(|code| code.vcode.clone());
            Ok((code, Dump { clif, vcode: vcode.unwrap_or_default() }))
        })
    }

    /// Publishes code that an earlier [`Compiler::define`] made, for the same target, of a function of one
    /// pointer.
    ///
    /// # Errors
    /// [`CompileError::BudgetExceeded`], or [`CompileError::Host`] for the system's refusal to map it.
    pub(crate) fn load(&self, name: &str, bytes: &[u8]) -> Result<Arc<CodeBlock>, CompileError> {
        let region = self.arena.load(bytes).map_err(|error| self.no_room(&error))?;
        let code = Arc::new(CodeBlock::new(region, name, true));
        self.profilers.show(&code);
        tracing::debug!(name, bytes = bytes.len(), "routine loaded");
        Ok(code)
    }

    /// True if routines must be compiled rather than loaded from disk: for a [`Dump`], or for debuggers, whose unwind
    /// tables are not in the file.
    pub(crate) fn always_compiles(&self) -> bool {
        #[cfg(feature = "gdb")]
        if self.is_debugged() {
            return true;
        }
        self.dumps.is_some()
    }

    /// Counts a routine that was compiled in `time`, and announces it to profilers.
    fn compiled(&self, code: &CodeBlock, time: Duration) {
        self.profile.compiled(code.size(), time);
        self.profilers.show(code);
        let frame = frame_bytes(&self.context);
        tracing::debug!(name = code.name(), bytes = code.size(), frame, ?time, "routine compiled");
    }

    /// Runs `work`; a panic becomes an error and leaves fresh buffers behind, as a long function does.
    fn contained<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        let done = catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|panic| {
            self.reset();
            self.profile.panicked();
            Err(CompileError::Panicked(panic_text(&*panic)))
        });
        if self.context.func.dfg.num_insts() > LONGEST_KEPT {
            self.replace_buffers();
        }
        done
    }

    fn build(
        &mut self,
        build: impl FnOnce(&mut Function, &mut FunctionBuilderContext, &dyn TargetIsa) -> Result<(), CompileError>,
    ) -> Result<(), CompileError> {
        self.context.clear();
        let _timer = self.profile.time(Phase::Emit);
        #[cfg(test)]
        self.arena.faults.compile();
        let isa = Arc::clone(self.isa());
        let built = build(&mut self.context.func, &mut self.builder, &*isa);
        if built.is_err() {
            // A builder that gave up midway leaves its context dirty.
            self.builder = FunctionBuilderContext::new();
        }
        built
    }

    fn publish(&mut self, name: &str) -> Result<Arc<CodeBlock>, CompileError> {
        let timer = self.profile.time(Phase::Generate);
        let provider = Provider::new(&self.arena);
        let mut builder = JITBuilder::with_isa(Arc::clone(self.isa()), default_libcall_names());
        builder.memory_provider(Box::new(provider.clone()));
        let mut module = JITModule::new(builder);
        let signature = &self.context.func.signature;
        let takes_one_pointer = takes_one_pointer(signature, &**self.isa());
        // The name matters to one reader: cranelift-jit writes a perf map of its own under `perf record`.
        let declared = module.declare_function(name, Linkage::Local, signature);
        let id = declared.map_err(|error| self.refusal(error))?;
        module
            .define_function_with_control_plane(id, &mut self.context, &mut ControlPlane::default())
            .map_err(|error| self.refusal(error))?;
        refuse_relocations(&self.context)?;
        refuse_large_frames(&self.context)?;
        drop(timer);
        let _timer = self.profile.time(Phase::Publish);
        module.finalize_definitions().map_err(|error| self.refusal(error))?;
        let region = provider.take().ok_or_else(|| CompileError::Codegen("nothing was published".into()))?;
        let code = CodeBlock::new(region, name, takes_one_pointer);
        #[cfg(feature = "gdb")]
        let code = self.registered(code);
        Ok(Arc::new(code))
    }

    /// Registers the function just compiled with debuggers, if enabled.
    #[cfg(feature = "gdb")]
    fn registered(&self, code: CodeBlock) -> CodeBlock {
        match self.context.compiled_code() {
            Some(compiled) if self.is_debugged() => {
                let frames = debug_object::frames(&code, compiled, &**self.isa());
                let object = debug_object::object(&code, frames);
                code.registered(Registration::new(object))
            }
            _ => code,
        }
    }

    /// True if routines are registered with debuggers; their target then generates unwind information.
    #[cfg(feature = "gdb")]
    fn is_debugged(&self) -> bool {
        self.isa.flags().unwind_info()
    }

    fn refusal(&self, error: ModuleError) -> CompileError {
        match error {
            ModuleError::Allocation { err } => self.no_room(&err),
            ModuleError::Compilation(CodegenError::Verifier(errors)) => {
                CompileError::Codegen(errors.to_string())
            }
            ModuleError::Compilation(error) => CompileError::Codegen(error.to_string()),
            other => CompileError::Codegen(other.to_string()),
        }
    }

    fn no_room(&self, error: &io::Error) -> CompileError {
        match error.get_ref().is_some_and(|inner| inner.is::<OutOfBudget>()) {
            true => CompileError::BudgetExceeded { budget: self.arena.budget() },
            false => CompileError::Host(error.to_string()),
        }
    }
}

impl std::fmt::Debug for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiler").field("target", &self.isa.triple().to_string()).finish_non_exhaustive()
    }
}

/// Rejects a function with relocations: calls to or addresses of something outside the routine.
pub(super) fn refuse_relocations(context: &Context) -> Result<(), CompileError> {
    match context.compiled_code().and_then(|code| code.buffer.relocs().first()) {
        None => Ok(()),
        Some(first) => Err(CompileError::Codegen(format!("the code needs relocations, first {first:?}"))),
    }
}

/// Most bytes of stack that a routine may use. Threads of hosts have stacks of 64 KiB and more, of which the callers of a
/// routine need a part. Routines call nothing, so that one frame is all.
pub(crate) const LARGEST_FRAME: u32 = 40 << 10;

/// Rejects a function with a frame above [`LARGEST_FRAME`].
pub(super) fn refuse_large_frames(context: &Context) -> Result<(), CompileError> {
    let bytes = frame_bytes(context);
    if bytes > LARGEST_FRAME {
        return Err(CompileError::LargeFrame { bytes, limit: LARGEST_FRAME });
    }
    Ok(())
}

/// Bytes of the frame of the compiled function, below the saved frame pointer.
pub(super) fn frame_bytes(context: &Context) -> u32 {
    let layout = context.compiled_code().and_then(|code| code.buffer.frame_layout());
    layout.map_or(0, |layout| layout.frame_to_fp_offset)
}

fn takes_one_pointer(signature: &Signature, isa: &dyn TargetIsa) -> bool {
    signature.call_conv == isa.default_call_conv()
        && signature.returns.is_empty()
        && matches!(&signature.params[..], [only] if only.value_type == isa.pointer_type())
}

/// Message of a caught panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

/// The host as a compile target, with all its instruction set extensions.
///
/// # Errors
/// [`CompileError::Host`] for a host that Cranelift does not know, or that lacks SSE4.1 or SSSE3: without them
/// roundings and shuffles become calls into a library.
pub(crate) fn host_isa(level: CpuLevel) -> Result<OwnedTargetIsa, CompileError> {
    host_isa_with(level, "backtracking", false)
}

/// [`host_isa`] with unwind tables, for routines registered with debuggers.
///
/// # Errors
/// As [`host_isa`].
#[cfg(feature = "gdb")]
pub(crate) fn host_isa_for_debuggers(level: CpuLevel) -> Result<OwnedTargetIsa, CompileError> {
    host_isa_with(level, "backtracking", true)
}

fn host_isa_with(level: CpuLevel, allocator: &str, unwinding: bool) -> Result<OwnedTargetIsa, CompileError> {
    let host = |error: &dyn std::fmt::Display| CompileError::Host(error.to_string());
    let inferred = level == CpuLevel::Host;
    let mut builder = cranelift_native::builder_with_options(inferred).map_err(|error| host(&error))?;
    #[cfg(target_arch = "x86_64")]
    if !(std::arch::is_x86_feature_detected!("sse4.1") && std::arch::is_x86_feature_detected!("ssse3")) {
        return Err(CompileError::Host("SSE4.1 and SSSE3 are required".into()));
    }
    for feature in features(level) {
        builder.enable(feature).map_err(|error| host(&error))?;
    }
    builder.finish(flags(allocator, unwinding)?).map_err(|error| host(&error))
}

/// Features of a level that this processor has, as Cranelift names them; those of the host are inferred.
#[cfg(target_arch = "x86_64")]
fn features(level: CpuLevel) -> Vec<&'static str> {
    let oldest = ["has_sse3", "has_ssse3", "has_sse41"];
    let later = [
        ("has_sse42", std::arch::is_x86_feature_detected!("sse4.2")),
        ("has_popcnt", std::arch::is_x86_feature_detected!("popcnt")),
    ];
    let later = later.into_iter().filter_map(|(name, is_there)| is_there.then_some(name));
    match level {
        CpuLevel::Host => Vec::new(),
        CpuLevel::WithoutAvx => oldest.into_iter().chain(later).collect(),
        CpuLevel::Oldest => oldest.to_vec(),
    }
}

#[cfg(not(target_arch = "x86_64"))]
const fn features(_: CpuLevel) -> Vec<&'static str> {
    Vec::new()
}

/// The flags measured best: emitted code is already in good order, so optimising costs time and gains nothing, while
/// careful register allocation pays. `unwinding`: with unwind tables; the code is the same. A frame of more than a page
/// touches each of its pages in order, so that a thread whose stack is too small meets its guard page, and no memory
/// behind it.
pub(super) fn flags(allocator: &str, unwinding: bool) -> Result<settings::Flags, CompileError> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "none"),
        ("regalloc_algorithm", allocator),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("is_pic", "false"),
        ("unwind_info", if unwinding { "true" } else { "false" }),
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ] {
        flags.set(name, value).map_err(|error| CompileError::Host(error.to_string()))?;
    }
    Ok(settings::Flags::new(flags))
}

#[cfg(test)]
#[path = "compile_tests.rs"]
pub(crate) mod tests;
