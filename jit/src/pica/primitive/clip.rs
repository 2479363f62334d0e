//! Clipping: Sutherland-Hodgman in clip space.
//!
//! Comparisons with NaN are false, so a vertex with a NaN distance counts as outside, and the crossings next to it
//! are vertices of NaN. These are outside of all later planes and remain: at most two for each run of vertices
//! outside; the viewport transform moves them to 0.
//!
//! Source: pica-geometry.md 5.2, 5.3.

use super::attributes::Attributes;
use picaflor_pipeline::pica::vertex::{QUATERNION, SEMANTICS, Vertex};

/// Maximum number of vertices of a polygon: three, and one more for each plane.
const MOST_VERTICES: usize = 11;
/// Tolerance outside of the two depth planes. Layers at z = 0 need it when clipping computes in binary32 (found by
/// reference emulators; hardware has 24 bits).
const DEPTH_TOLERANCE: f32 = 1e-8;
/// Lower bound of w: 2^-62, the smallest normal number of 24 bits (our choice; hardware behaviour is unknown).
const LEAST_W: f32 = f32::from_bits((127 - 62) << 23);

/// The part of a triangle inside the clip volume: a polygon, drawn as a fan around its first vertex. Kept from triangle to
/// triangle for its memory. Planes that keep all vertices change nothing and are passed over; vertices are not moved.
#[derive(Debug, Clone, Default)]
pub(super) struct Polygon {
    /// The vertices of the cuts: 88 at most, 11 for each plane.
    cuts: Vec<Vertex>,
    corners: Corners,
}

/// The corners of a polygon in order: none, or at least three.
#[derive(Debug, Clone, Copy, Default)]
struct Corners {
    /// Numbers: of the vertices of the triangle, then of those of the cuts.
    places: [u8; MOST_VERTICES],
    len: usize,
}

impl Corners {
    /// Those of the triangle.
    const fn whole() -> Self {
        let mut places = [0; MOST_VERTICES];
        (places[1], places[2]) = (1, 2);
        Self { places, len: 3 }
    }

    fn as_slice(&self) -> &[u8] {
        &self.places[..self.len]
    }

    /// Appends a vertex; drops it if the polygon is full (our choice). A convex polygon never is, but with infinities
    /// and rounding a polygon can cross a plane more than twice.
    fn push(&mut self, place: u8) {
        if let Some(free) = self.places.get_mut(self.len) {
            *free = place;
            self.len += 1;
        }
    }
}

/// A corner of what clipping leaves.
pub(super) enum Corner<'a> {
    /// A vertex of the triangle, by its number there.
    Vertex(usize),
    /// A vertex of a cut.
    Cut(&'a Vertex),
}

/// The vertices of a triangle, then those of its cuts.
#[derive(Clone, Copy)]
struct Known<'a> {
    triangle: [&'a Vertex; 3],
    cuts: &'a [Vertex],
}

impl<'a> Known<'a> {
    fn vertex(self, place: u8) -> &'a Vertex {
        let place = usize::from(place);
        match place.checked_sub(3) {
            Some(cut) => &self.cuts[cut],
            None => self.triangle[place],
        }
    }
}

impl Polygon {
    /// The corners of what is left.
    pub(super) fn corners(&self) -> impl Iterator<Item = Corner<'_>> {
        self.corners.as_slice().iter().map(|&place| match usize::from(place).checked_sub(3) {
            Some(cut) => Corner::Cut(&self.cuts[cut]),
            None => Corner::Vertex(usize::from(place)),
        })
    }

    /// Clips a triangle, with some of its attributes, against the volume and the optional user plane. `outside`: the planes that do
    /// not keep all of its vertices, as bits in clipping order. The planes before the first of them change nothing.
    pub(super) fn clip(
        &mut self,
        triangle: [&Vertex; 3],
        (outside, user): (u8, Option<[f32; 4]>),
        attributes: Attributes,
    ) {
        self.cuts.clear();
        self.corners = Corners::whole();
        for plane in Plane::all(user).skip(outside.trailing_zeros() as usize) {
            self.cut(triangle, plane, attributes);
            if self.corners.len < 3 {
                self.corners = Corners::default();
                return;
            }
        }
    }

    fn cut(&mut self, triangle: [&Vertex; 3], plane: Plane, attributes: Attributes) {
        let corners = self.corners;
        let (corners, known) = (corners.as_slice(), Known { triangle, cuts: &self.cuts });
        let (distances, least) = (plane.distances(corners, known), plane.least());
        let keeps = |n: usize| distances[n] >= least;
        if (0..corners.len()).all(keeps) {
            return;
        }
        self.corners = Corners::default();
        let mut prev = corners.len() - 1;
        for cur in 0..corners.len() {
            if keeps(cur) != keeps(prev) {
                let [dp, dc] = [distances[prev], distances[cur]];
                let known = Known { triangle, cuts: &self.cuts };
                let (from, to) = (known.vertex(corners[prev]), known.vertex(corners[cur]));
                let vertex = mix(from, to, dp / (dp - dc), attributes);
                self.corners.push(3 + self.cuts.len() as u8);
                self.cuts.push(vertex);
            }
            if keeps(cur) {
                self.corners.push(corners[cur]);
            }
            prev = cur;
        }
    }
}

