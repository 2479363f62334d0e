//! One vertex of a surface: the weighted sum of sixteen control points, as a vertex record (7.7.1).

use super::basis::Sample;
use super::control::{Control, Controls};
use crate::ge::number::t16;
use crate::ge::vector::Direction;
use picaflor_pipeline::ge::regs::{Registers, op};

/// Absorbs the rounding of sums where these are cut to integers.
const ROUNDING: f64 = 1.0 / 1_048_576.0;

/// The record of a sample, in the format of `registers`: texture coordinates, colour, normal, position.
pub(super) fn record(registers: &Registers, controls: &Controls, u: &Sample, v: &Sample) -> Vec<u8> {
    let patch = controls.patch(u.first, v.first);
    let is_through = registers.is_through();
    let mut bytes = floats(&texture(&patch, u, v));
    if let Some(colour) = colour(&patch, u, v) {
        bytes.extend(colour);
    }
    if !is_through {
        bytes.extend(floats(&normal(registers, controls, &patch, u, v)));
    }
    let position = sum(&patch, u.weights, v.weights, |control| control.position);
    bytes.extend(floats(&if is_through { position.map(on_screen) } else { position }));
    bytes
}

/// Truncated numbers as singles.
fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|&value| (t16(value) as f32).to_le_bytes()).collect()
}

/// Positions of through mode, z included (assumed), in whole sixteenths.
fn on_screen(value: f64) -> f64 {
    (value * 16.0 + ROUNDING).floor() / 16.0
}

/// The weighted sum in doubles, from +0 on: along u for each row, then along v.
fn sum<const N: usize>(
    patch: &[[Control; 4]; 4],
    u: [f64; 4],
    v: [f64; 4],
    of: impl Fn(&Control) -> [f64; N],
) -> [f64; N] {
    let weighted = |weights: [f64; 4], values: [f64; 4]| {
        weights.iter().zip(values).fold(0.0, |sum, (weight, value)| sum + weight * value)
    };
    std::array::from_fn(|c| weighted(v, patch.map(|row| weighted(u, row.map(|control| of(&control)[c])))))
}

/// Coordinates of the control points, or those of the patch.
fn texture(patch: &[[Control; 4]; 4], u: &Sample, v: &Sample) -> [f64; 2] {
    match patch[0][0].texture {
        Some(_) => sum(patch, u.weights, v.weights, |control| control.texture.unwrap_or_default()),
        None => [u.coordinate, v.coordinate],
    }
}

/// The colour, rounded up.
fn colour(patch: &[[Control; 4]; 4], u: &Sample, v: &Sample) -> Option<[u8; 4]> {
    patch[0][0].colour?;
    let channels = sum(patch, u.weights, v.weights, |control| control.colour.unwrap_or_default());
    // The cast clamps.
    Some(channels.map(|channel| (channel - ROUNDING).ceil() as u8))
}

/// The normal: the unit vector across both derivatives, which is truncated first. One of length 0 stays so (assumed).
fn normal(
    registers: &Registers,
    controls: &Controls,
    patch: &[[Control; 4]; 4],
    u: &Sample,
    v: &Sample,
) -> [f64; 3] {
    if !controls.has_normals {
        return [0.0, 0.0, 1.0];
    }
    let along_u = sum(patch, u.derivatives, v.weights, |control| control.position);
    let along_v = sum(patch, u.weights, v.derivatives, |control| control.position);
    let unit = Direction::of(cross(along_u, along_v).map(t16)).map_or([0.0; 3], |normal| normal.unit);
    if registers.is_on(op::PFACE) { unit.map(|component| -component) } else { unit }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::super::basis::Axis;
    use super::*;

    /// Control points on the plane of x = column, y = row, with texture coordinates that are twice that; the green of
    /// the rows after the first is 255.
    fn patch() -> [[Control; 4]; 4] {
        std::array::from_fn(|j| {
            std::array::from_fn(|i| Control {
                position: [i as f64, j as f64, 0.0],
                texture: Some([2.0 * i as f64, 2.0 * j as f64]),
                colour: Some([1.0, if j == 0 { 0.0 } else { 255.0 }, 3.0, 4.0]),
            })
        })
    }

    /// 7.7.1: green by sample row is 00, 94, E0, FC, FF: rounded up.
    #[test]
    fn measured_colours() {
        let axis = Axis::bezier(4, 4);
        let greens = [0, 1, 2, 3, 4].map(|n| colour(&patch(), &axis.sample(0, 1), &axis.sample(0, n)));
        let expected = [0x00, 0x94, 0xe0, 0xfc, 0xff].map(|green| Some([1, green, 3, 4]));
        assert_eq!(greens, expected);
    }

    /// In the middle, x and y are 1.5. Without coordinates, those of patch 2 are 2.5.
    #[test]
    fn coordinates() {
        let [u, v] = [Axis::bezier(10, 2).sample(2, 1), Axis::bezier(4, 2).sample(0, 1)];
        assert_eq!(texture(&patch(), &u, &v), [3.0, 3.0]);
        let without = patch().map(|row| row.map(|control| Control { texture: None, ..control }));
        assert_eq!(texture(&without, &u, &v), [2.5, 0.5]);
        assert_eq!(sum(&patch(), u.weights, v.weights, |control| control.position), [1.5, 1.5, 0.0]);
    }

    /// Positions of through mode: 3.0625 less a rounding error is still 3.0625; fractions are cut.
    #[test]
    fn positions_on_the_screen() {
        assert_eq!([3.062_499_999, 3.124, -0.01].map(on_screen), [3.0625, 3.0625, -0.0625]);
    }

    /// x along u, y along v: the normal is z. Both derivatives are 3; 9 * T16(1/9) is 1 less the last of 16 places.
    #[test]
    fn normals() {
        let [u, v] = [Axis::bezier(4, 2).sample(0, 1); 2];
        let of = |words: &[u32], has_normals: bool, patch: &[[Control; 4]; 4]| {
            let mut registers = Registers::default();
            words.iter().for_each(|&word| registers.write(word));
            let controls = Controls::of_flag(has_normals);
            normal(&registers, &controls, patch, &u, &v)
        };
        let almost = 65535.0 / 65536.0;
        assert_eq!(of(&[], true, &patch()), [0.0, 0.0, almost]);
        assert_eq!(of(&[0x3800_0001], true, &patch()), [0.0, 0.0, -almost]);
        assert_eq!(of(&[0x3800_0001], false, &patch()), [0.0, 0.0, 1.0]);
        let turned = patch().map(|row| {
            row.map(|control| {
                let [x, y, _] = control.position;
                Control { position: [0.0, y, x], ..control }
            })
        });
        assert_eq!(of(&[], true, &turned), [-almost, 0.0, 0.0]);
        let flat = patch().map(|row| row.map(|control| Control { position: [0.0; 3], ..control }));
        assert_eq!(of(&[], true, &flat), [0.0; 3]);
    }

    /// Sums begin at +0: the first weight is 0, all values are negative, and at the start of an axis so is the sum.
    #[test]
    fn sums_have_no_negative_zero() {
        let [u, v] = [Axis::bezier(4, 1).sample(0, 1); 2];
        let nothing = sum(&patch(), u.weights, v.weights, |control| [-control.position[2]]);
        assert_eq!(nothing[0].to_bits(), 0);
    }

    /// (2 * 7 - 3 * 5, 3 * 4 - 1 * 7, 1 * 5 - 2 * 4).
    #[test]
    fn cross_products() {
        assert_eq!(cross([1.0, 2.0, 3.0], [4.0, 5.0, 7.0]), [-1.0, 5.0, -3.0]);
    }
}
