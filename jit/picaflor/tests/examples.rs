//! The examples: each is run, and what it makes is looked at.

use picaflor::capture::pica::{Capture, Player};
use picaflor::pica::Screen;
use picaflor::{Interpreter, Picture};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs an example in a folder of the test's. Cargo has built it beside this test, unless it was asked for this test
/// alone.
fn run(name: &str, arguments: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut command = Command::new(built(name));
    let Output { status, stdout, stderr } =
        command.args(arguments).current_dir(folder).output().expect("it starts");
    assert!(status.success(), "{name}: {status}\n{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test.parent().and_then(Path::parent).expect("the folder of the profile");
    let path = profile.join("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", env!("CARGO_PKG_NAME"), "--example", name]);
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().is_ok_and(|status| status.success()), "{build:?}");
    }
    path
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples").join(name)).expect("a file")
}

/// A picture of the upper screen from a PPM file.
fn ppm(bytes: &[u8]) -> Picture {
    let pixels = bytes.strip_prefix(b"P6\n400 240\n255\n").expect("a picture of the upper screen");
    Picture { width: 400, height: 240, rgb: pixels.to_vec() }
}

#[test]
fn minimal_host() {
    run("minimal_host", &["wheel.ppm"]);
    let picture = ppm(&file("wheel.ppm"));
    assert_eq!(picture.pixel(0, 0), [0; 3], "nothing is drawn there");
    let centre = picture.pixel(200, 120);
    assert!(centre.iter().all(|&channel| channel > 245), "{centre:?}");
    // Red at the top, green at the lower left, blue at the lower right, and the rim is round.
    for (x, y, strongest) in [(200, 16, 0), (110, 172, 1), (290, 172, 2)] {
        let pixel = picture.pixel(x, y);
        assert!((0..3).all(|channel| pixel[channel] <= pixel[strongest]), "{x}, {y}: {pixel:?}");
    }
    let drawn = picture.rgb.chunks(3).filter(|pixel| **pixel != [0; 3]).count();
    assert!((36_000..37_000).contains(&drawn), "{drawn} pixels, a circle of radius 108 has 36644");
}

#[test]
fn screen_fill() {
    run("screen_fill", &["screen.ppm"]);
    let picture = ppm(&file("screen.ppm"));
    assert_eq!(picture.rgb.chunks(3).filter(|pixel| **pixel == [0x20, 0x80, 0xff]).count(), 400 * 240);
}

#[test]
fn ge_host() {
    run("ge_host", &["ge.ppm"]);
    let bytes = file("ge.ppm");
    let pixels = bytes.strip_prefix(b"P6\n480 272\n255\n").expect("a picture of the PSP's screen");
    let picture = Picture { width: 480, height: 272, rgb: pixels.to_vec() };
    assert_eq!(picture.pixel(0, 0), [0; 3], "nothing is drawn there");
    let centre = picture.pixel(240, 136);
    assert!(centre.iter().all(|&channel| channel > 235), "{centre:?}");
    // Channels are sines of the angle from the top, clockwise, plus 0, 2.1 and 4.2: red is largest at the right, of the others
    // green at the top and blue at the bottom.
    for (x, y, strongest) in [(350, 136, 0), (240, 20, 1), (240, 250, 2)] {
        let pixel = picture.pixel(x, y);
        assert!((0..3).all(|channel| pixel[channel] <= pixel[strongest]), "{x}, {y}: {pixel:?}");
    }
    let drawn = picture.rgb.chunks(3).filter(|pixel| **pixel != [0; 3]).count();
    assert!((44_800..45_400).contains(&drawn), "{drawn} pixels, a circle of radius 120 has 45239");
}

/// The listing in the README is the example.
#[test]
fn readme_has_the_screen_fill() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(package.join(path)).expect(path);
    let (readme, example) = (read("../../README.md"), read("examples/screen_fill.rs"));
    let (_, host) = example.split_once("\n\n").expect("a comment and the program");
    assert!(host.lines().count() <= 40, "{} lines", host.lines().count());
    assert!(readme.contains(&format!("```rust\n{host}```\n")), "README.md shows another host");
}

/// The README says in how many lines.
#[test]
fn minimal_host_is_short() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/minimal_host.rs");
    let lines = std::fs::read_to_string(path).expect("the example").lines().count();
    assert!(lines <= 64, "{lines} lines");
}

#[test]
fn vertex_recompiler() {
    let said = run("vertex_recompiler", &[]);
    let (compiled, rest) = said.split_once('\n').expect("lines");
    assert!(compiled.starts_with("3 words became "), "{compiled}");
    let frame = |x: &str| format!("x {x}, y [0.5, -0.5, -0.5], red [1.0, 1.0, 1.0]\n");
    let frames = ["[0.0, -0.5, 0.5]", "[0.25, -0.25, 0.75]", "[0.5, 0.0, 1.0]"].map(frame);
    assert_eq!(rest, frames.concat() + "0 faults of the guest\n");
}

/// What was drawn by compiled code is drawn again by the interpreter.
#[test]
fn record_capture() {
    let said = run("record_capture", &["square.cap"]);
    assert!(said.starts_with("square.cap: 3 frames, "), "{said}");
    let capture = Capture::read(&file("square.cap")).expect("a capture");
    let mut player = Player::new(&capture).expect("a capture that can be played");
    let mut engine = Interpreter::new();
    let mut squares = Vec::new();
    while let Some(frame) = player.run_frame(&mut engine) {
        assert_eq!(frame.errors, []);
        let picture = player.pica().picture(&mut engine, player.memory(), Screen::Top).expect("a picture");
        assert_eq!(picture.pixel(0, 0), [0x18, 0x20, 0x38], "what it was cleared to");
        let count = |colour: [u8; 3]| picture.rgb.chunks(3).filter(|pixel| **pixel == colour).count();
        // Each half of a square of 144 by 144 pixels.
        for colour in [[0xf0, 0xb0, 0x40], [0x30, 0x60, 0xb0]] {
            assert!((10_000..10_740).contains(&count(colour)), "{} pixels of {colour:x?}", count(colour));
        }
        squares.push(picture);
    }
    assert_eq!(squares.len(), 3);
    assert!(squares[0] != squares[1] && squares[1] != squares[2], "it turns");
}

/// The same bytes through every entrance.
#[test]
fn ways() {
    let said = run("ways", &[]);
    assert_eq!(said.lines().count(), 8, "{said}");
    assert!(said.lines().all(|line| line.ends_with(" same") && !line.contains(": 0 pixels")), "{said}");
}
