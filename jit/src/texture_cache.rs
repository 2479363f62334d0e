//! Decoded textures, kept from draw to draw as long as guest memory has not changed.
//!
//! Before each draw the bytes of every texture are compared with a copy of those it was decoded from, so that
//! nobody has to tell the cache about writes. A host that knows better says so by [`Memory::version`]; then the
//! comparison is left out while the number stays the same.

mod decode;

use crate::error::CompileError;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::texel::{TextureFormat, level_offset};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of copies and texels that are kept, unless one draw needs more.
pub(crate) const BUDGET: usize = 96 << 20;
/// Bytes of one texture and its copy; the largest that registers can describe, a cube, has more.
const LARGEST: usize = 128 << 20;
/// Bytes of an image that is not mapped in one piece, and so read one by one.
const MOST_SCATTERED: u32 = 64 << 10;

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

    /// Bytes of the texels and of the copy.
    fn bytes(&self) -> usize {
        usize::from(self.count) * (4 * self.face_texels() + self.range(0).1 as usize)
    }
}

/// Decoded texels: face by face, the levels one after the other, rows from the lowest on.
#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) key: ImageKey,
    texels: Box<[u32]>,
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
#[derive(Debug)]
struct Copy {
    version: Option<u64>,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct Entry {
    image: Arc<Image>,
    copies: Vec<Copy>,
    last_use: u64,
}

/// The images.
#[derive(Debug)]
pub(crate) struct TextureCache {
    entries: HashMap<ImageKey, Entry>,
    budget: usize,
    used: usize,
    uses: u64,
}

impl TextureCache {
    pub(crate) fn new(budget: usize) -> Self {
        Self { entries: HashMap::new(), budget, used: 0, uses: 0 }
    }

    /// The image as memory is now.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for images too large to keep, or scattered over memory.
    pub(crate) fn image(&mut self, memory: &dyn Memory, key: &ImageKey) -> Result<Arc<Image>, CompileError> {
        let unknown = |what| CompileError::UnknownState { what };
        if key.bytes() > LARGEST {
            return Err(unknown("an enormous texture"));
        }
        self.uses += 1;
        if let Some(entry) = self.entries.get_mut(key) {
            let mut copies = entry.copies.iter_mut().enumerate();
            if copies.all(|(face, copy)| is_current(memory, key.range(face), copy)) {
                entry.last_use = self.uses;
                return Ok(Arc::clone(&entry.image));
            }
        }
        let copies = (0..usize::from(key.count)).map(|face| copy(memory, key.range(face)));
        let copies: Option<Vec<Copy>> = copies.collect();
        let copies = copies.ok_or_else(|| unknown("a texture that is scattered over memory"))?;
        let image = Arc::new(decode(key, &copies));
        self.keep(Entry { image: Arc::clone(&image), copies, last_use: self.uses });
        Ok(image)
    }

    fn keep(&mut self, entry: Entry) {
        let key = entry.image.key;
        self.used += key.bytes();
        if self.entries.insert(key, entry).is_some() {
            self.used -= key.bytes();
        }
        while self.used > self.budget && self.entries.len() > 1 {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.last_use).map(|(key, _)| *key);
            let Some(oldest) = oldest else { break };
            self.entries.remove(&oldest);
            self.used -= oldest.bytes();
        }
    }

    /// Images that are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// Whether a face's bytes are what they were.
fn is_current(memory: &dyn Memory, (address, length): (u32, u32), copy: &mut Copy) -> bool {
    let version = memory.version(address, length);
    if version.is_some() && version == copy.version {
        return true;
    }
    let same = match memory.region(address, length) {
        Some(slice) => slice.equals(&copy.bytes),
        None => (0..length).zip(&copy.bytes).all(|(i, &byte)| memory.byte(address.wrapping_add(i)) == byte),
    };
    copy.version = version;
    same
}

/// A face's bytes; unmapped ones are zero.
fn copy(memory: &dyn Memory, (address, length): (u32, u32)) -> Option<Copy> {
    let version = memory.version(address, length);
    let bytes = match memory.region(address, length) {
        Some(slice) => slice.snapshot(),
        None if length <= MOST_SCATTERED => {
            (0..length).map(|i| memory.byte(address.wrapping_add(i))).collect()
        }
        None => return None,
    };
    Some(Copy { version, bytes })
}

fn decode(key: &ImageKey, copies: &[Copy]) -> Image {
    let mut texels = vec![0; usize::from(key.count) * key.face_texels()].into_boxed_slice();
    let mut rest = &mut texels[..];
    for (copy, level) in copies.iter().flat_map(|copy| key.all_levels().map(move |level| (copy, level))) {
        let size = key.level_size(level);
        let (now, after) = rest.split_at_mut(size.map(|n| n as usize).iter().product());
        let start = key.offset(level) - key.offset(key.levels[0]);
        decode::level(&copy.bytes[start as usize..], key.format, size, now);
        rest = after;
    }
    if key.shadow {
        // The highest bits of depth come first in memory, the intensity last.
        texels.iter_mut().for_each(|texel| *texel = texel.swap_bytes());
    }
    Image { key: *key, texels }
}
