//! `VertexType`: the layout of a vertex record.
//!
//! Source: psp-ge.md 4.1, 4.2; sizes measured on a console (bounding/vertexaddr).

use super::regs::pixel::PixelFormat;
use super::regs::{Registers, fields, op};

/// Number format of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// None: the component is missing.
    None,
    /// One byte.
    Byte,
    /// Two bytes.
    Short,
    /// A single-precision float; for indices, a word.
    Word,
}

impl Element {
    /// Decodes the low two bits of a code.
    #[must_use]
    pub const fn of(code: u32) -> Self {
        match code & 3 {
            0 => Self::None,
            1 => Self::Byte,
            2 => Self::Short,
            _ => Self::Word,
        }
    }

    /// Bytes of one number.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Byte => 1,
            Self::Short => 2,
            Self::Word => 4,
        }
    }
}

/// The argument of VTYPE. Every bit pattern is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexType(pub u32);

impl VertexType {
    /// Texture coordinates: two unsigned numbers.
    #[must_use]
    pub const fn texture(self) -> Element {
        Element::of(fields::VTYPE_TEXTURE.of(self.0))
    }

    /// Colour. Codes 1 to 3 are treated as none (unknown).
    #[must_use]
    pub const fn colour(self) -> Option<PixelFormat> {
        let code = fields::VTYPE_COLOUR.of(self.0);
        if code >= 4 { Some(PixelFormat::of(code)) } else { None }
    }

    /// Normal: three signed numbers.
    #[must_use]
    pub const fn normal(self) -> Element {
        Element::of(fields::VTYPE_NORMAL.of(self.0))
    }

    /// Position: three signed numbers.
    #[must_use]
    pub const fn position(self) -> Element {
        Element::of(fields::VTYPE_POSITION.of(self.0))
    }

    /// Weights: [`weight_count`](Self::weight_count) unsigned numbers.
    #[must_use]
    pub const fn weights(self) -> Element {
        Element::of(fields::VTYPE_WEIGHT.of(self.0))
    }

    /// Indices. Of words, only the low 16 bits are used.
    #[must_use]
    pub const fn index(self) -> Element {
        Element::of(fields::VTYPE_INDEX.of(self.0))
    }

    /// Number of weights: 0 without weights, else 1 to 8.
    #[must_use]
    pub const fn weight_count(self) -> u32 {
        match self.weights() {
            Element::None => 0,
            _ => fields::VTYPE_WEIGHTS.of(self.0) + 1,
        }
    }

    /// Number of records that are morphed into a vertex, 1 to 8.
    #[must_use]
    pub const fn morph_count(self) -> u32 {
        fields::VTYPE_MORPHS.of(self.0) + 1
    }

    /// True if positions are screen coordinates.
    #[must_use]
    pub const fn is_through(self) -> bool {
        fields::VTYPE_THROUGH.of(self.0) != 0
    }

    /// Offsets of the components in a record.
    #[must_use]
    pub fn layout(self) -> Layout {
        let mut record = Places::default();
        let weights = record.place(self.weights().bytes(), self.weight_count());
        let texture = record.place(self.texture().bytes(), 2);
        let colour = record.place(self.colour().map_or(0, PixelFormat::bytes), 1);
        let normal = record.place(self.normal().bytes(), 3);
        let position = record.place(self.position().bytes(), 3);
        let record_bytes = aligned(record.end, record.largest);
        Layout { weights, texture, colour, normal, position, record_bytes }
    }

    /// Bytes from vertex to vertex, including all morphed records; at most 544.
    #[must_use]
    pub fn stride(self) -> u32 {
        self.layout().record_bytes * self.morph_count()
    }
}

impl Registers {
    /// Layout of vertex records.
    #[must_use]
    pub const fn vertex_type(&self) -> VertexType {
        VertexType(self.arg(op::VTYPE))
    }
}

/// Offsets in a record. Those of missing components are meaningless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Of the weights.
    pub weights: u32,
    /// Of the texture coordinates.
    pub texture: u32,
    /// Of the colour.
    pub colour: u32,
    /// Of the normal.
    pub normal: u32,
    /// Of the position.
    pub position: u32,
    /// Bytes of one record.
    pub record_bytes: u32,
}

/// A record layout under construction.
#[derive(Default)]
struct Places {
    end: u32,
    largest: u32,
}

impl Places {
    /// Allocates the next component; returns its offset.
    fn place(&mut self, element_bytes: u32, count: u32) -> u32 {
        self.largest = self.largest.max(element_bytes);
        let start = aligned(self.end, element_bytes);
        if element_bytes * count > 0 {
            self.end = start + element_bytes * count;
        }
        start
    }
}

/// The next offset for elements of 0, 1, 2 or 4 bytes. Records are laid out for each draw: without a division.
const fn aligned(offset: u32, element_bytes: u32) -> u32 {
    let mask = element_bytes.saturating_sub(1);
    (offset + mask) & !mask
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_FLOAT: u32 = 3 | 7 << 2 | 3 << 5 | 3 << 7 | 3 << 9;

    #[test]
    fn measured_sizes() {
        let eight_weights = 7 << 14;
        let eight_morphs = 7 << 18;
        let cases = [
            (3 << 7, 12),
            (2 << 7, 6),
            (1 << 7, 3),
            (1 << 7 | 1 << 5 | 1, 8),
            (ALL_FLOAT | eight_weights, 68),
            (ALL_FLOAT | eight_morphs, 320),
            (ALL_FLOAT | eight_weights | eight_morphs, 544),
            (eight_weights | 3 << 7, 12),
            (0, 0),
        ];
        for (word, bytes) in cases {
            assert_eq!(VertexType(word).stride(), bytes, "{word:#x}");
        }
    }

    #[test]
    fn components_are_aligned_to_their_elements() {
        // One byte of weight, shorts, a colour of two bytes, bytes, shorts.
        let layout = VertexType(2 | 4 << 2 | 1 << 5 | 2 << 7 | 1 << 9).layout();
        let expected =
            Layout { weights: 0, texture: 2, colour: 6, normal: 8, position: 12, record_bytes: 18 };
        assert_eq!(layout, expected);
    }

    #[test]
    fn strange_codes() {
        assert!((0..4).all(|code| VertexType(code << 2).colour().is_none()));
        assert_eq!(VertexType(4 << 2).colour(), Some(PixelFormat::Rgb5650));
        assert_eq!(VertexType(7 << 14).weight_count(), 0);
        assert!(VertexType(1 << 23).is_through() && !VertexType(0x7f_ffff).is_through());
    }
}
