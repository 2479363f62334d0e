//! Fixed attributes and immediate mode: the port 0x232-0x235.
//!
//! Source: pica-geometry.md 3.4, 3.6; 3dbrew, GPU/Internal Registers.

use crate::memory::FlatMemory;
use crate::persist::Words;
use crate::pica::float::{self, Precision};
use crate::pica::regs::geometry::ElementType;
use crate::pica::shader::unit::Vec4;
use crate::pica::vertex::AttributeSource;
use crate::pica::vertex::layout::ATTRIBUTES;

/// The target value that selects immediate mode.
const IMMEDIATE: u8 = 15;
/// Number of immediate vertices that are shaded together.
pub const BATCH: usize = 256;
/// Size of a vector in bytes.
const VECTOR_BYTES: usize = 16;

/// All attributes of a vertex.
pub type Attributes = [Vec4; ATTRIBUTES];

/// State of the port.
#[derive(Debug, Clone)]
pub struct AttributePort {
    target: u8,
    words: [u32; 3],
    filled: usize,
    fixed: Attributes,
    latch: Attributes,
    /// The immediate vertex under construction.
    vertex: Attributes,
    collected: usize,
    /// Complete immediate vertices.
    pending: Vec<Attributes>,
    selected: bool,
}

impl Default for AttributePort {
    fn default() -> Self {
        Self {
            target: 0,
            words: [0; 3],
            filled: 0,
            fixed: [[0.0; 4]; ATTRIBUTES],
            latch: [[0.0, 0.0, 0.0, 1.0]; ATTRIBUTES],
            vertex: [[0.0; 4]; ATTRIBUTES],
            collected: 0,
            pending: Vec::new(),
            selected: false,
        }
    }
}

impl AttributePort {
    /// A write to 0x232: selects the target and drops incomplete data.
    pub const fn select(&mut self, target: u8) {
        self.target = target & 15;
        self.filled = 0;
        self.collected = 0;
        self.selected = true;
    }

    /// A word of data, w first. The third one completes a vector; immediate vertices have `count` vectors (1-16).
    pub fn push(&mut self, word: u32, count: usize) {
        self.words[self.filled] = word;
        self.filled += 1;
        if self.filled == self.words.len() {
            self.filled = 0;
            self.vector(float::unpack_f24x4(self.words).map(float::f24), count);
        }
    }

    fn vector(&mut self, vector: Vec4, count: usize) {
        if self.target != IMMEDIATE {
            self.fixed[usize::from(self.target)] = vector;
            self.target += 1;
            return;
        }
        if let Some(place) = self.vertex.get_mut(self.collected) {
            *place = vector;
            self.collected += 1;
        }
        if self.collected >= count {
            let supplied = std::mem::take(&mut self.collected);
            self.latch[..supplied].copy_from_slice(&self.vertex[..supplied]);
            self.pending.push(self.latch);
        }
    }

    /// The fixed attributes.
    #[must_use]
    pub const fn fixed(&self) -> &Attributes {
        &self.fixed
    }

    pub(crate) const fn set_fixed(&mut self, n: u8, value: Vec4) {
        self.fixed[(n & 15) as usize] = value;
    }

    /// Values of attributes without a source: those of the last draw.
    #[must_use]
    pub const fn latch(&self) -> &Attributes {
        &self.latch
    }

    /// Sets the latch, after a draw.
    pub const fn set_latch(&mut self, latch: Attributes) {
        self.latch = latch;
    }

    /// Complete immediate vertices, not shaded yet.
    #[must_use]
    pub fn pending(&self) -> &[Attributes] {
        &self.pending
    }

    /// Removes the pending vertices. `true`: the first one is the first since a write to 0x232.
    pub fn take_pending(&mut self) -> (Vec<Attributes>, bool) {
        (std::mem::take(&mut self.pending), std::mem::take(&mut self.selected))
    }

    /// Returns the allocation of removed vertices for reuse.
    pub fn recycle(&mut self, mut pending: Vec<Attributes>) {
        pending.clear();
        self.pending = pending;
    }

    /// Saves or restores.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        self.persist_words(words);
        self.persist_fixed(words);
        self.persist_latch(words);
        self.persist_vertices(words);
    }

    /// Target, and words of an incomplete vector.
    pub(crate) fn persist_words(&mut self, words: &mut Words) {
        words.byte(&mut self.target);
        self.target &= 15;
        words.words(&mut self.words);
        words.count(&mut self.filled, 2);
    }

    pub(crate) fn persist_fixed(&mut self, words: &mut Words) {
        words.floats(self.fixed.iter_mut().flatten());
    }

    pub(crate) fn persist_latch(&mut self, words: &mut Words) {
        words.floats(self.latch.iter_mut().flatten());
    }

    /// The incomplete vertex, and the complete ones that are not drawn yet.
    pub(crate) fn persist_vertices(&mut self, words: &mut Words) {
        words.floats(self.vertex.iter_mut().flatten());
        words.count(&mut self.collected, ATTRIBUTES - 1);
        // A full batch is drawn at once.
        words.list(&mut self.pending, BATCH - 1, |vertex, words| words.floats(vertex.iter_mut().flatten()));
        words.flag(&mut self.selected);
    }
}

/// True if an array of binary32 can represent the attributes exactly. In the `Console` profile it cannot for -0,
/// subnormals and some NaN, which 24 bits can hold.
#[must_use]
pub fn survives_array(attributes: &[Vec4], precision: Precision) -> bool {
    let survives = |&value: &f32| precision.load_f32(value).to_bits() == value.to_bits();
    attributes.iter().flatten().all(survives)
}

/// Private memory of the machine that holds immediate vertices as arrays.
#[derive(Debug, Clone, Default)]
pub struct ImmediateArrays {
    memory: FlatMemory,
}

impl ImmediateArrays {
    /// Writes at most [`BATCH`] vertices. Returns the source of each of the first `count` attributes.
    pub fn write(&mut self, vertices: &[Attributes], count: usize) -> Vec<AttributeSource> {
        if self.memory.as_slice().is_empty() {
            self.memory = FlatMemory::new(0, vec![0; ATTRIBUTES * BATCH * VECTOR_BYTES]);
        }
        let arrays = self.memory.bytes_mut().chunks_exact_mut(BATCH * VECTOR_BYTES);
        for (k, array) in arrays.take(count).enumerate() {
            let places = array.chunks_exact_mut(4);
            let values = vertices.iter().flat_map(|vertex| vertex[k]);
            places.zip(values).for_each(|(place, value)| place.copy_from_slice(&value.to_le_bytes()));
        }
        let source = |k| AttributeSource::Array {
            address: (k * BATCH * VECTOR_BYTES) as u32,
            stride_bytes: VECTOR_BYTES as u32,
            element: ElementType::F32,
            components: 4,
        };
        (0..count).map(source).collect()
    }

    /// The memory.
    #[must_use]
    pub const fn memory(&self) -> &FlatMemory {
        &self.memory
    }
}
