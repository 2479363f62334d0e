//! Levels: which of them, and which filter, for the [details](super::detail) of both quads.
//!
//! Source: psp-ge.md 9.5.

use super::detail::{At, Detail};
use super::filter;
use crate::emit::ge::span::{LEVEL_BYTES, of_draw};
use crate::emit::lanes::{I32s, Scalar};
use crate::emit::pixels::Colour;
use crate::ge::key::texture::{LodKey, TextureKey};
use crate::ge::pixel::group::Group;
use picaflor_pipeline::ge::regs::texture::LodMode;

/// The texture's colour. Where both quads have the levels and the filter in common, of all pixels at once, each with
/// the fraction of its quad; else that of the first quad's for its two pixels, then that of the second's.
pub(crate) fn sample(g: &mut Group<'_, '_>, key: &TextureKey, lod: LodKey) -> Colour {
    let Detail { at, details, fractions } = Detail::of(g, key, lod);
    if lod.mode == LodMode::Constant {
        return of_detail(g, key, lod, at, (details[0], fractions));
    }
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

/// The colour of all pixels at a level of detail.
fn of_detail(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    lod: LodKey,
    at: At,
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
    at: At,
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

fn filtered(g: &mut Group<'_, '_>, key: &TextureKey, linear: bool, level: Scalar, at: At) -> Colour {
    let (places, bits) = at.in_level(g, key, level, linear);
    filter::at(g, key, level, linear, (places, bits))
}
