//! Plain primitives: texture coordinates with constant increments.
//!
//! The manual's coordinates are quotients of sums of products of doubles, each rounded (8.6). Most primitives have
//! coordinates of few bits and an area of not too many; then nothing but the quotient is ever rounded, the sum is
//! linear, and of the quotient only the floor of 256 texels of it counts. [`Plain::path`] proves for a primitive that
//! fixed-point numbers with a nudge have that floor; others take the long way.

use super::setup::Linear;
use crate::emit::ge::span::DEPTH_BITS;

/// Bits that sums may have: one less than a double.
const MOST_BITS: u32 = 52;
/// Positions on paths, in 1/256 texels, stay below this less a texel: the upper halves of fixed-point numbers hold
/// them.
pub(crate) const FARTHEST: f64 = (1 << 19) as f64 - 256.0;
/// Bits of fixed-point numbers below 1/256 texel.
pub(crate) const FRACTION: u32 = 44;

/// Bits of depths in fixed point below a whole one: 17 are left for depths.
const DEPTH_FRACTION: u32 = 32 + DEPTH_BITS;

/// Depths in fixed point, whose floor is that of these sums divided by `area`, over so many columns and rows; `share` is 1 over
/// it. What does not fit wraps.
///
/// Sums are below 2^50 where pixels are covered. `area` is at most 2^33: triangles of more are
/// [vast](picaflor_pipeline::ge::raster::Primitive::is_vast), and drawn by the interpreter. So an exact depth that is not whole is
/// at least 1 / `area` below the next one, and half of that is added. What is wrong with the numbers is less.
#[inline(always)]
pub(crate) fn depths(sums: &Linear, (area, share): (i64, f64), [columns, rows]: [i32; 2]) -> Linear {
    let unit = (1_u64 << DEPTH_FRACTION) as f64;
    // The same as quotients of the unit, which is a power of two.
    let scale = unit * share;
    let nudge = scale / 2.0;
    let [at, right, down] = [sums.at as f64 * scale, sums.right as f64 * scale, sums.down as f64 * scale];
    let reach = at.abs() + right.abs() * f64::from(columns) + down.abs() * f64::from(rows);
    // Three roundings, of sums that may be long too; another 1 each when they are cut.
    let most_wrong = reach / (1_u64 << 51) as f64 + f64::from(columns) + f64::from(rows) + 3.0;
    if reach < unit * 65_536.0 && most_wrong < nudge {
        return Linear { at: at as i64 + nudge as i64, right: right as i64, down: down as i64 };
    }
    long_depths(sums, area, nudge as i64)
}

/// Those of slivers.
#[cold]
fn long_depths(sums: &Linear, area: i64, nudge: i64) -> Linear {
    let fixed = |sum: i64| (i128::from(sum) << DEPTH_FRACTION).div_euclid(i128::from(area)) as i64;
    Linear { at: fixed(sums.at).wrapping_add(nudge), right: fixed(sums.right), down: fixed(sums.down) }
}

/// Fixed-point numbers of a texel.
const TEXEL: i64 = 256 << FRACTION;

/// Predicate: over so many columns and rows, the texel of a position is so many further on from pixel to pixel, and a whole number
/// of them from row to row. Where four texels are mixed, positions are also less than a sixteenth behind the first of them, so that
/// the others have no weight.
pub(crate) fn goes_by_texels(path: &Linear, texels: i64, [columns, rows]: [i32; 2], mixes: bool) -> bool {
    // Increments that are cut, and the nudge, leave little beside whole texels, so that long ones are none.
    let beside = |step: i64| step.wrapping_add(TEXEL / 2).rem_euclid(TEXEL) - TEXEL / 2;
    let (right, down) = (path.right.wrapping_sub(texels * TEXEL), beside(path.down));
    let most = TEXEL.unsigned_abs() >> 20;
    if right.unsigned_abs() > most || down.unsigned_abs() > most {
        return false;
    }
    let (start, end) = if mixes { (path.at.wrapping_sub(TEXEL / 2), TEXEL / 16) } else { (path.at, TEXEL) };
    let first = start.rem_euclid(TEXEL);
    let [across, along] = [right * i64::from(columns), down * i64::from(rows)];
    let [least, most] = [across.min(0) + along.min(0), across.max(0) + along.max(0)];
    0 <= first + least && first + most < end
}

/// A coordinate across a primitive, where nothing but the quotient is rounded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Plain {
    /// The values at the corners in whole units.
    values: [i64; 3],
    /// Weights up to which sums are exact.
    heaviest: u64,
    /// From the sum of units to 1/256 texels.
    scale: f64,
    /// Least distance of positions from the next 1/256 texel, unless it is 0.
    distance: f64,
}

