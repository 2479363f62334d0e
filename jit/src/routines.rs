//! Routines by key: found, made at once, or ordered from a compile thread; made is loaded from disk or compiled.

use crate::cache::{Cache, Slot};
use crate::code::compile::Compiler;
use crate::code::ge::rows::PixelRoutine;
use crate::code::ge::transforms::TransformRoutine;
use crate::code::pica::blocks::FragmentRoutine;
use crate::code::pica::geometry::GeometryRoutine;
use crate::code::pica::shade::VertexRoutine;
use crate::code::routine::CodeBlock;
use crate::disk_cache::{DiskCache, DiskStats};
use crate::error::CompileError;
use crate::ge;
use crate::ge::key::{PixelKey, TransformKey};
use crate::pica::fragment;
use crate::pica::key::fragment::FragmentKey;
use crate::pica::key::programs::KnownProgram;
use crate::pica::key::shader::{GeometryKey, VertexKey};
use crate::pica::shader::geometry::{self, GeometrySpec};
use crate::pica::shader::graph::{Graph, Node};
use crate::pica::shader::vertex::{self, VertexSpec};
use crate::profile::{Phase, Profile};
use crate::queue::{Queue, Submitted};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(test)]
use std::time::Duration;
use std::time::Instant;

/// Entries of the cache, refusals included.
const MAX_ENTRIES: usize = 16_384;
/// Jobs that may wait for compile threads.
const MAX_WAITING: usize = 256;

/// A key of either kind.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum RoutineKey {
    Vertex(VertexKey),
    Geometry(GeometryKey),
    Fragment(Box<FragmentKey>),
    GePixel(Box<PixelKey>),
    GeTransform(Box<TransformKey>),
}

impl fmt::Display for RoutineKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(key) => key.fmt(f),
            Self::Geometry(key) => key.fmt(f),
            Self::Fragment(key) => key.fmt(f),
            Self::GePixel(key) => key.fmt(f),
            Self::GeTransform(key) => key.fmt(f),
        }
    }
}

/// A routine of either kind.
#[derive(Debug)]
pub(crate) enum AnyRoutine {
    Vertex(VertexRoutine),
    Geometry(GeometryRoutine),
    Fragment(Arc<FragmentRoutine>),
    GePixel(Arc<PixelRoutine>),
    GeTransform(Arc<TransformRoutine>),
}

impl AnyRoutine {
    fn charged(&self) -> usize {
        match self {
            Self::Vertex(routine) => routine.charged(),
            Self::Geometry(routine) => routine.charged(),
            Self::Fragment(routine) => routine.charged(),
            Self::GePixel(routine) => routine.charged(),
            Self::GeTransform(routine) => routine.charged(),
        }
    }
}

/// The cache and those who fill it.
pub(crate) struct Routines {
    shared: Arc<Shared>,
    compiler: Compiler,
    queue: Option<Queue<RoutineKey>>,
    /// The routine found last, for the common case that the next batch needs the same.
    last: Option<(RoutineKey, Arc<AnyRoutine>)>,
}

/// What all who make routines use.
struct Shared {
    cache: Mutex<Cache<RoutineKey, AnyRoutine>>,
    profile: Arc<Profile>,
    disk: Option<DiskCache>,
}

/// A routine, and its code if that was compiled just now.
struct Made {
    routine: AnyRoutine,
    compiled: Option<Arc<CodeBlock>>,
}

