//! `picaflor diff` of a capture of the PICA200.

use crate::cli::capture::{Named, load};
use crate::cli::diff::compared::{Compared, Held, Smaller, Task, verdict};
use crate::cli::diff::progress_bar;
use crate::cli::{CliError, cache};
use crate::html;
use crate::image::Panels;
use crate::pica::lockstep::{self, Comparison, Difference, Options, Side};
use crate::pica::precision_name;
use crate::pica::reproduce::reproduce;
use crate::replay::ReplayError;
use picaflor_jit::DiskStats;
use picaflor_pipeline::capture::Capture;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A capture that was compared.
struct Pica<'a> {
    capture: Capture,
    engines: [&'a str; 2],
    options: Options<'a>,
    comparison: Comparison,
}

/// Compares a capture.
pub(super) fn compared<'a>(held: Held<'a>, task: &Task) -> Result<Box<dyn Compared + 'a>, CliError> {
    let Named { name, capture } = load::<crate::pica::Pica>(&task.source, task.reading())?;
    let engines = ["interp", held.engine];
    let options = Options {
        cache: held.setup.cache,
        dumps: None,
        defect: held.setup.defect,
        threads: task.threads,
        steps: held.steps,
    };
    let bar = progress_bar(capture.events.len() as u64, &name);
    let comparison = lockstep::compare_with(&capture, engines, options, &|| bar.inc(1));
    bar.finish_and_clear();
    let fail = |why: ReplayError| CliError::new(format!("cannot use `{name}`: {why}"));
    let comparison = comparison.map_err(fail)?;
    Ok(Box::new(Pica { capture, engines, options, comparison }))
}

impl Compared for Pica<'_> {
    fn kind(&self) -> &'static str {
        precision_name(self.capture.precision)
    }

    fn is_same(&self) -> bool {
        self.comparison.is_same()
    }

    fn counts(&self) -> [u64; 3] {
        let findings = &self.comparison.findings;
        [findings.points, findings.surfaces, findings.bytes]
    }

    fn differing(&self) -> u64 {
        differing(&self.comparison)
    }

    fn compiled(&self) -> String {
        compiled(&self.comparison.candidate)
    }

    fn lines(&self) -> Vec<String> {
        lines(&self.comparison)
    }

    fn pictures(&self) -> Vec<&Panels> {
        self.comparison.findings.differences.iter().filter_map(|found| found.picture.as_ref()).collect()
    }

    fn disk(&self) -> DiskStats {
        self.comparison.candidate.disk
    }

    fn details(&self) -> Map<String, Value> {
        let Comparison { reference, candidate, findings } = &self.comparison;
        let details = json!({
            "precision": self.kind(),
            "points": findings.points,
            "surfaces": findings.surfaces,
            "bytes": findings.bytes,
            "engines": [side_as_json(reference), side_as_json(candidate)],
            "differences": differences_as_json(&self.comparison),
            "more_differences": findings.more,
        });
        details.as_object().cloned().unwrap_or_default()
    }

    fn entry(&self, name: &str) -> html::Entry {
        let Comparison { reference, candidate, findings } = &self.comparison;
        html::Entry {
            name: name.to_owned(),
            kind: self.kind(),
            is_same: self.is_same(),
            draws: candidate.stats.draws,
            points: findings.points,
            bytes: findings.bytes,
            compiled: format!("{} batches", self.compiled()),
            nouns: ["triangles", "fragments"],
            about_pictures: "Buffers are shown as they lie in memory: the screens of the console stand on \
                             their side.",
            found: findings.into(),
            screens: [reference.picture.clone(), candidate.picture.clone()],
            steps: findings.steps.iter().map(|step| step.at(ToString::to_string)).collect(),
            notes: notes(candidate),
            reproducer: None,
        }
    }

    fn smaller(&self, time: Duration) -> Option<Smaller> {
        let first = self.comparison.findings.differences.first()?;
        let small = reproduce(&self.capture, self.engines, self.options, first.place, time)?;
        Some(Smaller {
            bytes: small.capture.to_bytes(),
            events: small.capture.events.len(),
            found: (&small.comparison.findings).into(),
            routines: small.routines,
        })
    }
}

/// Batches that compiled code served, of all.
pub(super) fn compiled(side: &Side) -> String {
    format!("{}/{}", side.batches.compiled, side.batches.total())
}

fn differing(comparison: &Comparison) -> u64 {
    comparison.findings.differences.len() as u64 + comparison.findings.more
}

/// Whether both engines agree, in words.
pub(super) fn verdict_on(comparison: &Comparison) -> String {
    verdict(differing(comparison))
}

/// The differences of a capture, who else shaded, and what the guest did wrong.
pub(super) fn lines(comparison: &Comparison) -> Vec<String> {
    let findings = &comparison.findings;
    let mut lines: Vec<String> = findings.differences.iter().map(describe_difference).collect();
    if findings.more > 0 {
        lines.push(format!("{} more differences", findings.more));
    }
    lines.extend(notes(&comparison.candidate));
    lines
}

/// What was not compiled, lists that were given up, and what the guest did wrong.
fn notes(side: &Side) -> Vec<String> {
    let Side { batches, faults, given_up, .. } = side;
    let mut lines: Vec<String> = Vec::new();
    lines.extend(batches.others.iter().map(|(why, count)| format!("{count} batches not compiled ({why})")));
    if batches.interpreted_tiles > 0 {
        lines.push(format!("{} tiles of fragments were interpreted", batches.interpreted_tiles));
    }
    lines.extend(given_up.iter().map(|why| format!("given up: {why}")));
    lines.extend(faults.as_slice().iter().map(|fault| format!("fault: {fault}")));
    if faults.dropped() > 0 {
        lines.push(format!("{} more faults", faults.dropped()));
    }
    lines
}

fn describe_difference(difference: &Difference) -> String {
    let Difference { place, surface, bytes, what, .. } = difference;
    format!("{place}: {surface}: {bytes} bytes differ, first {what}")
}

pub(super) fn side_as_json(side: &Side) -> Value {
    json!({
        "engine": side.engine,
        "seconds": side.time.as_secs_f64(),
        "batches": side.batches.total(),
        "compiled": side.batches.compiled,
        "not_compiled": side.batches.others,
        "interpreted_tiles": side.batches.interpreted_tiles,
        "given_up": side.given_up,
        "cache": cache::as_json(&side.disk),
        "faults": side.faults.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

pub(super) fn differences_as_json(comparison: &Comparison) -> Value {
    let difference = |Difference { place, surface, bytes, what, .. }: &Difference| {
        json!({
            "frame": place.frame,
            "event": place.event,
            "draw": place.draw,
            "at": place.to_string(),
            "surface": surface,
            "bytes": bytes,
            "first": what,
        })
    };
    comparison.findings.differences.iter().map(difference).collect()
}
