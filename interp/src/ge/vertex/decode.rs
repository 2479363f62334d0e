//! From a vertex record to its components: formats, morphing.
//!
//! Source: psp-ge.md 4.1 to 4.5.

use crate::ge::number::t16;
use crate::ge::texel::colour;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::VertexBatch;
use picaflor_pipeline::ge::vertex_type::{Element, Layout, VertexType};
use picaflor_pipeline::guest_slice::GuestSlice;

/// The components of a vertex in model space, or in screen space in through mode. Missing ones are `None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::ge) struct Model {
    /// Weights of the bones; unused ones are 0.
    pub(in crate::ge) weights: [f64; 8],
    /// Texture coordinates; texels in through mode.
    pub(in crate::ge) texture: Option<[f64; 2]>,
    /// 0xAABBGGRR.
    pub(in crate::ge) colour: Option<u32>,
    /// Not of length 1.
    pub(in crate::ge) normal: Option<[f64; 3]>,
    /// 0, 0, 0 if missing.
    pub(in crate::ge) position: [f64; 3],
}

/// The vertex of index `index`, read in `format`, which may differ from the register in its mode only.
pub(in crate::ge) fn decode(batch: &VertexBatch<'_>, format: VertexType, index: u32) -> Model {
    let layout = format.layout();
    let start = index as usize * batch.stride as usize;
    let record = |k: u32| Record {
        format,
        layout,
        bytes: batch.records,
        start: start + (k * layout.record_bytes) as usize,
    };
    let first = record(0).model().truncated();
    if format.morph_count() == 1 {
        return first;
    }
    let records: Vec<Model> = (0..format.morph_count()).map(|k| record(k).model()).collect();
    morphed(first, &records, &morph_weights(batch.registers), format.is_through())
}

/// `MW0` to `MW7`.
fn morph_weights(registers: &Registers) -> [f64; 8] {
    std::array::from_fn(|k| registers.double(op::MW0 + k as u8))
}

/// The weighted sum of records (4.5): the sum has 16 significant bits, its terms are not cut before (assumed). Weights
/// of bones are those of the first record. In through mode, only colours are morphed.
fn morphed(first: Model, records: &[Model], weights: &[f64; 8], is_through: bool) -> Model {
    let colour = first.colour.map(|_| {
        let channels = |k: usize| records[k].colour.unwrap_or(0).to_le_bytes().map(f64::from);
        // The cast truncates and clamps.
        u32::from_le_bytes(sum(records.len(), channels, weights).map(|channel| channel as u8))
    });
    if is_through {
        return Model { colour, ..first };
    }
    let of = |part: fn(&Model) -> [f64; 3]| sum(records.len(), |k| part(&records[k]), weights).map(t16);
    let texture = |k: usize| records[k].texture.unwrap_or_default();
    Model {
        colour,
        texture: first.texture.map(|_| sum(records.len(), texture, weights).map(t16)),
        normal: first.normal.map(|_| of(|model| model.normal.unwrap_or_default())),
        position: of(|model| model.position),
        ..first
    }
}

/// Sum of weight times component in doubles, record 0 first. The rule of zero factors is not for doubles (assumed).
fn sum<const N: usize>(count: usize, of: impl Fn(usize) -> [f64; N], weights: &[f64; 8]) -> [f64; N] {
    let parts: Vec<[f64; N]> = (0..count).map(of).collect();
    std::array::from_fn(|c| parts.iter().zip(weights).fold(0.0, |sum, (part, weight)| sum + weight * part[c]))
}

impl Model {
    /// Floats that enter the pipe have 16 significant bits (1.4), in through mode too (assumed).
    fn truncated(self) -> Self {
        Self {
            weights: self.weights.map(t16),
            texture: self.texture.map(|texture| texture.map(t16)),
            colour: self.colour,
            normal: self.normal.map(|normal| normal.map(t16)),
            position: self.position.map(t16),
        }
    }
}

/// One record in memory.
struct Record<'a> {
    format: VertexType,
    layout: Layout,
    bytes: GuestSlice<'a>,
    start: usize,
}

