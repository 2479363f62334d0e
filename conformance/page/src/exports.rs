//! The functions that the host calls, and those that it brings. One thread runs in an instance.

use crate::Library;
use picaflor_conformance::inspect::set_clock;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds since some time.
    fn now() -> f64;
    /// The library ends because of an internal mistake; its message, UTF-8.
    fn failed(message: *const u8, length: usize);
}

static LIBRARY: Mutex<Option<Library>> = Mutex::new(None);

fn clock() -> u64 {
    // SAFETY: the function has no arguments and reads no memory of this instance.
    let milliseconds = unsafe { now() };
    (milliseconds * 1e6) as u64
}

fn begin() {
    set_clock(clock);
    std::panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        // SAFETY: the host reads `length` bytes from `message` on before it returns; both are those of a live string.
        unsafe { failed(message.as_ptr(), message.len()) };
    }));
}

fn library() -> MutexGuard<'static, Option<Library>> {
    static BEGIN: Once = Once::new();
    BEGIN.call_once(begin);
    LIBRARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Address of a zeroed buffer of so many bytes, valid until the next call of `open` or `ask`.
// SAFETY: no other symbol of an instance has this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn buffer(bytes: usize) -> *mut u8 {
    library().get_or_insert_default().buffer(bytes).as_mut_ptr()
}

/// Opens the capture in the buffer; see [`Library::open`].
// SAFETY: as above.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn open(place: usize, name: usize) -> u32 {
    library().get_or_insert_default().open(place, name) as u32
}

/// Answers the question in the buffer; see [`Library::ask`].
// SAFETY: as above.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn ask() -> u32 {
    library().get_or_insert_default().ask() as u32
}

/// Address of the last answer, valid until the next call of `open` or `ask`.
// SAFETY: as above.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer() -> *const u8 {
    library().get_or_insert_default().answer().as_ptr()
}

/// Its bytes.
// SAFETY: as above.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn answer_length() -> usize {
    library().get_or_insert_default().answer().len()
}
