//! From texture coordinates to s and t: projection, cube maps (2.3, 2.4), each with its change per pixel (2.5).

use crate::pica::fragment::{Coordinate, Inputs};
use picaflor_pipeline::pica::regs::Registers;

/// The coordinates u and v that a unit samples at.
pub(super) fn of_unit(registers: &Registers, unit: usize, inputs: &Inputs) -> [Coordinate; 2] {
    let set = if unit == 2 && registers.texunit_config().unit2_set1() { 1 } else { unit };
    inputs.texcoord[set]
}

/// u / w and v / w, by way of 1 / w.
pub(super) fn divided(uv: [Coordinate; 2], w: Coordinate) -> [Coordinate; 2] {
    let r = 1.0 / w.value;
    uv.map(|u| {
        let value = u.value * r;
        Coordinate { value, dx: (u.dx - value * w.dx) * r, dy: (u.dy - value * w.dy) * r }
    })
}

/// Intersection of a direction with the cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OnCube {
    /// +X, -X, +Y, -Y, +Z, -Z.
    pub(super) face: u16,
    /// s and t on the face.
    pub(super) st: [Coordinate; 2],
    /// Magnitude of the major axis.
    pub(super) major: f32,
}

/// Face, s and t of a direction. Ties go to the later axis; the zero vector to the middle of -Z.
pub(super) fn on_cube(direction: [Coordinate; 3]) -> OnCube {
    let [x, y, z] = direction;
    let [ax, ay, az] = direction.map(|c| c.value.abs());
    if ax > ay && ax > az {
        let s = if x.value > 0.0 { negated(z) } else { z };
        face(0, x, [s, negated(y)])
    } else if ay > az {
        let t = if y.value > 0.0 { z } else { negated(z) };
        face(2, y, [x, t])
    } else {
        let s = if z.value > 0.0 { x } else { negated(x) };
        face(4, z, [s, negated(y)])
    }
}

/// The face of an axis, or the next one if the direction is not positive along the axis.
fn face(positive: u16, axis: Coordinate, numerators: [Coordinate; 2]) -> OnCube {
    let (face, m) = if axis.value > 0.0 { (positive, axis) } else { (positive + 1, negated(axis)) };
    OnCube { face, st: numerators.map(|n| across(n, m)), major: m.value.abs() }
}

/// `0.5 * n / m + 0.5`, by way of 1 / m.
fn across(n: Coordinate, m: Coordinate) -> Coordinate {
    if m.value == 0.0 {
        return Coordinate { value: 0.5, dx: 0.0, dy: 0.0 };
    }
    let rm = 1.0 / m.value;
    let quotient = n.value * rm;
    Coordinate {
        value: 0.5 * quotient + 0.5,
        dx: 0.5 * ((n.dx - quotient * m.dx) * rm),
        dy: 0.5 * ((n.dy - quotient * m.dy) * rm),
    }
}

fn negated(c: Coordinate) -> Coordinate {
    Coordinate { value: -c.value, dx: -c.dx, dy: -c.dy }
}

