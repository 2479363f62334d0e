//! Conversion of registers to attribute sources, and the stream of vertex numbers of a draw.
//!
//! Source: pica-geometry.md 3.1-3.5.

use crate::fault::Fault;
use crate::guest_slice::GuestSlice;
use crate::memory::Memory;
use crate::pica::regs::Registers;
use crate::pica::regs::geometry::ARRAYS;
use crate::pica::shader::unit::Vec4;
use crate::pica::vertex::AttributeSource;

/// Maximum number of attributes.
pub(crate) const ATTRIBUTES: usize = 16;

/// Sources of the attributes of a draw.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct VertexLayout {
    /// The array of each attribute, and the register of its offset.
    arrays: [Option<(AttributeSource, u16)>; ATTRIBUTES],
    count: usize,
    fixed: u16,
}

impl VertexLayout {
    /// Decodes registers 0x200-0x226.
    #[must_use]
    pub(crate) fn new(registers: &Registers) -> Self {
        let high = registers.attribute_formats_high();
        let mut arrays = [None; ATTRIBUTES];
        for array in 0..ARRAYS {
            add_array(registers, array, &mut arrays);
        }
        Self { arrays, count: usize::from(high.last()) + 1, fixed: high.fixed() }
    }

    /// The source of each attribute. An array has precedence over a fixed value (measured on a console); an attribute
    /// with neither keeps its value of the previous vertex, which is in `latch` (assumed).
    #[must_use]
    pub(crate) fn sources(
        &self,
        fixed: &[Vec4; ATTRIBUTES],
        latch: &[Vec4; ATTRIBUTES],
    ) -> [AttributeSource; ATTRIBUTES] {
        std::array::from_fn(|k| match self.arrays[k] {
            _ if k >= self.count => AttributeSource::Fixed(latch[k]),
            Some((source, _)) => source,
            None if k >= 12 || self.fixed >> k & 1 != 0 => AttributeSource::Fixed(fixed[k]),
            None => AttributeSource::Fixed(latch[k]),
        })
    }

    /// The fault of an unmapped array: neither its start nor the vertex `first` is mapped.
    #[must_use]
    pub(crate) fn unmapped(&self, memory: &dyn Memory, first: u32) -> Option<Fault> {
        let arrays = self.arrays.iter().take(self.count).flatten();
        arrays.copied().find_map(|(source, id)| match source {
            AttributeSource::Array { address, stride_bytes, .. } => {
                let vertex = address.wrapping_add(stride_bytes.wrapping_mul(first));
                let mapped = [address, vertex].iter().any(|&at| memory.region(at, 1).is_some());
                (!mapped).then_some(Fault::Unmapped { id, address })
            }
            AttributeSource::Fixed(_) => None,
        })
    }
}

/// Adds the attributes of one array; for an attribute that occurs twice, the later one wins.
fn add_array(registers: &Registers, array: u16, arrays: &mut [Option<(AttributeSource, u16)>; ATTRIBUTES]) {
    let config = registers.array_config(array);
    let offset = registers.array_offset(array).offset_bytes();
    let start = registers.attribute_base().address().wrapping_add(offset);
    // Inside the entry: arrays themselves may start anywhere (Thor: God of Thunder needs it).
    let mut at = 0_u32;
    for c in 0..config.count().min(12) {
        let k = registers.array_component(array, c);
        if k >= 12 {
            at = at.next_multiple_of(4) + 4 * (u32::from(k) - 11);
            continue;
        }
        let format = registers.attribute_format(k);
        at = at.next_multiple_of(format.element.bytes());
        let source = AttributeSource::Array {
            address: start.wrapping_add(at),
            stride_bytes: config.stride_bytes().into(),
            element: format.element,
            components: format.components,
        };
        arrays[usize::from(k)] = Some((source, 0x203 + 3 * array));
        at += format.element.bytes() * u32::from(format.components);
    }
}

/// The vertex numbers of a draw, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VertexStream {
    /// Consecutive numbers, modulo 2^32.
    Array {
        /// The first.
        first: u32,
    },
    /// An index list. There is no restart index.
    Indexed {
        /// Address of the first index; need not be even.
        address: u32,
        /// Indices have 16 bits, otherwise 8.
        wide: bool,
    },
}

impl VertexStream {
    /// The stream of a draw.
    #[must_use]
    pub(crate) fn new(registers: &Registers, indexed: bool) -> Self {
        if !indexed {
            return Self::Array { first: registers.vertex_offset() };
        }
        let config = registers.index_buffer();
        let address = registers.attribute_base().address().wrapping_add(config.offset_bytes());
        Self::Indexed { address, wide: config.wide() }
    }

