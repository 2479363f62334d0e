//! Random pixel states of the GE, drawn by the interpreter and by compiled code.

mod memory;
mod primitives;
pub(in crate::ge) mod registers;
pub mod traces;

use crate::ge::campaign::{CASES_PER_MODE, Cases, Verdict};
use crate::random::Random;
use memory::{Extent, Shared, extents};
use picaflor_interp::Interpreter;
use picaflor_jit::Engine;
use picaflor_jit::keys::PixelStateKey;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::queue::{Submitted, with_queue};
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::rect::Rect;
use picaflor_pipeline::tile::Tiling;

/// A state, and primitives drawn in it.
#[derive(Debug, Clone)]
pub struct PixelCase {
    /// All registers.
    pub registers: Registers,
    /// The colour look-up table.
    pub clut: Clut,
    /// Wiring of the mirrors of VRAM.
    pub maps: AddressMaps,
    /// True if the vertices were immediate ones.
    pub is_immediate: bool,
    /// The primitives, all of one shape.
    pub primitives: Vec<Primitive>,
    /// The second way in which compiled code draws the case.
    pub other: Way,
}

/// A way to draw a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// All at once.
    Whole,
    /// In four tiles that meet at a pixel, one after the other.
    Quarters([i32; 2]),
    /// In tiles on threads, as the machine does it.
    Threads(Tiling),
}

impl Way {
    /// Threads are slow to start.
    fn random(random: &mut Random) -> Self {
        if !random.chance(6) {
            return Self::Quarters([random.below(64) as i32, random.below(64) as i32]);
        }
        let threads = random.between(2, 3) as usize;
        let tile = random.pick(&[[8, 8], [16, 16], [64, 8], [512, 32]]);
        Self::Threads(Tiling { threads, tile, least_work: 0 })
    }
}

impl PixelCase {
    /// Case `number` of a seed. Memory is that of the seed.
    #[must_use]
    pub fn of(seed: u64, number: u64) -> Self {
        let mut random = Random::of_item(seed, number / CASES_PER_MODE);
        let mode = registers::Mode::random(&mut random);
        let maps = registers::maps(&mut random);
        let shape = primitives::shape(&mut random);
        let mut random = Random::of_item(!seed, number);
        let registers = mode.registers(&mut random);
        let mut clut = Clut::default();
        clut.change()
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .for_each(|bytes| *bytes = random.bits().to_le_bytes());
        let is_immediate = mode.is_immediate;
        let primitives = primitives::primitives(&mut random, &registers, is_immediate, shape);
        Self { registers, clut, maps, is_immediate, primitives, other: Way::random(&mut random) }
    }

    /// The state that pixels depend on.
    const fn state<'a>(&'a self, shared: &'a Shared) -> PixelState<'a> {
        PixelState {
            registers: &self.registers,
            clut: &self.clut,
            memory: &shared.memory,
            maps: self.maps,
            is_immediate: self.is_immediate,
        }
    }

    /// The name of its routine, or why there is none.
    fn key(&self, shared: &Shared) -> String {
        let Some(first) = self.primitives.first() else { return "nothing is drawn".into() };
        let key = PixelStateKey::of(&self.state(shared), first.shape);
        key.map_or_else(|reason| reason.to_string(), |key| key.to_string())
    }

    /// The pixels that it may reach.
    fn reach(&self) -> Rect {
        let area = self.registers.drawing_area();
        let nothing = Rect { x0: area.x1, y0: area.y1, x1: area.x0, y1: area.y0 };
        let bounds = self.primitives.iter().map(|primitive| primitive.bounds().intersect(area));
        bounds.filter(|bounds| !bounds.is_empty()).fold(nothing, |all, bounds| Rect {
            x0: all.x0.min(bounds.x0),
            y0: all.y0.min(bounds.y0),
            x1: all.x1.max(bounds.x1),
            y1: all.y1.max(bounds.y1),
        })
    }

    /// Draws on an engine; returns the number of covered pixels.
    fn draw(&self, stage: &mut dyn PixelStage, shared: &Shared, way: Way) -> u64 {
        stage.list_begins();
        let pixels = match way {
            Way::Whole => self.queued(stage, shared, Tiling::new(1)),
            Way::Quarters(at) => self.in_quarters(stage, shared, at),
            Way::Threads(tiling) => self.queued(stage, shared, tiling),
        };
        stage.list_ends();
        pixels
    }

    fn queued(&self, stage: &mut dyn PixelStage, shared: &Shared, tiling: Tiling) -> u64 {
        with_queue(tiling, &shared.memory, |queue| {
            let mut primitives = self.primitives.clone();
            queue.draw(stage, Submitted::new(self.state(shared), &mut primitives));
            queue.finish();
            queue.take_pixels()
        })
    }

    fn in_quarters(&self, stage: &mut dyn PixelStage, shared: &Shared, at: [i32; 2]) -> u64 {
        let state = self.state(shared);
        let Some(target) = Target::new(&self.registers, self.maps, &shared.memory) else { return 0 };
        if self.primitives.is_empty() {
            return 0;
        }
        let routine = stage.pixel_routine(&state, &self.primitives);
        let order: Vec<u32> = (0..self.primitives.len() as u32).collect();
        let tiles = quarters(at).map(|quarter| quarter.intersect(self.registers.drawing_area()));
        let tiles = tiles.into_iter().filter(|tile| !tile.is_empty());
        let (primitives, order, target) = (&self.primitives, &order, &target);
        tiles.map(|tile| routine.run(&TileBatch { state, primitives, order, tile, target })).sum()
    }
}

/// All of the drawing space.
const WHOLE: Rect = Rect { x0: 0, y0: 0, x1: 1024, y1: 1024 };

