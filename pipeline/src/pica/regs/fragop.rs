//! Fragment operations: 0x100-0x10F and 0x130-0x13F.
//!
//! Source: pica-geometry.md 2.4, pica-fragment.md 6.3 and 7; 3dbrew, GPU/Internal Registers.

use super::{Class, CompareFunc, Description, F16, Registers, Rgba8};

crate::field_enum! {
    /// Purpose of fragments. Source: 3dbrew; 2 is unknown.
    pub enum FragmentMode {
        /// Tests, blending, colour.
        Normal,
        /// Accumulation of density.
        Gas,
        /// Unknown.
        Unknown2,
        /// Depth and intensity of a shadow map.
        Shadow,
    } else Normal
}

crate::bits! {
    /// `GPUREG_COLOR_OPERATION`, 0x100. Source: 3dbrew; bits 24 and 25 were observed by gbatek.
    pub struct ColourOperation(u32) {
        /// Purpose of fragments.
        mode, with_mode: FragmentMode = 0..2;
        /// Blending instead of the logic operation.
        blend, with_blend: bool = 8..9;
        /// Only every second line is drawn.
        skip_lines, with_skip_lines: bool = 24..25;
        /// Nothing is drawn.
        skip_all, with_skip_all: bool = 25..26;
    }
}

crate::field_enum! {
    /// Combination of s × S and d × D in blending. Source: 3dbrew; that 5 to 7 add was measured on a console.
    pub enum BlendEquation {
        /// s × S + d × D.
        Add,
        /// s × S - d × D.
        Subtract,
        /// d × D - s × S.
        ReverseSubtract,
        /// The smaller of the two products.
        Min,
        /// The larger of the two products.
        Max,
    } else Add
}

crate::field_enum! {
    /// A blend factor. Source: 3dbrew; 15 is unknown.
    pub enum BlendFactor {
        /// 0.
        Zero,
        /// 1.
        One,
        /// The source, channel by channel.
        Source,
        /// 1 minus the source.
        OneMinusSource,
        /// The destination, channel by channel.
        Destination,
        /// 1 minus the destination.
        OneMinusDestination,
        /// Alpha of the source.
        SourceAlpha,
        /// 1 minus alpha of the source.
        OneMinusSourceAlpha,
        /// Alpha of the destination.
        DestinationAlpha,
        /// 1 minus alpha of the destination.
        OneMinusDestinationAlpha,
        /// The blend constant, channel by channel.
        Constant,
        /// 1 minus the blend constant.
        OneMinusConstant,
        /// Alpha of the blend constant.
        ConstantAlpha,
        /// 1 minus alpha of the blend constant.
        OneMinusConstantAlpha,
        /// The smaller of source alpha and 1 minus destination alpha; 1 for alpha.
        SourceAlphaSaturate,
        /// Unknown.
        Unknown15,
    } else Unknown15
}

crate::bits! {
    /// `GPUREG_BLEND_FUNC`, 0x101. Source: 3dbrew.
    pub struct BlendFunc(u32) {
        /// Equation of RGB.
        rgb_equation, with_rgb_equation: BlendEquation = 0..3;
        /// Equation of alpha.
        alpha_equation, with_alpha_equation: BlendEquation = 8..11;
        /// Factor of the source's RGB.
        rgb_source, with_rgb_source: BlendFactor = 16..20;
        /// Factor of the destination's RGB.
        rgb_destination, with_rgb_destination: BlendFactor = 20..24;
        /// Factor of the source's alpha.
        alpha_source, with_alpha_source: BlendFactor = 24..28;
        /// Factor of the destination's alpha.
        alpha_destination, with_alpha_destination: BlendFactor = 28..32;
    }
}

crate::field_enum! {
    /// Logic operations on source s and destination d. Source: 3dbrew.
    pub enum LogicOp {
        /// 0.
        Clear,
        /// s & d.
        And,
        /// s & !d.
        AndReverse,
        /// s.
        Copy,
        /// All ones.
        Set,
        /// !s.
        CopyInverted,
        /// d.
        NoOp,
        /// !d.
        Invert,
        /// !(s & d).
        Nand,
        /// s | d.
        Or,
        /// !(s | d).
        Nor,
        /// s ^ d.
        Xor,
        /// !(s ^ d).
        Equivalent,
        /// !s & d.
        AndInverted,
        /// s | !d.
        OrReverse,
        /// !s | d.
        OrInverted,
    } else OrInverted
}

crate::bits! {
    /// `GPUREG_LOGIC_OP`, 0x102. Source: 3dbrew.
    pub struct LogicOperation(u32) {
        /// The operation.
        op, with_op: LogicOp = 0..4;
    }
}

