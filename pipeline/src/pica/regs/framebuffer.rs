//! Registers 0x110-0x11F: the target buffers of fragments.
//!
//! Source: pica-geometry.md 2.4, pica-fragment.md 7.1 and 7.2; 3dbrew, gbatek.

use super::{Class, Description, Registers};
use crate::pica::texel::ColourFormat;

crate::field_enum! {
    /// Format of the depth buffer, `DEPTHBUFFER_FORMAT` bits 1:0.
    pub enum DepthFormat {
        /// Two bytes.
        D16,
        /// Unknown; treated as `D16` (assumed).
        Unknown,
        /// Three bytes.
        D24,
        /// Three bytes of depth, then one of stencil.
        D24S8,
    } else Unknown
}

impl DepthFormat {
    /// Bytes per pixel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::D16 | Self::Unknown => 2,
            Self::D24 => 3,
            Self::D24S8 => 4,
        }
    }

    /// Bits of the depth value.
    #[must_use]
    pub const fn depth_bits(self) -> u32 {
        if self.bytes() == 2 { 16 } else { 24 }
    }

    /// True if the format has a stencil value.
    #[must_use]
    pub const fn has_stencil(self) -> bool {
        matches!(self, Self::D24S8)
    }
}

crate::bits! {
    /// `FRAMEBUFFER_INVALIDATE` and `FRAMEBUFFER_FLUSH`.
    pub struct FramebufferCache(u32) {
        /// Triggers the operation.
        trigger: bool = 0..1;
    }
}

crate::bits! {
    /// `COLORBUFFER_READ` and `COLORBUFFER_WRITE`.
    pub struct ColourAccess(u32) {
        /// Any non-zero value allows all channels (measured on a console).
        channels, with_channels: u8 = 0..4;
    }
}

impl ColourAccess {
    /// True if the access is allowed.
    #[must_use]
    pub fn is_allowed(self) -> bool {
        self.channels() != 0
    }
}

crate::bits! {
    /// `DEPTHBUFFER_READ` and `DEPTHBUFFER_WRITE`.
    pub struct DepthAccess(u32) {
        /// Any non-zero value allows depth and stencil (measured on a console).
        buffers, with_buffers: u8 = 0..2;
    }
}

impl DepthAccess {
    /// True if the access is allowed.
    #[must_use]
    pub fn is_allowed(self) -> bool {
        self.buffers() != 0
    }
}

crate::bits! {
    /// `DEPTHBUFFER_FORMAT`.
    pub struct DepthbufferFormat(u32) {
        /// Format.
        format, with_format: DepthFormat = 0..2;
    }
}

crate::bits! {
    /// `COLORBUFFER_FORMAT`.
    pub struct ColorbufferFormat(u32) {
        /// Size of a pixel: 0 for 16 bits, 1 for 24, 2 for 32. Ignored: the format determines the size.
        pixel_size, with_pixel_size: u8 = 0..2;
        /// Format.
        format, with_format: ColourFormat = 16..19;
    }
}

crate::bits! {
    /// `EARLYDEPTH_TEST2`, which works together with 0x062.
    pub struct EarlydepthTest2(u32) {
        /// Enables the early depth test.
        enable: bool = 0..1;
    }
}

crate::bits! {
    /// `FRAMEBUFFER_BLOCK32`.
    pub struct FramebufferBlock32(u32) {
        /// Blocks of 32x32 pixels instead of 8x8.
        block32, with_block32: bool = 0..1;
    }
}

crate::bits! {
    /// `DEPTHBUFFER_LOC` and `COLORBUFFER_LOC`.
    pub struct BufferLoc(u32) {
        /// Address in units of 64 bytes. The three bits below are stored without effect (measured on a
        /// console).
        units, with_units: u32 = 3..28;
    }
}

impl BufferLoc {
    /// Physical address.
    #[must_use]
    pub fn address(self) -> u32 {
        self.units() << 6
    }

    /// The location of a buffer at `address`, whose low six bits are dropped.
    #[must_use]
    pub fn at(address: u32) -> Self {
        Self::default().with_units(address >> 6)
    }
}

crate::bits! {
    /// `FRAMEBUFFER_DIM`.
    pub struct FramebufferDim(u32) {
        /// Width in pixels.
        width, with_width: u32 = 0..11;
        /// Height in pixels, less one.
        last_row, with_last_row: u32 = 12..22;
        /// The top row of the window is the first in memory, as in all software; otherwise the bottom row is.
        top_first, with_top_first: bool = 24..25;
    }
}

impl FramebufferDim {
    /// Height in pixels.
    #[must_use]
    pub fn height(self) -> u32 {
        self.last_row() + 1
    }
}

impl Registers {
    /// 0x112.
    #[must_use]
    pub fn colorbuffer_read(&self) -> ColourAccess {
        ColourAccess(self.raw(0x112))
    }

    /// 0x113.
    #[must_use]
    pub fn colorbuffer_write(&self) -> ColourAccess {
        ColourAccess(self.raw(0x113))
    }

