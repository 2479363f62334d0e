//! Runs on a thread of the machine's own, in the order of their submission, with a fence for each.

use crate::handle::Ending;
use crate::raw::User;
use crate::slot::Slot;
use crate::status::{Failure, Status, guard_with};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Failures that are kept for hosts that wait later.
const KEPT: usize = 64;

/// `picaflor_done`.
pub(crate) type DoneFn = extern "C" fn(User, u64, Status);

/// The work of a run.
type Work<T> = Box<dyn FnOnce(&mut T) -> Result<(), Failure> + Send>;

/// A run, and what to call after it.
struct Job<T> {
    work: Work<T>,
    done: Option<DoneFn>,
    user: User,
    fence: u64,
}

/// Numbers of runs: submitted, and complete.
#[derive(Default)]
struct Progress {
    submitted: u64,
    complete: u64,
    failures: VecDeque<(u64, Status, String)>,
}

/// What host and thread share.
#[derive(Default)]
struct Shared {
    progress: Mutex<Progress>,
    changed: Condvar,
    /// Runs that are not complete; every call of the machine asks.
    pending: AtomicU64,
}

/// A thread, and the way to it.
struct Runner<T> {
    jobs: Sender<Job<T>>,
    thread: JoinHandle<()>,
}

/// The thread of a machine, started with the first run that is submitted.
struct Later<T> {
    shared: Arc<Shared>,
    /// Locked while a run is submitted, and while the machine is destroyed.
    runner: Mutex<Option<Runner<T>>>,
}

impl<T> Default for Later<T> {
    fn default() -> Self {
        Self { shared: Arc::default(), runner: Mutex::default() }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn completed(&self, fence: u64, outcome: Status, text: String) {
        let mut progress = self.lock();
        progress.complete = fence;
        self.pending.fetch_sub(1, Ordering::Release);
        if outcome != Status::Ok {
            progress.failures.push_back((fence, outcome, text));
            if progress.failures.len() > KEPT {
                progress.failures.pop_front();
            }
        }
        drop(progress);
        self.changed.notify_all();
    }
}

impl<T> Later<T> {
    /// True if a run is submitted and not complete.
    fn is_busy(&self) -> bool {
        self.shared.pending.load(Ordering::Acquire) != 0
    }

    fn runner(&self) -> MutexGuard<'_, Option<Runner<T>>> {
        self.runner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Later<T> {
    /// Waits for a run; its failure is that of the call.
    fn wait(&self, fence: u64) -> Result<(), Failure> {
        let mut progress = self.shared.lock();
        if fence > progress.submitted {
            return Err(Failure::argument(format!("fence {fence} of {}", progress.submitted)));
        }
        while progress.complete < fence {
            progress = self.shared.changed.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
        match progress.failures.iter().find(|failure| failure.0 == fence) {
            Some((_, status, text)) => Err(Failure::new(*status, text.clone())),
            None => Ok(()),
        }
    }
}

/// A machine that is used by one call at a time, or by the runs that are submitted.
pub(crate) struct Hold<T> {
    slot: Arc<Slot<T>>,
    later: Later<T>,
}

impl<T> Hold<T> {
    pub(crate) fn new(hosted: T) -> Self {
        Self { slot: Arc::new(Slot::new("machine", hosted)), later: Later::default() }
    }

    /// Uses the machine, unless runs are submitted that are not complete.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> Result<R, Failure>) -> Result<R, Failure> {
        self.not_later()?;
        self.slot.with(work)
    }

    /// Ends the handle of the machine by `end`: no call that had found the machine before runs anything on it later, or
    /// submits a run. Fails while a call or a submitted run uses the machine.
    pub(crate) fn close(&self, end: Ending<'_>) -> Result<(), Failure> {
        let _no_submission = self.later.runner();
        self.not_later()?;
        self.slot.close(end)
    }

    fn not_later(&self) -> Result<(), Failure> {
        if self.later.is_busy() {
            return Err(Failure::new(Status::Busy, "runs of the machine are submitted and not complete"));
        }
        Ok(())
    }
}

impl<T> Hold<T> {
    /// Waits for the run of a fence; its failure is that of the call.
    pub(crate) fn wait(&self, fence: u64) -> Result<(), Failure> {
        self.later.wait(fence)
    }

