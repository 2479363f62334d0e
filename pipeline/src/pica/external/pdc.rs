//! The display controllers (PDC), one for each panel: selection of the buffers, status, gamma table, counters.
//!
//! The panels follow the clock of the host, which announces every vertical blank. Until the first announcement a
//! selected buffer is shown at once, so that a machine without blanks shows what its program selects; from then on
//! it is shown after the next blank. Lines are not simulated: the horizontal blank and errors never happen.
//!
//! Source: pica-geometry.md 8.6; 3dbrew, GPU/External Registers.

use crate::persist::Words;
use std::sync::Arc;

/// Red, green and blue for each value of a channel: what the panel gets for a colour of the framebuffer.
pub type GammaTable = [[u8; 3]; 256];

/// A display controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Controller {
    /// PDC0, of the upper screen.
    Upper,
    /// PDC1, of the lower screen.
    Lower,
}

impl Controller {
    /// Both.
    pub(crate) const ALL: [Self; 2] = [Self::Upper, Self::Lower];

    /// Offset of its registers from 0x10400000.
    #[must_use]
    pub const fn base(self) -> u16 {
        match self {
            Self::Upper => 0x400,
            Self::Lower => 0x500,
        }
    }

    /// The controller and the register at an offset from 0x10400000.
    pub(super) const fn of(offset: u16) -> Option<(Self, u16)> {
        match offset {
            0x400..=0x4ff => Some((Self::Upper, offset - 0x400)),
            0x500..=0x5ff => Some((Self::Lower, offset - 0x500)),
            _ => None,
        }
    }
}

/// Offsets of registers from [`Controller::base`].
pub(crate) mod register {
    /// Position in the line (3dbrew: counter).
    pub(crate) const POSITION: u16 = 0x50;
    /// Line (3dbrew: counter).
    pub(crate) const LINE: u16 = 0x54;
    /// Start and end of the image in lines.
    pub(crate) const LINES: u16 = 0x64;
    /// Interrupt masks.
    pub(crate) const CONTROL: u16 = 0x74;
    /// Selection and status.
    pub(crate) const SELECT: u16 = 0x78;
    /// Index into the gamma table.
    pub(crate) const GAMMA_INDEX: u16 = 0x80;
    /// Elements of the gamma table.
    pub(crate) const GAMMA_DATA: u16 = 0x84;
}

/// `CONTROL`: no interrupt at the vertical blank.
const MASK_VBLANK: u32 = 1 << 9;
/// `SELECT`: the buffer to show after the next vertical blank.
const NEXT: u32 = 1;
/// `SELECT`: the buffer being shown; read only.
const SHOWN: u32 = 1 << 4;
/// `SELECT`: a vertical blank happened.
pub(super) const VBLANK: u32 = 1 << 17;
/// `SELECT`: the status of horizontal blank, vertical blank and error; a one that is written clears its bit.
const STATUS: u32 = 7 << 16;

/// Units of a line, and lines of a frame, after the system's timing (8.5).
const LINE_LENGTH: u32 = 451;
const FRAME_LINES: u32 = 414;
/// First line after the image where the program set none: the end of the image in the system's timing.
const IMAGE_END: u32 = 0x192;

/// State of a controller besides the words of its registers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pdc {
    /// True once the host has announced a blank.
    paced: bool,
    /// `None` for the identity.
    gamma: Option<Arc<GammaTable>>,
}

impl Pdc {
    /// The gamma table; `None` for the identity.
    pub(super) fn gamma(&self) -> Option<Arc<GammaTable>> {
        self.gamma.clone()
    }

    /// `SELECT` after a write. A selected buffer waits for a blank only where blanks happen.
    pub(super) const fn select(&self, stored: u32, value: u32) -> u32 {
        let shown = if self.paced { stored & SHOWN } else { (value & NEXT) << 4 };
        value & !(STATUS | SHOWN) | stored & STATUS & !value | shown
    }

    /// `SELECT` after a vertical blank.
    pub(super) const fn blank(&mut self, stored: u32) -> u32 {
        self.paced = true;
        stored & !SHOWN | (stored & NEXT) << 4 | VBLANK
    }

    /// Element `index` of the gamma table, 0x00BBGGRR.
    pub(super) fn gamma_element(&self, index: u32) -> u32 {
        let index = index as u8;
        let [r, g, b] = self.gamma.as_ref().map_or([index; 3], |table| table[usize::from(index)]);
        u32::from_le_bytes([r, g, b, 0])
    }

