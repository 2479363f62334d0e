//! Bezier and spline surfaces, as part of the vertex seam: control points in, ordinary vertex records out.
//!
//! Source: psp-ge.md 7.6, 7.7, 7.7.1.

use super::VertexBatch;
use crate::ge::regs::Registers;

/// The command of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceKind {
    /// `BEZIER`: patches of four by four control points that share their borders.
    Bezier,
    /// `SPLINE`: one patch. Bit 0 of an edge opens its start, bit 1 its end; u, then v.
    Spline([u32; 2]),
}

/// The control points of a surface.
#[derive(Clone, Copy)]
pub struct SurfaceBatch<'a> {
    /// The control points as vertices, row by row: the record of each index. There are `controls[0] * controls[1]`. Where the list
    /// [ends](crate::memory::Memory::is_stopping), nothing is drawn, and the surface need not be the one of the batch.
    pub points: VertexBatch<'a>,
    /// Control points along u and along v, at most 255 each.
    pub controls: [usize; 2],
    /// The command.
    pub kind: SurfaceKind,
}

/// A part of a surface: rows of one patch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Piece {
    /// Vertex records, as the [registers](Surface::registers) of the surface describe them.
    pub records: Vec<u8>,
    /// Number of records.
    pub vertices: u32,
    /// Records of the primitives, one after the other: positions among the records.
    pub indices: Vec<u32>,
}

/// A surface to draw.
pub trait Surface {
    /// Registers of the pieces: those of the batch, with a VTYPE of floats without indices, weights and morphing.
    fn registers(&self) -> &Registers;

    /// The next piece in drawing order (patch by patch along u, then along v; inside a patch row by row along v), in
    /// `piece`, whose vectors are reused. False at the end. Pieces may be of any size below 65536 vertices, which the
    /// result does not depend on.
    ///
    /// `is_over` tells whether the run ends, which takes some ten nanoseconds: asked after a few hundred microseconds of work. Then
    /// the answer is false too, and the content of the piece is unspecified.
    fn next_piece_unless(&mut self, is_over: &dyn Fn() -> bool, piece: &mut Piece) -> bool;

    /// [`next_piece_unless`](Self::next_piece_unless) in a run that does not end.
    fn next_piece(&mut self, piece: &mut Piece) -> bool {
        self.next_piece_unless(&|| false, piece)
    }
}
