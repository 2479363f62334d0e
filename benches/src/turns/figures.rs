//! The figures of `picaflor bench --json`, over several turns.

use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;

/// Names of the stages in `ms_per_frame`.
pub(super) const STAGES: [&str; 4] = ["commands", "vertices", "fragments", "transfers"];

/// A row of a build; warm rows come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowKey {
    /// True for the first replay of a new engine, which compiles before it draws.
    pub is_cold: bool,
    /// Threads that draw.
    pub threads: u64,
}

/// Milliseconds of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// In the machine: the fastest replay of all turns.
    pub minimum: f64,
    /// In the machine: the median of the medians of all turns.
    pub median: f64,
    /// In the stages: the shortest of all turns.
    pub stages: [f64; STAGES.len()],
    /// In the replay outside the machine: the shortest of all turns; `None` for a build that does not say.
    pub player: Option<f64>,
}

/// The result of one turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    rows: Vec<(RowKey, Figures)>,
    decode_ms: Option<f64>,
}

/// Reads the document of one capture.
///
/// # Errors
/// It is no such document.
pub fn parse(document: &[u8]) -> Result<Turn, Box<dyn Error>> {
    let document: Value = serde_json::from_slice(document)?;
    let capture = &document["captures"][0];
    let rows = capture["rows"].as_array().ok_or("a document without rows")?;
    let rows = rows.iter().map(row).collect::<Option<Vec<_>>>().ok_or("a row without its figures")?;
    Ok(Turn { rows, decode_ms: capture["decode_ms"].as_f64() })
}

fn row(row: &Value) -> Option<(RowKey, Figures)> {
    let key = RowKey { is_cold: row["cold"].as_bool()?, threads: row["threads"].as_u64()? };
    let ms = |name: &str| row["ms_per_frame"][name].as_f64();
    let mut stages = [0.0; STAGES.len()];
    for (stage, name) in stages.iter_mut().zip(STAGES) {
        *stage = ms(name)?;
    }
    Some((key, Figures { minimum: ms("frame")?, median: ms("median")?, stages, player: ms("player") }))
}

/// Turns of a build.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    rows: BTreeMap<RowKey, Vec<Figures>>,
    /// The shortest time in which the file was decoded.
    pub decode_ms: Option<f64>,
}

impl Tally {
    /// Adds a turn.
    pub fn add(&mut self, turn: &Turn) {
        for (key, figures) in &turn.rows {
            self.rows.entry(*key).or_default().push(*figures);
        }
        self.decode_ms = shorter(self.decode_ms, turn.decode_ms);
    }

    /// The figures of each row over all turns.
    pub fn figures(&self) -> impl Iterator<Item = (RowKey, Figures)> + '_ {
        self.rows.iter().filter_map(|(key, turns)| Some((*key, over(turns)?)))
    }
}

fn over(turns: &[Figures]) -> Option<Figures> {
    let mut all = *turns.first()?;
    for turn in turns {
        all.minimum = all.minimum.min(turn.minimum);
        all.player = shorter(all.player, turn.player);
        for (stage, other) in all.stages.iter_mut().zip(turn.stages) {
            *stage = stage.min(other);
        }
    }
    let mut medians: Vec<f64> = turns.iter().map(|turn| turn.median).collect();
    medians.sort_by(f64::total_cmp);
    all.median = medians[medians.len() / 2];
    Some(all)
}

fn shorter(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    a.into_iter().chain(b).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(frame: f64, median: f64, player: &str) -> String {
        format!(
            r#"{{"captures": [{{"rows": [{{"cold": false, "threads": 2, "ms_per_frame": {{"frame": {frame},
            "median": {median}, "commands": 1, "vertices": 2, "fragments": {frame}, "transfers": 4{player}}}}}]}}]}}"#
        )
    }

    #[test]
    fn minimum_of_all_turns_and_median_of_medians() {
        let mut tally = Tally::default();
        for (frame, median) in [(3.0, 9.0), (2.0, 4.0), (5.0, 6.0)] {
            tally.add(&parse(document(frame, median, "").as_bytes()).expect("a document"));
        }
        let key = RowKey { is_cold: false, threads: 2 };
        let expected = Figures { minimum: 2.0, median: 6.0, stages: [1.0, 2.0, 2.0, 4.0], player: None };
        assert_eq!(tally.figures().collect::<Vec<_>>(), [(key, expected)]);
    }

    #[test]
    fn old_builds_have_no_figure_of_the_player() {
        let player = |text| parse(document(1.0, 1.0, text).as_bytes()).expect("a document").rows[0].1.player;
        assert_eq!((player(""), player(r#", "player": 0.5"#)), (None, Some(0.5)));
        assert!(parse(br#"{"captures": []}"#).is_err());
        assert!(parse(br#"{"captures": [{"rows": [{"cold": true, "threads": 1}]}]}"#).is_err());
    }
}
