//! The fill and transfer engines, and scan-out.
//!
//! Source: pica-geometry.md 7.1-7.4, 8.6.

mod convert;
mod copy;
mod fill;
mod pixels;
mod runs;
mod scan_out;
mod strips;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_16_bits;

pub(crate) use fill::fill;
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::transfer::{TransferFlags, TransferRegisters};
pub(crate) use scan_out::{scan_out, scan_out_into};

/// Ids of the input and output registers in a [`Fault::Unmapped`].
const INPUT: u16 = 0x8c00;
const OUTPUT: u16 = 0x8c04;
/// Id of the registers of a fill in a fault: those of the first unit.
const FILL: u16 = 0x8010;

/// Runs the transfer engine: a display transfer or a texture copy, depending on the flags.
///
/// # Errors
/// A setting that freezes the console or is invalid gives a [`Fault::BadTransfer`], without effect. A display
/// transfer with unmapped memory has no effect either; a texture copy ends there.
pub(crate) fn transfer(memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
    if TransferFlags(registers.flags).copy() {
        copy::texture_copy(memory, registers)
    } else {
        convert::display_transfer(memory, registers)
    }
}
