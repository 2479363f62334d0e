//! Texels: from coordinates to colours.
//!
//! Source: psp-ge.md 9.1, 9.6, 9.7, measured on a console.

use super::lod;
use crate::emit::ge::span::{of_draw, of_primitive};
use crate::emit::ge::steps::Sixteenths;
use crate::emit::lanes::{I32s, Scalar};
use crate::emit::pixels::Colour;
use crate::emit::texels::ColourVar;
use crate::ge::key::texture::{FilterKey, TextureKey};
use crate::ge::pixel::coordinate::{self, Coordinates, Divided, Row};
use crate::ge::pixel::group::Group;
use crate::ge::pixel::steps::{self, Steps};
use cranelift_codegen::ir::Block;

macro_rules! of_level {
    ($field:ident) => {
        std::mem::offset_of!(crate::emit::ge::span::LevelConstants, $field) as i32
    };
}
pub(crate) use of_level;

/// Bits of positions in 1/256 texels below a texel.
pub(super) const BITS: u8 = 8;

/// The texture's colour.
pub(crate) fn sample(g: &mut Group<'_, '_>, key: &TextureKey) -> Colour {
    let level = g.l.scalar_add_constant(g.constants, i64::from(of_draw!(levels)));
    let steps = match (key.filter, g.steps) {
        (FilterKey::Lod(lod), _) => return lod::sample(g, key, lod),
        (_, Some(steps)) => steps,
        (_, None) => unreachable!("routines of one level have steps"),
    };
    let is_linear = key.filter == FilterKey::Linear;
    let colour = g.l.colour_var();
    if g.rectangles {
        of_rectangle(g, key, level, &steps, colour);
    } else {
        let done = g.l.block();
        let places = of_triangle(g, key, level, &steps, (colour, done));
        let found = at(g, key, level, is_linear, (places, steps::BITS));
        g.l.set_colour(colour, found);
        g.l.jump(done);
        g.l.switch_to(done);
    }
    g.l.get_colour(colour)
}

/// Sets the colours of a group of a rectangle.
fn of_rectangle(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, steps: &Steps, colour: ColourVar) {
    let is_linear = key.filter == FilterKey::Linear;
    let long = if key.divides { g.l.block() } else { g.l.cold_block() };
    let [each, done] = [(); 2].map(|()| g.l.block());
    neighbours(g, key, level, steps, (colour, [each, long, done]));

    g.l.switch_to(each);
    let found = match is_linear {
        false => nearest_in_steps(g, key, level, steps),
        true => linear_in_steps(g, key, level, steps),
    };
    g.l.set_colour(colour, found);
    g.l.jump(done);

    g.l.switch_to(long);
    let at = coordinate::at(g, key.divides, Row::This);
    let places = texels(g, level, at);
    let places = upper_left(g, is_linear, places, BITS);
    let found = self::at(g, key, level, is_linear, (places, BITS));
    g.l.set_colour(colour, found);
    g.l.jump(done);

    g.l.switch_to(done);
    g.forget_columns();
}

