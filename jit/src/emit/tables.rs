//! Operations on tables.

use super::lanes::{F32s, I32s, Lanes, Scalar};
use super::pixels::Colour;
use cranelift_codegen::ir::types::{F64X2, I32, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData};

impl Lanes<'_> {
    /// The lanes as unsigned integers. They come in pairs, which takes fewer instructions.
    pub(crate) fn unsigned_lanes(&mut self, a: I32s) -> [Scalar; 4] {
        let [first, pairs] = [F64X2, I64X2].map(|ty| self.cast(ty, a.0));
        // Lane 0 of doubles is there already.
        let first = self.b.ins().extractlane(first, 0);
        let first = self.b.ins().bitcast(I64, MemFlagsData::new(), first);
        let second = self.b.ins().extractlane(pairs, 1);
        let [[a, b], [c, d]] = [first, second].map(|pair| {
            let low = self.b.ins().ireduce(I32, pair);
            let low = self.b.ins().uextend(I64, low);
            [low, self.b.ins().ushr_imm_u(pair, 32)].map(Scalar)
        });
        [a, b, c, d]
    }

    /// Addresses from offsets in bytes, which are not negative.
    pub(crate) fn addresses(&mut self, base: Scalar, offsets: I32s) -> [Scalar; 4] {
        self.unsigned_lanes(offsets).map(|offset| self.scalar_add(base, offset))
    }

    /// One lane in all four.
    pub(crate) fn broadcast_float(&mut self, a: F32s, lane: u8) -> F32s {
        F32s(self.permute(a.0, [lane; 4]))
    }

    /// A colour from the channels of each pixel, which become 0 to 255 by saturation.
    pub(crate) fn saturated_pixels(&mut self, pixels: [I32s; 4]) -> Colour {
        let [a, b, c, d] = pixels.map(|pixel| pixel.0);
        let positive = Colour([self.b.ins().unarrow(a, b), self.b.ins().unarrow(c, d)]);
        let most = self.channel_splat(255);
        self.colour_min(positive, most)
    }
}
