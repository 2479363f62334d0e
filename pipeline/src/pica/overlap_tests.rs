//! What a list sees of its own draws, on one thread and on several that are slow.

use super::Pica;
use super::command::CommandList;
use super::float::{Precision, encode_f24};
use super::observer::{Observer, View};
use super::stats::Stats;
use crate::fault::{Fault, FaultList};
use crate::guest_slice::GuestSlice;
use crate::memory::{BlockMemory, Memory, write_bytes};
use crate::pica::command::list_builder::ListBuilder;
use crate::pica::display::ScanOut;
use crate::pica::draw::submission::PIECE;
use crate::pica::draw::vertex_path::CHUNK;
use crate::pica::machine::budget::RunError;
use crate::pica::raster::Triangle;
use crate::pica::regs::geometry::Topology;
use crate::pica::stage::blit::{BlitStage, Fill};
use crate::pica::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives};
use crate::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, ShadedVertices, ShaderStage, TileBatch, TileRoutine,
    VertexBatch,
};
use crate::pica::testing::Bytes;
use crate::pica::transfer::TransferRegisters;
use crate::pica::vertex::SEMANTICS;
use crate::picture::Picture;
use crate::tile::{Tiling, Workers};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const LIST: u32 = 0x2000_0000;
const TARGET: u32 = 0x1800_0000;
const SIDE: u32 = 64;
/// Bytes of the target.
const BYTES: u32 = 4 * SIDE * SIDE;
/// A place that nobody draws to.
const APART: u32 = 0x1802_0000;
/// A register without meaning here.
const MARK: u16 = 0x0c3;

/// What is drawn: bytes at an address. Every draw draws the same, late.
type Paint = (u32, Vec<u8>);

struct Slow(Paint);

impl TileRoutine for Slow {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        thread::sleep(Duration::from_millis(15));
        write_bytes(batch.state.memory, self.0.0, &self.0.1);
        // Of a tile in halves once.
        if batch.tile.y0 == 0 { batch.order.len() as u64 } else { 0 }
    }
}

/// Every three vertices are a triangle that covers the window, in two parts. Notes the first component of each vertex.
#[derive(Default)]
struct Engine {
    paint: Paint,
    /// A list began, and has not ended.
    is_in_list: bool,
    seen: Vec<u8>,
    workers: Workers,
}

impl ShaderStage for Engine {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, _: &mut FaultList) {
        out.reset(batch.indices.len(), batch.output.components());
        out.values_mut().fill(1.0);
        for (i, &index) in batch.indices.iter().enumerate() {
            let [vector, ..] = batch.inputs.fetch(batch.memory, index, batch.precision);
            self.seen.push(vector[0] as u8);
            let position = [[-1.0, -1.0, -0.5], [3.0, -1.0, -0.5], [-1.0, 3.0, -0.5]][i % 3];
            (0..3).for_each(|k| out.component_mut(k)[i] = position[k]);
        }
    }

    fn run_geometry(&mut self, _: &mut GeometryRun<'_>, _: &mut Vec<Emission>, _: &mut FaultList) {}
}

impl PrimitiveStage for Engine {
    fn primitives(&mut self, batch: &PrimitiveBatch<'_>, _: &mut PendingVertices, out: &mut Primitives) {
        let is_list = batch.registers.primitive_config().topology() == Topology::List;
        for _ in batch.stream.chunks_exact(if is_list { 3 } else { 1 }) {
            let corners = ([0, 16 * SIDE as i32, 0], [0, 0, 16 * SIDE as i32]);
            let (x, y) = corners;
            let (z, r, p) = ([0.0; 3], [1.0; 3], [[0.0; SEMANTICS]; 3]);
            out.triangles.extend([0, 1].map(|_| Triangle { x, y, z, r, p, flat_colour: None }));
            out.ends.push(out.triangles.len() as u32);
        }
    }
}

impl BlitStage for Engine {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        Bytes.fill(memory, fill)
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        Bytes.transfer(memory, registers)
    }

    fn scan_out(&mut self, _: &dyn Memory, _: &ScanOut) -> Option<Picture> {
        None
    }
}

impl FragmentStage for Engine {
    fn fragment_routine(&mut self, _: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        Arc::new(Slow(self.paint.clone()))
    }

    fn list_begins(&mut self) {
        self.is_in_list = true;
    }

    fn list_ends(&mut self) {
        self.is_in_list = false;
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        Some(&mut self.workers)
    }
}

/// What happened.
#[derive(Debug, PartialEq)]
struct Outcome {
    seen: Vec<u8>,
    mark: u32,
    latch: f32,
    stats: Stats,
    memory: Vec<Vec<u8>>,
    ended: Result<(), RunError>,
}

