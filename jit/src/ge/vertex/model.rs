//! What happens to vertices in model space, before [`place`](super::place): bones move positions and normals, and a matrix makes
//! texture coordinates.

use super::sums::{GUARD, aligned, all, at, direction, dot, lanes, put};
use super::way::Way;
use crate::code::vectors::{Work, has_wide, widely};
use crate::emit::ge::vertices::Stations;
use crate::ge::key::TransformKey;
use crate::ge::key::vertex::Mapping;

/// Moves the first `count` vertices, whole groups of normal mode, and makes their texture coordinates, as far as the key asks for
/// any of that.
pub(super) fn model(key: &TransformKey, way: &Way, count: usize, stations: &mut Stations) {
    if key.vertex_type.weight_count() > 0 || key.texture.takes_matrix() {
        model_by(has_wide(), key, way, count, stations);
    }
}

/// [`model`], with wide vectors or as any processor does it.
pub(super) fn model_by(is_wide: bool, key: &TransformKey, way: &Way, count: usize, stations: &mut Stations) {
    match is_wide {
        true => widely(Model::<true> { key, way, count, stations }),
        false => Model::<false> { key, way, count, stations }.work(),
    }
}

/// Vertices in model space. `ROUNDS`: the processor truncates in one instruction.
struct Model<'a, const ROUNDS: bool> {
    key: &'a TransformKey,
    way: &'a Way,
    count: usize,
    stations: &'a mut Stations,
}

impl<const ROUNDS: bool> Work for Model<'_, ROUNDS> {
    type Found = ();

    #[inline(always)]
    fn work(mut self) {
        // Of positions as they are in the records, and of normals as bones turned them.
        match self.key.texture {
            Mapping::Position => {
                for n in 0..lanes(self.count) {
                    let position = at(&self.stations.position, n);
                    put(position, &mut self.stations.texture, n);
                }
            }
            Mapping::MatrixCoordinates => self.stations.texture[2][..lanes(self.count)].fill(0.0),
            _ => {}
        }
        match self.key.vertex_type.weight_count() {
            0 => {}
            1 => self.bones::<1>(),
            2 => self.bones::<2>(),
            3 => self.bones::<3>(),
            4 => self.bones::<4>(),
            5 => self.bones::<5>(),
            6 => self.bones::<6>(),
            7 => self.bones::<7>(),
            _ => self.bones::<8>(),
        }
        if self.key.texture.reads_normal() {
            self.normals();
        }
        if self.key.texture.takes_matrix() {
            self.texture();
        }
    }
}

impl<const ROUNDS: bool> Model<'_, ROUNDS> {
    /// Moves vertices by the sum of their bones' matrices under their weights.
    #[inline(always)]
    fn bones<const N: usize>(&mut self) {
        let Self { key, way, count, ref mut stations } = *self;
        for c in 0..12 {
            let elements: [f64; N] = std::array::from_fn(|k| way.bones[12 * k + c]);
            for n in 0..lanes(count) {
                let mut terms = [0.0; N];
                for k in 0..N {
                    terms[k] = stations.weights[k][n] * elements[k];
                }
                stations.bones[c][n] = aligned::<N, ROUNDS, true>(terms, GUARD, &mut stations.rare[n]);
            }
        }
        for n in 0..lanes(count) {
            let ([x, y, z], m) = (at(&stations.position, n), &stations.bones);
            for c in 0..3 {
                let terms = [x * m[c][n], y * m[3 + c][n], z * m[6 + c][n], m[9 + c][n]];
                stations.position[c][n] = aligned::<4, ROUNDS, true>(terms, GUARD, &mut stations.rare[n]);
            }
        }
        if !key.reads_normal() {
            return;
        }
        for n in 0..lanes(count) {
            let (v, m) = (at(&stations.normal, n), &stations.bones);
            for c in 0..3 {
                let axis = [m[c][n], m[3 + c][n], m[6 + c][n]];
                stations.normal[c][n] = dot::<ROUNDS>(v, axis, &mut stations.rare[n]);
            }
        }
    }

    /// Normals as texture coordinates; (0, 0, 0) where one has no direction.
    #[inline(always)]
    fn normals(&mut self) {
        let Self { key, count, ref mut stations, .. } = *self;
        let sign = f64::to_bits(if key.reversed { -0.0 } else { 0.0 });
        let turned = |component: f64| f64::from_bits(component.to_bits() ^ sign);
        for n in 0..lanes(count) {
            let [x, y, z] = at(&stations.normal, n);
            put([turned(x), turned(y), turned(z)], &mut stations.texture, n);
        }
        if key.texture == Mapping::NormalisedNormal {
            for n in 0..lanes(count) {
                let way = direction::<ROUNDS>(at(&stations.texture, n), &mut stations.rare[n]);
                let [x, y, z] = way.unit;
                put([x, y, if way.length == 0.0 { 0.0 } else { z }], &mut stations.texture, n);
            }
        }
    }

    /// What the texture matrix makes of the coordinates.
    #[inline(always)]
    fn texture(&mut self) {
        let Self { way, count, ref mut stations, .. } = *self;
        let m = &way.texture;
        for n in 0..lanes(count) {
            let [x, y, z] = at(&stations.texture, n);
            let mut sum = 0.0;
            for c in 0..3 {
                let terms = [x * m[c], y * m[3 + c], z * m[6 + c], m[9 + c]];
                let coordinate = aligned::<4, ROUNDS, true>(terms, GUARD, &mut stations.rare[n]);
                stations.texture[c][n] = coordinate;
                sum += coordinate;
            }
            stations.rare[n] |= all(sum.is_nan());
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
