//! A group at a time, in vectors: u and v of its four pixels, or their four channels.

pub(super) mod levels;

use super::vectors::Vectors;
use super::{Filter, LOWER, MOST_GROUPS, Numbers, Places, Sampled, Sampling, bounds, exact};
use crate::code::vectors::Work;
use crate::emit::ge::span::{
    DoubleSteps, GroupTexels, LevelConstants, PLACE_BITS, PixelConstants, PrimitiveNumbers, Run, StepNumbers,
};
use picaflor_pipeline::ge::vram::VRAM_BYTES;

/// Whole texels in a number of fixed point.
const TEXEL_BITS: u32 = PLACE_BITS + LOWER;

/// [`super::sample`] with some vectors.
///
/// # Safety
/// As there.
pub(super) unsafe fn sample<V: Vectors>(
    vectors: V,
    sampling: &Sampling,
    constants: &PixelConstants,
    sampled: Sampled<'_>,
    to: &mut [GroupTexels],
) {
    let clamps = sampling.clamp != [false; 2];
    match (sampling.filter, clamps) {
        (Filter::Nearest, _) => {
            vectors.apart(OfLevel::<V, false, true> { vectors, sampling, constants, sampled, to });
        }
        (Filter::Linear, true) => {
            vectors.apart(OfLevel::<V, true, true> { vectors, sampling, constants, sampled, to });
        }
        (Filter::Linear, false) => {
            vectors.apart(OfLevel::<V, true, false> { vectors, sampling, constants, sampled, to });
        }
        (Filter::Levels(levels), _) => {
            vectors.apart(levels::OfLevels { vectors, how: (sampling, levels), constants, sampled, to });
        }
    }
}

/// Groups of one level, with one texel or four to the pixel, clamped or not. Its maker promises what [`super::sample`] wants.
struct OfLevel<'a, V, const MIXES: bool, const CLAMPS: bool> {
    vectors: V,
    sampling: &'a Sampling,
    constants: &'a PixelConstants,
    sampled: Sampled<'a>,
    to: &'a mut [GroupTexels],
}

impl<V: Vectors, const MIXES: bool, const CLAMPS: bool> Work for OfLevel<'_, V, MIXES, CLAMPS> {
    type Found = ();

    #[inline(always)]
    fn work(self) {
        let Self { vectors, sampling, constants, sampled, mut to } = self;
        let level = &constants.levels[0];
        let texture = Texture::<V, CLAMPS>::new(vectors, sampling.clamp, level);
        for run in sampled.runs {
            let numbers = sampled.numbers(run);
            let (here, rest) = to.split_at_mut(run.groups as usize);
            to = rest;
            let row = Row { vectors, sampling, level, numbers, at: [run.column, run.row] };
            // SAFETY: as this' maker promises.
            unsafe {
                match (numbers.is_plain(), numbers.is_level()) {
                    (true, true) => row.level::<MIXES, CLAMPS>(&texture, here),
                    (true, false) => row.plain::<MIXES, CLAMPS>(&texture, here),
                    _ if numbers.is_divided() => row.divided::<MIXES, CLAMPS>(&texture, here),
                    _ => row.exact::<MIXES, CLAMPS>(&texture, here),
                }
            }
        }
    }
}

/// Groups from a column on.
// Taken by value: in memory, what was just stored in pieces would be loaded as a whole before it is there.
#[derive(Clone, Copy)]
struct Row<'a, V> {
    vectors: V,
    sampling: &'a Sampling,
    level: &'a LevelConstants,
    numbers: Numbers<'a>,
    at: [u32; 2],
}

