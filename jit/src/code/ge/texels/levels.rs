//! Level of detail, one value for each quad of 2x2 pixels, of which a group is part of two.
//!
//! Triangles whose numbers go in steps of doubles have positions in level 0, from which those in other levels follow, as each is a
//! power of two smaller. Their details are found from numbers that are nearly the manual's. Groups where that may make a
//! difference, and all others, take the manual's order of operations.
//!
//! Source: psp-ge.md 9.5.

use super::{Levels, Line, Numbers, Sampling, columns, coordinates, edges, weighted};
use crate::emit::ge::span::{PLACE_BITS, PixelConstants};
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
    /// u and v, before they are scaled.
    pub(super) at: [Four; 2],
    /// Of both quads, in sixteenths of a level.
    pub(super) details: [i32; 2],
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
        Self { at, details }
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
