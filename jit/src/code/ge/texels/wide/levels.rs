//! Levels, a group at a time.

use super::super::levels::{At, CHANGE_ERROR, Choice, Group, How, SINGLE, zero};
use super::super::{MOST_GROUPS, Sampled};
use super::{
    Divided, Doubt, Texture, doubles, find_alive, is_doubtful, joined, last_bits, ordered, spread, store,
};
use crate::emit::ge::span::{
    GroupTexels, LEVELS, LevelConstants, PLACE_BITS, PixelConstants, PrimitiveNumbers,
};
use picaflor_pipeline::ge::regs::texture::LodMode;
use std::arch::x86_64::_CMP_LT_OQ;
use std::arch::x86_64::{
    __m256d, __m256i, _mm_cvtsi128_si32, _mm_setr_epi32, _mm256_add_epi16, _mm256_add_pd, _mm256_andnot_pd,
    _mm256_blend_epi32, _mm256_castpd_si256, _mm256_castsi256_si128, _mm256_cmp_pd, _mm256_extracti128_si256,
    _mm256_max_pd, _mm256_min_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_mullo_epi16, _mm256_permute_pd,
    _mm256_set1_epi32, _mm256_set1_pd, _mm256_setr_epi32, _mm256_slli_epi16, _mm256_srav_epi32,
    _mm256_srli_epi16, _mm256_srli_epi64, _mm256_sub_epi16, _mm256_sub_epi32, _mm256_sub_pd,
};

/// [`super::super::sample`] of levels.
///
/// # Safety
/// As there.
#[target_feature(enable = "avx2")]
pub(in super::super) unsafe fn sample(
    how: How<'_>,
    constants: &PixelConstants,
    sampled: Sampled<'_>,
    mut to: &mut [GroupTexels],
) {
    let (sampling, levels) = how;
    let textures = Textures::new(how, constants);
    let mut alive = [true; MOST_GROUPS];
    for run in sampled.runs {
        let numbers = sampled.numbers(run);
        let (here, rest) = to.split_at_mut(run.groups as usize);
        to = rest;
        let [mut column, row] = [run.column, run.row];
        // SAFETY: as the caller promises.
        unsafe { find_alive(sampling, sampled, run, &mut alive) };
        let mut steps = numbers.is_divided().then(|| {
            let others =
                (levels.mode == LodMode::Auto).then(|| Divided::of(numbers.primitive, [column, row ^ 1]));
            (Divided::of(numbers.primitive, [column, row]), others, Doubt::of(sampling))
        });
        for (texels, alive) in here.iter_mut().zip(&alive) {
            if !alive {
                if let Some((here, other, _)) = &mut steps {
                    here.advance();
                    if let Some(other) = other {
                        other.advance();
                    }
                }
                column += 4;
                continue;
            }
            let mut found = None;
            if let Some((here, other, doubt)) = &mut steps {
                let (positions, estimate) = here.positions();
                let (lower, mut doubtful) = doubt.places(positions, estimate);
                let details = match (levels.mode, other) {
                    (LodMode::Slope, _) => of_slope(how, constants, numbers.primitive, [column, row]),
                    (LodMode::Auto, Some(other)) => {
                        let (others, other_estimate) = other.positions();
                        doubtful |= is_doubtful(last_bits(other_estimate));
                        doubtful |=
                            is_below(_mm256_min_pd(here.now[2], other.now[2]), numbers.primitive.least_q[0]);
                        let even = if row & 1 == 0 { positions[0] } else { others[0] };
                        let change = change(even, [positions[1], others[1]]);
                        other.advance();
                        bounded(how, constants, change, CHANGE_ERROR)
                    }
                    (LodMode::Constant, _) | (LodMode::Auto, None) => Some([constants.bias; 2]),
                };
                here.advance();
                if !doubtful && let Some(details) = details {
                    found = Some((ordered(lower), details));
                }
            }
            let colours = match found {
                // SAFETY: as the caller promises.
                Some((places, details)) => unsafe { textures.colours(&Where::Places(places), details) },
                None => {
                    let Group { at, details } = Group::exact(how, constants, numbers, [column, row]);
                    // SAFETY: as the caller promises.
                    unsafe { textures.colours(&Where::Of(at), details) }
                }
            };
            store(colours, texels);
            column += 4;
        }
    }
}

/// Where pixels lie.
enum Where {
    Of(At),
    /// In level 0.
    Places(__m256i),
}

/// Details from clip w, unless they may be other ones.
#[target_feature(enable = "avx2")]
#[inline]
fn of_slope(
    how: How<'_>,
    constants: &PixelConstants,
    primitive: &PrimitiveNumbers,
    [column, row]: [u32; 2],
) -> Option<[i32; 2]> {
    let w = doubles(&primitive.w, [f64::from(column), f64::from(row & !1)]);
    bounded(how, constants, w, primitive.w_error[0])
}

/// Changes of positions from pixel to pixel: along the even row, and from this one to the other one. In lanes 0 and 2.
#[target_feature(enable = "avx2")]
#[inline]
fn change(u: __m256d, [here, other]: [__m256d; 2]) -> __m256d {
    let along = magnitude(_mm256_sub_pd(_mm256_permute_pd::<0b1111>(u), u));
    let down = magnitude(_mm256_sub_pd(other, here));
    // The second one beside a NaN.
    _mm256_max_pd(along, down)
}

