//! What happens to vertices in all states alike: the way of positions from model space to the screen and normals to the world,
//! as [`project`](super::project) and [`vector`](crate::ge::vector) have it for one of them, scales of texture coordinates, fog.
//!
//! Each step is a loop over all vertices of a part that the compiler makes vectors of. Steps are short chains of operations that
//! wait for each other, so that a processor sees those of several vertices at once.
//!
//! Sums are aligned as in [`pipe`](super::pipe), which says why that is exact; vertices that it would leave to the interpreter
//! are left to it here too.

use super::pipe::LEAST;
use super::project::DEPTH_LIMIT;
use crate::code::ge::transforms::GROUP;
use crate::code::vectors::{Work, has_wide, widely};
use crate::emit::ge::span::Doubles;
use crate::emit::ge::vertices::{MOST, Numbers, Stations, TransformConstants};
use crate::ge::four::UNITS;
use crate::ge::key::TransformKey;
use crate::ge::key::vertex::Mapping;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::vertex::Outside;

/// Guard bits of matrix rows.
const GUARD: u64 = 2;
/// Whole numbers have no places behind it.
const WHOLE: f64 = (1_u64 << 52) as f64;

/// Takes the first `count` vertices, whole groups of normal mode, from their positions in model space to the screen.
pub(super) fn place(
    key: &TransformKey,
    constants: &TransformConstants,
    count: usize,
    stations: &mut Stations,
) {
    place_by(has_wide(), key, constants, count, stations);
}

/// [`place`], with wide vectors or as any processor does it.
pub(super) fn place_by(
    is_wide: bool,
    key: &TransformKey,
    constants: &TransformConstants,
    count: usize,
    stations: &mut Stations,
) {
    let placing = Placing { key, constants, count, stations };
    match (is_wide, key.may_be_small()) {
        (true, false) => widely(Sums::<true, false>(placing)),
        (true, true) => widely(Sums::<true, true>(placing)),
        (false, _) => Sums::<false, true>(placing).work(),
    }
}

/// Vertices to place.
struct Placing<'a> {
    key: &'a TransformKey,
    constants: &'a TransformConstants,
    count: usize,
    stations: &'a mut Stations,
}

/// Their sums. `ROUNDS`: the processor truncates in one instruction. `SMALL`: sums may be too small to be aligned here.
struct Sums<'a, const ROUNDS: bool, const SMALL: bool>(Placing<'a>);

impl<const ROUNDS: bool, const SMALL: bool> Work for Sums<'_, ROUNDS, SMALL> {
    type Found = ();

    #[inline(always)]
    fn work(mut self) {
        self.world();
        self.view();
        self.clip();
        self.screen();
        self.places();
        if self.0.key.texture == Mapping::Coordinates {
            self.scale_texture();
        }
        if self.0.key.reads_world_normal() {
            self.normals();
        }
        self.fog();
    }
}

