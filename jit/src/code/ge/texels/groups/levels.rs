//! Levels, a group at a time.

use super::super::levels::{CHANGE_ERROR, Choice, Group, How, SINGLE, zero};
use super::super::vectors::Vectors;
use super::super::{MOST_GROUPS, Numbers, Places, Sampled, in_level};
use super::{Divided, Doubt, Texture, doubles, find_alive};
use crate::code::vectors::Work;
use crate::emit::ge::span::{GroupTexels, LEVELS, LevelConstants, PLACE_BITS, PixelConstants};
use crate::ge::four::Four;
use picaflor_pipeline::ge::regs::texture::LodMode;

/// Groups with levels of detail. Its maker promises what [`super::super::sample`] wants.
pub(super) struct OfLevels<'a, V> {
    pub(super) vectors: V,
    pub(super) how: How<'a>,
    pub(super) constants: &'a PixelConstants,
    pub(super) sampled: Sampled<'a>,
    pub(super) to: &'a mut [GroupTexels],
}

impl<V: Vectors> Work for OfLevels<'_, V> {
    type Found = ();

    #[inline(always)]
    fn work(self) {
        let Self { vectors, how, constants, sampled, mut to } = self;
        let textures = Textures::new(vectors, how, constants);
        let mut alive = [true; MOST_GROUPS];
        for run in sampled.runs {
            let numbers = sampled.numbers(run);
            let (here, rest) = to.split_at_mut(run.groups as usize);
            to = rest;
            // SAFETY: as this' maker promises.
            unsafe { find_alive(vectors, how.0, sampled, run, &mut alive) };
            let mut at = [run.column, run.row];
            let mut steps =
                if numbers.is_divided() { Some(Steps::new(vectors, how, numbers, at)) } else { None };
            for (texels, alive) in here.iter_mut().zip(&alive) {
                if *alive {
                    let found = match &steps {
                        Some(steps) => steps.found(vectors, how, constants, at),
                        None => None,
                    };
                    let (at, details) = match found {
                        Some((places, details)) => (Where::Places(places), details),
                        None => {
                            let Group { at, details } = Group::exact(how, constants, numbers, at);
                            (Where::Exact(at), details)
                        }
                    };
                    // SAFETY: as this' maker promises.
                    vectors.store(unsafe { textures.colours(&at, details) }, texels);
                }
                if let Some(steps) = &mut steps {
                    steps.advance(vectors);
                }
                at[0] += 4;
            }
        }
    }
}

/// Where pixels lie.
enum Where<V: Vectors> {
    /// Before they are scaled, by the manual's order of operations.
    Exact([Four; 2]),
    /// In level 0.
    Places(V::Places),
}

/// Numbers of a run of a triangle that go in steps of doubles.
struct Steps<'a, V: Vectors> {
    numbers: Numbers<'a>,
    here: Divided<V>,
    /// In the other row of quads, where details depend on it.
    other: Option<Divided<V>>,
    doubt: Doubt<V>,
}

impl<'a, V: Vectors> Steps<'a, V> {
    #[inline(always)]
    fn new(vectors: V, (sampling, levels): How<'_>, numbers: Numbers<'a>, [column, row]: [u32; 2]) -> Self {
        let of_row = |row: u32| Divided::of(vectors, numbers.primitive, [column, row]);
        Self {
            numbers,
            here: of_row(row),
            other: if levels.mode == LodMode::Auto { Some(of_row(row ^ 1)) } else { None },
            doubt: Doubt::of(vectors, sampling),
        }
    }

    /// Positions in level 0 and details, unless one of them may be another one.
    #[inline(always)]
    fn found(
        &self,
        vectors: V,
        how: How<'_>,
        constants: &PixelConstants,
        [column, row]: [u32; 2],
    ) -> Option<(V::Places, [i32; 2])> {
        let primitive = self.numbers.primitive;
        let (positions, estimate) = self.here.positions(vectors);
        let (places, bits) = self.doubt.places(vectors, (positions, estimate));
        let mut is_doubtful = vectors.are_doubtful(bits);
        let details = match (how.1.mode, &self.other) {
            // Clip w, in the even row.
            (LodMode::Slope, _) => {
                let w = doubles(vectors, &primitive.w, [f64::from(column), f64::from(row & !1)]);
                bounded(vectors, how, constants, w, primitive.w_error[0])
            }
            (LodMode::Auto, Some(other)) => {
                let (others, other_estimate) = other.positions(vectors);
                is_doubtful |= vectors.is_cut_doubtful(other_estimate);
                is_doubtful |=
                    vectors.any_below(vectors.smaller(self.here.now[2], other.now[2]), primitive.least_q[0]);
                // Along the even row, and from this one to the other one.
                let even = if row & 1 == 0 { positions[0] } else { others[0] };
                let along = vectors.magnitude(vectors.along(even));
                let down = vectors.magnitude(vectors.sub(others[1], positions[1]));
                bounded(vectors, how, constants, vectors.larger(along, down), CHANGE_ERROR)
            }
            (LodMode::Constant, _) | (LodMode::Auto, None) => Some([constants.bias; 2]),
        };
        match details {
            Some(details) if !is_doubtful => Some((places, details)),
            _ => None,
        }
    }

