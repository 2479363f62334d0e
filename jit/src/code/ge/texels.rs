//! Colours of textures, found for all groups of some runs before code draws them.
//!
//! No state decides more of this than how many texels are mixed, of how many levels, and where a position is wrapped. So it is no part
//! of routines, but plain code for [vectors], of 256 bits where the processor has such, which compiled code does not.
//!
//! Source: psp-ge.md 8.6, 9.1, 9.5, 9.6, 9.7.

mod groups;
mod levels;
mod vectors;

use super::depth_test::DepthTest;
use crate::emit::ge::span::{
    EdgeNumbers, GroupTexels, LevelConstants, PLACE_BITS, PLACE_ERROR, PixelConstants, PrimitiveNumbers,
    RowNumbers, Run, StepNumbers,
};
use crate::ge::four::{Four, UNITS};
use crate::ge::raster::texture::reciprocal;
use picaflor_pipeline::ge::regs::texture::LodMode;
#[cfg(not(all(target_arch = "aarch64", target_endian = "little")))]
use vectors::arrays::Arrays;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use vectors::neon::Neon;
#[cfg(target_arch = "x86_64")]
use vectors::{avx2::Avx2, sse41::Sse41};

/// Most groups whose colours are found at a time: as many as the longest row has.
pub(crate) const MOST_GROUPS: usize = 256;

/// Bits of whole numbers of 1/256 texels below a texel.
const BITS: u32 = 8;
/// Bits of numbers in fixed point below those of positions.
const LOWER: u32 = 32;
/// Last bits of a double that a reciprocal of 16 significant bits has not.
const CUT: u32 = 37;
/// Last bits from here on may be those of the next number: those of 0 less at most 2^-14 of all.
const DOUBT: u32 = u32::MAX << (32 - 14);

/// How the colours of a draw are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sampling {
    pub(crate) rectangles: bool,
    /// Clamped instead of repeated, s and t.
    pub(crate) clamp: [bool; 2],
    pub(crate) filter: Filter,
    /// Of triangles: where there are levels, groups without a pixel that passes get no colours.
    pub(crate) depth: Option<DepthTest>,
}

/// Which texels are those of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filter {
    /// One, of one level.
    Nearest,
    /// Four, likewise.
    Linear,
    /// As the level of detail says.
    Levels(Levels),
}

/// What a level of detail selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Levels {
    /// Source of the level of detail.
    pub(crate) mode: LodMode,
    /// Four texels where the texture is made smaller, and where it is made larger.
    pub(crate) linear: [bool; 2],
    /// Levels are used; two of them where this is `Some(true)`.
    pub(crate) levels: Option<bool>,
}

/// Runs, the numbers of their primitives, and of their rows if these are rectangles'.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sampled<'a> {
    pub(crate) runs: &'a [Run],
    pub(crate) primitives: &'a [PrimitiveNumbers],
    pub(crate) rows: &'a [RowNumbers],
    /// The first byte of VRAM, for depth tests.
    pub(crate) vram: *const u8,
}

/// Finds the colours of all groups, in their order.
///
/// # Panics
/// If there are more groups than places for colours, or a run names numbers that are not there, which is a bug of the engine.
///
/// # Safety
/// The texels of all levels up to the last one are valid: as many columns and rows as their constants say, and one more of each. So
/// is VRAM, if there is a depth test.
pub(crate) unsafe fn sample(
    sampling: &Sampling,
    constants: &PixelConstants,
    sampled: Sampled<'_>,
    to: &mut [GroupTexels],
) {
    // SAFETY: as the caller promises.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if let Some(vectors) = Avx2::detected() {
            return groups::sample(vectors, sampling, constants, sampled, to);
        }
        #[cfg(target_arch = "x86_64")]
        if let Some(vectors) = Sse41::detected() {
            return groups::sample(vectors, sampling, constants, sampled, to);
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        return groups::sample(Neon, sampling, constants, sampled, to);
        #[cfg(not(all(target_arch = "aarch64", target_endian = "little")))]
        groups::sample(Arrays, sampling, constants, sampled, to);
    }
}