impl<V: Vectors> Row<'_, V> {
    /// Positions of a group, by the manual's order of operations.
    #[inline(always)]
    fn exact_places(&self, group: usize) -> V::Places {
        let Places(places) =
            exact(self.sampling, self.level, self.numbers, [self.at[0] + 4 * group as u32, self.at[1]]);
        self.vectors.places(places)
    }

    /// Where s, t and q go in steps.
    #[inline(always)]
    unsafe fn divided<const MIXES: bool, const CLAMPS: bool>(
        self,
        texture: &Texture<V, CLAMPS>,
        to: &mut [GroupTexels],
    ) {
        let (vectors, sampling) = (self.vectors, self.sampling);
        let first = Divided::of(vectors, self.numbers.primitive, self.at);
        let doubt = Doubt::of(vectors, sampling);
        let (mut now, mut last) = (first, vectors.places([[0; 4]; 2]));
        for texels in &mut *to {
            let (places, bits) = doubt.places(vectors, now.positions(vectors));
            // SAFETY: as the caller promises.
            vectors.store(unsafe { texture.colours::<MIXES>(vectors, places) }, texels);
            last = vectors.later(last, bits);
            now.advance(vectors);
        }
        // One run in hundreds: asked once, all groups need no branch of their own.
        if vectors.are_doubtful(last) {
            // SAFETY: as the caller promises.
            unsafe { self.divided_with_doubt::<MIXES, CLAMPS>(texture, (first, doubt), to) };
        }
    }

    /// Groups of such a run for which the manual's order of operations may make a difference, by that order. The others have
    /// their colours.
    #[inline(always)]
    unsafe fn divided_with_doubt<const MIXES: bool, const CLAMPS: bool>(
        self,
        texture: &Texture<V, CLAMPS>,
        (mut now, doubt): (Divided<V>, Doubt<V>),
        to: &mut [GroupTexels],
    ) {
        let vectors = self.vectors;
        for (n, texels) in to.iter_mut().enumerate() {
            let (_, bits) = doubt.places(vectors, now.positions(vectors));
            if vectors.are_doubtful(bits) {
                // SAFETY: as the caller promises.
                vectors.store(unsafe { texture.colours::<MIXES>(vectors, self.exact_places(n)) }, texels);
            }
            now.advance(vectors);
        }
    }

    /// Where u and v go in steps.
    #[inline(always)]
    unsafe fn plain<const MIXES: bool, const CLAMPS: bool>(
        self,
        texture: &Texture<V, CLAMPS>,
        to: &mut [GroupTexels],
    ) {
        let vectors = self.vectors;
        let [across, down] = &self.numbers.primitive.plain;
        let first = |steps: &StepNumbers| longs(vectors, self.sampling.fixed(steps, self.at), steps);
        let mut now = [first(across), first(down)];
        let steps = [vectors.longs([across.group[0]; 4]), vectors.longs([down.group[0]; 4])];
        for texels in to {
            // SAFETY: as the caller promises.
            vectors.store(unsafe { texture.colours::<MIXES>(vectors, vectors.high(now)) }, texels);
            now = [vectors.sum(now[0], steps[0]), vectors.sum(now[1], steps[1])];
        }
    }

    /// Where v does not change.
    #[inline(always)]
    unsafe fn level<const MIXES: bool, const CLAMPS: bool>(
        self,
        texture: &Texture<V, CLAMPS>,
        to: &mut [GroupTexels],
    ) {
        let vectors = self.vectors;
        let steps = &self.numbers.primitive.plain[0];
        let first = self.sampling.fixed(steps, self.at);
        let mut now = longs(vectors, first, steps);
        let step = vectors.longs([steps.group[0]; 4]);
        let v = self.numbers.v(self.sampling, self.at);
        let down = vectors.longs([v; 4]);
        let inside = ((v >> LOWER) as i32).max(texture.bounds[0][1]).min(texture.bounds[1][1]);
        let before = (inside >> PLACE_BITS & texture.last[1]) * texture.columns;
        let by_texels = self.numbers.primitive.goes_by_texels != 0;
        for (n, texels) in to.iter_mut().enumerate() {
            let column = (first.wrapping_add(steps.group[0].wrapping_mul(n as i64)) >> TEXEL_BITS) as i32;
            let column = if self.sampling.clamp[0] { column } else { column & texture.last[0] };
            // Four neighbours, of whom only they themselves count.
            let colours = if by_texels && (0..=texture.last[0] - 3).contains(&column) {
                // SAFETY: the first and the last one lie in the row.
                unsafe { vectors.neighbours(texture.texels.add((before + column) as usize)) }
            } else {
                // SAFETY: as the caller promises.
                unsafe { texture.colours::<MIXES>(vectors, vectors.high([now, down])) }
            };
            vectors.store(colours, texels);
            now = vectors.sum(now, step);
        }
    }

    /// Where the manual's order counts.
    #[inline(always)]
    unsafe fn exact<const MIXES: bool, const CLAMPS: bool>(
        self,
        texture: &Texture<V, CLAMPS>,
        to: &mut [GroupTexels],
    ) {
        for (n, texels) in to.iter_mut().enumerate() {
            // SAFETY: as the caller promises.
            self.vectors
                .store(unsafe { texture.colours::<MIXES>(self.vectors, self.exact_places(n)) }, texels);
        }
    }
}

