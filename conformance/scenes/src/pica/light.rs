//! Fragment lighting in the words of its registers: lights, lighting tables and their inputs.
//!
//! Everything is in eye space: x right, y up, z towards the viewer.

use picaflor_pipeline::pica::command::list_builder::ListBuilder;
use picaflor_pipeline::pica::float;

/// Lighting tables: places in the registers that choose inputs and scales, and ids for writing where a table
/// is shared by all lights.
pub mod table {
    /// Distribution 0, times the first specular colour.
    pub const D0: u32 = 0;
    /// Distribution 1, times the reflection and the second specular colour.
    pub const D1: u32 = 1;
    /// Spot; the tables of the lights have the ids from [`spot`] on.
    pub const SP: u32 = 2;
    /// Fresnel, to alpha.
    pub const FR: u32 = 3;
    /// Reflection, blue.
    pub const RB: u32 = 4;
    /// Reflection, green.
    pub const RG: u32 = 5;
    /// Reflection, red; the others follow it where they are off.
    pub const RR: u32 = 6;

    /// The id of a light's spot table.
    #[must_use]
    pub const fn spot(light: u32) -> u32 {
        8 + light
    }

    /// The id of a light's table of attenuation by distance.
    #[must_use]
    pub const fn distance(light: u32) -> u32 {
        16 + light
    }
}

/// Inputs of lighting tables.
pub mod input {
    /// Normal and half vector.
    pub const NH: u32 = 0;
    /// View and half vector.
    pub const VH: u32 = 1;
    /// Normal and view.
    pub const NV: u32 = 2;
    /// Light and normal.
    pub const LN: u32 = 3;
    /// Light and direction of the spot.
    pub const SP: u32 = 4;
    /// Half vector in the tangent plane, and tangent.
    pub const CP: u32 = 5;
}

/// A light. Its place in the list is its id and its slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// Its position; for a directional light the direction towards it.
    pub position: [f32; 3],
    /// Infinitely far.
    pub directional: bool,
    /// Lights surfaces from behind too.
    pub two_sided: bool,
    /// Geometric factor on the two specular terms.
    pub geometric: [bool; 2],
    /// Ambient colour.
    pub ambient: [f32; 3],
    /// Diffuse colour.
    pub diffuse: [f32; 3],
    /// Colours of the two specular terms.
    pub specular: [[f32; 3]; 2],
    /// Its direction, if it is a spot.
    pub spot: Option<[f32; 3]>,
    /// Scale and bias from distance to the argument of its table.
    pub attenuation: Option<[f32; 2]>,
}

impl Light {
    /// A light at a point, black yet.
    #[must_use]
    pub const fn point(position: [f32; 3]) -> Self {
        let black = [0.0; 3];
        Self {
            position,
            directional: false,
            two_sided: false,
            geometric: [false; 2],
            ambient: black,
            diffuse: black,
            specular: [black; 2],
            spot: None,
            attenuation: None,
        }
    }

    /// A light from a direction, black yet.
    #[must_use]
    pub const fn directional(from: [f32; 3]) -> Self {
        let mut light = Self::point(from);
        light.directional = true;
        light
    }

    /// With a diffuse colour.
    #[must_use]
    pub const fn diffuse(mut self, colour: [f32; 3]) -> Self {
        self.diffuse = colour;
        self
    }

    /// With colours of the specular terms.
    #[must_use]
    pub const fn specular(mut self, first: [f32; 3], second: [f32; 3]) -> Self {
        self.specular = [first, second];
        self
    }

    /// As a spot that shines in a direction of length 1.
    #[must_use]
    pub const fn spot(mut self, direction: [f32; 3]) -> Self {
        self.spot = Some(direction);
        self
    }

    /// Weaker with distance: its table spans distances from 0 to `reach`.
    #[must_use]
    pub const fn reach(mut self, reach: f32) -> Self {
        self.attenuation = Some([1.0 / reach, 0.0]);
        self
    }

    fn write(&self, id: u16, list: &mut ListBuilder) {
        let base = 0x140 + 16 * id;
        let [x, y, z] = self.position.map(float::encode_f16);
        let direction = self.spot.unwrap_or([0.0; 3]);
        let [sx, sy, sz] = direction.map(|c| (-c * 2047.0).round() as i32 as u32 & 0x1fff);
        let [scale, bias] = self.attenuation.unwrap_or([0.0; 2]);
        let bits = [self.directional, self.two_sided, self.geometric[0], self.geometric[1]];
        let [s0, s1] = self.specular.map(colour);
        list.burst(base, &[s0, s1, colour(self.diffuse), colour(self.ambient)]);
        list.burst(base + 4, &[x | y << 16, z, sx | sy << 16, sz]);
        list.write(base + 9, (0..4).map(|k| u32::from(bits[k]) << k).sum());
        list.burst(base + 10, &[float::encode_f20(bias), float::encode_f20(scale)]);
    }
}

