//! Loading and storing of routines.

use super::DiskCache;
use super::entry::{Entry, Flaw};
use crate::code::compile::Compiler;
use crate::error::CompileError;
use crate::kind::RoutineKind;
use std::time::Instant;

/// Flaw of facts that are invalid although the hash of their file is right.
const NO_FACTS: Flaw = Flaw::Damaged("its facts are invalid");

/// A routine from disk.
#[derive(Debug)]
pub(crate) struct Stored<R> {
    pub(crate) routine: R,
    /// See [`Entry::is_draft`].
    pub(crate) is_draft: bool,
}

impl DiskCache {
    /// The stored routine of a key, if any; drafts only for an engine that takes them.
    ///
    /// # Errors
    /// [`CompileError::BudgetExceeded`] when there is no room for its code.
    pub(crate) fn load_routine<K: RoutineKind>(
        &self,
        compiler: &Compiler,
        key: &K,
        source: &K::Source,
        takes_drafts: bool,
    ) -> Result<Option<Stored<K::Routine>>, CompileError> {
        let start = Instant::now();
        let Some(key_bytes) = key.stored_key(source) else { return Ok(None) };
        let loaded = self.load(&key_bytes, |entry| {
            let is_draft = entry.is_draft;
            if is_draft && !takes_drafts {
                return Ok(None);
            }
            let code = || compiler.load(&key.to_string(), entry.code);
            let routine = key.load(entry.facts, code).transpose().ok_or(NO_FACTS)?;
            if routine.is_ok() {
                self.loaded(&entry, start.elapsed());
            }
            Ok(Some(routine.map(|routine| Stored { routine, is_draft })))
        });
        loaded.flatten().transpose()
    }

    /// Stores a newly compiled routine.
    pub(crate) fn store_routine<K: RoutineKind>(
        &self,
        key: &K,
        source: &K::Source,
        Stored { routine, is_draft }: Stored<&K::Routine>,
    ) {
        let Some(key) = key.stored_key(source) else { return };
        self.store(&Entry { key: &key, facts: &K::store(routine), code: K::code(routine).bytes(), is_draft });
    }
}
