//! The result of a comparison as `diff` shows it, generic over the machine.

use super::progress_bar;
use crate::cli::CliError;
use crate::cli::capture::load;
use crate::cli::machine::Commands;
use crate::cli::source::Source;
use crate::html;
use crate::image::Panels;
use crate::inspect::{Inspector as _, Program, Session};
use crate::lockstep::{self, Comparison, Difference, Moment, Options};
use crate::machine::{Counters as _, Machine, Precision, Reading};
use crate::replay::ReplayError;
use crate::reproduce::reproduce;
use crate::routines::Routine;
use crate::setup::Setup;
use picaflor_jit::DiskStats;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// A capture to compare, with its options.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) source: Source,
    pub(crate) precision: Option<Precision>,
    pub(crate) threads: usize,
}

impl Task {
    /// Options for reading its capture. On several threads the draws of a list overlap; on one, short lists locate a
    /// difference more precisely.
    pub(crate) const fn reading(&self) -> Reading {
        Reading { precision: self.precision, in_pieces: self.threads == 1 }
    }
}

/// The candidate of a comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Held<'a> {
    /// Name of the engine.
    pub(crate) engine: &'a str,
    /// Its construction.
    pub(crate) setup: Setup<'a>,
    /// True if every point is recorded, for a report.
    pub(crate) steps: bool,
    /// True if a difference is carried on.
    pub(crate) carry: bool,
}

/// A comparison of a capture, of whichever machine.
pub(crate) trait Compared {
    /// The precision, or the machine where there is only one.
    fn kind(&self) -> &'static str;

    /// True if there is no difference.
    fn is_same(&self) -> bool;

    /// Numbers of points, of compared surfaces and of their bytes.
    fn counts(&self) -> [u64; 3];

    /// Number of surfaces that differ.
    fn differing(&self) -> u64;

    /// Number of these that an earlier difference explains.
    fn carried(&self) -> u64;

    /// Share of the work that compiled code did.
    fn compiled(&self) -> String;

    /// Differences, work that was not compiled, and faults of the guest, line by line.
    fn lines(&self) -> Vec<String>;

    /// Pictures of the differences.
    fn pictures(&self) -> Vec<&Panels>;

    /// The candidate's counters of the disk cache.
    fn disk(&self) -> DiskStats;

    /// The JSON object of `--json`, without capture and verdict.
    fn details(&self) -> Map<String, Value>;

    /// The entry of the report.
    fn entry(&self, name: &str) -> html::Entry;

    /// Looks so long for a smaller capture that differs.
    fn smaller(&self, time: Duration) -> Option<Smaller>;
}

/// A finished comparison of one machine.
struct Done<'a, M: Machine> {
    capture: M::Capture,
    engines: [&'a str; 2],
    options: Options<'a>,
    comparison: Comparison<M>,
}

/// Compares a capture.
pub(in crate::cli) fn compare<'a, M: Commands>(
    held: Held<'a>,
    task: &Task,
) -> Result<Box<dyn Compared + 'a>, CliError> {
    let named = load::<M>(&task.source, task.reading())?;
    let engines = [M::ENGINES[0], held.engine];
    let options = Options {
        setup: held.setup,
        threads: task.threads,
        steps: held.steps,
        carry: held.carry,
        hashes: false,
    };
    let bar = progress_bar(M::events(&named.capture).len() as u64, &named.name.to_string());
    let comparison = lockstep::compare::<M>(&named.capture, engines, options, &|| bar.inc(1));
    bar.finish_and_clear();
    let fail = |why| match why {
        ReplayError::NoSuchEngine(why) => CliError::new(why),
        why => named.refused(why),
    };
    let comparison = comparison.map_err(fail)?;
    Ok(Box::new(Done { capture: named.capture, engines, options, comparison }))
}

