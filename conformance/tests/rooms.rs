//! The rule of rooms: a path without `pica` or `ge` is shared by both machines and imports neither; the two machines never
//! import each other; and no circle of imports leads through several rooms of a crate.
//!
//! A room is a folder or file right below `src`, and, where that is a machine's, right below the machine's folder:
//! `pica::fragment`, `emit`, `emit::ge`. Imports are read from the sources as text: paths that begin with `crate`, `self`,
//! `super` or a crate of the workspace. Code under `#[cfg(test)]`, comments and strings do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates of the workspace: name in paths, folder. `picaflor` is left out: it is a list of exports.
const CRATES: [(&str, &str); 8] = [
    ("picaflor_pipeline", "pipeline"),
    ("picaflor_interp", "interp"),
    ("picaflor_jit", "jit"),
    ("picaflor_capi", "jit/capi"),
    ("picaflor_scenes", "conformance/scenes"),
    ("picaflor_conformance", "conformance"),
    ("picaflor_page", "conformance/page"),
    ("picaflor_benches", "benches"),
];

/// Files that put the machines together, and so name both: a third machine edits them. The chapter on a third machine lists
/// the same files.
const COMPOSITION: [&str; 7] = [
    "jit/src/lib.rs",
    "jit/src/machines.rs",
    "jit/src/textures.rs",
    "jit/capi/src/engine.rs",
    "conformance/src/machines.rs",
    "conformance/src/target.rs",
    "benches/src/workloads.rs",
];

/// Circles that are known: the folder of the crate, the rooms, and why they are one.
const CIRCLES: [(&str, &[&str], &str); 6] = [
    (
        "pipeline",
        &["pica::capture", "pica::machine"],
        "the machine owns its recorder, and a CiTrace file is restored into a machine",
    ),
    (
        "conformance",
        &[
            "archive",
            "cli",
            "features",
            "html",
            "inspect",
            "lockstep",
            "machine",
            "machines",
            "replay",
            "reproduce",
            "timing",
        ],
        "the trait of machines names the types of the rooms that are written over it; the command line asks the list",
    ),
    ("conformance", &["target", "target::ge", "target::pica"], "the list of targets, and what they share"),
    (
        "benches",
        &["pica::contender", "pica::fragment", "pica::yardstick"],
        "the yardstick draws the states of the bench",
    ),
    (
        "conformance/scenes",
        &["ge::kit", "ge::texture"],
        "the kit writes letters with a texture, which a kit places",
    ),
    ("benches", &["pica::mesh", "pica::uniforms"], "meshes have bones, uniforms have the units of meshes"),
];

const MACHINES: [&str; 2] = ["pica", "ge"];

/// A source file without tests, comments and strings.
struct Source {
    /// From the root of the repository.
    file: String,
    /// Modules from the crate's root.
    module: Vec<String>,
    text: String,
}

/// The machine that a path belongs to.
fn machine(path: &[String]) -> Option<&'static str> {
    MACHINES.into_iter().find(|machine| path.iter().any(|part| part == machine))
}

/// The room of a module. Roots, which only declare and re-export, are none.
fn room(module: &[String]) -> Option<String> {
    let is_machine = |part: &String| MACHINES.contains(&part.as_str());
    let count = match module {
        [] => return None,
        [only] if is_machine(only) => return None,
        [first, ..] if is_machine(first) => 2,
        [_, second, ..] if is_machine(second) => 2,
        _ => 1,
    };
    Some(module[..count.min(module.len())].join("::"))
}

