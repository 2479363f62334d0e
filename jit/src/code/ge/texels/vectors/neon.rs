//! Vectors of 128 bits of ARM: each of u, v, and the channels of two pixels is one.

use super::super::{CUT, DOUBT};
use super::Vectors;
use crate::code::ge::depth_test::DepthTest;
use crate::code::vectors::Work;
use crate::emit::ge::span::{DEPTH_BITS, GroupTexels, PLACE_BITS};
use std::arch::aarch64::{
    float64x2_t, int32x4_t, int64x2_t, uint16x8_t, uint32x4_t, uint64x2_t, vabsq_f64, vaddq_f64, vaddq_s64,
    vandq_s32, vandq_u32, vandq_u64, vbslq_f64, vceqq_s32, vcgtq_f64, vcgtq_s32, vcltq_f64, vcombine_u16,
    vcombine_u32, vdivq_f64, vdupq_laneq_f64, vdupq_n_f64, vdupq_n_s32, vdupq_n_u8, vdupq_n_u32, vdupq_n_u64,
    vget_low_u8, vgetq_lane_u64, vld1_u16, vld1_u32, vld1q_f64, vld1q_s32, vld1q_s64, vld1q_u8, vmaxq_s32,
    vmaxq_u32, vmaxvq_u32, vminq_s32, vmlal_high_u8, vmlal_u8, vmlaq_s32, vmlaq_u16, vmovl_high_u8, vmovl_u8,
    vmovl_u16, vmovn_u32, vmull_high_u8, vmull_u8, vmulq_f64, vmulq_n_u32, vorrq_u32, vorrq_u64,
    vreinterpretq_f64_u64, vreinterpretq_s32_f64, vreinterpretq_s32_s64, vreinterpretq_s32_u32,
    vreinterpretq_u8_u16, vreinterpretq_u8_u32, vreinterpretq_u16_u8, vreinterpretq_u16_u32,
    vreinterpretq_u32_s32, vreinterpretq_u32_u16, vreinterpretq_u32_u64, vreinterpretq_u64_f64, vshlq_n_u16,
    vshlq_n_u64, vshlq_s32, vshlq_u32, vshrq_n_s32, vshrq_n_u16, vst1q_s32, vst1q_u16, vsubq_f64, vsubq_s32,
    vsubq_u8, vsubq_u16, vuzp1q_s32, vuzp1q_u32, vuzp2q_s32, vuzp2q_u32, vzip1q_u16, vzip1q_u32, vzip2q_u32,
};
use std::cmp::Ordering;

/// Vectors that any processor of this kind has.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Neon;

/// Instructions that any processor of this kind has, and no access to memory.
macro_rules! instructions {
    ($found:expr) => {
        // SAFETY: the processor has them, and nothing else is required.
        unsafe { $found }
    };
}

/// An instruction on both vectors of each of two.
macro_rules! both {
    ($of:ident, $a:expr, $b:expr) => {
        instructions!([$of($a[0], $b[0]), $of($a[1], $b[1])])
    };
}

impl Vectors for Neon {
    type Doubles = [float64x2_t; 2];
    type Longs = [int64x2_t; 2];
    type Ints = int32x4_t;
    type Places = [int32x4_t; 2];
    type Colours = [uint16x8_t; 2];

    #[inline(never)]
    fn apart<W: Work>(self, work: W) -> W::Found {
        work.work()
    }

    #[inline(always)]
    fn doubles(self, lanes: [f64; 4]) -> [float64x2_t; 2] {
        // SAFETY: there are four.
        unsafe { [vld1q_f64(lanes.as_ptr()), vld1q_f64(lanes.as_ptr().add(2))] }
    }

    #[inline(always)]
    fn add(self, a: [float64x2_t; 2], b: [float64x2_t; 2]) -> [float64x2_t; 2] {
        both!(vaddq_f64, a, b)
    }

    #[inline(always)]
    fn sub(self, a: [float64x2_t; 2], b: [float64x2_t; 2]) -> [float64x2_t; 2] {
        both!(vsubq_f64, a, b)
    }

    #[inline(always)]
    fn mul(self, a: [float64x2_t; 2], b: [float64x2_t; 2]) -> [float64x2_t; 2] {
        both!(vmulq_f64, a, b)
    }

