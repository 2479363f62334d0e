//! Rasterizer, 0x040-0x07F: culling, viewport, user clip plane, depth mapping, output map, scissor.
//!
//! Source: pica-geometry.md 2.2, 5 and 6; 3dbrew, GPU/Internal Registers; gbatek (implemented bits).

mod describe;

pub(super) use describe::describe;

use super::{F24, Registers};
use crate::bits::Field;
use crate::pica::float;
use std::fmt;

/// A two's complement field of ten bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Signed10(u32);

impl Signed10 {
    /// The value, -512 to 511.
    #[must_use]
    pub const fn value(self) -> i32 {
        (self.0 << 22) as i32 >> 22
    }
}

impl Field for Signed10 {
    fn from_bits(raw: u32) -> Self {
        Self(raw & 0x3ff)
    }
    fn to_bits(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for Signed10 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

/// A field in 1.7.23, bits 31:1 of its word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct F31(u32);

impl F31 {
    /// The value.
    #[must_use]
    pub fn to_f32(self) -> f32 {
        float::f31(self.0 << 1)
    }
}

impl Field for F31 {
    fn from_bits(raw: u32) -> Self {
        Self(raw)
    }
    fn to_bits(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for F31 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_f32().fmt(f)
    }
}

crate::field_enum! {
    /// The culled triangles; the counter-clockwise side in the window is the front. Source: 3dbrew.
    pub enum CullMode {
        /// None.
        KeepAll,
        /// Counter-clockwise ones.
        CullFront,
        /// Clockwise ones.
        CullBack,
        /// None; the same as [`KeepAll`](Self::KeepAll).
        KeepAllToo,
    } else KeepAll
}

crate::field_enum! {
    /// Effect of the scissor rectangle. Source: 3dbrew; code 2: gbatek.
    pub enum ScissorMode {
        /// None.
        Off,
        /// Drops pixels inside.
        KeepOutside,
        /// None; the same as [`Off`](Self::Off).
        OffToo,
        /// Drops pixels outside.
        KeepInside,
    } else Off
}

crate::field_enum! {
    /// Comparison of the early depth test. Source: 3dbrew.
    pub enum EarlyDepthFunc {
        /// Greater or equal.
        GreaterEqual,
        /// Greater.
        Greater,
        /// Less or equal.
        LessEqual,
        /// Less.
        Less,
    } else GreaterEqual
}

crate::bits! {
    /// `FACECULLING_CONFIG` (0x040).
    pub struct FaceCulling(u32) {
        /// The culled triangles.
        mode, with_mode: CullMode = 0..2;
    }
}

crate::bits! {
    /// A register that holds one float of 24 bits: `VIEWPORT_WIDTH` and `HEIGHT` (0x041, 0x043: half the
    /// size), the user clip plane (0x048-0x04B), `DEPTHMAP_SCALE` and `OFFSET` (0x04D, 0x04E).
    pub struct Float24(u32) {
        /// The number.
        value, with_value: F24 = 0..24;
    }
}

crate::bits! {
    /// `VIEWPORT_INVW` and `INVH` (0x042, 0x044): 2 over the size. The machine does not use them.
    pub struct ViewportInverse(u32) {
        /// The number.
        value, with_value: F31 = 1..32;
    }
}

crate::bits! {
    /// `FRAGOP_CLIP` (0x047).
    pub struct UserClip(u32) {
        /// Clips against the plane in 0x048-0x04B.
        enable, with_enable: bool = 0..1;
    }
}

crate::bits! {
    /// `SH_OUTMAP_TOTAL` (0x04F).
    pub struct OutmapTotal(u32) {
        /// Slots of the output map that are used.
        slots, with_slots: u8 = 0..3;
    }
}

crate::bits! {
    /// `SH_OUTMAP_O0`-`O6` (0x050-0x056): the semantic of each component.
    pub struct Outmap(u32) {
        /// Of x.
        x, with_x: u8 = 0..5;
        /// Of y.
        y, with_y: u8 = 8..13;
        /// Of z.
        z, with_z: u8 = 16..21;
        /// Of w.
        w, with_w: u8 = 24..29;
    }
}

crate::bits! {
    /// 0x058.
    pub struct FlatColour(u32) {
        /// The third vertex gives the colour of the triangle.
        enable, with_enable: bool = 0..1;
        /// Implemented, without known effect.
        unknown: bool = 8..9;
    }
}

crate::bits! {
    /// 0x060. The machine does not use it.
    pub struct PixelSkip(u32) {
        /// Implemented, without known effect.
        unknown: bool = 0..1;
        /// 1 and 2 draw a part of the pixels, details unknown.
        skip: u8 = 8..10;
    }
}

crate::bits! {
    /// `EARLYDEPTH_FUNC` (0x061). The machine does not use it.
    pub struct EarlyDepth(u32) {
        /// The comparison.
        function, with_function: EarlyDepthFunc = 0..2;
    }
}

crate::bits! {
    /// A register with one meaningful bit: `EARLYDEPTH_TEST1` (0x062), `EARLYDEPTH_CLEAR` (0x063).
    pub struct EarlyDepthSwitch(u32) {
        /// The bit.
        enable, with_enable: bool = 0..1;
    }
}

crate::bits! {
    /// `SH_OUTATTR_MODE` (0x064). The machine does not use it.
    pub struct OutattrMode(u32) {
        /// Texture coordinates are in use.
        texture_coordinates, with_texture_coordinates: bool = 0..1;
    }
}

crate::bits! {
    /// `SCISSORTEST_MODE` (0x065).
    pub struct ScissorTest(u32) {
        /// Effect of the rectangle.
        mode, with_mode: ScissorMode = 0..2;
    }
}

crate::bits! {
    /// A corner of the scissor rectangle in window coordinates: `SCISSORTEST_POS` (0x066) and `DIM` (0x067),
    /// the latter inclusive.
    pub struct ScissorCorner(u32) {
        /// Column.
        x, with_x: u16 = 0..10;
        /// Row.
        y, with_y: u16 = 16..26;
    }
}

crate::bits! {
    /// `VIEWPORT_XY` (0x068).
    pub struct ViewportOrigin(u32) {
        /// Column of the left edge.
        x, with_x: Signed10 = 0..10;
        /// Row of the lower edge.
        y, with_y: Signed10 = 16..26;
    }
}

crate::bits! {
    /// `EARLYDEPTH_DATA` (0x06A). The machine does not use it.
    pub struct EarlyDepthData(u32) {
        /// Clear value of the early depth buffer.
        value, with_value: u32 = 0..24;
    }
}

crate::bits! {
    /// `DEPTHMAP_ENABLE` (0x06D).
    pub struct DepthMap(u32) {
        /// Z-buffer; otherwise W-buffer: depth is multiplied by w.
        z_buffer, with_z_buffer: bool = 0..1;
    }
}

crate::bits! {
    /// `RENDERBUF_DIM` (0x06E): a copy of 0x11E, without measured effect.
    pub struct RenderBufferSize(u32) {
        /// Width.
        width, with_width: u16 = 0..11;
        /// Height - 1.
        last_row, with_last_row: u16 = 12..22;
        /// Rows are stored from the top.
        top_first, with_top_first: bool = 24..25;
    }
}

crate::bits! {
    /// `SH_OUTATTR_CLOCK` (0x06F): clocked outputs; the others read 1.0.
    pub struct OutattrClock(u32) {
        /// Depth.
        position_z, with_position_z: bool = 0..1;
        /// Colour.
        colour, with_colour: bool = 1..2;
        /// Texture coordinate 0.
        texcoord0, with_texcoord0: bool = 8..9;
        /// Texture coordinate 1.
        texcoord1, with_texcoord1: bool = 9..10;
        /// Texture coordinate 2.
        texcoord2, with_texcoord2: bool = 10..11;
        /// Texture coordinate 0 w.
        texcoord0_w, with_texcoord0_w: bool = 16..17;
        /// Quaternion or view vector.
        quaternion_or_view, with_quaternion_or_view: bool = 24..25;
    }
}

/// The viewport as numbers (5.4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    /// Half the width and half the height.
    pub scale: [f32; 2],
    /// Left edge and lower edge.
    pub origin: [f32; 2],
}

impl Registers {
    /// `SH_OUTATTR_CLOCK`.
    #[must_use]
    pub fn outattr_clock(&self) -> OutattrClock {
        OutattrClock(self.raw(0x06f))
    }

