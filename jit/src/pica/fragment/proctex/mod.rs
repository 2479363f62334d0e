//! The procedural texture, unit 3, as `interp::fragment::proctex`.
//!
//! In pixels that are drawn every number here is finite: coordinates are limited first, see [`FAR`]. In the
//! other lanes of a quad anything can be; so each index into a table is masked where it is made.

mod bind;
mod lookup;
mod noise;
pub(crate) mod tables;
#[cfg(test)]
mod tests;

pub(super) use bind::{Owners, bind};

use super::quad::Quad;
use crate::emit::lanes::{F32s, Lanes, Mask, Scalar};
use crate::emit::pica::block::slot;
use crate::emit::pica::constants::constant;
use crate::emit::pica::lattice::FAR;
use crate::emit::pixels::Colour;
use crate::pica::key::fragment::combiner::Needs;
use crate::pica::key::fragment::proctex::{AxisKey, ProctexKey};
use cranelift_codegen::ir::condcodes::FloatCC;
use picaflor_pipeline::pica::regs::texture::{ProctexClamp, ProctexFunction, ProctexShift};
use std::array::from_fn;

/// The colour of unit 3, where it is enabled from the work [ahead](sample_ahead); transparent black where it is not.
pub(super) fn sample(quad: &mut Quad<'_, '_>) -> Colour {
    let Some(at) = quad.ahead else { return quad.l.channel_splat(0) };
    let sampled = |quad: &mut Quad<'_, '_>| {
        let pixels = quad.l.load_ints(at, 0);
        quad.l.unpack(pixels)
    };
    if quad.common().origin == 0 {
        return sampled(quad);
    }
    quad.common_or(slot::ORIGIN, |quad| quad.colour_constant(constant!(proctex.at_origin)), sampled)
}

/// The colour of unit 3, by instructions without branches. Parts that do not matter are undefined.
pub(super) fn sample_ahead(quad: &mut Quad<'_, '_>, key: &ProctexKey, needs: Needs) -> Colour {
    let uv = place(quad, key);
    let by_colour = ProctexKey::looks_up(needs, key.alpha).then(|| function(quad.l, key.colour, uv));
    let colour = by_colour.map(|at| {
        let selector = map(quad, constant!(proctex.colour_map), at);
        lookup::lookup(quad, key, selector)
    });
    let alpha = key.alpha.map(|function| {
        let same = by_colour.filter(|_| function == key.colour);
        let at = same.unwrap_or_else(|| self::function(quad.l, function, uv));
        separate_alpha(quad, at)
    });
    match (colour, alpha) {
        (Some(colour), Some(alpha)) => quad.l.with_alpha(colour, alpha),
        (colour, alpha) => colour.or(alpha).unwrap_or_else(|| quad.l.channel_splat(0)),
    }
}

/// Alpha by its own map, the other channels 0.
fn separate_alpha(quad: &mut Quad<'_, '_>, at: F32s) -> Colour {
    let alpha = map(quad, constant!(proctex.alpha_map), at);
    let l = &mut *quad.l;
    let most = l.float(255.0);
    let scaled = l.fmul(most, alpha);
    let alpha = rounded(l, scaled);
    // Alpha is the lowest byte of a pixel.
    l.unpack(alpha)
}

/// The integer closest to a nonnegative number.
fn rounded(l: &mut Lanes<'_>, x: F32s) -> crate::emit::lanes::I32s {
    let half = l.float(0.5);
    let sum = l.fadd(x, half);
    l.float_to_int_loose(sum)
}

/// The magnitude of a coordinate, as long as its integer part is one; 0 for a NaN.
fn magnitude(l: &mut Lanes<'_>, x: F32s) -> F32s {
    let positive = l.magnitude(x);
    let (zero, far) = (l.float(0.0), l.float(FAR));
    l.clamp(positive, zero, far)
}

/// u and v after noise, shift and clamp, where they are read. The shifts go by u and v before noise.
fn place(quad: &mut Quad<'_, '_>, key: &ProctexKey) -> [Option<F32s>; 2] {
    let semantics = key.semantics();
    let uv: [_; 2] = from_fn(|axis| {
        key.reads(axis).then(|| {
            let value = quad.value(semantics[axis]);
            magnitude(quad.l, value)
        })
    });
    let moved = if key.noise { noise::disturbed(quad, key, uv.map(read)) } else { uv };
    from_fn(|axis| {
        let AxisKey { clamp, shift } = key.axes[axis]?;
        let x = shifted(quad.l, read(moved[axis]), uv[1 - axis], shift, clamp);
        Some(clamped(quad.l, x, clamp))
    })
}

