//! Decoding of vertex records to model space: number formats and morphing.
//!
//! Source: psp-ge.md 4.3, 4.5, measured on a console (vertices/texcoords, vertices/morph).

use crate::ge::vector::WEIGHTS;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::{Remembered, VertexBatch};
use picaflor_pipeline::ge::vertex_type::{Element, Layout, VertexType};
use picaflor_pipeline::guest_slice::GuestSlice;

/// A vertex as stored in its records.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ModelVertex {
    /// Position; in through mode in pixels, z from 0 to 65535 unless it is a float.
    pub(crate) position: [f64; 3],
    /// Normal; `None` if the format has none.
    pub(crate) normal: Option<[f64; 3]>,
    /// Texture coordinates; `None` if the format has none; in through mode in texels.
    pub(crate) texture: Option<[f64; 2]>,
    /// Colour 0xAABBGGRR; `None` if the format has none.
    pub(crate) colour: Option<u32>,
    /// Weights; unused ones are 0.
    pub(crate) weights: [f64; WEIGHTS],
}

/// Decodes vertex `index` of the batch. `vertex_type` is that of the registers, possibly with another through bit.
#[must_use]
pub(crate) fn decode(batch: &VertexBatch<'_>, vertex_type: VertexType, index: u32) -> ModelVertex {
    let vertex = Records::new(batch, vertex_type, index);
    let has = |element| element != Element::None;
    ModelVertex {
        position: vertex.morphed(Record::position),
        normal: has(vertex_type.normal()).then(|| vertex.morphed(Record::normal)),
        texture: has(vertex_type.texture()).then(|| vertex.morphed(Record::texture)),
        colour: vertex_type.colour().map(|format| vertex.colour(format)),
        weights: vertex.record(0).weights().map(t16),
    }
}

/// The components remembered after the batch, for later formats without texture coordinates or normals (4.3).
#[must_use]
pub(crate) fn remembered_after(batch: &VertexBatch<'_>) -> Remembered {
    let Some(&last) = batch.indices.last() else { return batch.remembered };
    let vertex_type = batch.registers.vertex_type();
    let (has_texture, has_normal) =
        (vertex_type.texture() != Element::None, vertex_type.normal() != Element::None);
    if !has_texture && !has_normal {
        return batch.remembered;
    }
    let vertex = Records::new(batch, vertex_type, last);
    Remembered {
        texture: if has_texture { vertex.morphed(Record::texture) } else { batch.remembered.texture },
        normal: if has_normal { vertex.morphed(Record::normal) } else { batch.remembered.normal },
    }
}

/// The records of a vertex.
struct Records<'a> {
    bytes: GuestSlice<'a>,
    registers: &'a Registers,
    vertex_type: VertexType,
    layout: Layout,
}

impl<'a> Records<'a> {
    fn new(batch: &VertexBatch<'a>, vertex_type: VertexType, index: u32) -> Self {
        let start = index as usize * batch.stride as usize;
        let bytes = batch.records.slice(start, batch.stride as usize);
        Self { bytes, registers: batch.registers, vertex_type, layout: vertex_type.layout() }
    }

    fn record(&self, k: u32) -> Record<'a> {
        let size = self.layout.record_bytes as usize;
        let bytes = self.bytes.slice(k as usize * size, size);
        Record { bytes, vertex_type: self.vertex_type, layout: self.layout }
    }

    /// Numbers of a component. In through mode they are those of record 0 (unknown: the console misbehaves).
    fn morphed<const N: usize>(&self, component: fn(&Record<'a>) -> [f64; N]) -> [f64; N] {
        if self.vertex_type.is_through() {
            return component(&self.record(0)).map(t16);
        }
        self.weighted(component).map(t16)
    }

    /// The sum over all records. A single record is not weighted.
    fn weighted<const N: usize>(&self, component: impl Fn(&Record<'a>) -> [f64; N]) -> [f64; N] {
        let count = self.vertex_type.morph_count();
        if count == 1 {
            return component(&self.record(0));
        }
        let mut sum = [0.0; N];
        for k in 0..count {
            let weight = f64::from(self.registers.float(op::MW0 + k as u8));
            let values = component(&self.record(k));
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
        }
        sum
    }

    /// Channels are truncated; casts clamp them to 0 and 255.
    fn colour(&self, format: PixelFormat) -> u32 {
        let channels = |record: &Record<'a>| record.colour(format).to_le_bytes().map(f64::from);
        u32::from_le_bytes(self.weighted(channels).map(|channel| channel as u8))
    }
}

/// One record.
struct Record<'a> {
    bytes: GuestSlice<'a>,
    vertex_type: VertexType,
    layout: Layout,
}

