//! Price of the textures of a run's draws: decoding those that are new or may have changed, and comparing those that draws
//! of the run may write.
//!
//! An engine may do less. But what it decoded already, and in which run, is no fact of the guest.

use super::bytes;
use crate::hashing::Seeds;
use crate::memory::Memory;
use std::collections::HashMap;
use std::hash::Hash;

/// Largest size of the texels, of 4 bytes each, that count as decoded: an engine with the default budget keeps that much
/// with the bytes that they were made from.
const MOST_BYTES: u64 = 32 << 20;
/// Units for a texture that is asked whether a write reaches it.
const ASKED: u64 = 4;
/// Bytes that an entry counts as beside its texels and what they are made from, so that small textures are few: more than it takes.
const ENTRY: u64 = 2048;
/// Buffers of a run that are told apart. With more, every texture counts as compared before each draw.
const MOST_TARGETS: usize = 64;

/// Address of the first byte, and number of bytes.
type Range = (u32, u32);

/// A texture of a machine: all that its texels depend on, memory apart.
pub(crate) trait Texture: Eq + Hash {
    /// Ranges of bytes that texels may be read from.
    fn ranges(&self) -> impl Iterator<Item = Range>;

    /// Number of texels.
    fn texels(&self) -> u64;

    /// Price of reading or comparing all bytes.
    fn read_price(&self, memory: &dyn Memory) -> u64 {
        let read = |range: Range| bytes(range.1.into(), memory.region(range.0, range.1).is_some());
        self.ranges().map(read).fold(0, u64::saturating_add)
    }

    /// True if two ranges of addresses share a byte.
    fn meet(a: Range, b: Range) -> bool;

    /// True if a texel may be read from a range.
    fn meets(&self, range: Range) -> bool {
        self.ranges().any(|own| Self::meet(own, range))
    }
}

/// Textures that the draws of a run decoded, as far as nothing wrote to their bytes since.
#[derive(Debug, Clone)]
pub(crate) struct Textures<T> {
    decoded: HashMap<T, Again, Seeds>,
    bytes: u64,
    /// Buffers that the run drew to.
    targets: Vec<Range>,
    last: [Range; 2],
}

/// What a draw pays for a texture that is decoded.
#[derive(Debug, Clone, Copy)]
struct Again {
    compared: u64,
    /// Draws of the run may write it.
    may_change: bool,
    /// There was a write near to it since it was compared.
    is_due: bool,
}

impl Again {
    /// What the next draw pays; `may_change`: any texture may.
    const fn price(&mut self, may_change: bool) -> u64 {
        let is_due = std::mem::replace(&mut self.is_due, false);
        if is_due || self.may_change || may_change { self.compared } else { 0 }
    }
}

impl<T> Default for Textures<T> {
    fn default() -> Self {
        Self { decoded: HashMap::default(), bytes: 0, targets: Vec::new(), last: [(0, 0); 2] }
    }
}

impl<T: Texture> Textures<T> {
    /// Forgets everything, for a run.
    pub(crate) fn clear(&mut self) {
        self.decoded.clear();
        self.targets.clear();
        (self.bytes, self.last) = (0, [(0, 0); 2]);
    }

    /// Announces the buffers of the next draw. Returns the price of that.
    pub(crate) fn draws_to(&mut self, target: [Range; 2]) -> u64 {
        if self.last == target {
            return 0;
        }
        let price = self.target_price();
        self.last = target;
        for buffer in target.into_iter().filter(|buffer| buffer.1 > 0) {
            if self.targets.len() <= MOST_TARGETS && !self.targets.contains(&buffer) {
                self.targets.push(buffer);
            }
            self.forget(buffer);
        }
        price
    }

    /// Forgets the textures that a write reaches.
    fn forget(&mut self, range: Range) {
        self.decoded.retain(|texture, _| {
            let stays = !texture.meets(range);
            self.bytes -= if stays { 0 } else { held(texture) };
            stays
        });
    }

