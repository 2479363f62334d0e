//! Vectors from and to memory that others may write meanwhile; and those that two places share.
//!
//! Accesses of Rust that race are undefined; those of inline assembly are what the processor makes of them. A vector move
//! reads or writes each of its bytes once, at any alignment. All functions need AVX2.

use picaflor_pipeline::picture::PictureFormat;
use std::arch::asm;
use std::arch::x86_64::*;

/// Formats of pictures in memory of the host, as types, so that each pair of formats has code of its own.
pub(crate) trait Host {
    const FORMAT: PictureFormat;
}
pub(crate) struct Rgb;
pub(crate) struct Rgba;
pub(crate) struct Bgra;
impl Host for Rgb {
    const FORMAT: PictureFormat = PictureFormat::Rgb;
}
impl Host for Rgba {
    const FORMAT: PictureFormat = PictureFormat::Rgba;
}
impl Host for Bgra {
    const FORMAT: PictureFormat = PictureFormat::Bgra;
}

/// Reads 32 bytes, from `AT` bytes behind a place on.
///
/// # Safety
/// The bytes are readable, and the processor has AVX2, as for all functions here.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn load32<const AT: usize>(from: *const u8) -> __m256i {
    let value;
    // SAFETY: reads the promised bytes.
    unsafe {
        asm!("vmovdqu {v}, [{p} + {at}]", v = out(ymm_reg) value, p = in(reg) from, at = const AT,
            options(nostack, preserves_flags, readonly));
    }
    value
}

/// Reads 16 bytes each at two places, from `AT` bytes behind their starts: the halves of a vector. The second place is
/// `distance` bytes from the first.
///
/// # Safety
/// As for [`load32`].
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn load_halves<const AT: usize>(from: *const u8, distance: isize) -> __m256i {
    let value;
    // SAFETY: reads the promised bytes. Registers of inputs are used after that of the output was written, which is of
    // another kind.
    unsafe {
        asm!("vmovdqu {v:x}, [{p} + {at}]", "vinserti128 {v}, {v}, [{p} + {d} + {at}], 1",
            v = out(ymm_reg) value, p = in(reg) from, d = in(reg) distance, at = const AT,
            options(nostack, preserves_flags, readonly));
    }
    value
}

/// Writes 32 bytes.
///
/// # Safety
/// The bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn store32(to: *mut u8, value: __m256i) {
    // SAFETY: writes the promised bytes.
    unsafe {
        asm!("vmovdqu [{p}], {v}", v = in(ymm_reg) value, p = in(reg) to, options(nostack, preserves_flags));
    }
}

/// Writes the first 16 bytes.
///
/// # Safety
/// They are writable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store16<const AT: usize>(to: *mut u8, value: __m256i) {
    // SAFETY: writes the promised bytes.
    unsafe {
        asm!("vmovdqu [{p} + {at}], {v:x}", v = in(ymm_reg) value, p = in(reg) to, at = const AT,
            options(nostack, preserves_flags));
    }
}

/// Writes the halves of a vector to two places, as [`load_halves`] reads them.
///
/// # Safety
/// 16 bytes are writable at each.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn store_halves<const AT: usize>(to: *mut u8, distance: isize, value: __m256i) {
    // SAFETY: writes the promised bytes.
    unsafe {
        asm!("vmovdqu [{p} + {at}], {v:x}", "vextracti128 [{p} + {d} + {at}], {v}, 1",
            v = in(ymm_reg) value, p = in(reg) to, d = in(reg) distance, at = const AT,
            options(nostack, preserves_flags));
    }
}

/// Writes the first 12 bytes of both halves.
///
/// # Safety
/// 24 bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn store24(to: *mut u8, halves: __m256i) {
    // The first 16 bytes and the last 16, which share eight.
    let packed = _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 1, 2, 4, 2, 4, 5, 6));
    // SAFETY: the promised bytes.
    unsafe { store_halves::<0>(to, 8, packed) }
}

