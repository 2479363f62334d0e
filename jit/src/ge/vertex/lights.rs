//! What lights and environment mapping make of vertices in the world: `interp::ge::vertex::lighting` for all vertices of a part
//! at once, after [`place`](super::place).
//!
//! What a light is, is asked before its loops. Numbers go through vectors of four, colours channel by channel through vectors
//! of 16.

use super::sums::{aligned, all, at, cosine, direction, floor, lanes, limited, put};
use crate::code::vectors::{Work, has_wide, widely};
use crate::emit::ge::vertices::{MOST, Numbers, Stations};
use crate::ge::key::TransformKey;
use crate::ge::key::vertex::{LightKey, LightingKey, Mapping, Power};
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::regs::light::{LightComponents, LightKind};

/// Red, green, blue, alpha.
type Colour = [u16; 4];

/// Lights of a batch, and the surface. Only fields that are live under the key are filled.
#[derive(Debug, Clone, Default)]
pub(super) struct Lights {
    pub(super) emission: Colour,
    pub(super) ambient: Colour,
    /// Colours of the surface: ambient, diffuse, specular.
    pub(super) material: [Colour; 3],
    /// Exponent of the specular power.
    pub(super) power: f64,
    pub(super) lamps: [Lamp; 4],
    /// Directions of the two lights of environment mapping.
    pub(super) environment: [[f64; 3]; 2],
}

/// A light.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lamp {
    /// Position; for directional lights, the direction to the light.
    pub(super) position: [f64; 3],
    /// For directional lights: the middle of light and eye.
    pub(super) half: [f64; 3],
    /// Constant, linear, quadratic.
    pub(super) attenuation: [f64; 3],
    /// Direction of a spot.
    pub(super) spot: [f64; 3],
    pub(super) cutoff: f64,
    pub(super) exponent: f64,
    /// Ambient, diffuse, specular.
    pub(super) colours: [Colour; 3],
}

/// Lights the first `count` vertices, whole groups, whose places and normals in the world are known, and finds coordinates in
/// environments, as far as the key has any of that.
pub(super) fn light(key: &TransformKey, lights: &Lights, count: usize, stations: &mut Stations) {
    if key.lighting.is_some() || key.texture == Mapping::Environment {
        light_by(has_wide(), key, lights, count, stations);
    }
}

/// [`light`], with wide vectors or as any processor does it.
pub(super) fn light_by(
    is_wide: bool,
    key: &TransformKey,
    lights: &Lights,
    count: usize,
    stations: &mut Stations,
) {
    match is_wide {
        true => widely(Lighting::<true> { key, lights, count, stations }),
        false => Lighting::<false> { key, lights, count, stations }.work(),
    }
}

/// Vertices to light. `ROUNDS`: the processor truncates in one instruction.
struct Lighting<'a, const ROUNDS: bool> {
    key: &'a TransformKey,
    lights: &'a Lights,
    count: usize,
    stations: &'a mut Stations,
}

impl<const ROUNDS: bool> Work for Lighting<'_, ROUNDS> {
    type Found = ();

    #[inline(always)]
    fn work(mut self) {
        if let Some(lighting) = &self.key.lighting {
            let (is_own, shines) = (lighting.from_vertex != [false; 3], lighting.shines());
            if is_own {
                self.materials(lighting, shines);
                self.unlit::<true>();
            } else {
                self.unlit::<false>();
            }
            if shines {
                self.no_shine();
            }
            for n in 0..4 {
                let Some(key) = &lighting.lights[n] else { continue };
                let lamp = self.lights.lamps[n];
                let is_placed = key.kind != LightKind::Directional;
                if is_placed {
                    self.rays(key, &lamp);
                    self.shares::<true>(key, lighting.power, &lamp);
                } else {
                    self.shares::<false>(key, lighting.power, &lamp);
                }
                match (is_own, is_placed) {
                    (false, false) => self.add::<false, false>(key, &lamp),
                    (false, true) => self.add::<false, true>(key, &lamp),
                    (true, false) => self.add::<true, false>(key, &lamp),
                    (true, true) => self.add::<true, true>(key, &lamp),
                }
            }
            self.pack(shines, lighting.separate);
        }
        if self.key.texture == Mapping::Environment {
            self.environment();
        }
    }
}

