//! `picaflor diff` of a capture of the GE.

use crate::cli::capture::{Named, load};
use crate::cli::diff::compared::{Compared, Held, Smaller, Task};
use crate::cli::diff::progress_bar;
use crate::cli::{CliError, cache};
use crate::ge::engine::{self, Work};
use crate::ge::lockstep::{Difference, Findings, Options, compare_with};
use crate::ge::reproduce::{Candidate, reproduce};
use crate::html;
use crate::image::Panels;
use picaflor_jit::DiskStats;
use picaflor_pipeline::ge::capture::{Capture, format};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A capture that was compared.
struct Ge<'a> {
    capture: Capture,
    candidate: Candidate<'a>,
    findings: Findings,
    work: Work,
}

/// Compares a capture.
pub(super) fn compared<'a>(held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError> {
    let Named { name, capture } = load::<crate::ge::Ge>(&task.source, task.reading())?;
    let candidate = Candidate { engine: held.engine, setup: held.setup, threads: task.threads };
    let mut reference = engine::by_name(engine::NAMES[0]).map_err(CliError::new)?;
    let mut engine = engine::with_setup(candidate.engine, candidate.setup).map_err(CliError::new)?;
    let options = Options { threads: task.threads, steps: held.steps };
    let bar = progress_bar(capture.events.len() as u64, &name);
    let findings = compare_with(&capture, [reference.as_mut(), &mut engine], options, &|| bar.inc(1));
    bar.finish_and_clear();
    let findings = findings.map_err(|why| CliError::new(format!("cannot use `{name}`: {why}")))?;
    Ok(Box::new(Ge { capture, candidate, findings, work: engine.work() }))
}

impl Compared for Ge<'_> {
    fn kind(&self) -> &'static str {
        "GE"
    }

    fn is_same(&self) -> bool {
        self.findings.is_same()
    }

    fn counts(&self) -> [u64; 3] {
        [self.findings.points, self.findings.surfaces, self.findings.bytes]
    }

    fn differing(&self) -> u64 {
        self.findings.differences.len() as u64 + self.findings.more
    }

    fn compiled(&self) -> String {
        format!("{}/{}", self.work.compiled, self.work.asked)
    }

    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.findings.differences.iter().map(describe).collect();
        if self.findings.more > 0 {
            lines.push(format!("{} more differences", self.findings.more));
        }
        lines.extend(self.notes());
        lines
    }

    fn pictures(&self) -> Vec<&Panels> {
        self.findings.differences.iter().filter_map(|difference| difference.picture.as_ref()).collect()
    }

    fn disk(&self) -> DiskStats {
        self.work.disk
    }

    fn details(&self) -> Map<String, Value> {
        let Findings { lists, draws, points, surfaces, bytes, more, notes, times, .. } = &self.findings;
        let seconds = times.map(|time| time.as_secs_f64());
        let details = json!({
            "machine": self.kind(),
            "lists": lists,
            "draws": draws,
            "points": points,
            "surfaces": surfaces,
            "bytes": bytes,
            "engines": [
                { "engine": engine::NAMES[0], "seconds": seconds[0] },
                {
                    "engine": self.candidate.engine,
                    "seconds": seconds[1],
                    "states": self.work.asked,
                    "compiled": self.work.compiled,
                    "not_compiled": self.work.refusals,
                    "interpreted_tiles": self.work.interpreted_tiles,
                    "cache": cache::as_json(&self.work.disk),
                },
            ],
            "differences": self.findings.differences.iter().map(difference_as_json).collect::<Vec<_>>(),
            "more_differences": more,
            "notes": notes,
        });
        details.as_object().cloned().unwrap_or_default()
    }

    fn entry(&self, name: &str) -> html::Entry {
        let findings = &self.findings;
        html::Entry {
            name: name.to_owned(),
            kind: self.kind(),
            is_same: self.is_same(),
            draws: findings.draws,
            points: findings.points,
            bytes: findings.bytes,
            compiled: format!("{} states", self.compiled()),
            nouns: ["primitives", "pixels"],
            about_pictures: "Buffers are shown from their first pixel on, 480 by 272, as the screen would.",
            found: findings.into(),
            screens: findings.screens.clone(),
            steps: findings.steps.iter().map(|step| step.at(ToString::to_string)).collect(),
            notes: self.notes(),
            reproducer: None,
        }
    }

    fn smaller(&self, time: Duration) -> Option<Smaller> {
        let first = self.findings.differences.first()?;
        let small = reproduce(&self.capture, self.candidate, first.place, time)?;
        Some(Smaller {
            bytes: format::write(&small.capture),
            events: small.capture.events.len(),
            found: (&small.findings).into(),
            routines: small.routines,
        })
    }
}

impl Ge<'_> {
    /// What was not compiled, lists that were given up, and what the guest did wrong.
    fn notes(&self) -> Vec<String> {
        let Work { refusals, interpreted_tiles, .. } = &self.work;
        let refused = refusals.iter().map(|(why, count)| format!("not compiled {count} times: {why}"));
        let mut notes: Vec<String> = refused.collect();
        if *interpreted_tiles > 0 {
            notes.push(format!("{interpreted_tiles} tiles of pixels were interpreted"));
        }
        notes.extend(self.findings.notes.iter().cloned());
        notes
    }
}

pub(super) fn describe(Difference { place, surface, bytes, what, .. }: &Difference) -> String {
    format!("{place}: {surface}: {bytes} bytes differ, first {what}")
}

fn difference_as_json(Difference { place, surface, bytes, what, .. }: &Difference) -> Value {
    json!({
        "frame": place.frame,
        "event": place.event,
        "draw": place.draw,
        "at": place.to_string(),
        "surface": surface,
        "bytes": bytes,
        "first": what,
    })
}
