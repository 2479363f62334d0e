//! Projection from clip space to the screen, and the rules for vertices outside of it.
//!
//! Source: psp-ge.md 5.2 to 5.5, measured on a console (filtering/linear, textures/size, depth/precision,
//! clipping/guardband, clipping/homogeneous). The order of the products after the reciprocal is assumed.

use crate::ge::number::{add, mul};
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::vertex::Outside;

/// Exclusive bound of the magnitude of `z / w`: 1 + 2^-15.
pub(super) const DEPTH_LIMIT: f64 = 1.0 + 1.0 / 32768.0;

/// A vertex on the screen, in the terms of [`Vertex`](picaflor_pipeline::ge::vertex::Vertex).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Projected {
    /// Sixteenths of a pixel, after subtraction of OFFSET.
    pub(crate) x: i32,
    /// As `x`, downward.
    pub(crate) y: i32,
    /// Depth, clamped to 0 and 65535.
    pub(crate) z: i32,
    /// [`Outside`] bits.
    pub(crate) outside: u8,
}

/// Perspective division, viewport transform and the [`Outside`] bits.
#[must_use]
pub(crate) fn project(clip: [f64; 4], registers: &Registers) -> Projected {
    let [.., z, w] = clip;
    let viewport = registers.viewport();
    let reciprocal = t16(1.0 / w);
    let screen: [f64; 3] =
        std::array::from_fn(|c| add(mul(mul(clip[c], reciprocal), viewport.scale[c]), viewport.centre[c]));
    let [offset_x, offset_y] = registers.drawing_offset();
    Projected {
        x: sixteenths(screen[0]).wrapping_sub(offset_x),
        y: sixteenths(screen[1]).wrapping_sub(offset_y),
        z: i32::from(screen[2] as u16),
        outside: depth_outside(z, w) | screen_outside(screen),
    }
}

/// Casts clamp, so a position outside of the screen is still a number.
fn sixteenths(screen: f64) -> i32 {
    (screen * 16.0).floor() as i32
}

/// The bits derived from clip coordinates. Behind the eye the sides are compared, not the quotient.
fn depth_outside(z: f64, w: f64) -> u8 {
    let depth = z / w;
    let is_behind_the_eye = w < 0.0;
    let near = if is_behind_the_eye { z < -w } else { depth <= -DEPTH_LIMIT };
    let far = if is_behind_the_eye { z > w } else { depth >= DEPTH_LIMIT };
    flag(near, Outside::NEAR) | flag(far, Outside::FAR) | flag(!is_at_least(z + w, 0.0), Outside::BEHIND)
}

/// The bits derived from screen coordinates.
fn screen_outside([x, y, z]: [f64; 3]) -> u8 {
    let on_screen = |c: f64| (0.0..4096.0).contains(&c);
    flag(!on_screen(x) || !on_screen(y), Outside::GUARD_BAND)
        | flag(z < 0.0, Outside::DEPTH)
        | flag(z >= 65536.0, Outside::DEPTH)
}

/// False for a NaN.
fn is_at_least(a: f64, b: f64) -> bool {
    a >= b
}

