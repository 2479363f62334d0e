//! A state for each key: plain registers that have it.

use super::pixel::{BlendKey, DepthKey, PixelKey, StencilKey, Written};
use super::texture::{FilterKey, LodKey, TextureKey};
use super::vertex::{LightKey, LightingKey, Mapping, Power, TransformKey};
use picaflor_pipeline::bits::Field;
use picaflor_pipeline::compare::CompareFunc;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::light::{LightComponents, LightKind};
use picaflor_pipeline::ge::regs::pixel::{
    Blending, ClearMode, ColourTestFunc, LogicOp, MaskedTest, StencilOps,
};
use picaflor_pipeline::ge::regs::texture::{
    LodMode, TextureBias, TextureFilter, TextureFunction, TextureMode, TextureWrap,
};
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vram::AddressMaps;

fn set(registers: &mut Registers, command: u8, argument: u32) {
    registers.write(u32::from(command) << 24 | argument & 0xff_ffff);
}

fn turn_on(registers: &mut Registers, command: u8) {
    set(registers, command, 1);
}

/// The upper bits of a float.
fn set_float(registers: &mut Registers, command: u8, value: f32) {
    set(registers, command, value.to_bits() >> 8);
}

impl PixelKey {
    /// A state of which this is the key, where vertices do not come from registers: the registers, the address maps
    /// that a depth test needs, and the shape of primitives.
    pub(crate) fn to_registers(self) -> (Registers, AddressMaps, Shape) {
        let mut registers = Registers::default();
        let r = &mut registers;
        set(r, op::PSM, self.format.to_bits());
        set(r, op::FARZ, if self.depth_range { 0xfffe } else { 0xffff });
        if self.dither {
            turn_on(r, op::DTE);
            set(r, op::DTH0, 1);
        }
        if !self.written.colour {
            set(r, op::PMSKC, 0xff_ffff);
        }
        // Without a stencil test only clear mode writes alpha.
        if self.written.alpha && self.stencil.is_none() {
            let Written { colour, alpha } = self.written;
            let clear = ClearMode::default().with_enable(true).with_depth(self.depth.is_some());
            set(r, op::CLEAR, clear.with_colour(colour).with_alpha(alpha).0);
        } else {
            self.set_normal_mode(r);
        }
        let shape = if self.rectangles { Shape::Rectangle } else { Shape::Triangle };
        let maps = self.depth.map_or(AddressMaps::Flat, |depth| depth.maps);
        (registers, maps, shape)
    }

    fn set_normal_mode(&self, r: &mut Registers) {
        set(r, op::SHADE, self.smooth.into());
        if self.secondary {
            [op::LMODE, op::LTE, op::LTE0, op::LT0].into_iter().for_each(|command| set(r, command, 1));
        }
        set(r, op::FGE, self.fog.into());
        if let Some(texture) = &self.texture {
            texture.to_registers(r);
        }
        if self.alpha_test != CompareFunc::Always {
            turn_on(r, op::ATE);
            let test = MaskedTest::default().with_func(self.alpha_test);
            // Some alpha passes, some does not.
            set(r, op::ATST, test.with_reference(0x80).with_mask(0xff).0);
        }
        if self.colour_test != ColourTestFunc::Always {
            turn_on(r, op::CTE);
            set(r, op::CTST, self.colour_test.to_bits());
        }
        if let Some(StencilKey { func, ops: [fail, depth_fail, pass] }) = self.stencil {
            turn_on(r, op::STE);
            set(r, op::STST, func.to_bits());
            let ops = StencilOps::default().with_fail(fail).with_depth_fail(depth_fail).with_pass(pass);
            set(r, op::SOP, ops.0);
        }
        if let Some(DepthKey { func, writes, maps: _ }) = self.depth {
            turn_on(r, op::ZTE);
            set(r, op::ZTST, func.to_bits());
            set(r, op::ZMSK, (!writes).into());
        }
        if let Some(BlendKey { equation, factors: [source, destination] }) = self.blend {
            turn_on(r, op::ABE);
            let blending = Blending::default().with_equation(equation);
            set(r, op::ALPHA, blending.with_source(source).with_destination(destination).0);
        }
        if self.logic != LogicOp::Copy {
            turn_on(r, op::LOE);
            set(r, op::LOP, self.logic.to_bits());
        }
    }
}

