//! Assembly: which vertices of the stream form a primitive (7.1).

use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::stage::primitive::{Kind, PendingVertices};
use picaflor_pipeline::ge::vertex::Vertex;

/// The vertices of one primitive, as submitted.
pub(super) struct Group {
    pub(super) shape: Shape,
    /// A triangle whose culling direction is reversed.
    pub(super) is_odd: bool,
    pub(super) vertices: Vec<Vertex>,
}

/// Adds a vertex; returns the primitive that it completes. Without a running primitive, it is lost.
pub(super) fn push(pending: &mut PendingVertices, vertex: Vertex) -> Option<Group> {
    let kind = pending.kind?;
    pending.vertices.push(vertex);
    if pending.vertices.len() < size(kind.shape()) {
        return None;
    }
    let group = Group { shape: kind.shape(), is_odd: pending.is_odd, vertices: pending.vertices.clone() };
    match kind {
        Kind::Points | Kind::Lines | Kind::Triangles | Kind::Rectangles => pending.vertices.clear(),
        Kind::LineStrip => drop(pending.vertices.remove(0)),
        Kind::TriangleStrip => {
            pending.vertices.remove(0);
            pending.is_odd = !pending.is_odd;
        }
        Kind::TriangleFan => drop(pending.vertices.remove(1)),
    }
    Some(group)
}

/// Vertices of a primitive.
const fn size(shape: Shape) -> usize {
    match shape {
        Shape::Point => 1,
        Shape::Line | Shape::Rectangle => 2,
        Shape::Triangle => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::primitive::testing::at;

    /// The groups of vertices 0, 1, 2, .. by their columns, and which of them are odd.
    fn groups(kind: Option<Kind>, count: i32) -> (Vec<Vec<i32>>, Vec<bool>) {
        let mut pending = PendingVertices::default();
        pending.begin(kind);
        let all: Vec<Group> = (0..count).filter_map(|n| push(&mut pending, at(n, 0))).collect();
        let columns = |group: &Group| group.vertices.iter().map(|vertex| vertex.x / 16).collect();
        assert!(pending.vertices.len() <= 2);
        (all.iter().map(columns).collect(), all.iter().map(|group| group.is_odd).collect())
    }

    /// The table of 7.1.
    #[test]
    fn vertices_of_each_kind() {
        let of = |kind, count| groups(Some(kind), count).0;
        assert_eq!(of(Kind::Points, 2), [[0], [1]]);
        assert_eq!(of(Kind::Lines, 5), [[0, 1], [2, 3]]);
        assert_eq!(of(Kind::LineStrip, 4), [[0, 1], [1, 2], [2, 3]]);
        assert_eq!(of(Kind::Triangles, 8), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(of(Kind::TriangleStrip, 5), [[0, 1, 2], [1, 2, 3], [2, 3, 4]]);
        assert_eq!(of(Kind::TriangleFan, 5), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        assert_eq!(of(Kind::Rectangles, 5), [[0, 1], [2, 3]]);
        assert!(groups(None, 9).0.is_empty());
    }

    #[test]
    fn strips_alternate_and_fans_do_not() {
        assert_eq!(groups(Some(Kind::TriangleStrip), 5).1, [false, true, false]);
        assert_eq!(groups(Some(Kind::TriangleFan), 5).1, [false; 3]);
    }

    /// Type 7 goes on, parity included; another type discards what is pending.
    #[test]
    fn continuing() {
        let mut pending = PendingVertices::default();
        pending.begin(Some(Kind::TriangleStrip));
        let mut completes = |n| push(&mut pending, at(n, 0)).map(|group| group.is_odd);
        assert_eq!([0, 1, 2].map(&mut completes), [None, None, Some(false)]);
        pending.begin(None);
        assert_eq!(push(&mut pending, at(3, 0)).map(|group| group.is_odd), Some(true));
        pending.begin(Some(Kind::TriangleStrip));
        assert!(pending.vertices.is_empty() && !pending.is_odd);
    }
}
