//! Level of detail, one value for each quad of 2x2 pixels, of which a group is part of two; and where its pixels lie in the
//! texture.
//!
//! Divided triangles whose numbers go in steps have positions in level 0, from which those in other levels follow, as
//! each is a power of two smaller. Their details are found from numbers that are nearly the manual's. Groups where that may make
//! a difference, and all others, take the manual's order of operations.
//!
//! Source: psp-ge.md 9.5.

use super::filter;
use crate::emit::flow::{IntVar, Room, ScalarVar};
use crate::emit::ge::row::Quadruple;
use crate::emit::ge::span::{LevelConstants, of_draw, of_primitive};
use crate::emit::lanes::{F64s, I32s, Mask, Scalar};
use crate::ge::key::texture::{LodKey, TextureKey};
use crate::ge::pixel::coordinate::{self, Coordinates, Divided, Row};
use crate::ge::pixel::group::Group;
use crate::ge::pixel::steps::{self, Steps};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use picaflor_pipeline::ge::regs::texture::LodMode;
use std::mem::offset_of;

/// Sixteenths of an octave from 0 to 1, in the pattern of a double.
const DOUBLE_BIAS: i32 = 1023 * 16;
/// How far changes of positions in steps may be from the manual's, in 2^-20 texels, with much to spare: each of the two
/// positions is off by less than 1.
const CHANGE_ERROR: f64 = 4.0;
/// Numbers that are rounded to singles may become larger by a quarter of this part of them.
const SINGLE: f64 = 1.0 / (1 << 22) as f64;

/// What is found of a group.
pub(super) struct Detail {
    pub(super) at: At,
    /// Of both quads, in sixteenths of a level.
    pub(super) details: [Scalar; 2],
    /// Where two levels are mixed, sixteenths of the second, for the pixels of both quads.
    pub(super) fractions: Option<I32s>,
}

/// Where pixels lie.
#[derive(Debug, Clone, Copy)]
pub(super) enum At {
    /// By the manual.
    Exact(Coordinates),
    /// By the manual if `is_exact`, in this room; else in level 0, with `steps::BITS` below a texel.
    Either { is_exact: Scalar, exact: Room, places: [I32s; 2] },
}

impl Detail {
    pub(super) fn of(g: &mut Group<'_, '_>, key: &TextureKey, lod: LodKey) -> Self {
        if let Some(steps) = g.steps {
            return Self::either(g, key, lod, &steps);
        }
        let (at, details) = exact(g, key, lod);
        Self { at: At::Exact(at), details, fractions: fractions(g, lod, details) }
    }

    fn either(g: &mut Group<'_, '_>, key: &TextureKey, lod: LodKey, steps: &Steps) -> Self {
        let [short, long, done] = [(); 3].map(|()| g.l.block());
        let vars = Vars {
            is_exact: g.l.scalar_var(),
            exact: g.l.room(64),
            places: [(); 2].map(|()| g.l.int_var()),
            details: [(); 2].map(|()| g.l.scalar_var()),
            fractions: (lod.levels == Some(true)).then(|| g.l.int_var()),
        };
        let goes_divided = g.l.load_pointer(g.primitive, of_primitive!(goes_divided));
        g.l.branch(goes_divided.0, short, long);

        g.l.switch_to(short);
        let (details, doubtful) = vars.set_short(g, lod, steps);
        vars.set_details(g, details);
        let is_doubtful = g.l.any(doubtful);
        g.l.branch(is_doubtful, long, done);

        g.l.switch_to(long);
        let (at, details) = exact(g, key, lod);
        let room = g.l.room_address(vars.exact);
        for (half, offset) in at.into_iter().flatten().zip((0..).step_by(16)) {
            g.l.store_doubles(half, room, offset);
        }
        let (yes, nowhere) = (g.l.scalar(1), g.l.int(0));
        g.l.set_scalar(vars.is_exact, yes);
        for place in vars.places {
            g.l.set_int(place, nowhere);
        }
        let fractions = fractions(g, lod, details);
        vars.set_details(g, (details, fractions));
        g.l.jump(done);

        g.l.switch_to(done);
        g.forget_columns();
        Self {
            at: At::Either {
                is_exact: g.l.get_scalar(vars.is_exact),
                exact: vars.exact,
                places: vars.places.map(|place| g.l.get_int(place)),
            },
            details: vars.details.map(|detail| g.l.get_scalar(detail)),
            fractions: vars.fractions.map(|fractions| g.l.get_int(fractions)),
        }
    }
}

