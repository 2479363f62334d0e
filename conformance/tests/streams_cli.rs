//! Streams and names of files: input without an end, output that is full or closed, names that are no text.
#![cfg(unix)]

use crate::process::{folder, text};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn command(folder: &Path, args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
    command.current_dir(folder).args(args).stdin(Stdio::null());
    command
}

/// Exit code 0 and nothing on standard error; what is on standard output.
fn shown(folder: &Path, args: &[impl AsRef<OsStr>]) -> String {
    let output = command(folder, args).output().expect("it runs");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    text(&output.stdout)
}

/// Exit code 1 and one line.
fn refused(output: &Output) -> String {
    let why = text(&output.stderr);
    assert_eq!((output.status.code(), why.lines().count()), (Some(1), 1), "{why}");
    why
}

/// A small capture in a folder.
fn capture(folder: &Path) -> Vec<u8> {
    shown(folder, &["cut", "ge:game", "--draws", "3..5", "-o", "small.pcap"]);
    fs::read(folder.join("small.pcap")).expect("a capture")
}

/// Memory once was filled before the first bytes were looked at.
#[cfg(target_os = "linux")]
#[test]
fn input_without_an_end() {
    let folder = folder("endless");
    let zero = || File::open("/dev/zero").expect("a device");
    for name in ["info", "draws", "diff", "bench", "compare"] {
        let second = (name == "compare").then_some("ge:game");
        let device: Vec<&str> = [name, "/dev/full"].into_iter().chain(second).collect();
        let why = refused(&command(&folder, &device).output().expect("it runs"));
        assert!(why.contains("cannot use `/dev/full`: at byte 0 of the capture"), "{name}: {why}");
        let input: Vec<&str> = [name, "-"].into_iter().chain(second).collect();
        let why = refused(&command(&folder, &input).stdin(zero()).output().expect("it runs"));
        assert!(why.contains("cannot use standard input: at byte 0 of the capture"), "{name}: {why}");
    }
}

/// A file is not read if it is larger than a capture may be, whatever it is.
#[test]
fn files_that_are_too_large() {
    let folder = folder("too-large");
    fs::write(folder.join("large.pcap"), &capture(&folder)[..64]).expect("a file");
    let file = File::options().write(true).open(folder.join("large.pcap")).expect("a file");
    file.set_len((1 << 30) + 1).expect("a file with a hole");
    for args in [
        &["info", "large.pcap"][..],
        &["convert", "large.pcap", "a.pcap"],
        &["asm", "large.pcap", "-o", "a.shbin"],
        &["merge", "large.pcap"],
        &["fuzz", "--replay", "large.pcap"],
    ] {
        let why = refused(&command(&folder, args).output().expect("it runs"));
        let expected = "picaflor: error: cannot read `large.pcap`: it has more than 1073741824 bytes\n";
        assert_eq!(why, expected, "{args:?}");
    }
    fs::remove_dir_all(&folder).expect("the folder");
}

