//! Cache of decoded textures, valid as long as their bytes in guest memory are unchanged.
//!
//! The cache is independent of the machine: the key of an image ([`Decode`]) defines its source bytes and its
//! decoder. The source bytes are compared with a copy, so the cache needs no notification of writes: before each
//! draw, or, during a list, before the first draw that uses the image. Inside a list memory is written only by
//! announced writes ([`TextureCache::target`], [`TextureCache::changed`]), so an image that was found current stays
//! current until one of them overlaps it. A host with dirty tracking implements [`Memory::version`]; the comparison
//! is skipped while the number stays the same.
//!
//! Start at [`TextureCache::image`].

mod bytes;
#[cfg(test)]
mod tests;
mod writes;

use crate::cache::recent::Recent;
use crate::error::CompileError;
use picaflor_pipeline::memory::Memory;
use std::hash::Hash;
use std::sync::{Arc, Weak};
pub(crate) use writes::Moment;
use writes::Writes;

/// Default budget for copies and texels, in bytes; a single draw may exceed it.
pub(crate) const BUDGET: usize = 96 << 20;

/// Bytes that an allocator adds to an allocation, about.
const ALLOCATION: usize = 16;

/// An image that went while draws still used it, with the bytes that count for it.
type Lent = (Weak<Image>, usize);
/// Bytes of the list of them for each: it is up to twice as large as what it holds.
const LENT: usize = 2 * size_of::<Lent>();
/// Lent images whose room is kept.
const FEW: usize = 1024;

/// An address and a length.
pub(crate) type Range = (u32, u32);

/// Key of an image. Equal keys and equal source bytes give equal texels.
pub(crate) trait Decode {
    /// Number of pieces of memory that the texels are decoded from.
    fn pieces(&self) -> usize;

    /// Address range of a piece.
    fn range(&self, piece: usize) -> Range;

    /// Reads the bytes of a piece into `out`; some of them if the run ends.
    ///
    /// # Errors
    /// [`NoImage::NoMemory`]
    fn read(&self, memory: &dyn Memory, piece: usize, out: &mut Vec<u8>) -> Result<(), NoImage> {
        bytes::read(memory, self.range(piece), out)
    }

    /// Compares memory with bytes from an earlier [`read`](Self::read); false also if the run ends.
    fn is_still(&self, memory: &dyn Memory, piece: usize, bytes: &[u8]) -> bool {
        bytes::equals(memory, self.range(piece).0, bytes)
    }

    /// Decodes the pieces into `texels`; the host of the memory may put images of its own there.
    ///
    /// # Errors
    /// [`NoImage`] if the run ends before, or without memory; the texels are of no use then.
    fn decode(&self, memory: &dyn Memory, pieces: &[Piece], texels: &mut Vec<u32>) -> Result<(), NoImage>;

    /// Heap bytes owned by the key.
    fn own_bytes(&self) -> usize {
        0
    }

    /// The same image with its first rows alone, so many at least, and how many these are: of the same size, but where the other
    /// rows lie are any texels. `None` if the key has no such image, or it would save little.
    fn first_rows(&self, count: u32) -> Option<(Self, u32)>
    where
        Self: Sized,
    {
        let _ = count;
        None
    }
}

/// A number of rows that no image has.
pub(crate) const ALL_ROWS: u32 = u32::MAX;

/// Why there is no image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoImage {
    /// The run [ends](Memory::is_stopping), and its draws draw nothing any more.
    Stopped,
    /// The system has no memory for it: the interpreter draws, from guest memory.
    NoMemory,
}

impl From<NoImage> for CompileError {
    fn from(why: NoImage) -> Self {
        match why {
            NoImage::Stopped => Self::Stopped,
            NoImage::NoMemory => Self::NoMemory,
        }
    }
}

/// Room for so many more elements.
///
/// # Errors
/// [`NoImage::NoMemory`]
pub(crate) fn reserve<T>(vector: &mut Vec<T>, count: usize) -> Result<(), NoImage> {
    vector.try_reserve_exact(count).map_err(|_| NoImage::NoMemory)
}

