//! Reads of the registers by the CPU.
//!
//! Source: pica-geometry.md 1.9 (measured on a console: gbatek).

use super::writes::RESTART_PRIMITIVE;
use crate::fault::Fault;
use crate::pica::Pica;
use crate::pica::external::interrupts;
use crate::pica::ports::handler::is_mirror;
use crate::pica::ports::lut::LutPort;
use crate::pica::regs::{Class, Registers, describe};
use std::sync::LazyLock;

/// Registers without a function, which read as zero.
static IS_ZERO: LazyLock<[bool; Registers::COUNT]> =
    LazyLock::new(|| std::array::from_fn(|id| describe(id as u16).class == Class::Zero));

impl Pica {
    /// Reads register `id`, as the CPU. A read of the lighting port advances its index. A console would wait until
    /// drawing is complete; here it always is. 0 if there is no register.
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
                Some(port) => self.read_lut(port),
                None if reads_zero(id) => 0,
                None => registers.raw(id),
            },
        }
    }

    fn read_lut(&mut self, port: LutPort) -> u32 {
        let index = self.state.registers.raw(port.index_register());
        let word = port.read(&mut self.state.registers, self.state.luts.change());
        if self.state.registers.raw(port.index_register()) != index {
            self.record_register(port.index_register());
        }
        word
    }

    fn read_that_hangs(&mut self, id: u16) -> u32 {
        let value = self.state.registers.raw(id);
        self.faults.push_once(Fault::Hangs { id, value });
        value
    }
}

/// True for triggers, write-only ports, and registers without a function. 0x22F-0x237 and 0x23C-0x23F mix other
/// registers in a way that depends on the model of the console.
fn reads_zero(id: u16) -> bool {
    matches!(id, 0x063 | 0x110 | 0x111 | 0x123 | 0x22e..=0x237 | 0x23c..=0x23f)
        || IS_ZERO.get(usize::from(id)).copied().unwrap_or(true)
}

/// In the bank of a shader unit, the ports, `CODETRANSFER_END` and unnamed registers read as zero.
const fn bank_word(word: u32, offset: u16) -> u32 {
    if matches!(offset, 0x00..=0x04 | 0x09..=0x0d) { word } else { 0 }
}

const fn swap_upper_bytes(word: u32) -> u32 {
    word & 0xffff | (word >> 8 & 0xff_0000) | (word << 8 & 0xff00_0000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::testing::{Bench, header};

    #[test]
    fn what_always_reads_zero() {
        let mut bench = Bench::new();
        let shader = [0x05, 0x0e, 0x0f, 0x10, 0x11, 0x18, 0x1b, 0x1c, 0x23, 0x25, 0x2d, 0x2f];
        let banks = shader.into_iter().flat_map(|offset| [0x280 + offset, 0x2b0 + offset]);
        let ids =
            [0x036, 0x063, 0x0b8, 0x110, 0x111, 0x123, 0x22e, 0x22f, 0x230, 0x234, 0x23f, 0x400, 0xffff];
        for id in ids.into_iter().chain(banks) {
            assert!(bench.cpu(id, u32::MAX).is_ok());
            assert_eq!(bench.pica.read_register(id), 0, "{id:#05x}");
        }
    }

    #[test]
    fn what_reads_something_else() {
        let mut bench = Bench::new();
        for (id, value) in [(0x22d, 0x1122_3344), (0x251, 3), (0x254, 4), (0x253, 1)] {
            assert!(bench.cpu(id, value).is_ok());
        }
        assert_eq!(bench.pica.read_register(0x22d), 0x2211_3344);
        assert_eq!([0x250, 0x256, 0x257].map(|id| bench.pica.read_register(id)), [3, 4, 1]);
    }

    #[test]
    fn counters_of_vertices_and_triangles() {
        let mut bench = Bench::new();
        let stats = &mut bench.pica.state.stats;
        (stats.vertices, stats.triangles, stats.triangles_displayed) = (0x1_0000_0009, 3, 2);
        assert_eq!([0x05a, 0x05b, 0x05c].map(|id| bench.pica.read_register(id)), [9, 3, 2]);
    }

    #[test]
    fn implemented_bits() {
        let mut bench = Bench::new();
        for (id, expected) in
            [(0x280, 0x0fff_ffff), (0x2b0, 0x01ff_ffff), (0x2ba, 0x01ff_01ff), (0x243, 0x37)]
        {
            assert!(bench.cpu(id, u32::MAX).is_ok());
            assert_eq!(bench.pica.read_register(id), expected, "{id:#05x}");
        }
    }

    #[test]
    fn counters_and_requests() {
        let mut bench = Bench::new();
        assert!(bench.run(&[3, header(0x228, 15), 1, header(0x22e, 15)]).is_ok());
        let counters = [0x05a, 0x05b].map(|id| bench.pica.read_register(id));
        assert_eq!(counters, [3, 1]);
        assert!(bench.cpu(0x05a, 9).is_ok());
        assert_eq!(bench.pica.read_register(0x05a), 3);
        assert!(bench.run(&[0x1234_5678, header(0x010, 15), 0, 0]).is_ok());
        assert_eq!([0x000, 0x010].map(|id| bench.pica.read_register(id)), [0x1234_5678; 2]);
        assert_eq!([0x032, 0x033].map(|id| bench.pica.read_register(id)), [u32::MAX; 2]);
    }

    #[test]
    fn a_read_that_hangs() {
        let mut bench = Bench::new();
        assert!(bench.cpu(0x06c, 5).is_ok());
        assert_eq!(bench.pica.read_register(0x06c), 5);
        assert_eq!(bench.pica.faults().as_slice(), [Fault::Hangs { id: 0x06c, value: 5 }]);
    }

    /// Requests read back eight words further down; registers of both shader units from their banks.
    #[test]
    fn what_reads_as_written() {
        let mut bench = Bench::new();
        for (id, value) in [(0x011, 0x0102_0304), (0x281, 0x11_2233), (0x2b3, 0x44_5566)] {
            assert!(bench.cpu(id, value).is_ok());
        }
        let read = [0x001, 0x000, 0x281, 0x282, 0x2b3, 0x2b2].map(|id| bench.pica.read_register(id));
        assert_eq!(read, [0x0102_0304, 0, 0x11_2233, 0, 0x44_5566, 0]);
    }
}