/// Numbers of a run.
#[derive(Debug, Clone, Copy)]
struct Numbers<'a> {
    primitive: &'a PrimitiveNumbers,
    /// Of a rectangle.
    row: Option<&'a RowNumbers>,
}

impl<'a> Sampled<'a> {
    #[inline(always)]
    fn numbers(&self, run: &Run) -> Numbers<'a> {
        Numbers {
            primitive: &self.primitives[run.primitive as usize / size_of::<PrimitiveNumbers>()],
            row: (!self.rows.is_empty()).then(|| &self.rows[run.numbers as usize / size_of::<RowNumbers>()]),
        }
    }
}

impl Numbers<'_> {
    /// True if positions go in steps of integers.
    #[inline(always)]
    const fn is_plain(&self) -> bool {
        self.primitive.goes_in_steps | self.primitive.goes_by_texels != 0
    }

    /// True if s, t and q go in steps, which those of rectangles do not.
    #[inline(always)]
    const fn is_divided(&self) -> bool {
        self.row.is_none() && self.primitive.goes_divided != 0
    }

    /// True if v, of what goes in steps, is the same in a row, as far as it counts.
    #[inline(always)]
    const fn is_level(&self) -> bool {
        self.row.is_some() || self.primitive.goes_by_texels != 0 || self.primitive.plain[1].lanes[1] == 0
    }

    /// v in fixed point in the first lane, of what goes in steps.
    #[inline(always)]
    const fn v(&self, sampling: &Sampling, at: [u32; 2]) -> i64 {
        match self.row {
            Some(row) => row.v.wrapping_add(sampling.less()),
            None => sampling.fixed(&self.primitive.plain[1], at),
        }
    }
}

/// Positions in a texture of four pixels: u, v.
// Aligned, so that the stack of functions that have one is, where they keep vectors.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Places([[i32; 4]; 2]);

/// Positions by the manual's order of operations.
#[cold]
#[inline(never)]
fn exact(
    sampling: &Sampling,
    level: &LevelConstants,
    numbers: Numbers<'_>,
    [column, row]: [u32; 2],
) -> Places {
    in_level((sampling.clamp, sampling.mixes()), level, coordinates(numbers, column, Line::At(row)))
}

/// A row of pixels.
#[derive(Debug, Clone, Copy)]
enum Line {
    At(u32),
    /// The even (0) or the odd (1) one of the quads of a row.
    OfQuads(u32, usize),
}

/// u and v of four pixels from a column on, before they are scaled.
fn coordinates(Numbers { primitive, row }: Numbers<'_>, column: u32, line: Line) -> [Four; 2] {
    let columns = columns(column);
    match (row, line) {
        (Some(row), Line::At(_)) => of_rectangle(primitive, row.across[0], columns),
        (Some(row), Line::OfQuads(_, n)) => of_rectangle(primitive, row.across[1 + n], columns),
        (None, Line::At(row)) => of_triangle(primitive, columns, row),
        (None, Line::OfQuads(row, n)) => of_triangle(primitive, columns, row & !1 | n as u32),
    }
}

fn columns(first: u32) -> Four {
    Four::splat(f64::from(first)) + Four([0.0, 1.0, 2.0, 3.0])
}

/// Coordinates as positions in a level: of the nearest texel, or the upper left one of four.
fn in_level((clamp, mixes): ([bool; 2], bool), level: &LevelConstants, at: [Four; 2]) -> Places {
    let mut axes = level.scale.iter().zip(clamp);
    Places(at.map(|coordinates| {
        let ([scale, _], clamps) = axes.next().expect("two axes");
        (coordinates * Four::splat(*scale)).0.map(|position| raised(position.floor(), (clamps, mixes)))
    }))
}

/// Values of the edges: exact, as all of them are whole.
fn edges(edges: &[EdgeNumbers; 3], columns: Four, row: u32) -> [Four; 3] {
    let row = f64::from(row);
    edges.each_ref().map(|edge| Four::splat(edge.first + row * edge.down) + columns * Four::splat(edge.right))
}

