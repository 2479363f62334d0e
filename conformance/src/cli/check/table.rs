//! Tables of checks: TOML, or the `frametests.json` of a suite.
//!
//! A table is a list of entries, or an object that has one under `check`, `checks`, `test`, `tests`, `frametests`,
//! `frames` or `entries`; entries may also be the members of an object, and are then called by their names. An entry is
//! an object; or only its picture or its tolerance, if its name is that of the dump. Fields:
//!
//! | field | also | meaning |
//! |---|---|---|
//! | `dump` | `capture`, `file`, `path` | the capture; the name of the entry unless given |
//! | `picture` | `expect`, `expected`, `image`, `reference`, `screenshot` | the expected PNG; unless given, the PNG beside the dump |
//! | `tolerance` | `threshold` | largest share of pixels off by more than 8, 0 to 1; unless given, that of the table, or 0 |
//! | `mse` | `max_mse` | largest mean squared error; unless given, any |
//! | `frame` | | number of the frame |
//! | `name` | | name in reports |
//!
//! Paths are relative to the table. Other fields are ignored.

use super::Case;
use crate::cli::source::Source;
use crate::cli::{CliError, capture, read_text};
use serde_json::{Map, Value, json};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread::Builder;

const LISTS: [&str; 7] = ["check", "checks", "test", "tests", "frametests", "frames", "entries"];
const DUMP: [&str; 4] = ["dump", "capture", "file", "path"];
const PICTURE: [&str; 6] = ["picture", "expect", "expected", "image", "reference", "screenshot"];
const TOLERANCE: [&str; 2] = ["tolerance", "threshold"];
const ERROR: [&str; 2] = ["mse", "max_mse"];

/// True if a file is a table, by its name.
pub(super) fn is_table(source: &Source) -> bool {
    source.path().extension().is_some_and(|end| end == "toml" || end == "json")
}

