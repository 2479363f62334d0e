//! Key of tests, blending and writes.
//!
//! Source: pica-fragment.md 7, the liveness of 8.3 and C11-C15, C28 and C30 of 8.4.

mod blending;

use super::combiner::Needs;
use crate::key::bytes::listed;
use crate::key::forms::{After, Between, Digit, Each, Either, Flag, Maybe, Name, Own, Unless};
use crate::key::key;
pub(crate) use blending::{BlendGroup, BlendKey};
use picaflor_pipeline::pica::regs::fragop::{BlendEquation, BlendFactor, FragmentMode, LogicOp, StencilOp};
use picaflor_pipeline::pica::regs::framebuffer::DepthFormat;
use picaflor_pipeline::pica::regs::{CompareFunc, Registers};
use picaflor_pipeline::pica::texel::ColourFormat;

listed! { BlendEquation, BlendFactor, ColourFormat, DepthFormat, LogicOp, StencilOp }

key! {
    /// From the combiners' colour to memory.
    pub(crate) enum OutputKey {
        /// Fragments leave nothing behind.
        Nothing = "nothing",
        /// A shadow map.
        Shadow = "shadow",
        /// Tests and colour.
        Normal(merger: MergerKey = Own) = "",
    }
}

key! {
    /// Tests and colour.
    pub(crate) struct MergerKey {
        /// `Always` without a test, and never `Never`.
        pub(crate) alpha_func: CompareFunc = Unless(CompareFunc::Always, Between("a", Name, ".")),
        pub(crate) stencil: Option<StencilKey> = Maybe(Between("s", Own, ".")),
        pub(crate) depth: DepthKey = Own,
        /// The colour write, where there is one.
        pub(crate) colour: Option<ColourKey> = Maybe(After(".", Own)),
    }
}

key! {
    /// The stencil test and its operations.
    pub(crate) struct StencilKey {
        pub(crate) func: CompareFunc = Name,
        /// When the test fails, when the depth test fails, when both pass.
        pub(crate) ops: [StencilOp; 3] = After(".", Each(".", Name)),
        /// True if the stencil is readable; else it reads as 0.
        pub(crate) reads: bool = Either("-", ""),
    }
}

key! {
    /// The depth test and the depth write.
    pub(crate) struct DepthKey {
        /// Where the buffer is not touched, one with as many bits, or `D16` where depth is not compared.
        pub(crate) format: DepthFormat = Name,
        /// `Always` without a test.
        pub(crate) func: CompareFunc = After(".", Name),
        /// True if depth is readable; else it reads as 0.
        pub(crate) reads: bool = Flag("r"),
        pub(crate) writes: bool = Flag("w"),
    }
}

key! {
    /// The colour write.
    pub(crate) struct ColourKey {
        pub(crate) format: ColourFormat = Name,
        /// Channels that are written, red lowest; alpha only where the format has it.
        pub(crate) mask: u8 = After(".", Digit(16)),
        pub(crate) mix: Mix = After(".", Own),
    }
}

key! {
    /// Combination of the colour with that of its pixel.
    pub(crate) enum Mix {
        Logic(op: LogicOp = Name) = "",
        Blend(blend: BlendKey = Own) = "",
    }
}

impl OutputKey {
    pub(crate) fn of(registers: &Registers) -> Self {
        let operation = registers.colour_operation();
        let colours = [registers.colorbuffer_read(), registers.colorbuffer_write()];
        match operation.mode() {
            _ if operation.skip_all() => Self::Nothing,
            FragmentMode::Gas => Self::Nothing,
            FragmentMode::Shadow if colours.iter().all(|access| access.is_allowed()) => Self::Shadow,
            FragmentMode::Shadow => Self::Nothing,
            FragmentMode::Normal | FragmentMode::Unknown2 => MergerKey::of(registers),
        }
    }

    /// Channels of the combiners' result that matter before fog.
    pub(crate) fn needs(&self) -> Needs {
        match self {
            Self::Nothing => Needs::default(),
            Self::Shadow => Needs { rgb: true, alpha: false },
            Self::Normal(merger) => Needs { rgb: false, alpha: merger.tests_alpha() },
        }
    }

