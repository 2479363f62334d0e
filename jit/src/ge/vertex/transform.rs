//! A group of vertices: `interp::ge::vertex` with its `generate`, and [`project`](super::project), as code.

use super::fetch::Records;
use super::pipe::{Num, Pipe, Vec3};
use crate::emit::ge::row::Quadruple;
use crate::emit::ge::vertices::of_batch;
use crate::emit::lanes::I32s;
use crate::ge::key::vertex::{FogKey, Mapping, TransformKey};
use crate::ge::vertex::lighting::{Surface, lit};
use cranelift_codegen::ir::condcodes::FloatCC;
use picaflor_pipeline::ge::vertex::Outside;

/// Exclusive bound of `z / w`.
const DEPTH_LIMIT: f64 = 1.0 + 1.0 / 32768.0;
/// For values that the host kept between batches: they are checked before code runs on them.
pub(super) const REMEMBERED: i32 = -512;

/// The fields of a group's vertices.
pub(super) struct Outcome {
    pub(super) clip: [Quadruple; 4],
    pub(super) texture: [Quadruple; 3],
    pub(super) x: I32s,
    pub(super) y: I32s,
    pub(super) z: I32s,
    pub(super) colour: I32s,
    pub(super) secondary: I32s,
    pub(super) fog: I32s,
    pub(super) outside: I32s,
}

/// The vertices of records.
pub(super) fn transformed(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records) -> Outcome {
    if key.vertex_type.is_through() { through(p, key, records) } else { normal(p, key, records) }
}

fn through(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records) -> Outcome {
    let [x, y, z] = records.through_position(p);
    let sixteen = p.known(16.0);
    let [x, y] = [x, y].map(|place| {
        let sixteenths = p.times(place, sixteen);
        let whole = p.truncated(sixteenths);
        p.saturated(whole)
    });
    let (zero, one) = (p.known(0.0), p.known(1.0));
    let texture = match key.texture {
        Mapping::Off => [zero, zero],
        _ => records.through_texture(p).unwrap_or_else(|| remembered_texture(p)),
    };
    let nothing = p.l.int(0);
    Outcome {
        clip: [zero.q, zero.q, zero.q, one.q],
        texture: [texture[0].q, texture[1].q, one.q],
        x,
        y,
        z: p.natural(z, 65535.0),
        colour: own_colour(p, records),
        secondary: nothing,
        fog: p.l.int(255),
        outside: nothing,
    }
}

fn remembered_texture(p: &mut Pipe<'_, '_>) -> [Num; 2] {
    [0, 16].map(|at| p.constant(of_batch!(remembered_texture) + at, REMEMBERED))
}

/// The vertex's own colour, or that of all.
fn own_colour(p: &mut Pipe<'_, '_>, records: &Records) -> I32s {
    records.colour(p).unwrap_or_else(|| p.l.load_ints(p.constants, of_batch!(colour)))
}

fn normal(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records) -> Outcome {
    let model = records.position(p);
    let normal = key.reads_normal().then(|| {
        let own = records.normal(p);
        own.unwrap_or_else(|| p.constants(of_batch!(remembered_normal), REMEMBERED))
    });
    let (position, normal) = skinned(p, records, model, normal);
    let world = p.placed(position, of_batch!(world), of_batch!(has_plain_world));
    let view = p.point_of_point(world, of_batch!(view), of_batch!(has_no_view));
    let clip = p.projected(view, of_batch!(projection), of_batch!(has_plain_projection));
    let world_normal = normal.filter(|_| key.reads_world_normal()).map(|normal| {
        let turned = p.turned(normal, of_batch!(world), of_batch!(has_plain_world));
        let direction = p.direction_of(turned);
        let unit = p.unit_or(&direction, 1.0);
        p.without_nan(&unit);
        if key.reversed { p.negated(unit) } else { unit }
    });
    let normal = normal.map(|normal| if key.reversed { p.negated(normal) } else { normal });
    let Projected { place: [x, y], z, outside } = projected(p, clip);
    let [colour, secondary] = match &key.lighting {
        Some(lighting) => {
            let colour = records.colour(p);
            lit(p, lighting, &Surface { position: world, normal: world_normal, colour })
        }
        None => [own_colour(p, records), p.l.int(0)],
    };
    let inputs = Inputs { model, normal, world_normal };
    let texture = texture(p, key, records, &inputs);
    if key.texture != Mapping::Off {
        p.without_nan(&texture);
    }
    let fog = match key.fog {
        FogKey::Constant => p.l.load_ints(p.constants, of_batch!(flat_fog)),
        FogKey::Slope => fog(p, view[2]),
    };
    let clip = clip.map(|c| c.q);
    Outcome { clip, texture: texture.map(|c| c.q), x, y, z, colour, secondary, fog, outside }
}

