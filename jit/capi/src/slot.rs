//! `Slot`: the object behind a handle, used by one call at a time.

use crate::status::{Failure, Status};
use std::sync::{Mutex, TryLockError};

/// A value for one call at a time. A second concurrent call, from another thread or from inside a callback, fails as
/// busy. After a failure inside the library the value may be inconsistent: it is poisoned, and every call fails.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    what: &'static str,
    value: Mutex<T>,
}

impl<T> Slot<T> {
    pub(crate) const fn new(what: &'static str, value: T) -> Self {
        Self { what, value: Mutex::new(value) }
    }

    /// Uses the value.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> Result<R, Failure>) -> Result<R, Failure> {
        match self.value.try_lock() {
            Ok(mut value) => work(&mut value),
            Err(TryLockError::WouldBlock) => {
                Err(Failure::new(Status::Busy, format!("the {} is in use by another call", self.what)))
            }
            Err(TryLockError::Poisoned(_)) => Err(Failure::new(
                Status::Poisoned,
                format!("an earlier call on the {} failed inside the library; destroy it", self.what),
            )),
        }
    }

    /// Fails while a call uses the value. A poisoned value is not in use.
    pub(crate) fn idle(&self) -> Result<(), Failure> {
        match self.with(|_| Ok(())) {
            Err(failure) if failure.status == Status::Busy => Err(failure),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::guard;

    #[test]
    fn one_call_at_a_time() {
        let slot = Slot::new("thing", 1);
        let inner = slot.with(|_| Ok((slot.with(|_| Ok(())), slot.idle())));
        let Ok((Err(used), Err(idle))) = inner else { panic!("{inner:?}") };
        assert_eq!((used.status, idle.status), (Status::Busy, Status::Busy));
        assert!(slot.idle().is_ok());
    }

    #[test]
    fn poisoned_by_a_panic() {
        let slot = Slot::new("thing", 1);
        assert_eq!(guard(|| slot.with(|_| -> Result<(), Failure> { panic!("inside") })), Status::Internal);
        assert_eq!(slot.with(|_| Ok(())).unwrap_err().status, Status::Poisoned);
        assert!(slot.idle().is_ok(), "it can be destroyed");
    }
}
