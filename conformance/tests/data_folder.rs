//! The folder of data that is too large for the repository.

use std::path::PathBuf;

/// The folder that `PICAFLOR_DATA` names; without one the test is skipped.
pub(crate) fn data_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("PICAFLOR_DATA").map(PathBuf::from);
    if folder.is_none() {
        crate::skip::skip("PICAFLOR_DATA is not set");
    }
    folder
}
