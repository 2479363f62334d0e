//! Register views for pixels after texturing: tests, fog, blending, masks, clear mode.
//!
//! Source: psp-ge.md 3.2, 3.7 and 10.

use super::{Registers, fields, op};
use crate::bits::Field;
pub use crate::compare::CompareFunc;

/// Pixel format of the frame buffer (1.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PixelFormat {
    /// R5 G6 B5, no alpha.
    Rgb5650,
    /// R5 G5 B5 A1.
    Rgba5551,
    /// Four bits each.
    Rgba4444,
    /// Eight bits each.
    Rgba8888,
}

impl PixelFormat {
    /// Decodes the low two bits of a code.
    #[must_use]
    pub const fn of(code: u32) -> Self {
        match code & 3 {
            0 => Self::Rgb5650,
            1 => Self::Rgba5551,
            2 => Self::Rgba4444,
            _ => Self::Rgba8888,
        }
    }

    /// Bytes of a pixel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Rgba8888 => 4,
            _ => 2,
        }
    }
}

impl Field for PixelFormat {
    fn from_bits(raw: u32) -> Self {
        Self::of(raw)
    }
    fn to_bits(self) -> u32 {
        self as u32
    }
}

crate::bits! {
    /// `ATST` and `STST`: both sides of the comparison are masked.
    pub struct MaskedTest(u32) {
        /// The comparison.
        func, with_func: CompareFunc = 0..3;
        /// Reference value.
        reference, with_reference: u8 = 8..16;
        /// Mask.
        mask, with_mask: u8 = 16..24;
    }
}

impl MaskedTest {
    /// The comparison, or [`Always`](CompareFunc::Always) if every value passes it: some games leave a test on that way.
    #[must_use]
    pub fn effective(self) -> CompareFunc {
        let [none, all] = [self.reference(), !self.reference()].map(|bits| bits & self.mask() == 0);
        match self.func() {
            CompareFunc::GreaterEqual if none => CompareFunc::Always,
            CompareFunc::LessEqual if all => CompareFunc::Always,
            func => func,
        }
    }
}

crate::field_enum! {
    /// The colour test.
    pub enum ColourTestFunc {
        /// Fails.
        Never,
        /// Passes.
        Always,
        /// Passes when the masked colours are equal.
        Equal,
        /// Passes when they differ.
        NotEqual,
    } else Never
}

crate::field_enum! {
    /// Operation on a stencil value.
    pub enum StencilOp {
        /// Unchanged; codes 0, 6, 7.
        Keep,
        /// Set to 0.
        Zero,
        /// Set to the reference, unmasked.
        Replace,
        /// All bits inverted.
        Invert,
        /// Incremented, saturating at the maximum.
        Increment,
        /// Decremented, saturating at 0.
        Decrement,
    } else Keep
}

crate::bits! {
    /// `SOP`.
    pub struct StencilOps(u32) {
        /// If the stencil test fails.
        fail, with_fail: StencilOp = 0..3;
        /// If the stencil test passes and the depth test fails.
        depth_fail, with_depth_fail: StencilOp = 8..11;
        /// If both pass.
        pass, with_pass: StencilOp = 16..19;
    }
}

crate::field_enum! {
    /// A blend factor. For the source, the other colour is that of the destination, and vice versa.
    pub enum BlendFactor {
        /// The other colour, channel by channel.
        Other,
        /// 255 minus the other colour.
        OneMinusOther,
        /// Source alpha.
        SourceAlpha,
        /// 255 minus source alpha.
        OneMinusSourceAlpha,
        /// Destination alpha: the stored stencil value.
        DestinationAlpha,
        /// 255 minus destination alpha.
        OneMinusDestinationAlpha,
        /// Twice the source alpha, up to 510.
        DoubleSourceAlpha,
        /// 255 minus twice the source alpha, at least 0.
        OneMinusDoubleSourceAlpha,
        /// Twice the destination alpha, up to 510.
        DoubleDestinationAlpha,
        /// 255 minus twice the destination alpha, at least 0.
        OneMinusDoubleDestinationAlpha,
        /// The colour of a register; codes 10 to 15.
        Fixed,
    } else Fixed
}

