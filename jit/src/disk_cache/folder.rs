//! Files of the cache: atomic writes, within a budget of bytes and a number of files.
//!
//! One file per routine leaves locking, allocation and crash safety to the file system. A file gets its final name by
//! a rename, so readers never see a partial file; several processes share the folder without locks. Removing a
//! routine is removing its file, and damage is limited to one routine. A single file for all routines would be read
//! faster, but would need a lock, and copying to reclaim space.

use std::fs::{self, DirEntry, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Ending of the name of a routine's file.
const ROUTINE: &str = ".routine";
/// Ending of the name of a file that is being written.
const PART: &str = ".part";
/// See [`Folder::most_files`].
const MAX_FILES: usize = 65_536;
/// Resolution of the time of last use, and the age at which an unfinished file counts as abandoned.
const HOUR: Duration = Duration::from_secs(3600);

/// The folder of one identity among those of others.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    own: PathBuf,
    /// Bytes of all identities together.
    budget: u64,
    /// Maximal number of files of all identities together, independent of their size.
    most_files: usize,
    /// What was written since the folder was measured, `None` before the first time.
    written: Mutex<Option<Written>>,
    /// Write function; tests substitute one that simulates a full disk.
    pub(super) write: fn(&mut File, &[u8]) -> io::Result<()>,
    /// Removes an old file; tests substitute one that the system refuses for some.
    pub(super) remove: fn(&Path) -> io::Result<()>,
}

/// Files, and their bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Written {
    files: usize,
    bytes: u64,
}

impl Folder {
    /// The folder `name` in `root`. No file access yet.
    pub(super) fn new(root: &Path, name: &str, budget: u64) -> Self {
        let write = |file: &mut File, bytes: &[u8]| file.write_all(bytes);
        let written = Mutex::new(None);
        let (root, own) = (root.into(), root.join(name));
        Self { root, own, budget, most_files: MAX_FILES, written, write, remove }
    }

    /// The same with room for another number of files, at least 16.
    #[cfg(test)]
    pub(super) fn with_most_files(self, most_files: usize) -> Self {
        Self { most_files, ..self }
    }

    /// The folder that holds those of all identities.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Path of the file of a routine.
    pub(super) fn path(&self, name: u128) -> PathBuf {
        self.own.join(format!("{name:032x}{ROUTINE}"))
    }

