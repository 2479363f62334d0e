//! Coverage of a block by three edges: the one loop of set-up that is worth vector instructions of the host.

use picaflor_pipeline::pica::tiling::morton;

/// An edge function in a block: its value at the first pixel, and its change per pixel and row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    pub(crate) spare: i32,
    pub(crate) right: i32,
    pub(crate) down: i32,
}

/// Mask of the pixels with no negative value, by their place in memory. Values wrap.
pub(crate) fn inside(edges: [Steps; 3]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    let outside = if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        unsafe { outside_avx2(edges) }
    } else {
        // SAFETY: SSE2 is a part of x86-64.
        unsafe { outside_sse2(edges) }
    };
    #[cfg(not(target_arch = "x86_64"))]
    let outside = outside(edges);
    !outside
}

/// Place of the first pixel of each quad, by row and column.
const PLACES: [[u32; 4]; 4] = {
    let mut places = [[0; 4]; 4];
    let mut quad = 0;
    while quad < 16 {
        places[quad / 4][quad % 4] = morton(2 * (quad % 4) as u32, 2 * (quad / 4) as u32);
        quad += 1;
    }
    places
};

/// Mask of the pixels with a negative value. Live values (three values, three steps along and three across) fit the
/// registers of the host.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn outside_sse2([a, b, c]: [Steps; 3]) -> u64 {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_castsi128_ps, _mm_movemask_ps, _mm_or_si128, _mm_set1_epi32,
        _mm_setr_epi32,
    };
    /// The first quad, and the changes to the next one to the right and to the next row.
    #[target_feature(enable = "sse2")]
    #[inline]
    fn quads(Steps { spare, right, down }: Steps) -> [__m128i; 3] {
        let below = spare.wrapping_add(down);
        let first = _mm_setr_epi32(spare, spare.wrapping_add(right), below, below.wrapping_add(right));
        [first, _mm_set1_epi32(right.wrapping_mul(2)), _mm_set1_epi32(down.wrapping_mul(2))]
    }
    let [mut a, a_right, a_down] = quads(a);
    let [mut b, b_right, b_down] = quads(b);
    let [mut c, c_right, c_down] = quads(c);
    let mut outside = 0;
    for row in PLACES {
        let (mut x, mut y, mut z) = (a, b, c);
        for place in row {
            let any = _mm_or_si128(_mm_or_si128(x, y), z);
            outside |= (_mm_movemask_ps(_mm_castsi128_ps(any)) as u64) << place;
            x = _mm_add_epi32(x, a_right);
            y = _mm_add_epi32(y, b_right);
            z = _mm_add_epi32(z, c_right);
        }
        a = _mm_add_epi32(a, a_down);
        b = _mm_add_epi32(b, b_down);
        c = _mm_add_epi32(c, c_down);
    }
    outside
}

/// As [`outside_sse2`], two quads at once: they lie behind each other in memory.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn outside_avx2(edges: [Steps; 3]) -> u64 {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_castsi256_ps, _mm256_movemask_ps, _mm256_mullo_epi32,
        _mm256_or_si256, _mm256_set1_epi32, _mm256_setr_epi32,
    };
    /// The first two quads, and the changes to the next two to the right and to the next row.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn quads(Steps { spare, right, down }: Steps) -> [__m256i; 3] {
        let [spare, right, down] = [spare, right, down].map(|step| _mm256_set1_epi32(step));
        let along = _mm256_mullo_epi32(right, _mm256_setr_epi32(0, 1, 0, 1, 2, 3, 2, 3));
        let across = _mm256_mullo_epi32(down, _mm256_setr_epi32(0, 0, 1, 1, 0, 0, 1, 1));
        let [right, down] = [right, down].map(|step| _mm256_add_epi32(step, step));
        [_mm256_add_epi32(_mm256_add_epi32(spare, along), across), _mm256_add_epi32(right, right), down]
    }
    let [[mut a, a_right, a_down], [mut b, b_right, b_down], [mut c, c_right, c_down]] =
        [quads(edges[0]), quads(edges[1]), quads(edges[2])];
    let mut outside = 0;
    for row in PLACES {
        let right =
            [_mm256_add_epi32(a, a_right), _mm256_add_epi32(b, b_right), _mm256_add_epi32(c, c_right)];
        for (place, [x, y, z]) in [(row[0], [a, b, c]), (row[2], right)] {
            let any = _mm256_or_si256(_mm256_or_si256(x, y), z);
            outside |= u64::from(_mm256_movemask_ps(_mm256_castsi256_ps(any)).cast_unsigned()) << place;
        }
        a = _mm256_add_epi32(a, a_down);
        b = _mm256_add_epi32(b, b_down);
        c = _mm256_add_epi32(c, c_down);
    }
    outside
}

/// As [`outside_sse2`], for other hosts.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn outside(edges: [Steps; 3]) -> u64 {
    let is_negative = |x: i32, row: i32| {
        let value = |edge: &Steps| {
            let along = edge.spare.wrapping_add(edge.right.wrapping_mul(x));
            along.wrapping_add(edge.down.wrapping_mul(row))
        };
        edges.iter().any(|edge| value(edge) < 0)
    };
    let quads = (0..4).flat_map(|row| (0..4).map(move |column| (column, row)));
    quads.fold(0, |outside, (column, row)| {
        let (x, y) = (2 * column as i32, 2 * row as i32);
        let bits =
            [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].map(|(x, y)| u64::from(is_negative(x, y)));
        let bits = bits[0] | bits[1] << 1 | bits[2] << 2 | bits[3] << 3;
        outside | bits << PLACES[row][column]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_and_scalars_agree() {
        let mut seed = 1_u64;
        let mut random = || (picaflor_pipeline::random::bits(&mut seed) >> 40) as i32 - (1 << 23);
        let mut partial = 0;
        for _ in 0..2000 {
            let edges = [(); 3].map(|()| Steps { spare: random(), right: random() / 8, down: random() / 8 });
            assert_eq!(inside(edges), !outside(edges), "{edges:?}");
            #[cfg(target_arch = "x86_64")]
            // SAFETY: SSE2 is a part of x86-64.
            assert_eq!(unsafe { outside_sse2(edges) }, outside(edges), "{edges:?}");
            partial += u32::from(!matches!(inside(edges), 0 | u64::MAX));
        }
        assert!(partial > 500, "{partial}");
    }
}