/// Position and normal, moved by bones.
fn skinned(
    p: &mut Pipe<'_, '_>,
    records: &Records,
    position: Vec3,
    normal: Option<Vec3>,
) -> (Vec3, Option<Vec3>) {
    let count = records.vertex_type.weight_count();
    if count == 0 {
        return (position, normal);
    }
    let weights: Vec<Num> = (0..count).map(|n| records.weight(p, n)).collect();
    let matrix: [Num; 12] = std::array::from_fn(|c| {
        let terms: Vec<Num> = weights
            .iter()
            .enumerate()
            .map(|(n, &weight)| {
                let bone = p.single(of_batch!(bones) + (n * 12 + c) as i32 * 16);
                p.times(weight, bone)
            })
            .collect();
        p.aligned(&terms, 2)
    });
    let moved =
        [0, 1, 2].map(|c| p.affine(position, [matrix[c], matrix[3 + c], matrix[6 + c], matrix[9 + c]]));
    let turned =
        normal.map(|normal| [0, 1, 2].map(|c| p.dot(normal, [matrix[c], matrix[3 + c], matrix[6 + c]])));
    (moved, turned)
}

/// Screen position of the group.
struct Projected {
    place: [I32s; 2],
    z: I32s,
    outside: I32s,
}

fn projected(p: &mut Pipe<'_, '_>, clip: [Num; 4]) -> Projected {
    let [cx, cy, cz, w] = clip;
    let reciprocal = p.reciprocal(w);
    let (scale, centre) = (
        [0, 16, 32].map(|at| p.single(of_batch!(scale) + at)),
        [0, 16, 32].map(|at| p.single(of_batch!(centre) + at)),
    );
    let mut n = 0;
    let screen = [cx, cy, cz].map(|c| {
        let divided = p.mul(c, reciprocal);
        let scaled = p.mul(divided, scale[n]);
        let sum = p.add(scaled, centre[n]);
        n += 1;
        sum
    });
    // A NaN of any matrix is in all clip coordinates, or in the one that follows from it alone.
    p.without_nan(&[cx, screen[0], screen[1], screen[2]]);
    let [x, y, z] = screen;
    let place = [(x, 0), (y, 16)].map(|(c, at)| {
        let sixteen = p.known(16.0);
        let sixteenths = p.times(c, sixteen);
        let whole = p.floor(sixteenths);
        let whole = p.saturated(whole);
        let offset = p.l.load_ints(p.constants, of_batch!(offset) + at);
        p.l.int_sub(whole, offset)
    });
    let outside = outside(p, screen, cz, w);
    Projected { place, z: p.natural(z, 65535.0), outside }
}

