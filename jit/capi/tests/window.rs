//! The host with a window, on SDL's driver without a screen: frames, pause, single steps, speed, the end.

use crate::skip::skip;
use crate::support::{Language, Link, PACKAGE, compile, installed, run};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a compiler needs for SDL 2, where it is installed.
fn sdl() -> Option<Vec<String>> {
    let output = Command::new("pkg-config").args(["--cflags", "--libs", "sdl2"]).output().ok()?;
    let flags = String::from_utf8(output.stdout).ok().filter(|_| output.status.success());
    if flags.is_none() {
        skip("the host with a window: there is no SDL 2");
    }
    Some(flags?.split_whitespace().map(String::from).collect())
}

fn host() -> Option<PathBuf> {
    if !Language::C99.is_here() {
        return None;
    }
    let (sdl, prefix) = (sdl()?, installed());
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    let program = prefix.join("window");
    let mut command = Command::new("cc");
    command.args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror"]);
    command.arg(Path::new(PACKAGE).join("examples/window.c")).arg("-o").arg(&program);
    command.arg(format!("-I{}", include.display())).arg(format!("-L{}", lib.display())).arg("-lpicaflor");
    run(command.arg(format!("-Wl,-rpath,{}", lib.display())).args(sdl));
    Some(program)
}

fn play(host: &Path, options: &[&str], capture: &Path) -> Output {
    let mut command = Command::new(host);
    command.env("SDL_VIDEODRIVER", "dummy").args(["-x", "1"]).args(options).arg(capture);
    command.output().expect("the host runs")
}

fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(String::from).collect()
}

#[test]
fn window() {
    let Some(host) = host() else { return };
    let emulator = compile(&Path::new(PACKAGE).join("examples/emulator.c"), Language::C99, Link::Shared);
    let (picture, capture) = (installed().join("window.ppm"), installed().join("window.cap"));
    run(Command::new(emulator).args([&picture, &capture]));

    let whole = lines(&play(&host, &["-s", "0"], &capture));
    assert_eq!(whole.len(), 3, "{whole:?}");
    assert!(whole[0].starts_with("frame 0: 400 x 240, "), "{whole:?}");
    assert_eq!(lines(&play(&host, &["-s", "50", "-n", "2"], &capture)), whole[..2]);
    // What is in the window is the picture: the emulator wrote the last frame.
    let pixels = std::fs::read(&picture).expect("a picture");
    let rgb = pixels.strip_prefix(b"P6\n400 240\n255\n").expect("a picture of the upper screen");
    let bytes = rgb.chunks_exact(3).flat_map(|rgb| [rgb[2], rgb[1], rgb[0], 255]);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    assert!(whole[2].ends_with(&format!("{hash:016x}")), "{whole:?}: {hash:016x}");

    // It pauses after the first frame; two steps, and it ends.
    let stepped = lines(&play(&host, &["-s", "0", "-k", " .q"], &capture));
    assert_eq!(stepped, [&whole[0], "paused, speed 0", &whole[1], "ended, speed 0"]);
    let speeds = lines(&play(&host, &["-s", "8", "-k", "+-0"], &capture));
    let expected =
        [&whole[0], "playing, speed 16", &whole[1], "playing, speed 8", &whole[2], "playing, speed 0"];
    assert_eq!(speeds, expected);
}

#[test]
fn window_without_a_capture() {
    let Some(host) = host() else { return };
    let missing = play(&host, &[], Path::new("missing.cap"));
    assert_eq!(missing.status.code(), Some(1));
    let garbage = installed().join("garbage.cap");
    std::fs::write(&garbage, b"no capture").expect("a file");
    let refused = play(&host, &[], &garbage);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).starts_with("window: "), "{refused:?}");
    assert_eq!(Command::new(&host).output().expect("the host runs").status.code(), Some(2));
}
