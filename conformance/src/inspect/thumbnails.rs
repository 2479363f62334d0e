//! `Thumbnails`: small pictures of buffers, spread over a replay of unknown length.

use super::answer::BufferView;

/// Most pictures that are kept.
const MOST: usize = 48;
/// Longer side of a picture, at most.
pub(crate) const SIDE: u32 = 96;

/// Pictures of every so manieth draw. When there are too many, every second one is dropped.
#[derive(Debug)]
pub struct Thumbnails {
    every: u64,
    pictures: Vec<(u64, BufferView)>,
}

impl Default for Thumbnails {
    fn default() -> Self {
        Self { every: 1, pictures: Vec::new() }
    }
}

impl Thumbnails {
    /// Keeps the picture of a draw, if it is its turn.
    pub(super) fn note(&mut self, draw: u64, picture: impl FnOnce() -> BufferView) {
        if !draw.is_multiple_of(self.every) {
            return;
        }
        self.pictures.push((draw, picture()));
        if self.pictures.len() > MOST {
            self.every *= 2;
            self.pictures.retain(|(draw, _)| draw.is_multiple_of(self.every));
        }
    }

    /// The pictures with the numbers of their draws, in order.
    pub(super) fn into_pictures(self) -> Vec<(u64, BufferView)> {
        self.pictures
    }
}

/// Distance of the pixels of a small picture in a buffer of this size.
pub(crate) fn distance(width: u32, height: u32) -> usize {
    width.max(height).div_ceil(SIDE).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_spread_evenly() {
        let mut of = Thumbnails::default();
        (0..10_000).for_each(|draw| of.note(draw, BufferView::default));
        let draws: Vec<u64> = of.into_pictures().into_iter().map(|(draw, _)| draw).collect();
        assert!((MOST / 2..=MOST).contains(&draws.len()));
        assert!(draws.windows(2).all(|pair| pair[1] - pair[0] == draws[1]));
    }
}
