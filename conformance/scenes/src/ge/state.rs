//! Settings of registers, by name.

use super::kit::{Kit, Target};
/// Comparisons of alpha, stencil and depth: the codes are those of the PICA200.
pub use crate::modelling::compare;
use crate::modelling::math::Real;
use crate::modelling::matrix::Matrix;
use picaflor_pipeline::ge::matrix_ports::MatrixPort;
use picaflor_pipeline::ge::regs::op;

/// The middle of the space in which screens lie.
const MIDDLE: u32 = 2048;

/// Factors of blending.
pub mod factor {
    /// The colour of the other side.
    pub const OTHER: u32 = 0;
    /// One minus the colour of the other side.
    pub const NOT_OTHER: u32 = 1;
    /// Alpha of the source.
    pub const ALPHA: u32 = 2;
    /// One minus alpha of the source.
    pub const NOT_ALPHA: u32 = 3;
    /// Alpha of the destination.
    pub const STORED: u32 = 4;
    /// Twice alpha of the source.
    pub const TWICE_ALPHA: u32 = 6;
    /// A fixed colour.
    pub const FIXED: u32 = 10;
}

/// Stencil operations.
pub mod stencil {
    /// No change.
    pub const KEEP: u32 = 0;
    /// Zero.
    pub const ZERO: u32 = 1;
    /// The reference.
    pub const REPLACE: u32 = 2;
    /// Bitwise inversion.
    pub const INVERT: u32 = 3;
    /// Increment, saturating.
    pub const INCREASE: u32 = 4;
    /// Decrement, saturating.
    pub const DECREASE: u32 = 5;
}

/// Texture functions.
pub mod function {
    /// Product of both.
    pub const MODULATE: u32 = 0;
    /// The texture over the primitive.
    pub const DECAL: u32 = 1;
    /// Between the primitive and a colour.
    pub const BLEND: u32 = 2;
    /// The texture.
    pub const REPLACE: u32 = 3;
    /// Sum of both.
    pub const ADD: u32 = 4;
}

/// A colour in the format of registers.
#[must_use]
pub const fn rgb([r, g, b]: [u8; 3]) -> u32 {
    r as u32 | (g as u32) << 8 | (b as u32) << 16
}

/// Perspective for a picture `aspect` times as wide as high, `fov` radians high; z is -w at the near plane, w at
/// the far plane.
#[must_use]
pub fn perspective(fov: f32, aspect: f32, near: f32, far: f32) -> Matrix {
    let focal = 1.0 / (fov / 2.0).tangent();
    let depth = near - far;
    Matrix([
        [focal / aspect, 0.0, 0.0, 0.0],
        [0.0, focal, 0.0, 0.0],
        [0.0, 0.0, (far + near) / depth, 2.0 * far * near / depth],
        [0.0, 0.0, -1.0, 0.0],
    ])
}

/// Elements in the order in which they are uploaded: column by column, as the GE multiplies rows by matrices.
#[must_use]
pub fn elements(matrix: &Matrix, rows: usize) -> Vec<f32> {
    (0..4).flat_map(|column| (0..rows).map(move |row| matrix.0[row][column])).collect()
}

/// A light.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// 0 directional, 1 point, 2 spot.
    pub kind: u32,
    /// 0 diffuse, 1 and specular, 2 diffuse to a power.
    pub components: u32,
    /// Place, or direction towards it.
    pub position: [f32; 3],
    /// Of a spot.
    pub direction: [f32; 3],
    /// Constant, linear, quadratic.
    pub attenuation: [f32; 3],
    /// Exponent and smallest cosine of a spot.
    pub cone: [f32; 2],
    /// Ambient, diffuse, specular.
    pub colours: [[u8; 3]; 3],
}

impl Light {
    /// A light from far away.
    #[must_use]
    pub const fn directional(position: [f32; 3], colour: [u8; 3]) -> Self {
        let colours = [[0; 3], colour, [255; 3]];
        let (direction, attenuation) = ([0.0, 0.0, -1.0], [1.0, 0.0, 0.0]);
        Self { kind: 0, components: 0, position, direction, attenuation, cone: [0.0, 0.0], colours }
    }

