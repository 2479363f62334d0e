//! Primitive assembly: vertices to points, lines, triangles and rectangles, over any number of drawing commands.
//!
//! Source: psp-ge.md 7.1, measured on a console (primitives/continue).

use crate::ge::raster::Shape;
use crate::ge::vertex::Vertex;
use crate::persist::Words;

/// The primitive type of `PRIM` and `VAP`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// One vertex each.
    Points,
    /// Two vertices each.
    Lines,
    /// Each from the vertex before.
    LineStrip,
    /// Three vertices each.
    Triangles,
    /// Each with the two vertices before; every second is the other way round.
    TriangleStrip,
    /// Each with the vertex before and the first.
    TriangleFan,
    /// Two vertices each.
    Rectangles,
}

impl Kind {
    /// Decodes the type of a command; `None` for 7, which continues the running primitive.
    #[must_use]
    pub(crate) const fn of(code: u32) -> Option<Self> {
        match code & 7 {
            0 => Some(Self::Points),
            1 => Some(Self::Lines),
            2 => Some(Self::LineStrip),
            3 => Some(Self::Triangles),
            4 => Some(Self::TriangleStrip),
            5 => Some(Self::TriangleFan),
            6 => Some(Self::Rectangles),
            _ => None,
        }
    }

    /// Shape of the resulting primitives.
    #[must_use]
    pub(crate) const fn shape(self) -> Shape {
        match self {
            Self::Points => Shape::Point,
            Self::Lines | Self::LineStrip => Shape::Line,
            Self::Triangles | Self::TriangleStrip | Self::TriangleFan => Shape::Triangle,
            Self::Rectangles => Shape::Rectangle,
        }
    }
}

/// The vertices of one primitive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    /// Shape of the primitive.
    pub shape: Shape,
    /// One to three vertices, in the order of submission.
    pub vertices: &'a [Vertex],
    /// True if the culling direction is reversed.
    pub is_odd: bool,
}

/// A running primitive and its pending vertices: at most two between commands.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Assembly {
    kind: Option<Kind>,
    pending: Vec<Vertex>,
    is_odd: bool,
}

/// Maximum number of pending vertices.
const PENDING: usize = 2;

impl Assembly {
    /// Starts a primitive, or continues with `None`.
    pub(crate) fn begin(&mut self, kind: Option<Kind>) {
        if kind.is_some() {
            *self = Self { kind, pending: std::mem::take(&mut self.pending), is_odd: false };
            self.pending.clear();
        }
    }

    /// The running primitive type; without one, vertices draw nothing.
    #[must_use]
    pub(crate) const fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// Adds a vertex; calls `complete` if it completes a group.
    pub(crate) fn push(&mut self, vertex: &Vertex, complete: impl FnOnce(Group<'_>)) {
        let Some(kind) = self.kind else { return };
        let shape = kind.shape();
        self.pending.push(*vertex);
        if self.pending.len() < vertices_of(shape) {
            return;
        }
        complete(Group { shape, vertices: &self.pending, is_odd: self.is_odd });
        match kind {
            Kind::LineStrip => drop(self.pending.remove(0)),
            Kind::TriangleStrip => {
                self.pending.remove(0);
                self.is_odd = !self.is_odd;
            }
            Kind::TriangleFan => drop(self.pending.remove(1)),
            _ => self.pending.clear(),
        }
    }

    /// Saves or restores the pending vertices.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        let mut code = self.kind.map_or(7, |kind| kind as u32);
        words.word(&mut code);
        self.kind = Kind::of(code);
        words.flag(&mut self.is_odd);
        let mut count = self.pending.len();
        words.count(&mut count, PENDING);
        self.pending.resize(count, EMPTY);
        self.pending.iter_mut().for_each(|vertex| persist_vertex(vertex, words));
        // A damaged snapshot may hold more vertices than the primitive leaves pending.
        let most = self.kind.map_or(0, |kind| vertices_of(kind.shape()) - 1);
        self.pending.truncate(most);
    }
}

/// Number of vertices of a shape.
const fn vertices_of(shape: Shape) -> usize {
    match shape {
        Shape::Point => 1,
        Shape::Line | Shape::Rectangle => 2,
        Shape::Triangle => 3,
    }
}