impl Record<'_> {
    fn model(&self) -> Model {
        let (format, layout) = (self.format, &self.layout);
        let has = |element: Element| element != Element::None;
        let count = format.weight_count() as usize;
        let weight =
            |n: usize| if n < count { self.unsigned(layout.weights, format.weights(), n) } else { 0.0 };
        Model {
            weights: std::array::from_fn(weight),
            texture: has(format.texture()).then(|| std::array::from_fn(|n| self.coordinate(n))),
            colour: format.colour().map(|colour| self.colour(colour)),
            normal: has(format.normal())
                .then(|| std::array::from_fn(|n| self.signed(layout.normal, format.normal(), n))),
            position: std::array::from_fn(|n| self.position(n)),
        }
    }

    /// A coordinate of the position. In through mode bytes are 0, and the z of shorts is unsigned.
    fn position(&self, n: usize) -> f64 {
        let (at, element) = (self.layout.position, self.format.position());
        match (self.format.is_through(), element) {
            (true, Element::Byte) => 0.0,
            (true, Element::Short) if n == 2 => self.short(at, n).into(),
            (true, Element::Short) => self.short(at, n).cast_signed().into(),
            _ => self.signed(at, element, n),
        }
    }

    /// A texture coordinate. In through mode shorts are whole texels.
    fn coordinate(&self, n: usize) -> f64 {
        let (at, element) = (self.layout.texture, self.format.texture());
        match element {
            Element::Short if self.format.is_through() => self.short(at, n).into(),
            _ => self.unsigned(at, element, n),
        }
    }

    fn colour(&self, format: PixelFormat) -> u32 {
        let at = self.layout.colour;
        let word = match format {
            PixelFormat::Rgba8888 => self.word(at, 0),
            _ => self.short(at, 0).into(),
        };
        colour::opaque(format, word)
    }

    /// A signed fraction, or a float.
    fn signed(&self, at: u32, element: Element, n: usize) -> f64 {
        match element {
            Element::None => 0.0,
            Element::Byte => f64::from(self.byte(at, n).cast_signed()) / 128.0,
            Element::Short => f64::from(self.short(at, n).cast_signed()) / 32768.0,
            Element::Word => self.float(at, n),
        }
    }

    /// An unsigned fraction, or a float.
    fn unsigned(&self, at: u32, element: Element, n: usize) -> f64 {
        match element {
            Element::None => 0.0,
            Element::Byte => f64::from(self.byte(at, n)) / 128.0,
            Element::Short => f64::from(self.short(at, n)) / 32768.0,
            Element::Word => self.float(at, n),
        }
    }

    /// All bits of a float.
    fn float(&self, at: u32, n: usize) -> f64 {
        f32::from_bits(self.word(at, n)).into()
    }

    fn byte(&self, at: u32, n: usize) -> u8 {
        self.bytes.read(self.start + at as usize + n)
    }

    fn short(&self, at: u32, n: usize) -> u16 {
        u16::from_le_bytes(self.bytes.read_array(self.start + at as usize + 2 * n))
    }

    fn word(&self, at: u32, n: usize) -> u32 {
        u32::from_le_bytes(self.bytes.read_array(self.start + at as usize + 4 * n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::matrices::Matrices;
    use picaflor_pipeline::ge::stage::Remembered;
    use picaflor_pipeline::memory::NoMemory;

    const THROUGH: u32 = 1 << 23;

    fn decoded(vertex_type: u32, index: u32, bytes: &[u8], weights: &[f32]) -> Model {
        let mut registers = Registers::default();
        for (k, weight) in weights.iter().enumerate() {
            registers.write((u32::from(op::MW0) + k as u32) << 24 | weight.to_bits() >> 8);
        }
        let format = VertexType(vertex_type);
        let batch = VertexBatch {
            registers: &registers,
            matrices: &Matrices::default(),
            remembered: Remembered::default(),
            records: GuestSlice::from_slice(bytes),
            stride: format.stride(),
            indices: &[],
            memory: &NoMemory,
        };
        decode(&batch, format, index)
    }

    /// 4.3, bytes: texture coordinate 255, normal -128, 64, 0, position 127, -1, 1.
    #[test]
    fn bytes() {
        let bytes =
            [9; 8].iter().copied().chain([255, 128, 0x80, 0x40, 0, 0x7f, 0xff, 1]).collect::<Vec<_>>();
        let model = decoded(1 | 1 << 5 | 1 << 7, 1, &bytes, &[]);
        assert_eq!(model.texture, Some([1.992_187_5, 1.0]));
        assert_eq!(model.normal, Some([-1.0, 0.5, 0.0]));
        assert_eq!(model.position, [0.992_187_5, -0.007_812_5, 0.007_812_5]);
        assert_eq!((model.colour, model.weights), (None, [0.0; 8]));
        let through = decoded(1 | 1 << 5 | 1 << 7 | THROUGH, 1, &bytes, &[]);
        assert_eq!((through.position, through.texture), ([0.0; 3], Some([1.992_187_5, 1.0])));
    }

    /// 4.3, shorts: in through mode pixels, an unsigned z, and texels.
    #[test]
    fn shorts() {
        let bytes = [0x00, 0x80, 0x00, 0x40, 0x00, 0x80, 0x34, 0x12, 0x00, 0xc0];
        let model = decoded(2 | 2 << 7, 0, &bytes, &[]);
        assert_eq!(model.texture, Some([1.0, 0.5]));
        assert_eq!(model.position, [-1.0, 4660.0 / 32768.0, -0.5]);
        let through = decoded(2 | 2 << 7 | THROUGH, 0, &bytes, &[]);
        assert_eq!(through.texture, Some([32768.0, 16384.0]));
        assert_eq!(through.position, [-32768.0, 4660.0, 49152.0]);
    }

    /// 1.4: floats lose the lower 8 of their 24 bits. 4.2: the colour lies between weights and position.
    #[test]
    fn floats_weights_and_colours() {
        let mut bytes = vec![128, 64, 0xff, 0x83];
        bytes.extend(0x3f80_01ff_u32.to_le_bytes());
        bytes.extend([0; 8]);
        let model = decoded(1 << 9 | 1 << 14 | 5 << 2 | 3 << 7, 0, &bytes, &[]);
        assert_eq!(model.weights, [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        // 0x83FF: red 31, green 31, blue 0, alpha 1.
        assert_eq!(model.colour, Some(0xff00_ffff));
        assert_eq!(model.position, [1.0 + 1.0 / 32768.0, 0.0, 0.0]);
        let opaque = decoded(4 << 2, 0, &[0x10, 0x84], &[]);
        assert_eq!(opaque.colour, Some(0xff84_8284));
    }

    /// 4.5: 0.5 * FF is 7F, 0.75 * FF is BF; sums above 1 saturate. One record is not weighted.
    #[test]
    fn morphs() {
        let record = |grey: u8, x: f32| [vec![grey; 4], x.to_le_bytes().to_vec(), vec![0; 8]].concat();
        let two = [record(0xff, 1.0), record(0, 4.0)].concat();
        let format = 7 << 2 | 3 << 7;
        let model = decoded(format | 1 << 18, 0, &two, &[0.5, 0.25]);
        assert_eq!((model.colour, model.position[0]), (Some(0x7f7f_7f7f), 1.5));
        let model = decoded(format | 1 << 18, 0, &two, &[0.75, -1.0]);
        assert_eq!((model.colour, model.position[0]), (Some(0xbfbf_bfbf), -3.25));
        let both = [record(0xff, 1.0), record(0xff, 4.0)].concat();
        assert_eq!(decoded(format | 1 << 18, 0, &both, &[1.0, 1.0]).colour, Some(u32::MAX));
        assert_eq!(decoded(format, 0, &two, &[0.5]).colour, Some(u32::MAX));
        let through = decoded(format | 1 << 18 | THROUGH, 0, &two, &[0.5, 0.25]);
        assert_eq!((through.colour, through.position[0]), (Some(0x7f7f_7f7f), 1.0));
    }

    /// 4.5: the sum has 16 bits, its terms have more. With p the last place of 1: 2 (1 + p/2) - 1 = 1 + p.
    #[test]
    fn sums_are_truncated_once() {
        let place = 1.0 / 32768.0_f32;
        let record = |x: f32| [x.to_le_bytes(), [0; 4], [0; 4]].concat();
        let two = [record(1.0 + 0.5 * place), record(1.0)].concat();
        let x = |vertex_type: u32, weights: &[f32]| decoded(vertex_type, 0, &two, weights).position[0];
        assert_eq!(x(3 << 7 | 1 << 18, &[2.0, -1.0]), f64::from(1.0 + place));
        assert_eq!((x(3 << 7 | 1 << 18, &[1.0, 0.0]), x(3 << 7, &[])), (1.0, 1.0));
        assert_eq!(x(3 << 7 | 1 << 18 | THROUGH, &[2.0, -1.0]), 1.0);
    }

    /// 4.5: texture coordinates and normals are sums too: 0.5 * 1 + 0.25 * 4.
    #[test]
    fn all_but_weights_is_morphed() {
        let record = |value: f32| value.to_le_bytes().repeat(8);
        let two = [record(1.0), record(4.0)].concat();
        let format = 3 | 3 << 5 | 3 << 7 | 1 << 18;
        let model = decoded(format, 0, &two, &[0.5, 0.25]);
        assert_eq!((model.texture, model.normal), (Some([1.5; 2]), Some([1.5; 3])));
        let through = decoded(format | THROUGH, 0, &two, &[0.5, 0.25]);
        assert_eq!((through.texture, through.normal), (Some([1.0; 2]), Some([1.0; 3])));
    }
}
