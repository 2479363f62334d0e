//! A group of vertices: `interp::ge::vertex` with its `generate` as code, but what [`place`](super::place) and
//! [`lights`](super::lights) do.

use super::Group;
use super::fetch::Records;
use super::pipe::{ANY, LEAST, Num, Pipe, Vec3};
use crate::emit::ge::vertices::{of_batch, of_stations};
use crate::ge::key::vertex::{Mapping, TransformKey};

/// For values that the host kept between batches: they are checked before code runs on them.
pub(super) const REMEMBERED: i32 = -512;
/// Bound of positions in model space whose way to the clip coordinates has sums too large for [`LEAST`] to matter: each of the
/// three matrices takes 2^-149 off, and each of the first two sums 17 places.
const UNCHECKED: i32 = LEAST + 3 * 149 + 2 * 17;

/// A group.
pub(super) fn group(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records, group: Group) {
    if key.vertex_type.is_through() {
        through(p, key, records, group)
    } else {
        normal(p, key, records, group)
    }
}

fn through(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records, group: Group) {
    let [x, y, z] = records.through_position(p);
    let sixteen = p.known(16.0);
    let [x, y] = [x, y].map(|place| {
        let sixteenths = p.times(place, sixteen);
        let whole = p.truncated(sixteenths);
        p.saturated(whole)
    });
    let z = p.natural(z, 65535.0);
    p.store_ints([x, y, z], group, of_stations!(place));
    let (zero, one) = (p.known(0.0), p.known(1.0));
    let [s, t] = match key.texture {
        Mapping::Off => [zero, zero],
        _ => records.through_texture(p).unwrap_or_else(|| remembered_texture(p)),
    };
    p.store([s, t, one], group, of_stations!(texture));
    p.store([zero, zero, zero, one], group, of_stations!(clip));
    let (clear, nothing) = (p.l.int(255), p.l.int(0));
    p.store_ints([clear], group, of_stations!(fog));
    p.store_ints([nothing], group, of_stations!(outside));
    store_colours(p, records, group);
    store_rare(p, group);
}

fn remembered_texture(p: &mut Pipe<'_, '_>) -> [Num; 2] {
    [0, 16].map(|at| p.constant(of_batch!(remembered_texture) + at, REMEMBERED))
}

/// The vertex's own normal, or the remembered one.
fn own_normal(p: &mut Pipe<'_, '_>, records: &Records) -> Vec3 {
    records.normal(p).unwrap_or_else(|| p.constants(of_batch!(remembered_normal), REMEMBERED))
}

fn normal(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records, group: Group) {
    let model = records.position(p);
    let normal = key.reads_normal().then(|| own_normal(p, records));
    let (position, normal) = skinned(p, records, model, normal);
    let may_be_small = position.iter().any(|component| component.least < UNCHECKED);
    assert!(
        !may_be_small || key.may_be_small(),
        "sums on the way to the screen are checked where it is needed"
    );
    p.store(position, group, of_stations!(position));
    if let Some(normal) = normal.filter(|_| key.normal) {
        p.store(normal, group, of_stations!(normal));
    }
    store_colours(p, records, group);
    let normal = normal.map(|normal| if key.reversed { p.negated(normal) } else { normal });
    let texture = texture(p, key, records, &Inputs { model, normal });
    if !matches!(key.texture, Mapping::Off | Mapping::Coordinates) {
        p.without_nan(&texture);
    }
    p.store(texture, group, of_stations!(texture));
    store_rare(p, group);
}

/// Stores primary and secondary colour, as they are where no light changes them.
fn store_colours(p: &mut Pipe<'_, '_>, records: &Records, group: Group) {
    let colour = records.colour(p).unwrap_or_else(|| p.l.load_ints(p.constants, of_batch!(colour)));
    p.store_ints([colour], group, of_stations!(colour));
    let secondary = p.l.int(0);
    p.store_ints([secondary], group, of_stations!(secondary));
}

/// Stores whether the group is the interpreter's.
fn store_rare(p: &mut Pipe<'_, '_>, group: Group) {
    let rare = p.rare().unwrap_or_else(|| p.l.double(0));
    let rare = Num { q: [rare; 2], least: ANY };
    p.store([rare], group, of_stations!(rare));
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

/// Possible sources of texture coordinates.
struct Inputs {
    model: Vec3,
    normal: Option<Vec3>,
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
        // Environments are found later.
        Mapping::Off | Mapping::Through | Mapping::Environment => return [zero, zero, one],
        // They are scaled later.
        Mapping::Coordinates => return [coordinates[0], coordinates[1], one],
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
