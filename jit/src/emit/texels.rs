//! Operations of sampling: indices, gathered texels, weights.

use super::flow::Merged;
use super::lanes::{F32s, I32s, Lanes, Mask, Scalar};
use super::pixels::Colour;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F32X4, I8X16, I16X8, I32, I32X4, I64};
use cranelift_codegen::ir::{Block, BlockArg, ConstantData, InstBuilder, JumpTableData, Value};
use cranelift_frontend::Variable;

/// Texels behind the last one of an image that may be loaded with it.
pub(crate) const SPARE: usize = 3;

/// No byte of a vector.
const NO_BYTE: u8 = 0x80;

/// Two texels for each of four pixels: those of the first two pixels, those of the last two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TexelPairs(pub(crate) [I32s; 2]);

/// A variable of four pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ColourVar([Variable; 2]);

/// Variables.
impl Lanes<'_> {
    pub(crate) fn colour_var(&mut self) -> ColourVar {
        ColourVar([(); 2].map(|()| self.b.declare_var(I16X8)))
    }

    pub(crate) fn set_colour(&mut self, var: ColourVar, colour: Colour) {
        for (var, value) in var.0.into_iter().zip(colour.0) {
            self.b.def_var(var, value);
        }
    }

    pub(crate) fn get_colour(&mut self, var: ColourVar) -> Colour {
        Colour(var.0.map(|var| self.b.use_var(var)))
    }
}

impl Merged for Colour {
    type Var = ColourVar;

    fn var(l: &mut Lanes<'_>) -> ColourVar {
        l.colour_var()
    }

    fn set(self, l: &mut Lanes<'_>, var: ColourVar) {
        l.set_colour(var, self);
    }

    fn get(l: &mut Lanes<'_>, var: ColourVar) -> Self {
        l.get_colour(var)
    }
}

/// Numbers.
impl Lanes<'_> {
    /// `-a` where the mask is set, else `a`.
    pub(crate) fn negate_where(&mut self, mask: Mask, a: F32s) -> F32s {
        let sign = self.bits(0x8000_0000);
        let mask = self.cast(F32X4, mask.0);
        let flip = self.b.ins().band(mask, sign.0);
        F32s(self.b.ins().bxor(a.0, flip))
    }

    /// The largest lane, in all lanes.
    pub(crate) fn largest(&mut self, a: I32s) -> I32s {
        let other = I32s(self.permute(a.0, [2, 3, 0, 1]));
        let pairs = self.int_max(a, other);
        let other = I32s(self.permute(pairs.0, [1, 0, 3, 2]));
        self.int_max(pairs, other)
    }

    /// Lane 0 as an unsigned integer.
    pub(crate) fn lowest(&mut self, a: I32s) -> Scalar {
        let lane = self.b.ins().extractlane(a.0, 0);
        Scalar(self.b.ins().uextend(I64, lane))
    }

    /// `a` modulo `n`, floored; all lanes of `n` are the same and above 0.
    pub(crate) fn int_modulo(&mut self, a: I32s, n: I32s) -> I32s {
        let divisor = self.b.ins().extractlane(n.0, 0);
        let lane = |l: &mut Self, k: u8| {
            let lane = l.b.ins().extractlane(a.0, k);
            l.b.ins().srem(lane, divisor)
        };
        let first = lane(self, 0);
        let mut all = self.b.ins().scalar_to_vector(I32X4, first);
        for k in 1..4 {
            let remainder = lane(self, k);
            all = self.b.ins().insertlane(all, remainder, k);
        }
        // A remainder has the sign of the dividend.
        let negative = self.b.ins().sshr_imm_u(all, 31);
        let correction = self.b.ins().band(negative, n.0);
        I32s(self.b.ins().iadd(all, correction))
    }

    /// Some bits of a scalar, as a branch condition.
    pub(crate) fn bits_of(&mut self, a: Scalar, bits: i64) -> Value {
        self.b.ins().band_imm_u(a.0, bits)
    }

    /// Bit 0 of a scalar, as a branch condition.
    pub(crate) fn bit0(&mut self, a: Scalar) -> Value {
        self.b.ins().band_imm_u(a.0, 1)
    }

    /// Mask of the lanes in which `a` and `b` are equal.
    pub(crate) fn int_equal(&mut self, a: I32s, b: I32s) -> Mask {
        self.int_compare(IntCC::Equal, a, b)
    }
}

