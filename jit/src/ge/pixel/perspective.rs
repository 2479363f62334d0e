//! Coordinates that are divided by q or w, with constant increments.
//!
//! The manual's u is `S T16(1 / Q)`, where S and Q are weighted sums of doubles, rounded in a fixed order (8.6). S and Q
//! are linear up to these roundings; of the quotient only the floor in texels, or in sixteenths of such, counts. Here S
//! and Q go in steps that are multiples of a power of two, so that nothing is rounded on the way, and [`Divided::of`]
//! bounds how far they are from the manual's. Code computes numbers that are a little too small, and takes the long way
//! where that little may lead to the next floor.

use super::setup::Linear;
use crate::emit::ge::span::DoubleSteps;
use crate::ge::raster::texture::Coordinates;

/// Bound of what is wrong with positions, in 2^-20 texels, rounded to whole ones: at the most half for the rounding and
/// a quarter for the steps.
pub(crate) const ERROR: u32 = 1;
/// From 1/256 texels to those units.
const UNITS: f64 = (1 << 12) as f64;
/// Positions at corners stay below this, in those units: with what is wrong, and half a texel less, they fit 32 bits.
const FARTHEST: f64 = ((1_i64 << 31) - (1 << 21)) as f64;
/// Bits below the highest one that steps have.
const STEP_BITS: u64 = 50;
/// Reciprocals may be as many numbers off: 2^-14 of the numbers with the same 16 significant bits.
const MOST_DOUBT: f64 = (1 << (37 - 14)) as f64;

/// s, t and q of a triangle, divided by the w of the corners; s and t times 2^20 texels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Divided {
    first: [f64; 3],
    /// Changes from pixel to pixel, and from row to row.
    right: [f64; 3],
    down: [f64; 3],
}

impl Divided {
    /// The numbers from a pixel on, where `edges` have these values, for so many columns and rows, if those of covered
    /// pixels are close enough. `texels` are powers of two, from coordinates to 1/256 texels.
    #[inline]
    pub(crate) fn of(
        Coordinates { s, t, q, .. }: &Coordinates<3>,
        texels: [f64; 2],
        edges: &[Linear; 3],
        area: i64,
        [columns, rows]: [i32; 2],
    ) -> Option<Self> {
        let scaled = |values: &[f64; 3], texels: f64| values.map(|value| value * (texels * UNITS));
        let (mut s, mut t) = (scaled(s, texels[0]), scaled(t, texels[1]));
        let [least, most] = [q[0].min(q[1]).min(q[2]), q[0].max(q[1]).max(q[2])];
        let is_near = (0..3).all(|n| s[n].abs() < FARTHEST * q[n] && t[n].abs() < FARTHEST * q[n]);
        // Also false for what is no number: positions are then not near.
        if !(is_near && least > 1e-30 && most < 1e30) {
            return None;
        }
        // Nothing is on the right side of both 0 and a little less. A little more has the same texel.
        for values in [&mut s, &mut t] {
            if *values == [0.0; 3] {
                *values = q.map(|q| q * f64::from(4 * ERROR));
            }
        }
        let share = 1.0 / area as f64;
        let [columns, rows] = [f64::from(columns) + 4.0, f64::from(rows)];
        let size = |of: fn(&Linear) -> i64| edges.iter().map(|edge| of(edge).abs() as f64).sum::<f64>();
        let weight = size(|edge| edge.at) + columns * size(|edge| edge.right) + rows * size(|edge| edge.down);
        // Numbers over all these pixels are below the largest one times this.
        let reach = weight * share + 1.0;
        // Of the largest number: what sums lose here (6 roundings of each number) and in the manual (6 more), and what
        // steps lose.
        let wrong = reach * (columns + rows + 8.0) / (1_u64 << (STEP_BITS + 1)) as f64;
        let largest = |values: &[f64; 3]| values[0].abs().max(values[1].abs()).max(values[2].abs());
        // From the reciprocal of q here to the manual's, which is the larger one.
        let doubt = 4.0 * most * wrong / least * (1_u64 << 53) as f64 + 8.0;
        let farthest_off = largest(&s).max(largest(&t)) * wrong;
        if !(doubt < MOST_DOUBT && farthest_off < 0.2 * least) {
            return None;
        }
        let mut numbers = Self { first: [0.0; 3], right: [0.0; 3], down: [0.0; 3] };
        // q is not below the manual's.
        let more = [0.0, 0.0, 2.0 * most * wrong];
        for (n, values) in [&s, &t, q].into_iter().enumerate() {
            let round = rounding(largest(values) * reach);
            let sum = |of: fn(&Linear) -> i64| {
                let [a, b, c] = edges;
                (of(a) as f64 * values[0] + of(b) as f64 * values[1] + of(c) as f64 * values[2]) * share
            };
            numbers.first[n] = (sum(|edge| edge.at) + more[n] + round) - round;
            numbers.right[n] = (sum(|edge| edge.right) + round) - round;
            numbers.down[n] = (sum(|edge| edge.down) + round) - round;
        }
        Some(numbers)
    }

