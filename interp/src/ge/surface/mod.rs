//! Bezier and spline surfaces: control points in, vertex records out (7.6, 7.7, 7.7.1).
//!
//! `control.rs` decodes control points, `basis.rs` has the weights of a sample along an axis, `sample.rs` mixes the
//! control points of a sample. A piece is one row of cells.

mod basis;
mod control;
mod sample;

use basis::Axis;
use control::Controls;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::surface::{Piece, Surface, SurfaceBatch, SurfaceKind};
use picaflor_pipeline::ge::vertex_type::Element;

/// Fewest control points along an axis.
const FEWEST: usize = 4;
/// VTYPE of pieces: floats for texture coordinates and positions; colour, normal and mode are added.
const FLOATS: u32 = 3 | 3 << 7;
/// 8888.
const COLOUR: u32 = 7 << 2;
/// A float normal.
const NORMAL: u32 = 3 << 5;
/// Through mode.
const THROUGH: u32 = 1 << 23;
/// Samples between two questions whether the run ends.
const PART: usize = 256;

/// The surface of a batch; `None` if it draws nothing.
pub(super) fn surface(batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
    let format = batch.points.registers.vertex_type();
    let has_too_few = batch.controls.iter().any(|&count| count < FEWEST);
    if has_too_few || format.position() == Element::None {
        return None;
    }
    let registers = batch.points.registers;
    let code = |command, from| match registers.bits(command, from, 7) {
        0 => 1,
        divisions => divisions as usize,
    };
    let [u, v] = batch.controls;
    let [du, dv] = [code(op::PSUB, 0), code(op::PSUB, 8)];
    let axes = match batch.kind {
        SurfaceKind::Bezier => [Axis::bezier(u, du), Axis::bezier(v, dv)],
        SurfaceKind::Spline([eu, ev]) => [Axis::spline(u, du, eu), Axis::spline(v, dv, ev)],
    };
    Some(Box::new(Pieces {
        registers: of_pieces(registers),
        controls: Controls::of(batch),
        axes,
        patch: [0, 0],
        row: 0,
    }))
}

/// The registers of the draw, with the VTYPE of pieces.
fn of_pieces(registers: &Registers) -> Registers {
    let format = registers.vertex_type();
    let colour = if format.colour().is_some() { COLOUR } else { 0 };
    let mode = if format.is_through() { THROUGH } else { NORMAL };
    let mut registers = registers.clone();
    registers.write(u32::from(op::VTYPE) << 24 | FLOATS | colour | mode);
    registers
}

/// A surface, row by row.
struct Pieces {
    registers: Registers,
    controls: Controls,
    /// Along u and along v.
    axes: [Axis; 2],
    /// The next patch along u and v.
    patch: [usize; 2],
    /// The next row of its cells.
    row: usize,
}

impl Surface for Pieces {
    fn registers(&self) -> &Registers {
        &self.registers
    }

    fn next_piece_unless(&mut self, is_over: &dyn Fn() -> bool, piece: &mut Piece) -> bool {
        if self.patch[1] == self.axes[1].patches() {
            return false;
        }
        let columns = self.axes[0].cells() + 1;
        piece.records.clear();
        for row in [self.row, self.row + 1] {
            for column in 0..columns {
                if column > 0 && column.is_multiple_of(PART) && is_over() {
                    return false;
                }
                let [u, v] = [(0, column), (1, row)].map(|(k, n)| self.axes[k].sample(self.patch[k], n));
                piece.records.extend(sample::record(&self.registers, &self.controls, &u, &v));
            }
        }
        piece.vertices = 2 * columns as u32;
        piece.indices = (0..columns as u32 - 1).flat_map(|n| self.cell(n, columns as u32)).collect();
        self.advance();
        true
    }
}

impl Pieces {
    /// Elements of the cell whose upper left corner is record `tl` (7.7.1).
    fn cell(&self, tl: u32, columns: u32) -> [u32; 6] {
        let [tr, bl, br] = [tl + 1, tl + columns, tl + columns + 1];
        match self.registers.bits(op::PPRIM, 0, 2) {
            1 => [tl, bl, tr, br, tr, bl],
            _ => [tl, bl, tr, tr, bl, br],
        }
    }

