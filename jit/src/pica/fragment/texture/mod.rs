//! Texture units 0 to 2, as `interp::fragment::texture`: which kind of texture, and the way from coordinates to
//! a colour.

mod bind;
mod coordinate;
mod decode;
mod filter;
mod image;
mod image_key;
mod lent;
#[cfg(test)]
mod lent_tests;
mod lod;
mod shadow;
#[cfg(test)]
mod speed;
#[cfg(test)]
pub(super) mod tests;

pub(super) use bind::{LOGARITHMS, Written, bind};
pub(crate) use image_key::ImageKey;
pub(super) use lent::lent;
pub(super) use lod::log2q;

use super::quad::Quad;
use crate::emit::lanes::{F32s, I32s, Scalar};
use crate::emit::pica::block::slot;
use crate::emit::pica::constants::{DrawConstants, TextureConstants};
use crate::emit::pixels::Colour;
use crate::pica::key::fragment::texture::{Coordinates, Filter, Kind, Mip, Sampler, TextureKey, W};
use coordinate::Coordinate;
use image::Level;
use std::mem::offset_of;

/// Offset of a field of a unit's constants.
macro_rules! of_unit {
    ($unit:expr, $($field:tt)+) => {
        $crate::pica::fragment::texture::start($unit)
            + std::mem::offset_of!($crate::emit::pica::constants::TextureConstants, $($field)+) as i32
    };
}
pub(crate) use of_unit;

/// Offset of the constants of a unit.
pub(crate) const fn start(unit: usize) -> i32 {
    (offset_of!(DrawConstants, textures) + unit * size_of::<TextureConstants>()) as i32
}

/// The colour of unit 0, 1 or 2.
pub(super) fn sample(quad: &mut Quad<'_, '_>, key: &TextureKey, unit: usize) -> Colour {
    match key {
        // Colours that were found are not sampled.
        TextureKey::Dead | TextureKey::Nothing | TextureKey::Found => quad.l.channel_splat(0),
        TextureKey::Null => quad.l.channels([255, 0, 0, 0]),
        TextureKey::Sampled(sampler) => sample_image(quad, sampler, unit),
    }
}

fn sample_image(quad: &mut Quad<'_, '_>, sampler: &Sampler, unit: usize) -> Colour {
    let changes = sampler.reads_changes();
    let uv = sampler.set().map(|k| Coordinate::of(quad, k, changes));
    let (st, face, major) = match sampler.coordinates {
        Coordinates::Plain(_) => (uv, None, None),
        Coordinates::Divided => {
            let w = Coordinate::of(quad, W, changes);
            (coordinate::divided(quad.l, uv, w), None, None)
        }
        Coordinates::Direction => {
            let w = Coordinate::of(quad, W, changes);
            let at = coordinate::on_cube(quad.l, [uv[0], uv[1], w]);
            (at.st, Some(face_start(quad, unit, at.face)), Some(at.major))
        }
    };
    match sampler.kind {
        Kind::Colour(filter) => {
            let place = Place { st, face, is_plain: matches!(sampler.coordinates, Coordinates::Plain(_)) };
            filtered(quad, unit, filter, place)
        }
        Kind::Shadow => {
            let depth = major.unwrap_or_else(|| {
                let w = quad.value(W);
                quad.l.magnitude(w)
            });
            let reference = shadow::reference(quad, unit, depth);
            let at = coordinate::numbers(quad.l, st);
            shadow::filtered(quad, unit, at, reference, face)
        }
    }
}

/// Texels before the first one of a face.
fn face_start(quad: &mut Quad<'_, '_>, unit: usize, face: I32s) -> I32s {
    let size = quad.integer(of_unit!(unit, face));
    quad.l.int_mul(face, size)
}

/// Coordinates, as bits, of which a closest texel is taken, from a level that all pixels have. Inside an image it needs no
/// limits.
pub(super) fn inside(key: &TextureKey) -> u32 {
    let sampler = key.sampler().filter(|sampler| sampler.is_closest());
    sampler.map_or(0, |sampler| sampler.set().iter().fold(0, |bits, &k| bits | 1 << k))
}

/// Where a texture is read.
struct Place {
    st: [Coordinate; 2],
    /// Texels before those of the face.
    face: Option<I32s>,
    /// s and t are interpolated, and nothing else.
    is_plain: bool,
}

fn filtered(quad: &mut Quad<'_, '_>, unit: usize, filter: Filter, place: Place) -> Colour {
    if quad.common().inside[unit] == 0 {
        return anywhere(quad, unit, filter, &place);
    }
    quad.common_or(
        slot::INSIDE << unit,
        |quad| {
            let level = Level { row: level(quad, unit) };
            level.texel_inside(quad.l, place.st.map(|c| c.value))
        },
        |quad| anywhere(quad, unit, filter, &place),
    )
}

/// The colour at any coordinates.
fn anywhere(quad: &mut Quad<'_, '_>, unit: usize, filter: Filter, place: &Place) -> Colour {
    let st = place.st;
    let lod = filter.needs_lod().then(|| lod::of_pixels(quad, unit, filter.mip, st));
    let is_limited = place.is_plain && filter.mip == Mip::One && !filter.odd;
    let at = match () {
        () if is_limited => limited(quad, unit, st),
        () if minds_nan(&filter) => coordinate::numbers(quad.l, st),
        () => st.map(|c| c.value),
    };
    let border = filter.has_border().then(|| quad.integer(of_unit!(unit, border)));
    let image = image::Image { filter, border, at, is_limited, face: place.face };
    match lod {
        Some(lod) => lod::levels(quad, unit, &image, lod),
        None => {
            let row = level(quad, unit);
            image.of_level(quad.l, Level { row }, filter.minified)
        }
    }
}

/// The coordinates, with limits where the triangle's are not ordinary: their positions in the one level that is read are
/// indices. Far outside of it each position stands for all: the same texels, without fraction.
fn limited(quad: &mut Quad<'_, '_>, unit: usize, st: [Coordinate; 2]) -> [F32s; 2] {
    let level = Level { row: level(quad, unit) };
    quad.limited(st.map(|c| c.value), |l, _| {
        let at = coordinate::numbers(l, st);
        [0, 1].map(|axis| level.coordinate_limited(l, axis, at[axis]))
    })
}

/// True if a coordinate that is no number has to become 0 by itself. The limits of an index make -2^30 of it,
/// which is index 0 of every size that is a power of two; but a border shows it, and so does a weight.
fn minds_nan(filter: &Filter) -> bool {
    filter.odd || filter.magnified || filter.minified || filter.has_border()
}

/// The constants of the first level.
fn level(quad: &mut Quad<'_, '_>, unit: usize) -> Scalar {
    quad.l.scalar_add_constant(quad.constants, i64::from(of_unit!(unit, levels)))
}
