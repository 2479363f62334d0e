//! A stored pixel with its depth, and writes to it (1.1, 1.5, 5.3, 10.8).

use crate::ge::raster::fragment::Fragment;
use crate::ge::texel::colour;
use crate::trace::{Probe, Stage, Value};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vram::VRAM_BYTES;

/// Window of VRAM through which depth is stored (1.1).
const DEPTH_WINDOW: u32 = 0x0460_0000;
/// Range of pixel coordinates in each direction (5.3).
const SIDE: u32 = 1024;

/// Content of a pixel before the draw.
pub(super) struct Pixel<'t> {
    target: &'t Target<'t>,
    /// Column and row.
    place: [i32; 2],
    /// Depth of the fragment.
    pub(super) new_depth: i32,
    /// The bits of the stored colour.
    raw: u32,
    /// The stored depth.
    pub(super) depth: u16,
}

impl<'t> Pixel<'t> {
    /// The pixel of a fragment.
    pub(super) fn read(target: &'t Target<'t>, at: &Fragment) -> Self {
        let raw = stored_bits(target, [at.x, at.y]);
        let depth = u16::from_le_bytes(target.vram.read_array(depth_offset(target, [at.x, at.y])));
        Self { target, place: [at.x, at.y], new_depth: at.z, raw, depth }
    }

    /// Format of the stored colour.
    pub(super) const fn format(&self) -> PixelFormat {
        self.target.format
    }

    /// The stored colour; alpha is the stencil value.
    pub(super) fn colour(&self) -> [u8; 4] {
        colour::stored(self.target.format, self.raw).to_le_bytes()
    }

    /// Stores a colour where neither the write mask nor `kept`, bits of 0xAABBGGRR, keeps the old one. An unchanged
    /// pixel is not stored, which is visible if its depth, written before, lies in the same bytes (assumed).
    pub(super) fn write(&self, registers: &Registers, new: [u8; 4], kept: u32, probe: &impl Probe) {
        let format = self.target.format;
        let mask = colour::bits(format, registers.write_mask() | kept);
        let word = (self.raw & mask) | (colour::bits(format, u32::from_le_bytes(new)) & !mask);
        let bytes = &word.to_le_bytes()[..format.bytes() as usize];
        let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("store"), name, value);
        note("mask", &|| Value::Integer(mask.into()));
        note("colour", &|| Value::Colour(colour::stored(format, word).to_le_bytes()));
        note("bytes", &|| Value::Integers(bytes.iter().map(|&byte| byte.into()).collect()));
        if word == self.raw {
            return;
        }
        self.target.vram.write_all(colour_offset(self.target, self.place), bytes);
    }

    /// Stores a stencil value.
    pub(super) fn write_alpha(&self, registers: &Registers, alpha: u8, probe: &impl Probe) {
        let [r, g, b, _] = self.colour();
        self.write(registers, [r, g, b, alpha], 0xff_ffff, probe);
    }

    /// Stores a depth.
    pub(super) fn write_depth(&self, depth: i32, probe: &impl Probe) {
        probe.note(Stage::one("store"), "depth", || Value::Integer((depth as u16).into()));
        self.target.vram.write_all(depth_offset(self.target, self.place), &(depth as u16).to_le_bytes());
    }
}

/// The colour of a pixel; alpha is the stencil value.
pub(crate) fn stored_colour(target: &Target<'_>, place: [i32; 2]) -> [u8; 4] {
    colour::stored(target.format, stored_bits(target, place)).to_le_bytes()
}

/// The bits of a pixel's colour.
fn stored_bits(target: &Target<'_>, place: [i32; 2]) -> u32 {
    let at = colour_offset(target, place);
    match target.format {
        PixelFormat::Rgba8888 => u32::from_le_bytes(target.vram.read_array(at)),
        _ => u16::from_le_bytes(target.vram.read_array(at)).into(),
    }
}

/// Offset of a pixel's colour in VRAM, which begins again at its end.
fn colour_offset(target: &Target<'_>, place: [i32; 2]) -> usize {
    let bytes = pixel(place, target.colour_stride) * target.format.bytes();
    ((target.colour + bytes) % VRAM_BYTES) as usize
}

/// Offset of a pixel's depth in VRAM: its place in the window, resolved.
fn depth_offset(target: &Target<'_>, place: [i32; 2]) -> usize {
    let offset = (target.depth + 2 * pixel(place, target.depth_stride)) % VRAM_BYTES;
    (target.maps.resolve(DEPTH_WINDOW + offset) % VRAM_BYTES) as usize
}

/// Number of a pixel in its buffer.
const fn pixel([x, y]: [i32; 2], stride: u32) -> u32 {
    (y as u32 % SIDE) * stride + x as u32 % SIDE
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::vram::{AddressMaps, VRAM};
    use picaflor_pipeline::memory::FlatMemory;

    /// 1.2: FBP & 1FFFF0, strides & 7FC; 5.3: coordinates modulo 1024; 1.1: mirror 3 of translation 0x400 shows linear
    /// offset i at i ^ 2000 with bits 5 to 9 permuted.
    #[test]
    fn offsets() {
        let memory = FlatMemory::new(VRAM, vec![0; VRAM_BYTES as usize]);
        let mut registers = Registers::default();
        for word in [0x9c44_0018, 0x9d04_0203, 0x9e10_0000, 0x9f00_0100, 0xd200_0001] {
            registers.write(word);
        }
        let target = Target::new(&registers, AddressMaps::Flat, &memory).unwrap();
        assert_eq!(colour_offset(&target, [3, 2]), 0x4_0010 + 2 * (2 * 0x200 + 3));
        assert_eq!(colour_offset(&target, [1027, -1022]), colour_offset(&target, [3, 2]));
        assert_eq!(depth_offset(&target, [5, 1]), 0x10_0000 + 2 * 0x105);
        let mirrored = Target::new(&registers, AddressMaps::default(), &memory).unwrap();
        for x in 0..1000 {
            let i = depth_offset(&mirrored, [x, 1]) as u32;
            let m3 = i ^ 0x2000;
            let m3 = (m3 & !0x3e0) | ((i & 0x380) >> 1) | ((!i & 0x40) >> 1) | ((i & 0x20) << 4);
            assert_eq!(m3 as usize, depth_offset(&target, [x, 1]), "{x}");
        }
    }

    /// The last row of a target near the end of VRAM goes on at its start.
    #[test]
    fn buffers_wrap() {
        let memory = FlatMemory::new(VRAM, vec![0; VRAM_BYTES as usize]);
        let mut registers = Registers::default();
        for word in [0x9c1f_fff0, 0x9d00_0200, 0xd200_0003] {
            registers.write(word);
        }
        let target = Target::new(&registers, AddressMaps::Flat, &memory).unwrap();
        assert_eq!([3, 4].map(|x| colour_offset(&target, [x, 0])), [0x1f_fffc, 0]);
    }
}
