//! `PixelKey`: the part of the state that selects the code of the GE's pixel path.

use super::texture::{TextureKey, textured};
use crate::code::ge::depth_test::DepthTest;
use crate::code::ge::texels::Sampling;
use crate::error::CompileError;
use crate::ge::texel::colour::encode;
use crate::key::bytes::{Stored, listed};
use crate::key::forms::{After, Each, Either, Flag, Form, Maybe, Name, Own, Unless, Word};
use crate::key::key;
use crate::key::text::Reader;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::pixel::{
    BlendEquation, BlendFactor, ColourTestFunc, CompareFunc, LogicOp, StencilOp,
};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::vram::AddressMaps;
use std::cmp::Ordering;
use std::fmt::Formatter;

listed! { BlendEquation, BlendFactor, ColourTestFunc, LogicOp, StencilOp }
listed! { enum PixelFormat { Rgb5650, Rgba5551, Rgba4444, Rgba8888 } }

key! {
    /// One routine for each.
    pub(crate) struct PixelKey {
        /// Rectangles, points and lines, else triangles.
        pub(crate) rectangles: bool = After("ge/", Either("tri", "rect")),
        pub(crate) format: PixelFormat = After("/", Name),
        /// Colours change across a triangle.
        pub(crate) smooth: bool = Word("/smooth"),
        /// True if depth has to lie between two bounds.
        pub(crate) depth_range: bool = Word("/range"),
        /// The secondary colour is added.
        pub(crate) secondary: bool = Word("/secondary"),
        pub(crate) fog: bool = Word("/fog"),
        pub(crate) dither: bool = Word("/dither"),
        pub(crate) written: Written = Own,
        pub(crate) texture: Option<TextureKey> = Maybe(After("/", Own)),
        pub(crate) alpha_test: CompareFunc = Unless(CompareFunc::Always, After("/alpha=", Name)),
        pub(crate) colour_test: ColourTestFunc = Unless(ColourTestFunc::Always, After("/ctest=", Name)),
        pub(crate) stencil: Option<StencilKey> = Maybe(After("/stencil=", Own)),
        pub(crate) depth: Option<DepthKey> = Maybe(After("/depth=", Own)),
        pub(crate) blend: Option<BlendKey> = Maybe(After("/blend=", Own)),
        pub(crate) logic: LogicOp = Unless(LogicOp::Copy, After("/logic=", Name)),
    }
}

key! {
    /// The stencil test and its operations; only for formats with a stencil.
    pub(crate) struct StencilKey {
        pub(crate) func: CompareFunc = Name,
        /// Where the test fails, where depth fails, where both pass; all of them keep a value that is not written.
        pub(crate) ops: [StencilOp; 3] = After("-", Each("-", Name)),
    }
}

key! {
    /// Depth.
    pub(crate) struct DepthKey {
        pub(crate) func: CompareFunc = Name,
        pub(crate) writes: bool = Flag("+w"),
        /// Mapping of addresses.
        pub(crate) maps: AddressMaps = After("@", Maps),
    }
}

key! {
    /// Blending.
    pub(crate) struct BlendKey {
        pub(crate) equation: BlendEquation = Name,
        /// Of the source and of the destination.
        pub(crate) factors: [BlendFactor; 2] = After("-", Each("-", Name)),
    }
}

key! {
    /// Written parts of a pixel: colour and alpha.
    pub(crate) struct Written {
        /// Some bits of RGB.
        pub(crate) colour: bool = Word("/rgb"),
        /// Some bits of alpha, by stencil operations or in clear mode.
        pub(crate) alpha: bool = Word("/a"),
    }
}

/// All address maps, by the name that they print as.
const MAPS: [AddressMaps; 6] = [
    AddressMaps::Flat,
    AddressMaps::Off,
    AddressMaps::Shift(0),
    AddressMaps::Shift(1),
    AddressMaps::Shift(2),
    AddressMaps::Shift(3),
];

/// The form of address maps.
struct Maps;

impl Form<AddressMaps> for Maps {
    fn write(&self, value: &AddressMaps, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "{value:?}")
    }

    fn read(&self, text: &mut Reader<'_>) -> Option<AddressMaps> {
        text.name(MAPS.iter().map(|maps| (format!("{maps:?}"), *maps)))
    }
}

impl Stored for AddressMaps {
    fn put(&self, bytes: &mut Vec<u8>) {
        let shift = match self {
            Self::Flat => None,
            Self::Off => Some(None),
            Self::Shift(n) => Some(Some(*n)),
        };
        shift.put(bytes);
    }

    fn take(bytes: &mut &[u8]) -> Option<Self> {
        Some(match Stored::take(bytes)? {
            None => Self::Flat,
            Some(None) => Self::Off,
            Some(Some(n)) => Self::Shift(n),
        })
    }

