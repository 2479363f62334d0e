//! `Vertex`: the output of transform and lighting.
//!
//! Source: psp-ge.md 5, 6.

/// A vertex after transform and lighting, before clipping.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Vertex {
    /// Clip coordinates x, y, z, w. In through mode 0, 0, 0, 1.
    pub clip: [f64; 4],
    /// Texture coordinates s, t, q: relative to the texture size in normal mode, in texels of level 0 in through
    /// mode. q is 1, except with a texture matrix. 0, 0, 1 if TME is off.
    pub texture: [f64; 3],
    /// Drawing-space position in sixteenths of a pixel, after subtraction of OFFSET. Undefined if `outside` marks the
    /// vertex. In through mode the whole range of the type, because positions can be floats.
    pub x: i32,
    /// As `x`, downward.
    pub y: i32,
    /// Depth, 0 to 65535: clamped, see `outside`.
    pub z: i32,
    /// Primary colour, 0xAABBGGRR.
    pub colour: u32,
    /// Secondary colour, 0x00BBGGRR.
    pub secondary: u32,
    /// Fog coefficient, 0 to 255; 255: no fog. 255 if FGE is off.
    pub fog: u8,
    /// [`Outside`] bits.
    pub outside: u8,
    /// Unused; zero.
    pub reserved: [u8; 2],
}

impl Vertex {
    /// A vertex with all fields in their neutral state.
    pub const EMPTY: Self = Self {
        clip: [0.0, 0.0, 0.0, 1.0],
        texture: [0.0, 0.0, 1.0],
        x: 0,
        y: 0,
        z: 0,
        colour: 0,
        secondary: 0,
        fog: 0,
        outside: 0,
        reserved: [0; 2],
    };

    /// The vertex with a depth that buffers of 16 bits can store, as set-up expects it.
    pub(crate) fn with_stored_depth(&self) -> Self {
        Self { z: self.z.clamp(0, 0xffff), ..*self }
    }
}

/// Bits of [`Vertex::outside`] (5.3, 5.5). In through mode all are clear.
pub struct Outside;

impl Outside {
    /// `z / w <= -(1 + 2^-15)`; for w below 0: `z < -w`.
    pub const NEAR: u8 = 1;
    /// `z / w >= 1 + 2^-15`; for w below 0: `z > w`.
    pub const FAR: u8 = 2;
    /// Screen x or y is not in 0..4096; a NaN is not.
    pub const GUARD_BAND: u8 = 4;
    /// The viewport sum of z is below 0, or 65536 or more (a NaN is neither).
    pub const DEPTH: u8 = 8;
    /// `z < -w`: behind the plane that clipping uses (`z + w >= 0` is inside; a NaN is not inside).
    pub const BEHIND: u8 = 16;
}
