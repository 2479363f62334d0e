//! Loading and storing of routines.

use super::DiskCache;
use super::entry::{Entry, Flaw};
use crate::code::compile::Compiler;
use crate::error::CompileError;
use crate::kind::RoutineKind;
use std::time::Instant;

/// Flaw of facts that are invalid although the hash of their file is right.
const NO_FACTS: Flaw = Flaw::Damaged("its facts are invalid");

impl DiskCache {
    /// The stored routine of a key, if any.
    ///
    /// # Errors
    /// [`CompileError::BudgetExceeded`] when there is no room for its code.
    pub(crate) fn load_routine<K: RoutineKind>(
        &self,
        compiler: &Compiler,
        key: &K,
        source: &K::Source,
    ) -> Result<Option<K::Routine>, CompileError> {
        let start = Instant::now();
        let Some(key_bytes) = key.stored_key(source) else { return Ok(None) };
        let loaded = self.load(&key_bytes, |entry| {
            let code = || compiler.load(&key.to_string(), entry.code);
            let routine = key.load(entry.facts, code).transpose().ok_or(NO_FACTS)?;
            if routine.is_ok() {
                self.loaded(&entry, start.elapsed());
            }
            Ok(routine)
        });
        loaded.transpose()
    }

    /// Stores a newly compiled routine.
    pub(crate) fn store_routine<K: RoutineKind>(&self, key: &K, source: &K::Source, routine: &K::Routine) {
        let Some(key) = key.stored_key(source) else { return };
        self.store(&Entry { key: &key, facts: &K::store(routine), code: K::code(routine).bytes() });
    }
}
