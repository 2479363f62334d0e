//! Values that all pixels of a triangle have in common, found when it is set up: code that would compute them for each
//! quad is passed over.
//!
//! Inside of a triangle no edge value is below 0. Where all products of an interpolation have the same sign, its result
//! is as close to the range of the vertices' values as [`SLACK`] says: it is ten roundings of a part in 2^24 each, at most.
//! Where both ends of that range give the same integer, all pixels have it, as each step to the integer is monotonic.

use super::coverage::Edges;
use super::setup::{Triangle, bits, colour_byte, splat};
use crate::code::pica::facts::FragmentFacts;
use crate::emit::pica::block::{Interpolants, Slot, slot};
use std::ops::{Range, RangeInclusive};

/// Relative error of interpolations, at most.
const SLACK: f32 = 1.0 / (1 << 19) as f32;

/// Magnitudes, besides 0, whose products and quotients are as exact as others.
const USUAL: RangeInclusive<f32> = 1e-15..=1e15;

/// Semantics whose values code limits, colours and coordinates, and magnitudes that need no limit. Vertices have colours up to 1;
/// 1.003 would be 256 of 255.
const LIMITED: [(Range<usize>, f32); 3] =
    [(8..12, 1.0 + 1.0 / 1024.0), (12..16, MOST_COORDINATE), (22..24, MOST_COORDINATE)];

const MOST_COORDINATE: f32 = (1 << 18) as f32;

/// Vertex colours, as semantics.
const COLOURS: u32 = 0xf00;

/// Pixels in the bounds of triangles for which more than the reciprocal is looked for.
const MANY: i32 = 256;

