//! Decoded textures, kept from draw to draw as long as guest memory has not changed.
//!
//! The room knows no machine: what decides the texels of an image, and how they are decoded, is said by its key
//! ([`Decode`]). The bytes of a texture are compared with a copy of those it was decoded from, so that nobody has to
//! tell the cache about writes: before each draw, or, during a list, before the first draw that needs it. Inside a
//! list only what is told ([`TextureCache::target`], [`TextureCache::changed`]) writes memory, so what was found
//! equal stays so until one of these reaches it. A host that knows better says so by [`Memory::version`]; then
//! the comparison is left out while the number stays the same.
//!
//! Start at [`TextureCache::image`].

mod bytes;
#[cfg(test)]
mod tests;
mod writes;

use crate::cache::WordHasher;
use picaflor_pipeline::memory::Memory;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash};
use std::sync::Arc;
use writes::{Moment, Writes};

/// Bytes of copies and texels that are kept, unless one draw needs more.
pub(crate) const BUDGET: usize = 96 << 20;

/// An address and a length.
pub(crate) type Range = (u32, u32);

/// What decides the texels of an image, together with memory. Equal keys and equal bytes make equal texels.
pub(crate) trait Decode {
    /// Pieces of memory that the texels are made of.
    fn pieces(&self) -> usize;

    /// The addresses in which all bytes of a piece lie.
    fn range(&self, piece: usize) -> Range;

    /// Replaces `out` by the bytes of a piece.
    fn read(&self, memory: &dyn Memory, piece: usize, out: &mut Vec<u8>) {
        bytes::read(memory, self.range(piece), out);
    }

    /// Whether memory still has the bytes that [`read`](Self::read) gave.
    fn is_still(&self, memory: &dyn Memory, piece: usize, bytes: &[u8]) -> bool {
        bytes::equals(memory, self.range(piece).0, bytes)
    }

    /// Replaces `texels` by those that the pieces make.
    fn decode(&self, pieces: &[Piece], texels: &mut Vec<u32>);

    /// Bytes that the key itself keeps.
    fn own_bytes(&self) -> usize {
        0
    }
}

/// A piece of memory as it was when it was decoded.
#[derive(Debug)]
pub(crate) struct Piece {
    range: Range,
    version: Option<u64>,
    bytes: Vec<u8>,
}

impl Piece {
    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The host's number for the bytes.
    fn version_in(&self, memory: &dyn Memory) -> Option<u64> {
        let (address, length) = self.range;
        if length == 0 { None } else { memory.version(address, length) }
    }
}

/// Decoded texels in the order that the key's machine wants.
#[derive(Debug, Default)]
pub(crate) struct Image {
    texels: Vec<u32>,
}

impl Image {
    /// All of them.
    pub(crate) fn texels(&self) -> &[u32] {
        &self.texels
    }
}

#[derive(Debug)]
struct Entry {
    image: Arc<Image>,
    pieces: Vec<Piece>,
    /// Counted against the budget.
    bytes: usize,
    last_use: u64,
    /// When the pieces were found to be what memory holds.
    checked: Moment,
}

/// What happened to decoded textures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TextureStats {
    /// Images that a draw needed and that were there.
    pub hits: u64,
    /// Those that had to be decoded.
    pub misses: u64,
    /// Those of the misses that were there, but decoded from other bytes.
    pub stale: u64,
    /// Guest bytes that were decoded.
    pub decoded_bytes: u64,
    /// Guest bytes that were compared with their copy, also where the first of them differed.
    pub compared_bytes: u64,
    /// Images that had to go.
    pub evictions: u64,
    /// Bytes of texels and copies that are there now.
    pub held_bytes: usize,
}

/// Images of one machine, with keys `K`, in a cache that may hold those of others.
pub(crate) trait Images<K> {
    /// The image of a key, as memory holds it now; see [`TextureCache::image`].
    fn image(&mut self, memory: &dyn Memory, key: &K) -> Arc<Image>;

    /// See [`TextureCache::target`].
    fn target(&mut self, range: Range);

    /// See [`TextureCache::changed`].
    fn changed(&mut self, range: Range);
}

impl<K: Clone, All: From<K> + Decode + Clone + Eq + Hash> Images<K> for TextureCache<All> {
    fn image(&mut self, memory: &dyn Memory, key: &K) -> Arc<Image> {
        self.image(memory, &All::from(key.clone()))
    }

    fn target(&mut self, range: Range) {
        self.target(range);
    }

    fn changed(&mut self, range: Range) {
        self.changed(range);
    }
}

/// The images.
#[derive(Debug)]
pub(crate) struct TextureCache<K> {
    entries: HashMap<K, Entry, BuildHasherDefault<WordHasher>>,
    budget: usize,
    uses: u64,
    writes: Writes,
    stats: TextureStats,
}