/// A plane of the clip volume.
#[derive(Debug, Clone, Copy)]
pub(super) enum Plane {
    Right,
    Left,
    Top,
    Bottom,
    Near,
    Far,
    Front,
    User([f32; 4]),
}

impl Plane {
    pub(super) const FIXED: [Self; 7] =
        [Self::Right, Self::Left, Self::Top, Self::Bottom, Self::Near, Self::Far, Self::Front];

    /// All planes, in clipping order.
    fn all(user: Option<[f32; 4]>) -> impl Iterator<Item = Self> {
        Self::FIXED.into_iter().chain(user.map(Self::User))
    }

    /// [Distances](Self::distance) of corners of a polygon. The plane is looked at once, not for each of them.
    fn distances(self, corners: &[u8], known: Known<'_>) -> [f32; MOST_VERTICES] {
        match self {
            Self::Right => distances(corners, known, |vertex| Self::Right.distance(vertex)),
            Self::Left => distances(corners, known, |vertex| Self::Left.distance(vertex)),
            Self::Top => distances(corners, known, |vertex| Self::Top.distance(vertex)),
            Self::Bottom => distances(corners, known, |vertex| Self::Bottom.distance(vertex)),
            Self::Near => distances(corners, known, |vertex| Self::Near.distance(vertex)),
            Self::Far => distances(corners, known, |vertex| Self::Far.distance(vertex)),
            Self::Front => distances(corners, known, |vertex| Self::Front.distance(vertex)),
            Self::User(plane) => distances(corners, known, |vertex| Self::User(plane).distance(vertex)),
        }
    }

    /// Signed distance of a vertex from the plane, in a scale specific to the plane; negative outside.
    #[inline]
    pub(super) fn distance(self, vertex: &Vertex) -> f32 {
        self.distance_of([vertex[0], vertex[1], vertex[2], vertex[3]])
    }

    /// The same for a position.
    #[inline]
    pub(super) fn distance_of(self, [x, y, z, w]: [f32; 4]) -> f32 {
        match self {
            Self::Right => w - x,
            Self::Left => w + x,
            Self::Top => w - y,
            Self::Bottom => w + y,
            Self::Near => -z,
            Self::Far => z + w,
            Self::Front => w - LEAST_W,
            Self::User([cx, cy, cz, cw]) => ((cx * x + cy * y) + cz * z) + cw * w,
        }
    }

    /// The least distance that is inside.
    #[inline]
    const fn least(self) -> f32 {
        match self {
            Self::Near | Self::Far => -DEPTH_TOLERANCE,
            _ => 0.0,
        }
    }

    /// True if a distance from this plane is inside.
    #[inline]
    pub(super) fn keeps(self, distance: f32) -> bool {
        distance >= self.least()
    }
}

/// A number of each corner.
#[inline(always)]
fn distances(corners: &[u8], known: Known<'_>, distance: impl Fn(&Vertex) -> f32) -> [f32; MOST_VERTICES] {
    let mut distances = [0.0; MOST_VERTICES];
    for (to, &corner) in distances.iter_mut().zip(corners) {
        *to = distance(known.vertex(corner));
    }
    distances
}

