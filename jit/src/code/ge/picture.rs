//! Pictures of frame buffers in vectors of 256 bits.
//!
//! Source: psp-ge.md 1.5.

use crate::code::moves::{
    Bgra, Host, Rgb, Rgba, as_is, load_halves, load32, ordered, product, store_halves, store48_in_row, times,
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
            let words = read::<S, H>(from.add(group * GROUP * pixel));
            write::<S, H>(to.add(group * GROUP * shown), words);
        }
    }
}

/// Words of a group, each with the colour of a pixel: the first four of either eight, and the last four. Those of three
/// channels have the form of the host's pixels; where that is three bytes, these bytes are the last ones. Those of four channels
/// have red in the lowest byte, and alpha of any value.
///
/// # Safety
/// The pixels are readable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn read<S: Source, H: Host>(from: *const u8) -> [__m256i; 2] {
    // SAFETY: sixteen pixels have 64 or 32 bytes.
    unsafe {
        match S::FORMAT {
            PixelFormat::Rgba8888 => [load_halves::<0>(from, 32), load_halves::<16>(from, 32)],
            // A channel of five bits is 8.25 times as large in eight, one of six bits 4.0625 times.
            PixelFormat::Rgb5650 => {
                let v = load32::<0>(from);
                three::<H>(v, product(v, 0x07e0, 0x2080), product(v, 0xf800, 0x0108))
            }
            PixelFormat::Rgba5551 => {
                let v = load32::<0>(from);
                three::<H>(v, product(v, 0x03e0, 0x4200), product(v, 0x7c00, 0x0210))
            }
            PixelFormat::Rgba4444 => four(load32::<0>(from)),
        }
    }
}

/// Whether pixels have three channels.
const fn is_three<S: Source>() -> bool {
    matches!(S::FORMAT, PixelFormat::Rgb5650 | PixelFormat::Rgba5551)
}

/// Pixels of 16 bits whose lowest five bits are red, with their other two channels.
#[target_feature(enable = "avx2")]
#[inline]
fn three<H: Host>(v: __m256i, green: __m256i, blue: __m256i) -> [__m256i; 2] {
    let above = |low, high| _mm256_or_si256(low, _mm256_slli_epi16::<8>(high));
    let red = || product(_mm256_slli_epi16::<11>(v), 0xf800, 0x0108);
    let opaque = |channel| _mm256_or_si256(channel, _mm256_set1_epi16(0xff00_u16.cast_signed()));
    let (low, high) = match H::FORMAT {
        // Below red, which is the higher byte, is something of no use.
        PictureFormat::Rgb => {
            (times(_mm256_and_si256(v, _mm256_set1_epi16(0x001f)), 0x0840), above(green, blue))
        }
        PictureFormat::Bgra => (above(blue, green), opaque(red())),
        _ => (above(red(), green), opaque(blue)),
    };
    [as_is(_mm256_unpacklo_epi16(low, high)), as_is(_mm256_unpackhi_epi16(low, high))]
}

/// Pixels of 16 bits with four channels.
#[target_feature(enable = "avx2")]
#[inline]
fn four(v: __m256i) -> [__m256i; 2] {
    // Red and blue, green and alpha: nibbles in bytes of their own, then twice.
    let twice = |v| {
        let low = _mm256_and_si256(v, _mm256_set1_epi16(0x0f0f));
        times(low, 17)
    };
    let (red_blue, green_alpha) = (twice(v), twice(_mm256_srli_epi16::<4>(v)));
    [as_is(_mm256_unpacklo_epi8(red_blue, green_alpha)), as_is(_mm256_unpackhi_epi8(red_blue, green_alpha))]
}

/// Writes a group, given as [`read`] gives it.
///
/// # Safety
/// The pixels are writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn write<S: Source, H: Host>(to: *mut u8, [first, last]: [__m256i; 2]) {
    let opaque = |v| _mm256_or_si256(v, _mm256_set1_epi32(0xff00_0000_u32.cast_signed()));
    let exchanged = |v| opaque(ordered(v, [2, 1, 0, -1, 6, 5, 4, -1, 10, 9, 8, -1, 14, 13, 12, -1]));
    // SAFETY: sixteen pixels have 64 or 48 bytes.
    unsafe {
        let fours = |first, last| {
            store_halves::<0>(to, 32, first);
            store_halves::<16>(to, 32, last);
        };
        match H::FORMAT {
            PictureFormat::Rgb => {
                let order = if is_three::<S>() {
                    [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]
                } else {
                    [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14]
                };
                store48_in_row(to, [first, last], order);
            }
            _ if is_three::<S>() => fours(first, last),
            PictureFormat::Bgra => fours(exchanged(first), exchanged(last)),
            _ => fours(opaque(first), opaque(last)),
        }
    }
}