impl fmt::Debug for Routines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routines").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Routines {
    /// Without a thread in `background`, routines are made by whoever asks.
    pub(crate) fn new(
        compiler: Compiler,
        background: Vec<Compiler>,
        budget: usize,
        profile: Arc<Profile>,
        disk: Option<DiskCache>,
    ) -> Result<Self, CompileError> {
        let queue = if background.is_empty() {
            None
        } else {
            let queue = Queue::new(background, MAX_WAITING);
            Some(queue.map_err(|error| CompileError::Host(error.to_string()))?)
        };
        let cache = Mutex::new(Cache::new(budget, MAX_ENTRIES));
        Ok(Self { shared: Arc::new(Shared { cache, profile, disk }), compiler, queue, last: None })
    }

    /// The routine, `None` while it is being made, or why there is none. Keys of shaders come with their
    /// program.
    pub(crate) fn find(
        &mut self,
        key: &RoutineKey,
        program: Option<&Arc<KnownProgram>>,
    ) -> Result<Option<Arc<AnyRoutine>>, CompileError> {
        if let Some((last, routine)) = &self.last
            && last == key
        {
            return Ok(Some(Arc::clone(routine)));
        }
        let start = Instant::now();
        let slot = self.shared.cache().get(key).cloned();
        if slot.is_none() {
            self.order(key, program);
        }
        if self.queue.is_some() {
            self.shared.profile.looked_up(start.elapsed());
        }
        let routine = match slot {
            Some(Slot::Ready(routine)) => routine,
            Some(Slot::Refused(reason)) => return Err(reason),
            Some(Slot::Pending) => return Ok(None),
            None if self.queue.is_some() => return Ok(None),
            None => self.shared.make(&mut self.compiler, key, program.map(|known| &**known))?,
        };
        self.last = Some((key.clone(), Arc::clone(&routine)));
        Ok(Some(routine))
    }

    /// Makes the routine now, whether or not there is one, and keeps it.
    pub(crate) fn make_now(
        &mut self,
        key: &RoutineKey,
        program: Option<&Arc<KnownProgram>>,
    ) -> Result<Arc<AnyRoutine>, CompileError> {
        self.last = None;
        let Self { shared, compiler, .. } = self;
        let program = program.map(|known| &**known);
        let made = shared.with_room(|| compile(compiler, key, program, &shared.profile));
        shared.keep(key, made.map(|made| made.routine))
    }

    /// Orders a routine from a compile thread, if there are any.
    fn order(&self, key: &RoutineKey, program: Option<&Arc<KnownProgram>>) {
        let Some(queue) = &self.queue else { return };
        if !self.shared.cache().begin(key) {
            return;
        }
        let guard = Abandon { shared: Arc::clone(&self.shared), key: key.clone() };
        let program = program.cloned();
        let job = Box::new(move |compiler: &mut Compiler| {
            // The outcome is in the cache either way.
            let _ = guard.shared.make(compiler, &guard.key, program.as_deref());
        });
        if queue.submit(key.clone(), job) != Submitted::Queued {
            self.shared.cache().abandon(key);
        }
    }

    /// Waits until everything ordered has been made.
    pub(crate) fn wait(&self) {
        if let Some(queue) = &self.queue {
            queue.wait_idle();
        }
    }

    /// Has things fail, for all compilers.
    #[cfg(test)]
    pub(crate) fn sabotage(&self) -> &crate::code::sabotage::Sabotage {
        &self.compiler.arena().sabotage
    }

    /// Keeps one compile thread busy until what is returned is dropped, or a minute is over.
    #[cfg(test)]
    pub(crate) fn hold(&self, key: RoutineKey) -> std::sync::mpsc::Sender<()> {
        let (sender, held) = std::sync::mpsc::channel();
        let queue = self.queue.as_ref().expect("an engine of the background mode");
        let job = Box::new(move |_: &mut Compiler| _ = held.recv_timeout(Duration::from_secs(60)));
        assert_eq!(queue.submit(key, job), Submitted::Queued);
        sender
    }

    pub(crate) fn evictions(&self) -> u64 {
        self.shared.cache().evictions()
    }

    pub(crate) fn disk_stats(&self) -> DiskStats {
        self.shared.disk.as_ref().map(DiskCache::stats).unwrap_or_default()
    }
}

/// Forgets a pending key when its job ends without an outcome.
struct Abandon {
    shared: Arc<Shared>,
    key: RoutineKey,
}

impl Drop for Abandon {
    fn drop(&mut self) {
        self.shared.cache().abandon(&self.key);
    }
}

impl Shared {
    fn cache(&self) -> MutexGuard<'_, Cache<RoutineKey, AnyRoutine>> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads or compiles a routine and puts it, or the refusal, into the cache; then, if it is new, on disk.
    fn make(
        &self,
        compiler: &mut Compiler,
        key: &RoutineKey,
        program: Option<&KnownProgram>,
    ) -> Result<Arc<AnyRoutine>, CompileError> {
        let made = self.with_room(|| self.load_or_compile(compiler, key, program));
        let compiled = made.as_ref().ok().and_then(|made| made.compiled.clone());
        let routine = self.keep(key, made.map(|made| made.routine))?;
        if let Some((disk, code)) = self.disk.as_ref().zip(compiled) {
            disk.store_routine(key, program, &routine, &code);
        }
        Ok(routine)
    }

    /// Pieces of what is free may be too small: gives up a part then, and tries once more.
    fn with_room(&self, mut make: impl FnMut() -> Result<Made, CompileError>) -> Result<Made, CompileError> {
        match make() {
            Err(CompileError::BudgetExceeded { budget }) => {
                self.cache().evict_bytes(budget / 8);
                make()
            }
            made => made,
        }
    }

    fn load_or_compile(
        &self,
        compiler: &mut Compiler,
        key: &RoutineKey,
        program: Option<&KnownProgram>,
    ) -> Result<Made, CompileError> {
        if let Some(disk) = self.disk.as_ref().filter(|_| !compiler.always_compiles())
            && let Some(routine) = disk.load_routine(compiler, key, program)?
        {
            return Ok(Made { routine, compiled: None });
        }
        compile(compiler, key, program, &self.profile)
    }

    /// Puts the outcome into the cache.
    fn keep(
        &self,
        key: &RoutineKey,
        made: Result<AnyRoutine, CompileError>,
    ) -> Result<Arc<AnyRoutine>, CompileError> {
        match made {
            Ok(routine) => {
                let routine = Arc::new(routine);
                self.cache().insert(key.clone(), Arc::clone(&routine), routine.charged());
                Ok(routine)
            }
            Err(reason) => {
                self.profile.refused(&reason);
                tracing::debug!(%key, %reason, "not compiled");
                self.cache().refuse(key.clone(), reason.clone());
                Err(reason)
            }
        }
    }
}