    #[cfg(test)]
    fn neighbours(&self) -> Vec<Self> {
        MAPS.into_iter().filter(|maps| maps != self).collect()
    }
}

impl PixelKey {
    /// That of a state, for primitives of a shape.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for lines whose level of detail depends on their neighbouring pixels.
    pub(crate) fn of(state: &PixelState<'_>, shape: Shape) -> Result<Self, CompileError> {
        let registers = state.registers;
        let key = if registers.clear_mode().enable() {
            Self::of_clear_mode(registers, state.maps)
        } else {
            Self::of_normal_mode(state)
        };
        let range = registers.depth_range();
        let key = Self {
            // Points and lines are drawn as rectangles of one pixel each.
            rectangles: shape != Shape::Triangle,
            depth_range: !registers.is_through() && range != [0, 0xffff],
            dither: registers.is_on(op::DTE) && (0..4).any(|row| registers.bits(op::DTH0 + row, 0, 16) != 0),
            ..key
        };
        let key = key.canonical(registers);
        if shape == Shape::Line && key.texture.is_some_and(|texture| texture.filter.compares_pixels()) {
            return Err(CompileError::UnknownState {
                what: "lines of the GE with levels of detail of their own",
            });
        }
        Ok(key)
    }

    const fn empty(format: PixelFormat) -> Self {
        Self {
            format,
            rectangles: false,
            smooth: false,
            depth_range: false,
            texture: None,
            secondary: false,
            alpha_test: CompareFunc::Always,
            fog: false,
            colour_test: ColourTestFunc::Always,
            stencil: None,
            depth: None,
            blend: None,
            dither: false,
            logic: LogicOp::Copy,
            written: Written { colour: true, alpha: false },
        }
    }

    fn of_clear_mode(registers: &Registers, maps: AddressMaps) -> Self {
        let clear = registers.clear_mode();
        let depth = DepthKey { func: CompareFunc::Always, writes: true, maps };
        Self {
            depth: clear.depth().then_some(depth),
            written: Written { colour: clear.colour(), alpha: clear.alpha() },
            ..Self::empty(registers.pixel_format())
        }
    }

    fn of_normal_mode(state: &PixelState<'_>) -> Self {
        let registers = state.registers;
        let on = |enable, value| if registers.is_on(enable) { value } else { CompareFunc::Always };
        let depth =
            DepthKey { func: registers.depth_func(), writes: registers.stores_depth(), maps: state.maps };
        let colour_test = registers.colour_test();
        let (blending, logic) = (registers.blending(), registers.logic_op());
        let stencil = registers.is_on(op::STE).then(|| StencilKey::of(registers));
        Self {
            smooth: registers.is_on(op::SHADE),
            texture: textured(registers, state.is_immediate),
            secondary: registers.has_secondary(state.is_immediate),
            alpha_test: on(op::ATE, registers.alpha_test().effective()),
            fog: registers.has_fog(state.is_immediate),
            colour_test: if registers.is_on(op::CTE) { colour_test } else { ColourTestFunc::Always },
            stencil,
            depth: registers.is_on(op::ZTE).then_some(depth),
            blend: registers.is_on(op::ABE).then_some(BlendKey::of(blending.equation(), registers)).flatten(),
            logic: if registers.is_on(op::LOE) { logic } else { LogicOp::Copy },
            written: Written { colour: true, alpha: stencil.is_some_and(|stencil| stencil.writes()) },
            ..Self::empty(registers.pixel_format())
        }
    }

    /// Canonical form: without fields that have no visible effect.
    fn canonical(mut self, registers: &Registers) -> Self {
        let mask = registers.write_mask();
        self.written.colour &= encode(self.format, !mask & 0xff_ffff) != 0;
        self.written.alpha &= encode(self.format, !mask & 0xff00_0000) != 0;
        if let Some(depth) = self.depth
            && depth.func == CompareFunc::Always
            && !depth.writes
        {
            self.depth = None;
        }
        if let Some(stencil) = &mut self.stencil {
            *stencil = stencil.canonical(self.depth, self.written.alpha);
            self.written.alpha = stencil.writes();
        }
        if self.stencil.is_some_and(|stencil| stencil.func == CompareFunc::Always && !stencil.writes()) {
            self.stencil = None;
        }
        if self.logic == LogicOp::NoOp {
            self.written.colour = false;
        }
        if !self.written.colour {
            (self.blend, self.dither, self.logic) = (None, false, LogicOp::Copy);
        }
        if !self.reads_colour() {
            (self.texture, self.secondary, self.fog, self.smooth) = (None, false, false, false);
        }
        self.smooth &= !self.rectangles;
        self
    }

