//! Persistent cache of compiled routines: routines compiled by one process are loaded by later ones.
//!
//! [`entry`] is the file layout, [`folder`] the storage and its removal policy, [`identity`] the inputs of code
//! generation besides the key, [`stored`] the conversion between routines and entries. A file is used only if it is
//! complete and was written for this key by the same version of this crate for the same target. In every other case
//! the routine is compiled as without a cache: no failure here is an error for the caller.
//!
//! Code of an accepted file is executed. The hash detects damage, not malice: write access to the folder is
//! equivalent to arbitrary code execution in this process.

#[cfg(test)]
mod budget_tests;
mod entry;
mod folder;
mod identity;
mod stored;
#[cfg(test)]
mod tests;

use crate::stats::DiskStats;
use cranelift_codegen::isa::TargetIsa;
use entry::{Entry, Flaw, MAX_BYTES};
use folder::Folder;
use identity::Identity;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::hash::Hasher;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
pub(crate) use stored::Stored;

/// The cache of one engine, shared by its compile threads.
#[derive(Debug)]
pub(crate) struct DiskCache {
    folder: Folder,
    identity: Identity,
    counters: Counters,
    warned: AtomicBool,
}

#[derive(Debug, Default)]
struct Counters {
    loaded: AtomicU64,
    load_nanoseconds: AtomicU64,
    loaded_bytes: AtomicU64,
    stored: AtomicU64,
    stored_bytes: AtomicU64,
    damaged: AtomicU64,
    foreign: AtomicU64,
    removed: AtomicU64,
    errors: AtomicU64,
}

impl DiskCache {
    /// The cache in a folder, for code of one target. The folder need not exist; nothing is read or written
    /// before the first routine.
    pub(crate) fn new(path: &Path, budget: u64, isa: &dyn TargetIsa) -> Self {
        Self::with_identity(path, budget, Identity::of(isa))
    }

    fn with_identity(path: &Path, budget: u64, identity: Identity) -> Self {
        let folder = Folder::new(path, &identity.folder_name(), budget);
        Self { folder, identity, counters: Counters::default(), warned: AtomicBool::new(false) }
    }

    /// Calls `use_entry` with the entry of a key; `None` if there is no usable entry or `use_entry` rejects it.
    fn load<T>(&self, key: &[u8], use_entry: impl FnOnce(Entry<'_>) -> Result<T, Flaw>) -> Option<T> {
        let name = name(key);
        let bytes = match self.folder.read(name, MAX_BYTES) {
            Ok(bytes) => bytes?,
            Err(error) => {
                self.failed(&error);
                return None;
            }
        };
        let used = Entry::decode(&bytes, &self.identity, key).and_then(use_entry);
        used.map_err(|flaw| self.ignored(name, flaw)).ok()
    }

    fn store(&self, entry: &Entry<'_>) {
        let Some(bytes) = entry.encode(&self.identity) else { return };
        match self.folder.store(name(entry.key), &bytes) {
            Ok(removed) => {
                self.counters.stored.fetch_add(1, Relaxed);
                self.counters.stored_bytes.fetch_add(bytes.len() as u64, Relaxed);
                self.counters.removed.fetch_add(removed, Relaxed);
            }
            Err(error) => self.failed(&error),
        }
    }

    /// Counts a routine that was loaded in `time`.
    fn loaded(&self, entry: &Entry<'_>, time: Duration) {
        self.counters.loaded.fetch_add(1, Relaxed);
        self.counters.loaded_bytes.fetch_add(entry.size() as u64, Relaxed);
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.counters.load_nanoseconds.fetch_add(nanoseconds, Relaxed);
    }

    fn ignored(&self, name: u128, flaw: Flaw) {
        let file = self.folder.path(name);
        let (counter, why) = match flaw {
            Flaw::Damaged(why) => (&self.counters.damaged, why),
            Flaw::Foreign(why) => (&self.counters.foreign, why),
        };
        counter.fetch_add(1, Relaxed);
        tracing::warn!(file = %file.display(), why, "a routine on disk is ignored");
    }

    /// Logs the first failure only: later ones usually repeat it.
    fn failed(&self, error: &io::Error) {
        self.counters.errors.fetch_add(1, Relaxed);
        if !self.warned.swap(true, Relaxed) {
            let folder = self.folder.root().display();
            tracing::warn!(%folder, %error, "the cache of routines does not work; further failures are only counted");
        }
    }

    /// Current counters.
    pub(crate) fn stats(&self) -> DiskStats {
        let Counters {
            loaded,
            load_nanoseconds,
            loaded_bytes,
            stored,
            stored_bytes,
            damaged,
            foreign,
            removed,
            errors,
        } = &self.counters;
        DiskStats {
            loaded: loaded.load(Relaxed),
            load_time: Duration::from_nanos(load_nanoseconds.load(Relaxed)),
            loaded_bytes: loaded_bytes.load(Relaxed),
            stored: stored.load(Relaxed),
            stored_bytes: stored_bytes.load(Relaxed),
            damaged: damaged.load(Relaxed),
            foreign: foreign.load(Relaxed),
            removed: removed.load(Relaxed),
            errors: errors.load(Relaxed),
        }
    }
}

/// File name of a key. Two keys with the same name evict each other.
fn name(key: &[u8]) -> u128 {
    u128::from_be_bytes(hash128(key))
}

fn hash128(bytes: &[u8]) -> [u8; 16] {
    hash128_of(&[bytes])
}

/// Hash of the concatenated parts.
fn hash128_of(parts: &[&[u8]]) -> [u8; 16] {
    let mut hasher = SipHasher13::new();
    parts.iter().for_each(|part| hasher.write(part));
    hasher.finish128().as_bytes()
}