/// Details of numbers that are wrong by an error, and what becomes of them as singles; of lanes 0 and 2.
#[target_feature(enable = "avx2")]
#[inline]
fn bounded(
    (_, levels): How<'_>,
    constants: &PixelConstants,
    number: __m256d,
    error: f64,
) -> Option<[i32; 2]> {
    let part = _mm256_mul_pd(magnitude(number), _mm256_set1_pd(SINGLE));
    let error = _mm256_add_pd(part, _mm256_set1_pd(error));
    let (mut low, mut high) = (_mm256_sub_pd(number, error), _mm256_add_pd(number, error));
    if levels.mode == LodMode::Slope {
        let slope = _mm256_set1_pd(constants.slope);
        low = _mm256_mul_pd(_mm256_add_pd(low, low), slope);
        high = _mm256_mul_pd(_mm256_add_pd(high, high), slope);
    }
    let ([a, b], [c, d]) = (upper(low), upper(high));
    let zero = zero(levels.mode) - constants.bias;
    let [first, second, first_high, second_high] = [a, b, c, d].map(|upper| (upper & 0x7fff) - zero);
    // None that is not above 0 counts.
    let differs = a != c && first.max(first_high) > 0 || b != d && second.max(second_high) > 0;
    (!differs).then_some([first, second])
}

/// Sign, exponent, and four bits more of lanes 0 and 2.
#[target_feature(enable = "avx2")]
#[inline]
fn upper(number: __m256d) -> [i32; 2] {
    let upper = _mm256_srli_epi64::<48>(_mm256_castpd_si256(number));
    let second = _mm256_extracti128_si256::<1>(upper);
    [_mm_cvtsi128_si32(_mm256_castsi256_si128(upper)), _mm_cvtsi128_si32(second)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn magnitude(number: __m256d) -> __m256d {
    _mm256_andnot_pd(_mm256_set1_pd(-0.0), number)
}

/// True if one number is below another one.
#[target_feature(enable = "avx2")]
#[inline]
fn is_below(numbers: __m256d, least: f64) -> bool {
    _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(numbers, _mm256_set1_pd(least))) != 0
}

/// What is known of all levels of a texture.
struct Textures<'a> {
    how: How<'a>,
    constants: &'a PixelConstants,
    levels: [Texture; LEVELS],
}

impl<'a> Textures<'a> {
    #[target_feature(enable = "avx2")]
    fn new(how: How<'a>, constants: &'a PixelConstants) -> Self {
        let clamp = how.0.clamp;
        Self { how, constants, levels: constants.levels.each_ref().map(|level| Texture::new(clamp, level)) }
    }

    /// Colours of a group whose quads have these details. Where both have the levels and the filter in common, of all pixels at
    /// once.
    ///
    /// # Safety
    /// The texels of all levels up to the last one are valid.
    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn colours(&self, at: &Where, details: [i32; 2]) -> __m256i {
        let (levels, last) = (self.how.1, self.constants.last_level);
        let [first_detail, second_detail] = details;
        let (first, first_part) = levels.choice(first_detail, last);
        let (second, second_part) = levels.choice(second_detail, last);
        let fractions = [i32::from(first_part), i32::from(second_part)];
        // SAFETY: as the caller promises.
        unsafe {
            let colours = self.of_choice(at, first, fractions);
            if first == second {
                return colours;
            }
            _mm256_blend_epi32::<0b1111_0000>(colours, self.of_choice(at, second, fractions))
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    unsafe fn of_choice(&self, at: &Where, choice: Choice, [first, second]: [i32; 2]) -> __m256i {
        let [low, high] = choice.levels;
        // SAFETY: as the caller promises.
        let colours = unsafe { self.of_level(at, low, choice.is_linear) };
        if low == high || first | second == 0 {
            return colours;
        }
        // SAFETY: as the caller promises.
        let next = unsafe { self.of_level(at, high, choice.is_linear) };
        let fractions = spread(_mm_setr_epi32(first, first, second, second));
        let change = _mm256_mullo_epi16(_mm256_sub_epi16(next, colours), fractions);
        let whole = _mm256_slli_epi16::<4>(colours);
        _mm256_srli_epi16::<4>(_mm256_add_epi16(whole, change))
    }

    #[target_feature(enable = "avx2")]
    unsafe fn of_level(&self, at: &Where, level: usize, is_linear: bool) -> __m256i {
        let (constants, texture) = (&self.constants.levels[level], &self.levels[level]);
        let places = match at {
            Where::Places(places) => in_level(constants, *places, is_linear),
            Where::Of(at) => joined(&at.in_level((self.how.0.clamp, is_linear), constants)),
        };
        // SAFETY: as the caller promises.
        unsafe { if is_linear { texture.colours::<true>(places) } else { texture.colours::<false>(places) } }
    }
}

/// From positions in level 0 to those in another one.
#[target_feature(enable = "avx2")]
#[inline]
fn in_level(level: &LevelConstants, places: __m256i, is_linear: bool) -> __m256i {
    let [u, v] = level.halved.map(u32::cast_signed);
    let halved = _mm256_srav_epi32(places, _mm256_setr_epi32(u, u, u, u, v, v, v, v));
    let less = if is_linear { 1 << (PLACE_BITS - 1) } else { 0 };
    _mm256_sub_epi32(halved, _mm256_set1_epi32(less))
}
