//! Scan-out settings: what the screens show. The pictures are made by a [blit engine](crate::pica::stage::blit).
//!
//! The panels are mounted rotated. The first pixel of a framebuffer is the lower left one for the viewer; a row (240
//! pixels) runs upward, and the rows follow each other to the right. So row `r`, column `c` of the framebuffer is the
//! pixel `r` to the right and `width - 1 - c` down in the picture.
//!
//! The size of a picture comes from the timing registers and from the mode of the upper screen. Machines whose
//! program or host never wrote them have a picture too: see [`ScanOut::of`].
//!
//! Source: pica-geometry.md 0, 8.5 and 8.6; 3dbrew, GPU/External Registers.

use crate::bits::{Field, extract};
use crate::pica::external::External;
use crate::pica::external::pdc::{Controller, GammaTable};
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
    /// The display controller of its panel.
    #[must_use]
    pub const fn controller(self) -> Controller {
        match self {
            Self::Top | Self::TopRight => Controller::Upper,
            Self::Bottom => Controller::Lower,
        }
    }

    /// Physical address of the scan-out registers.
    const fn registers(self) -> u32 {
        0x1040_0000 + self.controller().base() as u32
    }

    /// Lines of the panel in its usual mode.
    const fn lines(self) -> u32 {
        match self {
            Self::Top | Self::TopRight => 400,
            Self::Bottom => 320,
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

/// Mode of the upper screen: bits 4-6 of the format register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UpperMode {
    /// One picture of 400 lines, seen by both eyes.
    Flat,
    /// A picture for each eye, 400 lines each.
    Stereo,
    /// One picture of 800 lines.
    Wide,
}

impl UpperMode {
    /// Lines of wide mode.
    const WIDE_LINES: u32 = 800;

    /// Decodes the registers; `word` reads one by its physical address.
    ///
    /// Hosts that stand for the system may write `OUT_SIZE` and the format alone, with all other bits clear; these
    /// bits then say nothing, and the mode is [`Flat`](Self::Flat) (assumed: the system always sets a DMA burst).
    #[must_use]
    pub fn of(word: impl Fn(u32) -> u32) -> Self {
        let register = |offset| word(Screen::Top.registers() + offset);
        let (format, lines, size) = (register(0x70), register(0x64), register(0x5c));
        let is_told = lines != 0 || format > 7 || format != 0 && size == 0;
        match (extract(format, 4, 6), extract(format, 6, 7)) {
            (0, 0) if is_told => Self::Wide,
            (2 | 3, 0) => Self::Stereo,
            _ => Self::Flat,
        }
    }

    /// The mode of a machine.
    #[must_use]
    pub fn in_use(external: &External) -> Self {
        Self::of(|address| word_of(external, address))
    }
}

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
    /// Decodes the registers, without the gamma table, which is no register; `word` reads one by its physical address.
    ///
    /// The buffer is the one being shown, not the one selected for the next blank. The size is, in this order:
    ///
    /// * 800 rows in the [wide](UpperMode::Wide) mode of the upper screen;
    /// * the image in the timing registers 0x60 and 0x64;
    /// * `OUT_SIZE`, which has its width of 240 in either half; another width is in the lower one;
    /// * 240x400 or 240x320; zero without any buffer or colour.
    ///
    /// The right eye has the size of the left one, except in wide mode, which has no picture of its own for it.
    #[must_use]
    pub fn of(word: impl Fn(u32) -> u32, screen: Screen) -> Self {
        let register = |offset| word(screen.registers() + offset);
        let shown = screen.buffers()[extract(register(0x78), 4, 5) as usize];
        // Physical, not shifted; the low four bits are not implemented.
        let address = register(shown) & !15;
        let solid = word(screen.solid_colour());
        let [r, g, b, control] = solid.to_le_bytes();
        let solid = (control & 1 != 0).then_some([r, g, b]);
        let is_wide = screen == Screen::Top && UpperMode::of(&word) == UpperMode::Wide;
        let sizes = [0x5c, 0x60, 0x64].map(register);
        let [width, height] = match sizes {
            [0, 0, 0] if address == 0 && solid.is_none() => [0, 0],
            _ => image_size(sizes, [240, screen.lines()]),
        };
        Self {
            address,
            format: TransferFormat::from_bits(extract(register(0x70), 0, 3)),
            stride_bytes: (register(0x90) & !7).cast_signed(),
            width,
            height: if is_wide { UpperMode::WIDE_LINES } else { height },
            solid,
            gamma: None,
        }
    }

    /// Decodes the registers of a machine.
    #[must_use]
    pub fn in_use(external: &External, screen: Screen) -> Self {
        let gamma = external.gamma(screen.controller());
        Self { gamma, ..Self::of(|address| word_of(external, address), screen) }
    }

    /// Physical address of a pixel; addresses wrap.
    #[must_use]
    pub const fn pixel_address(&self, column: u32, row: u32) -> u32 {
        let row = row.wrapping_mul(self.stride_bytes.cast_unsigned());
        self.address.wrapping_add(row).wrapping_add(column * self.format.colour().bytes())
    }
}