impl<const ROUNDS: bool, const SMALL: bool> Sums<'_, ROUNDS, SMALL> {
    #[inline(always)]
    fn world(&mut self) {
        let Placing { constants, count, ref mut stations, .. } = self.0;
        let m = &constants.world;
        if constants.has_plain_world == 0 {
            let Stations { position, world, rare, .. } = &mut **stations;
            return Self::points(m, count, position, world, rare);
        }
        for c in 0..3 {
            let [scale, shift] = [m[4 * c][0], m[9 + c][0]];
            for n in 0..lanes(count) {
                let scaled = stations.position[c][n] * scale;
                stations.world[c][n] = Self::row([scaled, shift], &mut stations.rare[n]);
            }
        }
    }

    #[inline(always)]
    fn view(&mut self) {
        let Placing { constants, count, ref mut stations, .. } = self.0;
        let m = &constants.view;
        if constants.has_no_view != 0 {
            for c in 0..3 {
                for n in 0..lanes(count) {
                    stations.view[c][n] = stations.world[c][n];
                }
            }
            return;
        }
        let Stations { world, view, rare, .. } = &mut **stations;
        Self::points(m, count, world, view, rare);
    }

    /// A sum of one term besides zeros is that term, truncated.
    #[inline(always)]
    fn clip(&mut self) {
        let Placing { constants, count, ref mut stations, .. } = self.0;
        let m = &constants.projection;
        if constants.has_plain_projection == 0 {
            for n in 0..lanes(count) {
                let v = [stations.view[0][n], stations.view[1][n], stations.view[2][n]];
                for c in 0..4 {
                    let sum = Self::affine(v, [m[c], m[4 + c], m[8 + c], m[12 + c]], &mut stations.rare[n]);
                    stations.clip[c][n] = sum;
                }
            }
            return;
        }
        for n in 0..lanes(count) {
            let [x, y, z] = [stations.view[0][n], stations.view[1][n], stations.view[2][n]];
            stations.clip[0][n] = alone(x * m[0][0]);
            stations.clip[1][n] = alone(y * m[5][0]);
            stations.clip[2][n] = Self::row([z * m[10][0], m[14][0]], &mut stations.rare[n]);
            stations.clip[3][n] = alone(z * m[11][0]);
        }
    }

    /// Perspective division and viewport.
    #[inline(always)]
    fn screen(&mut self) {
        let Placing { constants, count, ref mut stations, .. } = self.0;
        let TransformConstants { scale, centre, .. } = constants;
        for n in 0..lanes(count) {
            let reciprocal = t16(1.0 / stations.clip[3][n]);
            // A NaN of any matrix is in all clip coordinates, or in the one that follows from it alone.
            let mut sum = stations.clip[0][n];
            for c in 0..3 {
                let scaled = t16(t16(stations.clip[c][n] * reciprocal) * scale[c][0]);
                let place = aligned::<2, ROUNDS, true>([scaled, centre[c][0]], 0, &mut stations.rare[n]);
                stations.screen[c][n] = place;
                sum += place;
            }
            stations.rare[n] |= all(sum.is_nan());
        }
    }

    /// What vertices have of their places.
    #[inline(always)]
    fn places(&mut self) {
        let Placing { constants, count, ref mut stations, .. } = self.0;
        for c in 0..2 {
            let offset = constants.offset[c][0];
            for n in 0..lanes(count) {
                let sixteenths =
                    limited(stations.screen[c][n] * 16.0, f64::from(i32::MIN), f64::from(i32::MAX));
                stations.place[c][n] = floor(sixteenths).wrapping_sub(offset);
            }
        }
        for n in 0..lanes(count) {
            stations.place[2][n] = floor(limited(stations.screen[2][n], 0.0, 65535.0));
        }
        for n in 0..lanes(count) {
            let screen = [stations.screen[0][n], stations.screen[1][n], stations.screen[2][n]];
            stations.outside[n] = outside([stations.clip[2][n], stations.clip[3][n]], screen) as i32;
        }
    }

    #[inline(always)]
    fn scale_texture(&mut self) {
        let Placing { constants, count, ref mut stations, .. } = self.0;
        for c in 0..2 {
            let [scale, offset] = [constants.texture_scale[c][0], constants.texture_offset[c][0]];
            for n in 0..lanes(count) {
                let scaled = t16(stations.texture[c][n] * scale);
                let sum = aligned::<2, ROUNDS, SMALL>([scaled, offset], 0, &mut stations.rare[n]);
                stations.texture[c][n] = sum;
                stations.rare[n] |= all(sum.is_nan());
            }
        }
    }

    #[inline(always)]
    fn fog(&mut self) {
        let Placing { constants, count, ref mut stations, .. } = self.0;
        if constants.has_fog_slope == 0 {
            for n in 0..lanes(count) {
                stations.fog[n] = constants.flat_fog[0];
            }
            return;
        }
        let [end, slope] = [constants.fog[0][0], constants.fog[1][0]];
        for n in 0..lanes(count) {
            let from_end = aligned::<2, ROUNDS, SMALL>([stations.view[2][n], end], 0, &mut stations.rare[n]);
            stations.fog[n] = floor(limited(t16(from_end * slope) * 256.0, 0.0, 255.0));
        }
    }

    /// From those of the model to unit vectors in world space; (0, 0, 1) where there is none.
    #[inline(always)]
    fn normals(&mut self) {
        let Placing { key, constants, count, ref mut stations } = self.0;
        let m = &constants.world;
        let is_plain = constants.has_plain_world != 0;
        let sign = f64::to_bits(if key.reversed { -0.0 } else { 0.0 });
        for n in 0..lanes(count) {
            let v = [stations.normal[0][n], stations.normal[1][n], stations.normal[2][n]];
            for c in 0..3 {
                stations.normal[c][n] = if is_plain {
                    alone(v[c] * m[4 * c][0])
                } else {
                    Self::row([v[0] * m[c][0], v[1] * m[3 + c][0], v[2] * m[6 + c][0]], &mut stations.rare[n])
                };
            }
        }
        for n in 0..lanes(count) {
            let v = [stations.normal[0][n], stations.normal[1][n], stations.normal[2][n]];
            let squares = [v[0] * v[0], v[1] * v[1], v[2] * v[2]];
            let squared = aligned::<3, ROUNDS, true>(squares, GUARD, &mut stations.rare[n]);
            let length = t16(squared.sqrt());
            let reciprocal = t16(1.0 / length);
            let mut sum = 0.0;
            for c in 0..3 {
                let unit = t16(v[c] * reciprocal);
                let component = if length == 0.0 { [0.0, 0.0, 1.0][c] } else { unit };
                sum += component;
                stations.normal[c][n] = f64::from_bits(component.to_bits() ^ sign);
            }
            stations.rare[n] |= all(sum.is_nan());
        }
    }

    /// Products with axes and translation.
    #[inline(always)]
    fn points(
        m: &[Doubles; 12],
        count: usize,
        from: &[Numbers; 3],
        to: &mut [Numbers; 3],
        rare: &mut [u64; MOST],
    ) {
        for n in 0..lanes(count) {
            let v = [from[0][n], from[1][n], from[2][n]];
            for c in 0..3 {
                to[c][n] = Self::affine(v, [m[c], m[3 + c], m[6 + c], m[9 + c]], &mut rare[n]);
            }
        }
    }

    /// `(v, 1)` times a column.
    #[inline(always)]
    fn affine([x, y, z]: [f64; 3], [a, b, c, d]: [Doubles; 4], rare: &mut u64) -> f64 {
        Self::row([x * a[0], y * b[0], z * c[0], d[0]], rare)
    }

    /// The sum of products, with guard bits.
    #[inline(always)]
    fn row<const N: usize>(terms: [f64; N], rare: &mut u64) -> f64 {
        aligned::<N, ROUNDS, SMALL>(terms, GUARD, rare)
    }
}

