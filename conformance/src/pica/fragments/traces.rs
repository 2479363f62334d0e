//! Traces of random pixels of the PICA200's [campaign](super::campaign) of fragments.

use super::campaign::case;
use super::case::FragmentCase;
use super::draw_tile;
use super::state::{BASE, SIZE};
use crate::random::Random;
use crate::traces::{PIXELS, TraceCases, colour, integers, lead};
use picaflor_interp::Interpreter;
use picaflor_interp::pica::surface::Surface;
use picaflor_interp::pica::traced;
use picaflor_interp::trace::{Covered, Found, FragmentTrace, Stage, Subject};
use picaflor_pipeline::memory::FlatMemory;
use picaflor_pipeline::pica::queue;
use picaflor_pipeline::pica::raster::triangles::Triangles;
use picaflor_pipeline::pica::regs::fragop::FragmentMode;
use picaflor_pipeline::pica::stage::{FragmentStage as _, FragmentState, TileRoutine};
use picaflor_pipeline::pica::surface::{Target, feedback, overlap};
use picaflor_pipeline::rect::Rect;

/// The last combiner stage.
const LAST: Stage = Stage::numbered("combiner", 5);
const STORE: Stage = Stage::one("store");

/// Pixels of random fragment cases.
#[derive(Debug)]
pub struct FragmentTraces {
    seed: u64,
    memory: FlatMemory,
}

impl TraceCases for FragmentTraces {
    const KIND: &'static str = "trace";
    const ABOUT: &'static str = "Traces of pixels of the PICA200 against what is drawn";

    fn of_seed(seed: u64) -> Self {
        Self { seed, memory: FlatMemory::new(BASE, vec![0; SIZE as usize]) }
    }

    fn check(&mut self, number: u64) -> Result<Vec<Vec<FragmentTrace>>, String> {
        let case = case(self.seed, number);
        let triangles = case.set_up();
        let mut random = Random::of_item(self.seed, number);
        Drawing { case: &case, triangles: &triangles, memory: &mut self.memory }.check(&mut random)
    }
}

/// A case, and the memory to draw it in.
struct Drawing<'a> {
    case: &'a FragmentCase,
    triangles: &'a Triangles,
    memory: &'a mut FlatMemory,
}

impl Drawing<'_> {
    fn check(&mut self, random: &mut Random) -> Result<Vec<Vec<FragmentTrace>>, String> {
        let expected = self.whole(&*Interpreter::new().fragment_routine(&self.state()));
        let found = Found::default();
        if self.whole(&*traced(Subject::Coverage, &found)) != expected {
            return Err("the map of coverage draws something else".into());
        }
        let (_, covered) = found.take();
        let (wanted, is_apart) = if self.is_apart() { (PIXELS, true) } else { (1, false) };
        let mut pixels: Vec<[i32; 2]> = Vec::new();
        for _ in 0..wanted.min(covered.len()) {
            let Covered { x, y, .. } = covered[random.below(covered.len() as u32) as usize];
            if !pixels.contains(&[x, y]) {
                pixels.push([x, y]);
            }
        }
        let traces =
            if is_apart { self.alone(&pixels, &found) } else { self.among(&pixels, &found, &expected)? };
        for (pixel, traces) in pixels.iter().zip(&traces) {
            fates(*pixel, &covered, traces)?;
            traces.iter().try_for_each(stages)?;
            if is_apart {
                self.is_stored(*pixel, traces, &expected)?;
            }
        }
        Ok(traces)
    }

    fn state(&self) -> FragmentState<'_> {
        FragmentState { registers: &self.case.registers, luts: &self.case.luts, memory: &*self.memory }
    }

    /// True if pixels share no memory with each other or with textures.
    fn is_apart(&self) -> bool {
        let target = Target::new(&self.case.registers, &*self.memory);
        let [colour, depth] = target.ranges();
        target.tiles_are_disjoint()
            && !overlap(colour, depth)
            && !feedback::target_is_texture(&self.case.registers, target.ranges())
    }

    /// Memory after the whole case.
    fn whole(&mut self, routine: &dyn TileRoutine) -> Vec<u8> {
        self.memory.bytes_mut().copy_from_slice(&self.case.memory);
        let state = self.state();
        let target = Target::new(&self.case.registers, &*self.memory);
        if target.width() > 0 && !self.triangles.is_empty() {
            queue::rasterize(routine, state, self.triangles, &target, 1);
        }
        self.memory.bytes_mut().to_vec()
    }

    /// Traces of pixels, each drawn alone.
    fn alone(&mut self, pixels: &[[i32; 2]], found: &Found) -> Vec<Vec<FragmentTrace>> {
        self.memory.bytes_mut().copy_from_slice(&self.case.memory);
        let target = Target::new(&self.case.registers, &*self.memory);
        let trace = |&[x, y]: &[i32; 2]| {
            let tile = Rect { x0: x, y0: y, x1: x + 1, y1: y + 1 };
            let routine = traced(Subject::Pixel([x, y]), found);
            draw_tile(&*routine, self.state(), self.triangles, &target, tile);
            found.take().0
        };
        pixels.iter().map(trace).collect()
    }

    /// Traces of pixels among all others.
    fn among(
        &mut self,
        pixels: &[[i32; 2]],
        found: &Found,
        expected: &[u8],
    ) -> Result<Vec<Vec<FragmentTrace>>, String> {
        let trace = |&pixel: &[i32; 2]| {
            let drawn = self.whole(&*traced(Subject::Pixel(pixel), found));
            if drawn == expected {
                Ok(found.take().0)
            } else {
                Err(format!("the trace of {pixel:?} draws something else"))
            }
        };
        pixels.iter().map(trace).collect()
    }

    /// The last values of the traces are those in memory.
    fn is_stored(
        &mut self,
        [x, y]: [i32; 2],
        traces: &[FragmentTrace],
        expected: &[u8],
    ) -> Result<(), String> {
        let [x, y] = [x, y].map(|side| side as u32);
        self.memory.bytes_mut().copy_from_slice(&self.case.memory);
        let before = stored(self.case, self.memory, [x, y]);
        self.memory.bytes_mut().copy_from_slice(expected);
        let after = stored(self.case, self.memory, [x, y]);
        for (name, before, after) in before.into_iter().zip(after).map(|((name, a), (_, b))| (name, a, b)) {
            let last = traces.iter().rev().find_map(|trace| integers(trace, STORE, name));
            if last.clone().unwrap_or(before) != after {
                return Err(format!(
                    "{name} of ({x}, {y}): the trace ends with {last:?}, memory has {after:?}"
                ));
            }
        }
        Ok(())
    }
}

