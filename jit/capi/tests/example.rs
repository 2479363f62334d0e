//! The example emulator: compiled, run, its picture and its recording looked at.

use crate::support::{Language, Link, PACKAGE, compile, installed, run};
use picaflor_pipeline::pica::capture::{Capture, Event};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Width, height and pixels of a PPM file.
fn read_ppm(bytes: &[u8]) -> (usize, usize, &[[u8; 3]]) {
    let pixels = bytes.strip_prefix(b"P6\n400 240\n255\n").expect("a picture of the upper screen");
    (400, 240, pixels.as_chunks().0)
}

#[test]
fn emulator() {
    if !Language::C99.is_here() {
        return;
    }
    let program = compile(&Path::new(PACKAGE).join("examples/emulator.c"), Language::C99, Link::Shared);
    let (picture, recording) = (installed().join("emulator.ppm"), installed().join("emulator.cap"));
    let said = run(Command::new(program).args([&picture, &recording]));
    assert_eq!(said, (0..3).map(|n| format!("frame {n}: interrupts 0xd\n")).collect::<String>());

    let bytes = std::fs::read(&picture).expect("a picture");
    let (width, height, pixels) = read_ppm(&bytes);
    assert_eq!(pixels.len(), width * height);
    assert_eq!(pixels[0], [0x20, 0x28, 0x40], "what the buffer was cleared to");
    for (channel, name) in ["red", "green", "blue"].into_iter().enumerate() {
        let strongest = pixels.iter().map(|pixel| pixel[channel]).max();
        assert!(strongest > Some(240), "the {name} corner: {strongest:?}");
    }
    let drawn = pixels.iter().filter(|&&pixel| pixel != pixels[0]).count();
    assert!((20_000..25_000).contains(&drawn), "{drawn} pixels");

    let capture = Capture::read(&std::fs::read(&recording).expect("a recording")).expect("a capture");
    let lists = capture.events.iter().filter(|event| matches!(event, Event::List { .. })).count();
    assert_eq!((capture.frames(), lists), (3, 3));
}

#[test]
fn emulator_without_arguments() {
    if !Language::C99.is_here() {
        return;
    }
    let program = compile(&Path::new(PACKAGE).join("examples/emulator.c"), Language::C99, Link::Static);
    let output = Command::new(program).output().expect("the emulator runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage: "));
}

/// The same bytes through every entrance, in both languages of the header.
#[test]
fn ways() {
    for language in [Language::C99, Language::Cpp11].into_iter().filter(|language| language.is_here()) {
        let program = compile(&Path::new(PACKAGE).join("examples/ways.c"), language, Link::Shared);
        let said = run(&mut Command::new(program));
        assert!(said.contains("the same in six ways") && said.contains("the same in four ways"), "{said}");
    }
}

/// The player plays what the example emulator recorded: whole, frame by frame, and to files.
#[test]
fn player() {
    if !Language::C99.is_here() {
        return;
    }
    let compiled =
        |name: &str| compile(&Path::new(PACKAGE).join("examples").join(name), Language::C99, Link::Shared);
    let (emulator, player) = (compiled("emulator.c"), compiled("player.c"));
    let (picture, capture) = (installed().join("played.ppm"), installed().join("played.cap"));
    run(Command::new(emulator).args([&picture, &capture]));
    let whole = run(Command::new(&player)
        .arg("-s")
        .arg("1000")
        .arg("-o")
        .arg(installed().join("played"))
        .arg(&capture));
    let lines: Vec<&str> = whole.lines().collect();
    assert_eq!(lines.len(), 3, "{whole}");
    assert!(lines.iter().all(|line| line.contains("400 x 240") && line.contains("0 errors")), "{whole}");
    let last = std::fs::read(installed().join("played-2.ppm")).expect("a picture");
    assert!(last == std::fs::read(&picture).expect("a picture"), "what is played is what was shown");

    let step = |said: &str| {
        let mut child = Command::new(&player);
        child.arg("-i").arg(&capture).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = child.spawn().expect("it starts");
        child.stdin.take().expect("a pipe").write_all(said.as_bytes()).expect("read");
        String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("text")
    };
    assert_eq!(step("\n\nq\n").lines().collect::<Vec<_>>(), lines[..2]);
    assert_eq!(step("3\n").lines().collect::<Vec<_>>(), lines);
    assert_eq!(step("d\nq\n").lines().filter(|line| line.starts_with("  draw ")).count(), 1);
    let output = Command::new(&player).arg(&picture).output().expect("it starts");
    assert!(output.status.code() == Some(1) && !output.stderr.is_empty(), "a picture is no capture");
}