/// Writes the first 12 bytes of four words each: of the low half of `outer`, both halves of `inner`, the high half of
/// `outer`. `order` are the bytes that make 12 of 16.
///
/// # Safety
/// 48 bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn store48(to: *mut u8, [outer, inner]: [__m256i; 2], order: [i8; 12]) {
    let [a, b, c, d, e, f, g, h, i, j, k, l] = order;
    let n = -1;
    // At the ends of the 48 bytes; what joins them there, and what lies between.
    let outer = ordered_halves(
        outer,
        [a, b, c, d, e, f, g, h, i, j, k, l, n, n, n, n],
        [n, n, n, n, a, b, c, d, e, f, g, h, i, j, k, l],
    );
    let inner = ordered_halves(
        inner,
        [e, f, g, h, i, j, k, l, n, n, n, n, a, b, c, d],
        [i, j, k, l, n, n, n, n, a, b, c, d, e, f, g, h],
    );
    // SAFETY: the promised bytes.
    unsafe {
        store_halves::<0>(to, 32, _mm256_blend_epi32::<0b0001_1000>(outer, inner));
        store16::<16>(to, _mm256_permute4x64_epi64::<0b11_00>(inner));
    }
}

/// [`store48`] of sixteen pixels that follow each other, one in each word: the first four of either eight, and the last four.
///
/// # Safety
/// 48 bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) unsafe fn store48_in_row(to: *mut u8, [first, last]: [__m256i; 2], order: [i8; 12]) {
    let outer = _mm256_blend_epi32::<0b1111_0000>(first, last);
    let inner = _mm256_blend_epi32::<0b1111_0000>(last, first);
    // SAFETY: the promised bytes.
    unsafe { store48(to, [outer, inner], order) }
}

/// The same vector, of which the compiler knows nothing: it does not merge what makes it with what uses it. (It would
/// make products of 32 bits of those of 16, and orders through several others.)
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn as_is(value: __m256i) -> __m256i {
    let same;
    // SAFETY: no instruction.
    unsafe {
        asm!("/* {v} */", v = inout(ymm_reg) value => same, options(pure, nomem, nostack, preserves_flags));
    }
    same
}

/// The lower and the upper half of a number, likewise: the compiler does not take them from a vector one by one.
#[inline]
pub(crate) fn halves_as_they_are(value: u64) -> [u32; 2] {
    let (same, low): (u64, u64);
    // SAFETY: the lower half with zeros above it goes to `low`.
    unsafe {
        asm!(
            "mov {low:e}, {v:e}", v = inout(reg) value => same, low = lateout(reg) low,
            options(pure, nomem, nostack, preserves_flags)
        );
        std::hint::assert_unchecked(low >> 32 == 0);
    }
    [low as u32, (same >> 32) as u32]
}

/// Fields of 16-bit words times a factor: the high half of the product.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn product(v: __m256i, field: u16, factor: u16) -> __m256i {
    let field = _mm256_and_si256(v, _mm256_set1_epi16(field.cast_signed()));
    as_is(_mm256_mulhi_epu16(field, _mm256_set1_epi16(factor.cast_signed())))
}

/// Words of 16 bits times a factor: the low half of the product. One instruction, where the compiler would make a shift and
/// a sum of some factors.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn times(v: __m256i, factor: i16) -> __m256i {
    _mm256_mullo_epi16(v, as_is(_mm256_set1_epi16(factor)))
}

/// In each half 16 bytes, from byte `AT` on, of those of `low` and then of `high`.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn between<const AT: usize>(low: __m256i, high: __m256i) -> __m256i {
    let bytes;
    // SAFETY: changes its output alone. As assembly, because the compiler makes two instructions of it.
    unsafe {
        asm!("vpalignr {v}, {high}, {low}, {at}", v = lateout(ymm_reg) bytes, low = in(ymm_reg) low,
            high = in(ymm_reg) high, at = const AT, options(pure, nomem, nostack, preserves_flags));
    }
    bytes
}

/// Bytes in another order, the same in both halves; zero where the order is negative.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn ordered(v: __m256i, order: [i8; 16]) -> __m256i {
    ordered_halves(v, order, order)
}

/// Bytes of either half in an order of its own, as [`ordered`].
#[target_feature(enable = "avx2")]
#[inline]
fn ordered_halves(v: __m256i, low: [i8; 16], high: [i8; 16]) -> __m256i {
    let half = |[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]: [i8; 16]| {
        _mm_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
    };
    as_is(_mm256_shuffle_epi8(v, _mm256_setr_m128i(half(low), half(high))))
}
