//! `External`: the registers outside the command processor: fill units, transfer engine, scan-out, LCD.
//!
//! This file has the words and their special rules only; the engines are in other rooms, the display controllers in
//! [`pdc`].
//!
//! Source: pica-geometry.md 7, 8.5, 8.6; 3dbrew, GPU/External Registers; gbatek, 3DS GPU.

pub mod interrupts;
pub mod pdc;

use crate::persist::Words;
use pdc::{Controller, GammaTable, Pdc, register};
use std::sync::Arc;

/// Bit that marks a register of this block in a [`Fault`](crate::fault::Fault), together with its offset from
/// 0x10400000.
pub(crate) const FAULT_ID: u16 = 0x8000;

/// Offsets from 0x10400000.
mod offset {
    pub(super) const CONSTANT: u16 = 0x000;
    pub(super) const FILL: u16 = 0x010;
    pub(super) const COMPLETION: u16 = 0x034;
    pub(super) const BUSY: u16 = 0x058;
    pub(super) const TRANSFER: u16 = 0xc00;
    pub(super) const TRANSFER_CONTROL: u16 = 0xc18;
}

/// An engine started by a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engine {
    /// Memory fill by unit 0 or 1.
    Fill(u8),
    /// Display transfer or texture copy.
    Transfer,
}

/// Settings of a fill unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FillSettings {
    /// First address.
    pub start: u32,
    /// Address after the last.
    pub end: u32,
    /// The value.
    pub value: u32,
    /// Width code: 0 16 bit, 1 and 3 24 bit, 2 32 bit.
    pub width: u8,
}

/// The words at 0x10400000-0x10400FFF and, of the LCD, at 0x10202000-0x10202FFF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct External {
    words: Box<[u32; 0x400]>,
    lcd: Box<[u32; 0x400]>,
    controllers: [Pdc; 2],
}

impl Default for External {
    fn default() -> Self {
        let [words, lcd] = [(); 2].map(|()| Box::new([0; 0x400]));
        Self { words, lcd, controllers: Default::default() }
    }
}

impl External {
    /// Bit of a fill unit's control word: started.
    const FILL_START: u32 = 1;
    /// Bit of a fill unit's control word: finished.
    const FILL_FINISHED: u32 = 1 << 1;
    /// Bit of the transfer engine's control word: finished.
    const TRANSFER_FINISHED: u32 = 1 << 8;

    /// The word at `offset` bytes from 0x10400000, as stored.
    #[must_use]
    pub fn word(&self, offset: u16) -> u32 {
        self.words[index(offset)]
    }

    /// The word at `offset` bytes from 0x10202000, as stored.
    #[must_use]
    pub(crate) fn lcd_word(&self, offset: u16) -> u32 {
        self.lcd[index(offset)]
    }

    /// Settings of fill unit `unit` (0 or 1).
    #[must_use]
    pub fn fill(&self, unit: u8) -> FillSettings {
        let base = fill_base(unit);
        FillSettings {
            start: self.word(base) << 3,
            end: self.word(base + 4) << 3,
            value: self.word(base + 8),
            width: (self.word(base + 12) >> 8 & 3) as u8,
        }
    }

    /// The twelve words of the transfer engine, from 0x10400C00 on.
    #[must_use]
    pub fn transfer_words(&self) -> [u32; 12] {
        std::array::from_fn(|i| self.word(offset::TRANSFER + 4 * i as u16))
    }

    /// Writes a word; returns the engine that it starts. The machine runs it and calls [`finish`](Self::finish).
    pub(crate) fn write(&mut self, offset: u16, value: u32) -> Option<Engine> {
        let offset = canonical(offset);
        if let Some((controller, register)) = Controller::of(offset) {
            self.write_controller(controller, register, value);
            return None;
        }
        let stored = self.word(offset);
        self.words[index(offset)] = match control_of(offset) {
            Some((_, finished)) => value & implemented(offset) & !finished | stored & value & finished,
            None => value & implemented(offset),
        };
        let (engine, _) = control_of(offset)?;
        (value & 1 != 0).then_some(engine)
    }

