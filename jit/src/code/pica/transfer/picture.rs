//! Scan-out: eight rows of a framebuffer become eight columns of the picture; or [sixteen](super::turn16), where its
//! pixels have three bytes.

use super::format::{Colours, Eights, Format, Rgb5a1, Rgb8, Rgb565, Rgba4, Rgba8, load, read};
use super::turn16::turn16;
use super::{Image, Move, Place, SIDE};
use crate::code::moves::{Bgra, Host, Rgb, Rgba, as_is, ordered, product, store24, store32};
use picaflor_pipeline::pica::texel::ColourFormat;
use picaflor_pipeline::picture::PictureFormat;
use std::arch::x86_64::*;

/// Writes eight colours, as [`opaque`] gives them or as [`read`], whose alpha is not looked at.
///
/// # Safety
/// Their bytes are writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn show<S: Format, H: Host>(to: *mut u8, v: __m256i) {
    let with_alpha = |order| {
        let colours = ordered(v, order);
        _mm256_or_si256(colours, _mm256_set1_epi32(0xff00_0000_u32.cast_signed()))
    };
    // SAFETY: eight pixels have 32 or 24 bytes.
    unsafe {
        match H::FORMAT {
            _ if is_direct::<S, H>() => store32(to, v),
            PictureFormat::Rgb => {
                let order = [3, 2, 1, 7, 6, 5, 11, 10, 9, 15, 14, 13, -1, -1, -1, -1];
                store24(to, ordered(v, order));
            }
            PictureFormat::Bgra => {
                store32(to, with_alpha([1, 2, 3, -1, 5, 6, 7, -1, 9, 10, 11, -1, 13, 14, 15, -1]))
            }
            _ => store32(to, with_alpha([3, 2, 1, -1, 7, 6, 5, -1, 11, 10, 9, -1, 15, 14, 13, -1])),
        }
    }
}

/// True if pixels become colours of the picture at once, see [`opaque`].
const fn is_direct<S: Format, H: Host>() -> bool {
    matches!(S::FORMAT, ColourFormat::Rgb565 | ColourFormat::Rgb5a1)
        && !matches!(H::FORMAT, PictureFormat::Rgb)
}

/// Colours of the picture of pixels of 16 bits: the first four of both halves, and the last four.
#[target_feature(enable = "avx2")]
#[inline]
fn opaque<S: Format, H: Host>(v: __m256i) -> Colours {
    let red = product(v, 0xf800, 0x0108);
    let (green, blue) = match S::FORMAT {
        ColourFormat::Rgb565 => (product(v, 0x07e0, 0x2080), _mm256_slli_epi16::<11>(v)),
        _ => (product(v, 0x07c0, 0x2100), _mm256_slli_epi16::<10>(v)),
    };
    let blue = product(blue, 0xf800, 0x0108);
    let (first, third) = if matches!(H::FORMAT, PictureFormat::Bgra) { (blue, red) } else { (red, blue) };
    let low = _mm256_or_si256(first, _mm256_slli_epi16::<8>(green));
    let high = _mm256_or_si256(third, _mm256_set1_epi16(0xff00_u16.cast_signed()));
    [as_is(_mm256_unpacklo_epi16(low, high)), as_is(_mm256_unpackhi_epi16(low, high))]
}

/// Columns of four words, from top to bottom, of pairs of rows that are four apart: the upper one of each in the low
/// half.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn columns(r: [__m256i; 4]) -> [__m256i; 4] {
    let [a, b] = [_mm256_unpacklo_epi32(r[0], r[1]), _mm256_unpackhi_epi32(r[0], r[1])];
    let [c, d] = [_mm256_unpacklo_epi32(r[2], r[3]), _mm256_unpackhi_epi32(r[2], r[3])];
    [
        as_is(_mm256_unpacklo_epi64(a, c)),
        as_is(_mm256_unpackhi_epi64(a, c)),
        as_is(_mm256_unpacklo_epi64(b, d)),
        as_is(_mm256_unpackhi_epi64(b, d)),
    ]
}

/// Turns eight rows of a framebuffer into eight columns of the picture, the first pixel at the bottom: `to` is the
/// place of that pixel of the first row, and its rows are `to.pitch` apart upward.
///
/// # Safety
/// The pixels of `blocks` blocks are readable and writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn turn<S: Format, H: Host>(from: Place, to: Place, blocks: usize) {
    for block in 0..blocks {
        let source = from.start.wrapping_add(SIDE * block * S::BYTES);
        // SAFETY: the caller's promise, for the pixels of one block after the other. `Rgb8` is a target without alpha.
        unsafe {
            let rows = |n: isize| {
                let start = source.wrapping_offset(n * from.pitch);
                let from = Eights { start, distance: 4 * from.pitch };
                if is_direct::<S, H>() { opaque::<S, H>(load::<false>(from)) } else { read::<S, Rgb8>(from) }
            };
            let [[a, e], [b, f], [c, g], [d, h]] = [rows(0), rows(1), rows(2), rows(3)];
            let [left, right] = [columns([a, b, c, d]), columns([e, f, g, h])];
            for n in 0..4 {
                let place = |x: usize| to.start.wrapping_offset(x as isize * to.pitch);
                show::<S, H>(place(SIDE * block + n), left[n]);
                show::<S, H>(place(SIDE * block + n + 4), right[n]);
            }
        }
    }
}