/// The vertices of whole groups, so that the compiler sees that nothing is left over.
#[inline(always)]
const fn lanes(count: usize) -> usize {
    let groups = count / GROUP;
    GROUP * if groups < MOST / GROUP { groups } else { MOST / GROUP }
}

/// The sum of two to four terms. `CHECKED`: it may be too small, and the vertex `rare`.
#[inline(always)]
fn aligned<const N: usize, const ROUNDS: bool, const CHECKED: bool>(
    terms: [f64; N],
    guard: u64,
    rare: &mut u64,
) -> f64 {
    let least = f64::from_bits(((LEAST + 1023) as u64) << 52);
    let largest = in_pairs(terms.map(f64::abs), larger);
    let limited = if CHECKED { larger(largest, least) } else { largest };
    let exponent = limited.to_bits() & 0x7ff << 52;
    // Two to the power that makes the last place 1, and its reciprocal.
    let up = f64::from_bits(((2061 + guard) << 52).wrapping_sub(exponent));
    let down = f64::from_bits(exponent.wrapping_sub((15 + guard) << 52));
    let whole = terms.map(|term| truncated::<ROUNDS>(term * up));
    // Exact in any order.
    let sum = in_pairs(whole, |a, b| a + b);
    if CHECKED {
        *rare |= all(largest < least) & all(largest != 0.0);
    }
    // A sum of zeros is +0.
    t16(sum * down + 0.0)
}

/// Two to four numbers as one, so that few of the steps wait for each other.
#[inline(always)]
fn in_pairs<const N: usize>(numbers: [f64; N], both: impl Fn(f64, f64) -> f64) -> f64 {
    const { assert!(2 <= N && N <= 4) }
    let first = both(numbers[0], numbers[1]);
    match N {
        2 => first,
        3 => both(first, numbers[2]),
        _ => both(first, both(numbers[2], numbers[3])),
    }
}

/// The larger number; the other one beside a NaN.
#[inline(always)]
const fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Toward zero, of numbers below 2^51 unless the processor `ROUNDS`.
#[inline(always)]
fn truncated<const ROUNDS: bool>(number: f64) -> f64 {
    if ROUNDS {
        return number.trunc();
    }
    let magnitude = number.abs();
    let near = magnitude + WHOLE - WHOLE;
    let below = near - if near > magnitude { 1.0 } else { 0.0 };
    below.copysign(number)
}

/// A sum of this product alone.
#[inline(always)]
fn alone(product: f64) -> f64 {
    0.0 + t16(product)
}

/// Not below one number, which a NaN becomes too, and not above another one.
#[inline(always)]
const fn limited(number: f64, low: f64, high: f64) -> f64 {
    let above = larger(number, low);
    if above < high { above } else { high }
}

/// The largest integer that is not above, if it fits.
#[inline(always)]
fn floor(number: f64) -> i32 {
    let near = number + UNITS;
    let nearest = near.to_bits() as i32;
    nearest.wrapping_sub(i32::from(near - UNITS > number))
}

/// All bits or none.
#[inline(always)]
const fn all(holds: bool) -> u64 {
    if holds { u64::MAX } else { 0 }
}

/// The outcode.
#[inline(always)]
fn outside([z, w]: [f64; 2], [screen_x, screen_y, screen_z]: [f64; 3]) -> u64 {
    let depth = z / w;
    let sum = z + w;
    let bit = |holds: bool, bit: u8| if holds { u64::from(bit) } else { 0 };
    // Behind the eye the sides are compared, not the quotient.
    let near =
        if w < 0.0 { bit(sum < 0.0, Outside::NEAR) } else { bit(depth <= -DEPTH_LIMIT, Outside::NEAR) };
    let far = if w < 0.0 { bit(z > w, Outside::FAR) } else { bit(depth >= DEPTH_LIMIT, Outside::FAR) };
    let inside = |c: f64| all(c >= 0.0) & all(c < 4096.0);
    let deep = all(screen_z < 0.0) | all(screen_z >= 65536.0);
    near | far
        | !(inside(screen_x) & inside(screen_y)) & u64::from(Outside::GUARD_BAND)
        | deep & u64::from(Outside::DEPTH)
        | !all(sum >= 0.0) & u64::from(Outside::BEHIND)
}
