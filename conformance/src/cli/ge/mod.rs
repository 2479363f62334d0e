//! What `render`, `diff`, `info`, `bench` and `demo` do with captures and scenes of the GE.

mod bench;
pub(super) mod demo;
mod diff;
mod info;
mod render;

pub(super) use bench::bench;
pub(super) use diff::diff;
pub(super) use info::info;
pub(super) use render::render;

use super::{CliError, read_file};
use crate::ge::scene::Scene;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::capture::ge::{Capture, format};
use picaflor_pipeline::capture::ppdmp::{self, Lists};
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
const SCENE: &str = "ge:";

/// Whether a source is a scene of the GE or a file with a capture of it: a frame dump, or one in the own format.
pub(super) fn is_ge(source: &str) -> bool {
    let mut first = Vec::new();
    let read = File::open(source).and_then(|file| file.take(FIRST_BYTES).read_to_end(&mut first));
    let is_file = read.is_ok() && (first.starts_with(ppdmp::MAGIC) || format::is_ge(&first));
    is_file || source.starts_with(SCENE)
}

/// The sources with `ge:all` replaced by every scene of the GE.
pub(super) fn expand(sources: &[String]) -> Vec<String> {
    let all = || Scene::all().into_iter().map(|scene| format!("{SCENE}{}", scene.name)).collect();
    let expand = |source: &String| if source == "ge:all" { all() } else { vec![source.clone()] };
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
    if let Some(scene) = source.strip_prefix(SCENE) {
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