crate::bits! {
    /// `GPUREG_FRAGOP_ALPHA_TEST`, 0x104. Source: 3dbrew.
    pub struct AlphaTest(u32) {
        /// The test is on.
        enable, with_enable: bool = 0..1;
        /// Comparison of the fragment's alpha with the reference.
        func, with_func: CompareFunc = 4..7;
        /// The reference.
        reference, with_reference: u8 = 8..16;
    }
}

crate::bits! {
    /// `GPUREG_STENCIL_TEST`, 0x105. Source: 3dbrew.
    pub struct StencilTest(u32) {
        /// The test is on.
        enable, with_enable: bool = 0..1;
        /// Comparison of the masked reference with the masked stencil.
        func, with_func: CompareFunc = 4..7;
        /// Bits that may change.
        write_mask, with_write_mask: u8 = 8..16;
        /// The reference.
        reference, with_reference: u8 = 16..24;
        /// Bits that are compared.
        input_mask, with_input_mask: u8 = 24..32;
    }
}

crate::field_enum! {
    /// Operation on the stencil value. Source: 3dbrew.
    pub enum StencilOp {
        /// Unchanged.
        Keep,
        /// Set to 0.
        Zero,
        /// Set to the reference.
        Replace,
        /// Incremented, saturating at 255.
        Increment,
        /// Decremented, saturating at 0.
        Decrement,
        /// All bits inverted.
        Invert,
        /// Incremented, wrapping from 255 to 0.
        IncrementWrap,
        /// Decremented, wrapping from 0 to 255.
        DecrementWrap,
    } else Keep
}

crate::bits! {
    /// `GPUREG_STENCIL_OP`, 0x106. Source: 3dbrew.
    pub struct StencilOperation(u32) {
        /// If the stencil test fails.
        stencil_fail, with_stencil_fail: StencilOp = 0..3;
        /// If the stencil test passes and the depth test fails.
        depth_fail, with_depth_fail: StencilOp = 4..7;
        /// If both pass.
        pass, with_pass: StencilOp = 8..11;
    }
}

crate::bits! {
    /// `GPUREG_DEPTH_COLOR_MASK`, 0x107. Source: 3dbrew.
    pub struct DepthColourMask(u32) {
        /// The depth test is on.
        depth_test, with_depth_test: bool = 0..1;
        /// Comparison of the fragment's depth with the buffer's.
        depth_func, with_depth_func: CompareFunc = 4..7;
        /// Mask of the written channels, red lowest.
        colour_mask, with_colour_mask: u8 = 8..12;
        /// Depth is written, even if the test is off.
        depth_write, with_depth_write: bool = 12..13;
    }
}

crate::bits! {
    /// `GPUREG_FRAGOP_SHADOW`, 0x130. Source: 3dbrew.
    pub struct FragopShadow(u32) {
        /// Scale plus bias of the penumbra.
        constant, with_constant: F16 = 0..16;
        /// Minus the scale.
        linear, with_linear: F16 = 16..32;
    }
}

impl Registers {
    /// Fragment mode, blending or logic operation, lines that are skipped: 0x100.
    #[must_use]
    pub fn colour_operation(&self) -> ColourOperation {
        ColourOperation(self.raw(0x100))
    }

    /// Blend equations and factors, 0x101.
    #[must_use]
    pub fn blend_func(&self) -> BlendFunc {
        BlendFunc(self.raw(0x101))
    }

    /// Logic operation, 0x102.
    #[must_use]
    pub fn logic_operation(&self) -> LogicOperation {
        LogicOperation(self.raw(0x102))
    }

    /// Blend constant, 0x103.
    #[must_use]
    pub fn blend_colour(&self) -> Rgba8 {
        Rgba8(self.raw(0x103))
    }

    /// Alpha test, 0x104.
    #[must_use]
    pub fn alpha_test(&self) -> AlphaTest {
        AlphaTest(self.raw(0x104))
    }

    /// Stencil test, 0x105.
    #[must_use]
    pub fn stencil_test(&self) -> StencilTest {
        StencilTest(self.raw(0x105))
    }

    /// Stencil operations, 0x106.
    #[must_use]
    pub fn stencil_operation(&self) -> StencilOperation {
        StencilOperation(self.raw(0x106))
    }

    /// Depth test, depth write, colour mask: 0x107.
    #[must_use]
    pub fn depth_colour_mask(&self) -> DepthColourMask {
        DepthColourMask(self.raw(0x107))
    }