/// Linear interpolation of the position and of attributes between two vertices; `t` is the weight of the second.
fn mix(prev: &Vertex, cur: &Vertex, t: f32, attributes: Attributes) -> Vertex {
    let mut mixed = [0.0; SEMANTICS];
    let mix = |k: usize| prev[k] * (1.0 - t) + cur[k] * t;
    attributes.fill(&mut mixed, mix);
    (0..4).for_each(|k| mixed[k] = mix(k));
    mixed
}

/// Bits of [`Plane::FIXED`] up to the near plane: cuts by them interpolate. Those by the near and the far plane may
/// extrapolate, because of their tolerance.
const INTERPOLATING: u8 = 0b1_1111;

/// True only if clipping a triangle leaves nothing, because all vertices lie outside of a plane by more than rounding
/// can move a cut. `planes`: the planes that keep none of the vertices, as bits in clipping order.
pub(super) fn is_far_outside(vertices: [&Vertex; 3], planes: u8) -> bool {
    /// Of the largest coordinate: far above the errors of the cuts, each of which rounds a few times.
    const MARGIN: f32 = 1e-4;
    /// Coordinates below do not overflow.
    const LARGEST: f32 = 1e30;
    // Bits without signs are in the order of magnitudes, behind which NaN follow.
    let mut largest = 0;
    for n in 0..4 {
        let bits = |vertex: &Vertex| vertex[n].to_bits() & (u32::MAX >> 1);
        largest = bits(vertices[0]).max(bits(vertices[1])).max(bits(vertices[2])).max(largest);
    }
    if largest > LARGEST.to_bits() {
        return false;
    }
    let least = -(MARGIN * f32::from_bits(largest)) - 2.0 * DEPTH_TOLERANCE;
    let planes = planes & INTERPOLATING;
    Plane::FIXED.iter().enumerate().any(|(bit, plane)| {
        planes >> bit & 1 != 0 && vertices.iter().all(|vertex| plane.distance(vertex) <= least)
    })
}

/// Whether the quaternions of vertices 1 and 2 are in the opposite hemisphere of vertex 0's, and so are negated: interpolation
/// takes the shorter arc (measured on a console: Citra PR 2767).
#[inline]
pub(super) fn opposite_quaternions([first, second, third]: [&Vertex; 3]) -> [bool; 2] {
    [second, third].map(|other| {
        let dot = ((first[4] * other[4] + first[5] * other[5]) + first[6] * other[6]) + first[7] * other[7];
        dot < 0.0
    })
}

/// Three vertices, of which the second and the third may have their quaternions negated.
pub(super) fn turned(vertices: [&Vertex; 3], [second, third]: [bool; 2]) -> [Vertex; 3] {
    let mut turned = vertices.map(|vertex| *vertex);
    for (vertex, _) in turned[1..].iter_mut().zip([second, third]).filter(|&(_, is_opposite)| is_opposite) {
        vertex[QUATERNION].iter_mut().for_each(|q| *q = -*q);
    }
    turned
}