    fn write_controller(&mut self, controller: Controller, register: u16, value: u32) {
        let at = index(controller.base() + register);
        let pdc = &mut self.controllers[controller as usize];
        match register {
            register::SELECT => self.words[at] = pdc.select(self.words[at], value),
            register::GAMMA_INDEX => self.words[at] = value & 0xff,
            register::GAMMA_DATA => {
                let index = &mut self.words[index(controller.base() + register::GAMMA_INDEX)];
                pdc.set_gamma_element(*index, value);
                // A word that a host wrote may be any.
                *index = index.wrapping_add(1) & 0xff;
            }
            _ => self.words[at] = value,
        }
    }

    /// A vertical blank: shows the selected buffer. Returns true if an interrupt follows. The enable bits of the
    /// controller are ignored, because a host that stands for the system may never write them (assumed).
    pub(crate) fn blank(&mut self, controller: Controller) -> bool {
        let at = |register| index(controller.base() + register);
        let select = &mut self.words[at(register::SELECT)];
        *select = self.controllers[controller as usize].blank(*select);
        self.words[at(register::LINE)] = pdc::blank_line(self.words[at(register::LINES)]);
        self.words[at(register::POSITION)] = 0;
        !pdc::is_masked(self.words[at(register::CONTROL)])
    }

    /// The gamma table of a screen; `None` for the identity.
    #[must_use]
    pub fn gamma(&self, controller: Controller) -> Option<Arc<GammaTable>> {
        self.controllers[controller as usize].gamma()
    }

    /// Marks `engine` as done.
    pub(crate) fn finish(&mut self, engine: Engine) {
        let (at, finished) = match engine {
            Engine::Fill(unit) => (fill_base(unit) + 12, Self::FILL_FINISHED),
            Engine::Transfer => (offset::TRANSFER_CONTROL, Self::TRANSFER_FINISHED),
        };
        let word = &mut self.words[index(at)];
        *word = *word & !Self::FILL_START | finished;
    }

    /// Reads a word, as the CPU. `p3d`: the P3D line is high.
    pub(crate) fn read(&self, offset: u16, p3d: bool) -> u32 {
        match canonical(offset) {
            offset::CONSTANT => 0x0001_0002,
            offset::COMPLETION => self.completion(p3d),
            // Engines run to their end at the write that starts them.
            offset::BUSY => 0,
            offset => match Controller::of(offset) {
                Some((controller, register::GAMMA_DATA)) => {
                    let index = self.word(controller.base() + register::GAMMA_INDEX);
                    self.controllers[controller as usize].gamma_element(index)
                }
                _ => self.word(offset),
            },
        }
    }

    /// The effect of a read by the CPU at `offset`: the register that it changes, and the new word.
    pub(crate) fn read_done(&mut self, offset: u16) -> Option<(u16, u32)> {
        let (controller, register) = Controller::of(canonical(offset))?;
        let stored = match register {
            register::GAMMA_DATA => self.word(controller.base() + register::GAMMA_INDEX),
            _ => self.word(controller.base() + register),
        };
        let (changed, word) = pdc::after_read(register, stored)?;
        let changed = controller.base() + changed;
        self.words[index(changed)] = word;
        Some((changed, word))
    }

    fn completion(&self, p3d: bool) -> u32 {
        let fill = |unit| u32::from(self.word(fill_base(unit) + 12) & Self::FILL_FINISHED != 0);
        let transfer = self.word(offset::TRANSFER_CONTROL) & Self::TRANSFER_FINISHED;
        let blank = |controller: Controller| {
            u32::from(self.word(controller.base() + register::SELECT) & pdc::VBLANK != 0)
        };
        let blanks = blank(Controller::Upper) << 28 | blank(Controller::Lower) << 29;
        fill(0) << 26 | fill(1) << 27 | blanks | u32::from(transfer != 0) << 30 | u32::from(p3d) << 31
    }

    pub(crate) fn write_lcd(&mut self, offset: u16, value: u32) {
        self.lcd[index(offset)] = value;
    }

    pub(crate) fn persist(&mut self, words: &mut Words) {
        words.words(self.words.iter_mut());
        words.words(self.lcd.iter_mut());
    }

    /// All words at 0x10400000 (`false`) or 0x10202000 (`true`), as stored.
    pub(crate) const fn all(&self, lcd: bool) -> &[u32; 0x400] {
        if lcd { &self.lcd } else { &self.words }
    }

