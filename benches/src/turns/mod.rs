//! Two builds of `picaflor`, measured in turns: `picaflor bench … --json` of each, alternately, so that other load of
//! the machine affects both alike.
//!
//! * [`Figures`]: the times of one build in one row;
//! * [`Comparison`]: the rows of a workload, both builds;
//! * [`table`]: their rows as text and as JSON.

mod figures;
pub mod table;

pub use figures::{Figures, RowKey, Tally, parse};

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Seconds that `picaflor bench` spends on a row, and the threads of the rows.
#[derive(Debug, Clone)]
pub struct Effort {
    /// Turns of each build.
    pub rounds: usize,
    /// Seconds for each row of a turn.
    pub seconds: f64,
    /// Numbers of threads, with commas between them.
    pub threads: String,
}

/// The builds that are compared.
#[derive(Debug, Clone)]
pub struct Builds {
    /// `picaflor` before.
    pub old: PathBuf,
    /// `picaflor` now.
    pub new: PathBuf,
}

/// A workload on both builds.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// File or name of a scene.
    pub workload: String,
    /// The rows that at least one build has: old, new.
    pub rows: BTreeMap<RowKey, [Option<Figures>; 2]>,
    /// Milliseconds in which the file was read and decoded, before any replay; `None` for a build that does not say.
    pub decode_ms: [Option<f64>; 2],
    /// Messages of turns that failed.
    pub failures: Vec<String>,
}

/// Measures a workload: old, new, new, old, old, new, and so on.
#[must_use]
pub fn compare(workload: &str, builds: &Builds, effort: &Effort) -> Comparison {
    let binaries = [&builds.old, &builds.new];
    let mut tallies = [Tally::default(), Tally::default()];
    let mut comparison = Comparison { workload: workload.into(), ..Comparison::default() };
    for round in 0..effort.rounds {
        for build in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            match turn(binaries[build], workload, effort) {
                Ok(turn) => tallies[build].add(&turn),
                Err(why) => comparison.failures.push(format!("{}: {why}", binaries[build].display())),
            }
        }
    }
    for (build, tally) in tallies.iter().enumerate() {
        comparison.decode_ms[build] = tally.decode_ms;
        for (key, figures) in tally.figures() {
            comparison.rows.entry(key).or_default()[build] = Some(figures);
        }
    }
    comparison
}

/// One run of `picaflor bench`.
fn turn(binary: &Path, workload: &str, effort: &Effort) -> Result<figures::Turn, Box<dyn Error>> {
    let output = Command::new(binary)
        .args(["bench", workload, "--engine", "jit", "--json"])
        .args(["--threads", &effort.threads, "--seconds", &effort.seconds.to_string()])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned().into());
    }
    parse(&output.stdout)
}
