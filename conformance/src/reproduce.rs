//! Reproducers: reduction of a capture that differs to a small one that still differs, with the routines involved.

use crate::lockstep::{Comparison, Moment, Options, Place, compare};
use crate::machine::Machine;
use crate::routines::{Routine, Scratch};
use crate::setup::Setup;
use std::time::Duration;

/// A reduced capture that still differs.
#[derive(Debug, Clone)]
pub struct Reproducer<M: Machine> {
    /// The capture.
    pub capture: M::Capture,
    /// The comparison of both engines on it.
    pub comparison: Comparison<M>,
    /// Routines that the candidate compiled for it, at most twelve.
    pub routines: Vec<Routine>,
}

/// Reduces a capture that differs, for at most `time`. First step: the machine's shortest form of the capture, or
/// else the capture cut off behind the first difference. Then parts are removed as long as it still differs. `None`
/// if the difference does not show again.
#[must_use]
pub fn reproduce<M: Machine>(
    capture: &M::Capture,
    engines: [&str; 2],
    options: Options<'_>,
    first: Place,
    time: Duration,
) -> Option<Reproducer<M>> {
    let plain = Options { steps: false, setup: Setup { dumps: None, ..options.setup }, ..options };
    let compared = |capture: &M::Capture, options| compare::<M>(capture, engines, options, &|| ()).ok();
    let place = |capture: &M::Capture| {
        let differences = compared(capture, plain)?.findings.differences;
        differences.first().map(|difference| difference.place)
    };
    let cut = cut_after::<M>(capture, first);
    let short = M::shortened(&cut, first, &place);
    let mut starts = short.iter().chain([&cut, capture]);
    let start = starts.find(|capture| place(capture).is_some())?;
    let capture = M::reduce(start, time, &mut |capture| place(capture).is_some());
    let folder = Scratch::new().ok()?;
    let dumping = Setup { dumps: Some(&folder.0), cache: None, ..options.setup };
    let comparison = compared(&capture, Options { setup: dumping, steps: true, ..options })?;
    // A difference that only draws show which overlap is none when they stop.
    let comparison = if comparison.is_same() { compared(&capture, plain)? } else { comparison };
    let routines = folder.routines().unwrap_or_default();
    (!comparison.is_same()).then_some(Reproducer { capture, comparison, routines })
}

/// The capture up to the event of a place.
pub(crate) fn cut_after<M: Machine>(capture: &M::Capture, place: Place) -> M::Capture {
    let mut cut = capture.clone();
    if place.moment != Moment::End {
        M::events_mut(&mut cut).truncate(place.event + 1);
    }
    cut
}
