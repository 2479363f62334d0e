//! `picaflor info --keys`: which fragment routines captures need.

use super::super::capture::{self, PrecisionName};
use super::super::table::Table;
use super::super::{CliError, print};
use crate::fragments::scenes::{self, Draws};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::ExitCode;

/// Shows the keys of captures, `scene:all` being all scenes.
pub(super) fn run(
    sources: &[String],
    precision: Option<PrecisionName>,
    json: bool,
) -> Result<ExitCode, CliError> {
    let all = capture::expand(sources);
    let all = all.iter().map(|source| keys(source, precision)).collect::<Result<Vec<_>, CliError>>()?;
    let text = if json { format!("{:#}\n", as_json(&all)) } else { as_text(&all) };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn keys(source: &str, precision: Option<PrecisionName>) -> Result<(String, Draws), CliError> {
    let named = capture::load(source, precision.map(Into::into))?;
    let draws = scenes::draws(&named.capture)
        .map_err(|why| CliError::new(format!("cannot use `{source}`: {why}")))?;
    Ok((named.name, draws))
}

fn distinct(all: &[(String, Draws)]) -> usize {
    all.iter().flat_map(|(_, draws)| draws.keys()).collect::<BTreeSet<_>>().len()
}

/// The keys of each capture by their number of draws, and a table of captures.
fn as_text(all: &[(String, Draws)]) -> String {
    let mut text = String::new();
    let mut table = Table::new(&["capture", "draws", "keys"]);
    for (name, draws) in all {
        let mut keys: Vec<(&String, &u64)> = draws.iter().collect();
        keys.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let lines = keys.iter().map(|(key, count)| format!("{count:>7}  {key}\n"));
        text += &format!("{name}\n{}\n", lines.collect::<String>());
        table.row(vec![name.clone(), draws.values().sum::<u64>().to_string(), draws.len().to_string()]);
    }
    format!("{text}{}{} distinct keys\n", table.text(1), distinct(all))
}

fn as_json(all: &[(String, Draws)]) -> Value {
    let capture = |(name, draws): &(String, Draws)| json!({ "capture": name, "keys": draws });
    json!({ "captures": all.iter().map(capture).collect::<Vec<_>>(), "distinct_keys": distinct(all) })
}