    /// Replaces an element of the gamma table.
    pub(super) fn set_gamma_element(&mut self, index: u32, element: u32) {
        let [r, g, b, _] = element.to_le_bytes();
        let table = self.gamma.get_or_insert_with(|| Arc::new(identity()));
        Arc::make_mut(table)[index as usize % 256] = [r, g, b];
        if **table == identity() {
            self.gamma = None;
        }
    }

    pub(super) fn persist(&mut self, words: &mut Words) {
        words.flag(&mut self.paced);
        let elements = |table: &Arc<GammaTable>| table.iter().map(|&[r, g, b]| [r, g, b, 0]).collect();
        let mut elements: Vec<[u8; 4]> = self.gamma.as_ref().map_or_else(Vec::new, elements);
        words.list(&mut elements, 256, |element, words| {
            let mut word = u32::from_le_bytes(*element);
            words.word(&mut word);
            *element = word.to_le_bytes();
        });
        if words.is_loading() {
            self.gamma = None;
            for (index, element) in (0..).zip(elements) {
                self.set_gamma_element(index, u32::from_le_bytes(element));
            }
        }
    }
}

/// The table after start-up.
fn identity() -> GammaTable {
    std::array::from_fn(|index| [index as u8; 3])
}

/// True if no interrupt follows a vertical blank, after the word of `CONTROL`.
pub(super) const fn is_masked(control: u32) -> bool {
    control & MASK_VBLANK != 0
}

/// The line counter during a vertical blank, after the word of `LINES`.
pub(super) const fn blank_line(lines: u32) -> u32 {
    match lines >> 16 {
        0 => IMAGE_END,
        end => end,
    }
}

/// The register that a read of `register` changes, and its word afterwards. The counters have no clock; they advance
/// with every read, so that a program that waits for a line goes on (assumed).
pub(super) const fn after_read(register: u16, stored: u32) -> Option<(u16, u32)> {
    Some(match register {
        register::GAMMA_DATA => (register::GAMMA_INDEX, stored.wrapping_add(1) & 0xff),
        register::POSITION => (register, (stored % LINE_LENGTH + 1) % LINE_LENGTH),
        register::LINE => (register, (stored % FRAME_LINES + 1) % FRAME_LINES),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selection() {
        let mut pdc = Pdc::default();
        assert_eq!([0, 1].map(|value| pdc.select(0, value)), [0, 0x11], "at once");
        assert_eq!(pdc.select(0x11, 0x7_0000), 0);
        assert_eq!(pdc.blank(0x1), 0x2_0011);
        assert_eq!(pdc.select(0x2_0011, 0), 0x2_0010, "after the next blank");
        assert_eq!(pdc.select(0x2_0011, 0x1_0001), 0x2_0011, "another status is acknowledged");
        assert_eq!(pdc.select(0x2_0011, 0x7_0100), 0x110);
        assert_eq!(pdc.blank(0x110), 0x2_0100);
    }

    #[test]
    fn gamma_tables() {
        let mut pdc = Pdc::default();
        assert_eq!((pdc.gamma(), pdc.gamma_element(0x180)), (None, 0x80_8080));
        pdc.set_gamma_element(7, 0xff03_0201);
        let table = pdc.gamma().expect("not the identity");
        assert_eq!((table[7], table[8], pdc.gamma_element(7)), ([1, 2, 3], [8, 8, 8], 0x03_0201));
        pdc.set_gamma_element(7, 0x07_0707);
        assert_eq!(pdc, Pdc::default(), "the identity again");
    }

    #[test]
    fn counters_come_around() {
        assert_eq!(after_read(register::LINE, 412), Some((register::LINE, 413)));
        assert_eq!(after_read(register::LINE, 413), Some((register::LINE, 0)));
        assert_eq!(after_read(register::POSITION, 450), Some((register::POSITION, 0)));
        assert_eq!(after_read(register::POSITION, u32::MAX), Some((register::POSITION, 37)));
        assert_eq!(after_read(register::SELECT, 1), None);
        assert_eq!([0, 0x0192_0002, 0x0100_0002].map(blank_line), [402, 402, 256]);
    }

    /// A blank that was not acknowledged is followed by another one: its status stays set.
    #[test]
    fn blanks_without_acknowledgement() {
        let mut pdc = Pdc::default();
        assert_eq!(pdc.blank(0x2_0010), 0x2_0000);
        assert_eq!(pdc.blank(0x2_0001), 0x2_0011);
    }
}
