//! The distance of two pictures.

use crate::image::Image;

/// Largest difference of a channel that no one sees: pixels count as off beyond it.
const SEEN: u8 = 8;

/// How far a picture is from another of its size.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// Mean of the squared differences of all channels of all pixels, 0 to 65025.
    pub mean_squared_error: f64,
    /// Pixels that differ by more than 8 in a channel.
    pub off: u64,
    /// Pixels that differ at all.
    pub differing: u64,
    /// All pixels.
    pub pixels: u64,
    /// Largest difference of a channel.
    pub largest: u8,
}

impl Score {
    /// The distance; `None` for pictures of different sizes.
    #[must_use]
    pub fn of(expected: &Image, actual: &Image) -> Option<Self> {
        let size = |image: &Image| (image.width(), image.height());
        if size(expected) != size(actual) {
            return None;
        }
        let (mut score, mut squares) = (Self::default(), 0_u64);
        for (x, y) in (0..expected.height()).flat_map(|y| (0..expected.width()).map(move |x| (x, y))) {
            let (expected, actual) = (expected.pixel(x, y), actual.pixel(x, y));
            let differences: [u8; 3] = std::array::from_fn(|c| expected[c].abs_diff(actual[c]));
            let most = differences.into_iter().max().unwrap_or(0);
            squares += differences.into_iter().map(|d| u64::from(d).pow(2)).sum::<u64>();
            score.pixels += 1;
            score.off += u64::from(most > SEEN);
            score.differing += u64::from(most > 0);
            score.largest = score.largest.max(most);
        }
        score.mean_squared_error = squares as f64 / (3 * score.pixels.max(1)) as f64;
        Some(score)
    }

    /// Share of the pixels that differ by more than 8 in a channel, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.off as f64 / self.pixels.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four pixels: equal, off by 8, off by 9, off by 100 and 50.
    #[test]
    fn distances_by_hand() {
        let expected = Image::new(2, 2, [100, 100, 100]);
        let actual = Image::of(2, 2, |x, y| match (x, y) {
            (0, 0) => [100, 100, 100],
            (1, 0) => [92, 100, 108],
            (0, 1) => [100, 109, 100],
            _ => [200, 100, 50],
        });
        let score = Score::of(&expected, &actual).unwrap();
        assert_eq!((score.off, score.differing, score.pixels, score.largest), (2, 3, 4, 100));
        let squares = f64::from(8 * 8 + 8 * 8 + 9 * 9 + 100 * 100 + 50 * 50);
        assert_eq!((score.mean_squared_error, score.share()), (squares / 12.0, 0.5));
        assert_eq!(Score::of(&expected, &Image::new(2, 3, [0; 3])), None);
    }
}