impl<M: Commands> Compared for Done<'_, M> {
    fn kind(&self) -> &'static str {
        M::kind(&self.capture).1
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

    fn carried(&self) -> u64 {
        self.comparison.findings.carried
    }

    fn compiled(&self) -> String {
        compiled::<M>(&self.comparison.candidate.work)
    }

    fn lines(&self) -> Vec<String> {
        lines(&self.comparison)
    }

    fn pictures(&self) -> Vec<&Panels> {
        pictures(&self.comparison)
    }

    fn disk(&self) -> DiskStats {
        self.comparison.candidate.disk
    }

    fn details(&self) -> Map<String, Value> {
        let Comparison { reference, candidate, findings } = &self.comparison;
        let (key, kind) = M::kind(&self.capture);
        let [first, last] = M::more_details(&self.comparison);
        let mut details = Map::from_iter([(key.to_owned(), json!(kind))]);
        details.extend(first);
        let common = [
            ("points", json!(findings.points)),
            ("surfaces", json!(findings.surfaces)),
            ("bytes", json!(findings.bytes)),
            ("engines", json!([M::side_as_json(reference), M::side_as_json(candidate)])),
            ("differences", differences_as_json(&self.comparison)),
            ("more_differences", json!(findings.more)),
            ("carried_differences", json!(findings.carried)),
        ];
        details.extend(common.map(|(key, value)| (key.to_owned(), value)));
        details.extend(last);
        details
    }

    fn entry(&self, name: &str) -> html::Entry {
        let Comparison { reference, candidate, findings } = &self.comparison;
        html::Entry {
            name: name.to_owned(),
            kind: self.kind(),
            is_same: self.is_same(),
            draws: candidate.stats.counts()[0],
            points: findings.points,
            bytes: findings.bytes,
            compiled: format!("{} {}", self.compiled(), M::ASKED),
            nouns: M::NOUNS,
            about_pictures: M::PICTURES,
            found: findings.into(),
            screens: [reference.picture.clone(), candidate.picture.clone()],
            steps: findings.steps.iter().map(|step| step.at(ToString::to_string)).collect(),
            notes: M::notes(candidate),
            reproducer: None,
        }
    }

    fn smaller(&self, time: Duration) -> Option<Smaller> {
        let first = self.comparison.findings.differences.first()?;
        let small = reproduce::<M>(&self.capture, self.engines, self.options, first.place, time)?;
        let wrong = small.comparison.findings.differences.iter().map(|difference| difference.place);
        let wrong = wrong.into_iter().find(|place| place.moment == Moment::Draw).map(|place| place.draw);
        // What only shows at the end was made by some draw; the last one has all of them before it.
        let draw = wrong.or_else(|| small.comparison.candidate.stats.counts()[0].checked_sub(1));
        Some(Smaller {
            draw,
            program: draw.and_then(|draw| program::<M>(&small.capture, draw)),
            bytes: M::write(&small.capture),
            events: M::events(&small.capture).len(),
            found: (&small.comparison.findings).into(),
            routines: small.routines,
        })
    }
}

/// The guest's program at a draw, with the steps of its first vertex.
fn program<M: Commands>(capture: &M::Capture, draw: u64) -> Option<Program> {
    let mut session = Session::<M>::new(capture.clone(), M::interpreter());
    session.draw(draw, 0).ok()?.program
}

/// Work of compiled code, out of all requests.
pub(in crate::cli) fn compiled<M: Commands>(work: &M::Work) -> String {
    let [compiled, asked] = M::share(work);
    format!("{compiled}/{asked}")
}

/// Number of surfaces that differ.
pub(in crate::cli) const fn differing<M: Machine>(comparison: &Comparison<M>) -> u64 {
    comparison.findings.differences.len() as u64 + comparison.findings.more
}

/// Differences, work that was not compiled, and faults of the guest.
pub(in crate::cli) fn lines<M: Commands>(comparison: &Comparison<M>) -> Vec<String> {
    let findings = &comparison.findings;
    let mut lines: Vec<String> = findings.differences.iter().map(describe).collect();
    if findings.more > 0 {
        lines.push(format!("{} more differences", findings.more));
    }
    lines.extend(M::notes(&comparison.candidate));
    lines
}

/// A difference in a line.
pub(in crate::cli) fn describe(difference: &Difference) -> String {
    let Difference { place, bytes, what, .. } = difference;
    format!("{place}: {}: {bytes} bytes differ, first {what}", difference.label())
}

/// Pictures of the differences.
pub(in crate::cli) fn pictures<M: Machine>(comparison: &Comparison<M>) -> Vec<&Panels> {
    comparison.findings.differences.iter().filter_map(|difference| difference.picture.as_ref()).collect()
}

/// The differences, for `--json`.
pub(in crate::cli) fn differences_as_json<M: Machine>(comparison: &Comparison<M>) -> Value {
    let difference = |Difference { place, surface, bytes, what, origin, .. }: &Difference| {
        json!({
            "frame": place.frame,
            "event": place.event,
            "draw": place.draw,
            "at": place.to_string(),
            "surface": surface,
            "bytes": bytes,
            "first": what,
            "origin": origin.name(),
        })
    };
    comparison.findings.differences.iter().map(difference).collect()
}

/// A smaller capture that differs.
pub(crate) struct Smaller {
    /// Its file.
    pub(crate) bytes: Vec<u8>,
    /// Events in it.
    pub(crate) events: usize,
    /// The differences.
    pub(crate) found: html::Found,
    /// The first draw that differs, or the last one where a difference only shows at the end.
    pub(crate) draw: Option<u64>,
    /// The guest's program at that draw.
    pub(crate) program: Option<Program>,
    /// The routines that compiled code has for it.
    pub(crate) routines: Vec<Routine>,
}

/// The verdict in words; `carried` of the surfaces differ because of an earlier difference.
pub(crate) fn verdict(differing: u64, carried: u64) -> String {
    let count = match differing {
        0 => return "same".into(),
        1 => "DIFFERS in 1 surface".into(),
        count => format!("DIFFERS in {count} surfaces"),
    };
    if carried == 0 { count } else { format!("{count}, {} new", differing.saturating_sub(carried)) }
}
