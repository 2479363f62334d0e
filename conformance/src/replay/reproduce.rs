//! From a capture that differs to a small one that still does, and the code that is to blame.

use super::flatten::flatten;
use super::lockstep::{Comparison, Options, compare_with};
use super::point::{Moment, Place};
use crate::lists::reduce;
use picaflor_pipeline::capture::Capture;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Routines that are kept.
const MOST_ROUTINES: usize = 12;

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

/// A compiled routine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routine {
    /// Its key, as a file name.
    pub name: String,
    /// Cranelift's code of it.
    pub clif: String,
    /// The machine instructions.
    pub instructions: String,
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

/// A folder that goes when it is no longer used.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("picaflor-dumps-{}-{number}", std::process::id()));
        // One that exists already is somebody else's.
        fs::create_dir(&path).map(|()| Self(path))
    }

    /// What an engine dumped there, up to a dozen.
    pub(crate) fn routines(&self) -> io::Result<Vec<Routine>> {
        let paths = fs::read_dir(&self.0)?.flatten().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "clif")).collect();
        paths.sort();
        Ok(paths.iter().take(MOST_ROUTINES).filter_map(|path| routine(path)).collect())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn routine(clif: &Path) -> Option<Routine> {
    Some(Routine {
        name: clif.file_stem()?.to_string_lossy().into_owned(),
        clif: fs::read_to_string(clif).ok()?,
        instructions: fs::read_to_string(clif.with_extension("vcode")).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::Defect;
    use crate::scene::Scene;
    use picaflor_pipeline::pica::float::Precision;

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
