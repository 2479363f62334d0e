//! The vertex in the immediate registers (7.9).
//!
//! The enables of its primitive are those of the first vertex; this vertex does not know them, so that coordinates and
//! fog stay as given (assumed).

use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::vertex::Vertex;

/// Position of the origin of through mode, in sixteenths.
const THROUGH_ORIGIN: i32 = 0x8000;

/// The vertex that a write to VAP emits. It is nowhere outside, and w is 1 (assumed).
pub(super) fn vertex(registers: &Registers) -> Vertex {
    let is_through = registers.is_through();
    let [origin_x, origin_y] = if is_through { [THROUGH_ORIGIN; 2] } else { registers.drawing_offset() };
    let has_secondary = registers.is_on(op::LMODE) && !is_through;
    Vertex {
        clip: [0.0, 0.0, 0.0, 1.0],
        texture: texture(registers, is_through),
        x: short(registers, op::VSCX) - origin_x,
        y: short(registers, op::VSCY) - origin_y,
        z: short(registers, op::VSCZ),
        colour: registers.bits(op::VAP, 0, 8) << 24 | registers.arg(op::VCV),
        secondary: if has_secondary { registers.arg(op::VSCV) } else { 0 },
        fog: registers.bits(op::VFC, 0, 8) as u8,
        outside: 0,
        reserved: [0; 2],
    }
}

/// A field of 16 bits.
const fn short(registers: &Registers, command: u8) -> i32 {
    registers.bits(command, 0, 16).cast_signed()
}

/// s, t, q: normalised in the registers; s and t in texels of level 0 in through mode.
fn texture(registers: &Registers, is_through: bool) -> [f64; 3] {
    let [s, t, q] = registers.vector(op::VTCS);
    let [width, height] = registers.texture_size_log2(0).map(|log2| f64::from(1 << log2));
    if is_through { [s * width, t * height, q] } else { [s, t, q] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// s = 0.5, t = -2, q = 4; OFFSET 0x1000, 0x2000; a texture of 64 x 16.
    fn registers() -> Registers {
        let mut registers = Registers::default();
        let words = [
            0xf001_8010,
            0xf100_7ff0,
            0xf212_3456,
            0xf33f_0000,
            0xf4c0_0000,
            0xf540_8000,
            0xf633_2211,
            0xf7ff_ff44,
            0xf8ff_ff55,
            0xf966_7788,
            0x4c00_1000,
            0x4d00_2000,
            0xb800_0406,
        ];
        words.into_iter().for_each(|word| registers.write(word));
        registers
    }

    #[test]
    fn normal_mode() {
        let vertex = vertex(&registers());
        assert_eq!((vertex.x, vertex.y, vertex.z), (0x7010, 0x5ff0, 0x3456));
        assert_eq!(vertex.texture, [0.5, -2.0, 4.0]);
        assert_eq!((vertex.colour, vertex.secondary, vertex.fog), (0x4433_2211, 0, 0x55));
        assert_eq!((vertex.clip, vertex.outside), ([0.0, 0.0, 0.0, 1.0], 0));
    }

    #[test]
    fn the_secondary_colour_is_separate() {
        let mut registers = registers();
        registers.write(0x5e00_0001);
        assert_eq!(vertex(&registers).secondary, 0x66_7788);
        registers.write(0x1280_0000);
        assert_eq!(vertex(&registers).secondary, 0);
    }

    /// Positions count from 0x8000 and may be negative; coordinates are multiplied by the texture's size.
    #[test]
    fn through_mode() {
        let mut registers = registers();
        registers.write(0x1280_0000);
        let vertex = vertex(&registers);
        assert_eq!((vertex.x, vertex.y), (0x10, -0x10));
        assert_eq!(vertex.texture, [32.0, -32.0, 4.0]);
    }
}
