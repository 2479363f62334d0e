//! `skin.v.pica` by hand.

use super::{
    Attributes, Semantics, Yardstick, add3, dot3, dot4, mad3, max, min, mul, place, project, rsq, scale3,
    shine, turn2, turn3,
};

const PROJECTION: usize = 0;
const VIEW: usize = 4;
const NORMAL: usize = 7;
const TEXTURE: [usize; 3] = [10, 12, 14];
const LIGHTS: usize = 16;
const AMBIENT: usize = 22;
const DIFFUSE: usize = 23;
const SPECULAR: usize = 24;
const BONES: usize = 25;
const USE_TEXTURE_1: u8 = 0;
const USE_TEXTURE_2: u8 = 1;

#[inline(always)]
pub(super) fn vertex(job: &Yardstick, input: Attributes<'_, 20>, out: &mut Semantics<'_>) {
    let c = &job.c;
    let (position, normal) = skinned(job, input.load::<3>(0), input.load::<3>(3), &input);
    let eye = place(c, VIEW, position);
    let away = [-eye[0], -eye[1], -eye[2], -1.0];
    out.view([away[0], away[1], away[2]]);
    out.position(project(c, PROJECTION, eye));

    let [nx, ny, nz] = turn3(c, NORMAL, normal);
    let normal = [nx, ny, nz, 0.0];
    let normal = scale3(normal, rsq(dot3(normal, normal)));
    out.quaternion(quaternion(normal));
    let to_eye = scale3(away, rsq(dot3(eye, eye)));
    let lit = lights(job, normal, to_eye);
    let ([r, g, b, a], [x, y, z, w]) = (input.load::<4>(16), lit);
    out.colour([min(1.0, mul(r, x)), min(1.0, mul(g, y)), min(1.0, mul(b, z)), min(1.0, mul(a, w))]);
    textures(job, input.load::<2>(6), out);
    out.unmapped([16, 17, 21]);
}

/// Position and normal, moved by four bones.
#[inline(always)]
fn skinned(
    job: &Yardstick,
    position: [f32; 4],
    normal: [f32; 4],
    input: &Attributes<'_, 20>,
) -> ([f32; 4], [f32; 4]) {
    let (bones, weights) = (input.load::<4>(8), input.load::<4>(12));
    let (mut moved, mut turned) = ([0.0, 0.0, 0.0, 1.0], [0.0; 4]);
    for (bone, weight) in bones.into_iter().zip(weights) {
        let a0 = mul(3.0, bone) as i32;
        let (x, y, z) = (job.relative(BONES, a0), job.relative(BONES + 1, a0), job.relative(BONES + 2, a0));
        moved = mad3(weight, [dot4(x, position), dot4(y, position), dot4(z, position), 0.0], moved);
        turned = mad3(weight, [dot3(x, normal), dot3(y, normal), dot3(z, normal), 0.0], turned);
    }
    (moved, turned)
}

/// The rotation that takes (0, 0, 1) to the normal.
#[inline(always)]
fn quaternion(normal: [f32; 4]) -> [f32; 4] {
    let half = mul(0.5, 1.0 + normal[2]);
    if 0.0 >= half {
        return [1.0, 0.0, 0.0, 0.0];
    }
    let r = rsq(half);
    [mul(mul(0.5, normal[0]), r), mul(mul(0.5, normal[1]), r), 1.0 / r, 0.0]
}

#[inline(always)]
fn lights(job: &Yardstick, normal: [f32; 4], to_eye: [f32; 4]) -> [f32; 4] {
    let [last, start, step, _] = job.loop3;
    let mut sum = job.c[AMBIENT];
    let mut al = i32::from(start);
    for _ in 0..=last {
        let direction = job.relative(LIGHTS, al);
        let (diffuse, specular) = (job.relative(LIGHTS + 1, al), job.relative(LIGHTS + 2, al));
        let lit = max(0.0, dot3(direction, normal));
        let half = add3(direction, to_eye);
        let half = scale3(half, rsq(dot3(half, half)));
        let bright = shine(max(0.0, dot3(half, normal)));
        for i in 0..3 {
            sum[i] += mul(mul(diffuse[i], lit), job.c[DIFFUSE][i]);
            sum[i] += mul(mul(specular[i], bright), job.c[SPECULAR][i]);
        }
        al += i32::from(step);
    }
    sum
}

#[inline(always)]
fn textures(job: &Yardstick, uv: [f32; 4], out: &mut Semantics<'_>) {
    let uv = [uv[0], uv[1], 0.0, 1.0];
    out.uv(0, turn2(&job.c, TEXTURE[0], uv));
    out.uv(1, if job.bool(USE_TEXTURE_1) { turn2(&job.c, TEXTURE[1], uv) } else { [uv[0], uv[1]] });
    out.uv(2, if job.bool(USE_TEXTURE_2) { turn2(&job.c, TEXTURE[2], uv) } else { [0.0; 2] });
}
