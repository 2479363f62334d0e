//! Status codes, the text of the last error, and the guard around every function of the header.

use picaflor_jit::ieee;
use picaflor_pipeline::snapshot::SnapshotError;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `picaflor_status`.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok = 0,
    Null = 1,
    Argument = 2,
    Size = 3,
    Busy = 4,
    Poisoned = 5,
    Internal = 6,
    List = 7,
    Host = 8,
    Format = 9,
    Io = 10,
    State = 11,
    Refused = 12,
    Stopped = 13,
}

impl Status {
    const ALL: [(Self, &'static std::ffi::CStr); 14] = [
        (Self::Ok, c"fine"),
        (Self::Null, c"NULL where it is not allowed"),
        (Self::Argument, c"an argument is out of range"),
        (Self::Size, c"a size is wrong or a buffer too small"),
        (Self::Busy, c"the handle is in use by another call"),
        (Self::Poisoned, c"an earlier call on this handle failed inside the library"),
        (Self::Internal, c"a failure inside the library"),
        (Self::List, c"a command list was given up"),
        (Self::Host, c"the host cannot do this"),
        (Self::Format, c"data in an unknown format, or damaged"),
        (Self::Io, c"a file could not be read or written"),
        (Self::State, c"not possible in this state"),
        (Self::Refused, c"not compiled: the interpreter serves"),
        (Self::Stopped, c"the run was stopped"),
    ];
}

/// Reason for a failure: status and text.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    pub(crate) fn null(what: &str) -> Self {
        Self::new(Status::Null, format!("{what} is NULL"))
    }

    pub(crate) fn argument(text: impl Into<String>) -> Self {
        Self::new(Status::Argument, text)
    }

    pub(crate) fn size(text: impl Into<String>) -> Self {
        Self::new(Status::Size, text)
    }
}

impl From<SnapshotError> for Failure {
    fn from(why: SnapshotError) -> Self {
        let status = match why {
            SnapshotError::NoMemory { .. } => Status::Host,
            _ => Status::Format,
        };
        Self::new(status, why.to_string())
    }
}

thread_local! {
    /// The text of the last failure, per thread, so that other threads cannot replace it.
    static LAST: RefCell<CString> = RefCell::default();
}

fn keep(text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // Fails while the thread ends; then nobody can ask any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = text);
}

/// Guard around every function of the header: nothing unwinds into C, the floating-point mode is the one that Rust
/// expects, and the text of a failure is kept.
pub(crate) fn guard(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    let (status, text) = guard_with(work);
    if status != Status::Ok {
        keep(&text);
    }
    status
}

/// The same for work on a thread of the library, whose failure another thread will ask for.
pub(crate) fn guard_with(work: impl FnOnce() -> Result<(), Failure>) -> (Status, String) {
    let outcome = catch_unwind(AssertUnwindSafe(|| ieee(work)));
    let failure = match outcome {
        Ok(Ok(())) => return (Status::Ok, String::new()),
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let failure = Failure::new(Status::Internal, panic_text(&*panic));
            // What was thrown may throw again when it is dropped.
            std::mem::forget(panic);
            failure
        }
    };
    (failure.status, failure.text)
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("a failure inside the library, please report it: {}", text.unwrap_or_default())
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_status_text(status: i32) -> *const c_char {
    let known = Status::ALL.iter().find(|(known, _)| *known as i32 == status);
    known.map_or(c"no such status", |(_, text)| text).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_error() -> String {
        LAST.with_borrow(|last| {
            assert_eq!(picaflor_last_error(), last.as_ptr());
            last.to_string_lossy().into_owned()
        })
    }

    #[test]
    fn failures_leave_their_text() {
        assert_eq!(guard(|| Err(Failure::null("the\0engine"))), Status::Null);
        assert_eq!(last_error(), "the engine is NULL");
        assert_eq!(guard(|| Ok(())), Status::Ok);
        assert_eq!(last_error(), "the engine is NULL", "kept until the next failure");
        std::thread::spawn(|| assert_eq!(last_error(), "")).join().expect("a thread of its own");
    }

    #[test]
    fn panics_stay_inside() {
        assert_eq!(guard(|| panic!("number {}", 7)), Status::Internal);
        assert!(last_error().ends_with("please report it: number 7"));
    }

    #[test]
    fn every_status_has_a_text() {
        for (i, (status, _)) in Status::ALL.iter().enumerate() {
            assert_eq!(*status as usize, i);
        }
    }
}
