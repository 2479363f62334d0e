//! Lighting: `interp::ge::vertex::lighting` as code.

use super::pipe::{ANY, Num, Pipe, SINGLE, Vec3};
use crate::emit::ge::vertices::{LIGHT_BYTES, of_batch, of_light};
use crate::emit::lanes::I32s;
use crate::emit::pixels::Colour;
use crate::ge::key::vertex::{LightKey, LightingKey, Power};
use cranelift_codegen::ir::condcodes::FloatCC;
use picaflor_pipeline::ge::regs::light::{LightComponents, LightKind};

/// Surface of a group, the input of lights.
pub(super) struct Surface {
    /// There is one where there are lights.
    pub(super) place: Option<Place>,
    /// The vertex's own.
    pub(super) colour: Option<I32s>,
}

/// Where a surface lies in the world, and where it looks.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) position: Vec3,
    /// A unit vector.
    pub(super) normal: Vec3,
}

/// Primary and secondary colour.
pub(super) fn lit(p: &mut Pipe<'_, '_>, key: &LightingKey, surface: &Surface) -> [I32s; 2] {
    let material = [0, 1, 2].map(|n| match surface.colour {
        Some(colour) if key.from_vertex[n] => p.l.unpack(colour),
        _ => p.l.load_pair(p.constants, of_batch!(material) + n as i32 * 16),
    });
    let emission = p.l.load_pair(p.constants, of_batch!(emission));
    let ambient = p.l.load_pair(p.constants, of_batch!(ambient));
    let ambient = mul8(p, ambient, material[0]);
    let mut primary = sum(p, emission, ambient);
    let mut specular: Option<Colour> = None;
    for (n, light) in key.lights.iter().enumerate() {
        let (Some(light), Some(place)) = (light, surface.place) else { continue };
        let mut lamp = Lamp { p, light, base: of_batch!(lights) + n as i32 * LIGHT_BYTES, power: key.power };
        let given = lamp.given(place);
        let diffuse = lamp.diffuse_colour(&given, &material);
        let shine = lamp.specular_colour(&given, &material);
        primary = added(p, primary, diffuse);
        if let Some(shine) = shine {
            let zero = p.l.channel_splat(0);
            specular = Some(added(p, specular.unwrap_or(zero), shine));
        }
    }
    let zero = p.l.int(0);
    match specular {
        None => [p.l.pack(primary), zero],
        Some(specular) if key.separate => [p.l.pack(primary), p.l.pack(specular)],
        Some(specular) => {
            let all = sum(p, primary, specular);
            [p.l.pack(all), zero]
        }
    }
}

/// A light while its code is emitted.
struct Lamp<'a, 'q, 'f> {
    p: &'a mut Pipe<'q, 'f>,
    light: &'a LightKey,
    /// Offset of its constants.
    base: i32,
    /// The specular power.
    power: Power,
}

/// Attenuation of a light's colours, in all channels.
struct Given {
    /// All of it where there is none.
    ambient: Option<Colour>,
    diffuse: Colour,
    specular: Option<Colour>,
}

/// The way from a vertex to a light.
struct Ray {
    to_light: Vec3,
    /// 1 where there is none.
    attenuation: Option<Num>,
}

