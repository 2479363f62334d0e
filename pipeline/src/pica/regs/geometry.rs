//! 0x200-0x27F: vertex arrays, draw commands, geometry stage, primitive assembly.
//!
//! Source: pica-geometry.md 2.6; 3dbrew, GPU/Internal Registers; gbatek, 3DS GPU (implemented bits).

use super::{Class, Description, Registers};
use crate::bits::Field;
use crate::pica::vertex::ElementType;

/// A format nibble: type and number of components of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeFormat {
    /// Type of the components.
    pub element: ElementType,
    /// How many, 1-4.
    pub components: u8,
}

impl Field for AttributeFormat {
    fn from_bits(raw: u32) -> Self {
        Self { element: ElementType::of(raw), components: (raw >> 2 & 3) as u8 + 1 }
    }
    fn to_bits(self) -> u32 {
        let element = match self.element {
            ElementType::I8 => 0,
            ElementType::U8 => 1,
            ElementType::I16 => 2,
            ElementType::F32 => 3,
        };
        element | u32::from(self.components.wrapping_sub(1) & 3) << 2
    }
}

crate::field_enum! {
    /// How vertices make triangles.
    pub enum Topology {
        /// Three vertices each.
        List,
        /// A triangle for each vertex after the second.
        Strip,
        /// As a strip, around the first vertex.
        Fan,
        /// As a list; honours the winding flag of the geometry program.
        Geometry,
    } else List
}

crate::field_enum! {
    /// How vertices reach the geometry program.
    pub enum GeometryMode {
        /// In the input registers.
        Point,
        /// In uniforms, as many as the index list says.
        Variable,
        /// In uniforms, always as many.
        Fixed,
    } else Point
}

crate::bits! {
    /// `ATTRIBBUFFERS_LOC`, 0x200.
    pub struct AttributeBase(u32) {
        /// Sixteenths of the address.
        base, with_base: u32 = 1..29;
    }
}

impl AttributeBase {
    /// The address that arrays and the index list are relative to.
    #[must_use]
    pub const fn address(self) -> u32 {
        (self.0 & 0x1fff_fffe) << 3
    }
}

crate::bits! {
    /// `ATTRIBBUFFERS_FORMAT_LOW`, 0x201.
    pub struct AttributeFormatsLow(u32) {
        /// Format of attribute 0.
        attribute_0, with_attribute_0: AttributeFormat = 0..4;
        /// Format of attribute 1.
        attribute_1, with_attribute_1: AttributeFormat = 4..8;
        /// Format of attribute 2.
        attribute_2, with_attribute_2: AttributeFormat = 8..12;
        /// Format of attribute 3.
        attribute_3, with_attribute_3: AttributeFormat = 12..16;
        /// Format of attribute 4.
        attribute_4, with_attribute_4: AttributeFormat = 16..20;
        /// Format of attribute 5.
        attribute_5, with_attribute_5: AttributeFormat = 20..24;
        /// Format of attribute 6.
        attribute_6, with_attribute_6: AttributeFormat = 24..28;
        /// Format of attribute 7.
        attribute_7, with_attribute_7: AttributeFormat = 28..32;
    }
}

crate::bits! {
    /// `ATTRIBBUFFERS_FORMAT_HIGH`, 0x202.
    pub struct AttributeFormatsHigh(u32) {
        /// Format of attribute 8.
        attribute_8, with_attribute_8: AttributeFormat = 0..4;
        /// Format of attribute 9.
        attribute_9, with_attribute_9: AttributeFormat = 4..8;
        /// Format of attribute 10.
        attribute_10, with_attribute_10: AttributeFormat = 8..12;
        /// Format of attribute 11.
        attribute_11, with_attribute_11: AttributeFormat = 12..16;
        /// Bit k: attribute k is fixed, unless it has an array.
        fixed, with_fixed: u16 = 16..28;
        /// Number of attributes - 1.
        last, with_last: u8 = 28..32;
    }
}

crate::bits! {
    /// `ATTRIBBUFFERi_OFFSET`, 0x203 + 3i.
    pub struct ArrayOffset(u32) {
        /// Bytes from the base.
        offset_bytes, with_offset_bytes: u32 = 0..28;
    }
}

crate::bits! {
    /// `ATTRIBBUFFERi_CONFIG1`, 0x204 + 3i: 0-11 name an attribute, 12-15 mean 4-16 bytes of padding.
    pub struct ArrayComponentsLow(u32) {
        /// Component 0.
        component_0, with_component_0: u8 = 0..4;
        /// Component 1.
        component_1, with_component_1: u8 = 4..8;
        /// Component 2.
        component_2, with_component_2: u8 = 8..12;
        /// Component 3.
        component_3, with_component_3: u8 = 12..16;
        /// Component 4.
        component_4, with_component_4: u8 = 16..20;
        /// Component 5.
        component_5, with_component_5: u8 = 20..24;
        /// Component 6.
        component_6, with_component_6: u8 = 24..28;
        /// Component 7.
        component_7, with_component_7: u8 = 28..32;
    }
}

