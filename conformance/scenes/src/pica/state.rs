//! The state of a draw, in the words of the registers: methods of [`ListBuilder`] for scenes.
//!
//! Each method writes whole registers, so that a scene states all relevant values. [`State::defaults`] comes first:
//! it sets a plain state.

use super::kit::{Buffers, Texture};
pub use crate::modelling::compare as func;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float;

/// Sources of a combiner stage.
pub mod source {
    /// Interpolated vertex colour.
    pub const VERTEX: u32 = 0;
    /// Lighting, diffuse.
    pub const PRIMARY: u32 = 1;
    /// Lighting, specular.
    pub const SECONDARY: u32 = 2;
    /// Texture unit 0.
    pub const TEXTURE0: u32 = 3;
    /// Texture unit 1.
    pub const TEXTURE1: u32 = 4;
    /// Texture unit 2.
    pub const TEXTURE2: u32 = 5;
    /// Procedural texture.
    pub const TEXTURE3: u32 = 6;
    /// Combiner buffer.
    pub const BUFFER: u32 = 13;
    /// Constant of the stage.
    pub const CONSTANT: u32 = 14;
    /// Result of the stage before.
    pub const PREVIOUS: u32 = 15;
}

/// Operations of a combiner stage.
pub mod op {
    /// a.
    pub const REPLACE: u32 = 0;
    /// a b.
    pub const MODULATE: u32 = 1;
    /// a + b.
    pub const ADD: u32 = 2;
    /// a + b - 0.5.
    pub const ADD_SIGNED: u32 = 3;
    /// a c + b (1 - c).
    pub const INTERPOLATE: u32 = 4;
    /// a - b.
    pub const SUBTRACT: u32 = 5;
    /// Dot product to red, green, blue.
    pub const DOT3_RGB: u32 = 6;
    /// Dot product to all channels.
    pub const DOT3_RGBA: u32 = 7;
    /// a b + c.
    pub const MULTIPLY_ADD: u32 = 8;
    /// (a + b) c.
    pub const ADD_MULTIPLY: u32 = 9;
}

/// First registers of the combiner stages.
const STAGES: [u16; 6] = [0x0c0, 0x0c8, 0x0d0, 0x0d8, 0x0f0, 0x0f8];
/// First registers of the texture units, and their format registers.
const UNITS: [(u16, u16); 3] = [(0x081, 0x08e), (0x091, 0x096), (0x099, 0x09e)];

/// One combiner stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Combiner {
    /// Operation and sources for red, green, blue.
    pub rgb: (u32, [u32; 3]),
    /// Operation and sources for alpha.
    pub alpha: (u32, [u32; 3]),
    /// Operands for red, green, blue.
    pub rgb_operands: [u32; 3],
    /// Operands for alpha.
    pub alpha_operands: [u32; 3],
    /// Constant, red first.
    pub constant: [u8; 4],
    /// Scales: 0, 1, 2 for once, twice, four times.
    pub scale: (u32, u32),
}

impl Combiner {
    /// Passes the result of the stage before on.
    pub const PASS: Self = Self::replace(source::PREVIOUS);

    /// One source as it is.
    #[must_use]
    pub const fn replace(source: u32) -> Self {
        Self::both(op::REPLACE, [source; 3])
    }

    /// The product of two sources.
    #[must_use]
    pub const fn modulate(a: u32, b: u32) -> Self {
        Self::both(op::MODULATE, [a, b, b])
    }

    /// The same operation for colour and alpha.
    #[must_use]
    pub const fn both(op: u32, sources: [u32; 3]) -> Self {
        Self {
            rgb: (op, sources),
            alpha: (op, sources),
            rgb_operands: [0; 3],
            alpha_operands: [0; 3],
            constant: [255; 4],
            scale: (0, 0),
        }
    }

    /// With another operation and other sources for alpha.
    #[must_use]
    pub const fn alpha(mut self, op: u32, sources: [u32; 3]) -> Self {
        self.alpha = (op, sources);
        self
    }

    /// With a constant.
    #[must_use]
    pub const fn constant(mut self, constant: [u8; 4]) -> Self {
        self.constant = constant;
        self
    }

