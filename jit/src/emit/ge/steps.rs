//! Operations on positions with constant increments: 64-bit lanes, and pairs of texels.

use super::row::Quadruple;
use crate::emit::lanes::{F64s, I32s, Lanes, Mask, Scalar};
use crate::emit::pixels::Colour;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{F64X2, I8X16, I16, I16X8, I32X4, I64, I64X2};
use cranelift_codegen::ir::{ConstantData, InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Value};
use cranelift_frontend::Variable;

/// Two integers of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct I64s(Value);

/// A variable of two integers of 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LongVar(Variable);

/// A variable of channels of two pixels, which are those of four.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChannelVar(Variable);

/// Sixteenths, 0 to 15, in the lower (0) or upper (2) two bytes of each lane, whose others are 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sixteenths {
    pub(crate) lanes: I32s,
    pub(crate) byte: u8,
}

/// Weights of two neighbouring texels, 16 - f and f, for four pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PairWeights {
    /// Signed bytes in turns, as the x86 instruction wants them.
    Bytes([Value; 2]),
    /// In each channel.
    Channels { left: Colour, right: Colour },
}

const fn loose() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// 64-bit lanes.
impl Lanes<'_> {
    pub(crate) fn long_var(&mut self) -> LongVar {
        LongVar(self.b.declare_var(I64X2))
    }

    pub(crate) fn set_long(&mut self, var: LongVar, value: I64s) {
        self.b.def_var(var.0, value.0);
    }

    pub(crate) fn get_long(&mut self, var: LongVar) -> I64s {
        I64s(self.b.use_var(var.0))
    }

    /// 16 bytes of memory.
    pub(crate) fn load_longs(&mut self, base: Scalar, offset: i32) -> I64s {
        I64s(self.b.ins().load(I64X2, loose(), base.0, offset))
    }

    /// A count in both lanes.
    pub(crate) fn long_splat(&mut self, count: Scalar) -> I64s {
        I64s(self.b.ins().splat(I64X2, count.0))
    }

    /// The first lane.
    pub(crate) fn first_long(&mut self, a: I64s) -> Scalar {
        Scalar(self.b.ins().extractlane(a.0, 0))
    }

    pub(crate) fn long_add(&mut self, a: I64s, b: I64s) -> I64s {
        I64s(self.b.ins().iadd(a.0, b.0))
    }

    /// The patterns of two doubles.
    pub(crate) fn long_bits(&mut self, a: F64s) -> I64s {
        I64s(self.cast(I64X2, a.0))
    }

    /// Integers as patterns of doubles.
    pub(crate) fn double_of_bits(&mut self, a: I64s) -> F64s {
        F64s(self.cast(F64X2, a.0))
    }

    /// The upper halves of four integers.
    pub(crate) fn upper_halves(&mut self, low: I64s, high: I64s) -> I32s {
        let order = [4_u8, 12, 20, 28].into_iter().flat_map(|from| from..from + 4).collect::<Vec<_>>();
        let mask = self.b.func.dfg.immediates.push(ConstantData::from(order));
        let [low, high] = [low, high].map(|half| self.cast(I8X16, half.0));
        let mixed = self.b.ins().shuffle(low, high, mask);
        I32s(self.cast(I32X4, mixed))
    }
}

/// Doubt.
impl Lanes<'_> {
    /// Lanes whose last bits are those of 0 less at most 2^-14 of all that they count: of doubles so many bits, of
    /// integers so many.
    pub(crate) fn nearly_next(
        &mut self,
        (doubles, double_bits): (&[Quadruple], u8),
        (ints, int_bits): ([I32s; 2], u8),
    ) -> Mask {
        let of_doubles = doubles.iter().map(|doubles| {
            let [low, high] = doubles.map(|half| {
                let last = self.double_bits_shl(half, 64 - double_bits);
                self.long_bits(last)
            });
            self.upper_halves(low, high)
        });
        let of_doubles: Vec<_> = of_doubles.collect();
        let of_ints = ints.map(|int| self.int_shl(int, 32 - int_bits));
        let largest = of_doubles.into_iter().chain(of_ints).reduce(|a, b| I32s(self.b.ins().umax(a.0, b.0)));
        let largest = largest.expect("two integers at least");
        let bound = self.int(-1 << (32 - 14));
        Mask(self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, largest.0, bound.0))
    }
}

/// Counts.
impl Lanes<'_> {
    /// A count shifted right by a constant, with its sign.
    pub(crate) fn scalar_sar(&mut self, a: Scalar, by: u8) -> Scalar {
        Scalar(self.b.ins().sshr_imm_u(a.0, i64::from(by)))
    }

    /// The larger one, signed.
    pub(crate) fn scalar_max(&mut self, a: Scalar, b: Scalar) -> Scalar {
        Scalar(self.b.ins().smax(a.0, b.0))
    }

    pub(crate) fn channel_var(&mut self) -> ChannelVar {
        ChannelVar(self.b.declare_var(I16X8))
    }

    /// The low 16 bits of a count in all channels.
    pub(crate) fn set_channels(&mut self, var: ChannelVar, count: Scalar) {
        let low = self.b.ins().ireduce(I16, count.0);
        let value = self.b.ins().splat(I16X8, low);
        self.b.def_var(var.0, value);
    }

    /// Channels of two pixels from 8 bytes of memory, with a number added.
    pub(crate) fn set_bytes(&mut self, var: ChannelVar, base: Scalar, offset: i32, more: u16) {
        let mut value = self.b.ins().uload8x8(loose(), base.0, offset);
        if more > 0 {
            let more = self.channel_splat(more);
            value = self.b.ins().iadd(value, more.0[0]);
        }
        self.b.def_var(var.0, value);
    }

    pub(crate) fn get_channels(&mut self, var: ChannelVar) -> Colour {
        Colour([self.b.use_var(var.0); 2])
    }
}

