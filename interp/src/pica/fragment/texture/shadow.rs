//! Depth maps that shadow rendering wrote, compared and filtered (2.11, 2.12).

use super::filter::linear;
use super::image::Level;
use crate::pica::fragment::min;
use picaflor_pipeline::pica::regs::texture::TextureShadow;

/// The depth to compare with: quantised, and less the bias.
pub(super) fn reference(depth: f32, shadow: TextureShadow) -> u32 {
    let quantised = (min(depth, 1.0) * 16_777_215.0) as u32;
    quantised.saturating_sub(shadow.bias() << 1)
}

/// Position of a filter tap; `None` is outside, and lit.
pub(super) type Place = fn([i32; 2], [i32; 2]) -> Option<[i32; 2]>;

/// Taps outside the image are lit, independent of the wrap modes (measured on a console, Citra PR 3729).
pub(super) fn inside(at: [i32; 2], size: [i32; 2]) -> Option<[i32; 2]> {
    let fits = |k: usize| (0..size[k]).contains(&at[k]);
    (fits(0) && fits(1)).then_some(at)
}

/// Taps outside the face of a cube map are those at its edge.
pub(super) fn at_edge(at: [i32; 2], size: [i32; 2]) -> Option<[i32; 2]> {
    Some([0, 1].map(|k| at[k].clamp(0, size[k] - 1)))
}

/// Percentage-closer filter of four taps. It does not depend on the filter bits (measured on a console, Citra
/// PR 3729 and 3778).
pub(super) fn filtered(map: &Level<'_>, st: [f32; 2], reference: u32, place: Place) -> [u8; 4] {
    let tap = |i, j| [place([i, j], map.size()).map_or(255, |at| lit(map.texel(at), reference))];
    let [out] = linear(map.position(st), tap);
    [out; 4]
}

/// Intensity if the depth of a texel is above the reference, else 0.
fn lit([intensity, low, middle, high]: [u8; 4], reference: u32) -> u8 {
    let depth = u32::from_le_bytes([low, middle, high, 0]);
    if depth > reference { intensity } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_is_quantised_and_biased() {
        let bias = TextureShadow(0x3001);
        assert_eq!(reference(0.25, TextureShadow(1)), 4_194_303);
        assert_eq!(reference(0.25, bias), 4_194_303 - 0x3000);
        assert_eq!(reference(0.0, bias), 0, "not below 0");
        assert_eq!(reference(0.5, TextureShadow(0xff00_0000)), 8_388_607, "bits above the bias");
        assert_eq!([7.0, f32::INFINITY, f32::NAN].map(|d| reference(d, TextureShadow(0))), [0xff_ffff; 3]);
    }

    #[test]
    fn equal_depth_is_in_the_shadow() {
        let texel = [99, 0x56, 0x34, 0x12];
        assert_eq!([0x12_3455, 0x12_3456, 0x12_3457].map(|r| lit(texel, r)), [99, 0, 0]);
    }

    #[test]
    fn places_of_taps() {
        assert_eq!(inside([7, 0], [8, 8]), Some([7, 0]));
        for outside in [[8, 0], [0, 8], [-1, 0], [0, -1]] {
            assert_eq!(inside(outside, [8, 8]), None);
        }
        assert_eq!(at_edge([-1, 9], [8, 8]), Some([0, 7]));
    }
}
