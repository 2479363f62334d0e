//! The scissor, as far as it bounds what a draw can change.
//!
//! Source: pica-geometry.md 6.3.

use crate::pica::regs::Registers;
use crate::pica::regs::rasterizer::ScissorMode;
use crate::rect::Rect;

/// The scissor: a rectangle, both ends inclusive, and its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scissor {
    /// Effect of the rectangle.
    pub mode: ScissorMode,
    /// The rectangle; empty if its corners are swapped.
    pub rect: Rect,
}

impl Scissor {
    /// The scissor of a draw.
    #[must_use]
    pub fn of(registers: &Registers) -> Self {
        let [low, high] = registers.scissor_corners();
        let rect = Rect {
            x0: i32::from(low.x()),
            y0: i32::from(low.y()),
            x1: i32::from(high.x()) + 1,
            y1: i32::from(high.y()) + 1,
        };
        Self { mode: registers.scissor_test().mode(), rect }
    }

    /// The part of `rect` in which pixels may be drawn. Mode 1 drops pixels inside it; that is for the engines.
    #[must_use]
    pub fn clip(&self, rect: Rect) -> Rect {
        if self.mode == ScissorMode::KeepInside { rect.intersect(self.rect) } else { rect }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Rect = Rect { x0: 0, y0: 0, x1: 48, y1: 40 };

    fn scissor(mode: u32, low: [u32; 2], high: [u32; 2]) -> Scissor {
        let mut registers = Registers::new();
        // The spare bits have no effect (measured on a console).
        registers.set_raw(0x065, mode | 0xffff_fffc);
        registers.set_raw(0x066, low[0] | low[1] << 16 | 0xfc00_fc00);
        registers.set_raw(0x067, high[0] | high[1] << 16 | 0xfc00_fc00);
        Scissor::of(&registers)
    }

    #[test]
    fn only_mode_3_bounds_a_draw() {
        for mode in 0..3 {
            assert_eq!(scissor(mode, [3, 2], [5, 7]).clip(SCREEN), SCREEN);
        }
        let clipped = scissor(3, [3, 2], [5, 7]).clip(SCREEN);
        assert_eq!(clipped, Rect { x0: 3, y0: 2, x1: 6, y1: 8 });
    }

    #[test]
    fn swapped_corners_keep_nothing() {
        for (low, high) in [([5, 2], [3, 7]), ([3, 7], [5, 2]), ([5, 7], [3, 2])] {
            assert!(scissor(3, low, high).clip(SCREEN).is_empty());
        }
    }
}
