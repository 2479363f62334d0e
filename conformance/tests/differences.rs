//! The pages of known differences are complete: every row of the manuals' tables of choices, and every room whose
//! comments say "assumed", is on the page of its machine; and the rooms that the pages name exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const DOCS: &str = "pipeline/docs";

/// A table of choices: manual, section, number of rows at least.
struct Choices {
    manual: &'static str,
    section: &'static str,
    least: usize,
}

struct Machine {
    /// First folder of its rooms.
    room: &'static str,
    page: &'static str,
    choices: &'static [Choices],
}

const MACHINES: [Machine; 2] = [
    Machine {
        room: "pica",
        page: "differences-pica.md",
        choices: &[
            Choices { manual: "pica-geometry", section: "10", least: 32 },
            Choices { manual: "pica-fragment", section: "9", least: 42 },
            Choices { manual: "pica-shader", section: "10", least: 40 },
        ],
    },
    Machine {
        room: "ge",
        page: "differences-ge.md",
        choices: &[Choices { manual: "psp-ge", section: "15", least: 34 }],
    },
];

/// Crates that have rooms of machines.
const CRATES: [&str; 3] = ["pipeline", "interp", "jit"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    let path = root().join(DOCS).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Rows of a page's tables, in cells; without titles.
fn rows(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter(|line| line.starts_with("| "));
    rows.map(|row| row.trim_matches('|').split(" | ").map(str::trim).collect()).collect()
}

/// Entries: subject, here, console, source, code, settled by.
fn entries(page: &str) -> Vec<Vec<&str>> {
    let entries = rows(page).into_iter().filter(|row| row.len() == 6 && row[4] != "code");
    entries.collect()
}

/// The numbers of the rows in the table of a section.
fn rows_of(choices: &Choices) -> BTreeSet<usize> {
    let manual = read(&format!("hardware/{}.md", choices.manual));
    let start = manual.find(&format!("\n## {}. ", choices.section)).expect("the section");
    let section = &manual[start + 4..];
    let section = &section[..section.find("\n## ").unwrap_or(section.len())];
    rows(section).iter().filter_map(|row| row[0].parse().ok()).collect()
}

/// The rows of a section that a source cites: `manual 10, rows 1, 2`.
fn cited(source: &str, choices: &Choices) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for part in source.split(';') {
        let start = format!("{} {}, row", choices.manual, choices.section);
        let Some(numbers) = part.trim().strip_prefix(&start) else { continue };
        let numbers = numbers.trim_start_matches('s').split(',');
        found.extend(numbers.map(|number| number.trim().parse::<usize>().expect("a number")));
    }
    found
}

#[test]
fn every_choice_is_listed() {
    for machine in &MACHINES {
        let page = read(machine.page);
        for choices in machine.choices {
            let rows = rows_of(choices);
            assert!(rows.len() >= choices.least, "{}: {} rows", choices.manual, rows.len());
            let listed: BTreeSet<usize> =
                entries(&page).iter().flat_map(|entry| cited(entry[3], choices)).collect();
            let missing: Vec<_> = rows.difference(&listed).collect();
            let unknown: Vec<_> = listed.difference(&rows).collect();
            assert!(
                missing.is_empty(),
                "{}: rows of {} that are missing: {missing:?}",
                machine.page,
                choices.manual
            );
            assert!(unknown.is_empty(), "{}: {} has no rows {unknown:?}", machine.page, choices.manual);
        }
    }
}

/// Rooms of an entry: paths in quotes.
fn rooms<'a>(entry: &[&'a str]) -> Vec<&'a str> {
    entry[4].split('`').skip(1).step_by(2).collect()
}

fn exists(room: &str) -> bool {
    let path = |package: &str| root().join(package).join("src").join(room);
    CRATES.iter().any(|package| path(package).is_dir() || path(package).with_extension("rs").is_file())
}

#[test]
fn entries_are_whole_and_their_rooms_exist() {
    for machine in &MACHINES {
        let page = read(machine.page);
        assert!(entries(&page).len() > 50, "{}", machine.page);
        for entry in entries(&page) {
            assert!(entry.iter().all(|cell| !cell.is_empty()), "{}: {entry:?}", machine.page);
            let rooms = rooms(&entry);
            assert!(!rooms.is_empty() || entry[4] == "–", "{}: no room: {entry:?}", machine.page);
            for room in rooms {
                let is_own = room.split('/').next() == Some(machine.room);
                assert!(is_own && exists(room), "{}: no room `{room}`: {entry:?}", machine.page);
            }
        }
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Files of the machine and of the oracle whose comments say "assumed" belong to a room on the page.
#[test]
fn every_assumption_is_listed() {
    for machine in &MACHINES {
        let page = read(machine.page);
        let listed: BTreeSet<&str> = entries(&page).iter().flat_map(|entry| rooms(entry)).collect();
        let mut missing = Vec::new();
        for package in ["pipeline", "interp"] {
            let base = root().join(package).join("src");
            let mut files = Vec::new();
            sources(&base.join(machine.room), &mut files);
            for file in files {
                let text = std::fs::read_to_string(&file).expect("a source");
                let path = file.strip_prefix(&base).expect("below").with_extension("");
                let is_listed = listed.iter().any(|room| path.starts_with(room));
                if text.lines().any(|line| line.contains("//") && line.contains("assumed")) && !is_listed {
                    missing.push(file);
                }
            }
        }
        assert!(missing.is_empty(), "{}: {missing:#?}", machine.page);
    }
}