    /// Most that the announcement of the buffers of a draw costs.
    pub(crate) fn target_price(&self) -> u64 {
        2 * self.write_price()
    }

    /// Price of the announcement of a write: each texture is asked.
    pub(crate) fn write_price(&self) -> u64 {
        ASKED * self.decoded.len() as u64
    }

    /// Announces a write outside of draws, for which engines may take all of `near`, the pages of the range: textures there are
    /// compared once. True if a texture will cost more than before it.
    pub(crate) fn written(&mut self, range: Range, near: Range) -> bool {
        let mut costs_more = false;
        self.decoded.retain(|texture, again| {
            if !texture.meets(near) {
                return true;
            }
            (costs_more, again.is_due) = (true, true);
            let stays = !texture.meets(range);
            self.bytes -= if stays { 0 } else { held(texture) };
            stays
        });
        costs_more
    }

    /// Price of a texture of the next draw, which counts as decoded from then on; `texel`: price of one texel.
    pub(crate) fn price(&mut self, memory: &dyn Memory, texture: T, texel: u64) -> u64 {
        let has_many = self.targets.len() > MOST_TARGETS;
        if let Some(again) = self.decoded.get_mut(&texture) {
            return again.price(has_many);
        }
        let compared = texture.read_price(memory);
        let price = compared.saturating_add(texture.texels() * texel);
        let meets = |buffers: &[Range]| buffers.iter().any(|&buffer| texture.meets(buffer));
        let (is_drawn, may_change) = (meets(&self.last), meets(&self.targets));
        if !is_drawn {
            self.keep(texture, Again { compared, may_change, is_due: false });
        }
        price
    }

    fn keep(&mut self, texture: T, again: Again) {
        let held = held(&texture);
        if self.bytes + held > MOST_BYTES {
            self.decoded.clear();
            self.bytes = 0;
        }
        self.bytes += held;
        self.decoded.insert(texture, again);
    }
}

