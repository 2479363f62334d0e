//! Traces of random pixels of the GE's campaign of pixels.

use super::PixelCase;
use super::memory::{Extent, Shared, extents};
use super::registers::tiles_are_apart;
use crate::random::Random;
use crate::traces::{PIXELS, TraceCases, colour, integers, lead};
use picaflor_interp::Interpreter;
use picaflor_interp::ge::traced;
use picaflor_interp::trace::{Covered, Found, FragmentTrace, Stage, Subject};
use picaflor_pipeline::ge::stage::{PixelStage as _, TileBatch, TileRoutine};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::rect::Rect;

const STORE: Stage = Stage::one("store");
const TEXTURE: Stage = Stage::one("texture");
const FUNCTION: Stage = Stage::one("texture function");

/// Pixels of random pixel cases.
#[derive(Debug)]
pub struct PixelTraces {
    seed: u64,
    shared: Shared,
}

impl TraceCases for PixelTraces {
    const KIND: &'static str = "ge-trace";
    const ABOUT: &'static str = "Traces of pixels of the PSP's GE against what is drawn";

    fn of_seed(seed: u64) -> Self {
        Self { seed, shared: Shared::of_seed(seed) }
    }

    fn check(&mut self, number: u64) -> Result<Vec<Vec<FragmentTrace>>, String> {
        let case = PixelCase::of(self.seed, number);
        let Some(target) = Target::new(&case.registers, case.maps, &self.shared.memory) else {
            return Err("there is no VRAM".into());
        };
        let extents = extents(&case.registers, &target, case.reach());
        let drawing = Drawing { case: &case, shared: &self.shared, target: &target, extents: &extents };
        drawing.check(&mut Random::of_item(self.seed, number))
    }
}

/// A case, and the memory to draw it in.
struct Drawing<'a> {
    case: &'a PixelCase,
    shared: &'a Shared,
    target: &'a Target<'a>,
    extents: &'a [Extent],
}

/// Bytes of a pixel: colour, and depth.
type Stored = (Vec<i64>, i64);

impl Drawing<'_> {
    fn check(&self, random: &mut Random) -> Result<Vec<Vec<FragmentTrace>>, String> {
        let area = self.case.registers.drawing_area();
        let expected = self.drawn(&self.ordinary(), area, None);
        let found = Found::default();
        if self.drawn(&*traced(Subject::Coverage, &found), area, None) != expected {
            return Err("the map of coverage draws something else".into());
        }
        let (_, covered) = found.take();
        let has_own_tiles = tiles_are_apart(&self.case.registers);
        let mut all = Vec::new();
        for _ in 0..(if has_own_tiles { PIXELS } else { 1 }).min(covered.len()) {
            let Covered { x, y, .. } = covered[random.below(covered.len() as u32) as usize];
            let routine = traced(Subject::Pixel([x, y]), &found);
            let whole = self.drawn(&*routine, area, Some([x, y]));
            if whole.0 != expected.0 {
                return Err(format!("the trace of ({x}, {y}) draws something else"));
            }
            let (traces, _) = found.take();
            fates([x, y], &covered, &traces)?;
            traces.iter().try_for_each(stages)?;
            let is_apart = has_own_tiles && self.is_apart([x, y], &covered);
            if is_apart {
                let tile = Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 };
                let alone = self.drawn(&*routine, tile, Some([x, y]));
                let (of_alone, _) = found.take();
                lead_to_memory([x, y], &of_alone, alone.1)?;
                if of_alone != traces && !self.reads_vram() {
                    return Err(format!("({x}, {y}) drawn alone is traced differently"));
                }
            }
            lead_to_memory([x, y], &traces, if is_apart { whole.1 } else { None })?;
            all.push(traces);
        }
        Ok(all)
    }

    /// True if no fragment writes into bytes of the pixel, but those of the pixel itself.
    fn is_apart(&self, pixel: [i32; 2], covered: &[Covered]) -> bool {
        let bytes = self.target.format.bytes() as usize;
        let colour = |[x, y]: [i32; 2]| (self.target.colour_offset(x, y), bytes);
        let depth = |[x, y]: [i32; 2]| (self.target.depth_offset(x, y), 2);
        let meet = |a: (usize, usize), b: (usize, usize)| a.0 < b.0 + b.1 && b.0 < a.0 + a.1;
        covered.iter().map(|at| [at.x, at.y]).all(|other| {
            let is_own = other == pixel;
            !meet(colour(pixel), depth(other))
                && !meet(depth(pixel), colour(other))
                && (is_own || !meet(colour(pixel), colour(other)) && !meet(depth(pixel), depth(other)))
        })
    }

    /// True if texels may be among the drawn pixels.
    fn reads_vram(&self) -> bool {
        let registers = &self.case.registers;
        let is_vram = |level| (registers.texture_address(level) & 0x1fff_ffff) >> 24 == 4;
        registers.is_textured() && (0..8).any(is_vram)
    }

    fn ordinary(&self) -> impl TileRoutine {
        struct Ordinary(std::sync::Arc<dyn TileRoutine>);
        impl TileRoutine for Ordinary {
            fn run(&self, batch: &TileBatch<'_>) -> u64 {
                self.0.run(batch)
            }
        }
        let state = self.case.state(self.shared);
        Ordinary(Interpreter::new().pixel_routine(&state, &self.case.primitives))
    }

    /// The bytes that may be written, and the stored values of a pixel before and after; memory is as before
    /// afterwards.
    fn drawn(
        &self,
        routine: &dyn TileRoutine,
        tile: Rect,
        pixel: Option<[i32; 2]>,
    ) -> (Vec<u8>, Option<[Stored; 2]>) {
        let state = self.case.state(self.shared);
        let order: Vec<u32> = (0..self.case.primitives.len() as u32).collect();
        let (primitives, order, target) = (&self.case.primitives, &order, self.target);
        let before = pixel.map(|pixel| self.stored(pixel));
        if !tile.is_empty() && !primitives.is_empty() {
            routine.run(&TileBatch { state, primitives, order, tile, target });
        }
        let after = pixel.map(|pixel| self.stored(pixel));
        (self.shared.take(self.extents), before.zip(after).map(|(before, after)| [before, after]))
    }

    fn stored(&self, [x, y]: [i32; 2]) -> Stored {
        let at = self.target.colour_offset(x, y);
        let bytes =
            (0..self.target.format.bytes() as usize).map(|n| self.target.vram.read_array::<1>(at + n)[0]);
        let depth = u16::from_le_bytes(self.target.vram.read_array(self.target.depth_offset(x, y)));
        (bytes.map(i64::from).collect(), depth.into())
    }
}

