//! Files, standard input and other streams, read no further than is wanted: a stream may have no end.

use super::{CliError, capture, shown_input};
use picaflor_pipeline::capture::format::DEFAULT_LIMIT;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Most bytes of a file that is read, those that a capture may have.
const MOST: u64 = DEFAULT_LIMIT;
/// Files of a folder whose names are looked at for a suggestion.
const MOST_FILES: usize = 10_000;

/// Standard input, a pipe or a device. Its bytes come once, so those that were read are kept.
struct Stream {
    source: Box<dyn Read + Send>,
    bytes: Vec<u8>,
}

/// The streams that were read, by name.
static STREAMS: Mutex<BTreeMap<PathBuf, Stream>> = Mutex::new(BTreeMap::new());

impl Stream {
    fn open(path: &Path) -> io::Result<Self> {
        let source: Box<dyn Read + Send> =
            if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
        Ok(Self { source, bytes: Vec::new() })
    }

    /// At most so many of its first bytes.
    fn first(&mut self, most: u64) -> io::Result<Vec<u8>> {
        let missing = most.saturating_sub(self.bytes.len() as u64);
        self.source.by_ref().take(missing).read_to_end(&mut self.bytes)?;
        let count = usize::try_from(most).unwrap_or(usize::MAX).min(self.bytes.len());
        Ok(self.bytes[..count].to_vec())
    }
}

/// True if a file is a stream; `-` is standard input.
pub(super) fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// At most so many of the first bytes of a file; `-` is standard input.
pub(super) fn first_of(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    first(path, most)
        .map_err(|why| CliError::new(format!("cannot read {}: {why}{}", shown_input(path), near_files(path))))
}

fn first(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !is_stream(path) {
        let mut bytes = Vec::new();
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if !streams.contains_key(path) {
        streams.insert(path.to_owned(), Stream::open(path)?);
    }
    streams.get_mut(path).map_or_else(|| Ok(Vec::new()), |stream| stream.first(most))
}

/// The bytes of a file; `-` is standard input.
///
/// # Errors
/// The input cannot be read, or is larger than any capture may be; the message names it.
pub fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    let fail = || CliError::new(format!("cannot read {}: it has more than {MOST} bytes", shown_input(path)));
    if fs::metadata(path).is_ok_and(|found| found.len() > MOST) {
        return Err(fail());
    }
    let bytes = first_of(path, MOST + 1)?;
    if bytes.len() as u64 > MOST { Err(fail()) } else { Ok(bytes) }
}

/// The text of a file; `-` is standard input.
///
/// # Errors
/// The input cannot be read, is too large or is not UTF-8; the message names it and the position.
pub fn read_text(path: &Path) -> Result<String, CliError> {
    String::from_utf8(read_file(path)?).map_err(|why| {
        let at = why.utf8_error().valid_up_to();
        CliError::new(format!("{} is not UTF-8 text from byte {at} on", shown_input(path)))
    })
}

/// The file of the same folder whose name is most like that of one that is not there, or the scene of that name.
fn near_files(path: &Path) -> String {
    if path.exists() || is_stream(path) {
        return String::new();
    }
    let name = path.to_string_lossy();
    if let Some(scene) = capture::scene_named(&name) {
        return format!("; did you mean `{scene}`?");
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let files = entries.filter(|entry| entry.path().is_file()).take(MOST_FILES);
    let names: Vec<String> = files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let near = crate::suggest::near(&wanted, names.iter().map(String::as_str));
    near.map_or_else(String::new, |name| format!("; did you mean `{}`?", path.with_file_name(name).display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream is read once, as far as is wanted, from its beginning each time.
    #[test]
    fn a_stream_is_read_as_far_as_is_wanted() {
        let mut stream = Stream { source: Box::new(io::repeat(7)), bytes: Vec::new() };
        assert_eq!(stream.first(3).unwrap(), [7; 3]);
        assert_eq!(stream.bytes.len(), 3);
        assert_eq!(stream.first(5).unwrap(), [7; 5]);
        assert_eq!(stream.first(2).unwrap(), [7; 2]);
        assert_eq!(stream.bytes.len(), 5);
        let mut short = Stream { source: Box::new(&b"abc"[..]), bytes: Vec::new() };
        assert_eq!((short.first(2).unwrap(), short.first(9).unwrap()), (b"ab".to_vec(), b"abc".to_vec()));
    }
}
