//! Level of detail, one value for each quad of 2x2 pixels, of which a group is part of two.
//!
//! Triangles whose numbers go in steps of doubles have positions in level 0, from which those in other levels follow, as each is a
//! power of two smaller. Their details are found from numbers that are nearly the manual's. Groups where that may make a
//! difference, and all others, take the manual's order of operations.
//!
//! Source: psp-ge.md 9.5.

use super::{
    Channels, Divided, Levels, Line, Numbers, Places, Sampling, colours, columns, coordinates, edges,
    in_level, weighted,
};
use crate::emit::ge::span::{LevelConstants, PLACE_BITS, PixelConstants};
use crate::ge::four::Four;
use picaflor_pipeline::ge::regs::texture::LodMode;

/// Sixteenths of an octave from 0 to 1, in the pattern of a double.
const DOUBLE_BIAS: i32 = 1023 * 16;
/// The same of changes in units of positions.
const CHANGE_BIAS: i32 = DOUBLE_BIAS + 16 * PLACE_BITS as i32;
/// How far changes of positions in steps may be from the manual's, in those units, with much to spare: each of the two positions is
/// off by less than 1.
pub(super) const CHANGE_ERROR: f64 = 4.0;
/// Numbers that are rounded to singles may become larger by a quarter of this part of them.
pub(super) const SINGLE: f64 = 1.0 / (1 << 22) as f64;

/// A draw's way through the levels of its texture.
pub(super) type How<'a> = (&'a Sampling, Levels);

/// Where four pixels are, and in which levels.
pub(super) struct Group {
    pub(super) at: At,
    /// Of both quads, in sixteenths of a level.
    pub(super) details: [i32; 2],
}

/// Where pixels lie.
pub(super) enum At {
    /// By the manual.
    Exact([Four; 2]),
    /// In level 0.
    Places(Places),
}

/// What is taken of a texture at a level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    /// One level, or two with sixteenths of the second.
    pub(super) levels: [usize; 2],
    pub(super) is_linear: bool,
}

impl Levels {
    /// What is taken at a detail, and sixteenths of the second of two levels.
    #[inline(always)]
    pub(super) fn choice(self, detail: i32, last: i32) -> (Choice, u16) {
        if detail <= 0 {
            return (Choice { levels: [0; 2], is_linear: self.linear[1] }, 0);
        }
        let detail = detail.min(last);
        let (levels, sixteenths) = match self.levels {
            None => ([0; 2], 0),
            Some(false) => ([(detail + 8) >> 4; 2], 0),
            Some(true) => ([detail >> 4, ((detail >> 4) + 1).min(last >> 4)], detail & 15),
        };
        (Choice { levels: levels.map(|level| level as usize), is_linear: self.linear[0] }, sixteenths as u16)
    }
}

impl Group {
    /// Four pixels from a column on.
    pub(super) fn of(how: How<'_>, constants: &PixelConstants, numbers: Numbers<'_>, at: [u32; 2]) -> Self {
        let in_steps = numbers.is_divided().then(|| Self::in_steps(how, constants, numbers, at));
        in_steps.flatten().unwrap_or_else(|| Self::exact(how, constants, numbers, at))
    }

    /// From numbers that go in steps, unless something may not be the manual's.
    fn in_steps(
        (sampling, levels): How<'_>,
        constants: &PixelConstants,
        Numbers { primitive, .. }: Numbers<'_>,
        [column, row]: [u32; 2],
    ) -> Option<Self> {
        let here = Divided::of(primitive, [column, row]);
        let at = |here: &Divided, other: Option<&Divided>| here.places(sampling, other).map(At::Places);
        let (numbers, error) = match levels.mode {
            LodMode::Constant => return Some(Self { at: at(&here, None)?, details: [constants.bias; 2] }),
            LodMode::Slope => {
                let steps = &primitive.w;
                let first = steps.first + steps.down * f64::from(row & !1);
                let w = [0, 2].map(|lane| first + steps.right * f64::from(column + lane));
                (w, primitive.w_error[0])
            }
            LodMode::Auto => {
                let other = Divided::of(primitive, [column, row ^ 1]);
                let least = here.q.into_iter().chain(other.q).fold(f64::INFINITY, f64::min);
                here.places(sampling, Some(&other)).filter(|_| least >= primitive.least_q[0])?;
                let even = if row & 1 == 0 { &here } else { &other };
                let change = [0, 2].map(|n| {
                    let along = (even.positions[0][n + 1] - even.positions[0][n]).abs();
                    let down = (other.positions[1][n] - here.positions[1][n]).abs();
                    if along > down { along } else { down }
                });
                (change, CHANGE_ERROR)
            }
        };
        let mut details = [0; 2];
        for (detail, number) in details.iter_mut().zip(numbers) {
            let error = number.abs() * SINGLE + error;
            let bound = |number: f64| match levels.mode {
                LodMode::Slope => (number + number) * constants.slope,
                _ => number,
            };
            let [low, high] =
                [number - error, number + error].map(|number| (bound(number).to_bits() >> 48) as i32);
            let [low_detail, high_detail] =
                [low, high].map(|upper| (upper & 0x7fff) - zero(levels.mode) + constants.bias);
            // None that is not above 0 counts.
            if low != high && low_detail.max(high_detail) > 0 {
                return None;
            }
            *detail = low_detail;
        }
        Some(Self { at: at(&here, None)?, details })
    }