/// A colour of reals as the lighting registers have it, ten bits a channel with 255 for 1.
fn colour(colour: [f32; 3]) -> u32 {
    let [r, g, b] = colour.map(|c| (c.clamp(0.0, 4.0) * 255.0 + 0.5) as u32);
    r << 20 | g << 10 | b
}

/// Settings that all lights share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lighting {
    /// Environment configuration: which tables can be used together.
    environment: u32,
    ambient: [f32; 3],
    used: u32,
    signed: u32,
    inputs: u32,
    scales: u32,
    config: u32,
}

impl Lighting {
    /// An environment configuration without any table.
    #[must_use]
    pub const fn new(environment: u32) -> Self {
        Self { environment, ambient: [0.0; 3], used: 0, signed: 0, inputs: 0, scales: 0, config: 0 }
    }

    /// With a global ambient colour.
    #[must_use]
    pub const fn ambient(mut self, colour: [f32; 3]) -> Self {
        self.ambient = colour;
        self
    }

    /// Uses a table with an input from 0 to 1.
    #[must_use]
    pub const fn table(mut self, table: u32, input: u32) -> Self {
        self.used |= 1 << table;
        self.inputs |= input << (4 * table);
        self
    }

    /// Uses a table with an input from -1 to 1.
    #[must_use]
    pub const fn signed_table(mut self, table: u32, input: u32) -> Self {
        self.signed |= 2 << (4 * table);
        self.table(table, input)
    }

    /// Scale of a table: 0, 1, 2, 3 for once to 8 times, 6 and 7 for a quarter and a half.
    #[must_use]
    pub const fn scaled(mut self, table: u32, scale: u32) -> Self {
        self.scales |= scale << (4 * table);
        self
    }

    /// Sends the Fresnel table to the alphas of the primary and the secondary colour.
    #[must_use]
    pub const fn fresnel(mut self, primary: bool, secondary: bool) -> Self {
        self.config |= (primary as u32) << 2 | (secondary as u32) << 3;
        self
    }

    /// Takes normals (mode 1) or tangents (mode 2) from a texture unit.
    #[must_use]
    pub const fn bump(mut self, unit: u32, mode: u32) -> Self {
        self.config |= unit << 22 | mode << 28;
        self
    }

    /// No highlights where no light falls.
    #[must_use]
    pub const fn clamp_highlights(mut self) -> Self {
        self.config |= 1 << 27;
        self
    }

    /// Switches lighting on.
    pub fn write(&self, list: &mut ListBuilder, lights: &[Light]) {
        for (id, light) in (0..).zip(lights) {
            light.write(id, list);
        }
        let each = |bit: u32, off: &dyn Fn(&Light) -> bool| -> u32 {
            (bit..).zip(lights).map(|(bit, light)| u32::from(off(light)) << bit).sum()
        };
        let off = each(8, &|light| light.spot.is_none()) | each(24, &|light| light.attenuation.is_none());
        let config = self.config | self.environment << 4 | 4 << 8 | 1 << 31;
        list.write(0x1c0, colour(self.ambient)).write(0x1c2, lights.len() as u32 - 1);
        list.burst(0x1c3, &[config, off | (!self.used & 0x7f | 1 << table::SP) << 16]);
        list.burst(0x1d0, &[self.signed, self.inputs, self.scales]);
        list.write(0x1d9, 0x7654_3210).write(0x08f, 1).write(0x1c6, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_tables_and_lights_without_spot_are_switched_off() {
        let mut list = ListBuilder::new();
        let lights = [Light::point([0.0; 3]).spot([0.0, 0.0, -1.0]), Light::point([0.0; 3])];
        Lighting::new(4).table(table::D0, input::NH).write(&mut list, &lights);
        let words = list.words();
        let at = words.iter().position(|&w| w & 0xffff == 0x1c3).expect("the configuration");
        assert_eq!(words[at - 1], 4 << 4 | 4 << 8 | 1 << 31);
        assert_eq!(words[at + 1], 0x037e_0200);
    }
}
