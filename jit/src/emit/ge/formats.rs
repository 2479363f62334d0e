//! Pixels of 16 bits to channels and back.

use crate::emit::lanes::{I32s, Lanes};
use crate::emit::pixels::Colour;
use cranelift_codegen::ir::types::{I8X16, I16X8, I32X4};
use cranelift_codegen::ir::{ConstantData, InstBuilder, Value};

impl Lanes<'_> {
    /// From each pixel in the lower half of its lane, for each channel: the pixel times a factor, as far as a mask has it,
    /// its upper byte times another factor, of that the upper byte.
    pub(crate) fn channels_of_halves(&mut self, pixels: I32s, [up, mask, repeated]: [[u16; 4]; 3]) -> Colour {
        let all = self.cast(I8X16, pixels.0);
        let fourfold = |l: &mut Self, pixel: u8| {
            let bytes: Vec<u8> =
                (0..2).flat_map(|n| [4 * (pixel + n), 4 * (pixel + n) + 1].repeat(4)).collect();
            let order = l.b.func.dfg.immediates.push(ConstantData::from(bytes));
            let bytes = l.b.ins().shuffle(all, all, order);
            l.cast(I16X8, bytes)
        };
        let pixels = Colour([fourfold(self, 0), fourfold(self, 2)]);
        let [up, mask, repeated] = [up, mask, repeated].map(|channels| self.channels(channels));
        let raised = self.colour_mul(pixels, up);
        let fields = self.colour_and(raised, mask);
        let fields = self.colour_shr(fields, 8);
        let bytes = self.colour_mul(fields, repeated);
        self.colour_shr(bytes, 8)
    }

    /// Sums of a pixel's four bytes times weights, which are products: those of the first and the third byte are 1 and
    /// `of_third`, those of the others a `next` times as much. Sums of neighbours are below 2^15.
    pub(crate) fn weighted_bytes(&mut self, pixels: I32s, next: [i8; 2], of_third: i16) -> I32s {
        let weights: Vec<u8> =
            [1, next[0], 1, next[1]].map(i8::cast_unsigned).into_iter().cycle().take(16).collect();
        let weights = self.vector_constant(weights.try_into().expect("16 bytes"), I8X16);
        let bytes = self.cast(I8X16, pixels.0);
        let pairs = self.b.ins().x86_pmaddubsw(weights, bytes);
        let factors: Vec<u8> =
            [1, of_third].map(i16::to_le_bytes).concat().into_iter().cycle().take(16).collect();
        let factors = self.vector_constant(factors.try_into().expect("16 bytes"), I16X8);
        I32s(self.sums_of_products(pairs, factors))
    }

    /// Products of signed halves, and of these the sum of each two.
    fn sums_of_products(&mut self, a: Value, b: Value) -> Value {
        let mut widened = |high: bool| {
            let [a, b] =
                [a, b].map(|v| if high { self.b.ins().swiden_high(v) } else { self.b.ins().swiden_low(v) });
            self.b.ins().imul(a, b)
        };
        let (low, high) = (widened(false), widened(true));
        debug_assert_eq!(self.b.func.dfg.value_type(low), I32X4);
        self.b.ins().iadd_pairwise(low, high)
    }

    /// True if the target has [`weighted_bytes`](Self::weighted_bytes).
    pub(crate) const fn weighs_bytes(&self) -> bool {
        self.x86
    }
}
