//! Memory interface of the GE's compiled vertex code: the call, the constants of a batch.
//!
//! A group is four vertices.

use super::span::{Doubles, Ints};
use std::mem::offset_of;

/// Some groups. All pointers are valid for the call.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct TransformCall {
    /// Constants of the batch.
    pub(crate) constants: *const TransformConstants,
    /// The first record.
    pub(crate) records: *const u8,
    /// Numbers of the records, four for each group; there is at least one group.
    pub(crate) indices: *const u32,
    /// Behind the last one.
    pub(crate) end: *const u32,
    /// What stands between records and vertices.
    pub(crate) stations: *mut Stations,
}

/// Vertices of a call, at most.
pub(crate) const MOST: usize = 96;
/// A number of each vertex.
pub(crate) type Numbers = [f64; MOST];
/// An integer of each vertex.
pub(crate) type Integers = [i32; MOST];

/// Vertices on their way from records. Code reads these, as the type of vertices and morphing decide. The rest is not the code's.
#[derive(Debug, Clone)]
#[repr(C, align(32))]
pub(crate) struct Stations {
    /// Position in model space, not in through mode; then moved by bones.
    pub(crate) position: [Numbers; 3],
    /// In world space.
    pub(crate) world: [Numbers; 3],
    /// In view space.
    pub(crate) view: [Numbers; 3],
    /// In clip space.
    pub(crate) clip: [Numbers; 4],
    /// On the screen, in pixels.
    pub(crate) screen: [Numbers; 3],
    /// Normal; then moved by bones, and at last that of the world, a unit vector.
    pub(crate) normal: [Numbers; 3],
    /// Weights of the bones.
    pub(crate) weights: [Numbers; 8],
    /// s, t and q; the vertex's own at first.
    pub(crate) texture: [Numbers; 3],
    /// All ones if the vertex's group needs the fallback. Not the code's.
    pub(crate) rare: [u64; MOST],
    /// x, y and z of a vertex; in through mode the code's.
    pub(crate) place: [Integers; 3],
    /// The vertex's own, where lights read it; then the primary one.
    pub(crate) colour: Integers,
    pub(crate) secondary: Integers,
    pub(crate) fog: Integers,
    pub(crate) outside: Integers,
    /// Not the code's: each vertex's own matrix, and what is known while it is lit.
    pub(crate) bones: [Numbers; 12],
    pub(crate) lit: Lit,
}

/// A channel of a colour of each vertex.
pub(crate) type Channel = [u16; MOST];

/// Vertices while they are lit.
#[derive(Debug, Clone)]
#[repr(C, align(32))]
pub(crate) struct Lit {
    /// The direction to a light.
    pub(crate) to_light: [Numbers; 3],
    pub(crate) attenuation: Numbers,
    /// A cosine, and a power of it or of another one.
    pub(crate) cosine: Numbers,
    pub(crate) power: Numbers,
    /// Shares of a light's colours: ambient, diffuse, specular.
    pub(crate) shares: [Channel; 3],
    /// Of the surface, likewise.
    pub(crate) material: [[Channel; 4]; 3],
    /// Sums.
    pub(crate) primary: [Channel; 4],
    pub(crate) specular: [Channel; 3],
}

impl Default for Lit {
    fn default() -> Self {
        let (numbers, channel) = ([0.0; MOST], [0; MOST]);
        Self {
            to_light: [numbers; 3],
            attenuation: numbers,
            cosine: numbers,
            power: numbers,
            shares: [channel; 3],
            material: [[channel; 4]; 3],
            primary: [channel; 4],
            specular: [channel; 3],
        }
    }
}

impl Default for Stations {
    fn default() -> Self {
        let (numbers, integers) = ([0.0; MOST], [0; MOST]);
        Self {
            position: [numbers; 3],
            world: [numbers; 3],
            view: [numbers; 3],
            clip: [numbers; 4],
            screen: [numbers; 3],
            normal: [numbers; 3],
            weights: [numbers; 8],
            texture: [numbers; 3],
            rare: [0; MOST],
            place: [integers; 3],
            colour: integers,
            secondary: integers,
            fog: integers,
            outside: integers,
            bones: [numbers; 12],
            lit: Lit::default(),
        }
    }
}

/// Bytes from a number of a vertex to the next one of it.
pub(crate) const NUMBERS_BYTES: i32 = size_of::<Numbers>() as i32;
pub(crate) const INTEGERS_BYTES: i32 = size_of::<Integers>() as i32;

/// Constants of a batch. Only fields that are live under the key are filled.
#[derive(Debug, Clone)]
#[repr(C, align(16))]
pub(crate) struct TransformConstants {
    /// Weights of the morphed records.
    pub(crate) morph: [Doubles; 8],
    pub(crate) remembered_texture: [Doubles; 2],
    pub(crate) remembered_normal: [Doubles; 3],
    /// Colour of vertices without one, 0xAABBGGRR.
    pub(crate) colour: Ints,
}

impl Default for TransformConstants {
    fn default() -> Self {
        let zero = [0.0; 2];
        Self { morph: [zero; 8], remembered_texture: [zero; 2], remembered_normal: [zero; 3], colour: [0; 4] }
    }
}

/// Offset of a field of the batch's constants.
macro_rules! of_batch {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::vertices::TransformConstants, $($field)+) as i32 };
}
/// Offset of a field of the vertices.
macro_rules! of_stations {
    ($($field:tt)+) => { std::mem::offset_of!($crate::emit::ge::vertices::Stations, $($field)+) as i32 };
}
pub(crate) use {of_batch, of_stations};

/// Offset of a field of the call.
pub(crate) mod call {
    use super::{TransformCall, offset_of};
    pub(crate) const CONSTANTS: i32 = offset_of!(TransformCall, constants) as i32;
    pub(crate) const RECORDS: i32 = offset_of!(TransformCall, records) as i32;
    pub(crate) const INDICES: i32 = offset_of!(TransformCall, indices) as i32;
    pub(crate) const END: i32 = offset_of!(TransformCall, end) as i32;
    pub(crate) const STATIONS: i32 = offset_of!(TransformCall, stations) as i32;
}
