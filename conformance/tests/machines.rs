//! The README's table of machines is the one that the command line prints. After a change that is meant, run this
//! with `PICAFLOR_UPDATE=1`, which writes the README anew.

use picaflor_conformance::cli::machines::table;
use std::path::Path;
use std::process::Command;

const START: &str = "<!-- picaflor machines -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn the_readme_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(&path).expect("the README");
    let (before, rest) = readme.split_once(START).expect("where the table begins");
    let (shown, after) = rest.split_once(END).expect("where it ends");
    if std::env::var_os("PICAFLOR_UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, [before, START, &table(), END, after].concat()).expect("the README is written");
        return;
    }
    assert_eq!(shown, table());
}

#[test]
fn the_command_line_prints_it() {
    let output = Command::new(env!("CARGO_BIN_EXE_picaflor")).arg("machines").output().expect("it runs");
    assert!(output.status.success() && output.stderr.is_empty());
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(printed, table());
    let output =
        Command::new(env!("CARGO_BIN_EXE_picaflor")).args(["machines", "--json"]).output().expect("it runs");
    let features: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(features.as_array().map(Vec::len), Some(printed.lines().count() - 2));
    assert_eq!(features[0]["feature"], "Command lists");
    // Every row has both machines, and fuzzing knows kinds of both.
    assert!(printed.lines().all(|row| row.matches('|').count() == 4), "{printed}");
    assert!(printed.lines().last().is_some_and(|row| row.contains("fragment") && row.contains("ge-pixel")));
}
