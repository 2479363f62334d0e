//! Light by light to diffuse and specular light, and from these to colours.

use super::super::eight::{Eight, Vector, sum};
use super::super::{Lights, QuadColours};
use super::{Light, OfLight, OfLights, Vectors, put};
use crate::emit::pica::block::QuadLanes;
use crate::emit::pica::constants::LightingConstants;
use picaflor_pipeline::pica::regs::lighting::LightingTable;
use std::arch::x86_64::{__m256i, _mm256_or_si256, _mm256_set1_epi32, _mm256_slli_epi32};

/// The factors of a light on a kind of its light, where they are not 1.
#[derive(Clone, Copy)]
struct Factors<'a> {
    distance: Option<&'a QuadLanes>,
    spot: Option<&'a QuadLanes>,
    /// The shadow's red, green, blue, where it acts.
    shadow: Option<&'a [QuadLanes; 4]>,
}

impl OfLights {
    /// Adds the light of one.
    #[target_feature(enable = "avx2")]
    pub(super) fn add(&mut self, light: Light<'_>, quads: usize) {
        let (of, [diffuse, specular]) = (&self.of_light, &mut self.sums);
        let [on_diffuse, on_specular] = light.is_shadowed();
        let factors = |is_shadowed: bool| Factors {
            distance: light.key.distance.then_some(&of.attenuation),
            spot: light.has(LightingTable::Spot).then_some(of.factor(LightingTable::Spot)),
            shadow: is_shadowed.then_some(&self.shadow),
        };
        if light.of_all.live[0] {
            let factors = factors(on_diffuse);
            for quad in (0..quads).step_by(2) {
                add_to(diffuse, of.diffuse_light(light, factors, quad), light.is_first, quad);
            }
        }
        if light.of_all.live[1] {
            let factors = factors(on_specular);
            for quad in (0..quads).step_by(2) {
                add_to(specular, of.specular_light(light, factors, quad), light.is_first, quad);
            }
        }
    }

    /// The colours that are read, rounded to bytes.
    #[target_feature(enable = "avx2")]
    pub(super) fn colours(
        &self,
        lights: &Lights,
        constants: &LightingConstants,
        to: &mut [QuadColours],
        quads: usize,
    ) {
        let key = &lights.key;
        let shadow = key.shadow.map_or([false; 2], |shadow| shadow.alpha);
        let fresnel = self.of_light.factor(LightingTable::Fresnel);
        let ambient = Eight::constants(&constants.ambient);
        for (n, place) in lights.to.iter().enumerate() {
            let Some(place) = place else { continue };
            let (fresnel, shadow) = (key.fresnel[n].then_some(fresnel), shadow[n].then_some(&self.shadow[3]));
            for quad in (0..quads).step_by(2) {
                let light = Eight::vector_of(&self.sums[n], quad);
                let light = if n == 0 { sum(light, ambient) } else { light };
                let alpha = match (fresnel, shadow) {
                    (None, None) => _mm256_set1_epi32(255),
                    (Some(alpha), other) => times(Eight::of(alpha, quad), other, quad).byte(),
                    (None, Some(alpha)) => Eight::of(alpha, quad).byte(),
                };
                place.set_two(to, quad, pixels(light, alpha));
            }
        }
    }
}

impl OfLight {
    fn factor(&self, table: LightingTable) -> &QuadLanes {
        &self.factors[table as usize]
    }

    /// `diffuse d shadow + ambient`.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn diffuse_light(&self, light: Light<'_>, factors: Factors<'_>, quad: usize) -> Vector {
        let d = Eight::of(&self.diffuse, quad);
        let [colour, ambient] =
            [Eight::constants(&light.constants.diffuse), Eight::constants(&light.constants.ambient)];
        let lit = [colour[0].times(d), colour[1].times(d), colour[2].times(d)];
        factors.far(sum(factors.in_shadow(lit, quad), ambient), quad)
    }

    /// `D0 specular0 G + D1 (RR, RG, RB) specular1 G`, nothing where highlights are clamped and d is 0.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn specular_light(&self, light: Light<'_>, factors: Factors<'_>, quad: usize) -> Vector {
        use LightingTable::{D0, D1, ReflectionB, ReflectionG, ReflectionR};
        let [first, second] =
            [Eight::constants(&light.constants.specular0), Eight::constants(&light.constants.specular1)];
        let of = |table: LightingTable| light.has(table).then_some(self.factor(table));
        let [in_first, in_second] = light.key.geometric.map(|on| on.then_some(&self.geometric));
        let (d0, d1, red) = (of(D0), of(D1), of(ReflectionR));
        let (green, blue) = (of(ReflectionG).or(red), of(ReflectionB).or(red));
        let first = [
            times(times(first[0], d0, quad), in_first, quad),
            times(times(first[1], d0, quad), in_first, quad),
            times(times(first[2], d0, quad), in_first, quad),
        ];
        let second = [
            times(reflected(second[0], (d1, red), quad), in_second, quad),
            times(reflected(second[1], (d1, green), quad), in_second, quad),
            times(reflected(second[2], (d1, blue), quad), in_second, quad),
        ];
        let mut lit = sum(first, second);
        if light.of_all.clamp_highlights {
            let d = Eight::of(&self.diffuse, quad);
            lit = [lit[0].unless_zero(d), lit[1].unless_zero(d), lit[2].unless_zero(d)];
        }
        factors.in_shadow(factors.far(lit, quad), quad)
    }
}

impl Factors<'_> {
    /// Light that has come from afar.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn far(&self, [r, g, b]: Vector, quad: usize) -> Vector {
        let (distance, spot) = (self.distance, self.spot);
        [
            times(times(r, distance, quad), spot, quad),
            times(times(g, distance, quad), spot, quad),
            times(times(b, distance, quad), spot, quad),
        ]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn in_shadow(&self, light: Vector, quad: usize) -> Vector {
        let Some([r, g, b, _]) = self.shadow else { return light };
        [
            light[0].times(Eight::of(r, quad)),
            light[1].times(Eight::of(g, quad)),
            light[2].times(Eight::of(b, quad)),
        ]
    }
}

/// Adds to the light of those before, of which the first one has none.
#[target_feature(enable = "avx2")]
#[inline]
fn add_to(so_far: &mut Vectors, lit: Vector, is_first: bool, quad: usize) {
    let before = Eight::vector_of(so_far, quad);
    put(if is_first { lit } else { sum(before, lit) }, so_far, quad);
}

/// A product with a factor that may be there.
#[target_feature(enable = "avx2")]
#[inline]
fn times(value: Eight, factor: Option<&QuadLanes>, quad: usize) -> Eight {
    match factor {
        Some(factor) => value.times(Eight::of(factor, quad)),
        None => value,
    }
}

/// A colour times the product of two factors that may be there.
#[target_feature(enable = "avx2")]
#[inline]
fn reflected(colour: Eight, (a, b): (Option<&QuadLanes>, Option<&QuadLanes>), quad: usize) -> Eight {
    match (a, b) {
        (Some(a), other) => times(Eight::of(a, quad), other, quad).times(colour),
        (None, other) => times(colour, other, quad),
    }
}

/// Pixels of rounded colours.
#[target_feature(enable = "avx2")]
#[inline]
fn pixels([r, g, b]: Vector, alpha: __m256i) -> __m256i {
    let (r, g) = (_mm256_slli_epi32::<24>(r.byte()), _mm256_slli_epi32::<16>(g.byte()));
    let low = _mm256_or_si256(_mm256_slli_epi32::<8>(b.byte()), alpha);
    _mm256_or_si256(_mm256_or_si256(r, g), low)
}
