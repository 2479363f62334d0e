//! When textures are decoded again, when they are not even compared, and which have to go.

use super::{ALL_ROWS, Decode, NoImage, Piece, Range, TextureCache};
use crate::pauses::tests::Ending;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{FlatMemory, Memory};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes that become texels: 64 from each of some addresses on. There is no memory for those that begin with [`REFUSED`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key(Vec<u32>);

impl Decode for Key {
    fn pieces(&self) -> usize {
        self.0.len()
    }

    fn range(&self, piece: usize) -> Range {
        (self.0[piece], 64)
    }

    fn decode(&self, memory: &dyn Memory, pieces: &[Piece], texels: &mut Vec<u32>) -> Result<(), NoImage> {
        texels.clear();
        texels.extend(pieces.iter().flat_map(|piece| piece.bytes().iter().map(|&byte| u32::from(byte))));
        match (memory.is_stopping(), texels[0] == REFUSED) {
            (true, _) => Err(NoImage::Stopped),
            (_, true) => Err(NoImage::NoMemory),
            _ => Ok(()),
        }
    }
}

const REFUSED: u32 = 0xee;

/// Neither a new image nor one whose bytes changed leaves anything behind, and both are there when there is memory again.
#[test]
fn images_without_memory() {
    let mut cache = TextureCache::new(1 << 20);
    let [refused, sound] = [0xee, 1].map(|byte| FlatMemory::new(0x1000, vec![byte; 64]));
    for _ in 0..2 {
        assert_eq!(cache.image(&refused, &key(0x1000)).err(), Some(NoImage::NoMemory));
        assert_eq!(cache.stats().held_bytes, 0);
        assert_eq!(cache.image(&sound, &key(0x1000)).expect("an image").texels(), [1; 64]);
    }
}

/// Bytes that count for an image of one piece.
fn one() -> usize {
    let mut cache = TextureCache::new(1 << 20);
    cache.image(&FlatMemory::new(0x1000, vec![1; 64]), &key(0x1000)).expect("an image");
    cache.stats().held_bytes
}

/// Also the smallest image counts with its entry: once a gigabyte of them was held as a hundred megabytes.
#[test]
fn entries_count_with_all_that_they_hold() {
    let content = 64 + 4 * 64;
    let entry =
        size_of::<Key>() + size_of::<super::Entry<Key>>() + size_of::<Piece>() + size_of::<super::Image>();
    assert!(one() >= content + entry, "{} bytes", one());
    let memory = FlatMemory::new(0x1000, vec![1; 64]);
    let mut cache = TextureCache::new(1 << 20);
    (0..10_000)
        .for_each(|n| drop(cache.image(&memory, &Key(vec![0x1000 + n % 64 * 0x1000, n])).expect("an image")));
    assert!(cache.entries.len() * (content + entry) <= 1 << 20, "{} entries", cache.entries.len());
    assert_eq!(cache.entries.values().map(|entry| entry.bytes).sum::<usize>(), cache.stats().held_bytes);
}

fn key(address: u32) -> Key {
    Key(vec![address])
}

/// A memory that counts its writes.
struct Counting {
    memory: FlatMemory,
    version: AtomicU64,
}

impl Memory for Counting {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn version(&self, _: u32, _: u32) -> Option<u64> {
        Some(self.version.load(Relaxed))
    }
}

/// While the version stays, contents are not compared; afterwards they are.
#[test]
fn versions_save_the_comparison() {
    let memory = Counting { memory: FlatMemory::new(0x1000, vec![1; 64]), version: 0.into() };
    let mut cache = TextureCache::new(1 << 20);
    let first = cache.image(&memory, &key(0x1000)).expect("an image");
    memory.set_byte(0x1003, 2);
    assert!(Arc::ptr_eq(&first, &cache.image(&memory, &key(0x1000)).expect("an image")));
    memory.version.store(1, Relaxed);
    let second = cache.image(&memory, &key(0x1000)).expect("an image");
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!((first.texels()[3], second.texels()[3]), (1, 2));
    memory.version.store(2, Relaxed);
    assert!(Arc::ptr_eq(&second, &cache.image(&memory, &key(0x1000)).expect("an image")));
}

/// A memory of 256 bytes whose bytes change before each look at an image: whether that is seen, and the bytes that
/// were compared for it.
struct Look {
    memory: FlatMemory,
    cache: TextureCache<Key>,
}

impl Look {
    fn new() -> Self {
        Self { memory: FlatMemory::new(0x1000, vec![1; 256]), cache: TextureCache::new(1 << 20) }
    }

    fn at(&mut self, address: u32) -> (bool, u64) {
        self.memory.set_byte(address, self.memory.byte(address).wrapping_add(1));
        let before = self.cache.stats();
        self.cache.image(&self.memory, &key(address)).expect("an image");
        let after = self.cache.stats();
        (after.stale > before.stale, after.compared_bytes - before.compared_bytes)
    }
}

const SEEN: (bool, u64) = (true, 64);
const SPARED: (bool, u64) = (false, 0);

/// During a list contents are compared once, and each time where a draw may have written.
#[test]
fn lists_save_the_comparison() {
    let mut look = Look::new();
    assert_eq!([look.at(0x1000), look.at(0x1000)], [(false, 0), SEEN], "decoded, and then compared");
    for _ in 0..2 {
        look.cache.list_begins();
        assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN, SPARED]);
        look.cache.target((0x1040, 0x100));
        assert_eq!(look.at(0x1000), SPARED, "it ends where the target begins");
        look.cache.target((0x103f, 0));
        assert_eq!(look.at(0x1000), SPARED, "no bytes");
        look.cache.target((0x103f, 1));
        assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN; 2]);
        look.cache.list_ends();
        assert_eq!(look.at(0x1000), SEEN);
    }
    look.cache.list_begins();
    look.at(0x1000);
    (0..100).for_each(|n| look.cache.target((0x5000 + n, 1)));
    assert_eq!(look.at(0x1000), SEEN, "too many targets to be told apart");
}

