//! Sessions: a function of the host in which draws stay pending from run to run. Unsafe code.
//!
//! The machine is borrowed for the time of that function. Calls from it that run something, or are about lists, fields and cycles,
//! find what is borrowed in a variable of the thread; all others fail as busy.

use super::{Console, GeHandle};
use crate::handle::Handle;
use crate::machine::{self, Machine as _};
use crate::raw::User;
use crate::state;
use crate::status::{Failure, Status, guard};
use picaflor_pipeline::ge::lists::Lists;
use picaflor_pipeline::ge::timing::Rates;
use picaflor_pipeline::ge::{RunError, Session};
use std::cell::RefCell;
use std::ptr::{NonNull, from_ref};

/// `picaflor_ge_session_callback`.
type WorkFn = extern "C" fn(User);

/// What a session borrows of a machine.
pub(super) struct Joint<'a, 's> {
    pub(super) session: &'a mut Session<'s>,
    pub(super) lists: &'a mut Lists,
    pub(super) rates: Rates,
}

/// A session of this thread.
struct Open {
    /// Address of the machine.
    machine: usize,
    /// Nothing while a call uses it.
    joint: Option<NonNull<Joint<'static, 'static>>>,
}

thread_local! {
    static OPEN: RefCell<Vec<Open>> = const { RefCell::new(Vec::new()) };
}

/// The end of a session, also by a panic.
struct Closes;

impl Drop for Closes {
    fn drop(&mut self) {
        OPEN.with_borrow_mut(|open| _ = open.pop());
    }
}

/// The end of a call that uses a session. After a panic nobody uses it again.
struct Returns {
    place: usize,
    joint: NonNull<Joint<'static, 'static>>,
}

impl Drop for Returns {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            OPEN.with_borrow_mut(|open| open[self.place].joint = Some(self.joint));
        }
    }
}

/// Calls `work`, in which [`joint`] finds the session.
///
/// # Panics
/// If a call in it has: the machine is poisoned.
fn enter(machine: usize, joint: &mut Joint<'_, '_>, work: impl FnOnce()) {
    let joint = Some(NonNull::from(joint).cast());
    OPEN.with_borrow_mut(|open| open.push(Open { machine, joint }));
    let _closes = Closes;
    work();
    let is_sound = OPEN.with_borrow(|open| open.last().is_some_and(|open| open.joint.is_some()));
    assert!(is_sound, "a call in the session failed inside the library");
}

/// Calls `work` with the session of a machine; `None` if this thread is in none.
///
/// # Errors
/// Another call uses the session: this one comes from a callback of it.
pub(super) fn joint<R>(
    ge: &Handle<GeHandle>,
    work: impl FnOnce(&mut Joint<'_, '_>) -> R,
) -> Result<Option<R>, Failure> {
    let machine = address(ge)?;
    let found = OPEN.with_borrow_mut(|open| {
        let place = open.iter().rposition(|open| open.machine == machine)?;
        Some(open[place].joint.take().map(|joint| Returns { place, joint }))
    });
    let Some(free) = found else { return Ok(None) };
    let mut returns = free.ok_or_else(in_use)?;
    // SAFETY: `enter` borrows what this points to until its entry goes, which is after this call: both are of one thread, and
    // this call returns before the `work` of `enter` does. The entry gives the pointer to one call at a time. `work` holds for
    // all lifetimes, so that nothing of it can leave with a longer one.
    Ok(Some(work(unsafe { returns.joint.as_mut() })))
}

/// The failure of a call from inside of another one.
pub(super) fn in_use() -> Failure {
    Failure::new(Status::Busy, "the session is in use by another call")
}

/// Address of a machine; nobody else has it while the machine lives.
fn address(ge: &Handle<GeHandle>) -> Result<usize, Failure> {
    Ok(from_ref(&*ge.get(Console::NAME)?).addr())
}

/// Calls `joint` with the session of a machine if this thread is in one, and otherwise `alone` with the machine.
pub(super) fn either<R>(
    ge: &Handle<GeHandle>,
    joint: impl FnOnce(&mut Joint<'_, '_>) -> Result<R, Failure>,
    alone: impl FnOnce(&mut machine::Hosted<Console>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    self::joint(ge, joint)?.unwrap_or_else(|| machine::with(ge, alone))
}

/// Calls `work` with the lists of a machine.
pub(super) fn with_lists<R>(ge: &Handle<GeHandle>, work: impl Fn(&mut Lists) -> R) -> Result<R, Failure> {
    either(ge, |joint| Ok(work(joint.lists)), |hosted| Ok(work(&mut hosted.machine.lists)))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_session(ge: Handle<GeHandle>, work: Option<WorkFn>, user: User) -> Status {
    guard(|| {
        let work = work.ok_or_else(|| Failure::null("work"))?;
        let machine = address(&ge)?;
        machine::with(&ge, |hosted| {
            hosted.work(|Console { ge, lists, rates }, engine, memory| {
                let rates = *rates;
                ge.session(engine, memory, |session| {
                    enter(machine, &mut Joint { session, lists, rates }, || work(user));
                })
            })
        })
    })
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_before_read(ge: Handle<GeHandle>, address: u32, length: u32) -> Status {
    guard(|| waited(&ge, |session| session.before_read(address, length)))
}

/// See the header.
#[unsafe(no_mangle)]
extern "C" fn picaflor_ge_before_write(ge: Handle<GeHandle>, address: u32, length: u32) -> Status {
    guard(|| {
        waited(&ge, |session| session.before_write(address, length))?;
        // An image counts as current while its version is.
        state::changed(&ge, address, length)
    })
}

fn waited(
    ge: &Handle<GeHandle>,
    wait: impl FnOnce(&mut Session<'_>) -> Result<(), RunError>,
) -> Result<(), Failure> {
    let done = joint(ge, |joint| wait(joint.session))?;
    done.map_or(Ok(()), |done| done.map_err(machine::failure))
}
