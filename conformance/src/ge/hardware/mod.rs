//! Recordings of consoles: tables of values beside frame dumps, and screens.
//!
//! A test is `NAME.ppdmp` with `NAME.hw`, and for some `NAME.expected.png`.
//!
//! * [`values`] reads the tables.
//! * [`judge`] plays a dump and compares memory with them; [`reasons`] lists the values that cannot match.

pub mod judge;
pub mod reasons;
pub mod values;

use crate::image::Image;
use picaflor_pipeline::ge::capture::ppdmp::{self, Dump};
use std::path::{Path, PathBuf};
use std::{fs, io};
use values::Value;

/// Screens that show the state after so many records instead of the end: the program went on drawing after its
/// screenshot.
const SCREENS_BEFORE_THE_END: [(&str, usize); 1] = [("texmtx_normals", 24)];

/// Errors of reading a test.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {why}", path.display())]
pub struct LoadError {
    path: PathBuf,
    why: String,
}

impl LoadError {
    fn new(path: &Path, why: impl ToString) -> Self {
        Self { path: path.into(), why: why.to_string() }
    }
}

/// A test.
#[derive(Debug, Clone)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// The frame dump; `None` for programs that could not be recorded.
    pub dump: Option<Dump>,
    /// Values that it gave.
    pub values: Vec<Value>,
    /// The screen, and the number of records before it.
    pub screen: Option<(Image, usize)>,
}

/// The names of the tests of a folder, in order.
///
/// # Errors
/// The folder cannot be read.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".hw").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

impl Test {
    /// Reads the files of a test.
    ///
    /// # Errors
    /// A file cannot be read or parsed.
    pub fn load(folder: &Path, name: &str) -> Result<Self, LoadError> {
        let file = |extension: &str| folder.join(format!("{name}.{extension}"));
        let table = file("hw");
        let text = fs::read_to_string(&table).map_err(|why| LoadError::new(&table, why))?;
        let values = values::parse(&text).map_err(|why| LoadError::new(&table, why))?;
        let dump = optional(&file("ppdmp"), ppdmp::read)?;
        let screen = optional(&file("expected.png"), Image::from_png)?;
        let end = SCREENS_BEFORE_THE_END.iter().find(|(of, _)| *of == name);
        let end = end.map_or(usize::MAX, |&(_, records)| records);
        Ok(Self { name: name.into(), dump, values, screen: screen.map(|screen| (screen, end)) })
    }
}

fn optional<T, E: ToString>(
    path: &Path,
    read: impl FnOnce(&[u8]) -> Result<T, E>,
) -> Result<Option<T>, LoadError> {
    match fs::read(path) {
        Ok(bytes) => read(&bytes).map(Some).map_err(|why| LoadError::new(path, why)),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(LoadError::new(path, why)),
    }
}
