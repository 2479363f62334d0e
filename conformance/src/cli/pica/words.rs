//! The PICA200's words in `diff` and `demo`.

use crate::cli::cache;
use crate::cli::diff::compared::differences_as_json;
use crate::pica::Pica;
use crate::pica::lockstep::Comparison;
use serde_json::{Value, json};

type Side = crate::lockstep::Side<Pica>;

/// Work that was not compiled, lists that were given up, and faults of the guest.
pub(super) fn notes(side: &Side) -> Vec<String> {
    let Side { work: batches, faults, given_up, .. } = side;
    let mut lines: Vec<String> = Vec::new();
    lines.extend(batches.others.iter().map(|(why, count)| format!("{count} batches not compiled ({why})")));
    if batches.interpreted_tiles > 0 {
        lines.push(format!("{} tiles of fragments were interpreted", batches.interpreted_tiles));
    }
    lines.extend(given_up.lines(|why| format!("given up: {why}")));
    lines.extend(faults.as_slice().iter().map(|fault| format!("fault: {fault}")));
    if faults.dropped() > 0 {
        lines.push(format!("{} more faults", faults.dropped()));
    }
    lines
}

/// An engine, for `--json`.
pub(super) fn side_as_json(side: &Side) -> Value {
    json!({
        "engine": side.engine,
        "seconds": side.time.as_secs_f64(),
        "batches": side.work.total(),
        "compiled": side.work.compiled,
        "not_compiled": side.work.others,
        "interpreted_tiles": side.work.interpreted_tiles,
        "given_up": side.given_up.lines(ToString::to_string).collect::<Vec<_>>(),
        "cache": cache::as_json(&side.disk),
        "faults": side.faults.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// A scene, for `demo --json`.
pub(super) fn demo_as_json(comparison: &Comparison, picture: &str) -> Value {
    let Comparison { reference, candidate, findings } = comparison;
    let stats = &candidate.stats;
    json!({
        "picture": picture,
        "draws": stats.draws,
        "vertices": stats.vertices,
        "triangles": stats.triangles,
        "fragments": stats.fragments,
        "surfaces_compared": findings.surfaces,
        "bytes_compared": findings.bytes,
        "engines": [side_as_json(reference), side_as_json(candidate)],
        "same": comparison.is_same(),
        "differences": differences_as_json(comparison),
    })
}