    /// With operands for red, green, blue.
    #[must_use]
    pub const fn operands(mut self, operands: [u32; 3]) -> Self {
        self.rgb_operands = operands;
        self
    }

    /// With scales for colour and alpha.
    #[must_use]
    pub const fn scaled(mut self, rgb: u32, alpha: u32) -> Self {
        self.scale = (rgb, alpha);
        self
    }

    fn words(&self) -> [u32; 5] {
        let three = |[a, b, c]: [u32; 3]| a | b << 4 | c << 8;
        [
            three(self.rgb.1) | three(self.alpha.1) << 16,
            three(self.rgb_operands) | three(self.alpha_operands) << 12,
            self.rgb.0 | self.alpha.0 << 16,
            u32::from_le_bytes(self.constant),
            self.scale.0 | self.scale.1 << 16,
        ]
    }
}

/// Sampling of a texture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// Linear when a texel covers more than a pixel.
    pub magnify_linear: bool,
    /// Linear when it covers less.
    pub minify_linear: bool,
    /// Blends two levels.
    pub mip_linear: bool,
    /// Wrap modes for s and t: 0 edge, 1 border, 2 repeat, 3 mirrored repeat, 4-7.
    pub wrap: [u32; 2],
    /// Type of unit 0: 0 flat, 1 cube, 2 shadow, 3 projection, 4 shadow cube.
    pub kind: u32,
    /// Border colour.
    pub border: [u8; 4],
    /// Bias of the level in 1/256.
    pub bias: i32,
}

impl Sampler {
    /// Nearest texel, repeating.
    pub const NEAREST: Self = Self {
        magnify_linear: false,
        minify_linear: false,
        mip_linear: false,
        wrap: [2, 2],
        kind: 0,
        border: [0; 4],
        bias: 0,
    };
    /// Linear in all ways, repeating.
    pub const LINEAR: Self =
        Self { magnify_linear: true, minify_linear: true, mip_linear: true, ..Self::NEAREST };

    /// With wrap modes.
    #[must_use]
    pub const fn wrap(mut self, s: u32, t: u32) -> Self {
        self.wrap = [s, t];
        self
    }
}

/// Writes the state of draws.
pub trait State {
    /// Everything plain: no culling, no tests, no blending, vertex colour, the whole of the buffers.
    fn defaults(&mut self, buffers: &Buffers) -> &mut Self;
    /// The render target; colour and depth may be read and written.
    fn target(&mut self, buffers: &Buffers) -> &mut Self;
    /// The rectangle that clip space maps to, in the machine's pixels.
    fn viewport(&mut self, x: i32, y: i32, width: u32, height: u32) -> &mut Self;
    /// 0 draws both sides, 1 drops front faces (counter-clockwise), 2 back faces.
    fn cull(&mut self, mode: u32) -> &mut Self;
    /// Scale and offset of depth; -1 and 0 are usual. `w_buffer`: multiplied by w.
    fn depth_map(&mut self, scale: f32, offset: f32, w_buffer: bool) -> &mut Self;
    /// The depth test; `write` enables depth writes. Colours are written.
    fn depth_test(&mut self, func: u32, write: bool) -> &mut Self;
    /// No depth test, no depth written.
    fn no_depth(&mut self) -> &mut Self;
    /// Colour channels to write (bit 0 red), depth test (`None`: off), and depth writes.
    fn writes(&mut self, channels: u32, test: Option<u32>, depth: bool) -> &mut Self;
    /// The combiner stages; those that are not given hand on.
    fn combiners(&mut self, stages: &[Combiner]) -> &mut Self;
    /// Colour (s a + d (1 - a)), alpha kept from the source.
    fn blend_alpha(&mut self) -> &mut Self;
    /// Blending with equations and factors as in `BLEND_FUNC`.
    fn blend(&mut self, equation: u32, source: u32, destination: u32) -> &mut Self;
    /// A logic operation instead of blending; 3 copies.
    fn logic_op(&mut self, operation: u32) -> &mut Self;
    /// The alpha test.
    fn alpha_test(&mut self, func: u32, reference: u8) -> &mut Self;
    /// The stencil test: function, reference, input mask, write mask, and the operations on stencil failure, depth
    /// failure, pass.
    fn stencil(&mut self, func: u32, reference: u8, masks: [u8; 2], ops: [u32; 3]) -> &mut Self;
    /// No stencil test.
    fn no_stencil(&mut self) -> &mut Self;
    /// The scissor: 0 off, 1 outside, 3 inside; corners inclusive.
    fn scissor(&mut self, mode: u32, x: [u32; 2], y: [u32; 2]) -> &mut Self;
    /// A texture for a unit. Units are enabled by [`units`](Self::units).
    fn texture(&mut self, unit: usize, texture: &Texture, sampler: &Sampler) -> &mut Self;
    /// Which texture units are enabled: bits 0-2 and 10 (procedural); 8-9 and 13 choose coordinates.
    fn units(&mut self, bits: u32) -> &mut Self;
    /// Fog with a colour and a table of 128 factors over depth, 1 for no fog.
    fn fog(&mut self, colour: [u8; 3], factor: &dyn Fn(f32) -> f32) -> &mut Self;
    /// A lighting table by its id, 256 entries over 0..1 (or -1..1 as two's complement, when `signed`).
    fn light_table(&mut self, id: u32, signed: bool, value: &dyn Fn(f32) -> f32) -> &mut Self;
}

