//! Sizes of Bezier and spline surfaces, for limits: they are known before control points are read.
//!
//! Source: psp-ge.md 7.6, 7.7.

use crate::ge::regs::Registers;
use crate::ge::vertex_type::Element;

/// Number of vertices of a BEZIER surface with these control points along u and v; `None` if there is no surface.
#[must_use]
pub(super) fn bezier_vertices(registers: &Registers, controls: [usize; 2]) -> Option<u64> {
    let patches =
        |count: usize, divisions: u32| (count.saturating_sub(1) / 3) as u64 * u64::from(divisions + 1);
    vertices(registers, controls, patches)
}

/// [`bezier_vertices`] for SPLINE.
#[must_use]
pub(super) fn spline_vertices(registers: &Registers, controls: [usize; 2]) -> Option<u64> {
    let places = |count: usize, divisions: u32| count.saturating_sub(3) as u64 * u64::from(divisions) + 1;
    vertices(registers, controls, places)
}

fn vertices(registers: &Registers, [u, v]: [usize; 2], along: impl Fn(usize, u32) -> u64) -> Option<u64> {
    let [across, down] = registers.patch_divisions();
    let is_surface = u >= 4 && v >= 4 && registers.vertex_type().position() != Element::None;
    is_surface.then(|| along(u, across) * along(v, down))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::regs::op;

    fn registers(vertex_type: u32, divisions: [u32; 2]) -> Registers {
        let mut registers = Registers::default();
        registers.write(u32::from(op::VTYPE) << 24 | vertex_type);
        registers.write(u32::from(op::PSUB) << 24 | divisions[0] | divisions[1] << 8);
        registers
    }

    /// Patches have vertices of their own along shared borders; the segments of a spline share theirs. Division 0 is 1.
    #[test]
    fn vertices_of_surfaces() {
        let cases = [
            ([4, 4], [4, 4], 5 * 5, 5 * 5),
            ([1, 3], [4, 7], 2 * 8, 2 * 13),
            ([0, 5], [4, 9], 2 * 12, 2 * 31),
            ([7, 2], [4, 12], 8 * 9, 8 * 19),
        ];
        for (divisions, controls, bezier, spline) in cases {
            let registers = registers(3 << 7 | 1 << 23, divisions);
            assert_eq!(bezier_vertices(&registers, controls), Some(bezier), "{divisions:?} {controls:?}");
            assert_eq!(spline_vertices(&registers, controls), Some(spline), "{divisions:?} {controls:?}");
        }
    }

    #[test]
    fn no_surface() {
        let none = registers(1 << 23, [4, 4]);
        assert_eq!([bezier_vertices(&none, [4, 4]), spline_vertices(&none, [9, 9])], [None; 2]);
        let positions = registers(3 << 7 | 1 << 23, [4, 4]);
        assert_eq!(spline_vertices(&positions, [255, 3]), None);
        assert_eq!(bezier_vertices(&positions, [3, 4]), None);
    }
}