/// What changes at a moment is compared until two other changes come, because a draw announces two, and then no more.
#[test]
fn changes_count_until_the_next_draw() {
    let mut look = Look::new();
    look.cache.list_begins();
    assert_eq!([look.at(0x1000), look.at(0x1000)], [(false, 0), SPARED]);
    look.cache.changed((0x103f, 1));
    assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN; 2], "the draw may come after the look");
    look.cache.changed((0x1040, 64));
    assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN; 2], "both may be of one draw");
    look.cache.changed((0x1040, 64));
    assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN, SPARED], "that draw is over");
    look.cache.changed((0x1000, 0));
    look.cache.changed((0x0fff, 1));
    assert_eq!(look.at(0x1000), SPARED, "no byte of it");
    look.cache.changed((0xffff_ffff, 0x1002));
    assert_eq!(look.at(0x1000), SEEN, "around the end of the address space");
    look.cache.changed((0, 1));
    look.at(0x1000);
    (0..5000).for_each(|n| look.cache.changed((0x5000 + n, 1)));
    assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN, SPARED], "too many changes to be told apart");
    look.cache.list_ends();
    look.cache.changed((0x5000, 1));
    assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN; 2], "no list");
}

/// A draw whose depth is one change too many has announced its colours before, and may look at what it will draw to.
#[test]
fn the_draw_that_is_one_too_many_counts() {
    for before in 250..=260 {
        let mut look = Look::new();
        look.cache.list_begins();
        (0..before).for_each(|n| look.cache.changed((0x5000 + n, 1)));
        look.cache.changed((0x1000, 1));
        look.cache.changed((0x9000, 1));
        look.at(0x1000);
        look.cache.changed((0xa000, 1));
        look.cache.changed((0xb000, 1));
        assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN, SPARED], "after {before} others");
    }
}