impl Plain {
    /// Values at three corners, of which pixels get the mean by weights that are whole numbers of 0 to `area`, their
    /// sum. `texels` is a power of two, from a coordinate to 1/256 texels.
    pub(crate) fn of(values: [f64; 3], area: i64, texels: f64) -> Option<Self> {
        let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let (values, unit) = in_units(values)?;
        let longest = values.iter().map(|value| value.unsigned_abs()).max()?;
        let heaviest = (1 << MOST_BITS) / (3 * longest.max(1));
        if area.unsigned_abs() > heaviest {
            return None;
        }
        // Exact positions are multiples of this, or of 1 / area where units are large.
        let distance = (unit * texels).min(1.0) / area as f64;
        let farthest = largest * texels;
        // The quotient, rounded as the manual has it, is within 2^-52 of the position, relatively.
        let is_safe = farthest < FARTHEST && distance > farthest / (1_u64 << 50) as f64;
        is_safe.then_some(Self { values, heaviest, scale: texels * unit / area as f64, distance })
    }

    /// Positions in fixed point from a pixel on, where these are the weights, over so many columns and rows in each
    /// direction. What does not fit wraps.
    #[inline]
    pub(crate) fn path(&self, [a, b, c]: &[Linear; 3], [columns, rows]: [i32; 2]) -> Option<Linear> {
        let at = self.position([a.at, b.at, c.at])?;
        let right = self.position([a.right, b.right, c.right])?;
        let down = self.position([a.down, b.down, c.down])?;
        let reach = at.abs() + right.abs() * f64::from(columns) + down.abs() * f64::from(rows);
        // Each number is within 2^-51 of the exact one, relatively, and another 2^-44 when it is fixed.
        let steps = f64::from(columns) + f64::from(rows) + 2.0;
        let most_wrong = reach / (1_u64 << 50) as f64 + steps / (1_u64 << FRACTION) as f64;
        let nudge = self.distance / 2.0;
        let fixed = |position: f64| (position * (1_u64 << FRACTION) as f64) as i64;
        (reach < FARTHEST && most_wrong < nudge).then(|| Linear {
            at: fixed(at) + fixed(nudge),
            right: fixed(right),
            down: fixed(down),
        })
    }

    /// The mean of the values with these weights, in 1/256 texels, if their sum is exact.
    fn position(&self, weights: [i64; 3]) -> Option<f64> {
        let is_exact = weights.iter().all(|weight| weight.unsigned_abs() <= self.heaviest);
        let sum = || self.values.iter().zip(weights).map(|(value, weight)| value * weight).sum::<i64>();
        is_exact.then(|| sum() as f64 * self.scale)
    }
}

/// Numbers as multiples of one power of two, if these are not too long.
fn in_units(values: [f64; 3]) -> Option<([i64; 3], f64)> {
    let parts = values.map(parts);
    let lowest = parts.iter().flatten().filter(|part| part.0 != 0).map(|part| part.1).min().unwrap_or(0);
    let mut whole = [0; 3];
    for (whole, part) in whole.iter_mut().zip(parts) {
        let (significand, exponent) = part?;
        let up = if significand == 0 { 0 } else { exponent - lowest };
        if up > 40 || significand.unsigned_abs().leading_zeros() < up.unsigned_abs() + 2 {
            return None;
        }
        *whole = significand << up;
    }
    let unit = f64::from_bits(u64::try_from(lowest + 1023).ok()? << 52);
    unit.is_normal().then_some((whole, unit))
}