/// Goes on at `each` where u and v go in steps, and at `long` where they do not. Where a group's texels are four neighbours of a
/// row, none of which is beyond the level, sets its colours and goes on at `done`.
fn neighbours(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    level: Scalar,
    steps: &Steps,
    (colour, [each, long, done]): (ColourVar, [Block; 3]),
) {
    let [others, by_texels, inside] = [(); 3].map(|()| g.l.block());
    let goes_in_steps = g.l.load_pointer(g.primitive, of_primitive!(goes_in_steps));
    g.l.branch(goes_in_steps.0, each, others);
    g.l.switch_to(others);
    let goes_by_texels = g.l.load_pointer(g.primitive, of_primitive!(goes_by_texels));
    g.l.branch(goes_by_texels.0, by_texels, long);

    g.l.switch_to(by_texels);
    let mut x = steps.first_texel(g.l, 0);
    let last = g.l.load_i32(level, of_level!(last));
    if !key.clamp[0] {
        x = g.l.scalar_and(x, last);
    }
    let most = g.l.scalar_add_constant(last, -3);
    let left = g.l.scalar_sub(most, x);
    // Neither is negative.
    let signs = g.l.scalar_or(x, left);
    let beyond = g.l.scalar_sar(signs, 63);
    g.l.branch(beyond.0, each, inside);

    g.l.switch_to(inside);
    let row = if g.rectangles {
        g.l.get_scalar(steps.row().texels)
    } else {
        let y = steps.first_texel(g.l, 1);
        let last = g.l.load_i32(level, of_level!(last) + 16);
        let y = if key.clamp[1] {
            let zero = g.l.scalar(0);
            let above = g.l.scalar_max(y, zero);
            g.l.scalar_min(above, last)
        } else {
            g.l.scalar_and(y, last)
        };
        steps::texels_of_row(g.l, level, y)
    };
    let x = g.l.scalar_shl(x, 2);
    let at = g.l.scalar_add(row, x);
    let words = g.l.load_ints(at, 0);
    let found = g.l.unpack(words);
    g.l.set_colour(colour, found);
    g.l.jump(done);
}

/// Positions in level 0 of a group of a triangle with `steps::BITS` below a texel: of the nearest texel, or the upper
/// left one of four. Where a group's texels are [`neighbours`], their colours are set, and it goes on at `sampled`.
fn of_triangle(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    level: Scalar,
    steps: &Steps,
    (colour, sampled): (ColourVar, Block),
) -> [I32s; 2] {
    let places = [(); 2].map(|()| g.l.int_var());
    let set = |g: &mut Group<'_, '_>, found: [I32s; 2]| {
        for (place, found) in places.into_iter().zip(found) {
            g.l.set_int(place, found);
        }
    };
    let [each, done] = [(); 2].map(|()| g.l.block());
    // Groups in steps go there where a position may be on either side of the edge of a texel, or of a sixteenth.
    let long = if key.divides { g.l.block() } else { g.l.cold_block() };
    if key.divides {
        let (divided, others) = (g.l.block(), g.l.block());
        let goes_divided = g.l.load_pointer(g.primitive, of_primitive!(goes_divided));
        g.l.branch(goes_divided.0, divided, others);
        g.l.switch_to(divided);
        // Of a texel: half of it, and the bits that weights come from.
        let is_linear = key.filter == FilterKey::Linear;
        let (less, from) =
            if is_linear { (1 << (steps::BITS - 1), steps::BITS - 4) } else { (0, steps::BITS) };
        let numbers = steps.divided(g.l, g.primitive);
        let (found, doubtful) = Divided::of(g, numbers).rounded(g, (less, from), None);
        set(g, found);
        let is_doubtful = g.l.any(doubtful);
        g.l.branch(is_doubtful, long, done);
        g.l.switch_to(others);
    }
    neighbours(g, key, level, steps, (colour, [each, long, sampled]));

    g.l.switch_to(each);
    let u = steps.u(g.l, g.primitive);
    let v = steps.v(g.l, g.primitive);
    set(g, [u, v]);
    g.l.jump(done);

    g.l.switch_to(long);
    let at = coordinate::at(g, key.divides, Row::This);
    let found = texels(g, level, at);
    let found = raised(g, key, key.filter == FilterKey::Linear, found);
    set(g, found);
    g.l.jump(done);

    g.l.switch_to(done);
    g.forget_columns();
    places.map(|place| g.l.get_int(place))
}

/// Positions in 1/256 texels as those in steps are: of clamped ones nothing counts beyond 2^11 texels, of others only
/// what is left modulo 2^12.
pub(super) fn raised(g: &mut Group<'_, '_>, key: &TextureKey, linear: bool, places: [I32s; 2]) -> [I32s; 2] {
    let more = steps::BITS - BITS;
    let mut clamps = key.clamp.into_iter();
    upper_left(g, linear, places, BITS).map(|mut place| {
        if clamps.next() == Some(true) {
            let [low, high] = [i32::MIN >> more, i32::MAX >> more].map(|bound| g.l.int(bound));
            let above = g.l.int_max(place, low);
            place = g.l.int_min(above, high);
        }
        g.l.int_shl(place, more)
    })
}

