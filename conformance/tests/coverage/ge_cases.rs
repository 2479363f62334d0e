//! Cases of the GE that are drawn again with changes: those of the campaigns, and the scenes.

use super::fields::Id;
use super::witness::{Case, Change, Place};
use picaflor_conformance::ge::lists;
use picaflor_conformance::ge::lists::program::{Program, Step};
use picaflor_conformance::ge::pixels::PixelCase;
use picaflor_conformance::ge::vertices::VertexCase;
use picaflor_conformance::random::Random;
use picaflor_interp::Interpreter;
use picaflor_pipeline::ge::queue::{Submitted, with_queue};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::{PixelStage, PixelState, TransformStage, VertexBatch};
use picaflor_pipeline::ge::vram::{VRAM, VRAM_BYTES};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, NoMemory};
use picaflor_pipeline::tile::Tiling;
use picaflor_scenes::ge::Scene;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

const SEED: u64 = 20_261_122;
/// Main memory of pixel cases.
const RAM: (u32, u32) = (0x0880_0000, 1 << 18);

/// The case of a place.
pub(super) fn case(place: &Place) -> Box<dyn Case> {
    match place.kind.as_str() {
        "ge-vertex" => Box::new(Vertices(VertexCase::of(SEED, place.number))),
        "ge-pixel" => Box::new(Pixels(PixelCase::of(SEED, place.number))),
        "scene" => Box::new(Lists::scene(place.number)),
        kind => panic!("campaign `{kind}`"),
    }
}

impl Case for Box<dyn Case> {
    fn reaches(&self, change: Change) -> bool {
        self.as_ref().reaches(change)
    }

    fn draw(&mut self, change: Option<Change>) -> u64 {
        self.as_mut().draw(change)
    }
}

fn flipped(registers: &Registers, change: Option<Change>) -> Registers {
    let mut registers = registers.clone();
    if let Some(Change::Flip(id, span)) = change {
        registers.write(registers.word(id.to_le_bytes()[0]) ^ span.mask());
    }
    registers
}

/// A batch of vertices: its result is the transformed vertices.
struct Vertices(VertexCase);

impl Case for Vertices {
    fn reaches(&self, change: Change) -> bool {
        matches!(change, Change::Flip(..))
    }

    fn draw(&mut self, change: Option<Change>) -> u64 {
        let case = &self.0;
        let registers = flipped(&case.registers, change);
        let mut out = Vec::new();
        // The stride is that of the records, whatever the format says now.
        let batch = VertexBatch {
            registers: &registers,
            matrices: &case.matrices,
            remembered: case.remembered,
            records: GuestSlice::from_slice(&case.records),
            stride: case.registers.vertex_type().stride(),
            indices: &case.indices,
            memory: &NoMemory,
        };
        if registers.vertex_type().stride() != batch.stride {
            return self.draw(None);
        }
        Interpreter::new().transform(&batch, &mut out);
        let mut hasher = DefaultHasher::new();
        format!("{out:?}").hash(&mut hasher);
        hasher.finish()
    }
}

/// A state of the pixel path: its result is VRAM.
struct Pixels(PixelCase);

impl Case for Pixels {
    fn reaches(&self, change: Change) -> bool {
        matches!(change, Change::Flip(..))
    }

    fn draw(&mut self, change: Option<Change>) -> u64 {
        let case = &self.0;
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), RAM]);
        for (n, block) in memory.blocks().iter().enumerate() {
            let mut random = Random::new(n as u64);
            let words = block.as_slice().len() / 8;
            let bytes: Vec<u8> = (0..words).flat_map(|_| random.bits().to_le_bytes()).collect();
            block.as_slice().write_all(0, &bytes);
        }
        let registers = flipped(&case.registers, change);
        let (clut, maps, is_immediate) = (&case.clut, case.maps, case.is_immediate);
        let state = PixelState { registers: &registers, clut, memory: &memory, maps, is_immediate };
        let mut stage = Interpreter::new();
        stage.list_begins();
        with_queue(Tiling::new(1), &memory, |queue| {
            let mut primitives = case.primitives.clone();
            queue.draw(&mut stage, Submitted::new(state, &mut primitives));
            queue.finish();
        });
        stage.list_ends();
        let mut hasher = DefaultHasher::new();
        memory.blocks()[0].as_slice().snapshot().hash(&mut hasher);
        hasher.finish()
    }
}

/// Display lists: their words are changed; the result is VRAM.
struct Lists {
    program: Program,
    written: BTreeSet<Id>,
}

impl Lists {
    fn scene(number: u64) -> Self {
        let capture = Scene::all()[number as usize].capture();
        let mut case = Self { program: Program::of_capture(&capture), written: BTreeSet::new() };
        let mut written = BTreeSet::new();
        case.edited(&mut |word| {
            written.insert((*word >> 24) as Id);
        });
        case.written = written;
        case
    }

    /// The program with the words of its lists edited.
    fn edited(&self, edit: &mut dyn FnMut(&mut u32)) -> Program {
        let mut program = self.program.clone();
        let start = |step: &Step| match step {
            Step::Run(list) => Some(list.pc),
            _ => None,
        };
        let starts: BTreeSet<u32> = program.steps.iter().filter_map(start).collect();
        for step in &mut program.steps {
            let Step::Memory(address, bytes) = step else { continue };
            if !starts.contains(address) {
                continue;
            }
            let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
            let words = words.flat_map(|mut word| {
                edit(&mut word);
                word.to_le_bytes()
            });
            *bytes = words.collect::<Arc<[u8]>>();
        }
        program
    }
}

impl Case for Lists {
    fn reaches(&self, change: Change) -> bool {
        self.written.contains(&change.id())
    }

    fn draw(&mut self, change: Option<Change>) -> u64 {
        let program = self.edited(&mut |word| {
            let id = (*word >> 24) as Id;
            match change {
                Some(Change::Flip(changed, span)) if changed == id => *word ^= span.mask(),
                Some(Change::Drop(changed)) if changed == id => *word = 0,
                _ => {}
            }
        });
        let run = lists::run(&program, &mut Interpreter::new(), lists::Way::REFERENCE);
        let mut hasher = DefaultHasher::new();
        // Main memory has the lists themselves.
        run.memory.iter().filter(|(base, _)| *base == VRAM).for_each(|block| block.hash(&mut hasher));
        hasher.finish()
    }
}
