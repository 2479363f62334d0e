//! `picaflor bench` of a capture of the GE.

use super::load;
use crate::cli::CliError;
use crate::cli::table::{Table, thousands};
use crate::ge::engine;
use crate::ge::replay::{Timing, frames, time};
use picaflor_pipeline::capture::ppdmp::Lists;
use serde_json::{Value, json};
use std::time::Duration;

/// How fast a capture runs on the chosen engine or on all: as text, and as JSON.
pub(in crate::cli) fn bench(
    source: &str,
    chosen: Option<&str>,
    duration: Duration,
) -> Result<(String, Value), CliError> {
    let named = load(source, Lists::Long)?;
    let frames = frames(&named.capture);
    let fail = |why| CliError::new(format!("cannot use `{source}`: {why}"));
    let mut rows = Vec::new();
    for name in engine::NAMES.into_iter().filter(|&name| chosen.is_none_or(|chosen| chosen == name)) {
        let mut engine = engine::by_name(name).map_err(CliError::new)?;
        rows.push((name, time(&named.capture, engine.as_mut(), duration).map_err(fail)?));
    }
    if rows.is_empty() {
        let wanted = chosen.unwrap_or_default();
        return Err(CliError::new(format!("the engine `{wanted}` does not draw what the GE draws")));
    }
    Ok((text(&named.name, frames, &rows), document(&named.name, frames, &rows)))
}

fn milliseconds(time: Duration, frames: usize) -> f64 {
    time.as_secs_f64() * 1e3 / frames.max(1) as f64
}

fn text(name: &str, frames: usize, rows: &[(&str, Timing)]) -> String {
    let stats = rows[0].1.stats;
    let mut table = Table::new(&["engine", "frames/s", "ms/frame", "median", "ns/pixel", "replays", ""]);
    for (engine, timing) in rows {
        let [best, median] = [timing.best, timing.median].map(|time| milliseconds(time, frames));
        table.row(vec![
            (*engine).into(),
            format!("{:.1}", 1e3 / best),
            format!("{best:.2}"),
            format!("{median:.2}"),
            format!("{:.1}", timing.per_pixel()),
            timing.replays.to_string(),
            String::new(),
        ]);
    }
    let plural = if frames == 1 { "" } else { "s" };
    let [draws, vertices, primitives, pixels] =
        [stats.draws, stats.vertices, stats.primitives, stats.covered].map(thousands);
    format!(
        "{name}: {frames} frame{plural}, {draws} draws, {vertices} vertices, {primitives} primitives, {pixels} \
         pixels\n{}\n",
        table.text(1)
    )
}

fn document(name: &str, frames: usize, rows: &[(&str, Timing)]) -> Value {
    let stats = rows[0].1.stats;
    let row = |(engine, timing): &(&str, Timing)| {
        json!({
            "engine": engine,
            "ms_per_frame": milliseconds(timing.best, frames),
            "median_ms_per_frame": milliseconds(timing.median, frames),
            "ns_per_pixel": timing.per_pixel(),
            "replays": timing.replays,
        })
    };
    json!({
        "capture": name,
        "machine": "GE",
        "frames": frames,
        "draws": stats.draws,
        "vertices": stats.vertices,
        "primitives": stats.primitives,
        "pixels": stats.covered,
        "rows": rows.iter().map(row).collect::<Vec<_>>(),
    })
}
