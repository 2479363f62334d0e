//! Decoded textures, kept from draw to draw as long as guest memory has not changed.
//!
//! The bytes of a texture are compared with a copy of those it was decoded from, so that nobody has to tell
//! the cache about writes: before each draw, or, during a list, before the first draw that needs it. Inside a
//! list only draws write memory (see [`FragmentStage::list_begins`]), so what was found equal stays so until
//! a draw's target reaches it. A host that knows better says so by [`Memory::version`]; then the comparison is
//! left out while the number stays the same.
//!
//! [`FragmentStage::list_begins`]: picaflor_pipeline::pica::stage::FragmentStage::list_begins

mod decode;
mod source;
#[cfg(test)]
mod tests;

use crate::cache::WordHasher;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::surface::overlap;
use picaflor_pipeline::pica::texel::{TextureFormat, level_offset};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

/// Bytes of copies and texels that are kept, unless one draw needs more. The largest image that registers can
/// describe, a cube of 2047x2047 texels with all levels, takes 270 MB with its copy; everything else goes then.
pub(crate) const BUDGET: usize = 96 << 20;
/// Targets of one list that are told apart; with more of them every texture is compared before each draw.
const MOST_TARGETS: usize = 64;

/// What decides the texels of an image, together with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ImageKey {
    /// Addresses of the faces, or of the only image and 0.
    pub(crate) faces: [u32; 6],
    /// Faces that count: 1 or 6.
    pub(crate) count: u8,
    pub(crate) format: TextureFormat,
    /// Texels are words of a shadow map: 24 bits of depth, and intensity below.
    pub(crate) shadow: bool,
    /// Width and height of level 0; neither is 0.
    pub(crate) size: [u32; 2],
    /// First and last level that is read.
    pub(crate) levels: [u32; 2],
}

impl ImageKey {
    /// Width and height of a level.
    pub(crate) fn level_size(&self, level: u32) -> [u32; 2] {
        self.size.map(|side| side >> level)
    }

    /// Numbers of the levels.
    pub(crate) fn all_levels(&self) -> impl Iterator<Item = u32> + use<> {
        self.levels[0]..=self.levels[1]
    }

    fn offset(&self, level: u32) -> u32 {
        level_offset(self.format, self.size[0], self.size[1], level)
    }

    /// First address and length of the levels of a face.
    fn range(&self, face: usize) -> (u32, u32) {
        let [first, last] = self.levels;
        (self.faces[face].wrapping_add(self.offset(first)), self.offset(last + 1) - self.offset(first))
    }

    /// Texels of a face.
    fn face_texels(&self) -> usize {
        self.all_levels()
            .map(|level| self.level_size(level).map(|n| n as usize).iter().product::<usize>())
            .sum()
    }

    /// Whether some level of some face has bytes in this range of addresses.
    pub(crate) fn reaches(&self, bytes: (u32, u32)) -> bool {
        (0..usize::from(self.count)).any(|face| overlap(self.range(face), bytes))
    }

    /// Bytes of the texels and of the copy.
    fn bytes(&self) -> usize {
        usize::from(self.count) * (4 * self.face_texels() + self.range(0).1 as usize)
    }
}

/// Decoded texels: face by face, the levels one after the other, rows from the lowest on.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) key: ImageKey,
    texels: Vec<u32>,
}

impl Image {
    /// Address of the first texel of a level of the first face.
    pub(crate) fn address(&self, level: u32) -> u64 {
        let before = (self.key.levels[0]..level).map(|k| self.key.level_size(k).iter().product::<u32>());
        let texels = &self.texels[before.sum::<u32>() as usize..];
        texels.as_ptr().expose_provenance() as u64
    }

    /// Texels from one face to the next.
    pub(crate) fn face(&self) -> u32 {
        self.texels.len() as u32 / u32::from(self.key.count)
    }
}

/// Bytes of a face as they were when it was decoded.
#[derive(Debug, Default)]
struct Copy {
    version: Option<u64>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct Entry {
    image: Arc<Image>,
    copies: Vec<Copy>,
    last_use: u64,
    /// The list in which the copies were found to be what memory holds; 0 when it was in none.
    checked: u64,
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

/// What is known about writes to memory: nothing, or, during a list, where its draws write.
#[derive(Debug, Default)]
struct Writes {
    /// Counts lists.
    list: u64,
    in_list: bool,
    targets: Vec<(u32, u32)>,
}

impl Writes {
    /// Draws of the list may write these bytes from now on.
    fn target(&mut self, bytes: (u32, u32)) {
        if self.in_list && bytes.1 > 0 && !self.targets.contains(&bytes) {
            self.targets.push(bytes);
            self.in_list = self.targets.len() <= MOST_TARGETS;
        }
    }

    /// Whether what was found in list `checked` still holds.
    fn spare(&self, key: &ImageKey, checked: u64) -> bool {
        self.in_list && checked == self.list && !self.targets.iter().any(|&bytes| key.reaches(bytes))
    }
}

/// The images.
#[derive(Debug)]
pub(crate) struct TextureCache {
    entries: HashMap<ImageKey, Entry, BuildHasherDefault<WordHasher>>,
    budget: usize,
    uses: u64,
    writes: Writes,
    stats: TextureStats,
}

impl TextureCache {
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            entries: HashMap::default(),
            budget,
            uses: 0,
            writes: Writes::default(),
            stats: TextureStats::default(),
        }
    }

