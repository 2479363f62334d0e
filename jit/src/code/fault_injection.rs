//! Fault injection for tests: failures of the system and the compiler.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// Point of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum At {
    /// The system refuses to map pages.
    Map = 1,
    /// The system refuses to make pages executable.
    Publish,
    /// The compiler panics.
    Compile,
}

/// Periodic failure at one point.
#[derive(Debug, Default)]
pub(crate) struct FaultInjection {
    at: AtomicU32,
    every: AtomicU32,
    count: AtomicU32,
}

impl FaultInjection {
    /// Makes every `every`-th call at this point fail.
    pub(crate) fn order(&self, at: At, every: u32) {
        self.at.store(at as u32, Ordering::Relaxed);
        self.every.store(every, Ordering::Relaxed);
    }

    fn strikes(&self, at: At) -> bool {
        let every = self.every.load(Ordering::Relaxed);
        self.at.load(Ordering::Relaxed) == at as u32
            && every != 0
            && self.count.fetch_add(1, Ordering::Relaxed).is_multiple_of(every)
    }

    pub(super) fn map(&self) -> io::Result<()> {
        if self.strikes(At::Map) { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(()) }
    }

    pub(super) fn publish(&self) -> io::Result<()> {
        if self.strikes(At::Publish) { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(()) }
    }

    pub(super) fn compile(&self) {
        assert!(!self.strikes(At::Compile), "injected");
    }
}

mod tests {
    use super::At;
    use crate::code::compile::tests::{SCHEMES_TO_RUN, compiler_with, store, stored};
    use crate::error::CompileError;

    /// Of ten routines every other fails, as an error; the rest work, and nothing is left behind.
    #[test]
    fn every_failure_is_an_error_value_and_costs_nothing() {
        for &scheme in SCHEMES_TO_RUN {
            for at in [At::Map, At::Publish, At::Compile] {
                let mut compiler = compiler_with(scheme, 1 << 20);
                compiler.arena().faults.order(at, 2);
                let made: Vec<_> = (0..10).map(|value| store(&mut compiler, value, 50)).collect();
                for (value, routine) in made.iter().enumerate() {
                    match (routine, at) {
                        (Ok(routine), _) => assert_eq!((value % 2, stored(routine)), (1, value as i64)),
                        (Err(CompileError::Panicked(text)), At::Compile) => assert_eq!(text, "injected"),
                        (Err(CompileError::Host(_) | CompileError::Codegen(_)), At::Map | At::Publish) => {
                            assert_eq!(value % 2, 0, "{at:?}");
                        }
                        (Err(error), _) => panic!("{at:?}: {error}"),
                    }
                }
                let alive: usize = made.iter().flatten().map(|routine| routine.code().charged()).sum();
                assert_eq!(compiler.arena().used(), alive, "{at:?}");
                drop(made);
                assert_eq!((compiler.arena().used(), compiler.arena().regions()), (0, 0), "{at:?}");
            }
        }
    }
}