crate::field_enum! {
    /// Combination of the products S and D in blending.
    pub enum BlendEquation {
        /// S + D.
        Add,
        /// S - D.
        Subtract,
        /// D - S.
        ReverseSubtract,
        /// The smaller colour; factors are ignored.
        Min,
        /// The larger colour; factors are ignored.
        Max,
        /// The absolute difference of the colours; factors are ignored.
        AbsoluteDifference,
        /// As if blending were off; 6 and 7 (not tested on a console).
        Off,
    } else Off
}

crate::bits! {
    /// `ALPHA`.
    pub struct Blending(u32) {
        /// Factor of the source.
        source, with_source: BlendFactor = 0..4;
        /// Factor of the destination.
        destination, with_destination: BlendFactor = 4..8;
        /// The equation.
        equation, with_equation: BlendEquation = 8..11;
    }
}

crate::field_enum! {
    /// Logic operations on a new colour s and a stored one d.
    pub enum LogicOp {
        /// 0.
        Clear,
        /// s & d.
        And,
        /// s & !d.
        AndReverse,
        /// s.
        Copy,
        /// !s & d.
        AndInverted,
        /// d.
        NoOp,
        /// s ^ d.
        Xor,
        /// s | d.
        Or,
        /// !(s | d).
        Nor,
        /// !(s ^ d).
        Equivalent,
        /// !d.
        Inverted,
        /// s | !d.
        OrReverse,
        /// !s.
        CopyInverted,
        /// !s | d.
        OrInverted,
        /// !(s & d).
        Nand,
        /// All ones.
        Set,
    } else Copy
}

crate::bits! {
    /// `CLEAR`.
    pub struct ClearMode(u32) {
        /// Primitives clear the buffers.
        enable, with_enable: bool = 0..1;
        /// Colour is written.
        colour, with_colour: bool = 8..9;
        /// Alpha is written (it is the stencil value).
        alpha, with_alpha: bool = 9..10;
        /// Depth is written.
        depth, with_depth: bool = 10..11;
    }
}

impl Registers {
    /// `CLEAR`: clear mode.
    #[must_use]
    pub const fn clear_mode(&self) -> ClearMode {
        ClearMode(self.arg(op::CLEAR))
    }

    /// `PSM`: the format of stored colours.
    #[must_use]
    pub const fn pixel_format(&self) -> PixelFormat {
        PixelFormat::of(self.field(op::PSM, fields::PSM))
    }

    /// `NEARZ` and `FARZ`: the least and the greatest depth that passes.
    #[must_use]
    pub const fn depth_range(&self) -> [i32; 2] {
        [self.field(op::NEARZ, fields::SHORT) as i32, self.field(op::FARZ, fields::SHORT) as i32]
    }

    /// `ATST`: the alpha test.
    #[must_use]
    pub const fn alpha_test(&self) -> MaskedTest {
        MaskedTest(self.arg(op::ATST))
    }

    /// `STST`: the stencil test.
    #[must_use]
    pub const fn stencil_test(&self) -> MaskedTest {
        MaskedTest(self.arg(op::STST))
    }

    /// `SOP`: operations on stencil values.
    #[must_use]
    pub const fn stencil_ops(&self) -> StencilOps {
        StencilOps(self.arg(op::SOP))
    }

    /// `ZTST`: the depth test, new value against stored one.
    #[must_use]
    pub fn depth_func(&self) -> CompareFunc {
        CompareFunc::from_bits(self.field(op::ZTST, fields::ZTST))
    }

    /// `ZMSK`: true if depth values that pass are stored.
    #[must_use]
    pub const fn stores_depth(&self) -> bool {
        !self.is_on(op::ZMSK)
    }

    /// `CTST`: the colour test; reference and mask are `CREF` and `CMSK`.
    #[must_use]
    pub fn colour_test(&self) -> ColourTestFunc {
        ColourTestFunc::from_bits(self.field(op::CTST, fields::CTST))
    }

    /// True if fog applies: not in through mode, except for immediate vertices.
    #[must_use]
    pub const fn has_fog(&self, is_immediate: bool) -> bool {
        self.is_on(op::FGE) && (is_immediate || !self.is_through())
    }

    /// True if pixels add the secondary colour of their primitive: where it is separate, outside of through mode.
    fn adds_secondary(&self) -> bool {
        self.is_on(op::LMODE) && !self.is_through()
    }

