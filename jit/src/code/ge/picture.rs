//! Pictures of frame buffers in vectors of 256 bits.
//!
//! Source: psp-ge.md 1.5.

use crate::code::moves::{
    Bgra, Host, Rgb, Rgba, as_is, between, load_halves, load32, ordered, product, store_halves, times,
};
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::picture::PictureFormat;
use std::arch::x86_64::*;

/// Pixels at a time.
const GROUP: usize = 16;

/// Rows of a frame buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    /// Memory from the first pixel on.
    pub(crate) bytes: GuestSlice<'a>,
    pub(crate) format: PixelFormat,
    /// Bytes from row to row.
    pub(crate) pitch: usize,
    /// Width and height in pixels; the width is a multiple of 16.
    pub(crate) size: [usize; 2],
}

/// Writes the pixels of rows to a picture in `area`, whose rows are `stride` bytes apart. False if nothing was done: the
/// processor has no vectors of 256 bits.
///
/// # Panics
/// If a pixel is not in the memory of its side.
pub(crate) fn show(from: Rows<'_>, area: &mut [u8], stride: usize, format: PictureFormat) -> bool {
    let [width, height] = from.size;
    let end = height
        .saturating_sub(1)
        .checked_mul(stride)
        .and_then(|last| last.checked_add(width * format.bytes()));
    assert!(end.is_some_and(|end| end <= area.len()), "{width}x{height} by {stride}");
    // SAFETY: the last byte of the last row lies in the area.
    unsafe { write_rows(from, area.as_mut_ptr(), stride, format) }
}

/// The pixels of rows as red, green and blue. `None` if there is no memory for them, or the processor has no vectors of
/// 256 bits.
///
/// # Panics
/// If a pixel is not in memory.
pub(crate) fn shown(from: Rows<'_>) -> Option<Vec<u8>> {
    let stride = from.size[0] * PictureFormat::Rgb.bytes();
    let mut rgb = Vec::new();
    rgb.try_reserve_exact(from.size[1].checked_mul(stride)?).ok()?;
    // SAFETY: there is room for all rows; they follow each other without gaps, so that all of their bytes are written
    // before they count.
    unsafe {
        if !write_rows(from, rgb.as_mut_ptr(), stride, PictureFormat::Rgb) {
            return None;
        }
        rgb.set_len(from.size[1] * stride);
    }
    Some(rgb)
}

/// Writes the pixels of rows to memory of the host. False if nothing was done.
///
/// # Safety
/// The pixels are writable, in rows that are `stride` bytes apart.
unsafe fn write_rows(from: Rows<'_>, to: *mut u8, stride: usize, format: PictureFormat) -> bool {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return false;
    }
    let [width, height] = from.size;
    let code = match from.format {
        PixelFormat::Rgb5650 => of_source::<Rgb5650>(format),
        PixelFormat::Rgba5551 => of_source::<Rgba5551>(format),
        PixelFormat::Rgba4444 => of_source::<Rgba4444>(format),
        PixelFormat::Rgba8888 => of_source::<Rgba8888>(format),
    };
    assert!(width.is_multiple_of(GROUP), "{width}");
    for y in 0..height {
        let source = from.bytes.slice(y * from.pitch, width * from.format.bytes() as usize);
        // SAFETY: AVX2 is there, as asked above; `slice` checked the row that is read, and the caller promises the other.
        unsafe { code(source.as_ptr(), to.add(y * stride), width / GROUP) }
    }
    true
}

/// Code for a number of groups of pixels.
type Show = unsafe fn(*const u8, *mut u8, usize);

fn of_source<S: Source>(to: PictureFormat) -> Show {
    match to {
        PictureFormat::Rgb => groups::<S, Rgb>,
        PictureFormat::Bgra => groups::<S, Bgra>,
        _ => groups::<S, Rgba>,
    }
}

/// Constants of the formats, as types, so that each pair has code of its own.
trait Source {
    const FORMAT: PixelFormat;
}
struct Rgb5650;
struct Rgba5551;
struct Rgba4444;
struct Rgba8888;
impl Source for Rgb5650 {
    const FORMAT: PixelFormat = PixelFormat::Rgb5650;
}
impl Source for Rgba5551 {
    const FORMAT: PixelFormat = PixelFormat::Rgba5551;
}
impl Source for Rgba4444 {
    const FORMAT: PixelFormat = PixelFormat::Rgba4444;
}
impl Source for Rgba8888 {
    const FORMAT: PixelFormat = PixelFormat::Rgba8888;
}

