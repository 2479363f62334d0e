//! Kept cases.

use super::Case;
use std::path::Path;

/// The case of a file.
///
/// # Errors
/// The file cannot be read, or holds no case of this kind.
pub fn load<C: Case>(path: &Path) -> Result<C, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    C::from_json(&text).map_err(|error| format!("{}: {error}", path.display()))
}
