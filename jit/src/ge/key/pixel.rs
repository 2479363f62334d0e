//! `PixelKey`: what of a state selects the code of the GE's pixel path.

use super::texture::{TextureKey, textured};
use crate::error::CompileError;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::pixel::{
    BlendEquation, BlendFactor, ColourTestFunc, CompareFunc, LogicOp, StencilOp,
};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::PixelState;
use picaflor_pipeline::ge::vram::AddressMaps;
use std::fmt;

/// One routine for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PixelKey {
    pub(crate) format: PixelFormat,
    /// Rectangles, else triangles.
    pub(crate) rectangles: bool,
    /// Colours change across a triangle.
    pub(crate) smooth: bool,
    /// Whether depth has to lie between two bounds.
    pub(crate) depth_range: bool,
    pub(crate) texture: Option<TextureKey>,
    /// The secondary colour is added.
    pub(crate) secondary: bool,
    pub(crate) alpha_test: CompareFunc,
    pub(crate) fog: bool,
    pub(crate) colour_test: ColourTestFunc,
    pub(crate) stencil: Option<StencilKey>,
    pub(crate) depth: Option<DepthKey>,
    pub(crate) blend: Option<BlendKey>,
    pub(crate) dither: bool,
    pub(crate) logic: LogicOp,
    pub(crate) written: Written,
}

/// The stencil test and what it does; only bytes of formats that keep a stencil.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct StencilKey {
    pub(crate) func: CompareFunc,
    /// Where the test fails, where depth fails, where both pass.
    pub(crate) ops: [StencilOp; 3],
    /// Some of the three changes a value.
    pub(crate) writes: bool,
}

/// Depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct DepthKey {
    pub(crate) func: CompareFunc,
    pub(crate) writes: bool,
    /// How addresses are mapped.
    pub(crate) maps: AddressMaps,
}

/// Blending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BlendKey {
    pub(crate) equation: BlendEquation,
    /// Of the source and of the destination.
    pub(crate) factors: [BlendFactor; 2],
}

/// What is written of a pixel's colour and alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Written {
    /// Some bits of RGB.
    pub(crate) colour: bool,
    /// Some bits of alpha, by stencil operations or in clear mode.
    pub(crate) alpha: bool,
}

