//! Primitive assembly: conversion of vertices to triangles.
//!
//! Source: pica-geometry.md section 4; measured on a console where that section says so.

pub(crate) mod clip;

use super::regs::geometry::Topology;
use super::vertex::SEMANTICS;
use crate::persist::Words;

/// The semantics of a vertex.
pub type Vertex = [f32; SEMANTICS];

/// Pending vertices of an incomplete triangle. Persists across draws.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assembler {
    buffered: [Vertex; 2],
    filled: u8,
    ready: bool,
    reversed: bool,
}

impl Assembler {
    /// Drops the pending vertices (a write to 0x25F, or a change of topology).
    pub(crate) const fn restart(&mut self) {
        self.filled = 0;
        self.ready = false;
        self.reversed = false;
    }

    /// Swaps the first two vertices of the next triangle: the winding flag of an `EMIT`, which applies to
    /// [`Topology::Geometry`] only.
    pub(crate) const fn reverse_next(&mut self) {
        self.reversed = true;
    }

    /// Adds a vertex; calls `triangle` for the triangle that it completes.
    pub(crate) fn vertex(
        &mut self,
        topology: Topology,
        vertex: &Vertex,
        triangle: impl FnOnce([&Vertex; 3]),
    ) {
        match topology {
            Topology::List | Topology::Geometry => self.list(topology, vertex, triangle),
            Topology::Strip | Topology::Fan => {
                if self.ready {
                    triangle([&self.buffered[0], &self.buffered[1], vertex]);
                }
                let place = self.filled & 1;
                self.buffered[usize::from(place)] = *vertex;
                self.ready |= place == 1;
                self.filled = if topology == Topology::Strip { 1 - place } else { 1 };
            }
        }
    }

    fn list(&mut self, topology: Topology, vertex: &Vertex, triangle: impl FnOnce([&Vertex; 3])) {
        if let Some(place) = self.buffered.get_mut(usize::from(self.filled)) {
            *place = *vertex;
            self.filled += 1;
            return;
        }
        self.filled = 0;
        let [first, second] = &self.buffered;
        if topology == Topology::Geometry && self.reversed {
            self.reversed = false;
            triangle([second, first, vertex]);
        } else {
            triangle([first, second, vertex]);
        }
    }

    /// Saves or restores.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        words.floats(self.buffered.iter_mut().flatten());
        words.byte(&mut self.filled);
        words.flag(&mut self.ready);
        words.flag(&mut self.reversed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vertex(n: u8) -> Vertex {
        [f32::from(n); SEMANTICS]
    }

    /// The triangles of vertices numbered from `first`, as numbers.
    fn feed(assembler: &mut Assembler, topology: Topology, numbers: &[u8]) -> Vec<[u8; 3]> {
        let mut triangles = Vec::new();
        for &n in numbers {
            assembler.vertex(topology, &vertex(n), |t| triangles.push(t.map(|v| v[0] as u8)));
        }
        triangles
    }

    #[test]
    fn strips_alternate() {
        let triangles = feed(&mut Assembler::default(), Topology::Strip, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]);
    }

    #[test]
    fn fans_keep_their_first_vertex() {
        let triangles = feed(&mut Assembler::default(), Topology::Fan, &[0, 1, 2, 3, 4]);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    #[test]
    fn lists_survive_and_restart() {
        let mut assembler = Assembler::default();
        assert_eq!(feed(&mut assembler, Topology::List, &[0, 1, 2, 3, 4]), [[0, 1, 2]]);
        assert_eq!(feed(&mut assembler, Topology::List, &[5]), [[3, 4, 5]]);
        feed(&mut assembler, Topology::List, &[6, 7]);
        assembler.restart();
        assert_eq!(feed(&mut assembler, Topology::List, &[8, 9, 10]), [[8, 9, 10]]);
        feed(&mut assembler, Topology::Strip, &[1, 2, 3]);
        assembler.restart();
        assert_eq!(feed(&mut assembler, Topology::Strip, &[4, 5, 6]), [[4, 5, 6]]);
    }

    #[test]
    fn winding_swaps_one_triangle_of_topology_3() {
        let mut assembler = Assembler::default();
        assembler.reverse_next();
        let triangles = feed(&mut assembler, Topology::Geometry, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(triangles, [[1, 0, 2], [3, 4, 5]]);
        assembler.reverse_next();
        assembler.restart();
        assert_eq!(feed(&mut assembler, Topology::Geometry, &[0, 1, 2]), [[0, 1, 2]]);
    }

    #[test]
    fn state_survives_saving() {
        let mut assembler = Assembler::default();
        feed(&mut assembler, Topology::Strip, &[0, 1, 2]);
        let mut words = Words::save();
        assembler.persist(&mut words);
        let mut words = Words::load(words.into_words());
        let mut back = Assembler::default();
        back.persist(&mut words);
        assert!(words.is_complete());
        assert_eq!(feed(&mut back, Topology::Strip, &[3, 4]), [[2, 1, 3], [2, 3, 4]]);
    }
}
