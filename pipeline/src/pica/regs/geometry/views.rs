//! Views of 0x200-0x27F.

use crate::bits::Field;

/// Type of the elements of an attribute array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// Signed byte, not normalised.
    I8,
    /// Unsigned byte, not normalised.
    U8,
    /// Signed 16 bits, not normalised.
    I16,
    /// Binary32.
    F32,
}

impl ElementType {
    /// The type of a format nibble's low two bits; higher bits are ignored.
    #[must_use]
    pub const fn of(code: u32) -> Self {
        match code & 3 {
            0 => Self::I8,
            1 => Self::U8,
            2 => Self::I16,
            _ => Self::F32,
        }
    }

    /// Size of one element.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 => 2,
            Self::F32 => 4,
        }
    }
}

/// A format nibble: type and number of components of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeFormat {
    /// Type of the components.
    pub element: ElementType,
    /// Number of components, 1-4.
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
    /// Assembly of vertices to triangles.
    pub enum Topology {
        /// Independent triangles.
        List,
        /// A triangle for each vertex after the second.
        Strip,
        /// A triangle for each vertex after the second, all with the first vertex.
        Fan,
        /// Like a list, with the winding flag of the geometry program.
        Geometry,
    } else List
}

crate::field_enum! {
    /// Transfer of vertices to the geometry program.
    pub enum GeometryMode {
        /// Through the input registers.
        Point,
        /// Through uniforms; the index list has the number of vertices.
        Variable,
        /// Through uniforms; the number of vertices is fixed.
        Fixed,
    } else Point
}

crate::bits! {
    /// `ATTRIBBUFFERS_LOC`, 0x200.
    pub struct AttributeBase(u32) {
        /// Address in units of 16 bytes.
        base, with_base: u32 = 1..29;
    }
}

impl AttributeBase {
    /// Base address of the arrays and the index list.
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
    /// `ATTRIBBUFFERi_CONFIG1`, 0x204 + 3i: 0-11 select an attribute, 12-15 are 4-16 bytes of padding.
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
        /// Number of components; values above 12 count as 12.
        count, with_count: u8 = 28..32;
    }
}

crate::bits! {
    /// `INDEXBUFFER_CONFIG`, 0x227.
    pub struct IndexBufferConfig(u32) {
        /// Bytes from the base.
        offset_bytes, with_offset_bytes: u32 = 0..28;
        /// Indices have 16 bits, otherwise 8.
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
        /// The index list contains the number of vertices of each primitive; `GSH_MISC0` decides.
        variable, with_variable: bool = 31..32;
    }
}

impl GeostageConfig {
    /// True if vertices pass through the geometry program.
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
        /// Destination attribute of vectors; 15 selects immediate mode.
        target, with_target: u8 = 0..4;
    }
}

crate::bits! {
    /// `CMDBUF_SIZE0` and `1`, 0x238 and 0x239.
    pub struct CommandBufferSize(u32) {
        /// Size in units of 8 bytes.
        size, with_size: u32 = 0..21;
    }
}

crate::bits! {
    /// `CMDBUF_ADDR0` and `1`, 0x23A and 0x23B.
    pub struct CommandBufferAddress(u32) {
        /// Address in units of 8 bytes.
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
        /// Configuration, otherwise drawing; of no effect here.
        configuration, with_configuration: bool = 0..1;
    }
}

crate::bits! {
    /// `VSH_OUTMAP_TOTAL1` and `2`, 0x24A and 0x251.
    pub struct VertexOutputs(u32) {
        /// Number of outputs passed to the geometry stage - 1 (0x24A; 0x251 has no effect).
        last, with_last: u8 = 0..4;
    }
}

crate::bits! {
    /// `GSH_MISC0`, 0x252.
    pub struct GeometryInput(u32) {
        /// Transfer of vertices.
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
        /// Variable mode: number of vertices stored with all slots - 1.
        last_whole_vertex, with_last_whole_vertex: u8 = 0..5;
    }
}

crate::bits! {
    /// `PRIMITIVE_CONFIG`, 0x25E.
    pub struct PrimitiveConfig(u32) {
        /// Output registers - 1; of no effect here.
        last_output, with_last_output: u8 = 0..4;
        /// Assembly of vertices to triangles.
        topology, with_topology: Topology = 8..10;
    }
}