    /// `FACECULLING_CONFIG`.
    #[must_use]
    pub fn face_culling(&self) -> FaceCulling {
        FaceCulling(self.raw(0x040))
    }

    /// `VIEWPORT_XY`.
    #[must_use]
    pub fn viewport_origin(&self) -> ViewportOrigin {
        ViewportOrigin(self.raw(0x068))
    }

    /// Size and position of the viewport.
    #[must_use]
    pub fn viewport(&self) -> Viewport {
        let origin = self.viewport_origin();
        Viewport {
            scale: [0x041, 0x043].map(|id| self.float24(id)),
            origin: [origin.x(), origin.y()].map(|side| side.value() as f32),
        }
    }

    /// The coefficients of the user clip plane, if it is enabled.
    #[must_use]
    pub fn user_clip_plane(&self) -> Option<[f32; 4]> {
        let coefficients = [0x048, 0x049, 0x04a, 0x04b].map(|id| self.float24(id));
        UserClip(self.raw(0x047)).enable().then_some(coefficients)
    }

    /// `DEPTHMAP_SCALE`.
    #[must_use]
    pub fn depth_scale(&self) -> f32 {
        self.float24(0x04d)
    }

    /// `DEPTHMAP_OFFSET`.
    #[must_use]
    pub fn depth_offset(&self) -> f32 {
        self.float24(0x04e)
    }