impl State for ListBuilder {
    fn defaults(&mut self, buffers: &Buffers) -> &mut Self {
        self.target(buffers).viewport(0, 0, buffers.width, buffers.height);
        self.cull(0).depth_map(-1.0, 0.0, false).no_depth().combiners(&[Combiner::replace(source::VERTEX)]);
        self.logic_op(3).alpha_test(func::ALWAYS, 0).no_stencil().scissor(0, [0, 0], [0, 0]);
        self.units(0).write(0x047, 0).write(0x08f, 0).write(0x1c6, 1);
        self.write_bytes(0x0e0, 0, 0b0101).write(0x058, 0).write(0x061, 0).write(0x062, 0).write(0x118, 0)
    }

    fn target(&mut self, buffers: &Buffers) -> &mut Self {
        let dim = 1 << 24 | (buffers.height - 1) << 12 | buffers.width;
        self.write(0x110, 1);
        self.burst(0x11c, &[buffers.depth >> 3, buffers.colour >> 3, dim]).write(0x06e, dim);
        let size = [2, 1, 0, 0, 0][buffers.colour_format as usize];
        self.write(0x116, buffers.depth_format).write(0x117, buffers.colour_format << 16 | size);
        self.write(0x11b, 0).burst(0x112, &[15, 15, 3, 3])
    }

    fn viewport(&mut self, x: i32, y: i32, width: u32, height: u32) -> &mut Self {
        let (width, height) = (width as f32, height as f32);
        self.burst(
            0x041,
            &[
                float::encode_f24(width / 2.0),
                float::encode_f31(2.0 / width),
                float::encode_f24(height / 2.0),
                float::encode_f31(2.0 / height),
            ],
        );
        self.write(0x068, (y as u32 & 0x3ff) << 16 | x as u32 & 0x3ff)
    }

    fn cull(&mut self, mode: u32) -> &mut Self {
        self.write(0x040, mode)
    }

    fn depth_map(&mut self, scale: f32, offset: f32, w_buffer: bool) -> &mut Self {
        self.burst(0x04d, &[float::encode_f24(scale), float::encode_f24(offset)])
            .write(0x06d, u32::from(!w_buffer))
    }

    fn depth_test(&mut self, func: u32, write: bool) -> &mut Self {
        self.writes(0xf, Some(func), write)
    }

    fn no_depth(&mut self) -> &mut Self {
        self.writes(0xf, None, false)
    }

    fn writes(&mut self, channels: u32, test: Option<u32>, depth: bool) -> &mut Self {
        let test = test.map_or(func::ALWAYS << 4, |func| func << 4 | 1);
        self.write(0x107, test | channels << 8 | u32::from(depth) << 12)
    }

    fn combiners(&mut self, stages: &[Combiner]) -> &mut Self {
        for (k, register) in STAGES.into_iter().enumerate() {
            self.burst(register, &stages.get(k).unwrap_or(&Combiner::PASS).words());
        }
        self.write_bytes(0x0e0, 0, 0b0010).write(0x0fd, 0)
    }