fn compile(
    compiler: &mut Compiler,
    key: &RoutineKey,
    program: Option<&KnownProgram>,
    profile: &Profile,
) -> Result<Made, CompileError> {
    let program = || program.expect("the key of a shader comes with its program");
    match key {
        RoutineKey::Vertex(key) => compile_vertex(compiler, key, program(), profile),
        RoutineKey::Geometry(key) => compile_geometry(compiler, key, program(), profile),
        RoutineKey::Fragment(key) => compile_fragment(compiler, key),
        RoutineKey::GePixel(key) => compile_pixel(compiler, key),
        RoutineKey::GeTransform(key) => compile_transform(compiler, key),
    }
}

fn compile_vertex(
    compiler: &mut Compiler,
    key: &VertexKey,
    program: &KnownProgram,
    profile: &Profile,
) -> Result<Made, CompileError> {
    let spec = VertexSpec {
        program: &program.program,
        entry: key.entry,
        bools: key.bools,
        ints: &key.ints,
        inputs: &key.inputs,
        output: &key.output,
        arithmetic: key.arithmetic,
    };
    let graph = {
        let _timer = profile.time(Phase::Analyse);
        vertex::unfold(&spec)?
    };
    compiler.allocate_quickly(is_tangled(&graph))?;
    let mut facts = None;
    let code = compiler.define(&key.to_string(), |func, context, isa| {
        facts = Some(vertex::build(&spec, &graph, func, context, isa));
        Ok(())
    })?;
    let facts = facts.expect("the function was built");
    let components = key.output.components();
    let compiled = Some(Arc::clone(&code));
    let routine = VertexRoutine::new(code, key.inputs, components, key.arithmetic, facts, next_id())?;
    Ok(Made { routine: AnyRoutine::Vertex(routine), compiled })
}

fn compile_geometry(
    compiler: &mut Compiler,
    key: &GeometryKey,
    program: &KnownProgram,
    profile: &Profile,
) -> Result<Made, CompileError> {
    let spec = GeometrySpec {
        program: &program.program,
        entry: key.entry,
        bools: key.bools,
        ints: &key.ints,
        arithmetic: key.arithmetic,
    };
    let graph = {
        let _timer = profile.time(Phase::Analyse);
        geometry::unfold(&spec)?
    };
    compiler.allocate_quickly(is_tangled(&graph))?;
    let mut facts = None;
    let code = compiler.define(&key.to_string(), |func, context, isa| {
        facts = Some(geometry::build(&spec, &graph, func, context, isa));
        Ok(())
    })?;
    let compiled = Some(Arc::clone(&code));
    let routine = GeometryRoutine::new(code, facts.expect("the function was built"), next_id())?;
    Ok(Made { routine: AnyRoutine::Geometry(routine), compiled })
}

fn compile_fragment(compiler: &mut Compiler, key: &FragmentKey) -> Result<Made, CompileError> {
    compiler.allocate_quickly(false)?;
    let mut facts = None;
    let code = compiler.define(&key.to_string(), |func, context, isa| {
        facts = Some(fragment::build(key, func, context, isa));
        Ok(())
    })?;
    let compiled = Some(Arc::clone(&code));
    let routine = FragmentRoutine::new(code, facts.expect("the function was built"))?;
    Ok(Made { routine: AnyRoutine::Fragment(Arc::new(routine)), compiled })
}

fn compile_pixel(compiler: &mut Compiler, key: &PixelKey) -> Result<Made, CompileError> {
    compiler.allocate_quickly(false)?;
    let code = compiler.define(&key.to_string(), |func, context, isa| {
        ge::pixel::build(key, func, context, isa);
        Ok(())
    })?;
    let compiled = Some(Arc::clone(&code));
    Ok(Made { routine: AnyRoutine::GePixel(Arc::new(PixelRoutine::new(code)?)), compiled })
}

fn compile_transform(compiler: &mut Compiler, key: &TransformKey) -> Result<Made, CompileError> {
    compiler.allocate_quickly(false)?;
    let code = compiler.define(&key.to_string(), |func, context, isa| {
        ge::vertex::build(key, func, context, isa);
        Ok(())
    })?;
    let compiled = Some(Arc::clone(&code));
    let routine = TransformRoutine::new(code, key.vertex_type.stride())?;
    Ok(Made { routine: AnyRoutine::GeTransform(Arc::new(routine)), compiled })
}

/// Whether so many values cross so many nodes, or so many words were unrolled, that careful register
/// allocation would take long. The programs of `benches`, unrolled, are far from it.
fn is_tangled(graph: &Graph) -> bool {
    let nodes = graph.nodes.len();
    let words: u32 = graph.nodes.iter().map(Node::words).sum();
    nodes > 64 || words > 320 || graph.cyclic && nodes > 16
}

/// A number that no other routine has.
pub(crate) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
