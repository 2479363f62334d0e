//! Scan-out: the pictures on the screens.
//!
//! The panels are mounted rotated. The first pixel of a framebuffer is the lower left one for the viewer; a row (240
//! pixels) runs upward, and the rows follow each other to the right. So row `r`, column `c` of the framebuffer is the
//! pixel `r` to the right and `width - 1 - c` down in the picture.
//!
//! Source: pica-geometry.md 0 and 8.5; 3dbrew, GPU/External Registers.

use super::pixels::{Decode, decoder};
#[cfg(target_arch = "x86_64")]
use crate::code::pica::transfer;
use crate::code::vectors::{transposed, wide, write_words};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::external::pdc::GammaTable;
use picaflor_pipeline::picture::{Picture, PictureBuffer, PictureError, PictureFormat};

/// Rows of the framebuffer that are turned at once.
const ROWS: usize = 16;
/// Pixels of these rows that are turned at once.
const COLUMNS: usize = 64;

/// The picture of a screen; `None` if its size is zero or larger than any screen, or without memory. Unmapped bytes read as zero.
pub(crate) fn scan_out(memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
    let [width, height] = size(source)?;
    if source.solid.is_none()
        && let Some(rgb) = Screen::new(memory, source).picture_in_vectors()
    {
        return Some(Picture { width, height, rgb });
    }
    let stride = 3 * width as usize;
    let mut rgb = Vec::new();
    rgb.try_reserve_exact(stride * height as usize).ok()?;
    rgb.resize(stride * height as usize, 0);
    scan_out_into(memory, source, &mut PictureBuffer::new(&mut rgb, stride, PictureFormat::Rgb)).ok()?;
    Some(Picture { width, height, rgb })
}

/// The same in a buffer of the host; width and height.
pub(crate) fn scan_out_into(
    memory: &dyn Memory,
    source: &ScanOut,
    buffer: &mut PictureBuffer<'_>,
) -> Result<[u32; 2], PictureError> {
    let [width, height] = size(source).ok_or(PictureError::Nothing)?;
    let (format, stride) = (buffer.format(), buffer.stride_bytes());
    let area = buffer.area(width, height)?;
    if let Some(colour) = source.solid {
        let pixel = format.pixel(colour);
        for row in area.chunks_mut(stride.max(1)) {
            let pixels = row.chunks_exact_mut(format.bytes()).take(width as usize);
            pixels.for_each(|place| place.copy_from_slice(&pixel[..format.bytes()]));
        }
        return Ok([width, height]);
    }
    let screen = Screen::new(memory, source);
    if !screen.in_vectors(area, stride, format) {
        screen.in_strips(area, stride, format);
    }
    Ok([width, height])
}

/// Width and height of the picture; `None` if a side is zero or longer than any screen.
fn size(source: &ScanOut) -> Option<[u32; 2]> {
    let sides = [source.height, source.width];
    sides.iter().all(|side| (1..=Picture::LONGEST).contains(side)).then_some(sides)
}

/// A framebuffer that is being shown.
struct Screen<'a> {
    memory: &'a dyn Memory,
    source: &'a ScanOut,
    /// All of it, from the first row to the last, if it is contiguous in the host's memory.
    whole: Option<(GuestSlice<'a>, usize)>,
    decode: Decode,
}

impl<'a> Screen<'a> {
    fn new(memory: &'a dyn Memory, source: &'a ScanOut) -> Self {
        let row = source.width * source.format.colour().bytes();
        let whole = u32::try_from(source.stride_bytes).ok().and_then(|stride| {
            let bytes = (source.height - 1).checked_mul(stride)?.checked_add(row)?;
            Some((memory.region(source.address, bytes)?, stride as usize))
        });
        Self { memory, source, whole, decode: decoder(source.format.colour()) }
    }