/// As in `picaflor info <(…)`: a pipe gives its bytes once, and the first ones were lost.
#[test]
fn a_pipe_by_name() {
    let folder = folder("pipe");
    let bytes = capture(&folder);
    let expected = shown(&folder, &["info", "small.pcap"]).replace("small.pcap", "/dev/stdin");
    let mut child = command(&folder, &["info", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    child.stdin.take().expect("piped").write_all(&bytes).expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((text(&output.stderr), text(&output.stdout)), (String::new(), expected));
}

/// Commands that write pictures, text and help.
const WRITERS: [&[&str]; 8] = [
    &["video", "ge:game", "-o", "-"],
    &["video", "ge:game", "-o", "-", "--draws"],
    &["render", "ge:game", "-o", "-"],
    &["info", "ge:game"],
    &["draws", "ge:game"],
    &["--help"],
    &["info", "--help"],
    &["--version"],
];

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_full() {
    let folder = folder("full");
    let full = || File::options().write(true).open("/dev/full").expect("a device");
    for args in WRITERS {
        let output = command(&folder, args).stdout(full()).output().expect("it runs");
        let why = refused(&output);
        assert!(why.starts_with("picaflor: error: cannot write standard output: "), "{args:?}: {why}");
    }
    let output = command(&folder, &["video", "ge:game", "-o", "/dev/full"]).output().expect("it runs");
    assert!(refused(&output).contains("cannot write `/dev/full`: "));
}

/// As in `picaflor video game.pcap -o - | head -c 8`.
#[test]
fn output_that_is_closed() {
    let folder = folder("closed");
    let by_name =
        [&["video", "ge:game", "-o", "/dev/stdout"][..], &["render", "ge:game", "-o", "/dev/stdout"]];
    for args in WRITERS.into_iter().chain(by_name) {
        let mut command = command(&folder, args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
    }
}

/// Bytes that are no UTF-8, in names of captures and of other files.
#[test]
fn names_that_are_no_text() {
    let folder = folder("no-text");
    let name = |end: &str| OsString::from_vec([b"x\xff", end.as_bytes()].concat());
    let bytes = capture(&folder);
    // Some systems have no such names.
    if fs::write(folder.join(name(".pcap")), bytes).is_err() {
        return;
    }
    let args = |words: &[&str]| -> Vec<OsString> {
        words.iter().map(|word| word.strip_prefix('x').map_or_else(|| word.into(), name)).collect()
    };
    for (words, field, expected) in [
        (&["info", "x.pcap", "--json"][..], "/capture", "x\u{fffd}.pcap"),
        (&["pixel", "x.pcap", "1", "1", "--json"], "/capture", "x\u{fffd}.pcap"),
        (&["draws", "x.pcap", "--json"], "/capture", "x\u{fffd}.pcap"),
        (&["cut", "x.pcap", "--draws", "0..1", "-o", "x.cut", "--json"], "/file", "x\u{fffd}.cut"),
        (&["compare", "x.pcap", "x.pcap", "--json"], "/b", "x\u{fffd}.pcap"),
        (&["diff", "x.pcap", "--threads", "1", "--json"], "/captures/0/capture", "x\u{fffd}.pcap"),
        (&["convert", "ge:game", "x.out", "--json"], "/file", "x\u{fffd}.out"),
        (&["video", "x.pcap", "-o", "x.png", "--json"], "/file", "x\u{fffd}.png"),
        (&["dump", "x.pcap", "--draw", "0", "-o", "x.d", "--json"], "/folder", "x\u{fffd}.d"),
        (&["check", "x.pcap", "--expect", "x.png", "--json"], "/checks/0/picture", "x\u{fffd}.png"),
    ] {
        let shown: Value = serde_json::from_str(&shown(&folder, &args(words))).expect("JSON");
        assert_eq!(shown.pointer(field), Some(&expected.into()), "{words:?}: {shown}");
    }
    assert!(folder.join(name(".d")).join("mesh.obj").exists());
    let heading = shown(&folder, &args(&["info", "x.pcap"]));
    assert!(heading.starts_with("x\u{fffd}.pcap: GE"), "{heading}");
    let why = refused(&command(&folder, &args(&["info", "x.none"])).output().expect("it runs"));
    assert!(why.contains("cannot read `x\u{fffd}.none`: "), "{why}");
}

/// Names with control characters do not reach a terminal as they are; programs get them.
#[test]
fn names_with_control_characters() {
    let folder = folder("control");
    let name = OsStr::from_bytes(b"e\x1b[31m.pcap");
    fs::write(folder.join(name), capture(&folder)).expect("a file");
    let plain = "e\u{fffd}[31m.pcap";
    for words in [
        &["info", "NAME"][..],
        &["info", "NAME", "--keys"],
        &["draws", "NAME"],
        &["compare", "NAME", "NAME"],
        &["diff", "NAME", "--threads", "1,2", "--results", "r"],
        &["merge", "r"],
        &["bench", "NAME", "--seconds", "0", "--threads", "1"],
        &["convert", "ge:game", "NAME"],
    ] {
        let args: Vec<&OsStr> =
            words.iter().map(|&word| if word == "NAME" { name } else { OsStr::new(word) }).collect();
        let shown = shown(&folder, &args);
        assert!(shown.contains(plain) && !shown.contains('\u{1b}'), "{words:?}: {shown}");
    }
    let results = fs::read_to_string(folder.join("r")).expect("results");
    assert!(results.contains("e\\u001b[31m.pcap"), "{results}");
}
