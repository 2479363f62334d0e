//! Coordinates that are divided by q or w, with constant increments.
//!
//! The manual's u is `S T16(1 / Q)`, where S and Q are weighted sums of doubles, rounded in a fixed order (8.6). S and Q
//! are linear up to these roundings; of the quotient only the floor in texels, or in sixteenths of such, counts. Here S
//! and Q go in steps that are multiples of a power of two, so that nothing is rounded on the way, and [`steps`]
//! bounds how far they are from the manual's. Code computes numbers that are a little too small, and takes the long way
//! where that little may lead to the next floor.

use crate::emit::ge::span::PLACE_ERROR as ERROR;
use crate::ge::four::Four;

/// From 1/256 texels to those units.
const UNITS: f64 = (1 << 12) as f64;
/// Clamped positions at corners stay below this, in those units: with what is wrong, and half a texel less, they fit 32
/// bits.
const FARTHEST: f64 = ((1_i64 << 31) - (1 << 21)) as f64;
/// Others below this: their low 32 bits count, which are right as long as the doubles are.
const FARTHEST_REPEATED: f64 = (1_i64 << 39) as f64;
/// Bits below the highest one that steps have.
const STEP_BITS: u64 = 50;
/// Reciprocals may be as many numbers off: 2^-14 of the numbers with the same 16 significant bits.
const MOST_DOUBT: f64 = (1 << (37 - 14)) as f64;

/// From coordinates to texels, s and t.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Texels {
    /// Powers of two, to 1/256 texels.
    scale: [f64; 2],
    /// Bounds of positions.
    farthest: [f64; 2],
}

impl Texels {
    /// `is_near` is true of positions that have to fit as a whole: of those that are clamped, and where code needs more than
    /// 12 bits of whole texels.
    pub(crate) fn new(scale: [f64; 2], is_near: [bool; 2]) -> Self {
        Self { scale, farthest: is_near.map(|near| if near { FARTHEST } else { FARTHEST_REPEATED }) }
    }
}

/// What is needed beside the coordinates of covered pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Beside {
    /// The other pixels of their quads too.
    pub(crate) quads: bool,
    /// Clip w.
    pub(crate) w: bool,
}

/// How the numbers of a triangle go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    pub(crate) divided: [Four; 3],
    /// The least q at which positions are less than 1 away from the manual's, before they are rounded.
    pub(crate) least_q: f64,
    pub(crate) w: Four,
    /// How far w may be from the manual's.
    pub(crate) w_error: f64,
}

/// How s, t and q of a triangle go, divided by the w of the corners, s and t times 2^20 texels: each from a pixel on, where
/// `edges` have these values, its changes from pixel to pixel and from row to row, for so many columns and rows, if those of
/// covered pixels are close enough. `corners` have s, t, q and w, `share` is 1 over the sum of the edges.
#[inline(always)]
pub(crate) fn steps(
    corners: &[Four; 3],
    Texels { scale, farthest }: Texels,
    edges: &[Four; 3],
    share: f64,
    ([columns, rows], beside): ([i32; 2], Beside),
) -> Option<Steps> {
    let scale = Four([scale[0] * UNITS, scale[1] * UNITS, 1.0, 1.0]);
    let [mut a, mut b, mut c] = [corners[0] * scale, corners[1] * scale, corners[2] * scale];
    let is_near = |at: &Four| {
        let [s, t, q, _] = at.0;
        (s.abs() < farthest[0] * q) & (t.abs() < farthest[1] * q)
    };
    let least = least(least(a.0[2], b.0[2]), c.0[2]);
    let mut largest = a.magnitude().larger(b.magnitude()).larger(c.magnitude());
    let most = largest.0[2];
    // Also false for what is no number: positions are then not near. All q are above 0, if they are.
    if !(is_near(&a) & is_near(&b) & is_near(&c) & (least > 1e-30) & (most < 1e30)) {
        return None;
    }
    // Nothing is on the right side of both 0 and a little less. A little more has the same texel.
    for axis in 0..2 {
        if largest.0[axis] == 0.0 {
            for at in [&mut a, &mut b, &mut c, &mut largest] {
                at.0[axis] = at.0[2] * f64::from(4 * ERROR);
            }
        }
    }
    // Quads may begin in the row before the first, and end in the one behind the last.
    let [columns, rows] = [f64::from(columns) + 4.0, f64::from(rows) + 1.0];
    let least = if beside.quads { least / 2.0 } else { least };
    let [at, right, down, _] = (edges[0].magnitude() + edges[1].magnitude() + edges[2].magnitude()).0;
    let weight = at + columns * right + rows * down;
    // Numbers over all these pixels are below the largest one times this.
    let reach = weight * share + 1.0;
    // Of the largest number: what sums lose here (6 roundings of each number) and in the manual (6 more), and what
    // steps lose.
    let wrong = reach * (columns + rows + 8.0) / (1_u64 << (STEP_BITS + 1)) as f64;
    // From the reciprocal of q here to the manual's, which is the larger one, times the least q.
    let doubt = 4.0 * most * wrong * (1_u64 << 53) as f64;
    let farthest_off = above(largest.0[0], largest.0[1]) * wrong;
    // Also false for what is no number.
    let has_w = !beside.w || largest.0[3] < 1e30;
    if !(has_w && doubt < (MOST_DOUBT - 8.0) * least && farthest_off < 0.2 * least) {
        return None;
    }
    let round = (largest * Four::splat(reach)).each(rounding);
    // q is not below the manual's.
    let more = [0.0, 0.0, 2.0 * most * wrong, 0.0];
    let sum = |n: usize| {
        let [a, b, c] = [Four::splat(a.0[n]), Four::splat(b.0[n]), Four::splat(c.0[n])];
        let sum = (edges[0] * a + edges[1] * b + edges[2] * c) * Four::splat(share);
        let round = Four::splat(round.0[n]);
        (sum + Four([more[n], 0.0, 0.0, 0.0]) + round) - round
    };
    Some(Steps {
        divided: [sum(0), sum(1), sum(2)],
        least_q: least,
        w: if beside.w { sum(3) } else { Four::default() },
        w_error: 2.0 * largest.0[3] * wrong,
    })
}

