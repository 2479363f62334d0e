//! Pictures kept across builds: a folder with `NAME.png` and `NAME.json` for each check.

use crate::cli::{CliError, capture, read_file};
use crate::image::{Image, Panels};
use serde_json::Value;
use std::path::Path;

/// A picture against the one that was kept.
#[derive(Debug)]
pub(super) enum Kept {
    /// None was kept before.
    New,
    /// The same.
    Unchanged,
    /// Another one.
    Changed,
}

impl Kept {
    /// In words.
    pub(super) const fn words(&self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Unchanged => "unchanged",
            Self::Changed => "changed since baseline",
        }
    }
}

/// Compares a picture with the kept one; the pictures if they differ and are of one size.
pub(super) fn compare(
    folder: &Path,
    name: &str,
    picture: &Image,
) -> Result<(Kept, Option<Panels>), CliError> {
    let path = folder.join(format!("{name}.png"));
    if !path.exists() {
        return Ok((Kept::New, None));
    }
    let old = Image::from_any_png(&read_file(&path)?)
        .map_err(|why| CliError::new(format!("cannot use `{}`: {why}", path.display())))?;
    if old == *picture {
        return Ok((Kept::Unchanged, None));
    }
    Ok((Kept::Changed, Panels::of_images(&old, picture)))
}

/// Keeps a picture, a PNG file, and its result.
pub(super) fn keep(folder: &Path, name: &str, picture: &[u8], result: &Value) -> Result<(), CliError> {
    capture::make_folder(folder)?;
    capture::write_into(folder, &format!("{name}.png"), picture)?;
    capture::write_into(folder, &format!("{name}.json"), format!("{result:#}\n").as_bytes())
}
