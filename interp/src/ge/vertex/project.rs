//! From clip coordinates to drawing space: division, viewport, offset; and where a vertex is outside.
//!
//! Source: psp-ge.md 5.2 to 5.5.

use crate::ge::number::{add, mul, t16};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::vertex::Outside;

/// A place on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ge) struct Projected {
    /// Sixteenths of a pixel, after OFFSET.
    pub(in crate::ge) x: i32,
    /// As `x`, downward.
    pub(in crate::ge) y: i32,
    /// Depth, 0 to 65535; 0 for a NaN (assumed).
    pub(in crate::ge) z: i32,
    /// Bits of [`Outside`].
    pub(in crate::ge) outside: u8,
}

/// Projects clip coordinates.
pub(in crate::ge) fn project(clip: [f64; 4], registers: &Registers) -> Projected {
    let [x, y, z] = screen(clip, registers);
    let [offset_x, offset_y] = registers.drawing_offset();
    // Casts truncate and clamp; x and y outside of the screen are meaningless, and wrap (assumed).
    let sixteenths = |pixels: f64| (pixels * 16.0).floor() as i32;
    Projected {
        x: sixteenths(x).wrapping_sub(offset_x),
        y: sixteenths(y).wrapping_sub(offset_y),
        z: i32::from(z.floor() as u16),
        outside: planes(clip) | viewport_bits([x, y, z]),
    }
}

/// The viewport sums S (5.2).
fn screen([x, y, z, w]: [f64; 4], registers: &Registers) -> [f64; 3] {
    let viewport = registers.viewport();
    let reciprocal = t16(1.0 / w);
    let [x, y, z] = [x, y, z].map(|c| mul(c, reciprocal));
    let [sx, sy, sz] = viewport.scale;
    let [cx, cy, cz] = viewport.centre;
    [add(mul(x, sx), cx), add(mul(y, sy), cy), add(mul(z, sz), cz)]
}

/// Where S is outside (5.3, 5.5). A NaN is outside in x and y, and inside in z.
fn viewport_bits([x, y, z]: [f64; 3]) -> u8 {
    let is_on_screen = |s: f64| (0.0..4096.0).contains(&s);
    let guard_band = if is_on_screen(x) && is_on_screen(y) { 0 } else { Outside::GUARD_BAND };
    let [is_below, is_above] = [z < 0.0, z >= 65536.0];
    let depth = if is_below || is_above { Outside::DEPTH } else { 0 };
    guard_band | depth
}