impl Record<'_> {
    fn byte(&self, offset: u32) -> u8 {
        self.bytes.read(offset as usize)
    }

    fn short(&self, offset: u32) -> u16 {
        u16::from_le_bytes(self.bytes.read_array(offset as usize))
    }

    fn word(&self, offset: u32) -> u32 {
        u32::from_le_bytes(self.bytes.read_array(offset as usize))
    }

    fn float(&self, offset: u32) -> f64 {
        f64::from(f32::from_bits(self.word(offset)))
    }

    /// Number `n` of a component at `offset` whose integers are signed.
    fn signed(&self, element: Element, offset: u32, n: u32) -> f64 {
        let at = offset + n * element.bytes();
        match element {
            Element::None => 0.0,
            Element::Byte => f64::from(self.byte(at) as i8) / 128.0,
            Element::Short => f64::from(self.short(at) as i16) / 32768.0,
            Element::Word => self.float(at),
        }
    }

    /// As [`signed`](Self::signed) with unsigned integers; a short 1 is `1 / one_short`.
    fn unsigned(&self, element: Element, offset: u32, n: u32, one_short: f64) -> f64 {
        let at = offset + n * element.bytes();
        match element {
            Element::None => 0.0,
            Element::Byte => f64::from(self.byte(at)) / 128.0,
            Element::Short => f64::from(self.short(at)) / one_short,
            Element::Word => self.float(at),
        }
    }

    fn position(&self) -> [f64; 3] {
        let (element, offset) = (self.vertex_type.position(), self.layout.position);
        match element {
            Element::Byte if self.vertex_type.is_through() => [0.0; 3],
            Element::Short if self.vertex_type.is_through() => {
                let [x, y, z] = [0, 2, 4].map(|at| self.short(offset + at));
                [f64::from(x as i16), f64::from(y as i16), f64::from(z)]
            }
            _ => [0, 1, 2].map(|n| self.signed(element, offset, n)),
        }
    }

    fn normal(&self) -> [f64; 3] {
        [0, 1, 2].map(|n| self.signed(self.vertex_type.normal(), self.layout.normal, n))
    }

    fn texture(&self) -> [f64; 2] {
        let one_short = if self.vertex_type.is_through() { 1.0 } else { 32768.0 };
        [0, 1].map(|n| self.unsigned(self.vertex_type.texture(), self.layout.texture, n, one_short))
    }

    fn weights(&self) -> [f64; WEIGHTS] {
        let count = self.vertex_type.weight_count();
        let weight = |n| self.unsigned(self.vertex_type.weights(), self.layout.weights, n, 32768.0);
        std::array::from_fn(|n| if n < count as usize { weight(n as u32) } else { 0.0 })
    }

    fn colour(&self, format: PixelFormat) -> u32 {
        let offset = self.layout.colour;
        match format {
            PixelFormat::Rgba8888 => self.word(offset),
            _ => expand(format, u32::from(self.short(offset))),
        }
    }
}

