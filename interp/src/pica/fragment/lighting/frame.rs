//! The surface's frame, and where a light stands in it: pica-fragment.md 4.3 and 4.4.

use crate::pica::fragment::vector::{Vec3, add, dot, length, normalise, rotate, scale, subtract};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::lighting::{BumpMode, LightConfig, LightingConfig0, LightingInput};

/// The only environment with the input CP.
const ENVIRONMENT_WITH_CP: u8 = 8;

/// Normal and tangent of a fragment in eye space.
pub(super) struct Frame {
    /// N. Not of length 1 after a normal map whose z is kept.
    pub(super) normal: Vec3,
    /// T.
    pub(super) tangent: Vec3,
    /// True if CP is computed.
    pub(super) has_cp: bool,
}

impl Frame {
    pub(super) fn new(config: LightingConfig0, quaternion: [f32; 4], textures: &[[u8; 4]; 4]) -> Self {
        let q = normalise(quaternion);
        let [r, g, b, _] = textures[usize::from(config.bump_unit())];
        let bump = [r, g, b].map(|channel| f32::from(channel) / 127.5 - 1.0);
        let [normal, tangent] = surface_vectors(config, bump);
        Self {
            normal: rotate(q, normal),
            tangent: rotate(q, tangent),
            has_cp: config.environment() == ENVIRONMENT_WITH_CP,
        }
    }
}

/// ns and ts: normal and tangent before the rotation into eye space.
fn surface_vectors(config: LightingConfig0, bump: Vec3) -> [Vec3; 2] {
    let (normal, tangent) = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0]);
    match config.bump_mode() {
        BumpMode::None => [normal, tangent],
        BumpMode::NormalMap if config.keep_bump_z() => [bump, tangent],
        BumpMode::NormalMap => [with_unit_length(bump), tangent],
        // Recomputing z of a tangent map changes nothing: measured on a console.
        BumpMode::TangentMap => [normal, bump],
    }
}

/// `v` with the z, not negative, that makes its length 1, or as near to it as there is one.
fn with_unit_length([x, y, _]: Vec3) -> Vec3 {
    let square = 1.0 - (x * x + y * y);
    [x, y, if square > 0.0 { square.sqrt() } else { 0.0 }]
}

/// A fragment as one light sees it.
pub(super) struct LitBy {
    /// Id of the light.
    pub(super) light: usize,
    /// Options of the light.
    pub(super) config: LightConfig,
    /// Distance, or the length of the direction.
    pub(super) distance: f32,
    /// Square of the length of V + L.
    half_squared: f32,
    /// By the code of [`LightingInput`].
    inputs: [f32; 7],
}

impl LitBy {
    pub(super) fn new(registers: &Registers, light: usize, frame: &Frame, view: Vec3) -> Self {
        let config = registers.light_config(light);
        let position = position(registers, light);
        let towards = if config.directional() { position } else { add(position, view) };
        let (l, v, n) = (normalise(towards), normalise(view), frame.normal);
        let unscaled_half = add(v, l);
        let h = normalise(unscaled_half);
        let nh = dot(n, h);
        let cp = if frame.has_cp { dot(subtract(h, scale(n, nh)), frame.tangent) } else { 0.0 };
        let spot = dot(l, spot_direction(registers, light));
        Self {
            light,
            config,
            distance: length(towards),
            half_squared: dot(unscaled_half, unscaled_half),
            inputs: [nh, dot(v, h), dot(n, v), dot(l, n), spot, cp, 0.0],
        }
    }

    /// All inputs of table lookups, by the code of [`LightingInput`].
    pub(super) fn inputs(&self) -> &[f32; 7] {
        &self.inputs
    }

    /// Input of a table lookup.
    pub(super) fn input(&self, selector: LightingInput) -> f32 {
        self.inputs[selector as usize]
    }

    /// d: the diffuse factor of the surface. Measured on a console.
    pub(super) fn diffuse_factor(&self) -> f32 {
        let ln = self.input(LightingInput::LightNormal);
        if self.config.two_sided() { ln.abs() } else { positive(ln) }
    }

    /// G, from the diffuse factor: within 0.01 of measurements on a console.
    pub(super) fn geometric_factor(&self) -> f32 {
        if self.half_squared == 0.0 {
            return 0.0;
        }
        let g = self.diffuse_factor() / self.half_squared;
        if g < 1.0 { g } else { 1.0 }
    }
}

/// `max(x, 0)`.
pub(super) fn positive(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

fn position(registers: &Registers, light: usize) -> Vec3 {
    let (xy, z) = (registers.light_xy(light), registers.light_z(light));
    [xy.x(), xy.y(), z.z()].map(|component| component.to_f32())
}

/// S. That 2047 stands for 1 is assumed; by the name of the format it would be 2048.
fn spot_direction(registers: &Registers, light: usize) -> Vec3 {
    let (xy, z) = (registers.spot_direction_xy(light), registers.spot_direction_z(light));
    [xy.x(), xy.y(), z.z()].map(|component| component.units() as f32 / 2047.0)
}
