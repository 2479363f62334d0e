//! What happens to vertices in all states alike: the way of positions from model space to the screen and normals to the world,
//! as [`project`](super::project) and [`vector`](crate::ge::vector) have it for one of them, scales of texture coordinates, fog.
//!
//! Each step is a loop over all vertices of a part that the compiler makes vectors of. Steps are short chains of operations that
//! wait for each other, so that a processor sees those of several vertices at once.
//!
//! What [lights](super::lights) make of that comes after it.

use super::project::DEPTH_LIMIT;
use super::sums::{GUARD, aligned, all, alone, at, direction, floor, lanes, limited, put};
use super::way::{Fog, Way};
use crate::code::vectors::{Work, has_wide, widely};
use crate::emit::ge::vertices::{MOST, Numbers, Stations};
use crate::ge::key::TransformKey;
use crate::ge::key::vertex::Mapping;
use picaflor_pipeline::ge::number::t16;
use picaflor_pipeline::ge::vertex::Outside;

/// Takes the first `count` vertices, whole groups of normal mode, from their positions in model space to the screen.
pub(super) fn place(key: &TransformKey, way: &Way, count: usize, stations: &mut Stations) {
    place_by(has_wide(), key, way, count, stations);
}

/// [`place`], with wide vectors or as any processor does it.
pub(super) fn place_by(is_wide: bool, key: &TransformKey, way: &Way, count: usize, stations: &mut Stations) {
    let placing = Placing { key, way, count, stations };
    match (is_wide, key.may_be_small()) {
        (true, false) => widely(Sums::<true, false>(placing)),
        (true, true) => widely(Sums::<true, true>(placing)),
        (false, _) => Sums::<false, true>(placing).work(),
    }
}

/// Vertices to place.
struct Placing<'a> {
    key: &'a TransformKey,
    way: &'a Way,
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
        let Placing { way, count, ref mut stations, .. } = self.0;
        let m = &way.world;
        if !way.has_plain_world {
            let Stations { position, world, rare, .. } = &mut **stations;
            return Self::points(m, count, position, world, rare);
        }
        for c in 0..3 {
            let [scale, shift] = [m[4 * c], m[9 + c]];
            for n in 0..lanes(count) {
                let scaled = stations.position[c][n] * scale;
                stations.world[c][n] = Self::row([scaled, shift], &mut stations.rare[n]);
            }
        }
    }

    #[inline(always)]
    fn view(&mut self) {
        let Placing { way, count, ref mut stations, .. } = self.0;
        let m = &way.view;
        if way.has_no_view {
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
        let Placing { way, count, ref mut stations, .. } = self.0;
        let m = &way.projection;
        if !way.has_plain_projection {
            for n in 0..lanes(count) {
                let v = at(&stations.view, n);
                for c in 0..4 {
                    let sum = Self::affine(v, [m[c], m[4 + c], m[8 + c], m[12 + c]], &mut stations.rare[n]);
                    stations.clip[c][n] = sum;
                }
            }
            return;
        }
        for n in 0..lanes(count) {
            let [x, y, z] = at(&stations.view, n);
            stations.clip[0][n] = alone(x * m[0]);
            stations.clip[1][n] = alone(y * m[5]);
            stations.clip[2][n] = Self::row([z * m[10], m[14]], &mut stations.rare[n]);
            stations.clip[3][n] = alone(z * m[11]);
        }
    }

    /// Perspective division and viewport.
    #[inline(always)]
    fn screen(&mut self) {
        let Placing { way, count, ref mut stations, .. } = self.0;
        let Way { scale, centre, .. } = way;
        for n in 0..lanes(count) {
            let reciprocal = t16(1.0 / stations.clip[3][n]);
            // A NaN of any matrix is in all clip coordinates, or in the one that follows from it alone.
            let mut sum = stations.clip[0][n];
            for c in 0..3 {
                let scaled = t16(t16(stations.clip[c][n] * reciprocal) * scale[c]);
                let place = aligned::<2, ROUNDS, true>([scaled, centre[c]], 0, &mut stations.rare[n]);
                stations.screen[c][n] = place;
                sum += place;
            }
            stations.rare[n] |= all(sum.is_nan());
        }
    }

    /// What vertices have of their places.
    #[inline(always)]
    fn places(&mut self) {
        let Placing { way, count, ref mut stations, .. } = self.0;
        for c in 0..2 {
            let offset = way.offset[c];
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
            let screen = at(&stations.screen, n);
            stations.outside[n] = outside([stations.clip[2][n], stations.clip[3][n]], screen) as i32;
        }
    }

    #[inline(always)]
    fn scale_texture(&mut self) {
        let Placing { way, count, ref mut stations, .. } = self.0;
        for c in 0..2 {
            let [scale, offset] = [way.texture_scale[c], way.texture_offset[c]];
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
        let Placing { way, count, ref mut stations, .. } = self.0;
        let (end, slope) = match way.fog {
            Fog::Flat(fog) => return stations.fog[..lanes(count)].fill(fog),
            Fog::Slope { end, slope } => (end, slope),
        };
        for n in 0..lanes(count) {
            let from_end = aligned::<2, ROUNDS, SMALL>([stations.view[2][n], end], 0, &mut stations.rare[n]);
            stations.fog[n] = floor(limited(t16(from_end * slope) * 256.0, 0.0, 255.0));
        }
    }

    /// From those of the model to unit vectors in world space; (0, 0, 1) where there is none.
    #[inline(always)]
    fn normals(&mut self) {
        let Placing { key, way, count, ref mut stations } = self.0;
        let m = &way.world;
        let is_plain = way.has_plain_world;
        let sign = f64::to_bits(if key.reversed { -0.0 } else { 0.0 });
        for n in 0..lanes(count) {
            let v = at(&stations.normal, n);
            for c in 0..3 {
                stations.normal[c][n] = if is_plain {
                    alone(v[c] * m[4 * c])
                } else {
                    Self::row([v[0] * m[c], v[1] * m[3 + c], v[2] * m[6 + c]], &mut stations.rare[n])
                };
            }
        }
        for n in 0..lanes(count) {
            let [x, y, z] = direction::<ROUNDS>(at(&stations.normal, n), &mut stations.rare[n]).unit;
            let turned = |component: f64| f64::from_bits(component.to_bits() ^ sign);
            put([turned(x), turned(y), turned(z)], &mut stations.normal, n);
            stations.rare[n] |= all((x + y + z).is_nan());
        }
    }

    /// Products with axes and translation.
    #[inline(always)]
    fn points(
        m: &[f64; 12],
        count: usize,
        from: &[Numbers; 3],
        to: &mut [Numbers; 3],
        rare: &mut [u64; MOST],
    ) {
        for n in 0..lanes(count) {
            let v = at(from, n);
            for c in 0..3 {
                to[c][n] = Self::affine(v, [m[c], m[3 + c], m[6 + c], m[9 + c]], &mut rare[n]);
            }
        }
    }

    /// `(v, 1)` times a column.
    #[inline(always)]
    fn affine([x, y, z]: [f64; 3], [a, b, c, d]: [f64; 4], rare: &mut u64) -> f64 {
        Self::row([x * a, y * b, z * c, d], rare)
    }

    /// The sum of products, with guard bits.
    #[inline(always)]
    fn row<const N: usize>(terms: [f64; N], rare: &mut u64) -> f64 {
        aligned::<N, ROUNDS, SMALL>(terms, GUARD, rare)
    }
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
