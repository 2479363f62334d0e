//! The jitdump file, from which `perf inject --jit` takes names and code of routines.
//!
//! Format: the jitdump specification in the Linux kernel's `tools/perf/Documentation`, version 1. All numbers are in
//! the byte order of the host. Record with `perf record -k mono`: timestamps are of the monotonic clock.

use super::routine::CodeBlock;
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// "JiTD" read as a number.
const MAGIC: u32 = 0x4a69_5444;
const VERSION: u32 = 1;
const HEADER_BYTES: u32 = 40;
/// Record kind: a function was loaded.
const CODE_LOAD: u32 = 0;
/// Bytes of a code-load record before the name.
const CODE_LOAD_BYTES: usize = 56;

/// The files of this process, with their paths. A folder has one of them, which all engines write: a second one in its place would
/// cut off the records of the first, whose next ones would go behind a gap. They stay to the end of the process, so that an
/// engine that comes after others goes on with their file.
static FILES: Mutex<Vec<(PathBuf, Arc<JitDump>)>> = Mutex::new(Vec::new());

/// A jitdump file being written.
#[derive(Debug)]
pub(crate) struct JitDump {
    output: Mutex<Output>,
    /// Never read: the executable mapping announces the file to `perf`. Not writable, like all code here.
    _marker: Mmap,
}

#[derive(Debug)]
struct Output {
    file: File,
    /// Number of the next routine.
    index: u64,
}

impl JitDump {
    /// `jit-<process>.dump` in `directory`, created unless this process has; `perf` requires that name.
    ///
    /// # Errors
    /// The error of the system; `Unsupported` on systems without `perf`.
    pub(crate) fn in_folder(directory: &Path) -> io::Result<Arc<Self>> {
        // First of all, so that a system without it is left no file.
        let header = header(now()?);
        let path = directory.canonicalize()?.join(format!("jit-{}.dump", std::process::id()));
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that somebody has removed are made anew.
        files.retain(|(path, _)| path.exists());
        if let Some((_, known)) = files.iter().find(|(known, _)| *known == path) {
            return Ok(Arc::clone(known));
        }
        let dump = Arc::new(Self::create(&path, &header)?);
        files.push((path, Arc::clone(&dump)));
        Ok(dump)
    }

    /// An earlier process of this number may have left a file.
    fn create(path: &Path, header: &[u8]) -> io::Result<Self> {
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
        file.write_all(header)?;
        // SAFETY: nothing is ever read through the mapping, so it does not matter that the file grows.
        let marker = unsafe { MmapOptions::new().len(HEADER_BYTES as usize).map_exec(&file)? };
        Ok(Self { output: Mutex::new(Output { file, index: 0 }), _marker: marker })
    }

    /// Adds a routine.
    pub(crate) fn record(&self, code: &CodeBlock) -> io::Result<()> {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // The time is read under the lock: records must be in its order.
        let record = code_load(code, output.index, now()?);
        output.index += 1;
        output.file.write_all(&record)
    }
}

fn header(time: u64) -> Vec<u8> {
    let words = [MAGIC, VERSION, HEADER_BYTES, elf_machine(), 0, std::process::id()];
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_ne_bytes).collect();
    bytes.extend(time.to_ne_bytes());
    let flags = 0_u64;
    bytes.extend(flags.to_ne_bytes());
    bytes
}

fn code_load(code: &CodeBlock, index: u64, time: u64) -> Vec<u8> {
    let total = CODE_LOAD_BYTES + code.name().len() + 1 + code.size();
    let mut bytes = Vec::with_capacity(total);
    let total = u32::try_from(total).expect("a routine is far smaller than 4 GiB");
    bytes.extend([CODE_LOAD, total].into_iter().flat_map(u32::to_ne_bytes));
    bytes.extend(time.to_ne_bytes());
    bytes.extend([std::process::id(), thread_id()].into_iter().flat_map(u32::to_ne_bytes));
    let address = code.entry() as u64;
    let words = [address, address, code.size() as u64, index];
    bytes.extend(words.into_iter().flat_map(u64::to_ne_bytes));
    bytes.extend(code.name().bytes().map(|byte| if byte == 0 { b' ' } else { byte }));
    bytes.push(0);
    bytes.extend(code.bytes());
    bytes
}

/// ELF machine number of the host.
pub(super) const fn elf_machine() -> u32 {
    match () {
        () if cfg!(target_arch = "x86_64") => 62,
        () if cfg!(target_arch = "aarch64") => 183,
        () if cfg!(target_arch = "riscv64") => 243,
        () => 0,
    }
}