const fn flag(condition: bool, bit: u8) -> u8 {
    if condition { bit } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::regs::op;

    /// Registers with floats in them, and offsets.
    fn registers(floats: &[(u8, f32)], offset: [u32; 2]) -> Registers {
        let mut registers = Registers::default();
        for &(command, value) in floats {
            registers.write(u32::from(command) << 24 | value.to_bits() >> 8);
        }
        registers.write(u32::from(op::OFFSETX) << 24 | offset[0] << 4);
        registers.write(u32::from(op::OFFSETY) << 24 | offset[1] << 4);
        registers
    }

    fn x_of(clip: f64, scale: f32, centre: f32, offset: u32) -> f64 {
        let registers = registers(&[(op::XSCALE, scale), (op::XPOS, centre)], [offset, 0]);
        f64::from(project([t16(clip), 0.0, 0.0, 1.0], &registers).x) / 16.0
    }

    /// The table of 5.2.
    #[test]
    fn measured_screen_coordinates() {
        assert_eq!(x_of(-1.0 + 2.0 / 240.0, 240.0, 2048.0, 1808), 2.0625);
        assert_eq!(x_of(32767.0 / 32768.0, 256.0, 2048.0, 2048), 255.9375);
        assert_eq!(x_of(-30857.0 / 32768.0, 240.0, 2048.0, 1808), 14.0);
        // Toward the centre (5.3): the ends of the guard band draw.
        assert_eq!(x_of(-2048.0 / 240.0, 240.0, 2048.0, 0), 0.0625);
        assert_eq!(x_of(2048.0 / 240.0, 240.0, 2048.0, 0), 4095.9375);
    }

    fn outside(clip: [f64; 4]) -> u8 {
        let floats = [op::XSCALE, op::YSCALE, op::ZSCALE]
            .map(|command| (command, 2048.0))
            .into_iter()
            .chain([(op::XPOS, 2048.0), (op::YPOS, 2048.0), (op::ZPOS, 32768.0)]);
        project(clip, &registers(&floats.collect::<Vec<_>>(), [0, 0])).outside
    }

    #[test]
    fn what_is_outside() {
        let limit = 1.0 + 1.0 / 32768.0;
        assert_eq!(outside([0.0, 0.0, 1.0, 1.0]), 0);
        assert_eq!(outside([0.0, 0.0, limit, 1.0]), Outside::FAR);
        assert_eq!(outside([0.0, 0.0, -1.0, 1.0]), 0);
        assert_eq!(outside([0.0, 0.0, -limit, 1.0]), Outside::NEAR | Outside::BEHIND);
        assert_eq!(outside([-1.0, 0.0, 0.0, 1.0]), 0);
        assert_eq!(outside([0.0, 1.0, 0.0, 1.0]), Outside::GUARD_BAND);
        assert_eq!(outside([f64::NAN, 0.0, 0.0, 1.0]), Outside::GUARD_BAND);
        assert_eq!(outside([0.0, 0.0, f64::NAN, 1.0]), Outside::BEHIND);
        // 0 times the reciprocal of 0 is 0: the middle of the screen.
        assert_eq!(outside([0.0; 4]), 0);
        assert_eq!(outside([1.0, 0.0, 0.0, 0.0]), Outside::GUARD_BAND);
    }

    /// 5.5: with w = -1 a vertex with z < 1 is before the near plane, though its quotient is between -1 and 1; one
    /// with z > -1 is beyond the far plane, by the mirrored comparison.
    #[test]
    fn behind_the_eye_the_sides_are_compared() {
        let z_bits = |z: f64| outside([0.5, 0.5, z, -1.0]) & (Outside::NEAR | Outside::FAR);
        let (near, far) = (Outside::NEAR, Outside::FAR);
        let cases =
            [(-2.0, near), (-1.0, near), (-0.5, near | far), (0.5, near | far), (1.0, far), (2.0, far)];
        assert_eq!(cases.map(|(z, _)| z_bits(z)), cases.map(|(_, bits)| bits));
        assert_eq!(
            (z_bits(f64::NAN), outside([0.5, 0.5, 0.5, -1.0]) & Outside::BEHIND),
            (0, Outside::BEHIND)
        );
    }

    /// Item 29: while ZSCALE is 0, a NaN in z leaves x, y and the depth ZPOS alone.
    #[test]
    fn nan_times_no_scale_is_no_depth() {
        let floats = [(op::XSCALE, 240.0), (op::XPOS, 2048.0), (op::YPOS, 2048.0), (op::ZPOS, 1234.0)];
        let projected = project([0.5, 0.25, f64::NAN, 1.0], &registers(&floats, [0, 0]));
        assert_eq!((projected.x, projected.y, projected.z), (2168 * 16, 2048 * 16, 1234));
        assert_eq!(projected.outside, Outside::BEHIND);
    }

    #[test]
    fn depth_is_clamped() {
        let registers = registers(&[(op::ZSCALE, 40000.0), (op::ZPOS, 32768.0)], [0, 0]);
        let z = |z: f64| project([0.0, 0.0, z, 1.0], &registers);
        assert_eq!((z(1.0).z, z(1.0).outside & Outside::DEPTH), (65535, Outside::DEPTH));
        assert_eq!((z(-1.0).z, z(-1.0).outside & Outside::DEPTH), (0, Outside::DEPTH));
        assert_eq!((z(0.5).z, z(0.5).outside & Outside::DEPTH), (52768, 0));
    }
}
