//! The coverage of the documents that the project started from: every register and command, every field of them, and
//! what it does here. The tables are appendices of the manuals (`coverage-pica.md`, `coverage-ge.md`).
//!
//! | file of `data/coverage` | content |
//! |---|---|
//! | `*-documents.txt` | numbers, names and bit ranges of the documents |
//! | `*-witnesses.txt` | for each field that a result depends on: a random case whose memory changes with the field |
//! | `*-answers.txt` | every other field: what it does, the test that shows it, the reason |
//!
//! A field without witness and without answer fails; so do a witness that no longer holds, an answer of a field that
//! has a witness, a stored field that does not read back, and a test that does not exist. `PICAFLOR_UPDATE=1`
//! writes the tables anew; `PICAFLOR_UPDATE=search` looks for witnesses too, for some minutes.

mod answers;
mod fields;
mod ge;
mod ge_cases;
mod markdown;
mod pica;
mod readers;
mod table;
mod vectors;
mod witness;

use std::path::{Path, PathBuf};

/// True if files are written instead of compared.
fn is_update() -> bool {
    std::env::var_os("PICAFLOR_UPDATE").is_some_and(|value| value == "1") || is_search()
}

/// True if witnesses are searched for too.
fn is_search() -> bool {
    std::env::var_os("PICAFLOR_UPDATE").is_some_and(|value| value == "search")
}

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

fn read(file: &str) -> String {
    let path = path(file);
    std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Compares text with a file, or writes the file.
fn golden(file: &str, text: &str) {
    if is_update() {
        std::fs::write(path(file), text).unwrap_or_else(|why| panic!("{file}: {why}"));
        return;
    }
    let committed = read(file);
    let differs = committed.lines().zip(text.lines()).find(|(old, new)| old != new);
    assert!(committed == text, "{file} is out of date (PICAFLOR_UPDATE=1 writes it): {differs:?}");
}

/// Lines of a data file: no empty ones, no comments.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
}
