//! Keys of images of the GE, and their decoding.

use crate::ge::texel::colour::decode;
use crate::ge::texel::{clut, dxt};
use crate::pauses::Pauses;
use crate::texture_cache::{Decode, Image, NoImage, Piece, Range, reserve};
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::extents;
use picaflor_pipeline::ge::queue::is_drawn_to;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::texture::{ClutMode, Compression, IndexSize, TextureFormat};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vram::{self, AddressMaps};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::texture::{Texture, hash};
use std::borrow::Cow;

/// Number of texels reachable by coordinates, independent of the size.
const REACH: u32 = 512;
/// Bytes that lie together in a swizzled row.
const UNIT: usize = 16;
/// Size of an image without texels, with its table, in bytes.
const OVERHEAD: usize = 2048;
/// Bytes that a texel counts as between two pauses, and a column of four of a compressed image.
const TEXEL_COST: usize = 8;
const BLOCK_COST: usize = 32;
/// Bytes that are looked up together where no slice of memory has all, and what each counts as.
const PART: usize = 4096;
const APART_COST: usize = 16;

/// Key of an image, a level of a texture: together with memory it determines the texels. Rows of colours 0xAABBGGRR
/// follow each other, each with its first one again at the end; the first row again at the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ImageKey {
    level: Level,
    /// Width and height, as far as coordinates reach; powers of two.
    size: [u32; 2],
    clut: Option<ClutKey>,
    maps: AddressMaps,
    /// Number of the level, for the host; 0 if it has no images.
    number: u8,
    /// Version of the host's images in place of textures, if it may give one for this.
    replaced: Option<u64>,
}

