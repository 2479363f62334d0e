//! Vectors for loops of Rust: of 256 bits where the processor has them.

/// Runs `work`, compiled once more for wide vectors. What it calls has to be inlined to profit.
#[inline]
pub(crate) fn wide<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and nothing else is required.
        return unsafe { with_avx2(work) };
    }
    work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// True if [`wide`] and [`widely`] have vectors of 256 bits, or the processor has all that it needs anyway.
#[inline]
pub(crate) fn has_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

/// Work that is too large to be inlined unasked, as a closure would have to be.
pub(crate) trait Work {
    /// What it finds.
    type Found;

    /// Does it. To be `inline(always)`, with all that is to become vectors.
    fn work(self) -> Self::Found;
}

/// [`wide`] for large work.
#[inline]
pub(crate) fn widely<W: Work>(work: W) -> W::Found {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and nothing else is required.
        return unsafe { work_with_avx2(work) };
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("sse4.1") {
        // SAFETY: the processor has SSE4.1, and nothing else is required.
        return unsafe { work_with_sse41(work) };
    }
    work.work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn work_with_avx2<W: Work>(work: W) -> W::Found {
    work.work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse4.1")]
fn work_with_sse41<W: Work>(work: W) -> W::Found {
    work.work()
}

/// Writes words to memory, the lowest byte first: four bytes each, or the lower three.
pub(crate) fn write_words<const BYTES: usize>(words: &[u32], bytes: &mut [u8]) {
    if BYTES == 3 {
        return write_triples(words, bytes);
    }
    wide(|| {
        let pixels = bytes.as_chunks_mut::<4>().0;
        pixels.iter_mut().zip(words).for_each(|(pixel, word)| *pixel = word.to_le_bytes());
    });
}

fn write_triples(words: &[u32], bytes: &mut [u8]) {
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and nothing else is required.
        done = unsafe { triples_avx2(words, bytes) };
    }
    for (pixel, word) in bytes.as_chunks_mut::<3>().0.iter_mut().zip(words).skip(done) {
        let [a, b, c, _] = word.to_le_bytes();
        *pixel = [a, b, c];
    }
}

/// Whole groups of eight; returns the number of words.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn triples_avx2(words: &[u32], bytes: &mut [u8]) -> usize {
    use std::arch::x86_64::{
        __m256i, _mm256_permutevar8x32_epi32, _mm256_setr_epi8, _mm256_setr_epi32, _mm256_shuffle_epi8,
    };
    let triples = _mm256_setr_epi8(
        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1,
        -1, -1, -1,
    );
    let join = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
    let (groups, places) = (words.as_chunks::<8>().0, bytes.as_chunks_mut::<24>().0);
    for (group, place) in groups.iter().zip(&mut *places) {
        // SAFETY: eight words, 32 bytes and a vector have the same size, and any bits are a value of each.
        let packed = unsafe {
            let group = std::mem::transmute::<[u32; 8], __m256i>(*group);
            let packed = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(group, triples), join);
            std::mem::transmute::<__m256i, [u8; 32]>(packed)
        };
        place.copy_from_slice(&packed[..24]);
    }
    8 * groups.len().min(places.len())
}

/// A number without its fraction; `-MOST` or `MOST` in place of one beyond them, and 0 for a NaN. Loops of it become vectors. Those of
/// casts, which saturate at bounds of their own, ask for each number whether it is a NaN.
#[inline(always)]
pub(crate) fn truncated<const MOST: i32>(x: f32) -> i32 {
    const { assert!(MOST > 0 && MOST < 1 << 24, "exact as a number") };
    let most = MOST as f32;
    let x = if x > most { most } else { x };
    let x = if x < -most { -most } else { x };
    let x = if x.is_nan() { 0.0 } else { x };
    // SAFETY: it is no NaN, and between two numbers of 32 bits.
    unsafe { x.to_int_unchecked() }
}

/// A type of four bytes, any of which are a value.
///
/// # Safety
/// So it is.
pub(crate) unsafe trait Word: Copy {}

// SAFETY: four bytes, and any.
unsafe impl Word for u32 {}
// SAFETY: four bytes, and any.
unsafe impl Word for f32 {}

/// Rows of four words as columns.
#[inline(always)]
pub(crate) fn transposed<T: Word>(rows: [[T; 4]; 4]) -> [[T; 4]; 4] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{
            __m128i, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
        };
        // SAFETY: four words and a vector have the same size, and any bits are a value of both; SSE2 is a part of
        // x86-64.
        unsafe {
            let [a, b, c, d] = std::mem::transmute_copy::<[[T; 4]; 4], [__m128i; 4]>(&rows);
            let [low, high] = [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)];
            let [low_next, high_next] = [_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d)];
            std::mem::transmute_copy::<[__m128i; 4], [[T; 4]; 4]>(&[
                _mm_unpacklo_epi64(low, low_next),
                _mm_unpackhi_epi64(low, low_next),
                _mm_unpacklo_epi64(high, high_next),
                _mm_unpackhi_epi64(high, high_next),
            ])
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::array::from_fn(|x| std::array::from_fn(|y| rows[y][x]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_fractions() {
        let cases = [
            (0.99, 0),
            (-0.99, 0),
            (5.5, 5),
            (-5.5, -5),
            (1000.5, 1000),
            (1001.0, 1000),
            (f32::MAX, 1000),
            (-1e9, -1000),
            (f32::INFINITY, 1000),
            (f32::NEG_INFINITY, -1000),
            (f32::NAN, 0),
            (-f32::NAN, 0),
        ];
        for (x, expected) in cases {
            assert_eq!(truncated::<1000>(x), expected, "{x}");
        }
    }

    #[test]
    fn rows_and_columns() {
        let rows: [[u32; 4]; 4] = std::array::from_fn(|y| std::array::from_fn(|x| (10 * y + x) as u32));
        assert_eq!(transposed(rows)[1], [1, 11, 21, 31]);
        assert_eq!(transposed(transposed(rows)), rows);
        let mut bytes = [0; 19];
        write_words::<3>(&[0x0403_0201, 0x0807_0605, 0x0c0b_0a09, 0x100f_0e0d, 0x1413_1211], &mut bytes);
        assert_eq!(bytes, [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 0, 0, 0, 0]);
        let words: Vec<u32> = (0..21).map(|n| n * 0x0104_0509).collect();
        let mut bytes = [0; 63];
        write_words::<3>(&words, &mut bytes);
        assert!(bytes.iter().eq(
            words.iter().flat_map(|word| word.to_le_bytes().into_iter().take(3)).collect::<Vec<_>>().iter()
        ));
        assert_eq!(wide(|| rows.as_flattened().iter().sum::<u32>()), 264);
    }
}