/// Writes groups of pixels that follow each other.
///
/// # Safety
/// The pixels are readable and writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn groups<S: Source, H: Host>(from: *const u8, to: *mut u8, count: usize) {
    let (pixel, shown) = (S::FORMAT.bytes() as usize, H::FORMAT.bytes());
    for group in 0..count {
        // SAFETY: the caller's promise, for one group after the other.
        unsafe {
            let colours = read::<S>(from.add(group * GROUP * pixel));
            write::<H>(to.add(group * GROUP * shown), colours);
        }
    }
}

/// Colours of a group, red in the lowest byte, alpha of any value: the first four of either eight, and the last four.
///
/// # Safety
/// The pixels are readable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn read<S: Source>(from: *const u8) -> [__m256i; 2] {
    // SAFETY: sixteen pixels have 64 or 32 bytes.
    unsafe {
        match S::FORMAT {
            PixelFormat::Rgba8888 => [load_halves::<0>(from, 32), load_halves::<16>(from, 32)],
            _ => decode::<S>(load32::<0>(from)),
        }
    }
}

/// The colours of pixels of 16 bits, in the order of [`read`].
#[target_feature(enable = "avx2")]
#[inline]
fn decode<S: Source>(v: __m256i) -> [__m256i; 2] {
    // Red and green, blue: a channel of five bits is 8.25 times as large in eight, one of six bits 4.0625 times.
    let joined = |red, green, blue| {
        let red_green = _mm256_or_si256(red, _mm256_slli_epi16::<8>(green));
        [as_is(_mm256_unpacklo_epi16(red_green, blue)), as_is(_mm256_unpackhi_epi16(red_green, blue))]
    };
    let red = || product(_mm256_slli_epi16::<11>(v), 0xf800, 0x0108);
    match S::FORMAT {
        PixelFormat::Rgb5650 => joined(red(), product(v, 0x07e0, 0x2080), product(v, 0xf800, 0x0108)),
        PixelFormat::Rgba5551 => joined(red(), product(v, 0x03e0, 0x4200), product(v, 0x7c00, 0x0210)),
        _ => {
            // Red and blue, green and alpha: nibbles in bytes of their own, then twice.
            let twice = |v| {
                let low = _mm256_and_si256(v, _mm256_set1_epi16(0x0f0f));
                times(low, 17)
            };
            let (red_blue, green_alpha) = (twice(v), twice(_mm256_srli_epi16::<4>(v)));
            [
                as_is(_mm256_unpacklo_epi8(red_blue, green_alpha)),
                as_is(_mm256_unpackhi_epi8(red_blue, green_alpha)),
            ]
        }
    }
}

/// Writes a group, given as [`read`] gives it.
///
/// # Safety
/// The pixels are writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn write<H: Host>(to: *mut u8, [first, last]: [__m256i; 2]) {
    let opaque = |v| _mm256_or_si256(v, _mm256_set1_epi32(0xff00_0000_u32.cast_signed()));
    let exchanged = |v| opaque(ordered(v, [2, 1, 0, -1, 6, 5, 4, -1, 10, 9, 8, -1, 14, 13, 12, -1]));
    // SAFETY: sixteen pixels have 64 or 48 bytes.
    unsafe {
        match H::FORMAT {
            PictureFormat::Rgb => {
                // Two times 24 bytes, of which the first 16 and the last 16 are written.
                let first = ordered(first, [-1, -1, -1, -1, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14]);
                let last = ordered(last, [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1]);
                store_halves::<0>(to, 24, between::<4>(first, last));
                store_halves::<8>(to, 24, between::<12>(first, last));
            }
            PictureFormat::Bgra => {
                store_halves::<0>(to, 32, exchanged(first));
                store_halves::<16>(to, 32, exchanged(last));
            }
            _ => {
                store_halves::<0>(to, 32, opaque(first));
                store_halves::<16>(to, 32, opaque(last));
            }
        }
    }
}
