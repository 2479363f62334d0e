//! When textures are decoded again, when they are not even compared, and which have to go.

use super::{Decode, Piece, Range, TextureCache};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{FlatMemory, Memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes that become texels: 64 from each of some addresses on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key(Vec<u32>);

impl Decode for Key {
    fn pieces(&self) -> usize {
        self.0.len()
    }

    fn range(&self, piece: usize) -> Range {
        (self.0[piece], 64)
    }

    fn decode(&self, _: &dyn Memory, pieces: &[Piece], texels: &mut Vec<u32>) {
        texels.clear();
        texels.extend(pieces.iter().flat_map(|piece| piece.bytes().iter().map(|&byte| u32::from(byte))));
    }
}

/// Bytes that count for an image of one piece.
fn one() -> usize {
    let mut cache = TextureCache::new(1 << 20);
    cache.image(&FlatMemory::new(0x1000, vec![1; 64]), &key(0x1000));
    cache.stats().held_bytes
}

/// Also the smallest image counts with its entry: once a gigabyte of them was held as a hundred megabytes.
#[test]
fn entries_count_with_all_that_they_hold() {
    let content = 64 + 4 * 64;
    let entry = size_of::<Key>() + size_of::<super::Entry>() + size_of::<Piece>() + size_of::<super::Image>();
    assert!(one() >= content + entry, "{} bytes", one());
    let memory = FlatMemory::new(0x1000, vec![1; 64]);
    let mut cache = TextureCache::new(1 << 20);
    (0..10_000).for_each(|n| drop(cache.image(&memory, &Key(vec![0x1000 + n % 64 * 0x1000, n]))));
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
    let first = cache.image(&memory, &key(0x1000));
    memory.set_byte(0x1003, 2);
    assert!(Arc::ptr_eq(&first, &cache.image(&memory, &key(0x1000))));
    memory.version.store(1, Relaxed);
    let second = cache.image(&memory, &key(0x1000));
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!((first.texels()[3], second.texels()[3]), (1, 2));
    memory.version.store(2, Relaxed);
    assert!(Arc::ptr_eq(&second, &cache.image(&memory, &key(0x1000))));
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
        self.cache.image(&self.memory, &key(address));
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
    cache.image(&memory, &key);
    memory.set_byte(0x1040, 2);
    cache.image(&memory, &key);
    assert_eq!((cache.stats().stale, cache.stats().compared_bytes), (0, 128));
    memory.set_byte(0x1080, 3);
    assert_eq!(cache.image(&memory, &key).texels()[64], 3);
    memory.set_byte(0x1000, 4);
    cache.image(&memory, &key);
    assert_eq!((cache.stats().stale, cache.stats().compared_bytes), (2, 128 + 128 + 64));
    assert_eq!((cache.stats().decoded_bytes, cache.stats().held_bytes), (3 * 128, cache.entries[&key].bytes));
}

/// What is renewed keeps its buffers, unless a draw still has the texels.
#[test]
fn texels_in_use_stay_as_they_are() {
    let memory = FlatMemory::new(0x1000, vec![1; 64]);
    let mut cache = TextureCache::new(1 << 20);
    let place = |cache: &mut TextureCache<Key>| cache.image(&memory, &key(0x1000)).texels().as_ptr();
    let first = place(&mut cache);
    memory.set_byte(0x1000, 2);
    assert_eq!(place(&mut cache), first);
    let held = cache.image(&memory, &key(0x1000));
    memory.set_byte(0x1000, 3);
    assert_ne!(place(&mut cache), held.texels().as_ptr());
    assert_eq!((cache.stats().misses, cache.stats().stale, cache.stats().hits), (3, 2, 1));
}

/// Room for sixteen: the seventeenth lets those go that were not used for longest, until fourteen are left.
#[test]
fn the_least_recently_used_go() {
    let memory = FlatMemory::new(0x1000, vec![1; 0x1000]);
    let mut cache = TextureCache::new(16 * one());
    (0..16).for_each(|n| drop(cache.image(&memory, &key(0x1000 + 64 * n))));
    cache.image(&memory, &key(0x1000));
    assert_eq!((cache.stats().evictions, cache.stats().held_bytes), (0, 16 * one()));
    cache.image(&memory, &key(0x1800));
    assert_eq!((cache.stats().evictions, cache.stats().held_bytes), (3, 14 * one()));
    let misses = |cache: &mut TextureCache<Key>, n: u32| {
        let before = cache.stats().misses;
        cache.image(&memory, &key(0x1000 + 64 * n));
        cache.stats().misses - before
    };
    assert_eq!([0, 4, 15, 32].map(|n| misses(&mut cache, n)), [0; 4], "used last");
    assert_eq!([1, 2].map(|n| misses(&mut cache, n)), [1; 2]);
}

/// What is larger than the whole budget is kept alone.
#[test]
fn the_newest_stays_whatever_its_size() {
    let memory = FlatMemory::new(0x1000, vec![1; 256]);
    let mut cache = TextureCache::new(one() - 1);
    for n in 0..3 {
        cache.image(&memory, &key(0x1000 + 64 * n));
        assert_eq!((cache.stats().evictions, cache.stats().held_bytes), (n.into(), one()));
    }
    cache.image(&memory, &key(0x1080));
    assert_eq!((cache.stats().hits, cache.stats().misses), (1, 3));
}
