//! Vertex attributes with ordinary values, interleaved in memory as games keep them.

use crate::pica::example::Example;
use crate::pica::uniforms::BONES;
use crate::random::Random;
use picaflor_pipeline::pica::regs::geometry::ElementType;
use picaflor_pipeline::pica::vertex::{AttributeSource, VertexInputs};

/// The storage format of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Everything as binary32.
    Floats,
    /// Positions and texture coordinates as 16-bit, normals as signed 8-bit, colours, bone indices and weights as
    /// unsigned 8-bit integers.
    Integers,
}

/// The stored numbers that stand for the value 1.0. Integers are not normalised on the way to the program; the
/// reciprocals belong into the matrices.
#[derive(Debug, Clone, Copy)]
pub struct Units {
    /// In positions.
    pub position: f32,
    /// In normals.
    pub normal: f32,
    /// In colours.
    pub colour: f32,
    /// In texture coordinates.
    pub uv: f32,
    /// In weights of bones.
    pub weight: f32,
}

impl Storage {
    /// The units of this storage.
    #[must_use]
    pub const fn units(self) -> Units {
        match self {
            Self::Floats => Units { position: 1.0, normal: 1.0, colour: 1.0, uv: 1.0, weight: 1.0 },
            Self::Integers => {
                Units { position: 1024.0, normal: 127.0, colour: 255.0, uv: 1024.0, weight: 255.0 }
            }
        }
    }
}

/// One attribute of every vertex.
struct Attribute {
    element: ElementType,
    components: u8,
    values: Vec<[f32; 4]>,
}

/// Generator of the attributes of `count` vertices.
struct Maker {
    random: Random,
    storage: Storage,
    units: Units,
    count: usize,
}

impl Maker {
    fn attribute(
        &mut self,
        integer: ElementType,
        components: u8,
        mut value: impl FnMut(&mut Random) -> [f32; 4],
    ) -> Attribute {
        let element = match self.storage {
            Storage::Floats => ElementType::F32,
            Storage::Integers => integer,
        };
        let values = (0..self.count).map(|_| value(&mut self.random)).collect();
        Attribute { element, components, values }
    }

    fn position(&mut self, components: u8) -> Attribute {
        let unit = self.units.position;
        self.attribute(ElementType::I16, components, |random| {
            let [x, y, z] = [0; 3].map(|_| random.between(-1.0, 1.0) * unit);
            [x, y, z, 1.0]
        })
    }

    fn normal(&mut self) -> Attribute {
        let unit = self.units.normal;
        self.attribute(ElementType::I8, 3, |random| {
            let [x, y, z] = random.direction().map(|c| c * unit);
            [x, y, z, 1.0]
        })
    }

    fn colour(&mut self) -> Attribute {
        let unit = self.units.colour;
        self.attribute(ElementType::U8, 4, |random| [0; 4].map(|_| random.between(0.0, 1.0) * unit))
    }

    fn uv(&mut self, low: f32, high: f32, components: u8) -> Attribute {
        let unit = self.units.uv;
        self.attribute(ElementType::I16, components, |random| {
            let [u, v] = [0; 2].map(|_| random.between(low, high) * unit);
            [u, v, 0.0, 1.0]
        })
    }

    fn bones(&mut self) -> Attribute {
        self.attribute(ElementType::U8, 4, |random| [0; 4].map(|_| random.below(BONES) as f32))
    }

    /// Four weights whose sum is one.
    fn weights(&mut self) -> Attribute {
        let unit = self.units.weight;
        self.attribute(ElementType::U8, 4, |random| {
            let raw = [0; 4].map(|_| random.between(0.0, 1.0));
            let sum = raw.iter().sum::<f32>().max(0.01);
            raw.map(|weight| weight / sum * unit)
        })
    }

    fn attributes(&mut self, example: Example) -> Vec<Attribute> {
        match example {
            Example::Transform => vec![self.position(4), self.colour(), self.uv(0.0, 1.0, 4)],
            Example::Light => vec![
                self.position(3),
                self.normal(),
                self.colour(),
                self.uv(0.0, 1.0, 2),
                self.uv(0.0, 1.0, 2),
            ],
            Example::Skin => vec![
                self.position(3),
                self.normal(),
                self.uv(0.0, 1.0, 2),
                self.bones(),
                self.weights(),
                self.colour(),
            ],
            Example::Branchy => vec![self.position(3), self.colour(), self.uv(-2.0, 2.0, 2)],
        }
    }
}

/// The vertices of an example: bytes for the address `base`, and the positions of the attributes in them. Each `seed`
/// gives other vertices.
#[must_use]
pub fn mesh(
    example: Example,
    storage: Storage,
    count: usize,
    base: u32,
    seed: u64,
) -> (Vec<u8>, VertexInputs) {
    let random = Random::new(0x0070_6963_6166_6c6f ^ example as u64 ^ seed << 8);
    let mut maker = Maker { random, storage, units: storage.units(), count };
    interleave(&maker.attributes(example), count, base)
}

fn interleave(attributes: &[Attribute], count: usize, base: u32) -> (Vec<u8>, VertexInputs) {
    let mut offsets = Vec::new();
    let mut end = 0_u32;
    for attribute in attributes {
        let at = end.next_multiple_of(attribute.element.bytes());
        offsets.push(at);
        end = at + attribute.element.bytes() * u32::from(attribute.components);
    }
    let stride_bytes = end.next_multiple_of(4);
    let mut bytes = vec![0; stride_bytes as usize * count];
    for (vertex, row) in bytes.chunks_exact_mut(stride_bytes as usize).enumerate() {
        for (attribute, &offset) in attributes.iter().zip(&offsets) {
            store(attribute, vertex, &mut row[offset as usize..]);
        }
    }
    let sources = attributes.iter().zip(&offsets).map(|(attribute, offset)| AttributeSource::Array {
        address: base + offset,
        stride_bytes,
        element: attribute.element,
        components: attribute.components,
    });
    (bytes, VertexInputs { attributes: sources.collect(), permutation: 0xfedc_ba98_7654_3210 })
}

fn store(attribute: &Attribute, vertex: usize, to: &mut [u8]) {
    let width = attribute.element.bytes() as usize;
    let values = &attribute.values[vertex][..usize::from(attribute.components)];
    for (value, to) in values.iter().zip(to.chunks_exact_mut(width)) {
        match attribute.element {
            ElementType::I8 => to.copy_from_slice(&(value.round() as i8).to_le_bytes()),
            ElementType::U8 => to.copy_from_slice(&(value.round() as u8).to_le_bytes()),
            ElementType::I16 => to.copy_from_slice(&(value.round() as i16).to_le_bytes()),
            ElementType::F32 => to.copy_from_slice(&value.to_le_bytes()),
        }
    }
}
