//! Fragment operation of shadow mode: depth and intensity of a cell of the colour buffer.
//!
//! Source: pica-fragment.md 6.3.

use super::{Inputs, clamp, quant};
use crate::pica::surface::Surface;
use crate::trace::{Probe, Stage, Value, rejected};
use picaflor_pipeline::pica::regs::Registers;
use picaflor_pipeline::pica::regs::fragop::FragopShadow;

/// A cell of a shadow map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cell {
    /// 24 bits.
    depth: u32,
    intensity: u8,
}

/// Draws into the shadow map. `green` is that channel of the combiners' colour: 0 for an occluder, else
/// penumbra. Colour reads and writes must be allowed; a read that is not gives 0, which nothing is in front
/// of.
pub(crate) fn draw(
    registers: &Registers,
    surface: &Surface<'_>,
    inputs: &Inputs,
    green: u8,
    probe: &impl Probe,
) {
    let [x, y] = inputs.pixel();
    if !registers.colorbuffer_read().is_allowed() || !registers.colorbuffer_write().is_allowed() {
        rejected(probe, "reads or writes of colours off");
        return;
    }
    let (depth, intensity) = surface.shadow(x, y);
    let drawn = quant(inputs.depth, 24);
    let new = cell(registers.fragop_shadow(), Cell { depth, intensity }, drawn, green);
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("shadow"), name, value);
    note("depth", &|| Value::Integer(drawn.into()));
    note("green", &|| Value::Integer(green.into()));
    note("stored depth", &|| Value::Integer(depth.into()));
    note("stored intensity", &|| Value::Integer(intensity.into()));
    if drawn >= depth {
        rejected(probe, "shadow depth");
    }
    surface.set_shadow(x, y, new.depth, new.intensity);
    probe.note(Stage::one("store"), "shadow depth", || Value::Integer(surface.shadow(x, y).0.into()));
    probe.note(Stage::one("store"), "shadow intensity", || Value::Integer(surface.shadow(x, y).1.into()));
}

/// The cell after a fragment at depth `d`.
fn cell(penumbra: FragopShadow, old: Cell, d: u32, green: u8) -> Cell {
    if d >= old.depth {
        return old;
    }
    if green == 0 {
        return Cell { depth: d, ..old };
    }
    let (c, k) = (penumbra.constant().to_f32(), penumbra.linear().to_f32());
    let softened = f32::from(green) / (c + k * (d as f32 / old.depth as f32));
    let intensity = clamp(softened, 0.0, 255.0) as u8;
    Cell { intensity: old.intensity.min(intensity), ..old }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAR: Cell = Cell { depth: 0xff_ffff, intensity: 255 };
    /// C = 1, K = -0.5.
    const PENUMBRA: FragopShadow = FragopShadow(0xb800_3c00);

    #[test]
    fn shadow_write_of_an_occluder() {
        let new = cell(PENUMBRA, CLEAR, quant(0.25, 24), 0);
        assert_eq!(new, Cell { depth: 4_194_303, intensity: 255 });
    }

    #[test]
    fn shadow_write_of_a_penumbra() {
        let new = cell(PENUMBRA, CLEAR, quant(0.25, 24), 128);
        assert_eq!(new, Cell { intensity: 146, ..CLEAR });
    }

    #[test]
    fn intensity_only_falls() {
        let old = Cell { intensity: 100, ..CLEAR };
        assert_eq!(cell(PENUMBRA, old, quant(0.25, 24), 128), old);
    }

    #[test]
    fn nothing_behind_or_at_the_stored_depth() {
        let old = Cell { depth: 1000, intensity: 200 };
        for (d, green) in [(1000, 0), (1000, 1), (1001, 0), (0xff_ffff, 1)] {
            assert_eq!(cell(PENUMBRA, old, d, green), old);
        }
        assert_eq!(cell(PENUMBRA, Cell { depth: 0, intensity: 9 }, 0, 0).depth, 0);
    }

    #[test]
    fn penumbra_of_zero_and_of_nothing_finite() {
        let soft = |raw, green| cell(FragopShadow(raw), CLEAR, 0, green).intensity;
        assert_eq!(soft(0, 1), 255, "1 / 0 is infinite");
        assert_eq!(soft(0x0000_bc00, 1), 0, "negative");
        assert_eq!(soft(0x0000_7c00, 1), 0, "1 / infinity");
        assert_eq!(soft(0x0000_7e00, 1), 0, "NaN");
        // Infinity times the ratio 0 is NaN too.
        assert_eq!(soft(0x7c00_3c00, 200), 0);
    }
}
