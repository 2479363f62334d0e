//! The same defects in the GE.

use super::{Defect, pixels};
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::stage::{PixelState, TileBatch, TileRoutine};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vertex::Vertex;
use std::sync::Arc;

/// The bit of a vertex's position that is wrong: eight pixels, in sixteenths.
const EIGHT_PIXELS: i32 = 8 << 4;

impl Defect {
    /// Damages transformed vertices.
    pub fn ge_vertices(self, out: &mut [Vertex]) {
        if self == Self::Vertices {
            out.iter_mut().skip(2).step_by(5).for_each(|vertex| vertex.x ^= EIGHT_PIXELS);
        }
    }

    /// The tile routine, damaged if the state shows this defect.
    #[must_use]
    pub fn ge_tiles(self, state: &PixelState<'_>, inner: Arc<dyn TileRoutine>) -> Arc<dyn TileRoutine> {
        let registers = state.registers;
        let is_hit = self != Self::Vertices && registers.is_on(op::TME) && !registers.clear_mode().enable();
        if is_hit { Arc::new(WrongTiles { inner }) } else { inner }
    }
}

struct WrongTiles {
    inner: Arc<dyn TileRoutine>,
}

impl TileRoutine for WrongTiles {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let sides = [batch.tile.x0, batch.tile.x1, batch.tile.y0, batch.tile.y1];
        let greens = || pixels(sides).map(|(x, y)| green(batch.target, x, y));
        let before: Vec<u8> = greens().map(|at| batch.target.vram.read(at)).collect();
        let covered = self.inner.run(batch);
        for (((x, y), at), before) in pixels(sides).zip(greens()).zip(before) {
            let now = batch.target.vram.read(at);
            if now != before && (x / 8 + y / 8).is_multiple_of(4) {
                batch.target.vram.write(at, now ^ green_bit(batch.target.format));
            }
        }
        covered
    }
}

/// The byte with the upper bits of green.
const fn green(target: &Target<'_>, x: u32, y: u32) -> usize {
    let at = target.colour_offset(x as i32, y as i32);
    match target.format {
        PixelFormat::Rgba4444 => at,
        _ => at + 1,
    }
}

/// A bit of green in that byte.
const fn green_bit(format: PixelFormat) -> u8 {
    match format {
        PixelFormat::Rgb5650 | PixelFormat::Rgba5551 => 0x02,
        PixelFormat::Rgba4444 | PixelFormat::Rgba8888 => 0x40,
    }
}
