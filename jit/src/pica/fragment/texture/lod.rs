//! Level of detail: which levels of the chain, with which filter, in units of 1/256 level.

use super::super::quad::Quad;
use super::coordinate::Coordinate;
use super::image::{Image, Level, of_axis};
use super::of_unit;
use crate::emit::lanes::{F32s, I32s, Lanes, Mask, Scalar};
use crate::emit::pica::constants::LevelConstants;
use crate::emit::pixels::Colour;
use crate::pica::key::fragment::texture::Mip;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};

/// Bytes from the constants of a level to those of the next, and levels in all.
const ROW: i64 = size_of::<LevelConstants>() as i64;
const LEVELS: usize = 8;

/// Level of detail per pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lod {
    /// The level, or the first of two, twice; plus 1 where the image is minified.
    choice: I32s,
    /// Weight of the next level in units of 1/256.
    weight: Option<I32s>,
}

/// `log2q` of the interpreter: the logarithm in units of 1/256; -65536 unless `x` is above 0.
pub(crate) fn log2q(l: &mut Lanes<'_>, logarithms: Scalar, x: F32s) -> I32s {
    let bits = l.as_ints(x);
    let (mantissa, half) = (l.int(0x7f_ffff), l.int(0x4000));
    let mantissa = l.int_and(bits, mantissa);
    let rounded = l.int_add(mantissa, half);
    // From 0 to 256: inside the table, whatever the bits are.
    let index = l.int_shr(rounded, 15);
    let fraction = l.texels(logarithms, index);
    let exponent = l.int_shr(bits, 23);
    let exponent = l.int_shl(exponent, 8);
    let offset = l.int(127 * 256);
    let exponent = l.int_sub(exponent, offset);
    let logarithm = l.int_add(exponent, fraction);
    let zero = l.float(0.0);
    let above = l.compare(FloatCC::GreaterThan, x, zero);
    let lowest = l.int(-65_536);
    l.int_select(above, logarithm, lowest)
}

/// Footprint of a pixel in texels of level 0, along its longer axis.
fn footprint(quad: &mut Quad<'_, '_>, unit: usize, st: [Coordinate; 2]) -> F32s {
    let sizes = [0, 1].map(|axis| quad.number(of_axis(of_unit!(unit, size), axis)));
    let l = &mut *quad.l;
    let steps = [0, 1].map(|direction| {
        let [s, t] = [0, 1].map(|axis| {
            let change = st[axis].change.expect("changes of coordinates whose level of detail matters");
            let step = l.magnitude(change[direction]);
            l.fmul(step, sizes[axis])
        });
        l.max(s, t)
    });
    l.max(steps[0], steps[1])
}

/// The choice of levels and filters.
pub(super) fn of_pixels(quad: &mut Quad<'_, '_>, unit: usize, mip: Mip, st: [Coordinate; 2]) -> Lod {
    let rho = footprint(quad, unit, st);
    let logarithms = quad.l.load_pointer(quad.constants, of_unit!(unit, logarithms));
    let logarithm = log2q(quad.l, logarithms, rho);
    let [bias, least, most] = [of_unit!(unit, bias), of_unit!(unit, least), of_unit!(unit, most)]
        .map(|offset| quad.integer(offset));
    let l = &mut *quad.l;
    let biased = l.int_add(logarithm, bias);
    let wanted = l.int_max(biased, least);
    let zero = l.int(0);
    let minified = l.int_compare(IntCC::SignedGreaterThan, wanted, zero);
    if mip == Mip::One {
        let one = l.int(1);
        return Lod { choice: l.int_and(I32s(minified.0), one), weight: None };
    }
    let lod = l.int_min(wanted, most);
    // Where magnified it is level 0, wholly.
    let lod = l.int_max(lod, zero);
    let (level, weight) = split(l, mip, lod);
    let twice = l.int_shl(level, 1);
    // A set lane is -1.
    Lod { choice: l.int_sub(twice, I32s(minified.0)), weight }
}

/// The level, or the first of two and the weight of the second.
fn split(l: &mut Lanes<'_>, mip: Mip, lod: I32s) -> (I32s, Option<I32s>) {
    if mip == Mip::Linear {
        return (l.int_shr(lod, 8), Some(l.byte_field(lod, 0)));
    }
    let almost_half = l.int(127);
    let rounded = l.int_add(lod, almost_half);
    (l.int_shr(rounded, 8), None)
}

