//! Colours of lights: the surface's frame at each pixel, then light by light its direction, the inputs of tables, what they give,
//! and the sums. Each step is a loop over all quads.
//!
//! Factors that are 1 are left out, as are vectors that nothing reads.
//!
//! Source: pica-fragment.md section 4; the order of operations is that of `interp::pica::fragment::lighting`.

mod factors;
mod frame;
mod sums;

use super::eight::{Eight, Vector, dot, normalised, scaled, sum};
use super::{Lights, MOST_QUADS, QuadColours, Slot, Stations};
use crate::emit::pica::block::{QUAD_PLACES, QuadLanes};
use crate::emit::pica::constants::{LightConstants, LightingConstants};
use crate::pica::key::fragment::lighting::{LightKey, LightingKey};
use picaflor_pipeline::pica::regs::lighting::{LightingInput, LightingTable};

/// A vector of each pixel of some quads.
type Vectors = [QuadLanes; 3];

/// What is known of quads for their lights; stale where the state does not need it.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct OfLights {
    /// Of the surface: the quaternion, and the view before it is a direction.
    quaternion: [QuadLanes; 4],
    view: Vectors,
    normal: Vectors,
    tangent: Vectors,
    /// The direction of the view.
    eye: Vectors,
    /// The shadow's red, green, blue and alpha, 0 to 1.
    shadow: [QuadLanes; 4],
    of_light: OfLight,
    /// Diffuse and specular light so far.
    sums: [Vectors; 2],
}

/// What is known of quads as one light sees them.
#[derive(Debug)]
#[repr(align(64))]
struct OfLight {
    /// The light's direction and distance.
    towards: Vectors,
    distance: QuadLanes,
    /// The direction of the half vector, and the square of its length.
    half: Vectors,
    half_squared: QuadLanes,
    /// By the code of [`LightingInput`].
    inputs: [QuadLanes; 7],
    /// d and G.
    diffuse: QuadLanes,
    geometric: QuadLanes,
    /// By the code of [`LightingTable`], scaled.
    factors: [QuadLanes; 7],
    /// DA.
    attenuation: QuadLanes,
}

impl Default for OfLights {
    fn default() -> Self {
        let lanes = [[0.0; 4]; QUAD_PLACES];
        let vectors = [lanes; 3];
        let of_light = OfLight {
            towards: vectors,
            distance: lanes,
            half: vectors,
            half_squared: lanes,
            inputs: [lanes; 7],
            diffuse: lanes,
            geometric: lanes,
            factors: [lanes; 7],
            attenuation: lanes,
        };
        Self {
            quaternion: [lanes; 4],
            view: vectors,
            normal: vectors,
            tangent: vectors,
            eye: vectors,
            shadow: [lanes; 4],
            of_light,
            sums: [vectors; 2],
        }
    }
}

/// A light of a state.
#[derive(Clone, Copy)]
struct Light<'a> {
    key: LightKey,
    of_all: &'a LightingKey,
    constants: &'a LightConstants,
    is_first: bool,
}

impl Lights {
    /// The colours of all quads, at their places.
    ///
    /// # Safety
    /// As [`find`](super::find).
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn light(
        &self,
        constants: &LightingConstants,
        (stations, slots): (&mut Stations, &[Slot]),
        to: &mut [QuadColours],
    ) {
        let mut of = stations.of_lights.take().unwrap_or_default();
        // There are no more of them, which the compiler does not know.
        let quads = stations.quads.min(MOST_QUADS);
        of.interpolate(self, stations, slots);
        of.frame(self, to, quads);
        let count = self.key.slots().len();
        for (slot, (&key, light)) in self.key.slots().iter().zip(&constants.lights).enumerate() {
            let light = Light { key, of_all: &self.key, constants: light, is_first: slot == 0 };
            of.see(light, quads);
            // SAFETY: as the caller promises.
            unsafe {
                of.of_light.look_up(light, constants, quads);
                if slot + 1 == count && self.key.fresnel != [false; 2] {
                    of.of_light.look_up_one(light, constants, LightingTable::Fresnel, quads);
                }
            }
            of.add(light, quads);
        }
        of.colours(self, constants, to, quads);
        stations.of_lights = Some(of);
    }
}

impl Light<'_> {
    /// True if the table's result matters.
    fn has(&self, table: LightingTable) -> bool {
        self.of_all.get(table).is_some() && (table != LightingTable::Spot || self.key.spot)
    }

    /// True if the shadow acts on diffuse or on specular light.
    fn is_shadowed(&self) -> [bool; 2] {
        self.of_all.shadow.map_or([false; 2], |shadow| shadow.acts.map(|acts| acts && self.key.shadow))
    }
}