/// A list that has set everything for draws of single bytes, found at `arrays`.
fn list(arrays: u32) -> ListBuilder {
    let scale = encode_f24(SIDE as f32 / 2.0);
    let mut list = ListBuilder::new();
    list.burst(0x041, &[scale, 0, scale, 0]).burst(0x112, &[15, 15, 0, 0]).write(0x100, 0x00e4_0000);
    list.burst(0x11c, &[0, TARGET >> 3, 1 << 24 | (SIDE - 1) << 12 | SIDE]);
    // Output 0 is the position; one array, one byte each.
    list.burst(0x04f, &[1, 0x0302_0100]).write(0x2bd, 1);
    list.burst(0x200, &[arrays >> 3, 1, 0, 0, 0, 1 << 28 | 1 << 16]);
    list
}

/// Runs a list.
fn run_with(
    tiling: Tiling,
    paint: &Paint,
    list: &ListBuilder,
    observer: Option<Box<dyn Observer>>,
) -> Outcome {
    let mut engine = Engine { paint: paint.clone(), ..Engine::default() };
    run_on(&mut engine, tiling, list, observer)
}

/// Runs a list on a new machine.
fn run_on(
    engine: &mut Engine,
    tiling: Tiling,
    list: &ListBuilder,
    observer: Option<Box<dyn Observer>>,
) -> Outcome {
    let memory = BlockMemory::zeroed(&[(TARGET, 0x4_0000), (LIST, 0x1_0000)]);
    let bytes = list.clone().finish();
    write_bytes(&memory, LIST, &bytes);
    let mut pica = Pica::new(Precision::Console);
    pica.set_tiling(tiling);
    pica.set_observer(observer);
    let list = CommandList { address: LIST, size_bytes: bytes.len() as u32 };
    let ended = pica.run(engine, &memory, list).map(|_| ());
    assert_eq!(pica.faults().as_slice(), []);
    let blocks = [(TARGET, 0x4_0000), (LIST, 0x1_0000)];
    Outcome {
        seen: std::mem::take(&mut engine.seen),
        mark: pica.registers().raw(MARK),
        latch: pica.attributes().latch()[0][0],
        stats: *pica.stats(),
        memory: blocks.map(|(at, length)| memory.region(at, length).unwrap().to_vec()).to_vec(),
        ended,
    }
}

const EAGER: Tiling = Tiling { threads: 3, tile: [64; 2], least_work: 0 };

/// What one thread gives, if several give the same.
fn run(paint: &Paint, list: &ListBuilder) -> Outcome {
    let [one, three] = [Tiling::new(1), EAGER].map(|tiling| run_with(tiling, paint, list, None));
    assert!(one.seen == three.seen, "other vertices");
    assert_eq!((one.stats, one.mark, one.latch), (three.stats, three.mark, three.latch));
    assert!(one == three);
    one
}

/// A draw fills the target with sevens.
fn sevens() -> Paint {
    (TARGET, vec![7; BYTES as usize])
}

/// Tiles are of the size that is good for so many threads.
#[test]
fn threads_have_their_tiles() {
    let mut pica = Pica::new(Precision::Console);
    for threads in [4, 2] {
        pica.set_threads(threads);
        let most = thread::available_parallelism().map_or(threads, usize::from);
        assert_eq!(pica.tiling, Tiling::new(threads.min(most)));
    }
}

/// The first run starts threads for itself, the next those that are kept: by the engine, not by the machine, which is another.
#[test]
fn engines_keep_threads() {
    let mut engine = Engine { paint: sevens(), ..Engine::default() };
    let mut list = list(APART);
    list.draw_arrays(0, 0, 3);
    for threads in ["None", "Some(2)"] {
        run_on(&mut engine, EAGER, &list, None);
        let workers = format!("{:?}", engine.workers);
        assert!(workers.contains(&format!("threads: {threads}")), "{workers}");
    }
}

#[test]
fn draws_of_a_run_overlap() {
    let mut list = list(APART);
    (0..8).for_each(|_| _ = list.draw_arrays(0, 0, 3));
    let started = std::time::Instant::now();
    let outcome = run_with(EAGER, &sevens(), &list, None);
    // One tile, so one after the other, but nobody waits before the end.
    assert_eq!((outcome.stats.fragments, outcome.stats.draws), (16, 8));
    assert!(started.elapsed() >= Duration::from_millis(8 * 15));
}

#[test]
fn vertices_in_the_target() {
    let mut list = list(TARGET + BYTES - 16);
    list.draw_arrays(0, 13, 3).draw_arrays(0, 16, 3).draw_arrays(0, 13, 3);
    assert_eq!(run(&sevens(), &list).seen, [[0; 3], [0; 3], [7; 3]].concat());
}

#[test]
fn indices_in_the_target() {
    let mut list = list(TARGET);
    list.draw_arrays(0, BYTES, 3).draw_elements(0, 8, 3);
    let indices = (TARGET + 8, vec![8, 0, 9, 0, 10, 0]);
    assert_eq!(run(&indices, &list).seen, [0, 0, 0, 8, 0, 9]);
}