/// Copy of a piece of memory at the time of decoding.
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

    /// Version of the bytes according to the host.
    fn version_in(&self, memory: &dyn Memory) -> Option<u64> {
        let (address, length) = self.range;
        if length == 0 { None } else { memory.version(address, length) }
    }
}

/// Decoded texels, in the order defined by the key.
#[derive(Debug, Default)]
pub(crate) struct Image {
    texels: Vec<u32>,
    /// Rows that are decoded.
    rows: u32,
}

impl Image {
    /// Bytes that it keeps.
    fn held(&self) -> usize {
        size_of::<Self>() + 4 * self.texels.capacity() + 2 * ALLOCATION
    }

    /// All of them.
    pub(crate) fn texels(&self) -> &[u32] {
        &self.texels
    }

    /// How many of the first rows are decoded: [all](ALL_ROWS), unless a draw asked for [some](TextureCache::first_rows).
    pub(crate) const fn rows(&self) -> u32 {
        self.rows
    }
}

#[derive(Debug)]
struct Entry<K> {
    image: Arc<Image>,
    /// The key of the image's first rows, if the others are not decoded.
    part: Option<Box<K>>,
    /// Most rows that a draw asked for, as far as that was looked at.
    asked: u32,
    pieces: Vec<Piece>,
    /// Bytes counted against the budget.
    bytes: usize,
    /// Time of the last successful comparison with memory.
    checked: Moment,
    /// The image is that of the copies: not while either is made, nor after a panic of memory then.
    is_whole: bool,
}

/// Statistics of the texture cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TextureStats {
    /// Images requested by a draw and found current.
    pub hits: u64,
    /// Images requested and decoded.
    pub misses: u64,
    /// Misses caused by changed source bytes.
    pub stale: u64,
    /// Guest bytes decoded.
    pub decoded_bytes: u64,
    /// Guest bytes compared with their copy, counted in full also for an early mismatch.
    pub compared_bytes: u64,
    /// Images evicted.
    pub evictions: u64,
    /// Bytes of texels and copies currently held, also by draws that are not complete.
    pub held_bytes: usize,
}

/// Images of one machine, with keys `K`, in a cache that may hold those of others.
pub(crate) trait Images<K> {
    /// The image of a key, as memory holds it now; see [`TextureCache::image`].
    ///
    /// # Errors
    /// [`NoImage`] if the run ends, or without memory.
    fn image(&mut self, memory: &dyn Memory, key: K) -> Result<Arc<Image>, NoImage> {
        self.first_rows(memory, key, &|| ALL_ROWS)
    }

    /// The image with so many of its first rows at least; see [`TextureCache::first_rows`].
    ///
    /// # Errors
    /// Those of [`image`](Self::image).
    fn first_rows(
        &mut self,
        memory: &dyn Memory,
        key: K,
        rows: &dyn Fn() -> u32,
    ) -> Result<Arc<Image>, NoImage>;

    /// See [`TextureCache::target`].
    fn target(&mut self, range: Range);

    /// See [`TextureCache::changed`].
    fn changed(&mut self, range: Range);

    /// See [`TextureCache::now`].
    fn now(&self) -> Moment;

    /// See [`TextureCache::spares`].
    fn spares(&self, ranges: &[Range], checked: Moment) -> bool;
}

impl<K, All: From<K> + Decode + Clone + Eq + Hash> Images<K> for TextureCache<All> {
    fn first_rows(
        &mut self,
        memory: &dyn Memory,
        key: K,
        rows: &dyn Fn() -> u32,
    ) -> Result<Arc<Image>, NoImage> {
        self.first_rows(memory, &All::from(key), rows)
    }

    fn target(&mut self, range: Range) {
        self.target(range);
    }

    fn changed(&mut self, range: Range) {
        self.changed(range);
    }