    /// True if primitives may have a secondary colour other than black: a light gives one, or immediate vertices have their own.
    #[must_use]
    pub fn has_secondary(&self, is_immediate: bool) -> bool {
        self.adds_secondary() && (is_immediate || self.is_on(op::LTE) && (0..4).any(|n| self.has_specular(n)))
    }

    /// True if secondary colours are added, but no vertex of this state has one: only those of a draw before, which this one
    /// continues, and those of a host may.
    #[must_use]
    pub fn adds_foreign_secondary(&self, is_immediate: bool) -> bool {
        self.adds_secondary() && !self.clear_mode().enable() && !self.has_secondary(is_immediate)
    }

    /// `ALPHA`: blending.
    #[must_use]
    pub const fn blending(&self) -> Blending {
        Blending(self.arg(op::ALPHA))
    }

    /// `DTH0` to `DTH3`: the dither offset of the pixel at x, y; -8 to 7.
    #[must_use]
    pub const fn dither(&self, x: i32, y: i32) -> i32 {
        let row = self.arg(op::DTH0 + (y & 3) as u8);
        let entry = (row >> (4 * (x & 3))) as i32;
        entry << 28 >> 28
    }

    /// `LOP`: the logic operation.
    #[must_use]
    pub fn logic_op(&self) -> LogicOp {
        LogicOp::from_bits(self.field(op::LOP, fields::LOP))
    }

    /// `PMSKC` and `PMSKA` as one colour, 0xAABBGGRR: set bits are not written.
    #[must_use]
    pub const fn write_mask(&self) -> u32 {
        self.field(op::PMSKA, fields::BYTE) << 24 | self.arg(op::PMSKC)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test that is left out is one that every alpha passes.
    #[test]
    fn tests_that_everything_passes() {
        let masked = [(0, 0xff), (0, 0), (0xff, 0xff), (0x0f, 0x0f), (0xf0, 0x0f), (1, 0xff), (0x10, 0x7f)];
        for (func, (reference, mask)) in (0..8).flat_map(|func| masked.map(|test| (func, test))) {
            let func = CompareFunc::from_bits(func);
            let test = MaskedTest::default().with_func(func).with_reference(reference).with_mask(mask);
            let passes = |alpha: u8| func.passes((alpha & mask).into(), (reference & mask).into());
            let is_left_out =
                matches!(func, CompareFunc::GreaterEqual | CompareFunc::LessEqual) && (0..=255).all(passes);
            let expected = if is_left_out { CompareFunc::Always } else { func };
            assert_eq!(test.effective(), expected, "{func:?}, {reference:#x}, {mask:#x}");
        }
    }

    #[test]
    fn dither_entries_are_signed() {
        let mut registers = Registers::default();
        registers.write(0xe200_f87f);
        registers.write(0xe500_0800);
        assert_eq!([0, 1, 2, 3].map(|x| registers.dither(x, 4)), [-1, 7, -8, -1]);
        assert_eq!([2, 3].map(|x| registers.dither(x, -1)), [-8, 0]);
    }

    #[test]
    fn codes_past_the_last() {
        let ops = StencilOps(0x03_07_06);
        assert_eq!(
            (ops.fail(), ops.depth_fail(), ops.pass()),
            (StencilOp::Keep, StencilOp::Keep, StencilOp::Invert)
        );
        let blending = Blending(0x7fa);
        assert_eq!((blending.source(), blending.destination()), (BlendFactor::Fixed, BlendFactor::Fixed));
        assert_eq!(blending.equation(), BlendEquation::Off);
    }

    #[test]
    fn fog_in_through_mode() {
        let mut registers = Registers::default();
        registers.write(0x1f00_0001);
        assert!(registers.has_fog(false));
        registers.write(0x1280_0000);
        assert!(!registers.has_fog(false) && registers.has_fog(true));
    }

    #[test]
    fn comparisons() {
        let passing = |func: CompareFunc| [(1, 2), (2, 2), (3, 2)].map(|(a, b)| func.passes(a, b));
        let table = CompareFunc::ALL.iter().map(|&func| passing(func).map(u8::from)).collect::<Vec<_>>();
        let expected =
            [[0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 1], [1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1]];
        assert_eq!(table, expected);
    }
}
