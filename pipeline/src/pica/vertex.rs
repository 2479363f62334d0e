//! Vertex fetch for one vertex, and the output map: the reference for compiled fetch.
//!
//! Source: pica-geometry.md sections 3 and 5.1, pica-shader.md section 6.

pub(crate) mod layout;

use super::float::Precision;
use super::regs::geometry::ElementType;
use super::regs::rasterizer::OutattrClock;
use super::shader::shbin::Dvle;
use super::shader::unit::{Record, Vec4};
use crate::memory::Memory;

/// Source of one attribute of a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AttributeSource {
    /// From an array: element `index` lies at `address + stride_bytes * index`, modulo 2^32.
    Array {
        /// Address of the attribute of vertex 0.
        address: u32,
        /// Distance between vertices, 0-255 on hardware.
        stride_bytes: u32,
        /// Type of the elements.
        element: ElementType,
        /// Number of components, 1-4; the others are 0, 0, 1 for y, z, w.
        components: u8,
    },
    /// The same value for each vertex: a fixed attribute, a latched one, or one of an immediate vertex.
    Fixed(Vec4),
}

impl AttributeSource {
    /// Address and length of the bytes of vertices `first ..= last` in an array, `None` for a fixed value; the
    /// numbers may wrap.
    #[must_use]
    pub fn bytes(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let Self::Array { address, stride_bytes, element, components } = *self else { return None };
        let start = address.wrapping_add(stride_bytes.wrapping_mul(first));
        let length = u64::from(stride_bytes) * u64::from(last.wrapping_sub(first))
            + u64::from(element.bytes()) * u64::from(components);
        Some((start, u32::try_from(length).unwrap_or(u32::MAX)))
    }

    /// The value for vertex `index`. Unmapped bytes read as zero.
    #[must_use]
    pub fn fetch(&self, memory: &dyn Memory, index: u32, precision: Precision) -> Vec4 {
        match *self {
            Self::Fixed(value) => value,
            Self::Array { address, stride_bytes, element, components } => {
                let start = address.wrapping_add(stride_bytes.wrapping_mul(index));
                let mut value = [0.0, 0.0, 0.0, 1.0];
                for (i, component) in value.iter_mut().enumerate().take(usize::from(components)) {
                    let at = start.wrapping_add(element.bytes() * i as u32);
                    let byte = |n: u32| memory.byte(at.wrapping_add(n));
                    *component = match element {
                        ElementType::I8 => f32::from(byte(0) as i8),
                        ElementType::U8 => f32::from(byte(0)),
                        ElementType::I16 => f32::from(i16::from_le_bytes([byte(0), byte(1)])),
                        ElementType::F32 => {
                            precision.load_f32(f32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)]))
                        }
                    };
                }
                value
            }
        }
    }
}

/// Attributes of a program, and their registers.
#[derive(Debug, Clone, PartialEq)]
pub struct VertexInputs {
    /// One source for each loaded attribute, attribute 0 first; 1 to 16 of them (`INPUTBUFFER_CONFIG` bits 3:0, + 1).
    /// Further ones are ignored.
    pub attributes: Vec<AttributeSource>,
    /// `SH_ATTRIBUTES_PERMUTATION`: nibble `k` is the `v` register of attribute `k`. If two attributes have the same
    /// register, the later one wins.
    pub permutation: u64,
}

impl VertexInputs {
    /// The source of each `v` register; `None` for registers without an attribute, which read as zero.
    #[must_use]
    pub fn by_register(&self) -> [Option<&AttributeSource>; 16] {
        let mut registers = [None; 16];
        for (k, source) in self.attributes.iter().enumerate().take(16) {
            registers[(self.permutation >> (4 * k) & 15) as usize] = Some(source);
        }
        registers
    }

    /// All `v` registers of vertex `index`.
    #[must_use]
    pub fn fetch(&self, memory: &dyn Memory, index: u32, precision: Precision) -> [Vec4; 16] {
        self.by_register().map(|source| source.map_or([0.0; 4], |s| s.fetch(memory, index, precision)))
    }
}

/// Form of the outputs of a vertex program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputForm {
    /// Without a geometry stage: semantics, through the output map.
    Mapped(OutputMap),
    /// For the geometry stage: packed records of the registers enabled in `mask`; `slots` of them (1-16)
    /// are forwarded.
    Records {
        /// Output mask, bit n enables `o[n]`.
        mask: u16,
        /// Slots forwarded, 1-16; those beyond the mask's population are zero.
        slots: u8,
    },
}

