//! Scan-out settings: what the screens show. The pictures are made by a [blit engine](crate::pica::stage::blit).
//!
//! The panels are mounted rotated. The first pixel of a framebuffer is the lower left one for the viewer; a row (240
//! pixels) runs upward, and the rows follow each other to the right. So row `r`, column `c` of the framebuffer is the
//! pixel `r` to the right and `width - 1 - c` down in the picture.
//!
//! Source: pica-geometry.md 0 and 8.5; 3dbrew, GPU/External Registers.

use crate::bits::{Field, extract};
use crate::pica::external::External;
use crate::pica::texel::TransferFormat;
use std::sync::Arc;

/// Physical address of the LCD's registers.
const LCD: u32 = 0x1020_2000;

/// Target of a scan-out register block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Screen {
    /// The upper screen; its picture for the left eye.
    Top,
    /// The upper screen's picture for the right eye.
    TopRight,
    /// The lower screen.
    Bottom,
}

impl Screen {
    /// Physical address of the scan-out registers.
    const fn registers(self) -> u32 {
        match self {
            Self::Top | Self::TopRight => 0x1040_0400,
            Self::Bottom => 0x1040_0500,
        }
    }

    /// Physical address of the register that fills the screen with one colour.
    const fn solid_colour(self) -> u32 {
        match self {
            Self::Top | Self::TopRight => LCD + 0x204,
            Self::Bottom => LCD + 0xa04,
        }
    }

    /// Offsets of the addresses of both buffers.
    const fn buffers(self) -> [u32; 2] {
        match self {
            Self::Top | Self::Bottom => [0x68, 0x6c],
            Self::TopRight => [0x94, 0x98],
        }
    }
}

/// Red, green and blue for each value of a channel: what the panel gets for a colour of the framebuffer.
pub type GammaTable = [[u8; 3]; 256];

/// Scan-out settings of one screen. `width` and `height` are those of the framebuffer: 240 and 400, 800 or 320.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanOut {
    /// Physical address of the first pixel.
    pub address: u32,
    /// Format of the pixels.
    pub format: TransferFormat,
    /// Bytes from row to row; negative strides show the rows in reverse order.
    pub stride_bytes: i32,
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue of a screen filled with one colour.
    pub solid: Option<[u8; 3]>,
    /// The gamma table; `None` for the identity. It does not apply to `solid` (assumed).
    pub gamma: Option<Arc<GammaTable>>,
}

impl ScanOut {
    /// Decodes the registers; `word` reads one by its physical address.
    #[must_use]
    pub fn of(word: impl Fn(u32) -> u32, screen: Screen) -> Self {
        let register = |offset| word(screen.registers() + offset);
        let size = register(0x5c);
        let selected = screen.buffers()[(register(0x78) & 1) as usize];
        let solid = word(screen.solid_colour());
        let [r, g, b, control] = solid.to_le_bytes();
        Self {
            // Physical, not shifted; the low four bits are not implemented.
            address: register(selected) & !15,
            format: TransferFormat::from_bits(extract(register(0x70), 0, 3)),
            stride_bytes: register(0x90).cast_signed(),
            width: size & 0xffff,
            height: size >> 16,
            solid: (control & 1 != 0).then_some([r, g, b]),
            gamma: None,
        }
    }

    /// Decodes the registers of a machine.
    #[must_use]
    pub fn in_use(external: &External, screen: Screen) -> Self {
        let word = |address: u32| {
            let offset = (address & 0xffc) as u16;
            if address & !0xfff == LCD { external.lcd_word(offset) } else { external.word(offset) }
        };
        Self::of(word, screen)
    }

    /// Physical address of a pixel; addresses wrap.
    #[must_use]
    pub const fn pixel_address(&self, column: u32, row: u32) -> u32 {
        let row = row.wrapping_mul(self.stride_bytes.cast_unsigned());
        self.address.wrapping_add(row).wrapping_add(column * self.format.colour().bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u32 = 0x1800_0000;

    const TOP: ScanOut = ScanOut {
        address: AT,
        format: TransferFormat::Rgb8,
        stride_bytes: 720,
        width: 240,
        height: 400,
        solid: None,
        gamma: None,
    };

    /// Registers that hold their own address, except for those given.
    fn registers(set: &[(u32, u32)]) -> impl Fn(u32) -> u32 {
        move |address| set.iter().find(|(at, _)| *at == address).map_or(address, |&(_, word)| word)
    }

    #[test]
    fn registers_of_each_screen() {
        let size = [(0x1040_045c, 400 << 16 | 240), (0x1040_055c, 320 << 16 | 240)];
        let common = [(0x1040_0470, 0x8_0341), (0x1040_0570, 2), (0x1020_2204, 0), (0x1020_2a04, 0)];
        // The low four bits of addresses are not implemented.
        let buffers =
            [(0x1040_0468, 0x10f), (0x1040_046c, 0x200), (0x1040_0494, 0x300), (0x1040_0498, 0x400)];
        let all = [&size[..], &common, &buffers, &[(0x1040_0568, 0x500)]].concat();
        let top = ScanOut::of(registers(&all), Screen::Top);
        let first = ScanOut { address: 0x100, stride_bytes: 0x1040_0490, ..TOP };
        assert_eq!(top, first);
        let second = [&[(0x1040_0478, 1)], &all[..]].concat();
        assert_eq!(ScanOut::of(registers(&second), Screen::Top).address, 0x200);
        assert_eq!(ScanOut::of(registers(&second), Screen::TopRight).address, 0x400);
        assert_eq!(ScanOut::of(registers(&all), Screen::TopRight).address, 0x300);
        let bottom = ScanOut::of(registers(&all), Screen::Bottom);
        assert_eq!((bottom.address, bottom.height), (0x500, 320));
        assert_eq!(bottom.format, TransferFormat::Rgb565);
    }

    #[test]
    fn one_colour() {
        let size = (0x1040_055c, 2 << 16 | 2);
        let source = |word| ScanOut::of(registers(&[size, (0x1020_2a04, word)]), Screen::Bottom);
        assert_eq!(source(0x00ff_ffff).solid, None);
        assert_eq!(source(0x0103_0201).solid, Some([1, 2, 3]));
    }
}
