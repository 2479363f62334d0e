//! When textures are decoded again, and when they are not even compared.

use super::{ImageKey, TextureCache};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{FlatMemory, Memory};
use picaflor_pipeline::pica::texel::TextureFormat;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
    let key = small_image(0x1000);
    let mut cache = TextureCache::new(1 << 20);
    let first = cache.image(&memory, &key);
    memory.set_byte(0x1003, 2);
    assert!(Arc::ptr_eq(&first, &cache.image(&memory, &key)));
    memory.version.store(1, Relaxed);
    let second = cache.image(&memory, &key);
    assert!(!Arc::ptr_eq(&first, &second));
    memory.version.store(2, Relaxed);
    assert!(Arc::ptr_eq(&second, &cache.image(&memory, &key)));
    // A budget for less than one image keeps the last.
    let mut small = TextureCache::new(100);
    small.image(&memory, &key);
    small.image(&memory, &small_image(0x1008));
    assert_eq!(small.len(), 1);
}

/// 8x8 intensities.
fn small_image(address: u32) -> ImageKey {
    ImageKey {
        faces: [address, 0, 0, 0, 0, 0],
        count: 1,
        format: TextureFormat::I8,
        shadow: false,
        size: [8, 8],
        levels: [0, 0],
    }
}

/// During a list contents are compared once, and each time where a draw may have written.
#[test]
fn lists_save_the_comparison() {
    let memory = FlatMemory::new(0x1000, vec![1; 128]);
    let mut cache = TextureCache::new(1 << 20);
    // Whether a write is seen, and the bytes that were compared for that.
    let look = |cache: &mut TextureCache, address: u32| {
        memory.set_byte(address, memory.byte(address).wrapping_add(1));
        let before = cache.stats();
        cache.image(&memory, &small_image(address));
        let after = cache.stats();
        (after.stale > before.stale, after.compared_bytes - before.compared_bytes)
    };
    assert_eq!([0x1000, 0x1000].map(|address| look(&mut cache, address)), [(false, 0), (true, 64)]);
    for _ in 0..2 {
        cache.list_begins();
        assert_eq!([look(&mut cache, 0x1000), look(&mut cache, 0x1000)], [(true, 64), (false, 0)]);
        cache.target((0x1040, 0x100));
        assert_eq!(look(&mut cache, 0x1000), (false, 0), "it ends where the target begins");
        cache.target((0x103f, 0));
        assert_eq!(look(&mut cache, 0x1000), (false, 0), "no bytes");
        cache.target((0x103f, 1));
        assert_eq!([look(&mut cache, 0x1000), look(&mut cache, 0x1000)], [(true, 64); 2]);
        cache.list_ends();
        assert_eq!(look(&mut cache, 0x1000), (true, 64));
    }
    cache.list_begins();
    look(&mut cache, 0x1000);
    (0..100).for_each(|n| cache.target((0x5000 + n, 1)));
    assert_eq!(look(&mut cache, 0x1000), (true, 64), "too many targets to be told apart");
}

/// What is renewed keeps its buffers, unless a draw still has the texels.
#[test]
fn texels_in_use_stay_as_they_are() {
    let memory = FlatMemory::new(0x1000, vec![1; 64]);
    let mut cache = TextureCache::new(1 << 20);
    let address = |cache: &mut TextureCache| cache.image(&memory, &small_image(0x1000)).address(0);
    let first = address(&mut cache);
    memory.set_byte(0x1000, 2);
    assert_eq!(address(&mut cache), first);
    let held = cache.image(&memory, &small_image(0x1000));
    memory.set_byte(0x1000, 3);
    assert_ne!(address(&mut cache), held.address(0));
    assert_eq!((cache.stats().misses, cache.stats().stale, cache.stats().hits), (3, 2, 1));
}