/// Texels.
impl Lanes<'_> {
    /// A word for each lane, from an index in words; indices are not negative.
    pub(crate) fn texels(&mut self, base: Scalar, index: I32s) -> I32s {
        let at = self.unsigned_lanes(index).map(|index| {
            let offset = self.scalar_shl(index, 2);
            self.scalar_add(base, offset)
        });
        self.gather_words(at, 0)
    }

    /// [`texels`](Self::texels) of an image, which has [`SPARE`] texels behind its last one.
    pub(crate) fn image_texels(&mut self, base: Scalar, index: I32s) -> I32s {
        let at = self.unsigned_lanes(index).map(|index| {
            let offset = self.scalar_shl(index, 2);
            self.scalar_add(base, offset)
        });
        self.gather_spare_words(at)
    }

    /// The texel of each index and the next one, of an image with [`SPARE`] texels behind its last one.
    pub(crate) fn texel_pairs(&mut self, base: Scalar, index: I32s) -> TexelPairs {
        let [a, b, c, d] = self.unsigned_lanes(index).map(|index| {
            let offset = self.scalar_shl(index, 2);
            let at = self.scalar_add(base, offset);
            self.load_ints(at, 0)
        });
        TexelPairs([(a, b), (c, d)].map(|(a, b)| I32s(self.interleave_texels(a, b, 8, 0))))
    }

    /// Texels on the left, and on the right.
    pub(crate) fn paired(&mut self, left: I32s, right: I32s) -> TexelPairs {
        TexelPairs([0, 8].map(|from| I32s(self.interleave_texels(left, right, 4, from))))
    }

    fn interleave_texels(&mut self, a: I32s, b: I32s, size: u8, from: u8) -> Value {
        let mixed = self.interleave_bytes(a.0, b.0, size, from);
        self.cast(I32X4, mixed)
    }

    /// The colour between four texels of each pixel: `(lower (256 - gy) + upper gy + 2^15) >> 16`, where the rows are
    /// `left (256 - gx) + right gx`. The weights are up to 256.
    pub(crate) fn bilinear(&mut self, rows: [TexelPairs; 2], gx: I32s, gy: I32s) -> Colour {
        let [x, y] = [gx, gy].map(|weight| self.both_weights(weight));
        let pixels = [0, 1, 2, 3].map(|n| {
            let [x, y] = [x, y].map(|weights| self.broadcast(weights, n));
            let [lower, upper] = rows.map(|row| {
                let channels = self.pair_channels(row.0[usize::from(n / 2)], n % 2);
                self.pair_products(channels, x)
            });
            let upper = self.int_shl(upper, 16);
            let both = self.int_or(lower, upper);
            // Products are signed: with 2^15 taken off both, their sum is 256 * 2^15 less.
            let offset = self.int(0x8000_8000_u32 as i32);
            let both = self.int_xor(both, offset);
            let both = self.cast(I16X8, both.0);
            let sum = self.pair_products(both, y);
            let correction = self.int(0x0080_0000 + 0x8000);
            let sum = self.int_add(sum, correction);
            self.int_shr(sum, 16)
        });
        let [a, b, c, d] = pixels.map(|pixel| pixel.0);
        Colour([self.b.ins().snarrow(a, b), self.b.ins().snarrow(c, d)])
    }

    /// 256 - f in the lower half of each lane, f in the upper one.
    fn both_weights(&mut self, f: I32s) -> I32s {
        let (factor, whole) = (self.int(0xffff), self.int(256));
        let product = self.int_mul(f, factor);
        self.int_add(product, whole)
    }

    /// The channels of two texels in turn: those of the lower half, or of the upper one.
    fn pair_channels(&mut self, texels: I32s, half: u8) -> Value {
        let order = std::array::from_fn(|byte| {
            let (place, is_zero) = (byte as u8 / 2, byte % 2 == 1);
            if is_zero { NO_BYTE } else { 8 * half + place % 2 * 4 + place / 2 }
        });
        let channels = self.some_bytes(texels, order);
        self.cast(I16X8, channels)
    }

    /// Bytes of a vector in some order, or 0 for [`NO_BYTE`].
    fn some_bytes(&mut self, a: I32s, order: [u8; 16]) -> Value {
        let bytes = self.cast(I8X16, a.0);
        let order = self.vector_constant(order, I8X16);
        if self.x86 { self.b.ins().x86_pshufb(bytes, order) } else { self.b.ins().swizzle(bytes, order) }
    }

    /// A number of each pixel, below 2^16, in its four channels.
    pub(crate) fn spread(&mut self, a: I32s) -> Colour {
        self.spread_from(a, 0)
    }

    /// Likewise, of numbers in the lower (0) or upper (2) two bytes of each lane.
    pub(crate) fn spread_from(&mut self, a: I32s, byte: u8) -> Colour {
        let bytes = self.cast(I8X16, a.0);
        Colour([0, 2].map(|pixel: u8| {
            let of = |k: u8| [0, 1].map(|next| (pixel + k / 4) * 4 + byte + next);
            let order: Vec<u8> = (0..8).flat_map(of).collect();
            let mask = self.b.func.dfg.immediates.push(ConstantData::from(order));
            let spread = self.b.ins().shuffle(bytes, bytes, mask);
            self.cast(I16X8, spread)
        }))
    }

    /// `a (256 - f) + b f`, `f` up to 256 in units of 1/256.
    pub(crate) fn mixed(&mut self, a: Colour, b: Colour, f: Colour, complement: Colour) -> Colour {
        let first = self.colour_mul(a, complement);
        let second = self.colour_mul(b, f);
        self.colour_add(first, second)
    }

    /// `(a (256 - f) + b f + 2^15) >> 16` for each channel of `a` and `b`, all of whose 16 bits count; `f` up to
    /// 256, a lane for each pixel.
    pub(crate) fn rows_mixed(&mut self, a: Colour, b: Colour, f: I32s) -> Colour {
        // Both weights in one lane: 256 - f below, f above.
        let high = self.int_shl(f, 16);
        let whole = self.int(256);
        let low = self.int_sub(whole, f);
        let weights = self.int_or(high, low);
        // Products are signed: with 2^15 taken off both, their sum is 256 * 2^15 less.
        let offset = self.channel_splat(0x8000);
        let [a, b] = [a, b].map(|colour| self.colour_xor(colour, offset));
        let correction = self.int(0x0080_0000 + 0x8000);
        let [low, high] = [0, 1].map(|half| {
            let [first, second] = [true, false].map(|low| {
                let pairs = self.interleave(a.0[half], b.0[half], low);
                let weights = self.broadcast(weights, half as u8 * 2 + u8::from(!low));
                let sum = self.pair_products(pairs, weights);
                let sum = self.int_add(sum, correction);
                self.int_shr(sum, 16)
            });
            self.b.ins().snarrow(first.0, second.0)
        });
        Colour([low, high])
    }

    /// Channels of a pixel of `a` and `b` in turns: of the first pixel, or the second.
    fn interleave(&mut self, a: Value, b: Value, first: bool) -> Value {
        let mixed = self.interleave_bytes(a, b, 2, if first { 0 } else { 8 });
        self.cast(I16X8, mixed)
    }

    /// Sums of two neighbouring signed products.
    fn pair_products(&mut self, a: Value, b: I32s) -> I32s {
        let b = self.cast(I16X8, b.0);
        let [a0, b0] = [a, b].map(|v| self.b.ins().swiden_low(v));
        let low = self.b.ins().imul(a0, b0);
        let [a1, b1] = [a, b].map(|v| self.b.ins().swiden_high(v));
        let high = self.b.ins().imul(a1, b1);
        I32s(self.b.ins().iadd_pairwise(low, high))
    }

    /// True if a lane is not 0, as a branch condition.
    pub(crate) fn nonzero(&mut self, a: I32s) -> Value {
        self.b.ins().vany_true(a.0)
    }

    /// To one of the targets by the number in lane 0; to the first one where there is none.
    pub(crate) fn branch_table(&mut self, number: I32s, targets: &[Block]) {
        let number = self.b.ins().extractlane(number.0, 0);
        let calls: Vec<_> =
            targets.iter().map(|&block| self.b.func.dfg.block_call(block, &[] as &[BlockArg])).collect();
        let table = self.b.create_jump_table(JumpTableData::new(calls[0], &calls));
        self.b.ins().br_table(number, table);
    }

    /// True if a lane of a mask is set, as a branch condition.
    pub(crate) fn any_sign(&mut self, mask: Mask) -> Value {
        self.b.ins().vhigh_bits(I32, mask.0)
    }
}
