//! `Slot`: the object behind a handle, used by one call at a time.

use crate::handle::Ending;
use crate::status::{Failure, Status};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, TryLockError};

/// A value for one call at a time. A second concurrent call, from another thread or from inside a callback, fails as
/// busy. After a failure inside the library the value may be inconsistent: it is poisoned, and every call fails.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    what: &'static str,
    value: Mutex<T>,
    /// No call uses the value any more: what C lent to it may be gone. Set while the value is locked.
    is_closed: AtomicBool,
}

impl<T> Slot<T> {
    pub(crate) const fn new(what: &'static str, value: T) -> Self {
        Self { what, value: Mutex::new(value), is_closed: AtomicBool::new(false) }
    }

    /// Uses the value.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> Result<R, Failure>) -> Result<R, Failure> {
        match self.value.try_lock() {
            Ok(mut value) => self.check_open().and_then(|()| work(&mut value)),
            Err(TryLockError::WouldBlock) => Err(self.busy()),
            Err(TryLockError::Poisoned(_)) => Err(Failure::new(
                Status::Poisoned,
                format!("an earlier call on the {} failed inside the library; destroy it", self.what),
            )),
        }
    }

    /// Ends the handle of the value by `end`; a call that had found the value before, and would use it later, fails.
    /// Fails while a call uses the value. A poisoned value is not in use.
    pub(crate) fn close(&self, end: Ending<'_>) -> Result<(), Failure> {
        let _locked = match self.value.try_lock() {
            Ok(value) => value,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(self.busy()),
        };
        end()?;
        self.is_closed.store(true, Ordering::Release);
        Ok(())
    }

    /// Fails if the value is closed.
    pub(crate) fn check_open(&self) -> Result<(), Failure> {
        if self.is_closed.load(Ordering::Acquire) {
            return Err(Failure::argument(format!("the {} is destroyed", self.what)));
        }
        Ok(())
    }

    fn busy(&self) -> Failure {
        Failure::new(Status::Busy, format!("the {} is in use by another call", self.what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::guard;

    #[test]
    fn one_call_at_a_time() {
        let slot = Slot::new("thing", 1);
        let inner = slot.with(|_| Ok((slot.with(|_| Ok(())), slot.close(&|| panic!("in use")))));
        let Ok((Err(used), Err(closed))) = inner else { panic!("{inner:?}") };
        assert_eq!((used.status, closed.status), (Status::Busy, Status::Busy));
        assert!(slot.with(|_| Ok(())).is_ok());
    }

    /// No call comes between the question whether the value is in use and its end, and none after that.
    #[test]
    fn closed_for_calls_that_are_late() {
        let slot = Slot::new("thing", 1);
        let refused = slot.close(&|| Err(Failure::argument("another thread was first")));
        assert_eq!(refused.unwrap_err().status, Status::Argument);
        assert!(slot.with(|_| Ok(())).is_ok());
        let closed = slot.close(&|| {
            assert_eq!(slot.with(|_| Ok(())).unwrap_err().status, Status::Busy);
            Ok(())
        });
        assert!(closed.is_ok());
        assert_eq!(slot.with(|_| Ok(())).unwrap_err().status, Status::Argument);
    }

    #[test]
    fn poisoned_by_a_panic() {
        let slot = Slot::new("thing", 1);
        assert_eq!(guard(|| slot.with(|_| -> Result<(), Failure> { panic!("inside") })), Status::Internal);
        assert_eq!(slot.with(|_| Ok(())).unwrap_err().status, Status::Poisoned);
        assert!(slot.close(&|| Ok(())).is_ok(), "it can be destroyed");
        assert!(slot.with(|_| Ok(())).is_err());
    }
}
