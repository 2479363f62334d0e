//! Recordings and snapshots.

use crate::buffer::Buffer;
use crate::handle::Handle;
use crate::machine::{Machine, MachineHandle, with};
use crate::memory::{MAX_REGIONS, check_ranges};
use crate::raw::{Array, Out, Text, c_struct};
use crate::status::{Failure, Status, guard};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

c_struct! {
    fixed
    /// `picaflor_range`.
    Range {
        /// Physical address.
        address: u32,
        /// Bytes.
        length: u32,
    }
}

/// Starts a recording of a machine.
pub(crate) fn start<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    ranges: &Array<Range>,
    count: usize,
) -> Status {
    guard(|| {
        if count > MAX_REGIONS {
            return Err(Failure::argument(format!("more than {MAX_REGIONS} ranges")));
        }
        let ranges = ranges.slice(count, "ranges")?;
        let mut ranges: Vec<_> = ranges.iter().map(|range| (range.address, range.length)).collect();
        with(handle, |hosted| {
            if ranges.is_empty() {
                ranges = hosted.memory.ranges();
            }
            if ranges.is_empty() {
                return Err(Failure::argument("memory by a callback: say which ranges are mapped"));
            }
            check_ranges(&ranges)?;
            let started = hosted.machine.start_recording(&hosted.memory, &ranges);
            started.map_err(|error| Failure::argument(error.problem.to_string()))
        })
    })
}

/// Ends a recording and returns the capture in a buffer.
pub(crate) fn stop<M: Machine>(handle: &Handle<MachineHandle<M>>, capture: &Out<*mut Buffer>) -> Status {
    guard(|| capture.give("capture", || recorded(handle).map(Buffer::new)))
}

/// The same into a file.
pub(crate) fn stop_to<M: Machine>(handle: &Handle<MachineHandle<M>>, path: &Text) -> Status {
    guard(|| {
        let path = path.get("path")?.ok_or_else(|| Failure::null("path"))?;
        write_whole(Path::new(path), &recorded(handle)?)
            .map_err(|error| Failure::new(Status::Io, format!("{path}: {error}")))
    })
}

fn recorded<M: Machine>(handle: &Handle<MachineHandle<M>>) -> Result<Vec<u8>, Failure> {
    let capture = with(handle, |hosted| Ok(hosted.machine.stop_recording()))?;
    capture.ok_or_else(|| Failure::new(Status::State, "nothing is being recorded"))
}

/// Temporary name beside `path`, of this process and of this call alone.
fn beside(path: &Path) -> OsString {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.{call}.part", std::process::id()));
    name
}

/// Writes a file atomically. Of several threads that write one, the last leaves its bytes; Windows may refuse those that are done at
/// the same time.
fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let name = beside(path);
    let written = std::fs::write(&name, bytes).and_then(|()| std::fs::rename(&name, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&name);
    }
    written
}

/// Returns the state of a machine in a buffer.
pub(crate) fn save<M: Machine>(handle: &Handle<MachineHandle<M>>, state: &Out<*mut Buffer>) -> Status {
    guard(|| state.give("state", || with(handle, |hosted| hosted.machine.save())))
}

/// Restores the state of a machine.
pub(crate) fn load<M: Machine>(
    handle: &Handle<MachineHandle<M>>,
    bytes: &Array<u8>,
    length: usize,
) -> Status {
    guard(|| {
        let (words, rest) = bytes.slice(length, "bytes")?.as_chunks::<4>();
        let words: Vec<_> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        if !rest.is_empty() {
            return Err(Failure::new(
                Status::Format,
                format!("{length} bytes are not a whole number of words"),
            ));
        }
        with(handle, |hosted| Ok(hosted.machine.load(&words)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_write_one_file() {
        let folder = std::env::temp_dir().join(format!("picaflor-record-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("one.cap");
        std::thread::scope(|scope| {
            for byte in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..100 {
                        // Windows gives a name to one file at a time, and refuses the others.
                        if let Err(error) = write_whole(path, &[byte; 4096]) {
                            let is_refused = error.kind() == std::io::ErrorKind::PermissionDenied;
                            assert!(
                                cfg!(windows) && is_refused,
                                "a file of its own until it has its name: {error}"
                            );
                        }
                    }
                });
            }
        });
        let bytes = std::fs::read(&path).expect("the file");
        assert!(bytes.len() == 4096 && bytes.iter().all(|byte| *byte == bytes[0]), "of one thread");
        assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 1, "nothing is left beside it");
        std::fs::remove_dir_all(&folder).expect("no longer in use");
    }
}