/// Nanoseconds of the monotonic clock.
#[cfg(unix)]
fn now() -> io::Result<u64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is there to be written.
    if unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

#[cfg(not(unix))]
fn now() -> io::Result<u64> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn thread_id() -> u32 {
    // SAFETY: no requirements.
    unsafe { libc::gettid() as u32 }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn thread_id() -> u32 {
    std::process::id()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::code::compile::tests::{compiler, store};

    fn u32_at(bytes: &[u8], at: usize) -> u32 {
        u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    fn u64_at(bytes: &[u8], at: usize) -> u64 {
        u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    #[test]
    fn the_file_holds_a_header_and_every_routine() {
        let directory = std::env::temp_dir().join(format!("picaflor-jitdump-test-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let dump = JitDump::in_folder(&directory).unwrap();
        let mut compiler = compiler();
        let routines: Vec<_> = (0..3).map(|value| store(&mut compiler, value, 10).unwrap()).collect();
        for routine in &routines {
            dump.record(routine.code()).unwrap();
        }
        let bytes = std::fs::read(directory.join(format!("jit-{}.dump", std::process::id()))).unwrap();
        #[cfg(target_os = "linux")]
        assert!(mapped_executable(&directory));
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!([0, 4, 8, 20].map(|at| u32_at(&bytes, at)), [MAGIC, 1, 40, std::process::id()]);
        let (mut at, mut time) = (HEADER_BYTES as usize, u64_at(&bytes, 24));
        for (index, routine) in routines.iter().enumerate() {
            let (code, record) = (routine.code(), &bytes[at..at + u32_at(&bytes, at + 4) as usize]);
            assert_eq!((u32_at(record, 0), u32_at(record, 16)), (CODE_LOAD, std::process::id()));
            assert!(u64_at(record, 8) >= time);
            time = u64_at(record, 8);
            let address = code.entry() as u64;
            let numbers = [24, 32, 40, 48].map(|at| u64_at(record, at));
            assert_eq!(numbers, [address, address, code.size() as u64, index as u64]);
            let name = format!("{}\0", code.name());
            assert_eq!(&record[56..], [name.as_bytes(), code.bytes()].concat());
            at += record.len();
        }
        assert_eq!(at, bytes.len());
    }

    /// Engines of several threads record into one folder, while others come and go.
    #[test]
    fn engines_share_the_file_of_a_folder() {
        let directory = std::env::temp_dir().join(format!("picaflor-jitdump-shared-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let written: Vec<u64> = std::thread::scope(|scope| {
            let engine = |thread: usize| {
                let directory = &directory;
                scope.spawn(move || {
                    let mut addresses = Vec::new();
                    let mut compiler = compiler();
                    for n in 0..4 {
                        let dump = JitDump::in_folder(directory).unwrap();
                        let routine = store(&mut compiler, (thread * 4 + n) as i64, 10).unwrap();
                        dump.record(routine.code()).unwrap();
                        addresses.push(routine.code().entry() as u64);
                    }
                    addresses
                })
            };
            let engines: Vec<_> = (0..3).map(engine).collect();
            engines.into_iter().flat_map(|engine| engine.join().unwrap()).collect()
        });
        let bytes = std::fs::read(directory.join(format!("jit-{}.dump", std::process::id()))).unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        let (mut at, mut recorded) = (HEADER_BYTES as usize, Vec::new());
        while at < bytes.len() {
            assert_eq!((u32_at(&bytes, at), u64_at(&bytes, at + 48)), (CODE_LOAD, recorded.len() as u64));
            let size = u32_at(&bytes, at + 4) as usize;
            assert!(size > CODE_LOAD_BYTES, "a gap");
            recorded.push(u64_at(&bytes, at + 24));
            at += size;
        }
        assert_eq!((at, recorded.len()), (bytes.len(), written.len()));
        assert!(written.iter().all(|address| recorded.contains(address)));
    }

    #[cfg(target_os = "linux")]
    fn mapped_executable(directory: &Path) -> bool {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let lines = maps.lines().filter(|line| line.contains(directory.to_str().unwrap()));
        lines.map(|line| line.split_whitespace().nth(1)).eq([Some("r-xp")])
            || maps.lines().any(|line| line.contains(directory.to_str().unwrap()) && line.contains("r-xs"))
    }
}
