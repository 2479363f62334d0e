//! Views of lights and material.
//!
//! Source: psp-ge.md 3.4, 3.5, 6.

use super::fields::{self, Bits};
use super::{Registers, op};

/// Kind of a light.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LightKind {
    /// Directional light: no position.
    Directional,
    /// Point light: a position, all directions.
    Point,
    /// Spot light: a position and a direction. Type 3 too.
    Spot,
}

/// Components of a light beside its ambient colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LightComponents {
    /// Diffuse. Code 3 too (assumed).
    Diffuse,
    /// Diffuse and specular.
    DiffuseSpecular,
    /// Diffuse, raised to the specular power.
    PoweredDiffuse,
}

/// One of the four lights. Colours are 0x00BBGGRR.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// Kind.
    pub kind: LightKind,
    /// Components beside the ambient colour.
    pub components: LightComponents,
    /// Position in world space, or direction to the light.
    pub position: [f64; 3],
    /// Direction of a spot.
    pub direction: [f32; 3],
    /// Constant, linear, quadratic attenuation.
    pub attenuation: [f64; 3],
    /// Exponent of a spot.
    pub exponent: f32,
    /// Cosine of the edge of a spot.
    pub cutoff: f32,
    /// Ambient colour.
    pub ambient: u32,
    /// Diffuse colour.
    pub diffuse: u32,
    /// Specular colour.
    pub specular: u32,
}

/// The colours of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Material {
    /// Ambient colour and alpha, 0xAABBGGRR.
    pub ambient: u32,
    /// Diffuse colour; the upper byte is unused.
    pub diffuse: u32,
    /// Specular colour; the upper byte is unused.
    pub specular: u32,
}

impl Registers {
    /// Light `n`, 0 to 3.
    #[must_use]
    pub fn light(&self, n: u8) -> Light {
        let third = 3 * n;
        Light {
            kind: light_kind(self.field(op::LT0 + n, fields::LT_TYPE)),
            components: light_components(self.field(op::LT0 + n, fields::LT_COMPONENTS)),
            position: self.light_position(n),
            direction: [0, 1, 2].map(|c| self.float(op::LXD0 + third + c)),
            attenuation: self.vector(op::LCA0 + third),
            exponent: self.float(op::LSE0 + n),
            cutoff: self.float(op::LSC0 + n),
            ambient: self.arg(op::ALC0 + third),
            diffuse: self.arg(op::DLC0 + third),
            specular: self.arg(op::SLC0 + third),
        }
    }

    /// True if light `n`, 0 to 3, is on and has a specular part.
    pub(crate) fn has_specular(&self, n: u8) -> bool {
        let components = light_components(self.field(op::LT0 + n, fields::LT_COMPONENTS));
        self.is_on(op::LTE0 + n) && components == LightComponents::DiffuseSpecular
    }

    /// The position of light `n`, 0 to 3.
    #[must_use]
    pub fn light_position(&self, n: u8) -> [f64; 3] {
        self.vector(op::LXP0 + 3 * n)
    }

    /// The material colours of a vertex with this colour.
    #[must_use]
    pub fn material(&self, vertex_colour: Option<u32>) -> Material {
        let choose = |bit: Bits, own| match vertex_colour {
            Some(colour) if self.field(op::CMAT, bit) != 0 => colour,
            _ => own,
        };
        Material {
            ambient: choose(fields::CMAT_AMBIENT, self.default_colour()),
            diffuse: choose(fields::CMAT_DIFFUSE, self.arg(op::DMC)),
            specular: choose(fields::CMAT_SPECULAR, self.arg(op::SMC)),
        }
    }
}

const fn light_kind(code: u32) -> LightKind {
    match code {
        0 => LightKind::Directional,
        1 => LightKind::Point,
        _ => LightKind::Spot,
    }
}

const fn light_components(code: u32) -> LightComponents {
    match code {
        1 => LightComponents::DiffuseSpecular,
        2 => LightComponents::PoweredDiffuse,
        _ => LightComponents::Diffuse,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of 3.5: LYP1 = 67, LQA0 = 7D, DLC2 = 96.
    #[test]
    fn the_light_is_the_slow_index() {
        let mut registers = Registers::default();
        registers.write(0x6700_0000 | 2.0_f32.to_bits() >> 8);
        registers.write(0x7d00_0000 | 3.0_f32.to_bits() >> 8);
        registers.write(0x9612_3456);
        assert_eq!(registers.light(1).position, [0.0, 2.0, 0.0]);
        assert_eq!(registers.light(0).attenuation, [0.0, 0.0, 3.0]);
        assert_eq!(registers.light(2).diffuse, 0x12_3456);
    }

    /// Every register from LXP0 to SLC3 holds its own number (3.5).
    #[test]
    fn every_light_has_its_own_registers() {
        let mut registers = Registers::default();
        let word = |register: u8| f32::from(register).to_bits() >> 8;
        (0x63..=0x9a).for_each(|register| registers.write(u32::from(register) << 24 | word(register)));
        let kinds = [LightKind::Directional, LightKind::Point, LightKind::Spot, LightKind::Spot];
        let components = [LightComponents::Diffuse, LightComponents::DiffuseSpecular];
        let components = [components, [LightComponents::PoweredDiffuse, LightComponents::Diffuse]].concat();
        for n in 0..4_u32 {
            registers.write(0x5f00_0000 + (n << 24) + (n << 8 | n));
        }
        for n in 0..4_u8 {
            let three = |first: u8| [0, 1, 2].map(|c| f64::from(first + 3 * n + c));
            let light = registers.light(n);
            assert_eq!((light.kind, light.components), (kinds[usize::from(n)], components[usize::from(n)]));
            assert_eq!([light.position, light.attenuation], [three(0x63), three(0x7b)]);
            assert_eq!(light.direction.map(f64::from), three(0x6f));
            assert_eq!([light.exponent, light.cutoff], [0x87 + n, 0x8b + n].map(f32::from));
            let colours = [0x8f, 0x90, 0x91].map(|first| word(first + 3 * n));
            assert_eq!([light.ambient, light.diffuse, light.specular], colours);
        }
    }

    #[test]
    fn materials_from_the_vertex() {
        let mut registers = Registers::default();
        for word in [0x5500_0001, 0x5600_0002, 0x5700_0003, 0x5800_0044, 0x5300_0005] {
            registers.write(word);
        }
        let own = Material { ambient: 0x4400_0001, diffuse: 2, specular: 3 };
        assert_eq!(registers.material(None), own);
        let vertex = 0x9988_7766;
        assert_eq!(
            registers.material(Some(vertex)),
            Material { ambient: vertex, diffuse: 2, specular: vertex }
        );
    }
}
