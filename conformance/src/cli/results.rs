//! Work in parts: which of them are this process's, a file of those that are done, and several such files put
//! together.

use super::{CliError, read_text, write_atomic};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A shard: one of several processes that share work. Every n-th part is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// True if there are several shards.
    pub(super) const fn is_some(self) -> bool {
        self.of > 1
    }

    /// True if a part belongs to this shard.
    pub(super) const fn has(self, part: u64) -> bool {
        part % self.of == self.number
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, of)) if number < of => Ok(Self { number, of }),
            _ => Err("expected i/n with i below n, for example 0/4".into()),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// Parts of all shards that are not finished.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// Their number.
    pub(super) count: u64,
    /// The first ones.
    pub(super) first: Vec<u64>,
}

/// Missing parts that are named.
const MOST_NAMED: usize = 20;
/// Parts of a plan: more than all shards together could ever do.
const MOST_PARTS: u64 = 1 << 40;

/// The finished parts, in a file if there is one: a line for the plan, then a line for each part, added at its end.
/// Files with the same plan can be merged.
#[derive(Debug)]
pub(super) struct Results {
    path: Option<PathBuf>,
    plan: Value,
    parts: BTreeMap<u64, Value>,
}

impl Results {
    /// The results in a file for this plan; empty if the file does not exist.
    pub(super) fn open(path: Option<&Path>, plan: Value) -> Result<Self, CliError> {
        let Some(path) = path else { return Ok(Self { path: None, plan, parts: BTreeMap::new() }) };
        if path == Path::new("-") {
            return Err(CliError::new("results need a file that can be read again"));
        }
        if !path.exists() {
            write_atomic(path, format!("{}\n", heading(&plan)).as_bytes())?;
        }
        let found = Self::load(path)?;
        if found.plan != plan {
            let name = path.display();
            return Err(CliError::new(format!("`{name}` holds results of other work; give another file")));
        }
        // A line that was cut off is overwritten.
        write_atomic(path, found.text().as_bytes())?;
        Ok(found)
    }

    /// The results in a file.
    pub(super) fn load(path: &Path) -> Result<Self, CliError> {
        let text = read_text(path)?;
        let fail = || CliError::new(format!("`{}` holds no results of this version", path.display()));
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut lines = whole.lines().map(serde_json::from_str::<Value>);
        let head = lines.next().and_then(Result::ok).ok_or_else(fail)?;
        let is_sound = |plan: &&Value| heading(plan) == head && planned(plan) <= MOST_PARTS;
        let plan = head.get("plan").filter(is_sound).cloned().ok_or_else(fail)?;
        let mut parts = BTreeMap::new();
        for line in lines {
            let line = line.map_err(|_| fail())?;
            let number = line["part"].as_u64().filter(|_| line["result"].is_object()).ok_or_else(fail)?;
            if number >= planned(&plan) {
                return Err(fail());
            }
            parts.insert(number, line["result"].clone());
        }
        Ok(Self { path: Some(path.to_owned()), plan, parts })
    }

    fn text(&self) -> String {
        let part = |(&number, result): (&u64, &Value)| format!("{}\n", line(number, result));
        format!("{}\n{}", heading(&self.plan), self.parts.iter().map(part).collect::<String>())
    }

    /// The result of a part, if it is finished.
    pub(super) fn get(&self, part: u64) -> Option<&Value> {
        self.parts.get(&part)
    }

    /// The finished parts, in order.
    pub(super) const fn parts(&self) -> &BTreeMap<u64, Value> {
        &self.parts
    }

    /// The plan.
    pub(super) const fn plan(&self) -> &Value {
        &self.plan
    }

    /// Parts of all shards that are missing here; none if their number is not known. The time depends on the finished
    /// parts alone: the file may plan any number of others.
    pub(super) fn missing(&self) -> Missing {
        let Some(all) = self.plan["parts"].as_u64() else { return Missing::default() };
        let first = (0..all).filter(|part| !self.parts.contains_key(part)).take(MOST_NAMED).collect();
        Missing { count: all - self.parts.range(..all).count() as u64, first }
    }

    /// Records a finished part.
    pub(super) fn add(&mut self, part: u64, result: Value) -> Result<(), CliError> {
        if let Some(path) = &self.path {
            let fail =
                |why: std::io::Error| CliError::new(format!("cannot write `{}`: {why}", path.display()));
            let mut file = OpenOptions::new().append(true).open(path).map_err(fail)?;
            // In one piece, so that only the end of a file can be broken.
            file.write_all(format!("{}\n", line(part, &result)).as_bytes()).map_err(fail)?;
        }
        self.parts.insert(part, result);
        Ok(())
    }

    /// Adds the results of another file.
    pub(super) fn merge(&mut self, other: Self) -> Result<(), CliError> {
        if self.plan != other.plan {
            let [one, two] = [&self.path, &other.path]
                .map(|path| path.as_deref().unwrap_or(Path::new("")).display().to_string());
            return Err(CliError::new(format!("`{one}` and `{two}` hold results of different work")));
        }
        for (part, result) in other.parts {
            self.parts.entry(part).or_insert(result);
        }
        Ok(())
    }

