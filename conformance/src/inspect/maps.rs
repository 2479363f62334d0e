//! `Maps`: what some draws did to each pixel of their buffers.

use super::action::Buffer;
use picaflor_interp::trace::Covered;
use std::collections::BTreeMap;

/// Buffers that have a map, and pixels of all of them.
const MOST_BUFFERS: usize = 64;
const MOST_PIXELS: usize = 1 << 24;

/// Fates of the fragments of a draw.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejections {
    /// Fragments.
    pub fragments: u64,
    /// Fragments that were stored.
    pub stored: u64,
    /// Fragments by the test that rejected them.
    pub by: BTreeMap<String, u64>,
}

/// A pixel of a map.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct MapPixel {
    /// Fragments that covered it.
    pub covered: u32,
    /// Those that no test rejected.
    pub stored: u32,
    /// Its share of the time of the draws that covered it, in nanoseconds: each draw is spread evenly over its fragments.
    pub nanoseconds: f32,
}

/// What happened to a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// No draw covered it.
    Untouched,
    /// Draws covered it, and a test rejected all of them.
    Rejected,
    /// Some fragments were stored, some rejected.
    Mixed,
    /// Every fragment was stored.
    Stored,
}

impl Fate {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Untouched, Self::Rejected, Self::Mixed, Self::Stored];

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Untouched => "never covered",
            Self::Rejected => "covered, never stored",
            Self::Mixed => "stored, some rejected",
            Self::Stored => "stored, none rejected",
        }
    }
}

impl MapPixel {
    /// Its fate.
    #[must_use]
    pub const fn fate(self) -> Fate {
        match (self.covered, self.stored) {
            (0, _) => Fate::Untouched,
            (_, 0) => Fate::Rejected,
            (covered, stored) if stored < covered => Fate::Mixed,
            _ => Fate::Stored,
        }
    }
}

/// What some draws did to each pixel of a buffer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Map {
    /// Address of the colours.
    pub address: u32,
    /// Columns.
    pub width: u32,
    /// Rows, as the machine counts them.
    pub height: u32,
    /// True if the machine counts rows upward.
    pub is_upward: bool,
    /// The pixels; rows from the machine's first.
    pub pixels: Vec<MapPixel>,
    /// Draws.
    pub draws: u64,
}

impl Map {
    /// The pixel of column `x` and row `y`, counted from the top as the buffer is seen.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> MapPixel {
        let row = if self.is_upward { self.height.wrapping_sub(y + 1) } else { y };
        let at = (row < self.height && x < self.width).then(|| (row * self.width + x) as usize);
        at.and_then(|at| self.pixels.get(at)).copied().unwrap_or_default()
    }

    /// Fragments of all pixels.
    #[must_use]
    pub fn fragments(&self) -> u64 {
        self.pixels.iter().map(|pixel| u64::from(pixel.covered)).sum()
    }

    /// Number of pixels of each fate.
    #[must_use]
    pub fn fates(&self) -> [(Fate, usize); 4] {
        Fate::ALL.map(|fate| (fate, self.pixels.iter().filter(|pixel| pixel.fate() == fate).count()))
    }

    /// Makes room for a buffer of the same address.
    fn grow(&mut self, width: u32, height: u32) {
        let (width, height) = (width.max(self.width), height.max(self.height));
        if (width, height) == (self.width, self.height) {
            return;
        }
        let mut pixels = vec![MapPixel::default(); width as usize * height as usize];
        let rows = self.pixels.chunks_exact(self.width.max(1) as usize);
        for (to, from) in pixels.chunks_exact_mut(width.max(1) as usize).zip(rows) {
            to[..from.len()].copy_from_slice(from);
        }
        (self.width, self.height, self.pixels) = (width, height, pixels);
    }
}

/// The maps of all buffers, in the order of their first draws, and the fates of fragments by draw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Maps {
    /// Maps of buffers.
    pub buffers: Vec<Map>,
    /// Fates by draw.
    pub draws: BTreeMap<u64, Rejections>,
}

impl Maps {
    /// True if a draw stored nothing.
    #[must_use]
    pub fn is_empty(&self, draw: u64) -> bool {
        self.draws.get(&draw).is_none_or(|fates| fates.stored == 0)
    }

