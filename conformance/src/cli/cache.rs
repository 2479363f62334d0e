//! `--cache`: compiled routines kept on disk.

use super::plain_name;
use clap::builder::{PathBufValueParser, TypedValueParser};
use picaflor_jit::DiskStats;
use serde_json::{Value, json};
use std::path::PathBuf;

/// The option, for the subcommands that have it.
#[derive(Debug, clap::Args)]
pub(super) struct Cache {
    /// Folder in which compiled routines are kept for later runs; it must be trusted, because its content is executed
    #[arg(long = "cache", value_name = "DIR", value_parser = PathBufValueParser::new().try_map(folder))]
    pub(super) folder: Option<PathBuf>,
}

/// A folder that exists, or can be made.
fn folder(path: PathBuf) -> Result<PathBuf, String> {
    if path.exists() && !path.is_dir() { Err("it is no folder".into()) } else { Ok(path) }
}

impl Cache {
    /// Counters of the cache over several runs, as a line of text; empty without a cache. Failures go to standard
    /// error.
    pub(super) fn report(&self, stats: impl Iterator<Item = DiskStats>) -> String {
        let mut sum = DiskStats::default();
        stats.for_each(|stats| sum += stats);
        self.warn(&sum);
        match &self.folder {
            None => String::new(),
            Some(folder) => {
                let DiskStats { loaded, stored, .. } = sum;
                format!("{loaded} routines loaded from {}, {stored} stored there\n", plain_name(folder))
            }
        }
    }

    /// Prints failures of the cache on standard error.
    pub(super) fn warn(&self, stats: &DiskStats) {
        let Some(folder) = &self.folder else { return };
        let folder = plain_name(folder);
        for (count, what) in [
            (stats.damaged, "damaged files were ignored"),
            (stats.foreign, "files of something else were ignored"),
            (stats.errors, "files or folders could not be read, written or removed"),
        ] {
            if count > 0 {
                note!("picaflor: warning: cache {folder}: {count} {what}");
            }
        }
    }
}

/// The counters of an engine's cache.
pub(super) fn as_json(stats: &DiskStats) -> Value {
    json!({
        "loaded": stats.loaded,
        "load_seconds": stats.load_time.as_secs_f64(),
        "stored": stats.stored,
        "ignored": stats.damaged + stats.foreign,
        "errors": stats.errors,
    })
}
