//! Display transfers and scan-out of whole blocks in vectors of 256 bits: the pixels of a row of blocks go from memory
//! to memory in registers.
//!
//! Two kinds of lanes: words, one colour each, in the form of an RGBA8 pixel (alpha in the lowest byte, then blue,
//! green, red), and halves, where both formats have 16 bits.
//!
//! Source: pica-geometry.md 7.3.

use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::pica::texel::ColourFormat;
use picaflor_pipeline::picture::PictureFormat;
use std::arch::asm;
use std::arch::x86_64::*;

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

/// Moves an image of `size` pixels, both multiples of 8; `flip` reverses the rows of the output. False if nothing was
/// done: the processor has no vectors of 256 bits, both sides are linear, or both are tiled and the output is flipped.
/// Asks before each row of blocks whether it is to end.
///
/// # Panics
/// If a pixel is not in the memory of its side.
pub(crate) fn transfer(
    from: Image<'_>,
    to: Image<'_>,
    size: [usize; 2],
    flip: bool,
    is_stopping: &dyn Fn() -> bool,
) -> bool {
    let is_possible = from.tiled != to.tiled || from.tiled && !flip;
    if !is_possible || !std::arch::is_x86_feature_detected!("avx2") {
        return false;
    }
    if !to.bytes.is_writable() {
        return true;
    }
    let [width, height] = size;
    assert!(width % SIDE == 0 && height % SIDE == 0, "{width}x{height}");
    let code = code(from.format, to.format);
    for y in (0..height).step_by(SIDE).take_while(|_| !is_stopping()) {
        let (mut source, mut target) =
            (from.band(y, width), to.band(if flip { height - SIDE - y } else { y }, width));
        if flip {
            // The linear side is read or written from its last row on.
            let linear = if from.tiled { &mut target } else { &mut source };
            linear.start = linear.start.wrapping_offset(linear.pitch * (SIDE as isize - 1));
            linear.pitch = -linear.pitch;
        }
        // SAFETY: AVX2 is there, as asked above; `band` checked all pixels of both places, and the output is writable.
        unsafe { code(source, target, width / SIDE) }
    }
    true
}

impl Image<'_> {
    /// The place of eight rows from `y` on.
    fn band(&self, y: usize, width: usize) -> Place {
        let bytes = self.format.bytes() as usize;
        let pixels = if self.tiled { SIDE * width } else { (SIDE - 1) * self.pitch + width };
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
    /// Bytes from row to row; unused if the side is tiled.
    pitch: isize,
    tiled: bool,
}

/// Constants of the formats, as types, so that each pair has code of its own.
trait Format {
    const FORMAT: ColourFormat;
    const BYTES: usize = Self::FORMAT.bytes() as usize;
}
struct Rgba8;
struct Rgb8;
struct Rgb5a1;
struct Rgb565;
struct Rgba4;
impl Format for Rgba8 {
    const FORMAT: ColourFormat = ColourFormat::Rgba8;
}
impl Format for Rgb8 {
    const FORMAT: ColourFormat = ColourFormat::Rgb8;
}
impl Format for Rgb5a1 {
    const FORMAT: ColourFormat = ColourFormat::Rgb5a1;
}
impl Format for Rgb565 {
    const FORMAT: ColourFormat = ColourFormat::Rgb565;
}
impl Format for Rgba4 {
    const FORMAT: ColourFormat = ColourFormat::Rgba4;
}

/// Reads 32 bytes; as assembly, because others may write them meanwhile.
///
/// # Safety
/// The bytes are readable, and the processor has AVX2, as for all functions here.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load32(from: *const u8) -> __m256i {
    let value;
    // SAFETY: reads the promised bytes, at any alignment.
    unsafe {
        asm!("vmovdqu {v}, [{p}]", v = out(ymm_reg) value, p = in(reg) from,
            options(nostack, preserves_flags, readonly));
    }
    value
}

/// As [`load32`], 16 bytes.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load16(from: *const u8) -> __m128i {
    let value;
    // SAFETY: as for `load32`.
    unsafe {
        asm!("vmovdqu {v}, [{p}]", v = out(xmm_reg) value, p = in(reg) from,
            options(nostack, preserves_flags, readonly));
    }
    value
}

