//! Clipping: Sutherland-Hodgman in clip space.
//!
//! Comparisons with NaN are false, so a vertex with a NaN distance counts as outside, and the crossings
//! next to it are vertices made of NaN. These are outside all later planes and so stay, at most two for each
//! run of vertices outside; the viewport puts them at 0.
//!
//! Source: pica-geometry.md 5.2, 5.3.

use super::vertex::SEMANTICS;

/// A vertex in clip space: all its semantics, the position first.
pub type ClipVertex = [f32; SEMANTICS];

/// Vertices that a polygon can have: three, and one more for each plane.
const MOST_VERTICES: usize = 11;
/// What lies this far outside the two depth planes still counts as inside. Layers at z = 0 need it when
/// clipping computes in binary32 (found by reference emulators; hardware has 24 bits).
const DEPTH_TOLERANCE: f32 = 1e-8;
/// The least w inside. A guard of the reference; what hardware does is unknown.
const LEAST_W: f32 = 1e-5;

/// The part of a triangle inside the clip volume: a polygon, to be fanned from its first vertex.
#[derive(Debug, Clone)]
pub struct Polygon {
    vertices: [ClipVertex; MOST_VERTICES],
    len: usize,
}

impl Polygon {
    const EMPTY: Self = Self { vertices: [[0.0; SEMANTICS]; MOST_VERTICES], len: 0 };

    /// The vertices in order: none, or at least three.
    #[must_use]
    pub fn vertices(&self) -> &[ClipVertex] {
        &self.vertices[..self.len]
    }

    /// The triangles of the fan.
    pub fn triangles(&self) -> impl Iterator<Item = [&ClipVertex; 3]> {
        let vertices = self.vertices();
        (2..vertices.len()).map(|last| [&vertices[0], &vertices[last - 1], &vertices[last]])
    }

    /// Appends a vertex. One beyond the bound is dropped (our choice): a convex polygon has none, but
    /// infinities and rounding can make one that crosses a plane more than twice.
    fn push(&mut self, vertex: ClipVertex) {
        if let Some(free) = self.vertices.get_mut(self.len) {
            *free = vertex;
            self.len += 1;
        }
    }
}

/// A plane of the clip volume.
#[derive(Debug, Clone, Copy)]
enum Plane {
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
    const FIXED: [Self; 7] =
        [Self::Right, Self::Left, Self::Top, Self::Bottom, Self::Near, Self::Far, Self::Front];

    /// All planes, in the order in which they clip.
    fn all(user: Option<[f32; 4]>) -> impl Iterator<Item = Self> {
        Self::FIXED.into_iter().chain(user.map(Self::User))
    }

    /// Distance of a vertex from the plane, in a scale of its own; negative outside.
    fn distance(self, vertex: &ClipVertex) -> f32 {
        let [x, y, z, w] = [vertex[0], vertex[1], vertex[2], vertex[3]];
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

    /// Whether a distance from this plane is inside.
    fn keeps(self, distance: f32) -> bool {
        match self {
            Self::Near | Self::Far => distance >= -DEPTH_TOLERANCE,
            _ => distance >= 0.0,
        }
    }

    fn clip(self, polygon: &Polygon) -> Polygon {
        let mut clipped = Polygon::EMPTY;
        let Some(mut prev) = polygon.vertices().last() else { return clipped };
        let mut dp = self.distance(prev);
        for cur in polygon.vertices() {
            let dc = self.distance(cur);
            if self.keeps(dc) != self.keeps(dp) {
                clipped.push(mix(prev, cur, dp / (dp - dc)));
            }
            if self.keeps(dc) {
                clipped.push(*cur);
            }
            (prev, dp) = (cur, dc);
        }
        clipped
    }
}

/// The point between two vertices at weight `t` of the second, every semantic alike.
fn mix(prev: &ClipVertex, cur: &ClipVertex, t: f32) -> ClipVertex {
    std::array::from_fn(|k| prev[k] * (1.0 - t) + cur[k] * t)
}

/// Whether clipping would change nothing.
fn is_inside(vertices: &[ClipVertex; 3], user: Option<[f32; 4]>) -> bool {
    Plane::all(user).all(|plane| vertices.iter().all(|vertex| plane.keeps(plane.distance(vertex))))
}

/// Clips a triangle against the volume and, if there is one, the user's plane.
#[must_use]
pub fn clip_triangle(vertices: &[ClipVertex; 3], user: Option<[f32; 4]>) -> Polygon {
    let mut polygon = Polygon::EMPTY;
    vertices.iter().for_each(|&vertex| polygon.push(vertex));
    if is_inside(vertices, user) {
        return polygon;
    }
    for plane in Plane::all(user) {
        polygon = plane.clip(&polygon);
        if polygon.len < 3 {
            return Polygon::EMPTY;
        }
    }
    polygon
}

/// Makes the quaternions of vertices 1 and 2 lie on the side of vertex 0's, so that interpolation takes the
/// short way (measured on a console: Citra PR 2767).
pub fn align_quaternions(vertices: &mut [ClipVertex; 3]) {
    let [first, others @ ..] = vertices;
    for other in others {
        let dot = ((first[4] * other[4] + first[5] * other[5]) + first[6] * other[6]) + first[7] * other[7];
        if dot < 0.0 {
            other[4..8].iter_mut().for_each(|q| *q = -*q);
        }
    }
}