    /// Penumbra of shadow rendering, 0x130.
    #[must_use]
    pub fn fragop_shadow(&self) -> FragopShadow {
        FragopShadow(self.raw(0x130))
    }
}

pub(super) fn describe(id: u16) -> Description {
    let undocumented = |implemented| Description::unnamed(id, Class::Undocumented).implemented(implemented);
    match id {
        // Bits 16-23, which software fills with 0xE4, cannot be read back (gbatek).
        0x100 => Description::new("COLOR_OPERATION", ColourOperation::FIELDS).implemented(!0x00ff_0000),
        0x101 => Description::new("BLEND_FUNC", BlendFunc::FIELDS),
        0x102 => Description::new("LOGIC_OP", LogicOperation::FIELDS),
        0x103 => Description::new("BLEND_COLOR", Rgba8::FIELDS),
        0x104 => Description::new("FRAGOP_ALPHA_TEST", AlphaTest::FIELDS),
        0x105 => Description::new("STENCIL_TEST", StencilTest::FIELDS),
        0x106 => Description::new("STENCIL_OP", StencilOperation::FIELDS),
        0x107 => Description::new("DEPTH_COLOR_MASK", DepthColourMask::FIELDS),
        0x10d => undocumented(1),
        0x10e | 0x10f => undocumented(u32::MAX),
        0x130 => Description::new("FRAGOP_SHADOW", FragopShadow::FIELDS),
        0x13f => undocumented(0xf),
        _ => Description::unnamed(id, Class::Zero).implemented(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::Field;

    #[test]
    fn every_code_decodes_to_itself() {
        for code in 0..16 {
            assert_eq!(BlendFactor::from_bits(code).to_bits(), code);
            assert_eq!(LogicOp::from_bits(code).to_bits(), code);
        }
        for code in 0..8 {
            assert_eq!(StencilOp::from_bits(code).to_bits(), code);
            assert_eq!(CompareFunc::from_bits(code).to_bits(), code);
        }
        for code in 0..4 {
            assert_eq!(FragmentMode::from_bits(code).to_bits(), code);
        }
    }

    #[test]
    fn blend_equations_from_5_on_add() {
        for code in 5..8 {
            assert_eq!(BlendEquation::from_bits(code), BlendEquation::Add);
        }
    }

    #[test]
    fn fields_lie_where_the_manual_says() {
        let blend = BlendFunc(0xba98_0403);
        assert_eq!(blend.rgb_equation(), BlendEquation::Min);
        assert_eq!(blend.alpha_equation(), BlendEquation::Max);
        assert_eq!(blend.rgb_source(), BlendFactor::DestinationAlpha);
        assert_eq!(blend.rgb_destination(), BlendFactor::OneMinusDestinationAlpha);
        assert_eq!(blend.alpha_source(), BlendFactor::Constant);
        assert_eq!(blend.alpha_destination(), BlendFactor::OneMinusConstant);
        let stencil = StencilTest(0x4433_2271);
        assert_eq!((stencil.enable(), stencil.func()), (true, CompareFunc::GreaterEqual));
        assert_eq!((stencil.write_mask(), stencil.reference(), stencil.input_mask()), (0x22, 0x33, 0x44));
        let mask = DepthColourMask(0x1a41);
        assert_eq!((mask.depth_test(), mask.depth_func()), (true, CompareFunc::Less));
        assert_eq!((mask.colour_mask(), mask.depth_write()), (0xa, true));
        let shadow = FragopShadow(0xb800_3c00);
        assert_eq!((shadow.constant().to_f32(), shadow.linear().to_f32()), (1.0, -0.5));
    }

    #[test]
    fn what_software_writes_to_bits_16_to_23_is_not_kept() {
        let mut regs = Registers::new();
        assert_eq!(regs.write(0x100, 0x03e4_0101, 0xf), 0x0300_0101);
        let view = regs.colour_operation();
        assert!(view.blend() && view.skip_lines() && view.skip_all());
        assert_eq!(view.mode(), FragmentMode::Gas);
    }

    #[test]
    fn classes() {
        for id in [0x108, 0x10c, 0x131, 0x13e] {
            assert_eq!((describe(id).class, describe(id).implemented), (Class::Zero, 0), "{id:#x}");
        }
        for (id, implemented) in [(0x10d, 1), (0x10e, u32::MAX), (0x10f, u32::MAX), (0x13f, 0xf)] {
            let line = describe(id);
            assert_eq!((line.class, line.implemented), (Class::Undocumented, implemented), "{id:#x}");
        }
    }
}