    /// Replaces `out` by the numbers at positions `start .. start + count`. Unmapped indices are zero.
    pub(crate) fn read(&self, memory: &dyn Memory, start: u32, count: u32, out: &mut Vec<u32>) {
        out.clear();
        match *self {
            Self::Array { first } => {
                let first = first.wrapping_add(start);
                out.extend((0..count).map(|i| first.wrapping_add(i)));
            }
            Self::Indexed { address, wide } => {
                let size = 1 + u32::from(wide);
                let from = address.wrapping_add(start.wrapping_mul(size));
                if let Some(slice) = memory.region(from, count.wrapping_mul(size)) {
                    return read_indices(slice, wide, out);
                }
                let byte = |i: u32| memory.byte(from.wrapping_add(i));
                let index = |i: u32| match wide {
                    true => u32::from(u16::from_le_bytes([byte(2 * i), byte(2 * i + 1)])),
                    false => u32::from(byte(i)),
                };
                out.extend((0..count).map(index));
            }
        }
    }

    /// Bounds of the numbers in a stream of this length; they may wrap.
    #[must_use]
    pub(crate) const fn widest(&self, count: u32) -> (u32, u32) {
        match *self {
            Self::Array { first } => (first, first.wrapping_add(count.saturating_sub(1))),
            Self::Indexed { wide, .. } => (0, if wide { 0xffff } else { 0xff }),
        }
    }

    /// Address and length of `count` indices; `None` for an array stream.
    #[must_use]
    pub(crate) fn bytes(&self, count: u32) -> Option<(u32, u32)> {
        match *self {
            Self::Array { .. } => None,
            Self::Indexed { address, wide } => Some((address, count.saturating_mul(1 + u32::from(wide)))),
        }
    }

    /// The fault of an index list whose start is not mapped.
    #[must_use]
    pub(crate) fn unmapped(&self, memory: &dyn Memory) -> Option<Fault> {
        match *self {
            Self::Indexed { address, .. } if memory.region(address, 1).is_none() => {
                Some(Fault::Unmapped { id: 0x227, address })
            }
            _ => None,
        }
    }
}