/// A vertex with all fields in their neutral state.
pub(super) const EMPTY: Vertex = Vertex {
    clip: [0.0, 0.0, 0.0, 1.0],
    texture: [0.0, 0.0, 1.0],
    x: 0,
    y: 0,
    z: 0,
    colour: 0,
    secondary: 0,
    fog: 0,
    outside: 0,
    reserved: [0; 2],
};

fn persist_vertex(vertex: &mut Vertex, words: &mut Words) {
    words.doubles(vertex.clip.iter_mut().chain(&mut vertex.texture));
    for value in [&mut vertex.x, &mut vertex.y, &mut vertex.z] {
        let mut bits = *value as u32;
        words.word(&mut bits);
        *value = bits as i32;
    }
    words.words([&mut vertex.colour, &mut vertex.secondary]);
    words.byte(&mut vertex.fog);
    words.byte(&mut vertex.outside);
    vertex.z = vertex.z.clamp(0, 0xffff);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The x of all vertices of each group, and whether it is odd.
    fn groups(assembly: &mut Assembly, code: u32, vertices: std::ops::Range<i32>) -> Vec<(Vec<i32>, bool)> {
        let mut all = Vec::new();
        assembly.begin(Kind::of(code));
        for x in vertices {
            assembly.push(&Vertex { x, ..EMPTY }, |group| {
                all.push((group.vertices.iter().map(|vertex| vertex.x).collect(), group.is_odd));
            });
        }
        all
    }

    fn even(groups: &[&[i32]]) -> Vec<(Vec<i32>, bool)> {
        groups.iter().map(|group| (group.to_vec(), false)).collect()
    }

    /// Engines may differ in which NaN a vertex has.
    #[test]
    fn states_do_not_tell_one_nan_from_another() {
        let saved = |bits: u64| {
            let mut assembly = Assembly::default();
            assembly.begin(Kind::of(3));
            let nan = f64::from_bits(bits);
            let vertex = Vertex { clip: [1.0, nan, 2.0, 1.0], texture: [nan, 0.5, 1.0], ..EMPTY };
            assembly.push(&vertex, |_| panic!("no triangle is complete"));
            let mut words = Words::save();
            assembly.persist(&mut words);
            words.into_words()
        };
        let [first, second] = [saved(0x7ff8_0000_0000_0000), saved(0xfff8_0000_0000_1234)];
        assert!(first.contains(&0x7ff8_0000));
        assert_eq!(first, second);
        assert_ne!(first, saved(3.0_f64.to_bits()));
    }

    #[test]
    fn groups_of_all_kinds() {
        let of = |code| groups(&mut Assembly::default(), code, 0..5);
        assert_eq!(of(0), even(&[&[0], &[1], &[2], &[3], &[4]]));
        assert_eq!(of(1), even(&[&[0, 1], &[2, 3]]));
        assert_eq!(of(2), even(&[&[0, 1], &[1, 2], &[2, 3], &[3, 4]]));
        assert_eq!(of(3), even(&[&[0, 1, 2]]));
        assert_eq!(of(4), [(vec![0, 1, 2], false), (vec![1, 2, 3], true), (vec![2, 3, 4], false)]);
        assert_eq!(of(5), even(&[&[0, 1, 2], &[0, 2, 3], &[0, 3, 4]]));
        assert_eq!(of(6), even(&[&[0, 1], &[2, 3]]));
        assert_eq!(of(7), []);
    }

    #[test]
    fn continuing_after_any_split_is_the_same() {
        for code in 0..7 {
            let whole = groups(&mut Assembly::default(), code, 0..9);
            for split in 0..9 {
                let mut assembly = Assembly::default();
                let first = groups(&mut assembly, code, 0..split);
                let mut words = Words::save();
                assembly.persist(&mut words);
                let mut restored = Assembly::default();
                let mut words = Words::load(words.into_words());
                restored.persist(&mut words);
                assert!(words.is_complete());
                assert_eq!(restored, assembly);
                let rest = groups(&mut restored, 7, split..9);
                assert_eq!([first, rest].concat(), whole, "type {code}, split at {split}");
            }
        }
    }

    #[test]
    fn a_new_type_discards_what_is_pending() {
        let mut assembly = Assembly::default();
        groups(&mut assembly, 4, 0..4);
        assert_eq!(groups(&mut assembly, 3, 10..13), even(&[&[10, 11, 12]]));
        groups(&mut assembly, 5, 0..2);
        assert_eq!(groups(&mut assembly, 5, 10..13), even(&[&[10, 11, 12]]));
    }
}