/// Turns a framebuffer of `size` pixels, both multiples of 8, into the picture in `area`, whose rows are `stride` bytes
/// apart. False if nothing was done: the processor has no vectors of 256 bits.
///
/// # Panics
/// If a pixel is not in the memory of its side.
pub(crate) fn scan_out(
    from: Image<'_>,
    size: [usize; 2],
    area: &mut [u8],
    stride: usize,
    format: PictureFormat,
) -> bool {
    let [width, height] = size;
    let above = width.saturating_sub(1).checked_mul(stride);
    let end = above.and_then(|above| above.checked_add(height.checked_mul(format.bytes())?));
    assert!(end.is_some_and(|end| end <= area.len()), "{width}x{height} by {stride}");
    // SAFETY: the last byte of the last row lies in the area.
    unsafe { write_picture(from, size, area.as_mut_ptr(), stride, format) }
}

/// The picture of a framebuffer, red, green and blue of each pixel. `None` if there is no memory for them, or the
/// processor has no vectors of 256 bits.
///
/// # Panics
/// If a pixel is not in memory.
pub(crate) fn picture(from: Image<'_>, size: [usize; 2]) -> Option<Vec<u8>> {
    let [width, height] = size;
    let stride = height * PictureFormat::Rgb.bytes();
    let mut rgb = Vec::new();
    rgb.try_reserve_exact(width.checked_mul(stride)?).ok()?;
    // SAFETY: there is room for all rows; they follow each other without gaps, so that all of their bytes are written
    // before they count.
    unsafe {
        if !write_picture(from, size, rgb.as_mut_ptr(), stride, PictureFormat::Rgb) {
            return None;
        }
        rgb.set_len(width * stride);
    }
    Some(rgb)
}

/// Writes a picture to memory of the host. False if nothing was done.
///
/// # Safety
/// The pixels are writable, in rows that are `stride` bytes apart.
unsafe fn write_picture(
    from: Image<'_>,
    [width, height]: [usize; 2],
    to: *mut u8,
    stride: usize,
    format: PictureFormat,
) -> bool {
    // Code of eight rows, and of sixteen.
    let (code, code16) = match format {
        PictureFormat::Rgb => (turner::<Rgb>(from.format), Some(turner16(from.format))),
        PictureFormat::Rgba => (turner::<Rgba>(from.format), None),
        PictureFormat::Bgra => (turner::<Bgra>(from.format), None),
        _ => return false,
    };
    if !std::arch::is_x86_feature_detected!("avx2") {
        return false;
    }
    assert!(width.is_multiple_of(SIDE) && height.is_multiple_of(SIDE) && width > 0, "{width}x{height}");
    // The last row is at the bottom.
    let bottom = to.wrapping_add((width - 1) * stride);
    let mut y = 0;
    while y < height {
        let (code, rows) = match code16 {
            Some(code) if height - y >= 2 * SIDE => (code, 2 * SIDE),
            _ => (code, SIDE),
        };
        let start = bottom.wrapping_add(y * format.bytes());
        let to = Place { start, pitch: -stride.cast_signed(), tiled: false };
        // SAFETY: AVX2 is there, as asked above; `band` checked the pixels that are read, and the caller promises those
        // that are written.
        unsafe { code(from.band(y, [width, rows]), to, width / SIDE) }
        y += rows;
    }
    true
}

fn turner<H: Host>(from: ColourFormat) -> Move {
    match from {
        ColourFormat::Rgba8 | ColourFormat::Unknown => turn::<Rgba8, H>,
        ColourFormat::Rgb8 => turn::<Rgb8, H>,
        ColourFormat::Rgb5a1 => turn::<Rgb5a1, H>,
        ColourFormat::Rgb565 => turn::<Rgb565, H>,
        ColourFormat::Rgba4 => turn::<Rgba4, H>,
    }
}

/// As [`turner`], of sixteen rows and red, green, blue.
fn turner16(from: ColourFormat) -> Move {
    match from {
        ColourFormat::Rgba8 | ColourFormat::Unknown => turn16::<Rgba8>,
        ColourFormat::Rgb8 => turn16::<Rgb8>,
        ColourFormat::Rgb5a1 => turn16::<Rgb5a1>,
        ColourFormat::Rgb565 => turn16::<Rgb565>,
        ColourFormat::Rgba4 => turn16::<Rgba4>,
    }
}
