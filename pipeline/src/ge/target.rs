//! `Target`: the colour and depth buffer named by the registers.
//!
//! Source: psp-ge.md 1.2, 5.3.

use super::regs::pixel::PixelFormat;
use super::regs::{Registers, op};
use super::vram::{AddressMaps, VRAM, VRAM_BYTES};
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;

/// Bits of an offset into VRAM.
const OFFSET: u32 = VRAM_BYTES - 1;
/// Range of pixel coordinates in each direction.
pub const SIDE: u32 = 1024;

/// The colour and depth buffer of a draw. Both always lie in VRAM and wrap at its end.
#[derive(Debug, Clone, Copy)]
pub struct Target<'m> {
    /// All of VRAM.
    pub vram: GuestSlice<'m>,
    /// Mapping of depth addresses.
    pub maps: AddressMaps,
    /// Offset of the first pixel in VRAM.
    pub colour: u32,
    /// Pixels from row to row, a multiple of 4 up to 2044.
    pub colour_stride: u32,
    /// Format of the colours.
    pub format: PixelFormat,
    /// Offset of the first depth value in VRAM, before the mapping.
    pub depth: u32,
    /// Values from row to row, a multiple of 4 up to 2044.
    pub depth_stride: u32,
}

impl<'m> Target<'m> {
    /// The target of a draw; `None` if the host maps no VRAM.
    #[must_use]
    pub fn new(registers: &Registers, maps: AddressMaps, memory: &'m dyn Memory) -> Option<Self> {
        Some(Self {
            vram: memory.region(VRAM, VRAM_BYTES)?,
            maps,
            colour: registers.arg(op::FBP) & 0x1f_fff0,
            colour_stride: registers.arg(op::FBW) & 0x7fc,
            format: PixelFormat::of(registers.arg(op::PSM)),
            depth: registers.arg(op::ZBP) & 0x1f_fff0,
            depth_stride: registers.arg(op::ZBW) & 0x7fc,
        })
    }

    /// Offset in VRAM of the colour of a pixel; coordinates are taken modulo 1024.
    #[must_use]
    #[inline]
    pub const fn colour_offset(&self, x: i32, y: i32) -> usize {
        let [x, y] = [x as u32 % SIDE, y as u32 % SIDE];
        ((self.colour + (y * self.colour_stride + x) * self.format.bytes()) & OFFSET) as usize
    }

    /// Offset in VRAM of the depth of a pixel, after the mapping; coordinates are taken modulo 1024.
    #[must_use]
    #[inline]
    pub const fn depth_offset(&self, x: i32, y: i32) -> usize {
        let [x, y] = [x as u32 % SIDE, y as u32 % SIDE];
        self.maps.depth((self.depth + (y * self.depth_stride + x) * 2) & OFFSET) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::BlockMemory;

    /// Pixels of either side of the drawing space, and the end of VRAM.
    #[test]
    fn coordinates_and_offsets_go_around() {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]);
        let mut registers = Registers::default();
        let words = [(op::FBP, 0x1f_ff00), (op::FBW, 64), (op::PSM, 3), (op::ZBP, 0x100), (op::ZBW, 32)];
        words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
        let target = Target::new(&registers, AddressMaps::Flat, &memory).expect("VRAM is mapped");
        let colour = [(0, 0), (3, 1), (1027, 1), (3, 1025), (-1021, -1023)];
        let offsets = colour.map(|(x, y)| target.colour_offset(x, y));
        assert_eq!(offsets, [0x1f_ff00, 0xc, 0xc, 0xc, 0xc]);
        let offsets = colour.map(|(x, y)| target.depth_offset(x, y));
        assert_eq!(offsets, [0x100, 0x146, 0x146, 0x146, 0x146]);
    }
}
