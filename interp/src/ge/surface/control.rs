//! Control points of a surface, after morphing and skinning (7.7.1).

use crate::ge::vertex::decode::decode;
use crate::ge::vertex::skin::skinned;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::surface::SurfaceBatch;
use picaflor_pipeline::ge::vertex_type::Element;

/// Control points between two questions whether the run ends.
const PART: usize = 256;

/// A control point.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Control {
    pub(super) position: [f64; 3],
    pub(super) texture: Option<[f64; 2]>,
    /// Red, green, blue, alpha, 0 to 255.
    pub(super) colour: Option<[f64; 4]>,
}

/// The control points of a surface, row by row, and what its vertices have beside positions.
pub(super) struct Controls {
    points: Vec<Control>,
    /// Control points of a row.
    columns: usize,
    /// True if the control points have normals, or lights need them.
    pub(super) has_normals: bool,
}

impl Controls {
    /// The control points of a batch: plain ones from where the run ends.
    pub(super) fn of(batch: &SurfaceBatch<'_>) -> Self {
        let points = &batch.points;
        let format = points.registers.vertex_type();
        let mut is_over = false;
        let control = |(n, &index): (usize, &u32)| {
            is_over |= n.is_multiple_of(PART) && batch.points.memory.is_stopping();
            if is_over {
                return Control::default();
            }
            let model = decode(points, format, index);
            let position =
                if format.is_through() { model.position } else { skinned(points, format, &model).0 };
            let colour = model.colour.map(|colour| colour.to_le_bytes().map(f64::from));
            Control { position, texture: model.texture, colour }
        };
        Self {
            points: points.indices.iter().enumerate().map(control).collect(),
            columns: batch.controls[0],
            has_normals: format.normal() != Element::None || points.registers.is_on(op::LTE),
        }
    }

    /// No control points.
    #[cfg(test)]
    pub(super) const fn of_flag(has_normals: bool) -> Self {
        Self { points: vec![], columns: 0, has_normals }
    }

    /// The four by four control points from a column and a row on, row by row.
    pub(super) fn patch(&self, column: usize, row: usize) -> [[Control; 4]; 4] {
        std::array::from_fn(|j| std::array::from_fn(|i| self.points[(row + j) * self.columns + column + i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::matrices::Matrices;
    use picaflor_pipeline::ge::regs::Registers;
    use picaflor_pipeline::ge::stage::surface::SurfaceKind;
    use picaflor_pipeline::ge::stage::{Remembered, VertexBatch};
    use picaflor_pipeline::guest_slice::GuestSlice;
    use picaflor_pipeline::memory::{Memory, NoMemory};

    /// Positions in bytes with one weight; the bone doubles them. 5 x 4 control points, the last one is 64, 32, 0.
    #[test]
    fn bones_come_first() {
        let mut matrices = Matrices::default();
        (matrices.bones[0], matrices.bones[4], matrices.bones[8]) = (2.0, 2.0, 2.0);
        let mut bytes = [0; 80];
        bytes[76..].copy_from_slice(&[128, 64, 32, 0]);
        let indices: Vec<u32> = (0..20).collect();
        let last = |vertex_type: u32| {
            let mut registers = Registers::default();
            registers.write(u32::from(op::VTYPE) << 24 | vertex_type);
            let points = VertexBatch {
                registers: &registers,
                matrices: &matrices,
                remembered: Remembered::default(),
                records: GuestSlice::from_slice(&bytes),
                stride: 4,
                indices: &indices,
                memory: &NoMemory,
            };
            let batch = SurfaceBatch { points, controls: [5, 4], kind: SurfaceKind::Bezier };
            Controls::of(&batch).patch(1, 0)[3][3].position
        };
        assert_eq!(last(1 << 7 | 1 << 9), [1.0, 0.5, 0.0]);
        // Through mode has no bones, and no positions in bytes (4.3).
        assert_eq!(last(1 << 7 | 1 << 9 | 1 << 23), [0.0; 3]);
    }

    /// 7.7.1: normals are for control points that have some, and for lights.
    #[test]
    fn surfaces_with_normals() {
        let has_normals = |words: &[u32]| {
            let mut registers = Registers::default();
            words.iter().for_each(|&word| registers.write(word));
            let points = VertexBatch {
                registers: &registers,
                matrices: &Matrices::default(),
                remembered: Remembered::default(),
                records: GuestSlice::from_slice(&[]),
                stride: 0,
                indices: &[],
                memory: &NoMemory,
            };
            let batch = SurfaceBatch { points, controls: [0, 0], kind: SurfaceKind::Bezier };
            Controls::of(&batch).has_normals
        };
        let [normals, lights] = [u32::from(op::VTYPE) << 24 | 3 << 5, u32::from(op::LTE) << 24 | 1];
        assert_eq!([has_normals(&[]), has_normals(&[normals]), has_normals(&[lights])], [false, true, true]);
        assert!(has_normals(&[normals, lights]));
    }

    /// Memory of a run that is to end.
    struct Ending;

    impl Memory for Ending {
        fn region(&self, _: u32, _: u32) -> Option<GuestSlice<'_>> {
            None
        }

        fn is_stopping(&self) -> bool {
            true
        }
    }

    /// A run that ends decodes no further control points, and has all of them nevertheless.
    #[test]
    fn control_points_of_a_run_that_ends() {
        let mut registers = Registers::default();
        registers.write(u32::from(op::VTYPE) << 24 | 2 << 7 | 1 << 23);
        let bytes = [64; 96];
        let indices: Vec<u32> = (0..16).collect();
        let points = VertexBatch {
            registers: &registers,
            matrices: &Matrices::default(),
            remembered: Remembered::default(),
            records: GuestSlice::from_slice(&bytes),
            stride: 6,
            indices: &indices,
            memory: &Ending,
        };
        let batch = SurfaceBatch { points, controls: [4, 4], kind: SurfaceKind::Bezier };
        assert_eq!(Controls::of(&batch).patch(0, 0), [[Control::default(); 4]; 4]);
    }
}
