//! What moves bytes without drawing, and the pictures of the screens: byte by byte, pixel by pixel.
//!
//! * `fill.rs`: memory fills (pica-geometry.md 7.1).
//! * `transfer.rs`: display transfers (pica-geometry.md 7.2, 7.3).
//! * `copy.rs`: texture copies (pica-geometry.md 7.4).
//! * `scan_out.rs`: the screens (pica-geometry.md 8.6).

mod copy;
mod fill;
mod scan_out;
#[cfg(test)]
mod testing;
mod transfer;

use crate::Interpreter;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::blit::{BlitStage, Fill};
use picaflor_pipeline::pica::transfer::{TransferFlags, TransferRegisters};
use picaflor_pipeline::picture::Picture;

/// Registers in faults: offset from 0x10400000, with bit 15 set.
const FILL_START: u16 = 0x8010;
const TRANSFER_INPUT: u16 = 0x8c00;
const TRANSFER_OUTPUT: u16 = 0x8c04;

pub(super) use transfer::source as transfer_source;

impl BlitStage for Interpreter {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        fill::run(memory, fill)
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        if TransferFlags(registers.flags).copy() {
            copy::run(memory, registers)
        } else {
            transfer::run(memory, registers)
        }
    }

    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
        scan_out::picture(memory, source)
    }
}

/// The physical address in an address register of the transfer engine: bits 28:1 in units of 8 bytes.
fn address(register: u32) -> u32 {
    (register & 0x1fff_fffe) << 3
}

/// True if a byte can be read and written.
fn is_mapped(memory: &dyn Memory, address: u32) -> bool {
    memory.region(address, 1).is_some()
}

/// True if the run is to end, asked at every 4096th byte.
fn is_over(memory: &dyn Memory, byte: u64) -> bool {
    byte.is_multiple_of(4096) && memory.is_stopping()
}

/// Announces that some of `length` bytes from `start` on were written, in two parts if they wrap around the address
/// space.
fn announce(memory: &dyn Memory, start: u32, length: u64) {
    let first = length.min((1 << 32) - u64::from(start));
    for (address, length) in [(start, first), (0, length - first)] {
        if length > 0 {
            memory.written(address, u32::try_from(length).unwrap_or(u32::MAX));
        }
    }
}