/// Writes 32 bytes, as [`load32`] reads them.
///
/// # Safety
/// The bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store32(to: *mut u8, value: __m256i) {
    // SAFETY: writes the promised bytes, at any alignment.
    unsafe {
        asm!("vmovdqu [{p}], {v}", v = in(ymm_reg) value, p = in(reg) to, options(nostack, preserves_flags));
    }
}

/// As [`store32`], 16 bytes.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store16(to: *mut u8, value: __m128i) {
    // SAFETY: as for `store32`.
    unsafe {
        asm!("vmovdqu [{p}], {v}", v = in(xmm_reg) value, p = in(reg) to, options(nostack, preserves_flags));
    }
}

/// As [`store32`], the low 8 bytes.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store8(to: *mut u8, value: __m128i) {
    // SAFETY: as for `store32`.
    unsafe {
        asm!("vmovq [{p}], {v}", v = in(xmm_reg) value, p = in(reg) to, options(nostack, preserves_flags));
    }
}

/// Writes the first 12 bytes of both halves, as [`store32`].
///
/// # Safety
/// 24 bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store24(to: *mut u8, halves: __m256i) {
    let packed = _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    // SAFETY: the promised bytes.
    unsafe {
        store16(to, _mm256_castsi256_si128(packed));
        store8(to.add(16), _mm256_extracti128_si256::<1>(packed));
    }
}

/// Words shifted to the left, or to the right by a negative number, and masked.
#[target_feature(enable = "avx2")]
#[inline]
fn masked<const SHIFT: i32>(v: __m256i, mask: i32) -> __m256i {
    let moved = if SHIFT >= 0 {
        _mm256_sllv_epi32(v, _mm256_set1_epi32(SHIFT))
    } else {
        _mm256_srlv_epi32(v, _mm256_set1_epi32(-SHIFT))
    };
    _mm256_and_si256(moved, _mm256_set1_epi32(mask))
}

/// The colours of eight pixels that follow each other.
///
/// # Safety
/// Their bytes are readable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn read<F: Format>(from: *const u8) -> __m256i {
    // SAFETY: eight pixels have 32, 24 or 16 bytes.
    unsafe {
        match F::FORMAT {
            ColourFormat::Rgba8 => load32(from),
            ColourFormat::Rgb8 => {
                let both = _mm256_set_m128i(load16(from.add(8)), load16(from));
                let order = _mm256_setr_epi8(
                    -1, 0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 4, 5, 6, -1, 7, 8, 9, -1, 10,
                    11, 12, -1, 13, 14, 15,
                );
                _mm256_or_si256(_mm256_shuffle_epi8(both, order), _mm256_set1_epi32(255))
            }
            _ => decode::<F>(_mm256_cvtepu16_epi32(load16(from))),
        }
    }
}

/// The colours of pixels of 16 bits in words.
#[target_feature(enable = "avx2")]
#[inline]
fn decode<F: Format>(v: __m256i) -> __m256i {
    let or = |a, b| _mm256_or_si256(a, b);
    match F::FORMAT {
        ColourFormat::Rgb5a1 => {
            let high = or(
                masked::<16>(v, 0xf800_0000_u32 as i32),
                or(masked::<13>(v, 0x00f8_0000), masked::<10>(v, 0xf800)),
            );
            let alpha = _mm256_srli_epi32::<24>(_mm256_srai_epi32::<31>(_mm256_slli_epi32::<31>(v)));
            or(or(high, masked::<-5>(high, 0x0707_0700)), alpha)
        }
        ColourFormat::Rgb565 => {
            let high = or(masked::<16>(v, 0xf800_0000_u32 as i32), masked::<11>(v, 0xf800));
            let green = masked::<13>(v, 0x00fc_0000);
            let low = or(masked::<-5>(high, 0x0700_0700), masked::<-6>(green, 0x0003_0000));
            or(or(or(high, green), low), _mm256_set1_epi32(255))
        }
        _ => {
            // Four nibbles to four bytes, then each one twice.
            let pairs = _mm256_and_si256(or(v, _mm256_slli_epi32::<8>(v)), _mm256_set1_epi32(0x00ff_00ff));
            let all =
                _mm256_and_si256(or(pairs, _mm256_slli_epi32::<4>(pairs)), _mm256_set1_epi32(0x0f0f_0f0f));
            or(all, _mm256_slli_epi32::<4>(all))
        }
    }
}