    /// 0x114.
    #[must_use]
    pub fn depthbuffer_read(&self) -> DepthAccess {
        DepthAccess(self.raw(0x114))
    }

    /// 0x115.
    #[must_use]
    pub fn depthbuffer_write(&self) -> DepthAccess {
        DepthAccess(self.raw(0x115))
    }

    /// 0x116.
    #[must_use]
    pub fn depthbuffer_format(&self) -> DepthbufferFormat {
        DepthbufferFormat(self.raw(0x116))
    }

    /// 0x117.
    #[must_use]
    pub fn colorbuffer_format(&self) -> ColorbufferFormat {
        ColorbufferFormat(self.raw(0x117))
    }

    /// 0x11B.
    #[must_use]
    pub fn framebuffer_block32(&self) -> FramebufferBlock32 {
        FramebufferBlock32(self.raw(0x11b))
    }

    /// 0x11C.
    #[must_use]
    pub fn depthbuffer_loc(&self) -> BufferLoc {
        BufferLoc(self.raw(0x11c))
    }

    /// 0x11D.
    #[must_use]
    pub fn colorbuffer_loc(&self) -> BufferLoc {
        BufferLoc(self.raw(0x11d))
    }

    /// 0x11E.
    #[must_use]
    pub fn framebuffer_dim(&self) -> FramebufferDim {
        FramebufferDim(self.raw(0x11e))
    }
}

pub(super) fn describe(id: u16) -> Description {
    match id {
        0x110 => trigger("FRAMEBUFFER_INVALIDATE"),
        0x111 => trigger("FRAMEBUFFER_FLUSH"),
        0x112 => Description::new("COLORBUFFER_READ", ColourAccess::FIELDS),
        0x113 => Description::new("COLORBUFFER_WRITE", ColourAccess::FIELDS),
        0x114 => Description::new("DEPTHBUFFER_READ", DepthAccess::FIELDS),
        0x115 => Description::new("DEPTHBUFFER_WRITE", DepthAccess::FIELDS),
        0x116 => Description::new("DEPTHBUFFER_FORMAT", DepthbufferFormat::FIELDS),
        0x117 => Description::new("COLORBUFFER_FORMAT", ColorbufferFormat::FIELDS),
        0x118 => Description::new("EARLYDEPTH_TEST2", EarlydepthTest2::FIELDS),
        0x11b => Description::new("FRAMEBUFFER_BLOCK32", FramebufferBlock32::FIELDS),
        0x11c => Description::new("DEPTHBUFFER_LOC", BufferLoc::FIELDS),
        0x11d => Description::new("COLORBUFFER_LOC", BufferLoc::FIELDS),
        0x11e => Description::new("FRAMEBUFFER_DIM", FramebufferDim::FIELDS).reset(0x0100_0000),
        0x11f => Description::unnamed(id, Class::Undocumented).implemented(0x7fff_ffff).reset(0x0001_0140),
        _ => Description::unnamed(id, Class::Undocumented),
    }
}

/// Triggers read as zero.
fn trigger(name: &'static str) -> Description {
    Description::new(name, FramebufferCache::FIELDS).class(Class::Trigger).implemented(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::regs;

    #[test]
    fn locations_lose_their_low_bits() {
        assert_eq!(BufferLoc(0x0300_0007).address(), 0x1800_0000);
        assert_eq!(BufferLoc(0xffff_ffff).address(), 0x7fff_ffc0);
        assert_eq!(BufferLoc::at(0x1804_6540).address(), 0x1804_6540);
    }

    #[test]
    fn any_value_allows() {
        assert!((1..16).all(|v| ColourAccess(v).is_allowed()) && !ColourAccess(0x10).is_allowed());
        assert!((1..4).all(|v| DepthAccess(v).is_allowed()) && !DepthAccess(4).is_allowed());
    }

    #[test]
    fn dimensions() {
        let dim = FramebufferDim(0x0118_f0f0);
        assert_eq!((dim.width(), dim.height(), dim.top_first()), (240, 400, true));
    }

    #[test]
    fn table() {
        let mut registers = Registers::new();
        assert_eq!((registers.raw(0x11e), registers.raw(0x11f)), (0x0100_0000, 0x0001_0140));
        assert_eq!(registers.write(0x111, 1, 15), 0);
        assert_eq!(registers.write(0x11f, u32::MAX, 15), 0x7fff_ffff);
        assert_eq!(regs::describe(0x117).name, "COLORBUFFER_FORMAT");
        assert_eq!(
            (regs::describe(0x119).name.as_ref(), regs::describe(0x11a).class),
            ("0119", Class::Undocumented)
        );
    }

    /// 3dbrew, `GPUREG_DEPTHBUFFER_FORMAT`: 16 bits, 24 bits, 24 bits with 8 of stencil.
    #[test]
    fn parts_of_depth_formats() {
        let formats = [DepthFormat::D16, DepthFormat::D24, DepthFormat::D24S8];
        assert_eq!(formats.map(DepthFormat::depth_bits), [16, 24, 24]);
        assert_eq!(formats.map(DepthFormat::has_stencil), [false, false, true]);
    }
}
