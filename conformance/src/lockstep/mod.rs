//! Lock step: a capture on two machines at once, compared at every point.
//!
//! In [`compare`] the reference waits at every point until the candidate has reached the same point and all bytes
//! that both wrote have been compared. After a difference the candidate continues with the reference's memory and
//! state, so that every difference is new: made from equal inputs by the work since the point before. The machine defines the points and the surfaces that are compared there: see
//! [`pica::lockstep`](crate::pica::lockstep) and [`ge::lockstep`](crate::ge::lockstep).
//!
//! A machine that stops at every draw is not played as a host plays it: no draw waits for another one, and nothing stays
//! from draw to draw. Where both produced the same, [`compare`] has the candidate play once more, in one go.

mod findings;
mod fingerprint;
mod in_one_go;
pub(crate) mod meeting;
mod point;
mod side;
mod steps;
pub(crate) mod stopwatch;

pub use findings::{Difference, Findings, Origin};
pub use fingerprint::{Fingerprint, fingerprint};
pub use point::{Moment, Place, Point, Surface};
pub use side::{Seen, Shared, Side};
pub use steps::Step;

pub use crate::given_up::{GivenUp, GivenUpList};
use crate::machine::Machine;
use crate::replay::ReplayError;
use crate::setup::Setup;
use findings::Places;
use meeting::in_step;
use picaflor_pipeline::tile::Tiling;
use std::sync::{Arc, Mutex, PoisonError};

/// A capture on two engines.
#[derive(Debug, Clone)]
pub struct Comparison<M: Machine> {
    /// The engine against which the other was held.
    pub reference: Side<M>,
    /// The other.
    pub candidate: Side<M>,
    /// The findings.
    pub findings: Findings<M>,
}

impl<M: Machine> Comparison<M> {
    /// True if both machines produced the same bytes at every point.
    #[must_use]
    pub const fn is_same(&self) -> bool {
        self.findings.is_same()
    }
}

/// Options of a comparison.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'a> {
    /// Construction of the candidate. Its compiled code is kept in the same folder as the reference's.
    pub setup: Setup<'a>,
    /// Threads to draw on.
    pub threads: usize,
    /// Records [`Findings::steps`] even where that costs additional time.
    pub steps: bool,
    /// Whether [`Findings::made`] is wanted.
    pub hashes: bool,
    /// After a difference each machine continues with its own memory. [`compare`] then plays the capture twice, to
    /// tell new differences from carried ones; [`compare_two`] calls all of them new.
    pub carry: bool,
}

/// Replays a capture on two engines by name in lock step; `done` is called after every event, with
/// [`carry`](Options::carry) of either replay. Without a difference the candidate plays it once more in one go, as a
/// host does, and the ends of frames, all memory and the state have to be those of the reference.
///
/// # Errors
/// [`ReplayError`]. A difference is no error.
pub fn compare<M: Machine>(
    capture: &M::Capture,
    [reference, candidate]: [&str; 2],
    options: Options<'_>,
    done: &dyn Fn(),
) -> Result<Comparison<M>, ReplayError> {
    let engines = || -> Result<[M::Engine; 2], ReplayError> {
        let sound = Setup { cache: options.setup.cache, ..Setup::default() };
        Ok([M::engine(reference, sound)?, M::engine(candidate, options.setup)?])
    };
    let judge = Options { carry: false, ..options };
    let [mut reference, mut candidate] = engines()?;
    let judged_alone = compare_as::<M>([capture; 2], [&mut reference, &mut candidate], judge, None, done)?;
    if judged_alone.is_same() {
        return in_one_go::judge(capture, [&mut reference, &mut candidate], options, judged_alone);
    }
    if !options.carry {
        return Ok(judged_alone);
    }
    let [mut reference, mut candidate] = engines()?;
    let new = Some(judged_alone.findings.places);
    compare_as::<M>([capture; 2], [&mut reference, &mut candidate], options, new, done)
}

/// Threads and tiles of a machine that is compared. Small draws are shared out, too, but collected before, as hosts do: for
/// some hundred pixels.
fn tiling(threads: usize) -> Tiling {
    Tiling { least_work: 512, ..Tiling::new(threads) }
}

/// [`compare`], with engines that are there already, and a capture for each.
///
/// # Errors
/// A capture is not sound, or there is no second thread; a difference is no error.
pub fn compare_two<M: Machine>(
    [first, second]: [&M::Capture; 2],
    [reference, candidate]: [&mut M::Engine; 2],
    options: Options<'_>,
    done: &dyn Fn(),
) -> Result<Comparison<M>, ReplayError> {
    compare_as::<M>([first, second], [reference, candidate], options, None, done)
}

/// [`compare_two`]; differences at other places than `new` are carried.
fn compare_as<M: Machine>(
    [first, second]: [&M::Capture; 2],
    [reference, candidate]: [&mut M::Engine; 2],
    options: Options<'_>,
    new: Option<Places>,
    done: &dyn Fn(),
) -> Result<Comparison<M>, ReplayError> {
    let findings = Findings::<M>::new(options, new);
    let findings = Arc::new(Mutex::new(findings));
    let shared = Arc::clone(&findings);
    let compare = move |expected: Option<&Point<M>>, actual: &Point<M>| {
        shared.lock().unwrap_or_else(PoisonError::into_inner).compare(expected, actual)
    };
    let alone = Options { threads: M::reference_threads(options.threads), ..options };
    let (expected, actual) = in_step(
        compare,
        move |meeting| side::run::<M>(first, reference, alone, meeting, &|| ()),
        move |meeting| side::run::<M>(second, candidate, options, meeting, done),
    )
    .map_err(|why| ReplayError::Thread(why.to_string()))?;
    let findings = std::mem::take(&mut *findings.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Comparison { reference: expected?, candidate: actual?, findings })
}
