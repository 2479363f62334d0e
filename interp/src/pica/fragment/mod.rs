//! One fragment, from interpolants to the framebuffer, in hardware order.
//!
//! Everything is read from registers and tables, fragment by fragment; nothing is derived ahead of time.
//! `draw_fragment` and `merge` are the stages in their order; each stage is a file:
//!
//! * `texture` and `proctex.rs`: the texture units and the procedural one (2, 3).
//! * `lighting`: the lighting unit (4).
//! * `combiner.rs`: the six combiner stages (5).
//! * `fog.rs`: fog, and the hooks of gas (6.1, 6.2); `shadow.rs`: the shadow pass (6.3).
//! * `fragop.rs`: alpha, stencil and depth test (7.3-7.6); `blend.rs`: blending, logic operation, masks and
//!   the write (7.7, 7.8).
//!
//! Source: pica-fragment.md; the stage order is its section 1.4.

mod blend;
mod combiner;
mod fog;
mod fragop;
mod lighting;
mod proctex;
mod shadow;
#[cfg(test)]
mod tests;
mod texture;
mod vector;

use crate::Interpreter;
use crate::host::HostImages;
use crate::pica::raster::interpolation::Sample;
use crate::pica::raster::{coverage, scissor};
use crate::pica::surface::Surface;
use crate::trace::{Covered, Fate, Found, Probe, Stage, Subject, Trace, Value, rejected};
use combiner::Sources;
use picaflor_pipeline::pica::raster::Triangle;
use picaflor_pipeline::pica::regs::fragop::FragmentMode;
use picaflor_pipeline::pica::stage::{FragmentState, TileBatch, TileRoutine};
use std::sync::{Arc, OnceLock};
use texture::{Drawn, Replaced, replaced};

impl Interpreter {
    /// The routine of the interpreter for draws in one state, which takes the host's images from another engine.
    #[must_use]
    pub fn fragments_with(images: Arc<dyn HostImages>) -> Arc<dyn TileRoutine> {
        Arc::new(Fragments { replaced: OnceLock::from(Some(vec![Replaced::Lent(images)])) })
    }
}

/// The fragment path of the interpreter. All of its state is in the batch; the host's images are asked for once.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    replaced: OnceLock<Option<Vec<Replaced>>>,
}

impl TileRoutine for Fragments {
    /// Triangle by triangle, inside a triangle block by block, inside a block row by row from the lowest, each from the
    /// left.
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        // A run that ends draws nothing any more.
        let Some(replaced) = self.replaced.get_or_init(|| replaced(&batch.state)) else { return 0 };
        let state = &Drawn { state: batch.state, replaced };
        let surface = Surface::new(state.registers, state.memory);
        let triangles = batch.order.iter().filter_map(|&n| batch.triangles.get(n as usize));
        let draw = |triangle: Triangle| {
            let blocks = surface.blocks(coverage::bounds(&triangle).intersect(batch.tile)).into_iter();
            let pixels =
                blocks.flat_map(|b| (b.y0..b.y1).flat_map(move |y| (b.x0..b.x1).map(move |x| [x, y])));
            let samples = pixels.filter_map(|[x, y]| Sample::new(&triangle, x, y));
            samples.filter(|at| draw_fragment(state, &surface, at, &())).count() as u64
        };
        triangles.map(draw).sum()
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
        let surface = Surface::new(state.registers, state.memory);
        let mut drawn = 0;
        for &n in batch.order {
            let Some(triangle) = batch.triangles.get(n as usize) else { continue };
            for block in surface.blocks(coverage::bounds(&triangle).intersect(batch.tile)) {
                let pixels = (block.y0..block.y1).flat_map(|y| (block.x0..block.x1).map(move |x| [x, y]));
                let samples = pixels.filter_map(|[x, y]| Sample::new(&triangle, x, y));
                drawn += samples.filter(|at| self.draw(state, &surface, at, n)).count() as u64;
            }
        }
        drawn
    }
}

impl Traced {
    fn draw(&self, state: &Drawn<'_>, surface: &Surface<'_>, at: &Sample<'_>, primitive: u32) -> bool {
        match self.subject {
            Subject::Pixel(pixel) if pixel != [at.x, at.y] => draw_fragment(state, surface, at, &()),
            Subject::Pixel(_) => {
                let trace = Trace::default();
                let is_drawn = draw_fragment(state, surface, at, &trace);
                self.found.add_trace(trace.of(primitive));
                is_drawn
            }
            Subject::Coverage => {
                let fate = Fate::default();
                let is_drawn = draw_fragment(state, surface, at, &fate);
                let rejected_by = fate.into_inner();
                self.found.add_covered(Covered { x: at.x, y: at.y, primitive, rejected_by });
                is_drawn
            }
        }
    }
}

pub(crate) use texture::texels;