fn weighted(weights: [Four; 3], [a, b, c]: [f64; 3]) -> Four {
    (weights[0] * Four::splat(a) + weights[1] * Four::splat(b)) + weights[2] * Four::splat(c)
}

/// u and v.
fn of_triangle(primitive: &PrimitiveNumbers, columns: Four, row: u32) -> [Four; 2] {
    let edges = edges(&primitive.edges, columns, row);
    let [a, b, c] = &primitive.corners;
    let weighted = |values| weighted(edges, values);
    let [s, t] = [weighted([a.s, b.s, c.s]), weighted([a.t, b.t, c.t])];
    if primitive.divides == 0 {
        let area = Four::splat(primitive.area[0]);
        return [s / area, t / area];
    }
    let share = Four::splat(primitive.area_reciprocal[0]);
    let reciprocal = (weighted([a.q, b.q, c.q]) * share).each(reciprocal);
    [s * share * reciprocal, t * share * reciprocal]
}

/// u and v.
fn of_rectangle(primitive: &PrimitiveNumbers, across: f64, columns: Four) -> [Four; 2] {
    // From A, which is whole.
    let distance = Four::splat(primitive.distance) + columns * Four::splat(16.0);
    let between = |[first, difference]: [[f64; 2]; 2]| {
        (Four::splat(first[0]) + Four::splat(difference[0]) * distance) / Four::splat(primitive.area[0])
    };
    let (mut along, mut across) = (between(primitive.along), Four::splat(across));
    if primitive.divides != 0 {
        let reciprocal = between(primitive.along_q).each(reciprocal);
        (along, across) = (along * reciprocal, across * reciprocal);
    }
    if primitive.swapped[0] == 0 { [along, across] } else { [across, along] }
}

impl Sampling {
    /// True if positions are those of the left and upper ones of four texels.
    #[inline(always)]
    const fn mixes(&self) -> bool {
        matches!(self.filter, Filter::Linear)
    }

    /// From a position to that of the left one of two texels, in fixed point.
    const fn less(&self) -> i64 {
        if self.mixes() { -1 << (PLACE_BITS + LOWER - 1) } else { 0 }
    }

    /// A number in fixed point in a pixel.
    #[inline(always)]
    const fn fixed(&self, steps: &StepNumbers, [column, row]: [u32; 2]) -> i64 {
        let first = steps.first.wrapping_add(self.less());
        let first = first.wrapping_add(steps.down.wrapping_mul(row as i64));
        first.wrapping_add(steps.lanes[1].wrapping_mul(column as i64))
    }

    /// The number that leaves a position in the low bits of a sum with it.
    fn units(&self) -> f64 {
        UNITS - f64::from(PLACE_ERROR + if self.mixes() { 1 << (PLACE_BITS - 1) } else { 0 })
    }

    /// Bits of positions that decide nothing: those below texels, or below the sixteenths that weights are.
    const fn bits(&self) -> u32 {
        let mixes = match self.filter {
            Filter::Nearest => false,
            Filter::Linear => true,
            Filter::Levels(Levels { linear: [smaller, larger], .. }) => smaller || larger,
        };
        if mixes { PLACE_BITS - 4 } else { PLACE_BITS }
    }
}

/// A whole number of 1/256 texels as a position: of clamped ones nothing counts beyond 2^11 texels, of others only what is left
/// modulo 2^12.
fn raised(position: f64, (clamps, mixes): (bool, bool)) -> i32 {
    let (more, far) = (PLACE_BITS - BITS, f64::from(1 << 30));
    // A NaN is the least one.
    let place = position.max(-far).min(far) as i32 - if mixes { 1 << (BITS - 1) } else { 0 };
    let place = if clamps { place.clamp(i32::MIN >> more, i32::MAX >> more) } else { place };
    place << more
}

/// Least and greatest position in a level, s and t.
fn bounds(clamp: [bool; 2], level: &LevelConstants) -> [[i32; 2]; 2] {
    [0, 1].map(|axis| if clamp[axis] { [0, level.farthest[axis][0]] } else { [i32::MIN, i32::MAX] })
}

#[cfg(test)]
#[path = "texels_tests.rs"]
mod tests;