/// s, t and q of four pixels, which go in steps.
#[derive(Clone, Copy)]
struct Divided<V: Vectors> {
    now: [V::Doubles; 3],
    steps: [V::Doubles; 3],
}

impl<V: Vectors> Divided<V> {
    /// Those of a run's first group.
    #[inline(always)]
    fn of(vectors: V, primitive: &PrimitiveNumbers, [column, row]: [u32; 2]) -> Self {
        let at = [f64::from(column.cast_signed()), f64::from(row.cast_signed())];
        let [s, t, q] = &primitive.divided;
        let step = |steps: &DoubleSteps| vectors.doubles([steps.group[0]; 4]);
        Self {
            now: [doubles(vectors, s, at), doubles(vectors, t, at), doubles(vectors, q, at)],
            steps: [step(s), step(t), step(q)],
        }
    }

    /// u and v, and reciprocals of q before they are cut.
    #[inline(always)]
    fn positions(&self, vectors: V) -> ([V::Doubles; 2], V::Doubles) {
        let [s, t, q] = self.now;
        let estimate = vectors.div(vectors.doubles([1.0; 4]), q);
        let reciprocal = vectors.cut(estimate);
        ([vectors.mul(s, reciprocal), vectors.mul(t, reciprocal)], estimate)
    }

    /// On to the next group.
    #[inline(always)]
    fn advance(&mut self, vectors: V) {
        let ([s, t, q], [s_step, t_step, q_step]) = (self.now, self.steps);
        self.now = [vectors.add(s, s_step), vectors.add(t, t_step), vectors.add(q, q_step)];
    }
}

/// From positions as doubles to such in fixed point.
struct Doubt<V: Vectors> {
    units: V::Doubles,
    /// Bits above those that decide nothing.
    above: u32,
}

impl<V: Vectors> Doubt<V> {
    #[inline(always)]
    fn of(vectors: V, sampling: &Sampling) -> Self {
        Self { units: vectors.doubles([sampling.units(); 4]), above: 32 - sampling.bits() }
    }

    /// Positions, and the last bits of them and the reciprocals, which tell whether one may be another one.
    #[inline(always)]
    fn places(
        &self,
        vectors: V,
        ([s, t], estimate): ([V::Doubles; 2], V::Doubles),
    ) -> (V::Places, V::Places) {
        let places = vectors.low([vectors.add(s, self.units), vectors.add(t, self.units)]);
        (places, vectors.last_bits(places, self.above, estimate))
    }
}