crate::bits! {
    /// `ATTRIBBUFFERi_CONFIG2`, 0x205 + 3i.
    pub struct ArrayComponentsHigh(u32) {
        /// Component 8.
        component_8, with_component_8: u8 = 0..4;
        /// Component 9.
        component_9, with_component_9: u8 = 4..8;
        /// Component 10.
        component_10, with_component_10: u8 = 8..12;
        /// Component 11.
        component_11, with_component_11: u8 = 12..16;
        /// Bytes from one vertex to the next.
        stride_bytes, with_stride_bytes: u8 = 16..24;
        /// Number of components; more than 12 mean 12.
        count, with_count: u8 = 28..32;
    }
}

crate::bits! {
    /// `INDEXBUFFER_CONFIG`, 0x227.
    pub struct IndexBufferConfig(u32) {
        /// Bytes from the base.
        offset_bytes, with_offset_bytes: u32 = 0..28;
        /// Indices of 16 bits, else of 8.
        wide, with_wide: bool = 31..32;
    }
}

crate::bits! {
    /// `GEOSTAGE_CONFIG`, 0x229.
    pub struct GeostageConfig(u32) {
        /// 2: the geometry program is in use.
        mode, with_mode: u8 = 0..2;
        /// Triangle elements are drawn; of no effect here.
        triangle_elements, with_triangle_elements: bool = 8..9;
        /// Primitives have as many vertices as the index list says; `GSH_MISC0` decides.
        variable, with_variable: bool = 31..32;
    }
}

impl GeostageConfig {
    /// Whether vertices go through the geometry program.
    #[must_use]
    pub fn in_use(self) -> bool {
        self.mode() == 2
    }
}

crate::bits! {
    /// `POST_VERTEX_CACHE_NUM`, 0x22D.
    pub struct PostVertexCache(u32) {
        /// Entries; invisible in results.
        entries, with_entries: u8 = 0..8;
    }
}

crate::bits! {
    /// `FIXEDATTRIB_INDEX`, 0x232.
    pub struct FixedAttributeIndex(u32) {
        /// The attribute that vectors go to; 15 is immediate mode.
        target, with_target: u8 = 0..4;
    }
}

crate::bits! {
    /// `CMDBUF_SIZE0` and `1`, 0x238 and 0x239.
    pub struct CommandBufferSize(u32) {
        /// Eighths of the size in bytes.
        size, with_size: u32 = 0..21;
    }
}

crate::bits! {
    /// `CMDBUF_ADDR0` and `1`, 0x23A and 0x23B.
    pub struct CommandBufferAddress(u32) {
        /// Eighths of the address.
        address, with_address: u32 = 0..29;
    }
}

crate::bits! {
    /// `VSH_NUM_ATTR`, 0x242.
    pub struct ImmediateAttributes(u32) {
        /// Number of attributes of an immediate vertex - 1.
        last, with_last: u8 = 0..4;
    }
}

crate::bits! {
    /// `VSH_COM_MODE`, 0x244.
    pub struct CommonMode(u32) {
        /// The geometry unit has a configuration of its own.
        separate, with_separate: bool = 0..1;
    }
}

crate::bits! {
    /// `START_DRAW_FUNC0`, 0x245.
    pub struct DrawFunction(u32) {
        /// Configuration, else drawing; of no effect here.
        configuration, with_configuration: bool = 0..1;
    }
}

crate::bits! {
    /// `VSH_OUTMAP_TOTAL1` and `2`, 0x24A and 0x251.
    pub struct VertexOutputs(u32) {
        /// Outputs that the geometry stage gets - 1 (0x24A; 0x251 has no effect).
        last, with_last: u8 = 0..4;
    }
}

crate::bits! {
    /// `GSH_MISC0`, 0x252.
    pub struct GeometryInput(u32) {
        /// How vertices are collected.
        mode, with_mode: GeometryMode = 0..2;
        /// Fixed mode: vertices of a primitive - 1.
        last_vertex, with_last_vertex: u8 = 8..12;
        /// Fixed mode: slots of a vertex - 1.
        last_slot, with_last_slot: u8 = 12..16;
        /// Fixed mode: uniform of the first slot.
        first_uniform, with_first_uniform: u8 = 16..23;
        /// Set in fixed mode.
        fixed, with_fixed: bool = 24..25;
    }
}

crate::bits! {
    /// `GEOSTAGE_CONFIG2`, 0x253.
    pub struct GeostageConfig2(u32) {
        /// Arrays or immediate vertices are drawn; of no effect here.
        arrays, with_arrays: bool = 0..1;
        /// Triangle elements are drawn; of no effect here.
        triangle_elements, with_triangle_elements: bool = 8..9;
    }
}

crate::bits! {
    /// `GSH_MISC1`, 0x254.
    pub struct GeometryVariable(u32) {
        /// Variable mode: vertices of which all slots are kept - 1.
        last_whole_vertex, with_last_whole_vertex: u8 = 0..5;
    }
}

crate::bits! {
    /// `PRIMITIVE_CONFIG`, 0x25E.
    pub struct PrimitiveConfig(u32) {
        /// Output registers - 1; of no effect here.
        last_output, with_last_output: u8 = 0..4;
        /// How vertices make triangles.
        topology, with_topology: Topology = 8..10;
    }
}

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
