//! One pixel of a primitive, from interpolated values to the frame buffer, in the order of 10.0.
//!
//! Everything is read from registers, pixel by pixel; nothing is derived ahead of time. Start at `draw_pixel`, the
//! order of the stages; each stage is a file:
//!
//! * `texture`: level of detail, filters, texels (9.1 to 9.7); `function.rs`: the texture function (9.8).
//! * `fragop.rs`: depth range, alpha, colour, stencil and depth test, fog (10.1 to 10.3).
//! * `blend.rs`: blending, dithering, logic operation (10.4 to 10.7).
//! * `framebuffer.rs`: addresses and formats of stored pixels and depth values, write masks (10.8).
//!
//! The covered pixels come from `raster`.

mod blend;
mod fragop;
mod framebuffer;
mod function;
#[cfg(test)]
mod rig;
#[cfg(test)]
mod tests;
mod texture;

use crate::Interpreter;
use crate::ge::raster::fragment::{Fragment, Quad};
use crate::ge::raster::walk;
use fragop::Fate;
use framebuffer::Pixel;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::raster::Shape;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch, TileRoutine};
use picaflor_pipeline::ge::target::Target;
use std::sync::Arc;

impl PixelStage for Interpreter {
    fn pixel_routine(&mut self, _: &PixelState<'_>, _: Shape) -> Arc<dyn TileRoutine> {
        Arc::new(Pixels)
    }
}

/// The pixel path of the interpreter. Stateless: all state is in the batch.
#[derive(Debug, Clone, Copy)]
struct Pixels;

impl TileRoutine for Pixels {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let primitives = batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
        let mut visit = |at: &Fragment, quad: &dyn Quad| draw_pixel(&batch.state, batch.target, at, quad);
        primitives.map(|primitive: &Primitive| walk(primitive, batch.tile, &mut visit)).sum()
    }
}

/// One covered pixel; the numbers are those of 10.0. Scissor and region (1) bound the tile.
fn draw_pixel(state: &PixelState<'_>, target: &Target<'_>, at: &Fragment, quad: &dyn Quad) {
    let registers = state.registers;
    // 2. Depth range.
    if !fragop::is_in_depth_range(registers, at.z) {
        return;
    }
    // What is stored is read once, before depth is written: it matters where the buffers overlap (assumed).
    let pixel = Pixel::read(target, at);
    if registers.clear_mode().enable() {
        return clear(registers, &pixel, at);
    }
    // 3. Texture and secondary colour.
    let colour = function::textured(state, at, quad);
    // 4. Alpha test.
    if !fragop::alpha_passes(registers, colour[3]) {
        return;
    }
    // 5. Fog.
    let colour = fragop::fogged(registers, state.is_immediate, colour, at.fog);
    // 6. Colour test.
    if !fragop::colour_passes(registers, colour) {
        return;
    }
    // 7. Stencil test; 8. depth test; 9. depth write.
    match fragop::stencil_and_depth(registers, &pixel) {
        Fate::Dropped => (),
        Fate::Alpha(alpha) => pixel.write_alpha(registers, alpha),
        Fate::Drawn(alpha) => {
            // 10. Blending; 11. dithering; 12. clamping; 13. logic operation.
            let [r, g, b] = blend::combined(registers, at, colour, pixel.colour());
            // 14. Write mask.
            pixel.write(registers, [r, g, b, alpha], 0);
        }
    }
}

/// A pixel in clear mode (10.9): the bits of the mode enable writes, independent of all tests.
fn clear(registers: &Registers, pixel: &Pixel<'_>, at: &Fragment) {
    let mode = registers.clear_mode();
    if mode.depth() {
        pixel.write_depth(at.z);
    }
    let kept = if mode.colour() { 0 } else { 0xff_ffff } | if mode.alpha() { 0 } else { 0xff00_0000 };
    let [r, g, b] = blend::dithered(registers, at, [at.colour[0], at.colour[1], at.colour[2]].map(i32::from));
    pixel.write(registers, [r, g, b, at.colour[3]], kept);
}