    /// `DEPTHMAP_ENABLE`.
    #[must_use]
    pub fn depth_map(&self) -> DepthMap {
        DepthMap(self.raw(0x06d))
    }

    /// `SH_OUTMAP_TOTAL`.
    #[must_use]
    pub fn outmap_total(&self) -> OutmapTotal {
        OutmapTotal(self.raw(0x04f))
    }

    /// `SH_OUTMAP_O0`-`O6`; 0 if there is no such slot.
    #[must_use]
    pub fn outmap(&self, slot: usize) -> Outmap {
        Outmap(if slot < 7 { self.raw(0x050 + slot as u16) } else { 0 })
    }

    /// 0x058.
    #[must_use]
    pub fn flat_colour(&self) -> FlatColour {
        FlatColour(self.raw(0x058))
    }

    /// `SCISSORTEST_MODE`.
    #[must_use]
    pub fn scissor_test(&self) -> ScissorTest {
        ScissorTest(self.raw(0x065))
    }

    /// `SCISSORTEST_POS` and `SCISSORTEST_DIM`.
    #[must_use]
    pub fn scissor_corners(&self) -> [ScissorCorner; 2] {
        [0x066, 0x067].map(|id| ScissorCorner(self.raw(id)))
    }

    fn float24(&self, id: u16) -> f32 {
        Float24(self.raw(id)).value().to_f32()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Class;
    use super::*;

    #[test]
    fn viewport_numbers() {
        let mut registers = Registers::new();
        registers.set_raw(0x041, 0xff45_e000);
        registers.set_raw(0x043, 0x46_4000);
        registers.set_raw(0x068, 0xfe00_03ff);
        let viewport = registers.viewport();
        assert_eq!((viewport.scale, viewport.origin), ([120.0, 160.0], [-1.0, -512.0]));
        assert!((ViewportInverse(0x3811_1100).value().to_f32() - 2.0 / 240.0).abs() < 1e-8);
    }

    #[test]
    fn slots_of_the_output_map() {
        let mut registers = Registers::new();
        (0..9).for_each(|k| registers.set_raw(0x04f + k, 0x101 * u32::from(k + 1)));
        assert_eq!(registers.outmap_total().0, 0x101);
        assert_eq!([0, 3, 6, 7].map(|slot| registers.outmap(slot).0), [0x202, 0x505, 0x808, 0]);
    }

    #[test]
    fn user_plane_only_when_enabled() {
        let mut registers = Registers::new();
        registers.set_raw(0x049, 0x3f_0000);
        assert_eq!(registers.user_clip_plane(), None);
        registers.set_raw(0x047, 1);
        assert_eq!(registers.user_clip_plane(), Some([0.0, 1.0, 0.0, 0.0]));
    }

    #[test]
    fn names_and_measured_bits() {
        let names = [(0x04b, "FRAGOP_CLIP_DATA3"), (0x056, "SH_OUTMAP_O6"), (0x06c, "006C")];
        for (id, name) in names {
            assert_eq!(describe(id).name, name);
        }
        let mut registers = Registers::new();
        for (id, stored) in [(0x045, 0x00ff_ffff), (0x069, 0xffff_0001), (0x063, 0), (0x05b, 0)] {
            assert_eq!(registers.write(id, u32::MAX, 15), stored, "{id:#x}");
        }
        assert_eq!(describe(0x07f).class, Class::Mirror);
    }
}
