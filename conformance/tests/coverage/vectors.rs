//! The vector files that write a register or command.

use super::fields::Id;
use std::collections::{BTreeMap, BTreeSet};

/// Stems of the files in a folder by id. `ids_of` gives the ids that an entry of a table writes.
pub(super) fn written(
    folder: &str,
    ids_of: &dyn Fn(&str, &toml::Value) -> Vec<Id>,
) -> BTreeMap<Id, BTreeSet<String>> {
    let mut found: BTreeMap<Id, BTreeSet<String>> = BTreeMap::new();
    for entry in std::fs::read_dir(super::path(folder)).expect("the vectors") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let text = std::fs::read_to_string(&path).expect("a file");
        let value: toml::Value = toml::from_str(&text).expect("TOML");
        each(&value, &mut |key, value| {
            for id in ids_of(key, value) {
                found.entry(id).or_default().insert(stem.to_owned());
            }
        });
    }
    found
}

fn each(value: &toml::Value, visit: &mut dyn FnMut(&str, &toml::Value)) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                visit(key, value);
                each(value, visit);
            }
        }
        toml::Value::Array(values) => values.iter().for_each(|value| each(value, visit)),
        _ => {}
    }
}