    /// To the next row of cells: of this patch, of the next along u, of the next row of patches.
    fn advance(&mut self) {
        self.row += 1;
        if self.row == self.axes[1].cells() {
            self.row = 0;
            self.patch[0] += 1;
        }
        if self.patch[0] == self.axes[0].patches() {
            self.patch = [0, self.patch[1] + 1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interpreter;
    use picaflor_pipeline::ge::matrices::Matrices;
    use picaflor_pipeline::ge::stage::{Remembered, TransformStage as _, VertexBatch};
    use picaflor_pipeline::guest_slice::GuestSlice;
    use picaflor_pipeline::memory::NoMemory;

    const POSITION: u32 = 3 << 7;

    /// Position (x, y, 0) of control points on a grid, from a function of column and row.
    fn grid(controls: [usize; 2], place: impl Fn(usize, usize) -> [f32; 2]) -> Vec<u8> {
        let places = (0..controls[1]).flat_map(|j| (0..controls[0]).map(move |i| (i, j)));
        let floats = places.flat_map(|(i, j)| {
            let [x, y] = place(i, j);
            [x, y, 0.0]
        });
        floats.flat_map(f32::to_le_bytes).collect()
    }

    /// x and y of the positions of each piece.
    type Rows = Vec<Vec<[f32; 2]>>;

    /// VTYPE and positions of all pieces, x and y, piece by piece; and the indices of the last one.
    fn pieces(
        words: &[u32],
        controls: [usize; 2],
        kind: SurfaceKind,
        bytes: &[u8],
    ) -> Option<(u32, Rows, Vec<u32>)> {
        let mut registers = Registers::default();
        words.iter().for_each(|&word| registers.write(word));
        let matrices = Matrices::default();
        let stride = registers.vertex_type().stride();
        let indices: Vec<u32> = (0..(controls[0] * controls[1]) as u32).collect();
        let records = GuestSlice::from_slice(bytes);
        let remembered = Remembered::default();
        let points = VertexBatch {
            registers: &registers,
            matrices: &matrices,
            remembered,
            records,
            stride,
            indices: &indices,
            memory: &NoMemory,
        };
        let mut surface = Interpreter::new().surface(&SurfaceBatch { points, controls, kind })?;
        let format = surface.registers().vertex_type();
        let record = format.stride() as usize;
        let (mut piece, mut all) = (Piece::default(), vec![]);
        while surface.next_piece(&mut piece) {
            assert_eq!(piece.records.len(), record * piece.vertices as usize);
            let float = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            let at = format.layout().position as usize;
            let place = |bytes: &[u8]| [float(&bytes[at..]), float(&bytes[at + 4..])];
            all.push(piece.records.chunks(record).map(place).collect());
        }
        Some((format.0, all, piece.indices))
    }

    fn measured(i: usize, j: usize) -> [f32; 2] {
        [210.0 + 10.0 * i as f32, [10.0, 30.0, 35.0, 40.0][j]]
    }

    /// 7.7.1: points, division 4, through mode: columns 210, 217, 225, 232, 240, rows 10, 22, 30, 36, 40, truncated.
    #[test]
    fn measured_samples() {
        let words = [0x1200_0000 | THROUGH | POSITION, 0x3600_0404, 0x3700_0002];
        let bytes = grid([4, 4], measured);
        for kind in [SurfaceKind::Bezier, SurfaceKind::Spline([3, 3])] {
            let (format, rows, indices) = pieces(&words, [4, 4], kind, &bytes).unwrap();
            assert_eq!(format, THROUGH | FLOATS);
            assert_eq!(rows.len(), 4);
            let columns: Vec<f32> = rows[0][..5].iter().map(|[x, _]| x.floor()).collect();
            assert_eq!(columns, [210.0, 217.0, 225.0, 232.0, 240.0]);
            let tops = [0, 1, 2, 3].map(|n| rows[n][0][1].floor());
            assert_eq!((tops, rows[3][5][1]), ([10.0, 22.0, 30.0, 36.0], 40.0));
            assert_eq!(indices[..6], [0, 5, 1, 1, 5, 6]);
        }
    }

    /// 7.7: with one closed segment the first row is (10 + 4 * 30 + 35) / 6 = 27.5.
    #[test]
    fn closed_splines() {
        let words = [0x1200_0000 | THROUGH | POSITION, 0x3600_0101];
        let (_, rows, _) =
            pieces(&words, [4, 4], SurfaceKind::Spline([0, 0]), &grid([4, 4], measured)).unwrap();
        assert_eq!(rows, [[[220.0, 27.5], [230.0, 27.5], [220.0, 35.0], [230.0, 35.0]]]);
    }

    /// 7.6: 4 x 2 draws nothing, 4 x 5 one patch, 4 x 8 rows 0 to 6; u is the inner loop. 7.7.1: PSUB 0 acts as 1.
    #[test]
    fn counts_of_patches() {
        let words = [0x1200_0000 | POSITION];
        let count = |controls: [usize; 2], kind| {
            let bytes = grid(controls, |i, j| [i as f32, j as f32]);
            pieces(&words, controls, kind, &bytes).map(|(_, rows, _)| rows)
        };
        assert!(count([4, 3], SurfaceKind::Bezier).is_none());
        assert!(count([3, 4], SurfaceKind::Spline([3, 3])).is_none());
        let bezier = |controls| count(controls, SurfaceKind::Bezier).unwrap();
        assert_eq!(bezier([4, 5]), [[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [3.0, 3.0]]]);
        let starts: Vec<[f32; 2]> = bezier([7, 8]).iter().map(|piece| piece[0]).collect();
        assert_eq!(starts, [[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [3.0, 3.0]]);
        // A spline of 5 x 4 has two segments along u, in one piece of 3 columns.
        let spline = count([5, 4], SurfaceKind::Spline([3, 3])).unwrap();
        assert_eq!((spline.len(), spline[0].len()), (1, 6));
    }

    #[test]
    fn cells_of_lines() {
        let words = [0x1200_0000 | POSITION | 7 << 2, 0x3700_0001];
        let bytes = [0; 16 * 16];
        let (format, _, indices) = pieces(&words, [4, 4], SurfaceKind::Bezier, &bytes).unwrap();
        assert_eq!((format, indices), (FLOATS | COLOUR | NORMAL, vec![0, 2, 1, 3, 1, 2]));
        assert!(pieces(&[0x1200_0003], [4, 4], SurfaceKind::Bezier, &bytes).is_none());
    }

    /// Two rows of 32,005 vertices.
    #[test]
    fn surfaces_end_with_their_run() {
        let mut registers = Registers::default();
        [0x1200_0000 | POSITION, 0x3600_017f].iter().for_each(|&word| registers.write(word));
        let indices: Vec<u32> = (0..255 * 4).collect();
        let bytes = grid([255, 4], measured);
        let points = VertexBatch {
            registers: &registers,
            matrices: &Matrices::default(),
            remembered: Remembered::default(),
            records: GuestSlice::from_slice(&bytes),
            stride: 12,
            indices: &indices,
            memory: &NoMemory,
        };
        let kind = SurfaceKind::Spline([3, 3]);
        let batch = SurfaceBatch { points, controls: [255, 4], kind };
        let mut surface = surface(&batch).unwrap();
        let (mut piece, asked) = (Piece::default(), std::cell::Cell::new(0));
        let is_over = || asked.replace(asked.get() + 1) == 3;
        assert!(!surface.next_piece_unless(&is_over, &mut piece));
        let record = surface.registers().vertex_type().stride() as usize;
        assert_eq!((asked.get(), piece.records.len()), (4, 4 * PART * record));
        assert!(surface.next_piece(&mut piece));
        assert_eq!(piece.vertices, 2 * 32_005);
    }
}
