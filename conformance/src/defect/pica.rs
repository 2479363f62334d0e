//! The defects in the PICA200.

use super::{Defect, pixels};
use picaflor_interp::pica::surface::Surface;
use picaflor_pipeline::pica::stage::{FragmentState, ShadedVertices, TileBatch, TileRoutine};
use std::sync::Arc;

/// The bit of green that is wrong.
const GREEN: u8 = 0x40;
/// The bit of a component that is wrong: an eighth to a quarter of its value.
const MANTISSA: u32 = 1 << 20;

impl Defect {
    /// Damages shaded vertices.
    pub fn vertices(self, out: &mut ShadedVertices) {
        if self == Self::Vertices && out.components() > 0 {
            for value in out.component_mut(0).iter_mut().skip(2).step_by(5) {
                *value = f32::from_bits(value.to_bits() ^ MANTISSA);
            }
        }
    }

    /// The tile routine, damaged if the state shows this defect.
    #[must_use]
    pub fn tiles(self, state: &FragmentState<'_>, inner: Arc<dyn TileRoutine>) -> Arc<dyn TileRoutine> {
        let registers = state.registers;
        // Shadow passes have no colours.
        let is_shadow = registers.raw(0x100) & 3 == 3;
        let is_hit = self != Self::Vertices && registers.texunit_config().enable0() && !is_shadow;
        if is_hit { Arc::new(WrongTiles { inner }) } else { inner }
    }
}

struct WrongTiles {
    inner: Arc<dyn TileRoutine>,
}

impl TileRoutine for WrongTiles {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let sides = [batch.tile.x0, batch.tile.x1, batch.tile.y0, batch.tile.y1];
        let surface = Surface::new(batch.state.registers, batch.state.memory);
        let colours = || pixels(sides).map(|(x, y)| surface.colour(x, y));
        let before: Vec<[u8; 4]> = colours().collect();
        let fragments = self.inner.run(batch);
        for ((x, y), before) in pixels(sides).zip(before) {
            let [r, g, b, a] = surface.colour(x, y);
            if [r, g, b, a] != before && (x / 8 + y / 8).is_multiple_of(4) {
                surface.set_colour(x, y, [r, g ^ GREEN, b, a]);
            }
        }
        fragments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fifth_vertex_is_wrong() {
        let mut out = ShadedVertices::new();
        out.reset(8, 2);
        out.values_mut().fill(1.0);
        Defect::Pixels.vertices(&mut out);
        assert_eq!(out.component(0), [1.0; 8]);
        Defect::Vertices.vertices(&mut out);
        assert_eq!(out.component(0), [1.0, 1.0, 1.125, 1.0, 1.0, 1.0, 1.0, 1.125]);
        assert_eq!(out.component(1), [1.0; 8]);
    }
}