#[test]
fn shared_rooms_import_no_machine_and_machines_not_each_other() {
    let mut wrong = Vec::new();
    for (name, folder) in CRATES {
        for source in sources(folder) {
            let own = machine(&source.module);
            for path in imports(&source, name) {
                let other = machine(&path[1..]);
                let is_allowed =
                    other.is_none() || other == own || COMPOSITION.contains(&source.file.as_str());
                if !is_allowed {
                    wrong.push(format!("{} imports {}", source.file, path.join("::")));
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} imports against the rule:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn files_that_put_machines_together_exist_and_do() {
    let all: Vec<(&str, Source)> = CRATES
        .iter()
        .flat_map(|&(name, folder)| sources(folder).into_iter().map(move |s| (name, s)))
        .collect();
    for file in COMPOSITION {
        let (name, source) = all
            .iter()
            .find(|(_, source)| source.file == file)
            .unwrap_or_else(|| panic!("{file} is not there"));
        let named: BTreeSet<_> =
            imports(source, name).iter().filter_map(|path| machine(&path[1..])).collect();
        assert!(!named.is_empty(), "{file} names no machine: it need not be in the list");
    }
}

#[test]
fn the_chapter_on_a_third_machine_names_them() {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pipeline/docs/third-machine.md");
    let chapter = std::fs::read_to_string(chapter).expect("the chapter");
    let missing: Vec<_> = COMPOSITION.iter().filter(|file| !chapter.contains(&format!("`{file}`"))).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn rooms_import_each_other_in_no_circle() {
    let mut found = BTreeSet::new();
    for (name, folder) in CRATES {
        let graph = graph(name, folder);
        for circle in circles(&graph) {
            let edges = circle.iter().flat_map(|from| {
                graph[from]
                    .iter()
                    .filter(|(to, _)| circle.contains(*to))
                    .map(move |(to, file)| format!("  {from} -> {to} in {file}"))
            });
            println!(
                "{folder}: a circle of {} rooms\n{}",
                circle.len(),
                edges.collect::<Vec<_>>().join("\n")
            );
            found.insert((folder, circle.into_iter().collect::<Vec<_>>()));
        }
    }
    let known = CIRCLES
        .iter()
        .map(|(folder, rooms, _)| (*folder, rooms.iter().map(ToString::to_string).collect::<Vec<_>>()));
    assert_eq!(found, known.collect(), "circles found, and those that are known");
}

/// For each room the rooms that it imports, with a file that does.
fn graph(name: &str, folder: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let sources = sources(folder);
    let modules: BTreeSet<Vec<String>> = sources.iter().map(|source| source.module.clone()).collect();
    let mut graph: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for source in &sources {
        let Some(from) = room(&source.module) else { continue };
        let edges = graph.entry(from.clone()).or_default();
        for path in imports(source, name).iter().filter(|path| path[0] == name) {
            let inside = &path[1..];
            let known =
                (0..=inside.len()).rev().map(|length| &inside[..length]).find(|part| modules.contains(*part));
            if let Some(to) = known.and_then(room).filter(|to| *to != from) {
                edges.entry(to).or_insert_with(|| source.file.clone());
            }
        }
    }
    let all: BTreeSet<String> = graph.values().flat_map(|edges| edges.keys().cloned()).collect();
    for room in all {
        graph.entry(room).or_default();
    }
    graph
}

/// Sets of several rooms each of which reaches all others of its set.
fn circles(graph: &BTreeMap<String, BTreeMap<String, String>>) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|from| (from, reach(graph, from))).collect();
    let of = |room: &String| -> BTreeSet<String> {
        reached[room]
            .iter()
            .filter(|other| reached[**other].contains(room))
            .map(|other| (*other).clone())
            .collect()
    };
    let found: BTreeSet<BTreeSet<String>> = graph.keys().map(of).filter(|circle| circle.len() > 1).collect();
    found.into_iter().collect()
}

fn reach<'a>(
    graph: &'a BTreeMap<String, BTreeMap<String, String>>,
    from: &'a String,
) -> BTreeSet<&'a String> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
    while let Some(room) = left.pop() {
        left.extend(graph[room].keys().filter(|next| seen.insert(*next)));
    }
    seen
}

/// All paths that a source names, from the name of a crate on.
fn imports(source: &Source, name: &str) -> Vec<Vec<String>> {
    let tokens = tokens(&source.text);
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_start = tokens.get(at + 1) == Some(&"::") && (at == 0 || tokens[at - 1] != "::");
        let base = match *token {
            "crate" => vec![name.to_string()],
            "self" => [name.to_string()].into_iter().chain(source.module.iter().cloned()).collect(),
            "super" => [name.to_string()]
                .into_iter()
                .chain(source.module.iter().cloned())
                .take(source.module.len())
                .collect(),
            other if CRATES.iter().any(|(crate_name, _)| *crate_name == other) => vec![other.to_string()],
            other if MACHINES.contains(&other) => [name.to_string()]
                .into_iter()
                .chain(source.module.iter().cloned())
                .chain([other.to_string()])
                .collect(),
            _ => continue,
        };
        if is_start {
            tree(&tokens, at + 1, base, &mut found);
        }
    }
    found
}

/// Reads what follows a `::` at `at`, groups in braces included; where it ends.
fn tree(tokens: &[&str], at: usize, mut path: Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let mut at = at;
    while tokens.get(at) == Some(&"::") {
        at += 1;
        match tokens.get(at) {
            Some(&"{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    let mut inner = path.clone();
                    if is_word(tokens[at]) && tokens[at] != "self" {
                        inner.push(tokens[at].into());
                    }
                    at = tree(tokens, at + 1, inner, found);
                    while tokens.get(at).is_some_and(|token| !matches!(*token, "," | "}")) {
                        at += 1;
                    }
                    if tokens.get(at) == Some(&",") {
                        at += 1;
                    }
                }
                return at + 1;
            }
            Some(&"super") => {
                path.pop();
                at += 1;
            }
            Some(word) if is_word(word) => {
                path.push((*word).into());
                at += 1;
            }
            _ => break,
        }
    }
    found.push(path);
    at
}

