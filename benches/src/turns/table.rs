//! Comparisons as text and as JSON.

use super::figures::STAGES;
use super::{Comparison, Figures, RowKey};
use crate::workloads::short_name;
use serde_json::{Value, json};

/// Heading of the columns of [`rows`].
#[must_use]
pub fn heading() -> String {
    let columns = format!(
        "{:<34} {:>3} {:<4} {:>9} {:>9} {:>6} {:>9} {:>9} {:>6} {:>9} {:>9}",
        "workload", "thr", "", "min old", "new", "ratio", "med. old", "new", "ratio", "player old", "new"
    );
    let stages: String = STAGES.iter().map(|stage| format!(" {stage:>17}")).collect();
    format!("{columns} |{stages}\n")
}

/// A line for each row: milliseconds of a frame in the machine, minimum and median, and the ratio old/new of each;
/// outside the machine; stages as old/new.
#[must_use]
pub fn rows(comparison: &Comparison) -> String {
    comparison.rows.iter().map(|(key, both)| line(&comparison.workload, *key, both)).collect()
}

fn line(workload: &str, key: RowKey, both: &[Option<Figures>; 2]) -> String {
    let mut line = format!(
        "{:<34} {:>3} {:<4}",
        short_name(workload),
        key.threads,
        if key.is_cold { "cold" } else { "" }
    );
    let minimum = |figures: Figures| figures.minimum;
    let median = |figures: Figures| figures.median;
    for figure in [&minimum as &dyn Fn(Figures) -> f64, &median] {
        let [old, new] = both.map(|figures| figures.map(figure));
        line +=
            &format!(" {:>9} {:>9} {:>6}", number(old, 3), number(new, 3), number(ratio(both, figure), 2));
    }
    let [old, new] = both.map(|figures| figures.and_then(|figures| figures.player));
    line += &format!(" {:>9} {:>9} |", number(old, 3), number(new, 3));
    for stage in 0..STAGES.len() {
        let [old, new] = both.map(|figures| number(figures.map(|figures| figures.stages[stage]), 3));
        line += &format!(" {:>17}", format!("{old}/{new}"));
    }
    line.trim_end().to_owned() + "\n"
}

fn number(value: Option<f64>, places: usize) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.places$}"))
}

/// Old/new of a figure: above 1 if the new build is faster.
fn ratio(both: &[Option<Figures>; 2], figure: impl Fn(Figures) -> f64) -> Option<f64> {
    let [old, new] = both.map(|figures| figures.map(&figure));
    Some(old? / new?)
}

/// The geometric mean of the ratios of minima of each kind of row, and the smallest ratio.
#[must_use]
pub fn summary(comparisons: &[Comparison]) -> String {
    let mut keys: Vec<RowKey> = comparisons.iter().flat_map(|c| c.rows.keys().copied()).collect();
    keys.sort_unstable();
    keys.dedup();
    let line = |key: RowKey| {
        let ratios: Vec<(f64, &str)> = comparisons
            .iter()
            .filter_map(|c| Some((ratio(c.rows.get(&key)?, |figures| figures.minimum)?, c.workload.as_str())))
            .collect();
        let least = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        let mean = (ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        Some(format!(
            "{} thread{}{}: {} workloads, geometric mean of the ratios {mean:.2}, smallest {:.2} ({})\n",
            key.threads,
            if key.threads == 1 { "" } else { "s" },
            if key.is_cold { ", cold" } else { "" },
            ratios.len(),
            least.0,
            short_name(least.1),
        ))
    };
    keys.into_iter().filter_map(line).collect()
}

/// The JSON object of a comparison.
#[must_use]
pub fn document(comparison: &Comparison) -> Value {
    let rows: Vec<Value> = comparison.rows.iter().map(|(key, both)| row_document(*key, both)).collect();
    let [old, new] = comparison.decode_ms;
    json!({
        "workload": comparison.workload,
        "decode_ms": { "old": old, "new": new },
        "rows": rows,
        "failures": comparison.failures,
    })
}

fn row_document(key: RowKey, both: &[Option<Figures>; 2]) -> Value {
    let [old, new] = both.map(|figures| figures.map(figures_document));
    json!({
        "threads": key.threads,
        "cold": key.is_cold,
        "old": old,
        "new": new,
        "ratio": ratio(both, |figures| figures.minimum),
        "median_ratio": ratio(both, |figures| figures.median),
    })
}

fn figures_document(figures: Figures) -> Value {
    let stages: serde_json::Map<_, _> =
        STAGES.iter().zip(figures.stages).map(|(name, ms)| ((*name).into(), json!(ms))).collect();
    json!({ "frame": figures.minimum, "median": figures.median, "stages": stages, "player": figures.player })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison() -> Comparison {
        let figures = |minimum, player| Figures { minimum, median: minimum * 2.0, stages: [0.5; 4], player };
        let key = |is_cold| RowKey { is_cold, threads: 1 };
        let rows = [
            (key(false), [Some(figures(6.0, None)), Some(figures(2.0, Some(0.25)))]),
            (key(true), [None, Some(figures(9.0, Some(0.25)))]),
        ];
        Comparison { workload: "a/b.cap".into(), rows: rows.into(), ..Comparison::default() }
    }

    #[test]
    fn a_missing_figure_is_a_dash() {
        let text = rows(&comparison());
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        let warm = "b.cap 1 6.000 2.000 3.00 12.000 4.000 3.00 - 0.250 |";
        assert_eq!(words[0][..11].join(" "), warm);
        let cold = "b.cap 1 cold - 9.000 - - 18.000 - - 0.250 | -/0.500";
        assert_eq!(words[1][..13].join(" "), cold);
    }

    #[test]
    fn means_cover_rows_that_both_builds_have() {
        let half = Comparison {
            workload: "half".into(),
            rows: comparison().rows.into_iter().map(|(key, [old, new])| (key, [new, old])).collect(),
            ..Comparison::default()
        };
        let text = summary(&[comparison(), half]);
        assert_eq!(text, "1 thread: 2 workloads, geometric mean of the ratios 1.00, smallest 0.33 (half)\n");
        assert_eq!(document(&comparison())["rows"][1]["ratio"], Value::Null);
    }
}
