//! The GE's words in `diff` and `demo`.

use crate::cli::cache;
use crate::cli::diff::compared::describe;
use crate::ge::engine::{NAMES, Work};
use crate::ge::lockstep::{self, Comparison};
use serde_json::{Map, Value, json};

type Side = crate::lockstep::Side<crate::ge::Ge>;

/// Work that was not compiled, lists that were given up, and faults of the guest.
pub(super) fn notes(side: &Side) -> Vec<String> {
    let mut notes = refused(&side.work);
    if side.work.interpreted_tiles > 0 {
        notes.push(format!("{} tiles of pixels were interpreted", side.work.interpreted_tiles));
    }
    notes.extend(troubles(side));
    notes
}

/// Reasons for which states were not compiled.
fn refused(work: &Work) -> Vec<String> {
    work.refusals.iter().map(|(why, count)| format!("not compiled {count} times: {why}")).collect()
}

/// Lists that were given up, and faults of the guest.
fn troubles(side: &Side) -> Vec<String> {
    lockstep::notes(&side.given_up, &side.faults)
}

/// An engine, for `--json`.
pub(super) fn side_as_json(side: &Side) -> Value {
    let Side { engine, time, work, .. } = side;
    let seconds = time.as_secs_f64();
    if *engine == NAMES[0] {
        return json!({ "engine": engine, "seconds": seconds });
    }
    json!({
        "engine": engine,
        "seconds": seconds,
        "states": work.asked,
        "compiled": work.compiled,
        "not_compiled": work.refusals,
        "interpreted_tiles": work.interpreted_tiles,
        "cache": cache::as_json(&side.disk),
    })
}

/// The GE's own fields of `diff --json`.
pub(super) fn more_details(comparison: &Comparison) -> [Map<String, Value>; 2] {
    let Comparison { candidate, findings, .. } = comparison;
    let first = [("lists", json!(findings.lists)), ("draws", json!(candidate.stats.draws))];
    let last = [("notes", json!(troubles(candidate)))];
    let owned = |(key, value): (&str, Value)| (key.to_owned(), value);
    [first.into_iter().map(owned).collect(), last.into_iter().map(owned).collect()]
}

/// Differences, and work that was not compiled.
pub(super) fn lines_in_demo(comparison: &Comparison) -> Vec<String> {
    let Comparison { candidate, findings, .. } = comparison;
    let differences = findings.differences.iter().map(describe);
    differences.chain(troubles(candidate)).chain(refused(&candidate.work)).collect()
}

/// A scene, for `demo --json`.
pub(super) fn demo_as_json(comparison: &Comparison, picture: &str) -> Value {
    let Comparison { reference, candidate, findings } = comparison;
    let (stats, work) = (&candidate.stats, &candidate.work);
    json!({
        "machine": "GE",
        "picture": picture,
        "draws": stats.draws,
        "vertices": stats.vertices,
        "primitives": stats.primitives,
        "pixels": stats.covered,
        "bytes_compared": findings.bytes,
        "engines": [
            { "engine": "interp", "seconds": reference.time.as_secs_f64() },
            { "engine": "jit", "seconds": candidate.time.as_secs_f64(), "compiled_draws": work.compiled,
              "refused": work.refusals },
        ],
        "same": comparison.is_same(),
        "differences": findings.differences.iter().map(describe).collect::<Vec<_>>(),
    })
}