/// `PLACED`: a light has a place, from which it loses strength. `OWN`: vertices have colours of the surface, else all have the
/// same.
impl<const ROUNDS: bool> Lighting<'_, ROUNDS> {
    /// Colours of the surface, as far as they are seen.
    #[inline(always)]
    fn materials(&mut self, lighting: &LightingKey, shines: bool) {
        let Self { count, ref mut stations, lights, .. } = *self;
        let is_lit = lighting.lights.iter().any(Option::is_some);
        for part in 0..1 + usize::from(is_lit) + usize::from(shines) {
            for c in 0..if part == 0 { 4 } else { 3 } {
                if lighting.from_vertex[part] {
                    for n in 0..channels(count) {
                        let channel = stations.colour[n].cast_unsigned() >> (8 * c) & 0xff;
                        stations.lit.material[part][c][n] = channel as u16;
                    }
                } else {
                    let channel = lights.material[part][c];
                    for n in 0..channels(count) {
                        stations.lit.material[part][c][n] = channel;
                    }
                }
            }
        }
    }

    /// What vertices have without a light: emission, and ambient light.
    #[inline(always)]
    fn unlit<const OWN: bool>(&mut self) {
        let Self { count, ref mut stations, lights, .. } = *self;
        let lit = &mut stations.lit;
        for c in 0..4 {
            let [emission, ambient, same] = [lights.emission[c], lights.ambient[c], lights.material[0][c]];
            for n in 0..channels(count) {
                let surface = if OWN { lit.material[0][c][n] } else { same };
                lit.primary[c][n] = sum(emission, mul8(ambient, surface));
            }
        }
    }

    #[inline(always)]
    fn no_shine(&mut self) {
        for c in 0..3 {
            for n in 0..channels(self.count) {
                self.stations.lit.specular[c][n] = 0;
            }
        }
    }

    /// Ways from the vertices to a light that has a place, and its attenuation on them.
    #[inline(always)]
    fn rays(&mut self, key: &LightKey, lamp: &Lamp) {
        let Self { count, ref mut stations, .. } = *self;
        let Lamp { position, attenuation: [constant, linear, quadratic], spot, cutoff, exponent, .. } = *lamp;
        for n in 0..lanes(count) {
            let [x, y, z] = at(&stations.world, n);
            let way = [t16(position[0] - x), t16(position[1] - y), t16(position[2] - z)];
            let direction = direction::<ROUNDS>(way, &mut stations.rare[n]);
            put(direction.unit, &mut stations.lit.to_light, n);
            let sum = constant + linear * direction.length + quadratic * direction.squared;
            // 0 for a NaN.
            stations.lit.attenuation[n] = limited(1.0 / sum, 0.0, 1.0);
        }
        if key.kind != LightKind::Spot {
            return;
        }
        for n in 0..lanes(count) {
            let to_light = at(&stations.lit.to_light, n);
            let cosine = cosine::<ROUNDS>(spot, to_light, &mut stations.rare[n]);
            (stations.lit.cosine[n], stations.lit.power[n]) = (cosine, cosine);
        }
        power(key.spot, exponent, count, &mut stations.lit.power);
        for n in 0..lanes(count) {
            let intensity = if stations.lit.cosine[n] >= cutoff { stations.lit.power[n] } else { 0.0 };
            stations.lit.attenuation[n] *= intensity;
        }
    }

    /// Shares of a light's colours that vertices get.
    #[inline(always)]
    fn shares<const PLACED: bool>(&mut self, key: &LightKey, exponent: Power, lamp: &Lamp) {
        let Self { count, ref mut stations, lights, .. } = *self;
        let Lamp { position, half, .. } = *lamp;
        if key.components == LightComponents::PoweredDiffuse {
            for n in 0..lanes(count) {
                let to_light = if PLACED { at(&stations.lit.to_light, n) } else { position };
                let normal = at(&stations.normal, n);
                stations.lit.power[n] = cosine::<ROUNDS>(to_light, normal, &mut stations.rare[n]);
            }
            power(exponent, lights.power, count, &mut stations.lit.power);
            let lit = &mut stations.lit;
            for n in 0..lanes(count) {
                lit.shares[1][n] = share::<PLACED>(lit.power[n], lit.attenuation[n]);
            }
        } else {
            for n in 0..lanes(count) {
                let to_light = if PLACED { at(&stations.lit.to_light, n) } else { position };
                let normal = at(&stations.normal, n);
                let cosine = cosine::<ROUNDS>(to_light, normal, &mut stations.rare[n]);
                stations.lit.cosine[n] = cosine;
                stations.lit.shares[1][n] = share::<PLACED>(cosine, stations.lit.attenuation[n]);
            }
        }
        if PLACED {
            for n in 0..lanes(count) {
                stations.lit.shares[0][n] = a8(stations.lit.attenuation[n]);
            }
        }
        if !key.shines() {
            return;
        }
        for n in 0..lanes(count) {
            let half = if PLACED {
                let [x, y, z] = at(&stations.lit.to_light, n);
                direction::<ROUNDS>([x, y, t16(z + 1.0)], &mut stations.rare[n]).unit
            } else {
                half
            };
            let normal = at(&stations.normal, n);
            stations.lit.power[n] = cosine::<ROUNDS>(half, normal, &mut stations.rare[n]);
        }
        power(exponent, lights.power, count, &mut stations.lit.power);
        let lit = &mut stations.lit;
        for n in 0..lanes(count) {
            lit.shares[2][n] = a8(if lit.cosine[n] >= 0.0 { lit.power[n] } else { 0.0 });
        }
    }

    /// Adds the colours of a light, quantised after each factor. Lights have no alpha.
    #[inline(always)]
    fn add<const OWN: bool, const PLACED: bool>(&mut self, key: &LightKey, lamp: &Lamp) {
        let Self { count, ref mut stations, lights, .. } = *self;
        let lit = &mut stations.lit;
        for c in 0..3 {
            let [ambient, diffuse] = [lamp.colours[0][c], lamp.colours[1][c]];
            let [same, same_diffuse] = [lights.material[0][c], lights.material[1][c]];
            for n in 0..channels(count) {
                let ambient = mul8(ambient, if OWN { lit.material[0][c][n] } else { same });
                let diffuse = mul8(diffuse, if OWN { lit.material[1][c][n] } else { same_diffuse });
                // The colour times 255 is the colour.
                let ambient = if PLACED { mul8(ambient, lit.shares[0][n]) } else { ambient };
                let both = sum(ambient, mul8(diffuse, lit.shares[1][n]));
                lit.primary[c][n] = sum(lit.primary[c][n], both);
            }
        }
        if !key.shines() {
            return;
        }
        for c in 0..3 {
            let [specular, same] = [lamp.colours[2][c], lights.material[2][c]];
            for n in 0..channels(count) {
                let specular = mul8(specular, if OWN { lit.material[2][c][n] } else { same });
                let specular = if PLACED { mul8(specular, lit.shares[0][n]) } else { specular };
                lit.specular[c][n] = sum(lit.specular[c][n], mul8(specular, lit.shares[2][n]));
            }
        }
    }

    /// Primary and secondary colour; the latter is 0 already.
    #[inline(always)]
    fn pack(&mut self, shines: bool, is_separate: bool) {
        let Self { count, ref mut stations, .. } = *self;
        let Stations { lit, colour, secondary, .. } = &mut **stations;
        if shines && !is_separate {
            for c in 0..3 {
                for n in 0..channels(count) {
                    lit.primary[c][n] = sum(lit.primary[c][n], lit.specular[c][n]);
                }
            }
        }
        if shines && is_separate {
            let [r, g, b] = &lit.specular;
            for n in 0..channels(count) {
                secondary[n] = i32::from(r[n] | g[n] << 8) | i32::from(b[n]) << 16;
            }
        }
        let [r, g, b, a] = &lit.primary;
        for n in 0..channels(count) {
            colour[n] = i32::from(r[n] | g[n] << 8) | i32::from(b[n] | a[n] << 8) << 16;
        }
    }

    /// Coordinates in an environment.
    #[inline(always)]
    fn environment(&mut self) {
        let Self { count, ref mut stations, lights, .. } = *self;
        for axis in 0..2 {
            let light = lights.environment[axis];
            for n in 0..lanes(count) {
                let cosine = cosine::<ROUNDS>(light, at(&stations.normal, n), &mut stations.rare[n]);
                let sum = aligned::<2, ROUNDS, true>([1.0, cosine], 0, &mut stations.rare[n]);
                stations.texture[axis][n] = t16(sum * 0.5);
                stations.rare[n] |= all(stations.texture[axis][n].is_nan());
            }
        }
        for n in 0..lanes(count) {
            stations.texture[2][n] = 1.0;
        }
    }
}

