//! 0x200-0x27F: vertex arrays, draw commands, geometry stage, primitive assembly.
//!
//! Source: pica-geometry.md 2.6; 3dbrew, GPU/Internal Registers; gbatek, 3DS GPU (implemented bits).

mod views;

use super::{Class, Description, Registers};
use crate::bits::Field;

pub use views::*;

/// Number of arrays.
pub const ARRAYS: u16 = 12;

impl Registers {
    /// 0x200.
    #[must_use]
    pub fn attribute_base(&self) -> AttributeBase {
        AttributeBase(self.raw(0x200))
    }

    /// Format of attribute `k`, below 12 (0x201, 0x202).
    #[must_use]
    pub fn attribute_format(&self, k: u8) -> AttributeFormat {
        let nibbles = u64::from(self.raw(0x202)) << 32 | u64::from(self.raw(0x201));
        AttributeFormat::from_bits((nibbles >> (4 * (k & 15)) & 15) as u32)
    }

    /// 0x202.
    #[must_use]
    pub fn attribute_formats_high(&self) -> AttributeFormatsHigh {
        AttributeFormatsHigh(self.raw(0x202))
    }

    /// 0x203 + 3 × `array`.
    #[must_use]
    pub fn array_offset(&self, array: u16) -> ArrayOffset {
        ArrayOffset(self.raw(0x203 + 3 * (array % ARRAYS)))
    }

    /// 0x205 + 3 × `array`.
    #[must_use]
    pub fn array_config(&self, array: u16) -> ArrayComponentsHigh {
        ArrayComponentsHigh(self.raw(0x205 + 3 * (array % ARRAYS)))
    }

    /// Component `c`, below 12, of an array (0x204, 0x205 + 3 × `array`).
    #[must_use]
    pub fn array_component(&self, array: u16, c: u8) -> u8 {
        let low = self.raw(0x204 + 3 * (array % ARRAYS));
        let nibbles = u64::from(self.array_config(array).0) << 32 | u64::from(low);
        (nibbles >> (4 * (c & 15)) & 15) as u8
    }

    /// 0x227.
    #[must_use]
    pub fn index_buffer(&self) -> IndexBufferConfig {
        IndexBufferConfig(self.raw(0x227))
    }

    /// 0x228: vertices of a draw.
    #[must_use]
    pub fn vertex_count(&self) -> u32 {
        self.raw(0x228)
    }

    /// 0x229.
    #[must_use]
    pub fn geostage_config(&self) -> GeostageConfig {
        GeostageConfig(self.raw(0x229))
    }

    /// 0x22A: first vertex of an array draw.
    #[must_use]
    pub fn vertex_offset(&self) -> u32 {
        self.raw(0x22a)
    }

    /// 0x242.
    #[must_use]
    pub fn immediate_attributes(&self) -> ImmediateAttributes {
        ImmediateAttributes(self.raw(0x242))
    }

    /// 0x24A.
    #[must_use]
    pub fn vertex_outputs(&self) -> VertexOutputs {
        VertexOutputs(self.raw(0x24a))
    }

    /// 0x252.
    #[must_use]
    pub fn geometry_input(&self) -> GeometryInput {
        GeometryInput(self.raw(0x252))
    }

    /// 0x254.
    #[must_use]
    pub fn geometry_variable(&self) -> GeometryVariable {
        GeometryVariable(self.raw(0x254))
    }

    /// 0x25E.
    #[must_use]
    pub fn primitive_config(&self) -> PrimitiveConfig {
        PrimitiveConfig(self.raw(0x25e))
    }
}

pub(super) fn describe(id: u16) -> Description {
    match id {
        0x200 => Description::new("ATTRIBBUFFERS_LOC", AttributeBase::FIELDS).implemented(0x1fff_fffe),
        0x201 => Description::new("ATTRIBBUFFERS_FORMAT_LOW", AttributeFormatsLow::FIELDS),
        0x202 => Description::new("ATTRIBBUFFERS_FORMAT_HIGH", AttributeFormatsHigh::FIELDS),
        0x203..=0x226 => array((id - 0x203) / 3, (id - 0x203) % 3),
        0x227..=0x23f => draw(id),
        0x242..=0x245 | 0x24a | 0x250..=0x257 => stage(id),
        0x25e => Description::new("PRIMITIVE_CONFIG", PrimitiveConfig::FIELDS)
            .class(Class::Trigger)
            .implemented(0x0001_030f),
        0x25f => Description::new("RESTART_PRIMITIVE", &[]).class(Class::Trigger),
        _ => Description::unnamed(id, Class::Mirror),
    }
}

fn array(number: u16, register: u16) -> Description {
    match register {
        0 => Description::new(format!("ATTRIBBUFFER{number}_OFFSET"), ArrayOffset::FIELDS),
        1 => Description::new(format!("ATTRIBBUFFER{number}_CONFIG1"), ArrayComponentsLow::FIELDS),
        _ => Description::new(format!("ATTRIBBUFFER{number}_CONFIG2"), ArrayComponentsHigh::FIELDS)
            .implemented(0xf0ff_ffff),
    }
}