/// The last values of the traces are those in memory.
fn lead_to_memory(
    pixel: [i32; 2],
    traces: &[FragmentTrace],
    stored: Option<[Stored; 2]>,
) -> Result<(), String> {
    let Some([before, after]) = stored else { return Ok(()) };
    let last = |name| traces.iter().rev().find_map(|trace| integers(trace, STORE, name));
    let values = [("bytes", before.0, after.0), ("depth", vec![before.1], vec![after.1])];
    for (name, before, after) in values {
        if last(name).unwrap_or(before) != after {
            return Err(format!(
                "{name} of {pixel:?}: the trace ends with {:?}, memory has {after:?}",
                last(name)
            ));
        }
    }
    Ok(())
}

/// The fragments of a pixel are those of the map of coverage, with the same fates.
fn fates(pixel: [i32; 2], covered: &[Covered], traces: &[FragmentTrace]) -> Result<(), String> {
    let of_map = covered.iter().filter(|at| [at.x, at.y] == pixel);
    let of_map: Vec<_> = of_map.map(|at| (at.primitive, at.rejected_by.as_deref())).collect();
    let of_traces: Vec<_> = traces.iter().map(|trace| (trace.primitive, trace.rejected_by())).collect();
    if of_map == of_traces {
        Ok(())
    } else {
        Err(format!("{pixel:?}: {of_map:?} is traced as {of_traces:?}"))
    }
}

/// The numbers of each stage lead to those of the next.
fn stages(trace: &FragmentTrace) -> Result<(), String> {
    lead(trace, "texel", colour(trace, TEXTURE, "result"), colour(trace, FUNCTION, "texel"))?;
    let interpolated = colour(trace, Stage::one("inputs"), "colour");
    lead(trace, "primitive", interpolated, colour(trace, FUNCTION, "primitive"))?;
    let textured = colour(trace, FUNCTION, "with secondary");
    let alpha = textured.map(|[.., alpha]| vec![i64::from(alpha)]);
    lead(trace, "alpha", alpha, integers(trace, Stage::one("alpha test"), "alpha"))?;
    lead(trace, "unfogged", textured, colour(trace, Stage::one("fog"), "colour"))?;
    let fogged = colour(trace, Stage::one("fog"), "result").or(textured);
    let rgb = fogged.map(|[r, g, b, _]| vec![r.into(), g.into(), b.into()]);
    lead(trace, "tested", rgb, integers(trace, Stage::one("colour test"), "colour"))?;
    lead(trace, "fogged", fogged, colour(trace, Stage::one("blend"), "source"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crew::Plan;
    use crate::traces::run;

    #[test]
    fn traces_are_what_is_drawn() {
        let plan = Plan { seed: 17, first: 0, cases: 256, time: None, threads: 2 };
        let summary = run::<PixelTraces>(&plan, &|_| ()).expect("no engine is made");
        assert_eq!(summary.findings, [], "{summary:?}");
        assert!(summary.pixels > 800 && summary.fragments > summary.pixels, "{summary:?}");
        assert!(summary.rejected.len() >= 4, "{summary:?}");
    }
}