/// Pixels of 16 bits in words, of colours: the top bits of each byte, joined by products and their sums.
#[target_feature(enable = "avx2")]
#[inline]
fn encode<F: Format>(v: __m256i) -> __m256i {
    let joined = |bits, bytes, factors| {
        _mm256_maddubs_epi16(_mm256_and_si256(bits, _mm256_set1_epi32(bytes)), _mm256_set1_epi32(factors))
    };
    match F::FORMAT {
        // 2 b, and g + 64 r; then twice the pixel.
        ColourFormat::Rgb565 => {
            let pairs = joined(_mm256_srli_epi16::<2>(v), 0x3e3f_3e00, 0x2001_0100);
            _mm256_srli_epi32::<1>(_mm256_madd_epi16(pairs, _mm256_set1_epi32(64 << 16 | 1)))
        }
        // 16 a + 32 b, and g + 32 r; then 16 times the pixel.
        ColourFormat::Rgb5a1 => {
            let pairs = joined(_mm256_srli_epi16::<3>(v), 0x1f1f_1f10, 0x2001_2001);
            _mm256_srli_epi32::<4>(_mm256_madd_epi16(pairs, _mm256_set1_epi32(1024 << 16 | 1)))
        }
        // a + 16 b, and g + 16 r.
        _ => {
            let pairs = joined(_mm256_srli_epi16::<4>(v), 0x0f0f_0f0f, 0x1001_1001);
            _mm256_madd_epi16(pairs, _mm256_set1_epi32(256 << 16 | 1))
        }
    }
}

/// Writes the pixels of eight colours.
///
/// # Safety
/// Their bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn write<F: Format>(to: *mut u8, v: __m256i) {
    // SAFETY: eight pixels have 32, 24 or 16 bytes.
    unsafe {
        match F::FORMAT {
            ColourFormat::Rgba8 => store32(to, v),
            ColourFormat::Rgb8 => {
                let order = _mm256_setr_epi8(
                    1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, -1, -1, -1, -1, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13,
                    14, 15, -1, -1, -1, -1,
                );
                let triples = _mm256_shuffle_epi8(v, order);
                store24(to, triples);
            }
            _ => {
                let halves = encode::<F>(v);
                let packed =
                    _mm_packus_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
                store16(to, packed);
            }
        }
    }
}

/// Two rows of eight words, of the words of four groups of 2x2 pixels: those at the left and those at the right.
#[target_feature(enable = "avx2")]
#[inline]
fn rows(left: __m256i, right: __m256i) -> [__m256i; 2] {
    let [a, b] = [_mm256_unpacklo_epi64(left, right), _mm256_unpackhi_epi64(left, right)];
    [_mm256_permute4x64_epi64::<0b11_01_10_00>(a), _mm256_permute4x64_epi64::<0b11_01_10_00>(b)]
}

/// The inverse of [`rows`].
#[target_feature(enable = "avx2")]
#[inline]
fn groups(above: __m256i, below: __m256i) -> [__m256i; 2] {
    let a = _mm256_permute4x64_epi64::<0b11_01_10_00>(above);
    let b = _mm256_permute4x64_epi64::<0b11_01_10_00>(below);
    [_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b)]
}

/// Moves blocks through words.
///
/// # Safety
/// The pixels of `blocks` blocks are readable and writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn words<S: Format, D: Format>(from: Place, to: Place, blocks: usize) {
    for block in 0..blocks {
        // SAFETY: the caller's promise, for the pixels of one block after the other.
        unsafe {
            let source = |place: usize| from.start.add((64 * block + place) * S::BYTES);
            let target = |place: usize| to.start.add((64 * block + place) * D::BYTES);
            let source_row =
                |row: usize| from.start.add(8 * block * S::BYTES).offset(row as isize * from.pitch);
            let target_row = |row: usize| to.start.add(8 * block * D::BYTES).offset(row as isize * to.pitch);
            // Pairs of rows; the groups of a pair are eight pixels at the left and eight at the right.
            for pair in 0..4 {
                let left = 32 * (pair / 2) + 8 * (pair % 2);
                match (from.tiled, to.tiled) {
                    (true, false) => {
                        let [a, b] = rows(read::<S>(source(left)), read::<S>(source(left + 16)));
                        write::<D>(target_row(2 * pair), a);
                        write::<D>(target_row(2 * pair + 1), b);
                    }
                    (false, true) => {
                        let [a, b] =
                            groups(read::<S>(source_row(2 * pair)), read::<S>(source_row(2 * pair + 1)));
                        write::<D>(target(left), a);
                        write::<D>(target(left + 16), b);
                    }
                    _ => {
                        for n in [2 * pair, 2 * pair + 1] {
                            write::<D>(target(8 * n), read::<S>(source(8 * n)));
                        }
                    }
                }
            }
        }
    }
}

