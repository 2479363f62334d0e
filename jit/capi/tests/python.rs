//! The Python package, against the library of this build.

use crate::skip::skip;
use crate::support::{PACKAGE, libraries};
use std::path::Path;
use std::process::Command;

#[test]
fn the_package_passes_its_tests() {
    let folder = Path::new(PACKAGE).join("python");
    let is_here =
        Command::new("python3").args(["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status();
    if !is_here.is_ok_and(|status| status.success()) {
        return skip("there is no python3 from 3.9 on");
    }
    let name = if cfg!(target_os = "macos") { "libpicaflor.dylib" } else { "libpicaflor.so" };
    let mut tests = Command::new("python3");
    tests.args(["-B", "-m", "unittest", "discover", "-s", "tests", "-v"]).current_dir(&folder);
    tests.env("PICAFLOR_LIBRARY", libraries().join(name)).env("PYTHONPATH", &folder);
    let output = tests.output().expect("python3 starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && have_run(&said), "{said}");
    println!("{said}");
}

/// Whether a test of these lines has passed. `Ran N tests` has the tests that were skipped in some versions of Python, and not
/// in others, as 3.12.1.
fn have_run(said: &str) -> bool {
    said.lines().any(|line| line.ends_with("... ok"))
}

#[test]
fn none_and_skipped_tests() {
    let skipped = "test_arrays (test_picaflor.Pictures) ... skipped 'numpy is not installed'\n\nRan 1 test in 0.000s\n\nOK (skipped=1)\n";
    assert!(!have_run(skipped) && !have_run("\nRan 0 tests in 0.000s\n\nOK\n"));
    assert!(have_run(&format!("test_ge (test_picaflor.Machines) ... ok\n{skipped}")));
}