    /// The last fence that is complete.
    pub(crate) fn complete(&self) -> u64 {
        self.later.shared.lock().complete
    }
}

impl<T: Send + 'static> Hold<T> {
    /// Submits a run; returns its fence.
    pub(crate) fn submit(
        &self,
        work: impl FnOnce(&mut T) -> Result<(), Failure> + Send + 'static,
        (done, user): (Option<DoneFn>, User),
    ) -> Result<u64, Failure> {
        self.later.submit(&self.slot, work, done, user)
    }
}

impl<T: Send + 'static> Later<T> {
    /// Appends a run; returns its fence.
    fn submit(
        &self,
        machine: &Arc<Slot<T>>,
        work: impl FnOnce(&mut T) -> Result<(), Failure> + Send + 'static,
        done: Option<DoneFn>,
        user: User,
    ) -> Result<u64, Failure> {
        let mut runner = self.runner();
        machine.check_open()?;
        if runner.is_none() {
            *runner = Some(self.start(machine)?);
        }
        let mut progress = self.shared.lock();
        progress.submitted += 1;
        self.shared.pending.fetch_add(1, Ordering::Relaxed);
        let fence = progress.submitted;
        drop(progress);
        let job = Job { work: Box::new(work), done, user, fence };
        if let Some(Runner { jobs, .. }) = &*runner
            && jobs.send(job).is_err()
        {
            self.shared.completed(fence, Status::Internal, "the thread of the machine has ended".into());
        }
        Ok(fence)
    }

    fn start(&self, machine: &Arc<Slot<T>>) -> Result<Runner<T>, Failure> {
        let (sender, jobs) = channel::<Job<T>>();
        let (shared, machine) = (Arc::clone(&self.shared), Arc::clone(machine));
        let run = move || {
            for Job { work, done, user, fence } in jobs {
                let (status, text) = guard_with(|| machine.with(work));
                shared.completed(fence, status, text);
                if let Some(done) = done {
                    done(user, fence, status);
                }
            }
        };
        let thread = std::thread::Builder::new().name("picaflor".into()).spawn(run);
        let thread = thread.map_err(|error| Failure::new(Status::Host, error.to_string()))?;
        Ok(Runner { jobs: sender, thread })
    }
}

impl<T> Drop for Later<T> {
    fn drop(&mut self) {
        let runner = self.runner.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Runner { jobs, thread }) = runner {
            drop(jobs);
            // A callback on that thread may destroy the machine.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::tests::zero;

    fn nobody() -> (Option<DoneFn>, User) {
        (None, zero())
    }

    /// Whoever frees what it lent to a machine after its destruction may rely on that nothing uses it any more.
    #[test]
    fn nothing_runs_on_a_machine_that_was_destroyed() {
        let hold = Hold::new(0_u32);
        let first = hold.submit(|_| Ok(()), nobody()).expect("a thread");
        hold.wait(first).expect("it runs");
        hold.close(&|| Ok(())).expect("it is free");
        let late = hold.with(|_| Ok(())).unwrap_err();
        assert_eq!((late.status, late.text.as_str()), (Status::Argument, "the machine is destroyed"));
        assert_eq!(hold.submit(|_| Ok(()), nobody()).unwrap_err().status, Status::Argument);
        assert_eq!((hold.complete(), hold.wait(first).is_ok()), (first, true));
    }

    #[test]
    fn runs_that_are_submitted_keep_a_machine() {
        let hold = Hold::new(0_u32);
        let (go, gone) = channel::<()>();
        let wait = move |runs: &mut u32| {
            *runs += 1;
            gone.recv().map_err(|_| Failure::argument("nobody sent"))
        };
        let fence = hold.submit(wait, nobody()).expect("a thread");
        assert_eq!(hold.close(&|| panic!("a run is submitted")).unwrap_err().status, Status::Busy);
        go.send(()).expect("it waits");
        hold.wait(fence).expect("it runs");
        assert_eq!(hold.with(|runs| Ok(*runs)).expect("it is free"), 1);
    }
}
