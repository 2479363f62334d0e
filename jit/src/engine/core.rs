//! Core of an engine: routines and the interpreter, for whichever machine asks.

use super::mode::Variant;
use crate::code::fp_mode;
use crate::code::memory::Arena;
use crate::error::CompileError;
use crate::fallback::Fallback;
use crate::kind::RoutineKind;
use crate::profile::Profile;
use crate::routines::Routines;
use crate::stats::Stats;
use crate::texture_cache::TextureStats;
use picaflor_interp::Interpreter;
use std::sync::Arc;

/// What the machines share.
#[derive(Debug)]
pub(crate) struct Core {
    /// The form of shader code that runs first.
    pub(crate) variant: Variant,
    /// Whether the interpreter may stand in.
    pub(super) fallback: bool,
    pub(crate) interpreter: Interpreter,
    /// `None` where nothing is compiled.
    pub(super) routines: Option<Routines>,
    pub(super) arena: Arc<Arena>,
    pub(crate) profile: Arc<Profile>,
}

impl Core {
    /// Whether this engine compiles at all.
    pub(crate) const fn compiles(&self) -> bool {
        self.routines.is_some()
    }

    /// The routine of a key, `None` while it is being made, or why there is none.
    pub(crate) fn find<K: RoutineKind>(
        &mut self,
        key: &K,
        source: &K::Source,
    ) -> Result<Option<Arc<K::Routine>>, CompileError> {
        self.routines.as_mut().map_or(Ok(None), |routines| routines.find(key, source))
    }

    /// Makes a routine now, whether or not there is one, and keeps it.
    ///
    /// # Errors
    /// Why there is none; [`CompileError::Host`] where nothing is compiled.
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

    /// Has the interpreter do a batch, and counts it, where it may stand in; whether it may.
    pub(crate) fn interpret(&mut self, batch: impl FnOnce(&mut Interpreter)) -> bool {
        if self.fallback {
            self.profile.interpreted();
            fp_mode::ieee(|| batch(&mut self.interpreter));
        }
        self.fallback
    }

    /// An interpreter's routine where it may stand in.
    pub(crate) fn fallback<T: ?Sized>(&self, interpreter: Arc<T>) -> Fallback<T> {
        Fallback { interpreter, allowed: self.fallback, profile: Arc::clone(&self.profile) }
    }

    /// Waits until everything that was ordered in the background has been compiled.
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
