//! Vertices in window space: everything of a vertex that set-up needs before it knows whether a triangle is drawn.
//! Computed once a vertex, eight at a time, so that triangles that share vertices share the division too.
//!
//! Source: pica-geometry.md 5.3, 5.4, 6.1.

use super::clip::{Plane, is_far_outside};
use super::set_up::{SetUp, snap};
use crate::code::vectors::{Work, widely};
use picaflor_pipeline::pica::regs::rasterizer::Viewport;
use picaflor_pipeline::pica::stage::ShadedVertices;
use picaflor_pipeline::pica::vertex::Vertex;
use std::ops::Range;

/// Vertices that are computed together.
const LANES: usize = 8;
/// A component of these vertices.
type Lanes = [f32; LANES];

/// A vertex in window space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Corner {
    /// Sixteenths of a pixel.
    pub(super) x: i32,
    pub(super) y: i32,
    /// z / w.
    pub(super) z: f32,
    /// 1 / w.
    pub(super) r: f32,
}

impl Corner {
    pub(super) fn of(vertex: &Vertex, viewport: &Viewport) -> Self {
        let r = 1.0 / vertex[3];
        let window = |i: usize| snap((vertex[i] * r + 1.0) * viewport.scale[i] + viewport.origin[i]);
        Self { x: window(0), y: window(1), z: vertex[2] * r, r }
    }
}

/// Vertices in window space, by number.
#[derive(Debug, Default)]
pub(super) struct Windows {
    corners: Vec<Corner>,
    /// A bit for each plane that does not keep the vertex, in clipping order; the user plane is the last one.
    outside: Vec<u8>,
}

/// Place of a triangle relative to the clip volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Clipping would change nothing.
    Inside,
    /// Clipping leaves nothing.
    Outside,
    /// To be clipped.
    Unknown,
}

/// Vertices that are computed.
struct Windowing<'a> {
    windows: &'a mut Windows,
    set_up: &'a SetUp,
    first: &'a [Vertex],
    shaded: &'a ShadedVertices,
    used: Range<usize>,
}

impl Work for Windowing<'_> {
    type Found = ();

    #[inline(always)]
    fn work(self) {
        let Self { windows, set_up, first, shaded, used } = self;
        for vertex in first {
            windows.append(
                set_up,
                [[vertex[0]; LANES], [vertex[1]; LANES], [vertex[2]; LANES], [vertex[3]; LANES]],
                1,
            );
        }
        let component = |k: usize| &shaded.component(k)[used.clone()];
        let rows = [component(0), component(1), component(2), component(3)];
        for at in (0..used.len()).step_by(LANES) {
            let count = (used.len() - at).min(LANES);
            let mut position = [[1.0; LANES]; 4];
            for (lanes, row) in position.iter_mut().zip(rows) {
                lanes[..count].copy_from_slice(&row[at..at + count]);
            }
            windows.append(set_up, position, count);
        }
    }
}

/// A bit for each plane that does not keep a vertex, in clipping order.
#[inline(always)]
fn outside(position: [Lanes; 4], user: Option<[f32; 4]>) -> [u32; LANES] {
    let mut outside = [0; LANES];
    // Written out: what a loop over planes calls is not inlined.
    mark_outside(&mut outside, position, 0, Plane::Right);
    mark_outside(&mut outside, position, 1, Plane::Left);
    mark_outside(&mut outside, position, 2, Plane::Top);
    mark_outside(&mut outside, position, 3, Plane::Bottom);
    mark_outside(&mut outside, position, 4, Plane::Near);
    mark_outside(&mut outside, position, 5, Plane::Far);
    mark_outside(&mut outside, position, 6, Plane::Front);
    if let Some(plane) = user {
        mark_outside(&mut outside, position, 7, Plane::User(plane));
    }
    outside
}

/// Plane by plane for all vertices, not the other way round, so that vectors compare.
#[inline(always)]
fn mark_outside(outside: &mut [u32; LANES], [x, y, z, w]: [Lanes; 4], bit: u32, plane: Plane) {
    for (n, outside) in outside.iter_mut().enumerate() {
        let keeps = plane.keeps(plane.distance_of([x[n], y[n], z[n], w[n]]));
        *outside |= u32::from(!keeps) << bit;
    }
}

impl Windows {
    /// Computes some vertices, then those of a range of rows.
    pub(super) fn of(
        &mut self,
        set_up: &SetUp,
        first: &[Vertex],
        shaded: &ShadedVertices,
        used: Range<usize>,
    ) {
        self.corners.clear();
        self.outside.clear();
        widely(Windowing { windows: self, set_up, first, shaded, used });
    }

    #[inline(always)]
    fn append(&mut self, set_up: &SetUp, position: [Lanes; 4], count: usize) {
        let [x, y, z, w] = position;
        let viewport = &set_up.viewport;
        let mut r = [0.0; LANES];
        r.iter_mut().zip(w).for_each(|(r, w)| *r = 1.0 / w);
        let (mut window_x, mut window_y) = ([0; LANES], [0; LANES]);
        for n in 0..LANES {
            let window = |i: usize, c: f32| snap((c * r[n] + 1.0) * viewport.scale[i] + viewport.origin[i]);
            (window_x[n], window_y[n]) = (window(0, x[n]), window(1, y[n]));
        }
        let corner = |n: usize| Corner { x: window_x[n], y: window_y[n], z: z[n] * r[n], r: r[n] };
        self.corners.extend((0..count).map(corner));
        let outside = outside(position, set_up.user_plane);
        let mut planes = [0; LANES];
        planes.iter_mut().zip(outside).for_each(|(planes, outside)| *planes = outside as u8);
        self.outside.extend_from_slice(&planes[..count]);
    }