/// Pixels of 16 bits of another format of 16 bits.
#[target_feature(enable = "avx2")]
#[inline]
fn between<S: Format, D: Format>(v: __m256i) -> __m256i {
    let and = |v, mask: u16| _mm256_and_si256(v, _mm256_set1_epi16(mask.cast_signed()));
    let or = |a, b| _mm256_or_si256(a, b);
    let one = _mm256_set1_epi16(1);
    match (S::FORMAT, D::FORMAT) {
        (ColourFormat::Rgb565, ColourFormat::Rgb5a1) => {
            or(or(and(v, 0xffc0), and(_mm256_slli_epi16::<1>(v), 0x003e)), one)
        }
        (ColourFormat::Rgb565, ColourFormat::Rgba4) => {
            let [r, g, b] = [
                and(v, 0xf000),
                and(_mm256_slli_epi16::<1>(v), 0x0f00),
                and(_mm256_slli_epi16::<3>(v), 0x00f0),
            ];
            or(or(r, g), or(b, _mm256_set1_epi16(15)))
        }
        (ColourFormat::Rgb5a1, ColourFormat::Rgb565) => {
            // The sixth bit of green repeats its first.
            let green = and(_mm256_srli_epi16::<5>(v), 0x0020);
            or(or(and(v, 0xffc0), green), and(_mm256_srli_epi16::<1>(v), 0x001f))
        }
        (ColourFormat::Rgb5a1, ColourFormat::Rgba4) => {
            let [r, g, b] = [
                and(v, 0xf000),
                and(_mm256_slli_epi16::<1>(v), 0x0f00),
                and(_mm256_slli_epi16::<2>(v), 0x00f0),
            ];
            let alpha = and(_mm256_srai_epi16::<15>(_mm256_slli_epi16::<15>(v)), 0x000f);
            or(or(r, g), or(b, alpha))
        }
        (ColourFormat::Rgba4, ColourFormat::Rgb565) => {
            let red = or(and(v, 0xf000), and(_mm256_srli_epi16::<4>(v), 0x0800));
            let g = and(_mm256_srli_epi16::<1>(v), 0x0780);
            let green = or(g, and(_mm256_srli_epi16::<4>(g), 0x0060));
            let blue = or(and(_mm256_srli_epi16::<3>(v), 0x001e), and(_mm256_srli_epi16::<7>(v), 1));
            or(or(red, green), blue)
        }
        (ColourFormat::Rgba4, ColourFormat::Rgb5a1) => {
            let red = or(and(v, 0xf000), and(_mm256_srli_epi16::<4>(v), 0x0800));
            let green = or(and(_mm256_srli_epi16::<1>(v), 0x0780), and(_mm256_srli_epi16::<5>(v), 0x0040));
            let blue = or(and(_mm256_srli_epi16::<2>(v), 0x003c), and(_mm256_srli_epi16::<6>(v), 0x0002));
            or(or(red, green), or(blue, and(_mm256_srli_epi16::<3>(v), 1)))
        }
        _ => v,
    }
}