    fn now(&self) -> Moment {
        self.now()
    }

    fn spares(&self, ranges: &[Range], checked: Moment) -> bool {
        self.spares(ranges, checked)
    }
}

/// The images.
#[derive(Debug)]
pub(crate) struct TextureCache<K> {
    entries: Recent<K, Entry<K>>,
    lent: Vec<Lent>,
    lent_bytes: usize,
    /// Bytes of entries.
    held_bytes: usize,
    budget: usize,
    writes: Writes,
    stats: TextureStats,
}

impl<K: Decode + Clone + Eq + Hash> TextureCache<K> {
    /// Bytes of an entry beside its image, its copies and what its key owns; the key of a part too.
    const ENTRY: usize = Recent::<K, Entry<K>>::ENTRY + size_of::<K>() + ALLOCATION;

    pub(crate) fn new(budget: usize) -> Self {
        Self {
            entries: Recent::default(),
            lent: Vec::new(),
            lent_bytes: 0,
            held_bytes: 0,
            budget,
            writes: Writes::default(),
            stats: TextureStats::default(),
        }
    }

    /// Begins a list: from here on every write to memory is announced by [`target`](Self::target) or
    /// [`changed`](Self::changed).
    pub(crate) fn list_begins(&mut self) {
        self.writes.list_begins();
    }

    /// Ends a list: memory may be written without announcement again.
    pub(crate) fn list_ends(&mut self) {
        self.writes.list_ends();
    }

    /// Announces a target: draws may write these bytes at any time until the list ends.
    pub(crate) fn target(&mut self, range: Range) {
        self.writes.target(range);
    }

    /// Announces a write to these bytes, now or by the next draw.
    pub(crate) fn changed(&mut self, range: Range) {
        self.writes.changed(range);
    }

    /// Announces a write between draws, which is done before an image is requested again.
    pub(crate) fn written(&mut self, range: Range) {
        self.writes.written(range);
    }

    /// The time of what was announced so far; images that are requested now are those of this time.
    pub(crate) fn now(&self) -> Moment {
        self.writes.now()
    }

    /// True if images of these ranges are still those of a time in this list.
    pub(crate) fn spares(&self, ranges: &[Range], checked: Moment) -> bool {
        self.writes.spare(ranges.iter().copied(), checked)
    }

    pub(crate) fn stats(&self) -> TextureStats {
        TextureStats { held_bytes: self.held_bytes + self.lent_bytes, ..self.stats }
    }

    /// True if images of draws that are not complete keep the cache above its budget.
    pub(crate) fn is_full(&mut self) -> bool {
        if self.held_bytes + self.lent_bytes > self.budget {
            self.forget_returned();
        }
        self.lent_bytes > 0 && self.held_bytes + self.lent_bytes > self.budget
    }

    /// The image of a key, decoded from current memory.
    ///
    /// # Errors
    /// [`NoImage`] if the run ends before it is decoded, or without memory. The next run decodes it.
    #[cfg(test)]
    pub(crate) fn image(&mut self, memory: &dyn Memory, key: &K) -> Result<Arc<Image>, NoImage> {
        self.first_rows(memory, key, &|| ALL_ROWS)
    }

