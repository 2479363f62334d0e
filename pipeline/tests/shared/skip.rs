//! A test that cannot run on this machine says so here: nobody may take it for one that passed.
//!
//! Included by path into the tests of every package. `.ci/run` names a file in `PICAFLOR_SKIPPED`, which it prints
//! with a count at its end; without one the line goes to standard error.

use std::fs::OpenOptions;
use std::io::Write;

/// Notes that the test of this thread, or a part of it, is skipped.
pub(crate) fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("{} {}: {reason}\n", env!("CARGO_PKG_NAME"), thread.name().unwrap_or("of a thread"));
    let Some(list) = std::env::var_os("PICAFLOR_SKIPPED") else { return eprint!("skipped: {line}") };
    let file = OpenOptions::new().create(true).append(true).open(&list);
    // In one piece: other processes write too.
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|why| panic!("{}: {why}", list.display()));
}
