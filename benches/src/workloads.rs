//! Captures and scenes that a bench runs `picaflor` on.

use picaflor_scenes::{ge, pica};
use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The workloads of a command line.
#[derive(Debug, Clone, clap::Args)]
pub struct Workloads {
    /// Captures, scene:NAME, scene:all, ge:NAME, ge:all; all scenes if neither a workload nor a folder is given
    workloads: Vec<String>,
    /// Every frame dump (.ppdmp) of a folder
    #[arg(long, value_name = "DIR")]
    frames: Option<PathBuf>,
    /// Every recording (.cap) of a folder
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
}

impl Workloads {
    /// Each as `picaflor` takes it.
    ///
    /// # Errors
    /// If a folder cannot be read, or there is no such scene or file.
    pub fn names(&self) -> Result<Vec<String>, Box<dyn Error>> {
        let mut names = Vec::new();
        for (folder, extension) in [(&self.frames, "ppdmp"), (&self.recordings, "cap")] {
            if let Some(folder) = folder {
                names.extend(files(folder, extension)?);
            }
        }
        names.extend(self.workloads.iter().flat_map(|workload| match workload.as_str() {
            "scene:all" => scenes(),
            "ge:all" => ge_scenes(),
            _ => vec![workload.clone()],
        }));
        if names.is_empty() {
            names = [scenes(), ge_scenes()].concat();
        }
        names.iter().try_for_each(|name| exists(name))?;
        Ok(names)
    }
}

/// The `picaflor` beside the running program, unless another one is named.
///
/// # Errors
/// If the system does not tell where the program is.
pub fn this_build(named: Option<&Path>) -> Result<PathBuf, Box<dyn Error>> {
    match named {
        Some(binary) => Ok(binary.to_owned()),
        None => Ok(std::env::current_exe()?
            .with_file_name("picaflor")
            .with_extension(std::env::consts::EXE_EXTENSION)),
    }
}

/// The name of a file, or the whole workload.
#[must_use]
pub fn short_name(workload: &str) -> &str {
    Path::new(workload).file_name().and_then(OsStr::to_str).unwrap_or(workload)
}

fn exists(workload: &str) -> Result<(), Box<dyn Error>> {
    let exists = match workload.split_once(':') {
        Some(("scene", name)) => pica::Scene::by_name(name).is_some(),
        Some(("ge", name)) => ge::Scene::by_name(name).is_some(),
        _ => std::fs::metadata(workload).map_err(|why| format!("{workload}: {why}"))?.is_file(),
    };
    if exists { Ok(()) } else { Err(format!("{workload}: there is no such workload").into()) }
}

fn scenes() -> Vec<String> {
    pica::Scene::all().iter().map(|scene| format!("scene:{}", scene.name)).collect()
}

fn ge_scenes() -> Vec<String> {
    ge::Scene::all().iter().map(|scene| format!("ge:{}", scene.name)).collect()
}

/// The files of a folder with an extension, by name.
fn files(folder: &Path, extension: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in folder.read_dir().map_err(|why| format!("{}: {why}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|found| found == extension) {
            files.push(path.into_os_string().into_string().map_err(|name| format!("{name:?} is not UTF-8"))?);
        }
    }
    files.sort_unstable();
    Ok(files)
}
