//! Arrays, for processors whose vectors nobody wrote for, and to test those of the others.

use super::super::{CUT, DOUBT};
use super::Vectors;
use crate::code::ge::depth_test::DepthTest;
use crate::code::vectors::Work;
use crate::emit::ge::span::{DEPTH_BITS, GroupTexels, PLACE_BITS};
use std::array::from_fn;

/// Arrays.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Arrays;

#[inline(always)]
fn with<T: Copy, R>(a: [T; 4], b: [T; 4], of: impl Fn(T, T) -> R) -> [R; 4] {
    from_fn(|n| of(a[n], b[n]))
}

impl Vectors for Arrays {
    type Doubles = [f64; 4];
    type Longs = [i64; 4];
    type Ints = [i32; 4];
    type Places = [[i32; 4]; 2];
    type Colours = [u16; 16];

    #[inline(never)]
    fn apart<W: Work>(self, work: W) -> W::Found {
        work.work()
    }

    #[inline(always)]
    fn doubles(self, lanes: [f64; 4]) -> [f64; 4] {
        lanes
    }

    #[inline(always)]
    fn add(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        with(a, b, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        with(a, b, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        with(a, b, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        with(a, b, |a, b| a / b)
    }

    #[inline(always)]
    fn smaller(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        with(a, b, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn larger(self, a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
        with(a, b, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn magnitude(self, a: [f64; 4]) -> [f64; 4] {
        a.map(f64::abs)
    }

    #[inline(always)]
    fn cut(self, a: [f64; 4]) -> [f64; 4] {
        a.map(|a| f64::from_bits(a.to_bits() & u64::MAX << CUT))
    }

    #[inline(always)]
    fn along(self, [a, b, c, d]: [f64; 4]) -> [f64; 4] {
        [b - a, 0.0, d - c, 0.0]
    }

    #[inline(always)]
    fn upper(self, [a, _, c, _]: [f64; 4]) -> [i32; 2] {
        [a, c].map(|lane| (lane.to_bits() >> 48) as i32)
    }

    #[inline(always)]
    fn any_below(self, a: [f64; 4], least: f64) -> bool {
        a.iter().fold(false, |any, a| any | (*a < least))
    }

    #[inline(always)]
    fn longs(self, lanes: [i64; 4]) -> [i64; 4] {
        lanes
    }

    #[inline(always)]
    fn sum(self, a: [i64; 4], b: [i64; 4]) -> [i64; 4] {
        with(a, b, i64::wrapping_add)
    }

    #[inline(always)]
    unsafe fn any_passes(
        self,
        test: &DepthTest,
        depth: [i64; 4],
        stored: *const u16,
        covered: &[i32; 4],
    ) -> bool {
        (0..4).fold(false, |any, n| {
            // SAFETY: four numbers are stored, as the caller promises, at any address: the host's memory has no alignment.
            let stored = i32::from(u16::from_le(unsafe { stored.add(n).read_unaligned() }));
            let order = ((depth[n] >> (32 + DEPTH_BITS)) as i32).cmp(&stored);
            any | (covered[n] != 0 && (order == test.passes || test.or_equal && order.is_eq()))
        })
    }

    #[inline(always)]
    fn ints(self, lanes: [i32; 4]) -> [i32; 4] {
        lanes
    }

    #[inline(always)]
    fn places(self, lanes: [[i32; 4]; 2]) -> [[i32; 4]; 2] {
        lanes
    }

    #[inline(always)]
    fn low(self, axes: [[f64; 4]; 2]) -> [[i32; 4]; 2] {
        axes.map(|axis| axis.map(|a| a.to_bits() as i32))
    }

    #[inline(always)]
    fn high(self, axes: [[i64; 4]; 2]) -> [[i32; 4]; 2] {
        axes.map(|axis| axis.map(|a| (a >> 32) as i32))
    }

    #[inline(always)]
    fn clamped(self, a: [[i32; 4]; 2], [least, most]: [[[i32; 4]; 2]; 2]) -> [[i32; 4]; 2] {
        from_fn(|axis| with(with(a[axis], least[axis], i32::max), most[axis], i32::min))
    }

    #[inline(always)]
    fn whole(self, a: [[i32; 4]; 2], masks: [[i32; 4]; 2]) -> [[i32; 4]; 2] {
        from_fn(|axis| with(a[axis], masks[axis], |a, mask| a >> PLACE_BITS & mask))
    }

    #[inline(always)]
    fn strides(self, columns: i32) -> [[i32; 4]; 2] {
        [[1; 4], [columns; 4]]
    }

    #[inline(always)]
    fn indices(self, [u, v]: [[i32; 4]; 2], [_, columns]: [[i32; 4]; 2]) -> [u32; 4] {
        from_fn(|n| v[n].wrapping_mul(columns[n]).wrapping_add(u[n]).cast_unsigned())
    }

    #[inline(always)]
    fn sixteenths(self, a: [[i32; 4]; 2]) -> [[u16; 16]; 2] {
        a.map(|axis| self.spread(axis.map(|a| a >> (PLACE_BITS - 4) & 15)))
    }

    #[inline(always)]
    fn halved(self, a: [[i32; 4]; 2], by: [u32; 2], less: i32) -> [[i32; 4]; 2] {
        from_fn(|axis| a[axis].map(|a| (a >> (by[axis] & 31)).wrapping_sub(less)))
    }

    #[inline(always)]
    fn last_bits(self, a: [[i32; 4]; 2], above: u32, cut: [f64; 4]) -> [[i32; 4]; 2] {
        let [u, v] = a.map(|axis| axis.map(|a| a << (above & 31)));
        self.later([u, v], [last_bits(cut).map(u32::cast_signed), v])
    }

    #[inline(always)]
    fn later(self, a: [[i32; 4]; 2], b: [[i32; 4]; 2]) -> [[i32; 4]; 2] {
        from_fn(|axis| with(a[axis], b[axis], |a, b| a.cast_unsigned().max(b.cast_unsigned()).cast_signed()))
    }

    #[inline(always)]
    fn are_doubtful(self, [a, b]: [[i32; 4]; 2]) -> bool {
        [a, b].into_iter().fold(false, |any, last| any | are_doubtful(last.map(i32::cast_unsigned)))
    }

    #[inline(always)]
    fn is_cut_doubtful(self, cut: [f64; 4]) -> bool {
        are_doubtful(last_bits(cut))
    }

    #[inline(always)]
    unsafe fn words(self, from: *const u32, at: [u32; 4]) -> [u16; 16] {
        // SAFETY: the words are there, as the caller promises.
        channels(at.map(|at| unsafe { *from.add(at as usize) }))
    }

    #[inline(always)]
    unsafe fn neighbours(self, words: *const u32) -> [u16; 16] {
        // SAFETY: four words are there, as the caller promises.
        channels(unsafe { words.cast::<[u32; 4]>().read() })
    }

    #[inline(always)]
    unsafe fn mixed(self, from: *const u32, at: [u32; 4], right: [u16; 16]) -> [u16; 16] {
        // SAFETY: the words are there, and the next ones, as the caller promises.
        let [a, b] = unsafe { [self.words(from, at), self.words(from.add(1), at)] };
        from_fn(|n| a[n] * (16 - right[n]) + b[n] * right[n])
    }

    #[inline(always)]
    fn between<const BITS: i32>(self, [a, b]: [[u16; 16]; 2], sixteenths: [u16; 16]) -> [u16; 16] {
        from_fn(|n| (a[n] * (16 - sixteenths[n]) + b[n] * sixteenths[n]) >> BITS)
    }

    #[inline(always)]
    fn spread(self, a: [i32; 4]) -> [u16; 16] {
        from_fn(|n| a[n / 4] as u16)
    }

    #[inline(always)]
    fn halves(self, first: [u16; 16], second: [u16; 16]) -> [u16; 16] {
        from_fn(|n| if n < 8 { first[n] } else { second[n] })
    }

    #[inline(always)]
    fn store(self, a: [u16; 16], to: &mut GroupTexels) {
        to.0 = a;
    }
}

#[inline(always)]
fn channels(words: [u32; 4]) -> [u16; 16] {
    let bytes = words.map(u32::to_le_bytes);
    from_fn(|n| u16::from(bytes.as_flattened()[n]))
}

/// The bits that are cut.
#[inline(always)]
fn last_bits(cut: [f64; 4]) -> [u32; 4] {
    cut.map(|a| (a.to_bits() << (64 - CUT) >> 32) as u32)
}

/// True if one of these may be that of the next number.
#[inline(always)]
fn are_doubtful(last: [u32; 4]) -> bool {
    last.iter().fold(false, |any, last| any | (*last >= DOUBT))
}
