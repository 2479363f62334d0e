//! The primitive seam: conversion of vertices to primitives in drawing space.
//!
//! Source: psp-ge.md 7.1 (assembly), 5.5 (rejection, clipping), 7.2 (culling), 8.3 (anchor of a triangle).

use crate::ge::raster::{Primitive, Shape};
use crate::ge::regs::Registers;
use crate::ge::regs::patch::PatchPrimitive;
use crate::ge::vertex::Vertex;

/// The primitive type of `PRIM` and `VAP`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
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
    pub const fn of(code: u32) -> Option<Self> {
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
    pub const fn shape(self) -> Shape {
        match self {
            Self::Points => Shape::Point,
            Self::Lines | Self::LineStrip => Shape::Line,
            Self::Triangles | Self::TriangleStrip | Self::TriangleFan => Shape::Triangle,
            Self::Rectangles => Shape::Rectangle,
        }
    }
}

impl PatchPrimitive {
    /// The corresponding primitive type.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::Triangles => Kind::Triangles,
            Self::Lines => Kind::Lines,
            Self::Points => Kind::Points,
        }
    }
}

/// A running primitive and the vertices that wait for the rest of it. They persist across draws and are part of the
/// machine's state; a machine after reset has none. The rules are those of psp-ge.md 7.1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PendingVertices {
    /// The running primitive type; without one, vertices draw nothing.
    pub kind: Option<Kind>,
    /// At most two vertices between batches, in the order of submission. A fan's first vertex stays the first.
    pub vertices: Vec<Vertex>,
    /// Strips of triangles: the culling direction of the next triangle is reversed.
    pub is_odd: bool,
}

impl PendingVertices {
    /// Starts a primitive, or continues with `None`.
    pub fn begin(&mut self, kind: Option<Kind>) {
        if kind.is_some() {
            self.kind = kind;
            self.vertices.clear();
            self.is_odd = false;
        }
    }

    /// Passes over `count` more vertices, as if their primitives had been made: places of those that stay pending, counted
    /// from the first one that is pending before.
    pub fn pass(&mut self, count: usize) -> impl Iterator<Item = usize> + use<> {
        let all = self.vertices.len() + count;
        let (first, last) = match self.kind {
            Some(Kind::Lines | Kind::Rectangles) => (0, all % 2),
            Some(Kind::Triangles) => (0, all % 3),
            Some(Kind::LineStrip) => (0, all.min(1)),
            Some(Kind::TriangleStrip) => (0, all.min(2)),
            Some(Kind::TriangleFan) => (all.saturating_sub(1).min(1), all.min(1)),
            Some(Kind::Points) | None => (0, 0),
        };
        if self.kind == Some(Kind::TriangleStrip) {
            self.is_odd ^= all.saturating_sub(2) % 2 == 1;
        }
        (0..first).chain(all - last..all)
    }
}

/// Vertices to assemble. The result depends on nothing else, and on what is pending.
#[derive(Clone, Copy)]
pub struct PrimitiveBatch<'a> {
    /// All registers during the draw. For immediate vertices, the enables of the first vertex replace those of the
    /// registers.
    pub registers: &'a Registers,
    /// Vertices after transform and lighting.
    pub vertices: &'a [Vertex],
    /// The stream: positions in `vertices`, in the order of their use.
    pub stream: &'a [u32],
}

/// A primitive engine: assembly, rejection, flat shading, clipping, culling, orientation.
pub trait PrimitiveStage {
    /// Passes the stream through assembly and appends the primitives that are left to `out`, in the order of drawing.
    /// `pending` holds the incomplete primitive before and after. Primitives outside of the drawing area may be among
    /// them; the machine drops them.
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of 7.1.
    #[test]
    fn codes() {
        use Kind::{LineStrip, Lines, Points, Rectangles, TriangleFan, TriangleStrip, Triangles};
        let kinds = [Points, Lines, LineStrip, Triangles, TriangleStrip, TriangleFan, Rectangles];
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(Kind::of), kinds.map(Some));
        assert_eq!((Kind::of(7), Kind::of(8)), (None, Some(Points)));
    }

    /// 7.1: vertices that are left wait for the rest of their primitive; strips and fans keep what the next one shares.
    #[test]
    fn vertices_that_stay_pending() {
        let left = |kind, count| {
            let mut pending = PendingVertices { kind: Some(kind), ..PendingVertices::default() };
            pending.pass(count).collect::<Vec<_>>()
        };
        assert!(left(Kind::Points, 5).is_empty());
        assert_eq!([left(Kind::Lines, 5), left(Kind::Rectangles, 4)], [vec![4], vec![]]);
        assert_eq!([left(Kind::Triangles, 7), left(Kind::Triangles, 8)], [vec![6], vec![6, 7]]);
        assert_eq!([left(Kind::LineStrip, 5), left(Kind::LineStrip, 0)], [vec![4], vec![]]);
        assert_eq!([left(Kind::TriangleStrip, 5), left(Kind::TriangleStrip, 1)], [vec![3, 4], vec![0]]);
        assert_eq!([left(Kind::TriangleFan, 5), left(Kind::TriangleFan, 1)], [vec![0, 4], vec![0]]);
    }

    /// 7.1: every second triangle of a strip is the other way round, also across draws.
    #[test]
    fn strips_alternate() {
        let mut pending = PendingVertices { kind: Some(Kind::TriangleStrip), ..PendingVertices::default() };
        let mut is_odd_after = |count: usize| {
            let left = pending.pass(count).count();
            pending.vertices.resize(left, Vertex::EMPTY);
            pending.is_odd
        };
        // 1, 3, 4 and 6 triangles in all.
        assert_eq!([3, 2, 1, 2].map(&mut is_odd_after), [true, true, false, false]);
    }
}
