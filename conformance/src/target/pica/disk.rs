//! Files of the routine cache: any content leaves the drawn picture unchanged.

use super::program;
use crate::pica::programs::compare::{self, Verdict};
use crate::pica::programs::outcome::Loaded;
use picaflor_jit::{CompileError, Engine, EngineMode};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A folder with the routine of one case, removed on drop.
#[derive(Debug)]
pub struct CacheFolder {
    folder: PathBuf,
    /// The files of the routine's variants, with their original content.
    files: Vec<(PathBuf, Vec<u8>)>,
}

/// The failure to make a [`CacheFolder`].
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// This host cannot run compiled code.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The folder cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A program that compiles quickly: `add o0, v0, v1`, `end`, with a descriptor without swizzle or mask.
const TINY: [u8; 17] =
    [0, 2, 1, 0, 0, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x88, 0x6f, 0xc3, 0x06, 0x00];

impl CacheFolder {
    /// Compiles the case and keeps the files.
    ///
    /// # Errors
    /// [`CacheError`].
    pub fn new(folder: &Path) -> Result<Self, CacheError> {
        let mut made = Self { folder: folder.into(), files: Vec::new() };
        made.compare()?;
        for identity in fs::read_dir(folder)? {
            for file in fs::read_dir(identity?.path())? {
                let path = file?.path();
                made.files.push((path.clone(), fs::read(path)?));
            }
        }
        Ok(made)
    }

    /// The content of the files, as initial corpus.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        self.files.iter().map(|(_, bytes)| &bytes[..])
    }

    fn compare(&self) -> Result<(), CompileError> {
        let mut engine = Engine::builder().mode(EngineMode::Blocking).disk_cache(&self.folder).build()?;
        let case = program::case(&TINY).expect("bytes enough");
        let program = case.program();
        let loaded = Loaded::new(&case, &program);
        let (verdict, _) = compare::compare(&loaded, &compare::reference(&loaded), &mut engine);
        assert_eq!(verdict, Verdict::Same);
        Ok(())
    }
}

impl Drop for CacheFolder {
    fn drop(&mut self) {
        // A folder that stays behind does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Replaces the content of each file of the routine by these bytes; the engine still draws the same picture.
///
/// Bytes with a valid checksum are never made here: such a file counts as the engine's own and is run.
///
/// # Errors
/// The file cannot be written, or this host cannot run compiled code.
///
/// # Panics
/// If the engine does not draw the same, or panics.
pub fn disk_cache(bytes: &[u8], cache: &CacheFolder) -> Result<(), CacheError> {
    for (path, _) in &cache.files {
        fs::write(path, bytes)?;
    }
    Ok(cache.compare()?)
}
