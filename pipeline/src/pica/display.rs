//! Scan-out: the pictures on the screens.
//!
//! The panels are mounted rotated. The first pixel of a framebuffer is the lower left one for the viewer; a row (240
//! pixels) runs upward, and the rows follow each other to the right. So row `r`, column `c` of the framebuffer is the
//! pixel `r` to the right and `width - 1 - c` down in the picture.
//!
//! Source: pica-geometry.md 0 and 8.5; 3dbrew, GPU/External Registers.

use crate::bits::{Field, extract};
use crate::memory::Memory;
use crate::pica::external::External;
use crate::pica::texel::TransferFormat;
use crate::picture::Picture;
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

/// The picture of a screen; `None` if its size is zero or larger than any screen. Unmapped bytes read as zero.
#[must_use]
pub fn scan_out(memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
    let sides = [source.width, source.height];
    if sides.iter().any(|side| !(1..=Picture::LONGEST).contains(side)) {
        return None;
    }
    let format = source.format.colour();
    let pixel = |column: u32, row: u32| {
        let at = source.pixel_address(column, row);
        let bytes: [u8; 4] = std::array::from_fn(|n| match n < format.bytes() as usize {
            true => memory.byte(at.wrapping_add(n as u32)),
            false => 0,
        });
        let [r, g, b, _] = format.decode(bytes);
        match &source.gamma {
            Some(table) => [table[usize::from(r)][0], table[usize::from(g)][1], table[usize::from(b)][2]],
            None => [r, g, b],
        }
    };
    let mut rgb = Vec::with_capacity(3 * (source.width * source.height) as usize);
    for column in (0..source.width).rev() {
        for row in 0..source.height {
            rgb.extend(source.solid.unwrap_or_else(|| pixel(column, row)));
        }
    }
    Some(Picture { width: source.height, height: source.width, rgb })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{BlockMemory, write_bytes};

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

    #[test]
    fn the_first_pixel_is_the_lower_left() {
        let memory = BlockMemory::zeroed(&[(AT, 720 * 400)]);
        write_bytes(&memory, AT, &[1, 2, 3]);
        write_bytes(&memory, AT + 239 * 3, &[4, 5, 6]);
        write_bytes(&memory, AT + 399 * 720, &[7, 8, 9]);
        let picture = scan_out(&memory, &TOP).unwrap();
        assert_eq!((picture.width, picture.height, picture.rgb.len()), (400, 240, 400 * 240 * 3));
        assert_eq!(picture.pixel(0, 239), [3, 2, 1], "lower left");
        assert_eq!(picture.pixel(0, 0), [6, 5, 4], "upper left: the end of the first row");
        assert_eq!(picture.pixel(399, 239), [9, 8, 7], "lower right: the start of the last row");
        assert_eq!(picture.rgb.iter().filter(|&&byte| byte != 0).count(), 9);
    }

    #[test]
    fn every_format() {
        let memory = BlockMemory::zeroed(&[(AT, 16)]);
        write_bytes(&memory, AT, &[0x21, 0xf8, 0x11, 0x22]);
        let shown = |format| {
            let source = ScanOut { format, stride_bytes: 16, width: 1, height: 1, ..TOP };
            scan_out(&memory, &source).map(|picture| picture.pixel(0, 0))
        };
        assert_eq!(shown(TransferFormat::Rgba8), Some([0x22, 0x11, 0xf8]));
        assert_eq!(shown(TransferFormat::Rgb8), Some([0x11, 0xf8, 0x21]));
        assert_eq!(shown(TransferFormat::Rgb565), Some([255, 4, 8]));
        assert_eq!(shown(TransferFormat::Rgb5a1), Some([255, 0, 132]));
        assert_eq!(shown(TransferFormat::Rgba4), Some([255, 136, 34]));
    }

    #[test]
    fn stride() {
        let memory = BlockMemory::zeroed(&[(AT, 64)]);
        write_bytes(&memory, AT + 32, &[1, 2, 3]);
        let source = ScanOut { stride_bytes: 32, width: 2, height: 2, ..TOP };
        assert_eq!(scan_out(&memory, &source).unwrap().rgb, [0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 2, 1]);
    }

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
    fn one_colour_hides_the_framebuffer() {
        let memory = BlockMemory::zeroed(&[(AT, 64)]);
        let size = (0x1040_055c, 2 << 16 | 2);
        let source = |word| ScanOut::of(registers(&[size, (0x1020_2a04, word)]), Screen::Bottom);
        assert_eq!(source(0x00ff_ffff).solid, None);
        let picture = scan_out(&memory, &source(0x0103_0201)).unwrap();
        assert_eq!(picture.rgb, [1, 2, 3].repeat(4));
    }

    #[test]
    fn sizes_that_no_screen_has() {
        let memory = BlockMemory::zeroed(&[]);
        for (width, height) in [(0, 400), (240, 0), (1025, 1), (1, 0xffff)] {
            assert_eq!(scan_out(&memory, &ScanOut { width, height, ..TOP }), None);
        }
        let far = ScanOut { address: u32::MAX, stride_bytes: i32::MIN, ..TOP };
        assert!(scan_out(&memory, &far).unwrap().rgb.iter().all(|&byte| byte == 0));
    }
}
