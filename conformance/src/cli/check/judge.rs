//! The verdict of a check.

use super::baseline::{self, Kept};
use super::{Args, Case, How, capture, host_threads, read_file};
use crate::cli::CliError;
use crate::image::{Image, Panels};
use crate::score::Score;
use std::path::Path;
use std::time::Instant;

/// A check that was done.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) case: Case,
    /// Why nothing could be compared.
    pub(super) error: Option<String>,
    /// Why the picture is not the expected one.
    pub(super) failure: Option<String>,
    /// Its distance from the expected picture, if there is one of its size.
    pub(super) score: Option<Score>,
    /// Against the baseline, if there is one.
    pub(super) kept: Option<Kept>,
    /// The picture as a PNG file, if the baseline will keep it.
    pub(super) actual: Option<Vec<u8>>,
    /// Expected, difference and actual, if they differ and are wanted, with the names of their files.
    pub(super) pictures: Vec<(String, Panels)>,
    pub(super) seconds: f64,
    /// True if a change since the baseline is wanted.
    accepts: bool,
}

impl Row {
    /// True if it passes and has not changed.
    pub(super) const fn is_pass(&self) -> bool {
        self.error.is_none() && self.failure.is_none() && !self.has_changed()
    }

    const fn has_changed(&self) -> bool {
        !self.accepts && matches!(self.kept, Some(Kept::Changed))
    }

    /// The verdict in a word or a sentence.
    pub(super) fn verdict(&self) -> String {
        let changed = self.kept.as_ref().filter(|_| self.has_changed()).map(Kept::words);
        let why = self.error.as_deref().or(self.failure.as_deref()).or(changed);
        why.map_or_else(|| "pass".into(), |why| format!("FAIL: {why}"))
    }
}

/// Does a check.
pub(super) fn judge(args: &Args, case: Case) -> Row {
    let start = Instant::now();
    let mut row = Row {
        case,
        error: None,
        failure: None,
        score: None,
        kept: None,
        actual: None,
        pictures: Vec::new(),
        seconds: 0.0,
        accepts: args.update,
    };
    if let Err(why) = fill(args, &mut row) {
        // Without the program's name, which the caller puts before it.
        let line = why.to_string();
        row.error = Some(line.strip_prefix("picaflor: error: ").unwrap_or(&line).into());
    }
    row.seconds = start.elapsed().as_secs_f64();
    row
}

fn fill(args: &Args, row: &mut Row) -> Result<(), CliError> {
    let case = &row.case;
    let expected = case.picture.as_deref().map(expected).transpose()?;
    if expected.is_none() && args.baseline.is_none() {
        return Err(CliError::new(format!("`{}` has no expected picture", case.source)));
    }
    let how = How {
        engine: &args.engine,
        threads: args.threads.unwrap_or_else(host_threads),
        precision: args.precision,
        frame: case.frame.or(args.frame),
    };
    let actual = capture::machine_of(&case.source).picture(&case.source, &how)?;
    if let Some(expected) = &expected {
        row.score = Score::of(expected, &actual);
        row.failure = failure(case, expected, &actual, row.score);
        let panels = Panels::of_images(expected, &actual).filter(|_| *expected != actual);
        row.pictures.extend(panels.map(|panels| (format!("{}-difference", case.name), panels)));
    }
    if let Some(folder) = &args.baseline {
        let (kept, panels) = baseline::compare(folder, &case.name, &actual)?;
        row.pictures.extend(panels.map(|panels| (format!("{}-changed", case.name), panels)));
        let is_new = matches!(kept, Kept::New);
        row.actual = (is_new || args.update).then(|| actual.to_png());
        row.kept = Some(kept);
    }
    Ok(())
}

fn expected(path: &Path) -> Result<Image, CliError> {
    Image::from_any_png(&read_file(path)?)
        .map_err(|why| CliError::new(format!("cannot use `{}`: {why}", path.display())))
}

/// Why a picture is not the expected one.
fn failure(case: &Case, expected: &Image, actual: &Image, score: Option<Score>) -> Option<String> {
    let size = |image: &Image| format!("{}x{}", image.width(), image.height());
    let Some(score) = score else {
        return Some(format!("{} pixels instead of {}", size(actual), size(expected)));
    };
    let most_error = case.most_error.unwrap_or(f64::INFINITY);
    if score.share() > case.tolerance {
        return Some(format!("{} of {} pixels are off by more than 8", score.off, score.pixels));
    }
    let error = score.mean_squared_error;
    (error > most_error).then(|| format!("the mean squared error is {error:.3}, not {most_error} or less"))
}