/// Outcode: the bits of the violated bounds.
fn outside(p: &mut Pipe<'_, '_>, [x, y, z]: Vec3, clip_z: Num, w: Num) -> I32s {
    let depth = p.over(clip_z, w);
    let near = p.compare(FloatCC::LessThanOrEqual, depth, -DEPTH_LIMIT);
    let far = p.compare(FloatCC::GreaterThanOrEqual, depth, DEPTH_LIMIT);
    let sum = p.plus(clip_z, w);
    // Behind the eye the sides are compared, not the quotient.
    let behind_the_eye = p.compare(FloatCC::LessThan, w, 0.0);
    let before = p.compare(FloatCC::LessThan, sum, 0.0);
    let beyond = p.is_greater(clip_z, w);
    let near = p.either(behind_the_eye, before, near);
    let far = p.either(behind_the_eye, beyond, far);
    let behind = p.compare(FloatCC::UnorderedOrLessThan, sum, 0.0);
    let beside = [x, y].map(|c| {
        let low = p.compare(FloatCC::UnorderedOrLessThan, c, 0.0);
        let high = p.compare(FloatCC::GreaterThanOrEqual, c, 4096.0);
        p.or(low, high)
    });
    let beside = p.or(beside[0], beside[1]);
    let low = p.compare(FloatCC::LessThan, z, 0.0);
    let high = p.compare(FloatCC::GreaterThanOrEqual, z, 65536.0);
    let deep = p.or(low, high);
    let bits = [
        (near, Outside::NEAR),
        (far, Outside::FAR),
        (beside, Outside::GUARD_BAND),
        (deep, Outside::DEPTH),
        (behind, Outside::BEHIND),
    ];
    let mut all = p.l.int(0);
    for (mask, bit) in bits {
        let mask = p.l.narrow_mask(mask);
        let bit = p.l.int(i32::from(bit));
        let bit = p.l.int_and(I32s(mask.0), bit);
        all = p.l.int_or(all, bit);
    }
    all
}

/// Fog as a slope.
fn fog(p: &mut Pipe<'_, '_>, view_z: Num) -> I32s {
    let [end, slope] = [0, 16].map(|at| p.single(of_batch!(fog) + at));
    let from_end = p.add(view_z, end);
    let f = p.mul(from_end, slope);
    let all = p.known(256.0);
    let f = p.times(f, all);
    p.natural(f, 255.0)
}

/// Possible sources of texture coordinates.
struct Inputs {
    model: Vec3,
    normal: Option<Vec3>,
    world_normal: Option<Vec3>,
}

fn texture(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records, inputs: &Inputs) -> Vec3 {
    let (zero, one) = (p.known(0.0), p.known(1.0));
    let coordinates = if key.texture.reads_coordinates() {
        records.texture(p).unwrap_or_else(|| remembered_texture(p))
    } else {
        [zero, zero]
    };
    let of_normal = inputs.normal.unwrap_or([zero; 3]);
    let vector = match key.texture {
        Mapping::Off | Mapping::Through => return [zero, zero, one],
        Mapping::Coordinates => return scaled(p, coordinates),
        Mapping::Environment => return environment(p, inputs.world_normal.unwrap_or([zero; 3])),
        Mapping::Position => inputs.model,
        Mapping::MatrixCoordinates => [coordinates[0], coordinates[1], zero],
        Mapping::Normal => of_normal,
        Mapping::NormalisedNormal => {
            let direction = p.direction_of(of_normal);
            p.unit_or(&direction, 0.0)
        }
    };
    p.point(vector, of_batch!(texture))
}

fn scaled(p: &mut Pipe<'_, '_>, coordinates: [Num; 2]) -> Vec3 {
    let mut at = 0;
    let [s, t] = coordinates.map(|coordinate| {
        let scale = p.single(of_batch!(texture_scale) + at);
        let offset = p.single(of_batch!(texture_offset) + at);
        at += 16;
        let product = p.mul(coordinate, scale);
        p.add(product, offset)
    });
    [s, t, p.known(1.0)]
}

fn environment(p: &mut Pipe<'_, '_>, normal: Vec3) -> Vec3 {
    let [s, t] = [0, 48].map(|at| {
        let light = p.constants(of_batch!(environment) + at, -4096);
        let cosine = p.dot(light, normal);
        let (one, half) = (p.known(1.0), p.known(0.5));
        let sum = p.add(one, cosine);
        p.mul(sum, half)
    });
    [s, t, p.known(1.0)]
}