    /// The same, mutable.
    pub(crate) const fn all_mut(&mut self, lcd: bool) -> &mut [u32; 0x400] {
        if lcd { &mut self.lcd } else { &mut self.words }
    }

    pub(crate) fn persist_controllers(&mut self, words: &mut Words) {
        self.controllers.iter_mut().for_each(|pdc| pdc.persist(words));
    }

    /// Completes words that were saved before the controllers had a state: the selected buffers are shown.
    pub(crate) fn show_selected(&mut self) {
        for controller in Controller::ALL {
            let select = &mut self.words[index(controller.base() + register::SELECT)];
            *select = Pdc::default().select(0, *select);
        }
    }
}

/// True if an access to the word at `offset` from 0x10400000 hangs the console or causes a data abort (measured:
/// gbatek).
#[must_use]
pub(crate) const fn is_forbidden(offset: u16) -> bool {
    matches!(offset, 0x600..=0xbff)
}

const fn index(offset: u16) -> usize {
    (offset / 4) as usize % 0x400
}

const fn fill_base(unit: u8) -> u16 {
    offset::FILL + 0x10 * (unit & 1) as u16
}

/// Canonical offset: mirrors repeat every 0x100 bytes (measured: gbatek). That 0xD00-0xFFF repeat 0xC00 is assumed.
const fn canonical(offset: u16) -> u16 {
    match offset & 0xffc {
        at @ 0x100..=0x3ff => at & 0xff,
        at @ 0xd00..=0xfff => 0xc00 | at & 0xff,
        at => at,
    }
}

/// The engine of a control word, and its bit for completion, which writes can only clear.
const fn control_of(offset: u16) -> Option<(Engine, u32)> {
    Some(match offset {
        0x01c => (Engine::Fill(0), External::FILL_FINISHED),
        0x02c => (Engine::Fill(1), External::FILL_FINISHED),
        offset::TRANSFER_CONTROL => (Engine::Transfer, External::TRANSFER_FINISHED),
        _ => return None,
    })
}