/// Moves blocks through halves.
///
/// # Safety
/// The pixels of `blocks` blocks are readable and writable, and the processor has AVX2.
#[target_feature(enable = "avx2")]
unsafe fn halves<S: Format, D: Format>(from: Place, to: Place, blocks: usize) {
    for block in 0..blocks {
        // SAFETY: the caller's promise, for the pixels of one block after the other.
        unsafe {
            let source = |quarter: usize| from.start.add(128 * block + 32 * quarter);
            let target = |quarter: usize| to.start.add(128 * block + 32 * quarter);
            let source_row = |row: usize| from.start.add(16 * block).offset(row as isize * from.pitch);
            let target_row = |row: usize| to.start.add(16 * block).offset(row as isize * to.pitch);
            // Quarters of 4x4 pixels: the upper two, then the lower two.
            for upper in [0, 2] {
                let row = 2 * upper;
                match (from.tiled, to.tiled) {
                    (true, false) => {
                        let quarter =
                            |n| _mm256_shuffle_epi32::<0b11_01_10_00>(between::<S, D>(load32(source(n))));
                        let [left, right] = [quarter(upper), quarter(upper + 1)];
                        let [even, odd] =
                            [_mm256_unpacklo_epi64(left, right), _mm256_unpackhi_epi64(left, right)];
                        store16(target_row(row), _mm256_castsi256_si128(even));
                        store16(target_row(row + 1), _mm256_castsi256_si128(odd));
                        store16(target_row(row + 2), _mm256_extracti128_si256::<1>(even));
                        store16(target_row(row + 3), _mm256_extracti128_si256::<1>(odd));
                    }
                    (false, true) => {
                        let two = |n| {
                            between::<S, D>(_mm256_set_m128i(
                                load16(source_row(n + 2)),
                                load16(source_row(n)),
                            ))
                        };
                        let [even, odd] = [two(row), two(row + 1)];
                        let [left, right] =
                            [_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd)];
                        store32(target(upper), _mm256_shuffle_epi32::<0b11_01_10_00>(left));
                        store32(target(upper + 1), _mm256_shuffle_epi32::<0b11_01_10_00>(right));
                    }
                    _ => {
                        for n in [upper, upper + 1] {
                            store32(target(n), between::<S, D>(load32(source(n))));
                        }
                    }
                }
            }
        }
    }
}

/// Order of the bytes of a colour in memory of the host, and their number.
trait Host {
    const FORMAT: PictureFormat;
}
struct Rgb;
struct Rgba;
struct Bgra;
impl Host for Rgb {
    const FORMAT: PictureFormat = PictureFormat::Rgb;
}
impl Host for Rgba {
    const FORMAT: PictureFormat = PictureFormat::Rgba;
}
impl Host for Bgra {
    const FORMAT: PictureFormat = PictureFormat::Bgra;
}

/// Writes eight colours of the picture.
///
/// # Safety
/// Their bytes are writable.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn show<H: Host>(to: *mut u8, v: __m256i) {
    let all = |bytes: [i8; 16]| {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = bytes;
        _mm256_broadcastsi128_si256(_mm_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p))
    };
    // SAFETY: eight pixels have 32 or 24 bytes.
    unsafe {
        match H::FORMAT {
            PictureFormat::Rgb => {
                let triples =
                    _mm256_shuffle_epi8(v, all([3, 2, 1, 7, 6, 5, 11, 10, 9, 15, 14, 13, -1, -1, -1, -1]));
                store24(to, triples);
            }
            PictureFormat::Bgra => {
                let order = all([1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12]);
                let opaque = _mm256_set1_epi32(0xff00_0000_u32.cast_signed());
                store32(to, _mm256_or_si256(_mm256_shuffle_epi8(v, order), opaque));
            }
            _ => {
                let order = all([3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]);
                let opaque = _mm256_set1_epi32(0xff00_0000_u32.cast_signed());
                store32(to, _mm256_or_si256(_mm256_shuffle_epi8(v, order), opaque));
            }
        }
    }
}