    /// A lamp.
    #[must_use]
    pub const fn point(position: [f32; 3], colour: [u8; 3], attenuation: [f32; 3]) -> Self {
        Self { kind: 1, attenuation, ..Self::directional(position, colour) }
    }

    /// A lamp that shines into a cone.
    #[must_use]
    pub const fn spot(position: [f32; 3], colour: [u8; 3], direction: [f32; 3], cone: [f32; 2]) -> Self {
        Self { kind: 2, direction, cone, ..Self::directional(position, colour) }
    }

    /// With highlights.
    #[must_use]
    pub const fn shiny(mut self) -> Self {
        self.components = 1;
        self
    }
}

impl Kit {
    /// The state in which every scene begins: nothing tested, textured or blended, smooth shading, unit matrices.
    pub fn defaults(&mut self) {
        let list = &mut self.list;
        (op::LTE..=op::LOE).for_each(|enable| _ = list.write(enable, 0));
        for (register, value) in [
            (op::SHADE, 1),
            (op::REGION1, 0),
            (op::NEARZ, 0),
            (op::FARZ, 0xffff),
            (op::CLEAR, 0),
            (op::ZMSK, 0),
            (op::PMSKC, 0),
            (op::PMSKA, 0),
            (op::LOP, 3),
            (op::TMAP, 0),
            (op::TBIAS, 0),
            (op::TWRAP, 0),
            (op::TFLT, 0x101),
            (op::TFUNC, 0x100),
            (op::LMODE, 0),
            (op::CMAT, 0),
            (op::RNORM, 0),
            (op::FFACE, 0),
            (op::PPRIM, 0),
            (op::PFACE, 0),
            (op::EMC, 0),
            (op::AMC, 0xff_ffff),
            (op::DMC, 0xff_ffff),
            (op::SMC, 0xff_ffff),
            (op::AMA, 0xff),
            (op::ALC, 0),
            (op::ALA, 0xff),
        ] {
            list.write(register, value);
        }
        list.float(op::USCALE, 1.0).float(op::VSCALE, 1.0).float(op::UOFFSET, 0.0).float(op::VOFFSET, 0.0);
        self.camera(&Matrix::IDENTITY, &Matrix::IDENTITY);
        self.world(&Matrix::IDENTITY);
    }

    /// Draws to other buffers, all of them.
    pub fn draw_to(&mut self, target: Target) {
        self.target = target;
        let Target { colour, depth, stride, width, height, format } = target;
        let list = &mut self.list;
        list.write(op::FBP, colour).write(op::FBW, stride).write(op::ZBP, depth).write(op::ZBW, stride);
        list.write(op::PSM, format).write(op::REGION2, (width - 1) | (height - 1) << 10);
        self.scissor([0, 0, width, height]);
        self.viewport([0, 0, width, height]);
    }

    /// Draws between these edges only: left, top, right, bottom.
    pub fn scissor(&mut self, [left, top, right, bottom]: [u32; 4]) {
        self.list.write(op::SCISSOR1, left | top << 10).write(op::SCISSOR2, (right - 1) | (bottom - 1) << 10);
    }

    /// The viewport of the unit cube: left, top, right, bottom. The largest depth is the nearest.
    pub fn viewport(&mut self, [left, top, right, bottom]: [u32; 4]) {
        let (width, height) = ((right - left) as f32, (bottom - top) as f32);
        let middle = MIDDLE as f32;
        let list = &mut self.list;
        list.float(op::XSCALE, width / 2.0).float(op::YSCALE, -height / 2.0).float(op::ZSCALE, -32767.5);
        list.float(op::XPOS, middle).float(op::YPOS, middle).float(op::ZPOS, 32767.5);
        list.write(op::OFFSETX, MIDDLE * 16 - (left + right) * 8);
        list.write(op::OFFSETY, MIDDLE * 16 - (top + bottom) * 8);
    }

    /// Projection and view.
    pub fn camera(&mut self, projection: &Matrix, view: &Matrix) {
        self.list.matrix(MatrixPort::Projection, &elements(projection, 4));
        self.list.matrix(MatrixPort::View, &elements(view, 3));
    }

