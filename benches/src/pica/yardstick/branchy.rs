//! `branchy.v.pica` by hand, with a real branch for each of its branches.

use super::{Attributes, Semantics, Yardstick, dot4, mad3, max, min, mul, project, scale3};

const PROJECTION: usize = 0;
const PALETTE: usize = 4;
const FOG: u8 = 0;
const ALT: u8 = 1;
const RARE: u8 = 2;

#[inline(always)]
pub(super) fn vertex(job: &Yardstick, input: Attributes<'_, 9>, out: &mut Semantics<'_>) {
    let position = input.load::<3>(0);
    let (mut colour, marched) = march(job, input.load::<4>(3), max_magnitude(input.load::<2>(7)[0]));
    if job.bool(ALT) {
        colour = raised(scaled(colour, 0.5));
    } else {
        shade(&mut colour);
    }
    if 0.0 < position[0] && 0.0 <= position[1] {
        shade(&mut colour);
    }
    if job.bool(FOG) {
        let depth = dot4(job.c[PROJECTION + 2], position);
        colour = mad3(depth, [0.5; 4], colour);
    }
    finish(job, &mut colour);
    out.position(project(&job.c, PROJECTION, position));
    out.colour(colour);
    out.uv(0, marched);
    out.unmapped([4, 5, 6, 7, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]);
}

#[inline(always)]
fn max_magnitude(x: f32) -> f32 {
    max(x, -x)
}

/// Adds palette entries until their sum passes a threshold of the vertex.
#[inline(always)]
fn march(job: &Yardstick, mut colour: [f32; 4], size: f32) -> ([f32; 4], [f32; 2]) {
    let [last, start, step, _] = job.loop3;
    let (mut sum, mut steps) = (0.0, 0.0);
    let mut al = i32::from(start);
    for _ in 0..=last {
        let entry = job.relative(PALETTE, al);
        sum += entry[0];
        steps += 1.0;
        if 1.0 < mul(sum, size) {
            break;
        }
        colour = mad3(size, entry, colour);
        al += i32::from(step);
    }
    (colour, [sum, steps])
}

#[inline(always)]
fn shade(colour: &mut [f32; 4]) {
    let [r, g, b, a] = *colour;
    *colour = [mul(r, r), mul(g, g), mul(b, b), mul(a, a)];
    *colour = if 0.5 < colour[0] { scaled(*colour, 0.5) } else { raised(*colour) };
}

#[inline(always)]
fn scaled([r, g, b, a]: [f32; 4], by: f32) -> [f32; 4] {
    [mul(by, r), mul(by, g), mul(by, b), mul(by, a)]
}

#[inline(always)]
fn raised([r, g, b, a]: [f32; 4]) -> [f32; 4] {
    [0.5 + r, 0.5 + g, 0.5 + b, 0.5 + a]
}

/// From the test for brightness to the label `fin`.
#[inline(always)]
fn finish(job: &Yardstick, colour: &mut [f32; 4]) {
    let (x, y) = (0.5 <= colour[0], 0.5 > colour[1]);
    if !x {
        *colour = [0.5 + colour[0], 0.5 + colour[1], 0.5 + colour[2], colour[3]];
        if job.bool(RARE) {
            return;
        }
        *colour = scale3(*colour, 0.5);
        if y {
            return;
        }
    }
    if !x && y {
        colour[3] = 1.0;
    } else if y {
        colour[3] = 0.5;
    } else {
        let [r, g, b, a] = *colour;
        *colour = [min(1.0, r), min(1.0, g), min(1.0, b), min(1.0, a)];
    }
}