    /// Channels of the colour after fog that matter.
    pub(crate) fn written(&self) -> Needs {
        match self {
            Self::Normal(MergerKey { colour: Some(colour), .. }) => colour.needs(),
            _ => Needs::default(),
        }
    }

    /// Channels of the combiners' result that can matter, red lowest: those of [`needs`](Self::needs) and
    /// [`written`](Self::written), as far as single ones are known not to.
    pub(crate) fn channels(&self) -> u8 {
        match self {
            Self::Nothing => 0,
            // A shadow map takes green.
            Self::Shadow => 2,
            Self::Normal(merger) => 8 | merger.colour.map_or(0, |colour| colour.mask & 7),
        }
    }

    /// True if depth matters for tests and writes.
    pub(crate) fn reads_depth(&self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Shadow => true,
            Self::Normal(merger) => merger.depth.is_compared() || merger.depth.writes,
        }
    }

    /// Bytes of a pixel in the colour buffer, 0 when it is not touched.
    pub(crate) fn colour_bytes(&self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::Shadow => 4,
            Self::Normal(merger) => merger.colour.map_or(0, |colour| colour.format.bytes()),
        }
    }

    /// Bytes of a pixel in the depth buffer, 0 when it is not touched.
    pub(crate) fn depth_bytes(&self) -> u32 {
        match self {
            Self::Normal(merger) if merger.touches_depth() => merger.depth.format.bytes(),
            _ => 0,
        }
    }
}

impl OutputKey {
    /// True if the bytes of the colour and of the depth buffer can change.
    pub(crate) fn writes(&self) -> [bool; 2] {
        match self {
            Self::Nothing => [false; 2],
            Self::Shadow => [true, false],
            Self::Normal(merger) => {
                let stencil = merger.stencil.is_some_and(|stencil| stencil.writes());
                [merger.colour.is_some(), merger.depth.writes || stencil]
            }
        }
    }
}

impl MergerKey {
    /// The format of depth, if that of fragments matters.
    pub(crate) fn used_depth(&self) -> Option<DepthFormat> {
        (self.depth.is_compared() || self.depth.writes).then_some(self.depth.format)
    }

    fn of(registers: &Registers) -> OutputKey {
        let test = registers.alpha_test();
        let alpha_func = if test.enable() { test.func() } else { CompareFunc::Always };
        let mut depth = DepthKey::of(registers);
        let stencil = StencilKey::of(registers, depth.func);
        let passes = depth.func != CompareFunc::Never
            && stencil.is_none_or(|stencil| stencil.func != CompareFunc::Never);
        if !passes {
            depth.writes = false;
        }
        if stencil.is_some_and(|stencil| stencil.func == CompareFunc::Never) {
            depth.func = CompareFunc::Always;
        }
        let colour = if passes { ColourKey::of(registers) } else { None };
        let mut key = Self { alpha_func, stencil, depth, colour };
        if alpha_func == CompareFunc::Never || !key.leaves_anything() {
            return OutputKey::Nothing;
        }
        if !key.touches_depth() {
            // The buffer's layout does not matter, but the width of what is compared with 0 does.
            let is_wide = depth.is_compared() && depth.format.depth_bits() == 24;
            key.depth.format = if is_wide { DepthFormat::D24 } else { DepthFormat::D16 };
        }
        key.depth.reads &= depth.is_compared();
        OutputKey::Normal(key)
    }

    fn leaves_anything(&self) -> bool {
        self.depth.writes || self.colour.is_some() || self.stencil.is_some_and(|stencil| stencil.writes())
    }

    /// True if code needs the depth buffer.
    pub(crate) fn touches_depth(&self) -> bool {
        let stencil = self.stencil.is_some_and(|stencil| stencil.reads || stencil.writes());
        stencil || self.depth.writes || self.depth.reads && self.depth.is_compared()
    }