/// Channels of the vertices, in whole vectors: what lies behind the vertices is of no use, and does no harm.
#[inline(always)]
const fn channels(count: usize) -> usize {
    const LANES: usize = 16;
    let vectors = count.div_ceil(LANES);
    LANES * if vectors < MOST / LANES { vectors } else { MOST / LANES }
}

/// `((2 a + 1) (2 b + 1)) >> 10` of bytes.
#[inline(always)]
const fn mul8(a: u16, b: u16) -> u16 {
    a.wrapping_mul(b).wrapping_add(a.wrapping_add(b) >> 1) >> 8
}

/// Of bytes, at most 255.
#[inline(always)]
fn sum(a: u16, b: u16) -> u16 {
    a.wrapping_add(b).min(255)
}

/// A factor in 256ths, up to 255; 0 for a NaN.
#[inline(always)]
fn a8(factor: f64) -> u16 {
    floor(limited(factor * 256.0, 0.0, 255.0)) as u16
}

/// The share of a light's diffuse colour.
#[inline(always)]
fn share<const PLACED: bool>(diffuse: f64, attenuation: f64) -> u16 {
    let attenuated = if PLACED { attenuation * diffuse } else { diffuse };
    a8(if diffuse > 0.0 { attenuated } else { 0.0 })
}

