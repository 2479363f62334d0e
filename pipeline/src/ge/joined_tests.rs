//! Draws that go together against the same draws one by one: each vertex and each pixel meets the state of its own draw.

use super::display::FrameBuffer;
use super::display_list::DisplayList;
use super::limits::Limits;
use super::list_builder::ListBuilder;
use super::machine::processor::{RunError, Stop};
use super::matrix_ports::MatrixPort;
use super::observer::Observer;
use super::raster::Primitive;
use super::regs::same::{Mask, OF_PIXELS, OF_VERTICES};
use super::regs::{Registers, op};
use super::stage::blit::BlitStage;
use super::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use super::stage::surface::{Surface, SurfaceBatch};
use super::stage::{PixelStage, PixelState, Remembered, TileBatch, TileRoutine, TransformStage, VertexBatch};
use super::stats::Stats;
use super::testing::Sketch;
use super::vertex::Vertex;
use super::vram::{AddressMaps, VRAM, VRAM_BYTES};
use super::{Ge, matrices::Matrices};
use crate::fault::Fault;
use crate::guest_slice::GuestSlice;
use crate::memory::{BlockMemory, Memory, write_bytes};
use crate::picture::Picture;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

const LIST: u32 = 0x0880_0000;
const RAM: u32 = 0x0890_0000;
/// Vertices, whose first byte is their number.
const VERTICES: u32 = RAM;
/// What textures are read from.
const TEXELS: u32 = RAM + 0x1000;
/// What transfers read, other than texels are.
const SOURCE: u32 = RAM + 0x2000;

/// Looks at nothing: each draw is drawn by itself.
struct Blind;

impl Observer for Blind {}

fn digest(state: impl Hash) -> u32 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish() as u32
}

fn masked(registers: &Registers, mask: &Mask) -> Vec<u32> {
    registers.words().iter().zip(mask).map(|(word, mask)| word & mask).collect()
}

fn bits(matrices: &Matrices) -> Vec<u32> {
    let Matrices { bones, world, view, projection, texture } = matrices;
    let all = bones.iter().chain(world).chain(view).chain(projection).chain(texture);
    all.map(|element| element.to_bits()).collect()
}

/// First byte and state of a corner, state of its pixel.
type Seen = (u32, u32, u32);

/// Each vertex holds its first byte and a digest of what it depends on. Corners are noted when they are drawn.
#[derive(Default)]
struct Engine {
    batches: u32,
    /// A list began, and has not ended.
    is_in_list: bool,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// Draws of one state.
struct Log {
    state: u32,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl TileRoutine for Log {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        let corners = batch.order.iter().flat_map(|&n| batch.primitives[n as usize].corners);
        let seen = corners.map(|corner| (corner.colour, corner.secondary, self.state));
        self.seen.lock().expect("nobody panics").extend(seen);
        batch.order.len() as u64
    }
}

impl TransformStage for Engine {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        self.batches += 1;
        out.clear();
        let state = digest((masked(batch.registers, &OF_VERTICES), bits(batch.matrices)));
        for &index in batch.indices {
            let colour = batch.records.read((index * batch.stride) as usize).into();
            let at = 16 * (colour as i32 % 48);
            out.push(Vertex { x: at, y: at / 2, colour, secondary: state, ..Vertex::EMPTY });
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
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        let shape = Primitive::shape_of(primitives);
        let registers = masked(state.registers, &OF_PIXELS);
        let texels = state.memory.region(TEXELS, 64).expect("mapped").to_vec();
        let state = digest((registers, *state.clut.bytes(), texels, format!("{shape:?}")));
        Arc::new(Log { state, seen: Arc::clone(&self.seen) })
    }

    fn list_begins(&mut self) {
        self.is_in_list = true;
    }

