//! Handles: what C holds in the place of objects. Unsafe code; see also [`raw`](crate::raw).
//!
//! A handle is a number that looks like a pointer and is never dereferenced. It names a place in a table that is never
//! freed, and the round of that place: a place that is used again counts its rounds, so that a handle of an earlier
//! round is recognised. NULL, destroyed handles, handles of another kind, and numbers that are no handles are failures.
//!
//! A call counts as a user of its objects until it returns. The last user of a destroyed object frees it, so that an
//! object may be destroyed while another thread uses it. Two threads that destroy it at once: the exchange of the
//! place's state decides, and the other one fails.

use crate::raw::Out;
use crate::status::{Failure, Status};
use std::any::Any;
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// How the bits of a handle are divided: the round, the number of the place, and zeros.
struct Division {
    /// Bits below the number of the place: a handle is aligned like a pointer.
    alignment: u32,
    /// Bits of the number of the place.
    place: u32,
    /// Each chunk of places has twice as many as the one before.
    chunks: usize,
    /// The last round.
    last_round: u64,
}

/// 64 bits: handles stay below 2^47, the bound of addresses that runtimes of scripts can hold. 32 bits: 16,320 places of
/// 65,535 rounds, a thousand million objects in the life of a process.
const DIVISION: Division = if cfg!(target_pointer_width = "32") {
    Division { alignment: 2, place: 14, chunks: 8, last_round: (1 << 16) - 1 }
} else {
    Division { alignment: 4, place: 20, chunks: 14, last_round: (1 << 23) - 1 }
};
const ALIGNMENT_BITS: u32 = DIVISION.alignment;
const PLACE_BITS: u32 = DIVISION.place;
const CHUNKS: usize = DIVISION.chunks;
const LAST_ROUND: u64 = DIVISION.last_round;
/// Places of the first chunk.
const FIRST_CHUNK: usize = 64;
/// `PICAFLOR_MAX_HANDLES`.
const PLACES: usize = FIRST_CHUNK * ((1 << CHUNKS) - 1);
const _: () = assert!(PLACES <= 1 << PLACE_BITS);
const _: () = assert!(LAST_ROUND.ilog2() + PLACE_BITS + ALIGNMENT_BITS < usize::BITS);

/// Bits of a state below its round: the number of users, and [`ALIVE`].
const ROUND_SHIFT: u32 = 25;
/// The place has an object that is not destroyed.
const ALIVE: u64 = 1 << 24;
const USERS: u64 = ALIVE - 1;

/// What an object behind a handle is.
type Object = Box<dyn Any + Send + Sync>;

/// A place of the table.
#[derive(Default)]
struct Place {
    /// Round, [`ALIVE`], and number of users.
    state: AtomicU64,
    /// Written by whoever took the place from the list of free ones, and by the last user of a destroyed object.
    object: UnsafeCell<Option<Object>>,
}

// SAFETY: objects are `Send` and `Sync`. They are only read by users, and users exist only while the place is alive or
// has not been freed; both writers named at `object` are alone: the one before the place is alive, the other because
// nobody becomes a user of a place that is not alive.
unsafe impl Sync for Place {}

impl Place {
    /// Becomes a user of the object of a round; false if it is destroyed.
    fn enter(&self, round: u64) -> bool {
        let mut state = self.state.load(Ordering::Acquire);
        while state & !USERS == round << ROUND_SHIFT | ALIVE && state & USERS < USERS {
            match self.state.compare_exchange_weak(state, state + 1, Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return true,
                Err(now) => state = now,
            }
        }
        false
    }

    /// Ends the round, for a user of it; false if another thread did.
    fn end(&self, round: u64) -> bool {
        let next = |state: u64| {
            let is_alive = state & !USERS == round << ROUND_SHIFT | ALIVE;
            is_alive.then_some((round + 1) << ROUND_SHIFT | state & USERS)
        };
        self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).is_ok()
    }

    /// Is a user no longer. The last one of a destroyed object gets it.
    fn leave(&self) -> Option<Object> {
        let before = self.state.fetch_sub(1, Ordering::AcqRel);
        if before & (ALIVE | USERS) != 1 {
            return None;
        }
        // SAFETY: not alive, so nobody enters, and this was the last user: it is alone until the place is free again.
        unsafe { (*self.object.get()).take() }
    }
}

/// Places that can be used.
struct Free {
    /// Used before, the longest unused first.
    returned: VecDeque<usize>,
    /// Places from here on were never used.
    unused: usize,
}

/// The places of the process. Chunks are never freed.
struct Table {
    chunks: [OnceLock<Box<[Place]>>; CHUNKS],
    free: Mutex<Free>,
}

static TABLE: Table = Table {
    chunks: [const { OnceLock::new() }; CHUNKS],
    free: Mutex::new(Free { returned: VecDeque::new(), unused: 0 }),
};

/// Chunk, and place in it.
const fn split(number: usize) -> (usize, usize) {
    let chunk = (number / FIRST_CHUNK + 1).ilog2() as usize;
    (chunk, number - FIRST_CHUNK * ((1 << chunk) - 1))
}

/// The number of a place, and its round.
const fn parts(handle: usize) -> Option<(usize, u64)> {
    let number = handle >> ALIGNMENT_BITS & ((1 << PLACE_BITS) - 1);
    let round = (handle >> (ALIGNMENT_BITS + PLACE_BITS)) as u64;
    let is_one = handle.is_multiple_of(1 << ALIGNMENT_BITS) && number < PLACES;
    if is_one && round != 0 && round <= LAST_ROUND { Some((number, round)) } else { None }
}

