//! A number of each pixel of two quads, and vectors of such numbers, in the operation order of `interp::pica::fragment::vector`.

use super::vectors::{set_two, two};
use crate::emit::pica::block::QuadLanes;
use crate::emit::pica::constants::Splat;
use std::arch::x86_64::{
    __m256, __m256i, _CMP_LT_OQ, _CMP_NEQ_UQ, _CMP_ORD_Q, _mm256_add_ps, _mm256_and_ps, _mm256_and_si256,
    _mm256_cmp_ps, _mm256_cvtepi32_ps, _mm256_cvttps_epi32, _mm256_div_ps, _mm256_floor_ps, _mm256_max_ps,
    _mm256_min_ps, _mm256_mul_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_sqrt_ps, _mm256_srli_epi32,
    _mm256_sub_ps,
};

/// Eight numbers.
#[derive(Clone, Copy)]
pub(super) struct Eight(pub(super) __m256);

/// A vector of each pixel.
pub(super) type Vector = [Eight; 3];

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $instruction:ident,)*) => {
        $($(#[$doc])*
        #[target_feature(enable = "avx2")]
        #[inline]
        pub(super) fn $name(self, other: Self) -> Self {
            Self($instruction(self.0, other.0))
        })*
    };
}

impl Eight {
    operations! {
        plus = _mm256_add_ps,
        minus = _mm256_sub_ps,
        times = _mm256_mul_ps,
        over = _mm256_div_ps,
        /// `self > other ? self : other`, so the other where the comparison is unordered.
        max = _mm256_max_ps,
        /// `self < other ? self : other`, likewise.
        min = _mm256_min_ps,
    }

    /// The same number eight times.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn all(number: f32) -> Self {
        Self(_mm256_set1_ps(number))
    }

    /// A number of the draw's constants.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn constant(splat: &Splat) -> Self {
        Self::all(splat[0])
    }

    /// Three of them.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn constants([x, y, z]: &[Splat; 3]) -> Vector {
        [Self::constant(x), Self::constant(y), Self::constant(z)]
    }

    /// The numbers of a quad and the next one.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn of(numbers: &QuadLanes, quad: usize) -> Self {
        Self(two(numbers, quad))
    }

    /// The vectors of a quad and the next one.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn vector_of([x, y, z]: &[QuadLanes; 3], quad: usize) -> Vector {
        [Self::of(x, quad), Self::of(y, quad), Self::of(z, quad)]
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn put(self, numbers: &mut QuadLanes, quad: usize) {
        set_two(numbers, quad, self.0);
    }

    /// A channel of pixels, 0 to 255, that begins at a bit.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn channel<const BIT: i32>(pixels: __m256i) -> Self {
        let byte = _mm256_and_si256(_mm256_srli_epi32::<BIT>(pixels), _mm256_set1_epi32(255));
        Self(_mm256_cvtepi32_ps(byte))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn root(self) -> Self {
        Self(_mm256_sqrt_ps(self.0))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn floor(self) -> Self {
        Self(_mm256_floor_ps(self.0))
    }

    /// Without the sign.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn magnitude(self) -> Self {
        Self(_mm256_and_ps(self.0, _mm256_set1_ps(f32::from_bits(0x7fff_ffff))))
    }

    /// `least` for a NaN.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn clamp(self, least: f32, most: f32) -> Self {
        self.max(Self::all(least)).min(Self::all(most))
    }

    /// 0 for a NaN.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn unless_nan(self) -> Self {
        Self(_mm256_and_ps(_mm256_cmp_ps::<_CMP_ORD_Q>(self.0, self.0), self.0))
    }

    /// 0 where the other number is.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn unless_zero(self, other: Self) -> Self {
        Self(_mm256_and_ps(_mm256_cmp_ps::<_CMP_NEQ_UQ>(other.0, _mm256_set1_ps(0.0)), self.0))
    }

    /// Integers, truncated.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn whole(self) -> __m256i {
        _mm256_cvttps_epi32(self.0)
    }

    /// `round(clamp(self, 0, 1) * 255)`; a NaN gives 0.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn byte(self) -> __m256i {
        self.clamp(0.0, 1.0).times(Self::all(255.0)).plus(Self::all(0.5)).whole()
    }
}

/// `(x x' + y y') + z z'`.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn dot(a: Vector, b: Vector) -> Eight {
    a[0].times(b[0]).plus(a[1].times(b[1])).plus(a[2].times(b[2]))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn sum(a: Vector, b: Vector) -> Vector {
    [a[0].plus(b[0]), a[1].plus(b[1]), a[2].plus(b[2])]
}

#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn scaled(v: Vector, k: Eight) -> Vector {
    [v[0].times(k), v[1].times(k), v[2].times(k)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1].times(b[2]).minus(a[2].times(b[1])),
        a[2].times(b[0]).minus(a[0].times(b[2])),
        a[0].times(b[1]).minus(a[1].times(b[0])),
    ]
}

/// What makes a vector of this squared length one of length 1, and the lanes in which it does, as a mask: not where that is 0,
/// infinite or a NaN.
#[target_feature(enable = "avx2")]
#[inline]
fn reciprocal_length(squared: Eight) -> (Eight, __m256) {
    let above = _mm256_cmp_ps::<_CMP_LT_OQ>(_mm256_set1_ps(0.0), squared.0);
    let below = _mm256_cmp_ps::<_CMP_LT_OQ>(squared.0, _mm256_set1_ps(f32::INFINITY));
    (Eight::all(1.0).over(squared.root()), _mm256_and_ps(above, below))
}

/// A vector's direction, from its squared length; 0 where it has none.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn normalised(v: Vector, squared: Eight) -> Vector {
    let (k, valid) = reciprocal_length(squared);
    let [x, y, z] = scaled(v, k);
    [Eight(_mm256_and_ps(valid, x.0)), Eight(_mm256_and_ps(valid, y.0)), Eight(_mm256_and_ps(valid, z.0))]
}

/// The same of a quaternion.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn normalised_quaternion([x, y, z, w]: [Eight; 4]) -> [Eight; 4] {
    let (k, valid) = reciprocal_length(dot([x, y, z], [x, y, z]).plus(w.times(w)));
    let w = Eight(_mm256_and_ps(valid, w.times(k).0));
    let [x, y, z] = scaled([x, y, z], k);
    [Eight(_mm256_and_ps(valid, x.0)), Eight(_mm256_and_ps(valid, y.0)), Eight(_mm256_and_ps(valid, z.0)), w]
}

/// `v` rotated by a quaternion of length 1, w last.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn rotated([x, y, z, w]: [Eight; 4], v: Vector) -> Vector {
    let axis = [x, y, z];
    let inner = sum(cross(axis, v), scaled(v, w));
    sum(v, scaled(cross(axis, inner), Eight::all(2.0)))
}

/// (0, 0, 1) rotated: the closed form, which has the same bits.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn rotated_z([x, y, z, w]: [Eight; 4]) -> Vector {
    let (one, two) = (Eight::all(1.0), Eight::all(2.0));
    [
        two.times(x.times(z).plus(y.times(w))),
        two.times(y.times(z).minus(x.times(w))),
        one.minus(two.times(x.times(x).plus(y.times(y)))),
    ]
}

/// (1, 0, 0) rotated, likewise.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn rotated_x([x, y, z, w]: [Eight; 4]) -> Vector {
    let (one, two) = (Eight::all(1.0), Eight::all(2.0));
    [
        one.minus(two.times(y.times(y).plus(z.times(z)))),
        two.times(x.times(y).plus(z.times(w))),
        two.times(x.times(z).minus(y.times(w))),
    ]
}
