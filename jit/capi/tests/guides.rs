//! The guides, followed: the C blocks of each are one program.

use crate::support::{Language, Link, PACKAGE, compile, installed, run};
use std::path::Path;
use std::process::Command;

/// The program of a guide: its blocks in order.
fn program(guide: &str) -> String {
    let path = Path::new(PACKAGE).join("../docs/guides").join(guide).with_extension("md");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let blocks = text.split("```c\n").skip(1).map(|rest| rest.split("```").next().expect("a block ends"));
    blocks.collect()
}

#[test]
fn programs_of_guides() {
    if !Language::C99.is_here() {
        return;
    }
    for (guide, says) in [
        ("shader-recompiler", "11 8\n"),
        ("3ds-renderer", "384000 bytes, pixel ff8040ff\n"),
        ("psp-renderer", "c08040\n"),
    ] {
        let source = installed().join(format!("guide-{guide}.c"));
        std::fs::write(&source, program(guide)).expect("a source");
        for link in [Link::Shared, Link::Static] {
            assert_eq!(run(&mut Command::new(compile(&source, Language::C99, link))), says, "{guide}");
        }
    }
}