/// Where both ways leave what they find.
struct Vars {
    is_exact: ScalarVar,
    exact: Room,
    places: [IntVar; 2],
    details: [ScalarVar; 2],
    fractions: Option<IntVar>,
}

/// Details of both quads, and fractions of two levels.
type Details = ([Scalar; 2], Option<I32s>);

impl Vars {
    fn set_details(&self, g: &mut Group<'_, '_>, (details, fractions): Details) {
        for (var, detail) in self.details.into_iter().zip(details) {
            g.l.set_scalar(var, detail);
        }
        if let (Some(var), Some(fractions)) = (self.fractions, fractions) {
            g.l.set_int(var, fractions);
        }
    }

    /// Positions of a triangle in steps, its details, and lanes of which something may not be the manual's.
    fn set_short(&self, g: &mut Group<'_, '_>, lod: LodKey, steps: &Steps) -> (Details, Mask) {
        // Of a texel of level 0 the bits that weights come from; of other levels fewer.
        let from = if lod.linear.contains(&true) { steps::BITS - 4 } else { steps::BITS };
        let numbers = steps.divided(g.l, g.primitive);
        let here = Divided::of(g, numbers);
        let other = (lod.mode == LodMode::Auto).then(|| {
            let others = steps.in_other_row(g.l, numbers);
            (others[2], Divided::of(g, others))
        });
        let (places, mut doubtful) = here.rounded(g, (0, from), other.map(|(_, other)| other));
        for (var, place) in self.places.into_iter().zip(places) {
            g.l.set_int(var, place);
        }
        let no = g.l.scalar(0);
        g.l.set_scalar(self.is_exact, no);
        let ([low, high], bias) = match (lod.mode, other) {
            (LodMode::Constant, _) => {
                let bias = g.l.load_i32(g.constants, of_draw!(bias));
                return (([bias; 2], fractions(g, lod, [bias; 2])), doubtful);
            }
            (LodMode::Slope, _) => (slope_bounds(g, steps), DOUBLE_BIAS),
            (LodMode::Auto, Some((q, other))) => {
                let is_far = q_is_small(g, [numbers[2], q]);
                doubtful = g.l.or(doubtful, is_far);
                (change_bounds(g, here, other), DOUBLE_BIAS + 16 * i32::from(steps::BITS))
            }
            (LodMode::Auto, None) => unreachable!("the level of detail compares pixels"),
        };
        let (details, differ) = between(g, lod, [low, high], bias);
        (details, g.l.or(doubtful, differ))
    }
}

/// The details of numbers of which bounds are known, both quads each, and where they may be different ones that count.
fn between(g: &mut Group<'_, '_>, lod: LodKey, [low, high]: [F64s; 2], zero: i32) -> (Details, Mask) {
    let [low, high] = [low, high].map(|number| g.l.long_bits(number));
    let upper = g.l.upper_halves(low, high);
    // Sign, exponent, and four bits more.
    let upper = g.l.int_sar(upper, 16);
    let swapped = g.l.int_order(upper, [2, 3, 0, 1]);
    let differ = g.l.int_compare(IntCC::NotEqual, upper, swapped);
    let unsigned = g.l.int(0x7fff);
    let magnitude = g.l.int_and(upper, unsigned);
    let zero = g.l.int(zero);
    let logarithm = g.l.int_sub(magnitude, zero);
    let bias = g.l.load_splat(g.constants, of_draw!(bias));
    let detail = g.l.int_add(logarithm, bias);
    // None that is not above 0 counts.
    let none = g.l.int(0);
    let counts = g.l.int_compare(IntCC::SignedGreaterThan, detail, none);
    let of_pixels = g.l.int_order(detail, [0, 0, 1, 1]);
    let fractions = fractions_of(g, lod, of_pixels);
    let details = [0, 1].map(|quad| g.l.lane(detail, quad));
    ((details, fractions), g.l.and(differ, counts))
}