/// Numbers to a power, as `gepow` has it.
#[inline(always)]
fn power(power: Power, exponent: f64, count: usize, of: &mut Numbers) {
    let of = &mut of[..lanes(count)];
    match power {
        Power::One => of.fill(1.0),
        Power::Step => {
            for x in of {
                let whole = if *x >= 1.0 { 1.0 } else { 0.0 };
                *x = if *x > 0.0 { whole } else { *x };
            }
        }
        Power::Curve => {
            for x in of {
                let curved = line_exp2(line_log2(*x) * exponent);
                *x = if *x > 0.0 { curved } else { *x };
            }
        }
    }
}

/// The last place of numbers near to it is 1: their low bits count.
const COUNT: f64 = (1_u64 << 52) as f64;
/// Bits of the fraction of a double.
const FRACTION: u64 = (1 << 52) - 1;
/// Bias of its exponent.
const BIAS: f64 = 1023.0;

/// `k + m` of `2^k (1 + m)`, which is positive.
#[inline(always)]
const fn line_log2(x: f64) -> f64 {
    let k = f64::from_bits(x.to_bits() >> 52 | COUNT.to_bits()) - (COUNT + BIAS);
    let m = f64::from_bits(x.to_bits() & FRACTION | 1.0_f64.to_bits()) - 1.0;
    k + m
}

/// `2^k (1 + m)` of `k + m`; 0 and infinity beyond the range of doubles.
#[inline(always)]
fn line_exp2(y: f64) -> f64 {
    let whole = y.floor();
    let near = limited(whole, -BIAS, BIAS + 1.0) + (COUNT + BIAS);
    f64::from_bits(near.to_bits() << 52) * (1.0 + (y - whole))
}

#[cfg(test)]
#[path = "lights_tests.rs"]
mod tests;
