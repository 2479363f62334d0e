//! Decoded textures of the GE, kept from draw to draw as long as memory has not changed.
//!
//! The bytes of a texture are compared with a copy of those that it was decoded from: once in a list, and again
//! after something wrote where they lie.

use crate::ge::pixel::bind::{Range, overlap};
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::regs::texture::ClutMode;
use picaflor_pipeline::ge::regs::texture::{IndexSize, TextureFormat};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vram::{self, AddressMaps, VRAM, VRAM_BYTES};
use std::collections::HashMap;
use std::sync::Arc;

/// Texels that coordinates reach, whatever the size.
const REACH: u32 = 512;
/// Writes of one list that are told apart.
const MOST_CHANGES: usize = 4096;

/// What decides the texels of an image, together with memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ImageKey {
    level: Level,
    /// Width and height, as far as coordinates reach.
    size: [u32; 2],
    clut: Option<ClutKey>,
    maps: AddressMaps,
}

/// How indices become colours.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClutKey {
    mode: u32,
    /// Entries before those of the level.
    first: u32,
    table: Clut,
}

/// An image as code reads it.
#[derive(Debug)]
pub(crate) struct Image {
    /// Width and height; powers of two up to 512.
    pub(crate) size: [u32; 2],
    /// Rows of colours 0xAABBGGRR, each with its first one again at the end; the first row again at the end.
    pub(crate) texels: Vec<u32>,
}

impl ImageKey {
    /// A level of the texture of a state.
    pub(crate) fn of(state: &PixelState<'_>, level: u8) -> Self {
        let registers = state.registers;
        let layout = Level::of(registers, level);
        let clut = match layout.format {
            TextureFormat::Indexed(size) => {
                let own = size == IndexSize::Bits4 && registers.texture_mode().separate_cluts();
                let first = if own { 16 * u32::from(level) } else { 0 };
                let mode = registers.clut_mode().0;
                Some(ClutKey { mode, first, table: state.clut.clone() })
            }
            _ => None,
        };
        let size = registers.texture_size_log2(level).map(|log| (1 << log).min(REACH));
        Self { level: layout, size, clut, maps: state.maps }
    }

    /// The bytes of memory that texels are made of; more where mirrors mix them.
    pub(crate) fn range(&self, maps: AddressMaps) -> Range {
        let (address, length) = (self.level.address & 0x0fff_ffff, self.level.extent(self.size));
        if length == 0 {
            return [0; 2];
        }
        if address >> 26 != 1 {
            return [address, address + length];
        }
        let offset = address & (VRAM_BYTES - 1);
        let mixes = address >> 21 & 1 != 0 && maps != AddressMaps::Flat;
        if mixes || offset + length > VRAM_BYTES {
            return [VRAM, VRAM + VRAM_BYTES];
        }
        [VRAM + offset, VRAM + offset + length]
    }

    /// The bytes as they are now.
    fn bytes(&self, state: &PixelState<'_>) -> Vec<u8> {
        let (address, length) = (self.level.address, self.level.extent(self.size));
        match vram::region(state.memory, self.maps, address, length) {
            Some(slice) => slice.snapshot(),
            None => vram::gather(state.memory, self.maps, address, length),
        }
    }

    /// Whether memory still has these bytes.
    fn is_still(&self, state: &PixelState<'_>, bytes: &[u8]) -> bool {
        match vram::region(state.memory, self.maps, self.level.address, bytes.len() as u32) {
            Some(slice) => slice.equals(bytes),
            None => self.bytes(state) == bytes,
        }
    }

    fn decode(&self, bytes: &[u8]) -> Image {
        let [width, height] = self.size;
        let mut texels = Vec::with_capacity(((width + 1) * (height + 1)) as usize);
        for y in 0..height {
            let first = texels.len();
            texels.extend((0..width).map(|x| self.texel(bytes, x, y)));
            texels.push(texels[first]);
        }
        texels.extend_from_within(..=width as usize);
        Image { size: self.size, texels }
    }