/// Expands a colour of 16 bits to 0xAABBGGRR by repeating bits; alpha is 255 if the format has none.
fn expand(format: PixelFormat, colour: u32) -> u32 {
    let five = |shift: u32| (colour >> shift & 31) << 3 | (colour >> shift & 31) >> 2;
    let six = |shift: u32| (colour >> shift & 63) << 2 | (colour >> shift & 63) >> 4;
    let four = |shift: u32| (colour >> shift & 15) * 17;
    let [red, green, blue, alpha] = match format {
        PixelFormat::Rgb5650 => [five(0), six(5), five(11), 255],
        PixelFormat::Rgba5551 => [five(0), five(5), five(10), (colour >> 15 & 1) * 255],
        PixelFormat::Rgba4444 => [four(0), four(4), four(8), four(12)],
        PixelFormat::Rgba8888 => return colour,
    };
    red | green << 8 | blue << 16 | alpha << 24
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::matrices::Matrices;
    use picaflor_pipeline::memory::NoMemory;

    fn registers(vertex_type: u32) -> Registers {
        let mut registers = Registers::default();
        registers.write(u32::from(op::VTYPE) << 24 | vertex_type);
        registers
    }

    fn with_batch<T>(registers: &Registers, bytes: &[u8], test: impl Fn(&VertexBatch<'_>) -> T) -> T {
        test(&VertexBatch {
            registers,
            matrices: &Matrices::default(),
            remembered: Remembered { texture: [8.0, 9.0], normal: [5.0, 6.0, 7.0] },
            records: GuestSlice::from_slice(bytes),
            stride: registers.vertex_type().stride(),
            indices: &[0],
            memory: &NoMemory,
        })
    }

    fn decoded(registers: &Registers, bytes: &[u8]) -> ModelVertex {
        with_batch(registers, bytes, |batch| decode(batch, registers.vertex_type(), 0))
    }

    #[test]
    fn integers_are_fractions() {
        let vertex = decoded(
            &registers(1 | 4 << 2 | 1 << 5 | 2 << 7 | 1 << 9),
            &[64, 255, 128, 0, 0x10, 0x84, 0x80, 0x7f, 1, 0, 0xff, 0x7f, 0, 0x80, 1, 0],
        );
        assert_eq!(vertex.weights, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(vertex.texture, Some([255.0 / 128.0, 1.0]));
        // Measured: 8410 becomes 848284 (texcolors/rgb565).
        assert_eq!(vertex.colour, Some(0xff84_8284));
        assert_eq!(vertex.normal, Some([-1.0, 127.0 / 128.0, 1.0 / 128.0]));
        assert_eq!(vertex.position, [32767.0 / 32768.0, -1.0, 1.0 / 32768.0]);
    }

    #[test]
    fn through_mode_keeps_units() {
        let through = 1 << 23;
        let vertex =
            decoded(&registers(2 | 2 << 7 | through), &[0xff, 0xff, 2, 0, 0xff, 0xff, 3, 0, 0xff, 0xff]);
        assert_eq!(vertex.texture, Some([65535.0, 2.0]));
        assert_eq!(vertex.position, [-1.0, 3.0, 65535.0]);
        let vertex = decoded(&registers(1 | 1 << 7 | through), &[255, 128, 1, 2, 3]);
        assert_eq!((vertex.texture, vertex.position), (Some([255.0 / 128.0, 1.0]), [0.0; 3]));
    }

    #[test]
    fn floats_have_sixteen_bits() {
        let bytes: Vec<u8> = [1.0 + 1.0 / 65536.0, -1.5_f32, 0.1].map(f32::to_le_bytes).concat();
        assert_eq!(decoded(&registers(3 << 7), &bytes).position, [1.0, -1.5, t16(f64::from(0.1_f32))]);
    }

    /// Measured (vertices/morph): half of FF is 7F, three quarters BF, a quarter four times 7F 7F 3F.
    #[test]
    fn morphed_colours_are_truncated() {
        let mut registers = registers(7 << 2 | 1 << 7 | 1 << 18);
        for (n, weight) in [0.5_f32, 0.25].into_iter().enumerate() {
            registers.write((u32::from(op::MW0) + n as u32) << 24 | weight.to_bits() >> 8);
        }
        let bytes = [[255, 0, 255, 255, 64, 0, 0, 0], [0, 255, 255, 255, 64, 128, 0, 0]].concat();
        let vertex = decoded(&registers, &bytes);
        assert_eq!(vertex.colour, Some(0xbf_bf_3f_7f));
        assert_eq!(vertex.position, [0.375, -0.25, 0.0]);
    }

    #[test]
    fn colours_saturate_when_weights_exceed_one() {
        let mut registers = registers(7 << 2 | 1 << 18);
        for (n, weight) in [2.0_f32, -1.0].into_iter().enumerate() {
            registers.write((u32::from(op::MW0) + n as u32) << 24 | weight.to_bits() >> 8);
        }
        assert_eq!(decoded(&registers, &[200, 0, 0, 10, 0, 1, 0, 10]).colour, Some(0x0a00_00ff));
    }

    #[test]
    fn what_is_missing_is_remembered() {
        let after = |vertex_type, bytes: &[u8]| with_batch(&registers(vertex_type), bytes, remembered_after);
        let texture = after(1 | 1 << 7, &[128, 64, 0, 0, 0]);
        assert_eq!(texture, Remembered { texture: [1.0, 0.5], normal: [5.0, 6.0, 7.0] });
        let normal = after(1 << 5, &[64, 0, 0]);
        assert_eq!(normal, Remembered { texture: [8.0, 9.0], normal: [0.5, 0.0, 0.0] });
    }
}
