//! Constants of a draw: what compiled fragment code loads because it is not part of the key.
//!
//! One structure for each room; only what the key makes live is filled. Scalars are splatted, colours are
//! pixels in the order of RGBA8 memory (alpha, blue, green, red) as 16-bit channels, two pixels.

/// A number in all lanes.
pub(crate) type Splat = [f32; 4];
/// An integer in all lanes.
pub(crate) type IntSplat = [i32; 4];
/// A colour as two pixels of four channels.
pub(crate) type PairSplat = [u16; 8];

/// Everything that a draw's code may load.
#[derive(Debug, Clone)]
#[repr(C, align(16))]
pub(crate) struct DrawConstants {
    /// `quads[n]`: all ones in the lanes whose bit of `n` is set.
    pub(crate) masks: [IntSplat; 16],
    pub(crate) depth_scale: Splat,
    pub(crate) depth_offset: Splat,
    pub(crate) textures: [TextureConstants; 3],
}

/// Of a texture unit.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct TextureConstants {
    /// Address of the logarithms in units of 1/256: 257 integers.
    pub(crate) logarithms: u64,
    /// Width and height of level 0.
    pub(crate) size: [Splat; 2],
    /// Border colour as pixels.
    pub(crate) border: IntSplat,
    /// Level of detail: its bias, its least value, the last level; in units of 1/256 level.
    pub(crate) bias: IntSplat,
    pub(crate) least: IntSplat,
    pub(crate) most: IntSplat,
    /// Texels from one face of a cube to the next.
    pub(crate) face: IntSplat,
    /// What is taken off depths before they are compared.
    pub(crate) shadow_bias: IntSplat,
    /// The levels that are read, from the first on.
    pub(crate) levels: [LevelConstants; 8],
}

/// Of a level of a texture. Texels are pixels in rows, the lowest first.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct LevelConstants {
    /// Width and height.
    pub(crate) scale: [Splat; 2],
    /// The last column and row.
    pub(crate) last: [IntSplat; 2],
    /// Twice the width and height, less 1.
    pub(crate) twice: [IntSplat; 2],
    /// Texels from row to row.
    pub(crate) width: IntSplat,
    /// Address of the first texel.
    pub(crate) texels: u64,
}

impl Default for DrawConstants {
    fn default() -> Self {
        let lane = |n: usize, lane: usize| -((n >> lane & 1) as i32);
        Self {
            masks: std::array::from_fn(|n| std::array::from_fn(|k| lane(n, k))),
            depth_scale: [0.0; 4],
            depth_offset: [0.0; 4],
            textures: std::array::from_fn(|_| TextureConstants::default()),
        }
    }
}

/// Offset of a field of [`DrawConstants`], nested fields and indices included.
macro_rules! constant {
    ($($field:tt)+) => {
        std::mem::offset_of!($crate::emit::constants::DrawConstants, $($field)+) as i32
    };
}
pub(crate) use constant;

/// A colour for the constants, from red, green, blue, alpha.
pub(crate) fn pair([r, g, b, a]: [u8; 4]) -> PairSplat {
    [a, b, g, r, a, b, g, r].map(u16::from)
}
