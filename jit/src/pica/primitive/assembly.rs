//! Primitive assembly: from vertices to triangles, by number.
//!
//! Source: pica-geometry.md section 4; measured on a console where that section says so.

use picaflor_pipeline::pica::regs::geometry::Topology;
use picaflor_pipeline::pica::stage::primitive::PendingVertices;

/// Numbers of the vertices in the two places of [`PendingVertices`], before a batch.
const PLACES: [u32; 2] = [0, 1];

/// The assembler during a batch: pending vertices by number.
#[derive(Debug, Clone)]
pub(super) struct Assembler {
    topology: Topology,
    pub(super) places: [u32; 2],
    filled: u8,
    is_ready: bool,
    is_reversed: bool,
}

impl Assembler {
    /// Continues an incomplete primitive, whose vertices have the numbers 0 and 1.
    pub(super) const fn resume(topology: Topology, pending: &PendingVertices) -> Self {
        let PendingVertices { filled, is_ready, is_reversed, .. } = *pending;
        Self { topology, places: PLACES, filled, is_ready, is_reversed }
    }

    /// Stores the incomplete primitive, except for the vertices.
    pub(super) const fn suspend(&self, pending: &mut PendingVertices) {
        pending.filled = self.filled;
        pending.is_ready = self.is_ready;
        pending.is_reversed = self.is_reversed;
    }

    /// Swaps the first two vertices of the next triangle: the winding flag of an `EMIT`, which applies to
    /// [`Topology::Geometry`] only.
    pub(super) const fn reverse_next(&mut self) {
        self.is_reversed = true;
    }

    /// Adds a vertex; returns the triangle that it completes.
    #[inline]
    pub(super) fn vertex(&mut self, vertex: u32) -> Option<[u32; 3]> {
        match self.topology {
            Topology::List | Topology::Geometry => self.list(vertex),
            Topology::Strip | Topology::Fan => {
                let [first, second] = self.places;
                let triangle = self.is_ready.then_some([first, second, vertex]);
                // Two places of a list count as the second one, as a restored state can have them (assumed).
                let place = self.filled.min(1);
                self.places[usize::from(place)] = vertex;
                self.is_ready |= place == 1;
                self.filled = if self.topology == Topology::Strip { 1 - place } else { 1 };
                triangle
            }
        }
    }

    #[inline]
    fn list(&mut self, vertex: u32) -> Option<[u32; 3]> {
        if let Some(place) = self.places.get_mut(usize::from(self.filled)) {
            *place = vertex;
            self.filled += 1;
            return None;
        }
        self.filled = 0;
        let [first, second] = self.places;
        if self.topology == Topology::Geometry && std::mem::take(&mut self.is_reversed) {
            return Some([second, first, vertex]);
        }
        Some([first, second, vertex])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangles of vertices.
    fn feed(assembler: &mut Assembler, topology: Topology, numbers: &[u32]) -> Vec<[u32; 3]> {
        assembler.topology = topology;
        numbers.iter().filter_map(|&n| assembler.vertex(n)).collect()
    }

    fn assembler() -> Assembler {
        Assembler::resume(Topology::List, &PendingVertices::default())
    }

    #[test]
    fn strips_alternate() {
        let triangles = feed(&mut assembler(), Topology::Strip, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]);
    }

    #[test]
    fn fans_keep_their_first_vertex() {
        let triangles = feed(&mut assembler(), Topology::Fan, &[0, 1, 2, 3, 4]);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    #[test]
    fn lists_survive() {
        let mut assembler = assembler();
        assert_eq!(feed(&mut assembler, Topology::List, &[0, 1, 2, 3, 4]), [[0, 1, 2]]);
        assert_eq!(feed(&mut assembler, Topology::List, &[5]), [[3, 4, 5]]);
    }

    #[test]
    fn winding_swaps_one_triangle_of_topology_3() {
        let mut assembler = assembler();
        assembler.reverse_next();
        let triangles = feed(&mut assembler, Topology::Geometry, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(triangles, [[1, 0, 2], [3, 4, 5]]);
        assembler.reverse_next();
        assert_eq!(feed(&mut assembler, Topology::List, &[0, 1, 2]), [[0, 1, 2]]);
    }

    #[test]
    fn what_is_incomplete_is_suspended() {
        let mut assembler = assembler();
        feed(&mut assembler, Topology::Strip, &[0, 1, 2]);
        let mut pending = PendingVertices::default();
        assembler.suspend(&mut pending);
        assert_eq!((pending.filled, pending.is_ready, pending.is_reversed), (1, true, false));
        let mut back = Assembler { places: assembler.places, ..Assembler::resume(Topology::Strip, &pending) };
        assert_eq!(feed(&mut back, Topology::Strip, &[3, 4]), [[2, 1, 3], [2, 3, 4]]);
    }
}