/// Fills the slots of common values, and the flags that say which there are. `depth`: its scale and its offset. `pixels`:
/// about how many the triangle has.
// What it calls is inlined by request, too: see [`Jobs::triangle`](crate::code::pica::blocks::Jobs::triangle).
#[inline]
pub(super) fn fill(
    slots: &mut [Slot],
    (triangle, edges): (&Triangle<'_>, &Edges),
    facts: &FragmentFacts,
    depth: [f32; 2],
    pixels: i32,
) {
    let mut flags = 0;
    if let Some(rd) = reciprocal(triangle, edges.sum(), edges.zeros()) {
        slots[slot::RD] = splat(rd);
        flags |= slot::RECIPROCAL;
    }
    if is_ordinary(triangle, facts.interpolants.values) {
        flags |= slot::ORDINARY;
    }
    if pixels >= MANY {
        flags |= fill_others(slots, triangle, facts, depth);
    }
    slots[slot::FLAGS] = [flags, 0, 0, 0];
}

/// Those that take longer to find.
#[inline]
fn fill_others(slots: &mut [Slot], triangle: &Triangle<'_>, facts: &FragmentFacts, depth: [f32; 2]) -> u32 {
    let mut flags = 0;
    if let Some(depth) = common_depth(triangle, facts.common.most_depth, depth) {
        slots[slot::COMMON_DEPTH] = [depth; 4];
        flags |= slot::DEPTH;
    }
    if let Some(colour) = common_colour(triangle, facts.interpolants) {
        slots[slot::FLAT] = [colour; 4];
        flags |= slot::COLOUR;
    }
    if at_origin(triangle, facts.common.origin) {
        flags |= slot::ORIGIN;
    }
    for (unit, &coordinates) in facts.common.inside.iter().enumerate() {
        if coordinates != 0 && is_inside(triangle, coordinates) {
            flags |= slot::INSIDE << unit;
        }
    }
    flags
}

/// 1 over the interpolated 1 / w, where all sums of products are exact: `sum` is that of the edges' values, which are
/// multiples of 2 to the power of `zeros`.
fn reciprocal(triangle: &Triangle<'_>, sum: i64, zeros: u32) -> Option<f32> {
    let [r, ..] = triangle.face.r;
    let is_power = r.to_bits() & 0x007f_ffff == 0 && USUAL.contains(&r);
    (triangle.face.r == [r; 3] && is_power && sum >> zeros.min(63) < 1 << 24).then(|| 1.0 / (r * sum as f32))
}

/// True if no pixel needs limits for its live colours, which become integers that saturate, and coordinates, whose positions in an
/// image of up to 2047 texels become integers.
#[inline]
fn is_ordinary(triangle: &Triangle<'_>, values: u32) -> bool {
    let lives = |semantics: &Range<usize>| values >> semantics.start & ((1 << semantics.len()) - 1) != 0;
    let live = LIMITED.into_iter().filter(|(semantics, _)| lives(semantics));
    triangle.face.r.iter().all(|r| USUAL.contains(r))
        && live.fold(true, |all, (semantics, most)| {
            (0..3).fold(all, |all, n| {
                let most = triangle.face.r[n] * most;
                triangle.p[n][semantics.clone()].iter().fold(all, |all, value| all & (value.abs() <= most))
            })
        })
}

/// Depth as an integer.
#[inline]
fn common_depth(triangle: &Triangle<'_>, most: u32, [scale, offset]: [f32; 2]) -> Option<u32> {
    let [low, high] = range(triangle.face.z.map(f32::abs))?;
    let sign = if triangle.face.z.iter().all(|&z| z >= 0.0) {
        1.0
    } else if triangle.face.z.iter().all(|&z| z <= 0.0) {
        -1.0
    } else {
        return None;
    };
    if most == 0 || !scale.is_finite() || !offset.is_finite() {
        return None;
    }
    let [low, high] = [low, high].map(|z| {
        let depth = sign * z * scale + offset;
        (limited(depth) * most as f32) as u32
    });
    (low == high).then_some(low)
}

/// The vertex colour as a pixel: alpha, blue, green, red.
#[inline]
fn common_colour(triangle: &Triangle<'_>, interpolants: Interpolants) -> Option<u32> {
    if interpolants.values & COLOURS == 0 || !triangle.face.r.iter().all(|r| USUAL.contains(r)) {
        return None;
    }
    let mut bytes = [0; 4];
    for (byte, k) in bytes.iter_mut().zip([11, 10, 9, 8]) {
        if interpolants.values >> k & 1 != 0 {
            let quotients = [0, 1, 2].map(|n| triangle.p[n][k] / triangle.face.r[n]);
            let [low, high] = range(quotients)?.map(colour_byte);
            *byte = (low == high).then_some(low)?;
        }
    }
    Some(u32::from_le_bytes(bytes))
}

/// True if these coordinates, of which there are some, are 0 in all pixels.
#[inline]
fn at_origin(triangle: &Triangle<'_>, coordinates: u32) -> bool {
    coordinates != 0 && bits(coordinates).all(|k| triangle.p.iter().all(|p| p[k] == 0.0))
}

/// True if these coordinates are 0 to 1 in all pixels, and so far below 1 that none is at the end of an image.
#[inline]
fn is_inside(triangle: &Triangle<'_>, coordinates: u32) -> bool {
    let is_inside = |value: f32| (value == 0.0 || USUAL.contains(&value)) && value <= 1.0 - 3.0 * SLACK;
    triangle.face.r.iter().all(|r| USUAL.contains(r))
        && bits(coordinates).all(|k| (0..3).all(|n| is_inside(triangle.p[n][k] / triangle.face.r[n])))
}

/// Least and most value between those of the vertices, `None` where they differ much or are unusual.
#[inline]
fn range(values: [f32; 3]) -> Option<[f32; 2]> {
    let [a, b, c] = values;
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    let is_usual = |value: &f32| *value == 0.0 || USUAL.contains(value);
    (values.iter().all(is_usual) && high - low <= 0.01).then_some([low * (1.0 - SLACK), high * (1.0 + SLACK)])
}

/// From 0 to 1; 0 for a NaN.
#[inline]
fn limited(x: f32) -> f32 {
    let above = if x > 0.0 { x } else { 0.0 };
    if above < 1.0 { above } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::pica::raster;
    use picaflor_pipeline::pica::raster::triangles::Triangles;
    use picaflor_pipeline::pica::vertex::SEMANTICS;

    struct Random(u64);

    impl Random {
        fn word(&mut self) -> u32 {
            picaflor_pipeline::random::word(&mut self.0)
        }

        fn below(&mut self, n: u32) -> u32 {
            ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
        }

        fn unit(&mut self) -> f32 {
            (self.word() >> 8) as f32 / (1 << 24) as f32
        }

        /// Three edge values, and their sum.
        fn edges(&mut self, sum: i64) -> [f32; 3] {
            let first = i64::from(self.below(sum as u32 + 1));
            let second = i64::from(self.below((sum - first) as u32 + 1));
            [first, second, sum - first - second].map(|edge| edge as f32)
        }

        /// A semantic at some pixel of a triangle, as compiled code has it.
        fn value(&mut self, triangle: &raster::Triangle, k: usize) -> f32 {
            let sum = i64::from(1 + self.below((1 << 30) - 1));
            let edges = self.edges(sum);
            let rd = 1.0 / weighted(triangle.r, edges);
            weighted([0, 1, 2].map(|n| triangle.p[n][k]), edges) * rd
        }
    }

    fn triangle() -> raster::Triangle {
        let p = [[0.0; SEMANTICS]; 3];
        raster::Triangle { x: [0; 3], y: [0; 3], z: [0.0; 3], r: [1.0; 3], p, flat_colour: None }
    }

    /// Asks for something of a triangle as batches have it.
    fn of<T>(triangle: &raster::Triangle, ask: impl FnOnce(&Triangle<'_>) -> T) -> T {
        let triangles = Triangles::from_iter([triangle.clone()]);
        ask(&Triangle { face: &triangles.faces()[0], p: &triangle.p, flat_colour: None })
    }

    /// As compiled code has it.
    fn weighted(values: [f32; 3], edges: [f32; 3]) -> f32 {
        (values[0] * edges[0] + values[1] * edges[1]) + values[2] * edges[2]
    }

    #[test]
    fn reciprocals_are_those_of_all_pixels() {
        let mut random = Random(1);
        for _ in 0..20_000 {
            let r = f32::from_bits((100 + random.below(50)) << 23);
            let sum = i64::from(1 + random.below((1 << 24) - 1));
            let zeros = random.below(6);
            let triangle = raster::Triangle { r: [r; 3], ..triangle() };
            let rd =
                of(&triangle, |triangle| reciprocal(triangle, sum << zeros, zeros)).expect("a power of two");
            let edges = random.edges(sum).map(|edge| edge * (1 << zeros) as f32);
            assert_eq!(1.0 / weighted(triangle.r, edges), rd);
        }
        let found =
            |r, sum| of(&raster::Triangle { r, ..triangle() }, |triangle| reciprocal(triangle, sum, 0));
        assert_eq!(found([0.5; 3], 16), Some(0.125));
        assert_eq!(found([0.75; 3], 16), None);
        assert_eq!(found([0.5, 0.5, 0.25], 16), None);
        assert_eq!(found([1.0; 3], 1 << 24), None);
        assert_eq!([0.0, -1.0, f32::INFINITY, f32::NAN, 1e-39].map(|r| found([r; 3], 16)), [None; 5]);
    }

    /// Half of the colours are close to one at which the byte changes.
    #[test]
    fn colours_are_those_of_all_pixels() {
        let mut random = Random(2);
        let (mut found, mut missed) = (0, 0);
        for _ in 0..100_000 {
            let mut triangle = triangle();
            triangle.r = [0; 3].map(|_| random.unit() + 0.001);
            let close = (random.below(256) as f32 + 0.5) / 255.0;
            let colour = if random.below(2) == 0 { random.unit() * 1.1 } else { close };
            let spread = [0.0, 1e-7, 1e-5][random.below(3) as usize];
            for n in 0..3 {
                triangle.p[n][9] = (colour + spread * random.unit()) * triangle.r[n];
            }
            let Some(pixel) = of(&triangle, |triangle| common_colour(triangle, Interpolants::values(&[9])))
            else {
                missed += 1;
                continue;
            };
            found += 1;
            let value = random.value(&triangle, 9);
            assert_eq!(pixel, u32::from(colour_byte(value)) << 16, "{triangle:?}");
        }
        assert!(found > 40_000 && missed > 10_000, "{found} found, {missed} missed");
    }

    #[test]
    fn depths_are_those_of_all_pixels() {
        let mut random = Random(3);
        let (mut found, mut missed) = (0, 0);
        for _ in 0..100_000 {
            let z = [0.0, 1.0, -1.0, -0.5, -random.unit(), random.unit()][random.below(6) as usize];
            let spread = [0.0, 0.0, 1e-7, 1e-4][random.below(4) as usize];
            let triangle = raster::Triangle { z: [0; 3].map(|_| z + spread * random.unit()), ..triangle() };
            let numbers = [[-1.0, 0.0], [0.5, 0.5], [1.0, 0.0]][random.below(3) as usize];
            let most = [0xffff, 0x00ff_ffff][random.below(2) as usize];
            let Some(depth) = of(&triangle, |triangle| common_depth(triangle, most, numbers)) else {
                missed += 1;
                continue;
            };
            found += 1;
            let sum = i64::from(1 + random.below((1 << 30) - 1));
            let z_over_w = weighted(triangle.z, random.edges(sum)) / sum as f32;
            let expected = limited(z_over_w * numbers[0] + numbers[1]) * most as f32;
            assert_eq!(depth, expected as u32, "{triangle:?}");
        }
        assert!(found > 40_000 && missed > 10_000, "{found} found, {missed} missed");
        let found = |z, most, numbers| {
            of(&raster::Triangle { z, ..triangle() }, |triangle| common_depth(triangle, most, numbers))
        };
        assert_eq!(found([-0.5; 3], 0xffff, [-1.0, 0.0]), Some(0x7fff));
        assert_eq!(found([-0.5; 3], 0, [-1.0, 0.0]), None);
        assert_eq!(found([0.0; 3], 0xffff, [f32::INFINITY, 0.0]), None);
        assert_eq!(found([f32::NAN; 3], 0xffff, [-1.0, 0.0]), None);
        assert_eq!(found([1e-4, 0.0, -1e-4], 0xffff, [-1e-9, 0.5]), None, "both signs");
    }

    #[test]
    fn coordinates_inside_are_inside_everywhere() {
        let mut random = Random(4);
        let (mut found, mut missed) = (0, 0);
        for _ in 0..100_000 {
            let mut triangle = triangle();
            triangle.r = [0; 3].map(|_| random.unit() + 0.001);
            let ends = [0.0, 1.0, 1.0 - 1e-5, 1.0 - 5e-6, -1e-9, random.unit()];
            for n in 0..3 {
                triangle.p[n][12] = ends[random.below(6) as usize] * triangle.r[n];
            }
            if !of(&triangle, |triangle| is_inside(triangle, 1 << 12)) {
                missed += 1;
                continue;
            }
            found += 1;
            let value = random.value(&triangle, 12);
            for size in [8.0, 1024.0] {
                let position = value * size;
                assert!((0.0..size).contains(&position), "{triangle:?}");
            }
        }
        assert!(found > 5000 && missed > 5000, "{found} found, {missed} missed");
    }

    /// Values of all magnitudes, a third of them odd ones.
    #[test]
    fn ordinary_values_need_no_limits() {
        const ODD: [f32; 6] = [0.0, 1e-45, f32::MIN_POSITIVE, f32::INFINITY, f32::NAN, -1.0];
        const LIVE: [(usize, f32); 3] = [(9, 256.0 / 255.0), (13, 524_000.0), (23, 524_000.0)];
        let mut random = Random(5);
        let (mut found, mut missed) = (0, 0);
        let scaled = |random: &mut Random| random.unit() * f32::from_bits((64 + random.below(128)) << 23);
        for _ in 0..100_000 {
            let mut triangle = triangle();
            let scale = f32::from_bits((100 + random.below(50)) << 23);
            triangle.r = [0; 3].map(|_| scale * (random.unit() + 0.001));
            if random.below(3) == 0 {
                triangle.r[0] =
                    if random.below(2) == 0 { scaled(&mut random) } else { ODD[random.below(6) as usize] };
            }
            let (k, most) = LIVE[random.below(3) as usize];
            for n in 0..3 {
                let value = match random.below(20) {
                    0 => ODD[random.below(6) as usize],
                    1 => scaled(&mut random),
                    _ => most * 0.5 * random.unit(),
                };
                triangle.p[n][k] = value * triangle.r[n];
            }
            // Not live.
            triangle.p[1][(k + 4) % SEMANTICS] = f32::NAN;
            if !of(&triangle, |triangle| is_ordinary(triangle, 1 << k)) {
                missed += 1;
                continue;
            }
            found += 1;
            let value = random.value(&triangle, k);
            assert!(value.abs() < most, "{value}: {triangle:?}");
        }
        assert!(found > 20_000 && missed > 20_000, "{found} found, {missed} missed");
        assert!(of(&triangle(), |triangle| is_ordinary(triangle, 0)));
    }

    #[test]
    fn origins() {
        let mut triangle = triangle();
        triangle.p[1][13] = -0.0;
        triangle.p[2][14] = 1.0;
        assert!(of(&triangle, |triangle| at_origin(triangle, 1 << 12 | 1 << 13)));
        assert!(!of(&triangle, |triangle| at_origin(triangle, 1 << 13 | 1 << 14)));
        assert!(!of(&triangle, |triangle| at_origin(triangle, 0)), "nothing that is 0");
        triangle.p[0][12] = f32::NAN;
        assert!(!of(&triangle, |triangle| at_origin(triangle, 1 << 12 | 1 << 13)));
    }
}