/// Mask of the stored bits (3dbrew, gbatek).
const fn implemented(offset: u16) -> u32 {
    match offset {
        offset::CONSTANT | offset::COMPLETION | offset::BUSY => 0,
        0x010 | 0x014 | 0x020 | 0x024 | 0xc00 | 0xc04 => 0x1fff_fffe,
        0x01c | 0x02c => 0x001f_0303,
        0xc08 => 0xfff8_fff8,
        0xc0c => 0x0000_fff8,
        0xc10 => 0x0301_772f,
        0xc14 => 0x001f_ffff,
        0xc18 => 0x0000_0101,
        0xc1c => 0x0000_3fff,
        0xc2c => 1,
        _ => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_control() {
        let mut external = External::default();
        external.write(0x020, 0xffff_ffff);
        external.write(0x024, 0x0300_0002);
        external.write(0x028, 7);
        assert_eq!(external.write(0x02c, 0x0202), None, "bit 1 cannot be set");
        assert_eq!(external.word(0x02c), 0x0200);
        assert_eq!(external.write(0x02c, 0x0201), Some(Engine::Fill(1)));
        let fill = FillSettings { start: 0xffff_fff0, end: 0x1800_0010, value: 7, width: 2 };
        assert_eq!(external.fill(1), fill);
        external.finish(Engine::Fill(1));
        assert_eq!((external.word(0x02c), external.read(0x034, false)), (0x0202, 1 << 27));
        external.write(0x02c, 0);
        assert_eq!((external.word(0x02c), external.read(0x034, true)), (0, 1 << 31));
    }

    #[test]
    fn transfer_words_keep_what_is_implemented() {
        let mut external = External::default();
        for i in 0..12 {
            if i != 6 {
                assert_eq!(external.write(0xc00 + 4 * i, u32::MAX), None);
            }
        }
        assert_eq!(external.transfer_words()[..4], [0x1fff_fffe, 0x1fff_fffe, 0xfff8_fff8, 0xfff8]);
        let words = external.transfer_words();
        assert_eq!([words[4], words[5], words[7], words[11]], [0x0301_772f, 0x001f_ffff, 0x3fff, 1]);
        assert_eq!(external.write(0xc18, !1), None);
        assert_eq!(external.word(0xc18), 0, "the engine says what is finished");
        assert_eq!(external.write(0xc18, 1), Some(Engine::Transfer));
        external.finish(Engine::Transfer);
        assert_eq!((external.word(0xc18), external.read(0x034, false)), (0x100, 1 << 30));
    }

    #[test]
    fn mirrors_and_constants() {
        let mut external = External::default();
        assert_eq!(external.write(0x31c, 1), Some(Engine::Fill(0)));
        external.write(0xd00, 0x10);
        assert_eq!((external.word(0xc00), external.read(0xf00, false)), (0x10, 0x10));
        external.write(0x000, 9);
        assert_eq!((external.word(0x000), external.write(0x02c, !3)), (0, None));
        assert_eq!(external.word(0x02c), 0x001f_0300);
        assert_eq!((external.read(0x300, false), external.read(0x158, false)), (0x0001_0002, 0));
        external.write(0x468, 5);
        external.write_lcd(0x204, 6);
        assert_eq!((external.word(0x468), external.word(0x068), external.lcd_word(0x204)), (5, 0, 6));
        assert!(is_forbidden(0x600) && is_forbidden(0xbfc) && !is_forbidden(0xc00) && !is_forbidden(0x5fc));
    }

    #[test]
    fn blanks_show_the_selected_buffer() {
        let mut external = External::default();
        external.write(0x478, 1);
        assert_eq!((external.word(0x478), external.read(0x034, false)), (0x11, 0), "no blank so far");
        external.write(0x564, 0x0192_0052);
        assert!(external.blank(Controller::Lower));
        assert_eq!((external.word(0x578), external.read(0x034, false)), (0x2_0000, 1 << 29));
        assert_eq!([0x550, 0x554].map(|offset| external.read(offset, false)), [0, 402]);
        external.write(0x578, 1);
        assert_eq!(external.word(0x578), 0x2_0001);
        external.write(0x574, 1 << 9);
        assert!(!external.blank(Controller::Lower), "masked");
        assert_eq!((external.word(0x578), external.word(0x478)), (0x2_0011, 0x11));
        external.write(0x474, 0x0001_0501);
        assert!(external.blank(Controller::Upper), "only the other interrupts are masked");
        assert_eq!(external.read(0x034, false), 3 << 28);
        external.write(0x478, 1 << 17 | 1);
        assert_eq!((external.word(0x478), external.read(0x034, false)), (0x11, 1 << 29), "acknowledged");
    }

    #[test]
    fn gamma_ports_advance() {
        let mut external = External::default();
        external.write(0x480, 0x1fe);
        assert_eq!(external.word(0x480), 0xfe, "the index has eight bits");
        for element in [0x0a_0b0c, 0x01_0203, 0x04_0506] {
            external.write(0x484, element);
        }
        assert_eq!(external.word(0x480), 1);
        let table = external.gamma(Controller::Upper).expect("not the identity");
        assert_eq!(
            (table[254], table[255], table[0], table[1]),
            ([12, 11, 10], [3, 2, 1], [6, 5, 4], [1; 3])
        );
        assert_eq!(external.gamma(Controller::Lower), None);
        external.write(0x480, 0xff);
        assert_eq!((external.read(0x484, false), external.read_done(0x484)), (0x01_0203, Some((0x480, 0))));
        assert_eq!((external.read(0x484, false), external.read_done(0x468)), (0x04_0506, None));
    }

    /// Engines that were not acknowledged are done once more.
    #[test]
    fn engines_that_finish_twice() {
        let mut external = External::default();
        for _ in 0..2 {
            external.finish(Engine::Fill(1));
            external.finish(Engine::Transfer);
            assert_eq!(external.word(fill_base(1) + 12), External::FILL_FINISHED);
            assert_eq!(external.word(offset::TRANSFER_CONTROL), External::TRANSFER_FINISHED);
        }
    }

    /// The word of an index that a host stored may be any.
    #[test]
    fn any_index_of_a_gamma_table() {
        let index = |external: &External| external.word(0x480);
        for (stored, next) in [(u32::MAX, 0), (0x1ff, 0), (0x102, 3)] {
            let mut external = External::default();
            external.all_mut(false)[0x480 / 4] = stored;
            external.read_done(0x484);
            assert_eq!(index(&external), next, "read");
            external.all_mut(false)[0x480 / 4] = stored;
            external.write(0x484, 5);
            assert_eq!(index(&external), next, "written");
        }
    }
}
