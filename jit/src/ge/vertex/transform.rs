//! A group of vertices from its records: what [`model`](super::model), [`place`](super::place) and [`lights`](super::lights) go on
//! with.

use super::Group;
use super::fetch::Records;
use super::pipe::{Num, Pipe};
use crate::emit::ge::vertices::{NUMBERS_BYTES, of_batch, of_stations};
use crate::ge::key::vertex::{Mapping, TransformKey};

/// A group.
pub(super) fn group(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records, group: Group) {
    if key.vertex_type.is_through() {
        through(p, key, records, group);
    } else {
        normal(p, key, records, group);
    }
    let colour = records.colour(p).unwrap_or_else(|| p.l.load_ints(p.constants, of_batch!(colour)));
    p.store_ints([colour], group, of_stations!(colour));
    let secondary = p.l.int(0);
    p.store_ints([secondary], group, of_stations!(secondary));
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
}

fn remembered_texture(p: &mut Pipe<'_, '_>) -> [Num; 2] {
    p.constants(of_batch!(remembered_texture))
}

fn normal(p: &mut Pipe<'_, '_>, key: &TransformKey, records: &Records, group: Group) {
    let position = records.position(p);
    p.store(position, group, of_stations!(position));
    if key.normal {
        let normal = records.normal(p).unwrap_or_else(|| p.constants(of_batch!(remembered_normal)));
        p.store(normal, group, of_stations!(normal));
    }
    for n in 0..key.vertex_type.weight_count() {
        let weight = records.weight(p, n);
        p.store([weight], group, of_stations!(weights) + n as i32 * NUMBERS_BYTES);
    }
    let (zero, one) = (p.known(0.0), p.known(1.0));
    let [s, t] = match key.texture {
        Mapping::Off => [zero, zero],
        _ => records.texture(p).unwrap_or_else(|| remembered_texture(p)),
    };
    p.store([s, t, one], group, of_stations!(texture));
}