/// The planes that do not keep all vertices, as bits in clipping order.
#[cfg(test)]
pub(super) fn planes_outside(vertices: [&Vertex; 3], user: Option<[f32; 4]>) -> u8 {
    let keeps = |plane: Plane| vertices.iter().all(|vertex| plane.keeps(plane.distance(vertex)));
    Plane::all(user).enumerate().map(|(bit, plane)| u8::from(!keeps(plane)) << bit).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::primitive::tests::random;
    use picaflor_pipeline::pica::vertex::SEMANTICS;

    fn vertex(x: f32, y: f32, z: f32, w: f32) -> Vertex {
        let mut vertex = [0.0; SEMANTICS];
        vertex[..4].copy_from_slice(&[x, y, z, w]);
        vertex[12] = 3.0 * x - y + 0.5 * z + 2.0 * w;
        vertex
    }

    /// The corners of what is left of a triangle, the same whether or not it is known which planes keep all of it.
    fn clipped(vertices: [[f32; 4]; 3], user: Option<[f32; 4]>) -> Vec<Vertex> {
        let vertices = vertices.map(|[x, y, z, w]| vertex(x, y, z, w));
        let outside = planes_outside(vertices.each_ref(), user);
        let [found, expected] = [outside, u8::MAX].map(|outside| {
            let mut polygon = Polygon::default();
            polygon.clip(vertices.each_ref(), (outside, user), Attributes::All);
            let known = Known { triangle: vertices.each_ref(), cuts: &polygon.cuts };
            polygon.corners.as_slice().iter().map(|&place| *known.vertex(place)).collect::<Vec<_>>()
        });
        let bits =
            |polygon: &[Vertex]| polygon.as_flattened().iter().map(|c| c.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&expected), "{outside:#x}");
        found
    }

    fn positions(polygon: &[Vertex]) -> Vec<[f32; 4]> {
        polygon.iter().map(|v| [v[0], v[1], v[2], v[3]]).collect()
    }

    #[test]
    fn inside_is_untouched() {
        let triangle = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, -1.0, 1.0], [0.0, 2.0, -2.0, 2.0]];
        assert_eq!(positions(&clipped(triangle, None)), triangle);
        assert_eq!(positions(&clipped(triangle, Some([0.0, 0.0, -1.0, 0.0]))), triangle);
    }

    #[test]
    fn near_and_far() {
        let near = [[0.0, 0.0, 1.0, 1.0], [0.5, 0.0, -1.0, 1.0], [0.0, 0.5, -1.0, 1.0]];
        let expected =
            [[0.0, 0.25, 0.0, 1.0], [0.25, 0.0, 0.0, 1.0], [0.5, 0.0, -1.0, 1.0], [0.0, 0.5, -1.0, 1.0]];
        assert_eq!(positions(&clipped(near, None)), expected);
        let far = [[0.0, 0.0, -2.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0]];
        let expected =
            [[0.0, 0.25, -1.0, 1.0], [0.25, 0.0, -1.0, 1.0], [0.5, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 1.0]];
        assert_eq!(positions(&clipped(far, None)), expected);
        assert!(clipped(far.map(|[x, y, z, w]| [x, y, z - 1.5, w]), None).is_empty());
    }

    #[test]
    fn depth_planes_have_a_tolerance_and_the_others_none() {
        let layer = |z: f32| [[0.0, 0.0, z, 1.0], [0.5, 0.0, z, 1.0], [0.0, 0.5, z, 1.0]];
        assert_eq!(positions(&clipped(layer(9e-9), None)), layer(9e-9));
        assert!(clipped(layer(2e-8), None).is_empty());
        let side = |x: f32| [[x, 0.0, 0.0, 1.0], [x, 0.5, 0.0, 1.0], [x, 0.0, -0.5, 1.0]];
        assert_eq!(clipped(side(1.0), None).len(), 3);
        assert!(clipped(side(1.0 + f32::EPSILON), None).is_empty());
    }

    #[test]
    fn user_plane() {
        let triangle = [[0.5, 0.0, -0.5, 1.0], [-0.5, 0.5, -0.5, 1.0], [-0.5, -0.5, -0.5, 1.0]];
        let polygon = clipped(triangle, Some([1.0, 0.0, 0.0, 0.0]));
        let expected = [[0.0, -0.25, -0.5, 1.0], [0.5, 0.0, -0.5, 1.0], [0.0, 0.25, -0.5, 1.0]];
        assert_eq!(positions(&polygon), expected);
        assert_eq!(clipped(triangle, Some([0.0, 0.0, 1.0, 0.5])).len(), 3, "on the plane is inside");
        assert!(clipped(triangle, Some([0.0, 0.0, 1.0, 0.25])).is_empty());
        assert!(clipped(triangle, Some([f32::NAN, 0.0, 0.0, 0.0])).is_empty());
    }

    #[test]
    fn behind_the_eye() {
        let behind = [[0.0, 0.0, 0.5, -1.0], [0.1, 0.0, 0.5, -1.0], [0.0, 0.1, 0.5, -1.0]];
        assert!(clipped(behind, None).is_empty());
        assert!(clipped([[0.0; 4]; 3], None).is_empty(), "w = 0");
        // A scene in small units is nothing special.
        let scaled = |s: f32| {
            let triangle = [[-0.5, -0.5, -0.5, 1.0], [0.5, -0.5, -0.5, 1.0], [0.0, 0.5, -0.5, 1.0]];
            clipped(triangle.map(|position| position.map(|c| c * s)), None).len()
        };
        assert_eq!([2.0_f32.powi(-40), LEAST_W, LEAST_W / 2.0].map(scaled), [3, 3, 0]);
        let across = [[0.0, 0.0, 0.5, -1.0], [1.0, 0.0, -1.0, 2.0], [-1.0, 0.0, -1.0, 2.0]];
        let polygon = clipped(across, None);
        assert!(polygon.len() >= 3 && polygon.iter().all(|v| v[3] >= 0.0), "{:?}", positions(&polygon));
    }

    #[test]
    fn nan_makes_two_vertices_of_nan() {
        for component in 0..4 {
            let mut triangle = [[0.5, 0.0, -0.5, 1.0], [0.0, 0.5, -0.5, 1.0], [-0.5, -0.5, -0.5, 1.0]];
            triangle[0][component] = f32::NAN;
            let polygon = clipped(triangle, None);
            let shape: Vec<_> = polygon.iter().map(|v| v.iter().all(|u| u.is_nan())).collect();
            // The first plane whose distance is NaN decides where the polygon begins.
            assert_eq!(shape.iter().filter(|&&nan| nan).count(), 2, "{component}: {polygon:?}");
            assert_eq!(positions(&polygon)[2..], triangle[1..]);
            triangle[1][component] = f32::NAN;
            assert_eq!(clipped(triangle, None).len(), 3);
            triangle[2][component] = f32::NAN;
            assert!(clipped(triangle, None).is_empty());
        }
    }

    #[test]
    fn random_triangles_end_up_inside_and_keep_their_attributes() {
        let mut seed = 5;
        let mut sizes = [0; MOST_VERTICES + 1];
        for _ in 0..20_000 {
            let triangle = [(); 3].map(|()| [(); 4].map(|()| random(&mut seed, 4001) as f32 / 1000.0 - 2.0));
            let polygon = clipped(triangle, Some([0.5, 0.25, 1.0, 0.75]));
            sizes[polygon.len()] += 1;
            for v in &polygon {
                let [x, y, z, w] = [v[0], v[1], v[2], v[3]];
                assert!(w > 0.0 && x.abs() <= w + 1e-5 && y.abs() <= w + 1e-5, "{v:?}");
                assert!(z <= 1e-5 && z >= -w - 1e-5, "{v:?}");
                assert!((v[12] - (3.0 * x - y + 0.5 * z + 2.0 * w)).abs() < 1e-4, "{v:?}");
            }
        }
        assert!(sizes[0] > 1000 && sizes[3..8].iter().all(|&n| n > 50), "{sizes:?}");
        assert_eq!(sizes[1] + sizes[2], 0);
    }

    #[test]
    fn any_bits_are_clipped() {
        let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -f32::MAX, 1e-45, -0.0, 1.0];
        let mut seed = 9;
        let mut largest = 0;
        for _ in 0..50_000 {
            let mut pick = || match random(&mut seed, 12) {
                n @ 0..8 => special[n as usize],
                _ => random(&mut seed, 2001) as f32 / 1000.0 - 1.0,
            };
            let triangle = [(); 3].map(|()| [(); 4].map(|()| pick()));
            let plane = [(); 4].map(|()| pick());
            let polygon = clipped(triangle, Some(plane));
            assert!(polygon.is_empty() || (3..=MOST_VERTICES).contains(&polygon.len()));
            largest = largest.max(polygon.len());
        }
        assert!(largest > 5, "{largest}");
    }

    #[test]
    fn quaternions_take_the_short_way() {
        let with = |q: [f32; 4]| {
            let mut vertex = vertex(0.0, 0.0, 0.0, 1.0);
            vertex[4..8].copy_from_slice(&q);
            vertex
        };
        let vertices =
            [with([0.0, 0.0, 0.6, 0.8]), with([0.1, 0.2, -0.6, -0.8]), with([1.0, 0.0, 0.8, -0.6])];
        assert_eq!(opposite_quaternions(vertices.each_ref()), [true, false], "dot product 0");
        let [first, second, third] = vertices.each_ref();
        assert_eq!(opposite_quaternions([second, third, first]), [false, true]);
        let turned = turned(vertices.each_ref(), [true, false]);
        assert_eq!(turned[1][4..8], [-0.1, -0.2, 0.6, 0.8]);
        assert_eq!((turned[0], turned[2], turned[1][3]), (vertices[0], vertices[2], 1.0));
        assert_eq!(opposite_quaternions(turned.each_ref()), [false; 2]);
    }
}
