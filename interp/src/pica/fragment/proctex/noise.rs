//! Noise (3.4): gradients at the points of a lattice, interpolated by a table.

use super::{FAR, map};
use crate::pica::fragment::clamp;
use picaflor_pipeline::pica::stage::FragmentState;

/// u and v with noise (3.4).
pub(super) fn disturbed(state: &FragmentState<'_>, uv: [f32; 2]) -> [f32; 2] {
    let frequency = state.registers.proctex_frequency();
    let axes = state.registers.proctex_noise();
    let point: [f32; 2] = std::array::from_fn(|k| {
        let frequency = [frequency.u(), frequency.v()][k].to_f32();
        clamp(9.0 * frequency * (uv[k] + axes[k].phase().to_f32()).abs(), -FAR, FAR)
    });
    let n = noise(&state.luts.noise, point);
    std::array::from_fn(|k| {
        let amplitude = axes[k].amplitude().units() as f32 / 4095.0;
        (uv[k] + n * amplitude).abs()
    })
}

/// Gradient noise at a point of the lattice.
fn noise(table: &[u32; 128], [x, y]: [f32; 2]) -> f32 {
    let (xi, yi) = (x.floor() as i32, y.floor() as i32);
    let (fx, fy) = (x - x.floor(), y - y.floor());
    let g0 = gradient(xi, yi) * (fx + fy);
    let g1 = gradient(xi + 1, yi) * (fx + fy - 1.0);
    let g2 = gradient(xi, yi + 1) * (fx + fy - 1.0);
    let g3 = gradient(xi + 1, yi + 1) * (fx + fy - 2.0);
    let (wx, wy) = (map(table, fx), map(table, fy));
    let a = g0 + (g1 - g0) * wx;
    let b = g2 + (g3 - g2) * wx;
    a + (b - a) * wy
}

/// Of 16 values from -1 to 1, that of a lattice point.
fn gradient(x: i32, y: i32) -> f32 {
    -1.0 + (2 * hash(x, y)) as f32 / 15.0
}

/// The hash of a lattice point, 0 to 15.
fn hash(x: i32, y: i32) -> u32 {
    const TABLE: [u32; 16] = [10, 2, 15, 8, 0, 7, 4, 5, 5, 13, 2, 6, 13, 9, 3, 14];
    let p = hash_of_axis(x);
    let mut q = hash_of_axis(y);
    if p & 3 == 1 {
        q += 4;
    }
    if p & 1 == 1 {
        q ^= 6;
    }
    ((q + 10 + p) & 15) ^ TABLE[p as usize]
}

/// The hash of one coordinate of a lattice point, 0 to 15.
fn hash_of_axis(k: i32) -> u32 {
    const TABLE: [u32; 16] = [0, 4, 10, 8, 4, 9, 7, 12, 5, 15, 13, 14, 11, 15, 2, 11];
    let k = k.rem_euclid(144) as u32;
    (((k % 9 + 2) * 3) & 15) ^ TABLE[(k / 9) as usize]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A map whose value is its position, as close as units of 1/4095 allow.
    pub(in super::super) fn identity() -> [u32; 128] {
        let value = |k: u32| (k * 4095 + 64) / 128;
        std::array::from_fn(|k| value(k as u32) | (value(k as u32 + 1) - value(k as u32)) << 12)
    }

    #[test]
    fn hash_of_axis_vector() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(hash_of_axis), [6, 9, 12, 15, 2, 5, 8, 11, 14, 2]);
    }

    #[test]
    fn hash_vector() {
        let row = |y| [0, 1, 2, 3, 4, 5].map(|x| hash(x, y));
        assert_eq!(row(0), [2, 2, 1, 7, 13, 12]);
        assert_eq!(row(1), [13, 3, 2, 6, 10, 13]);
        assert_eq!(row(2), [8, 4, 15, 13, 7, 2]);
        assert_eq!(row(3), [11, 5, 8, 12, 4, 3]);
    }

    #[test]
    fn hash_has_period_144() {
        assert_eq!([hash(100, 200), hash(143, 0), hash(144, 0)], [11, 12, 2]);
        assert_eq!(hash(-1, -144), hash(143, 0));
    }

    #[test]
    fn noise_vector() {
        let table = identity();
        let close = |point, expected: f32| (noise(&table, point) - expected).abs() < 1.5 / 4095.0;
        assert!(close([0.5, 0.5], -1.0 / 30.0) && close([2.25, 1.75], -0.275));
    }

    /// A table with a step at 1/2 selects one of the four points around (1, 1) to (2, 2), whose hashes are 3, 2, 4, 15.
    #[test]
    fn each_point_of_the_lattice() {
        let table = std::array::from_fn(|k| if k < 64 { 0 } else { 4095 });
        let cases = [
            ([1.25, 1.25], 3, 0.5),
            ([1.875, 1.25], 2, 0.125),
            ([1.25, 1.875], 4, 0.125),
            ([1.875, 1.625], 15, -0.5),
        ];
        for (point, hash, share) in cases {
            let expected = share * (hash as f32 * 2.0 / 15.0 - 1.0);
            assert!((noise(&table, point) - expected).abs() < 1e-6, "{point:?}");
        }
    }
}
