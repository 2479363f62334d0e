//! `picaflor bench --first-frames`: the start of an engine that compiles in the background.

use crate::cli::capture::Named;
use crate::cli::machine::Commands;
use crate::cli::table::Table;
use crate::replay::ReplayError;
use crate::timing::{FirstFrames, Frame, first_frames};
use serde_json::{Value, json};
use std::time::Duration;

/// New engines for each row. The scheduler may take the processor away from a draw that has just woken a compile
/// thread; with several tries this effect does not hide the best case.
const ENGINES: usize = 5;

/// New engines on a number of threads.
pub(super) struct Row {
    threads: usize,
    /// The result of the engine with the shortest longest wait.
    first: FirstFrames,
    /// The longest wait of all engines.
    worst_wait: Duration,
}

pub(super) fn rows<M: Commands>(named: &Named<M>, threads: &[usize]) -> Result<Vec<Row>, ReplayError> {
    threads.iter().map(|&threads| row(named, threads)).collect()
}

fn row<M: Commands>(named: &Named<M>, threads: usize) -> Result<Row, ReplayError> {
    let mut best = first_frames::<M>(&named.capture, threads)?;
    let mut worst_wait = best.stats.longest_lookup;
    for _ in 1..ENGINES {
        let other = first_frames::<M>(&named.capture, threads)?;
        worst_wait = worst_wait.max(other.stats.longest_lookup);
        if other.stats.longest_lookup < best.stats.longest_lookup {
            best = other;
        }
    }
    Ok(Row { threads, first: best, worst_wait })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

impl Row {
    pub(super) fn cells(&self, name: &str) -> Vec<String> {
        let stats = &self.first.stats;
        let [first, last] = [self.first.frames.first(), self.first.frames.last()];
        let [first, last] = [first, last].map(|frame| frame.copied().unwrap_or_default());
        vec![
            name.into(),
            self.threads.to_string(),
            format!("{:.1}", us(self.first.first_wait)),
            format!("{:.1}", us(stats.longest_lookup)),
            format!("{:.1}", us(self.worst_wait)),
            format!("{:.2}", ms(stats.compile_time_max)),
            format!("{:.1}", ms(stats.compile_time)),
            stats.compiles.to_string(),
            self.first.until_steady.map_or_else(|| "never".into(), |frames| frames.to_string()),
            first.interpreted_batches.to_string(),
            first.interpreted_tiles.to_string(),
            format!("{:.1}", ms(first.time)),
            format!("{:.1}", ms(last.time)),
        ]
    }
}

/// A table without rows.
pub(super) fn table() -> Table {
    Table::new(&[
        "capture",
        "threads",
        "wait us, frame 1",
        "all",
        "worst engine",
        "compile ms, longest",
        "all",
        "routines",
        "frames until steady",
        "interpreted in frame 1: batches",
        "tiles",
        "ms, frame 1",
        "last",
    ])
}

pub(super) fn document<M: Commands>(named: &Named<M>, rows: &[Row]) -> Value {
    let (key, kind) = M::kind(&named.capture);
    let rows: Vec<_> = rows.iter().map(row_document).collect();
    json!({
        "capture": named.name,
        key: kind,
        "first_frames": rows,
    })
}

fn row_document(row: &Row) -> Value {
    let stats = &row.first.stats;
    let frame = |frame: &Frame| {
        json!({
            "ms": ms(frame.time),
            "interpreted_batches": frame.interpreted_batches,
            "interpreted_tiles": frame.interpreted_tiles,
        })
    };
    json!({
        "threads": row.threads,
        "frames_until_steady": row.first.until_steady,
        "frames": row.first.frames.iter().map(frame).collect::<Vec<_>>(),
        "routines": stats.compiles,
        "compile_ms": ms(stats.compile_time),
        "longest_compile_ms": ms(stats.compile_time_max),
        "longest_wait_us": us(stats.longest_lookup),
        "longest_wait_of_all_engines_us": us(row.worst_wait),
        "longest_wait_of_first_frame_us": us(row.first.first_wait),
    })
}