    fn texel(&self, bytes: &[u8], x: u32, y: u32) -> u32 {
        let at = self.level.texel_address(x, y).wrapping_sub(self.level.address) as usize;
        let byte = |n: usize| bytes.get(at + n).copied().unwrap_or(0);
        let half = || u32::from(u16::from_le_bytes([byte(0), byte(1)]));
        let word = || u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]);
        match self.level.format {
            TextureFormat::Invalid => 0,
            TextureFormat::Colour(format) => format.decode(if format.bytes() == 4 { word() } else { half() }),
            TextureFormat::Compressed(compression) => {
                let held = compression.block_bytes() as usize;
                let block = std::array::from_fn(|n| if n < held { byte(n) } else { 0 });
                compression.texel(&block, x, y)
            }
            TextureFormat::Indexed(size) => self.looked_up(match size {
                IndexSize::Bits4 => u32::from(byte(0)) >> (4 * (x & 1)) & 15,
                IndexSize::Bits8 => u32::from(byte(0)),
                IndexSize::Bits16 => half(),
                IndexSize::Bits32 => word(),
            }),
        }
    }

    fn looked_up(&self, index: u32) -> u32 {
        let Some(clut) = &self.clut else { return 0 };
        let mode = ClutMode(clut.mode);
        mode.colour(clut.table.bytes(), mode.entry(index, clut.first))
    }
}

/// An image with what it was made of.
#[derive(Debug)]
struct Entry {
    image: Arc<Image>,
    bytes: Vec<u8>,
    range: Range,
    /// The list in which the bytes were compared, and how many writes there had been.
    seen: (u64, usize),
    /// When it was last wanted.
    used: u64,
}

impl Entry {
    fn charged(&self) -> usize {
        self.bytes.len() + 4 * self.image.texels.len() + 2048
    }
}

/// Images by key.
#[derive(Debug)]
pub(crate) struct Textures {
    entries: HashMap<ImageKey, Entry>,
    budget: usize,
    charged: usize,
    list: u64,
    in_list: bool,
    /// What was written in this list.
    changes: Vec<Range>,
    clock: u64,
}

impl Textures {
    pub(crate) fn new(budget: usize) -> Self {
        Self {
            entries: HashMap::new(),
            budget,
            charged: 0,
            list: 0,
            in_list: false,
            changes: Vec::new(),
            clock: 0,
        }
    }

    pub(crate) fn list_begins(&mut self) {
        self.list += 1;
        self.in_list = true;
        self.changes.clear();
    }

    pub(crate) const fn list_ends(&mut self) {
        self.in_list = false;
    }

    pub(crate) fn changed(&mut self, range: Range) {
        if self.changes.last() == Some(&range) {
            return;
        }
        if self.changes.len() == MOST_CHANGES {
            // As if another list began: everything is compared again.
            self.list += 1;
            self.changes.clear();
        }
        self.changes.push(range);
    }

    /// The image of a key.
    pub(crate) fn get(&mut self, key: &ImageKey, state: &PixelState<'_>) -> Arc<Image> {
        self.list += u64::from(!self.in_list);
        self.clock += 1;
        let now = (self.list, self.changes.len());
        let changes = &self.changes;
        if let Some(entry) = self.entries.get_mut(key) {
            let (list, count) = entry.seen;
            let written =
                || changes[count.min(changes.len())..].iter().any(|&change| overlap(change, entry.range));
            // The last change may be that of draws that are not drawn yet: it counts again next time.
            if list == now.0 && !written() || key.is_still(state, &entry.bytes) {
                entry.seen = (now.0, now.1.saturating_sub(1));
                entry.used = self.clock;
                return Arc::clone(&entry.image);
            }
        }
        self.make(key, state, now)
    }

    fn make(&mut self, key: &ImageKey, state: &PixelState<'_>, now: (u64, usize)) -> Arc<Image> {
        let bytes = key.bytes(state);
        let image = Arc::new(key.decode(&bytes));
        let seen = (now.0, now.1.saturating_sub(1));
        let range = key.range(state.maps);
        let entry = Entry { image: Arc::clone(&image), bytes, range, seen, used: self.clock };
        self.charged += entry.charged();
        if let Some(old) = self.entries.insert(key.clone(), entry) {
            self.charged -= old.charged();
        }
        self.evict();
        image
    }

    /// Gives up what was not wanted for longest, half of the budget, when it is exceeded.
    fn evict(&mut self) {
        if self.charged <= self.budget {
            return;
        }
        let mut ages: Vec<(u64, usize)> =
            self.entries.values().map(|entry| (entry.used, entry.charged())).collect();
        ages.sort_unstable_by_key(|&(used, _)| std::cmp::Reverse(used));
        let mut kept = 0;
        let oldest = ages.iter().take_while(|&&(_, charged)| {
            kept += charged;
            kept <= self.budget / 2
        });
        let oldest = oldest.last().map_or(self.clock, |&(used, _)| used);
        self.entries.retain(|_, entry| entry.used >= oldest);
        self.charged = self.entries.values().map(Entry::charged).sum();
    }
}