impl Lamp<'_, '_, '_> {
    fn given(&mut self, Place { position, normal }: Place) -> Given {
        let ray = self.ray(position);
        let cosine = self.cosine(ray.to_light, normal);
        let diffuse = match self.light.components {
            LightComponents::PoweredDiffuse => self.powered(cosine, self.power, of_batch!(power)),
            _ => cosine,
        };
        let specular = (self.light.components == LightComponents::DiffuseSpecular)
            .then(|| self.specular(&ray, normal, diffuse));
        let lit = self.p.compare(FloatCC::GreaterThan, diffuse, 0.0);
        let attenuated = match ray.attenuation {
            Some(attenuation) => self.p.times(attenuation, diffuse),
            None => diffuse,
        };
        let attenuated = self.p.keep(lit, attenuated);
        Given {
            ambient: ray.attenuation.map(|attenuation| self.a8(attenuation)),
            diffuse: self.a8(attenuated),
            specular,
        }
    }

    /// The cosine of the angle between two directions.
    fn cosine(&mut self, a: Vec3, b: Vec3) -> Num {
        let cosine = self.p.dot(a, b);
        self.p.without_nan(&[cosine]);
        cosine
    }

    fn specular(&mut self, ray: &Ray, normal: Vec3, diffuse: Num) -> Colour {
        let half = if self.light.kind == LightKind::Directional {
            self.p.constants(self.base + of_light!(half), ANY)
        } else {
            self.half(ray.to_light)
        };
        let cosine = self.cosine(half, normal);
        let power = self.powered(cosine, self.power, of_batch!(power));
        let lit = self.p.compare(FloatCC::GreaterThanOrEqual, diffuse, 0.0);
        let power = self.p.keep(lit, power);
        self.a8(power)
    }

    /// The middle of light and eye; the eye is far away on +z.
    fn half(&mut self, [x, y, z]: Vec3) -> Vec3 {
        let one = self.p.known(1.0);
        let sum = self.p.plus(z, one);
        let z = self.p.t16(sum);
        let direction = self.p.direction_of([x, y, z]);
        self.p.unit_or(&direction, 1.0)
    }

    /// To a power, whose exponent is among the constants of the batch.
    fn powered(&mut self, x: Num, power: Power, exponent: i32) -> Num {
        match power {
            Power::One => self.p.known(1.0),
            Power::Step => self.p.step(x),
            Power::Curve => {
                let exponent = self.p.single(exponent);
                self.p.curve(x, exponent)
            }
        }
    }

    fn ray(&mut self, position: Vec3) -> Ray {
        if self.light.kind == LightKind::Directional {
            let to_light = self.p.constants(self.base + of_light!(position), ANY);
            return Ray { to_light, attenuation: None };
        }
        let light = self.p.constants(self.base + of_light!(position), SINGLE);
        let way = [0, 1, 2].map(|n| {
            let difference = self.p.minus(light[n], position[n]);
            self.p.t16(difference)
        });
        let direction = self.p.direction_of(way);
        let to_light = self.p.unit_or(&direction, 1.0);
        let attenuation = self.attenuation(direction.length, direction.squared);
        let attenuation = if self.light.kind == LightKind::Spot {
            let spot = self.spot(to_light);
            self.p.times(attenuation, spot)
        } else {
            attenuation
        };
        Ray { to_light, attenuation: Some(attenuation) }
    }

    /// By distance, 0 to 1; 0 for a NaN.
    fn attenuation(&mut self, length: Num, squared: Num) -> Num {
        let [constant, linear, quadratic] = self.p.constants(self.base + of_light!(attenuation), SINGLE);
        let (first, second) = (self.p.times(linear, length), self.p.times(quadratic, squared));
        let sum = self.p.plus(constant, first);
        let sum = self.p.plus(sum, second);
        let one = self.p.known(1.0);
        let attenuation = self.p.over(one, sum);
        let positive = self.p.compare(FloatCC::GreaterThan, attenuation, 0.0);
        let whole = self.p.compare(FloatCC::GreaterThanOrEqual, attenuation, 1.0);
        let limited = self.p.select(whole, one, attenuation);
        self.p.keep(positive, limited)
    }

    /// Intensity of a spot in the direction of the vertex.
    fn spot(&mut self, to_light: Vec3) -> Num {
        let direction = self.p.constants(self.base + of_light!(spot), ANY);
        let cosine = self.cosine(direction, to_light);
        let power = self.powered(cosine, self.light.spot, self.base + of_light!(exponent));
        let cutoff = self.p.single(self.base + of_light!(cutoff));
        let lit = [0, 1]
            .map(|half| self.p.l.double_compare(FloatCC::GreaterThanOrEqual, cosine.q[half], cutoff.q[half]));
        self.p.keep(lit, power)
    }

    /// A factor in 256ths, up to 255, in all channels.
    fn a8(&mut self, factor: Num) -> Colour {
        let all = self.p.known(256.0);
        let factor = self.p.times(factor, all);
        let whole = self.p.natural(factor, 255.0);
        self.p.l.spread(whole)
    }

    fn colour(&mut self, n: i32) -> Colour {
        self.p.l.load_pair(self.p.constants, self.base + of_light!(colours) + n * 16)
    }

    /// Ambient and diffuse part.
    fn diffuse_colour(&mut self, given: &Given, material: &[Colour; 3]) -> Colour {
        let ambient = self.colour(0);
        let mut ambient = mul8(self.p, ambient, material[0]);
        if let Some(factor) = given.ambient {
            ambient = mul8(self.p, ambient, factor);
        }
        let diffuse = self.colour(1);
        let diffuse = mul8(self.p, diffuse, material[1]);
        let diffuse = mul8(self.p, diffuse, given.diffuse);
        sum(self.p, ambient, diffuse)
    }

    /// Quantised after each factor.
    fn specular_colour(&mut self, given: &Given, material: &[Colour; 3]) -> Option<Colour> {
        let specular = given.specular?;
        let colour = self.colour(2);
        let mut colour = mul8(self.p, colour, material[2]);
        if let Some(factor) = given.ambient {
            colour = mul8(self.p, colour, factor);
        }
        Some(mul8(self.p, colour, specular))
    }
}

/// `((2 a + 1) (2 b + 1)) >> 10` of bytes: `(a b + ((a + b) >> 1)) >> 8`.
fn mul8(p: &mut Pipe<'_, '_>, a: Colour, b: Colour) -> Colour {
    let product = p.l.colour_mul(a, b);
    let both = p.l.colour_add(a, b);
    let half = p.l.colour_shr(both, 1);
    let whole = p.l.colour_add(product, half);
    p.l.colour_shr(whole, 8)
}

fn sum(p: &mut Pipe<'_, '_>, a: Colour, b: Colour) -> Colour {
    let sum = p.l.colour_add(a, b);
    let most = p.l.channel_splat(255);
    p.l.colour_min(sum, most)
}

/// The sum with a light's colour: lights have no alpha.
fn added(p: &mut Pipe<'_, '_>, colour: Colour, light: Colour) -> Colour {
    let rgb = p.l.channels([0xffff, 0xffff, 0xffff, 0]);
    let light = p.l.colour_and(light, rgb);
    sum(p, colour, light)
}
