//! The colour at a selector: levels of the table, and how entries are weighted.

use super::super::quad::Quad;
use super::super::texture::log2q;
use super::rounded;
use crate::emit::lanes::{F32s, I32s, Lanes};
use crate::emit::pica::constants::constant;
use crate::emit::pixels::Colour;
use crate::pica::key::fragment::proctex::ProctexKey;
use picaflor_pipeline::pica::regs::texture::ProctexFilter;

/// A level of the colour table.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Its last entry.
    last: F32s,
    /// Where it starts.
    start: I32s,
}

/// A colour of the table, by the filter.
pub(super) fn lookup(quad: &mut Quad<'_, '_>, key: &ProctexKey, selector: F32s) -> Colour {
    match key.filter {
        ProctexFilter::Nearest | ProctexFilter::Linear => {
            let last = quad.number(constant!(proctex.last));
            let start = quad.integer(constant!(proctex.start));
            entry(quad, key, selector, Level { last, start })
        }
        ProctexFilter::NearestMipNearest | ProctexFilter::LinearMipNearest => {
            let lod = level_of_detail(quad, key);
            let half = quad.l.int(128);
            let closer = quad.l.int_add(lod, half);
            let number = quad.l.int_shr(closer, 8);
            let level = level(quad, number);
            entry(quad, key, selector, level)
        }
        ProctexFilter::NearestMipLinear | ProctexFilter::LinearMipLinear => {
            let lod = level_of_detail(quad, key);
            let number = quad.l.int_shr(lod, 8);
            let first = level(quad, number);
            let first = entry(quad, key, selector, first);
            let (one, last) = (quad.l.int(1), quad.l.int(7));
            let next = quad.l.int_add(number, one);
            let next = quad.l.int_min(next, last);
            let second = level(quad, next);
            let second = entry(quad, key, selector, second);
            between(quad.l, first, second, lod)
        }
    }
}

/// The level of detail in units of 1/256, 0 to 7 levels. Coordinates count as they are before noise.
fn level_of_detail(quad: &mut Quad<'_, '_>, key: &ProctexKey) -> I32s {
    let [du, dv] = key.semantics().map(|k| {
        let [dx, dy] = quad.change(k).map(|change| quad.l.magnitude(change));
        quad.l.max(dx, dy)
    });
    let sum = quad.l.fadd(du, dv);
    let scale = quad.number(constant!(proctex.lod_scale));
    let rho = quad.l.fmul(scale, sum);
    let logarithms = quad.l.load_pointer(quad.constants, constant!(proctex.logarithms));
    let lod = log2q(quad.l, logarithms, rho);
    let least = quad.integer(constant!(proctex.least_lod));
    let lod = quad.l.int_max(lod, least);
    let most = quad.integer(constant!(proctex.most_lod));
    quad.l.int_min(lod, most)
}

/// Levels by number. Three bits of it count, so that what is loaded lies inside the constants, in which the levels are
/// not last.
fn level(quad: &mut Quad<'_, '_>, number: I32s) -> Level {
    let levels = quad.l.scalar(i64::from(constant!(proctex.levels)));
    let levels = quad.l.scalar_add(quad.constants, levels);
    let l = &mut *quad.l;
    let bits = l.int(7);
    let number = l.int_and(number, bits);
    let [last, start] = l.gather_entries(levels, number);
    Level { last, start: l.as_ints(start) }
}

/// The colour at `selector`, 0 to 1, of a level.
fn entry(quad: &mut Quad<'_, '_>, key: &ProctexKey, selector: F32s, level: Level) -> Colour {
    let position = quad.l.fmul(selector, level.last);
    if key.is_linear() { linear(quad, position, level.start) } else { nearest(quad, position, level.start) }
}

fn nearest(quad: &mut Quad<'_, '_>, position: F32s, start: I32s) -> Colour {
    let colours = quad.l.load_pointer(quad.constants, constant!(proctex.colours));
    let l = &mut *quad.l;
    let i = rounded(l, position);
    let index = index(l, start, i);
    let pixels = l.texels(colours, index);
    l.unpack(pixels)
}

/// Each pixel moves from one entry toward the next; colours have half of a unit more, so that integer parts are
/// rounded. Saturation after rounding gives what the clamp before does.
fn linear(quad: &mut Quad<'_, '_>, position: F32s, start: I32s) -> Colour {
    let steps = quad.l.load_pointer(quad.constants, constant!(proctex.steps));
    let l = &mut *quad.l;
    let i = l.float_to_int_loose(position);
    let whole = l.int_to_float(i);
    let f = l.fsub(position, whole);
    let index = index(l, start, i);
    let offsets = l.int_shl(index, 5);
    let entries = l.addresses(steps, offsets);
    let pixels = [0, 1, 2, 3].map(|n| {
        let at = entries[n];
        let (colour, difference) = (l.load_floats(at, 0), l.load_floats(at, 16));
        let f = l.broadcast_float(f, n as u8);
        let part = l.fmul(f, difference);
        let sum = l.fadd(colour, part);
        l.float_to_int_loose(sum)
    });
    l.saturated_pixels(pixels)
}

/// An index into the 256 entries of the table: eight bits of it count.
fn index(l: &mut Lanes<'_>, start: I32s, i: I32s) -> I32s {
    let sum = l.int_add(start, i);
    l.byte_field(sum, 0)
}

/// Two colours, the second with the weight that the lowest byte of `lod` is, in units of 1/256.
fn between(l: &mut Lanes<'_>, a: Colour, b: Colour, lod: I32s) -> Colour {
    let f = l.byte_field(lod, 0);
    let f = l.spread(f);
    let whole = l.channel_splat(256);
    let rest = l.colour_sub(whole, f);
    let sum = l.mixed(a, b, f, rest);
    let half = l.channel_splat(128);
    let sum = l.colour_add(sum, half);
    l.colour_shr(sum, 8)
}
