//! What `render`, `diff`, `info` and `demo` share: captures by file or scene, precisions, pictures in folders.

use super::{CliError, ge, read_file, write_atomic};
use picaflor_pipeline::pica::capture::Capture;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;
use std::fs;
use std::path::Path;

/// What names a scene instead of a file.
const SCENE: &str = "scene:";

/// A precision by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum PrecisionName {
    /// Shaders round to 16 bits of mantissa, as the console does
    Console,
    /// Shaders round to binary32
    Binary32,
}

impl From<PrecisionName> for Precision {
    fn from(name: PrecisionName) -> Self {
        match name {
            PrecisionName::Console => Self::Console,
            PrecisionName::Binary32 => Self::Binary32,
        }
    }
}

/// A capture and what to call it.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) capture: Capture,
}

/// The capture of a file or scene; `precision` replaces its own.
pub(super) fn load(source: &str, precision: Option<Precision>) -> Result<Named, CliError> {
    let name = source.to_owned();
    if let Some(scene) = source.strip_prefix(SCENE) {
        let capture = scene_by_name(scene)?.capture(precision.unwrap_or(Precision::Console));
        return Ok(Named { name, capture });
    }
    let bytes = read_file(Path::new(source))?;
    let mut capture =
        Capture::read(&bytes).map_err(|why| CliError::new(format!("cannot use `{source}`: {why}")))?;
    capture.precision = precision.unwrap_or(capture.precision);
    Ok(Named { name, capture })
}

/// The sources with `scene:all` replaced by every scene.
pub(super) fn expand(sources: &[String]) -> Vec<String> {
    let all = || Scene::all().into_iter().map(|scene| format!("{SCENE}{}", scene.name)).collect();
    let expand = |source: &String| if source == "scene:all" { all() } else { vec![source.clone()] };
    sources.iter().flat_map(expand).collect()
}

/// The scene of a name.
pub(super) fn scene_by_name(name: &str) -> Result<Scene, CliError> {
    let names = || Scene::all().iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ");
    Scene::by_name(name)
        .ok_or_else(|| CliError::new(format!("there is no scene `{name}`; the scenes are {}", names())))
}

/// A source as the start of a file name.
pub(super) fn stem(source: &str) -> String {
    let name = source.strip_prefix(SCENE).unwrap_or(source);
    let name = name.strip_prefix(ge::SCENE).unwrap_or(name);
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    if stem.is_empty() { "capture".into() } else { stem.into_owned() }
}

pub(super) fn make_folder(folder: &Path) -> Result<(), CliError> {
    fs::create_dir_all(folder)
        .map_err(|why| CliError::new(format!("cannot make the folder `{}`: {why}", folder.display())))
}

/// Writes a file into a folder that exists.
pub(super) fn write_into(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), CliError> {
    write_atomic(&folder.join(name), bytes)
}

/// Threads to draw on if nobody chooses: as many as the host has processors.
pub(super) fn host_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Reads a number of threads.
pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=256) => Ok(threads),
        _ => Err("a number of threads is 1 to 256".into()),
    }
}
