//! Immediate vertices: the registers with which they are drawn. Their components are in registers too, which the engine
//! reads.
//!
//! Source: psp-ge.md 7.9, measured on a console (primitives/immediate).

use crate::ge::regs::{Registers, op};

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