    /// Content of a routine's file, truncated to `limit` bytes; `None` without a file. Updates the time of last use.
    ///
    /// # Errors
    /// The system's refusal.
    pub(super) fn read(&self, name: u128, limit: usize) -> io::Result<Option<Vec<u8>>> {
        let file = match reading().open(self.path(name)) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Ok(Some(Vec::new()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(limit).min(limit));
        (&file).take(limit as u64).read_to_end(&mut bytes)?;
        if age(&metadata) > HOUR {
            // Where the system will not have it, the file only goes earlier.
            let _ = file.set_modified(SystemTime::now());
        }
        Ok(Some(bytes))
    }

    /// Writes a file atomically; returns the number of old files removed to make room.
    ///
    /// # Errors
    /// The error of the system; an old file of the same name is then unchanged.
    pub(super) fn store(&self, name: u128, bytes: &[u8]) -> io::Result<u64> {
        let part = self.own.join(part_name(name));
        let mut file = self.create(&part)?;
        let written = (self.write)(&mut file, bytes).and_then(|()| self.publish(&part, name, bytes));
        if let Err(error) = written {
            // The first error is the one worth telling.
            let _ = fs::remove_file(&part);
            return Err(error);
        }
        self.count(bytes.len() as u64)
    }

    /// Gives a finished file its name. No system replaces a folder by a file: one without contents goes first, any other
    /// stays. Windows refuses to replace a file that somebody has open, most likely to read or write the same routine: one
    /// with the same bytes serves as well.
    fn publish(&self, part: &Path, name: u128, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(name);
        let renamed = fs::rename(part, &path).or_else(|error| {
            // Refused for files and for folders with contents.
            fs::remove_dir(&path).map_err(|_| error).and_then(|()| fs::rename(part, &path))
        });
        renamed.or_else(|error| match self.read(name, bytes.len() + 1) {
            Ok(Some(there)) if there == bytes => fs::remove_file(part),
            _ => Err(error),
        })
    }

    /// Creates a file and, if needed, its folder, which another process may have removed.
    fn create(&self, path: &Path) -> io::Result<File> {
        match writing().open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                folders().create(&self.own)?;
                writing().open(path)
            }
            opened => opened,
        }
    }

    /// Adds a file to those written. Measures the folder at the first call and after each sixteenth of the budget or of the
    /// number of files, because other processes may write too.
    fn count(&self, bytes: u64) -> io::Result<u64> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = written.map(|sum| Written { files: sum.files + 1, bytes: sum.bytes.saturating_add(bytes) });
        let few = sum.filter(|sum| sum.bytes < self.budget / 16 && sum.files < self.most_files / 16);
        *written = Some(few.unwrap_or_default());
        if few.is_some() { Ok(0) } else { self.tidy() }
    }

    /// Removes abandoned files and, above the budget, the least recently used routines until an eighth of the budget
    /// is free. Files and folders with other names are left alone, and so is what the system refuses to remove.
    ///
    /// # Errors
    /// The system's refusal, if the budget is exceeded afterwards.
    fn tidy(&self) -> io::Result<u64> {
        let mut files = Vec::new();
        let folders: Vec<PathBuf> = identities(&self.root)?.collect();
        for folder in &folders {
            // Another process may have removed it meanwhile.
            fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .for_each(|entry| consider(&entry, &mut files));
        }
        let mut left: u64 = files.iter().map(|file| file.bytes).sum();
        if left <= self.budget && files.len() <= self.most_files {
            return Ok(0);
        }
        files.sort_by_key(|file| file.used);
        let (mut removed, mut refused) = (0, None);
        for file in &files {
            if left <= self.budget / 8 * 7 && files.len() - removed <= self.most_files {
                break;
            }
            match (self.remove)(&file.path) {
                Ok(()) => (removed, left) = (removed + 1, left - file.bytes),
                // Another one goes in its place.
                Err(error) => refused = Some(error),
            }
        }
        // Only empty ones go.
        folders.iter().filter(|&folder| *folder != self.own).for_each(|folder| drop(fs::remove_dir(folder)));
        match refused {
            Some(error) if left > self.budget || files.len() - removed > self.most_files => Err(error),
            _ => Ok(removed as u64),
        }
    }
}

/// A file that may be removed.
struct Removable {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

/// Collects a routine's file; removes an unfinished file that is old.
fn consider(entry: &DirEntry, files: &mut Vec<Removable>) {
    let (name, metadata) = (entry.file_name(), entry.metadata());
    let Some((name, metadata)) = name.to_str().zip(metadata.ok().filter(Metadata::is_file)) else { return };
    let is_hash = |text: &str| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if name.strip_suffix(ROUTINE).is_some_and(is_hash) && files.len() < 2 * MAX_FILES {
        let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        files.push(Removable { used, bytes: metadata.len(), path: entry.path() });
    }
    let is_part = name.ends_with(PART) && name.split('-').next().is_some_and(is_hash);
    if is_part && age(&metadata) > HOUR {
        // Whoever wrote it may finish or remove it yet.
        let _ = remove(&entry.path());
    }
}

/// The folders of all identities.
fn identities(root: &Path) -> io::Result<impl Iterator<Item = PathBuf>> {
    let is_identity = |name: &str| {
        let hash = name.rsplit_once('-').map_or("", |(_, hash)| hash);
        hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let folders = fs::read_dir(root)?.flatten().filter(move |entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder && entry.file_name().to_str().is_some_and(is_identity)
    });
    Ok(folders.map(|entry| entry.path()))
}

/// Removes a file; a missing file is no error, because another process may have removed it.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Name of an unfinished file, unique within this process and among all processes.
fn part_name(name: u128) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{name:032x}-{}-{}{PART}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Age of a file; zero for a time in the future.
fn age(metadata: &Metadata) -> Duration {
    let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    SystemTime::now().duration_since(modified).unwrap_or_default()
}

/// Options for reading: opening a pipe or device must not block.
fn reading() -> OpenOptions {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options
}

/// Options for writing: new files are private to the user.
fn writing() -> OpenOptions {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn folders() -> fs::DirBuilder {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}