/// The drawing space in four tiles that meet at a pixel.
const fn quarters([x, y]: [i32; 2]) -> [Rect; 4] {
    [
        Rect { x1: x, y1: y, ..WHOLE },
        Rect { x0: x, y1: y, ..WHOLE },
        Rect { x1: x, y0: y, ..WHOLE },
        Rect { x0: x, y0: y, ..WHOLE },
    ]
}

/// Pixel cases of a seed.
#[derive(Debug)]
pub struct Pixels {
    seed: u64,
    shared: Shared,
}

impl Cases for Pixels {
    const KIND: &'static str = "ge-pixel";
    const ABOUT: &'static str = "Pixel states of the PSP's GE, and primitives";
    const COUNTS: [&'static str; 2] = ["pixels", "empty"];

    fn of_seed(seed: u64) -> Self {
        Self { seed, shared: Shared::of_seed(seed) }
    }

    fn check(&mut self, number: u64, engine: &mut Engine) -> Verdict {
        compare(&PixelCase::of(self.seed, number), &self.shared, engine)
    }

    fn strayed(&mut self) -> bool {
        self.shared.restore()
    }
}

/// The result of a drawing: the bytes that may be written, and the number of covered pixels.
type Drawn = (Vec<u8>, u64);

/// Draws a case on the interpreter, and in two ways on compiled code. States with dependent tiles are not cut.
fn compare(case: &PixelCase, shared: &Shared, engine: &mut Engine) -> Verdict {
    let Some(target) = Target::new(&case.registers, case.maps, &shared.memory) else {
        return Verdict::Differs("there is no VRAM".into());
    };
    let extents = extents(&case.registers, &target, case.reach());
    let draw = |stage: &mut dyn PixelStage, way| -> Drawn {
        let pixels = case.draw(stage, shared, way);
        (shared.take(&extents), pixels)
    };
    let expected = draw(&mut Interpreter::new(), Way::Whole);
    let before = engine.stats();
    let whole = draw(engine, Way::Whole);
    let after = engine.stats();
    if after.missing_tiles != before.missing_tiles {
        let reasons =
            after.refusals.iter().filter(|(reason, count)| before.refusals.get(*reason) != Some(*count));
        let reason = reasons.map(|(reason, _)| reason.to_string()).next();
        return Verdict::NotCompiled(reason.unwrap_or_else(|| "buffers overlap".into()));
    }
    let is_apart = registers::tiles_are_apart(&case.registers) && !memory::samples(&case.registers, &extents);
    let cannot_be_cut = matches!(case.other, Way::Quarters(_)) && !is_apart;
    let other = if cannot_be_cut { expected.clone() } else { draw(engine, case.other) };
    let key = case.key(shared);
    for (way, found) in [(Way::Whole, &whole), (case.other, &other)] {
        if *found != expected {
            return Verdict::Differs(format!("{key}, {way:?}: {}", described(&extents, &expected, found)));
        }
    }
    let (_, pixels) = expected;
    Verdict::Same { key, counts: pixels > 0, of: [pixels, u64::from(pixels == 0)] }
}

fn described(extents: &[Extent], (expected, pixels): &Drawn, (found, covered): &Drawn) -> String {
    let addresses = extents.iter().flat_map(|extent| extent.start..extent.start + extent.length);
    let mut bytes =
        addresses.zip(expected.iter().zip(found)).filter(|(_, (expected, found))| expected != found);
    let first = bytes.next().map(|(at, (expected, found))| {
        format!("VRAM+{at:#x}: {expected:02x} expected, {found:02x} found, {} more; ", bytes.count())
    });
    format!("{}{pixels} pixels expected, {covered} found", first.unwrap_or_default())
}

/// Draws a case as it is and after a change of its registers, on the interpreter, and compares; returns what the change
/// returns.
#[cfg(test)]
pub(in crate::ge) fn draws_the_same(
    seed: u64,
    number: u64,
    change: impl FnOnce(&mut Registers) -> u32,
) -> u32 {
    let (mut case, mut shared) = (PixelCase::of(seed, number), Shared::of_seed(seed));
    let target = Target::new(&case.registers, case.maps, &shared.memory).expect("there is VRAM");
    let extents = extents(&case.registers, &target, case.reach());
    let mut draw = |case: &PixelCase| {
        let pixels = case.draw(&mut Interpreter::new(), &shared, Way::Whole);
        let bytes = shared.take(&extents);
        assert!(!shared.restore(), "case {number} of seed {seed} wrote elsewhere");
        (bytes, pixels)
    };
    let expected = draw(&case);
    let count = change(&mut case.registers);
    assert!(draw(&case) == expected, "case {number} of seed {seed}");
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::campaign::{Plan, run};
    use crate::random::Random;
    use picaflor_pipeline::ge::regs::same::OF_PIXELS;

    /// Draws that differ in nothing but these are submitted together.
    #[test]
    fn registers_without_pixels_change_none() {
        let mut random = Random::of_item(7, 0);
        for number in 0..1500 {
            draws_the_same(14, number, |registers| {
                for command in 0..=u8::MAX {
                    let free = !OF_PIXELS[usize::from(command)] & 0xff_ffff;
                    let word = registers.word(command);
                    registers.write(word & !free | random.word() & free);
                }
                0
            });
        }
    }

    #[test]
    fn random_states_are_drawn_the_same() {
        let plan = Plan { seed: 3, first: 0, cases: 3200, time: None, threads: 2 };
        let summary = run::<Pixels>(&plan, &|_| ()).expect("an engine");
        assert_eq!((summary.cases, summary.failures), (3200, 0), "{:?}", summary.findings);
        assert!(summary.compiled > 1600 && summary.counts[0] > 200_000, "{summary:?}");
        assert!(summary.keys.len() > 200, "{summary:?}");
    }
}
