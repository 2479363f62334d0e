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
