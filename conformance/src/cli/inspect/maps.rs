//! Maps of `picaflor draws --map` as pictures.

use crate::cli::CliError;
use crate::image::Image;
use crate::inspect::{Fate, Map, MapPixel};
use crate::suggest::did_you_mean;

/// What a map shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MapKind {
    /// How often pixels were covered.
    Overdraw,
    /// The time of draws, spread over the pixels that they covered.
    Cost,
    /// Whether pixels were covered, and stored.
    Coverage,
}

impl MapKind {
    const ALL: [(&'static str, Self); 3] =
        [("overdraw", Self::Overdraw), ("cost", Self::Cost), ("coverage", Self::Coverage)];

    /// The kind of a name.
    pub(super) fn of(name: &str) -> Result<Self, CliError> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, kind)| kind);
        let near = || did_you_mean(name, Self::ALL.iter().map(|(known, _)| *known));
        found.ok_or_else(|| {
            CliError::usage(format!(
                "there is no map `{name}`{}; the maps are overdraw, cost, coverage",
                near()
            ))
        })
    }
}

/// Colours from few to many; the first is none. The page has the same.
const RAMP: [[u8; 3]; 7] =
    [[0, 0, 0], [20, 40, 140], [20, 140, 160], [60, 180, 60], [230, 200, 40], [230, 80, 40], [255, 255, 255]];

/// The colour of a fate.
const fn of_fate(fate: Fate) -> [u8; 3] {
    match fate {
        Fate::Untouched => [0, 0, 0],
        Fate::Rejected => [214, 60, 50],
        Fate::Mixed => [222, 170, 50],
        Fate::Stored => [40, 120, 170],
    }
}

/// Share of the covered pixels that the steps below the last one are for, in thousandths: a few that are far above the rest,
/// as those of draws with a single pixel, do not squeeze them.
const BELOW: usize = 995;

/// The numbers that the steps of a map's ramp end at.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    /// End of the last step but one.
    top: f32,
    /// The largest number.
    most: f32,
}

impl Scale {
    fn of(mut numbers: Vec<f32>) -> Self {
        numbers.sort_by(f32::total_cmp);
        let at = |n: usize| numbers.get(n).copied().unwrap_or(0.0);
        let last = numbers.len().saturating_sub(1);
        Self { top: at((numbers.len() * BELOW / 1000).min(last)), most: at(last) }
    }

    /// The step of a count of fragments: few counts have a step each.
    fn of_count(self, count: u32) -> usize {
        let (count, last) = (count as f32, RAMP.len() - 1);
        match count {
            _ if self.most <= last as f32 => count as usize,
            _ if count > self.top => last,
            _ => ((count * (last - 1) as f32 / self.top).ceil() as usize).clamp(1, last - 1),
        }
    }

    /// The end of a step of times: each ends at half of the next one.
    fn end(self, step: usize) -> f32 {
        let last = RAMP.len() - 1;
        if step == last { self.most } else { self.top / f32::powi(2.0, (last - 1 - step) as i32) }
    }

    fn of_time(self, nanoseconds: f32) -> usize {
        let last = RAMP.len() - 1;
        (1..last).find(|&step| nanoseconds <= self.end(step)).unwrap_or(last)
    }
}

/// The numbers of the covered pixels.
fn scale(map: &Map, kind: MapKind) -> Scale {
    let number =
        |pixel: &MapPixel| if kind == MapKind::Cost { pixel.nanoseconds } else { pixel.covered as f32 };
    Scale::of(map.pixels.iter().filter(|pixel| pixel.covered > 0).map(number).collect())
}

fn colour(pixel: MapPixel, kind: MapKind, scale: Scale) -> [u8; 3] {
    match kind {
        _ if pixel.covered == 0 => RAMP[0],
        MapKind::Overdraw => RAMP[scale.of_count(pixel.covered)],
        MapKind::Cost => RAMP[scale.of_time(pixel.nanoseconds)],
        MapKind::Coverage => of_fate(pixel.fate()),
    }
}

/// The map as a picture, rows from the top.
pub(super) fn picture(map: &Map, kind: MapKind) -> Image {
    let scale = scale(map, kind);
    Image::of(map.width.max(1), map.height.max(1), |x, y| colour(map.pixel(x, y), kind, scale))
}

/// Names of the colours.
const NAMES: [&str; 7] = ["black", "blue", "teal", "green", "yellow", "orange", "white"];

/// What the colours mean.
pub(super) fn legend(map: &Map, kind: MapKind) -> String {
    let Map { width, height, address, draws, .. } = map;
    let head = format!("{width}x{height} at {address:#010x}: {draws} draws, {} fragments\n", map.fragments());
    let scale = scale(map, kind);
    let lines: Vec<String> = match kind {
        MapKind::Coverage => {
            let all = map.fates().into_iter().zip(["black", "red", "amber", "blue"]);
            all.map(|((fate, count), name)| format!("{name:<7} {:<24} {count:>8} pixels", fate.name()))
                .collect()
        }
        MapKind::Overdraw => (1..RAMP.len()).filter_map(|step| counts(scale, step)).collect(),
        MapKind::Cost => {
            let line = |step: usize| format!("{:<7} up to {:.1} ns in a pixel", NAMES[step], scale.end(step));
            (1..RAMP.len()).map(line).collect()
        }
    };
    let never = if kind == MapKind::Coverage { "" } else { "  black   never covered\n" };
    lines.into_iter().fold(head + never, |text, line| format!("{text}  {line}\n"))
}

/// The counts of a step, if there are some.
fn counts(scale: Scale, step: usize) -> Option<String> {
    let mut all = (1..=scale.most as u32).filter(|&count| scale.of_count(count) == step);
    let first = all.next()?;
    let last = all.next_back().unwrap_or(first);
    let range = if first == last { first.to_string() } else { format!("{first} to {last}") };
    let noun = if range == "1" { "fragment" } else { "fragments" };
    Some(format!("{:<7} {range} {noun}", NAMES[step]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_counts() {
        let few = Scale::of((1..=6).map(|count| count as f32).collect());
        assert_eq!((1..=6).map(|count| few.of_count(count)).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
        // One pixel in a thousand is far above the others.
        let many = Scale::of((0..1000).map(|n| if n == 0 { 900.0 } else { (n % 10 + 1) as f32 }).collect());
        assert_eq!(many, Scale { top: 10.0, most: 900.0 });
        assert_eq!([1, 2, 3, 10, 11, 900].map(|count| many.of_count(count)), [1, 1, 2, 5, 6, 6]);
        assert_eq!(counts(many, 6).as_deref(), Some("white   11 to 900 fragments"));
    }

    #[test]
    fn steps_of_times() {
        let scale = Scale { top: 64.0, most: 5000.0 };
        assert_eq!([5000.0, 64.0, 32.0, 33.0, 4.0, 0.0].map(|time| scale.of_time(time)), [6, 5, 4, 5, 1, 1]);
        assert_eq!(Scale::of(Vec::new()).of_time(0.0), 1, "nothing is covered");
    }
}
