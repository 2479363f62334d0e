//! Random pixel states of the GE, drawn by the interpreter and by compiled code.

mod primitives;
mod registers;

use crate::ge::campaign::{CASES_PER_STATE, Cases, Verdict};
use crate::generate::random::Random;
use picaflor_interp::ge::Interpreter;
use picaflor_jit::Engine;
use picaflor_pipeline::ge::clut::Clut;
use picaflor_pipeline::ge::raster::Primitive;
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TileBatch};
use picaflor_pipeline::ge::target::Target;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::rect::Rect;

/// Main memory of a case.
const RAM: u32 = 0x0880_0000;
/// Bytes of it.
const RAM_BYTES: u32 = 1 << 18;
/// Bytes of VRAM that are filled at each place that a case uses.
const FILLED: usize = 1 << 15;

/// A state, and primitives drawn in it.
#[derive(Debug, Clone)]
pub struct PixelCase {
    /// All registers.
    pub registers: Registers,
    /// The colour look-up table.
    pub clut: Clut,
    /// How mirrors are wired.
    pub maps: AddressMaps,
    /// Whether vertices were immediate ones.
    pub is_immediate: bool,
    /// What is drawn, all of one shape.
    pub primitives: Vec<Primitive>,
    /// Where the picture is cut, besides at its edges.
    pub cut: [i32; 2],
    /// Of what memory holds.
    contents: u64,
}

impl PixelCase {
    /// Case `number` of a seed.
    #[must_use]
    pub fn of(seed: u64, number: u64) -> Self {
        let mut random = Random::of_item(seed, number / CASES_PER_STATE);
        let (mut registers, is_immediate) = registers::registers(&mut random);
        let maps = registers::maps(&mut random);
        let shape = primitives::shape(&mut random);
        let mut random = Random::of_item(!seed, number);
        registers::vary(&mut random, &mut registers);
        let mut clut = Clut::default();
        clut.change()
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .for_each(|bytes| *bytes = random.bits().to_le_bytes());
        let primitives = primitives::primitives(&mut random, &registers, is_immediate, shape);
        let cut = [random.below(64) as i32, random.below(64) as i32];
        Self { registers, clut, maps, is_immediate, primitives, cut, contents: random.bits() }
    }

    /// The name of its routine, or why there is none.
    #[must_use]
    pub fn key(&self) -> String {
        let memory = self.memory();
        let state = PixelState {
            registers: &self.registers,
            clut: &self.clut,
            memory: &memory,
            maps: self.maps,
            is_immediate: self.is_immediate,
        };
        let Some(first) = self.primitives.first() else { return "nothing is drawn".into() };
        picaflor_jit::keys::ge_pixel(&state, first.shape).unwrap_or_else(|reason| reason.to_string())
    }

    /// Memory before the draw.
    fn memory(&self) -> BlockMemory {
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (RAM, RAM_BYTES)]);
        let mut random = Random::new(self.contents);
        for address in registers::places(&self.registers) {
            let words = (0..FILLED / 8).flat_map(|_| random.bits().to_le_bytes());
            write_bytes(&memory, address, &words.collect::<Vec<_>>());
        }
        memory
    }

    /// What an engine makes of memory, and how many pixels were covered.
    fn draw(&self, stage: &mut dyn PixelStage, cuts: &[Rect]) -> (Vec<u8>, u64) {
        let memory = self.memory();
        let state = PixelState {
            registers: &self.registers,
            clut: &self.clut,
            memory: &memory,
            maps: self.maps,
            is_immediate: self.is_immediate,
        };
        let mut pixels = 0;
        if let (Some(target), Some(first)) =
            (Target::new(&self.registers, self.maps, &memory), self.primitives.first())
        {
            stage.list_begins();
            let routine = stage.pixel_routine(&state, first.shape);
            let order: Vec<u32> = (0..self.primitives.len() as u32).collect();
            for cut in cuts {
                let tile = cut.intersect(self.registers.drawing_area());
                if !tile.is_empty() {
                    let (primitives, order, target) = (&self.primitives, &order, &target);
                    pixels += routine.run(&TileBatch { state, primitives, order, tile, target });
                }
            }
            stage.list_ends();
        }
        (memory.region(VRAM, VRAM_BYTES).map(|slice| slice.to_vec()).unwrap_or_default(), pixels)
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

/// Pixel cases.
#[derive(Debug)]
pub struct Pixels;

impl Cases for Pixels {
    const KIND: &'static str = "ge-pixel";
    const COUNTS: [&'static str; 2] = ["pixels", "empty"];

    fn check(seed: u64, number: u64, engine: &mut Engine) -> Verdict {
        compare(&PixelCase::of(seed, number), engine)
    }
}

/// Draws a case both ways; the compiled one whole and in tiles. States whose tiles depend on each other are drawn
/// whole only.
#[must_use]
pub fn compare(case: &PixelCase, engine: &mut Engine) -> Verdict {
    let (expected, pixels) = case.draw(&mut Interpreter::new(), &[WHOLE]);
    let before = engine.stats();
    let (whole, found) = case.draw(engine, &[WHOLE]);
    let after = engine.stats();
    if after.missing_tiles != before.missing_tiles {
        let reasons =
            after.refusals.iter().filter(|(reason, count)| before.refusals.get(*reason) != Some(*count));
        let reason = reasons.map(|(reason, _)| reason.to_string()).next();
        return Verdict::NotCompiled(reason.unwrap_or_else(|| "buffers overlap".into()));
    }
    if let Some(place) = first_difference(&expected, &whole).or((pixels != found).then_some(0)) {
        let what = described(place, &expected, &whole, [pixels, found]);
        return Verdict::Differs(format!("{}: {what}", case.key()));
    }
    let cuts = quarters(case.cut);
    let (tiles, found) = case.draw(engine, &cuts);
    match first_difference(&expected, &tiles).or((pixels != found).then_some(0)) {
        Some(place) if registers::tiles_are_apart(case) => {
            Verdict::Differs(format!("in tiles: {}", described(place, &expected, &tiles, [pixels, found])))
        }
        _ => Verdict::Same { counts: pixels > 0, of: [pixels, u64::from(pixels == 0)] },
    }
}

fn first_difference(expected: &[u8], found: &[u8]) -> Option<usize> {
    if expected == found { None } else { expected.iter().zip(found).position(|(a, b)| a != b) }
}

fn described(place: usize, expected: &[u8], found: &[u8], pixels: [u64; 2]) -> String {
    let word = |bytes: &[u8]| {
        let at = place & !3;
        u32::from_le_bytes(std::array::from_fn(|n| bytes.get(at + n).copied().unwrap_or(0)))
    };
    let (expected, found) = (word(expected), word(found));
    format!(
        "VRAM+{place:#x}: {expected:08x} expected, {found:08x} found; {} pixels expected, {} found",
        pixels[0], pixels[1]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::campaign::{Plan, run};

    #[test]
    fn random_states_are_drawn_the_same() {
        let plan = Plan { seed: 3, first: 0, cases: 400, time: None, threads: 2 };
        let summary = run::<Pixels>(&plan, &|_| ()).expect("an engine");
        assert_eq!((summary.cases, summary.failures), (400, 0), "{:?}", summary.findings);
        assert!(summary.compiled > 150 && summary.counts[0] > 20_000, "{summary:?}");
    }
}