/// The stored values of a pixel, under the names of the trace.
fn stored(case: &FragmentCase, memory: &FlatMemory, [x, y]: [u32; 2]) -> Vec<(&'static str, Vec<i64>)> {
    let surface = Surface::new(&case.registers, memory);
    if case.registers.colour_operation().mode() == FragmentMode::Shadow {
        let (depth, intensity) = surface.shadow(x, y);
        return vec![("shadow depth", vec![depth.into()]), ("shadow intensity", vec![intensity.into()])];
    }
    let bytes = surface.encoded(surface.colour(x, y)).into_iter().map(i64::from).collect();
    let [depth, stencil] = [surface.depth(x, y).into(), surface.stencil(x, y).into()];
    vec![("bytes", bytes), ("depth", vec![depth]), ("stencil", vec![stencil])]
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
    for k in 0..5 {
        let [this, next] = [k, k + 1].map(|k| Stage::numbered("combiner", k));
        lead(trace, "previous", colour(trace, this, "result"), colour(trace, next, "previous"))?;
    }
    let combined = colour(trace, LAST, "result");
    let alpha = combined.map(|[.., alpha]| vec![i64::from(alpha)]);
    lead(trace, "alpha", alpha, integers(trace, Stage::one("alpha test"), "alpha"))?;
    lead(trace, "unfogged", combined, colour(trace, Stage::one("fog"), "colour"))?;
    let fogged = colour(trace, Stage::one("fog"), "result");
    let blend = Stage::one("blend");
    if let Some(fogged) = fogged {
        lead(trace, "fogged", Some(fogged), colour(trace, blend, "source"))?;
    }
    let (mask, result) = (integers(trace, STORE, "mask"), colour(trace, blend, "result"));
    if mask == Some(vec![15]) {
        lead(trace, "stored", result, colour(trace, STORE, "colour"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crew::Plan;
    use crate::traces::run;

    #[test]
    fn traces_are_what_is_drawn() {
        let plan = Plan { seed: 17, first: 0, cases: 512, time: None, threads: 2 };
        let summary = run::<FragmentTraces>(&plan, &|_| ()).expect("no engine is made");
        assert_eq!(summary.findings, [], "{summary:?}");
        assert!(summary.pixels > 2000 && summary.fragments > summary.pixels, "{summary:?}");
        assert!(summary.rejected.len() >= 4, "{summary:?}");
    }
}
