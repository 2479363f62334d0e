//! Vertex records of every layout.

use super::colour::encode;
use crate::modelling::mesh;
use crate::modelling::paint::bytes;
use picaflor_pipeline::ge::vertex_type::{Element, Layout, VertexType};

/// Parts of an argument of VTYPE.
pub mod layout {
    /// Texture coordinates in bytes.
    pub const TEXTURE8: u32 = 1;
    /// Texture coordinates in 16 bits.
    pub const TEXTURE16: u32 = 2;
    /// Texture coordinates as floats.
    pub const TEXTURE: u32 = 3;
    /// Colours of 5, 6 and 5 bits.
    pub const COLOUR5650: u32 = 4 << 2;
    /// Colours of 5, 5, 5 bits and one of alpha.
    pub const COLOUR5551: u32 = 5 << 2;
    /// Colours of four times 4 bits.
    pub const COLOUR4444: u32 = 6 << 2;
    /// Colours of four bytes.
    pub const COLOUR: u32 = 7 << 2;
    /// Normals in bytes.
    pub const NORMAL8: u32 = 1 << 5;
    /// Normals in 16 bits.
    pub const NORMAL16: u32 = 2 << 5;
    /// Normals as floats.
    pub const NORMAL: u32 = 3 << 5;
    /// Positions in bytes.
    pub const POSITION8: u32 = 1 << 7;
    /// Positions in 16 bits.
    pub const POSITION16: u32 = 2 << 7;
    /// Positions as floats.
    pub const POSITION: u32 = 3 << 7;
    /// Weights in bytes.
    pub const WEIGHT8: u32 = 1 << 9;
    /// Weights as floats.
    pub const WEIGHT: u32 = 3 << 9;
    /// Indices in bytes.
    pub const INDEX8: u32 = 1 << 11;
    /// Indices in 16 bits.
    pub const INDEX16: u32 = 2 << 11;
    /// Coordinates are those of the screen.
    pub const THROUGH: u32 = 1 << 23;

    /// So many weights.
    #[must_use]
    pub const fn weights(count: u32) -> u32 {
        (count - 1) << 14
    }

    /// So many records to mix.
    #[must_use]
    pub const fn morphs(count: u32) -> u32 {
        (count - 1) << 18
    }
}

/// A corner of a primitive.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Corner {
    /// Weight of each bone.
    pub weights: [f32; 8],
    /// Texture coordinates; texels in through mode.
    pub texture: [f32; 2],
    /// Red, green, blue, alpha.
    pub colour: [u8; 4],
    /// Outward.
    pub normal: [f32; 3],
    /// Place; pixels and depth in through mode.
    pub position: [f32; 3],
}

impl From<&mesh::Vertex> for Corner {
    fn from(vertex: &mesh::Vertex) -> Self {
        let &mesh::Vertex { position, normal, uv, colour } = vertex;
        Self { weights: [0.0; 8], texture: uv, colour: bytes(colour), normal, position }
    }
}

/// Corners as an array of vertex records; several corners make one vertex where records are mixed.
#[must_use]
pub fn records(vertex_type: u32, corners: &[Corner]) -> Vec<u8> {
    let layout = VertexType(vertex_type).layout();
    corners.iter().flat_map(|corner| record(layout, VertexType(vertex_type), corner)).collect()
}

fn record(layout: Layout, vertex_type: VertexType, corner: &Corner) -> Vec<u8> {
    let mut record = vec![0; layout.record_bytes as usize];
    let unit = |element: Element| match element {
        Element::Byte => 128.0,
        Element::Short if !vertex_type.is_through() => 32768.0,
        _ => 1.0,
    };
    let mut put = |at: u32, element: Element, values: &[f32], is_signed: bool| {
        let limits = limits(element, is_signed);
        for (at, value) in (at..).step_by(element.bytes().max(1) as usize).zip(values) {
            let whole = ((value * unit(element)).round() as i32).clamp(limits[0], limits[1]);
            let bits = if element == Element::Word { value.to_bits() } else { whole as u32 };
            let count = element.bytes() as usize;
            record[at as usize..][..count].copy_from_slice(&bits.to_le_bytes()[..count]);
        }
    };
    let weights = &corner.weights[..vertex_type.weight_count() as usize];
    put(layout.weights, vertex_type.weights(), weights, false);
    put(layout.texture, vertex_type.texture(), &corner.texture, false);
    put(layout.normal, vertex_type.normal(), &corner.normal, true);
    put(layout.position, vertex_type.position(), &corner.position, true);
    if let Some(format) = vertex_type.colour() {
        let bits = encode(format, corner.colour).to_le_bytes();
        let count = format.bytes() as usize;
        record[layout.colour as usize..][..count].copy_from_slice(&bits[..count]);
    }
    record
}

/// The smallest and the largest whole number that is kept.
const fn limits(element: Element, is_signed: bool) -> [i32; 2] {
    match (element, is_signed) {
        (Element::Byte, true) => [-128, 127],
        (Element::Byte, false) => [0, 255],
        (Element::Short, true) => [-32768, 32767],
        (Element::Short, false) => [0, 65535],
        _ => [0, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_laid_out_as_the_machine_reads_them() {
        let corner = Corner {
            weights: [0.5; 8],
            texture: [1.0, 0.25],
            colour: [1, 2, 3, 4],
            normal: [0.0, -1.0, 1.0],
            position: [0.5, -0.5, 0.25],
        };
        let small =
            layout::WEIGHT8 | layout::TEXTURE8 | layout::COLOUR | layout::NORMAL8 | layout::POSITION16;
        let bytes = records(small, &[corner]);
        assert_eq!(bytes, [64, 128, 32, 0, 1, 2, 3, 4, 0, 128, 127, 0, 0, 64, 0, 192, 0, 32, 0, 0]);
        let through = layout::THROUGH | layout::TEXTURE16 | layout::POSITION16;
        let corner = Corner { texture: [3.0, 70.0], position: [480.0, -1.0, 9.0], ..corner };
        assert_eq!(records(through, &[corner]), [3, 0, 70, 0, 224, 1, 255, 255, 9, 0]);
    }
}
