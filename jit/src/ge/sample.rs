//! Texels: from coordinates to colours.
//!
//! Source: psp-ge.md 9.1, 9.6, 9.7, measured on a console.

use super::coordinate::{self, Coordinates, Row};
use super::group::Group;
use super::lod;
use crate::emit::lanes::{I32s, Scalar};
use crate::emit::pixels::Colour;
use crate::emit::span::{LevelConstants, of_draw, of_job, of_primitive};
use crate::key::ge::texture::{FilterKey, TextureKey};
use std::mem::offset_of;

/// The texture's colour.
pub(super) fn sample(g: &mut Group<'_, '_>, key: &TextureKey) -> Colour {
    let level = g.l.scalar_add_constant(g.constants, i64::from(of_draw!(levels)));
    match key.filter {
        FilterKey::Nearest => {
            let places = places(g, key, level);
            nearest_at(g, key, level, places)
        }
        FilterKey::Linear => {
            let places = places(g, key, level);
            linear_at(g, key, level, places)
        }
        FilterKey::Lod(lod) => {
            let at = coordinate::at(g, key.divides, Row::This);
            lod::sample(g, key, lod, at)
        }
    }
}

/// Positions in level 0, the short way for plain primitives.
fn places(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar) -> [I32s; 2] {
    let (short, long, done) = (g.l.block(), g.l.cold_block(), g.l.block());
    let vars = [(); 2].map(|()| g.l.int_var());
    // Both ways need them.
    let columns = g.columns();
    let is_plain = g.l.load_pointer(g.primitive, of_primitive!(is_plain));
    g.l.branch(is_plain.0, short, long);

    g.l.switch_to(short);
    for (n, var) in (0..).zip(vars) {
        let first = g.l.load_double(g.job, of_job!(plain) + n * 8);
        let fields = [of_primitive!(plain_steps), of_primitive!(plain_scales), of_primitive!(plain_nudges)];
        let [step, scale, nudge] = fields.map(|field| g.double(field + n * 16));
        let positions = columns.map(|columns| {
            let change = g.l.dmul(columns, step);
            let sum = g.l.dadd(first, change);
            let position = g.l.dmul(sum, scale);
            let position = g.l.dadd(position, nudge);
            g.l.double_floor(position)
        });
        let positions = g.l.small_to_int(positions);
        g.l.set_int(var, positions);
    }
    g.l.jump(done);

    g.l.switch_to(long);
    let at = coordinate::at(g, key.divides, Row::This);
    let positions = texels(g, level, at);
    for (var, positions) in vars.into_iter().zip(positions) {
        g.l.set_int(var, positions);
    }
    g.l.jump(done);

    g.l.switch_to(done);
    vars.map(|var| g.l.get_int(var))
}

macro_rules! of_level {
    ($field:ident) => {
        offset_of!(LevelConstants, $field) as i32
    };
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

/// What an index turns into on an axis.
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
fn row(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, y: I32s) -> I32s {
    let y = wrap(g, key, level, 1, y);
    let width = g.l.load_ints(level, of_level!(width));
    g.l.int_mul(y, width)
}

/// Texels in columns of rows. Both were clamped or masked, so that the sum is an index inside the level.
fn fetch(g: &mut Group<'_, '_>, level: Scalar, row: I32s, x: I32s) -> Colour {
    let index = g.l.int_add(row, x);
    let texels = g.l.load_pointer(level, of_level!(texels));
    let words = g.l.texels(texels, index);
    g.l.unpack(words)
}

/// The nearest texel.
pub(super) fn nearest(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, at: Coordinates) -> Colour {
    let places = texels(g, level, at);
    nearest_at(g, key, level, places)
}

fn nearest_at(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, places: [I32s; 2]) -> Colour {
    let [x, y] = places.map(|place| g.l.int_sar(place, 8));
    let x = wrap(g, key, level, 0, x);
    let row = row(g, key, level, y);
    fetch(g, level, row, x)
}

/// Four texels, with weights of 4 bits.
pub(super) fn linear(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, at: Coordinates) -> Colour {
    let places = texels(g, level, at);
    linear_at(g, key, level, places)
}

fn linear_at(g: &mut Group<'_, '_>, key: &TextureKey, level: Scalar, places: [I32s; 2]) -> Colour {
    let half = g.l.int(128);
    let places = places.map(|place| g.l.int_sub(place, half));
    let [fx, fy] = places.map(|place| {
        let fraction = g.l.int_shr(place, 4);
        let low = g.l.int(15);
        let fraction = g.l.int_and(fraction, low);
        g.l.spread(fraction)
    });
    let one = g.l.int(1);
    let [[x0, x1], [y0, y1]] = places.map(|place| {
        let index = g.l.int_sar(place, 8);
        [index, g.l.int_add(index, one)]
    });
    let columns = [x0, x1].map(|x| wrap(g, key, level, 0, x));
    let rows = [y0, y1].map(|y| {
        let row = row(g, key, level, y);
        let [left, right] = columns.map(|x| fetch(g, level, row, x));
        mixed(g, left, right, fx)
    });
    let sum = mixed(g, rows[0], rows[1], fy);
    g.l.colour_shr(sum, 8)
}

/// `a (16 - f) + b f`.
pub(super) fn mixed(g: &mut Group<'_, '_>, a: Colour, b: Colour, f: Colour) -> Colour {
    let whole = g.l.channel_splat(16);
    let rest = g.l.colour_sub(whole, f);
    g.l.mixed(a, b, f, rest)
}
