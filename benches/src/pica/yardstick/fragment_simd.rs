//! The state of the yardstick in vectors, by hand: colour x texture x texture, depth test, alpha blending.
//!
//! The same walk over blocks of 8x8 pixels in two widths: one quad of 2x2 pixels at a time in 128 bits, the width of
//! compiled code, and two quads in 256 bits. The bits are those of the interpreter: operations in its order, nothing
//! fused, exact divisions. Steps that these values cannot need are left out: clamps of colours that lie between 0 and
//! 1, limits of coordinates, NaN.
//!
//! Optimisations by hand, beside the vectors:
//!
//! * coordinates are scaled to texels within the triangle's numbers, v to texels before its row: powers of two,
//!   so nothing is rounded differently;
//! * a product of bytes is divided by 255 as `(p + 128) * 257 >> 16`, one multiplication;
//! * blending is `s f + d (255 - f)` for all four channels, with 255 as the factor of alpha.
#![allow(unsafe_code)]

use super::fragment::{Frame, Set, Width};

/// Draws triangles, if this host has the vectors.
pub(super) fn draw(frame: &mut Frame, set: &mut Set, width: Width) -> Option<u64> {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return None;
    }
    // SAFETY: the host has AVX2, which is all that these functions ask for beyond what Rust knows.
    Some(unsafe {
        match width {
            Width::Four => four::draw(frame, set),
            Width::Eight => eight::draw(frame, set),
        }
    })
}