    /// A usual camera for the render target, and a depth test.
    pub fn look(&mut self, fov: f32, eye: [f32; 3], at: [f32; 3]) {
        let aspect = self.target.width as f32 / self.target.height as f32;
        self.camera(&perspective(fov, aspect, 0.5, 60.0), &Matrix::look_at(eye, at));
        self.depth(compare::GREATER_EQUAL, true);
        self.cull(true);
        self.list.switch(op::CPE, true);
    }

    /// The position of the next shapes.
    pub fn world(&mut self, world: &Matrix) {
        self.list.matrix(MatrixPort::World, &elements(world, 3));
    }

    /// The depth test; `writes` enables depth writes.
    pub fn depth(&mut self, comparison: u32, writes: bool) {
        self.list.switch(op::ZTE, true).write(op::ZTST, comparison).switch(op::ZMSK, !writes);
    }

    /// Turns culling of back faces on or off.
    pub fn cull(&mut self, is_on: bool) {
        self.list.switch(op::BCE, is_on).write(op::FFACE, 0);
    }

    /// Blending: factors and equation.
    pub fn blend(&mut self, source: u32, destination: u32, equation: u32) {
        self.list.switch(op::ABE, true).write(op::ALPHA, source | destination << 4 | equation << 8);
    }

    /// Blending by alpha.
    pub fn blend_alpha(&mut self) {
        self.blend(factor::ALPHA, factor::NOT_ALPHA, 0);
    }

    /// Blending that adds.
    pub fn blend_add(&mut self) {
        self.list.write(op::DFIX, 0xff_ffff);
        self.blend(factor::ALPHA, factor::FIXED, 0);
    }

    /// The alpha test.
    pub fn alpha_test(&mut self, comparison: u32, reference: u32) {
        self.list.switch(op::ATE, true).write(op::ATST, comparison | reference << 8 | 0xff << 16);
    }

    /// The stencil test; the operations if it fails, if depth fails, and if both pass.
    pub fn stencil(&mut self, comparison: u32, reference: u32, [fails, hidden, passes]: [u32; 3]) {
        self.list.switch(op::STE, true).write(op::STST, comparison | reference << 8 | 0xff << 16);
        self.list.write(op::SOP, fails | hidden << 8 | passes << 16);
    }

    /// Fog between two distances.
    pub fn fog(&mut self, start: f32, end: f32, colour: [u8; 3]) {
        self.list.switch(op::FGE, true).write(op::FCOL, rgb(colour));
        self.list.float(op::FFAR, end).float(op::FDIST, 1.0 / (end - start));
    }

    /// A texture function, with alpha of the texture.
    pub fn function(&mut self, function: u32) {
        self.list.write(op::TFUNC, function | 1 << 8);
    }

    /// Filters for smaller and larger pictures, as TFLT has them.
    pub fn filter(&mut self, smaller: u32, larger: u32) {
        self.list.write(op::TFLT, smaller | larger << 8);
    }

    /// Lighting with ambient light and these lights.
    pub fn lights(&mut self, ambient: [u8; 3], lights: &[Light]) {
        self.list.switch(op::LTE, true).write(op::ALC, rgb(ambient));
        for n in 0..4 {
            self.list.switch(op::LTE0 + n, usize::from(n) < lights.len());
        }
        for (n, light) in (0..).zip(lights) {
            self.light(n, light);
        }
    }

    fn light(&mut self, n: u8, light: &Light) {
        let list = &mut self.list;
        list.write(op::LT0 + n, light.components | light.kind << 8);
        for (group, values) in
            [(op::LXP0, light.position), (op::LXD0, light.direction), (op::LCA0, light.attenuation)]
        {
            (group + 3 * n..).zip(values).for_each(|(register, value)| _ = list.float(register, value));
        }
        list.float(op::LSE0 + n, light.cone[0]).float(op::LSC0 + n, light.cone[1]);
        (op::ALC0 + 3 * n..).zip(light.colours).for_each(|(register, c)| _ = list.write(register, rgb(c)));
    }

    /// A material: ambient and diffuse, specular, and its power.
    pub fn material(&mut self, colour: [u8; 3], specular: [u8; 3], power: f32) {
        let list = &mut self.list;
        list.write(op::AMC, rgb(colour)).write(op::DMC, rgb(colour)).write(op::SMC, rgb(specular));
        list.float(op::SPOW, power);
    }
}
