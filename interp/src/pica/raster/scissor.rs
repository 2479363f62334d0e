//! The scissor rectangle.
//!
//! Source: pica-geometry.md 6.3, pica-fragment.md 1.5.

use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::rasterizer::ScissorMode;

/// True if the scissor keeps a pixel of the window. Both corners of the rectangle are inside (measured on a console).
pub(crate) fn keeps(registers: &Registers, x: i32, y: i32) -> bool {
    let [low, high] = registers.scissor_corners();
    let columns = i32::from(low.x())..=i32::from(high.x());
    let rows = i32::from(low.y())..=i32::from(high.y());
    let inside = columns.contains(&x) && rows.contains(&y);
    match registers.scissor_test().mode() {
        ScissorMode::Off | ScissorMode::OffToo => true,
        ScissorMode::KeepOutside => !inside,
        ScissorMode::KeepInside => inside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(mode: u32, corners: [u32; 2]) -> Vec<(i32, i32)> {
        let mut registers = Registers::new();
        // All spare bits are set: they have no effect.
        registers.set_raw(0x065, 0xffff_fffc | mode);
        registers.set_raw(0x066, 0xfc00_fc00 | corners[0]);
        registers.set_raw(0x067, 0xfc00_fc00 | corners[1]);
        let pixels = (0..4).flat_map(|y| (0..4).map(move |x| (x, y)));
        pixels.filter(|&(x, y)| keeps(&registers, x, y)).collect()
    }

    #[test]
    fn rectangle_is_inclusive() {
        let corners = [0x0002_0001, 0x0003_0002];
        assert_eq!(kept(3, corners), [(1, 2), (2, 2), (1, 3), (2, 3)]);
        assert_eq!(kept(1, corners).len(), 12);
        assert_eq!((kept(0, corners).len(), kept(2, corners).len()), (16, 16));
    }

    /// x2 < x1: nothing in mode 3, everything in mode 1.
    #[test]
    fn reversed_rectangle() {
        let corners = [0x0000_0002, 0x0003_0001];
        assert_eq!((kept(3, corners).len(), kept(1, corners).len()), (0, 16));
    }
}