    /// The image of a key, decoded from current memory as far as it was used: all of it at first. An image whose bytes have
    /// changed, as those of textures that are drawn do in each frame, has the rows that draws of the bytes before
    /// asked for, or this one; one that lacks rows is decoded once more, all of it. How many rows a draw needs is computed
    /// only where it counts.
    ///
    /// # Errors
    /// [`NoImage`] if the run ends before it is decoded, or without memory. The next run decodes it.
    pub(crate) fn first_rows(
        &mut self,
        memory: &dyn Memory,
        key: &K,
        rows: &dyn Fn() -> u32,
    ) -> Result<Arc<Image>, NoImage> {
        let Some(entry) = self.entries.get_mut(key) else {
            return self.add(memory, key);
        };
        let is_current = entry.is_whole
            && (self.writes.spare(entry.pieces.iter().map(|piece| piece.range), entry.checked)
                || entry.is_current(key, memory, &mut self.stats));
        if is_current && entry.has(rows) {
            self.stats.hits += 1;
            entry.checked = self.writes.now();
            return Ok(Arc::clone(&entry.image));
        }
        self.stats.misses += 1;
        self.stats.stale += u64::from(!is_current);
        let (used, bytes) = entry.take_used();
        entry.choose(key, (!is_current).then_some(rows));
        let renewed = entry.renew(key, memory, &mut self.stats);
        entry.checked = self.writes.now();
        let image = Arc::clone(&entry.image);
        self.lend(used, bytes);
        match renewed {
            Ok(()) => {
                self.enforce();
                Ok(image)
            }
            Err(why) => {
                drop(image);
                self.held_bytes -= self.entries.remove(key).map_or(0, |entry| entry.bytes);
                Err(why)
            }
        }
    }

    fn add(&mut self, memory: &dyn Memory, key: &K) -> Result<Arc<Image>, NoImage> {
        self.stats.misses += 1;
        let piece = |n| Piece { range: key.range(n), version: None, bytes: Vec::new() };
        let mut entry = Entry {
            image: Arc::default(),
            part: None,
            asked: 0,
            pieces: (0..key.pieces()).map(piece).collect(),
            bytes: 0,
            checked: self.writes.now(),
            is_whole: false,
        };
        entry.choose(key, None);
        entry.renew(key, memory, &mut self.stats)?;
        entry.bytes = Self::ENTRY + entry.held() + key.own_bytes();
        self.held_bytes += entry.bytes;
        let image = Arc::clone(&entry.image);
        self.entries.insert(key.clone(), entry);
        self.enforce();
        Ok(image)
    }

    /// Evicts the images that were not used for longest until the rest is within the budget. The newest one always stays;
    /// memory that draws still use counts until they are complete.
    fn enforce(&mut self) {
        if self.held_bytes + self.lent_bytes > self.budget {
            self.forget_returned();
        }
        while self.held_bytes + self.lent_bytes > self.budget && self.entries.len() > 1 {
            let Some(mut entry) = self.entries.pop() else { return };
            self.held_bytes -= entry.bytes;
            self.stats.evictions += 1;
            let (used, bytes) = entry.take_used();
            self.lend(used, bytes);
        }
    }

    /// Counts an image that some draw still uses, when the cache lets it go.
    fn lend(&mut self, image: Option<Arc<Image>>, bytes: usize) {
        if let Some(image) = image {
            self.lent.push((Arc::downgrade(&image), bytes + LENT));
            self.lent_bytes += bytes + LENT;
        }
    }

    /// Forgets the images whose draws are complete, and gives back the room of many.
    fn forget_returned(&mut self) {
        self.lent.retain(|(image, _)| image.strong_count() > 0);
        self.lent_bytes = self.lent.iter().map(|&(_, bytes)| bytes).sum();
        if self.lent.len() < self.lent.capacity() / 4 {
            self.lent.shrink_to(FEW.max(2 * self.lent.len()));
        }
    }
}

impl<K: Decode> Entry<K> {
    /// Heap bytes that it keeps: texels and copies, with the room that their vectors have.
    fn held(&self) -> usize {
        let copies: usize = self.pieces.iter().map(|piece| piece.bytes.capacity() + ALLOCATION).sum();
        let pieces = size_of::<Piece>() * self.pieces.capacity() + ALLOCATION;
        pieces + copies + self.image.held()
    }

    /// Takes away the image if a draw uses it, so that it stays as it is, and its bytes.
    fn take_used(&mut self) -> (Option<Arc<Image>>, usize) {
        let is_used = Arc::get_mut(&mut self.image).is_none();
        let bytes = self.image.held();
        (is_used.then(|| std::mem::take(&mut self.image)), bytes)
    }

