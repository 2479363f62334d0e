//! From a capture that differs to a small one that still does, and the code that is to blame.

use super::lockstep::{Comparison, Moment, Options, Place, compare_with};
use crate::pica::lists::reduce;
use crate::pica::replay::flatten::flatten;
use crate::routines::{Routine, Scratch};
use picaflor_pipeline::pica::capture::Capture;
use std::time::Duration;

/// A capture that shows a difference again.
#[derive(Debug, Clone)]
pub struct Reproducer {
    /// The capture.
    pub capture: Capture,
    /// What came of it on both engines.
    pub comparison: Comparison,
    /// The routines that the candidate made for it, up to a dozen.
    pub routines: Vec<Routine>,
}

/// Makes a capture that differs small: its lists are written out as single writes, what follows the first
/// difference is cut off, then events go while it keeps differing, for so long. Where it needs its lists, they
/// stay and commands go. `None` if it does not differ when it runs again.
#[must_use]
pub fn reproduce(
    capture: &Capture,
    engines: [&str; 2],
    options: Options<'_>,
    first: Place,
    time: Duration,
) -> Option<Reproducer> {
    let plain = Options { steps: false, dumps: None, ..options };
    let place = |capture: &Capture| first_difference(capture, engines, plain);
    let cut = cut_after(capture, first);
    let flat = flatten(&cut).ok().flatten();
    let flat = flat.and_then(|flat| Some(cut_after(&flat, place(&flat)?)));
    let mut starts = flat.iter().chain([&cut, capture]);
    let start = starts.find(|capture| place(capture).is_some())?;
    let capture = reduce::reduce(start, time, &mut |capture| place(capture).is_some());
    let folder = Scratch::new().ok()?;
    let dumping = Options { dumps: Some(&folder.0), steps: true, ..options };
    let comparison = compare_with(&capture, engines, dumping, &|| ()).ok()?;
    let routines = folder.routines().unwrap_or_default();
    (!comparison.is_same()).then_some(Reproducer { capture, comparison, routines })
}

/// Where a capture differs first.
fn first_difference(capture: &Capture, engines: [&str; 2], options: Options<'_>) -> Option<Place> {
    let comparison = compare_with(capture, engines, options, &|| ()).ok()?;
    comparison.findings.differences.first().map(|difference| difference.place)
}

fn cut_after(capture: &Capture, place: Place) -> Capture {
    let mut cut = capture.clone();
    if place.moment != Moment::End {
        cut.events.truncate(place.event + 1);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::Defect;
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_scenes::pica::Scene;

    const ENGINES: [&str; 2] = ["interp", "jit"];

    #[test]
    fn a_wrong_engine_is_shown_with_less() {
        let capture = Scene::by_name("wrap_modes").expect("a scene").capture(Precision::Console);
        let options = Options { defect: Some(Defect::Pixels), threads: 1, ..Options::default() };
        let found = compare_with(&capture, ENGINES, options, &|| ()).expect("both run").findings;
        let first = found.differences[0].place;
        let time = Duration::from_secs(3);
        let small = reproduce(&capture, ENGINES, options, first, time).expect("it differs again");
        let whole = flatten(&capture).expect("sound").expect("short enough");
        assert!(small.capture.events.len() < whole.events.len() / 2, "{}", small.capture.events.len());
        assert_eq!(small.comparison.candidate.stats.draws, 1);
        assert!(small.routines.iter().any(|routine| routine.clif.starts_with("function")));
        assert!(small.comparison.findings.registers.is_some());
        let sound = Options { defect: None, ..options };
        assert!(reproduce(&capture, ENGINES, sound, first, time).is_none(), "nothing to reproduce");
    }
}