    /// s, t and q as compiled code has them.
    pub(crate) fn numbers(&self) -> [DoubleSteps; 3] {
        std::array::from_fn(|n| DoubleSteps::new([self.first[n], self.right[n], self.down[n]]))
    }

    /// s, t and q at an offset of columns to the right and rows down.
    #[cfg(test)]
    fn at(&self, column: i64, row: i64) -> [f64; 3] {
        let [column, row] = [column as f64, row as f64];
        std::array::from_fn(|n| self.first[n] + self.right[n] * column + self.down[n] * row)
    }
}

/// What rounds numbers up to `largest` to [`STEP_BITS`], if it is added and taken away again; 0 for 0.
#[inline]
const fn rounding(largest: f64) -> f64 {
    if largest == 0.0 {
        return 0.0;
    }
    let exponent = largest.to_bits() >> 52;
    // 1.5 * 2^52 units.
    f64::from_bits((exponent + 52 - STEP_BITS) << 52 | 1 << 51)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::raster::texture::reciprocal;

    /// What code makes of the numbers at a pixel: positions, or none in doubt. `from` is the lowest bit that counts.
    fn estimated(divided: &Divided, [column, row]: [i64; 2], from: u32) -> Option<[i64; 2]> {
        let [s, t, q] = divided.at(column, row);
        let estimate = (1.0 / q).to_bits();
        let is_near = |last: u32| last >= u32::MAX << (32 - 14);
        let mut differ = is_near((estimate << 27 >> 32) as u32);
        let reciprocal = f64::from_bits(estimate & u64::MAX << 37);
        let found = [s, t].map(|coordinate| {
            let place = (coordinate * reciprocal).round_ties_even() as i64 - i64::from(ERROR);
            differ |= is_near((place as u32) << (32 - from));
            place >> from
        });
        (!differ).then_some(found)
    }

    /// By the manual, in texels / 2^bits.
    fn manual(at: &Coordinates<3>, weights: [i64; 3], texels: [f64; 2], bits: i32) -> [i64; 2] {
        let [a, b, c] = weights.map(|weight| weight as f64);
        let weighted = |values: &[f64; 3]| (a * values[0] + b * values[1]) + c * values[2];
        let share = 1.0 / ((a + b) + c);
        let reciprocal = reciprocal(weighted(&at.q) * share);
        let found = [&at.s, &at.t].map(|values| weighted(values) * share * reciprocal);
        let units = f64::from(1 << bits) / 256.0;
        [0, 1].map(|axis| (found[axis] * texels[axis] * units).floor() as i64)
    }

    /// Triangles of any size and shape: wherever the estimate is sure, it is the manual's position.
    #[test]
    fn sure_positions_are_those_of_the_manual() {
        let mut seed = 3_u64;
        let mut random = move |n: u64| (picaflor_pipeline::random::bits(&mut seed) >> 24) % n;
        let (mut sure, mut doubtful, mut refused) = ([0; 2], [0; 2], 0);
        for round in 0..1_500_000_u32 {
            let real = |random: &mut dyn FnMut(u64) -> u64, most: f64| {
                random(1 << 24) as f64 / f64::from(1 << 24) * most
            };
            let grid = [1.0, 16.0, 4096.0, f64::from(1 << 20)][(round % 4) as usize];
            let depth = [0.001, 1.0, 30.0, 100_000.0][(round / 4 % 4) as usize];
            let is_projected = round % 5 == 0;
            let w = [(); 3].map(|()| 0.25 + (real(&mut random, depth) * grid).round() / grid);
            let factor = w.map(reciprocal);
            let span = [0.01, 1.0, 3.9, 60.0][(round / 16 % 4) as usize];
            let mut coordinate =
                || [(); 3].map(|()| ((real(&mut random, span) - span / 3.0) * grid).floor() / grid);
            let (s, t) = (coordinate(), if round % 7 == 0 { [0.0; 3] } else { coordinate() });
            let q = if is_projected { [(); 3].map(|()| 0.1 + real(&mut random, 2.0)) } else { [1.0; 3] };
            let over = |values: [f64; 3]| [0, 1, 2].map(|n| values[n] * factor[n]);
            let at = Coordinates { s: over(s), t: over(t), q: over(q), w };
            // A pixel inside, and the way there.
            let area = 1 + random(1 << (8 + round % 20)) as i64;
            let first = random(area as u64 + 1) as i64;
            let second = random((area - first) as u64 + 1) as i64;
            let weights = match round % 11 {
                0 => [area, 0, 0],
                1 => [0, first, area - first],
                _ => [first, second, area - first - second],
            };
            let size = [1 + random(512) as i32, 1 + random(300) as i32];
            let [column, row] = size.map(|side| random(side as u64) as i64);
            let mut change = || {
                let [a, b] = [(); 2].map(|()| random((area as u64 >> 6) + 2) as i64 - (area >> 7));
                [a, b, -a - b]
            };
            let (right, down) = (change(), change());
            let edges = [0, 1, 2].map(|n| Linear {
                at: weights[n] - right[n] * column - down[n] * row,
                right: right[n],
                down: down[n],
            });
            let texels = [256.0 * 64.0, 256.0 * f64::from(1 << (round % 10))];
            let Some(divided) = Divided::of(&at, texels, &edges, area, size) else {
                refused += 1;
                continue;
            };
            // Corners, and numbers of few bits, are often on the edge of a texel.
            let is_usual = grid > 1e6 && round % 11 > 1 && depth >= 1.0 && span >= 1.0;
            for bits in [0, 4] {
                match estimated(&divided, [column, row], 20 - bits) {
                    Some(found) => {
                        let exact = manual(&at, weights, texels, bits as i32);
                        assert_eq!(found, exact, "{at:?} {weights:?} {texels:?} {edges:?} {column} {row}");
                        sure[usize::from(is_usual)] += 1;
                    }
                    None => doubtful[usize::from(is_usual)] += 1,
                }
            }
        }
        println!("{sure:?} sure, {doubtful:?} doubtful, {refused} refused");
        assert!(sure[0] > 1_000_000 && sure[1] > 100_000 && doubtful[0] > 1000, "{sure:?} {doubtful:?}");
        assert!(doubtful[1] < sure[1] / 1000, "{sure:?} {doubtful:?}");
    }

    /// An edge whose texels begin exactly at pixels is in doubt there, and a row of texels that is 0 everywhere is not.
    #[test]
    fn ties() {
        let w = [1.0, 2.0, 2.0];
        let factor = w.map(reciprocal);
        let at = Coordinates { s: [0.0, 0.5, 0.5], t: [0.0; 3], q: factor, w };
        let edge = |at, right| Linear { at, right, down: 0 };
        let edges = [edge(256, -16), edge(0, 16), edge(0, 0)];
        let divided = Divided::of(&at, [256.0; 2], &edges, 256, [16, 1]).expect("numbers of one size");
        assert_eq!(estimated(&divided, [0, 0], 20), None);
        assert_eq!(estimated(&divided, [5, 0], 20).map(|[_, t]| t), Some(0));
    }

    /// What is out of bounds takes the long way.
    #[test]
    fn numbers_that_are_refused() {
        let edge = |at, right| Linear { at, right, down: 0 };
        let edges = [edge(256, -16), edge(0, 16), edge(0, 0)];
        let of = |s: [f64; 3], q: [f64; 3]| {
            let at = Coordinates { s, t: [0.0; 3], q, w: [1.0; 3] };
            Divided::of(&at, [256.0; 2], &edges, 256, [16, 1]).is_some()
        };
        assert!(of([0.0, 1.0, 2.0], [1.0, 0.5, 0.25]));
        assert!(!of([f64::NAN, 1.0, 2.0], [1.0, 0.5, 0.25]));
        assert!(!of([1e9, 1.0, 2.0], [1.0, 0.5, 0.25]));
        assert!(!of([0.0, 1.0, 2.0], [1.0, 0.5, -0.25]));
        assert!(!of([0.0, 1.0, 2.0], [1.0, 0.5, 0.0]));
        assert!(!of([0.0, 1.0, 2.0], [1.0, 0.5, f64::NAN]));
        assert!(!of([0.0, 1.0, 2.0], [1e-20, 1.0, 1.0]));
    }
}
