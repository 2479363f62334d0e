//! Immediate vertices, whose components are in registers.
//!
//! Source: psp-ge.md 7.9, measured on a console (primitives/immediate).

use crate::ge::regs::{Registers, fields, op};
use crate::ge::vertex::Vertex;

/// Origin of screen coordinates in through mode.
const THROUGH_ORIGIN: u32 = 0x8000;

/// Enables set by the first vertex of a primitive: the bit of VAP, and the equivalent command.
const ENABLES: [(u32, u8); 7] = [
    (11, op::AAE),
    (18, op::SHADE),
    (19, op::BCE),
    (20, op::FFACE),
    (21, op::TME),
    (22, op::FGE),
    (23, op::DTE),
];

/// The vertex in the registers.
#[must_use]
pub fn vertex(registers: &Registers) -> Vertex {
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

/// The registers, with their enables replaced by those of the first vertex, whose VAP word is `flags`.
#[must_use]
pub(crate) fn with_enables(registers: &Registers, flags: u32) -> Registers {
    let mut registers = registers.clone();
    for (bit, command) in ENABLES {
        registers.write(u32::from(command) << 24 | (flags >> bit & 1));
    }
    registers
}

/// True if all registers of a point are zero: system software writes those for initialisation, and nothing is drawn
/// (assumed).
#[must_use]
pub(crate) fn is_initialisation(registers: &Registers) -> bool {
    let commands = [op::VSCX, op::VSCY, op::VSCZ, op::VCV];
    commands.iter().all(|&command| registers.arg(command) == 0) && registers.bits(op::VAP, 0, 11) == 0
}
