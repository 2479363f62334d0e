//! Lighting of a vertex (6). Colours are sums and products of bytes; only attenuation and angles are floats.

use super::power::gepow;
use crate::ge::number::{mul8, t16};
use crate::ge::vector::{Direction, dot3};
use picaflor_pipeline::ge::regs::light::{Light, LightComponents, LightKind, Material};
use picaflor_pipeline::ge::regs::{Registers, op};

/// Red, green, blue, and the unused upper byte.
type Channels = [u32; 4];

/// Primary and secondary colour of a vertex at `position` with the unit normal `normal`, both in world space.
pub(super) fn light(
    registers: &Registers,
    position: [f64; 3],
    normal: [f64; 3],
    colour: Option<u32>,
) -> [u32; 2] {
    let material = registers.material(colour);
    let ambient = registers.bits(op::ALA, 0, 8) << 24 | registers.arg(op::ALC);
    let mut primary = sum(channels(registers.arg(op::EMC)), scaled(channels(ambient), material.ambient));
    let mut specular = [0; 4];
    for n in (0..4).filter(|&n| registers.is_on(op::LTE0 + n)) {
        let light = registers.light(n);
        let given = Given::by(&light, registers.float(op::SPOW), position, normal);
        primary = sum(primary, without_alpha(given.diffuse_colour(&light, &material)));
        specular = sum(specular, without_alpha(given.specular_colour(&light, &material)));
    }
    if registers.is_on(op::LMODE) {
        [word(primary), word(specular)]
    } else {
        [word(sum(primary, specular)), 0]
    }
}

/// Weights of the colours of a light, 0 to 255.
struct Given {
    ambient: u32,
    diffuse: u32,
    specular: u32,
}

impl Given {
    fn by(light: &Light, power: f32, position: [f64; 3], normal: [f64; 3]) -> Self {
        let ray = Ray::of(light, position);
        let cosine = dot3(ray.to_light, normal);
        let diffuse = match light.components {
            LightComponents::PoweredDiffuse => gepow(cosine, power),
            _ => cosine,
        };
        let has_specular = light.components == LightComponents::DiffuseSpecular && diffuse >= 0.0;
        Self {
            ambient: a8(ray.attenuation),
            diffuse: if diffuse > 0.0 { a8(ray.attenuation * diffuse) } else { 0 },
            specular: if has_specular { a8(gepow(half_cosine(ray.to_light, normal), power)) } else { 0 },
        }
    }

    /// Ambient and diffuse part.
    fn diffuse_colour(&self, light: &Light, material: &Material) -> Channels {
        let ambient = scaled(channels(light.ambient), material.ambient).map(|c| mul8(c, self.ambient));
        let diffuse = scaled(channels(light.diffuse), material.diffuse).map(|c| mul8(c, self.diffuse));
        sum(ambient, diffuse)
    }

    /// Quantised after each factor.
    fn specular_colour(&self, light: &Light, material: &Material) -> Channels {
        let colour = scaled(channels(light.specular), material.specular);
        colour.map(|c| mul8(mul8(c, self.ambient), self.specular))
    }
}

/// The cosine between the normal and the middle of light and eye; the eye is far away on +z.
fn half_cosine(to_light: [f64; 3], normal: [f64; 3]) -> f64 {
    let half = [to_light[0], to_light[1], t16(to_light[2] + 1.0)];
    dot3(unit_or_z(Direction::of(half)), normal)
}

/// Ray from a vertex to a light.
struct Ray {
    to_light: [f64; 3],
    /// Attenuation by distance, 0 to 1; for spots multiplied by a power of any magnitude.
    attenuation: f64,
}

impl Ray {
    fn of(light: &Light, position: [f64; 3]) -> Self {
        if light.kind == LightKind::Directional {
            return Self { to_light: unit_or_z(Direction::of(light.position)), attenuation: 1.0 };
        }
        let way = std::array::from_fn(|c| t16(light.position[c] - position[c]));
        let direction = Direction::of(way);
        let to_light = unit_or_z(direction);
        let [length, squared] = direction.map_or([0.0; 2], |way| [way.length, way.squared]);
        let attenuation = attenuation(light, length, squared);
        match light.kind {
            LightKind::Spot => Self { to_light, attenuation: attenuation * spot(light, to_light) },
            _ => Self { to_light, attenuation },
        }
    }
}

/// The unit vector; (0, 0, 1) for length 0 (assumed).
fn unit_or_z(direction: Option<Direction>) -> [f64; 3] {
    direction.map_or([0.0, 0.0, 1.0], |direction| direction.unit)
}

/// Attenuation by distance; 0 for a NaN.
fn attenuation(light: &Light, length: f64, squared: f64) -> f64 {
    let [constant, linear, quadratic] = light.attenuation;
    let attenuation = 1.0 / (constant + linear * length + quadratic * squared);
    if attenuation >= 1.0 {
        1.0
    } else if attenuation > 0.0 {
        attenuation
    } else {
        0.0
    }
}

/// Intensity of a spot in the direction of the vertex.
fn spot(light: &Light, to_light: [f64; 3]) -> f64 {
    let cosine = spot_cosine(light, to_light);
    let cutoff = light.cutoff;
    let is_lit = if cutoff.is_finite() { cosine >= f64::from(cutoff) } else { cutoff.is_sign_negative() };
    if is_lit { gepow(cosine, light.exponent) } else { 0.0 }
}

/// Infinities and NaN in the direction decide by their sign; of several, the first (assumed).
fn spot_cosine(light: &Light, to_light: [f64; 3]) -> f64 {
    match light.direction.iter().find(|component| !component.is_finite()) {
        Some(component) if component.is_sign_negative() => 0.0,
        Some(_) => 1.0,
        None => Direction::of(light.direction.map(f64::from)).map_or(0.0, |way| dot3(way.unit, to_light)),
    }
}

/// A factor in 256ths, up to 255. The cast truncates, and turns negative values and NaN into 0.
fn a8(factor: f64) -> u32 {
    u32::from((256.0 * factor) as u8)
}

fn channels(colour: u32) -> Channels {
    colour.to_le_bytes().map(u32::from)
}

fn word(channels: Channels) -> u32 {
    u32::from_le_bytes(channels.map(|channel| channel as u8))
}

/// A light's colour on a material.
fn scaled(light: Channels, material: u32) -> Channels {
    let material = channels(material);
    std::array::from_fn(|c| mul8(light[c], material[c]))
}

fn sum(a: Channels, b: Channels) -> Channels {
    std::array::from_fn(|c| (a[c] + b[c]).min(255))
}

/// Lights have no alpha.
fn without_alpha([red, green, blue, _]: Channels) -> Channels {
    [red, green, blue, 0]
}