/// Lookup of colours by indices.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ClutKey {
    mode: u32,
    /// Entries before those of the level.
    first: u32,
    table: Clut,
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
        let replaced = state.memory.replacements().filter(|_| !is_drawn_to(state, level));
        Self { level: layout, size, clut, maps: state.maps, number: replaced.map_or(0, |_| level), replaced }
    }

    /// Width and height, as far as coordinates reach; powers of two.
    pub(crate) const fn size(&self) -> [u32; 2] {
        self.size
    }

    /// A level of the texture of a state, if the host is shown it.
    pub(crate) fn shown(state: &PixelState<'_>, level: u8) -> Option<Self> {
        Some(Self::of(state, level)).filter(Self::is_shown)
    }

    /// True if the texels are those that the host wants.
    fn is_shown(&self) -> bool {
        self.replaced.is_some() && self.level.format != TextureFormat::Invalid
    }

    /// The texel of an image in a column and a row, if it is of this level.
    pub(super) fn texel(&self, image: &Image, level: u32, [x, y]: [u32; 2]) -> Option<u32> {
        let index = (y * (self.size[0] + 1) + x) as usize;
        (level == self.number.into()).then(|| image.texels()[index])
    }

    /// Bytes from the address on.
    const fn extent(&self) -> u32 {
        self.level.extent(self.size)
    }

    /// Where the bytes of a piece are read, mirrors not resolved.
    fn place(&self, piece: usize) -> Range {
        extents::parts((self.level.address, self.extent()))[piece]
    }

    /// The colours of the indices below `N`; bits beyond have no effect on others.
    fn table<const N: usize>(&self) -> [u32; N] {
        let Some(clut) = &self.clut else { return [0; N] };
        clut::colours(ClutMode(clut.mode), clut.table.bytes(), clut.first)
    }

    /// What indices become, as a host knows it: the hash of the colours of all indices of 4 or 8 bits; for more bits that
    /// of the whole table, and of the register that selects its entries.
    fn palette(&self) -> u64 {
        let colours =
            |colours: &[u32]| hash(&colours.iter().flat_map(|c| c.to_le_bytes()).collect::<Vec<_>>());
        match (self.level.format, &self.clut) {
            (TextureFormat::Indexed(IndexSize::Bits4), _) => colours(&self.table::<16>()),
            (TextureFormat::Indexed(IndexSize::Bits8), _) => colours(&self.table::<256>()),
            (_, Some(clut)) => hash(&[&clut.mode.to_le_bytes(), &clut.table.bytes()[..]].concat()),
            (_, None) => 0,
        }
    }

    /// Shows the texels to the host, without the repeated ones.
    fn replace(&self, memory: &dyn Memory, bytes: &[u8], texels: &mut [u32]) {
        let [width, height] = self.size.map(|side| side as usize);
        let texture = Texture::new(self.level.address, self.size, self.level.format.code(), bytes)
            .at(self.number.into(), 0)
            .with(self.level.width, self.palette());
        let rows = texels.chunks_exact(width + 1).take(height);
        let mut shown: Vec<u32> = rows.flat_map(|row| &row[..width]).copied().collect();
        memory.replace(&texture, &mut shown);
        let from = shown.chunks_exact(width).cycle();
        for (row, from) in texels.chunks_exact_mut(width + 1).zip(from) {
            row[..width].copy_from_slice(from);
            row[width] = from[0];
        }
    }

    /// Appends the texels of a row, of which these are the bytes.
    fn decode_row(&self, table: &Table, bytes: &[u8], texels: &mut Vec<u32>) {
        let width = self.size[0] as usize;
        match (self.level.format, table) {
            (TextureFormat::Colour(format), _) => colours(format, bytes, texels),
            (TextureFormat::Indexed(IndexSize::Bits4), Table::Bits4(table)) => {
                let first = texels.len();
                texels.resize(first + 2 * bytes.len(), 0);
                for (pair, &byte) in texels[first..].chunks_exact_mut(2).zip(bytes) {
                    pair.copy_from_slice(&[byte & 15, byte >> 4].map(|index| table[usize::from(index)]));
                }
                texels.truncate(first + width);
            }
            (TextureFormat::Indexed(IndexSize::Bits8), Table::Bits8(table)) => {
                texels.extend(bytes.iter().map(|&index| table[usize::from(index)]));
            }
            (TextureFormat::Indexed(IndexSize::Bits16), Table::Wide(table)) => {
                texels.extend(halves(bytes).map(|index| table.colour(index)));
            }
            (TextureFormat::Indexed(IndexSize::Bits32), Table::Wide(table)) => {
                texels.extend(words(bytes).map(|index| table.colour(index)));
            }
            _ => texels.resize(texels.len() + width, 0),
        }
    }

    /// Four rows of a compressed level at a time.
    fn decode_blocks(
        &self,
        compression: Compression,
        bytes: &[u8],
        texels: &mut Vec<u32>,
        pauses: &mut Pauses<'_>,
    ) -> Result<(), NoImage> {
        let [width, height] = self.size;
        let (held, row_bytes) = (compression.block_bytes() as usize, self.level.row_bytes() as usize);
        let mut rows = [const { Vec::new() }; 4];
        for y in (0..height).step_by(4) {
            rows.iter_mut().for_each(Vec::clear);
            for block in 0..width.div_ceil(4) as usize {
                let at = (y / 4) as usize * row_bytes + block * held;
                let found = dxt::block(compression, &padded(bytes, at, held));
                rows.iter_mut().zip(found).for_each(|(row, texels)| row.extend(texels));
            }
            for row in rows.iter().take((height - y) as usize) {
                push_row(&row[..width as usize], texels);
            }
            if pauses.stops_after(BLOCK_COST * width as usize) {
                return Err(NoImage::Stopped);
            }
        }
        Ok(())
    }

    /// Where `count` bytes of row `y` begin, if they lie together; else they are collected in `row`.
    fn row<'a>(&self, bytes: &'a [u8], y: u32, count: usize, row: &'a mut Vec<u8>) -> &'a [u8] {
        let row_bytes = self.level.row_bytes() as usize;
        if !self.level.swizzled {
            let at = y as usize * row_bytes;
            if let Some(together) = bytes.get(at..at + count) {
                return together;
            }
        }
        row.clear();
        let offset = |byte: u32| self.level.byte_offset(byte, y) as usize;
        let units = (0..count).step_by(UNIT);
        units.for_each(|first| row.extend(padded::<UNIT>(bytes, offset(first as u32), UNIT)));
        &row[..count]
    }
}

