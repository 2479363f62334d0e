//! `picaflor asm` and `picaflor disasm` as processes: exit codes, messages, files.

use crate::process::{folder, picaflor};
use std::fs;
use std::path::{Path, PathBuf};

fn shader(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/shader").join(name)
}

#[test]
fn there_and_back() {
    let folder = folder("there_and_back");
    fs::copy(shader("light.v.pica"), folder.join("light.v.pica")).unwrap();
    let expected = fs::read(shader("light.shbin")).unwrap();
    let output = picaflor(&folder, &["asm", "light.v.pica", "-o", "light.shbin"]);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(fs::read(folder.join("light.shbin")).unwrap() == expected);
    let text = picaflor(&folder, &["disasm", "light.shbin"]).stdout;
    fs::write(folder.join("again.v.pica"), text).unwrap();
    assert!(picaflor(&folder, &["asm", "again.v.pica", "-o", "again.shbin"]).status.success());
    assert!(fs::read(folder.join("again.shbin")).unwrap() == expected);
}

#[test]
fn a_wrong_source_leaves_no_output() {
    let folder = folder("wrong_source");
    fs::write(folder.join("a.v.pica"), ".proc main\n\tmov r0, q1\n.end\n").unwrap();
    let output = picaflor(&folder, &["asm", "a.v.pica", "-o", "a.shbin"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "picaflor: error: a.v.pica:2:10: error: `q1` is neither a register nor declared\n\tmov r0, q1\n\t        ^^\n"
    );
    let names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["a.v.pica"]);
}

#[test]
fn an_old_output_survives_an_error() {
    let folder = folder("old_output");
    fs::write(folder.join("a.shbin"), "old").unwrap();
    fs::write(folder.join("a.v.pica"), "foo\n").unwrap();
    assert_eq!(picaflor(&folder, &["asm", "a.v.pica", "-o", "a.shbin"]).status.code(), Some(1));
    assert_eq!(fs::read(folder.join("a.shbin")).unwrap(), b"old");
}

#[test]
fn files_that_are_not_there_or_not_containers() {
    let folder = folder("not_there");
    fs::write(folder.join("text"), "text").unwrap();
    for args in [&["asm", "none", "-o", "out"][..], &["disasm", "none"], &["disasm", "text"]] {
        let output = picaflor(&folder, args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.lines().count() == 1 && message.contains(args[1]), "{message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn wrong_usage() {
    let folder = folder("usage");
    for args in [&["asm"][..], &["asm", "a", "--unknown"], &["disasm"]] {
        assert_eq!(picaflor(&folder, args).status.code(), Some(2), "{args:?}");
    }
    let help = picaflor(&folder, &["asm", "--help"]).stdout;
    assert!(String::from_utf8(help).unwrap().contains("picaflor asm light.v.pica -o light.shbin"));
}
