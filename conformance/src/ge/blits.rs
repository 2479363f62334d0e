//! Random block transfers and scan-outs of the GE, by the interpreter and by the fast engine.

use crate::ge::campaign::{Cases, Verdict};
use crate::ge::reduce::{self, Reducible};
use crate::random::Random;
use crate::reducer::Reducer;
use picaflor_interp::Interpreter;
use picaflor_jit::Engine;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::regs::pixel::PixelFormat;
use picaflor_pipeline::ge::regs::{Registers, op};
use picaflor_pipeline::ge::stage::blit::BlitStage;
use picaflor_pipeline::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use picaflor_pipeline::memory::{BlockMemory, Memory};
use std::time::Duration;

const RAM: u32 = 0x0880_0000;
const RAM_BYTES: u32 = 0x1_0000;
/// Bytes that are restored together.
const PAGE: usize = 4096;
const REGIONS: [(u32, u32); 2] = [(VRAM, VRAM_BYTES), (RAM, RAM_BYTES)];

/// A transfer or a scan-out.
#[derive(Debug, Clone, PartialEq)]
pub enum BlitCase {
    /// The transfer of these registers.
    Transfer(Box<Registers>, AddressMaps),
    /// The picture of a buffer.
    Picture(FrameBuffer, AddressMaps),
}

impl BlitCase {
    /// Case `number` of a seed. Memory is that of the seed.
    #[must_use]
    pub fn of(seed: u64, number: u64) -> Self {
        let random = &mut Random::of_item(seed ^ 0xb117, number);
        let value = random.pick(&[0, 1, 0x200, 0x400, 0x800, 0x1000]);
        let maps = AddressMaps::of(value).unwrap_or_default();
        if random.chance(15) {
            let any = random.word();
            let stride = random.pick(&[0, 480, 512, 513, 1024, 1025, any]);
            let format = PixelFormat::of(random.below(4));
            return Self::Picture(FrameBuffer { address: address(random), stride, format }, maps);
        }
        let mut registers = Registers::default();
        let mut set =
            |command: u8, argument: u32| registers.write(u32::from(command) << 24 | argument & 0xff_ffff);
        let is_near = random.chance(40);
        let from = address(random);
        let to = if is_near { from.wrapping_add(random.below(0x100)) } else { address(random) };
        for (pointer, width, position, at) in
            [(op::TRXSBP, op::TRXSBW, op::TRXSPOS, from), (op::TRXDBP, op::TRXDBW, op::TRXDPOS, to)]
        {
            let any = random.below(0x1_0000);
            let stride = random.pick(&[0, 8, 16, 64, 128, 512, 0x400, 0x408, 0x7ff, any]);
            set(pointer, at);
            set(width, (at >> 8) & 0xff_0000 | stride);
            let place = if random.chance(70) { 0 } else { random.below(40) | random.below(12) << 10 };
            set(position, place);
        }
        let any = [random.below(400), random.below(20)];
        let width = random.pick(&[0, 1, 7, 15, 16, 31, 63, any[0]]);
        let rows = random.pick(&[0, 0, 1, 3, any[1]]);
        set(op::TRXSIZE, width | rows << 10);
        set(op::TRXKICK, random.below(2));
        Self::Transfer(Box::new(registers), maps)
    }

    fn key(&self) -> String {
        match self {
            Self::Transfer(registers, maps) => {
                format!("transfer {} {maps:?}", registers.arg(op::TRXKICK) & 1)
            }
            Self::Picture(frame, maps) => format!("picture {:?} {maps:?}", frame.format),
        }
    }
}

/// An address of any kind: in a mirror, at an end, in main memory, nowhere.
fn address(random: &mut Random) -> u32 {
    let near = random.below(0x2000);
    let mirror = random.below(4) << 21;
    let (short, long, any) = (random.below(0x800), random.below(0x1000), random.word());
    random.weighted(&[
        (8, VRAM + mirror + near),
        (2, VRAM + mirror + VRAM_BYTES - short),
        (1, 0x0800_0000 - short),
        (6, RAM + near),
        (1, RAM + RAM_BYTES - long),
        (1, any & 0x0fff_ffff),
        (1, 0x4000_0000 | (VRAM + near)),
    ])
}

/// Blit cases of a seed, with the memory of both engines.
pub struct Blits {
    seed: u64,
    content: [Vec<u8>; 2],
    memories: [BlockMemory; 2],
}

impl Cases for Blits {
    const KIND: &'static str = "ge-blit";
    const ABOUT: &'static str = "Block transfers and scan-outs of the PSP's GE";
    const COUNTS: [&'static str; 2] = ["transfers", "pictures"];

    fn of_seed(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let content = REGIONS.map(|(_, bytes)| (0..bytes).map(|_| random.word() as u8).collect::<Vec<_>>());
        let blits = Self { seed, content, memories: [(); 2].map(|()| BlockMemory::zeroed(&REGIONS)) };
        blits.memories.iter().for_each(|memory| blits.restore(memory));
        blits
    }

    fn check(&mut self, number: u64, engine: &mut Engine) -> Verdict {
        self.compare(&BlitCase::of(self.seed, number), engine)
    }

    fn reduced(&mut self, number: u64, engine: &mut Engine, time: Duration) -> Option<String> {
        let case = BlitCase::of(self.seed, number);
        Some(reduce::reduce(&case, time, &mut |case| self.compare(case, engine)).text())
    }
}

impl Reducible for BlitCase {
    fn reduce(reducer: &mut Reducer<'_, Self>) {
        reducer.attempt(|case| match case {
            Self::Transfer(_, maps) | Self::Picture(_, maps) => *maps = AddressMaps::default(),
        });
        reduce::registers(reducer, None, |case| match case {
            Self::Transfer(registers, _) => Some(&mut **registers),
            Self::Picture(..) => None,
        });
        reducer.attempt(|case| {
            if let Self::Picture(frame, _) = case {
                frame.address = VRAM;
            }
        });
    }

