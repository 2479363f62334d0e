//! From fields of vertices to vertices.

use crate::emit::ge::vertices::{MOST, Stations};
use picaflor_pipeline::ge::vertex::Vertex;

/// Makes vertices of the first ones of the stations, up to [`MOST`].
pub(crate) fn finish(stations: &Stations, vertices: &mut [Vertex]) {
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut))]
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, and nothing else is required.
        done = unsafe { groups_avx2(stations, vertices) };
    }
    for (n, vertex) in vertices.iter_mut().enumerate().take(MOST).skip(done) {
        let [x, y, z] = [stations.place[0][n], stations.place[1][n], stations.place[2][n]];
        *vertex = Vertex {
            clip: [stations.clip[0][n], stations.clip[1][n], stations.clip[2][n], stations.clip[3][n]],
            texture: [stations.texture[0][n], stations.texture[1][n], stations.texture[2][n]],
            x,
            y,
            z,
            colour: stations.colour[n].cast_unsigned(),
            secondary: stations.secondary[n].cast_unsigned(),
            fog: stations.fog[n] as u8,
            outside: stations.outside[n] as u8,
            reserved: [0; 2],
        };
    }
}

/// Whole groups of four, whose fields become rows by shuffles; returns the number of vertices.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn groups_avx2(stations: &Stations, vertices: &mut [Vertex]) -> usize {
    use crate::emit::ge::vertices::{Integers, Numbers};
    use std::arch::x86_64::{
        __m128i, __m256d, _mm_loadu_si128, _mm_or_si128, _mm_slli_epi32, _mm_storel_epi64, _mm_storeu_si128,
        _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64, _mm256_loadu_pd,
        _mm256_permute2f128_pd, _mm256_storeu_pd, _mm256_unpackhi_pd, _mm256_unpacklo_pd,
    };
    use std::mem::offset_of;
    const { assert!(offset_of!(Vertex, clip) == 0 && offset_of!(Vertex, texture) == 32) }
    const { assert!(offset_of!(Vertex, x) == 56 && offset_of!(Vertex, colour) == 68) }
    const { assert!(offset_of!(Vertex, secondary) == 72 && offset_of!(Vertex, fog) == 76) }
    const { assert!(offset_of!(Vertex, outside) == 77 && size_of::<Vertex>() == 80) }

    let numbers = |[a, b, c, d]: [&Numbers; 4], at: usize| -> [__m256d; 4] {
        // SAFETY: the four numbers from `at` on lie inside each field: `at` is a multiple of 4 below `MOST`, which is one too.
        let [a, b, c, d] = unsafe {
            [
                _mm256_loadu_pd(a.as_ptr().add(at)),
                _mm256_loadu_pd(b.as_ptr().add(at)),
                _mm256_loadu_pd(c.as_ptr().add(at)),
                _mm256_loadu_pd(d.as_ptr().add(at)),
            ]
        };
        let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
        let (ab_odd, cd_odd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab, cd),
            _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
            _mm256_permute2f128_pd::<0x31>(ab, cd),
            _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
        ]
    };
    // SAFETY: as above.
    let integers = |field: &Integers, at: usize| unsafe { _mm_loadu_si128(field.as_ptr().add(at).cast()) };
    let pairs = |a: __m128i, b: __m128i| [_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)];
    let Stations { clip: [x, y, z, w], texture: [s, t, q], place: [place_x, place_y, place_z], .. } =
        stations;
    let groups = vertices.as_chunks_mut::<4>().0;
    let groups = groups.iter_mut().take(MOST / 4);
    let mut at = 0;
    for group in groups {
        let clip = numbers([x, y, z, w], at);
        let texture = numbers([s, t, q, q], at);
        let [xy, xy_last] = pairs(integers(place_x, at), integers(place_y, at));
        let [zc, zc_last] = pairs(integers(place_z, at), integers(&stations.colour, at));
        let places = [
            _mm_unpacklo_epi64(xy, zc),
            _mm_unpackhi_epi64(xy, zc),
            _mm_unpacklo_epi64(xy_last, zc_last),
            _mm_unpackhi_epi64(xy_last, zc_last),
        ];
        let outside = _mm_slli_epi32::<8>(integers(&stations.outside, at));
        let rest = _mm_or_si128(integers(&stations.fog, at), outside);
        let [ends, ends_last] = pairs(integers(&stations.secondary, at), rest);
        let ends =
            [ends, _mm_unpackhi_epi64(ends, ends), ends_last, _mm_unpackhi_epi64(ends_last, ends_last)];
        for (n, vertex) in group.iter_mut().enumerate() {
            let to: *mut Vertex = vertex;
            // SAFETY: a vertex has 80 bytes, fields as asserted, and any bytes are one. What the second store writes behind the
            // texture coordinates, the third one writes anew.
            unsafe {
                _mm256_storeu_pd(to.byte_add(0).cast(), clip[n]);
                _mm256_storeu_pd(to.byte_add(32).cast(), texture[n]);
                _mm_storeu_si128(to.byte_add(56).cast(), places[n]);
                _mm_storel_epi64(to.byte_add(72).cast(), ends[n]);
            }
        }
        at += 4;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices that are not in a whole group are made one by one.
    #[test]
    fn groups_are_as_single_vertices() {
        let mut stations = Stations::default();
        let mut next = 0;
        let mut number = || {
            next += 1;
            next
        };
        let Stations { clip, texture, place, colour, secondary, fog, outside, .. } = &mut stations;
        clip.iter_mut().chain(texture).flatten().for_each(|value| *value = f64::from(number()));
        place.iter_mut().chain([colour, secondary]).flatten().for_each(|value| *value = -number());
        fog.iter_mut().chain(outside).for_each(|value| *value = number() & 255);
        let mut together = [Vertex::EMPTY; MOST];
        finish(&stations, &mut together);
        for (n, vertex) in together.iter().enumerate() {
            let mut alone = stations.clone();
            let Stations { clip, texture, place, colour, secondary, fog, outside, .. } = &mut alone;
            clip.iter_mut().chain(texture).for_each(|field| field[0] = field[n]);
            place.iter_mut().chain([colour, secondary, fog, outside]).for_each(|field| field[0] = field[n]);
            let mut single = [Vertex::EMPTY];
            finish(&alone, &mut single);
            assert_eq!(single[0], *vertex, "{n}");
        }
        assert_eq!((together[5].clip, together[5].reserved), ([6.0, 102.0, 198.0, 294.0], [0; 2]));
    }
}