impl OfLights {
    /// Directions, inputs of tables, d and G.
    #[target_feature(enable = "avx2")]
    fn see(&mut self, light: Light<'_>, quads: usize) {
        let key = light.of_all;
        self.direct(light, quads);
        if key.reads_half() {
            self.halve(quads);
        }
        let Self { normal, tangent, eye, of_light: of, .. } = self;
        let inputs = &mut of.inputs;
        if key.reads_diffuse() || key.uses(LightingInput::LightNormal) {
            dots((&of.towards, normal), &mut inputs[LightingInput::LightNormal as usize], quads);
        }
        for &input in LightingInput::ALL.iter().filter(|&&input| key.uses(input)) {
            let to = &mut inputs[input as usize];
            match input {
                // All lights have the same.
                LightingInput::NormalView | LightingInput::Zero if !light.is_first => (),
                LightingInput::NormalHalf => dots((normal, &of.half), to, quads),
                LightingInput::ViewHalf => dots((eye, &of.half), to, quads),
                LightingInput::NormalView => dots((normal, eye), to, quads),
                // It is there.
                LightingInput::LightNormal => (),
                LightingInput::LightSpot => {
                    let spot = Eight::constants(&light.constants.spot);
                    for quad in (0..quads).step_by(2) {
                        dot(Eight::vector_of(&of.towards, quad), spot).put(to, quad);
                    }
                }
                LightingInput::CosPhi => cos_phi((normal, &of.half), tangent, to, quads),
                LightingInput::Zero => to[..=quads].fill([0.0; 4]),
            }
        }
        if key.reads_diffuse() {
            for quad in (0..quads).step_by(2) {
                let at = Eight::of(&inputs[LightingInput::LightNormal as usize], quad);
                one_side(light.key, at).put(&mut of.diffuse, quad);
            }
        }
        if light.key.geometric != [false; 2] {
            for quad in (0..quads).step_by(2) {
                let (d, squared) = (Eight::of(&of.diffuse, quad), Eight::of(&of.half_squared, quad));
                d.over(squared).min(Eight::all(1.0)).unless_zero(squared).put(&mut of.geometric, quad);
            }
        }
    }

    /// The direction to a light, and its distance where attenuation reads it. Those of directional lights are constants.
    #[target_feature(enable = "avx2")]
    fn direct(&mut self, light: Light<'_>, quads: usize) {
        let (of, constants) = (&mut self.of_light, light.constants);
        if light.key.directional {
            for (to, from) in of.towards.iter_mut().zip(constants.direction) {
                to[..=quads].fill(from);
            }
            of.distance[..=quads].fill(constants.length);
            return;
        }
        let position = Eight::constants(&constants.position);
        for quad in (0..quads).step_by(2) {
            let towards = sum(position, Eight::vector_of(&self.view, quad));
            let squared = dot(towards, towards);
            squared.root().put(&mut of.distance, quad);
            put(normalised(towards, squared), &mut of.towards, quad);
        }
    }

    /// Half vectors.
    #[target_feature(enable = "avx2")]
    fn halve(&mut self, quads: usize) {
        let of = &mut self.of_light;
        for quad in (0..quads).step_by(2) {
            let half = sum(Eight::vector_of(&self.eye, quad), Eight::vector_of(&of.towards, quad));
            let squared = dot(half, half);
            squared.put(&mut of.half_squared, quad);
            put(normalised(half, squared), &mut of.half, quad);
        }
    }
}

/// The magnitude for two-sided lights, else the maximum with 0.
#[target_feature(enable = "avx2")]
#[inline]
fn one_side(light: LightKey, x: Eight) -> Eight {
    if light.two_sided { x.magnitude() } else { x.max(Eight::all(0.0)) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn put([x, y, z]: Vector, to: &mut Vectors, quad: usize) {
    x.put(&mut to[0], quad);
    y.put(&mut to[1], quad);
    z.put(&mut to[2], quad);
}

/// The products of vectors.
#[target_feature(enable = "avx2")]
fn dots((a, b): (&Vectors, &Vectors), to: &mut QuadLanes, quads: usize) {
    for quad in (0..quads).step_by(2) {
        dot(Eight::vector_of(a, quad), Eight::vector_of(b, quad)).put(to, quad);
    }
}

/// CP: the half vector's shadow on the surface, and the tangent.
#[target_feature(enable = "avx2")]
fn cos_phi((normal, half): (&Vectors, &Vectors), tangent: &Vectors, to: &mut QuadLanes, quads: usize) {
    for quad in (0..quads).step_by(2) {
        let (n, h) = (Eight::vector_of(normal, quad), Eight::vector_of(half, quad));
        let along = scaled(n, dot(n, h));
        let across = [h[0].minus(along[0]), h[1].minus(along[1]), h[2].minus(along[2])];
        dot(across, Eight::vector_of(tangent, quad)).put(to, quad);
    }
}