impl OutputForm {
    /// Number of components of [`ShadedVertices`](crate::pica::stage::ShadedVertices) that the form fills.
    #[must_use]
    pub const fn components(&self) -> usize {
        match self {
            Self::Mapped(_) => SEMANTICS,
            Self::Records { slots, .. } => *slots as usize * 4,
        }
    }
}

/// Number of semantic components: 0-3 position, 4-7 quaternion, 8-11 colour, 12-13, 14-15 and 22-23 texture
/// coordinates 0, 1 and 2, 16 texture coordinate 0 w, 18-20 view, 17 and 21 unassigned.
pub const SEMANTICS: usize = 24;
/// The semantics of a vertex.
pub type Vertex = [f32; SEMANTICS];
/// The semantic components that are colours, see [`condition_colour`].
pub const COLOUR: std::ops::Range<usize> = 8..12;
/// The semantics of the normal quaternion: x, y, z, w.
pub const QUATERNION: std::ops::Range<usize> = 4..8;

/// The output map: assignment of register components to semantics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct OutputMap {
    /// Output mask (0x2BD or 0x28D): bit n enables `o[n]`; enabled registers fill slots in ascending order.
    pub mask: u16,
    /// `SH_OUTMAP_TOTAL` bits 2:0: number of slots used, 0-7.
    pub total: u8,
    /// `SH_OUTMAP_O0`-`O6`: a semantic for each component of a slot, at bits 0, 8, 16, 24, five bits each.
    pub slots: [u32; 7],
}

/// Source of the value of a semantic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SemanticSource {
    /// Unmapped: 1.0 (measured on a console, cited by Azahar).
    One,
    /// Mapped to a slot without a register, because the mask enables fewer: 0.0 (assumed).
    Zero,
    /// Component `component` of `o[register]`.
    Output {
        /// Register number, 0-15.
        register: u8,
        /// 0 is x.
        component: u8,
    },
}

impl Dvle {
    /// The words of the output map for the registers in use, in ascending order of register.
    #[must_use]
    pub fn output_map(&self) -> OutputMap {
        let (mask, words) = (self.output_registers(), self.output_words());
        let mut slots = [0x1f1f_1f1f; 7];
        let used = (0..16).filter(|register| mask >> register & 1 != 0);
        for (slot, register) in slots.iter_mut().zip(used) {
            *slot = words[register];
        }
        OutputMap { mask, total: mask.count_ones().min(7) as u8, slots }
    }
}

impl OutputMap {
    /// The semantic that no attribute has.
    const DISCARD: u32 = 31;

    /// The map without the attributes whose clock is off, so that they read their default, 1.0 (pica-geometry.md 2.2;
    /// colours by measurement, the others assumed). Positions stay, also z: with its default nothing would be drawn
    /// (assumed).
    #[must_use]
    pub fn clocked(mut self, clocks: OutattrClock) -> Self {
        for word in self.slots.iter_mut().take(usize::from(self.total & 7)) {
            for at in [0, 8, 16, 24] {
                if !has_clock(clocks, *word >> at & 31) {
                    *word |= Self::DISCARD << at;
                }
            }
        }
        self
    }

    /// The source of each semantic component. The last mapping in order of slots, x to w, wins.
    #[must_use]
    pub fn sources(&self) -> [SemanticSource; SEMANTICS] {
        let mut sources = [SemanticSource::One; SEMANTICS];
        let mut enabled = (0..16_u8).filter(|n| self.mask >> n & 1 != 0);
        for word in self.slots.iter().take(usize::from(self.total & 7)) {
            let register = enabled.next();
            for component in 0..4_u8 {
                let semantic = (word >> (8 * component) & 31) as usize;
                if let Some(source) = sources.get_mut(semantic) {
                    *source = match register {
                        Some(register) => SemanticSource::Output { register, component },
                        None => SemanticSource::Zero,
                    };
                }
            }
        }
        sources
    }

    /// The semantics of a packed record (of this map's mask), colours conditioned.
    #[must_use]
    pub fn apply(&self, record: &Record) -> Vertex {
        let mut semantics = [1.0; SEMANTICS];
        for (slot, word) in self.slots.iter().enumerate().take(usize::from(self.total & 7)) {
            for (component, &output) in record[slot].iter().enumerate() {
                let semantic = (word >> (8 * component) & 31) as usize;
                if let Some(value) = semantics.get_mut(semantic) {
                    *value = output;
                }
            }
        }
        for colour in &mut semantics[COLOUR] {
            *colour = condition_colour(*colour);
        }
        semantics
    }
}

