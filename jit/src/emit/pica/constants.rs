//! Constants of a draw: values that compiled fragment code loads, because they are not part of the key.
//!
//! One structure for each room; only fields that are live under the key are filled. Scalars are splatted, colours are
//! pixels in the order of RGBA8 memory (alpha, blue, green, red) as 16-bit channels, two pixels.

use picaflor_pipeline::pica::regs::combiner::STAGES;

/// Places in the constants that arguments of combiners have: the stages' and the result's.
pub(crate) const PLACES: usize = STAGES + 1;

/// A number in all lanes.
pub(crate) type Splat = [f32; 4];
/// An integer in all lanes.
pub(crate) type IntSplat = [i32; 4];
/// A colour as two pixels of four channels.
pub(crate) type PairSplat = [u16; 8];

/// An address of the host; its owner is kept beside the constants.
pub(crate) type Address = u64;

/// One light, in the order of slots.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct LightConstants {
    /// Red, green, blue, as of all colours here.
    pub(crate) specular0: [Splat; 3],
    pub(crate) specular1: [Splat; 3],
    pub(crate) diffuse: [Splat; 3],
    pub(crate) ambient: [Splat; 3],
    pub(crate) position: [Splat; 3],
    /// The position's direction, and its length: for directional lights.
    pub(crate) direction: [Splat; 3],
    pub(crate) length: Splat,
    pub(crate) spot: [Splat; 3],
    pub(crate) attenuation_scale: Splat,
    pub(crate) attenuation_bias: Splat,
    pub(crate) spot_table: Address,
    pub(crate) distance_table: Address,
}

/// Bytes from one light to the next.
pub(crate) const LIGHT_STRIDE: i32 = size_of::<LightConstants>() as i32;

/// The lighting unit.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct LightingConstants {
    pub(crate) lights: [LightConstants; 8],
    pub(crate) ambient: [Splat; 3],
    /// Factors of results, by the code of the table.
    pub(crate) scales: [Splat; 7],
    /// By the code of the table; that of `Spot` is not used.
    pub(crate) tables: [Address; 7],
}

/// Fog.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct FogConstants {
    /// Red, green, blue, 0 to 255.
    pub(crate) colour: [Splat; 3],
    /// Value and difference of each of 128 entries.
    pub(crate) table: Address,
}

/// The procedural texture.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct ProctexConstants {
    /// Of u and v, as all numbers of noise here. Nine times that of the registers.
    pub(crate) frequency: [Splat; 2],
    pub(crate) phase: [Splat; 2],
    pub(crate) amplitude: [Splat; 2],
    /// The last entry of the level, and where it starts, when all pixels have the same level.
    pub(crate) last: Splat,
    pub(crate) start: IntSplat,
    /// Factors of the changes of coordinates.
    pub(crate) lod_scale: Splat,
    /// In units of 1/256 level.
    pub(crate) least_lod: IntSplat,
    pub(crate) most_lod: IntSplat,
    /// The bits of the last entry, a number, and where the level starts.
    pub(crate) levels: [[u32; 2]; 8],
    /// The colour where all coordinates are 0, if that is the same for all pixels.
    pub(crate) at_origin: PairSplat,
    pub(crate) colour_map: Address,
    pub(crate) alpha_map: Address,
    pub(crate) noise: Address,
    /// Colours, and colours with their steps, as the tables of `pica::fragment::proctex` have them.
    pub(crate) colours: Address,
    pub(crate) steps: Address,
    /// The logarithms in units of 1/256.
    pub(crate) logarithms: Address,
}

/// Of a texture unit.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct TextureConstants {
    /// Address of the logarithms in units of 1/256: 257 integers.
    pub(crate) logarithms: Address,
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
    /// Bias subtracted from depths before the comparison.
    pub(crate) shadow_bias: IntSplat,
    /// The levels that are read, from the first on.
    pub(crate) levels: [LevelConstants; 8],
    /// The same, for loops outside of code.
    pub(crate) tables: LevelTables,
}

/// A number of each level of a texture.
#[derive(Debug, Clone, Default)]
#[repr(C, align(16))]
pub(crate) struct LevelTables {
    /// Width and height.
    pub(crate) scale: [[f32; 8]; 2],
    /// The last column and row.
    pub(crate) last: [[i32; 8]; 2],
    /// Texels from row to row.
    pub(crate) width: [i32; 8],
    /// Texels before the level.
    pub(crate) start: [i32; 8],
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
    /// The last texel of the level.
    pub(crate) last_texel: IntSplat,
    /// Address of the first texel.
    pub(crate) texels: Address,
}

/// All constants that a draw's code may load.
#[derive(Debug, Clone)]
#[repr(C, align(16))]
pub(crate) struct DrawConstants {
    /// `quads[n]`: all ones in the lanes whose bit of `n` is set.
    pub(crate) masks: [IntSplat; 16],
    pub(crate) depth_scale: Splat,
    pub(crate) depth_offset: Splat,
    pub(crate) proctex: ProctexConstants,
    pub(crate) textures: [TextureConstants; 3],
    pub(crate) combiner: CombinerConstants,
    pub(crate) output: OutputConstants,
    pub(crate) lighting: LightingConstants,
    pub(crate) fog: FogConstants,
}

/// Constants of the combiners.
#[derive(Debug, Clone, Default)]
#[repr(C)]
pub(crate) struct CombinerConstants {
    /// For each argument of each stage, and of the result, the constant with the operand applied.
    pub(crate) values: [[PairSplat; 3]; PLACES],
    /// Places, as bits, whose third argument is 255.
    pub(crate) passes: u64,
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
            proctex: ProctexConstants::default(),
            textures: std::array::from_fn(|_| TextureConstants::default()),
            combiner: CombinerConstants::default(),
            output: OutputConstants::default(),
            lighting: LightingConstants::default(),
            fog: FogConstants::default(),
        }
    }
}

/// Offset of a field of [`DrawConstants`], nested fields and indices included.
macro_rules! constant {
    ($($field:tt)+) => {
        std::mem::offset_of!($crate::emit::pica::constants::DrawConstants, $($field)+) as i32
    };
}
pub(crate) use constant;

/// A colour for the constants, from red, green, blue, alpha.
pub(crate) fn pair([r, g, b, a]: [u8; 4]) -> PairSplat {
    [a, b, g, r, a, b, g, r].map(u16::from)
}
