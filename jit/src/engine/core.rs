//! Core of an engine: routines and the interpreter, independent of the machine.

use super::mode::Variant;
use crate::code::fp_mode;
use crate::code::memory::Arena;
use crate::cpu_level::CpuLevel;
use crate::error::CompileError;
use crate::fallback::Fallback;
use crate::kind::RoutineKind;
use crate::profile::Profile;
use crate::routines::Routines;
use crate::stats::Stats;
use crate::texture_cache::TextureStats;
use crate::tracer::Tracer;
use picaflor_interp::Interpreter;
use std::sync::Arc;

/// State shared by the machines.
#[derive(Debug)]
pub(crate) struct Core {
    /// Variant of shader code that runs first.
    pub(crate) variant: Variant,
    /// Features of the processor that may be used.
    pub(crate) cpu: CpuLevel,
    /// Permission to use the interpreter as fallback.
    pub(super) fallback: bool,
    pub(crate) interpreter: Interpreter,
    /// `None` for an engine that only interprets.
    pub(super) routines: Option<Routines>,
    pub(super) arena: Arc<Arena>,
    pub(crate) profile: Arc<Profile>,
    pub(crate) tracer: Tracer,
}

impl Core {
    /// True for an engine that compiles.
    pub(crate) const fn compiles(&self) -> bool {
        self.routines.is_some()
    }

    /// The routine of a key, for work that the interpreter would need so many `nanoseconds` for, about; `None` while it is
    /// being made; the refusal otherwise. In the background mode the routine is made or waited for when the interpreter's
    /// time with this key comes to what compiling takes; a wait ends when the run of the work `is_stopping`.
    pub(crate) fn find<K: RoutineKind>(
        &mut self,
        key: &K,
        source: &K::Source,
        mut nanoseconds: impl FnMut() -> u64,
        is_stopping: &dyn Fn() -> bool,
    ) -> Result<Option<Arc<K::Routine>>, CompileError> {
        let Some(routines) = &mut self.routines else { return Ok(None) };
        match routines.find(key, source, &mut nanoseconds)? {
            Some(routine) => Ok(Some(routine)),
            None => routines.weigh(key, source, nanoseconds(), is_stopping),
        }
    }

    /// A number that changes when a routine is replaced by a better one: routines that were found before may be old.
    pub(crate) fn generation(&self) -> u64 {
        self.routines.as_ref().map_or(0, Routines::generation)
    }

    /// Makes a routine synchronously, replacing an existing one, and caches it.
    ///
    /// # Errors
    /// The refusal; [`CompileError::Host`] for an engine that only interprets.
    pub(crate) fn make_now<K: RoutineKind>(
        &mut self,
        key: &K,
        source: &K::Source,
    ) -> Result<Arc<K::Routine>, CompileError> {
        let Some(routines) = &mut self.routines else {
            return Err(CompileError::Host("this engine only interprets".into()));
        };
        routines.make_now(key, source)
    }

    /// Fallback: runs a batch with the interpreter and counts it; returns false if the fallback is off.
    pub(crate) fn interpret(&mut self, batch: impl FnOnce(&mut Interpreter)) -> bool {
        if self.fallback {
            self.profile.interpreted();
            fp_mode::ieee(|| batch(&mut self.interpreter));
        }
        self.fallback
    }

    /// The interpreter's routine as a fallback, with this engine's permission.
    pub(crate) fn fallback<T: ?Sized>(&self, interpreter: Arc<T>) -> Fallback<T> {
        Fallback { interpreter, allowed: self.fallback, profile: Arc::clone(&self.profile) }
    }

    /// An interpreter's routine that draws in every mode, for traces.
    pub(crate) fn always<T: ?Sized>(&self, interpreter: Arc<T>) -> Fallback<T> {
        Fallback { interpreter, allowed: true, profile: Arc::clone(&self.profile) }
    }

    /// Waits until all queued compilations are finished.
    pub(crate) fn wait(&self) {
        if let Some(routines) = &self.routines {
            routines.wait();
        }
    }

    /// All counters.
    pub(crate) fn stats(&self, textures: TextureStats) -> Stats {
        let routines = self.routines.as_ref();
        Stats {
            code_bytes: self.arena.used(),
            live_routines: self.arena.regions(),
            evictions: routines.map_or(0, Routines::evictions),
            disk: routines.map(Routines::disk_stats).unwrap_or_default(),
            textures,
            ..self.profile.stats()
        }
    }

    /// The routines of an engine that compiles.
    #[cfg(test)]
    pub(crate) fn routines(&self) -> &Routines {
        self.routines.as_ref().expect("an engine that compiles")
    }
}