    pub(crate) fn tests_alpha(&self) -> bool {
        self.alpha_func != CompareFunc::Always
    }
}

impl DepthKey {
    fn of(registers: &Registers) -> Self {
        let mask = registers.depth_colour_mask();
        let reads = registers.depthbuffer_read().is_allowed();
        let func = if mask.depth_test() { mask.depth_func() } else { CompareFunc::Always };
        // Depth that cannot be seen is 0.
        let func = match func {
            CompareFunc::Less if !reads => CompareFunc::Never,
            CompareFunc::LessEqual if !reads => CompareFunc::Equal,
            CompareFunc::Greater if !reads => CompareFunc::NotEqual,
            CompareFunc::GreaterEqual if !reads => CompareFunc::Always,
            func => func,
        };
        let format = match registers.depthbuffer_format().format() {
            DepthFormat::Unknown => DepthFormat::D16,
            format => format,
        };
        Self { format, func, reads, writes: mask.depth_write() && registers.depthbuffer_write().is_allowed() }
    }

    /// True if the test looks at depth.
    pub(crate) const fn is_compared(&self) -> bool {
        !matches!(self.func, CompareFunc::Always | CompareFunc::Never)
    }
}

impl StencilKey {
    /// `None` where the test is off or does nothing. `depth`: the depth test that follows.
    fn of(registers: &Registers, depth: CompareFunc) -> Option<Self> {
        let (test, ops) = (registers.stencil_test(), registers.stencil_operation());
        if !test.enable() || !registers.depthbuffer_format().format().has_stencil() {
            return None;
        }
        let reads = registers.depthbuffer_read().is_allowed();
        let writes = registers.depthbuffer_write().is_allowed() && test.write_mask() != 0;
        let happens = [
            test.func() != CompareFunc::Always,
            test.func() != CompareFunc::Never && depth != CompareFunc::Always,
            test.func() != CompareFunc::Never && depth != CompareFunc::Never,
        ];
        let ops = [ops.stencil_fail(), ops.depth_fail(), ops.pass()];
        let ops = std::array::from_fn(|n| match ops[n] {
            _ if !writes || !happens[n] => StencilOp::Keep,
            // What is kept is what is seen.
            StencilOp::Keep if !reads => StencilOp::Zero,
            op => op,
        });
        let key = Self { func: test.func(), ops, reads };
        (key.func != CompareFunc::Always || key.writes()).then_some(key)
    }

    /// True if any operation can change the stencil.
    pub(crate) fn writes(&self) -> bool {
        self.ops != [StencilOp::Keep; 3]
    }
}

impl ColourKey {
    /// `None` where nothing is written.
    fn of(registers: &Registers) -> Option<Self> {
        let format = registers.colorbuffer_format().format();
        let mask = registers.depth_colour_mask().colour_mask() & if format.has_alpha() { 15 } else { 7 };
        if !registers.colorbuffer_write().is_allowed() || format == ColourFormat::Unknown || mask == 0 {
            return None;
        }
        let reads = registers.colorbuffer_read().is_allowed();
        let mix = if registers.colour_operation().blend() {
            BlendKey::of(registers, format, mask, reads)
        } else if reads {
            Mix::Logic(registers.logic_operation().op())
        } else {
            Mix::Logic(blending::without_destination(registers.logic_operation().op()))
        };
        (mix != Mix::Logic(LogicOp::NoOp)).then_some(Self { format, mask, mix })
    }

    fn needs(&self) -> Needs {
        let groups = Needs { rgb: self.mask & 7 != 0, alpha: self.mask & 8 != 0 };
        match self.mix {
            Mix::Logic(LogicOp::Clear | LogicOp::Set | LogicOp::Invert | LogicOp::NoOp) => Needs::default(),
            Mix::Logic(_) => groups,
            Mix::Blend(blend) => blend.needs(),
        }
    }

    /// True if all channels are written.
    pub(crate) const fn is_whole(&self) -> bool {
        self.mask == if self.format.has_alpha() { 15 } else { 7 }
    }
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