    /// True if the rows that a draw needs are decoded, which is noted.
    fn has(&mut self, rows: &dyn Fn() -> u32) -> bool {
        if self.part.is_none() {
            return true;
        }
        self.asked = self.asked.max(rows());
        self.asked <= self.image.rows
    }

    /// Chooses what the next image has: the rows that were asked for up to here and these; all of them without.
    fn choose(&mut self, key: &K, rows: Option<&dyn Fn() -> u32>) {
        let part = rows.and_then(|rows| {
            self.asked = self.asked.max(rows());
            key.first_rows(self.asked)
        });
        let (part, count) = part.map_or((None, ALL_ROWS), |(part, count)| (Some(Box::new(part)), count));
        self.part = part;
        if let Some(image) = Arc::get_mut(&mut self.image) {
            image.rows = count;
        }
    }

    /// True if the bytes of all pieces are unchanged.
    fn is_current(&mut self, key: &K, memory: &dyn Memory, stats: &mut TextureStats) -> bool {
        let key = self.part.as_deref().unwrap_or(key);
        self.pieces.iter_mut().enumerate().all(|(n, piece)| {
            let version = piece.version_in(memory);
            if version.is_some() && version == piece.version {
                return true;
            }
            stats.compared_bytes += piece.bytes.len() as u64;
            let is_still = key.is_still(memory, n, &piece.bytes);
            piece.version = version;
            is_still
        })
    }

    /// Reads and decodes all pieces again; reuses the buffers, unless a draw still uses the texels.
    fn renew(&mut self, key: &K, memory: &dyn Memory, stats: &mut TextureStats) -> Result<(), NoImage> {
        let key = self.part.as_deref().unwrap_or(key);
        self.is_whole = false;
        for (n, piece) in self.pieces.iter_mut().enumerate() {
            piece.range = key.range(n);
            // Asked first: a write that comes between is found by the next comparison.
            piece.version = piece.version_in(memory);
            key.read(memory, n, &mut piece.bytes)?;
            if memory.is_stopping() {
                return Err(NoImage::Stopped);
            }
            stats.decoded_bytes += piece.bytes.len() as u64;
        }
        let image = Arc::get_mut(&mut self.image).ok_or(NoImage::Stopped)?;
        key.decode(memory, &self.pieces, &mut image.texels)?;
        self.is_whole = true;
        Ok(())
    }
}

#[cfg(test)]
mod lent_tests {
    use super::*;
    use picaflor_pipeline::memory::FlatMemory;

    /// The smallest image, one for each number.
    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Key(u32);

    impl Decode for Key {
        fn pieces(&self) -> usize {
            0
        }

        fn range(&self, _: usize) -> Range {
            (0, 0)
        }

        fn decode(&self, _: &dyn Memory, _: &[Piece], _: &mut Vec<u32>) -> Result<(), NoImage> {
            Ok(())
        }
    }

    /// A draw with very many images, which all go while it uses them: the list of them counts, and its room comes back.
    #[test]
    fn the_list_of_lent_images_counts_and_shrinks() {
        let memory = FlatMemory::new(0, Vec::new());
        let mut cache = TextureCache::new(1 << 20);
        let image = |cache: &mut TextureCache<Key>, n| cache.image(&memory, &Key(n)).expect("an image");
        let room = |cache: &TextureCache<Key>| cache.lent.capacity() * size_of::<Lent>();
        let draw: Vec<_> = (0..13_000).map(|n| image(&mut cache, n)).collect();
        let texels: usize = draw[..cache.lent.len()].iter().map(|image| image.held()).sum();
        assert!(room(&cache) > FEW * size_of::<Lent>() && cache.lent_bytes >= texels + room(&cache) / 2);
        assert!(cache.is_full());
        drop(draw);
        assert!(!cache.is_full() && room(&cache) <= FEW * size_of::<Lent>() && cache.lent_bytes == 0);
    }
}