/// The colour by choice: the pixels of each choice that occurs at once, mostly all of them.
pub(super) fn levels(quad: &mut Quad<'_, '_>, unit: usize, image: &Image, lod: Lod) -> Colour {
    let alive = quad.mask;
    let rows = super::level(quad, unit);
    let l = &mut *quad.l;
    let [again, done] = [(); 2].map(|()| l.block());
    let (left, result) = (l.int_var(), l.colour_var());
    l.set_mask(left, alive);
    let black = l.channel_splat(0);
    l.set_colour(result, black);
    l.jump(again);

    l.switch_to(again);
    let now = l.get_mask(left);
    let none = l.int(-1);
    let candidates = l.int_select(now, lod.choice, none);
    let choice = l.largest(candidates);
    let same = l.int_equal(candidates, choice);
    // Dead pixels count as -1, which is no choice: some pixel is alive, so the largest is another.
    let rest = l.and_not(now, same);
    l.set_mask(left, rest);
    let colour = of_choice(l, image, lod, rows, choice, same);
    let before = l.get_colour(result);
    let mask = l.channel_mask(same);
    let merged = l.colour_select(mask, colour, before);
    l.set_colour(result, merged);
    let rest = l.get_mask(left);
    let more = l.any_sign(rest);
    l.branch(more, again, done);

    l.switch_to(done);
    l.get_colour(result)
}

/// The colour of the pixels of one choice.
fn of_choice(l: &mut Lanes<'_>, image: &Image, lod: Lod, rows: Scalar, choice: I32s, same: Mask) -> Colour {
    if image.filter.magnified == image.filter.minified {
        return minified(l, image, lod, rows, choice, same);
    }
    let [near, far, both] = [(); 3].map(|()| l.block());
    let result = l.colour_var();
    let lowest = l.lowest(choice);
    let is_minified = l.bit0(lowest);
    l.branch(is_minified, far, near);

    l.switch_to(near);
    let colour = image.of_level(l, Level { row: rows }, image.filter.magnified);
    l.set_colour(result, colour);
    l.jump(both);

    l.switch_to(far);
    let colour = minified(l, image, lod, rows, choice, same);
    l.set_colour(result, colour);
    l.jump(both);

    l.switch_to(both);
    l.get_colour(result)
}

/// With the minification filter.
fn minified(l: &mut Lanes<'_>, image: &Image, lod: Lod, rows: Scalar, choice: I32s, same: Mask) -> Colour {
    let linear = image.filter.minified;
    if image.filter.mip == Mip::One {
        return image.of_level(l, Level { row: rows }, linear);
    }
    let row = row(l, rows, choice);
    let first = image.of_level(l, Level { row }, linear);
    let Some(weight) = lod.weight else { return first };
    let weight = l.int_and(weight, I32s(same.0));
    let [second, both] = [(); 2].map(|()| l.block());
    let result = l.colour_var();
    l.set_colour(result, first);
    let some = l.nonzero(weight);
    l.branch(some, second, both);

    // Where a weight is not 0, the level is not the last.
    l.switch_to(second);
    let next = l.scalar_add_constant(row, ROW);
    let next = image.of_level(l, Level { row: next }, linear);
    let first = l.get_colour(result);
    let blended = between(l, first, next, weight);
    l.set_colour(result, blended);
    l.jump(both);

    l.switch_to(both);
    l.get_colour(result)
}

/// Where the constants of a choice's level lie: by a jump, so that the host, which predicts it, need not wait
/// for the level of detail before it samples.
fn row(l: &mut Lanes<'_>, rows: Scalar, choice: I32s) -> Scalar {
    let level = l.int_shr(choice, 1);
    let (blocks, chosen) = ([(); LEVELS].map(|()| l.block()), l.block());
    let row = l.scalar_var();
    l.branch_table(level, &blocks);
    for (level, block) in (0..).zip(blocks) {
        l.switch_to(block);
        let start = l.scalar_add_constant(rows, level * ROW);
        l.set_scalar(row, start);
        l.jump(chosen);
    }
    l.switch_to(chosen);
    l.get_scalar(row)
}

/// Two colours, the second with weight `f` in units of 1/256.
fn between(l: &mut Lanes<'_>, a: Colour, b: Colour, f: I32s) -> Colour {
    let f = l.spread(f);
    let whole = l.channel_splat(256);
    let complement = l.colour_sub(whole, f);
    let sum = l.mixed(a, b, f, complement);
    let half = l.channel_splat(128);
    let sum = l.colour_add(sum, half);
    l.colour_shr(sum, 8)
}
