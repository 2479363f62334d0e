//! The folder of data that is too large for the repository.

use std::path::{Path, PathBuf};

/// The folder that `PICAFLOR_DATA` names; without one the test is skipped.
pub(crate) fn data_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("PICAFLOR_DATA").map(PathBuf::from);
    if folder.is_none() {
        crate::skip::skip("PICAFLOR_DATA is not set");
    }
    folder
}

/// The files of a folder with this ending, in order.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == ending)).collect();
    files.sort();
    files
}