    fn blend_alpha(&mut self) -> &mut Self {
        self.write(0x100, 0x00e4_0100).write(0x101, 0x0176_0000)
    }

    fn blend(&mut self, equation: u32, source: u32, destination: u32) -> &mut Self {
        let factors = source | destination << 4;
        self.write(0x100, 0x00e4_0100).write(0x101, equation | equation << 8 | factors << 16 | factors << 24)
    }

    fn logic_op(&mut self, operation: u32) -> &mut Self {
        self.write(0x100, 0x00e4_0000).write(0x102, operation)
    }

    fn alpha_test(&mut self, func: u32, reference: u8) -> &mut Self {
        self.write(0x104, u32::from(func != func::ALWAYS) | func << 4 | u32::from(reference) << 8)
    }

    fn stencil(
        &mut self,
        func: u32,
        reference: u8,
        [input, write]: [u8; 2],
        [fail, depth_fail, pass]: [u32; 3],
    ) -> &mut Self {
        let masks = u32::from(write) << 8 | u32::from(reference) << 16 | u32::from(input) << 24;
        self.write(0x105, 1 | func << 4 | masks).write(0x106, fail | depth_fail << 4 | pass << 8)
    }

    fn no_stencil(&mut self) -> &mut Self {
        self.write(0x105, func::ALWAYS << 4).write(0x106, 0)
    }

    fn scissor(&mut self, mode: u32, [x1, x2]: [u32; 2], [y1, y2]: [u32; 2]) -> &mut Self {
        self.burst(0x065, &[mode, y1 << 16 | x1, y2 << 16 | x2])
    }

    fn texture(&mut self, unit: usize, texture: &Texture, sampler: &Sampler) -> &mut Self {
        let (first, format) = UNITS[unit];
        let etc1 = u32::from(texture.format == super::encode::format::ETC1) * 2;
        let shadow = u32::from(sampler.kind == 2 || sampler.kind == 4);
        let parameters = u32::from(sampler.magnify_linear) << 1
            | u32::from(sampler.minify_linear) << 2
            | etc1 << 4
            | sampler.wrap[1] << 8
            | sampler.wrap[0] << 12
            | shadow << 20
            | u32::from(sampler.mip_linear) << 24
            | sampler.kind << 28;
        self.burst(
            first,
            &[
                u32::from_le_bytes(sampler.border),
                texture.width << 16 | texture.height,
                parameters,
                sampler.bias as u32 & 0x1fff | (texture.levels - 1) << 16,
                texture.address >> 3,
            ],
        );
        self.write(format, texture.format)
    }

    fn units(&mut self, bits: u32) -> &mut Self {
        self.write(0x080, 1 << 12 | 1 << 16 | bits)
    }

    fn fog(&mut self, [r, g, b]: [u8; 3], factor: &dyn Fn(f32) -> f32) -> &mut Self {
        self.write_bytes(0x0e0, 5, 0b0101).write(0x0e1, u32::from_le_bytes([r, g, b, 0])).write(0x0e6, 0);
        let value = |i: i32| (factor(i as f32 / 128.0).clamp(0.0, 1.0) * 2047.0) as i32;
        let entry = |i| (value(i) << 13 | (value(i + 1) - value(i)) & 0x1fff) as u32;
        self.feed(0x0e8, &(0..128).map(entry).collect::<Vec<_>>())
    }

    fn light_table(&mut self, id: u32, signed: bool, value: &dyn Fn(f32) -> f32) -> &mut Self {
        let at = |i: i32| match signed {
            true if i >= 128 => (i - 256) as f32 / 128.0,
            true => i as f32 / 128.0,
            false => i as f32 / 256.0,
        };
        let step = if signed { 1.0 / 128.0 } else { 1.0 / 256.0 };
        let entry = |i: i32| {
            let here = value(at(i)).clamp(0.0, 1.0);
            let change = value(at(i) + step).clamp(0.0, 1.0) - here;
            let magnitude = ((change.abs() * 2047.0) as u32).min(2047);
            (here * 4095.0) as u32 | magnitude << 12 | u32::from(change < 0.0) << 23
        };
        self.write(0x1c5, id << 8).feed(0x1c8, &(0..256).map(entry).collect::<Vec<_>>())
    }
}