impl PixelKey {
    /// That of a state, for primitives of a shape.
    ///
    /// # Errors
    /// [`CompileError::UnknownState`] for points and lines.
    pub(crate) fn of(state: &PixelState<'_>, shape: Shape) -> Result<Self, CompileError> {
        let registers = state.registers;
        let rectangles = match shape {
            Shape::Triangle => false,
            Shape::Rectangle => true,
            _ => return Err(CompileError::UnknownState { what: "points and lines of the GE" }),
        };
        let key = if registers.clear_mode().enable() {
            Self::of_clear_mode(registers, state.maps)
        } else {
            Self::of_normal_mode(state)
        };
        let range = registers.depth_range();
        let key = Self {
            rectangles,
            depth_range: !registers.is_through() && range != [0, 0xffff],
            dither: registers.is_on(op::DTE) && (0..4).any(|row| registers.bits(op::DTH0 + row, 0, 16) != 0),
            ..key
        };
        Ok(key.canonical(registers))
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
            secondary: registers.is_on(op::LMODE) && !registers.is_through(),
            alpha_test: on(op::ATE, registers.alpha_test().func()),
            fog: registers.has_fog(state.is_immediate),
            colour_test: if registers.is_on(op::CTE) { colour_test } else { ColourTestFunc::Always },
            stencil,
            depth: registers.is_on(op::ZTE).then_some(depth),
            blend: registers.is_on(op::ABE).then_some(BlendKey::of(blending.equation(), registers)).flatten(),
            logic: if registers.is_on(op::LOE) { logic } else { LogicOp::Copy },
            written: Written { colour: true, alpha: stencil.is_some_and(|stencil| stencil.writes) },
            ..Self::empty(registers.pixel_format())
        }
    }

    /// Without what cannot be seen.
    fn canonical(mut self, registers: &Registers) -> Self {
        let mask = registers.write_mask();
        self.written.colour &= self.format.encode(!mask & 0xff_ffff) != 0;
        self.written.alpha &= self.format.encode(!mask & 0xff00_0000) != 0;
        if let Some(depth) = self.depth
            && depth.func == CompareFunc::Always
            && !depth.writes
        {
            self.depth = None;
        }
        if let Some(stencil) = &mut self.stencil {
            *stencil = stencil.canonical(self.depth, self.written.alpha);
            self.written.alpha = stencil.writes;
        }
        if self.stencil.is_some_and(|stencil| stencil.func == CompareFunc::Always && !stencil.writes) {
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

    /// Whether the colour of a pixel can be seen.
    pub(crate) const fn reads_colour(&self) -> bool {
        self.written.colour
            || self.written.alpha && self.stencil.is_none()
            || !matches!(self.alpha_test, CompareFunc::Always)
            || !matches!(self.colour_test, ColourTestFunc::Always)
    }

    /// Whether tests look at colours, so that they have to be known first.
    pub(crate) const fn tests_colour(&self) -> bool {
        !matches!(self.alpha_test, CompareFunc::Always) || !matches!(self.colour_test, ColourTestFunc::Always)
    }

    /// Whether anything of the colour buffer is read or written.
    pub(crate) const fn touches_colour(&self) -> bool {
        self.written.colour || self.written.alpha || self.stencil.is_some()
    }
}

impl StencilKey {
    fn of(registers: &Registers) -> Self {
        let ops = registers.stencil_ops();
        let ops = [ops.fail(), ops.depth_fail(), ops.pass()];
        let writes = ops.iter().any(|&op| op != StencilOp::Keep);
        Self { func: registers.stencil_test().func(), ops, writes }
    }

    /// Without operations that never happen, or cannot be seen.
    fn canonical(self, depth: Option<DepthKey>, is_written: bool) -> Self {
        let Self { func, ops: [mut fail, mut depth_fail, mut pass], .. } = self;
        if func == CompareFunc::Always {
            fail = StencilOp::Keep;
        }
        if func == CompareFunc::Never {
            (depth_fail, pass) = (StencilOp::Keep, StencilOp::Keep);
        }
        if depth.is_none_or(|depth| depth.func == CompareFunc::Always) {
            depth_fail = pass;
        }
        let ops = [fail, depth_fail, pass];
        let writes = is_written && ops.iter().any(|&op| op != StencilOp::Keep);
        Self { func, ops: if writes { ops } else { [StencilOp::Keep; 3] }, writes }
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
}

impl fmt::Display for PixelKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ge/{}/{:?}", if self.rectangles { "rect" } else { "tri" }, self.format)?;
        let flags = [
            (self.smooth, "smooth"),
            (self.depth_range, "range"),
            (self.secondary, "secondary"),
            (self.fog, "fog"),
            (self.dither, "dither"),
            (self.written.colour, "rgb"),
            (self.written.alpha, "a"),
        ];
        flags.iter().filter(|(on, _)| *on).try_for_each(|(_, name)| write!(f, "/{name}"))?;
        if let Some(texture) = &self.texture {
            write!(f, "/{texture}")?;
        }
        if self.alpha_test != CompareFunc::Always {
            write!(f, "/alpha={:?}", self.alpha_test)?;
        }
        if self.colour_test != ColourTestFunc::Always {
            write!(f, "/ctest={:?}", self.colour_test)?;
        }
        if let Some(StencilKey { func, ops: [fail, depth_fail, pass], .. }) = self.stencil {
            write!(f, "/stencil={func:?}-{fail:?}-{depth_fail:?}-{pass:?}")?;
        }
        if let Some(DepthKey { func, writes, maps }) = self.depth {
            write!(f, "/depth={func:?}{}@{maps:?}", if writes { "+w" } else { "" })?;
        }
        if let Some(BlendKey { equation, factors: [source, destination] }) = self.blend {
            write!(f, "/blend={equation:?}-{source:?}-{destination:?}")?;
        }
        if self.logic != LogicOp::Copy {
            write!(f, "/logic={:?}", self.logic)?;
        }
        Ok(())
    }
}