/// One covered sample, in the order of 1.4; the numbers are those of its list. Returns whether it was inside
/// the scissor and on a line that is drawn. Early depth (2) is a hint that never changes a result where it is used correctly; it is
/// ignored (assumed).
fn draw_fragment(state: &Drawn<'_>, surface: &Surface<'_>, at: &Sample<'_>, probe: &impl Probe) -> bool {
    let registers = state.registers;
    // 1. Scissor, and the lines that are not drawn.
    if !scissor::keeps(registers, at.x, at.y) {
        rejected(probe, "scissor");
        return false;
    }
    if fragop::skips(registers, at.y) {
        rejected(probe, "skipped line");
        return false;
    }
    // 3. Depth and interpolation.
    let inputs = Inputs::of(at, at.depth(registers));
    inputs.note(at, probe);
    // 4. Texture units, each once.
    let unit = |n| texture::sample(state, n, &inputs, probe);
    let textures = [unit(0), unit(1), unit(2), proctex::sample(state, &inputs, probe)];
    // 5. Lighting.
    let lighting = lighting::light(state, &inputs, &textures, probe);
    // 6. Combiners.
    let sources = Sources { vertex: inputs.colour, lighting, textures };
    let colour = combiner::combine(registers, &sources, probe);
    match registers.colour_operation().mode() {
        // 7. Shadow, end.
        FragmentMode::Shadow => shadow::draw(registers, surface, &inputs, colour[1], probe),
        // 8. Gas accumulation, end.
        FragmentMode::Gas => {
            fog::accumulate_gas(registers, surface, &inputs, colour);
            rejected(probe, "gas accumulation");
        }
        FragmentMode::Normal | FragmentMode::Unknown2 => merge(state, surface, &inputs, colour, probe),
    }
    true
}

/// The rest of the order of 1.4. The alpha test comes before fog, which leaves alpha alone; gas shading does
/// not, and wants it so.
fn merge(
    state: &FragmentState<'_>,
    surface: &Surface<'_>,
    inputs: &Inputs,
    colour: [u8; 4],
    probe: &impl Probe,
) {
    let registers = state.registers;
    // 10. Alpha test. That it is before the stencil test is assumed.
    if !fragop::alpha_passes(registers, colour[3], probe) {
        return;
    }
    // 9. Fog, or gas shading.
    let colour = fog::apply(state, inputs, colour, probe);
    // 11. Stencil test; 12. depth test, stencil update, depth write.
    if !fragop::stencil_and_depth_pass(registers, surface, inputs, probe) {
        return;
    }
    // 13. Blending or logic operation; 14. colour mask, colour write.
    blend::write(registers, surface, inputs, colour, probe);
}

/// A texture coordinate with its change per pixel to the right and upward.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Coordinate {
    /// Value at the pixel centre.
    pub(crate) value: f32,
    /// Change per pixel to the right.
    pub(crate) dx: f32,
    /// Change per pixel upward.
    pub(crate) dy: f32,
}

/// Interpolated inputs of a fragment (1.1, 1.3).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Inputs {
    /// Window column.
    pub(crate) x: i32,
    /// Window row, upward.
    pub(crate) y: i32,
    /// Depth, 0 to 1, before quantisation.
    pub(crate) depth: f32,
    /// Vertex colour, red first.
    pub(crate) colour: [u8; 4],
    /// Normal quaternion, not normalised yet.
    pub(crate) quaternion: [f32; 4],
    /// Texture coordinates u and v of sets 0, 1 and 2.
    pub(crate) texcoord: [[Coordinate; 2]; 3],
    /// Texture coordinate 0 w.
    pub(crate) texcoord0_w: Coordinate,
    /// View vector.
    pub(crate) view: [f32; 3],
}

impl Inputs {
    /// The inputs at one sample, given its depth.
    pub(crate) fn of(at: &Sample<'_>, depth: f32) -> Self {
        let attribute = |k| at.attribute(k);
        let coordinate = |k| {
            let [dx, dy] = at.derivatives(k);
            Coordinate { value: at.attribute(k), dx, dy }
        };
        Self {
            x: at.x,
            y: at.y,
            depth,
            colour: at.colour().map(colour_byte),
            quaternion: [4, 5, 6, 7].map(attribute),
            texcoord: [[12, 13], [14, 15], [22, 23]].map(|set| set.map(coordinate)),
            texcoord0_w: coordinate(16),
            view: [18, 19, 20].map(attribute),
        }
    }

    /// Hands the inputs to a probe.
    fn note(&self, at: &Sample<'_>, probe: &impl Probe) {
        let note = |name, value: &dyn Fn() -> Value| probe.note(Stage::one("inputs"), name, value);
        note("pixel", &|| Value::integers([self.x, self.y]));
        note("edge values", &|| Value::Floats(at.edges().to_vec()));
        note("depth", &|| Value::Float(self.depth));
        note("colour", &|| Value::Colour(self.colour));
        note("quaternion", &|| Value::Floats(self.quaternion.to_vec()));
        note("view", &|| Value::Floats(self.view.to_vec()));
        for (name, set) in ["texcoord0", "texcoord1", "texcoord2"].into_iter().zip(self.texcoord) {
            note(name, &|| Value::Floats(set.iter().map(|c| c.value).collect()));
        }
        note("texcoord0 w", &|| Value::Float(self.texcoord0_w.value));
    }

    /// Column and row as the target counts them. Tiles lie inside the target, so neither is negative.
    pub(crate) fn pixel(&self) -> [u32; 2] {
        [self.x, self.y].map(|side| side as u32)
    }
}

/// `round(clamp(c, 0, 1) * 255)`; a NaN gives 0.
pub(crate) fn colour_byte(c: f32) -> u8 {
    (clamp(c, 0.0, 1.0) * 255.0 + 0.5) as u8
}

/// `min(max(x, low), high)` by comparisons: a NaN gives `low`.
pub(crate) fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let above = if x > low { x } else { low };
    if above < high { above } else { high }
}

/// `x`, 0 to 1, as an integer of `bits` bits: truncated after one binary32 product (0.4).
pub(crate) fn quant(x: f32, bits: u32) -> u32 {
    (x * ((1_u32 << bits) - 1) as f32) as u32
}

/// The integer nearest to p / 255 (0.2). There is no tie, 255 being odd.
pub(crate) fn div255r(p: u32) -> u32 {
    (p + 127) / 255
}

/// The smaller one; `b` unless `a` is less.
pub(crate) fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger one; `b` unless `a` is greater.
pub(crate) fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
