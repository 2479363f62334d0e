//! Memory-mapped registers: access by the CPU through physical addresses.
//!
//! Source: pica-geometry.md 1.1, 7, 8.5.

use crate::fault::Fault;
use crate::memory::{Memory, Stoppable};
use crate::pica::capture::Event;
use crate::pica::external::interrupts;
use crate::pica::external::is_forbidden;
use crate::pica::machine::Host;
use crate::pica::machine::budget::RunError;
use crate::pica::queue::InPlace;
use crate::pica::stage::Stages;
use crate::pica::{Pica, external};

/// Register block and offset of an address.
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
    /// Writes a word, as the CPU, to a physical address in 0x10400000-0x10401FFF, or in 0x10202000-0x10202FFF of the
    /// LCD; the low two bits of the address are ignored. Other addresses have no effect. Control words start fills
    /// and transfers, jump registers run lists; all complete before the return.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), if the write starts a list or a draw. If it starts a fill or a transfer,
    /// [`RunError::Stopped`] if somebody stopped that, and bytes are missing, or an error of the limits if it cannot be
    /// [paid](crate::pica::limits::Limits::work), and has no effect. In either case the engine counts as done.
    pub fn write_mmio(
        &mut self,
        stages: &mut dyn Stages,
        memory: &dyn Memory,
        address: u32,
        value: u32,
    ) -> Result<(), RunError> {
        self.recorded(memory, Event::Mmio { address, value }, |pica, memory| {
            let stopper = pica.stopper.clone();
            let stoppable = Stoppable::new(memory, &stopper);
            let memory = stoppable.of_run(pica.is_watched());
            let queue = &mut InPlace::new(memory, &stopper);
            pica.write_word(&mut Host { stages, memory, queue }, address, value)
        })
    }

    fn write_word(&mut self, host: &mut Host<'_>, address: u32, value: u32) -> Result<(), RunError> {
        match Place::of(address) {
            Some(Place::External(offset)) => return self.write_external(host, offset, value),
            Some(Place::Internal(id)) => return self.write_from_cpu(host, id, value, 15),
            Some(Place::Lcd(offset)) => self.state.external.write_lcd(offset, value),
            None => {}
        }
        Ok(())
    }

    /// Reads a physical address, as the CPU; 0 if there is no register. Some reads have effects: see
    /// [`read_register`](Self::read_register); the gamma table and the counters of the display controllers advance.
    pub fn read_mmio(&mut self, address: u32) -> u32 {
        match Place::of(address) {
            Some(Place::External(offset)) => self.read_external(offset),
            Some(Place::Internal(id)) => self.read_register(id),
            Some(Place::Lcd(offset)) => self.state.external.lcd_word(offset),
            None => 0,
        }
    }

    fn read_external(&mut self, offset: u16) -> u32 {
        if !self.is_allowed(offset, 0) {
            return 0;
        }
        let value = self.state.external.read(offset, interrupts::is_asserted(&self.state.registers));
        if let Some((changed, value)) = self.state.external.read_done(offset)
            && let Some(recorder) = &mut self.recorder
        {
            recorder.note(Event::Mmio { address: 0x1040_0000 + u32::from(changed), value });
        }
        value
    }

    fn write_external(&mut self, host: &mut Host<'_>, offset: u16, value: u32) -> Result<(), RunError> {
        if !self.is_allowed(offset, value) {
            return Ok(());
        }
        if let Some(engine) = self.state.external.write(offset, value) {
            self.open_account();
            self.flush(host);
            self.run_engine(host, engine);
            return self.check_account().and_then(|()| self.check_stop(0));
        }
        Ok(())
    }

    fn is_allowed(&mut self, offset: u16, value: u32) -> bool {
        let forbidden = is_forbidden(offset);
        if forbidden {
            self.faults.push_once(Fault::Hangs { id: external::FAULT_ID | offset, value });
        }
        !forbidden
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pica::external::Engine;
    use crate::pica::external::interrupts::Interrupt;
    use crate::pica::observer::{Observer, View};
    use crate::pica::testing::{Bench, LIST, header};
    use std::sync::{Arc, Mutex};

    const VRAM: u32 = 0x1800_0000;

    fn writes(bench: &mut Bench, words: &[(u32, u32)]) {
        for &(offset, value) in words {
            assert_eq!(bench.mmio(0x1040_0000 + offset, value), Ok(()));
        }
    }

    #[test]
    fn fills() {
        let mut bench = Bench::new();
        let unit = |at: u32| [(at, VRAM >> 3), (at + 4, (VRAM + 48) >> 3), (at + 8, 0x00ff_ff00)];
        writes(&mut bench, &unit(0x10));
        writes(&mut bench, &[(0x1c, 0x101)]);
        assert_eq!(bench.bytes(VRAM, 8), [0, 0xff, 0xff, 0, 0xff, 0xff, 0, 0xff]);
        assert_eq!(bench.bytes(VRAM + 44, 8), [0xff, 0, 0xff, 0xff, 0, 0, 0, 0]);
        assert_eq!(bench.pica.read_mmio(0x1040_001c), 0x102);
        writes(&mut bench, &unit(0x20));
        writes(&mut bench, &[(0x28, 0x0000_ffff), (0x2c, 0x201)]);
        assert_eq!(bench.bytes(VRAM, 6), [0xff, 0xff, 0, 0, 0xff, 0xff]);
        let raised: Vec<_> = bench.pica.interrupts().iter().collect();
        assert_eq!(raised, [Interrupt::Psc0, Interrupt::Psc1]);
        assert_eq!(bench.pica.read_mmio(0x1040_0034), 3 << 26);
    }

    #[test]
    fn fills_from_nowhere() {
        let mut bench = Bench::new();
        writes(&mut bench, &[(0x24, 2), (0x2c, 1)]);
        assert!(bench.pica.interrupts().is_empty() && bench.pica.stats().fills == 0);
        assert_eq!(bench.pica.read_mmio(0x1040_002c), 2, "finished all the same");
        writes(&mut bench, &[(0x20, 2), (0x24, 8), (0x2c, 1)]);
        assert!(bench.pica.interrupts().contains(Interrupt::Psc1));
        assert_eq!(bench.pica.faults().as_slice(), [Fault::Unmapped { id: 0x8020, address: 16 }]);
    }

    #[test]
    fn texture_copy() {
        let mut bench = Bench::new();
        bench.put(LIST, &[1, 2, 3, 4, 5]);
        writes(&mut bench, &[(0xc00, LIST >> 3), (0xc04, VRAM >> 3), (0xc20, 16), (0xc10, 8), (0xc18, 1)]);
        assert_eq!(bench.bytes(VRAM, 20), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]);
        assert!(bench.pica.interrupts().contains(Interrupt::Ppf));
        assert_eq!((bench.pica.read_mmio(0x1040_0c18), bench.pica.read_mmio(0x1040_0034)), (0x100, 1 << 30));
        writes(&mut bench, &[(0xc20, 0), (0xc18, 1)]);
        assert_eq!(bench.pica.faults().as_slice(), [Fault::BadTransfer { flags: 8 }]);
        assert_eq!(bench.pica.stats().transfers, 2);
    }

    #[test]
    fn lists_and_registers_by_address() {
        let mut bench = Bench::new();
        bench.put(LIST, &[6, header(0x041, 15), 0x1234_5678, header(0x010, 15)]);
        writes(&mut bench, &[(0x18e0, 2), (0x18e8, LIST >> 3), (0x18f0, 1)]);
        assert_eq!((bench.word(0x041), bench.pica.read_mmio(0x1040_1104)), (6, 6));
        assert_eq!(bench.pica.read_mmio(0x1040_0034), 1 << 31);
        writes(&mut bench, &[(0x1000, 0)]);
        assert_eq!((bench.pica.read_mmio(0x1040_1040), bench.pica.read_mmio(0x1040_0034)), (0, 0));
    }

    #[test]
    fn other_addresses() {
        let mut bench = Bench::new();
        assert_eq!(bench.mmio(0x1020_2204, 0x0100_00ff), Ok(()));
        assert_eq!(
            (bench.pica.external().lcd_word(0x204), bench.pica.read_mmio(0x1020_2204)),
            (0x0100_00ff, 0x0100_00ff)
        );
        assert_eq!(bench.mmio(0x1050_0000, 1), Ok(()));
        assert_eq!((bench.pica.read_mmio(0x1050_0000), bench.pica.read_mmio(0x1040_0000)), (0, 0x0001_0002));
        assert!(bench.pica.faults().as_slice().is_empty());
        assert_eq!((bench.mmio(0x1040_0604, 5), bench.pica.read_mmio(0x1040_0604)), (Ok(()), 0));
        assert_eq!(bench.pica.faults().as_slice()[0], Fault::Hangs { id: 0x8604, value: 5 });
    }

    #[derive(Default, Clone)]
    struct Log(Arc<Mutex<Vec<String>>>);

    impl Log {
        fn add(&self, line: String) {
            self.0.lock().expect("no panic").push(line);
        }
    }

    impl Observer for Log {
        fn list_started(&mut self, _: View<'_>, list: crate::pica::command::CommandList) {
            self.add(format!("list {:#x}", list.address));
        }
        fn draw_done(&mut self, view: View<'_>) {
            self.add(format!("draw {}", view.registers.raw(0x228)));
        }
        fn engine_started(&mut self, view: View<'_>, engine: Engine) {
            self.add(format!("start {engine:?} {:02x}", view.memory.byte(VRAM)));
        }
        fn engine_done(&mut self, view: View<'_>, engine: Engine) {
            self.add(format!(
                "done {engine:?} {:02x} {:x}",
                view.memory.byte(VRAM),
                view.external.word(0x1c)
            ));
        }
    }

    #[test]
    fn observers() {
        let mut bench = Bench::new();
        let log = Log::default();
        bench.pica.set_observer(Some(Box::new(log.clone())));
        assert!(bench.run(&[3, header(0x228, 15), 1, header(0x22e, 15)]).is_ok());
        writes(&mut bench, &[(0x10, VRAM >> 3), (0x14, (VRAM + 16) >> 3), (0x18, 0x55), (0x1c, 1)]);
        assert!(bench.pica.set_observer(None).is_some());
        let lines = ["list 0x20000000", "draw 3", "start Fill(0) 00", "done Fill(0) 55 2"];
        assert_eq!(*log.0.lock().expect("no panic"), lines);
    }
}
