//! Level of detail: which levels, which filter. One value for each quad of 2x2 pixels, of which a group is part
//! of two.
//!
//! Source: psp-ge.md 9.5.

use crate::emit::ge::row::Quadruple;
use crate::emit::ge::span::{LEVEL_BYTES, of_draw};
use crate::emit::lanes::{F64s, I32s, Scalar};
use crate::emit::pixels::Colour;
use crate::ge::key::texture::{LodKey, TextureKey};
use crate::ge::pixel::coordinate::{self, Coordinates, Row};
use crate::ge::pixel::group::Group;
use crate::ge::pixel::texture::filter;
use cranelift_codegen::ir::condcodes::FloatCC;
use picaflor_pipeline::ge::regs::texture::LodMode;

/// The texture's colour. Where both quads have the levels and the filter in common, of all pixels at once, each with
/// the fraction of its quad; else that of the first quad's for its two pixels, then that of the second's.
pub(crate) fn sample(g: &mut Group<'_, '_>, key: &TextureKey, lod: LodKey) -> Colour {
    let (at, logarithms) = match lod.mode {
        LodMode::Constant => {
            let at = coordinate::at(g, key.divides, Row::This);
            let bias = g.l.load_i32(g.constants, of_draw!(bias));
            let fractions = fractions(g, lod, [bias; 2]);
            return of_detail(g, key, lod, at, (bias, fractions));
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
    let details = logarithms.map(|logarithm| g.l.scalar_add(logarithm, bias));
    let fractions = fractions(g, lod, details);
    let choices = details.map(|detail| choice(g, lod, detail));
    let result = g.l.colour_var();
    let [turn, again, done] = [(); 3].map(|()| g.l.block());
    let (detail, differ) = (g.l.scalar_var(), g.l.scalar_var());
    let lanes = g.l.int_var();
    let none = g.l.channel_splat(0);
    g.l.set_colour(result, none);
    let [all, last] = [[-1; 4], [0, 0, -1, -1]].map(|lanes| g.l.int_lanes(lanes));
    g.l.set_scalar(detail, details[0]);
    let difference = g.l.scalar_sub(choices[0], choices[1]);
    g.l.set_scalar(differ, difference);
    g.l.set_int(lanes, all);
    g.l.jump(turn);

    g.l.switch_to(turn);
    let detail_now = g.l.get_scalar(detail);
    let colour = of_detail(g, key, lod, at, (detail_now, fractions));
    let pixels = g.l.get_mask(lanes);
    let pixels = g.l.channel_mask(pixels);
    let before = g.l.get_colour(result);
    let colour = g.l.colour_select(pixels, colour, before);
    g.l.set_colour(result, colour);
    let differ_now = g.l.get_scalar(differ);
    g.l.branch(differ_now.0, again, done);

    g.l.switch_to(again);
    g.l.set_scalar(detail, details[1]);
    let zero = g.l.scalar(0);
    g.l.set_scalar(differ, zero);
    g.l.set_int(lanes, last);
    g.l.jump(turn);

    g.l.switch_to(done);
    g.l.get_colour(result)
}

/// A number for the levels and the filter of a detail: -1 where the texture is made larger.
fn choice(g: &mut Group<'_, '_>, lod: LodKey, detail: Scalar) -> Scalar {
    let before = g.l.scalar_add_constant(detail, -1);
    let is_larger = g.l.scalar_sar(before, 63);
    let Some(two) = lod.levels else { return is_larger };
    let number = number(g, detail, two);
    g.l.scalar_or(number, is_larger)
}

/// The level of a detail, or the first one of two.
fn number(g: &mut Group<'_, '_>, detail: Scalar, two: bool) -> Scalar {
    let last = g.l.load_i32(g.constants, of_draw!(last_level));
    let detail = g.l.scalar_min(detail, last);
    let rounded = if two { detail } else { g.l.scalar_add_constant(detail, 8) };
    g.l.scalar_sar(rounded, 4)
}

/// Sixteenths of the second of two levels, for the pixels of both quads.
fn fractions(g: &mut Group<'_, '_>, lod: LodKey, details: [Scalar; 2]) -> Option<I32s> {
    (lod.levels == Some(true)).then(|| {
        let last = g.l.load_i32(g.constants, of_draw!(last_level));
        let [first, second] = details.map(|detail| {
            let detail = g.l.scalar_min(detail, last);
            let fraction = g.l.scalar_mask(detail, 15);
            g.l.count_to_ints(fraction)
        });
        let last = g.l.int_lanes([0, 0, -1, -1]);
        g.l.int_bits(last, second, first)
    })
}

/// Of coordinates in the even and the odd row those of the group's.
fn of_this_row(g: &mut Group<'_, '_>, [even, odd]: [Coordinates; 2]) -> Coordinates {
    let row = g.row();
    let number = g.l.scalar_mask(row, 1);
    let (number, zero) = (g.l.count_to_doubles(number), g.l.double_of(0.0));
    let is_odd = g.l.double_compare(FloatCC::GreaterThan, number, zero);
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

/// The colour of all pixels at a level of detail.
fn of_detail(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    lod: LodKey,
    at: Coordinates,
    (detail, fractions): (Scalar, Option<I32s>),
) -> Colour {
    let (smaller, larger, done) = (g.l.block(), g.l.block(), g.l.block());
    let result = g.l.colour_var();
    let zero = g.l.scalar(0);
    let is_smaller = g.l.scalar_less(zero, detail);
    g.l.branch(is_smaller, smaller, larger);

    g.l.switch_to(larger);
    let first = level(g, zero);
    let colour = filtered(g, key, lod.linear[1], first, at);
    g.l.set_colour(result, colour);
    g.l.jump(done);

    g.l.switch_to(smaller);
    let colour = match lod.levels {
        None => {
            let zero = g.l.scalar(0);
            let first = level(g, zero);
            filtered(g, key, lod.linear[0], first, at)
        }
        Some(_) => of_levels(g, key, lod.linear[0], at, (detail, fractions)),
    };
    g.l.set_colour(result, colour);
    g.l.jump(done);

    g.l.switch_to(done);
    g.l.get_colour(result)
}

/// The colour of one level, or of two with their fractions.
fn of_levels(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    linear: bool,
    at: Coordinates,
    (detail, fractions): (Scalar, Option<I32s>),
) -> Colour {
    let number = number(g, detail, fractions.is_some());
    let Some(fractions) = fractions else {
        let level = level(g, number);
        return filtered(g, key, linear, level, at);
    };
    let last = g.l.load_i32(g.constants, of_draw!(last_level));
    let last = g.l.scalar_down(last, 4);
    let next = g.l.scalar_add_constant(number, 1);
    let next = g.l.scalar_min(next, last);
    let [low, high] = [number, next].map(|number| {
        let level = level(g, number);
        filtered(g, key, linear, level, at)
    });
    let fraction = g.l.spread(fractions);
    let sum = filter::mixed(g, low, high, fraction);
    g.l.colour_shr(sum, 4)
}

/// The constants of a level.
fn level(g: &mut Group<'_, '_>, number: Scalar) -> Scalar {
    let levels = g.l.scalar_add_constant(g.constants, i64::from(of_draw!(levels)));
    let offset = g.l.scalar_times(number, LEVEL_BYTES);
    g.l.scalar_add(levels, offset)
}

fn filtered(g: &mut Group<'_, '_>, key: &TextureKey, linear: bool, level: Scalar, at: Coordinates) -> Colour {
    if linear { filter::linear(g, key, level, at) } else { filter::nearest(g, key, level, at) }
}