/// The kernel for the vectors that the surrounding module names.
macro_rules! kernel {
    () => {
        use super::super::fragment::{Block, Frame, SIDE, Set, Textures, TriangleNumbers, VALUES};

        /// Groups of a block.
        const GROUPS: usize = 64 / LANES;

        /// A triangle's numbers in all lanes.
        struct Numbers {
            /// Edge values relative to the first pixel of a group.
            lanes: [I; 3],
            least: [I; 3],
            r: [F; 3],
            z: [F; 3],
            sum: F,
            values: [[F; 3]; VALUES],
            /// Edge values of each group relative to the block.
            groups: [[i32; 3]; GROUPS],
        }

        /// Fills the numbers of a triangle. Loops, because closures would stay calls here.
        #[target_feature(enable = "avx2")]
        fn fill(to: &mut Numbers, of: &TriangleNumbers) {
            for n in 0..3 {
                let edge = &of.edges[n];
                to.lanes[n] = integers(&edge.quads);
                to.least[n] = set_epi32(edge.least);
                to.r[n] = set_ps(of.r[n]);
                to.z[n] = set_ps(of.z[n]);
                for (value, numbers) in to.values.iter_mut().zip(&of.values) {
                    value[n] = set_ps(numbers[n]);
                }
                for (group, steps) in to.groups.iter_mut().enumerate() {
                    steps[n] = edge.step(group * LANES);
                }
            }
            to.sum = set_ps(of.sum);
        }

        /// Draws all triangles of a set and counts the covered pixels.
        #[target_feature(enable = "avx2")]
        pub(super) fn draw(frame: &mut Frame, set: &mut Set) -> u64 {
            let mut covered = 0;
            let (zero, none) = (set_ps(0.0), set_epi32(0));
            let mut numbers = Numbers {
                lanes: [none; 3],
                least: [none; 3],
                r: [zero; 3],
                z: [zero; 3],
                sum: zero,
                values: [[zero; 3]; VALUES],
                groups: [[0; 3]; GROUPS],
            };
            let mut triangle = TriangleNumbers::default();
            while set.next(frame, &mut triangle) {
                fill(&mut numbers, &triangle);
                let mut row = triangle.rows.0 & !(SIDE - 1);
                while row < triangle.rows.1 {
                    let mut x = triangle.columns.0 & !(SIDE - 1);
                    while x < triangle.columns.1 {
                        if let Some(block) = triangle.block(x, row) {
                            covered += if block.whole {
                                draw_block::<true>(frame, &numbers, &block)
                            } else {
                                draw_block::<false>(frame, &numbers, &block)
                            };
                        }
                        x += SIDE;
                    }
                    row += SIDE;
                }
            }
            covered
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn weighted(by: &[F; 3], e: &[F; 3]) -> F {
            add_ps(add_ps(mul_ps(by[0], e[0]), mul_ps(by[1], e[1])), mul_ps(by[2], e[2]))
        }

        /// Draws a block, of which all pixels are inside if it is `WHOLE`.
        #[target_feature(enable = "avx2")]
        fn draw_block<const WHOLE: bool>(frame: &mut Frame, of: &Numbers, block: &Block) -> u64 {
            let Frame { colour, depth, textures, depth_scale, depth_offset, .. } = frame;
            let start = block.number * 64;
            let (colour, depth) = (&mut colour[start..start + 64], &mut depth[start..start + 64]);
            let [scale, offset] = [set_ps(*depth_scale), set_ps(*depth_offset)];
            let mut covered = 0;
            for (group, steps) in of.groups.iter().enumerate() {
                let edge = |n: usize| add_epi32(of.lanes[n], set_epi32(block.edges[n] + steps[n]));
                let e = [edge(0), edge(1), edge(2)];
                let mut mask = set_epi32(-1);
                if !WHOLE {
                    let below = |n: usize| sub_epi32(e[n], of.least[n]);
                    let outside = srai_epi32::<31>(or(or(below(0), below(1)), below(2)));
                    mask = andnot(outside, mask);
                    let lanes = movemask_ps(castsi_ps(mask)) as u32;
                    if lanes == 0 {
                        continue;
                    }
                    covered += u64::from(lanes.count_ones());
                }
                let e = [cvtepi32_ps(e[0]), cvtepi32_ps(e[1]), cvtepi32_ps(e[2])];
                // Depth: 24 bits, greater or equal.
                let z = add_ps(mul_ps(div_ps(weighted(&of.z, &e), of.sum), scale), offset);
                let z = min_ps(max_ps(z, set_ps(0.0)), set_ps(1.0));
                let z = cvttps_epi32(mul_ps(z, set_ps(16_777_215.0)));
                let place = group * LANES..(group + 1) * LANES;
                let old = load(&depth[place.clone()]);
                let farther = cmpgt_epi32(and(old, set_epi32(0x00ff_ffff)), z);
                mask = andnot(farther, mask);
                if movemask_ps(castsi_ps(mask)) == 0 {
                    continue;
                }
                let new = or(and(old, set_epi32(0xff00_0000_u32 as i32)), z);
                store(&mut depth[place.clone()], blendv(old, new, mask));
                // Interpolation.
                let rd = div_ps(set_ps(1.0), weighted(&of.r, &e));
                let value = |k: usize| mul_ps(weighted(&of.values[k], &e), rd);
                let byte = |k: usize| cvttps_epi32(add_ps(mul_ps(value(k), set_ps(255.0)), set_ps(0.5)));
                // Pixels are alpha, blue, green, red from the lowest byte on.
                let low_pair = or(byte(3), slli_epi32::<16>(byte(2)));
                let high_pair = or(byte(1), slli_epi32::<16>(byte(0)));
                let mut source = [unpacklo_epi32(low_pair, high_pair), unpackhi_epi32(low_pair, high_pair)];
                for unit in 0..2 {
                    let texels = fetch(textures, unit, value(4 + 2 * unit), value(5 + 2 * unit));
                    let halves = unpack(texels);
                    for (source, texels) in source.iter_mut().zip(halves) {
                        *source = div255(mullo_epi16(*source, texels));
                    }
                }
                let old = load(&colour[place.clone()]);
                let destination = unpack(old);
                for (source, destination) in source.iter_mut().zip(destination) {
                    let factor = or(shuffle_alpha(*source), set_epi64(255));
                    let rest = sub_epi16(set_epi16(255), factor);
                    *source = div255(add_epi16(mullo_epi16(*source, factor), mullo_epi16(destination, rest)));
                }
                let new = packus_epi16(source[0], source[1]);
                store(&mut colour[place], blendv(old, new, mask));
            }
            if WHOLE { 64 } else { covered }
        }

        /// Nearest texels, repeating. `u` in texels, `v` in texels before its row.
        #[target_feature(enable = "avx2")]
        #[inline]
        fn fetch(textures: &Textures, unit: usize, u: F, v: F) -> I {
            let column = and(cvttps_epi32(floor_ps(u)), set_epi32(textures.columns()));
            let row = and(cvttps_epi32(floor_ps(v)), set_epi32(textures.rows()));
            gather(textures.texels(unit), or(column, row))
        }

        /// The channels of pixels as 16 bits: the first and the second two of each quad.
        #[target_feature(enable = "avx2")]
        #[inline]
        fn unpack(pixels: I) -> [I; 2] {
            [unpacklo_epi8(pixels, set_epi32(0)), unpackhi_epi8(pixels, set_epi32(0))]
        }

        /// The integer nearest to p / 255.
        #[target_feature(enable = "avx2")]
        #[inline]
        fn div255(p: I) -> I {
            mulhi_epu16(add_epi16(p, set_epi16(128)), set_epi16(257))
        }
    };
}

mod eight {
    use std::arch::x86_64::{
        __m256 as F, __m256i as I, _mm_set_epi32, _mm256_add_epi16 as add_epi16,
        _mm256_add_epi32 as add_epi32, _mm256_add_ps as add_ps, _mm256_and_si256 as and,
        _mm256_andnot_si256 as andnot, _mm256_blendv_epi8 as blendv, _mm256_castsi256_ps as castsi_ps,
        _mm256_cmpgt_epi32 as cmpgt_epi32, _mm256_cvtepi32_ps as cvtepi32_ps,
        _mm256_cvttps_epi32 as cvttps_epi32, _mm256_div_ps as div_ps, _mm256_floor_ps as floor_ps,
        _mm256_loadu_si256, _mm256_max_ps as max_ps, _mm256_min_ps as min_ps,
        _mm256_movemask_ps as movemask_ps, _mm256_mul_ps as mul_ps, _mm256_mulhi_epu16 as mulhi_epu16,
        _mm256_mullo_epi16 as mullo_epi16, _mm256_or_si256 as or, _mm256_packus_epi16 as packus_epi16,
        _mm256_set_m128i, _mm256_set1_epi16 as set_epi16, _mm256_set1_epi32 as set_epi32,
        _mm256_set1_epi64x as set_epi64, _mm256_set1_ps as set_ps, _mm256_setr_epi8, _mm256_shuffle_epi8,
        _mm256_slli_epi32 as slli_epi32, _mm256_srai_epi32 as srai_epi32, _mm256_storeu_si256,
        _mm256_sub_epi16 as sub_epi16, _mm256_sub_epi32 as sub_epi32, _mm256_unpackhi_epi8 as unpackhi_epi8,
        _mm256_unpackhi_epi32 as unpackhi_epi32, _mm256_unpacklo_epi8 as unpacklo_epi8,
        _mm256_unpacklo_epi32 as unpacklo_epi32,
    };

    /// Pixels of a vector.
    const LANES: usize = 8;

    kernel!();

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load(from: &[u32]) -> I {
        assert!(from.len() >= LANES);
        // SAFETY: the slice has 32 bytes; no alignment is asked for.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn store(to: &mut [u32], pixels: I) {
        assert!(to.len() >= LANES);
        // SAFETY: the slice has 32 bytes; no alignment is asked for.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), pixels) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn integers(from: &[i32; 8]) -> I {
        // SAFETY: eight integers are 32 bytes.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    /// Texels by index. All of them are inside: see [`Textures`].
    #[target_feature(enable = "avx2")]
    #[inline]
    fn gather(texels: &[u32], index: I) -> I {
        let mut at = [0_u32; LANES];
        store(&mut at, index);
        let four = |n: usize| {
            // SAFETY: the indices were masked with bits that only indices inside have.
            let texel = |n: usize| unsafe { *texels.get_unchecked(at[n] as usize) as i32 };
            _mm_set_epi32(texel(n + 3), texel(n + 2), texel(n + 1), texel(n))
        };
        _mm256_set_m128i(four(4), four(0))
    }

    /// The alpha of each pixel in its four channels.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn shuffle_alpha(pixels: I) -> I {
        let order = _mm256_setr_epi8(
            0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9, 0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9,
        );
        _mm256_shuffle_epi8(pixels, order)
    }
}

mod four {
    use std::arch::x86_64::{
        __m128 as F, __m128i as I, _mm_add_epi16 as add_epi16, _mm_add_epi32 as add_epi32,
        _mm_add_ps as add_ps, _mm_and_si128 as and, _mm_andnot_si128 as andnot, _mm_blendv_epi8 as blendv,
        _mm_castsi128_ps as castsi_ps, _mm_cmpgt_epi32 as cmpgt_epi32, _mm_cvtepi32_ps as cvtepi32_ps,
        _mm_cvtsi128_si64, _mm_cvttps_epi32 as cvttps_epi32, _mm_div_ps as div_ps, _mm_extract_epi64,
        _mm_floor_ps as floor_ps, _mm_loadu_si128, _mm_max_ps as max_ps, _mm_min_ps as min_ps,
        _mm_movemask_ps as movemask_ps, _mm_mul_ps as mul_ps, _mm_mulhi_epu16 as mulhi_epu16,
        _mm_mullo_epi16 as mullo_epi16, _mm_or_si128 as or, _mm_packus_epi16 as packus_epi16, _mm_set_epi32,
        _mm_set1_epi16 as set_epi16, _mm_set1_epi32 as set_epi32, _mm_set1_epi64x as set_epi64,
        _mm_set1_ps as set_ps, _mm_setr_epi8, _mm_shuffle_epi8, _mm_slli_epi32 as slli_epi32,
        _mm_srai_epi32 as srai_epi32, _mm_storeu_si128, _mm_sub_epi16 as sub_epi16,
        _mm_sub_epi32 as sub_epi32, _mm_unpackhi_epi8 as unpackhi_epi8, _mm_unpackhi_epi32 as unpackhi_epi32,
        _mm_unpacklo_epi8 as unpacklo_epi8, _mm_unpacklo_epi32 as unpacklo_epi32,
    };

    /// Pixels of a vector.
    const LANES: usize = 4;

    kernel!();

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load(from: &[u32]) -> I {
        assert!(from.len() >= LANES);
        // SAFETY: the slice has 16 bytes; no alignment is asked for.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn store(to: &mut [u32], pixels: I) {
        assert!(to.len() >= LANES);
        // SAFETY: the slice has 16 bytes; no alignment is asked for.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), pixels) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn integers(from: &[i32; 8]) -> I {
        // SAFETY: eight integers are more than 16 bytes.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    /// Texels by index. All of them are inside: see [`Textures`].
    #[target_feature(enable = "avx2")]
    #[inline]
    fn gather(texels: &[u32], index: I) -> I {
        let [low, high] = [_mm_cvtsi128_si64(index), _mm_extract_epi64::<1>(index)].map(|pair| pair as u64);
        let at = [low & 0xffff_ffff, low >> 32, high & 0xffff_ffff, high >> 32];
        // SAFETY: the indices were masked with bits that only indices inside have.
        let texel = |n: usize| unsafe { *texels.get_unchecked(at[n] as usize) as i32 };
        _mm_set_epi32(texel(3), texel(2), texel(1), texel(0))
    }

    /// The alpha of each pixel in its four channels.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn shuffle_alpha(pixels: I) -> I {
        _mm_shuffle_epi8(pixels, _mm_setr_epi8(0, 1, 0, 1, 0, 1, 0, 1, 8, 9, 8, 9, 8, 9, 8, 9))
    }
}
