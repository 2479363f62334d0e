//! Texels of a level, wrapped and weighted (2.6).

use crate::pica::fragment::clamp;
use picaflor_pipeline::pica::regs::texture::TextureWrap;

/// The wrapped index; `None` is the border.
pub(super) fn wrap(mode: TextureWrap, i: i32, n: i32) -> Option<i32> {
    let repeated = Some(i.rem_euclid(n));
    match mode {
        TextureWrap::Edge => Some(i.clamp(0, n - 1)),
        TextureWrap::Border => (0..n).contains(&i).then_some(i),
        TextureWrap::Mirror => {
            let k = i.rem_euclid(2 * n);
            Some(if k < n { k } else { 2 * n - 1 - k })
        }
        TextureWrap::EdgeRepeat if i >= n => Some(n - 1),
        TextureWrap::BorderRepeat if i >= n => None,
        TextureWrap::EdgeRepeat | TextureWrap::BorderRepeat => repeated,
        TextureWrap::Repeat | TextureWrap::Repeat6 | TextureWrap::Repeat7 => repeated,
    }
}

/// The texel that contains a position; positions are in texels.
pub(super) fn nearest<T>([x, y]: [f32; 2], tap: impl Fn(i32, i32) -> T) -> T {
    tap(limit(x).floor() as i32, limit(y).floor() as i32)
}

/// Four texels around a position, weighted.
pub(super) fn linear<const N: usize>([x, y]: [f32; 2], tap: impl Fn(i32, i32) -> [u8; N]) -> [u8; N] {
    let ((i, gx), (j, gy)) = (pair(x), pair(y));
    blend([[tap(i, j), tap(i + 1, j)], [tap(i, j + 1), tap(i + 1, j + 1)]], gx, gy)
}

/// Weights of the right and of the upper texels of [`linear`], in units of 1/256.
pub(super) fn weights(at: [f32; 2]) -> [u32; 2] {
    at.map(|x| pair(x).1)
}

/// The lower of the two texels on either side of a position, and the weight of the upper in units of 1/256,
/// 256 included.
fn pair(x: f32) -> (i32, u32) {
    let from_centre = limit(x - 0.5);
    let lower = from_centre.floor();
    (lower as i32, ((from_centre - lower) * 256.0).floor() as u32)
}

/// Rows of two texels by weights: `gx` of the right ones, `gy` of the second row.
fn blend<const N: usize>(rows: [[[u8; N]; 2]; 2], gx: u32, gy: u32) -> [u8; N] {
    std::array::from_fn(|c| {
        let [lower, upper] =
            rows.map(|[left, right]| u32::from(left[c]) * (256 - gx) + u32::from(right[c]) * gx);
        ((lower * (256 - gy) + upper * gy + 32_768) >> 16) as u8
    })
}

/// Two colours, the second with weight `f` in units of 1/256.
pub(crate) fn between(a: [u8; 4], b: [u8; 4], f: u32) -> [u8; 4] {
    std::array::from_fn(|c| ((u32::from(a[c]) * (256 - f) + u32::from(b[c]) * f + 128) >> 8) as u8)
}

/// Keeps a position where its floor is an index.
fn limit(x: f32) -> f32 {
    const FAR: f32 = (1 << 30) as f32;
    clamp(x, -FAR, FAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(mode: usize) -> [Option<i32>; 5] {
        [-9, -1, 8, 9, 17].map(|i| wrap(TextureWrap::ALL[mode], i, 8))
    }

    #[test]
    fn wrap_mode_0() {
        assert_eq!(wrapped(0), [0, 0, 7, 7, 7].map(Some));
    }

    #[test]
    fn wrap_mode_1() {
        assert_eq!(wrapped(1), [None; 5]);
        assert_eq!(wrap(TextureWrap::Border, 7, 8), Some(7));
    }

    #[test]
    fn wrap_modes_2_6_7() {
        for mode in [2, 6, 7] {
            assert_eq!(wrapped(mode), [7, 7, 0, 1, 1].map(Some));
        }
    }

    #[test]
    fn wrap_mode_3() {
        assert_eq!(wrapped(3), [7, 0, 7, 6, 1].map(Some));
    }

    #[test]
    fn wrap_mode_4() {
        assert_eq!(wrapped(4), [Some(7); 5]);
    }

    #[test]
    fn wrap_mode_5() {
        assert_eq!(wrapped(5), [Some(7), Some(7), None, None, None]);
    }

    /// Expected: Python, floored modulus.
    #[test]
    fn repeat_of_a_size_that_is_no_power_of_two() {
        assert_eq!([-25, -1, 24, 50].map(|i| wrap(TextureWrap::Repeat, i, 24)), [23, 23, 0, 2].map(Some));
        assert_eq!([-25, 24, 47, 48].map(|i| wrap(TextureWrap::Mirror, i, 24)), [23, 23, 0, 0].map(Some));
    }

    #[test]
    fn bilinear() {
        let square = |v: [u8; 4]| [[[v[0]], [v[1]]], [[v[2]], [v[3]]]];
        assert_eq!(blend(square([0, 255, 255, 0]), 128, 128), [128]);
        assert_eq!(blend(square([10, 20, 30, 40]), 64, 192), [28]);
        assert_eq!(blend(square([1, 2, 3, 255]), 256, 256), [255]);
    }

    #[test]
    fn trilinear() {
        assert_eq!(between([0, 255, 10, 0], [255, 0, 11, 1], 128), [128, 128, 11, 1]);
        assert_eq!(between([7; 4], [200; 4], 0), [7; 4]);
    }

    #[test]
    fn positions() {
        let at = |x| nearest([x, 0.0], |i, _| i);
        assert_eq!([-0.25, 0.0, 0.75, -1.0].map(at), [-1, 0, 0, -1], "floor, not truncation");
        assert_eq!([f32::INFINITY, f32::MIN].map(at), [1 << 30, -(1 << 30)]);
        assert_eq!([0.5, 0.25, 1.0, -0.5].map(pair), [(0, 0), (-1, 192), (0, 128), (-1, 0)]);
        assert_eq!(pair(0.5_f32.next_down()), (-1, 256), "so close below a centre that the weight is whole");
        assert_eq!(pair(f32::INFINITY), (1 << 30, 0));
    }

    #[test]
    fn rows_go_upward() {
        let taps = |i: i32, j: i32| [(10 * j + i) as u8];
        assert_eq!(linear([2.5, 1.5], taps), [12]);
        assert_eq!(linear([2.5, 2.0], taps), [17]);
    }

    /// 2.6: modes 4 and 5 repeat below the size.
    #[test]
    fn wrap_modes_4_and_5_repeat_on_one_side() {
        for mode in [TextureWrap::ALL[4], TextureWrap::ALL[5]] {
            assert_eq!([-14, -6, 0, 3, 7].map(|i| wrap(mode, i, 8)), [2, 2, 0, 3, 7].map(Some));
        }
    }

    /// At (2, 3) the four texels (1, 2), (2, 2), (1, 3), (2, 3) have a quarter each: (200 * 2^14 + 2^15) >> 16 is 50.
    #[test]
    fn four_different_texels() {
        let only = |place: (i32, i32)| linear([2.0, 3.0], |i, j| [if (i, j) == place { 200 } else { 0 }])[0];
        assert_eq!([(1, 2), (2, 2), (1, 3), (2, 3)].map(only), [50; 4]);
        assert_eq!([(0, 2), (2, 1), (3, 3), (2, 4)].map(only), [0; 4]);
    }
}