    pub(super) fn corners(&self, [a, b, c]: [u32; 3]) -> [Corner; 3] {
        [self.corners[a as usize], self.corners[b as usize], self.corners[c as usize]]
    }

    /// The planes that do not keep all of three vertices, as bits in clipping order.
    pub(super) fn outside(&self, [a, b, c]: [u32; 3]) -> u8 {
        self.outside[a as usize] | self.outside[b as usize] | self.outside[c as usize]
    }

    /// Place of the triangle of three vertices.
    #[inline]
    pub(super) fn place(&self, [a, b, c]: [u32; 3], vertices: [&Vertex; 3]) -> Place {
        let [a, b, c] = [self.outside[a as usize], self.outside[b as usize], self.outside[c as usize]];
        if a | b | c == 0 {
            Place::Inside
        } else if a & b & c != 0 && is_far_outside(vertices, a & b & c) {
            Place::Outside
        } else {
            Place::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::primitive::attributes::Attributes;
    use crate::pica::primitive::clip::{Polygon, planes_outside};
    use crate::pica::primitive::tests::random;
    use picaflor_pipeline::pica::regs::Registers;
    use picaflor_pipeline::pica::vertex::SEMANTICS;

    fn vertex(mut component: impl FnMut() -> f32) -> Vertex {
        let mut vertex = [0.0; SEMANTICS];
        vertex[..4].iter_mut().for_each(|c| *c = component());
        vertex
    }

    /// All vertices are inside all planes.
    fn are_inside(vertices: [&Vertex; 3]) -> bool {
        let keeps = |plane: Plane| vertices.iter().all(|vertex| plane.keeps(plane.distance(vertex)));
        Plane::FIXED.into_iter().all(keeps)
    }

    /// The place is what clipping finds, for ordinary values, values around the planes, and any bits.
    #[test]
    fn places_agree_with_clipping() {
        let special =
            [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45, -0.0, 1.0, -1.0, 1e-8, -1e-8];
        let (set_up, mut seed) = (SetUp::of(&Registers::new(), Attributes::All), 3);
        let mut with_user_plane = set_up;
        with_user_plane.user_plane = Some([0.5, 0.25, 1.0, 0.75]);
        let (mut counts, mut polygon) = ([0; 3], Polygon::default());
        for kind in 0..60_000 {
            let mut pick = || {
                let ordinary = random(&mut seed, 4001) as f32 / 1000.0 - 2.0;
                match (kind % 4, random(&mut seed, 10)) {
                    (0 | 3, _) => ordinary,
                    (1, n) => 1.0 + (n as f32 - 5.0) * f32::EPSILON * ordinary.round(),
                    (_, n) => special[n as usize],
                }
            };
            let mut vertices = [(); 3].map(|()| vertex(&mut pick));
            if kind % 4 == 3 {
                // Most of them are inside.
                for vertex in &mut vertices {
                    (vertex[2], vertex[3]) = (-vertex[2].abs(), 1.9);
                }
            }
            let mut windows = Windows::default();
            windows.of(&set_up, &vertices, &empty(), 0..0);
            let mut others = Windows::default();
            others.of(&with_user_plane, &vertices, &empty(), 0..0);
            let vertices = vertices.each_ref();
            assert_eq!(windows.outside([0, 1, 2]), planes_outside(vertices, None));
            assert_eq!(others.outside([0, 1, 2]), planes_outside(vertices, with_user_plane.user_plane));
            let place = windows.place([0, 1, 2], vertices);
            counts[place as usize] += 1;
            assert_eq!(place == Place::Inside, are_inside(vertices), "{vertices:?}");
            if place == Place::Outside {
                polygon.clip(vertices, (u8::MAX, None), Attributes::All);
                assert!(polygon.corners().next().is_none(), "{vertices:?}");
            }
        }
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }

    fn empty() -> ShadedVertices {
        let mut empty = ShadedVertices::new();
        empty.reset(0, SEMANTICS);
        empty
    }

    /// Blocks that are not full, and vertices before the rows.
    #[test]
    fn numbers_continue() {
        let set_up = SetUp::of(&Registers::new(), Attributes::All);
        let mut shaded = ShadedVertices::new();
        shaded.reset(21, SEMANTICS);
        for k in 0..4 {
            let row = shaded.component_mut(k).iter_mut();
            row.enumerate().for_each(|(n, value)| *value = (n * 4 + k) as f32 + 1.0);
        }
        let mut windows = Windows::default();
        windows.of(&set_up, &[[2.0; SEMANTICS]; 2], &shaded, 2..21);
        assert_eq!((windows.corners.len(), windows.outside.len()), (21, 21));
        assert_eq!(windows.corners[0].r, 0.5);
        for n in 2..21 {
            let corner = windows.corners[n];
            let w = (n * 4 + 3) as f32 + 1.0;
            assert_eq!((corner.r, corner.z), (1.0 / w, (n * 4 + 3) as f32 * (1.0 / w)));
        }
    }
}