    /// From here on only draws write memory, whose [targets](Self::target) are told before.
    pub(crate) fn list_begins(&mut self) {
        self.writes.list += 1;
        self.writes.in_list = true;
        self.writes.targets.clear();
    }

    /// Anybody may write memory again.
    pub(crate) fn list_ends(&mut self) {
        self.writes.in_list = false;
    }

    /// Draws may write these bytes, an address and a length.
    pub(crate) fn target(&mut self, bytes: (u32, u32)) {
        self.writes.target(bytes);
    }

    pub(crate) fn stats(&self) -> TextureStats {
        self.stats
    }

    /// The image as memory is now.
    pub(crate) fn image(&mut self, memory: &dyn Memory, key: &ImageKey) -> Arc<Image> {
        self.uses += 1;
        let Some(entry) = self.entries.get_mut(key) else {
            return self.add(memory, key);
        };
        entry.last_use = self.uses;
        if self.writes.spare(key, entry.checked) || entry.is_current(memory, &mut self.stats) {
            self.stats.hits += 1;
        } else {
            self.stats.misses += 1;
            self.stats.stale += 1;
            entry.renew(memory, &mut self.stats);
        }
        entry.checked = self.writes.list;
        Arc::clone(&entry.image)
    }

    fn add(&mut self, memory: &dyn Memory, key: &ImageKey) -> Arc<Image> {
        self.stats.misses += 1;
        let image = Arc::new(Image { key: *key, texels: Vec::new() });
        let copies = (0..key.count).map(|_| Copy::default()).collect();
        let mut entry = Entry { image, copies, last_use: self.uses, checked: self.writes.list };
        entry.renew(memory, &mut self.stats);
        let image = Arc::clone(&entry.image);
        self.stats.held_bytes += key.bytes();
        self.entries.insert(*key, entry);
        self.enforce();
        image
    }

    /// Lets the least recently used go beyond the budget.
    fn enforce(&mut self) {
        while self.stats.held_bytes > self.budget && self.entries.len() > 1 {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_use).map(|(key, _)| *key);
            let Some(oldest) = oldest else { break };
            self.entries.remove(&oldest);
            self.stats.held_bytes -= oldest.bytes();
            self.stats.evictions += 1;
        }
    }

    /// Images that are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

impl Entry {
    /// Whether the bytes of all faces are what they were.
    fn is_current(&mut self, memory: &dyn Memory, stats: &mut TextureStats) -> bool {
        let key = self.image.key;
        self.copies.iter_mut().enumerate().all(|(face, copy)| {
            let (address, length) = key.range(face);
            let version = memory.version(address, length);
            if version.is_some() && version == copy.version {
                return true;
            }
            stats.compared_bytes += u64::from(length);
            copy.version = version;
            source::equals(memory, address, &copy.bytes)
        })
    }

    /// Reads and decodes everything again, in the buffers that are there, unless a draw still uses the texels.
    fn renew(&mut self, memory: &dyn Memory, stats: &mut TextureStats) {
        let key = self.image.key;
        for (face, copy) in self.copies.iter_mut().enumerate() {
            let (address, length) = key.range(face);
            // Asked first: a write that comes between is found by the next comparison.
            copy.version = memory.version(address, length);
            source::read(memory, (address, length), &mut copy.bytes);
            stats.decoded_bytes += u64::from(length);
        }
        match Arc::get_mut(&mut self.image) {
            Some(image) => image.decode(&self.copies),
            None => {
                let mut image = Image { key, texels: Vec::new() };
                image.decode(&self.copies);
                self.image = Arc::new(image);
            }
        }
    }
}

impl Image {
    fn decode(&mut self, copies: &[Copy]) {
        let key = self.key;
        self.texels.resize(usize::from(key.count) * key.face_texels(), 0);
        let mut rest = &mut self.texels[..];
        for (copy, level) in copies.iter().flat_map(|copy| key.all_levels().map(move |level| (copy, level))) {
            let size = key.level_size(level);
            let (now, after) = rest.split_at_mut(size.map(|n| n as usize).iter().product());
            let start = key.offset(level) - key.offset(key.levels[0]);
            decode::level(&copy.bytes[start as usize..], key.format, size, now);
            rest = after;
        }
        if key.shadow {
            // The highest bits of depth come first in memory, the intensity last.
            self.texels.iter_mut().for_each(|texel| *texel = texel.swap_bytes());
        }
    }
}
