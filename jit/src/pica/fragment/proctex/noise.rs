//! Noise: gradients at the points of a lattice, interpolated by a table.

use super::super::quad::Quad;
use super::{FAR, fraction, map};
use crate::emit::lanes::{F32s, I32s, Lanes};
use crate::emit::pica::constants::constant;
use crate::pica::fragment::proctex::tables::Lattice;
use crate::pica::key::fragment::proctex::ProctexKey;
use std::array::from_fn;
use std::mem::offset_of;

/// Period of the lattice, in columns or rows.
const PERIOD: f32 = 144.0;

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
    let [r0, r1, r2, r3] = gradients(quad, [xi, yi]);
    let l = &mut *quad.l;
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

/// Gradients at the four corners around a point: (0, 0), (1, 0), (0, 1), (1, 1). Eight bits of a column or row
/// count, and any two offsets lead to a gradient, so that what is loaded lies inside the tables.
fn gradients(quad: &mut Quad<'_, '_>, point: [F32s; 2]) -> [F32s; 4] {
    const COLUMNS: i32 = offset_of!(Lattice, columns) as i32;
    const ROWS: i32 = offset_of!(Lattice, rows) as i32;
    let [columns, rows] = point.map(|k| in_period(quad.l, k));
    let lattice = quad.l.load_pointer(quad.constants, constant!(proctex.lattice));
    let l = &mut *quad.l;
    let [columns, rows] = [columns, rows].map(|offsets| l.addresses(lattice, offsets));
    let pixels = from_fn(|n| {
        let (column, row) = (columns[n], rows[n]);
        let columns = [0, 4].map(|next| {
            let offset = l.load_u32(column, COLUMNS + next);
            l.scalar_add(lattice, offset)
        });
        let rows = [0, 4].map(|next| l.load_u32(row, ROWS + next));
        let corners = from_fn(|corner| l.scalar_add(columns[corner & 1], rows[corner >> 1]));
        let gradients = l.gather_words(corners, offset_of!(Lattice, gradients) as i32);
        l.as_floats(gradients)
    });
    l.transpose(pixels)
}

/// An integer of up to 2^30 either way modulo the lattice's period, as an offset of words.
///
/// Nothing here is rounded but the quotients. The first one may miss a multiple of its divisor, by so little
/// that the rest is still between -200 and 591000; then half of the last place keeps the second one away from
/// the integers by more than its error.
fn in_period(l: &mut Lanes<'_>, k: F32s) -> I32s {
    const FAR_PERIOD: f32 = 4096.0 * PERIOD;
    let inverse = l.float(1.0 / FAR_PERIOD);
    let quotient = l.fmul(k, inverse);
    let rest = rest(l, k, quotient, FAR_PERIOD);
    let (half, inverse) = (l.float(0.5), l.float(1.0 / PERIOD));
    let middle = l.fadd(rest, half);
    let quotient = l.fmul(middle, inverse);
    let rest = self::rest(l, rest, quotient, PERIOD);
    let index = l.float_to_int_loose(rest);
    let bits = l.int(255);
    let index = l.int_and(index, bits);
    l.int_shl(index, 2)
}

/// `k - floor(quotient) period`.
fn rest(l: &mut Lanes<'_>, k: F32s, quotient: F32s, period: f32) -> F32s {
    let whole = l.floor(quotient);
    let period = l.float(period);
    let multiple = l.fmul(whole, period);
    l.fsub(k, multiple)
}

#[cfg(test)]
mod tests {
    use super::PERIOD;

    /// The arithmetic of [`in_period`](super::in_period), on one number.
    fn in_period(k: f32) -> i32 {
        let rest = |k: f32, quotient: f32, period: f32| k - quotient.floor() * period;
        let far = rest(k, k * (1.0 / (4096.0 * PERIOD)), 4096.0 * PERIOD);
        rest(far, (far + 0.5) * (1.0 / PERIOD), PERIOD) as i32
    }

    /// Around all multiples of the period as far as numbers are dense there; beyond, every 7th number.
    #[test]
    fn remainders_are_exact() {
        let check = |k: f32| {
            assert_eq!(in_period(k), (k as i32).rem_euclid(144), "{k}");
            assert_eq!(in_period(-k), (-k as i32).rem_euclid(144), "-{k}");
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
}
