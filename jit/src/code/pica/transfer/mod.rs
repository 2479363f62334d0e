//! Display transfers and scan-out of whole blocks in vectors of 256 bits: the pixels of a row of blocks go from memory
//! to memory in registers.
//!
//! Two kinds of lanes: [words](mod@words), one colour each, in the form of an RGBA8 pixel (alpha in the lowest byte, then blue,
//! green, red), and halves, where both [formats](mod@format) have 16 bits. Half a block is moved at a time, or two
//! [rows](mod@rows) of two blocks. [Reductions](mod@reduce) go through words, but those of 16 bits to
//! [the same format](mod@short_means).
//!
//! Source: pica-geometry.md 7.3.

mod format;
mod picture;
mod reduce;
mod rows;
mod short;
mod short_means;
mod turn16;
mod words;

use format::{Eights, Format, Rgb5a1, Rgb8, Rgb565, Rgba4, Rgba8, is_short};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::pica::texel::ColourFormat;
pub(crate) use picture::{picture, scan_out};
use reduce::reduce;
use words::{halves, words};

/// Side of a block.
const SIDE: usize = 8;

/// One side of a transfer: an image in memory.
#[derive(Clone, Copy)]
pub(crate) struct Image<'a> {
    /// Its memory.
    pub(crate) bytes: GuestSlice<'a>,
    /// Format of the pixels.
    pub(crate) format: ColourFormat,
    /// Pixels from row to row.
    pub(crate) pitch: usize,
    /// In blocks of 8x8 pixels, each in Morton order; otherwise row by row.
    pub(crate) tiled: bool,
}

/// The output of a transfer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// Its width and height.
    pub(crate) size: [usize; 2],
    /// How often width and height of the input were halved: both at most once, and the height not alone.
    pub(crate) shift: [u32; 2],
    /// Rows in reverse order.
    pub(crate) flip: bool,
}

/// Moves an image. False if nothing was done: the processor has no vectors of 256 bits, the output is no whole number of
/// blocks, both sides are linear, both tiled and the output is flipped, or a linear input is reduced.
/// Asks before each row of blocks whether it is to end.
///
/// # Panics
/// If a pixel is not in the memory of its side.
pub(crate) fn transfer(from: Image<'_>, to: Image<'_>, shape: Shape, is_stopping: &dyn Fn() -> bool) -> bool {
    let Shape { size: [width, height], shift, flip } = shape;
    let is_possible = if from.tiled { !(to.tiled && flip) } else { to.tiled && shift == [0; 2] };
    let is_whole = width.is_multiple_of(SIDE) && height.is_multiple_of(SIDE);
    if !is_possible || !is_whole || !std::arch::is_x86_feature_detected!("avx2") {
        return false;
    }
    if !to.bytes.is_writable() {
        return true;
    }
    let code = Code { shift, to_tiled: to.tiled }.of(from.format, to.format);
    for y in (0..height).step_by(SIDE).take_while(|_| !is_stopping()) {
        let source = from.band(y << shift[1], [width << shift[0], SIDE << shift[1]]);
        let target = to.band(if flip { height - SIDE - y } else { y }, [width, SIDE]);
        // The linear side of a flipped image is read or written from its last row on.
        let last_first = |place: Place| if flip && !place.tiled { place.reversed() } else { place };
        // SAFETY: AVX2 is there, as asked above; `band` checked all pixels of both places, and the output is writable.
        unsafe { code(last_first(source), last_first(target), width / SIDE) }
    }
    true
}

impl Image<'_> {
    /// The place of some rows from `y` on, both multiples of 8.
    fn band(&self, y: usize, [width, rows]: [usize; 2]) -> Place {
        let bytes = self.format.bytes() as usize;
        // To the start of the last row, or of the last row of blocks.
        let last = if self.tiled { (rows - SIDE) * self.pitch } else { (rows - 1) * self.pitch };
        let pixels = last + if self.tiled { SIDE * width } else { width };
        let band = self.bytes.slice(y * self.pitch * bytes, pixels * bytes);
        Place {
            start: band.as_ptr().cast_mut(),
            pitch: (self.pitch * bytes).cast_signed(),
            tiled: self.tiled,
        }
    }
}

/// Memory of a row of blocks.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The first pixel.
    start: *mut u8,
    /// Bytes from row to row; in a tiled image an eighth of those from one row of blocks to the next.
    pitch: isize,
    tiled: bool,
}

impl Place {
    /// The same eight rows, the last one first; of a linear image.
    const fn reversed(self) -> Self {
        Self {
            start: self.start.wrapping_offset(self.pitch * (SIDE as isize - 1)),
            pitch: -self.pitch,
            ..self
        }
    }

    /// The pixels of half a block. In a linear image: the first row and the third, and the second and the fourth; in a
    /// tiled one: the left of the first two rows and of the last two, and the right ones.
    #[inline(always)]
    fn half<F: Format, const TILED: bool>(self, block: usize, half: usize) -> [Eights; 2] {
        let eight = 8 * F::BYTES;
        let start = self.start.wrapping_add(if TILED { 8 * block * eight } else { block * eight });
        if TILED {
            let start = start.wrapping_add(4 * half * eight);
            let distance = eight.cast_signed();
            [Eights { start, distance }, Eights { start: start.wrapping_add(2 * eight), distance }]
        } else {
            let start = start.wrapping_offset(4 * half.cast_signed() * self.pitch);
            let distance = 2 * self.pitch;
            [Eights { start, distance }, Eights { start: start.wrapping_offset(self.pitch), distance }]
        }
    }
}

/// Code for a number of blocks of the output, of one pair of formats.
type Move = unsafe fn(Place, Place, usize);

/// A choice of code.
#[derive(Debug, Clone, Copy)]
struct Code {
    shift: [u32; 2],
    to_tiled: bool,
}

impl Code {
    fn of(self, from: ColourFormat, to: ColourFormat) -> Move {
        match from {
            ColourFormat::Rgba8 | ColourFormat::Unknown => self.of_source::<Rgba8>(to),
            ColourFormat::Rgb8 => self.of_source::<Rgb8>(to),
            ColourFormat::Rgb5a1 => self.of_source::<Rgb5a1>(to),
            ColourFormat::Rgb565 => self.of_source::<Rgb565>(to),
            ColourFormat::Rgba4 => self.of_source::<Rgba4>(to),
        }
    }

    fn of_source<S: Format>(self, to: ColourFormat) -> Move {
        match to {
            ColourFormat::Rgba8 | ColourFormat::Unknown => self.of_formats::<S, Rgba8>(),
            ColourFormat::Rgb8 => self.of_formats::<S, Rgb8>(),
            ColourFormat::Rgb5a1 => self.of_formats::<S, Rgb5a1>(),
            ColourFormat::Rgb565 => self.of_formats::<S, Rgb565>(),
            ColourFormat::Rgba4 => self.of_formats::<S, Rgba4>(),
        }
    }

    fn of_formats<S: Format, D: Format>(self) -> Move {
        match self.shift {
            [0, 0] if is_short::<S>() && is_short::<D>() => halves::<S, D>,
            [0, 0] => words::<S, D>,
            [_, 0] => reduce::<S, D>(false, self.to_tiled),
            _ => reduce::<S, D>(true, self.to_tiled),
        }
    }
}
