//! What a list sees of its own draws, on one thread and on several that are slow.

mod sessions;

use super::Ge;
use super::display::FrameBuffer;
use super::display_list::DisplayList;
use super::list_builder::ListBuilder;
use super::observer::{Observer, View};
use super::raster::Primitive;
use super::regs::{Registers, op};
use super::stage::blit::BlitStage;
use super::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use super::stage::surface::{Surface, SurfaceBatch};
use super::stage::{PixelStage, PixelState, Remembered, TileBatch, TileRoutine, TransformStage, VertexBatch};
use super::stats::Stats;
use super::testing::Sketch;
use super::vertex::Vertex;
use super::vram::{AddressMaps, VRAM, VRAM_BYTES};
use crate::fault::{Fault, FaultList};
use crate::ge::machine::processor::{RunError, Stop};
use crate::memory::{BlockMemory, Memory, write_bytes};
use crate::picture::Picture;
use crate::stop::Stopper;
use crate::tile::{Tiling, Workers};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const LIST: u32 = 0x0880_0000;
const RAM: u32 = 0x0890_0000;
const RAM_BYTES: u32 = 0x2_0000;
/// What draws copy to the target.
const SOURCE: u32 = RAM;
/// Bytes of the target: 64 by 64 pixels of 8888.
const BYTES: u32 = 64 * 64 * 4;
const TARGET: u32 = VRAM + 0x1_0000;
/// A place that nobody draws to.
const APART: u32 = VRAM + 0x10_0000;

/// Draws late: copies what is at [`SOURCE`]. May stop the run.
struct Slow(Option<Stopper>);

impl TileRoutine for Slow {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        thread::sleep(Duration::from_millis(10));
        if let Some(stopper) = &self.0 {
            stopper.stop();
        }
        let memory = batch.state.memory;
        let source = memory.region(SOURCE, BYTES).expect("mapped").to_vec();
        write_bytes(memory, TARGET, &source);
        batch.tile.pixels()
    }
}

/// Every two vertices are a rectangle over the target, in two parts. Notes the first byte of each vertex, and what it is
/// told of memory.
#[derive(Default)]
struct Engine {
    seen: Vec<u8>,
    told: Vec<Told>,
    /// Is stopped by the first pixels.
    stops: Option<Stopper>,
    workers: Workers,
}

#[derive(Debug, PartialEq)]
enum Told {
    Begin,
    Changed(u32, u32),
    End,
}

impl TransformStage for Engine {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        out.clear();
        for &index in batch.indices {
            self.seen.push(batch.records.read((index * batch.stride) as usize));
            let at = 1024 * (index as i32 % 2);
            let (clip, texture) = ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0]);
            let (z, colour, secondary, fog, outside, reserved) = (0, 0, 0, 255, 0, [0; 2]);
            out.push(Vertex { clip, texture, x: at, y: at, z, colour, secondary, fog, outside, reserved });
        }
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        batch.remembered
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        batch.indices.is_empty()
    }

    fn immediate(&mut self, _: &Registers) -> Vertex {
        Vertex::EMPTY
    }

    fn surface(&mut self, _: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        None
    }
}

impl PrimitiveStage for Engine {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        Sketch.primitives(batch, pending, out);
    }
}

impl BlitStage for Engine {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        Sketch.block_transfer(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        Sketch.scan_out(memory, maps, frame)
    }
}

impl PixelStage for Engine {
    fn pixel_routine(&mut self, _: &PixelState<'_>, _: &[Primitive]) -> Arc<dyn TileRoutine> {
        Arc::new(Slow(self.stops.clone()))
    }

    fn list_begins(&mut self) {
        self.told.push(Told::Begin);
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.told.push(Told::Changed(address, length));
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        Some(&mut self.workers)
    }

    fn list_ends(&mut self) {
        self.told.push(Told::End);
    }
}

/// What happened.
#[derive(Debug, PartialEq)]
struct Outcome {
    seen: Vec<u8>,
    stats: Stats,
    vram: Vec<u8>,
    ram: Vec<u8>,
    clut: u8,
    state: Vec<u32>,
    ended: Result<Stop, RunError>,
}

impl Outcome {
    /// A byte of VRAM.
    fn at(&self, address: u32) -> u8 {
        self.vram[(address - VRAM) as usize]
    }
}

/// A list that has set everything for draws of single bytes, which lie at an address.
fn list(vertices: u32) -> ListBuilder {
    let mut list = ListBuilder::new();
    list.write(op::FBP, TARGET - VRAM)
        .write(op::FBW, 64)
        .write(op::PSM, 3)
        .write(op::VTYPE, 1 << 23 | 1 << 7);
    list.write(op::SCISSOR2, 63 << 10 | 63).write(op::REGION2, 63 << 10 | 63).vertices(vertices);
    list
}

