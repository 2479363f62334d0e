//! The texel of a fragment: level, filters, and texel formats in memory (9.1 to 9.7).

mod filter;
mod lod;
mod replaced;

use crate::ge::raster::fragment::{Fragment, Quad};
use crate::trace::{Probe, Stage, Value};
use lod::Levels;
pub(crate) use replaced::{Drawn, Replaced, replaced};

/// The texel of a fragment: red, green, blue, alpha.
pub(super) fn sample(state: &Drawn<'_>, at: &Fragment, quad: &dyn Quad, probe: &impl Probe) -> [u8; 4] {
    let detail = lod::detail(state.registers, at, quad);
    let filter = state.registers.texture_filter();
    let linear = if detail > 0 { filter.min_linear() } else { filter.mag_linear() };
    let level = |n| filter::level(state, n, linear, [at.u, at.v], probe);
    let levels = lod::levels(state.registers, detail);
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("texture"), name, value);
    note("level of detail / 16", &|| Value::Integer(detail.into()));
    note("levels", &|| match levels {
        Levels::One(n) => Value::integers([n]),
        Levels::Two(n, frac) => {
            Value::integers([n.into(), lod::next(state.registers, n).into(), i64::from(frac)])
        }
    });
    note("filter", &|| Value::Name(if linear { "linear" } else { "nearest" }.into()));
    let texel = match levels {
        Levels::One(n) => level(n),
        Levels::Two(n, frac) => mix(level(n), level(lod::next(state.registers, n)), frac),
    };
    note("result", &|| Value::Colour(texel));
    texel
}

/// Mixes two levels: `frac` sixteenths of the next level, the remaining ones of this level.
fn mix(low: [u8; 4], high: [u8; 4], frac: u32) -> [u8; 4] {
    std::array::from_fn(|c| {
        let [low, high] = [low[c], high[c]].map(u32::from);
        ((high * frac + low * (16 - frac)) >> 4) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::super::rig::{Rig, Still, fragment};
    use super::*;

    const BASE: u32 = 0x0880_0000;
    /// Level 1, 4 x 4 texels too.
    const NEXT: u32 = BASE + 0x100;

    /// Through mode; constant level of detail with a bias in sixteenths; levels of 4 x 4 texels of 8888, all of one value
    /// except for column 0 of level 0, which is black.
    fn sampled(filter: u32, bias: u32, u: f64) -> [u8; 4] {
        let mut rig =
            Rig::new(&[0x1280_0000, 0xa080_0000, 0xa808_0004, 0xb800_0202, 0xc300_0003, 0xc700_0101]);
        rig.set(&[0xa180_0100, 0xa908_0004, 0xb900_0202, 0xc201_0000]);
        rig.set(&[0xc600_0000 | filter, 0xc800_0001 | bias << 16]);
        for n in 0..16 {
            rig.poke(BASE + 4 * n, if n % 4 == 0 { 0 } else { 0x2020_2020 });
            rig.poke(NEXT + 4 * n, 0xe0e0_e0e0);
        }
        let still = Still { change: [0.0; 2], w: 1.0 };
        sample(&rig.state(), &Fragment { u, v: 0.5, ..fragment() }, &still, &())
    }

    /// 9.5: the filter for smaller ones from a sixteenth on, that for larger ones at 0. At the edge of texels 0 and 1, a
    /// linear filter gives the mean, a nearest one the right texel.
    #[test]
    fn filters_by_level_of_detail() {
        assert_eq!([sampled(0x001, 0, 1.0)[0], sampled(0x001, 1, 1.0)[0]], [0x20, 0x10]);
        assert_eq!([sampled(0x100, 0, 1.0)[0], sampled(0x100, 1, 1.0)[0]], [0x10, 0x20]);
    }

    /// 9.6: (E0 * 4 + 20 * 12) >> 4 is 50, in every channel.
    #[test]
    fn levels_are_mixed() {
        assert_eq!(sampled(0x006, 4, 2.5), [0x50; 4]);
        assert_eq!(mix([0, 255, 16, 1], [255, 0, 17, 1], 15), [239, 15, 16, 1]);
    }
}
