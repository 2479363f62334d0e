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

/// Writes words to memory, the lowest byte first: four bytes each, or the lower three.
pub(crate) fn write_words<const BYTES: usize>(words: &[u32], bytes: &mut [u8]) {
    wide(|| {
        if BYTES == 4 {
            let pixels = bytes.as_chunks_mut::<4>().0;
            return pixels.iter_mut().zip(words).for_each(|(pixel, word)| *pixel = word.to_le_bytes());
        }
        let (fours, last) = words.as_chunks::<4>();
        let (groups, rest) = bytes.as_chunks_mut::<12>();
        for (four, group) in fours.iter().zip(groups) {
            let [a, b, c, d] = four.map(|word| word & 0xff_ffff);
            let words = [a | b << 24, b >> 8 | c << 16, c >> 16 | d << 8];
            *group = std::array::from_fn(|i| words[i / 4].to_le_bytes()[i % 4]);
        }
        for (word, pixel) in last.iter().zip(rest.as_chunks_mut::<3>().0) {
            let [a, b, c, _] = word.to_le_bytes();
            *pixel = [a, b, c];
        }
    });
}

/// Rows of four words as columns.
#[inline(always)]
pub(crate) fn transposed(rows: [[u32; 4]; 4]) -> [[u32; 4]; 4] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{
            __m128i, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64,
        };
        // SAFETY: four words and a vector have the same size, and any bits are a value of both; SSE2 is a part of
        // x86-64.
        unsafe {
            let [a, b, c, d] = std::mem::transmute::<[[u32; 4]; 4], [__m128i; 4]>(rows);
            let [low, high] = [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)];
            let [low_next, high_next] = [_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d)];
            std::mem::transmute::<[__m128i; 4], [[u32; 4]; 4]>([
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
    fn rows_and_columns() {
        let rows: [[u32; 4]; 4] = std::array::from_fn(|y| std::array::from_fn(|x| (10 * y + x) as u32));
        assert_eq!(transposed(rows)[1], [1, 11, 21, 31]);
        assert_eq!(transposed(transposed(rows)), rows);
        let mut bytes = [0; 19];
        write_words::<3>(&[0x0403_0201, 0x0807_0605, 0x0c0b_0a09, 0x100f_0e0d, 0x1413_1211], &mut bytes);
        assert_eq!(bytes, [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 0, 0, 0, 0]);
        assert_eq!(wide(|| rows.as_flattened().iter().sum::<u32>()), 264);
    }
}