/// Bounds of the number of slope mode.
fn slope_bounds(g: &mut Group<'_, '_>, steps: &Steps) -> [F64s; 2] {
    let w = steps.w(g.l);
    let error = g.double(of_primitive!(w_error));
    let slope = g.l.load_double(g.constants, of_draw!(slope));
    around(g, w, error).map(|w| {
        let twice = g.l.dadd(w, w);
        g.l.dmul(twice, slope)
    })
}

/// Bounds of the change from pixel to pixel, in 2^-20 texels of level 0.
fn change_bounds(g: &mut Group<'_, '_>, here: Divided, other: Divided) -> [F64s; 2] {
    let odd = is_odd(g);
    let along = [here, other].map(|divided| {
        let [low, high] = divided.exact[0];
        let [left, right] = [0, 1].map(|n| g.l.double_zip(low, high, n));
        g.l.dsub(right, left)
    });
    // s in the even row, t from there to the odd one.
    let s = g.l.double_select(odd, along[1], along[0]);
    let [from, to] = [here, other].map(|divided| {
        let [low, high] = divided.exact[1];
        g.l.double_zip(low, high, 0)
    });
    let t = g.l.dsub(to, from);
    let [s, t] = [s, t].map(|change| g.l.double_magnitude(change));
    let larger = g.l.double_larger(s, t);
    let error = g.l.double_of(CHANGE_ERROR);
    around(g, larger, error)
}

/// Less and more than a number, by an error and what becomes of it as a single.
fn around(g: &mut Group<'_, '_>, number: F64s, error: F64s) -> [F64s; 2] {
    let magnitude = g.l.double_magnitude(number);
    let part = g.l.double_of(SINGLE);
    let part = g.l.dmul(magnitude, part);
    let error = g.l.dadd(part, error);
    [g.l.dsub(number, error), g.l.dadd(number, error)]
}

/// Lanes whose q is too small: beyond the triangle.
fn q_is_small(g: &mut Group<'_, '_>, numbers: [Quadruple; 2]) -> Mask {
    let least = g.double(of_primitive!(least_q));
    let [[a, b], [c, d]] = numbers;
    let [a, b] = [[a, b], [c, d]].map(|[a, b]| g.l.double_smaller(a, b));
    let smallest = g.l.double_smaller(a, b);
    let is_small = g.l.double_compare(FloatCC::LessThan, smallest, least);
    g.l.double_mask(is_small)
}

impl At {
    /// Positions in a level, and how many bits they have below a texel: of the nearest texel, or the upper left one of
    /// four.
    pub(super) fn in_level(
        self,
        g: &mut Group<'_, '_>,
        key: &TextureKey,
        level: Scalar,
        linear: bool,
    ) -> ([I32s; 2], u8) {
        let (is_exact, room, places) = match self {
            Self::Exact(at) => {
                let found = filter::texels(g, level, at);
                return (filter::upper_left(g, linear, found, filter::BITS), filter::BITS);
            }
            Self::Either { is_exact, exact, places } => (is_exact, exact, places),
        };
        let vars = [(); 2].map(|()| g.l.int_var());
        let set = |g: &mut Group<'_, '_>, found: [I32s; 2]| {
            for (var, found) in vars.into_iter().zip(found) {
                g.l.set_int(var, found);
            }
        };
        let [long, short, done] = [(); 3].map(|()| g.l.block());
        g.l.branch(is_exact.0, long, short);

        g.l.switch_to(long);
        let room = g.l.room_address(room);
        let at = [0, 32].map(|axis| [0, 16].map(|half| g.l.load_doubles(room, axis + half)));
        let found = filter::texels(g, level, at);
        let found = filter::raised(g, key, linear, found);
        set(g, found);
        g.l.jump(done);

        g.l.switch_to(short);
        let mut axis = 0;
        let found = places.map(|place| {
            let halved = g.l.load_u32(level, offset_of!(LevelConstants, halved) as i32 + axis);
            axis += 4;
            g.l.int_sar_by(place, halved)
        });
        let found = filter::upper_left(g, linear, found, steps::BITS);
        set(g, found);
        g.l.jump(done);

        g.l.switch_to(done);
        (vars.map(|var| g.l.get_int(var)), steps::BITS)
    }
}

