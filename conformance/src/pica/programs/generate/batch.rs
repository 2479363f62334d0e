//! Random vertex batches: the layouts that the fetch routine is specialised on, and their data.

use super::shader::Shader;
use super::value::{self, Style};
use crate::pica::notation::{Bytes, Row, Word};
use crate::pica::programs::case::{Attribute, Output, Source, VertexWork};
use crate::random::Random;
use picaflor_pipeline::pica::float;
use picaflor_pipeline::pica::regs::geometry::ElementType;

/// The layout of the attributes and the output form, shared by several batches of a program.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    attributes: Vec<Attribute>,
    base: u32,
    output: Output,
}

impl Layout {
    /// A random layout that loads the registers the program means to read, mostly.
    pub(super) fn random(random: &mut Random, shader: &Shader) -> Self {
        let base = random.weighted(&[(80, 0x1800_0000), (8, 0), (6, 0x1f00_0000 + 0x21), (6, 0xffff_ff00)]);
        let mut registers = random.shuffled(shader.inputs);
        match random.below(20) {
            0 => registers.truncate(1),
            1 => registers.extend([random.below(16) as u8, random.below(16) as u8]),
            2 => registers.resize(16, 3),
            _ => {}
        }
        let attribute = |register| Attribute { register, source: random_source(random, base) };
        let attributes = registers.into_iter().map(attribute).collect();
        Self { attributes, base, output: random_output(random) }
    }

    /// A batch with this layout.
    pub(super) fn batch(&self, random: &mut Random, style: Style) -> VertexWork {
        let indices = random_indices(random);
        let mut attributes = self.attributes.clone();
        for attribute in &mut attributes {
            if let Source::Fixed(row) = &mut attribute.source {
                *row = random_register(random, style);
            }
        }
        let memory = self.memory(random, style, &indices);
        VertexWork { indices, base: Word(self.base), memory: Bytes(memory), attributes, output: self.output }
    }

    /// Enough bytes for these indices, as far as they are small; sometimes too few.
    fn memory(&self, random: &mut Random, style: Style, indices: &[u32]) -> Vec<u8> {
        let nearby = indices.iter().copied().filter(|&index| index < 64);
        let last = nearby.clone().max().unwrap_or(0);
        let ends = self.arrays().map(|array| array.offset + array.stride * last + 16);
        let length = ends.max().unwrap_or(0);
        let mut memory: Vec<u8> = (0..length).map(|_| random.word() as u8).collect();
        for index in nearby {
            self.write_floats(random, style, index, &mut memory);
        }
        if random.chance(8) {
            memory.truncate(random.below(length + 1) as usize);
        }
        memory
    }

    /// The binary32 elements of one vertex.
    fn write_floats(&self, random: &mut Random, style: Style, index: u32, memory: &mut [u8]) {
        for array in self.arrays().filter(|array| array.element == ElementType::F32) {
            let start = (array.offset + array.stride * index) as usize;
            for at in (start..start + 16).step_by(4) {
                let word = value::word_f32(random, style);
                memory[at..at + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }

    fn arrays(&self) -> impl Iterator<Item = Array> + '_ {
        self.attributes.iter().filter_map(|attribute| match attribute.source {
            Source::Array { address, stride, element, .. } => {
                Some(Array { offset: address.0.wrapping_sub(self.base), stride, element })
            }
            Source::Fixed(_) => None,
        })
    }
}

/// An attribute array, seen from the base of the memory.
struct Array {
    offset: u32,
    stride: u32,
    element: ElementType,
}

fn random_source(random: &mut Random, base: u32) -> Source {
    if random.chance(12) {
        return Source::Fixed(Row::default());
    }
    let element = random.pick(&[
        ElementType::I8,
        ElementType::U8,
        ElementType::I16,
        ElementType::F32,
        ElementType::F32,
        ElementType::F32,
    ]);
    let components = random.between(1, 4) as u8;
    let size = element.bytes() * u32::from(components);
    let stride = match random.below(20) {
        0 => 0,
        1 => random.below(256),
        2 => random.below(size + 1),
        3..6 => size + random.below(7),
        _ => size.next_multiple_of(4) + 4 * random.below(5),
    };
    let unit = if random.chance(70) { element.bytes() } else { 1 };
    let address = Word(base.wrapping_add(unit * random.below(96)));
    Source::Array { address, stride, element, components }
}

/// 1 to 13 vertices, so that groups of four are partly full.
fn random_indices(random: &mut Random) -> Vec<u32> {
    let count = random.between(1, 13);
    match random.below(20) {
        0 => (0..count).map(|_| random.word()).collect(),
        1 if random.chance(50) => vec![random.below(16); count as usize],
        1..6 => (0..count).map(|_| random.below(16)).collect(),
        _ => {
            let first = random.below(4);
            (first..first + count).collect()
        }
    }
}

fn random_output(random: &mut Random) -> Output {
    let mask = if random.chance(85) { (1 << random.between(1, 7)) - 1 } else { random.word() as u16 };
    if random.chance(35) {
        let slots = if random.chance(60) { mask.count_ones().max(1) } else { random.between(1, 16) };
        return Output::Records { mask, slots: slots as u8 };
    }
    let total = if random.chance(85) { mask.count_ones().min(7) as u8 } else { random.below(8) as u8 };
    let orderly = random.chance(75);
    let order = random.shuffled(24);
    let slots = std::array::from_fn(|slot| {
        if orderly && slot < 6 {
            Word(u32::from_le_bytes(std::array::from_fn(|i| order[4 * slot + i])))
        } else {
            Word(random.word())
        }
    });
    Output::Mapped { mask, total, slots }
}

/// Register contents.
pub(super) fn random_register(random: &mut Random, style: Style) -> Row {
    let narrow = random.chance(60);
    Row(std::array::from_fn(|_| {
        if narrow {
            float::f24(value::raw_f24(random, style)).to_bits()
        } else {
            value::word_f32(random, style)
        }
    }))
}