/// The checks of a table. `tolerance` is that of entries without one, if the table has none.
pub(super) fn read(table: &Source, tolerance: f64) -> Result<Vec<Case>, CliError> {
    let fail = |why: String| capture::refused(table, &why);
    let path = table.path();
    let text = read_text(path)?;
    let value = parsed(path, &text).map_err(|why| fail(why.lines().next().unwrap_or_default().into()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let tolerance = share(&value, tolerance).map_err(fail)?;
    let entries = entries(&value).ok_or_else(|| fail("it is no table of checks".into()))?;
    if entries.is_empty() {
        return Err(fail("it has no entries".into()));
    }
    let case = |(n, (name, entry)): (usize, (Option<&str>, &Value))| {
        case(folder, name, entry, tolerance).map_err(|why| fail(format!("entry {n}: {why}")))
    };
    entries.into_iter().enumerate().map(case).collect()
}

/// Levels of a TOML file; a table has three.
const DEEPEST: usize = 32;
/// Stack for reading TOML. Inline tables with dotted keys are up to 80 by 80 levels deep, which are read before they can
/// be refused.
const STACK: usize = 256 << 20;

fn parsed(path: &Path, text: &str) -> Result<Value, String> {
    if path.extension().is_none_or(|end| end != "toml") {
        return serde_json::from_str(text).map_err(|why| why.to_string());
    }
    std::thread::scope(|scope| {
        let reader = Builder::new().stack_size(STACK).spawn_scoped(scope, || from_toml(text));
        let reader = reader.map_err(|why| format!("there is no thread: {why}"))?;
        reader.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

fn from_toml(text: &str) -> Result<Value, String> {
    let value = toml::from_str(text).map_err(|why| why.message().to_owned())?;
    if is_deeper(&value, DEEPEST) { Err("it is nested too deeply".into()) } else { Ok(value) }
}

/// True if a value has more levels.
fn is_deeper(value: &Value, levels: usize) -> bool {
    let is_deep = |inner: &Value| levels == 0 || is_deeper(inner, levels - 1);
    match value {
        Value::Array(list) => list.iter().any(is_deep),
        Value::Object(members) => members.values().any(is_deep),
        _ => false,
    }
}

/// The entries, some with names.
fn entries(value: &Value) -> Option<Vec<(Option<&str>, &Value)>> {
    match value {
        Value::Array(list) => Some(list.iter().map(|entry| (None, entry)).collect()),
        Value::Object(object) => match LISTS.iter().find_map(|&key| object.get(key)) {
            Some(list) => entries(list),
            None => Some(members(object)),
        },
        _ => None,
    }
}

fn members(object: &Map<String, Value>) -> Vec<(Option<&str>, &Value)> {
    let is_entry = |(name, _): &(&String, &Value)| !TOLERANCE.contains(&name.as_str());
    object.iter().filter(is_entry).map(|(name, entry)| (Some(name.as_str()), entry)).collect()
}

fn case(folder: &Path, name: Option<&str>, entry: &Value, tolerance: f64) -> Result<Case, String> {
    let short = match entry {
        Value::String(picture) => json!({ "picture": picture }),
        Value::Number(share) => json!({ "tolerance": share }),
        other => other.clone(),
    };
    if !short.is_object() {
        return Err("it is no object".into());
    }
    let dump = text(&short, &DUMP)?.or(name).ok_or("it names no dump")?;
    let picture = text(&short, &PICTURE)?.map(|picture| folder.join(picture));
    let dump = Source::from(dump);
    let source =
        if capture::is_scene(&dump) { dump.clone() } else { Source::from(&folder.join(dump.path())) };
    let picture = picture.or_else(|| beside(&source));
    Ok(Case {
        name: text(&short, &["name"])?.or(name).map_or_else(|| capture::stem(&dump), str::to_owned),
        picture,
        tolerance: share(&short, tolerance)?,
        most_error: number(&short, &ERROR)?,
        frame: number(&short, &["frame"])?.map(|frame| frame as usize),
        source,
    })
}

/// `NAME.png` or `NAME.expected.png` beside a dump.
fn beside(source: &Source) -> Option<PathBuf> {
    let path = source.path();
    let candidates = ["png", "expected.png"].map(|end| path.with_extension(end));
    candidates.into_iter().find(|path| path.is_file())
}

fn field<'v>(entry: &'v Value, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|&name| entry.get(name))
}

fn text<'v>(entry: &'v Value, names: &[&str]) -> Result<Option<&'v str>, String> {
    let text = |value: &'v Value| value.as_str().ok_or_else(|| format!("`{}` is no text", names[0]));
    field(entry, names).map(text).transpose()
}

/// A number that is not negative.
fn number(entry: &Value, names: &[&str]) -> Result<Option<f64>, String> {
    let sound = |value: &Value| value.as_f64().filter(|&number| number >= 0.0);
    let number = |value| sound(value).ok_or_else(|| format!("`{}` is no number from 0 on", names[0]));
    field(entry, names).map(number).transpose()
}

fn share(entry: &Value, otherwise: f64) -> Result<f64, String> {
    let share = number(entry, &TOLERANCE)?.unwrap_or(otherwise);
    if share <= 1.0 { Ok(share) } else { Err("a tolerance is a share from 0 to 1".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(name: &str, text: &str) -> Result<Vec<Case>, String> {
        let path = std::env::temp_dir().join(format!("picaflor-table-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let cases = read(&Source::from(&path), 0.25).map_err(|why| why.to_string());
        std::fs::remove_file(&path).unwrap();
        cases
    }

    fn told(case: &Case) -> (String, Option<String>, f64) {
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        (name(case.source.path()), case.picture.as_deref().map(name), case.tolerance)
    }

    #[test]
    fn every_form_of_a_table() {
        let entry = ("a.ppdmp".to_owned(), Some("a.png".to_owned()), 0.25);
        for (name, text) in [
            ("0.toml", "[[check]]\ndump = \"a.ppdmp\"\npicture = \"a.png\""),
            ("1.json", r#"[{"file": "a.ppdmp", "expected": "a.png"}]"#),
            ("2.json", r#"{"tests": [{"dump": "a.ppdmp", "image": "a.png", "unknown": 3}]}"#),
            ("3.json", r#"{"a.ppdmp": {"reference": "a.png"}}"#),
            ("4.json", r#"{"a.ppdmp": "a.png"}"#),
            ("5.json", r#"{"frames": {"one": {"path": "a.ppdmp", "screenshot": "a.png"}}}"#),
        ] {
            let cases = cases(name, text).unwrap();
            assert_eq!(cases.iter().map(told).collect::<Vec<_>>(), std::slice::from_ref(&entry), "{name}");
        }
        let own =
            cases("6.toml", "tolerance = 0.5\n[[test]]\ndump = \"ge:game\"\nframe = 2\nmse = 1.5").unwrap();
        assert_eq!(
            (own[0].source.text(), own[0].name.as_str(), own[0].picture.clone()),
            ("ge:game", "game", None)
        );
        assert_eq!((own[0].tolerance, own[0].frame, own[0].most_error), (0.5, Some(2), Some(1.5)));
        let number = cases("7.json", r#"{"a.ppdmp": 0.125}"#).unwrap();
        assert_eq!(told(&number[0]), ("a.ppdmp".into(), None, 0.125));
    }

    /// 13 KB once overflowed the stack.
    #[test]
    fn tables_that_are_nested() {
        let nested = |keys: usize, tables: usize| {
            let key = vec!["a"; keys].join(".");
            format!("{}b = 1{}", format!("{key} = {{").repeat(tables), "}".repeat(tables))
        };
        for (name, keys, tables) in [("0.toml", 79, 79), ("1.toml", 1, 79), ("2.toml", 40, 1)] {
            let why = cases(name, &nested(keys, tables)).unwrap_err();
            assert!(why.ends_with("it is nested too deeply"), "{name}: {why}");
        }
        let why = cases("3.toml", &nested(90, 90)).unwrap_err();
        assert!(why.contains("cannot use") && why.lines().count() == 1, "{why}");
        assert_eq!(cases("4.toml", &nested(5, 5)).map(|cases| cases.len()), Ok(1));
    }

    #[test]
    fn tables_that_cannot_be_used() {
        for (name, text, part) in [
            ("a.toml", "[[check]\n", "cannot use"),
            ("b.json", "[", "EOF"),
            ("c.json", "3", "no table of checks"),
            ("d.json", "[]", "no entries"),
            ("e.json", "[{\"picture\": \"a.png\"}]", "entry 0: it names no dump"),
            ("f.json", "[{\"dump\": 3}]", "entry 0: `dump` is no text"),
            ("g.json", "[{\"dump\": \"a\", \"tolerance\": 2}]", "entry 0: a tolerance is a share"),
            ("h.json", "[{\"dump\": \"a\", \"mse\": -1}]", "entry 0: `mse` is no number"),
            ("i.json", "[[]]", "entry 0: it is no object"),
        ] {
            let why = cases(name, text).unwrap_err();
            assert!(why.contains(part) && why.lines().count() == 1, "{name}: {why}");
        }
    }
}