/// An odd number, or 0, and a power of two, whose product this is; none for subnormal numbers and those that are none.
fn parts(value: f64) -> Option<(i64, i32)> {
    if value == 0.0 {
        return Some((0, 0));
    }
    if !value.is_normal() {
        return None;
    }
    let bits = value.to_bits();
    let significand = (bits & ((1 << 52) - 1) | 1 << 52).cast_signed();
    let zeros = significand.trailing_zeros();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1075 + zeros as i32;
    let odd = significand >> zeros;
    Some((if value < 0.0 { -odd } else { odd }, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions by the manual's way and by the short one, wherever the proof holds.
    #[test]
    fn both_ways_find_the_same_texel() {
        let mut seed = 1_u64;
        let mut random = move |n: u64| (picaflor_pipeline::random::bits(&mut seed) >> 24) % n;
        let (mut plain, mut ties) = (0, 0);
        for round in 0..200_000 {
            let area = 1 + random(1 << (4 + round % 28)) as i64;
            let grid = [64.0, 1000.0, 32768.0][round % 3];
            let values = [(); 3].map(|()| (random(1 << 17) as f64 - 40_000.0) / grid);
            let values = if round % 2 == 0 { values.map(|v| v / 256.0) } else { values };
            let texels = 256.0 * [1.0, 16.0, 512.0][random(3) as usize];
            let Some(found) = Plain::of(values, area, texels) else { continue };
            // Weights at a pixel inside, and as far as they may change on the way there.
            let inside = |random: &mut dyn FnMut(u64) -> u64| {
                let first = random(area as u64 + 1) as i64;
                let second = random((area - first) as u64 + 1) as i64;
                [first, second, area - first - second]
            };
            let weights = inside(&mut random);
            let (columns, rows) = (random(700) as i32, random(300) as i32);
            let changes = [(); 2].map(|()| {
                let [a, b] = [(); 2].map(|()| random((area as u64 >> 9) + 2) as i64 - (area >> 10));
                [a, b, -a - b]
            });
            let start = [0, 1, 2]
                .map(|n| weights[n] - changes[0][n] * i64::from(columns) - changes[1][n] * i64::from(rows));
            let weights_at =
                [0, 1, 2].map(|n| Linear { at: start[n], right: changes[0][n], down: changes[1][n] });
            let Some(path) = found.path(&weights_at, [columns, rows]) else { continue };
            let [a, b, c] = [0, 1, 2].map(|n| weights[n] as f64 * values[n]);
            let position = ((a + b) + c) / area as f64 * texels;
            let short = (path.value(columns.into(), rows.into()) >> FRACTION) as f64;
            assert_eq!(position.floor(), short, "{values:?} {weights:?} {texels}");
            plain += 1;
            ties += u32::from(position == position.floor());
        }
        assert!(plain > 50_000 && ties > 200, "{plain} plain, {ties} on the edge of a texel");
    }

    /// Texel by texel, wherever the predicate holds; and it holds for what moves by texels.
    #[test]
    fn positions_that_go_by_texels() {
        let mut seed = 5_u64;
        let mut random = move |n: u64| ((picaflor_pipeline::random::bits(&mut seed) >> 24) % n) as i64;
        let mut found = [[0; 2]; 2];
        for round in 0..20_000 {
            let mixes = round % 2 == 0;
            let texels = round % 3 % 2;
            let size = [1 + random(60) as i32, 1 + random(60) as i32];
            let mut beside = |most: u64| if random(3) == 0 { 0 } else { random(most) - most as i64 / 2 };
            let path = Linear {
                right: texels * TEXEL + beside(1 << 34),
                down: beside(8) * TEXEL + beside(1 << 34),
                at: beside(2000) * TEXEL + (beside(64) << [10, 45][round as usize / 2 % 2]) + TEXEL / 2,
            };
            let start = if mixes { path.at - TEXEL / 2 } else { path.at };
            let path_of_texels = Linear { at: start, ..path };
            let below = if mixes { FRACTION + 4 } else { FRACTION + 8 };
            let at = |column: i32, row: i32| path_of_texels.value(column.into(), row.into());
            let first = |row: i32| at(0, row).div_euclid(TEXEL);
            let is_straight = (0..=size[1]).all(|row| {
                (0..=size[0]).all(|column| {
                    let texel = first(row) + texels * i64::from(column);
                    at(column, row) >> below == (texel * TEXEL) >> below
                })
            });
            let holds = goes_by_texels(&path, texels, size, mixes);
            assert!(is_straight || !holds, "{path:?} {texels} {size:?} {mixes}");
            found[usize::from(mixes)][usize::from(holds)] += 1;
        }
        assert!(found.iter().flatten().all(|&count| count > 500), "{found:?}");
    }

    /// Depths of triangles of any shape, at pixels inside.
    #[test]
    fn depths_are_exact_quotients() {
        let mut seed = 7_u64;
        let mut random = move |n: u64| ((picaflor_pipeline::random::bits(&mut seed) >> 24) % n) as i64;
        let mut slivers = 0;
        for round in 0..100_000 {
            let area = 1 + random(1 << (1 + round % 33));
            let first = random(area as u64 + 1);
            let second = random((area - first) as u64 + 1);
            let weights = [first, second, area - first - second];
            let z = [(); 3].map(|()| random(0x1_0000));
            let (columns, rows) = (random(1024) as i32, random(1024) as i32);
            let steps = if round % 2 == 0 { 1 << 20 } else { (area as u64 >> 9) + 2 };
            let sum = |weights: [i64; 3]| (0..3).map(|n| weights[n] * z[n]).sum::<i64>();
            let mut change = || {
                let [a, b] = [(); 2].map(|()| random(steps) - steps as i64 / 2);
                sum([a, b, -a - b])
            };
            let (right, down) = (change(), change());
            let at = sum(weights) - right * i64::from(columns) - down * i64::from(rows);
            let found = depths(&Linear { at, right, down }, (area, 1.0 / area as f64), [columns, rows]);
            let depth = found.value(columns.into(), rows.into()) >> DEPTH_FRACTION;
            assert_eq!(depth, sum(weights).div_euclid(area), "{weights:?} {z:?} {at} {right} {down}");
            slivers += u32::from((at / area).abs() > 0x1_0000);
        }
        assert!(slivers > 10_000, "{slivers}");
    }

    #[test]
    fn numbers_that_are_too_long_take_the_long_way() {
        assert!(Plain::of([1.0 / 3.0, 1.0, 0.0], 1 << 30, 256.0).is_none());
        assert!(Plain::of([1e-300, 1.0, 0.0], 16, 256.0).is_none());
        assert!(Plain::of([f64::NAN, 1.0, 0.0], 16, 256.0).is_none());
        assert!(Plain::of([1e12, 1.0, 0.0], 16, 256.0).is_none());
        assert!(Plain::of([0.5, 1.0, 0.0], 1 << 20, 65_536.0).is_some());
    }
}
