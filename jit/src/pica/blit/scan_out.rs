//! Scan-out: the pictures on the screens.
//!
//! The panels are mounted rotated. The first pixel of a framebuffer is the lower left one for the viewer; a row (240
//! pixels) runs upward, and the rows follow each other to the right. So row `r`, column `c` of the framebuffer is the
//! pixel `r` to the right and `width - 1 - c` down in the picture.
//!
//! Source: pica-geometry.md 0 and 8.5; 3dbrew, GPU/External Registers.

use crate::pica::texel::colour::PixelCode as _;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::picture::Picture;

/// The picture of a screen; `None` if its size is zero or larger than any screen. Unmapped bytes read as zero.
pub(crate) fn scan_out(memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
    let sides = [source.width, source.height];
    if sides.iter().any(|side| !(1..=Picture::LONGEST).contains(side)) {
        return None;
    }
    let [width, height] = sides.map(|side| side as usize);
    if let Some(colour) = source.solid {
        return Some(picture(source, colour.repeat(width * height)));
    }
    let mut rgb = vec![0; 3 * width * height];
    for row in 0..height {
        // A row of the framebuffer is a column of the picture, from below.
        let mut place = 3 * (width * height + row);
        line(memory, source, row as u32, |colour| {
            place -= 3 * height;
            rgb[place..place + 3].copy_from_slice(&colour);
        });
    }
    Some(picture(source, rgb))
}

const fn picture(source: &ScanOut, rgb: Vec<u8>) -> Picture {
    Picture { width: source.height, height: source.width, rgb }
}

/// Calls `show` for each pixel of a row, first to last. The memory of a row is looked up once if it is contiguous.
fn line(memory: &dyn Memory, source: &ScanOut, row: u32, mut show: impl FnMut([u8; 3])) {
    let format = source.format.colour();
    let bytes = format.bytes();
    let mapped = memory.region(source.pixel_address(0, row), source.width * bytes);
    for column in 0..source.width {
        let mut raw = [0; 4];
        for (n, byte) in (0..bytes).zip(&mut raw) {
            *byte = match &mapped {
                Some(row) => row.read((column * bytes + n) as usize),
                None => memory.byte(source.pixel_address(column, row).wrapping_add(n)),
            };
        }
        let [r, g, b, _] = format.decode(raw);
        show(match &source.gamma {
            Some(table) => [table[usize::from(r)][0], table[usize::from(g)][1], table[usize::from(b)][2]],
            None => [r, g, b],
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::{BlockMemory, write_bytes};
    use picaflor_pipeline::pica::texel::TransferFormat;

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

    #[test]
    fn sizes_that_no_screen_has() {
        let memory = BlockMemory::zeroed(&[]);
        for (width, height) in [(0, 400), (240, 0), (1025, 1), (1, 0xffff)] {
            assert_eq!(scan_out(&memory, &ScanOut { width, height, ..TOP }), None);
        }
        let far = ScanOut { address: u32::MAX, stride_bytes: i32::MIN, ..TOP };
        assert!(scan_out(&memory, &far).unwrap().rgb.iter().all(|&byte| byte == 0));
    }
    #[test]
    fn one_colour_hides_the_framebuffer() {
        let memory = BlockMemory::zeroed(&[(AT, 64)]);
        let picture =
            scan_out(&memory, &ScanOut { solid: Some([1, 2, 3]), width: 2, height: 2, ..TOP }).unwrap();
        assert_eq!(picture.rgb, [1, 2, 3].repeat(4));
    }
}
