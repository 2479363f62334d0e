//! `find_package(Picaflor)` from an installed prefix, with both targets.

use crate::skip::skip;
use crate::support::{Language, PACKAGE, installed, run};
use std::path::Path;
use std::process::Command;

#[test]
fn find_package() {
    if !Language::C99.is_here() {
        return;
    }
    if Command::new("cmake").arg("--version").output().is_err() {
        return skip("there is no cmake");
    }
    let prefix = installed();
    let project = prefix.join("cmake-project");
    let build = project.join("build");
    let _ = std::fs::remove_dir_all(&build);
    std::fs::create_dir_all(&project).expect("a folder");
    let programs = Path::new(PACKAGE).join("tests/programs");
    let lines = format!(
        "cmake_minimum_required(VERSION 3.10)\n\
         project(host C)\n\
         find_package(Picaflor 0.1 REQUIRED)\n\
         foreach(kind shared static)\n\
         add_executable(triangle_${{kind}} {}/triangle.c)\n\
         target_link_libraries(triangle_${{kind}} PRIVATE Picaflor::${{kind}} m)\n\
         endforeach()\n",
        programs.display()
    );
    std::fs::write(project.join("CMakeLists.txt"), lines).expect("a project");
    let search = format!("-DCMAKE_PREFIX_PATH={}", prefix.display());
    run(Command::new("cmake").arg("-S").arg(&project).arg("-B").arg(&build).arg(search));
    run(Command::new("cmake").arg("--build").arg(&build));
    for kind in ["shared", "static"] {
        assert_eq!(run(&mut Command::new(build.join(format!("triangle_{kind}")))), "fine\n");
    }
}

/// Requests, and whether version 0.1.0 is one of them.
const REQUESTS: &[(&str, bool)] =
    &[("", true), ("0.1", true), ("0.1.0 EXACT", true), ("0.2", false), ("0.0", false), ("1.0", false)];

/// The same for ranges, which older versions of CMake do not know.
const RANGES: &[(&str, bool)] = &[
    ("0.0...0.5", true),
    ("0.1...0.1", true),
    ("0.1...<0.2", true),
    ("0.1.0...1", true),
    ("0.0...<0.1", false),
    ("0.0...<0.1.0", false),
    ("0.0...0.0.9", false),
    ("0.2...0.5", false),
];

#[test]
fn versions() {
    if !Language::C99.is_here() {
        return;
    }
    let Some(ranges) = knows_ranges() else { return skip("there is no cmake") };
    let project = installed().join("cmake-versions");
    let _ = std::fs::remove_dir_all(&project);
    std::fs::create_dir_all(&project).expect("a folder");
    let ranges = if ranges { RANGES } else { &[] };
    let mut lines = String::from("cmake_minimum_required(VERSION 3.10)\nproject(host C)\n");
    for (request, _) in REQUESTS.iter().chain(ranges) {
        lines += &format!(
            "find_package(Picaflor {request} CONFIG QUIET)\n\
             message(STATUS \"asked: {request}: ${{Picaflor_FOUND}}\")\n\
             unset(Picaflor_DIR CACHE)\nunset(Picaflor_FOUND)\n"
        );
    }
    std::fs::write(project.join("CMakeLists.txt"), lines).expect("a project");
    let search = format!("-DCMAKE_PREFIX_PATH={}", installed().display());
    let mut configure = Command::new("cmake");
    let said = run(configure.arg("-S").arg(&project).arg("-B").arg(project.join("build")).arg(search));
    for (request, is_found) in REQUESTS.iter().chain(ranges) {
        let line = format!("asked: {request}: {}\n", u8::from(*is_found));
        assert!(said.contains(&line), "{line}{said}");
    }
}

/// Whether `find_package` of this CMake knows ranges: 3.19 and later. `None` without CMake.
fn knows_ranges() -> Option<bool> {
    let output = Command::new("cmake").arg("--version").output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = said.split_whitespace().nth(2)?.split('.').map(|number| number.parse().unwrap_or(0));
    Some((numbers.next()?, numbers.next()?) >= (3, 19))
}