/// A write between draws is seen once, and that of a neighbour in its page is not spared; that in any other page is.
#[test]
fn writes_between_draws_are_compared_once() {
    let mut look = Look::new();
    look.cache.written((0x1000, 64));
    look.cache.list_begins();
    assert_eq!([look.at(0x1000), look.at(0x1000)], [(false, 0), SPARED], "before the list");
    for range in [(0x1000, 1), (0x1fff, 1), (0x0fff, 2), (0xffff_ffff, 0x1002), (0, u32::MAX)] {
        look.cache.written(range);
        assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN, SPARED], "{range:x?}");
    }
    for range in [(0x1000, 0), (0x0fff, 1), (0x2000, 0x00ff_f000), (0x0100_1000, 1), (0x2000, 0xffff_e000)] {
        look.cache.written(range);
        assert_eq!(look.at(0x1000), SPARED, "{range:x?}");
    }
    look.cache.changed((0x1000, 1));
    look.cache.written((0x5000, 1));
    assert_eq!([look.at(0x1000), look.at(0x1000)], [SEEN, SPARED], "that draw is over");
}

/// Draws of the outer list may write its targets until it ends, whoever begins another meanwhile.
#[test]
fn a_list_in_a_list_forgets_no_target() {
    let mut look = Look::new();
    look.cache.list_begins();
    look.cache.target((0x1000, 1));
    look.cache.list_begins();
    look.at(0x1000);
    look.at(0x1040);
    assert_eq!([look.at(0x1000), look.at(0x1040)], [SEEN, SPARED]);
    look.cache.list_ends();
    assert_eq!([look.at(0x1000), look.at(0x1040)], [SEEN; 2]);
}

/// Each piece is compared, until one differs.
#[test]
fn images_of_several_pieces() {
    let memory = FlatMemory::new(0x1000, vec![1; 256]);
    let mut cache = TextureCache::new(1 << 20);
    let key = Key(vec![0x1000, 0x1080]);
    cache.image(&memory, &key).expect("an image");
    memory.set_byte(0x1040, 2);
    cache.image(&memory, &key).expect("an image");
    assert_eq!((cache.stats().stale, cache.stats().compared_bytes), (0, 128));
    memory.set_byte(0x1080, 3);
    assert_eq!(cache.image(&memory, &key).expect("an image").texels()[64], 3);
    memory.set_byte(0x1000, 4);
    cache.image(&memory, &key).expect("an image");
    assert_eq!((cache.stats().stale, cache.stats().compared_bytes), (2, 128 + 128 + 64));
    assert_eq!(
        (cache.stats().decoded_bytes, cache.stats().held_bytes),
        (3 * 128, cache.entries.peek(&key).expect("it is kept").bytes)
    );
}

/// What is renewed keeps its buffers, unless a draw still has the texels.
#[test]
fn texels_in_use_stay_as_they_are() {
    let memory = FlatMemory::new(0x1000, vec![1; 64]);
    let mut cache = TextureCache::new(1 << 20);
    let place = |cache: &mut TextureCache<Key>| {
        cache.image(&memory, &key(0x1000)).expect("an image").texels().as_ptr()
    };
    let first = place(&mut cache);
    memory.set_byte(0x1000, 2);
    assert_eq!(place(&mut cache), first);
    let held = cache.image(&memory, &key(0x1000)).expect("an image");
    memory.set_byte(0x1000, 3);
    assert_ne!(place(&mut cache), held.texels().as_ptr());
    assert_eq!((cache.stats().misses, cache.stats().stale, cache.stats().hits), (3, 2, 1));
}

/// An image that is not complete when the run ends is decoded again by the next one, whether it was new or renewed.
#[test]
fn images_of_runs_that_end() {
    let whole = FlatMemory::new(0x1000, vec![1; 64]);
    for questions in 0..4 {
        let ending = Ending::after(questions, FlatMemory::new(0x1000, vec![1; 64]));
        let mut cache = TextureCache::new(1 << 20);
        assert_eq!(cache.image(&ending, &key(0x1000)).is_ok(), questions > 1, "{questions}");
        let expected = if questions > 1 { (1, 0) } else { (2, 0) };
        assert_eq!(cache.image(&whole, &key(0x1000)).expect("an image").texels(), [1; 64]);
        assert_eq!((cache.stats().misses, cache.stats().stale), expected);
        // It was changed, and is renewed.
        let ending = Ending::after(questions, FlatMemory::new(0x1000, vec![2; 64]));
        assert_eq!(cache.image(&ending, &key(0x1000)).is_ok(), questions > 1);
        let held = cache.stats().held_bytes;
        assert_eq!(held > 0, questions > 1, "{held} bytes");
        assert_eq!(cache.image(&whole, &key(0x1000)).expect("an image").texels(), [1; 64]);
    }
}