    /// The framebuffer and its size if it has whole blocks and no gamma table.
    #[cfg(target_arch = "x86_64")]
    fn whole_blocks(&self) -> Option<(transfer::Image<'a>, [usize; 2])> {
        let size = [self.source.width as usize, self.source.height as usize];
        let (Some((bytes, pitch)), None) = (self.whole, &self.source.gamma) else { return None };
        let format = self.source.format.colour();
        let pixel = format.bytes() as usize;
        let is_whole = size.iter().all(|side| side % 8 == 0) && pitch % pixel == 0;
        is_whole.then(|| (transfer::Image { bytes, format, pitch: pitch / pixel, tiled: false }, size))
    }

    /// Whole blocks; false if nothing was done.
    #[cfg(target_arch = "x86_64")]
    fn in_vectors(&self, area: &mut [u8], stride: usize, format: PictureFormat) -> bool {
        let blocks = self.whole_blocks();
        blocks.is_some_and(|(image, size)| transfer::scan_out(image, size, area, stride, format))
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn in_vectors(&self, _: &mut [u8], _: usize, _: PictureFormat) -> bool {
        false
    }

    /// The picture of whole blocks, red, green and blue; `None` if nothing was done.
    #[cfg(target_arch = "x86_64")]
    fn picture_in_vectors(&self) -> Option<Vec<u8>> {
        let (image, size) = self.whole_blocks()?;
        transfer::picture(image, size)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn picture_in_vectors(&self) -> Option<Vec<u8>> {
        None
    }

    /// Some rows of the framebuffer after the other.
    fn in_strips(&self, area: &mut [u8], stride: usize, format: PictureFormat) {
        let (width, height) = (self.source.width, self.source.height);
        let mut rows = [[0; COLUMNS]; ROWS];
        let mut turned = [[0; ROWS]; COLUMNS];
        for first in (0..height).step_by(ROWS) {
            let count = (height - first).min(ROWS as u32) as usize;
            for x in (0..width).step_by(COLUMNS) {
                let pixels = (width - x).min(COLUMNS as u32) as usize;
                for (row, y) in rows[..count].iter_mut().zip(first..) {
                    self.read([x, y], &mut row[..pixels]);
                    for_host(&mut row[..pixels], self.source.gamma.as_deref(), format);
                }
                turn(&rows, &mut turned);
                for (column, n) in turned[..pixels].iter().zip(x..) {
                    // Columns of the framebuffer run upward.
                    let row = (width - 1 - n) as usize * stride + first as usize * format.bytes();
                    let pixels = &mut area[row..row + count * format.bytes()];
                    match format.bytes() {
                        3 => write_words::<3>(&column[..count], pixels),
                        _ => write_words::<4>(&column[..count], pixels),
                    }
                }
            }
        }
    }

    /// Colours of pixels of a row.
    fn read(&self, [x, y]: [u32; 2], colours: &mut [u32]) {
        let bytes = self.source.format.colour().bytes() as usize;
        let mut raw = [0; 4 * COLUMNS];
        let raw = &mut raw[..colours.len() * bytes];
        let address = self.source.pixel_address(x, y);
        match (self.whole, self.memory.region(address, raw.len() as u32)) {
            (Some((whole, stride)), _) => whole.read_all(y as usize * stride + x as usize * bytes, raw),
            (None, Some(part)) => part.read_all(0, raw),
            (None, None) => {
                let addresses = (0..).map(|n| address.wrapping_add(n));
                raw.iter_mut().zip(addresses).for_each(|(byte, at)| *byte = self.memory.byte(at));
            }
        }
        (self.decode)(raw, colours);
    }
}

/// Colours as words in the order of the host, the first byte lowest.
fn for_host(colours: &mut [u32], gamma: Option<&GammaTable>, format: PictureFormat) {
    if let Some(table) = gamma {
        for colour in &mut *colours {
            let [r, g, b, a] = colour.to_be_bytes();
            let [r, g, b] = [table[usize::from(r)][0], table[usize::from(g)][1], table[usize::from(b)][2]];
            *colour = u32::from_be_bytes([r, g, b, a]);
        }
    }
    wide(|| match format {
        PictureFormat::Bgra => colours.iter_mut().for_each(|c| *c = *c >> 8 | 0xff00_0000),
        _ => colours.iter_mut().for_each(|c| *c = c.swap_bytes() | 0xff00_0000),
    });
}

/// Rows as columns.
fn turn(rows: &[[u32; COLUMNS]; ROWS], columns: &mut [[u32; ROWS]; COLUMNS]) {
    for (x, y) in (0..COLUMNS).step_by(4).flat_map(|x| (0..ROWS).step_by(4).map(move |y| (x, y))) {
        let square = std::array::from_fn(|j| std::array::from_fn(|i| rows[y + j][x + i]));
        for (column, words) in columns[x..].iter_mut().zip(transposed(square)) {
            column[y..y + 4].copy_from_slice(&words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::memory::{BlockMemory, write_bytes};
    use picaflor_pipeline::pica::texel::TransferFormat;

    use picaflor_interp::Interpreter;
    use picaflor_pipeline::pica::stage::blit::BlitStage;
    use std::sync::Arc;

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

    /// Every format of either side, sizes with and without whole blocks, gamma, strides of both sides, memory in
    /// pieces: the picture is that of the interpreter, and what lies between its rows stays.
    #[test]
    fn buffers_of_the_host() {
        let bytes: Vec<u8> = (0..0x2_0000_u32).map(|n| (n.wrapping_mul(0x9e37_79b1) >> 24) as u8).collect();
        let memory = BlockMemory::zeroed(&[(AT, 0x1_0000), (AT + 0x1_0000, 0x1_0000)]);
        write_bytes(&memory, AT, &bytes);
        let table = Arc::new(std::array::from_fn(|v| [255 - v as u8, v as u8 / 2, v as u8 ^ 0x55]));
        let settings = [([16, 24], None), ([64, 8], None), ([16, 24], Some(table)), ([67, 21], None)];
        for ((size, gamma), format) in
            settings.iter().flat_map(|s| TransferFormat::ALL.iter().map(move |&f| (s, f)))
        {
            let pitch = (size[0] * format.colour().bytes()).cast_signed();
            for (address, stride_bytes) in
                [(AT, pitch), (AT + 64, pitch + 24), (AT + 0x8000, -pitch), (AT + 0xff00, pitch)]
            {
                let (width, height) = (size[0], size[1]);
                let source = ScanOut {
                    address,
                    format,
                    stride_bytes,
                    width,
                    height,
                    solid: None,
                    gamma: gamma.clone(),
                };
                for (shown, gap) in
                    [(PictureFormat::Rgb, 0), (PictureFormat::Rgba, 4), (PictureFormat::Bgra, 3)]
                {
                    let stride = height as usize * shown.bytes() + gap;
                    let mut ours = vec![0xcd; stride * width as usize];
                    let mut theirs = ours.clone();
                    let done =
                        scan_out_into(&memory, &source, &mut PictureBuffer::new(&mut ours, stride, shown));
                    let buffer = &mut PictureBuffer::new(&mut theirs, stride, shown);
                    let expected = Interpreter::new().scan_out_into(&memory, &source, buffer);
                    assert_eq!((done, expected), (Ok([height, width]), Ok([height, width])));
                    assert!(ours == theirs, "{source:?} {shown:?}");
                }
            }
        }
    }

    #[test]
    fn buffers_without_room() {
        let memory = BlockMemory::zeroed(&[(AT, 720 * 400)]);
        let mut bytes = vec![1; 400 * 240 * 4 - 1];
        let into = |source, bytes: &mut [u8]| {
            scan_out_into(&memory, source, &mut PictureBuffer::new(bytes, 1600, PictureFormat::Bgra))
        };
        assert_eq!(into(&TOP, &mut bytes), Err(PictureError::NoRoom { width: 400, height: 240 }));
        assert_eq!(into(&ScanOut { width: 0, ..TOP }, &mut bytes), Err(PictureError::Nothing));
        assert!(bytes.iter().all(|&byte| byte == 1));
        let solid = ScanOut { solid: Some([1, 2, 3]), ..TOP };
        bytes.push(0);
        assert_eq!((into(&solid, &mut bytes), &bytes[..4]), (Ok([400, 240]), &[3, 2, 1, 255][..]));
    }
}
