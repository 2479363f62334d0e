//! Texels: from coordinates to colours.
//!
//! Source: psp-ge.md 9.1, 9.6, 9.7, measured on a console.

use super::lod;
use crate::emit::ge::span::{of_draw, of_primitive};
use crate::emit::lanes::{I32s, Scalar};
use crate::emit::pixels::Colour;
use crate::ge::key::texture::{FilterKey, TextureKey};
use crate::ge::pixel::coordinate::{self, Coordinates, Row};
use crate::ge::pixel::group::Group;
use crate::ge::pixel::steps::{self, Steps};

macro_rules! of_level {
    ($field:ident) => {
        std::mem::offset_of!(crate::emit::ge::span::LevelConstants, $field) as i32
    };
}
pub(crate) use of_level;

/// Bits of positions in 1/256 texels below a texel.
const BITS: u8 = 8;

/// The texture's colour.
pub(crate) fn sample(g: &mut Group<'_, '_>, key: &TextureKey) -> Colour {
    let level = g.l.scalar_add_constant(g.constants, i64::from(of_draw!(levels)));
    match (key.filter, g.steps) {
        (FilterKey::Lod(lod), _) => lod::sample(g, key, lod),
        (FilterKey::Nearest, Some(steps)) => {
            let words = g.l.int_var();
            either_way(g, key, level, |g, way| {
                let found = match way {
                    Way::Short => nearest_in_steps(g, key, level, &steps),
                    Way::Long(places) => nearest_words(g, key, level, places, BITS),
                };
                g.l.set_int(words, found);
            });
            let words = g.l.get_int(words);
            g.l.unpack(words)
        }
        (FilterKey::Linear, Some(steps)) => {
            let colour = g.l.colour_var();
            either_way(g, key, level, |g, way| {
                let found = match way {
                    Way::Short => linear_in_steps(g, key, level, &steps),
                    Way::Long(places) => {
                        let half = g.l.int(1 << (BITS - 1));
                        let places = places.map(|place| g.l.int_sub(place, half));
                        linear_at(g, key, level, places, BITS)
                    }
                };
                g.l.set_colour(colour, found);
            });
            g.l.get_colour(colour)
        }
        (_, None) => unreachable!("routines of one level have steps"),
    }
}

/// Computation of a group's positions.
enum Way {
    /// The primitive is plain.
    Short,
    /// Positions in level 0.
    Long([I32s; 2]),
}

/// Emits both alternatives, and a block of their continuation.
fn either_way<'q, 'f>(
    g: &mut Group<'q, 'f>,
    key: &TextureKey,
    level: Scalar,
    mut emit: impl FnMut(&mut Group<'q, 'f>, Way),
) {
    let long = if key.divides { g.l.block() } else { g.l.cold_block() };
    let (short, done) = (g.l.block(), g.l.block());
    let is_plain = g.l.load_pointer(g.primitive, of_primitive!(is_plain));
    g.l.branch(is_plain.0, short, long);

    g.l.switch_to(short);
    emit(g, Way::Short);
    g.l.jump(done);

    g.l.switch_to(long);
    let at = coordinate::at(g, key.divides, Row::This);
    let places = texels(g, level, at);
    emit(g, Way::Long(places));
    g.l.jump(done);

    g.l.switch_to(done);
    g.forget_columns();
}

/// Coordinates in 1/256 texels of the level whose constants are at `level`.
fn texels(g: &mut Group<'_, '_>, level: Scalar, at: Coordinates) -> [I32s; 2] {
    let mut axis = 0;
    at.map(|coordinate| {
        let scale = g.l.load_doubles(level, of_level!(scale) + axis * 16);
        axis += 1;
        let scaled = coordinate.map(|half| {
            let scaled = g.l.dmul(half, scale);
            g.l.double_floor(scaled)
        });
        g.l.whole_to_int(scaled)
    })
}

/// Wraps an index on an axis.
fn wrap(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, axis: usize, index: I32s) -> I32s {
    let last = g.l.load_ints(level, of_level!(last) + axis as i32 * 16);
    if !key.clamp[axis] {
        return g.l.int_and(index, last);
    }
    let zero = g.l.int(0);
    let above = g.l.int_max(index, zero);
    g.l.int_min(above, last)
}

/// Texels before a row.
fn row(g: &mut Group<'_, '_>, level: Scalar, y: I32s) -> I32s {
    let width = g.l.load_ints(level, of_level!(width));
    g.l.int_mul(y, width)
}

/// The nearest texel.
pub(crate) fn nearest(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, at: Coordinates) -> Colour {
    let places = texels(g, level, at);
    let words = nearest_words(g, key, level, places, BITS);
    g.l.unpack(words)
}

