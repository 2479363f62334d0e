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
use crate::host::HostImages;
use crate::trace::{self, Covered, Found, Probe, Stage, Subject, Trace, Value, rejected};
use fragop::Fate;
use framebuffer::Pixel;
pub(crate) use framebuffer::stored_colour;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch, TileRoutine};
use picaflor_pipeline::ge::target::Target;
use std::sync::{Arc, OnceLock};
use texture::{Drawn, Replaced, replaced};

impl PixelStage for Interpreter {
    fn pixel_routine(&mut self, _: &PixelState<'_>, _: &[Primitive]) -> Arc<dyn TileRoutine> {
        Arc::new(Pixels::default())
    }
}

impl Interpreter {
    /// The routine of the interpreter for draws in one state, which takes the host's images from another engine.
    #[must_use]
    pub fn pixels_with(images: Arc<dyn HostImages>) -> Arc<dyn TileRoutine> {
        Arc::new(Pixels { replaced: OnceLock::from(Some(vec![Replaced::Lent(images)])) })
    }
}

/// The pixel path of the interpreter. All of its state is in the batch; the host's images are asked for once.
#[derive(Debug, Default)]
struct Pixels {
    replaced: OnceLock<Option<Vec<Replaced>>>,
}

impl TileRoutine for Pixels {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let primitives = batch.order.iter().filter_map(|&n| batch.primitives.get(n as usize));
        // A run that ends draws nothing any more.
        let Some(replaced) = self.replaced.get_or_init(|| replaced(&batch.state)) else { return 0 };
        let state = &Drawn { state: batch.state, replaced };
        let mut visit = |at: &Fragment, quad: &dyn Quad| draw_pixel(state, batch.target, at, quad, &());
        primitives.map(|primitive: &Primitive| walk(primitive, batch.tile, &mut visit)).sum()
    }
}

/// The same path, which also records a subject.
#[derive(Debug)]
pub(crate) struct Traced {
    pub(crate) subject: Subject,
    pub(crate) found: Found,
    pub(crate) replaced: OnceLock<Option<Vec<Replaced>>>,
}

impl TileRoutine for Traced {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let Some(replaced) = self.replaced.get_or_init(|| replaced(&batch.state)) else { return 0 };
        let state = &Drawn { state: batch.state, replaced };
        let mut drawn = 0;
        for &n in batch.order {
            let Some(primitive) = batch.primitives.get(n as usize) else { continue };
            let mut visit = |at: &Fragment, quad: &dyn Quad| self.draw((state, batch.target), at, quad, n);
            drawn += walk(primitive, batch.tile, &mut visit);
        }
        drawn
    }
}

impl Traced {
    fn draw(
        &self,
        (state, target): (&Drawn<'_>, &Target<'_>),
        at: &Fragment,
        quad: &dyn Quad,
        primitive: u32,
    ) {
        match self.subject {
            Subject::Pixel(pixel) if pixel != [at.x, at.y] => draw_pixel(state, target, at, quad, &()),
            Subject::Pixel(_) => {
                let trace = Trace::default();
                draw_pixel(state, target, at, quad, &trace);
                self.found.add_trace(trace.of(primitive));
            }
            Subject::Coverage => {
                let fate = trace::Fate::default();
                draw_pixel(state, target, at, quad, &fate);
                let rejected_by = fate.into_inner();
                self.found.add_covered(Covered { x: at.x, y: at.y, primitive, rejected_by });
            }
        }
    }
}

/// One covered pixel; the numbers are those of 10.0. Scissor and region (1) bound the tile.
fn draw_pixel(state: &Drawn<'_>, target: &Target<'_>, at: &Fragment, quad: &dyn Quad, probe: &impl Probe) {
    let registers = state.registers;
    note_inputs(at, probe);
    // 2. Depth range.
    if !fragop::is_in_depth_range(registers, at.z) {
        rejected(probe, "depth range");
        return;
    }
    // What is stored is read once, before depth is written: it matters where the buffers overlap (assumed).
    let pixel = Pixel::read(target, at);
    if registers.clear_mode().enable() {
        return clear(registers, &pixel, at, probe);
    }
    // 3. Texture and secondary colour.
    let colour = function::textured(state, at, quad, probe);
    // 4. Alpha test.
    if !fragop::alpha_passes(registers, colour[3], probe) {
        return;
    }
    // 5. Fog.
    let colour = fragop::fogged(registers, state.is_immediate, colour, at.fog, probe);
    // 6. Colour test.
    if !fragop::colour_passes(registers, colour, probe) {
        return;
    }
    // 7. Stencil test; 8. depth test; 9. depth write.
    match fragop::stencil_and_depth(registers, &pixel, probe) {
        Fate::Dropped => (),
        Fate::Alpha(alpha) => pixel.write_alpha(registers, alpha, probe),
        Fate::Drawn(alpha) => {
            // 10. Blending; 11. dithering; 12. clamping; 13. logic operation.
            let [r, g, b] = blend::combined(registers, at, colour, pixel.colour(), probe);
            // 14. Write mask.
            pixel.write(registers, [r, g, b, alpha], 0, probe);
        }
    }
}

/// A pixel in clear mode (10.9): the bits of the mode enable writes, independent of all tests.
fn clear(registers: &Registers, pixel: &Pixel<'_>, at: &Fragment, probe: &impl Probe) {
    let mode = registers.clear_mode();
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("clear mode"), name, value);
    note("colour alpha depth", &|| Value::integers([mode.colour(), mode.alpha(), mode.depth()]));
    if mode.depth() {
        pixel.write_depth(at.z, probe);
    }
    let kept = if mode.colour() { 0 } else { 0xff_ffff } | if mode.alpha() { 0 } else { 0xff00_0000 };
    let [r, g, b] = blend::dithered(registers, at, [at.colour[0], at.colour[1], at.colour[2]].map(i32::from));
    pixel.write(registers, [r, g, b, at.colour[3]], kept, probe);
}

/// Hands the interpolated values to a probe.
fn note_inputs(at: &Fragment, probe: &impl Probe) {
    let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("inputs"), name, value);
    note("pixel", &|| Value::integers([at.x, at.y]));
    note("depth", &|| Value::Integer(at.z.into()));
    note("colour", &|| Value::Colour(at.colour));
    note("secondary", &|| Value::integers([at.secondary[0], at.secondary[1], at.secondary[2]]));
    note("fog", &|| Value::Integer(at.fog.into()));
    note("u v", &|| Value::Doubles(vec![at.u, at.v]));
}