/// The values, with 0 for a NaN.
pub(super) fn numbers(st: [Coordinate; 2]) -> [f32; 2] {
    st.map(|c| if c.value.is_nan() { 0.0 } else { c.value })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, fragment};
    use super::*;

    fn cube(direction: [f32; 3]) -> (u16, [f32; 2]) {
        let OnCube { face, st, .. } = on_cube(direction.map(at));
        (face, st.map(|c| c.value))
    }

    /// Expected: the quotient rule on exactly representable numbers.
    #[test]
    fn projected_change_per_pixel() {
        let u = Coordinate { value: 4.0, dx: 3.0, dy: 5.0 };
        let w = Coordinate { value: 2.0, dx: 0.5, dy: 1.0 };
        let quotient = Coordinate { value: 2.0, dx: 1.0, dy: 1.5 };
        assert_eq!(divided([u, w], w), [quotient, at(1.0)]);
    }

    #[test]
    fn cube_x() {
        assert_eq!(cube([1.0, 0.5, 0.25]), (0, [0.375, 0.25]));
        assert_eq!(cube([-1.0, 0.5, 0.25]), (1, [0.625, 0.25]));
    }

    #[test]
    fn cube_y() {
        assert_eq!(cube([0.5, 1.0, 0.25]), (2, [0.75, 0.625]));
        assert_eq!(cube([0.5, -1.0, 0.25]), (3, [0.75, 0.375]));
    }

    #[test]
    fn cube_z() {
        assert_eq!(cube([0.25, 0.5, 1.0]), (4, [0.625, 0.25]));
        assert_eq!(cube([0.25, 0.5, -1.0]), (5, [0.375, 0.25]));
        assert_eq!(cube([1.0, 1.0, 1.0]), (4, [1.0, 0.0]));
    }

    #[test]
    fn cube_zero_vector() {
        assert_eq!(cube([0.0, 0.0, 0.0]), (5, [0.5, 0.5]));
        let moving = [0.0; 3].map(|value| Coordinate { value, dx: 1.0, dy: f32::NAN });
        assert_eq!(on_cube(moving).st, [at(0.5); 2]);
    }

    #[test]
    fn cube_ties_go_to_the_later_axis() {
        assert_eq!(cube([2.0, -2.0, 1.0]).0, 3);
        assert_eq!(cube([-2.0, 1.0, -2.0]).0, 5);
        assert_eq!(cube([1.0, 2.0, -2.0]).0, 5);
    }

    /// Expected: the quotient rule on exactly representable numbers.
    #[test]
    fn cube_change_per_pixel() {
        // Face -X: s = 0.5 * z / -x + 0.5, t = 0.5 * -y / -x + 0.5.
        let x = Coordinate { value: -4.0, dx: 0.5, dy: 0.0 };
        let y = Coordinate { value: 2.0, dx: 0.25, dy: 1.0 };
        let z = Coordinate { value: 1.0, dx: 0.0, dy: -1.0 };
        let OnCube { face, st: [s, t], major } = on_cube([x, y, z]);
        assert_eq!((face, major), (1, 4.0));
        assert_eq!(s, Coordinate { value: 0.625, dx: 0.5 * ((0.25 * 0.5) / 4.0), dy: -0.125 });
        assert_eq!(t, Coordinate { value: 0.25, dx: 0.5 * ((-0.25 - 0.5 * 0.5) / 4.0), dy: -0.125 });
    }

    #[test]
    fn projection_change_per_pixel() {
        let w = Coordinate { value: 2.0, dx: 0.5, dy: 0.0 };
        let u = Coordinate { value: 3.0, dx: 1.0, dy: -4.0 };
        let expected = Coordinate { value: 1.5, dx: (1.0 - 0.75) * 0.5, dy: -2.0 };
        assert_eq!(divided([u, u], w), [expected; 2]);
    }

    #[test]
    fn nan_becomes_zero() {
        assert_eq!(numbers(divided([at(1.0), at(0.0)], at(0.0))), [f32::INFINITY, 0.0]);
        assert_eq!(numbers([at(f32::NAN), at(-2.0)]), [0.0, -2.0]);
    }

    #[test]
    fn unit_2_may_use_set_1() {
        let mut registers = Registers::new();
        let set = |v: f32| [at(v); 2];
        let texcoord = [set(0.0), set(1.0), set(2.0)];
        let inputs = Inputs { texcoord, ..fragment(at(0.0), at(0.0), at(0.0)) };
        for (config, expected) in [(0, [0.0, 1.0, 2.0]), (1 << 13, [0.0, 1.0, 1.0])] {
            registers.set_raw(0x080, config);
            assert_eq!([0, 1, 2].map(|unit| of_unit(&registers, unit, &inputs)), expected.map(set));
        }
    }

    /// Expected: the quotient rule, with a major axis that changes upward: 1 - 2/4 * 2 = 0 and -3 + 1/4 * 2 = -5/2, times
    /// 1/2 and 1/4.
    #[test]
    fn cube_change_along_both_axes() {
        let [x, y, z] =
            [(2.0, 1.0), (1.0, 3.0), (4.0, 2.0)].map(|(value, dy)| Coordinate { value, dx: 0.0, dy });
        let OnCube { face, st, .. } = on_cube([x, y, z]);
        assert_eq!((face, st.map(|c| c.dy)), (4, [0.0, -0.3125]));
    }
}
