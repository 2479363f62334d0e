//! Colours of four pixels: 16-bit channels, two pixels to a vector.
//!
//! Channels are in the order of RGBA8 memory: alpha, blue, green, red. All values are 0 to 255 unless an
//! operation says otherwise; products of two fit 16 unsigned bits.

use super::lanes::{F32s, I32s, Lanes, Mask, Scalar};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::{I8X16, I16X8, I32, I32X4, I64};
use cranelift_codegen::ir::{ConstantData, InstBuilder, MemFlagsData, Value};

/// Four pixels: the first two, the last two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) [Value; 2]);

/// The channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Alpha = 0,
    Blue = 1,
    Green = 2,
    Red = 3,
}

const fn loose() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// Arithmetic of channels.
impl Lanes<'_> {
    fn pairs(
        &mut self,
        a: Colour,
        b: Colour,
        mut op: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Colour {
        let low = op(self, a.0[0], b.0[0]);
        let is_same = a.0[0] == a.0[1] && b.0[0] == b.0[1];
        Colour([low, if is_same { low } else { op(self, a.0[1], b.0[1]) }])
    }

    /// The same channels in both pixels of both vectors: alpha, blue, green, red.
    pub(crate) fn channels(&mut self, channels: [u16; 4]) -> Colour {
        let bytes: Vec<u8> = channels.iter().chain(&channels).flat_map(|c| c.to_le_bytes()).collect();
        let value = self.vector_constant(bytes.try_into().expect("16 bytes"), I16X8);
        Colour([value; 2])
    }

    /// The same number in each channel.
    pub(crate) fn channel_splat(&mut self, value: u16) -> Colour {
        self.channels([value; 4])
    }

    /// `a + b`, modulo 2^16.
    pub(crate) fn colour_add(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().iadd(a, b))
    }

    /// `a - b`, modulo 2^16.
    pub(crate) fn colour_sub(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().isub(a, b))
    }

    /// `min(a + b, 65535)`.
    pub(crate) fn colour_add_saturating(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().uadd_sat(a, b))
    }

    /// The larger one, signed.
    pub(crate) fn colour_signed_max(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().smax(a, b))
    }

    /// All ones in channels that are negative as signed numbers.
    pub(crate) fn colour_signs(&mut self, a: Colour) -> Colour {
        Colour(a.0.map(|v| self.b.ins().sshr_imm_u(v, 15)))
    }

    /// `max(a - b, 0)`, unsigned.
    pub(crate) fn colour_sub_saturating(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().usub_sat(a, b))
    }

    /// `a b`, modulo 2^16.
    pub(crate) fn colour_mul(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().imul(a, b))
    }

    /// The smaller one, unsigned.
    pub(crate) fn colour_min(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().umin(a, b))
    }

    /// The larger one, unsigned.
    pub(crate) fn colour_max(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().umax(a, b))
    }

    /// Bitwise and.
    pub(crate) fn colour_and(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().band(a, b))
    }

    /// Bitwise or.
    pub(crate) fn colour_or(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().bor(a, b))
    }

    /// Bitwise exclusive or.
    pub(crate) fn colour_xor(&mut self, a: Colour, b: Colour) -> Colour {
        self.pairs(a, b, |l, a, b| l.b.ins().bxor(a, b))
    }

    /// 255 - a.
    pub(crate) fn colour_complement(&mut self, a: Colour) -> Colour {
        if let Some(&(_, known)) = self.complements.iter().find(|(complement, _)| *complement == a) {
            return known;
        }
        let all = self.channel_splat(255);
        let complement = self.colour_xor(a, all);
        self.complements.push((complement, a));
        complement
    }

    /// Each channel shifted left.
    pub(crate) fn colour_shl(&mut self, a: Colour, by: u8) -> Colour {
        Colour(a.0.map(|v| self.b.ins().ishl_imm_u(v, i64::from(by))))
    }

    /// Each channel shifted right, unsigned.
    pub(crate) fn colour_shr(&mut self, a: Colour, by: u8) -> Colour {
        Colour(a.0.map(|v| self.b.ins().ushr_imm_u(v, i64::from(by))))
    }

    /// The integer nearest to p / 255, for p up to 65025.
    pub(crate) fn div255r(&mut self, p: Colour) -> Colour {
        let half = self.channel_splat(128);
        let t = self.colour_add(p, half);
        let high = self.colour_shr(t, 8);
        let sum = self.colour_add(t, high);
        self.colour_shr(sum, 8)
    }

    /// Channel `channel` in all four.
    pub(crate) fn replicate(&mut self, a: Colour, channel: Channel) -> Colour {
        self.arrange(a, [channel as u8; 4])
    }

    /// The channels of each pixel in another order: which channel goes where.
    pub(crate) fn arrange(&mut self, a: Colour, order: [u8; 4]) -> Colour {
        let bytes: Vec<u8> =
            (0..8).flat_map(|k| [0, 1].map(|byte| (k / 4 * 4 + order[k as usize % 4]) * 2 + byte)).collect();
        Colour(a.0.map(|v| {
            let mask = self.b.func.dfg.immediates.push(ConstantData::from(bytes.clone()));
            let v = self.cast(I8X16, v);
            let mixed = self.b.ins().shuffle(v, v, mask);
            self.cast(I16X8, mixed)
        }))
    }

    /// Alpha of `alpha`, the other channels of `rgb`.
    pub(crate) fn with_alpha(&mut self, rgb: Colour, alpha: Colour) -> Colour {
        let mask = self.channels([0xffff, 0, 0, 0]);
        self.pairs(alpha, rgb, |l, alpha, rgb| l.b.ins().bitselect(mask.0[0], alpha, rgb))
    }

    /// The channels of `a` where the mask has ones, else those of `b`.
    pub(crate) fn colour_select(&mut self, mask: Colour, a: Colour, b: Colour) -> Colour {
        Colour([0, 1].map(|n| self.b.ins().bitselect(mask.0[n], a.0[n], b.0[n])))
    }

    /// A mask of pixels as a mask of channels.
    pub(crate) fn channel_mask(&mut self, mask: Mask) -> Colour {
        // Each lane of 32 bits twice makes the 64 bits of a pixel.
        let [low, high] = [[0, 0, 1, 1], [2, 2, 3, 3]].map(|lanes| self.permute(mask.0, lanes));
        Colour([low, high].map(|v| self.cast(I16X8, v)))
    }
}

