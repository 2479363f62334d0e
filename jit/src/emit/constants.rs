//! Constants of a draw: what compiled fragment code loads because it is not part of the key.
//!
//! One structure for each room; only what the key makes live is filled. Scalars are splatted, colours are
//! pixels in the order of RGBA8 memory (alpha, blue, green, red) as 16-bit channels, two pixels.

use crate::key::fragment::combiner::PLACES;

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
    pub(crate) combiner: CombinerConstants,
    pub(crate) output: OutputConstants,
}

/// Constants of the combiners.
#[derive(Debug, Clone, Default)]
#[repr(C)]
pub(crate) struct CombinerConstants {
    /// For each argument of each stage, and of the result, the constant with the operand applied.
    pub(crate) values: [[PairSplat; 3]; PLACES],
}

/// Constants of tests, blending and the shadow pass.
#[derive(Debug, Clone, Default)]
#[repr(C)]
pub(crate) struct OutputConstants {
    pub(crate) alpha_reference: IntSplat,
    pub(crate) stencil_reference: IntSplat,
    /// The reference under the input mask.
    pub(crate) stencil_compared: IntSplat,
    pub(crate) stencil_input: IntSplat,
    /// Bits of a pixel that stencil operations may change.
    pub(crate) stencil_write: IntSplat,
    /// The blend constant.
    pub(crate) blend: PairSplat,
    /// Of the shadow pass, scale plus bias of the penumbra.
    pub(crate) penumbra_constant: Splat,
    /// Minus the scale.
    pub(crate) penumbra_linear: Splat,
}

impl Default for DrawConstants {
    fn default() -> Self {
        let lane = |n: usize, lane: usize| -((n >> lane & 1) as i32);
        Self {
            masks: std::array::from_fn(|n| std::array::from_fn(|k| lane(n, k))),
            depth_scale: [0.0; 4],
            depth_offset: [0.0; 4],
            combiner: CombinerConstants::default(),
            output: OutputConstants::default(),
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