impl Table {
    fn free(&self) -> std::sync::MutexGuard<'_, Free> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place, if one was used there.
    fn place(&self, number: usize) -> Option<&Place> {
        let (chunk, within) = split(number);
        self.chunks.get(chunk)?.get()?.get(within)
    }

    /// Stores an object, and returns its handle; `None` without a free place.
    fn insert(&self, object: Object) -> Option<usize> {
        let mut free = self.free();
        let number = match free.returned.pop_front() {
            Some(number) => number,
            None if free.unused < PLACES => {
                free.unused += 1;
                free.unused - 1
            }
            None => return None,
        };
        drop(free);
        let (chunk, within) = split(number);
        let fresh = || (0..FIRST_CHUNK << chunk).map(|_| Place::default()).collect();
        let place = &self.chunks[chunk].get_or_init(fresh)[within];
        // The first round is 1: no handle is NULL.
        let round = (place.state.load(Ordering::Acquire) >> ROUND_SHIFT).max(1);
        // SAFETY: the place is not alive, was never used or was left by its last user, and this thread alone took it
        // from the list.
        unsafe { *place.object.get() = Some(object) };
        place.state.store(round << ROUND_SHIFT | ALIVE, Ordering::Release);
        Some((round as usize) << (ALIGNMENT_BITS + PLACE_BITS) | number << ALIGNMENT_BITS)
    }

    /// Takes a place back whose last user has left. One whose rounds are used up is not used again.
    fn give_back(&self, number: usize, place: &Place) {
        if place.state.load(Ordering::Acquire) >> ROUND_SHIFT <= LAST_ROUND {
            self.free().returned.push_back(number);
        }
    }
}

/// An object in use by a call.
pub(crate) struct Held<T> {
    place: &'static Place,
    number: usize,
    round: u64,
    object: NonNull<T>,
}

impl<T: Any> Held<T> {
    /// The object of a handle that is not NULL.
    fn find(handle: usize, what: &str) -> Result<Self, Failure> {
        let gone = || Failure::argument(format!("{what} is destroyed, or not a handle"));
        let (number, round) = parts(handle).ok_or_else(gone)?;
        let place = TABLE.place(number).filter(|place| place.enter(round)).ok_or_else(gone)?;
        // Leaves if the object is of another kind.
        let user = Held { place, number, round, object: NonNull::<()>::dangling() };
        // SAFETY: this call is a user of the place, so that nobody writes the object until it leaves.
        let object = unsafe { (*place.object.get()).as_ref() };
        let object = object.and_then(|object| object.downcast_ref::<T>());
        let object =
            object.ok_or_else(|| Failure::argument(format!("{what} is a handle of another kind")))?;
        std::mem::forget(user);
        Ok(Self { place, number, round, object: NonNull::from(object) })
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: found in the place, of which this is a user; its object is neither moved nor freed before all users
        // have left. It is only ever borrowed shared; what changes is behind a lock.
        unsafe { self.object.as_ref() }
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        if let Some(object) = self.place.leave() {
            TABLE.give_back(self.number, self.place);
            // Outside of every lock: an object may wait for threads whose callbacks use handles.
            drop(object);
        }
    }
}

/// `T *` with an opaque `T` of this library, used for the call.
#[repr(transparent)]
pub(crate) struct Handle<T>(*const T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Handle<T> {}
// SAFETY: any address is a value of a pointer, and the wrapper is transparent.
unsafe impl<T> crate::raw::Plain for Handle<T> {}

impl<T> Handle<T> {
    /// True for NULL.
    pub(crate) const fn is_null(&self) -> bool {
        self.0.is_null()
    }
}

impl<T: Any> Handle<T> {
    /// The object behind the handle.
    pub(crate) fn get(&self, what: &str) -> Result<Held<T>, Failure> {
        if self.0.is_null() {
            return Err(Failure::null(what));
        }
        Held::find(self.0.addr(), what)
    }
}

/// Ends a handle; fails if another call has.
pub(crate) type Ending<'a> = &'a dyn Fn() -> Result<(), Failure>;

/// `T *` with an opaque `T` that the call destroys, or NULL.
#[repr(transparent)]
pub(crate) struct Owned<T>(*mut T);

impl<T: Any> Owned<T> {
    /// Destroys the object, also while others use it; NULL is ignored. The object is freed when no other call uses it
    /// any more.
    pub(crate) fn destroy(&self, what: &str) -> Result<(), Failure> {
        self.destroy_by(what, |_, end| end())
    }

    /// [`destroy`](Self::destroy) by a function that calls what ends the handle, while nobody uses the object.
    pub(crate) fn destroy_by(
        &self,
        what: &str,
        close: impl FnOnce(&T, Ending<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.0.is_null() {
            return Ok(());
        }
        let held = Held::<T>::find(self.0.addr(), what)?;
        close(&held, &|| {
            if held.place.end(held.round) {
                Ok(())
            } else {
                Err(Failure::argument(format!("{what} was destroyed by another call")))
            }
        })
    }
}

impl<T: Any + Send + Sync> Out<*mut T> {
    /// Stores a handle to the result of `make`; NULL after a failure.
    pub(crate) fn give(&self, what: &str, make: impl FnOnce() -> Result<T, Failure>) -> Result<(), Failure> {
        self.put(std::ptr::null_mut(), what)?;
        let handle = TABLE.insert(Box::new(make()?));
        let handle =
            handle.ok_or_else(|| Failure::new(Status::Host, format!("{PLACES} handles are in use")))?;
        self.put(std::ptr::without_provenance_mut(handle), what)
    }
}

#[cfg(test)]
#[path = "handle_tests.rs"]
mod tests;
