//! Workers: threads that share out numbered jobs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Threads that work at once, whatever was asked for.
const MOST_THREADS: usize = 64;

/// Does the jobs `0 .. jobs`, each once, on up to `threads` threads of which the caller is one, and adds up
/// what they return.
pub(crate) fn run(jobs: usize, threads: usize, job: &(dyn Fn(usize) -> u64 + Sync)) -> u64 {
    let next = AtomicUsize::new(0);
    let work = || {
        let mine = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        mine.take_while(|&number| number < jobs).map(job).sum::<u64>()
    };
    thread::scope(|scope| {
        let others = threads.min(jobs).min(MOST_THREADS).saturating_sub(1);
        // A thread that the system does not give is done without.
        let spawned: Vec<_> =
            (0..others).filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
        let mine = work();
        spawned.into_iter().fold(mine, |sum, worker| sum + joined(worker))
    })
}

fn joined(worker: thread::ScopedJoinHandle<'_, u64>) -> u64 {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::Mutex;

    #[test]
    fn every_job_once() {
        for (jobs, threads) in [(0, 4), (1, 4), (100, 1), (100, 2), (100, 500), (3, 0)] {
            let seen = Mutex::new(vec![0_u32; jobs]);
            let sum = run(jobs, threads, &|job| {
                seen.lock().unwrap()[job] += 1;
                job as u64
            });
            assert_eq!(sum, (0..jobs as u64).sum::<u64>());
            assert!(seen.into_inner().unwrap().iter().all(|&times| times == 1), "{jobs} on {threads}");
        }
    }

    #[test]
    fn one_thread_is_the_callers() {
        let caller = thread::current().id();
        let seen = Mutex::new(HashSet::new());
        run(5, 1, &|_| {
            seen.lock().unwrap().insert(thread::current().id());
            0
        });
        assert_eq!(seen.into_inner().unwrap(), HashSet::from([caller]));
    }

    #[test]
    fn two_threads_work_at_once() {
        let barrier = std::sync::Barrier::new(2);
        assert_eq!(run(2, 2, &|_| barrier.wait().is_leader().into()), 1);
    }
}
