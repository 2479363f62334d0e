//! The fog coefficient of a vertex (5.7).

use crate::ge::number::{add, mul};
use picaflor_pipeline::ge::regs::{Registers, op};

/// Substitute for an infinite fog slope (from a game).
const STEEP: f64 = 262_144.0;

/// The coefficient at a view z, 0 to 255. An infinite end decides by its sign.
pub(super) fn coefficient(registers: &Registers, view_z: f64) -> u8 {
    let (end, slope) = (registers.float(op::FFAR), registers.float(op::FDIST));
    if !end.is_finite() {
        let is_clear = slope != 0.0 && end.is_sign_positive() == slope.is_sign_positive();
        return if is_clear { 255 } else { 0 };
    }
    let slope = if slope.is_finite() { f64::from(slope) } else { STEEP.copysign(f64::from(slope)) };
    let f = mul(add(view_z, f64::from(end)), slope);
    // The cast clamps, and makes 0 of a NaN.
    (f * 256.0).floor() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(end: f32, slope: f32, view_z: f64) -> u8 {
        let mut registers = Registers::default();
        for (command, value) in [(op::FFAR, end), (op::FDIST, slope)] {
            registers.write(u32::from(command) << 24 | value.to_bits() >> 8);
        }
        coefficient(&registers, view_z)
    }

    #[test]
    fn fog_is_a_slope() {
        assert_eq!([-4.0, -5.0, -7.0, -7.99, -8.0, -9.0].map(|z| of(8.0, 0.25, z)), [255, 192, 64, 0, 0, 0]);
        assert_eq!(of(8.0, 0.25, f64::NAN), 0);
    }

    #[test]
    fn endless_fog() {
        let infinity = f32::INFINITY;
        let ends = [(infinity, 1.0), (-infinity, 1.0), (infinity, -1.0), (-infinity, -1.0), (infinity, 0.0)];
        assert_eq!(ends.map(|(end, slope)| of(end, slope, -1.0)), [255, 0, 0, 255, 0]);
        assert_eq!([-1.0, -1.5].map(|z| of(1.25, infinity, z)), [255, 0]);
        assert_eq!([-1.0, -1.5].map(|z| of(1.25, -infinity, z)), [0, 255]);
    }
}
