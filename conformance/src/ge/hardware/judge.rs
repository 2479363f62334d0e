//! The judge: a dump on an engine, compared with the console's values and screen.

use super::Test;
use super::values::{Evidence, Place, Value};
use crate::given_up::GivenUpList;
use crate::image::Image;
use picaflor_pipeline::capture::CaptureError;
use picaflor_pipeline::ge::capture::ppdmp::{Lists, translate};
use picaflor_pipeline::ge::capture::replay::{Outcome, Player};
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::Memory;

/// Rows that hold text of the test program, which is no drawing of the GE.
const TEXT_ROWS: u32 = 8;

/// A value that differs from the console's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The console's value.
    pub expected: Value,
    /// The value here.
    pub actual: u32,
}

/// Matches out of the known values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Number of matches.
    pub matched: usize,
    /// Number of known values.
    pub known: usize,
}

impl Score {
    /// True if all match.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.matched == self.known
    }
}

impl std::ops::AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.matched += other.matched;
        self.known += other.known;
    }
}

/// Two pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screens {
    /// The console's.
    pub expected: Image,
    /// The picture here.
    pub actual: Image,
    /// Pixels that differ, text left out.
    pub differing: usize,
    /// The largest difference of a colour.
    pub largest: u8,
}

/// The verdict on a test.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// Values where the recording emulator agrees with the console.
    pub exact: Score,
    /// Values where the recording emulator disagrees with the console.
    pub hwdiff: Score,
    /// Values without contradicting evidence.
    pub consistent: Score,
    /// The values that do not match.
    pub misses: Vec<Miss>,
    /// The screen, if the console's is known.
    pub screens: Option<Screens>,
    /// Lists that were given up; instead of their events those of the records are counted.
    pub given_up: GivenUpList,
}

/// Plays the dump of a test and judges every value when its time has come.
///
/// # Errors
/// The dump cannot be played.
pub fn judge(test: &Test, stages: &mut dyn Stages) -> Result<Verdict, CaptureError> {
    let mut verdict = Verdict::default();
    let Some(dump) = &test.dump else { return Ok(verdict) };
    let (capture, marks) = translate(dump, Lists::OfRecords)?;
    let mut player = Player::new(&capture)?;
    for records in 0..=marks.len() {
        let events = records.checked_sub(1).map_or(0, |last| marks[last]);
        while player.position() < events {
            if let Some(step) = player.step(stages)
                && let Outcome::GaveUp(why) = step.outcome
            {
                verdict.given_up.push(records - 1, why.to_string());
            }
        }
        verdict.values_after(test, records, marks.len(), &player);
        verdict.screen_after(test, records, marks.len(), &player, stages);
    }
    Ok(verdict)
}

impl Verdict {
    fn values_after(&mut self, test: &Test, records: usize, all: usize, player: &Player<'_>) {
        for value in test.values.iter().filter(|value| value.records.min(all) == records) {
            let actual = read(value.place, player);
            let score = match value.evidence {
                Evidence::Exact => &mut self.exact,
                Evidence::HwDiff => &mut self.hwdiff,
                Evidence::Consistent => &mut self.consistent,
                Evidence::None => continue,
            };
            let matches = value.digits.matches(actual);
            *score += Score { matched: matches.into(), known: 1 };
            if !matches {
                self.misses.push(Miss { expected: value.clone(), actual });
            }
        }
    }

    fn screen_after(
        &mut self,
        test: &Test,
        records: usize,
        all: usize,
        player: &Player<'_>,
        stages: &mut dyn Stages,
    ) {
        if let Some((expected, end)) = &test.screen
            && (*end).min(all) == records
            && let Some(display) = player.display()
        {
            let actual = Image::from(&player.picture(stages, display));
            let (differing, largest) = difference(expected, &actual);
            self.screens = Some(Screens { expected: expected.clone(), actual, differing, largest });
        }
    }
}

/// A value as it is now. Dumps see VRAM flat.
fn read(place: Place, player: &Player<'_>) -> u32 {
    match place {
        Place::Register(command) => player.ge().registers().word(command),
        Place::Memory { address, size } => {
            let byte = |n| player.memory().byte(VRAM | address.wrapping_add(n) & (VRAM_BYTES - 1));
            (0..size).map(|n| u32::from(byte(n)) << (8 * n)).sum()
        }
    }
}

/// Pixels below the text that differ: their number, and the largest difference of a channel.
fn difference(expected: &Image, actual: &Image) -> (usize, u8) {
    let [width, height] = [Image::width, Image::height].map(|side| side(expected).min(side(actual)));
    let pixels = (TEXT_ROWS..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let apart = |(x, y)| {
        let colours = expected.pixel(x, y).into_iter().zip(actual.pixel(x, y));
        colours.map(|(a, b): (u8, u8)| a.abs_diff(b)).max().unwrap_or(0)
    };
    pixels.map(apart).fold((0, 0), |(count, most), apart| (count + usize::from(apart > 0), most.max(apart)))
}