/// Colours of the indices that a format can have.
enum Table {
    None,
    Bits4(Box<[u32; 16]>),
    Bits8(Box<[u32; 256]>),
    Wide(Box<WideTable>),
}

/// Colours of the indices of more than 8 bits, of which 8 count.
struct WideTable {
    shift: u32,
    mask: u32,
    colours: [u32; 256],
}

impl WideTable {
    fn of(key: &ImageKey) -> Self {
        let mode = ClutMode(key.clut.as_ref().map_or(0, |clut| clut.mode));
        let whole = mode.with_shift(0).with_mask(0xff);
        let colours =
            key.clut.as_ref().map_or([0; 256], |clut| clut::colours(whole, clut.table.bytes(), clut.first));
        Self { shift: mode.shift(), mask: mode.mask(), colours }
    }

    #[inline]
    const fn colour(&self, index: u32) -> u32 {
        self.colours[(index >> self.shift & self.mask & 0xff) as usize]
    }
}

impl Table {
    fn of(key: &ImageKey) -> Self {
        match key.level.format {
            TextureFormat::Indexed(IndexSize::Bits4) => Self::Bits4(Box::new(key.table())),
            TextureFormat::Indexed(IndexSize::Bits8) => Self::Bits8(Box::new(key.table())),
            TextureFormat::Indexed(_) => Self::Wide(Box::new(WideTable::of(key))),
            _ => Self::None,
        }
    }
}

/// The bytes of all pieces, one after the other.
fn joined(pieces: &[Piece]) -> Result<Cow<'_, [u8]>, NoImage> {
    if let [all] = pieces {
        return Ok(Cow::Borrowed(all.bytes()));
    }
    let mut all = Vec::new();
    reserve(&mut all, pieces.iter().map(|piece| piece.bytes().len()).sum())?;
    pieces.iter().for_each(|piece| all.extend_from_slice(piece.bytes()));
    Ok(Cow::Owned(all))
}

/// A row, and its first texel again.
fn push_row(row: &[u32], texels: &mut Vec<u32>) {
    texels.extend_from_slice(row);
    texels.push(row[0]);
}

/// Up to `count` bytes from an offset on, and zeros.
fn padded<const N: usize>(bytes: &[u8], at: usize, count: usize) -> [u8; N] {
    let mut all = [0; N];
    let found = &bytes[at.min(bytes.len())..(at + count.min(N)).min(bytes.len())];
    all[..found.len()].copy_from_slice(found);
    all
}

fn halves(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(2).map(|bytes| u32::from(u16::from_le_bytes([bytes[0], bytes[1]])))
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// Each format has a loop of its own, which the compiler makes vectors of.
fn colours(format: PixelFormat, bytes: &[u8], texels: &mut Vec<u32>) {
    use PixelFormat::{Rgb5650, Rgba4444, Rgba5551, Rgba8888};
    match format {
        Rgb5650 => texels.extend(halves(bytes).map(|raw| decode(Rgb5650, raw))),
        Rgba5551 => texels.extend(halves(bytes).map(|raw| decode(Rgba5551, raw))),
        Rgba4444 => texels.extend(halves(bytes).map(|raw| decode(Rgba4444, raw))),
        Rgba8888 => texels.extend(words(bytes)),
    }
}

/// Decodes parts of an image, except of compressed ones, from memory as it is at the time.
pub(crate) struct Decoder<'a> {
    key: &'a ImageKey,
    memory: &'a dyn Memory,
    table: Table,
    bytes: Vec<u8>,
    texels: Vec<u32>,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(key: &'a ImageKey, memory: &'a dyn Memory) -> Self {
        Self { key, memory, table: Table::of(key), bytes: Vec::new(), texels: Vec::new() }
    }

    /// The texels of a row from one column to another one.
    pub(crate) fn part(&mut self, [from, to]: [u32; 2], y: u32) -> &[u32] {
        let Level { address, format, .. } = self.key.level;
        // Two indices of 4 bits share a byte.
        let before = from * format.bits() % 8 / format.bits().max(1);
        let (first, end) = (from * format.bits() / 8, ((to + 1) * format.bits()).div_ceil(8));
        self.bytes.resize((end - first) as usize, 0);
        let (mut at, mut left) = (first, &mut self.bytes[..]);
        while !left.is_empty() {
            let together = if self.key.level.swizzled { UNIT - at as usize % UNIT } else { left.len() };
            let (unit, rest) = left.split_at_mut(together.min(left.len()));
            let from = address.wrapping_add(self.key.level.byte_offset(at, y));
            vram::read(self.memory, self.key.maps, from, unit);
            at += unit.len() as u32;
            left = rest;
        }
        self.texels.clear();
        self.key.decode_row(&self.table, &self.bytes, &mut self.texels);
        &self.texels[before as usize..][..(to + 1 - from) as usize]
    }
}