/// Colours whose channels are in the upper bytes.
impl Lanes<'_> {
    /// Sums of bytes, at most 255.
    pub(crate) fn bytes_add_saturating(&mut self, a: Colour, b: Colour) -> Colour {
        Colour([0, 1].map(|half| {
            let [a, b] = [a, b].map(|colour| self.cast(I8X16, colour.0[half]));
            let sum = self.b.ins().uadd_sat(a, b);
            self.cast(I16X8, sum)
        }))
    }

    /// Differences of bytes, at least 0.
    pub(crate) fn bytes_sub_saturating(&mut self, a: Colour, b: Colour) -> Colour {
        Colour([0, 1].map(|half| {
            let [a, b] = [a, b].map(|colour| self.cast(I8X16, colour.0[half]));
            let difference = self.b.ins().usub_sat(a, b);
            self.cast(I16X8, difference)
        }))
    }
}

/// Pairs of texels.
impl Lanes<'_> {
    /// The lanes as unsigned integers, by way of memory: code for pixels keeps vector units busy, and loads wait for
    /// nothing.
    pub(crate) fn stored_lanes(&mut self, a: I32s) -> [Scalar; 4] {
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 16, 4));
        let at = Scalar(self.b.ins().stack_addr(I64, slot, 0));
        self.store_ints(a, at, 0);
        [0, 4, 8, 12].map(|offset| self.load_u32(at, offset))
    }

    /// Two words at an offset from each address: of the first two pixels, of the last two.
    pub(crate) fn word_pairs(&mut self, at: [Scalar; 4]) -> [Value; 2] {
        let mut words = at.iter();
        [(); 2].map(|()| {
            let [first, second] = [(); 2].map(|()| words.next().expect("four addresses").0);
            let first = self.b.ins().load(I64, loose(), first, 0);
            let low = self.b.ins().scalar_to_vector(I64X2, first);
            let second = self.b.ins().load(I64, loose(), second, 0);
            self.b.ins().insertlane(low, second, 1)
        })
    }

    /// A word for each lane, from an index in words; indices are not negative.
    pub(crate) fn words_at(&mut self, base: Scalar, index: I32s) -> I32s {
        let at = self.stored_lanes(index).map(|index| {
            let offset = self.scalar_shl(index, 2);
            self.scalar_add(base, offset)
        });
        self.gather_words(at, 0)
    }

    /// The sixteenths in positions with so many bits below a texel.
    pub(crate) fn sixteenths(&mut self, places: I32s, bits: u8) -> Sixteenths {
        let below = bits - 4;
        // They stay where they can be spread from.
        let (lanes, byte) = if below == 16 { (places, 2) } else { (self.int_shr(places, below), 0) };
        let mask = self.int(15 << (8 * byte));
        Sixteenths { lanes: self.int_and(lanes, mask), byte }
    }

    /// Weights of the left and of the right one of two texels.
    pub(crate) fn pair_weights(&mut self, Sixteenths { lanes, byte }: Sixteenths) -> PairWeights {
        let whole = self.int(16 << (8 * byte));
        if !self.x86 {
            let rest = self.int_sub(whole, lanes);
            let [left, right] = [rest, lanes].map(|lanes| self.spread_from(lanes, byte));
            return PairWeights::Channels { left, right };
        }
        // 256 f + (16 - f).
        let high = self.int_shl(lanes, 8);
        let difference = self.int_sub(high, lanes);
        let both = self.int_add(difference, whole);
        let both = self.spread_from(both, byte);
        PairWeights::Bytes(both.0.map(|half| self.cast(I8X16, half)))
    }

    /// `left (16 - f) + right f` of each pixel's two texels.
    pub(crate) fn across_pairs(&mut self, pairs: [Value; 2], weights: PairWeights) -> Colour {
        let bytes = pairs.map(|pair| self.cast(I8X16, pair));
        match weights {
            PairWeights::Bytes(weights) => Colour([0, 1].map(|half| {
                let order = [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15];
                let mask = self.b.func.dfg.immediates.push(ConstantData::from(order.to_vec()));
                let turns = self.b.ins().shuffle(bytes[half], bytes[half], mask);
                self.b.ins().x86_pmaddubsw(weights[half], turns)
            })),
            PairWeights::Channels { left, right } => {
                let [lefts, rights] = [0, 1].map(|n: u8| Colour(bytes.map(|pair| self.texels_of(pair, n))));
                self.mixed(lefts, rights, right, left)
            }
        }
    }

    /// Channels of the left (0) or right (1) texel of two pixels.
    fn texels_of(&mut self, pair: Value, n: u8) -> Value {
        let words = [n, 2 + n, n, 2 + n].into_iter().flat_map(|word| 4 * word..4 * word + 4);
        let mask = self.b.func.dfg.immediates.push(ConstantData::from(words.collect::<Vec<_>>()));
        let chosen = self.b.ins().shuffle(pair, pair, mask);
        self.b.ins().uwiden_low(chosen)
    }
}
