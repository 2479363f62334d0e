//! How soon a run ends after its time limit, in the longest pieces of work that a guest can ask for at once. Both the limit and the
//! latency are by the clock, so other processes that take the processor count as late.

mod ge;
mod pica;

use std::time::Duration;

/// Runs a piece of work from its start, with this time limit: its time, and whether it was stopped.
pub(crate) type Run = Box<dyn FnMut(Duration) -> (Duration, bool)>;

/// An engine by name, and threads.
pub(crate) type Way = (&'static str, usize);

/// Work of one machine: its name, the ways to run it, and what makes it for an engine.
pub(crate) type Row<Job> = (&'static str, &'static [Way], fn(&str) -> Job);

const ALONE: &[Way] = &[("interp", 1), ("jit", 1)];
const COMPILED: &[Way] = &[("jit", 1)];
const SHARED: &[Way] = &[("interp", 1), ("interp", 2), ("jit", 1), ("jit", 2)];
/// Where the draw waits for code.
const MODES: &[Way] = &[("jit", 1), ("jit-default", 1)];

/// Work is looked at no longer than that, and longer work counts as so long.
const LONGEST: Duration = Duration::from_millis(160);

/// An amount of work: more of it on compiled code.
fn sized<T>(engine: &str, [interpreted, compiled]: [T; 2]) -> T {
    if engine == "interp" { interpreted } else { compiled }
}

/// Times from limits to the ends of runs.
struct Latencies {
    /// Time of the work without a limit.
    whole: Duration,
    /// In ascending order.
    late: Vec<Duration>,
}

impl Latencies {
    /// Of so many limits, evenly spread over three quarters of the work or of `most` of it.
    fn of(run: &mut Run, stops: u32, most: Duration) -> Self {
        // The first run also makes memory present, and code.
        let whole = (0..3).map(|_| run(most).0).min().unwrap_or_default().min(most);
        let late = (1..=stops).filter_map(|n| {
            let limit = whole * 3 * n / (4 * stops);
            let (time, is_stopped) = run(limit);
            is_stopped.then(|| time.checked_sub(limit).expect("no stop before the limit"))
        });
        let mut late: Vec<_> = late.collect();
        assert!(late.len() * 3 >= stops as usize * 2, "{} of {stops} limits stopped {whole:?}", late.len());
        late.sort_unstable();
        Self { whole, late }
    }

    /// The latency that so many tenths of the runs do not exceed.
    fn decile(&self, tenths: usize) -> Duration {
        self.late[(self.late.len() * tenths).div_ceil(10) - 1]
    }

    /// A row of a table, in milliseconds.
    fn row(&self, name: &str, (engine, threads): Way, most: Duration) -> String {
        let ms = |time: Duration| format!("{:.2}", time.as_secs_f64() * 1e3);
        let more = if self.whole == most { "more than " } else { "" };
        let [whole, median, ninth, all] =
            [self.whole, self.decile(5), self.decile(9), self.decile(10)].map(ms);
        format!("| {name} | {engine} | {threads} | {more}{whole} | {median} | {ninth} | {all} |")
    }
}

const HEAD: &str =
    "| work | engine | threads | whole | median | nine of ten | all |\n|---|---|---:|---:|---:|---:|---:|";

/// Prints the table of thirty stops for each row.
fn table<Job>(rows: &[Row<Job>], start: fn(Job, Way) -> Run) {
    println!("{HEAD}");
    for &(name, ways, job) in rows {
        for &way in ways {
            let latencies = Latencies::of(&mut start(job(way.0), way), 30, LONGEST);
            println!("{}", latencies.row(name, way, LONGEST));
        }
    }
}

/// Work of which any single piece without a question takes all of its time: half of nine stops must come in a quarter of it, or of
/// 400 ms. Limits are in the middle of the work, so without a question the median is more than half of it.
fn assert_noticed<Job>(rows: &[Row<Job>], start: fn(Job, Way) -> Run) {
    let most = Duration::from_millis(400);
    for &(name, ways, job) in rows {
        for &way in ways {
            let latencies = Latencies::of(&mut start(job(way.0), way), 9, most);
            let row = latencies.row(name, way, most);
            println!("{row}");
            let allowed = (latencies.whole / 4).max(Duration::from_millis(10));
            assert!(latencies.decile(5) < allowed, "{HEAD}\n{row}");
        }
    }
}

#[test]
#[ignore = "measures"]
fn latencies_of_the_pica200() {
    table(&pica::ROWS, pica::start);
}

#[test]
#[ignore = "measures"]
fn latencies_of_the_ge() {
    table(&ge::ROWS, ge::start);
}

/// Those of lists that once took more than they paid for, with new engines: their code is made meanwhile.
#[test]
#[ignore = "measures"]
fn latencies_of_attacks() {
    println!("{HEAD}");
    let most = Duration::from_millis(100);
    for &way in MODES {
        for (name, attack) in crate::attacks::PICA_ATTACKS {
            let mut run = pica::start(pica::attack(attack()), way);
            println!("{}", Latencies::of(&mut run, 10, most).row(name, way, most));
        }
        for (name, attack) in crate::attacks::ATTACKS {
            let mut run = ge::start(ge::attack(attack()), way);
            println!("{}", Latencies::of(&mut run, 10, most).row(name, way, most));
        }
    }
}

#[test]
fn work_of_the_pica200_ends_soon() {
    assert_noticed(&pica::PIECES, pica::start);
}

#[test]
fn work_of_the_ge_ends_soon() {
    assert_noticed(&ge::PIECES, ge::start);
}