/// The only piece is the level, unless that goes past the last address: then the rest is another one.
impl Decode for ImageKey {
    fn pieces(&self) -> usize {
        1 + usize::from(self.place(1).1 > 0)
    }

    /// An upper bound of the read range where mirrors of VRAM mix bytes. It is the machine's, which barriers and prices go by.
    fn range(&self, piece: usize) -> Range {
        extents::parts(extents::extent(self.maps, self.level.address, self.extent()))[piece]
    }

    fn read(&self, memory: &dyn Memory, piece: usize, out: &mut Vec<u8>) -> Result<(), NoImage> {
        let (mut from, length) = self.place(piece);
        out.clear();
        reserve(out, length as usize)?;
        match vram::region(memory, self.maps, from, length) {
            Some(slice) => slice.append_to(out),
            None => {
                out.resize(length as usize, 0);
                let mut pauses = Pauses::new(memory);
                for part in out.chunks_mut(PART) {
                    vram::read(memory, self.maps, from, part);
                    from = from.wrapping_add(part.len() as u32);
                    if pauses.stops_after(APART_COST * part.len()) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn is_still(&self, memory: &dyn Memory, piece: usize, bytes: &[u8]) -> bool {
        let (mut from, _) = self.place(piece);
        match vram::region(memory, self.maps, from, bytes.len() as u32) {
            Some(slice) => slice.equals(bytes),
            None => {
                let (mut now, mut pauses) = ([0; PART], Pauses::new(memory));
                bytes.chunks(PART).all(|part| {
                    let now = &mut now[..part.len()];
                    vram::read(memory, self.maps, from, now);
                    from = from.wrapping_add(part.len() as u32);
                    now == part && !pauses.stops_after(APART_COST * part.len())
                })
            }
        }
    }

    fn decode(&self, memory: &dyn Memory, pieces: &[Piece], texels: &mut Vec<u32>) -> Result<(), NoImage> {
        let mut pauses = Pauses::new(memory);
        let bytes = &*joined(pieces)?;
        let [width, height] = self.size;
        texels.clear();
        reserve(texels, ((width + 1) * (height + 1)) as usize)?;
        if let TextureFormat::Compressed(compression) = self.level.format {
            self.decode_blocks(compression, bytes, texels, &mut pauses)?;
        } else {
            let (table, mut collected) = (Table::of(self), Vec::new());
            let count = (width * self.level.format.bits()).div_ceil(8) as usize;
            for y in 0..height {
                let first = texels.len();
                self.decode_row(&table, self.row(bytes, y, count, &mut collected), texels);
                texels.push(texels[first]);
                if pauses.stops_after(TEXEL_COST * width as usize) {
                    return Err(NoImage::Stopped);
                }
            }
        }
        texels.extend_from_within(..=width as usize);
        if self.is_shown() {
            self.replace(memory, bytes, texels);
        }
        Ok(())
    }

    fn own_bytes(&self) -> usize {
        OVERHEAD
    }
}
