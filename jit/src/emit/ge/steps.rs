//! Operations on numbers with constant increments: 64-bit lanes, channels of two pixels.

use crate::emit::lanes::{I32s, Lanes, Scalar};
use crate::emit::pixels::Colour;
use cranelift_codegen::ir::types::{I8X16, I16X8, I32X4, I64X2};
use cranelift_codegen::ir::{ConstantData, InstBuilder, MemFlagsData, Value};
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

    pub(crate) fn long_add(&mut self, a: I64s, b: I64s) -> I64s {
        I64s(self.b.ins().iadd(a.0, b.0))
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

/// Channels of two pixels.
impl Lanes<'_> {
    pub(crate) fn channel_var(&mut self) -> ChannelVar {
        ChannelVar(self.b.declare_var(I16X8))
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
