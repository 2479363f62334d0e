//! What the CPU reads from the registers.
//!
//! Source: pica-geometry.md 1.9 (measured on a console: gbatek).

use super::Pica;
use super::handler::is_mirror;
use super::interrupts;
use super::lut_ports::LutPort;
use super::regs::{Class, Registers, describe};
use super::writes::RESTART_PRIMITIVE;
use crate::fault::Fault;
use std::sync::LazyLock;

/// Registers without a function; they read zero.
static IS_ZERO: LazyLock<[bool; Registers::COUNT]> =
    LazyLock::new(|| std::array::from_fn(|id| describe(id as u16).class == Class::Zero));

impl Pica {
    /// What the CPU reads from register `id`. Reading the lighting port advances its index. A console would
    /// stall until drawing is done; here it is done. 0 where there is no register.
    pub fn read_register(&mut self, id: u16) -> u32 {
        let registers = &self.state.registers;
        match id {
            0x000..=0x00f => registers.raw(0x010 + id),
            0x032 => interrupts::matches(registers) as u32,
            0x033 => (interrupts::matches(registers) >> 32) as u32,
            0x05a => self.state.stats.vertices as u32,
            0x05b => self.state.stats.triangles as u32,
            0x05c => self.state.stats.triangles_displayed as u32,
            0x06c => self.read_that_hangs(id),
            0x22d => swap_upper_bytes(registers.raw(id)),
            0x250 => registers.raw(0x251),
            0x256 => registers.raw(0x254),
            0x257 => registers.raw(0x253),
            0x280..=0x2af => bank_word(self.state.geometry.register((id - 0x280) as u8), id - 0x280),
            0x2b0..=0x2df => bank_word(self.state.vertex.register((id - 0x2b0) as u8), id - 0x2b0),
            _ if is_mirror(id) => registers.raw(RESTART_PRIMITIVE),
            _ => match LutPort::of(id) {
                Some(port) => port.read(&mut self.state.registers, &mut self.state.luts),
                None if reads_zero(id) => 0,
                None => registers.raw(id),
            },
        }
    }

    fn read_that_hangs(&mut self, id: u16) -> u32 {
        let value = self.state.registers.raw(id);
        self.faults.push_once(Fault::Hangs { id, value });
        value
    }
}

/// Triggers, ports that can only be written, and registers without a function. 0x22F-0x237 and 0x23C-0x23F
/// mix other registers in a way that depends on the model of the console.
fn reads_zero(id: u16) -> bool {
    matches!(id, 0x063 | 0x110 | 0x111 | 0x123 | 0x22e..=0x237 | 0x23c..=0x23f)
        || IS_ZERO.get(usize::from(id)).copied().unwrap_or(true)
}

/// Of the bank of a shader unit, the ports and `CODETRANSFER_END` read zero, and so does what has no name.
const fn bank_word(word: u32, offset: u16) -> u32 {
    if matches!(offset, 0x00..=0x04 | 0x09..=0x0d) { word } else { 0 }
}

const fn swap_upper_bytes(word: u32) -> u32 {
    word & 0xffff | (word >> 8 & 0xff_0000) | (word << 8 & 0xff00_0000)
}
