//! Triangles that share vertices: what goes from the primitive seam through the tiles to the fragment seam.
//!
//! A [`Face`] has the numbers that set-up finds, and names its vertices; a mesh of small triangles has one or two faces a vertex,
//! and attributes are read where a face has pixels alone. A [`Triangle`] that is [pushed](Triangles::push), as the interpreter does,
//! comes back bit by bit, so the interpreter shares no arithmetic with engines whose faces share vertices.

use super::{Fixed12_4, Triangle};
use crate::pica::vertex::{COLOUR, QUATERNION, SEMANTICS, Vertex};
use crate::rect::Rect;
use crate::tile::{Primitives, empty, is_roomy};
use std::collections::TryReserveError;
use std::ops::Range;

/// Vertices for each face, at most, where many are culled.
const MOST_VERTICES: usize = 8;

/// A bit for each group of four semantics.
pub const ALL_GROUPS: u32 = (1 << (SEMANTICS / 4)) - 1;

/// Which vertex carries the attributes of a corner, and how they become those of the corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carrier(u32);

impl Carrier {
    /// The quaternion is negated.
    const NEGATED: u32 = 1 << 31;
    /// The attributes are products with 1 / w already.
    const DIVIDED: u32 = 1 << 30;
    /// No vertex.
    pub const NONE: Self = Self(u32::MAX);

    /// The vertex of this number, below 2^30 - 1, whose attributes are to be multiplied by 1 / w.
    #[must_use]
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self(number & (Self::DIVIDED - 1))
    }

    /// The same, with its quaternion negated if it `is_opposite` (pica-geometry.md 5.2).
    #[must_use]
    #[inline]
    pub const fn negated(self, is_opposite: bool) -> Self {
        Self(self.0 | (is_opposite as u32) << 31)
    }

    #[inline]
    const fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    #[inline]
    const fn number(self) -> usize {
        (self.0 & (Self::DIVIDED - 1)) as usize
    }

    /// The same vertex as that of another number.
    const fn renumbered(self, number: u32) -> Self {
        Self(self.0 & (Self::NEGATED | Self::DIVIDED) | Self::new(number).0)
    }
}

/// A triangle in window space, counter-clockwise, whose attributes are those of vertices: one cache line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// As of a [`Triangle`].
    pub x: [Fixed12_4; 3],
    /// As of a [`Triangle`].
    pub y: [Fixed12_4; 3],
    /// z / w of each vertex.
    pub z: [f32; 3],
    /// 1 / w of each vertex.
    pub r: [f32; 3],
    /// Whose attributes each corner has.
    pub carriers: [Carrier; 3],
    /// Whose colour all pixels have, if colours are not interpolated (0x058 bit 0); otherwise [`Carrier::NONE`].
    pub flat: Carrier,
}

const _: () = assert!(size_of::<Face>() == 64);

impl Face {
    /// The pixels that the face may cover.
    #[must_use]
    #[inline]
    pub fn bounds(&self) -> Rect {
        bounds([self.x, self.y])
    }

    /// The same with other numbers for its vertices.
    fn renumbered(self, mut number: impl FnMut(usize) -> u32) -> Self {
        let mut of = |carrier: Carrier| carrier.renumbered(number(carrier.number()));
        let carriers = self.carriers.map(&mut of);
        let flat = if self.flat == Carrier::NONE { self.flat } else { of(self.flat) };
        Self { carriers, flat, ..self }
    }
}

/// The pixels that a triangle with these x and y may cover.
#[inline]
pub(super) fn bounds([x, y]: [[Fixed12_4; 3]; 2]) -> Rect {
    let least = |[a, b, c]: [Fixed12_4; 3]| a.min(b).min(c) >> 4;
    let end = |[a, b, c]: [Fixed12_4; 3]| (a.max(b).max(c) + 15) >> 4;
    Rect { x0: least(x), y0: least(y), x1: end(x), y1: end(y) }
}

/// Triangles in the order of drawing, and the vertices that they share.
#[derive(Debug, Clone, Default)]
pub struct Triangles {
    faces: Vec<Face>,
    vertices: Vec<Vertex>,
}