/// Bytes that a texture counts as: its texels, and a copy of what they were made from.
fn held(texture: &impl Texture) -> u64 {
    let copies = texture.ranges().map(|range| u64::from(range.1)).fold(0, u64::saturating_add);
    copies.saturating_add(4 * texture.texels() + ENTRY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FlatMemory;

    /// Its bytes, and a number that tells it from others there.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    struct Sheet(Range, u32);

    impl Texture for Sheet {
        fn ranges(&self) -> impl Iterator<Item = Range> {
            std::iter::once(self.0)
        }

        fn texels(&self) -> u64 {
            self.0.1.into()
        }

        fn meet(a: Range, b: Range) -> bool {
            a.1 > 0 && b.1 > 0 && a.0 < b.0 + b.1 && b.0 < a.0 + a.1
        }
    }

    const SHEET: Sheet = Sheet((0x1000, 800), 0);
    /// 100 for the bytes, and 10 for each texel.
    const WHOLE: u64 = 100 + 8000;

    fn price(textures: &mut Textures<Sheet>, sheet: Sheet) -> u64 {
        textures.price(&FlatMemory::new(0x1000, vec![0; 0x1000]), sheet, 10)
    }

    #[test]
    fn textures_are_decoded_once_and_after_writes() {
        let mut textures = Textures::default();
        textures.draws_to([(0x8000, 64), (0, 0)]);
        assert_eq!([(); 3].map(|()| price(&mut textures, SHEET)), [WHOLE, 0, 0]);
        assert_eq!(price(&mut textures, Sheet(SHEET.0, 1)), WHOLE, "another palette");
        let mut written = |range| {
            let costs_more = textures.written(range, range);
            (costs_more, price(&mut textures, SHEET))
        };
        assert_eq!(written((0x1000 + 800, 1)), (false, 0), "behind it");
        assert_eq!(written((0x1000 + 799, 1)), (true, WHOLE), "its last byte");
        assert_eq!(price(&mut textures, SHEET), 0);
        textures.clear();
        assert_eq!(price(&mut textures, SHEET), WHOLE, "a run");
    }

    /// Those that share no byte with the write.
    #[test]
    fn textures_near_a_write_are_compared_once() {
        let mut textures = Textures::default();
        let both = [SHEET, Sheet(SHEET.0, 1)];
        assert_eq!(both.clone().map(|sheet| price(&mut textures, sheet)), [WHOLE; 2]);
        for (near, owed) in [((0x1000, 0x1000), 100), ((0x2000, 0x1000), 0)] {
            let written = [(); 2].map(|()| textures.written((near.0 + 0x800, 4), near));
            assert_eq!(written, [owed > 0; 2]);
            assert_eq!([(); 2].map(|()| price(&mut textures, SHEET)), [owed, 0]);
        }
        assert_eq!(both.map(|sheet| price(&mut textures, sheet)), [0, 100], "the other one was not used");
    }

    #[test]
    fn targets_of_the_run_are_compared() {
        let mut textures = Textures::default();
        textures.draws_to([(0x1000, 64), (0x9000, 64)]);
        assert_eq!([(); 2].map(|()| price(&mut textures, SHEET)), [WHOLE; 2], "drawn to now");
        textures.draws_to([(0x9000, 64), (0, 0)]);
        assert_eq!([(); 3].map(|()| price(&mut textures, SHEET)), [WHOLE, 100, 100], "drawn to before");
        let other = Sheet((0x1800, 8), 0);
        assert_eq!([(); 2].map(|()| price(&mut textures, other.clone())), [81, 0]);
        for n in 0..100 {
            textures.draws_to([(0x9000 + 64 * n, 64), (0, 0)]);
        }
        assert_eq!(price(&mut textures, other), 1, "too many targets");
    }

    #[test]
    fn textures_that_no_engine_keeps_are_paid_again() {
        let mut textures = Textures::default();
        let large = |n: u32| Sheet((0x10_0000 * n, 5 << 20), 0);
        let first = [0, 0, 8].map(|n| price(&mut textures, large(n)));
        assert!(first[0] > 0 && first[1] == 0 && first[2] > 0);
        assert!(price(&mut textures, large(0)) > 0);
    }

    /// Each known texture is asked, for both buffers, whether they reach it.
    #[test]
    fn announcements_are_paid() {
        let mut textures = Textures::default();
        assert_eq!(textures.draws_to([(0x8000, 64), (0, 0)]), 0);
        (0..3).for_each(|n| assert!(price(&mut textures, Sheet(SHEET.0, n)) > 0));
        assert_eq!([(); 2].map(|()| textures.draws_to([(0x9000, 64), (0, 0)])), [2 * 3 * ASKED, 0]);
        assert_eq!(textures.write_price(), 3 * ASKED);
    }

    /// The copy of what texels are made from counts too, gaps between rows included.
    #[test]
    fn textures_count_with_their_bytes() {
        let mut textures = Textures::default();
        let prices =
            [0, 1, 2, 3, 4, 5, 6, 7, 0].map(|n| textures.price(&FlatMemory::new(0, Vec::new()), Thin(n), 10));
        assert!(prices.iter().all(|&price| price > 0), "{prices:?}");
    }

    /// A texel in each of many rows.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    struct Thin(u32);

    impl Texture for Thin {
        fn ranges(&self) -> impl Iterator<Item = Range> {
            std::iter::once((0x10_0000 * self.0, 5 << 20))
        }

        fn texels(&self) -> u64 {
            512
        }

        fn meet(a: Range, b: Range) -> bool {
            Sheet::meet(a, b)
        }
    }

    #[test]
    fn bytes_without_memory_cost_more() {
        assert_eq!(price(&mut Textures::default(), Sheet((0x100, 800), 0)), 800 * 20 + 8000);
    }
}