    fn list_ends(&mut self) {
        self.is_in_list = false;
    }
}

/// What a list leaves behind.
#[derive(Debug, PartialEq)]
struct Outcome {
    seen: Vec<Seen>,
    stats: Stats,
    work: u64,
    state: Vec<u32>,
    ended: Result<Stop, RunError>,
}

fn run_with(list: &ListBuilder, limits: Limits, observer: Option<Box<dyn Observer>>) -> (Outcome, u32) {
    let memory = BlockMemory::zeroed(&[(VRAM, VRAM_BYTES), (LIST, 0x1_0000), (RAM, 0x1_0000)]);
    write_bytes(&memory, LIST, &list.clone().finish(0));
    write_bytes(&memory, VERTICES, &(0..=255).flat_map(|n| [n, 0, 0]).collect::<Vec<u8>>());
    write_bytes(&memory, SOURCE, &[7; 0x400]);
    let mut engine = Engine::default();
    let mut ge = Ge::new().with_limits(limits);
    ge.set_observer(observer);
    let ended = ge.run(&mut engine, &memory, &mut DisplayList::new(LIST, 0));
    let seen = engine.seen.lock().expect("nobody panics").clone();
    let (stats, work, state) = (*ge.stats(), ge.work(), ge.save().words().to_vec());
    (Outcome { seen, stats, work, state, ended }, engine.batches)
}

/// Runs a list; both ways have to give the same. The number of batches of vertices when draws go together.
fn run_within(list: &ListBuilder, limits: Limits) -> (Outcome, u32) {
    let (together, batches) = run_with(list, limits, None);
    let (one_by_one, _) = run_with(list, limits, Some(Box::new(Blind)));
    assert_eq!(together, one_by_one);
    (together, batches)
}

fn run(list: &ListBuilder) -> (Outcome, u32) {
    run_within(list, Limits::DEFAULT)
}

/// A list in whose state three lines were drawn, of which two wait.
fn list() -> ListBuilder {
    let mut list = ListBuilder::new();
    list.write(op::FBW, 64).write(op::PSM, 3).write(op::VTYPE, 1 << 23 | 1 << 7);
    list.write(op::SCISSOR2, 63 << 10 | 63).write(op::REGION2, 63 << 10 | 63).vertices(VERTICES);
    draws(&mut list, 3);
    list
}

fn draws(list: &mut ListBuilder, count: u32) -> &mut ListBuilder {
    (0..count).for_each(|_| _ = list.prim(1, 2));
    list
}

#[test]
fn draws_in_one_state() {
    let (outcome, batches) = run(&list());
    assert_eq!((outcome.seen.len(), outcome.stats.draws, batches), (9, 3, 2));
    assert!(outcome.seen.iter().all(|seen| (seen.1, seen.2) == (outcome.seen[0].1, outcome.seen[0].2)));
}

/// Where several draws were in a state, the first one of the next waits for others. Single ones end that.
#[test]
fn draws_in_states_one_after_the_other() {
    let mut list = list();
    draws(list.write(op::TBP0, 0x100), 3);
    assert_eq!(run(&list).1, 2 + 1);
    draws(list.write(op::XSCALE, 0x100), 1);
    draws(list.write(op::XSCALE, 0x200), 2);
    assert_eq!(run(&list).1, 3 + 1 + 2);
}

/// Each register by itself, with a word that differs in one bit or in many.
#[test]
fn registers_between_draws() {
    for command in 0..=u8::MAX {
        let is_flow = matches!(command, op::PRIM..=op::ORIGIN) || command == op::TRXKICK;
        for argument in [0x1, 0x5_5555, 0x80_0000, 0xff_ffff] {
            if !is_flow {
                let mut list = list();
                run(draws(list.write(command, argument), 3));
            }
        }
    }
}

#[test]
fn words_that_change_nothing() {
    let mut list = list();
    for (command, argument) in [(op::FBW, 64), (op::PSM, 3), (op::TBP0, 0), (op::CBP, 5), (op::NOP, 9)] {
        draws(list.write(command, argument), 1);
    }
    // Zeros, as after reset.
    draws(list.write(op::WMS, 0).float(op::WORLD, 0.0).wide_pointer(op::CBP, op::CBPH, TEXELS, 0), 1);
    draws(list.write(op::CLOAD, 2), 1);
    let (outcome, batches) = run(&list);
    assert_eq!((outcome.stats.draws, batches), (10, 2));
}

#[test]
fn matrices_between_draws() {
    for port in MatrixPort::ALL {
        for element in [0, 1, port.elements() as u32 - 1, port.elements() as u32] {
            let mut list = list();
            list.write(port.number_command(), element).float(port.data_command(), -0.0);
            draws(&mut list, 2);
            draws(list.float(port.data_command(), 2.0), 2);
            run(&list);
        }
    }
}

#[test]
fn colour_tables_between_draws() {
    let mut list = list();
    list.wide_pointer(op::CBP, op::CBPH, SOURCE, 0);
    draws(list.write(op::CLOAD, 1), 2);
    let (outcome, batches) = run(&list);
    assert_ne!(outcome.seen[0].2, outcome.seen[14].2, "a table of sevens");
    assert_eq!(batches, 3);
}

#[test]
fn transfers_between_draws() {
    let mut list = list();
    list.wide_pointer(op::TRXSBP, op::TRXSBW, SOURCE, 64).wide_pointer(op::TRXDBP, op::TRXDBW, TEXELS, 64);
    list.write(op::TRXSPOS, 0).write(op::TRXDPOS, 0).write(op::TRXSIZE, 15).write(op::TRXKICK, 1);
    let (outcome, _) = run(draws(&mut list, 2));
    assert_ne!(outcome.seen[0].2, outcome.seen[14].2, "texels are sevens");
}

#[test]
fn primitives_between_draws() {
    for kind in 0..8 {
        let mut list = list();
        list.prim(kind, 3).prim(kind, 2).prim(7, 2).prim(kind, 1).prim(7, 3);
        run(draws(&mut list, 2));
        // Through another type of vertices too.
        list.write(op::VTYPE, 1 << 23 | 1 << 11 | 1 << 7).indices(VERTICES).prim(kind, 4).prim(kind, 5);
        run(&list);
    }
}

/// What waits was promised to be done, whatever other commands spend until then.
#[test]
fn commands_that_spend_everything() {
    let mut list = list();
    list.address(op::JUMP, LIST + list.bytes());
    for work in [40_000_000, 60_000_000] {
        let (outcome, _) = run_within(&list, Limits::DEFAULT.with_work(work).with_commands(u32::MAX));
        assert_eq!(outcome.ended, Err(RunError::Budget { limit: work }));
        assert_eq!(outcome.seen.len(), 9);
    }
}

#[test]
fn limits_among_draws_that_wait() {
    let mut list = list();
    let last = draws(&mut list, 5).words().len() as u32;
    for limit in 0..u64::from(last) {
        run_within(&list, Limits::DEFAULT.with_run_vertices(limit));
        run_within(&list, Limits::DEFAULT.with_commands(limit as u32));
        run_within(&list, Limits::DEFAULT.with_work(1000 * limit));
        run_within(&list, Limits::DEFAULT.with_run_pixels(4 * limit));
        run_within(&list, Limits::DEFAULT.with_pixels(limit));
    }
}

/// Memory of a host that panics where a list goes on.
struct Broken(BlockMemory, u32);

impl Memory for Broken {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        assert!(address != self.1, "of the host");
        self.0.region(address, length)
    }
}