    /// By the manual.
    #[cold]
    #[inline(never)]
    pub(super) fn exact(
        (_, levels): How<'_>,
        constants: &PixelConstants,
        numbers: Numbers<'_>,
        at: [u32; 2],
    ) -> Self {
        let [column, row] = at;
        let details =
            |[first, second]: [f64; 2]| [first, second].map(|number| logarithm(number) + constants.bias);
        let here = || coordinates(numbers, column, Line::At(row));
        let (at, details) = match levels.mode {
            LodMode::Constant => (here(), [constants.bias; 2]),
            LodMode::Slope => {
                let w = w(numbers, column, row).0;
                (here(), details([w[0], w[2]].map(|w| 2.0 * w * constants.slope)))
            }
            LodMode::Auto => {
                let rows = [0, 1].map(|n| coordinates(numbers, column, Line::OfQuads(row, n)));
                let [even, odd] = &rows;
                let [s_scale, t_scale] = constants.lod_scale;
                let change = |n: usize| {
                    let s = (even[0].0[n + 1] - even[0].0[n]).abs() * s_scale;
                    let t = (odd[1].0[n] - even[1].0[n]).abs() * t_scale;
                    if s > t { s } else { t }
                };
                (rows[row as usize & 1], details([change(0), change(2)]))
            }
        };
        Self { at: At::Exact(at), details }
    }

    /// Colours. Where both quads have the levels and the filter in common, of all pixels at once.
    ///
    /// # Safety
    /// The texels of all levels up to the last one are valid.
    pub(super) unsafe fn colours(
        &self,
        (sampling, levels): How<'_>,
        constants: &PixelConstants,
    ) -> [Channels; 4] {
        let [(first, low), (second, high)] =
            self.details.map(|detail| levels.choice(detail, constants.last_level));
        let of_choice = |choice: Choice| {
            let of_level = |level: usize| {
                let (level, how) = (&constants.levels[level], (sampling.clamp, choice.is_linear));
                // SAFETY: as the caller promises.
                unsafe { colours(how, level, &self.at.in_level(how, level)) }
            };
            let [level, next] = choice.levels;
            let mut colours = of_level(level);
            if level != next {
                for (n, (colour, other)) in colours.iter_mut().zip(of_level(next)).enumerate() {
                    let sixteenths = if n < 2 { low } else { high };
                    *colour = colour.mixed(other, sixteenths.into()).less(4);
                }
            }
            colours
        };
        let [a, b, c, d] = of_choice(first);
        if first == second {
            return [a, b, c, d];
        }
        let [_, _, c, d] = of_choice(second);
        [a, b, c, d]
    }
}

impl At {
    /// Positions in a level: of the nearest texel, or the upper left one of four.
    pub(super) fn in_level(&self, how: ([bool; 2], bool), level: &LevelConstants) -> Places {
        match self {
            Self::Exact(at) => in_level(how, level, *at),
            Self::Places(Places(places)) => {
                let less = if how.1 { 1 << (PLACE_BITS - 1) } else { 0 };
                let moved =
                    |axis: usize| places[axis].map(|place| (place >> level.halved[axis]).wrapping_sub(less));
                Places([moved(0), moved(1)])
            }
        }
    }
}

/// Clip w, linear on the screen, in the even row of the quads.
fn w(Numbers { primitive, row: of_rectangle }: Numbers<'_>, column: u32, row: u32) -> Four {
    let [a, b, c] = &primitive.corners;
    if of_rectangle.is_some() {
        return Four::splat(a.w);
    }
    let edges = edges(&primitive.edges, columns(column), row & !1);
    weighted(edges, [a.w, b.w, c.w]) / Four::splat(primitive.area[0])
}

/// The logarithm of a quad's step in sixteenths.
fn logarithm(number: f64) -> i32 {
    ((number as f32).to_bits() >> 19 & 0xfff) as i32 - 127 * 16
}

/// Where details count from, in the patterns of doubles.
pub(super) const fn zero(mode: LodMode) -> i32 {
    match mode {
        LodMode::Auto => CHANGE_BIAS,
        LodMode::Slope | LodMode::Constant => DOUBLE_BIAS,
    }
}
