//! Buffers: the VRAM bytes that pixels occupy.

use crate::ge::target::Target;
use crate::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use crate::rect::Rect;
use crate::tile::Bytes;

/// A colour or depth buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Buffer {
    /// Offset of the first pixel in VRAM.
    start: u32,
    /// Bytes from row to row.
    stride: u32,
    /// Bytes per pixel.
    bytes: u32,
    /// Granularity in bytes: aligned blocks of this size stay contiguous in VRAM.
    piece: u32,
}

impl Buffer {
    pub(super) const fn colour(target: &Target<'_>) -> Self {
        Self { start: target.colour, stride: target.colour_stride, bytes: target.format.bytes(), piece: 1 }
    }

    pub(super) const fn depth(target: &Target<'_>) -> Self {
        Self { start: target.depth, stride: target.depth_stride, bytes: 2, piece: piece(target.maps) }
    }

    /// Offset of the first byte of some pixels and of the byte after the last, before wrapping.
    const fn ends(&self, pixels: Rect) -> [u32; 2] {
        let first = pixels.y0 as u32 * self.stride + pixels.x0 as u32;
        let end = (pixels.y1 as u32 - 1) * self.stride + pixels.x1 as u32;
        [self.start + first * self.bytes, self.start + end * self.bytes]
    }

    /// Address and length of the smallest range of bytes that holds some pixels: at least one pixel, coordinates
    /// below 1024. A range past the end of VRAM becomes all of VRAM, because it wraps.
    pub(super) const fn extent(&self, pixels: Rect) -> Bytes {
        let [first, end] = self.ends(pixels);
        let (first, end) = (first / self.piece * self.piece, end.next_multiple_of(self.piece));
        if end > VRAM_BYTES { (VRAM, VRAM_BYTES) } else { (VRAM + first, end - first) }
    }

    /// True if no two of some pixels can share memory; conservative.
    pub(super) const fn keeps_apart(&self, pixels: Rect) -> bool {
        let has_room = pixels.y1 - pixels.y0 == 1 || (pixels.x1 - pixels.x0) as u32 <= self.stride;
        has_room && self.ends(pixels)[1] <= VRAM_BYTES
    }
}

/// Granularity of a depth buffer: its map moves bytes only inside aligned blocks of this size.
const fn piece(maps: AddressMaps) -> u32 {
    match maps.canonical() {
        AddressMaps::Flat => 1,
        AddressMaps::Off => 0x800,
        AddressMaps::Shift(n) => 0x2000 << n,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::regs::pixel::PixelFormat;
    use crate::guest_slice::GuestSlice;
    use std::collections::HashSet;

    fn target(maps: AddressMaps) -> Target<'static> {
        Target {
            vram: GuestSlice::from_slice(&[]),
            maps,
            colour: 0x4_0010,
            colour_stride: 512,
            format: PixelFormat::Rgba8888,
            depth: 0x11_0020,
            depth_stride: 512,
        }
    }

    fn places(pixels: Rect) -> impl Iterator<Item = (i32, i32)> {
        (pixels.y0..pixels.y1).flat_map(move |y| (pixels.x0..pixels.x1).map(move |x| (x, y)))
    }

    #[test]
    fn extents_hold_all_pixels() {
        let pixels = Rect { x0: 3, y0: 5, x1: 480, y1: 272 };
        let console = [0, 0x200, 0x400, 0x800, 0x1000].map(|value| AddressMaps::of(value).unwrap());
        for maps in console.into_iter().chain([AddressMaps::Flat]) {
            let target = target(maps);
            let [colour, depth] = [Buffer::colour(&target), Buffer::depth(&target)].map(|b| b.extent(pixels));
            assert_eq!(colour.0, VRAM + target.colour_offset(3, 5) as u32);
            assert_eq!(colour.0 + colour.1, VRAM + target.colour_offset(479, 271) as u32 + 4);
            let inside = |(address, length): Bytes, offset: usize| {
                (address - VRAM..address - VRAM + length).contains(&(offset as u32))
            };
            assert!(places(pixels).all(|(x, y)| inside(depth, target.depth_offset(x, y))), "{maps:?}");
            assert!(depth.1 < 0x6_0000, "{maps:?}: {depth:x?}");
        }
    }

    /// As on the console's screen: three buffers of 512 by 272 pixels of 16 bits, one after the other.
    #[test]
    fn buffers_that_touch_do_not_meet() {
        let screen = Rect { x0: 0, y0: 0, x1: 480, y1: 272 };
        let mut target = target(AddressMaps::default());
        (target.colour, target.depth, target.format) = (0x4_4000, 0x8_8000, PixelFormat::Rgb5650);
        let [colour, depth] = [Buffer::colour(&target), Buffer::depth(&target)].map(|b| b.extent(screen));
        assert!(colour.0 + colour.1 <= depth.0);
        assert_eq!(depth, (VRAM + 0x8_8000, 0x4_4000));
    }

    #[test]
    fn what_wraps_is_everything() {
        let buffer = Buffer { start: 0x1f_fff0, stride: 512, bytes: 4, piece: 1 };
        let row = |x1| Rect { x0: 0, y0: 0, x1, y1: 1 };
        assert_eq!((buffer.extent(row(4)), buffer.keeps_apart(row(4))), ((VRAM + 0x1f_fff0, 16), true));
        assert_eq!((buffer.extent(row(5)), buffer.keeps_apart(row(5))), ((VRAM, VRAM_BYTES), false));
    }

    #[test]
    fn rows_wider_than_their_stride_share_memory() {
        for (x0, x1, y1) in [(0, 64, 9), (8, 72, 9), (8, 73, 9), (8, 73, 1), (0, 65, 2), (0, 1024, 1)] {
            let pixels = Rect { x0, y0: 0, x1, y1 };
            let target = Target { colour_stride: 64, ..target(AddressMaps::Flat) };
            let different: HashSet<_> = places(pixels).map(|(x, y)| target.colour_offset(x, y)).collect();
            let is_apart = different.len() as u64 == pixels.pixels();
            assert_eq!(Buffer::colour(&target).keeps_apart(pixels), is_apart, "{pixels:?}");
        }
    }
}
