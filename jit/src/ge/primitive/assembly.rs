//! Primitive assembly: vertices to points, lines, triangles and rectangles, over any number of drawing commands.
//!
//! Source: psp-ge.md 7.1, measured on a console (primitives/continue).

use super::set_up::SetUp;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::stage::primitive::{Kind, PendingVertices, PrimitiveBatch};
use picaflor_pipeline::ge::vertex::Vertex;

/// Assembles a batch: see [`PrimitiveStage`](picaflor_pipeline::ge::stage::primitive::PrimitiveStage).
pub(crate) fn primitives(
    batch: &PrimitiveBatch<'_>,
    pending: &mut PendingVertices,
    out: &mut Vec<Primitive>,
) {
    let mut set_up = SetUp::new(batch.registers, out);
    assemble(batch.vertices, batch.stream, pending, |group| set_up.add(group));
}

/// The vertices of one primitive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    /// Shape of the primitive.
    pub(crate) shape: Shape,
    /// As many vertices as the shape has, in the order of submission; the last one in place of those that it has not.
    pub(crate) vertices: [&'a Vertex; 3],
    /// True if the culling direction is reversed.
    pub(crate) is_odd: bool,
}

impl<'a> Group<'a> {
    /// The vertices that the shape has.
    pub(crate) fn vertices(&self) -> &[&'a Vertex] {
        &self.vertices[..vertices_of(self.shape)]
    }
}

/// The pending vertices, and those of a batch after them. No vertex is copied.
struct Line<'a> {
    pending: &'a [Vertex],
    vertices: &'a [Vertex],
    stream: &'a [u32],
}

impl<'a> Line<'a> {
    /// A batch's stream ends at the first place without a vertex.
    fn new(pending: &'a [Vertex], vertices: &'a [Vertex], stream: &'a [u32]) -> Self {
        let end = stream.iter().position(|&place| place as usize >= vertices.len());
        Self { pending, vertices, stream: &stream[..end.unwrap_or(stream.len())] }
    }

    fn len(&self) -> usize {
        self.pending.len() + self.stream.len()
    }

    #[inline]
    fn at(&self, n: usize) -> &'a Vertex {
        match n.checked_sub(self.pending.len()) {
            None => &self.pending[n],
            Some(n) => &self.vertices[self.stream[n] as usize],
        }
    }

    /// The last vertices, at most two.
    fn last(&self, count: usize) -> [Option<&'a Vertex>; 2] {
        let from_end = |n: usize| (n <= count).then(|| self.at(self.len() - n));
        [from_end(2), from_end(1)]
    }
}

/// Calls `complete` for each complete group, and keeps the rest.
fn assemble<'a>(
    vertices: &'a [Vertex],
    stream: &'a [u32],
    pending: &mut PendingVertices,
    mut complete: impl FnMut(Group<'_>),
) {
    let Some(kind) = pending.kind else { return };
    let (shape, before) = (kind.shape(), std::mem::take(&mut pending.vertices));
    let line = Line::new(&before, vertices, stream);
    let (size, all) = (vertices_of(shape), line.len());
    let mut group = |vertices, is_odd| complete(Group { shape, vertices, is_odd });
    let rest = match kind {
        Kind::Points | Kind::Lines | Kind::Triangles | Kind::Rectangles => {
            for first in (0..=all.saturating_sub(size)).step_by(size).filter(|first| first + size <= all) {
                let at = |n: usize| line.at(first + n.min(size - 1));
                group([at(0), at(1), at(2)], pending.is_odd);
            }
            line.last(all % size)
        }
        Kind::LineStrip => {
            (1..all).for_each(|n| group([line.at(n - 1), line.at(n), line.at(n)], pending.is_odd));
            line.last(all.min(1))
        }
        Kind::TriangleStrip => {
            for n in 2..all {
                group([line.at(n - 2), line.at(n - 1), line.at(n)], pending.is_odd);
                pending.is_odd = !pending.is_odd;
            }
            line.last(all.min(2))
        }
        Kind::TriangleFan => {
            (2..all).for_each(|n| group([line.at(0), line.at(n - 1), line.at(n)], pending.is_odd));
            [(all > 1).then(|| line.at(0)), line.last(all.min(1))[1]]
        }
    };
    let [first, second] = rest;
    let rest = [first.copied(), second.copied()];
    // The vector stays: no draw allocates one.
    let mut kept = before;
    kept.clear();
    kept.extend(rest.into_iter().flatten());
    pending.vertices = kept;
}

/// Number of vertices of a shape.
const fn vertices_of(shape: Shape) -> usize {
    match shape {
        Shape::Point => 1,
        Shape::Line | Shape::Rectangle => 2,
        Shape::Triangle => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The x of all vertices of each group, and whether it is odd.
    fn groups(
        pending: &mut PendingVertices,
        code: u32,
        vertices: std::ops::Range<i32>,
    ) -> Vec<(Vec<i32>, bool)> {
        let mut all = Vec::new();
        pending.begin(Kind::of(code));
        let vertices: Vec<_> = at(vertices).collect();
        let stream: Vec<_> = (0..vertices.len() as u32).collect();
        assemble(&vertices, &stream, pending, |group| {
            all.push((group.vertices().iter().map(|vertex| vertex.x).collect(), group.is_odd));
        });
        all
    }

    fn at(columns: std::ops::Range<i32>) -> impl Iterator<Item = Vertex> {
        columns.map(|x| Vertex { x, ..Vertex::EMPTY })
    }

    fn even(groups: &[&[i32]]) -> Vec<(Vec<i32>, bool)> {
        groups.iter().map(|group| (group.to_vec(), false)).collect()
    }

    #[test]
    fn groups_of_all_kinds() {
        let of = |code| groups(&mut PendingVertices::default(), code, 0..5);
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
            let whole = groups(&mut PendingVertices::default(), code, 0..9);
            for split in 0..9 {
                let mut pending = PendingVertices::default();
                let first = groups(&mut pending, code, 0..split);
                assert!(pending.vertices.len() <= 2);
                let rest = groups(&mut pending, 7, split..9);
                assert_eq!([first, rest].concat(), whole, "type {code}, split at {split}");
            }
        }
    }

    #[test]
    fn what_passes_unseen_leaves_the_same_pending() {
        for (code, count) in (0..7).flat_map(|code| (0..9).map(move |count| (code, count))) {
            // So many are made before.
            for before in 0..=count {
                let mut made = PendingVertices::default();
                groups(&mut made, code, 0..before);
                let mut passed = made.clone();
                groups(&mut made, 7, before..count);
                let line: Vec<Vertex> = passed.vertices.iter().copied().chain(at(before..count)).collect();
                passed.vertices = passed.pass((count - before) as usize).map(|place| line[place]).collect();
                assert_eq!(made, passed, "type {code}, {count} vertices, {before} before");
            }
        }
    }

    #[test]
    fn a_new_type_discards_what_is_pending() {
        let mut pending = PendingVertices::default();
        groups(&mut pending, 4, 0..4);
        assert_eq!(groups(&mut pending, 3, 10..13), even(&[&[10, 11, 12]]));
        groups(&mut pending, 5, 0..2);
        assert_eq!(groups(&mut pending, 5, 10..13), even(&[&[10, 11, 12]]));
    }
}
