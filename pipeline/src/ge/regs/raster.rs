//! Register views for rasterization: shading, culling, scissor.
//!
//! Source: psp-ge.md 3.2, 3.4, 3.6, 3.7, 5.6, 7.2, 10.9.

use super::{Registers, fields, op};
use crate::rect::Rect;

/// Orientation of a triangle on the screen, y down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Winding {
    /// Its signed area is above 0.
    Clockwise,
    /// Its signed area is below 0.
    CounterClockwise,
}

impl Registers {
    /// True if colours are interpolated across a primitive (SHADE, not in clear mode).
    #[must_use]
    pub const fn is_smooth(&self) -> bool {
        self.is_on(op::SHADE) && !self.is_on(op::CLEAR)
    }

    /// The culled winding (BCE, FFACE). Clear mode culls nothing: measured.
    #[must_use]
    pub const fn culled(&self) -> Option<Winding> {
        match (self.is_on(op::BCE) && !self.is_on(op::CLEAR), self.is_on(op::FFACE)) {
            (false, _) => None,
            (true, false) => Some(Winding::Clockwise),
            (true, true) => Some(Winding::CounterClockwise),
        }
    }

    /// True if depth outside its range is clamped, and triangles and lines are clipped at the near plane instead of
    /// being dropped (CPE).
    #[must_use]
    pub const fn clamps_depth(&self) -> bool {
        self.is_on(op::CPE)
    }

    /// The drawable pixels: scissor and the end of the region, both inclusive. The start of the region has no effect
    /// on drawing (its purpose is unknown).
    #[must_use]
    pub fn drawing_area(&self) -> Rect {
        let [x0, y0] = self.pixel(op::SCISSOR1);
        let [scissor, region] = [self.pixel(op::SCISSOR2), self.pixel(op::REGION2)];
        Rect { x0, y0, x1: scissor[0].min(region[0]) + 1, y1: scissor[1].min(region[1]) + 1 }
    }

    /// Column in bits 0 to 9, row in bits 10 to 19.
    const fn pixel(&self, command: u8) -> [i32; 2] {
        [self.field(command, fields::PIXEL_X) as i32, self.field(command, fields::PIXEL_Y) as i32]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registers(words: &[(u8, u32)]) -> Registers {
        let mut registers = Registers::default();
        words.iter().for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
        registers
    }

    #[test]
    fn area_is_inclusive() {
        let at = |x: u32, y: u32| y << 10 | x;
        let words = [(op::SCISSOR1, at(2, 3)), (op::SCISSOR2, at(479, 1023)), (op::REGION2, at(511, 271))];
        assert_eq!(registers(&words).drawing_area(), Rect { x0: 2, y0: 3, x1: 480, y1: 272 });
        let words = [(op::SCISSOR1, at(5, 0)), (op::SCISSOR2, at(4, 9)), (op::REGION2, at(511, 271))];
        assert!(registers(&words).drawing_area().is_empty());
    }

    #[test]
    fn clear_mode_neither_culls_nor_smooths() {
        let words = [(op::BCE, 1), (op::SHADE, 1), (op::FFACE, 1)];
        assert_eq!(registers(&words).culled(), Some(Winding::CounterClockwise));
        assert!(registers(&words).is_smooth());
        let words = [words.as_slice(), &[(op::CLEAR, 1)]].concat();
        assert_eq!(registers(&words).culled(), None);
        assert!(!registers(&words).is_smooth());
        assert_eq!(registers(&[(op::BCE, 1)]).culled(), Some(Winding::Clockwise));
    }
}
