//! Announcement of routines to the profilers of the system: a [`PerfMap`], a [`JitDump`].

use super::jitdump::JitDump;
use super::routine::CodeBlock;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The enabled profilers.
#[derive(Debug, Default)]
pub(crate) struct Profilers {
    /// Lists every new routine.
    pub(crate) perf_map: Option<PerfMap>,
    /// Records every new routine, code included.
    pub(crate) jitdump: Option<Arc<JitDump>>,
}

impl Profilers {
    /// Announces a routine to the profilers.
    pub(super) fn show(&self, code: &CodeBlock) {
        let map = self.perf_map.as_ref().map(|map| map.record(code));
        let dump = self.jitdump.as_ref().map(|dump| dump.record(code));
        for error in [map, dump].into_iter().flatten().filter_map(Result::err) {
            tracing::warn!(%error, "a profiler file could not be written");
        }
    }
}

/// Map of names that `perf report` reads for code without a file: lines of start, size (hexadecimal) and name. A
/// reused address has several lines. `perf` uses the map for anonymous memory, that is for code under
/// `MappingScheme::Protect`, and not for memory files.
#[derive(Debug)]
pub(crate) struct PerfMap {
    file: Mutex<File>,
}

impl PerfMap {
    /// Path of this process's map, which `perf` expects in `/tmp` regardless of the environment.
    pub(crate) fn standard_path() -> PathBuf {
        let directory = if cfg!(unix) { PathBuf::from("/tmp") } else { std::env::temp_dir() };
        directory.join(format!("perf-{}.map", std::process::id()))
    }

    /// Appends to `path`: other code generators of this process may have lines in it.
    ///
    /// # Errors
    /// The error of the system.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { file: Mutex::new(file) })
    }

    /// Adds a line, in one write so that lines of different writers do not mix.
    fn record(&self, code: &CodeBlock) -> io::Result<()> {
        let mut line = String::new();
        let name = code.name().replace(['\n', '\r'], " ");
        // Writing to a string cannot fail.
        let _ = writeln!(line, "{:x} {:x} {name}", code.entry() as usize, code.size());
        self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::compile::tests::{compiler, store};

    #[test]
    fn the_perf_map_names_every_routine() {
        let path = std::env::temp_dir().join(format!("picaflor-perf-map-test-{}", std::process::id()));
        let profilers = Profilers { perf_map: Some(PerfMap::open(&path).unwrap()), jitdump: None };
        let mut compiler = compiler().shown_to(Arc::new(profilers));
        let routines: Vec<_> = (0..3).map(|value| store(&mut compiler, value, 10).unwrap()).collect();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let expected: Vec<_> = routines
            .iter()
            .map(|routine| routine.code())
            .map(|code| format!("{:x} {:x} {}", code.entry() as usize, code.size(), code.name()))
            .collect();
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