/// The smaller one of two numbers, in one instruction.
const fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger one, likewise.
const fn above(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// What rounds numbers up to `largest` to [`STEP_BITS`], if it is added and taken away again; 0 for 0.
#[inline(always)]
const fn rounding(largest: f64) -> f64 {
    let exponent = largest.to_bits() >> 52;
    // 1.5 * 2^52 units.
    let round = f64::from_bits((exponent + 52 - STEP_BITS) << 52 | 1 << 51);
    if largest == 0.0 { 0.0 } else { round }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::pixel::setup::Linear;
    use crate::ge::raster::texture::{Coordinates, reciprocal};

    /// The steps of these coordinates, where edges have these values.
    fn steps_of(
        at: &Coordinates<3>,
        texels: Texels,
        edges: &[Linear; 3],
        area: i64,
        size: [i32; 2],
    ) -> Option<[Four; 3]> {
        let corners = [0, 1, 2].map(|n| Four([at.s[n], at.t[n], at.q[n], at.w[n]]));
        let edges = edges.map(|edge| Four::of_integers([edge.at, edge.right, edge.down, 0]));
        steps(&corners, texels, &edges, 1.0 / area as f64, (size, Beside::default()))
            .map(|steps| steps.divided)
    }

    /// What code makes of the numbers at a pixel: positions, or none in doubt. `from` is the lowest bit that counts.
    fn estimated(steps: &[Four; 3], [column, row]: [i64; 2], from: u32) -> Option<[i64; 2]> {
        let [s, t, q] =
            steps.map(|Four([first, right, down, _])| first + right * column as f64 + down * row as f64);
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
        let [s, t] = exactly(at, weights, texels);
        let units = f64::from(1 << bits) / 256.0;
        [s, t].map(|position| (position * units).floor() as i64)
    }

    /// By the manual, in 1/256 texels.
    fn exactly(at: &Coordinates<3>, weights: [i64; 3], texels: [f64; 2]) -> [f64; 2] {
        let [a, b, c] = weights.map(|weight| weight as f64);
        let weighted = |values: &[f64; 3]| (a * values[0] + b * values[1]) + c * values[2];
        let share = 1.0 / ((a + b) + c);
        let reciprocal = reciprocal(weighted(&at.q) * share);
        let found = [&at.s, &at.t].map(|values| weighted(values) * share * reciprocal);
        [found[0] * texels[0], found[1] * texels[1]]
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
            let bounded = Texels::new(texels, [round % 2 == 0, round % 3 == 0]);
            let Some(divided) = steps_of(&at, bounded, &edges, area, size) else {
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

    /// Pixels at most one beyond a triangle: where q is not too small, and no reciprocal in doubt, positions are less than 1
    /// away from the manual's before they are rounded; w is as close as it says. Where q is smaller, some are not.
    #[test]
    fn pixels_of_quads() {
        let mut seed = 9_u64;
        let mut random = move |n: u64| (picaflor_pipeline::random::bits(&mut seed) >> 24) % n;
        let (mut near, mut far, mut worst) = (0, 0, 0.0_f64);
        for round in 0..400_000_u32 {
            let real = |random: &mut dyn FnMut(u64) -> u64, most: f64| {
                random(1 << 24) as f64 / f64::from(1 << 24) * most
            };
            let depth = [0.01, 1.0, 30.0, 10_000.0][(round / 4 % 4) as usize];
            let w = [(); 3].map(|()| 0.25 + real(&mut random, depth));
            let factor = w.map(reciprocal);
            let span = [1.0, 3.9, 60.0][(round / 16 % 3) as usize];
            let mut coordinate = || [0, 1, 2].map(|n| (real(&mut random, span) - span / 3.0) * factor[n]);
            let at = Coordinates { s: coordinate(), t: coordinate(), q: factor, w };
            // A pixel on an edge, or at a corner; beyond it by one.
            let area = 64 + random(1 << (8 + round % 16)) as i64;
            let first = random(area as u64 + 1) as i64;
            let weights = if round % 3 == 0 { [area, 0, 0] } else { [0, first, area - first] };
            let mut change = || {
                let [a, b] = [(); 2].map(|()| random(area as u64) as i64 - area / 2);
                [a, b, -a - b]
            };
            let right = change();
            // Half of them to where q is nearly 0.
            let q_of = |weights: [i64; 3]| (0..3).map(|n| weights[n] as f64 * at.q[n]).sum::<f64>();
            let horizon = (q_of(weights) / q_of(right)).abs().clamp(1.0, 100.0) as i64;
            let right = if round % 2 == 0 { right.map(|step| step * horizon) } else { right };
            let edges = [0, 1, 2].map(|n| Linear { at: weights[n], right: right[n], down: 0 });
            let corners = [0, 1, 2].map(|n| Four([at.s[n], at.t[n], at.q[n], at.w[n]]));
            let edges = edges.map(|edge| Four::of_integers([edge.at, edge.right, edge.down, 0]));
            let texels = [256.0 * 64.0, 256.0 * 8.0];
            let beside = Beside { quads: true, w: true };
            let bounded = Texels::new(texels, [true; 2]);
            let Some(steps) = steps(&corners, bounded, &edges, 1.0 / area as f64, ([1, 1], beside)) else {
                continue;
            };
            let beyond = [0, 1, 2].map(|n| weights[n] + right[n]);
            let [s, t, q] = steps.divided.map(|Four([first, right, ..])| first + right);
            let estimate = (1.0 / q).to_bits();
            if (estimate << 27 >> 32) as u32 >= u32::MAX << (32 - 14) {
                continue;
            }
            let reciprocal = f64::from_bits(estimate & u64::MAX << 37);
            let exact = exactly(&at, beyond, texels);
            let off = [s, t].into_iter().zip(exact).map(|(s, exact)| (s * reciprocal - exact * UNITS).abs());
            let off = off.fold(0.0, f64::max);
            if q >= steps.least_q {
                assert!(off < 1.0, "{off}: {at:?} {weights:?} {right:?}");
                (near, worst) = (near + 1, worst.max(off));
            } else {
                far += u32::from(off >= 1.0 || off.is_nan());
            }
            let [a, b, c] = beyond.map(|weight| weight as f64);
            let w = ((a * at.w[0] + b * at.w[1]) + c * at.w[2]) / area as f64;
            let Four([first, right, ..]) = steps.w;
            assert!((first + right - w).abs() <= steps.w_error, "{at:?} {weights:?}");
        }
        assert!(near > 100_000 && far > 5, "{near} near, the worst by {worst}; {far} far off");
    }

    /// An edge whose texels begin exactly at pixels is in doubt there, and a row of texels that is 0 everywhere is not.
    #[test]
    fn ties() {
        let w = [1.0, 2.0, 2.0];
        let factor = w.map(reciprocal);
        let at = Coordinates { s: [0.0, 0.5, 0.5], t: [0.0; 3], q: factor, w };
        let edge = |at, right| Linear { at, right, down: 0 };
        let edges = [edge(256, -16), edge(0, 16), edge(0, 0)];
        let divided = steps_of(&at, Texels::new([256.0; 2], [true; 2]), &edges, 256, [16, 1])
            .expect("numbers of one size");
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
            steps_of(&at, Texels::new([256.0; 2], [true; 2]), &edges, 256, [16, 1]).is_some()
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