/// True if the attribute of a semantic is clocked, or has no clock.
fn has_clock(clocks: OutattrClock, semantic: u32) -> bool {
    match semantic {
        4..=7 | 18..=20 => clocks.quaternion_or_view(),
        8..=11 => clocks.colour(),
        12 | 13 => clocks.texcoord0(),
        14 | 15 => clocks.texcoord1(),
        16 => clocks.texcoord0_w(),
        22 | 23 => clocks.texcoord2(),
        _ => true,
    }
}

/// `min(|c|, 1)`; NaN becomes 1. The absolute value is measured on a console (yuriks, colour clamping); Cut the Rope
/// needs this result for NaN, which is that of a C-style comparison.
///
/// Implemented on bit patterns: optimisers turn a comparison with a constant into the minimum instruction of AArch64,
/// which returns signalling NaNs.
#[must_use]
pub fn condition_colour(c: f32) -> f32 {
    const ONE: u32 = 1_f32.to_bits();
    f32::from_bits((c.to_bits() & 0x7fff_ffff).min(ONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each clock, off alone, takes its semantics out of the map.
    #[test]
    fn clocks() {
        let all = 0x0103_0703;
        let of = |bit: u32| -> Vec<usize> {
            let slots =
                [0x0302_0100, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c, 0x1312_1110, 0x1716_1514, 0x1f1f_1f1f];
            let map = OutputMap { mask: 0x7f, total: 7, slots }.clocked(OutattrClock(all & !(1 << bit)));
            let sources = map.sources();
            (0..SEMANTICS).filter(|&k| sources[k] == SemanticSource::One).collect()
        };
        let expected: [(u32, &[usize]); 8] = [
            (0, &[]),
            (1, &[8, 9, 10, 11]),
            (8, &[12, 13]),
            (9, &[14, 15]),
            (10, &[22, 23]),
            (16, &[16]),
            (17, &[]),
            (24, &[4, 5, 6, 7, 18, 19, 20]),
        ];
        for (bit, semantics) in expected {
            assert_eq!(of(bit), semantics, "bit {bit}");
        }
    }

    #[test]
    fn unused_slots_stay_as_they_are() {
        let map = OutputMap { mask: 1, total: 1, slots: [0x0302_0100, 0x0b0a_0908, 0, 0, 0, 0, 0] };
        assert_eq!(map.clocked(OutattrClock(0)), map);
    }

    #[test]
    fn colours() {
        let cases = [
            (-1.5, 1.0),
            (-0.5, 0.5),
            (0.999, 0.999),
            (-0.0, 0.0),
            (f32::NEG_INFINITY, 1.0),
            (f32::NAN, 1.0),
            (f32::from_bits(0xff89_1a00), 1.0),
        ];
        for (value, expected) in std::hint::black_box(cases) {
            assert_eq!(condition_colour(value).to_bits(), f32::to_bits(expected), "{value:?}");
        }
    }

    /// From the start of vertex 2 to the last component of vertex 5: three strides of 12 and three shorts.
    #[test]
    fn bytes_of_an_array() {
        let array = AttributeSource::Array {
            address: 0x1000,
            stride_bytes: 12,
            element: ElementType::I16,
            components: 3,
        };
        assert_eq!(array.bytes(2, 5), Some((0x1018, 42)));
        assert_eq!(array.bytes(2, 2), Some((0x1018, 6)));
        assert_eq!(AttributeSource::Fixed([0.0; 4]).bytes(2, 5), None);
    }

    /// Four components for each slot; without a geometry stage all semantics.
    #[test]
    fn components_of_outputs() {
        assert_eq!(OutputForm::Records { mask: 0xff, slots: 3 }.components(), 12);
        assert_eq!(
            OutputForm::Mapped(OutputMap { mask: 0, total: 0, slots: [0; 7] }).components(),
            SEMANTICS
        );
    }

    /// Slots take the enabled registers in ascending order, o1 and o3 here; a slot without one is zero, and slots beyond
    /// the total map nothing.
    #[test]
    fn registers_of_slots() {
        let slots = [0x1f1f_0100, 0x1f1f_1f02, 0x1f1f_1f08, 0x1f1f_1f0c, 0, 0, 0];
        let sources = OutputMap { mask: 0b1010, total: 3, slots }.sources();
        assert_eq!(sources[0], SemanticSource::Output { register: 1, component: 0 });
        assert_eq!(sources[1], SemanticSource::Output { register: 1, component: 1 });
        assert_eq!(sources[2], SemanticSource::Output { register: 3, component: 0 });
        assert_eq!((sources[8], sources[12]), (SemanticSource::Zero, SemanticSource::One));
    }
}