/// The word at a physical address in the external or the LCD block.
fn word_of(external: &External, address: u32) -> u32 {
    let offset = (address & 0xffc) as u16;
    if address & !0xfff == LCD { external.lcd_word(offset) } else { external.word(offset) }
}

/// Width and height after `OUT_SIZE` and both timing registers, each zero where it was never written.
fn image_size([size, columns, lines]: [u32; 3], usual: [u32; 2]) -> [u32; 2] {
    let halves = [size & 0xffff, size >> 16];
    let written = if halves[1] == 240 && halves[0] != 240 { [240, halves[0]] } else { halves };
    let known = |word: u32| (word >> 16).checked_sub(word & 0xffff).filter(|&span| span != 0);
    let side = |word, n: usize| {
        let written = (written[n] != 0).then_some(written[n]);
        known(word).or(written).unwrap_or(usual[n])
    };
    [side(columns, 0), side(lines, 1)]
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

    /// Registers that are zero except for those given by their offset from 0x10200000.
    fn registers(set: &[(u32, u32)]) -> impl Fn(u32) -> u32 {
        move |address| set.iter().find(|(at, _)| at + 0x1020_0000 == address).map_or(0, |&(_, word)| word)
    }

    #[test]
    fn registers_of_each_screen() {
        // The low four bits of addresses are not implemented, nor the low three of strides.
        let buffers = [(0x20_0468, 0x10f), (0x20_046c, 0x200), (0x20_0494, 0x300), (0x20_0498, 0x400)];
        let others = [(0x20_0470, 0x8_0341), (0x20_0490, 727), (0x20_0568, 0x500), (0x20_0570, 2)];
        let all = [&buffers[..], &others].concat();
        let top = ScanOut::of(registers(&all), Screen::Top);
        assert_eq!(top, ScanOut { address: 0x100, ..TOP });
        let address = |select, screen| {
            let all = [&[(0x20_0478, select), (0x20_0578, 0x11)], &all[..]].concat();
            ScanOut::of(registers(&all), screen).address
        };
        assert_eq!([1, 0x10, 0x2_0011].map(|select| address(select, Screen::Top)), [0x100, 0x200, 0x200]);
        assert_eq!([1, 0x10].map(|select| address(select, Screen::TopRight)), [0x300, 0x400]);
        assert_eq!(address(0x10, Screen::Bottom), 0, "the second buffer");
        let bottom = ScanOut::of(registers(&all), Screen::Bottom);
        assert_eq!((bottom.address, bottom.width, bottom.height), (0x500, 240, 320));
        assert_eq!(bottom.format, TransferFormat::Rgb565);
    }

    #[test]
    fn sizes() {
        let sides = |screen: Screen, set: &[(u32, u32)]| {
            let base = 0x20_0000 + (screen.registers() & 0xfff);
            let mut all = vec![(base + 0x68, 0x1800_0000), (base + 0x94, 0x1800_0000)];
            all.extend(set.iter().map(|(offset, word)| (base + offset, *word)));
            let source = ScanOut::of(registers(&all), screen);
            (source.width, source.height)
        };
        use Screen::{Bottom, Top, TopRight};
        // As the system sets them.
        let [columns, upper, lower] = [(0x60, 0x01c1_00d1), (0x64, 0x0192_0002), (0x64, 0x0192_0052)];
        let [flat, stereo, wide] = [0x8_0341, 0x8_0321, 0x8_0301].map(|format| (0x70, format));
        for size in [0x0190_00f0, 0x00f0_0190, 0x0320_00f0, 0] {
            let size = (0x5c, size);
            for mode in [flat, stereo] {
                assert_eq!(sides(Top, &[columns, upper, mode, size]), (240, 400));
                assert_eq!(sides(TopRight, &[columns, upper, mode, size]), (240, 400));
            }
            assert_eq!(sides(Top, &[columns, upper, wide, size]), (240, 800), "{size:x?}");
            assert_eq!(sides(Top, &[wide, size]), (240, 800), "{size:x?}");
            assert_eq!(sides(Bottom, &[columns, lower, wide, size]), (240, 320));
        }
        // Nothing but OUT_SIZE, in either order, or not even that.
        assert_eq!([0x0190_00f0, 0x00f0_0190].map(|size| sides(Top, &[flat, (0x5c, size)])), [(240, 400); 2]);
        assert_eq!([0x0140_00f0, 0x00f0_0140].map(|size| sides(Bottom, &[(0x5c, size)])), [(240, 320); 2]);
        assert_eq!((sides(Top, &[flat]), sides(Bottom, &[wide])), ((240, 400), (240, 320)));
        assert_eq!(sides(Top, &[(0x5c, 0x0020_0040), (0x70, 1)]), (64, 32), "the format alone is no mode");
        assert_eq!((sides(Top, &[]), sides(Top, &[(0x70, 1)])), ((240, 400), (240, 800)));
        assert_eq!(sides(Top, &[(0x60, 0x00d1_00d1), upper, flat]), (240, 400), "an empty line");
        let nothing = ScanOut::of(registers(&[]), Top);
        assert_eq!((nothing.width, nothing.height), (0, 0));
    }

    #[test]
    fn modes_of_the_upper_screen() {
        let mode = |format| UpperMode::of(registers(&[(0x20_0470, format), (0x20_0464, 0x0192_0002)]));
        assert_eq!([0x00, 0x301, 0x307].map(mode), [UpperMode::Wide; 3]);
        assert_eq!([0x41, 0x341, 0x61, 0x10, 0x71].map(mode), [UpperMode::Flat; 5]);
        assert_eq!([0x20, 0x8_0321, 0x30].map(mode), [UpperMode::Stereo; 3]);
    }

    #[test]
    fn negative_strides_flip_the_picture() {
        // The last row in memory is shown first, that is, at the left.
        let set =
            [(0x20_0468, AT + 32), (0x20_0470, 0x41), (0x20_0490, 0xffff_ffe5), (0x20_045c, 0x0002_0001)];
        let source = ScanOut::of(registers(&set), Screen::Top);
        assert_eq!((source.stride_bytes, source.width, source.height), (-32, 1, 2));
        assert_eq!([0, 1].map(|row| source.pixel_address(0, row)), [AT + 32, AT]);
    }

    #[test]
    fn gamma() {
        let mut external = External::default();
        for (offset, word) in [(0x45c, 0x0001_0001), (0x468, AT), (0x470, 0x41), (0x480, 1)] {
            external.write(offset, word);
        }
        assert_eq!(ScanOut::in_use(&external, Screen::Top).gamma, None, "the identity");
        for element in [0x0001_02aa, 0x0003_bb04, 0x00cc_0506] {
            external.write(0x484, element);
        }
        let table = ScanOut::in_use(&external, Screen::Top).gamma.expect("not the identity");
        assert_eq!([1, 2, 3].map(|n| table[n]), [[0xaa, 2, 1], [4, 0xbb, 3], [6, 5, 0xcc]]);
        assert_eq!(ScanOut::in_use(&external, Screen::Bottom).gamma, None);
    }

    #[test]
    fn one_colour() {
        let size = (0x20_055c, 2 << 16 | 2);
        let source = |word| ScanOut::of(registers(&[size, (0x2a04, word)]), Screen::Bottom);
        assert_eq!(source(0x00ff_ffff).solid, None);
        assert_eq!(source(0x0103_0201).solid, Some([1, 2, 3]));
    }

    /// LCD registers of both screens, and columns of three bytes.
    #[test]
    fn one_colour_of_each_screen() {
        let mut external = External::default();
        for (offset, word) in [(0x45c, 2 << 16 | 2), (0x55c, 2 << 16 | 2)] {
            external.write(offset, word);
        }
        external.write_lcd(0x204, 0x0103_0201);
        external.write_lcd(0xa04, 0x0106_0504);
        let solid = |screen| ScanOut::in_use(&external, screen).solid;
        assert_eq!([solid(Screen::Top), solid(Screen::Bottom)], [Some([1, 2, 3]), Some([4, 5, 6])]);
        assert_eq!([0, 2].map(|column| TOP.pixel_address(column, 1)), [AT + 720, AT + 726]);
    }

    /// A format alone is its lower three bits, up to 7.
    #[test]
    fn formats_that_tell_no_mode() {
        let mode = |format| UpperMode::of(registers(&[(0x20_0470, format), (0x20_045c, 0x0190_00f0)]));
        assert_eq!([0, 7, 8].map(mode), [UpperMode::Flat, UpperMode::Flat, UpperMode::Wide]);
    }
}
