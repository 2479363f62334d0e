//! Routines by key: found, made at once, or ordered from a compile thread.

use crate::cache::{Cache, Slot};
use crate::code::blocks::FragmentRoutine;
use crate::code::compile::Compiler;
use crate::code::geometry::GeometryRoutine;
use crate::code::shade::VertexRoutine;
use crate::error::CompileError;
use crate::fragment;
use crate::key::fragment::FragmentKey;
use crate::key::programs::KnownProgram;
use crate::key::shader::{GeometryKey, VertexKey};
use crate::profile::{Phase, Profile};
use crate::queue::{Queue, Submitted};
use crate::shader::geometry::{self, GeometrySpec};
use crate::shader::graph::{Graph, Node};
use crate::shader::vertex::{self, VertexSpec};
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
}

impl fmt::Display for RoutineKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex(key) => key.fmt(f),
            Self::Geometry(key) => key.fmt(f),
            Self::Fragment(key) => key.fmt(f),
        }
    }
}

/// A routine of either kind.
#[derive(Debug)]
pub(crate) enum AnyRoutine {
    Vertex(VertexRoutine),
    Geometry(GeometryRoutine),
    Fragment(Arc<FragmentRoutine>),
}

impl AnyRoutine {
    fn charged(&self) -> usize {
        match self {
            Self::Vertex(routine) => routine.charged(),
            Self::Geometry(routine) => routine.charged(),
            Self::Fragment(routine) => routine.charged(),
        }
    }
}

/// The cache and those who fill it.
pub(crate) struct Routines {
    cache: Arc<Mutex<Cache<RoutineKey, AnyRoutine>>>,
    compiler: Compiler,
    queue: Option<Queue<RoutineKey>>,
    profile: Arc<Profile>,
    /// The routine found last, for the common case that the next batch needs the same.
    last: Option<(RoutineKey, Arc<AnyRoutine>)>,
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
    ) -> Result<Self, CompileError> {
        let queue = if background.is_empty() {
            None
        } else {
            let queue = Queue::new(background, MAX_WAITING);
            Some(queue.map_err(|error| CompileError::Host(error.to_string()))?)
        };
        let cache = Arc::new(Mutex::new(Cache::new(budget, MAX_ENTRIES)));
        Ok(Self { cache, compiler, queue, profile, last: None })
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
        let slot = lock(&self.cache).get(key).cloned();
        if slot.is_none() {
            self.order(key, program);
        }
        if self.queue.is_some() {
            self.profile.looked_up(start.elapsed());
        }
        let routine = match slot {
            Some(Slot::Ready(routine)) => routine,
            Some(Slot::Refused(reason)) => return Err(reason),
            Some(Slot::Pending) => return Ok(None),
            None if self.queue.is_some() => return Ok(None),
            None => make(&mut self.compiler, key, program, &self.cache, &self.profile)?,
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
        make(&mut self.compiler, key, program, &self.cache, &self.profile)
    }

    /// Orders a routine from a compile thread, if there are any.
    fn order(&self, key: &RoutineKey, program: Option<&Arc<KnownProgram>>) {
        let Some(queue) = &self.queue else { return };
        if !lock(&self.cache).begin(key) {
            return;
        }
        let guard = Abandon { cache: Arc::clone(&self.cache), key: key.clone() };
        let (program, profile) = (program.cloned(), Arc::clone(&self.profile));
        let job = Box::new(move |compiler: &mut Compiler| {
            // The outcome is in the cache either way.
            let _ = make(compiler, &guard.key, program.as_ref(), &guard.cache, &profile);
        });
        if queue.submit(key.clone(), job) != Submitted::Queued {
            lock(&self.cache).abandon(key);
        }
    }

    /// Waits until everything ordered has been made.
    pub(crate) fn wait(&self) {
        if let Some(queue) = &self.queue {
            queue.wait_idle();
        }
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
        lock(&self.cache).evictions()
    }
}

/// Forgets a pending key when its job ends without an outcome.
struct Abandon {
    cache: Arc<Mutex<Cache<RoutineKey, AnyRoutine>>>,
    key: RoutineKey,
}

impl Drop for Abandon {
    fn drop(&mut self) {
        lock(&self.cache).abandon(&self.key);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compiles a routine and puts it, or the refusal, into the cache.
fn make(
    compiler: &mut Compiler,
    key: &RoutineKey,
    program: Option<&Arc<KnownProgram>>,
    cache: &Mutex<Cache<RoutineKey, AnyRoutine>>,
    profile: &Profile,
) -> Result<Arc<AnyRoutine>, CompileError> {
    let mut made = compile(compiler, key, program, profile);
    if let Err(CompileError::BudgetExceeded { budget }) = made {
        // Pieces of what is free may be too small: give up a part, and try once more.
        lock(cache).evict_bytes(budget / 8);
        made = compile(compiler, key, program, profile);
    }
    match made {
        Ok(routine) => {
            let routine = Arc::new(routine);
            lock(cache).insert(key.clone(), Arc::clone(&routine), routine.charged());
            Ok(routine)
        }
        Err(reason) => {
            profile.refused(&reason);
            tracing::debug!(%key, %reason, "not compiled");
            lock(cache).refuse(key.clone(), reason.clone());
            Err(reason)
        }
    }
}

fn compile(
    compiler: &mut Compiler,
    key: &RoutineKey,
    program: Option<&Arc<KnownProgram>>,
    profile: &Profile,
) -> Result<AnyRoutine, CompileError> {
    let program = || program.expect("the key of a shader comes with its program");
    match key {
        RoutineKey::Vertex(key) => compile_vertex(compiler, key, program(), profile).map(AnyRoutine::Vertex),
        RoutineKey::Geometry(key) => {
            compile_geometry(compiler, key, program(), profile).map(AnyRoutine::Geometry)
        }
        RoutineKey::Fragment(key) => {
            compile_fragment(compiler, key).map(|routine| AnyRoutine::Fragment(Arc::new(routine)))
        }
    }
}

fn compile_vertex(
    compiler: &mut Compiler,
    key: &VertexKey,
    program: &KnownProgram,
    profile: &Profile,
) -> Result<VertexRoutine, CompileError> {
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
    VertexRoutine::new(code, key.inputs, components, key.arithmetic, facts, next_id())
}

fn compile_geometry(
    compiler: &mut Compiler,
    key: &GeometryKey,
    program: &KnownProgram,
    profile: &Profile,
) -> Result<GeometryRoutine, CompileError> {
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
    GeometryRoutine::new(code, facts.expect("the function was built"), next_id())
}

fn compile_fragment(compiler: &mut Compiler, key: &FragmentKey) -> Result<FragmentRoutine, CompileError> {
    compiler.allocate_quickly(false)?;
    let mut facts = None;
    let code = compiler.define(&key.to_string(), |func, context, isa| {
        facts = Some(fragment::build(key, func, context, isa));
        Ok(())
    })?;
    FragmentRoutine::new(code, facts.expect("the function was built"))
}

/// Whether so many values cross so many nodes, or so many words were unrolled, that careful register
/// allocation would take long. The programs of `benches`, unrolled, are far from it.
fn is_tangled(graph: &Graph) -> bool {
    let nodes = graph.nodes.len();
    let words: u32 = graph.nodes.iter().map(Node::words).sum();
    nodes > 64 || words > 320 || graph.cyclic && nodes > 16
}

fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