    /// On to the next group.
    #[inline(always)]
    fn advance(&mut self, vectors: V) {
        self.here.advance(vectors);
        if let Some(other) = &mut self.other {
            other.advance(vectors);
        }
    }
}

/// Details of numbers that are wrong by an error, and what becomes of them as singles; of lanes 0 and 2.
#[inline(always)]
fn bounded<V: Vectors>(
    vectors: V,
    (_, levels): How<'_>,
    constants: &PixelConstants,
    number: V::Doubles,
    error: f64,
) -> Option<[i32; 2]> {
    let all = |number: f64| vectors.doubles([number; 4]);
    let error = vectors.add(vectors.mul(vectors.magnitude(number), all(SINGLE)), all(error));
    let (mut low, mut high) = (vectors.sub(number, error), vectors.add(number, error));
    if levels.mode == LodMode::Slope {
        let slope = all(constants.slope);
        low = vectors.mul(vectors.add(low, low), slope);
        high = vectors.mul(vectors.add(high, high), slope);
    }
    let ([a, b], [c, d]) = (vectors.upper(low), vectors.upper(high));
    let zero = zero(levels.mode) - constants.bias;
    let [first, second, first_high, second_high] = [a, b, c, d].map(|upper| (upper & 0x7fff) - zero);
    // None that is not above 0 counts.
    let differs = a != c && first.max(first_high) > 0 || b != d && second.max(second_high) > 0;
    (!differs).then_some([first, second])
}

/// What is known of all levels of a texture.
struct Textures<'a, V: Vectors> {
    vectors: V,
    how: How<'a>,
    constants: &'a PixelConstants,
    levels: [Texture<V, true>; LEVELS],
}

impl<'a, V: Vectors> Textures<'a, V> {
    #[inline(always)]
    fn new(vectors: V, how: How<'a>, constants: &'a PixelConstants) -> Self {
        let of = |level: usize| Texture::<V, true>::new(vectors, how.0.clamp, &constants.levels[level]);
        // One by one: the compiler would not inline a closure for `map`, and so leave it without these vectors.
        let levels: [_; LEVELS] = [of(0), of(1), of(2), of(3), of(4), of(5), of(6), of(7)];
        Self { vectors, how, constants, levels }
    }

    /// Colours of a group whose quads have these details. Where both have the levels and the filter in common, of all pixels at
    /// once.
    ///
    /// # Safety
    /// The texels of all levels up to the last one are valid.
    #[inline(always)]
    unsafe fn colours(&self, at: &Where<V>, details: [i32; 2]) -> V::Colours {
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
            self.vectors.halves(colours, self.of_choice(at, second, fractions))
        }
    }

    #[inline(always)]
    unsafe fn of_choice(&self, at: &Where<V>, choice: Choice, [first, second]: [i32; 2]) -> V::Colours {
        let [low, high] = choice.levels;
        // SAFETY: as the caller promises.
        let colours = unsafe { self.of_level(at, low, choice.is_linear) };
        if low == high || first | second == 0 {
            return colours;
        }
        // SAFETY: as the caller promises.
        let next = unsafe { self.of_level(at, high, choice.is_linear) };
        let fractions = self.vectors.spread(self.vectors.ints([first, first, second, second]));
        self.vectors.between::<4>([colours, next], fractions)
    }

    #[inline(always)]
    unsafe fn of_level(&self, at: &Where<V>, level: usize, is_linear: bool) -> V::Colours {
        let (constants, texture) = (&self.constants.levels[level], &self.levels[level]);
        self.vectors.apart(OfPlaces {
            vectors: self.vectors,
            how: self.how,
            constants,
            texture,
            at,
            is_linear,
        })
    }
}

/// Colours of a group in one level. Its maker promises that its texels are valid.
struct OfPlaces<'a, V: Vectors> {
    vectors: V,
    how: How<'a>,
    constants: &'a LevelConstants,
    texture: &'a Texture<V, true>,
    at: &'a Where<V>,
    is_linear: bool,
}

impl<V: Vectors> Work for OfPlaces<'_, V> {
    type Found = V::Colours;

    #[inline(always)]
    fn work(self) -> V::Colours {
        let Self { vectors, how, constants, texture, at, is_linear } = self;
        let places = match at {
            Where::Places(places) => {
                // From positions in level 0.
                let less = if is_linear { 1 << (PLACE_BITS - 1) } else { 0 };
                vectors.halved(*places, constants.halved, less)
            }
            Where::Exact(at) => {
                let Places(places) = in_level((how.0.clamp, is_linear), constants, *at);
                vectors.places(places)
            }
        };
        // SAFETY: as this' maker promises.
        unsafe {
            if is_linear {
                texture.colours::<true>(vectors, places)
            } else {
                texture.colours::<false>(vectors, places)
            }
        }
    }
}
