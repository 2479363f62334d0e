//! Cases of the blit seam: memory with holes, and fills, transfers and scan-outs in it.

mod generate;
mod outcome;

use super::Case;
use crate::pica::notation::Word;
use crate::random::Random;
use crate::reducer::Reducer;
pub use outcome::Moved;
use outcome::Recorded;
use picaflor_pipeline::bits::Field as _;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::Stages;
use picaflor_pipeline::pica::stage::blit::Fill;
use picaflor_pipeline::pica::texel::TransferFormat;
use picaflor_pipeline::pica::transfer::{FillWidth, TransferRegisters};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A call of the seam.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Call {
    /// Start, end, value, and the code of the width.
    Fill([Word; 4]),
    /// The registers in the order of their addresses.
    Transfer([Word; 8]),
    /// A screen.
    ScanOut(Screen),
}

/// What a screen shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Screen {
    /// Address, code of the format, stride, width, height.
    pub source: [Word; 5],
    /// One colour instead.
    pub solid: Option<[u8; 3]>,
    /// Seed of a gamma table.
    pub gamma: Option<u64>,
}

/// A case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlitCase {
    /// Blocks of memory: address and bytes.
    pub blocks: Vec<(Word, Word)>,
    /// Seed of their content.
    pub seed: u64,
    /// The calls, in order.
    pub calls: Vec<Call>,
}

impl Screen {
    fn scan_out(&self) -> ScanOut {
        let [address, format, stride, width, height] = self.source.map(|word| word.0);
        let gamma = self.gamma.map(|seed| {
            let mut random = Random::new(seed);
            Arc::new(std::array::from_fn(|_| std::array::from_fn(|_| random.word() as u8)))
        });
        let (format, stride_bytes) = (TransferFormat::from_bits(format & 7), stride.cast_signed());
        ScanOut { address, format, stride_bytes, width, height, solid: self.solid, gamma }
    }
}

impl Case for BlitCase {
    const KIND: &'static str = "blit";
    const ABOUT: &'static str = "Fills, transfers, copies and scan-outs in memory with holes";

    type Outcome = Moved;

    fn random(random: &mut Random) -> Self {
        generate::case(random)
    }

    fn run(&self, engine: &mut dyn Stages) -> Moved {
        let blocks: Vec<_> = self.blocks.iter().map(|(address, length)| (address.0, length.0)).collect();
        let memory = BlockMemory::zeroed(&blocks);
        let mut random = Random::new(self.seed);
        for &(address, length) in &blocks {
            let bytes: Vec<u8> = (0..length).map(|_| random.word() as u8).collect();
            write_bytes(&memory, address, &bytes);
        }
        let mut moved = Moved::default();
        for call in &self.calls {
            let recorded = Recorded::new(&memory);
            match call {
                Call::Fill([start, end, value, width]) => {
                    let width = FillWidth::from_bits(width.0 & 3);
                    let fill = Fill { start: start.0, end: end.0, value: value.0, width };
                    moved.fault(engine.fill(&recorded, &fill));
                }
                Call::Transfer(words) => {
                    let [input, output, output_size, input_size, flags, copy_size, copy_input, copy_output] =
                        words.map(|word| word.0);
                    let registers = TransferRegisters {
                        input,
                        output,
                        output_size,
                        input_size,
                        flags,
                        copy_size,
                        copy_input,
                        copy_output,
                    };
                    moved.fault(engine.transfer(&recorded, &registers));
                }
                Call::ScanOut(screen) => {
                    moved.pictures.push(engine.scan_out(&recorded, &screen.scan_out()));
                }
            }
            moved.silent.extend(recorded.silent());
        }
        moved.finish(&memory);
        moved
    }

    #[allow(private_interfaces)]
    fn reduce(reducer: &mut Reducer<'_, Self>) {
        reducer.pieces(reducer.best.calls.len(), 1, |case, range| _ = case.calls.drain(range));
        for n in 0..reducer.best.blocks.len() {
            while reducer.attempt(|case| case.blocks[n].1.0 = (case.blocks[n].1.0 / 2) & !15) {}
        }
        for n in 0..reducer.best.calls.len() {
            for k in 0..8 {
                let zeroed = reducer.attempt(|case| case.calls[n].change(k, |_| 0));
                while !zeroed && reducer.attempt(|case| case.calls[n].change(k, smaller)) {}
            }
        }
    }

    fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a case can be written");
        text.push('\n');
        text
    }

    fn from_json(text: &str) -> Result<Self, String> {
        let case: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let total: u64 = case.blocks.iter().map(|block| u64::from(block.1.0)).sum();
        if total > 1 << 24 { Err(format!("{total} bytes of memory")) } else { Ok(case) }
    }
}

/// Half of both halves of a register.
const fn smaller(word: u32) -> u32 {
    (word >> 17 << 16) | (word & 0xffff) >> 1
}

impl Call {
    /// Changes a word, if there is one of this number.
    fn change(&mut self, number: usize, change: impl Fn(u32) -> u32) {
        let words: &mut [Word] = match self {
            Self::Fill(words) => words,
            Self::Transfer(words) => words,
            Self::ScanOut(screen) => &mut screen.source,
        };
        if let Some(word) = words.get_mut(number) {
            word.0 = change(word.0);
        }
    }
}