fn is_word(token: &str) -> bool {
    token.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// Words, `::`, and single signs.
fn tokens(text: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = if word > 0 {
            word
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// The sources of a crate that are no tests.
fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let src = root.join(folder).join("src");
    let mut files = Vec::new();
    walk(&src, &mut files);
    let mut tests = BTreeSet::new();
    let mut found = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&src).expect("below src").to_path_buf();
        let mut module: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let last = module.pop().expect("a file").trim_end_matches(".rs").to_string();
        if !matches!(last.as_str(), "mod" | "lib" | "main") {
            module.push(last);
        }
        let (text, declared) = without_tests(&blank(&std::fs::read_to_string(&file).expect("a source")));
        tests.extend(
            declared.into_iter().map(|name| module.iter().cloned().chain([name]).collect::<Vec<_>>()),
        );
        found.push(Source { file: format!("{folder}/src/{}", inside.display()), module, text });
    }
    // Programs are leaves: nothing imports them, and they may ask about any machine.
    found.retain(|source| {
        let is_test = (1..=source.module.len()).any(|length| tests.contains(&source.module[..length]));
        !is_test && source.module.first().is_none_or(|first| first != "bin")
    });
    found
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
}

/// The source with comments and the contents of strings and characters taken out.
fn blank(source: &str) -> String {
    let (mut out, mut rest) = (String::new(), source);
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(rest) {
            length
        } else if first == '"' {
            string(rest)
        } else if first == '\'' {
            character(rest)
        } else {
            0
        };
        if skipped == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            out.push(' ');
            rest = &rest[skipped..];
        }
    }
    out
}

/// Length of a raw string at the start of a text.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let marks = after.chars().take_while(|c| *c == '#').count();
    after[marks..].starts_with('"').then_some(())?;
    let end = format!("\"{}", "#".repeat(marks));
    let begin = 1 + marks + 1;
    Some(text[begin..].find(&end).map_or(text.len(), |at| begin + at + end.len()))
}

fn string(text: &str) -> usize {
    let mut is_escaped = false;
    let inside = text[1..].char_indices().find(|(_, c)| {
        let ends = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    inside.map_or(text.len(), |(at, _)| at + 2)
}

/// Length of a character literal; 0 for the mark of a lifetime.
fn character(text: &str) -> usize {
    let mut inside = text[1..].char_indices();
    match (inside.next(), inside.next()) {
        (Some((_, '\\')), Some((at, next))) => {
            let from = 1 + at + next.len_utf8();
            text[from..].find('\'').map_or(0, |end| from + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 2,
        _ => 0,
    }
}

/// The text without what stands under `#[cfg(test)]` and the like, and the names of modules that are declared so.
fn without_tests(text: &str) -> (String, Vec<String>) {
    let (mut out, mut declared, mut rest) = (String::new(), Vec::new(), text);
    while let Some(at) = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|mark| rest.find(mark)).min() {
        out.push_str(&rest[..at]);
        let item = &rest[at..];
        let (semicolon, brace) = (item.find(';'), item.find('{'));
        let end = match (semicolon, brace) {
            (Some(semicolon), brace) if brace.is_none_or(|brace| semicolon < brace) => {
                let words = tokens(&item[..semicolon]);
                let name = words.iter().position(|word| *word == "mod").and_then(|mark| words.get(mark + 1));
                declared.extend(name.map(ToString::to_string));
                semicolon + 1
            }
            (_, Some(brace)) => brace + closing(&item[brace..]),
            _ => item.len(),
        };
        rest = &item[end..];
    }
    out.push_str(rest);
    (out, declared)
}

/// Length of a block that begins with its brace.
fn closing(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

#[test]
fn the_reader_sees_what_is_there() {
    let text = blank(
        "use crate::a::{b::C, d}; // use crate::no::x\n#[cfg(test)] mod tests { use crate::t::u; }\nfn f<'a>() -> char { super::g::h(\"crate::s\", 'x', '\\'') }",
    );
    let (text, declared) = without_tests(&text);
    let source = Source { file: "x".into(), module: vec!["m".into(), "n".into()], text };
    let paths: Vec<String> =
        imports(&source, "picaflor_jit").iter().map(|path| path[1..].join("::")).collect();
    assert_eq!(paths, ["a::b::C", "a::d", "m::g::h"]);
    assert_eq!(declared, Vec::<String>::new());
    assert_eq!(without_tests("#[cfg(test)]\nmod tests;\nuse x;").1, ["tests"]);
    assert_eq!(room(&["pica".into(), "draw".into(), "x".into()]).as_deref(), Some("pica::draw"));
    assert_eq!(room(&["emit".into(), "ge".into(), "x".into()]).as_deref(), Some("emit::ge"));
}