/// Conversions.
impl Lanes<'_> {
    /// Channels of four pixels from bytes.
    pub(crate) fn unpack(&mut self, pixels: I32s) -> Colour {
        let bytes = self.cast(I8X16, pixels.0);
        let low = self.b.ins().uwiden_low(bytes);
        Colour([low, self.b.ins().uwiden_high(bytes)])
    }

    /// Channels of four pixels that are all the same, from bytes.
    pub(crate) fn unpack_one(&mut self, pixels: I32s) -> Colour {
        let bytes = self.cast(I8X16, pixels.0);
        Colour([self.b.ins().uwiden_low(bytes); 2])
    }

    /// Bytes of four pixels; channels above 255 become 255.
    pub(crate) fn pack(&mut self, colour: Colour) -> I32s {
        let bytes = self.b.ins().unarrow(colour.0[0], colour.0[1]);
        I32s(self.cast(I32X4, bytes))
    }

    /// Pixels from one vector for each channel with values 0 to 255: alpha, blue, green, red.
    pub(crate) fn gather_planes(&mut self, [a, b, g, r]: [I32s; 4]) -> Colour {
        let shifted = [(b, 8), (g, 16), (r, 24)].map(|(v, by)| self.b.ins().ishl_imm_u(v.0, by));
        let pixels = shifted.into_iter().fold(a.0, |all, v| self.b.ins().bor(all, v));
        self.unpack(I32s(pixels))
    }

    /// One channel of four pixels, 0 to 255.
    pub(crate) fn plane(&mut self, colour: Colour, channel: Channel) -> I32s {
        let pixels = self.pack(colour);
        self.byte_field(pixels, channel as u8)
    }

    /// `round(clamp(c, 0, 1) * 255)`; a NaN gives 0.
    pub(crate) fn colour_byte(&mut self, c: F32s) -> I32s {
        let clamped = self.clamp01(c);
        let (scale, half) = (self.float(255.0), self.float(0.5));
        let scaled = self.fmul(clamped, scale);
        let sum = self.fadd(scaled, half);
        self.float_to_int_loose(sum)
    }

    /// `round(c * 255)` of a number up to 1 and a little more, where less than 0 may be any negative number; a NaN gives 0 or
    /// less.
    pub(crate) fn colour_byte_low(&mut self, c: F32s) -> I32s {
        let (scale, half) = (self.float(255.0), self.float(0.5));
        let scaled = self.fmul(c, scale);
        let sum = self.fadd(scaled, half);
        self.float_to_int_loose(sum)
    }

    /// Pixels from one vector for each channel, alpha, blue, green, red, with values up to 255; negative ones
    /// become 0.
    pub(crate) fn gather_saturated(&mut self, [a, b, g, r]: [I32s; 4]) -> Colour {
        let ag = self.b.ins().unarrow(a.0, g.0);
        let br = self.b.ins().unarrow(b.0, r.0);
        let ab = self.interleave_bytes(ag, br, 2, 0);
        let gr = self.interleave_bytes(ag, br, 2, 8);
        Colour([0, 8].map(|from| {
            let pixels = self.interleave_bytes(ab, gr, 4, from);
            self.cast(I16X8, pixels)
        }))
    }

    /// Pixels from one vector for each pixel, with values up to 2^16 - 1; negative ones become 0.
    pub(crate) fn pixels_saturated(&mut self, [a, b, c, d]: [I32s; 4]) -> Colour {
        Colour([[a, b], [c, d]].map(|[a, b]| self.b.ins().unarrow(a.0, b.0)))
    }

    /// Pieces of `size` bytes of two vectors in turn, from byte `from` of both on.
    pub(super) fn interleave_bytes(&mut self, a: Value, b: Value, size: u8, from: u8) -> Value {
        let pieces = (0..8 / size).map(|n| from + n * size);
        let bytes = pieces.flat_map(|at| [at, at + 16].map(|at| (0..size).map(move |byte| at + byte)));
        let mask: Vec<u8> = bytes.flatten().collect();
        let mask = self.b.func.dfg.immediates.push(ConstantData::from(mask));
        let [a, b] = [a, b].map(|v| self.cast(I8X16, v));
        self.b.ins().shuffle(a, b, mask)
    }

    /// `min(max(x, 0), 1)` by comparisons: a NaN gives 0.
    pub(crate) fn clamp01(&mut self, x: F32s) -> F32s {
        let (zero, one) = (self.float(0.0), self.float(1.0));
        let above = self.max(x, zero);
        self.min(above, one)
    }

    /// `min(max(x, low), high)` by comparisons: a NaN gives `low`.
    pub(crate) fn clamp(&mut self, x: F32s, low: F32s, high: F32s) -> F32s {
        let above = self.max(x, low);
        self.min(above, high)
    }

    /// Mask of the lanes in which `x` is not a NaN.
    pub(crate) fn ordered(&mut self, x: F32s) -> Mask {
        self.compare(FloatCC::Ordered, x, x)
    }
}

