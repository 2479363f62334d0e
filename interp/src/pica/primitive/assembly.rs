//! Assembly of vertices to triangles: the state machine of pica-geometry.md 4.2.

use super::Vertex;
use picaflor_pipeline::pica::regs::geometry::Topology;
use picaflor_pipeline::pica::stage::primitive::PendingVertices;

/// Takes the next vertex; returns the triangle that it completes. The newest vertex is the third of each triangle.
pub(super) fn push(topology: Topology, pending: &mut PendingVertices, v: Vertex) -> Option<[Vertex; 3]> {
    match topology {
        Topology::List => push_list(pending, v),
        Topology::Geometry => push_list(pending, v).map(|[a, b, c]| {
            // The winding flag of the geometry program exchanges the first two vertices, once.
            let is_reversed = std::mem::take(&mut pending.is_reversed);
            if is_reversed { [b, a, c] } else { [a, b, c] }
        }),
        // The vertex replaces the older one of the two.
        Topology::Strip => push_series(pending, v, |n| 1 - n),
        // The vertex replaces the newer one; the first stays.
        Topology::Fan => push_series(pending, v, |_| 1),
    }
}

/// Every third vertex completes a triangle.
fn push_list(pending: &mut PendingVertices, v: Vertex) -> Option<[Vertex; 3]> {
    if let Some(place) = pending.places.get_mut(usize::from(pending.filled)) {
        *place = v;
        pending.filled += 1;
        return None;
    }
    pending.filled = 0;
    let [a, b] = pending.places;
    Some([a, b, v])
}

/// Every vertex completes a triangle, once both places are in use. `next` is the place of the vertex after one at a
/// place.
fn push_series(pending: &mut PendingVertices, v: Vertex, next: fn(u8) -> u8) -> Option<[Vertex; 3]> {
    let [a, b] = pending.places;
    let triangle = pending.is_ready.then_some([a, b, v]);
    // Two places of a list that was interrupted without a restart count as the second place (assumed).
    let n = pending.filled.min(1);
    pending.places[usize::from(n)] = v;
    pending.is_ready |= n == 1;
    pending.filled = next(n);
    triangle
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices 0 to `count` - 1, each of which has its number in all semantics, in order; the corners of the triangles.
    fn assembled(topology: Topology, pending: &mut PendingVertices, numbers: &[u8]) -> Vec<[u8; 3]> {
        let triangles = numbers.iter().filter_map(|&n| push(topology, pending, [f32::from(n); 24]));
        triangles.map(|corners| corners.map(|v| v[23] as u8)).collect()
    }

    fn fresh(topology: Topology, count: u8) -> Vec<[u8; 3]> {
        assembled(topology, &mut PendingVertices::default(), &(0..count).collect::<Vec<_>>())
    }

    #[test]
    fn lists() {
        assert_eq!(fresh(Topology::List, 8), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(fresh(Topology::Geometry, 6), [[0, 1, 2], [3, 4, 5]]);
    }

    /// pica-geometry.md 4.2: (v0,v1,v2), (v2,v1,v3), (v2,v3,v4), (v4,v3,v5).
    #[test]
    fn strips() {
        assert_eq!(fresh(Topology::Strip, 6), [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]);
        assert_eq!(fresh(Topology::Strip, 2), [[0; 3]; 0]);
    }

    #[test]
    fn fans() {
        assert_eq!(fresh(Topology::Fan, 5), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    /// An incomplete primitive goes on with the next draw; a restart drops it.
    #[test]
    fn pending_vertices() {
        for topology in [Topology::List, Topology::Strip, Topology::Fan] {
            let mut pending = PendingVertices::default();
            assert_eq!(assembled(topology, &mut pending, &[0, 1]), [[0; 3]; 0]);
            assert_eq!(assembled(topology, &mut pending, &[2]), [[0, 1, 2]], "{topology:?}");
            assembled(topology, &mut pending, &[9]);
            pending.restart();
            assert_eq!(assembled(topology, &mut pending, &[5, 6, 7]), [[5, 6, 7]], "{topology:?}");
        }
    }

    /// pica-geometry.md 4.1: the flag swaps the first two vertices of the next triangle.
    #[test]
    fn reversed_triangle() {
        let mut pending = PendingVertices { is_reversed: true, ..PendingVertices::default() };
        let numbers = [0, 1, 2, 3, 4, 5];
        assert_eq!(assembled(Topology::Geometry, &mut pending, &numbers), [[1, 0, 2], [3, 4, 5]]);
        pending.is_reversed = true;
        assert_eq!(assembled(Topology::List, &mut pending, &numbers), [[0, 1, 2], [3, 4, 5]]);
        assert!(pending.is_reversed);
    }

    #[test]
    fn counts_out_of_range() {
        let mut pending = PendingVertices { filled: 200, ..PendingVertices::default() };
        assert_eq!(assembled(Topology::Strip, &mut pending, &[3, 4]), [[0, 3, 4]]);
        pending.filled = 2;
        assert_eq!(assembled(Topology::List, &mut pending, &[5]), [[4, 3, 5]]);
    }
}