/// So many triangles that the first are drawn before the last indices are read.
#[test]
fn indices_in_the_target_of_their_own_draw() {
    let mut list = list(TARGET);
    list.burst(0x065, &[3, 0, 15 | 15 << 16]);
    // All of them are 0, but where the draw drew before.
    list.write(0x11d, (TARGET + 0x1_c000) >> 3).draw_elements(1, 0x4020, 0xc000 + 50);
    let painted = |byte: u8| run(&(TARGET + 0x1_c000, vec![byte; BYTES as usize]), &list).stats.shaded;
    assert_eq!(painted(7), painted(0) + 1);
}

#[test]
fn the_latch_in_the_target() {
    let mut list = list(TARGET);
    list.draw_arrays(0, BYTES, 3).draw_arrays(0, 0, 3);
    assert_eq!(run(&sevens(), &list).latch, 7.0);
}

/// So many triangles that the first are drawn while the last are made, and before the latch is filled.
#[test]
fn the_latch_in_the_target_of_its_own_draw() {
    let mut list = list(TARGET);
    // A scissor, for the limit on pixels.
    list.burst(0x065, &[3, 0, 31 | 31 << 16]);
    list.write(0x11d, (TARGET + 0x8000) >> 3).draw_arrays(1, 0, 0x8000 + 50);
    let outcome = run(&(TARGET + 0x8000, vec![7; BYTES as usize]), &list);
    assert!(outcome.latch == 7.0 && outcome.seen.iter().all(|&byte| byte == 0));
}

#[test]
fn a_list_that_is_drawn() {
    let mut drawn = ListBuilder::new();
    drawn.write(MARK, 5);
    let mut list = list(APART);
    let bytes = drawn.finish();
    list.draw_arrays(0, 0, 3).jump(0, TARGET, bytes.len() as u32);
    assert_eq!(run(&(TARGET, bytes), &list).mark, 5);
}

#[test]
fn a_list_that_draws_over_itself() {
    let mut list = list(APART);
    list.write(0x11d, LIST >> 3).draw_arrays(0, 0, 3);
    let place = 4 * list.words().len() as u32;
    list.write(MARK, 5);
    assert_eq!(run(&(LIST + place, 6_u32.to_le_bytes().to_vec()), &list).mark, 6);
}

/// Pieces of a draw are drawn early only where that changes nothing.
#[test]
fn a_draw_over_its_own_vertices() {
    const { assert!(CHUNK > 3 * PIECE) };
    let count = 2 * CHUNK as u32;
    let mut list = list(TARGET);
    list.draw_arrays(0, 0, count).draw_arrays(0, 0, 3);
    let seen = run(&sevens(), &list).seen;
    assert!(seen[..count as usize].iter().all(|&byte| byte == 0) && seen[count as usize..] == [7; 3]);
    let mut list = self::list(APART);
    list.draw_arrays(0, 0, count);
    assert_eq!(run(&sevens(), &list).stats.draws, 1);
}

#[test]
fn everything_is_drawn_when_a_list_is_given_up() {
    let mut list = list(APART);
    list.draw_arrays(0, 0, 3).jump(0, 0x3000_0000, 64);
    let outcome = run(&sevens(), &list);
    assert_eq!(
        (outcome.ended, outcome.stats.fragments),
        (Err(RunError::Unmapped { address: 0x3000_0000 }), 2)
    );
    assert_eq!(outcome.memory[0][..BYTES as usize], sevens().1);
}

/// Notes fragments and the first byte of the target after each draw.
struct Watcher(Arc<Mutex<Vec<(u64, u8)>>>);

impl Observer for Watcher {
    fn draw_done(&mut self, view: View<'_>) {
        self.0.lock().unwrap().push((view.stats.fragments, view.memory.byte(TARGET)));
    }
}

#[test]
fn observers_see_draws_done() {
    let mut list = list(APART);
    list.draw_arrays(0, 0, 3).draw_arrays(0, 0, 3);
    for tiling in [Tiling::new(1), EAGER] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        run_with(tiling, &sevens(), &list, Some(Box::new(Watcher(Arc::clone(&seen)))));
        assert_eq!(*seen.lock().unwrap(), [(2, 7), (4, 7)]);
    }
}

/// Memory of a host that panics where the vertices are.
struct Broken(BlockMemory);

impl Memory for Broken {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        assert!(!(APART..APART + 64).contains(&address), "of the host");
        self.0.region(address, length)
    }
}

/// A panic of the host that somebody catches: the list ends for the engine, whose textures may be others then.
#[test]
fn lists_end_where_the_host_panics() {
    for tiling in [Tiling::new(1), EAGER] {
        let memory = Broken(BlockMemory::zeroed(&[(TARGET, 0x4_0000), (LIST, 0x1_0000)]));
        let bytes = list(APART).draw_arrays(0, 0, 3).clone().finish();
        write_bytes(&memory, LIST, &bytes);
        let (mut engine, mut pica) = (Engine::default(), Pica::new(Precision::Console));
        pica.set_tiling(tiling);
        let list = CommandList { address: LIST, size_bytes: bytes.len() as u32 };
        let run = AssertUnwindSafe(|| pica.run(&mut engine, &memory, list));
        assert!(catch_unwind(run).is_err() && !engine.is_in_list, "{tiling:?}");
    }
}