/// Appends the indices that some bytes hold.
fn read_indices(bytes: GuestSlice<'_>, wide: bool, out: &mut Vec<u32>) {
    let mut copy = [0; 512];
    for start in (0..bytes.len()).step_by(copy.len()) {
        let part = &mut copy[..(bytes.len() - start).min(512)];
        bytes.read_all(start, part);
        if wide {
            out.extend(part.as_chunks::<2>().0.iter().map(|index| u32::from(u16::from_le_bytes(*index))));
        } else {
            out.extend(part.iter().copied().map(u32::from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::FlatMemory;
    use crate::pica::regs::geometry::ElementType;

    /// Format nibbles.
    const F32X2: u32 = 0x7;
    const S8X3: u32 = 0x8;
    const F32X3: u32 = 0xb;

    /// Registers with one array of `components` at 0x100, for formats from attribute 0 on.
    fn one_array(formats: &[u32], components: &[u32], stride_bytes: u32) -> Registers {
        let nibbles = |list: &[u32]| list.iter().rev().fold(0, |word, nibble| word << 4 | nibble);
        let mut regs = Registers::new();
        regs.set_raw(0x200, 0x100 >> 3);
        regs.set_raw(0x201, nibbles(formats));
        regs.set_raw(0x202, (formats.len() as u32 - 1) << 28);
        regs.set_raw(0x204, nibbles(components));
        regs.set_raw(0x205, (components.len() as u32) << 28 | stride_bytes << 16);
        regs
    }

    fn address(source: &AttributeSource) -> u32 {
        match source {
            AttributeSource::Array { address, .. } => *address,
            AttributeSource::Fixed(_) => panic!("{source:?}"),
        }
    }

    fn sources(regs: &Registers) -> [AttributeSource; ATTRIBUTES] {
        VertexLayout::new(regs).sources(&[[0.5; 4]; 16], &[[0.25; 4]; 16])
    }

    /// The layouts of pica-geometry.md section 12.
    #[test]
    fn padding_and_alignment() {
        let at = |components: &[u32]| {
            let regs = one_array(&[F32X2, S8X3, F32X3], components, 32);
            address(&sources(&regs)[2]) - 0x100
        };
        assert_eq!(at(&[0, 1, 12, 2]), 16);
        assert_eq!(at(&[0, 12, 1, 2]), 16);
        assert_eq!(at(&[0, 1, 12, 1, 2]), 20);
        assert_eq!(at(&[0, 1, 1, 12, 2]), 20);
        assert_eq!(at(&[15, 0, 14, 2]), 16 + 8 + 12);
    }

    #[test]
    fn the_last_mention_wins() {
        let mut regs = one_array(&[F32X2, S8X3, F32X3], &[0, 1, 1], 11);
        assert_eq!(address(&sources(&regs)[1]), 0x100 + 11);
        // Array 4 names it again, from an odd address.
        regs.set_raw(0x203 + 12, 0x31);
        regs.set_raw(0x204 + 12, 1);
        regs.set_raw(0x205 + 12, 1 << 28 | 7 << 16);
        let expected = AttributeSource::Array {
            address: 0x131,
            stride_bytes: 7,
            element: ElementType::I8,
            components: 3,
        };
        assert_eq!(sources(&regs)[1], expected);
    }

    #[test]
    fn arrays_before_fixed_values_before_the_latch() {
        let mut regs = one_array(&[F32X2, S8X3, 0], &[0], 8);
        regs.set_raw(0x202, 2 << 28 | 0b011 << 16);
        let sources = sources(&regs);
        assert_eq!(address(&sources[0]), 0x100);
        assert_eq!(sources[1], AttributeSource::Fixed([0.5; 4]));
        // Neither; and beyond the count, whatever the mask says.
        assert_eq!(sources[2..].to_vec(), vec![AttributeSource::Fixed([0.25; 4]); 14]);
    }

    #[test]
    fn attributes_from_12_on_are_fixed() {
        let mut regs = Registers::new();
        regs.set_raw(0x202, 13 << 28);
        let sources = sources(&regs);
        let expected = |value| vec![AttributeSource::Fixed([value; 4]); 2];
        assert_eq!(sources[10..12].to_vec(), expected(0.25));
        assert_eq!(sources[12..14].to_vec(), expected(0.5));
        assert_eq!(sources[14..].to_vec(), expected(0.25));
    }

    #[test]
    fn absurd_component_lists() {
        let mut regs = Registers::new();
        for id in 0x200..=0x227 {
            regs.set_raw(id, 0xffff_ffff);
        }
        let layout = VertexLayout::new(&regs);
        assert!(layout.arrays.iter().all(Option::is_none), "padding only");
        for array in 0..12 {
            regs.set_raw(0x204 + 3 * array, 0x7654_3210);
            regs.set_raw(0x205 + 3 * array, 0xffff_ba98);
        }
        let sources = sources(&regs);
        let base = 0xffff_fff0_u32.wrapping_add(0x0fff_ffff);
        assert_eq!(address(&sources[11]), base.wrapping_add(11 * 16));
    }

    #[test]
    fn streams() {
        let memory = FlatMemory::new(0x100, vec![1, 0, 0xff, 0xff, 3]);
        let read = |stream: VertexStream, start, count| {
            let mut out = vec![9; 3];
            stream.read(&memory, start, count, &mut out);
            out
        };
        assert_eq!(read(VertexStream::Array { first: 0xffff_fffe }, 1, 3), [0xffff_ffff, 0, 1]);
        assert_eq!(read(VertexStream::Indexed { address: 0x100, wide: true }, 0, 2), [1, 0xffff]);
        assert_eq!(read(VertexStream::Indexed { address: 0x101, wide: true }, 0, 3), [0xff00, 0x3ff, 0]);
        assert_eq!(read(VertexStream::Indexed { address: 0x100, wide: false }, 2, 4), [0xff, 0xff, 3, 0]);
    }

    #[test]
    fn arrays_that_are_nowhere() {
        let memory = FlatMemory::new(0x100, vec![0; 8]);
        let mut regs = one_array(&[F32X2], &[0], 8);
        assert_eq!(VertexLayout::new(&regs).unmapped(&memory, 0), None);
        regs.set_raw(0x203, 0x20);
        let fault = Fault::Unmapped { id: 0x203, address: 0x120 };
        assert_eq!(VertexLayout::new(&regs).unmapped(&memory, 0), Some(fault));
        // The second array has a register of its own.
        regs.set_raw(0x203, 0);
        [(0x206, 0x40), (0x207, 0), (0x208, 1 << 28 | 8 << 16)]
            .iter()
            .for_each(|&(id, word)| regs.set_raw(id, word));
        let fault = Fault::Unmapped { id: 0x206, address: 0x140 };
        assert_eq!(VertexLayout::new(&regs).unmapped(&memory, 0), Some(fault));
        [(0x203, 0x20), (0x208, 0)].iter().for_each(|&(id, word)| regs.set_raw(id, word));
        // A base before the buffer and a first vertex inside it.
        regs.set_raw(0x200, 0xc0 >> 3);
        assert_eq!(VertexLayout::new(&regs).unmapped(&memory, 4), None);
        let stream = VertexStream::Indexed { address: 0x108, wide: false };
        assert_eq!(stream.unmapped(&memory), Some(Fault::Unmapped { id: 0x227, address: 0x108 }));
    }

    /// Indices have one byte or two.
    #[test]
    fn bytes_of_indices() {
        let bytes = |wide| VertexStream::Indexed { address: 0x100, wide }.bytes(5);
        assert_eq!([bytes(false), bytes(true)], [Some((0x100, 5)), Some((0x100, 10))]);
        assert_eq!(VertexStream::Array { first: 7 }.bytes(5), None);
        assert_eq!(VertexStream::Array { first: 7 }.widest(5), (7, 11));
        let widest = |wide| VertexStream::Indexed { address: 0x100, wide }.widest(5);
        assert_eq!([widest(false), widest(true)], [(0, 0xff), (0, 0xffff)]);
    }
}
