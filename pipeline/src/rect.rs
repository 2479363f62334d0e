//! `Rect`: a rectangle of pixels of a target.

/// Pixels `x0 <= x < x1`, `y0 <= y < y1` of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rect {
    /// First column.
    pub x0: i32,
    /// First row.
    pub y0: i32,
    /// Column after the last.
    pub x1: i32,
    /// Row after the last.
    pub y1: i32,
}

impl Rect {
    /// No pixel: the [hull](Self::hull) of nothing.
    pub const EMPTY: Self = Self { x0: i32::MAX, y0: i32::MAX, x1: i32::MIN, y1: i32::MIN };

    /// The smallest rectangle that has the pixels of both.
    #[must_use]
    #[inline]
    pub fn hull(self, other: Self) -> Self {
        match (self.is_empty(), other.is_empty()) {
            (_, true) => self,
            (true, false) => other,
            (false, false) => Self {
                x0: self.x0.min(other.x0),
                y0: self.y0.min(other.y0),
                x1: self.x1.max(other.x1),
                y1: self.y1.max(other.y1),
            },
        }
    }

    /// The intersection.
    #[must_use]
    #[inline]
    pub fn intersect(self, other: Self) -> Self {
        Self {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// True if the pixel is inside.
    #[must_use]
    #[inline]
    pub const fn contains(self, x: i32, y: i32) -> bool {
        self.x0 <= x && x < self.x1 && self.y0 <= y && y < self.y1
    }

    /// Number of pixels inside.
    #[must_use]
    pub const fn pixels(self) -> u64 {
        if self.is_empty() { 0 } else { (self.x1 - self.x0) as u64 * (self.y1 - self.y0) as u64 }
    }

    /// True if there is no pixel inside.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls() {
        let [a, b] = [0, 7].map(|x| Rect { x0: x, y0: x, x1: x + 2, y1: 8 });
        assert_eq!(a.hull(b), Rect { x0: 0, y0: 0, x1: 9, y1: 8 });
        // Whatever its corners are, nothing is in it.
        for empty in [Rect::EMPTY, Rect { x0: 90, x1: 80, ..a }, Rect { y1: 0, ..b }] {
            assert!(empty.is_empty() && empty.pixels() == 0);
            assert_eq!([a.hull(empty), empty.hull(a)], [a; 2]);
            assert!(empty.hull(Rect::EMPTY).is_empty() && Rect::EMPTY.hull(empty).is_empty());
        }
    }

    /// The left and the upper side are inside, the others are not.
    #[test]
    fn sides() {
        let rect = Rect { x0: 1, y0: 2, x1: 3, y1: 5 };
        assert!(rect.contains(1, 2) && rect.contains(2, 4));
        assert!([(0, 3), (3, 3), (1, 1), (1, 5), (0, 5), (3, 1)].iter().all(|&(x, y)| !rect.contains(x, y)));
    }
}