/// Rows of eight words as columns.
#[target_feature(enable = "avx2")]
#[inline]
fn columns(r: [__m256i; 8]) -> [__m256i; 8] {
    // Pairs of rows, then fours, in each half; then halves.
    let [a, b] = [_mm256_unpacklo_epi32(r[0], r[1]), _mm256_unpackhi_epi32(r[0], r[1])];
    let [c, d] = [_mm256_unpacklo_epi32(r[2], r[3]), _mm256_unpackhi_epi32(r[2], r[3])];
    let [e, f] = [_mm256_unpacklo_epi32(r[4], r[5]), _mm256_unpackhi_epi32(r[4], r[5])];
    let [g, h] = [_mm256_unpacklo_epi32(r[6], r[7]), _mm256_unpackhi_epi32(r[6], r[7])];
    let upper = [
        _mm256_unpacklo_epi64(a, c),
        _mm256_unpackhi_epi64(a, c),
        _mm256_unpacklo_epi64(b, d),
        _mm256_unpackhi_epi64(b, d),
    ];
    let lower = [
        _mm256_unpacklo_epi64(e, g),
        _mm256_unpackhi_epi64(e, g),
        _mm256_unpacklo_epi64(f, h),
        _mm256_unpackhi_epi64(f, h),
    ];
    [
        _mm256_permute2x128_si256::<0x20>(upper[0], lower[0]),
        _mm256_permute2x128_si256::<0x20>(upper[1], lower[1]),
        _mm256_permute2x128_si256::<0x20>(upper[2], lower[2]),
        _mm256_permute2x128_si256::<0x20>(upper[3], lower[3]),
        _mm256_permute2x128_si256::<0x31>(upper[0], lower[0]),
        _mm256_permute2x128_si256::<0x31>(upper[1], lower[1]),
        _mm256_permute2x128_si256::<0x31>(upper[2], lower[2]),
        _mm256_permute2x128_si256::<0x31>(upper[3], lower[3]),
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
        // SAFETY: the caller's promise, for the pixels of one block after the other.
        unsafe {
            let source = from.start.add(SIDE * block * S::BYTES);
            let row = |n: isize| source.offset(n * from.pitch);
            let rows = [
                read::<S>(row(0)),
                read::<S>(row(1)),
                read::<S>(row(2)),
                read::<S>(row(3)),
                read::<S>(row(4)),
                read::<S>(row(5)),
                read::<S>(row(6)),
                read::<S>(row(7)),
            ];
            for (n, column) in (0..).zip(columns(rows)) {
                show::<H>(to.start.offset((8 * block as isize + n) * to.pitch), column);
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
    let code = match format {
        PictureFormat::Rgb => turner::<Rgb>(from.format),
        PictureFormat::Rgba => turner::<Rgba>(from.format),
        PictureFormat::Bgra => turner::<Bgra>(from.format),
        _ => return false,
    };
    if !std::arch::is_x86_feature_detected!("avx2") {
        return false;
    }
    let [width, height] = size;
    assert!(width.is_multiple_of(SIDE) && height.is_multiple_of(SIDE) && width > 0, "{width}x{height}");
    // The last row is at the bottom.
    let above = (width - 1).checked_mul(stride);
    let end = above.and_then(|above| above.checked_add(height.checked_mul(format.bytes())?));
    assert!(end.is_some_and(|end| end <= area.len()), "{width}x{height} by {stride}");
    let bottom = area.as_mut_ptr().wrapping_add((width - 1) * stride);
    for y in (0..height).step_by(SIDE) {
        let start = bottom.wrapping_add(y * format.bytes());
        let to = Place { start, pitch: -stride.cast_signed(), tiled: false };
        // SAFETY: AVX2 is there, as asked above; `band` checked the pixels that are read, and the assertion those that
        // are written.
        unsafe { code(from.band(y, width), to, width / SIDE) }
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

/// Code of one pair of formats.
type Move = unsafe fn(Place, Place, usize);

fn code(from: ColourFormat, to: ColourFormat) -> Move {
    match from {
        ColourFormat::Rgba8 | ColourFormat::Unknown => of_source::<Rgba8>(to),
        ColourFormat::Rgb8 => of_source::<Rgb8>(to),
        ColourFormat::Rgb5a1 => of_source::<Rgb5a1>(to),
        ColourFormat::Rgb565 => of_source::<Rgb565>(to),
        ColourFormat::Rgba4 => of_source::<Rgba4>(to),
    }
}

fn of_source<S: Format>(to: ColourFormat) -> Move {
    match (to, S::BYTES) {
        (ColourFormat::Rgba8 | ColourFormat::Unknown, _) => words::<S, Rgba8>,
        (ColourFormat::Rgb8, _) => words::<S, Rgb8>,
        (ColourFormat::Rgb5a1, 2) => halves::<S, Rgb5a1>,
        (ColourFormat::Rgb565, 2) => halves::<S, Rgb565>,
        (ColourFormat::Rgba4, 2) => halves::<S, Rgba4>,
        (ColourFormat::Rgb5a1, _) => words::<S, Rgb5a1>,
        (ColourFormat::Rgb565, _) => words::<S, Rgb565>,
        (ColourFormat::Rgba4, _) => words::<S, Rgba4>,
    }
}