impl<K: Decode + Clone + Eq + Hash> TextureCache<K> {
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            entries: HashMap::default(),
            budget,
            uses: 0,
            writes: Writes::default(),
            stats: TextureStats::default(),
        }
    }

    /// From here on memory is written only as [`target`](Self::target) and [`changed`](Self::changed) tell before.
    pub(crate) fn list_begins(&mut self) {
        self.writes.list_begins();
    }

    /// Anybody may write memory again.
    pub(crate) fn list_ends(&mut self) {
        self.writes.list_ends();
    }

    /// Draws may write these bytes at any time until the list ends.
    pub(crate) fn target(&mut self, range: Range) {
        self.writes.target(range);
    }

    /// These bytes change now, or by the draw that comes next.
    pub(crate) fn changed(&mut self, range: Range) {
        self.writes.changed(range);
    }

    pub(crate) fn stats(&self) -> TextureStats {
        self.stats
    }

    /// The image as memory is now.
    pub(crate) fn image(&mut self, memory: &dyn Memory, key: &K) -> Arc<Image> {
        self.uses += 1;
        let Some(entry) = self.entries.get_mut(key) else {
            return self.add(memory, key);
        };
        entry.last_use = self.uses;
        if self.writes.spare(&entry.pieces, entry.checked) || entry.is_current(key, memory, &mut self.stats) {
            self.stats.hits += 1;
        } else {
            self.stats.misses += 1;
            self.stats.stale += 1;
            entry.renew(key, memory, &mut self.stats);
        }
        entry.checked = self.writes.now();
        Arc::clone(&entry.image)
    }

    fn add(&mut self, memory: &dyn Memory, key: &K) -> Arc<Image> {
        self.stats.misses += 1;
        let piece = |n| Piece { range: key.range(n), version: None, bytes: Vec::new() };
        let mut entry = Entry {
            image: Arc::default(),
            pieces: (0..key.pieces()).map(piece).collect(),
            bytes: 0,
            last_use: self.uses,
            checked: self.writes.now(),
        };
        entry.renew(key, memory, &mut self.stats);
        let copies: usize = entry.pieces.iter().map(|piece| piece.bytes.len()).sum();
        entry.bytes = 4 * entry.image.texels.len() + copies + key.own_bytes();
        self.stats.held_bytes += entry.bytes;
        let image = Arc::clone(&entry.image);
        self.entries.insert(key.clone(), entry);
        self.enforce();
        image
    }

    /// Lets the least recently used go beyond the budget, and an eighth of it more, so that not every new image
    /// makes others go. The newest stays, however large it is.
    fn enforce(&mut self) {
        if self.stats.held_bytes <= self.budget {
            return;
        }
        let mut ages: Vec<_> = self.entries.values().map(|entry| (entry.last_use, entry.bytes)).collect();
        ages.sort_unstable_by_key(|&(last_use, _)| Reverse(last_use));
        let (room, mut kept) = (self.budget - self.budget / 8, 0);
        let stays = ages.iter().take_while(|&&(_, bytes)| {
            kept += bytes;
            kept <= room
        });
        let oldest = stays.last().map_or(self.uses, |&(last_use, _)| last_use);
        let Self { entries, stats, .. } = self;
        entries.retain(|_, entry| {
            let stays = entry.last_use >= oldest;
            stats.held_bytes -= if stays { 0 } else { entry.bytes };
            stats.evictions += u64::from(!stays);
            stays
        });
    }
}

impl Entry {
    /// Whether the bytes of all pieces are what they were.
    fn is_current(&mut self, key: &impl Decode, memory: &dyn Memory, stats: &mut TextureStats) -> bool {
        self.pieces.iter_mut().enumerate().all(|(n, piece)| {
            let version = piece.version_in(memory);
            if version.is_some() && version == piece.version {
                return true;
            }
            stats.compared_bytes += piece.bytes.len() as u64;
            piece.version = version;
            key.is_still(memory, n, &piece.bytes)
        })
    }

    /// Reads and decodes everything again, in the buffers that are there, unless a draw still uses the texels.
    fn renew(&mut self, key: &impl Decode, memory: &dyn Memory, stats: &mut TextureStats) {
        for (n, piece) in self.pieces.iter_mut().enumerate() {
            // Asked first: a write that comes between is found by the next comparison.
            piece.version = piece.version_in(memory);
            key.read(memory, n, &mut piece.bytes);
            stats.decoded_bytes += piece.bytes.len() as u64;
        }
        if Arc::get_mut(&mut self.image).is_none() {
            self.image = Arc::default();
        }
        if let Some(image) = Arc::get_mut(&mut self.image) {
            key.decode(&self.pieces, &mut image.texels);
        }
    }
}