/// A memory with versions that panics when it is asked for bytes, or whether the run ends, for so many times and once more.
struct Panicking {
    memory: FlatMemory,
    left: AtomicU64,
}

impl Panicking {
    fn of(byte: u8, accesses: u64) -> Self {
        Self { memory: FlatMemory::new(0x1000, vec![byte; 64]), left: accesses.into() }
    }

    fn asked(&self) {
        if self.left.fetch_sub(1, Relaxed) == 0 {
            // Without a message.
            resume_unwind(Box::new(()));
        }
    }
}

impl Memory for Panicking {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.asked();
        self.memory.region(address, length)
    }

    fn version(&self, _: u32, _: u32) -> Option<u64> {
        Some(self.memory.byte(0x1000).into())
    }

    fn is_stopping(&self) -> bool {
        self.asked();
        false
    }
}

/// A host may catch a panic of its memory. An image whose bytes were taken over, but not its texels, was then found current.
#[test]
fn images_of_runs_that_panic() {
    let mut panics = 0;
    for accesses in 0..8 {
        let mut cache = TextureCache::new(1 << 20);
        let mut image = |memory: &Panicking| {
            let image =
                catch_unwind(AssertUnwindSafe(|| cache.image(memory, &key(0x1000)).expect("an image")));
            image.ok().map(|image| image.texels().to_vec())
        };
        for byte in [1, 2, 3] {
            panics += u32::from(image(&Panicking::of(byte, accesses)).is_none());
            assert_eq!(
                image(&Panicking::of(byte, 100)),
                Some(vec![u32::from(byte); 64]),
                "{byte} {accesses}"
            );
        }
    }
    assert!(panics > 6, "{panics}");
}

/// Images that draws still use are inside the budget, also when they were evicted or renewed, until the draws are done.
#[test]
fn images_of_pending_draws_count() {
    let memory = FlatMemory::new(0x1000, vec![1; 0x1000]);
    let mut cache = TextureCache::new(4 * one());
    let mut pending = Vec::new();
    for n in 0..64 {
        if cache.is_full() {
            assert!(cache.stats().held_bytes > 4 * one() && pending.len() > 3);
            pending.clear();
            assert!(!cache.is_full(), "the draws are complete");
        }
        pending.push(cache.image(&memory, &key(0x1000 + 64 * n)).expect("an image"));
        assert!(cache.stats().held_bytes <= 5 * one(), "{} of {}", cache.stats().held_bytes, 4 * one());
    }
    memory.set_byte(0x1000 + 64 * 63, 5);
    let again = cache.image(&memory, &key(0x1000 + 64 * 63)).expect("an image");
    assert!(again.texels()[0] == 5 && pending.last().is_some_and(|old| old.texels()[0] == 1));
    assert!(cache.lent_bytes > 0, "there are two of them");
}

/// Images of so many keys in a cache that has room for some of them; returns nanoseconds for each.
fn many_keys(keys: u32, room: usize) -> f64 {
    let memory = FlatMemory::new(0x1000, vec![1; 64]);
    let (mut cache, budget) = (TextureCache::new(room * one()), room * one());
    let began = std::time::Instant::now();
    for n in 0..keys {
        cache.image(&memory, &Key(vec![0x1000, n])).expect("an image");
        assert!(cache.stats().held_bytes <= budget);
    }
    let time = began.elapsed().as_secs_f64() * 1e9 / f64::from(keys);
    assert!(cache.entries.len() <= room && cache.stats().evictions >= u64::from(keys) - room as u64);
    time
}

#[test]
fn keys_beyond_the_budget() {
    many_keys(20_000, 2000);
}

/// What an image costs does not depend on how many there are.
#[test]
#[ignore = "measures"]
fn a_hundred_thousand_keys() {
    for room in [1000, 10_000, 90_000] {
        println!("room for {room}: {:.0} ns for each image", many_keys(100_000, room));
    }
}