    /// The sum of all parts.
    pub(super) fn sum(&self) -> Value {
        let mut parts = self.parts.values();
        let mut sum = parts.next().cloned().unwrap_or_else(|| json!({}));
        parts.for_each(|part| add(&mut sum, part, ""));
        sum
    }
}

/// The number of parts of a plan; that of the largest one if it is not known.
fn planned(plan: &Value) -> u64 {
    plan["parts"].as_u64().unwrap_or(MOST_PARTS)
}

fn heading(plan: &Value) -> Value {
    json!({ "picaflor": env!("CARGO_PKG_VERSION"), "plan": plan })
}

fn line(part: u64, result: &Value) -> Value {
    json!({ "part": part, "result": result })
}

/// Sums of numbers (digests too) and of tables, row by row; names are kept.
fn add(sum: &mut Value, other: &Value, key: &str) {
    match (&mut *sum, other) {
        (Value::Object(sum), Value::Object(other)) => add_objects(sum, other),
        (Value::Array(sum), Value::Array(other)) => {
            sum.iter_mut().zip(other).for_each(|(sum, other)| add(sum, other, ""));
        }
        (Value::String(digest), Value::String(other)) if key == "digest" => {
            let [one, two] = [&*digest, other].map(|hex| u64::from_str_radix(hex, 16).unwrap_or(0));
            *digest = format!("{:016x}", one.wrapping_add(two));
        }
        (Value::Number(one), Value::Number(two)) => {
            let whole = one.as_u64().zip(two.as_u64()).map(|(one, two)| one.saturating_add(two));
            let real = || one.as_f64().unwrap_or(0.0) + two.as_f64().unwrap_or(0.0);
            *sum = whole.map_or_else(|| json!(real()), |whole| json!(whole));
        }
        _ => {}
    }
}

fn add_objects(sum: &mut Map<String, Value>, other: &Map<String, Value>) {
    for (key, value) in other {
        match sum.get_mut(key) {
            Some(known) => add(known, value, key),
            None => {
                sum.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards() {
        let shard: Shard = "1/4".parse().unwrap();
        assert!(shard.is_some() && shard.has(5) && !shard.has(4));
        assert_eq!(shard.to_string(), "1/4");
        for text in ["4/4", "1", "0/0", "-1/2", "a/b"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn sums() {
        let part = |n: u64, more: &str| {
            let mut part = json!({ "cases": n, "seconds": 0.5, "digest": "ffffffffffffffff",
                "ways": [{ "way": "fast", "same": n }], "refused": {} });
            part["refused"][more] = 1.into();
            part
        };
        let parts = BTreeMap::from([(0, part(2, "a")), (3, part(5, "b"))]);
        let results = Results { path: None, plan: json!({ "parts": 4 }), parts };
        let expected = json!({ "cases": 7, "seconds": 1.0, "digest": "fffffffffffffffe",
            "ways": [{ "way": "fast", "same": 7 }], "refused": { "a": 1, "b": 1 } });
        assert_eq!(results.sum(), expected);
        assert_eq!(results.missing(), Missing { count: 2, first: vec![1, 2] });
    }

    /// Once a list of all missing parts was made, whatever their number.
    #[test]
    fn few_missing_parts_are_named() {
        let parts = BTreeMap::from([(1, json!({})), (3, json!({}))]);
        let results = Results { path: None, plan: json!({ "parts": MOST_PARTS }), parts };
        let missing = results.missing();
        assert_eq!((missing.count, missing.first.len()), (MOST_PARTS - 2, MOST_NAMED));
        assert_eq!(missing.first[..3], [0, 2, 4]);
        let endless = Results { path: None, plan: json!({ "parts": null }), parts: BTreeMap::new() };
        assert_eq!(endless.missing(), Missing::default());
    }

    #[test]
    fn a_file_that_was_cut_off_goes_on() {
        let path = std::env::temp_dir().join(format!("picaflor-results-{}", std::process::id()));
        let plan = json!({ "parts": 3 });
        let mut results = Results::open(Some(&path), plan.clone()).unwrap();
        results.add(0, json!({ "cases": 1 })).unwrap();
        results.add(2, json!({ "cases": 4 })).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 5]).unwrap();
        let mut again = Results::open(Some(&path), plan.clone()).unwrap();
        assert_eq!(again.missing(), Missing { count: 2, first: vec![1, 2] });
        again.add(2, json!({ "cases": 4 })).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        let other = Results::open(Some(&path), json!({ "parts": 4 })).unwrap_err().to_string();
        assert!(other.contains("other work"), "{other}");
        std::fs::write(&path, "{}\n").unwrap();
        assert!(Results::open(Some(&path), plan).is_err());
        std::fs::remove_file(&path).unwrap();
    }
}