    /// How texels are found before code runs, if any are.
    pub(crate) fn sampling(&self) -> Option<Sampling> {
        let texture = self.texture.filter(|_| self.reads_colour());
        texture.map(|texture| Sampling { depth: self.depth_test(), ..texture.sampling(self.rectangles) })
    }

    /// True if pixels whose stencil or depth test fails have no effect at all.
    pub(crate) fn fails_without_effect(&self) -> bool {
        self.stencil.is_none_or(|stencil| stencil.ops[..2] == [StencilOp::Keep; 2])
    }

    /// A depth test that hides pixels for good, which have no effect then.
    pub(crate) fn hiding_test(&self) -> Option<DepthTest> {
        self.depth_test().filter(|_| self.fails_without_effect())
    }

    /// A depth test that hides pixels for good, so that their colours do not count.
    fn depth_test(&self) -> Option<DepthTest> {
        // Of pixels that change the stencil, the tests before it read the colours.
        let is_read = self.tests_colour() && !self.fails_without_effect();
        let depth = self.depth.filter(|_| !self.rectangles && !is_read)?;
        let (passes, or_equal) = match depth.func {
            CompareFunc::Equal => (Ordering::Equal, true),
            CompareFunc::Less => (Ordering::Less, false),
            CompareFunc::LessEqual => (Ordering::Less, true),
            CompareFunc::Greater => (Ordering::Greater, false),
            CompareFunc::GreaterEqual => (Ordering::Greater, true),
            CompareFunc::Never | CompareFunc::Always | CompareFunc::NotEqual => return None,
        };
        Some(DepthTest { passes, or_equal, maps: depth.maps })
    }

    /// The key of the code, which those share that differ in nothing but what is done outside of it.
    pub(crate) fn of_code(&self) -> Self {
        let texture = self.texture.filter(|_| self.reads_colour());
        let texture = texture.map(TextureKey::of_code);
        Self { texture, ..*self }
    }

    /// True if the depth of a pixel decides or is stored.
    pub(crate) const fn reads_depth(&self) -> bool {
        self.depth.is_some() || self.depth_range
    }

    /// True if the colour of a pixel can be seen.
    pub(crate) const fn reads_colour(&self) -> bool {
        self.written.colour
            || self.written.alpha && self.stencil.is_none()
            || !matches!(self.alpha_test, CompareFunc::Always)
            || !matches!(self.colour_test, ColourTestFunc::Always)
    }

    /// True if tests read colours, which must then be computed first.
    pub(crate) const fn tests_colour(&self) -> bool {
        !matches!(self.alpha_test, CompareFunc::Always) || !matches!(self.colour_test, ColourTestFunc::Always)
    }

    /// True if anything of the colour buffer is read or written.
    pub(crate) const fn touches_colour(&self) -> bool {
        self.written.colour || self.written.alpha || self.stencil.is_some()
    }
}

impl StencilKey {
    fn of(registers: &Registers) -> Self {
        let ops = registers.stencil_ops();
        Self { func: registers.stencil_test().func(), ops: [ops.fail(), ops.depth_fail(), ops.pass()] }
    }

    /// True if some of the three changes a value.
    pub(crate) fn writes(&self) -> bool {
        self.ops != [StencilOp::Keep; 3]
    }

    /// Without operations that never happen, or cannot be seen.
    fn canonical(self, depth: Option<DepthKey>, is_written: bool) -> Self {
        let Self { func, ops: [mut fail, mut depth_fail, mut pass] } = self;
        if func == CompareFunc::Always {
            fail = StencilOp::Keep;
        }
        if func == CompareFunc::Never {
            (depth_fail, pass) = (StencilOp::Keep, StencilOp::Keep);
        }
        if depth.is_none_or(|depth| depth.func == CompareFunc::Always) {
            depth_fail = pass;
        }
        Self { func, ops: if is_written { [fail, depth_fail, pass] } else { [StencilOp::Keep; 3] } }
    }
}

impl BlendKey {
    fn of(equation: BlendEquation, registers: &Registers) -> Option<Self> {
        let blending = registers.blending();
        let factors = match equation {
            BlendEquation::Off => return None,
            BlendEquation::Min | BlendEquation::Max | BlendEquation::AbsoluteDifference => {
                [BlendFactor::Fixed; 2]
            }
            _ => [blending.source(), blending.destination()],
        };
        Some(Self { equation, factors })
    }

    /// Predicate: a source whose alpha is 255 hides what is there, and is not changed.
    pub(crate) fn covers(self) -> bool {
        let over = [BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha];
        self.equation == BlendEquation::Add && self.factors == over
    }
}