    fn text(&self) -> String {
        match self {
            Self::Transfer(registers, maps) => format!("{}{maps:?}\n", reduce::text(registers)),
            Self::Picture(frame, maps) => format!("{frame:x?}\n{maps:?}\n"),
        }
    }
}

impl Blits {
    /// Writes the pages that changed.
    fn restore(&self, memory: &BlockMemory) {
        for (&(address, length), content) in REGIONS.iter().zip(&self.content) {
            let Some(all) = memory.region(address, length) else { continue };
            for (n, page) in content.chunks(PAGE).enumerate() {
                let there = all.slice(n * PAGE, page.len());
                if !there.equals(page) {
                    there.write_all(0, page);
                }
            }
        }
    }

    /// Performs a case both ways. The memory is that of the seed again afterwards.
    pub fn compare(&mut self, case: &BlitCase, engine: &mut dyn BlitStage) -> Verdict {
        let [memory, other] = &self.memories;
        let mut interpreter = Interpreter::new();
        let (key, differs) = (case.key(), |what: String| Verdict::Differs(format!("{case:x?}: {what}")));
        match case {
            BlitCase::Picture(frame, maps) => {
                let expected = frame.picture(&mut interpreter, memory, *maps);
                if expected != frame.picture(engine, other, *maps) {
                    return differs("another picture".into());
                }
                Verdict::Same { key, counts: true, of: [0, 1] }
            }
            BlitCase::Transfer(registers, maps) => {
                let expected = interpreter.block_transfer(memory, registers, *maps);
                let found = engine.block_transfer(other, registers, *maps);
                let place = first_difference(memory, other);
                self.memories.iter().for_each(|memory| self.restore(memory));
                if expected != found {
                    return differs(format!("{found:x?} instead of {expected:x?}"));
                }
                match place {
                    Some(address) => differs(format!("other bytes from {address:#010x} on")),
                    None => Verdict::Same { key, counts: expected.is_ok(), of: [1, 0] },
                }
            }
        }
    }
}

fn first_difference(a: &BlockMemory, b: &BlockMemory) -> Option<u32> {
    REGIONS.iter().find_map(|&(address, length)| {
        let (a, b) = (a.region(address, length)?, b.region(address, length)?.snapshot());
        if a.equals(&b) {
            return None;
        }
        let place = (0..).zip(a.to_vec()).zip(b).find(|((_, a), b)| a != b)?.0.0;
        Some(address + place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ge::campaign::{Plan, run};
    use picaflor_pipeline::fault::Fault;
    use picaflor_pipeline::picture::Picture;

    #[test]
    fn random_blits_are_the_same() {
        let plan = Plan { seed: 5, first: 0, cases: 400, time: None, threads: 2 };
        let summary = run::<Blits>(&plan, &|_| ()).expect("an engine");
        assert!(summary.findings.is_empty(), "{summary:?}");
        assert!(summary.compiled * 2 > summary.cases && summary.counts[1] > 20, "{summary:?}");
    }

    /// The interpreter, but that transfers have a row too few, and pictures a wrong pixel.
    struct Wrong;

    impl BlitStage for Wrong {
        fn block_transfer(
            &mut self,
            memory: &dyn Memory,
            registers: &Registers,
            maps: AddressMaps,
        ) -> Result<(), Fault> {
            let mut registers = registers.clone();
            let size = registers.arg(op::TRXSIZE);
            registers.write(u32::from(op::TRXSIZE) << 24 | size.saturating_sub(1 << 10));
            Interpreter::new().block_transfer(memory, &registers, maps)
        }

        fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
            let mut picture = Interpreter::new().scan_out(memory, maps, frame);
            picture.rgb[99] ^= 1;
            picture
        }
    }

    #[test]
    fn a_planted_defect_is_found() {
        let mut blits = Blits::of_seed(1);
        let differs = |n| matches!(blits.compare(&BlitCase::of(1, n), &mut Wrong), Verdict::Differs(_));
        assert!((0..60).map(differs).filter(|&differs| differs).count() > 15);
    }

    /// A row too few is seen in a transfer of a few bytes.
    #[test]
    fn failing_cases_become_small() {
        let mut blits = Blits::of_seed(1);
        let mut differs = |case: &BlitCase| matches!(blits.compare(case, &mut Wrong), Verdict::Differs(_));
        let is_transfer = |case: &BlitCase| matches!(case, BlitCase::Transfer(..));
        let mut cases = (0..).map(|n| BlitCase::of(1, n)).filter(is_transfer);
        let case = cases.find(&mut differs).expect("a failing case");
        let small =
            reduce::reduce(&case, Duration::from_secs(20), &mut |case| blits.compare(case, &mut Wrong));
        let BlitCase::Transfer(registers, maps) = &small else { panic!("{}", small.text()) };
        let size = registers.arg(op::TRXSIZE);
        assert!(size.count_ones() <= 2 && *maps == AddressMaps::default(), "{}", small.text());
    }
}
