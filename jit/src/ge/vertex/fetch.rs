//! Numbers of records: [`decode`](super::decode) as code.

use super::pipe::{Num, Pipe, Vec3};
use crate::emit::ge::doubles::Small;
use crate::emit::ge::vertices::of_batch;
use crate::emit::lanes::{I32s, Scalar};
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::vertex_type::{Element, Layout, VertexType};

/// Addresses and content of the records of a group's vertices.
#[derive(Clone, Copy)]
pub(super) struct Records {
    pub(super) vertex_type: VertexType,
    pub(super) layout: Layout,
    pub(super) at: [Scalar; 4],
}

impl Records {
    /// A number of record `k` without conversion, integers as fractions of `one`.
    fn number(&self, p: &mut Pipe<'_, '_>, element: Element, at: i32, signed: bool, one: [f64; 2]) -> Num {
        let one = match element {
            Element::None => return p.known(0.0),
            Element::Word => {
                let words = p.l.gather_words(self.at, at);
                let floats = p.l.as_floats(words);
                return p.l.widen(floats);
            }
            Element::Byte => one[0],
            Element::Short => one[1],
        };
        let small = Small { is_short: element == Element::Short, is_signed: signed };
        let whole = p.l.gather_small(self.at, at, small);
        let q = p.l.ints_to_doubles(whole);
        if one == 1.0 {
            return q;
        }
        let unit = p.l.double_of(1.0 / one);
        q.map(|half| p.l.dmul(half, unit))
    }

    fn offset(&self, component: u32, record: u32) -> i32 {
        (record * self.layout.record_bytes + component) as i32
    }

    /// The records' sum under their weights; one record is not weighted.
    fn weighted(&self, p: &mut Pipe<'_, '_>, mut number: impl FnMut(&mut Pipe<'_, '_>, u32) -> Num) -> Num {
        let count = self.vertex_type.morph_count();
        if count == 1 {
            return number(p, 0);
        }
        let mut sum = p.known(0.0);
        for k in 0..count {
            let weight = p.constant(of_batch!(morph) + k as i32 * 16);
            let value = number(p, k);
            let product = p.times(weight, value);
            sum = p.plus(sum, product);
        }
        sum
    }

    /// Number `n` of a component, in 16 bits.
    fn morphed(&self, p: &mut Pipe<'_, '_>, element: Element, at: u32, n: u32, signed: bool) -> Num {
        let at = at + n * element.bytes();
        let sum =
            self.weighted(p, |p, k| self.number(p, element, self.offset(at, k), signed, [128.0, 32768.0]));
        p.t16(sum)
    }

    /// Position in model space.
    pub(super) fn position(&self, p: &mut Pipe<'_, '_>) -> Vec3 {
        let (element, at) = (self.vertex_type.position(), self.layout.position);
        [0, 1, 2].map(|n| self.morphed(p, element, at, n, true))
    }

    /// Normal, unless the format has none.
    pub(super) fn normal(&self, p: &mut Pipe<'_, '_>) -> Option<Vec3> {
        let (element, at) = (self.vertex_type.normal(), self.layout.normal);
        (element != Element::None).then(|| [0, 1, 2].map(|n| self.morphed(p, element, at, n, true)))
    }

    /// Texture coordinates of normal mode, unless the format has none.
    pub(super) fn texture(&self, p: &mut Pipe<'_, '_>) -> Option<[Num; 2]> {
        let (element, at) = (self.vertex_type.texture(), self.layout.texture);
        (element != Element::None).then(|| [0, 1].map(|n| self.morphed(p, element, at, n, false)))
    }

    /// Weight `n` of the first record.
    pub(super) fn weight(&self, p: &mut Pipe<'_, '_>, n: u32) -> Num {
        let element = self.vertex_type.weights();
        let at = self.offset(self.layout.weights + n * element.bytes(), 0);
        let weight = self.number(p, element, at, false, [128.0, 32768.0]);
        p.t16(weight)
    }

