//! Keys of images of the GE, and their decoding.

use crate::code::zeroed::try_zeroed;
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
/// Parts of a height that a number of decoded rows is a multiple of.
const PARTS: u32 = 16;
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
/// follow each other, each with its first one again at the end; the first row again at the end. Of some images only the first
/// rows are decoded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ImageKey {
    level: Level,
    /// Width and height, as far as coordinates reach; powers of two.
    size: [u32; 2],
    /// Rows that are decoded.
    rows: u32,
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
        let number = replaced.map_or(0, |_| level);
        Self { level: layout, size, rows: size[1], clut, maps: state.maps, number, replaced }
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
        self.level.extent([self.size[0], self.rows])
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

    /// The texels of a row, or of a part of one, of which these are the bytes.
    fn decode_row(&self, table: &Table, bytes: &[u8], texels: &mut [u32]) {
        match (self.level.format, table) {
            (TextureFormat::Colour(format), _) => colours(format, bytes, texels),
            (TextureFormat::Indexed(IndexSize::Bits4), Table::Bits4(table)) => {
                for (pair, &byte) in texels.chunks_mut(2).zip(bytes) {
                    let both = [byte & 15, byte >> 4].map(|index| table[usize::from(index)]);
                    pair.iter_mut().zip(both).for_each(|(texel, colour)| *texel = colour);
                }
            }
            (TextureFormat::Indexed(IndexSize::Bits8), Table::Bits8(table)) => {
                fill(texels, bytes.iter().map(|&index| table[usize::from(index)]));
            }
            (TextureFormat::Indexed(IndexSize::Bits16), Table::Wide(table)) => {
                fill(texels, halves(bytes).map(|index| table.colour(index)));
            }
            (TextureFormat::Indexed(IndexSize::Bits32), Table::Wide(table)) => {
                fill(texels, words(bytes).map(|index| table.colour(index)));
            }
            _ => texels.fill(0),
        }
    }

    /// Four rows of a compressed level at a time.
    fn decode_blocks(
        &self,
        compression: Compression,
        bytes: &[u8],
        texels: &mut [u32],
        pauses: &mut Pauses<'_>,
    ) -> Result<(), NoImage> {
        let width = self.size[0] as usize;
        let (held, row_bytes) = (compression.block_bytes() as usize, self.level.row_bytes() as usize);
        for (y, rows) in texels.chunks_mut(4 * (width + 1)).enumerate() {
            for (block, x) in (0..width).step_by(4).enumerate() {
                let found = dxt::block(compression, &padded(bytes, y * row_bytes + block * held, held));
                for (row, found) in rows.chunks_exact_mut(width + 1).zip(found) {
                    fill(&mut row[x..width], found.into_iter());
                }
            }
            rows.chunks_exact_mut(width + 1).for_each(|row| row[width] = row[0]);
            if pauses.stops_after(BLOCK_COST * width) {
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

/// Texels, as many as there are colours.
fn fill(texels: &mut [u32], colours: impl Iterator<Item = u32>) {
    texels.iter_mut().zip(colours).for_each(|(texel, colour)| *texel = colour);
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
fn colours(format: PixelFormat, bytes: &[u8], texels: &mut [u32]) {
    use PixelFormat::{Rgb5650, Rgba4444, Rgba5551, Rgba8888};
    match format {
        Rgb5650 => fill(texels, halves(bytes).map(|raw| decode(Rgb5650, raw))),
        Rgba5551 => fill(texels, halves(bytes).map(|raw| decode(Rgba5551, raw))),
        Rgba4444 => fill(texels, halves(bytes).map(|raw| decode(Rgba4444, raw))),
        Rgba8888 => fill(texels, words(bytes)),
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
        let texels = before as usize..(before + to + 1 - from) as usize;
        self.texels.resize(texels.end, 0);
        self.key.decode_row(&self.table, &self.bytes, &mut self.texels);
        &self.texels[texels]
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
        let [width, height] = self.size.map(|side| side as usize);
        let count = (width + 1) * (height + 1);
        if texels.len() != count {
            *texels = try_zeroed(count).ok_or(NoImage::NoMemory)?;
        }
        let (rows, last) = texels.split_at_mut((width + 1) * height);
        if let TextureFormat::Compressed(compression) = self.level.format {
            self.decode_blocks(compression, bytes, rows, &mut pauses)?;
        } else {
            let (table, mut collected) = (Table::of(self), Vec::new());
            let count = (self.size[0] * self.level.format.bits()).div_ceil(8) as usize;
            for (y, row) in (0..self.rows).zip(rows.chunks_exact_mut(width + 1)) {
                self.decode_row(&table, self.row(bytes, y, count, &mut collected), &mut row[..width]);
                row[width] = row[0];
                if pauses.stops_after(TEXEL_COST * width) {
                    return Err(NoImage::Stopped);
                }
            }
        }
        last.copy_from_slice(&rows[..=width]);
        if self.is_shown() {
            self.replace(memory, bytes, texels);
        }
        Ok(())
    }

    fn own_bytes(&self) -> usize {
        OVERHEAD
    }

    /// Only of levels whose rows follow each other, in one piece of memory, and that no host replaces.
    fn first_rows(&self, count: u32) -> Option<(Self, u32)> {
        let unit = (self.size[1] / PARTS).max(1);
        let rows = count.clamp(1, self.size[1]).next_multiple_of(unit);
        let has_rows = matches!(self.level.format, TextureFormat::Colour(_) | TextureFormat::Indexed(_))
            && !self.level.swizzled
            && self.pieces() == 1
            && self.replaced.is_none();
        (has_rows && rows < self.size[1]).then(|| (Self { rows, ..self.clone() }, rows))
    }
}
