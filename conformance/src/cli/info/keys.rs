//! `picaflor info --keys`: which routines captures need.

use crate::cli::capture;
use crate::cli::machine::Commands;
use crate::cli::source::Source;
use crate::cli::table::Table;
use crate::cli::{CliError, print};
use crate::machine::Reading;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The keys of a capture's draws, each with the number of draws that need it.
pub(crate) struct Keys {
    /// The name of the capture.
    name: Source,
    /// Its draws.
    draws: u64,
    kinds: Kinds,
}

/// Keys by kind, each with the number of draws: keys of fragment routines, the texture part of them, keys of vertex
/// routines. Some machines lack some kinds.
pub(crate) type Kinds = Vec<(&'static str, BTreeMap<String, u64>)>;

/// The kinds of keys, two with routines of their own and one that is part of another; their names in JSON.
pub(crate) const KINDS: [&str; 3] = ["keys", "textures", "vertices"];

/// Shows the keys of captures, `scene:all` and the like being all scenes.
pub(super) fn run(sources: &[Source], how: Reading, json: bool) -> Result<(), CliError> {
    let all = capture::expand(sources);
    let keys = |source: &Source| capture::machine_of(source).keys(source, how);
    let all = all.iter().map(keys).collect::<Result<Vec<_>, CliError>>()?;
    print(&if json { format!("{:#}\n", as_json(&all)) } else { as_text(&all) })
}

/// The keys of a capture.
pub(in crate::cli) fn of<M: Commands>(source: &Source, how: Reading) -> Result<Keys, CliError> {
    let named = capture::load::<M>(source, how)?;
    let (draws, kinds) = M::keys(&named.capture).map_err(|why| named.refused(why))?;
    Ok(Keys { name: named.name, draws, kinds })
}

/// Keys of routines; those of textures are part of others.
fn distinct(all: &[Keys]) -> usize {
    let routines = all.iter().flat_map(|keys| &keys.kinds).filter(|(kind, _)| *kind != KINDS[1]);
    routines.flat_map(|(_, keys)| keys.keys()).collect::<BTreeSet<_>>().len()
}

/// The keys of each capture by their number of draws, and a table of captures.
fn as_text(all: &[Keys]) -> String {
    let mut text = String::new();
    let mut table = Table::new(&[&["capture", "draws"], &KINDS[..]].concat());
    for Keys { name, draws, kinds } in all {
        text += &format!("{name}\n");
        let count = |kind| kinds.iter().find(|(name, _)| *name == kind).map(|(_, keys)| keys.len());
        let counts = KINDS.map(|kind| count(kind).map_or_else(|| "-".into(), |count| count.to_string()));
        table.row([vec![name.to_string(), draws.to_string()], counts.to_vec()].concat());
        for (_, keys) in kinds {
            let mut keys: Vec<(&String, &u64)> = keys.iter().collect();
            keys.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
            let lines = keys.iter().map(|(key, count)| format!("{count:>7}  {key}\n"));
            text += &format!("{}\n", lines.collect::<String>());
        }
    }
    format!("{text}{}{} distinct keys\n", table.text(1), distinct(all))
}

fn as_json(all: &[Keys]) -> Value {
    let capture = |Keys { name, draws, kinds }: &Keys| {
        let mut capture = json!({ "capture": name, "draws": draws });
        kinds.iter().for_each(|(kind, keys)| capture[*kind] = json!(keys));
        capture
    };
    json!({ "captures": all.iter().map(capture).collect::<Vec<_>>(), "distinct_keys": distinct(all) })
}
