//! Events of the library, as lines of text for a callback of the host.

use crate::raw::User;
use crate::status::{Failure, Status, guard};
use std::cell::Cell;
use std::ffi::{CString, c_char};
use std::fmt::{Debug, Write as _};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// `picaflor_log`.
type LogFn = extern "C" fn(User, u32, *const c_char);

/// A callback. Each of its calls under way holds it.
struct Sink {
    user: User,
    log: LogFn,
}

/// The callback of the process.
static SINK: Mutex<Option<Arc<Sink>>> = Mutex::new(None);
/// A call of a callback has returned.
static RETURNED: Condvar = Condvar::new();
/// `PICAFLOR_LOG_...`, the least important that is wanted.
static WANTED: AtomicU32 = AtomicU32::new(0);
/// The program has a subscriber of its own.
static IS_REFUSED: OnceLock<bool> = OnceLock::new();

thread_local! {
    /// The callback that this thread is in, by its address, and how deep.
    static INSIDE: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

fn sink() -> MutexGuard<'static, Option<Arc<Sink>>> {
    SINK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many calls of a callback this thread is in.
fn depth(sink: &Arc<Sink>) -> usize {
    let (inside, depth) = INSIDE.get();
    if inside == Arc::as_ptr(sink).addr() { depth } else { 0 }
}

/// Sets the callback, and waits for calls of the one before on other threads: their host may free what they use.
fn replace(with: Option<Arc<Sink>>) {
    let mut now = sink();
    if let Some(before) = std::mem::replace(&mut *now, with) {
        while Arc::strong_count(&before) > 1 + depth(&before) {
            now = RETURNED.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// `PICAFLOR_LOG_...`.
fn number(level: Level) -> u32 {
    match level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        Level::TRACE => 5,
    }
}

/// Hands events to the callback.
struct Lines;

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        number(*metadata.level()) <= WANTED.load(Ordering::Relaxed)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let Some(called) = sink().clone() else { return };
        let mut line = Line::default();
        event.record(&mut line);
        let text = CString::new((line.message + &line.fields).replace('\0', " ")).unwrap_or_default();
        let before = INSIDE.replace((Arc::as_ptr(&called).addr(), depth(&called) + 1));
        // Called without the lock: a callback may set another.
        (called.log)(called.user, number(*event.metadata().level()), text.as_ptr());
        INSIDE.set(before);
        let now = sink();
        drop(called);
        drop(now);
        RETURNED.notify_all();
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The message of an event, and its other fields.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value}"),
            name => write!(self.fields, " {name}={value}"),
        };
    }
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_set_log(log: Option<LogFn>, user: User, level: u32) -> Status {
    guard(|| {
        if level > 5 {
            return Err(Failure::argument(format!("log level {level}")));
        }
        replace(log.map(|log| Arc::new(Sink { user, log })));
        WANTED.store(if log.is_some() { level } else { 0 }, Ordering::Relaxed);
        if *IS_REFUSED.get_or_init(|| tracing::subscriber::set_global_default(Lines).is_err()) {
            return Err(Failure::new(Status::State, "the program has a subscriber of `tracing` already"));
        }
        tracing::callsite::rebuild_interest_cache();
        Ok(())
    })
}
