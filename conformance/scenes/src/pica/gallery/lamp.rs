//! Fragment lighting for scenes about other subjects: lamps with a highlight.

use crate::modelling::math::Real;
use crate::pica::state::State;
use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float;

/// A lamp, in eye space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lamp {
    /// Place, or direction towards it.
    pub(super) at: [f32; 3],
    /// Is as far away as the sun.
    pub(super) far: bool,
    /// Diffuse colour of its light.
    pub(super) diffuse: [f32; 3],
    /// Colour of highlights.
    pub(super) specular: [f32; 3],
}

/// Settings that all lamps share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lighting {
    /// Light that is everywhere.
    pub(super) ambient: [f32; 3],
    /// Exponent of highlights.
    pub(super) shine: f32,
    /// Unit 0 is a shadow texture.
    pub(super) shadow: bool,
}

/// Red, green, blue in the registers' order.
fn colour(rgb: [f32; 3]) -> u32 {
    let [r, g, b] = rgb.map(|c| (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u32);
    b | g << 10 | r << 20
}

/// Switches lighting on with some lamps.
pub(super) fn light(list: &mut ListBuilder, lighting: &Lighting, lamps: &[Lamp]) {
    for (k, lamp) in lamps.iter().enumerate() {
        let [x, y, z] = lamp.at.map(float::encode_f16);
        let base = 0x140 + 16 * k as u16;
        list.burst(base, &[colour(lamp.specular), 0, colour(lamp.diffuse), 0, y << 16 | x, z]);
        list.write(base + 9, u32::from(lamp.far));
    }
    let shadow = if lighting.shadow { 1 | 1 << 16 | 1 << 17 } else { 0 };
    let only_d0 = 0xff << 24 | 0x7e << 16 | 0xff << 8;
    list.write(0x08f, 1).write(0x1c6, 0).write(0x1c0, colour(lighting.ambient));
    list.burst(0x1c2, &[lamps.len() as u32 - 1, 1 << 31 | 1 << 27 | 4 << 8 | shadow, only_d0]);
    list.burst(0x1d0, &[0, 0, 0]).write(0x1d9, 0x7654_3210);
    let shine = lighting.shine;
    list.light_table(0, false, &|cosine| cosine.power(shine));
}
