//! Scan-out: eight rows of a framebuffer become eight columns of the picture.

use super::format::{Eights, Format, Rgb5a1, Rgb8, Rgb565, Rgba4, Rgba8, read};
use super::{Image, Move, Place, SIDE};
use crate::code::moves::{Bgra, Host, Rgb, Rgba, as_is, ordered, store24, store32};
use picaflor_pipeline::pica::texel::ColourFormat;
use picaflor_pipeline::picture::PictureFormat;
use std::arch::x86_64::*;

/// Writes eight colours of the picture; their alpha is not looked at.
///
/// # Safety
/// Their bytes are writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn show<H: Host>(to: *mut u8, v: __m256i) {
    let opaque = |order| {
        let colours = ordered(v, order);
        _mm256_or_si256(colours, _mm256_set1_epi32(0xff00_0000_u32.cast_signed()))
    };
    // SAFETY: eight pixels have 32 or 24 bytes.
    unsafe {
        match H::FORMAT {
            PictureFormat::Rgb => {
                let order = [3, 2, 1, 7, 6, 5, 11, 10, 9, 15, 14, 13, -1, -1, -1, -1];
                store24(to, ordered(v, order));
            }
            PictureFormat::Bgra => {
                store32(to, opaque([1, 2, 3, -1, 5, 6, 7, -1, 9, 10, 11, -1, 13, 14, 15, -1]))
            }
            _ => store32(to, opaque([3, 2, 1, -1, 7, 6, 5, -1, 11, 10, 9, -1, 15, 14, 13, -1])),
        }
    }
}

/// Columns of four words, from top to bottom, of pairs of rows that are four apart: the upper one of each in the low
/// half.
#[target_feature(enable = "avx2")]
#[inline]
fn columns(r: [__m256i; 4]) -> [__m256i; 4] {
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
                read::<S, Rgb8>(Eights { start, distance: 4 * from.pitch })
            };
            let [[a, e], [b, f], [c, g], [d, h]] = [rows(0), rows(1), rows(2), rows(3)];
            let [left, right] = [columns([a, b, c, d]), columns([e, f, g, h])];
            for n in 0..4 {
                let place = |x: usize| to.start.wrapping_offset(x as isize * to.pitch);
                show::<H>(place(SIDE * block + n), left[n]);
                show::<H>(place(SIDE * block + n + 4), right[n]);
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
    let code = match format {
        PictureFormat::Rgb => turner::<Rgb>(from.format),
        PictureFormat::Rgba => turner::<Rgba>(from.format),
        PictureFormat::Bgra => turner::<Bgra>(from.format),
        _ => return false,
    };
    if !std::arch::is_x86_feature_detected!("avx2") {
        return false;
    }
    assert!(width.is_multiple_of(SIDE) && height.is_multiple_of(SIDE) && width > 0, "{width}x{height}");
    // The last row is at the bottom.
    let bottom = to.wrapping_add((width - 1) * stride);
    for y in (0..height).step_by(SIDE) {
        let start = bottom.wrapping_add(y * format.bytes());
        let to = Place { start, pitch: -stride.cast_signed(), tiled: false };
        // SAFETY: AVX2 is there, as asked above; `band` checked the pixels that are read, and the caller promises those
        // that are written.
        unsafe { code(from.band(y, [width, SIDE]), to, width / SIDE) }
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