fn draw(id: u16) -> Description {
    match id {
        0x227 => Description::new("INDEXBUFFER_CONFIG", IndexBufferConfig::FIELDS),
        0x228 => Description::new("NUMVERTICES", &[]),
        0x229 => Description::new("GEOSTAGE_CONFIG", GeostageConfig::FIELDS).implemented(0x800f_0303),
        0x22a => Description::new("VERTEX_OFFSET", &[]),
        0x22d => Description::new("POST_VERTEX_CACHE_NUM", PostVertexCache::FIELDS),
        0x22e => Description::new("DRAWARRAYS", &[]).class(Class::Trigger),
        0x22f => Description::new("DRAWELEMENTS", &[]).class(Class::Trigger),
        0x231 => Description::new("VTX_FUNC", &[]).class(Class::Trigger),
        0x232 => Description::new("FIXEDATTRIB_INDEX", FixedAttributeIndex::FIELDS).class(Class::Index),
        0x233..=0x235 => Description::new(format!("FIXEDATTRIB_DATA{}", id - 0x233), &[]).class(Class::Data),
        0x238 | 0x239 => Description::new(format!("CMDBUF_SIZE{}", id - 0x238), CommandBufferSize::FIELDS)
            .implemented(0x001f_fffe),
        0x23a | 0x23b => Description::new(format!("CMDBUF_ADDR{}", id - 0x23a), CommandBufferAddress::FIELDS)
            .implemented(0x1fff_fffe),
        0x23c | 0x23d => Description::new(format!("CMDBUF_JUMP{}", id - 0x23c), &[]).class(Class::Trigger),
        _ => Description::unnamed(id, Class::Zero),
    }
}

fn stage(id: u16) -> Description {
    match id {
        0x242 => Description::new("VSH_NUM_ATTR", ImmediateAttributes::FIELDS),
        0x243 => Description::unnamed(id, Class::Undocumented).implemented(0x37).reset(0x37),
        0x244 => Description::new("VSH_COM_MODE", CommonMode::FIELDS),
        0x245 => Description::new("START_DRAW_FUNC0", DrawFunction::FIELDS).implemented(0xffff_ff01).reset(1),
        0x24a => Description::new("VSH_OUTMAP_TOTAL1", VertexOutputs::FIELDS),
        0x251 => Description::new("VSH_OUTMAP_TOTAL2", VertexOutputs::FIELDS),
        0x252 => Description::new("GSH_MISC0", GeometryInput::FIELDS).implemented(0x017f_ff03),
        0x253 => Description::new("GEOSTAGE_CONFIG2", GeostageConfig2::FIELDS),
        0x254 => Description::new("GSH_MISC1", GeometryVariable::FIELDS),
        0x255 => Description::unnamed(id, Class::Undocumented).implemented(1),
        _ => Description::unnamed(id, Class::Zero),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::regs::geometry::ElementType;

    #[test]
    fn every_id_has_its_class() {
        let of = |class| (0x200..0x280_u16).filter(move |&id| describe(id).class == class);
        let zero = [0x22b, 0x22c, 0x230, 0x236, 0x237, 0x23e, 0x23f, 0x250, 0x256, 0x257];
        assert!(of(Class::Zero).eq(zero));
        let mirrors = (0x240..=0x241).chain(0x246..=0x249).chain(0x24b..=0x24f).chain(0x258..=0x25d);
        assert!(of(Class::Mirror).eq(mirrors.chain(0x260..=0x27f)));
        assert!(of(Class::Trigger).eq([0x22e, 0x22f, 0x231, 0x23c, 0x23d, 0x25e, 0x25f]));
        assert!(of(Class::Undocumented).eq([0x243, 0x255]));
    }

    #[test]
    fn names_and_resets() {
        assert_eq!(describe(0x224).name, "ATTRIBBUFFER11_OFFSET");
        assert_eq!(describe(0x226).name, "ATTRIBBUFFER11_CONFIG2");
        let regs = Registers::new();
        assert_eq!([0x243, 0x245].map(|id| regs.raw(id)), [0x37, 1]);
    }

    #[test]
    fn formats_and_components() {
        let mut regs = Registers::new();
        regs.set_raw(0x201, 0xb000_0004);
        regs.set_raw(0x202, 0x0000_e000);
        let format = |k| (regs.attribute_format(k).element, regs.attribute_format(k).components);
        assert_eq!(format(0), (ElementType::I8, 2));
        assert_eq!(format(7), (ElementType::F32, 3));
        assert_eq!(format(11), (ElementType::I16, 4));
        assert_eq!(AttributeFormat::from_bits(0xe).to_bits(), 0xe);
        regs.set_raw(0x204 + 33, 0x7654_3210);
        regs.set_raw(0x205 + 33, 0xc0ff_ba98);
        assert!((0..12).all(|c| regs.array_component(11, c) == c));
        assert_eq!((regs.array_config(11).stride_bytes(), regs.array_config(11).count()), (255, 12));
        assert_eq!(GeometryInput(0x0100_4302).mode(), GeometryMode::Fixed);
        assert_eq!(
            (GeometryInput(0x0100_4302).last_vertex(), GeometryInput(3).mode()),
            (3, GeometryMode::Point)
        );
    }
}
