//! Pixels of render targets: a quad's lie next to each other, 2, 3 or 4 bytes each, and nothing outside its
//! 8, 12 or 16 bytes is touched.

use crate::emit::lanes::{I32s, Lanes, Scalar};
use crate::emit::pixels::Colour;
use cranelift_codegen::ir::types::{I8X16, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{ConstantData, InstBuilder, MemFlagsData, Value};
use picaflor_pipeline::pica::texel::ColourFormat;

const fn loose() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// A channel of a format of 16 bits: its byte in RGBA8, its lowest bit, its bits.
type Place = (u8, u8, u8);

/// The channels of a format of 16 bits.
const fn places(format: ColourFormat) -> &'static [Place] {
    match format {
        ColourFormat::Rgb5a1 => &[(0, 0, 1), (1, 1, 5), (2, 6, 5), (3, 11, 5)],
        ColourFormat::Rgb565 => &[(1, 0, 5), (2, 5, 6), (3, 11, 5)],
        _ => &[(0, 0, 4), (1, 4, 4), (2, 8, 4), (3, 12, 4)],
    }
}

/// Bits of a pixel, as [`Lanes::encode`] has them, that belong to the channels of a mask, red lowest.
pub(crate) fn channel_bits(format: ColourFormat, mask: u8) -> u32 {
    let is_in = |byte: u8| mask >> (3 - byte) & 1 != 0;
    if format.bytes() == 2 {
        let live = places(format).iter().filter(|place| is_in(place.0));
        live.map(|&(_, low, bits)| ((1 << bits) - 1) << low).sum()
    } else {
        (0..4).filter(|&byte| is_in(byte)).map(|byte| 0xff << (8 * byte)).sum()
    }
}

/// Whole pixels.
impl Lanes<'_> {
    /// A quad of pixels of 2, 3 or 4 bytes; bits beyond a pixel are zero.
    pub(crate) fn load_pixels(&mut self, base: Scalar, bytes: u32) -> I32s {
        match bytes {
            2 => I32s(self.b.ins().uload16x4(loose(), base.0, 0)),
            3 => {
                let twelve = self.load_twelve(base);
                let none = self.int(0);
                self.arrange_bytes(twelve, none, [0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16])
            }
            _ => self.load_ints(base, 0),
        }
    }

    /// Stores the low 2, 3 or 4 bytes of each lane.
    pub(crate) fn store_pixels(&mut self, value: I32s, base: Scalar, bytes: u32) {
        match bytes {
            2 => {
                let low =
                    self.arrange_bytes(value, value, [0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13]);
                self.store_eight(low, base);
            }
            3 => {
                let low =
                    self.arrange_bytes(value, value, [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 1, 2, 4]);
                self.store_twelve(low, base);
            }
            _ => self.store_ints(value, base, 0),
        }
    }

    /// The bits of `a` where those of the mask are set, else those of `b`.
    pub(crate) fn int_bits_select(&mut self, mask: I32s, a: I32s, b: I32s) -> I32s {
        I32s(self.b.ins().bitselect(mask.0, a.0, b.0))
    }

    fn load_twelve(&mut self, base: Scalar) -> I32s {
        let low = self.b.ins().load(I64, loose(), base.0, 0);
        let low = self.b.ins().scalar_to_vector(I64X2, low);
        let low = self.cast(I32X4, low);
        let high = self.b.ins().load(I32, loose(), base.0, 8);
        I32s(self.b.ins().insertlane(low, high, 2))
    }

    fn store_eight(&mut self, value: I32s, base: Scalar) {
        let pairs = self.cast(I64X2, value.0);
        let low = self.b.ins().extractlane(pairs, 0);
        self.b.ins().store(loose(), low, base.0, 0);
    }

    fn store_twelve(&mut self, value: I32s, base: Scalar) {
        self.store_eight(value, base);
        let high = self.b.ins().extractlane(value.0, 2);
        self.b.ins().store(loose(), high, base.0, 8);
    }

    /// Bytes of two vectors: 0-15 name those of `a`, 16-31 those of `b`.
    pub(crate) fn arrange_bytes(&mut self, a: I32s, b: I32s, bytes: [u8; 16]) -> I32s {
        let mask = self.b.func.dfg.immediates.push(ConstantData::from(&bytes[..]));
        let [a, b] = [a, b].map(|v| self.cast(I8X16, v.0));
        let mixed: Value = self.b.ins().shuffle(a, b, mask);
        I32s(self.cast(I32X4, mixed))
    }
}

/// Colour formats.
impl Lanes<'_> {
    /// A quad of pixels of the colour buffer. Formats of three and four bytes have the channels of RGBA8,
    /// alpha 255 where it is missing.
    pub(crate) fn load_colours(&mut self, base: Scalar, format: ColourFormat) -> I32s {
        if format != ColourFormat::Rgb8 {
            return self.load_pixels(base, format.bytes());
        }
        let (twelve, all) = (self.load_twelve(base), self.int(-1));
        self.arrange_bytes(twelve, all, [16, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11])
    }

    /// Stores pixels as [`load_colours`](Self::load_colours) gives them.
    pub(crate) fn store_colours(&mut self, pixels: I32s, base: Scalar, format: ColourFormat) {
        if format != ColourFormat::Rgb8 {
            return self.store_pixels(pixels, base, format.bytes());
        }
        let low = self.arrange_bytes(pixels, pixels, [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 1, 2, 3, 5]);
        self.store_twelve(low, base);
    }

    /// The pixels of colours, truncated; bits beyond a pixel are zero.
    pub(crate) fn encode(&mut self, colour: Colour, format: ColourFormat) -> I32s {
        let bytes = self.pack(colour);
        if format.bytes() != 2 {
            return bytes;
        }
        let mut pixels = None;
        for &(byte, low, bits) in places(format) {
            let down = self.int_shr(bytes, 8 * byte + 8 - bits - low);
            let field = self.int(((1 << bits) - 1) << low);
            let part = self.int_and(down, field);
            pixels = Some(pixels.map_or(part, |all| self.int_or(all, part)));
        }
        pixels.expect("formats have channels")
    }

    /// The colours of pixels, their highest bits repeated below; alpha 255 where it is missing.
    pub(crate) fn decode(&mut self, pixels: I32s, format: ColourFormat) -> Colour {
        if format.bytes() != 2 {
            return self.unpack(pixels);
        }
        let mut planes = [None; 4];
        for &(byte, low, bits) in places(format) {
            let down = if low == 0 { pixels } else { self.int_shr(pixels, low) };
            let field = self.int((1 << bits) - 1);
            let value = self.int_and(down, field);
            planes[usize::from(byte)] = Some(self.expand(value, bits));
        }
        let planes = planes.map(|plane| plane.unwrap_or_else(|| self.int(255)));
        self.gather_planes(planes)
    }

    /// Values of 1, 4, 5 or 6 bits as 8, the highest bits repeated below.
    fn expand(&mut self, value: I32s, bits: u8) -> I32s {
        if bits < 5 {
            let factor = self.int(255 / ((1 << bits) - 1));
            return self.int_mul(value, factor);
        }
        let (high, low) = (self.int_shl(value, 8 - bits), self.int_shr(value, 2 * bits - 8));
        self.int_or(high, low)
    }
}
