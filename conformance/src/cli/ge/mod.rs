//! What `render`, `diff`, `info`, `bench`, `demo` and `fuzz` do for the GE, and the subcommand that is for it alone.

mod bench;
pub(super) mod demo;
mod diff;
pub(super) mod fuzz;
pub mod hardware;
mod info;
mod render;

pub(super) use bench::Measured;
pub(super) use diff::compared;
pub(super) use info::{info, keys};
pub(super) use render::render;

use super::{CliError, read_file, standard_input};
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::ppdmp::{self, Lists};
use picaflor_pipeline::ge::capture::{Capture, format};
use picaflor_scenes::ge::Scene;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// First bytes of a file that tell what it is.
const FIRST_BYTES: u64 = 64;

/// A capture of the GE and what to call it.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) capture: Capture,
}

/// What names a scene of the GE instead of a file.
pub(super) const SCENE: &str = "ge:";
/// What may stand before that, as before the names of other scenes.
const ANY_SCENE: &str = "scene:";

/// The name of a scene of the GE, without what says so.
fn scene_name(source: &str) -> Option<&str> {
    source.strip_prefix(ANY_SCENE).unwrap_or(source).strip_prefix(SCENE)
}

/// Whether a source is a scene of the GE or a file with a capture of it: a frame dump, or one in the own format.
pub(super) fn is_ge(source: &str) -> bool {
    let first = if source == "-" { standard_input().ok().map(<[u8]>::to_vec) } else { first_bytes(source) };
    let is_file = first.is_some_and(|first| first.starts_with(ppdmp::MAGIC) || format::is_ge(&first));
    is_file || scene_name(source).is_some()
}

fn first_bytes(path: &str) -> Option<Vec<u8>> {
    let mut first = Vec::new();
    File::open(path).ok()?.take(FIRST_BYTES).read_to_end(&mut first).ok()?;
    Some(first)
}

/// The sources with `ge:all` replaced by every scene of the GE.
pub(super) fn expand(sources: &[String]) -> Vec<String> {
    let all = || Scene::all().into_iter().map(|scene| format!("{SCENE}{}", scene.name)).collect();
    let expand =
        |source: &String| if scene_name(source) == Some("all") { all() } else { vec![source.clone()] };
    sources.iter().flat_map(expand).collect()
}

/// The scene of a name.
fn scene_by_name(name: &str) -> Result<Scene, CliError> {
    let names = || Scene::all().iter().map(|scene| scene.name).collect::<Vec<_>>().join(", ");
    Scene::by_name(name)
        .ok_or_else(|| CliError::new(format!("there is no scene `{name}` of the GE; they are {}", names())))
}

/// The capture of such a file or scene.
pub(super) fn load(source: &str, lists: Lists) -> Result<Named, CliError> {
    let name = source.to_owned();
    if let Some(scene) = scene_name(source) {
        return Ok(Named { name, capture: scene_by_name(scene)?.capture() });
    }
    let bytes = read_file(Path::new(source))?;
    let fail = |why: CaptureError| CliError::new(format!("cannot use `{source}`: {why}"));
    let capture = if bytes.starts_with(ppdmp::MAGIC) {
        ppdmp::read(&bytes).and_then(|dump| ppdmp::translate(&dump, lists)).map(|(capture, _)| capture)
    } else {
        format::read(&bytes)
    };
    Ok(Named { name, capture: capture.map_err(fail)? })
}