    #[inline(always)]
    fn div(self, a: [float64x2_t; 2], b: [float64x2_t; 2]) -> [float64x2_t; 2] {
        both!(vdivq_f64, a, b)
    }

    #[inline(always)]
    fn smaller(self, a: [float64x2_t; 2], b: [float64x2_t; 2]) -> [float64x2_t; 2] {
        instructions!([
            vbslq_f64(vcltq_f64(a[0], b[0]), a[0], b[0]),
            vbslq_f64(vcltq_f64(a[1], b[1]), a[1], b[1]),
        ])
    }

    #[inline(always)]
    fn larger(self, a: [float64x2_t; 2], b: [float64x2_t; 2]) -> [float64x2_t; 2] {
        instructions!([
            vbslq_f64(vcgtq_f64(a[0], b[0]), a[0], b[0]),
            vbslq_f64(vcgtq_f64(a[1], b[1]), a[1], b[1]),
        ])
    }

    #[inline(always)]
    fn magnitude(self, [a, b]: [float64x2_t; 2]) -> [float64x2_t; 2] {
        instructions!([vabsq_f64(a), vabsq_f64(b)])
    }

    #[inline(always)]
    fn cut(self, [a, b]: [float64x2_t; 2]) -> [float64x2_t; 2] {
        instructions!({
            let kept = vdupq_n_u64(u64::MAX << CUT);
            [
                vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), kept)),
                vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(b), kept)),
            ]
        })
    }

    #[inline(always)]
    fn along(self, [a, b]: [float64x2_t; 2]) -> [float64x2_t; 2] {
        instructions!([vsubq_f64(vdupq_laneq_f64::<1>(a), a), vsubq_f64(vdupq_laneq_f64::<1>(b), b)])
    }

    #[inline(always)]
    fn upper(self, [a, c]: [float64x2_t; 2]) -> [i32; 2] {
        instructions!([
            (vgetq_lane_u64::<0>(vreinterpretq_u64_f64(a)) >> 48) as i32,
            (vgetq_lane_u64::<0>(vreinterpretq_u64_f64(c)) >> 48) as i32,
        ])
    }

    #[inline(always)]
    fn any_below(self, [a, b]: [float64x2_t; 2], least: f64) -> bool {
        instructions!({
            let least = vdupq_n_f64(least);
            let below = vorrq_u64(vcltq_f64(a, least), vcltq_f64(b, least));
            vmaxvq_u32(vreinterpretq_u32_u64(below)) != 0
        })
    }

    #[inline(always)]
    fn longs(self, lanes: [i64; 4]) -> [int64x2_t; 2] {
        // SAFETY: there are four.
        unsafe { [vld1q_s64(lanes.as_ptr()), vld1q_s64(lanes.as_ptr().add(2))] }
    }

    #[inline(always)]
    fn sum(self, a: [int64x2_t; 2], b: [int64x2_t; 2]) -> [int64x2_t; 2] {
        both!(vaddq_s64, a, b)
    }

    #[inline(always)]
    unsafe fn any_passes(
        self,
        test: &DepthTest,
        depth: [int64x2_t; 2],
        stored: *const u16,
        covered: &[i32; 4],
    ) -> bool {
        // SAFETY: four numbers are stored, as the caller promises, and there are four integers.
        unsafe {
            let depth = vshrq_n_s32::<{ DEPTH_BITS as i32 }>(upper_halves(depth));
            let stored = vreinterpretq_s32_u32(vmovl_u16(vld1_u16(stored)));
            let covered = vreinterpretq_u32_s32(vld1q_s32(covered.as_ptr()));
            let passes = match test.passes {
                Ordering::Greater => vcgtq_s32(depth, stored),
                Ordering::Less => vcgtq_s32(stored, depth),
                Ordering::Equal => vdupq_n_u32(0),
            };
            let equal = if test.or_equal { vceqq_s32(depth, stored) } else { vdupq_n_u32(0) };
            vmaxvq_u32(vandq_u32(vorrq_u32(passes, equal), covered)) != 0
        }
    }

    #[inline(always)]
    fn ints(self, lanes: [i32; 4]) -> int32x4_t {
        // SAFETY: there are four.
        unsafe { vld1q_s32(lanes.as_ptr()) }
    }

    #[inline(always)]
    fn places(self, [u, v]: [[i32; 4]; 2]) -> [int32x4_t; 2] {
        [self.ints(u), self.ints(v)]
    }

    #[inline(always)]
    fn low(self, [[a, b], [c, d]]: [[float64x2_t; 2]; 2]) -> [int32x4_t; 2] {
        instructions!([
            vuzp1q_s32(vreinterpretq_s32_f64(a), vreinterpretq_s32_f64(b)),
            vuzp1q_s32(vreinterpretq_s32_f64(c), vreinterpretq_s32_f64(d)),
        ])
    }

    #[inline(always)]
    fn high(self, [u, v]: [[int64x2_t; 2]; 2]) -> [int32x4_t; 2] {
        [upper_halves(u), upper_halves(v)]
    }

    #[inline(always)]
    fn clamped(self, a: [int32x4_t; 2], [least, most]: [[int32x4_t; 2]; 2]) -> [int32x4_t; 2] {
        let above = both!(vmaxq_s32, a, least);
        both!(vminq_s32, above, most)
    }

    #[inline(always)]
    fn whole(self, [u, v]: [int32x4_t; 2], masks: [int32x4_t; 2]) -> [int32x4_t; 2] {
        const BITS: i32 = PLACE_BITS as i32;
        let whole = instructions!([vshrq_n_s32::<BITS>(u), vshrq_n_s32::<BITS>(v)]);
        both!(vandq_s32, whole, masks)
    }

    #[inline(always)]
    fn strides(self, columns: i32) -> [int32x4_t; 2] {
        self.places([[1; 4], [columns; 4]])
    }

    #[inline(always)]
    fn indices(self, [u, v]: [int32x4_t; 2], [_, columns]: [int32x4_t; 2]) -> [u32; 4] {
        let mut to = [0; 4];
        // SAFETY: there is room for four.
        unsafe { vst1q_s32(to.as_mut_ptr(), vmlaq_s32(u, v, columns)) };
        to.map(i32::cast_unsigned)
    }

    /// Of u a byte for each channel, and behind them what is left to 16.
    #[inline(always)]
    fn sixteenths(self, [u, v]: [int32x4_t; 2]) -> [[uint16x8_t; 2]; 2] {
        const BITS: i32 = PLACE_BITS as i32 - 4;
        let shifted = instructions!([vshrq_n_s32::<BITS>(u), vshrq_n_s32::<BITS>(v)]);
        let [u, v] = both!(vandq_s32, shifted, [self.ints([15; 4]); 2]);
        let shares = instructions!({
            let share = vreinterpretq_u8_u32(vmulq_n_u32(vreinterpretq_u32_s32(u), 0x0101_0101));
            [vreinterpretq_u16_u8(share), vreinterpretq_u16_u8(vsubq_u8(vdupq_n_u8(16), share))]
        });
        [shares, self.spread(v)]
    }

    #[inline(always)]
    fn halved(self, a: [int32x4_t; 2], [u, v]: [u32; 2], less: i32) -> [int32x4_t; 2] {
        let by = instructions!([vdupq_n_s32(-u.cast_signed()), vdupq_n_s32(-v.cast_signed())]);
        let halved = both!(vshlq_s32, a, by);
        both!(vsubq_s32, halved, [self.ints([less; 4]); 2])
    }

    #[inline(always)]
    fn last_bits(self, [u, v]: [int32x4_t; 2], above: u32, cut: [float64x2_t; 2]) -> [int32x4_t; 2] {
        instructions!({
            let above = vdupq_n_s32(above.cast_signed());
            let u = vshlq_u32(vreinterpretq_u32_s32(u), above);
            [vreinterpretq_s32_u32(vmaxq_u32(u, last_bits(cut))), vshlq_s32(v, above)]
        })
    }

    #[inline(always)]
    fn later(self, [a, b]: [int32x4_t; 2], [c, d]: [int32x4_t; 2]) -> [int32x4_t; 2] {
        instructions!({
            let larger =
                |a, b| vreinterpretq_s32_u32(vmaxq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b)));
            [larger(a, c), larger(b, d)]
        })
    }

    #[inline(always)]
    fn are_doubtful(self, [a, b]: [int32x4_t; 2]) -> bool {
        instructions!(vmaxvq_u32(vmaxq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b))) >= DOUBT)
    }

    #[inline(always)]
    fn is_cut_doubtful(self, cut: [float64x2_t; 2]) -> bool {
        instructions!(vmaxvq_u32(last_bits(cut)) >= DOUBT)
    }

    #[inline(always)]
    unsafe fn words(self, from: *const u32, [a, b, c, d]: [u32; 4]) -> [uint16x8_t; 2] {
        // SAFETY: the words are there, as the caller promises.
        unsafe {
            let word = |at: u32| *from.add(at as usize);
            self.neighbours([word(a), word(b), word(c), word(d)].as_ptr())
        }
    }

    #[inline(always)]
    unsafe fn neighbours(self, words: *const u32) -> [uint16x8_t; 2] {
        // SAFETY: four words are 16 bytes, and there, as the caller promises.
        unsafe {
            let bytes = vld1q_u8(words.cast());
            [vmovl_u8(vget_low_u8(bytes)), vmovl_high_u8(bytes)]
        }
    }

    #[inline(always)]
    unsafe fn mixed(
        self,
        from: *const u32,
        [a, b, c, d]: [u32; 4],
        shares: [uint16x8_t; 2],
    ) -> [uint16x8_t; 2] {
        // SAFETY: two words are there, as the caller promises.
        unsafe {
            let pair = |at: u32| vld1_u32(from.add(at as usize));
            let [first, second] = [vcombine_u32(pair(a), pair(b)), vcombine_u32(pair(c), pair(d))];
            let left = vreinterpretq_u8_u32(vuzp1q_u32(first, second));
            let right = vreinterpretq_u8_u32(vuzp2q_u32(first, second));
            let [share, rest] = [vreinterpretq_u8_u16(shares[0]), vreinterpretq_u8_u16(shares[1])];
            let low = vmull_u8(vget_low_u8(left), vget_low_u8(rest));
            [
                vmlal_u8(low, vget_low_u8(right), vget_low_u8(share)),
                vmlal_high_u8(vmull_high_u8(left, rest), right, share),
            ]
        }
    }

    #[inline(always)]
    fn between<const BITS: i32>(
        self,
        [a, b]: [[uint16x8_t; 2]; 2],
        sixteenths: [uint16x8_t; 2],
    ) -> [uint16x8_t; 2] {
        let difference = both!(vsubq_u16, b, a);
        instructions!({
            let first = vmlaq_u16(vshlq_n_u16::<4>(a[0]), difference[0], sixteenths[0]);
            let second = vmlaq_u16(vshlq_n_u16::<4>(a[1]), difference[1], sixteenths[1]);
            [vshrq_n_u16::<BITS>(first), vshrq_n_u16::<BITS>(second)]
        })
    }

    #[inline(always)]
    fn spread(self, a: int32x4_t) -> [uint16x8_t; 2] {
        instructions!({
            let lanes = vmovn_u32(vreinterpretq_u32_s32(a));
            let lanes = vcombine_u16(lanes, lanes);
            let twice = vreinterpretq_u32_u16(vzip1q_u16(lanes, lanes));
            [vreinterpretq_u16_u32(vzip1q_u32(twice, twice)), vreinterpretq_u16_u32(vzip2q_u32(twice, twice))]
        })
    }

    #[inline(always)]
    fn halves(self, [first, _]: [uint16x8_t; 2], [_, second]: [uint16x8_t; 2]) -> [uint16x8_t; 2] {
        [first, second]
    }

    #[inline(always)]
    fn store(self, [first, second]: [uint16x8_t; 2], GroupTexels(to): &mut GroupTexels) {
        let to = to.as_mut_ptr();
        // SAFETY: there is room for twice eight.
        unsafe {
            vst1q_u16(to, first);
            vst1q_u16(to.add(8), second);
        }
    }
}

#[inline(always)]
fn upper_halves([a, b]: [int64x2_t; 2]) -> int32x4_t {
    instructions!(vuzp2q_s32(vreinterpretq_s32_s64(a), vreinterpretq_s32_s64(b)))
}

/// The bits that are cut.
#[inline(always)]
fn last_bits([a, b]: [float64x2_t; 2]) -> uint32x4_t {
    const BITS: i32 = 64 - CUT as i32;
    instructions!({
        let a: uint64x2_t = vshlq_n_u64::<BITS>(vreinterpretq_u64_f64(a));
        let b: uint64x2_t = vshlq_n_u64::<BITS>(vreinterpretq_u64_f64(b));
        vuzp2q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b))
    })
}
