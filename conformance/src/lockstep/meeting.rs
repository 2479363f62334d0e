//! Rendezvous of two machines in lock step: one works while the other waits, so their times are undisturbed, and at
//! most two points of each are in memory.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The rendezvous of a machine at every point.
pub(crate) trait Meeting<P>: Send {
    /// Returns when the machine may go on: with the other machine's point, if it has to continue from that.
    fn meet(&mut self, point: P) -> Option<P>;

    /// True if all memory is compared at the end of the capture.
    fn wants_memory(&self) -> bool {
        true
    }
}

/// The reference hands every point over and waits to be sent on.
struct Reference<P> {
    points: SyncSender<P>,
    go_on: Receiver<()>,
}

impl<P: Send> Meeting<P> for Reference<P> {
    fn meet(&mut self, point: P) -> Option<P> {
        // After the end of the candidate no machine waits.
        if self.points.send(point).is_ok() {
            let _ = self.go_on.recv();
        }
        None
    }
}

/// The candidate compares, sends the reference on and waits until that has come to its next point.
struct Candidate<P, C> {
    points: Receiver<P>,
    go_on: SyncSender<()>,
    next: Option<P>,
    compare: C,
}

impl<P: Send, C: FnMut(Option<&P>, &P) -> bool + Send> Meeting<P> for Candidate<P, C> {
    fn meet(&mut self, point: P) -> Option<P> {
        let expected = self.next.take();
        let adopts = (self.compare)(expected.as_ref(), &point);
        let adopted = expected.filter(|_| adopts);
        drop(point);
        if self.go_on.send(()).is_ok() {
            self.next = self.points.recv().ok();
        }
        adopted
    }
}

/// Runs two machines, each with its meeting. `compare` receives the reference's data at every point of the candidate,
/// `None` after the reference has ended; it returns true if the candidate has to continue from the reference's point.
///
/// # Errors
/// The system's refusal to start a second thread.
pub(crate) fn in_step<P: Send + 'static, A: Send, B>(
    compare: impl FnMut(Option<&P>, &P) -> bool + Send + 'static,
    reference: impl FnOnce(Box<dyn Meeting<P>>) -> A + Send,
    candidate: impl FnOnce(Box<dyn Meeting<P>>) -> B,
) -> io::Result<(A, B)> {
    let (points, received) = sync_channel(0);
    let (go_on, sent) = sync_channel(1);
    thread::scope(|scope| {
        let other = move || reference(Box::new(Reference { points, go_on: sent }));
        let other = thread::Builder::new().spawn_scoped(scope, other)?;
        let next = received.recv().ok();
        let actual = candidate(Box::new(Candidate { points: received, go_on, next, compare }));
        let expected = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((expected, actual))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Each point meets the one of its number; machines of different length end, too.
    #[test]
    fn points_meet_in_order() {
        for counts in [[3, 3], [5, 2], [2, 5], [0, 1], [1, 0]] {
            let met = Arc::new(Mutex::new(Vec::new()));
            let pairs = Arc::clone(&met);
            let compare = move |e: Option<&u32>, a: &u32| {
                pairs.lock().unwrap().push((e.copied(), *a));
                a.is_multiple_of(2)
            };
            let machine = |count: u32| {
                move |mut meeting: Box<dyn Meeting<u32>>| {
                    let adopted = (0..count).filter_map(|point| meeting.meet(point));
                    (count, adopted.collect::<Vec<_>>())
                }
            };
            let [first, second] = counts;
            // The candidate goes on from even points of the reference.
            let even = (0..first.min(second)).step_by(2).collect();
            let ends = in_step(compare, machine(first), machine(second)).expect("a thread");
            assert_eq!(ends, ((first, Vec::new()), (second, even)));
            let expected: Vec<_> = (0..counts[1]).map(|n| ((n < counts[0]).then_some(n), n)).collect();
            assert_eq!(*met.lock().unwrap(), expected, "{counts:?}");
        }
    }
}