    /// Adds the fragments of a draw, which took `cost` nanoseconds.
    pub(super) fn add(&mut self, draw: u64, buffer: &Buffer, covered: &[Covered], cost: u64) {
        let fates = self.draws.entry(draw).or_default();
        for at in covered {
            fates.fragments += 1;
            match &at.rejected_by {
                Some(test) => *fates.by.entry(test.clone()).or_default() += 1,
                None => fates.stored += 1,
            }
        }
        let Some(map) = self.map(buffer) else { return };
        map.draws += 1;
        let share = cost as f32 / covered.len().max(1) as f32;
        for at in covered {
            let [x, y] = [at.x, at.y].map(|side| u32::try_from(side).unwrap_or(u32::MAX));
            if x < map.width && y < map.height {
                let pixel = &mut map.pixels[(y * map.width + x) as usize];
                pixel.covered += 1;
                pixel.stored += u32::from(at.rejected_by.is_none());
                pixel.nanoseconds += share;
            }
        }
    }

    /// The map of a buffer; `None` beyond the limits.
    fn map(&mut self, buffer: &Buffer) -> Option<&mut Map> {
        let others = self.buffers.iter().filter(|map| map.address != buffer.address);
        let pixels: usize = others.map(|map| map.pixels.len()).sum();
        let known = self.buffers.iter().position(|map| map.address == buffer.address);
        let is_room = pixels + buffer.width as usize * buffer.height as usize <= MOST_PIXELS;
        let at = match known {
            Some(at) => at,
            None if is_room && self.buffers.len() < MOST_BUFFERS => {
                let Buffer { address, is_upward, .. } = *buffer;
                self.buffers.push(Map { address, is_upward, ..Map::default() });
                self.buffers.len() - 1
            }
            None => return None,
        };
        let map = &mut self.buffers[at];
        let sides = [map.width.max(buffer.width), map.height.max(buffer.height)];
        if pixels + sides[0] as usize * sides[1] as usize <= MOST_PIXELS {
            map.grow(sides[0], sides[1]);
        }
        Some(map)
    }

    /// The map of the buffer at an address, or of that which most fragments cover.
    #[must_use]
    pub fn of(&self, address: Option<u32>) -> Option<&Map> {
        match address {
            Some(address) => self.buffers.iter().find(|map| map.address == address),
            None => self.buffers.iter().rev().max_by_key(|map| map.fragments()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(address: u32, width: u32, height: u32) -> Buffer {
        let format = String::new();
        Buffer { address, width, height, format, depth_address: 0, is_upward: true, bytes: 0 }
    }

    fn at(x: i32, y: i32, rejected_by: Option<&'static str>) -> Covered {
        Covered { x, y, primitive: 0, rejected_by: rejected_by.map(str::to_owned) }
    }

    #[test]
    fn buffers_have_maps_of_their_own_that_grow() {
        let mut maps = Maps::default();
        maps.add(0, &buffer(16, 2, 1), &[at(0, 0, None), at(1, 0, Some("alpha test"))], 100);
        maps.add(1, &buffer(32, 1, 1), &[at(0, 0, None)], 7);
        maps.add(
            2,
            &buffer(16, 3, 2),
            &[at(1, 0, Some("depth test")), at(2, 1, None), at(0, 0, Some("a"))],
            30,
        );
        assert_eq!(maps.buffers.len(), 2);
        let map = maps.of(None).expect("the larger one");
        assert_eq!((map.address, map.width, map.height, map.fragments(), map.draws), (16, 3, 2, 5, 2));
        let fates = [(0, 1), (1, 1), (2, 1), (2, 0)].map(|(x, y)| map.pixel(x, y).fate());
        assert_eq!(fates, [Fate::Mixed, Fate::Rejected, Fate::Untouched, Fate::Stored], "rows count upward");
        assert_eq!(map.fates().map(|(_, count)| count), [3, 1, 1, 1]);
        assert_eq!([map.pixel(0, 1).nanoseconds, map.pixel(2, 0).nanoseconds], [60.0, 10.0]);
        assert_eq!(maps.of(Some(32)).expect("a map").pixel(0, 0).nanoseconds, 7.0);
        assert_eq!(maps.draws[&2].by.len(), 2);
        assert!(maps.of(Some(48)).is_none());
    }

    #[test]
    fn hostile_buffers_stay_inside_the_limits() {
        let mut maps = Maps::default();
        for n in 0..1000 {
            maps.add(u64::from(n), &buffer(n * 16, 1023, 1024), &[at(5, 5, None)], 1);
            maps.add(u64::from(n), &buffer(n * 16, 1 << 16, 1 << 16), &[at(5, 5, None)], 1);
        }
        assert!(maps.buffers.len() <= MOST_BUFFERS);
        assert!(maps.buffers.iter().map(|map| map.pixels.len()).sum::<usize>() <= MOST_PIXELS);
        assert_eq!(maps.of(Some(0)).expect("the first").pixel(5, 1018).covered, 2);
    }
}