/// Where z is outside (5.5): by quotient, behind the eye by comparison, in either mode of CPE (assumed). A w of 0 or
/// NaN is taken by quotient (assumed).
fn planes([_, _, z, w]: [f64; 4]) -> u8 {
    const BOUND: f64 = 1.0 + 1.0 / 32768.0;
    let [is_near, is_far] = if w < 0.0 { [z < -w, z > w] } else { [z / w <= -BOUND, z / w >= BOUND] };
    let is_in_front = z + w >= 0.0;
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    bit(is_near, Outside::NEAR) | bit(is_far, Outside::FAR) | bit(!is_in_front, Outside::BEHIND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::ge::regs::op;

    const NEAR: u8 = Outside::NEAR;
    const FAR: u8 = Outside::FAR;
    const BEHIND: u8 = Outside::BEHIND;

    fn registers(scale: [f32; 3], centre: [f32; 3], offset: u32) -> Registers {
        let mut registers = Registers::default();
        let values = scale.into_iter().chain(centre);
        for (command, value) in (op::XSCALE..).zip(values) {
            registers.write(u32::from(command) << 24 | value.to_bits() >> 8);
        }
        registers.write(u32::from(op::OFFSETX) << 24 | offset);
        registers
    }

    /// The table of 5.2, in sixteenths.
    #[test]
    fn measured_screen_positions() {
        let x = |clip: f64, scale: f32, offset: u32| {
            project([clip, 0.0, 0.0, 1.0], &registers([scale, 1.0, 1.0], [2048.0; 3], 16 * offset)).x
        };
        assert_eq!(x(t16(-1.0 + 2.0 / 240.0), 240.0, 1808), 33);
        assert_eq!(x(32767.0 / 32768.0, 256.0, 2048), 4095);
        assert_eq!(x(-30857.0 / 32768.0, 240.0, 1808), 224);
    }

    /// 5.3: vertices aimed at 0 and 4096 draw, truncated toward the centre; one pixel further they do not.
    #[test]
    fn the_guard_band() {
        let of =
            |clip: f64, scale: f32| project([clip, 0.0, 0.0, 1.0], &registers([scale; 3], [2048.0; 3], 0));
        let almost = 32767.0 / 32768.0;
        assert_eq!((of(-almost, 2048.0).x, of(almost, 2048.0).x), (1, 65535));
        assert_eq!((of(-1.0, 2048.0).outside, of(1.0, 2048.0).outside), (0, Outside::GUARD_BAND));
        assert_eq!(of(-1.0, 2049.0).outside & Outside::GUARD_BAND, Outside::GUARD_BAND);
        assert_eq!(of(f64::NAN, 2048.0).outside & Outside::GUARD_BAND, Outside::GUARD_BAND);
    }

    /// What waits for the rest of its primitive is part of the machine's state, wherever it lies.
    #[test]
    fn places_outside_wrap() {
        let far = project([-1e30, 0.0, 0.0, 1.0], &registers([2048.0; 3], [2048.0; 3], 16));
        assert_eq!((far.x, far.outside & Outside::GUARD_BAND), (i32::MAX - 15, Outside::GUARD_BAND));
    }

    /// 5.5: in front of the eye by quotient, with a margin of 2^-15.
    #[test]
    fn planes_in_front() {
        let margin = 1.0 + 1.0 / 32768.0;
        assert_eq!([planes([0.0, 0.0, 1.0, 1.0]), planes([0.0, 0.0, -1.0, 1.0])], [0, 0]);
        assert_eq!(planes([0.0, 0.0, 2.0 * margin, 2.0]), FAR);
        assert_eq!(planes([0.0, 0.0, -2.0 * margin, 2.0]), NEAR | BEHIND);
        // Behind the plane, but inside of the margin.
        assert_eq!(planes([0.0, 0.0, -1.0 - 1.0 / 65536.0, 1.0]), BEHIND);
        assert_eq!([planes([0.0, 0.0, 1.0, 0.0]), planes([0.0, 0.0, -1.0, 0.0])], [FAR, NEAR | BEHIND]);
    }

    /// 5.5: with w = -1 the quotient of z = 0.5 is -0.5, yet 0.5 < 1 is before the near plane.
    #[test]
    fn planes_behind_the_eye() {
        assert_eq!(planes([0.0, 0.0, 0.5, -1.0]), NEAR | FAR | BEHIND);
        assert_eq!(planes([0.0, 0.0, -1.0, -1.0]), NEAR | BEHIND);
        assert_eq!(planes([0.0, 0.0, 1.0, -1.0]), FAR);
    }

    /// Item 29: NaN in z while ZSCALE is 0 leaves x, y and the depth ZPOS alone.
    #[test]
    fn a_nan_times_zero() {
        let registers = registers([240.0, -136.0, 0.0], [2048.0, 2048.0, 123.0], 0);
        let projected = project([0.5, 0.5, f64::NAN, 1.0], &registers);
        assert_eq!((projected.x, projected.y, projected.z), (16 * 2168, 16 * 1980, 123));
        assert_eq!(projected.outside & !BEHIND, 0);
    }

    /// 5.5: the sum itself, before it is clamped.
    #[test]
    fn depths_outside() {
        let of =
            |z: f64| project([0.0, 0.0, z, 1.0], &registers([1.0, 1.0, 65536.0], [2048.0, 2048.0, 0.0], 0));
        assert_eq!((of(0.5).z, of(0.5).outside), (32768, 0));
        assert_eq!((of(1.0).z, of(1.0).outside), (65535, Outside::DEPTH));
        assert_eq!((of(-0.25).z, of(-0.25).outside), (0, Outside::DEPTH));
    }

    /// A w of 0 is taken by quotient (assumed), a negative 0 too: 1 / -0 is before the near plane.
    #[test]
    fn planes_of_a_negative_zero() {
        assert_eq!([planes([0.0, 0.0, 1.0, -0.0]), planes([0.0, 0.0, -1.0, -0.0])], [NEAR, FAR | BEHIND]);
    }
}
