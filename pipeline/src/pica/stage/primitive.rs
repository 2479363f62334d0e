//! The primitive seam: conversion of vertices to triangles in window space.
//!
//! Source: pica-geometry.md 4 (assembly), 5.2-5.6 (quaternions, clipping, viewport, culling), 6.1 (coordinates).

use super::ShadedVertices;
use crate::persist::Words;
use crate::pica::raster::triangles::Triangles;
use crate::pica::regs::Registers;
use crate::pica::vertex::SEMANTICS;

/// Vertices of an incomplete primitive. They persist across draws and are part of the machine's state; a machine
/// after reset has none. The rules are those of pica-geometry.md 4.2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PendingVertices {
    /// The last vertices: two places.
    pub places: [[f32; SEMANTICS]; 2],
    /// Lists: number of places in use, 0 to 2. Strips and fans: the place of the next vertex, 0 or 1.
    pub filled: u8,
    /// Strips and fans: both places are in use.
    pub is_ready: bool,
    /// The next triangle of [`Topology::Geometry`](crate::pica::regs::geometry::Topology::Geometry) has its first two
    /// vertices swapped.
    pub is_reversed: bool,
}

impl PendingVertices {
    /// Drops the vertices (a write to 0x25F, or a change of topology).
    pub const fn restart(&mut self) {
        self.filled = 0;
        self.is_ready = false;
        self.is_reversed = false;
    }

    /// Saves or restores.
    pub(crate) fn persist(&mut self, words: &mut Words) {
        words.floats(self.places.iter_mut().flatten());
        words.byte(&mut self.filled);
        words.flag(&mut self.is_ready);
        words.flag(&mut self.is_reversed);
        self.filled = self.filled.min(2);
    }
}

/// A vertex in the stream of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamVertex(u32);

impl StreamVertex {
    const REVERSES: u32 = 1 << 31;

    /// The vertex at this position of the batch's vertices, below 2^31.
    #[must_use]
    pub const fn new(position: u32) -> Self {
        Self(position & !Self::REVERSES)
    }

    /// The same vertex, the first of a primitive whose `EMIT` has the winding flag
    /// ([`PendingVertices::is_reversed`] becomes true before it).
    #[must_use]
    pub const fn reversing(self) -> Self {
        Self(self.0 | Self::REVERSES)
    }

    /// Position in the batch's vertices.
    #[must_use]
    pub const fn position(self) -> usize {
        (self.0 & !Self::REVERSES) as usize
    }

    /// True if the winding flag is set before this vertex.
    #[must_use]
    pub const fn reverses(self) -> bool {
        self.0 & Self::REVERSES != 0
    }
}

/// Vertices to assemble. The result depends on nothing else, and on what is pending.
#[derive(Clone, Copy)]
pub struct PrimitiveBatch<'a> {
    /// All registers during the draw: topology, viewport, culling, clip plane, flat colours.
    pub registers: &'a Registers,
    /// Vertices after the output map: [`SEMANTICS`] components, colours conditioned (pica-geometry.md 5.1).
    pub vertices: &'a ShadedVertices,
    /// The stream: vertices in the order of their use.
    pub stream: &'a [StreamVertex],
    /// The triangles are drawn in the state of the registers, and nobody else reads them: an engine may leave attributes at 0 that no
    /// pixel reads there.
    pub is_drawn: bool,
}

/// Output of a [`PrimitiveStage`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Primitives {
    /// Triangles in the order of drawing.
    pub triangles: Triangles,
    /// For each assembled triangle, in order: the length of `triangles` after it. An assembled triangle gives none if
    /// it is culled, degenerate or outside, and several if it is clipped.
    pub ends: Vec<u32>,
}

impl Primitives {
    /// Empties both lists.
    pub fn clear(&mut self) {
        self.triangles.clear();
        self.ends.clear();
    }
}

/// A primitive engine: assembly, alignment of quaternions, clipping, division, viewport, culling, set-up.
pub trait PrimitiveStage {
    /// Passes the stream through assembly and appends to `out`. `pending` holds the incomplete primitive before and
    /// after.
    fn primitives(&mut self, batch: &PrimitiveBatch<'_>, pending: &mut PendingVertices, out: &mut Primitives);
}
