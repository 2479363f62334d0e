//! Keys of images of the GE, and their decoding.

use crate::ge::texel::colour::decode;
use crate::ge::texel::{clut, dxt};
use crate::texture_cache::{Decode, Piece, Range};
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::regs::texture::ClutMode;
use picaflor_pipeline::ge::regs::texture::{IndexSize, TextureFormat};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::texel::Level;
use picaflor_pipeline::ge::vram::{self, AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::Memory;

/// Number of texels reachable by coordinates, independent of the size.
const REACH: u32 = 512;
/// Size of an image without texels, with its table, in bytes.
const OVERHEAD: usize = 2048;
/// Size of the address space, in bytes; addresses wrap around.
const ADDRESSES: u32 = 1 << 28;

/// Key of an image, a level of a texture: together with memory it determines the texels. Rows of colours 0xAABBGGRR
/// follow each other, each with its first one again at the end; the first row again at the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ImageKey {
    level: Level,
    /// Width and height, as far as coordinates reach; powers of two.
    size: [u32; 2],
    clut: Option<ClutKey>,
    maps: AddressMaps,
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
        Self { level: layout, size, clut, maps: state.maps }
    }

    /// Width and height, as far as coordinates reach; powers of two.
    pub(crate) const fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Bytes from the address on.
    const fn extent(&self) -> u32 {
        self.level.extent(self.size)
    }

    fn texel(&self, bytes: &[u8], x: u32, y: u32) -> u32 {
        let at = self.level.texel_address(x, y).wrapping_sub(self.level.address) as usize;
        let byte = |n: usize| bytes.get(at + n).copied().unwrap_or(0);
        let half = || u32::from(u16::from_le_bytes([byte(0), byte(1)]));
        let word = || u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]);
        match self.level.format {
            TextureFormat::Invalid => 0,
            TextureFormat::Colour(format) => {
                decode(format, if format.bytes() == 4 { word() } else { half() })
            }
            TextureFormat::Compressed(compression) => {
                let held = compression.block_bytes() as usize;
                let block = std::array::from_fn(|n| if n < held { byte(n) } else { 0 });
                dxt::texel(compression, &block, x, y)
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
        clut::colour(mode, clut.table.bytes(), clut::entry(mode, index, clut.first))
    }
}

/// The only piece is the level.
impl Decode for ImageKey {
    fn pieces(&self) -> usize {
        1
    }

    /// An upper bound of the read range where mirrors of VRAM mix bytes or addresses wrap.
    fn range(&self, _: usize) -> Range {
        let (address, length) = (self.level.address & (ADDRESSES - 1), self.extent());
        let end = address + length;
        if length == 0 {
            return (0, 0);
        }
        if end > ADDRESSES {
            return (0, end);
        }
        if address >> 26 != 1 {
            return (address, length);
        }
        let offset = address & (VRAM_BYTES - 1);
        let mixes = address >> 21 & 1 != 0 && self.maps != AddressMaps::Flat;
        if mixes || offset + length > VRAM_BYTES {
            return (VRAM, VRAM_BYTES.max(if end > 2 * VRAM { end - VRAM } else { 0 }));
        }
        (VRAM + offset, length)
    }

    fn read(&self, memory: &dyn Memory, _: usize, out: &mut Vec<u8>) {
        out.clear();
        match vram::region(memory, self.maps, self.level.address, self.extent()) {
            Some(slice) => slice.append_to(out),
            None => *out = vram::gather(memory, self.maps, self.level.address, self.extent()),
        }
    }

    fn is_still(&self, memory: &dyn Memory, _: usize, bytes: &[u8]) -> bool {
        match vram::region(memory, self.maps, self.level.address, bytes.len() as u32) {
            Some(slice) => slice.equals(bytes),
            None => vram::gather(memory, self.maps, self.level.address, bytes.len() as u32) == bytes,
        }
    }

    fn decode(&self, pieces: &[Piece], texels: &mut Vec<u32>) {
        let bytes = pieces.first().map_or(&[][..], Piece::bytes);
        let [width, height] = self.size;
        texels.clear();
        texels.reserve_exact(((width + 1) * (height + 1)) as usize);
        for y in 0..height {
            let first = texels.len();
            texels.extend((0..width).map(|x| self.texel(bytes, x, y)));
            texels.push(texels[first]);
        }
        texels.extend_from_within(..=width as usize);
    }

    fn own_bytes(&self) -> usize {
        OVERHEAD
    }
}