impl Triangles {
    /// How many triangles.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.faces.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.faces.is_empty()
    }

    /// The triangle of a number, with attributes of its own. `None` if there is none.
    #[must_use]
    #[inline]
    pub fn get(&self, number: usize) -> Option<Triangle> {
        self.whole(self.faces.get(number)?)
    }

    /// A face with attributes of its own; `None` if it names a vertex that there is not.
    fn whole(&self, face: &Face) -> Option<Triangle> {
        let mut p = [[0.0; SEMANTICS]; 3];
        let Face { x, y, z, r, .. } = *face;
        self.attributes(face, ALL_GROUPS, &mut p).then(|| Triangle {
            x,
            y,
            z,
            r,
            p,
            flat_colour: self.flat_colour(face),
        })
    }

    /// Fills in attributes of a face's corners, semantics times 1 / w, those of some [groups](ALL_GROUPS); the others stay as they
    /// are. False if it names a vertex that there is not.
    // Filled in where they stay: 288 bytes.
    #[inline]
    pub fn attributes(&self, face: &Face, groups: u32, p: &mut [Vertex; 3]) -> bool {
        let [a, b, c] = face.carriers.map(|carrier| self.vertices.get(carrier.number()));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else { return false };
        let factor = |n: usize| if face.carriers[n].has(Carrier::DIVIDED) { 1.0 } else { face.r[n] };
        let factors = [factor(0), factor(1), factor(2)];
        let mut left = groups & ALL_GROUPS;
        while left != 0 {
            let group = left.trailing_zeros() as usize;
            left &= left - 1;
            for ((p, vertex), factor) in p.iter_mut().zip([a, b, c]).zip(factors) {
                let to = &mut p.as_chunks_mut::<4>().0[group];
                *to = vertex.as_chunks::<4>().0[group].map(|semantic| semantic * factor);
            }
        }
        for (p, _) in p.iter_mut().zip(face.carriers).filter(|(_, carrier)| carrier.has(Carrier::NEGATED)) {
            p[QUATERNION].iter_mut().for_each(|q| *q = -*q);
        }
        true
    }

    /// The colour of all pixels of a face, if colours are not interpolated.
    #[must_use]
    #[inline]
    pub fn flat_colour(&self, face: &Face) -> Option<[f32; 4]> {
        let vertex = if face.flat == Carrier::NONE { None } else { self.vertices.get(face.flat.number()) };
        vertex?[COLOUR].first_chunk().copied()
    }

    /// All triangles, with attributes of their own.
    pub fn iter(&self) -> impl Iterator<Item = Triangle> {
        self.faces.iter().filter_map(|face| self.whole(face))
    }

    /// Appends a triangle with attributes of its own.
    pub fn push(&mut self, triangle: &Triangle) {
        let first = self.vertices.len() as u32;
        let Triangle { x, y, z, r, p, flat_colour } = *triangle;
        self.vertices.extend(p);
        let flat = flat_colour.map_or(Carrier::NONE, |colour| {
            let mut vertex = [0.0; SEMANTICS];
            vertex[COLOUR].copy_from_slice(&colour);
            self.vertices.push(vertex);
            Carrier::new(first + 3)
        });
        let carriers = [0, 1, 2].map(|n| Carrier(Carrier::new(first + n).0 | Carrier::DIVIDED));
        self.faces.push(Face { x, y, z, r, carriers, flat });
    }

    /// The faces.
    #[must_use]
    #[inline]
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The vertices: in clip space, but for those of a triangle that was [pushed](Self::push).
    #[must_use]
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Faces and vertices, to append some. A face that names a vertex that there is not is none.
    #[inline]
    pub const fn parts_mut(&mut self) -> (&mut Vec<Face>, &mut Vec<Vertex>) {
        (&mut self.faces, &mut self.vertices)
    }

    /// Drops all triangles and vertices; the room stays.
    pub fn clear(&mut self) {
        self.faces.clear();
        self.vertices.clear();
    }

    /// Keeps so many triangles.
    pub fn truncate(&mut self, len: usize) {
        self.faces.truncate(len);
    }

    /// Makes room for so many more.
    pub(crate) fn try_reserve(&mut self, faces: usize, vertices: usize) -> Result<(), TryReserveError> {
        self.faces.try_reserve(faces)?;
        self.vertices.try_reserve(vertices)
    }

    /// Drops vertices from `vertex` on where the triangles from `face` on, which alone name them, are few: they get vertices of
    /// their own.
    pub(crate) fn tidy(&mut self, face: usize, vertex: usize) {
        let (Some(faces), end) = (self.faces.get_mut(face..), self.vertices.len()) else { return };
        if end.saturating_sub(vertex) <= MOST_VERTICES * faces.len() {
            return;
        }
        for face in faces {
            *face = face.renumbered(|number| {
                self.vertices.extend(self.vertices.get(number).copied());
                (vertex + self.vertices.len()).wrapping_sub(end + 1) as u32
            });
        }
        self.vertices.drain(vertex..end);
    }
}

impl Primitives for Triangles {
    type One = Face;

    fn all(&self) -> &[Face] {
        &self.faces
    }

    fn make_room(&mut self, others: &Self) -> Result<(), TryReserveError> {
        // Some of them get vertices of their own: four each, with that of their colour.
        self.try_reserve(others.len(), others.vertices.len().max(4 * others.len()))
    }

    fn append(&mut self, others: &mut Self) {
        let first = self.vertices.len();
        self.vertices.append(&mut others.vertices);
        let faces = others.faces.drain(..).map(|face| face.renumbered(|number| (first + number) as u32));
        self.faces.extend(faces);
    }

    /// Each with vertices of its own.
    fn append_some(&mut self, others: &Self, some: Range<usize>) {
        for face in others.faces.get(some).unwrap_or_default() {
            let face = face.renumbered(|number| {
                self.vertices.extend(others.vertices.get(number));
                self.vertices.len().wrapping_sub(1) as u32
            });
            self.faces.push(face);
        }
    }