/// Coordinates and details by the manual.
fn exact(g: &mut Group<'_, '_>, key: &TextureKey, lod: LodKey) -> (Coordinates, [Scalar; 2]) {
    let (at, logarithms) = match lod.mode {
        LodMode::Constant => {
            let at = coordinate::at(g, key.divides, Row::This);
            let bias = g.l.load_i32(g.constants, of_draw!(bias));
            return (at, [bias; 2]);
        }
        LodMode::Auto => {
            let rows = [0, 1].map(|row| coordinate::at(g, key.divides, Row::Of(row)));
            let change = change(g, rows);
            (of_this_row(g, rows), change.map(|number| logarithm(g, number)))
        }
        LodMode::Slope => {
            let at = coordinate::at(g, key.divides, Row::This);
            let slopes = slopes(g);
            (at, slopes.map(|number| logarithm(g, number)))
        }
    };
    let bias = g.l.load_i32(g.constants, of_draw!(bias));
    (at, logarithms.map(|logarithm| g.l.scalar_add(logarithm, bias)))
}

/// Sixteenths of the second of two levels, for the pixels of both quads.
fn fractions(g: &mut Group<'_, '_>, lod: LodKey, details: [Scalar; 2]) -> Option<I32s> {
    let [first, second] = details.map(|detail| g.l.count_to_ints(detail));
    let last = g.l.int_lanes([0, 0, -1, -1]);
    let of_pixels = g.l.int_bits(last, second, first);
    fractions_of(g, lod, of_pixels)
}

/// Likewise, from the detail of each pixel.
fn fractions_of(g: &mut Group<'_, '_>, lod: LodKey, details: I32s) -> Option<I32s> {
    (lod.levels == Some(true)).then(|| {
        let last = g.l.load_splat(g.constants, of_draw!(last_level));
        let detail = g.l.int_min(details, last);
        let low = g.l.int(15);
        g.l.int_and(detail, low)
    })
}

/// All ones if the group's row is odd.
fn is_odd(g: &mut Group<'_, '_>) -> F64s {
    let row = g.row();
    let odd = g.l.scalar_mask(row, 1);
    let none = g.l.scalar(0);
    let odd = g.l.scalar_sub(none, odd);
    let odd = g.l.long_splat(odd);
    g.l.double_of_bits(odd)
}

/// Of coordinates in the even and the odd row those of the group's.
fn of_this_row(g: &mut Group<'_, '_>, [even, odd]: [Coordinates; 2]) -> Coordinates {
    let is_odd = is_odd(g);
    [0, 1].map(|axis| [0, 1].map(|half| g.l.double_select(is_odd, odd[axis][half], even[axis][half])))
}

/// The logarithm of a quad's step in sixteenths, from lane 0.
fn logarithm(g: &mut Group<'_, '_>, number: F64s) -> Scalar {
    let bits = g.l.single_bits(number);
    let upper = g.l.scalar_down(bits, 19);
    let upper = g.l.scalar_mask(upper, 0xfff);
    g.l.scalar_add_constant(upper, -127 * 16)
}

/// Step of both quads in slope mode, in lane 0.
fn slopes(g: &mut Group<'_, '_>) -> Quadruple {
    let w = coordinate::w(g);
    let slope = g.l.load_double(g.constants, of_draw!(slope));
    let two = g.l.double_of(2.0);
    w.map(|w| {
        let twice = g.l.dmul(two, w);
        g.l.dmul(twice, slope)
    })
}

/// Step of a pixel in texels, of both quads: the larger of s along x and t along y, in lane 0.
fn change(g: &mut Group<'_, '_>, [even, odd]: [Coordinates; 2]) -> Quadruple {
    let [s_scale, t_scale] = [0, 8].map(|axis| g.l.load_double(g.constants, of_draw!(lod_scale) + axis));
    [0, 1].map(|quad| {
        let right = g.l.double_broadcast(even[0][quad], 1);
        let s = scaled_change(g, even[0][quad], right, s_scale);
        let t = scaled_change(g, even[1][quad], odd[1][quad], t_scale);
        g.l.double_larger(s, t)
    })
}

fn scaled_change(g: &mut Group<'_, '_>, from: F64s, to: F64s, scale: F64s) -> F64s {
    let change = g.l.dsub(to, from);
    let change = g.l.double_magnitude(change);
    g.l.dmul(change, scale)
}

#[cfg(test)]
#[path = "detail_tests.rs"]
mod tests;
