//! The guide to the oracle, followed: its commands are one session of a shell.

use crate::skip::skip;
use std::path::Path;
use std::process::Command;

#[test]
fn the_oracle_without_linking() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../jit/docs/guides/oracle.md");
    let text = std::fs::read_to_string(guide).expect("the guide");
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().expect("a block ends"));
    // The first block builds the binary, which Cargo has done for this test.
    let session: Vec<&str> = blocks.filter(|block| !block.starts_with("cargo ")).collect();
    assert_eq!(session.len(), 3);
    if Command::new("sh").args(["-c", "true"]).status().is_err() {
        return skip("there is no sh");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let binary = Path::new(env!("CARGO_BIN_EXE_picaflor")).parent().expect("its folder");
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(binary.to_path_buf()).chain(std::env::split_paths(&paths));
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &session.concat()]).current_dir(&folder);
    let output = shell.env("PATH", std::env::join_paths(paths).expect("paths")).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = std::fs::read_to_string(folder.join("expected.json")).expect("results");
    assert!(expected.contains("11"), "{expected}");
    assert!(folder.join("expected.png").is_file() && folder.join("draws.txt").is_file());
}
