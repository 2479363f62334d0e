//! Writing: whole files or none, streams that may be closed, lines of text.

use super::{CliError, plain_name, shown_output};
use serde_json::Value;
use std::fmt::Display;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The result of writing to a file; `-` is standard output. A closed pipe, as from `| head`, is no error: it is how the
/// reader says that it has seen enough.
pub(super) fn written(path: &Path, result: io::Result<()>) -> Result<(), CliError> {
    match result {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::new(format!("cannot write {}: {why}", shown_output(path))))
        }
        _ => Ok(()),
    }
}

/// Writes a file atomically: a temporary file beside it replaces it when it is complete. `-` is standard output; a
/// device or a pipe is written to, not replaced.
///
/// # Errors
/// The file cannot be written; no partial file is left then.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let result = if path == Path::new("-") {
        let mut out = io::stdout().lock();
        // What is left in the buffer of the process would be lost without a word.
        out.write_all(bytes).and_then(|()| out.flush())
    } else if is_kept(path) {
        fs::write(path, bytes)
    } else {
        replace(path, bytes)
    };
    written(path, result)
}

/// True for what is written to, not replaced: devices and pipes. A folder is among them, and refuses.
fn is_kept(path: &Path) -> bool {
    path.exists() && !path.is_file()
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    let mut file = fs::File::create_new(&temporary)?;
    file.write_all(bytes).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // The first error is the one worth telling.
        let _ = fs::remove_file(&temporary);
    })
}

/// A name beside a file for what replaces it.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// The output of [`stream_to`]. Encoders report a write that fails in words of their own, so its error is kept here.
#[derive(Clone)]
pub(super) struct Output(Arc<Mutex<Target>>);

struct Target {
    to: Box<dyn Write + Send>,
    /// The first write that failed.
    failed: Option<io::Error>,
}

impl Output {
    fn new(to: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Target { to: Box::new(to), failed: None })))
    }

    fn lock(&self) -> MutexGuard<'_, Target> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end: the first error of all writes.
    fn end(&self) -> io::Result<()> {
        let mut target = self.lock();
        let failed = target.failed.take();
        failed.map_or(Ok(()), Err).and_then(|()| target.to.flush())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut target = self.lock();
        target.to.write(bytes).map_err(|why| {
            let kind = why.kind();
            if kind != io::ErrorKind::Interrupted {
                target.failed.get_or_insert(why);
            }
            kind.into()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a file as its content is made: a temporary file beside it replaces it when `body` has succeeded. `-` is
/// standard output.
///
/// # Errors
/// That of `body`, or the file cannot be written; no partial file is left then.
pub(super) fn stream_to(
    path: &Path,
    body: impl FnOnce(Output) -> Result<(), CliError>,
) -> Result<(), CliError> {
    if path == Path::new("-") {
        return streamed(path, io::stdout(), body);
    }
    let fail = |why| written(path, Err(why));
    if is_kept(path) {
        return match fs::OpenOptions::new().write(true).open(path) {
            Ok(file) => streamed(path, file, body),
            Err(why) => fail(why),
        };
    }
    let temporary = temporary(path);
    match fs::File::create_new(&temporary) {
        Ok(file) => streamed(path, BufWriter::new(file), body)
            .and_then(|()| fs::rename(&temporary, path).or_else(fail))
            .inspect_err(|_| {
                // The first error is the one worth telling.
                let _ = fs::remove_file(&temporary);
            }),
        Err(why) => fail(why),
    }
}

/// Lets `body` write; a write that failed counts more than what `body` makes of it.
fn streamed(
    path: &Path,
    to: impl Write + Send + 'static,
    body: impl FnOnce(Output) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let output = Output::new(to);
    let result = body(output.clone());
    match output.end() {
        Ok(()) => result,
        failed => written(path, failed),
    }
}

/// Writes a line to standard error. One that cannot be written is lost: the exit code tells.
pub fn note(line: &dyn Display) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes text to standard output.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    write_atomic(Path::new("-"), text.as_bytes())
}

/// What is said of a file that was written: fields beside its name, or a text behind it; nothing of standard output.
pub(super) fn tell_of(path: &Path, is_json: bool, mut fields: Value, text: &str) -> Result<(), CliError> {
    if path == Path::new("-") {
        return Ok(());
    }
    fields["file"] = path.to_string_lossy().into();
    print(&if is_json { format!("{fields:#}\n") } else { format!("{}: {text}\n", plain_name(path)) })
}

/// Writes a line to standard output, as [`print()`]; a failure ends the process, with the exit code of failures.
pub(super) fn say(line: &dyn Display) {
    if let Err(why) = print(&format!("{line}\n")) {
        note(&why);
        std::process::exit(1);
    }
}

/// Prints what the reader of the arguments has to say, help or wrong usage; returns the exit code.
///
/// # Errors
/// Help cannot be written to standard output.
pub fn print_help(message: &clap::Error) -> Result<ExitCode, CliError> {
    let result = message.print().and_then(|()| io::stdout().flush());
    if !message.use_stderr() {
        written(Path::new("-"), result)?;
    }
    Ok(u8::try_from(message.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("picaflor-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_write_that_fails_leaves_nothing() {
        let folder = folder("write");
        fs::create_dir_all(folder.join("taken")).unwrap();
        // A folder cannot be replaced by a file.
        assert!(write_atomic(&folder.join("taken"), b"x").is_err());
        assert!(stream_to(&folder.join("taken"), |_| Ok(())).is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        write_atomic(&folder.join("new"), b"y").unwrap();
        assert_eq!(fs::read(folder.join("new")).unwrap(), b"y");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_stream_that_ends_early_leaves_nothing() {
        let folder = folder("stream");
        let path = folder.join("new");
        let body = |ends_well: bool| {
            move |mut output: Output| {
                output.write_all(b"some").map_err(CliError::new)?;
                if ends_well { Ok(()) } else { Err(CliError::new("it went wrong")) }
            }
        };
        let why = stream_to(&path, body(false)).unwrap_err().to_string();
        assert!(why.ends_with("it went wrong") && fs::read_dir(&folder).unwrap().count() == 0, "{why}");
        stream_to(&path, body(true)).unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(&folder).unwrap().count()), (b"some".to_vec(), 1));
        fs::remove_dir_all(&folder).unwrap();
    }

    /// An output that is full or closed after so many bytes.
    struct Full(usize, io::ErrorKind);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(self.1.into());
            }
            let count = bytes.len().min(self.0);
            self.0 -= count;
            Ok(count)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The error names the file, whatever the encoder says; a closed pipe is none.
    #[test]
    fn errors_of_streams_name_the_file() {
        let write = |full: Full, is_buffered: bool| {
            let body = |mut output: Output| {
                let result = output.write_all(b"more than fits");
                result.map_err(|_| CliError::new("words of an encoder"))
            };
            let path = Path::new("a.png");
            if is_buffered { streamed(path, BufWriter::new(full), body) } else { streamed(path, full, body) }
        };
        for is_buffered in [false, true] {
            let why = write(Full(4, io::ErrorKind::StorageFull), is_buffered).unwrap_err().to_string();
            assert!(why.starts_with("picaflor: error: cannot write `a.png`: "), "{why}");
            assert_eq!(write(Full(4, io::ErrorKind::BrokenPipe), is_buffered), Ok(()));
            assert_eq!(write(Full(99, io::ErrorKind::BrokenPipe), is_buffered), Ok(()));
        }
    }
}