/// A coordinate that the key reads.
fn read(coordinate: Option<F32s>) -> F32s {
    coordinate.expect("the key reads it")
}

/// A coordinate, moved where the `other` one is in an odd, or even, row.
fn shifted(
    l: &mut Lanes<'_>,
    x: F32s,
    other: Option<F32s>,
    shift: ProctexShift,
    clamp: ProctexClamp,
) -> F32s {
    if shift == ProctexShift::None {
        return x;
    }
    let mut row = l.float_to_int_loose(read(other));
    if shift == ProctexShift::Even {
        let one = l.int(1);
        row = l.int_add(row, one);
    }
    // Bit 1 of what is not negative: half of it is odd.
    let odd = l.sign_field(row, 30, 31);
    let step = l.float(if clamp == ProctexClamp::Mirror { 1.0 } else { 0.5 });
    let step = l.keep(Mask(odd.0), step);
    l.fadd(x, step)
}

fn clamped(l: &mut Lanes<'_>, x: F32s, mode: ProctexClamp) -> F32s {
    let (one, half) = (l.float(1.0), l.float(0.5));
    match mode {
        ProctexClamp::ToZero => {
            let inside = l.compare(FloatCC::LessThanOrEqual, x, one);
            l.keep(inside, x)
        }
        ProctexClamp::ToEdge => l.min(x, one),
        ProctexClamp::Repeat => fraction(l, x).1,
        ProctexClamp::Mirror => {
            let f = fraction(l, x).1;
            let whole = l.float_to_int_loose(x);
            let odd = l.sign_field(whole, 31, 31);
            let mirrored = l.fsub(one, f);
            l.blend(Mask(odd.0), mirrored, f)
        }
        ProctexClamp::Pulse => {
            let high = l.compare(FloatCC::LessThan, half, x);
            l.keep(high, one)
        }
    }
}

/// Floor and fraction.
fn fraction(l: &mut Lanes<'_>, x: F32s) -> (F32s, F32s) {
    let floor = l.floor(x);
    (floor, l.fsub(x, floor))
}

fn function(l: &mut Lanes<'_>, function: ProctexFunction, [u, v]: [Option<F32s>; 2]) -> F32s {
    match function {
        ProctexFunction::U => read(u),
        ProctexFunction::USquared => l.fmul(read(u), read(u)),
        ProctexFunction::V => read(v),
        ProctexFunction::VSquared => l.fmul(read(v), read(v)),
        ProctexFunction::Add => half_sum(l, read(u), read(v)),
        ProctexFunction::AddSquared => {
            let (squares, half) = (squares(l, read(u), read(v)), l.float(0.5));
            l.fmul(squares, half)
        }
        ProctexFunction::Distance => {
            let distance = distance(l, read(u), read(v));
            let one = l.float(1.0);
            l.min(distance, one)
        }
        ProctexFunction::Min => l.min(read(u), read(v)),
        ProctexFunction::Max => l.max(read(u), read(v)),
        ProctexFunction::RMax => {
            let (sum, distance) = (half_sum(l, read(u), read(v)), distance(l, read(u), read(v)));
            let mean = half_sum(l, sum, distance);
            let one = l.float(1.0);
            l.min(mean, one)
        }
        ProctexFunction::Unknown => l.float(0.0),
    }
}

fn half_sum(l: &mut Lanes<'_>, a: F32s, b: F32s) -> F32s {
    let sum = l.fadd(a, b);
    let half = l.float(0.5);
    l.fmul(sum, half)
}

fn squares(l: &mut Lanes<'_>, u: F32s, v: F32s) -> F32s {
    let (u, v) = (l.fmul(u, u), l.fmul(v, v));
    l.fadd(u, v)
}

fn distance(l: &mut Lanes<'_>, u: F32s, v: F32s) -> F32s {
    let squares = squares(l, u, v);
    l.sqrt(squares)
}

/// The value of a table at `at`, 0 to 1; 1 is the start of the entry behind the last one. The index is limited to that
/// one, so that what is loaded lies inside the table.
fn map(quad: &mut Quad<'_, '_>, table: i32, at: F32s) -> F32s {
    let table: Scalar = quad.l.load_pointer(quad.constants, table);
    let l = &mut *quad.l;
    let entries = l.float(128.0);
    let position = l.fmul(at, entries);
    let i = l.float_to_int_loose(position);
    let whole = l.int_to_float(i);
    let f = l.fsub(position, whole);
    let end = l.int(128);
    let i = l.int_min_unsigned(i, end);
    let [value, difference] = l.gather_entries(table, i);
    let part = l.fmul(f, difference);
    let sum = l.fadd(value, part);
    l.clamp01(sum)
}