/// Finds groups of a run of which some pixel may pass the depth test.
#[inline(always)]
unsafe fn find_alive<V: Vectors>(
    vectors: V,
    sampling: &Sampling,
    sampled: Sampled<'_>,
    run: &Run,
    alive: &mut [bool; MOST_GROUPS],
) {
    let Some(test) = &sampling.depth else { return };
    let deep = &sampled.numbers(run).primitive.deep;
    let first = (deep.first)
        .wrapping_add(deep.down.wrapping_mul(run.row.into()))
        .wrapping_add(deep.lanes[1].wrapping_mul(run.column.into()));
    let mut now = longs(vectors, first, deep);
    let step = vectors.longs([deep.group[0]; 4]);
    let first_at = run.depth_at.wrapping_add(2 * run.column);
    let groups = run.groups as usize;
    for (n, alive) in alive[..groups].iter_mut().enumerate() {
        let offset = test.maps.depth(first_at.wrapping_add(8 * n as u32) & (VRAM_BYTES - 1));
        let covered = &run.covered[if n == 0 { 2 } else { usize::from(n + 1 < groups) }];
        // SAFETY: offsets of groups are multiples of 8 below the size of VRAM.
        *alive = unsafe { vectors.any_passes(test, now, sampled.vram.add(offset as usize).cast(), covered) };
        now = vectors.sum(now, step);
    }
}

/// A number in four lanes of a run's first group: exact, whatever the order.
#[inline(always)]
fn doubles<V: Vectors>(vectors: V, steps: &DoubleSteps, [column, row]: [f64; 2]) -> V::Doubles {
    let first = steps.first + steps.down * row + steps.right * column;
    let right = vectors.mul(vectors.doubles([steps.right; 4]), vectors.doubles([0.0, 1.0, 2.0, 3.0]));
    vectors.add(vectors.doubles([first; 4]), right)
}

/// A number in four lanes, from the first on.
#[inline(always)]
fn longs<V: Vectors>(vectors: V, first: i64, steps: &StepNumbers) -> V::Longs {
    let (once, twice) = (steps.lanes[1], steps.pair[0]);
    vectors.sum(vectors.longs([first; 4]), vectors.longs([0, once, twice, twice.wrapping_add(once)]))
}

/// What is known of a texture: of one that repeats along both axes, no position is clamped.
struct Texture<V: Vectors, const CLAMPS: bool> {
    /// Least and greatest position, of u and v.
    bounds: [[i32; 2]; 2],
    /// Last column and row.
    last: [i32; 2],
    /// Texels from row to row.
    columns: i32,
    texels: *const u32,
    /// The same in vectors.
    limits: [V::Places; 2],
    masks: V::Places,
    strides: V::Places,
}

impl<V: Vectors, const CLAMPS: bool> Texture<V, CLAMPS> {
    #[inline(always)]
    fn new(vectors: V, clamp: [bool; 2], level: &LevelConstants) -> Self {
        let [[u_least, u_most], [v_least, v_most]] = bounds(clamp, level);
        let (bounds, last) = ([[u_least, v_least], [u_most, v_most]], level.last.map(|last| last[0]));
        let columns = level.width[0];
        let both = |[across, down]: [i32; 2]| vectors.places([[across; 4], [down; 4]]);
        Self {
            bounds,
            last,
            columns,
            texels: level.texels as *const u32,
            limits: [both(bounds[0]), both(bounds[1])],
            masks: both(last),
            strides: vectors.strides(columns),
        }
    }

    /// Colours at positions.
    ///
    /// # Safety
    /// The texels are valid.
    #[inline(always)]
    unsafe fn colours<const MIXES: bool>(&self, vectors: V, places: V::Places) -> V::Colours {
        let inside = if CLAMPS { vectors.clamped(places, self.limits) } else { places };
        let at = vectors.indices(vectors.whole(inside, self.masks), self.strides);
        // SAFETY: column and row of each index are masked, so that they are at most the last ones.
        unsafe {
            if MIXES {
                let [right, down] = vectors.sixteenths(inside);
                let next = self.texels.add(self.columns as usize);
                vectors.between::<8>(
                    [vectors.mixed(self.texels, at, right), vectors.mixed(next, at, right)],
                    down,
                )
            } else {
                vectors.words(self.texels, at)
            }
        }
    }
}