/// Room for sixteen: each one more lets that go which was not used for longest.
#[test]
fn the_least_recently_used_go() {
    let memory = FlatMemory::new(0x1000, vec![1; 0x1000]);
    let mut cache = TextureCache::new(16 * one());
    (0..16).for_each(|n| drop(cache.image(&memory, &key(0x1000 + 64 * n)).expect("an image")));
    cache.image(&memory, &key(0x1000)).expect("an image");
    assert_eq!((cache.stats().evictions, cache.stats().held_bytes), (0, 16 * one()));
    cache.image(&memory, &key(0x1800)).expect("an image");
    assert_eq!((cache.stats().evictions, cache.stats().held_bytes), (1, 16 * one()));
    let misses = |cache: &mut TextureCache<Key>, n: u32| {
        let before = cache.stats().misses;
        cache.image(&memory, &key(0x1000 + 64 * n)).expect("an image");
        cache.stats().misses - before
    };
    assert_eq!([2, 0, 4, 15, 32].map(|n| misses(&mut cache, n)), [0; 5], "used last");
    assert_eq!([1, 3].map(|n| misses(&mut cache, n)), [1; 2]);
}

/// What is larger than the whole budget is kept alone.
#[test]
fn the_newest_stays_whatever_its_size() {
    let memory = FlatMemory::new(0x1000, vec![1; 256]);
    let mut cache = TextureCache::new(one() - 1);
    for n in 0..3 {
        cache.image(&memory, &key(0x1000 + 64 * n)).expect("an image");
        assert_eq!((cache.stats().evictions, cache.stats().held_bytes), (n.into(), one()));
    }
    cache.image(&memory, &key(0x1080)).expect("an image");
    assert_eq!((cache.stats().hits, cache.stats().misses), (1, 3));
}

/// The first of eight rows of eight bytes, and what was there before in the others.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Rows(u32);

impl Decode for Rows {
    fn pieces(&self) -> usize {
        1
    }

    fn range(&self, _: usize) -> Range {
        (0x1000, 8 * self.0)
    }

    fn decode(&self, _: &dyn Memory, pieces: &[Piece], texels: &mut Vec<u32>) -> Result<(), NoImage> {
        texels.resize(64, 0);
        let bytes = pieces[0].bytes();
        assert_eq!(bytes.len(), 8 * self.0 as usize);
        texels.iter_mut().zip(bytes).for_each(|(texel, &byte)| *texel = byte.into());
        Ok(())
    }

    fn first_rows(&self, count: u32) -> Option<(Self, u32)> {
        let rows = count.clamp(1, 8).next_multiple_of(2);
        (rows < 8).then_some((Self(rows), rows))
    }
}

/// All of it at first; then what the draws of each content asked for, which is looked at only where rows are missing.
#[test]
fn what_changes_is_decoded_as_far_as_it_is_used() {
    let memory = FlatMemory::new(0x1000, vec![1; 64]);
    let mut cache = TextureCache::new(1 << 20);
    let mut ask = |rows: Option<u32>, byte: u32| {
        memory.set_byte(0x1000 + byte, memory.byte(0x1000 + byte).wrapping_add(1));
        let before = cache.stats();
        let needed = || rows.expect("nobody looks at what the draw needs");
        let image = cache.first_rows(&memory, &Rows(8), &needed).expect("an image");
        let used = rows.map_or(64, |rows| 8 * rows.min(8)) as usize;
        assert!(
            (0..).zip(&image.texels()[..used]).all(|(n, &texel)| texel == memory.byte(0x1000 + n).into())
        );
        let after = cache.stats();
        ((after.decoded_bytes - before.decoded_bytes) / 8, after.stale - before.stale, image.rows())
    };
    assert_eq!(ask(None, 0), (8, 0, ALL_ROWS));
    assert_eq!(ask(Some(3), 0), (4, 1, 4), "the first change");
    assert_eq!(ask(Some(4), 63), (0, 0, 4), "a change below");
    assert_eq!(ask(Some(5), 63), (8, 0, ALL_ROWS), "rows that are missing");
    assert_eq!(ask(Some(1), 0), (6, 1, 6), "as many as before");
    assert_eq!(ask(Some(ALL_ROWS), 63), (8, 0, ALL_ROWS));
    assert_eq!(ask(Some(1), 0), (8, 1, ALL_ROWS), "once all of them");
    assert_eq!(cache.stats().misses, 6);
}