    /// Positions of through mode: pixels, and depth.
    pub(super) fn through_position(&self, p: &mut Pipe<'_, '_>) -> Vec3 {
        let element = self.vertex_type.position();
        [0, 1, 2].map(|n| {
            if matches!(element, Element::None | Element::Byte) {
                return p.known(0.0);
            }
            let at = self.offset(self.layout.position + n * element.bytes(), 0);
            let number = self.number(p, element, at, n < 2, [1.0; 2]);
            p.t16(number)
        })
    }

    /// Texture coordinates of through mode.
    pub(super) fn through_texture(&self, p: &mut Pipe<'_, '_>) -> Option<[Num; 2]> {
        let element = self.vertex_type.texture();
        (element != Element::None).then(|| {
            [0, 1].map(|n| {
                let at = self.offset(self.layout.texture + n * element.bytes(), 0);
                let number = self.number(p, element, at, false, [128.0, 1.0]);
                p.t16(number)
            })
        })
    }

    /// Colours 0xAABBGGRR, unless the format has none.
    pub(super) fn colour(&self, p: &mut Pipe<'_, '_>) -> Option<I32s> {
        let format = self.vertex_type.colour()?;
        let words: Vec<I32s> =
            (0..self.vertex_type.morph_count()).map(|k| self.one_colour(p, format, k)).collect();
        if let [word] = words[..] {
            return Some(word);
        }
        let mut colour = p.l.int(0);
        for channel in 0..4 {
            let sum = self.weighted(p, |p, k| {
                let byte = p.l.byte_field(words[k as usize], channel);
                p.l.ints_to_doubles(byte)
            });
            let byte = p.natural(sum, 255.0);
            let shifted = p.l.int_shl(byte, 8 * channel);
            colour = p.l.int_or(colour, shifted);
        }
        Some(colour)
    }

    fn one_colour(&self, p: &mut Pipe<'_, '_>, format: PixelFormat, record: u32) -> I32s {
        let at = self.offset(self.layout.colour, record);
        if format == PixelFormat::Rgba8888 {
            return p.l.gather_words(self.at, at);
        }
        let bits = p.l.gather_small(self.at, at, Small { is_short: true, is_signed: false });
        expanded(p, format, bits)
    }
}

/// Colours of 16 bits, their bits repeated.
fn expanded(p: &mut Pipe<'_, '_>, format: PixelFormat, bits: I32s) -> I32s {
    // Where a channel lies, and its bits.
    let fields: [(u8, u8); 4] = match format {
        PixelFormat::Rgb5650 => [(0, 5), (5, 6), (11, 5), (0, 0)],
        PixelFormat::Rgba5551 => [(0, 5), (5, 5), (10, 5), (15, 1)],
        _ => [(0, 4), (4, 4), (8, 4), (12, 4)],
    };
    let mut colour = p.l.int(0);
    for (n, (from, count)) in fields.into_iter().enumerate() {
        let channel = channel(p, bits, from, count);
        let shifted = p.l.int_shl(channel, 8 * n as u8);
        colour = p.l.int_or(colour, shifted);
    }
    colour
}

/// A field as 8 bits. One of no bits is 255.
fn channel(p: &mut Pipe<'_, '_>, bits: I32s, from: u8, count: u8) -> I32s {
    if count == 0 {
        return p.l.int(255);
    }
    let down = p.l.int_shr(bits, from);
    let mask = p.l.int((1 << count) - 1);
    let field = p.l.int_and(down, mask);
    match count {
        1 => {
            let all = p.l.int(255);
            p.l.int_mul(field, all)
        }
        4 => {
            let twice = p.l.int(17);
            p.l.int_mul(field, twice)
        }
        _ => {
            let high = p.l.int_shl(field, 8 - count);
            let low = p.l.int_shr(field, 2 * count - 8);
            p.l.int_or(high, low)
        }
    }
}
