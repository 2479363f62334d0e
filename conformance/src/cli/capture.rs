//! The common part of `render`, `diff`, `info`, `bench` and `demo`: captures by file or scene, pictures in folders.

use super::input::{self, read_file};
use super::machine::AnyMachine;
use super::source::Source;
use super::{CliError, plain_name, shown_input, write_atomic};
use crate::archive::{self, FIRST_BYTES};
use crate::machine::{Machine, Reading};
use crate::machines::{MACHINES, recognises};
use picaflor_pipeline::capture::format;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::Cursor;
use std::path::Path;

/// Prefix of a scene name.
pub(super) const SCENE: &str = "scene:";
/// The scene that stands for all of them.
const ALL: &str = "all";

/// A capture and its name.
pub(crate) struct Named<M: Machine> {
    pub(crate) name: Source,
    pub(crate) capture: M::Capture,
}

/// The machine of a source that names a scene, and the name of the scene. A scene with the prefix `scene:` alone
/// belongs to the machine without a prefix of its own.
fn scene_of(source: &Source) -> Option<(&'static dyn AnyMachine, &str)> {
    let source = source.text();
    let name = source.strip_prefix(SCENE);
    let rest = name.unwrap_or(source);
    let by_prefix = |&machine: &&'static dyn AnyMachine| match machine.prefix() {
        "" => None,
        prefix => Some((machine, rest.strip_prefix(prefix)?)),
    };
    let plain = || Some((*MACHINES.iter().find(|machine| machine.prefix().is_empty())?, name?));
    MACHINES.iter().find_map(by_prefix).or_else(plain)
}

/// True if a source names a scene.
pub(super) fn is_scene(source: &Source) -> bool {
    scene_of(source).is_some()
}

/// The machine of a source. A source that no machine recognises goes to the first one, which reports the error.
pub(super) fn machine_of(source: &Source) -> &'static dyn AnyMachine {
    if let Some((machine, _)) = scene_of(source) {
        return machine;
    }
    let first = first_bytes(source.path()).unwrap_or_default();
    MACHINES.into_iter().find(|machine| machine.recognises(&first)).unwrap_or(MACHINES[0])
}

/// Fails if a precision was asked for, and no machine of the sources has several.
pub(super) fn allow_precision(sources: &[Source], is_given: bool) -> Result<(), CliError> {
    if is_given { allow("--precision", sources, |machine| machine.has_precisions()) } else { Ok(()) }
}

/// Fails if no machine of the sources has what an option is for.
pub(super) fn allow(
    option: &str,
    sources: &[Source],
    has: fn(&dyn AnyMachine) -> bool,
) -> Result<(), CliError> {
    if sources.iter().any(|source| has(machine_of(source))) {
        return Ok(());
    }
    let [source, ..] = sources else { return Ok(()) };
    let title = machine_of(source).title();
    Err(CliError::usage(format!("{option} is not for captures of the {title}")))
}

/// The first bytes of a capture, which may be in an archive.
fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    let first = input::first_of(path, FIRST_BYTES).ok()?;
    if !archive::is_archive(&first) {
        return Some(first);
    }
    if input::is_stream(path) {
        return archive::first_bytes(Cursor::new(read_file(path).ok()?));
    }
    archive::first_bytes(File::open(path).ok()?)
}

/// The file of a capture, as it is. Of a file that can be none only the first bytes are read: it may have no end.
pub(super) fn packed(path: &Path) -> Result<Vec<u8>, CliError> {
    let first = input::first_of(path, FIRST_BYTES)?;
    let may_be = archive::is_archive(&first) || recognises(&first) || first.starts_with(format::MAGIC);
    if may_be { read_file(path) } else { Ok(first) }
}

/// The file of a capture, as it is and unpacked.
pub(super) fn file_of(source: &Source) -> Result<Vec<u8>, CliError> {
    archive::unpacked(packed(source.path())?).map_err(|why| refused(source, &why))
}

/// The error for a source that cannot be used.
pub(super) fn refused(source: &Source, why: &dyn Display) -> CliError {
    CliError::new(format!("cannot use {}: {why}", shown_input(source.path())))
}

/// The capture of a file or scene.
pub(crate) fn load<M: Machine>(source: &Source, how: Reading) -> Result<Named<M>, CliError> {
    let name = source.clone();
    if let Some((_, scene)) = scene_of(source) {
        let capture = M::scene(scene, how).ok_or_else(|| CliError::new(M::no_scene(scene)))?;
        return Ok(Named { name, capture });
    }
    let capture = M::read(&file_of(source)?, how).map_err(|why| refused(source, &why))?;
    Ok(Named { name, capture })
}

/// The sources, in which `scene:all` and the like are replaced by every scene of a machine.
pub(super) fn expand(sources: &[Source]) -> Vec<Source> {
    let expand = |source: &Source| match scene_of(source) {
        Some((machine, ALL)) => {
            let scenes = machine.scenes();
            scenes.iter().map(|scene| Source::from(&scene_source(machine, scene.name))).collect()
        }
        _ => vec![source.clone()],
    };
    sources.iter().flat_map(expand).collect()
}

/// The source of the scene of this name, without its prefix.
pub(super) fn scene_named(name: &str) -> Option<String> {
    let has = |machine: &&&dyn AnyMachine| machine.scenes().iter().any(|scene| scene.name == name);
    MACHINES.iter().find(has).map(|machine| scene_source(*machine, name))
}

/// The source that names a scene.
fn scene_source(machine: &dyn AnyMachine, name: &str) -> String {
    let prefix = machine.prefix();
    format!("{}{name}", if prefix.is_empty() { SCENE } else { prefix })
}

/// A source as the start of a file name.
pub(super) fn stem(source: &Source) -> String {
    let name = scene_of(source).map_or(source.path(), |(_, name)| Path::new(name));
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    if stem.is_empty() { "capture".into() } else { stem.into_owned() }
}

/// Fails before the work if files cannot be written to the folder.
pub(super) fn refuse_file(folder: &Path) -> Result<(), CliError> {
    match folder.exists() && !folder.is_dir() {
        true => Err(CliError::new(format!("`{}` is no folder", plain_name(folder)))),
        false => Ok(()),
    }
}

/// Fails before the work if a file cannot be written because a folder has its name.
pub(super) fn refuse_folder(file: &Path) -> Result<(), CliError> {
    match file.is_dir() {
        true => Err(CliError::new(format!("`{}` is a folder", plain_name(file)))),
        false => Ok(()),
    }
}

pub(super) fn make_folder(folder: &Path) -> Result<(), CliError> {
    fs::create_dir_all(folder)
        .map_err(|why| CliError::new(format!("cannot make the folder `{}`: {why}", folder.display())))
}

/// Removes the files of a folder that have such a name: what is left of earlier work would pass for a part of this.
pub(super) fn remove_files(folder: &Path, is_stale: impl Fn(&str) -> bool) -> Result<(), CliError> {
    let fail = |why| CliError::new(format!("cannot tidy the folder `{}`: {why}", plain_name(folder)));
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        if entry.file_name().to_str().is_some_and(&is_stale) {
            fs::remove_file(entry.path()).map_err(fail)?;
        }
    }
    Ok(())
}

/// Writes a file into a folder that exists.
pub(super) fn write_into(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), CliError> {
    write_atomic(&folder.join(name), bytes)
}

/// Default number of threads: the number of processors of the host.
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
