//! Level of detail: which levels, which filter. One value for each quad of 2x2 pixels, of which a group is part
//! of two.
//!
//! Source: psp-ge.md 9.5.

use crate::emit::ge::row::Quadruple;
use crate::emit::ge::span::{LEVEL_BYTES, of_draw};
use crate::emit::lanes::{F64s, Scalar};
use crate::emit::pixels::Colour;
use crate::ge::key::texture::{LodKey, TextureKey};
use crate::ge::pixel::coordinate::{self, Coordinates, Row};
use crate::ge::pixel::group::Group;
use crate::ge::pixel::texture::filter;
use picaflor_pipeline::ge::regs::texture::LodMode;

/// The texture's colour: that of the first quad's level for its two pixels, then that of the second's.
pub(crate) fn sample(g: &mut Group<'_, '_>, key: &TextureKey, lod: LodKey, at: Coordinates) -> Colour {
    let logarithms = logarithms(g, key, lod.mode);
    let result = g.l.colour_var();
    let none = g.l.channel_splat(0);
    g.l.set_colour(result, none);
    let [turn, again, done] = [(); 3].map(|()| g.l.block());
    let logarithm = g.l.scalar_var();
    let lanes = g.l.int_var();
    let [first, second] = [[-1, -1, 0, 0], [0, 0, -1, -1]].map(|lanes| g.l.int_lanes(lanes));
    g.l.set_scalar(logarithm, logarithms[0]);
    g.l.set_int(lanes, first);
    g.l.jump(turn);

    g.l.switch_to(turn);
    let bias = g.l.load_i32(g.constants, of_draw!(bias));
    let number = g.l.get_scalar(logarithm);
    let detail = g.l.scalar_add(number, bias);
    let colour = of_detail(g, key, lod, at, detail);
    let pixels = g.l.get_mask(lanes);
    let pixels = g.l.channel_mask(pixels);
    let before = g.l.get_colour(result);
    let colour = g.l.colour_select(pixels, colour, before);
    g.l.set_colour(result, colour);
    let is_first = g.l.get_int(lanes);
    let is_first = g.l.lowest(is_first);
    g.l.branch(is_first.0, again, done);

    g.l.switch_to(again);
    g.l.set_scalar(logarithm, logarithms[1]);
    g.l.set_int(lanes, second);
    g.l.jump(turn);

    g.l.switch_to(done);
    g.l.get_colour(result)
}

/// The logarithm in sixteenths for both quads.
fn logarithms(g: &mut Group<'_, '_>, key: &TextureKey, mode: LodMode) -> [Scalar; 2] {
    let numbers = match mode {
        LodMode::Constant => return [g.l.scalar(0); 2],
        LodMode::Auto => change(g, key),
        LodMode::Slope => {
            let w = coordinate::w(g);
            let slope = g.l.load_double(g.constants, of_draw!(slope));
            let two = g.l.double_of(2.0);
            w.map(|w| {
                let twice = g.l.dmul(two, w);
                g.l.dmul(twice, slope)
            })
        }
    };
    numbers.map(|number| {
        let bits = g.l.single_bits(number);
        let upper = g.l.scalar_down(bits, 19);
        let upper = g.l.scalar_mask(upper, 0xfff);
        g.l.scalar_add_constant(upper, -127 * 16)
    })
}

/// Step of a pixel in texels: the larger of s along x and t along y, in lane 0.
fn change(g: &mut Group<'_, '_>, key: &TextureKey) -> Quadruple {
    let [even, odd] = [0, 1].map(|row| coordinate::at(g, key.divides, Row::Of(row)));
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
    detail: Scalar,
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
        Some(two) => of_levels(g, key, lod.linear[0], at, (detail, two)),
    };
    g.l.set_colour(result, colour);
    g.l.jump(done);

    g.l.switch_to(done);
    g.l.get_colour(result)
}

/// The colour of one level or of two.
fn of_levels(
    g: &mut Group<'_, '_>,
    key: &TextureKey,
    linear: bool,
    at: Coordinates,
    (detail, two): (Scalar, bool),
) -> Colour {
    let last = g.l.load_i32(g.constants, of_draw!(last_level));
    let detail = g.l.scalar_min(detail, last);
    if !two {
        let rounded = g.l.scalar_add_constant(detail, 8);
        let number = g.l.scalar_down(rounded, 4);
        let level = level(g, number);
        return filtered(g, key, linear, level, at);
    }
    let number = g.l.scalar_down(detail, 4);
    let next = g.l.scalar_add_constant(number, 1);
    let last = g.l.scalar_down(last, 4);
    let next = g.l.scalar_min(next, last);
    let [low, high] = [number, next].map(|number| {
        let level = level(g, number);
        filtered(g, key, linear, level, at)
    });
    let fraction = g.l.scalar_mask(detail, 15);
    let fraction = g.l.count_to_ints(fraction);
    let fraction = g.l.spread(fraction);
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
