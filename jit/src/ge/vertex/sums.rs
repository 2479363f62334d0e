//! Arithmetic of the geometry pipe for loops that the compiler makes vectors of: [`number`](crate::ge::number) and
//! [`vector`](crate::ge::vector), for numbers of which nothing is known.
//!
//! A sum aligns its terms to the exponent `L` of the largest. Here the terms are multiplied by a power of two that
//! makes their last place 1, truncated, added as whole numbers, and multiplied back: exact, as long as `L` is not so
//! small that the power of two is no number. Where that cannot be excluded by what is known of the terms, it is
//! looked for, and those vertices are the interpreter's. Infinities and NaN go through all of it as they do through a sum.
//!
//! For the machine a product with a zero factor is 0, whatever the other factor (1.4); here infinity times 0 is NaN. It goes
//! through every later sum, so it is looked for at the ends only. (Infinities of both signs make one too.)
//!
//! `ROUNDS`: the processor truncates in one instruction.

use crate::code::ge::transforms::GROUP;
use crate::emit::ge::vertices::{MOST, Numbers};
use crate::ge::four::UNITS;
use picaflor_pipeline::ge::number::t16;

/// Least exponent for which sums are aligned here.
const LEAST: i32 = -1005;
/// Guard bits of matrix rows.
pub(super) const GUARD: u64 = 2;
/// Whole numbers have no places behind it.
const WHOLE: f64 = (1_u64 << 52) as f64;

/// The vertices of whole groups, so that the compiler sees that nothing is left over.
#[inline(always)]
pub(super) const fn lanes(count: usize) -> usize {
    let groups = count / GROUP;
    GROUP * if groups < MOST / GROUP { groups } else { MOST / GROUP }
}

/// A vector of a vertex.
#[inline(always)]
pub(super) const fn at(of: &[Numbers; 3], n: usize) -> [f64; 3] {
    [of[0][n], of[1][n], of[2][n]]
}

/// Makes a vector that of a vertex.
#[inline(always)]
pub(super) const fn put([x, y, z]: [f64; 3], to: &mut [Numbers; 3], n: usize) {
    (to[0][n], to[1][n], to[2][n]) = (x, y, z);
}

/// The sum of one to eight terms. `CHECKED`: it may be too small, and the vertex `rare`.
#[inline(always)]
pub(super) fn aligned<const N: usize, const ROUNDS: bool, const CHECKED: bool>(
    terms: [f64; N],
    guard: u64,
    rare: &mut u64,
) -> f64 {
    let least = f64::from_bits(((LEAST + 1023) as u64) << 52);
    let largest = in_pairs(terms.map(f64::abs), larger);
    let limited = if CHECKED { larger(largest, least) } else { largest };
    let exponent = limited.to_bits() & 0x7ff << 52;
    // Two to the power that makes the last place 1, and its reciprocal.
    let up = f64::from_bits(((2061 + guard) << 52).wrapping_sub(exponent));
    let down = f64::from_bits(exponent.wrapping_sub((15 + guard) << 52));
    let whole = terms.map(|term| truncated::<ROUNDS>(term * up));
    // Exact in any order.
    let sum = in_pairs(whole, |a, b| a + b);
    if CHECKED {
        *rare |= all(largest < least) & all(largest != 0.0);
    }
    // A sum of zeros is +0.
    t16(sum * down + 0.0)
}

/// One to eight numbers as one, so that few of the steps wait for each other.
#[inline(always)]
fn in_pairs<const N: usize>(numbers: [f64; N], both: impl Fn(f64, f64) -> f64) -> f64 {
    const { assert!(1 <= N && N <= 8) }
    if N == 1 {
        return numbers[0];
    }
    let mut found = both(numbers[0], numbers[1]);
    let mut n = 2;
    while n + 1 < N {
        found = both(found, both(numbers[n], numbers[n + 1]));
        n += 2;
    }
    if n < N { both(found, numbers[n]) } else { found }
}

/// The larger number; the other one beside a NaN.
#[inline(always)]
pub(super) const fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Toward zero, of numbers below 2^51 unless the processor `ROUNDS`.
#[inline(always)]
fn truncated<const ROUNDS: bool>(number: f64) -> f64 {
    if ROUNDS {
        return number.trunc();
    }
    let magnitude = number.abs();
    let near = magnitude + WHOLE - WHOLE;
    let below = near - if near > magnitude { 1.0 } else { 0.0 };
    below.copysign(number)
}

/// A sum of this product alone.
#[inline(always)]
pub(super) fn alone(product: f64) -> f64 {
    0.0 + t16(product)
}

/// Not below one number, which a NaN becomes too, and not above another one.
#[inline(always)]
pub(super) const fn limited(number: f64, low: f64, high: f64) -> f64 {
    let above = larger(number, low);
    if above < high { above } else { high }
}

/// The largest integer that is not above, if it fits.
#[inline(always)]
pub(super) fn floor(number: f64) -> i32 {
    let near = number + UNITS;
    let nearest = near.to_bits() as i32;
    nearest.wrapping_sub(i32::from(near - UNITS > number))
}

/// All bits or none.
#[inline(always)]
pub(super) const fn all(holds: bool) -> u64 {
    if holds { u64::MAX } else { 0 }
}

/// A direction.
#[derive(Clone, Copy)]
pub(super) struct Direction {
    /// (0, 0, 1) where there is none.
    pub(super) unit: [f64; 3],
    pub(super) length: f64,
    pub(super) squared: f64,
}

/// The direction of a vector.
#[inline(always)]
pub(super) fn direction<const ROUNDS: bool>(v: [f64; 3], rare: &mut u64) -> Direction {
    let squared = dot::<ROUNDS>(v, v, rare);
    let length = t16(squared.sqrt());
    let reciprocal = t16(1.0 / length);
    let or = |component: f64, none: f64| if length == 0.0 { none } else { t16(component * reciprocal) };
    Direction { unit: [or(v[0], 0.0), or(v[1], 0.0), or(v[2], 1.0)], length, squared }
}

/// The sum of products.
#[inline(always)]
pub(super) fn dot<const ROUNDS: bool>(a: [f64; 3], b: [f64; 3], rare: &mut u64) -> f64 {
    aligned::<3, ROUNDS, true>([a[0] * b[0], a[1] * b[1], a[2] * b[2]], GUARD, rare)
}

/// [`dot`] of directions; vertices where it is a NaN are the interpreter's.
#[inline(always)]
pub(super) fn cosine<const ROUNDS: bool>(a: [f64; 3], b: [f64; 3], rare: &mut u64) -> f64 {
    let cosine = dot::<ROUNDS>(a, b, rare);
    *rare |= all(cosine.is_nan());
    cosine
}
