//! Announced writes to memory during a list; outside a list, writes are unknown.

use super::Range;
use picaflor_pipeline::memory::PAGE;

/// Maximal number of targets tracked in a list; above it, every texture is compared before each draw.
const MOST_TARGETS: usize = 64;
/// Maximal number of ranges whose changes are tracked in a list; above it, all textures are compared again.
const MOST_CHANGED: usize = 256;

/// Changes that a draw announces before it is drawn: colour and depth.
const OF_A_DRAW: u64 = 2;
/// Bytes of a block, its pages, and blocks of all addresses.
const BLOCK: u64 = 1 << 20;
const PAGES: usize = (BLOCK / PAGE as u64) as usize;
const BLOCKS: usize = 1 << 12;

/// Time of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    list: u64,
    /// Changes up to the comparison, but for the last ones, which may belong to a draw that is still to come.
    changes: u64,
}

/// Ranges written in a list.
#[derive(Debug, Default)]
pub(super) struct Writes {
    /// Number of the current list.
    list: u64,
    in_list: bool,
    /// Written at any time until the list ends.
    targets: Vec<Range>,
    /// Written ranges, each with the number of its last change.
    changed: Vec<(Range, u64)>,
    /// Number of the last change.
    changes: u64,
    /// Writes outside of draws: blocks of all addresses, once there was one.
    blocks: Vec<Option<Box<Block>>>,
    /// Number of the last one.
    written: u64,
}

/// Pages that follow each other. No page counts as written where another one was: nobody pays for comparisons of what lies
/// elsewhere.
#[derive(Debug, Clone)]
struct Block {
    /// The largest of the numbers.
    last: u64,
    /// The number of the last write to each page.
    pages: [u64; PAGES],
}

impl Default for Block {
    fn default() -> Self {
        Self { last: 0, pages: [0; PAGES] }
    }
}

impl Writes {
    /// Begins a list. Targets of a list that another machine left open are kept.
    pub(super) fn list_begins(&mut self) {
        if !self.in_list {
            self.targets.clear();
        }
        self.in_list = true;
        self.forget_changes();
    }

    pub(super) fn list_ends(&mut self) {
        self.in_list = false;
    }

    /// Forgets the changes and starts a new list number, which forces new comparisons.
    fn forget_changes(&mut self) {
        self.list += 1;
        self.changed.clear();
    }

    /// Adds a range that may be written at any time until the list ends.
    pub(super) fn target(&mut self, range: Range) {
        let is_known = || self.targets.len() > MOST_TARGETS || self.targets.contains(&range);
        if self.in_list && range.1 > 0 && !is_known() {
            self.targets.push(range);
        }
    }

    /// Adds a range that is written now or by the next draw.
    pub(super) fn changed(&mut self, range: Range) {
        if !self.in_list || range.1 == 0 {
            return;
        }
        self.changes += 1;
        let number = self.changes;
        match self.changed.iter_mut().find(|(known, _)| *known == range) {
            Some((_, last)) => *last = number,
            None => {
                if self.changed.len() == MOST_CHANGED {
                    self.list += 1;
                    // What the draw that is still to come has announced so far stays.
                    self.changed.retain(|&(_, last)| last + OF_A_DRAW > number);
                }
                self.changed.push((range, number));
            }
        }
    }

    /// Adds a range that was written, or is before anything is compared again.
    pub(super) fn written(&mut self, range: Range) {
        if !self.in_list || range.1 == 0 {
            return;
        }
        if self.blocks.try_reserve_exact(BLOCKS - self.blocks.len()).is_err() {
            return self.forget_changes();
        }
        self.blocks.resize(BLOCKS, None);
        // Between two draws: what was announced before is of a draw that has come.
        self.changes += 1 + OF_A_DRAW;
        self.written = self.changes - OF_A_DRAW;
        for (block, pages) in pages(range) {
            let block = self.blocks[block].get_or_insert_default();
            block.last = self.written;
            block.pages[pages].fill(self.written);
        }
    }

    /// True if a page of a range was written after a moment.
    fn is_written(&self, range: Range, checked: Moment) -> bool {
        let is_later = |&number: &u64| number > checked.changes;
        let block = |number: usize| self.blocks.get(number)?.as_ref();
        is_later(&self.written)
            && pages(range).any(|(number, pages)| {
                block(number).is_some_and(|b| is_later(&b.last) && b.pages[pages].iter().any(is_later))
            })
    }

    /// The current time. Excludes the last changes, which may belong to a draw that is still to come.
    pub(super) fn now(&self) -> Moment {
        Moment { list: self.list, changes: self.changes.saturating_sub(OF_A_DRAW) }
    }

    /// True if no announced write since `checked` overlaps the ranges.
    pub(super) fn spare(&self, ranges: impl Iterator<Item = Range> + Clone, checked: Moment) -> bool {
        let later =
            self.changed.iter().filter(|(_, number)| *number > checked.changes).map(|(range, _)| range);
        self.in_list
            && checked.list == self.list
            && !ranges.clone().any(|range| self.is_written(range, checked))
            && self.targets.len() <= MOST_TARGETS
            && !self
                .targets
                .iter()
                .chain(later)
                .any(|&written| ranges.clone().any(|range| overlap(range, written)))
    }
}

/// The pages of a range, which may wrap around to address 0: numbers of blocks, each with a part of its pages.
fn pages((address, length): Range) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
    let (start, end) = (u64::from(address), u64::from(address) + u64::from(length));
    let blocks = start / BLOCK..if length == 0 { 0 } else { end.div_ceil(BLOCK) };
    blocks.map(move |block| {
        let [from, to] = [start, end].map(|at| at.clamp(block * BLOCK, (block + 1) * BLOCK) - block * BLOCK);
        let pages = (from / u64::from(PAGE)) as usize..to.div_ceil(PAGE.into()) as usize;
        (block as usize % BLOCKS, pages)
    })
}

/// Overlap of two ranges, each of which may wrap around to address 0.
const fn overlap(a: Range, b: Range) -> bool {
    a.1 > 0 && b.1 > 0 && (b.0.wrapping_sub(a.0) < a.1 || a.0.wrapping_sub(b.0) < b.1)
}
