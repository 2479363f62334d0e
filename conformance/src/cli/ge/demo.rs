//! The GE's scenes in `picaflor demo`.

use super::diff::describe;
use crate::cli::CliError;
use crate::cli::demo::{self, milliseconds};
use crate::cli::table::thousands;
use crate::ge::lockstep::{Findings, compare};
use crate::ge::{Ge, engine};
use crate::image::{Image, Panels};
use crate::machine::{Machine as _, Reading, SceneName};
use indicatif::ProgressBar;
use picaflor_interp::Interpreter;
use picaflor_jit::{DiskStats, Stats};
use serde_json::{Value, json};

/// A scene that was rendered.
struct Shown {
    findings: Findings,
    /// What the engine did.
    work: Stats,
}

/// Draws a scene on both engines.
pub(super) fn shown(scene: SceneName, bar: &ProgressBar) -> Result<Box<dyn demo::Shown>, CliError> {
    let capture = Ge::scene(scene.name, Reading::default());
    let capture = capture.ok_or_else(|| CliError::new(Ge::no_scene(scene.name)))?;
    let mut engine = engine::compiled().map_err(CliError::new)?;
    let engines = [&mut Interpreter::new() as _, &mut engine as _];
    let fail = |why| CliError::new(format!("scene `{}{}`: {why}", Ge::PREFIX, scene.name));
    let findings = compare(&capture, engines, &|| bar.tick()).map_err(fail)?;
    Ok(Box::new(Shown { findings, work: engine.stats() }))
}

impl demo::Shown for Shown {
    fn is_same(&self) -> bool {
        self.findings.is_same()
    }

    fn picture(&self) -> Option<&Image> {
        self.findings.picture()
    }

    fn differences(&self) -> Vec<&Panels> {
        self.findings.differences.iter().filter_map(|difference| difference.picture.as_ref()).collect()
    }

    fn disk(&self) -> DiskStats {
        DiskStats::default()
    }

    fn cells(&self) -> Vec<String> {
        let stats = &self.findings.stats;
        let counts = [stats.draws, stats.vertices, stats.primitives, stats.covered].map(thousands);
        let times = self.findings.times.map(milliseconds);
        let verdict = if self.is_same() { "same" } else { "DIFFERS" };
        [counts.to_vec(), times.into(), vec![self.work.fragment_draws.to_string(), verdict.into()]].concat()
    }

    fn lines(&self) -> Vec<String> {
        let refused =
            self.work.refusals.iter().map(|(why, count)| format!("not compiled {count} times: {why}"));
        let differences = self.findings.differences.iter().map(describe);
        differences.chain(self.findings.notes.iter().cloned()).chain(refused).collect()
    }

    fn as_json(&self, picture: &str) -> Value {
        let Findings { stats, bytes, times, differences, .. } = &self.findings;
        let seconds = times.map(|time| time.as_secs_f64());
        json!({
            "machine": "GE",
            "picture": picture,
            "draws": stats.draws,
            "vertices": stats.vertices,
            "primitives": stats.primitives,
            "pixels": stats.covered,
            "bytes_compared": bytes,
            "engines": [
                { "engine": "interp", "seconds": seconds[0] },
                { "engine": "jit", "seconds": seconds[1], "compiled_draws": self.work.fragment_draws,
                  "refused": self.work.refusals },
            ],
            "same": self.is_same(),
            "differences": differences.iter().map(describe).collect::<Vec<_>>(),
        })
    }
}