/// Coordinates in 1/256 texels of the level whose constants are at `level`.
pub(super) fn texels(g: &mut Group<'_, '_>, level: Scalar, at: Coordinates) -> [I32s; 2] {
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

/// The colour of a level at positions with so many bits below a texel: of the nearest texel, or the upper left one of
/// four.
pub(super) fn at(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    level: Scalar,
    linear: bool,
    (places, bits): ([I32s; 2], u8),
) -> Colour {
    if linear {
        return linear_at(g, key, level, places, bits);
    }
    let words = nearest_words(g, key, level, places, bits);
    g.l.unpack(words)
}

/// From positions of pixels to those of their texels: of the upper left one of four, where there are four.
pub(super) fn upper_left(g: &mut Group<'_, '_>, linear: bool, places: [I32s; 2], bits: u8) -> [I32s; 2] {
    if !linear {
        return places;
    }
    let half = g.l.int(1 << (bits - 1));
    places.map(|place| g.l.int_sub(place, half))
}

/// The nearest texels of a plain rectangle.
fn nearest_in_steps(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, steps: &Steps) -> Colour {
    let u = steps.u(g.l, g.primitive);
    let row = steps.row();
    let x = g.l.int_sar(u, steps::BITS);
    let x = wrap(g, key, level, 0, x);
    let texels = g.l.get_scalar(row.texels);
    let words = g.l.words_at(texels, x);
    g.l.unpack(words)
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
) -> (I32s, Sixteenths) {
    let at = axis as i32 * 16;
    let place = if key.clamp[axis] {
        let zero = g.l.int(0);
        let above = g.l.int_max(place, zero);
        let most = if bits == steps::BITS {
            g.l.load_ints(level, of_level!(farthest) + at)
        } else {
            let last = g.l.load_ints(level, of_level!(last) + at);
            g.l.int_shl(last, bits)
        };
        g.l.int_min(above, most)
    } else {
        place
    };
    let mut index = g.l.int_sar(place, bits);
    if !key.clamp[axis] {
        let last = g.l.load_ints(level, of_level!(last) + at);
        index = g.l.int_and(index, last);
    }
    (index, g.l.sixteenths(place, bits))
}

/// Four texels each of a plain rectangle.
fn linear_in_steps(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, steps: &Steps) -> Colour {
    let u = steps.u(g.l, g.primitive);
    let row = steps.row();
    let (x, fx) = pair(g, key, level, 0, u, steps::BITS);
    let texels = g.l.get_scalar(row.texels);
    let rows = two_rows(g, level, texels, x, fx);
    let [below, here] = row.weights.map(|var| g.l.get_channels(var));
    let sum = g.l.mixed(rows[0], rows[1], below, here);
    g.l.colour_shr(sum, 8)
}

/// Four texels from the upper left position on, with fractional bits.
fn linear_at(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, places: [I32s; 2], bits: u8) -> Colour {
    let (x, fx) = pair(g, key, level, 0, places[0], bits);
    let (y, fy) = pair(g, key, level, 1, places[1], bits);
    let row = row(g, level, y);
    let index = g.l.int_add(row, x);
    let texels = g.l.load_pointer(level, of_level!(texels));
    let rows = two_rows(g, level, texels, index, fx);
    let fy = g.l.spread_from(fy.lanes, fy.byte);
    let sum = mixed(g, rows[0], rows[1], fy);
    g.l.colour_shr(sum, 8)
}

/// Two texels each of a row and the one below, mixed by sixteenths. Indices lie inside the level, behind whose last
/// column and row there is one more.
fn two_rows(
    g: &mut Group<'_, '_>,
    level: Scalar,
    texels: Scalar,
    index: I32s,
    fx: Sixteenths,
) -> [Colour; 2] {
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

#[cfg(test)]
#[path = "neighbours_tests.rs"]
mod tests;