/// A rectangle.
fn draw(list: &mut ListBuilder) -> &mut ListBuilder {
    list.prim(6, 2)
}

/// A transfer of 16 pixels.
fn transfer(list: &mut ListBuilder, from: u32, to: u32) -> &mut ListBuilder {
    list.wide_pointer(op::TRXSBP, op::TRXSBW, from, 64).wide_pointer(op::TRXDBP, op::TRXDBW, to, 64);
    list.write(op::TRXSPOS, 0).write(op::TRXDPOS, 0).write(op::TRXSIZE, 15).write(op::TRXKICK, 1)
}

/// Runs a list.
fn run_with(
    tiling: Tiling,
    source: &[u8],
    list: &ListBuilder,
    observer: Option<Box<dyn Observer>>,
) -> Outcome {
    run_on(&mut Engine::default(), tiling, source, (list, observer))
}

/// Runs a list on a new machine.
fn run_on(
    engine: &mut Engine,
    tiling: Tiling,
    source: &[u8],
    (list, observer): (&ListBuilder, Option<Box<dyn Observer>>),
) -> Outcome {
    let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (LIST, 0x1_0000), (RAM, RAM_BYTES)]);
    write_bytes(&memory, LIST, &list.clone().finish(0));
    write_bytes(&memory, SOURCE, source);
    let mut ge = Ge::new();
    ge.set_tiling(tiling);
    ge.set_observer(observer);
    let ended = ge.run(engine, &memory, &mut DisplayList::new(LIST, 0));
    assert_eq!(*ge.faults(), FaultList::default());
    let bytes = |at, length| memory.region(at, length).expect("mapped").to_vec();
    Outcome {
        seen: std::mem::take(&mut engine.seen),
        stats: *ge.stats(),
        vram: bytes(VRAM, VRAM_BYTES),
        ram: bytes(RAM, RAM_BYTES),
        clut: ge.clut().bytes()[0],
        state: ge.save().words().to_vec(),
        ended,
    }
}

const EAGER: Tiling = Tiling { threads: 3, tile: [64, 16], least_work: 0 };

/// What one thread gives, if several give the same.
fn run_from(source: &[u8], list: &ListBuilder) -> Outcome {
    let [one, three] = [Tiling::new(1), EAGER].map(|tiling| run_with(tiling, source, list, None));
    assert!(one.seen == three.seen, "other vertices");
    assert_eq!((one.stats, one.clut, one.ended), (three.stats, three.clut, three.ended));
    assert!(one == three);
    one
}

/// As [`run_from`] where draws fill the target with sevens.
fn run(list: &ListBuilder) -> Outcome {
    run_from(&[7; BYTES as usize], list)
}

/// Tiles are of the size that is good for so many threads.
#[test]
fn threads_have_their_tiles() {
    let mut ge = Ge::new();
    for threads in [4, 2] {
        ge.set_threads(threads);
        let most = thread::available_parallelism().map_or(threads, usize::from);
        assert_eq!(ge.tiling, Tiling::new(threads.min(most)));
    }
}

/// The first run starts threads for itself, the next those that are kept: by the engine, not by the machine, which is another.
#[test]
fn engines_keep_threads() {
    let (mut engine, mut list) = (Engine::default(), list(APART));
    draw(&mut list);
    for threads in ["None", "Some(2)"] {
        run_on(&mut engine, EAGER, &[7; BYTES as usize], (&list, None));
        let workers = format!("{:?}", engine.workers);
        assert!(workers.contains(&format!("threads: {threads}")), "{workers}");
    }
}

#[test]
fn draws_to_one_target_overlap() {
    let mut list = list(APART);
    (0..3).for_each(|_| _ = draw(&mut list));
    let outcome = run(&list);
    assert_eq!((outcome.seen.len(), outcome.at(TARGET), outcome.at(TARGET + BYTES - 1)), (6, 7, 7));
    assert_eq!(outcome.stats.draws, 3);
}

#[test]
fn vertices_and_indices_that_were_drawn() {
    let mut list = list(TARGET + 40);
    draw(draw(&mut list));
    assert_eq!(run(&list).seen, [0, 0, 7, 7]);
    // Record 0 is a seven, record 7 is not.
    let mut list = self::list(APART);
    draw(&mut list).write(op::VTYPE, 1 << 23 | 1 << 11 | 1 << 7).indices(TARGET);
    draw(list.vertices(SOURCE + BYTES - 15));
    assert_eq!(run(&list).seen, [0, 0, 0], "index 7, twice");
}

