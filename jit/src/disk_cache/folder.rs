//! Files of the cache: whole or not at all, within a budget.
//!
//! A file for each routine, because then the file system does what is hard. A file appears under its name by
//! being renamed, so nobody ever reads half of one, whoever else uses the folder; several processes may, without
//! locks. Removing a routine is removing its file, and damage stays with one routine. A single file for all
//! routines would be read faster, but would have to be locked, and copied to make room.

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
/// Files that are kept at most, however small.
const MAX_FILES: usize = 65_536;
/// After this time a file that is read counts as used again, and one that is still not written never will be.
const HOUR: Duration = Duration::from_secs(3600);

/// The folder of one identity among those of others.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    own: PathBuf,
    /// Bytes of all identities together.
    budget: u64,
    /// Bytes written since the folder was measured, `None` before the first time.
    written: Mutex<Option<u64>>,
    /// How bytes get into a file; tests put a full disk here.
    pub(super) write: fn(&mut File, &[u8]) -> io::Result<()>,
}

impl Folder {
    /// The folder `name` in `root`. Touches nothing yet.
    pub(super) fn new(root: &Path, name: &str, budget: u64) -> Self {
        let write = |file: &mut File, bytes: &[u8]| file.write_all(bytes);
        Self { root: root.into(), own: root.join(name), budget, written: Mutex::new(None), write }
    }

    /// The folder that holds those of all identities.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the file of a routine is.
    pub(super) fn path(&self, name: u128) -> PathBuf {
        self.own.join(format!("{name:032x}{ROUTINE}"))
    }

    /// The bytes of a routine's file, which counts as used; `None` when there is none. Bytes beyond `limit`
    /// are left out.
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

    /// Puts the bytes there as a whole; how many old files were removed to make room.
    ///
    /// # Errors
    /// The system's refusal; there is then no new file, and an old one is as it was.
    pub(super) fn store(&self, name: u128, bytes: &[u8]) -> io::Result<u64> {
        let part = self.own.join(part_name(name));
        let mut file = self.create(&part)?;
        let written = (self.write)(&mut file, bytes).and_then(|()| fs::rename(&part, self.path(name)));
        if let Err(error) = written {
            // The first error is the one worth telling.
            let _ = fs::remove_file(&part);
            return Err(error);
        }
        self.count(bytes.len() as u64)
    }

    /// A new file, in a folder that may not be there yet, or not any more.
    fn create(&self, path: &Path) -> io::Result<File> {
        match writing().open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                folders().create(&self.own)?;
                writing().open(path)
            }
            opened => opened,
        }
    }

    /// Measures the folder at first, and then whenever a sixteenth of the budget was written: others may write
    /// too.
    fn count(&self, bytes: u64) -> io::Result<u64> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = written.map(|sum| sum.saturating_add(bytes));
        *written = Some(sum.filter(|&sum| sum < self.budget / 16).unwrap_or(0));
        match sum {
            Some(sum) if sum < self.budget / 16 => Ok(0),
            _ => self.tidy(),
        }
    }

    /// Removes what was never finished, and the files that were not used for longest until an eighth of the
    /// budget is free, if it was exceeded. Files and folders with other names than those given here are left
    /// alone.
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
        if left <= self.budget && files.len() <= MAX_FILES {
            return Ok(0);
        }
        files.sort_by_key(|file| file.used);
        let mut removed = 0;
        while left > self.budget / 8 * 7 || files.len() - removed > MAX_FILES {
            let Some(file) = files.get(removed) else { break };
            removed += 1;
            left -= file.bytes;
            remove(&file.path)?;
        }
        // Only empty ones go.
        folders.iter().filter(|&folder| *folder != self.own).for_each(|folder| drop(fs::remove_dir(folder)));
        Ok(removed as u64)
    }
}

/// A file that may be removed.
struct Removable {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

/// Lists a routine. What was never finished is removed when it is old.
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

/// Somebody else may have been faster.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Nobody else writes a file of this name: not this process, not another.
fn part_name(name: u128) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{name:032x}-{}-{}{PART}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Zero for what lies in the future.
fn age(metadata: &Metadata) -> Duration {
    let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    SystemTime::now().duration_since(modified).unwrap_or_default()
}

/// Opening something else than a file must not wait for anybody.
fn reading() -> OpenOptions {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options
}

/// New files that nobody else may read or write.
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
