//! Noise: gradients at the points of a lattice, interpolated by a table.

use super::super::quad::Quad;
use super::{fraction, map};
use crate::emit::bytes::{Bytes, Shorts};
use crate::emit::lanes::{F32s, I32s, Lanes};
use crate::emit::pica::constants::constant;
use crate::emit::pica::lattice::{self, FAR, PERIOD};
use crate::pica::key::fragment::proctex::ProctexKey;
use std::array::from_fn;

/// u and v with noise, where they are read.
pub(super) fn disturbed(quad: &mut Quad<'_, '_>, key: &ProctexKey, uv: [F32s; 2]) -> [Option<F32s>; 2] {
    let point = from_fn(|axis| {
        let phase = quad.number(constant!(proctex.phase) + 16 * axis as i32);
        let sum = quad.l.fadd(uv[axis], phase);
        let positive = quad.l.magnitude(sum);
        let frequency = quad.number(constant!(proctex.frequency) + 16 * axis as i32);
        let scaled = quad.l.fmul(frequency, positive);
        let (least, most) = (quad.l.float(-FAR), quad.l.float(FAR));
        quad.l.clamp(scaled, least, most)
    });
    let n = noise(quad, point);
    from_fn(|axis| {
        key.axes[axis]?;
        let amplitude = quad.number(constant!(proctex.amplitude) + 16 * axis as i32);
        let l = &mut *quad.l;
        let part = l.fmul(n, amplitude);
        let sum = l.fadd(uv[axis], part);
        Some(l.magnitude(sum))
    })
}

/// Gradient noise at a point of the lattice.
fn noise(quad: &mut Quad<'_, '_>, [x, y]: [F32s; 2]) -> F32s {
    let [(xi, fx), (yi, fy)] = [fraction(quad.l, x), fraction(quad.l, y)];
    let l = &mut *quad.l;
    let [r0, r1, r2, r3] = gradients(l, [xi, yi]);
    let sum = l.fadd(fx, fy);
    let one = l.float(1.0);
    let less = l.fsub(sum, one);
    let g0 = l.fmul(r0, sum);
    let g1 = l.fmul(r1, less);
    let g2 = l.fmul(r2, less);
    let two = l.float(2.0);
    let least = l.fsub(sum, two);
    let g3 = l.fmul(r3, least);
    let wx = map(quad, constant!(proctex.noise), fx);
    let (a, b) = (between(quad.l, g0, g1, wx), between(quad.l, g2, g3, wx));
    let wy = map(quad, constant!(proctex.noise), fy);
    between(quad.l, a, b, wy)
}

/// `a + (b - a) w`.
fn between(l: &mut Lanes<'_>, a: F32s, b: F32s, w: F32s) -> F32s {
    let difference = l.fsub(b, a);
    let part = l.fmul(difference, w);
    l.fadd(a, part)
}

/// Gradients at the four corners around a point: (0, 0), (1, 0), (0, 1), (1, 1).
fn gradients(l: &mut Lanes<'_>, point: [F32s; 2]) -> [F32s; 4] {
    let [columns, rows] = point.map(|k| in_period(l, k));
    let (period, one) = (l.short(144), l.short(1));
    let first = l.shorts(columns, rows);
    let first = l.short_add(first, period);
    let next = l.short_add(first, one);
    let [first, next] = [first, next].map(|k| hash_of_axis(l, k));
    // Of four pixels each: columns, rows, next columns, next rows.
    let hashes = l.bytes(first, next);
    let columns = l.byte_groups(hashes, [0, 2, 0, 2]);
    let rows = l.byte_groups(hashes, [1, 1, 3, 3]);
    let hashes = hash(l, columns, rows);
    l.float_table(&lattice::GRADIENTS, hashes)
}

/// An integer of up to 2^30 either way, less a multiple of the period: -128 to 272. The quotient, of up to 2^23, is
/// rounded, and may be 0.9 away from the right one before its floor is taken.
fn in_period(l: &mut Lanes<'_>, k: F32s) -> I32s {
    let inverse = l.float(1.0 / PERIOD);
    let quotient = l.fmul(k, inverse);
    let quotient = l.floor(quotient);
    let [k, quotient] = [k, quotient].map(|x| l.float_to_int_loose(x));
    let period = l.int(PERIOD as i32);
    let multiple = l.int_mul(quotient, period);
    l.int_sub(k, multiple)
}

/// The hashes of columns or rows, which are 0 to 511: nine of them share an entry of the table.
fn hash_of_axis(l: &mut Lanes<'_>, k: Shorts) -> Shorts {
    // A ninth, rounded down: 57 / 512 is too much by less than 1 / 9 in all.
    let factor = l.short(57);
    let product = l.short_mul(k, factor);
    let ninth = l.short_shr(product, 9);
    // 3 (k mod 9 + 2), modulo 16.
    let [three, five, six, low] = [3, 5, 6, 15].map(|n| l.short(n));
    let (k, nines) = (l.short_mul(k, three), l.short_mul(ninth, five));
    let sum = l.short_add(k, nines);
    let sum = l.short_add(sum, six);
    let sum = l.short_and(sum, low);
    let entry = l.short_table(lattice::AXIS, ninth);
    l.short_xor(sum, entry)
}

/// The hashes of lattice points from those of their columns and rows, 0 to 15.
fn hash(l: &mut Lanes<'_>, column: Bytes, row: Bytes) -> Bytes {
    let [added, flipped, offset, last] = [lattice::ADDED, lattice::FLIPPED, lattice::OFFSET, lattice::POINT]
        .map(|table| l.byte_table(table, column));
    let row = l.byte_add(row, added);
    let row = l.byte_xor(row, flipped);
    let sum = l.byte_add(row, offset);
    let low = l.byte(15);
    let sum = l.byte_and(sum, low);
    l.byte_xor(sum, last)
}

#[cfg(test)]
mod tests {
    use super::PERIOD;

    /// The arithmetic of [`in_period`](super::in_period), on one number.
    fn in_period(k: f32) -> i32 {
        let quotient = (k * (1.0 / PERIOD)).floor();
        (k as i32).wrapping_sub((quotient as i32).wrapping_mul(PERIOD as i32))
    }

    /// Around all multiples of the period as far as numbers are dense there; beyond, every 7th number.
    #[test]
    fn remainders_are_small() {
        let check = |k: f32| {
            for k in [k, -k] {
                let rest = in_period(k);
                assert!((-128..=272).contains(&rest), "{k}: {rest}");
                assert_eq!(rest.rem_euclid(144), (k as i32).rem_euclid(144), "{k}");
            }
        };
        for multiple in (0..1 << 24).step_by(144) {
            (multiple.max(1) - 1..multiple + 2).for_each(|k| check(k as f32));
        }
        let mut k = (1 << 24) as f32;
        while k < (1 << 30) as f32 {
            check(k);
            k = f32::from_bits(k.to_bits() + 7);
        }
        check((1 << 30) as f32);
    }

    /// What [`hash_of_axis`](super::hash_of_axis) makes of a ninth and of the rest.
    #[test]
    fn ninths_are_exact() {
        for k in 0..512_u16 {
            let ninth = (k * 57) >> 9;
            assert_eq!(ninth, k / 9);
            assert_eq!((k * 3 + ninth * 5 + 6) & 15, ((k % 9 + 2) * 3) & 15);
        }
    }
}