impl TextureKey {
    /// Sets the registers of textures so that this is the key, and through mode where coordinates are never divided.
    pub(crate) fn to_registers(self, r: &mut Registers) {
        let Self { func, clamp: [s, t], alpha, doubles, divides, filter } = self;
        turn_on(r, op::TME);
        set(r, op::VTYPE, u32::from(!divides) << 23);
        set(r, op::TWRAP, TextureWrap::default().with_clamp_s(s).with_clamp_t(t).0);
        let function = TextureFunction::default().with_func(func).with_uses_alpha(alpha);
        set(r, op::TFUNC, function.with_doubles(doubles).0);
        let LodKey { mode, linear: [smaller, larger], levels } = match filter {
            FilterKey::Nearest | FilterKey::Found => {
                LodKey { mode: LodMode::Auto, linear: [false; 2], levels: None }
            }
            FilterKey::Linear => LodKey { mode: LodMode::Auto, linear: [true; 2], levels: None },
            FilterKey::Lod(lod) => lod,
        };
        let filter = TextureFilter::default().with_min_linear(smaller).with_mag_linear(larger);
        let filter = filter.with_mipmaps(levels.is_some()).with_mip_linear(levels == Some(true));
        set(r, op::TFLT, filter.0);
        set(r, op::TMODE, TextureMode::default().with_max_level(levels.is_some().into()).0);
        // Half a level: a constant whole one needs no level of detail.
        set(r, op::TBIAS, TextureBias::default().with_mode(mode).with_raw_bias(8).0);
    }
}

impl TransformKey {
    /// Registers of which this is the key.
    pub(crate) fn to_registers(self) -> Registers {
        let Self { vertex_type, texture, reversed, lighting, normal: _ } = self;
        let mut registers = Registers::default();
        let r = &mut registers;
        set(r, op::VTYPE, vertex_type.0);
        set(r, op::TME, (texture != Mapping::Off).into());
        set(r, op::TMAP, texture.to_bits());
        set(r, op::RNORM, reversed.into());
        if let Some(lighting) = lighting {
            lighting.to_registers(r);
        }
        registers
    }
}

impl Mapping {
    /// `TMAP`.
    const fn to_bits(self) -> u32 {
        match self {
            Self::Off | Self::Through | Self::Coordinates => 0,
            Self::Position => 1,
            Self::MatrixCoordinates => 1 | 1 << 8,
            Self::NormalisedNormal => 1 | 2 << 8,
            Self::Normal => 1 | 3 << 8,
            Self::Environment => 2,
        }
    }
}

impl LightingKey {
    fn to_registers(self, r: &mut Registers) {
        let Self { from_vertex, power, separate, lights } = self;
        turn_on(r, op::LTE);
        set(r, op::CMAT, (0..3).map(|n| u32::from(from_vertex[n]) << n).sum());
        set(r, op::LMODE, separate.into());
        set_float(r, op::SPOW, power.exponent());
        for (n, light) in (0..).zip(lights) {
            if let Some(light) = light {
                light.to_registers(n, r);
            }
        }
    }
}

impl LightKey {
    fn to_registers(self, n: u8, r: &mut Registers) {
        let Self { kind, components, spot } = self;
        let kind = match kind {
            LightKind::Directional => 0,
            LightKind::Point => 1,
            LightKind::Spot => 2,
        };
        let components = match components {
            LightComponents::Diffuse => 0,
            LightComponents::DiffuseSpecular => 1,
            LightComponents::PoweredDiffuse => 2,
        };
        turn_on(r, op::LTE0 + n);
        set(r, op::LT0 + n, kind << 8 | components);
        // A spot points somewhere.
        set_float(r, op::LXD0 + 3 * n, 1.0);
        set_float(r, op::LSE0 + n, spot.exponent());
    }
}

impl Power {
    /// An exponent that does this.
    const fn exponent(self) -> f32 {
        match self {
            Self::One => 0.0,
            Self::Step => f32::INFINITY,
            Self::Curve => 1.0,
        }
    }
}
