//! Physical addresses: the CPU's way to the registers.
//!
//! Source: pica-geometry.md 1.1, 7, 8.5.

use super::external::is_forbidden;
use super::interrupts;
use super::machine::Host;
use super::processor::RunError;
use super::{Pica, external};
use crate::fault::Fault;
use crate::memory::Memory;
use crate::stage::Stages;

/// Which registers an address belongs to.
enum Place {
    /// Offset from 0x10400000.
    External(u16),
    /// Register number.
    Internal(u16),
    /// Offset from 0x10202000.
    Lcd(u16),
}

impl Place {
    const fn of(address: u32) -> Option<Self> {
        let offset = (address & 0xffc) as u16;
        Some(match address & !0xfff {
            0x1040_0000 => Self::External(offset),
            0x1040_1000 => Self::Internal(offset / 4),
            0x1020_2000 => Self::Lcd(offset),
            _ => return None,
        })
    }
}

impl Pica {
    /// A word written by the CPU to a physical address in 0x10400000-0x10401FFF, or in 0x10202000-0x10202FFF
    /// of the LCD; the low two bits of the address do not count. Addresses elsewhere do nothing. Control
    /// words start fills and transfers, jump registers run lists; all are done when this returns.
    ///
    /// # Errors
    /// As for [`run`](Self::run), if the write starts a list.
    pub fn write_mmio(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        address: u32,
        value: u32,
    ) -> Result<(), RunError> {
        let host = &mut Host { stages, memory };
        match Place::of(address) {
            Some(Place::External(offset)) => self.write_external(host, offset, value),
            Some(Place::Internal(id)) => return self.write_from_cpu(host, id, value, 15),
            Some(Place::Lcd(offset)) => self.state.external.write_lcd(offset, value),
            None => {}
        }
        Ok(())
    }

    /// What the CPU reads at a physical address, 0 where there is no register. Some reads have effects: see
    /// [`read_register`](Self::read_register).
    pub fn read_mmio(&mut self, address: u32) -> u32 {
        match Place::of(address) {
            Some(Place::External(offset)) => {
                let p3d = interrupts::is_asserted(&self.state.registers);
                if self.is_allowed(offset, 0) { self.state.external.read(offset, p3d) } else { 0 }
            }
            Some(Place::Internal(id)) => self.read_register(id),
            Some(Place::Lcd(offset)) => self.state.external.lcd_word(offset),
            None => 0,
        }
    }

    fn write_external(&mut self, host: &mut Host<'_>, offset: u16, value: u32) {
        if !self.is_allowed(offset, value) {
            return;
        }
        if let Some(engine) = self.state.external.write(offset, value) {
            self.flush(host);
            self.run_engine(host.memory, engine);
        }
    }

    fn is_allowed(&mut self, offset: u16, value: u32) -> bool {
        let forbidden = is_forbidden(offset);
        if forbidden {
            self.faults.push_once(Fault::Hangs { id: external::FAULT_ID | offset, value });
        }
        !forbidden
    }
}
