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
    let vertices = batch.stream.iter().map_while(|&place| batch.vertices.get(place as usize));
    vertices.for_each(|vertex| push(pending, vertex, |group| set_up.add(group)));
}

/// The vertices of one primitive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    /// Shape of the primitive.
    pub(crate) shape: Shape,
    /// One to three vertices, in the order of submission.
    pub(crate) vertices: &'a [Vertex],
    /// True if the culling direction is reversed.
    pub(crate) is_odd: bool,
}

/// Adds a vertex; calls `complete` if it completes a group.
fn push(pending: &mut PendingVertices, vertex: &Vertex, complete: impl FnOnce(Group<'_>)) {
    let Some(kind) = pending.kind else { return };
    let shape = kind.shape();
    pending.vertices.push(*vertex);
    if pending.vertices.len() < vertices_of(shape) {
        return;
    }
    complete(Group { shape, vertices: &pending.vertices, is_odd: pending.is_odd });
    match kind {
        Kind::LineStrip => drop(pending.vertices.remove(0)),
        Kind::TriangleStrip => {
            pending.vertices.remove(0);
            pending.is_odd = !pending.is_odd;
        }
        Kind::TriangleFan => drop(pending.vertices.remove(1)),
        _ => pending.vertices.clear(),
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
        for x in vertices {
            push(pending, &Vertex { x, ..Vertex::EMPTY }, |group| {
                all.push((group.vertices.iter().map(|vertex| vertex.x).collect(), group.is_odd));
            });
        }
        all
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
    fn a_new_type_discards_what_is_pending() {
        let mut pending = PendingVertices::default();
        groups(&mut pending, 4, 0..4);
        assert_eq!(groups(&mut pending, 3, 10..13), even(&[&[10, 11, 12]]));
        groups(&mut pending, 5, 0..2);
        assert_eq!(groups(&mut pending, 5, 10..13), even(&[&[10, 11, 12]]));
    }
}
