//! `light.v.pica` by hand.

use super::{
    Attributes, Semantics, Yardstick, add3, dot3, mad3, max, min, mul, place, project, rsq, scale3, shine,
    turn2, turn3,
};

const MODELVIEW: usize = 0;
const PROJECTION: usize = 3;
const NORMAL: usize = 7;
const POSITIONS: usize = 10;
const DIFFUSE: usize = 14;
const SPECULAR: usize = 18;
const AMBIENT: usize = 22;
const FOG_COLOUR: usize = 23;
const FOG: usize = 24;
const TEXTURE: usize = 25;

#[inline(always)]
pub(super) fn vertex(job: &Yardstick, input: Attributes<'_, 14>, out: &mut Semantics<'_>) {
    let c = &job.c;
    let position = input.load::<3>(0);
    let eye = place(c, MODELVIEW, position);
    let away = [-eye[0], -eye[1], -eye[2], -1.0];
    out.position(project(c, PROJECTION, eye));

    let normal = input.load::<3>(3);
    let [nx, ny, nz] = turn3(c, NORMAL, normal);
    let normal = [nx, ny, nz, 0.0];
    let normal = scale3(normal, rsq(dot3(normal, normal)));
    let to_eye = scale3(away, rsq(dot3(eye, eye)));
    out.view([away[0], away[1], away[2]]);

    let mut diffuse = c[AMBIENT];
    let mut specular = [0.0; 4];
    for light in 0..4 {
        let to_light = add3(c[POSITIONS + light], away);
        let to_light = scale3(to_light, rsq(dot3(to_light, to_light)));
        let lit = max(0.0, dot3(normal, to_light));
        let half = add3(to_light, to_eye);
        let half = scale3(half, rsq(dot3(half, half)));
        let bright = shine(max(0.0, dot3(normal, half)));
        diffuse = mad3(lit, c[DIFFUSE + light], diffuse);
        specular = mad3(bright, c[SPECULAR + light], specular);
    }
    fog(job, eye[2], input.load::<4>(6), diffuse, specular, out);
    let (uv0, uv1) = (input.load::<2>(10), input.load::<2>(12));
    out.uv(0, turn2(c, TEXTURE, uv0));
    out.uv(1, turn2(c, TEXTURE + 2, uv1));
    out.unmapped([4, 5, 6, 7, 16, 17, 21, 22, 23]);
}

#[inline(always)]
fn fog(
    job: &Yardstick,
    z: f32,
    colour: [f32; 4],
    diffuse: [f32; 4],
    specular: [f32; 4],
    out: &mut Semantics<'_>,
) {
    let depth = job.c[FOG][1] + mul(job.c[FOG][0], z);
    let density = min(1.0, max(0.0, depth));
    let fogged = |i: usize| {
        let lit = mul(diffuse[i], colour[i]) + specular[i];
        mul(job.c[FOG_COLOUR][i] - lit, density) + lit
    };
    out.colour([fogged(0), fogged(1), fogged(2), colour[3]]);
}