    fn is_roomy(&self) -> bool {
        is_roomy(&self.faces) || is_roomy(&self.vertices)
    }

    fn empty(&mut self, most: usize) {
        empty(&mut self.faces, most);
        empty(&mut self.vertices, most);
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// The same triangles, whichever vertices they share.
impl PartialEq for Triangles {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Extend<Triangle> for Triangles {
    fn extend<I: IntoIterator<Item = Triangle>>(&mut self, triangles: I) {
        triangles.into_iter().for_each(|triangle| self.push(&triangle));
    }
}

impl FromIterator<Triangle> for Triangles {
    fn from_iter<I: IntoIterator<Item = Triangle>>(triangles: I) -> Self {
        let mut all = Self::default();
        all.extend(triangles);
        all
    }
}

impl From<&[Triangle]> for Triangles {
    fn from(triangles: &[Triangle]) -> Self {
        triangles.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::raster::testing::random;

    /// Triangles of all kinds: with vertices of their own, and sharing vertices with others.
    fn triangles(seed: &mut u64) -> Triangles {
        let mut all = Triangles::default();
        for _ in 0..random(seed, 4) {
            let mut numbers = || [(); 3].map(|()| random(seed, 1000));
            let (x, y) = (numbers(), numbers());
            let [z, r] = [numbers(), numbers()].map(|numbers| numbers.map(|number| number as f32 / 64.0));
            if random(seed, 3) == 0 {
                let mut value = || random(seed, 1000) as f32;
                let p = [(); 3].map(|()| [(); SEMANTICS].map(|()| value()));
                let flat_colour = (random(seed, 2) == 0).then_some([0.5; 4]);
                all.push(&Triangle { x, y, z, r, p, flat_colour });
                continue;
            }
            let (faces, vertices) = all.parts_mut();
            for _ in 0..random(seed, 30) {
                vertices.push([(); SEMANTICS].map(|()| random(seed, 1000) as f32));
            }
            for _ in 0..random(seed, 1 + vertices.len().min(3) as i32) {
                let carriers = [(); 3].map(|()| {
                    let carrier = Carrier::new(random(seed, vertices.len() as i32) as u32);
                    carrier.negated(random(seed, 2) == 0)
                });
                let flat = if random(seed, 2) == 0 { carriers[0] } else { Carrier::NONE };
                faces.push(Face { x, y, z, r, carriers, flat });
            }
        }
        all
    }

    /// However they are put together, triangles keep their attributes, and those that were there before.
    #[test]
    fn triangles_stay_what_they_are() {
        let (mut seed, mut tidied) = (1, 0);
        for case in 0..5000 {
            let (mut all, mut others) = (triangles(&mut seed), triangles(&mut seed));
            let (faces, vertices) = (all.len(), all.vertices().len());
            let mut expected: Vec<Triangle> = all.iter().collect();
            match case % 3 {
                0 => {
                    expected.extend(others.iter());
                    all.append(&mut others);
                    assert!(others.is_empty() && others.vertices().is_empty());
                }
                1 => {
                    let end = random(&mut seed, 1 + others.len() as i32) as usize;
                    let some = random(&mut seed, 1 + end as i32) as usize..end;
                    expected.extend(others.iter().skip(some.start).take(some.len()));
                    all.append_some(&others, some.clone());
                    assert!(all.vertices().len() - vertices <= 4 * some.len());
                }
                _ => {
                    all.append(&mut others);
                    expected = all.iter().collect();
                    let before = all.vertices().len();
                    all.tidy(faces, vertices);
                    tidied += usize::from(all.vertices().len() < before);
                    assert!(all.vertices().len() - vertices <= MOST_VERTICES * (all.len() - faces));
                }
            }
            assert_eq!(all.len(), expected.len());
            assert!(all.iter().eq(expected), "case {case}");
        }
        assert!(tidied > 300, "{tidied}");
    }

    /// A corner's attributes: times 1 / w, and the quaternion turned.
    #[test]
    fn corners_have_attributes_of_their_vertices() {
        let mut all = Triangles::default();
        let (faces, vertices) = all.parts_mut();
        vertices.push(std::array::from_fn(|k| k as f32));
        let carrier = Carrier::new(0);
        let carriers = [carrier, carrier.negated(false), carrier.negated(true)];
        let r = [1.0, 0.5, 2.0];
        faces.push(Face { x: [0; 3], y: [0; 3], z: [0.0; 3], r, carriers, flat: carrier });
        let Triangle { p, flat_colour, .. } = all.get(0).expect("a triangle");
        assert_eq!(
            p.map(|p| [p[0], p[4], p[7], p[8], p[23]]),
            [[0.0, 4.0, 7.0, 8.0, 23.0], [0.0, 2.0, 3.5, 4.0, 11.5], [0.0, -8.0, -14.0, 16.0, 46.0],]
        );
        assert_eq!(flat_colour, Some([8.0, 9.0, 10.0, 11.0]));
        // Of an engine that names what there is not.
        all.parts_mut().0[0].carriers[1] = Carrier::new(1);
        assert_eq!((all.get(0), all.get(1), all.iter().count()), (None, None, 0));
    }
}