fn nearest_in_steps(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, steps: &Steps) -> I32s {
    let u = steps.u(g.l, g.primitive, g.job, g.column);
    match steps.v(g.l, g.primitive, g.job, g.column) {
        Ok(v) => nearest_words(g, key, level, [u, v], steps::BITS),
        Err(row) => {
            let x = g.l.int_sar(u, steps::BITS);
            let x = wrap(g, key, level, 0, x);
            let texels = g.l.get_scalar(row.texels);
            g.l.words_at(texels, x)
        }
    }
}

/// Texels 0xAABBGGRR at positions with fractional bits. Columns and rows are clamped or masked, so that they lie
/// inside the level.
fn nearest_words(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    level: Scalar,
    places: [I32s; 2],
    bits: u8,
) -> I32s {
    let [x, y] = places.map(|place| g.l.int_sar(place, bits));
    let x = wrap(g, key, level, 0, x);
    let y = wrap(g, key, level, 1, y);
    let row = row(g, level, y);
    let index = g.l.int_add(row, x);
    let texels = g.l.load_pointer(level, of_level!(texels));
    g.l.words_at(texels, index)
}

/// Four texels, with weights of 4 bits.
pub(crate) fn linear(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, at: Coordinates) -> Colour {
    let places = texels(g, level, at);
    let half = g.l.int(1 << (BITS - 1));
    let places = places.map(|place| g.l.int_sub(place, half));
    linear_at(g, key, level, places, BITS)
}

/// The column or row of the left or upper one of two texels, and sixteenths of the other.
///
/// Where coordinates are clamped, the position is: at the last texel nothing of the next one counts. Where they repeat,
/// the next one is in memory behind the last.
fn pair(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    level: Scalar,
    axis: usize,
    place: I32s,
    bits: u8,
) -> [I32s; 2] {
    let last = g.l.load_ints(level, of_level!(last) + axis as i32 * 16);
    let place = if key.clamp[axis] {
        let zero = g.l.int(0);
        let above = g.l.int_max(place, zero);
        let most = g.l.int_shl(last, bits);
        g.l.int_min(above, most)
    } else {
        place
    };
    let index = g.l.int_sar(place, bits);
    let index = if key.clamp[axis] { index } else { g.l.int_and(index, last) };
    let fraction = g.l.int_shr(place, bits - 4);
    let low = g.l.int(15);
    [index, g.l.int_and(fraction, low)]
}

fn linear_in_steps(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, steps: &Steps) -> Colour {
    let u = steps.u(g.l, g.primitive, g.job, g.column);
    match steps.v(g.l, g.primitive, g.job, g.column) {
        Ok(v) => linear_at(g, key, level, [u, v], steps::BITS),
        Err(row) => {
            let [x, fx] = pair(g, key, level, 0, u, steps::BITS);
            let texels = g.l.get_scalar(row.texels);
            let rows = two_rows(g, level, texels, x, fx);
            let [below, here] = row.weights.map(|var| g.l.get_channels(var));
            let sum = g.l.mixed(rows[0], rows[1], below, here);
            g.l.colour_shr(sum, 8)
        }
    }
}

/// Four texels from the upper left position on, with fractional bits.
fn linear_at(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, places: [I32s; 2], bits: u8) -> Colour {
    let [x, fx] = pair(g, key, level, 0, places[0], bits);
    let [y, fy] = pair(g, key, level, 1, places[1], bits);
    let row = row(g, level, y);
    let index = g.l.int_add(row, x);
    let texels = g.l.load_pointer(level, of_level!(texels));
    let rows = two_rows(g, level, texels, index, fx);
    let fy = g.l.spread(fy);
    let sum = mixed(g, rows[0], rows[1], fy);
    g.l.colour_shr(sum, 8)
}

/// Two texels each of a row and the one below, mixed by sixteenths. Indices lie inside the level, behind whose last
/// column and row there is one more.
fn two_rows(g: &mut Group<'_, '_>, level: Scalar, texels: Scalar, index: I32s, fx: I32s) -> [Colour; 2] {
    let weights = g.l.pair_weights(fx);
    let width = g.l.load_i32(level, of_level!(width));
    let offsets = g.l.stored_lanes(index).map(|index| g.l.scalar_shl(index, 2));
    let stride = g.l.scalar_shl(width, 2);
    let below = g.l.scalar_add(texels, stride);
    [texels, below].map(|base| {
        let at = offsets.map(|offset| g.l.scalar_add(base, offset));
        let pairs = g.l.word_pairs(at);
        g.l.across_pairs(pairs, weights)
    })
}

/// `a (16 - f) + b f`.
pub(crate) fn mixed(g: &mut Group<'_, '_>, a: Colour, b: Colour, f: Colour) -> Colour {
    let whole = g.l.channel_splat(16);
    let rest = g.l.colour_sub(whole, f);
    g.l.mixed(a, b, f, rest)
}