/// Memory.
impl Lanes<'_> {
    /// 16 bytes as integers.
    pub(crate) fn load_ints(&mut self, base: Scalar, offset: i32) -> I32s {
        I32s(self.b.ins().load(I32X4, loose(), base.0, offset))
    }

    /// Stores 16 bytes.
    pub(crate) fn store_ints(&mut self, value: I32s, base: Scalar, offset: i32) {
        self.b.ins().store(loose(), value.0, base.0, offset);
    }

    /// A colour of the draw's constants.
    pub(crate) fn load_pair(&mut self, base: Scalar, offset: i32) -> Colour {
        let value = self.b.ins().load(I16X8, loose(), base.0, offset);
        Colour([value; 2])
    }

    /// One lane in all four.
    pub(crate) fn broadcast(&mut self, a: I32s, lane: u8) -> I32s {
        I32s(self.permute(a.0, [lane; 4]))
    }

    /// The lowest bits of the lanes' signs, lane 0 in bit 0.
    pub(crate) fn sign_bits(&mut self, mask: Mask) -> Scalar {
        let bits = self.b.ins().vhigh_bits(I32, mask.0);
        Scalar(self.b.ins().uextend(I64, bits))
    }

    /// Each lane shifted left.
    pub(crate) fn int_shl(&mut self, a: I32s, by: u8) -> I32s {
        I32s(self.b.ins().ishl_imm_u(a.0, i64::from(by)))
    }

    /// Each lane shifted right, unsigned.
    pub(crate) fn int_shr(&mut self, a: I32s, by: u8) -> I32s {
        I32s(self.b.ins().ushr_imm_u(a.0, i64::from(by)))
    }

    /// Bitwise or.
    pub(crate) fn int_or(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().bor(a.0, b.0))
    }

    /// Bitwise exclusive or.
    pub(crate) fn int_xor(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().bxor(a.0, b.0))
    }

    /// Product, modulo 2^32.
    pub(crate) fn int_mul(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().imul(a.0, b.0))
    }

    /// The smaller one, signed.
    pub(crate) fn int_min(&mut self, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().smin(a.0, b.0))
    }
}
