//! A recording made by a host of its own, the example `record_capture` of `picaflor-jit`, on the command line.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The example, which Cargo builds beside the tests of its package.
fn host() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test.parent().and_then(Path::parent).expect("the folder of the profile");
    let path =
        profile.join("examples").join("record_capture").with_extension(std::env::consts::EXE_EXTENSION);
    if !path.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "picaflor", "--example", "record_capture"]);
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().is_ok_and(|status| status.success()), "{build:?}");
    }
    path
}

fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    assert!(status.success(), "{command:?}: {status}\n{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("text")
}

#[test]
fn a_recording_of_a_host_is_rendered_and_compared() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedding");
    std::fs::create_dir_all(&folder).expect("a folder");
    run(Command::new(host()).arg("square.cap").current_dir(&folder));

    let picaflor = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
        command.current_dir(&folder);
        command
    };
    let pictures = ["interp", "jit"].map(|engine| {
        run(picaflor().args(["render", "square.cap", "-o", "square.png", "--engine", engine]));
        std::fs::read(folder.join("square.png")).expect("a picture")
    });
    assert!(pictures[0].starts_with(b"\x89PNG") && pictures[0] == pictures[1]);
    let table = run(picaflor().args(["diff", "square.cap"]));
    let line: Vec<&str> = table.lines().nth(1).expect("a line").split_whitespace().collect();
    assert_eq!(
        (line[0], line[line.len() - 2], line[line.len() - 1]),
        ("square.cap", "3/3", "same"),
        "{table}"
    );
}
