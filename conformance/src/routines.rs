//! Dumps of the routines that an engine compiled.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of routines.
const MOST_ROUTINES: usize = 12;

/// A compiled routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routine {
    /// Its key, as a file name.
    pub name: String,
    /// Its CLIF.
    pub clif: String,
    /// The machine instructions.
    pub instructions: String,
}

/// A temporary folder, removed on drop.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("picaflor-dumps-{}-{number}", std::process::id()));
        // A folder that exists already belongs to another process.
        fs::create_dir(&path).map(|()| Self(path))
    }

    /// The routines in the dump folder, at most twelve.
    pub(crate) fn routines(&self) -> io::Result<Vec<Routine>> {
        let paths = fs::read_dir(&self.0)?.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "clif")).collect();
        paths.sort();
        Ok(paths.iter().take(MOST_ROUTINES).filter_map(|path| routine(path)).collect())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that stays behind does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn routine(clif: &Path) -> Option<Routine> {
    Some(Routine {
        name: clif.file_stem()?.to_string_lossy().into_owned(),
        clif: fs::read_to_string(clif).ok()?,
        instructions: fs::read_to_string(clif.with_extension("vcode")).unwrap_or_default(),
    })
}
