//! Immediate vertices, whose components are in registers.
//!
//! Source: psp-ge.md 7.9, measured on a console (primitives/immediate).

use picaflor_pipeline::ge::regs::{Registers, fields, op};
use picaflor_pipeline::ge::vertex::Vertex;

/// Origin of screen coordinates in through mode.
const THROUGH_ORIGIN: u32 = 0x8000;

/// The vertex in the registers.
#[must_use]
pub(crate) fn vertex(registers: &Registers) -> Vertex {
    let is_through = registers.is_through();
    let position = |command, offset| {
        let origin = if is_through { THROUGH_ORIGIN } else { registers.field(offset, fields::SHORT) };
        registers.field(command, fields::SHORT) as i32 - origin as i32
    };
    // Coordinates are of the whole texture in both modes; through mode goes on in texels.
    let size = |field| if is_through { f64::from(1u32 << registers.field(op::TSIZE0, field)) } else { 1.0 };
    let float = |command| f64::from(registers.float(command));
    let is_separate = registers.is_on(op::LMODE) && !is_through;
    Vertex {
        texture: [
            float(op::VTCS) * size(fields::TSIZE_WIDTH),
            float(op::VTCT) * size(fields::TSIZE_HEIGHT),
            float(op::VTCQ),
        ],
        x: position(op::VSCX, op::OFFSETX),
        y: position(op::VSCY, op::OFFSETY),
        z: registers.field(op::VSCZ, fields::SHORT) as i32,
        colour: registers.arg(op::VCV) | registers.field(op::VAP, fields::VAP_ALPHA) << 24,
        secondary: if is_separate { registers.arg(op::VSCV) } else { 0 },
        fog: registers.field(op::VFC, fields::BYTE) as u8,
        ..Vertex::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_comes_from_registers() {
        let mut registers = Registers::default();
        let mut set =
            |command: u8, argument: u32| registers.write(u32::from(command) << 24 | argument & 0xff_ffff);
        for (command, argument) in [
            (op::OFFSETX, 0x100),
            (op::OFFSETY, 0x200),
            (op::VSCX, 0x1101),
            (op::VSCY, 0x1202),
            (op::VSCZ, 0x1_2345),
            (op::VTCS, 0.5_f32.to_bits() >> 8),
            (op::VTCT, 0.25_f32.to_bits() >> 8),
            (op::VTCQ, 2.0_f32.to_bits() >> 8),
            (op::VCV, 0x0c_0b0a),
            (op::VAP, 0x80),
            (op::VFC, 0x33),
            (op::VSCV, 0x03_0201),
            (op::LMODE, 1),
            (op::TSIZE0, 0x0406),
        ] {
            set(command, argument);
        }
        let with = |changes: &[(u8, u32)]| {
            let mut registers = registers.clone();
            changes
                .iter()
                .for_each(|&(command, argument)| registers.write(u32::from(command) << 24 | argument));
            vertex(&registers)
        };
        let normal = with(&[]);
        assert_eq!((normal.x, normal.y, normal.z), (0x1001, 0x1002, 0x2345));
        assert_eq!((normal.colour, normal.secondary, normal.fog), (0x800c_0b0a, 0x03_0201, 0x33));
        assert_eq!((normal.texture, normal.clip[3]), ([0.5, 0.25, 2.0], 1.0));
        let through = with(&[(op::VTYPE, 1 << 23), (op::VSCX, 0x9001), (op::VSCY, 0x9002)]);
        assert_eq!((through.x, through.y, through.secondary), (0x1001, 0x1002, 0));
        assert_eq!(through.texture, [32.0, 4.0, 2.0]);
        assert_eq!(with(&[(op::LMODE, 0)]).secondary, 0);
    }
}