/// A panic of the host that somebody catches: the list ends for the engines, and nothing of it is drawn by the next one.
#[test]
fn draws_that_wait_when_the_host_panics() {
    let elsewhere = LIST + 0x8000;
    let blocks = [(VRAM, VRAM_BYTES), (LIST, 0x1_0000), (RAM, 0x1_0000)];
    let memory = Broken(BlockMemory::zeroed(&blocks), elsewhere);
    write_bytes(&memory.0, LIST, &list().address(op::JUMP, elsewhere).clone().finish(0));
    write_bytes(&memory.0, LIST + 0x4000, &ListBuilder::new().finish(0));
    let (mut engine, mut ge) = (Engine::default(), Ge::new());
    let mut run = |from, engine: &mut Engine| {
        let mut list = DisplayList::new(from, 0);
        catch_unwind(AssertUnwindSafe(|| ge.run(engine, &memory, &mut list)))
    };
    let corners = |engine: &Engine| engine.seen.lock().expect("nobody panics there").len();
    assert!(run(LIST, &mut engine).is_err() && !engine.is_in_list);
    assert_eq!(corners(&engine), 3, "two draws wait");
    let stop = run(LIST + 0x4000, &mut engine).expect("the host is well");
    assert_eq!((stop, corners(&engine)), (Ok(Stop::Finished { token: 0 }), 3));
}
