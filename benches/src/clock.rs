//! The least noisy time of several things that are compared.

use std::time::{Duration, Instant};

/// A task to measure, one call at a time.
pub type Task<'a> = Box<dyn FnMut() + 'a>;

/// Minimum duration of a sample: well above the resolution of the clock.
const SAMPLE: Duration = Duration::from_micros(60);

/// The minimum time of one call of each task, in nanoseconds.
///
/// Samples of all tasks are interleaved, so that other load of the machine affects all of them alike.
pub fn minima(tasks: &mut [Task<'_>], samples: usize) -> Vec<f64> {
    let calls: Vec<u32> = tasks.iter_mut().map(calls_per_sample).collect();
    let mut minima = vec![f64::INFINITY; tasks.len()];
    for _ in 0..samples {
        for ((task, &calls), minimum) in tasks.iter_mut().zip(&calls).zip(&mut minima) {
            let start = Instant::now();
            for _ in 0..calls {
                task();
            }
            *minimum = minimum.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
        }
    }
    minima
}

/// Number of calls of a task in one sample. Warms the task up; the first call, which may compile, does not count.
fn calls_per_sample(task: &mut Task<'_>) -> u32 {
    task();
    let mut calls = 1;
    loop {
        let start = Instant::now();
        for _ in 0..calls {
            task();
        }
        if start.elapsed() >= SAMPLE || calls >= 1 << 20 {
            return calls;
        }
        calls *= 2;
    }
}
