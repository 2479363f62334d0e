//! The command line as a process of its own, in a folder of the test's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An empty folder below the target folder.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs `picaflor` in a folder; arguments are separated by white space.
pub(crate) fn picaflor_in(folder: &Path, args: &str) -> Output {
    picaflor(folder, &args.split_whitespace().collect::<Vec<_>>())
}

/// Runs `picaflor` in a folder, with nothing on standard input.
pub(crate) fn picaflor(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_picaflor"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).output().expect("the program runs")
}

/// What a process printed.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Names of the files in a folder, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
