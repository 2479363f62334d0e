//! Free list of the arena.

use std::collections::BTreeMap;

/// Free ranges of `0..capacity`, first fit, neighbours merged. Offsets and sizes are bytes.
#[derive(Debug)]
pub(super) struct FreeList {
    /// Offset of a free range to its length. Ranges are not empty and never adjacent.
    ranges: BTreeMap<usize, usize>,
}

impl FreeList {
    pub(super) fn new(capacity: usize) -> Self {
        let mut list = Self { ranges: BTreeMap::new() };
        list.give(0, capacity);
        list
    }

    /// Allocates from the front of the first range that is long enough.
    pub(super) fn take(&mut self, size: usize) -> Option<usize> {
        let (offset, length) =
            self.ranges.iter().find(|(_, length)| **length >= size).map(|(o, l)| (*o, *l))?;
        self.ranges.remove(&offset);
        if length > size {
            self.ranges.insert(offset + size, length - size);
        }
        Some(offset)
    }

    /// Frees a range allocated by [`FreeList::take`].
    pub(super) fn give(&mut self, offset: usize, size: usize) {
        if size == 0 {
            return;
        }
        let (mut start, mut end) = (offset, offset + size);
        if let Some((&before, &length)) = self.ranges.range(..offset).next_back() {
            assert!(before + length <= offset, "a free range was given back twice");
            if before + length == offset {
                start = before;
            }
        }
        if let Some((&after, &length)) = self.ranges.range(offset..).next() {
            assert!(end <= after, "a free range was given back twice");
            if after == end {
                end = after + length;
                self.ranges.remove(&after);
            }
        }
        self.ranges.insert(start, end - start);
    }

    #[cfg(test)]
    pub(super) fn free_bytes(&self) -> usize {
        self.ranges.values().sum()
    }

    #[cfg(test)]
    pub(super) fn pieces(&self) -> usize {
        self.ranges.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_merge_in_every_order_of_giving_back() {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut list = FreeList::new(300);
            let taken: Vec<_> = (0..3).map(|_| list.take(100).unwrap()).collect();
            assert_eq!(taken, [0, 100, 200]);
            assert_eq!(list.take(1), None);
            for index in order {
                list.give(taken[index], 100);
            }
            assert_eq!((list.free_bytes(), list.pieces()), (300, 1));
        }
    }

    #[test]
    fn first_fit_skips_holes_that_are_too_small() {
        let mut list = FreeList::new(1024);
        let [small, wall] = [list.take(64).unwrap(), list.take(64).unwrap()];
        list.give(small, 64);
        assert_eq!(list.take(128), Some(128));
        assert_eq!(list.take(64), Some(small));
        list.give(wall, 64);
        assert_eq!(list.free_bytes(), 1024 - 64 - 128);
    }

    #[test]
    #[should_panic(expected = "given back twice")]
    fn giving_back_twice_is_noticed() {
        let mut list = FreeList::new(128);
        let offset = list.take(64).unwrap();
        list.give(offset, 64);
        list.give(offset, 64);
    }
}