/// What the first vertices of a draw draw changes none of the later ones.
#[test]
fn vertices_in_their_own_target() {
    let mut list = list(TARGET);
    list.prim(6, 5000);
    let outcome = run(&list);
    assert_eq!((outcome.seen.len(), outcome.at(TARGET + 3 * 4999)), (5000, 7));
    assert!(outcome.seen.iter().all(|&byte| byte == 0));
}

/// Nor is what the last vertex has looked up afterwards.
#[test]
fn what_is_remembered_was_not_drawn() {
    let mut list = list(TARGET);
    list.write(op::VTYPE, 1 << 23 | 1 << 7 | 1);
    draw(&mut list);
    let states = [Tiling::new(1), EAGER].map(|tiling| {
        let mut ge = Ge::new();
        ge.set_tiling(tiling);
        let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (LIST, 0x1000), (RAM, RAM_BYTES)]);
        write_bytes(&memory, LIST, &list.clone().finish(0));
        write_bytes(&memory, SOURCE, &[7; BYTES as usize]);
        let ended = ge.run(&mut Engine::default(), &memory, &mut DisplayList::new(LIST, 0));
        assert_eq!(ended, Ok(Stop::Finished { token: 0 }));
        ge.state.remembered
    });
    assert_eq!(states.map(|remembered| remembered.texture), [[0.0; 2]; 2]);
}

#[test]
fn colour_tables_that_were_drawn() {
    let mut list = list(APART);
    draw(&mut list).wide_pointer(op::CBP, op::CBPH, TARGET, 0).write(op::CLOAD, 1);
    assert_eq!(run(&list).clut, 7);
    let mut list = self::list(APART);
    draw(&mut list).wide_pointer(op::CBP, op::CBPH, TARGET + 0x0040_0000, 0).write(op::CLOAD, 1);
    assert_eq!(run(&list).clut, 7, "through a mirror");
}

/// A list goes on in the target, where a draw has written the end.
#[test]
fn lists_that_were_drawn() {
    let mut end = ListBuilder::new();
    let mut list = list(APART);
    draw(&mut list).address(op::JUMP, TARGET);
    assert_eq!(run_from(&end.finish(9), &list).ended, Ok(Stop::Finished { token: 9 }));
}

#[test]
fn transfers_from_and_to_what_was_drawn() {
    let mut list = list(APART);
    transfer(draw(&mut list), TARGET, RAM + 0x1_0000);
    assert_eq!(run(&list).ram[0x1_0000..0x1_0041], [[7; 64].as_slice(), &[0]].concat());
    let mut list = self::list(APART);
    transfer(draw(&mut list), RAM + 0x1_0000, TARGET);
    let outcome = run(&list);
    assert_eq!((outcome.at(TARGET + 63), outcome.at(TARGET + 64)), (0, 7));
}

/// The draw's texture is the source.
#[test]
fn transfers_to_a_texture() {
    let mut list = list(APART);
    list.write(op::TME, 1).wide_pointer(op::TBP0, op::TBW0, SOURCE, 64).write(op::TSIZE0, 0x0606);
    list.write(op::TPSM, 3);
    transfer(draw(&mut list), RAM + 0x1_0000, SOURCE);
    let outcome = run(&list);
    assert_eq!((outcome.at(TARGET), outcome.ram[0], outcome.ram[64]), (7, 0, 7));
}

#[test]
fn runs_end_when_all_is_drawn() {
    let mut list = list(APART);
    draw(&mut list).address(op::JUMP, 0x0a00_0000);
    let outcome = run(&list);
    assert_eq!(outcome.ended, Err(RunError::Unmapped { address: 0x0a00_0000 }));
    assert_eq!(outcome.at(TARGET), 7);
}

/// Notes what is in the target when it is told.
struct Watcher(Arc<Mutex<Vec<u8>>>);

impl Observer for Watcher {
    fn draw_done(&mut self, view: View<'_>) {
        self.0.lock().expect("nobody panics").push(view.memory.byte(TARGET));
    }
}

#[test]
fn observers_see_draws_done() {
    let mut list = list(APART);
    draw(draw(&mut list));
    for tiling in [Tiling::new(1), EAGER] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let watcher = Box::new(Watcher(Arc::clone(&seen)));
        run_with(tiling, &[7; BYTES as usize], &list, Some(watcher));
        assert_eq!(*seen.lock().expect("nobody panics"), [7, 7], "{tiling:?}");
    }
}
