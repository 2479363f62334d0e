//! The surface at each pixel: normal, tangent, direction of the view, shadow.

use super::super::eight::{
    Eight, Vector, dot, normalised, normalised_quaternion, rotated, rotated_x, rotated_z,
};
use super::super::{Lights, QuadColours, Read, Slot, Stations};
use super::{OfLights, put};
use crate::pica::key::fragment::lighting::BumpKey;
use std::arch::x86_64::{__m256i, _mm256_set1_epi32};

impl OfLights {
    /// Quaternions and views from the numbers of triangles.
    #[target_feature(enable = "avx2")]
    pub(super) fn interpolate(&mut self, lights: &Lights, stations: &Stations, slots: &[Slot]) {
        let (reads_quaternion, reads_view) = (lights.key.reads_quaternion(), lights.key.reads_view());
        for (triangle, quads) in &stations.runs {
            let triangle = &slots[triangle.clone()];
            // Behind the last quad of a triangle comes one of the next, whose turn is later.
            for quad in quads.clone().step_by(2) {
                let pixels = stations.pixels(triangle, quad);
                if reads_quaternion {
                    for (n, to) in self.quaternion.iter_mut().enumerate() {
                        pixels.value(lights.quaternion + 3 * n).put(to, quad);
                    }
                }
                if reads_view {
                    for (n, to) in self.view.iter_mut().enumerate() {
                        pixels.value(lights.view + 3 * n).put(to, quad);
                    }
                }
            }
        }
    }

    /// The vectors and the shadow that the state reads, of so many quads, from the `colours` of units.
    #[target_feature(enable = "avx2")]
    pub(super) fn frame(&mut self, lights: &Lights, colours: &[QuadColours], quads: usize) {
        let key = &lights.key;
        if key.reads_eye() {
            for quad in (0..quads).step_by(2) {
                let view = Eight::vector_of(&self.view, quad);
                put(normalised(view, dot(view, view)), &mut self.eye, quad);
            }
        }
        if key.reads_quaternion() {
            self.turn(lights, colours, quads);
        }
        if let Some(shadow) = key.shadow {
            let one = Eight::all(1.0);
            for quad in (0..quads).step_by(2) {
                let pixels = lights.shadow.two(colours, quad);
                let channels = [
                    Eight::channel::<24>(pixels),
                    Eight::channel::<16>(pixels),
                    Eight::channel::<8>(pixels),
                    Eight::channel::<0>(pixels),
                ];
                for (channel, to) in channels.into_iter().zip(&mut self.shadow) {
                    let part = channel.over(Eight::all(255.0));
                    let part = if shadow.invert { one.minus(part) } else { part };
                    part.put(to, quad);
                }
            }
        }
    }

    /// Normals and tangents.
    #[target_feature(enable = "avx2")]
    fn turn(&mut self, lights: &Lights, colours: &[QuadColours], quads: usize) {
        let key = &lights.key;
        let (reads_normal, reads_tangent) = (key.reads_normal(), key.reads_tangent());
        for quad in (0..quads).step_by(2) {
            let [x, y, z, w] = &self.quaternion;
            let q = [Eight::of(x, quad), Eight::of(y, quad), Eight::of(z, quad), Eight::of(w, quad)];
            let q = normalised_quaternion(q);
            if reads_normal {
                let normal = match key.bump {
                    BumpKey::Normal { keep_z, .. } => {
                        let [x, y, z] = bump(lights.bump.two(colours, quad));
                        rotated(q, [x, y, if keep_z { z } else { height(x, y) }])
                    }
                    _ => rotated_z(q),
                };
                put(normal, &mut self.normal, quad);
            }
            if reads_tangent {
                let tangent = match key.bump {
                    BumpKey::Tangent { .. } => rotated(q, bump(lights.bump.two(colours, quad))),
                    _ => rotated_x(q),
                };
                put(tangent, &mut self.tangent, quad);
            }
        }
    }
}

impl Read {
    /// The colours of a quad and the next one.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn two(self, colours: &[QuadColours], quad: usize) -> __m256i {
        match self {
            Self::Same(pixel) => _mm256_set1_epi32(pixel.cast_signed()),
            Self::Of(place) => place.two(colours, quad),
        }
    }
}

/// Colours as vectors of -1 to 1.
#[target_feature(enable = "avx2")]
#[inline]
fn bump(pixels: __m256i) -> Vector {
    let (half, one) = (Eight::all(127.5), Eight::all(1.0));
    [
        Eight::channel::<24>(pixels).over(half).minus(one),
        Eight::channel::<16>(pixels).over(half).minus(one),
        Eight::channel::<8>(pixels).over(half).minus(one),
    ]
}

/// z of a vector of length 1 with these x and y.
#[target_feature(enable = "avx2")]
#[inline]
fn height(x: Eight, y: Eight) -> Eight {
    let square = Eight::all(1.0).minus(x.times(x).plus(y.times(y)));
    square.max(Eight::all(0.0)).root()
}
