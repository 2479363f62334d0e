//! Order inside tiles, waiting, and panics, with engines that note what they are asked to draw.

use super::*;
use crate::guest_slice::GuestSlice;
use crate::memory::BlockMemory;
use crate::pica::raster::Triangle;
use crate::pica::raster::testing::{random, window_triangle};
use crate::pica::regs::Registers;
use crate::pica::stage::TileBatch;
use crate::pica::vertex::SEMANTICS;
use crate::rect::Rect;
use crate::stop::Stopper;
use crate::tile::Workers;
use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::Duration;

const COLOUR: u32 = 0x1800_0000;
const DEPTH: u32 = 0x1810_0000;

/// Draw and triangle.
type Mark = (u32, u32);

/// What was drawn.
#[derive(Default)]
struct Log {
    /// The triangles that covered each pixel of the colour buffer at an address, in the order of drawing.
    pixels: Mutex<BTreeMap<(u32, i32, i32), Vec<Mark>>>,
    tiles: Mutex<Vec<Rect>>,
    threads: Mutex<HashSet<ThreadId>>,
    /// What memory was told, and how many draws were complete by then.
    written: Mutex<Vec<(u32, u32)>>,
}

/// Draws the bounds of triangles into a log.
struct Recorder {
    log: Arc<Log>,
    draw: u32,
    delay: Duration,
}

impl TileRoutine for Recorder {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        thread::sleep(self.delay);
        self.log.tiles.lock().unwrap().push(batch.tile);
        self.log.threads.lock().unwrap().insert(thread::current().id());
        let address = batch.target.ranges()[0].0;
        let mut drawn: BTreeMap<_, Vec<Mark>> = BTreeMap::new();
        for &n in batch.order {
            // Triangles have their number in z, and their vertices too.
            let triangle = batch.triangles.get(n as usize).expect("a triangle");
            assert_eq!(triangle.p.as_flattened(), [triangle.z[0]; 3 * SEMANTICS]);
            let area = triangle.bounds().intersect(batch.tile);
            for (x, y) in (area.y0..area.y1).flat_map(|y| (area.x0..area.x1).map(move |x| (x, y))) {
                drawn.entry((address, x, y)).or_default().push((self.draw, triangle.z[0] as u32));
            }
        }
        let fragments = drawn.values().map(Vec::len).sum::<usize>() as u64;
        let mut pixels = self.log.pixels.lock().unwrap();
        drawn.into_iter().for_each(|(at, order)| pixels.entry(at).or_default().extend(order));
        fragments
    }
}

/// Makes a recorder for each draw.
struct Stage {
    log: Arc<Log>,
    routines: u32,
    delay: Duration,
}

impl FragmentStage for Stage {
    fn fragment_routine(&mut self, _: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        self.routines += 1;
        Arc::new(Recorder { log: Arc::clone(&self.log), draw: self.routines, delay: self.delay })
    }
}

/// Memory that logs what it is told.
struct Told {
    memory: BlockMemory,
    log: Arc<Log>,
}

impl Memory for Told {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        self.log.written.lock().unwrap().push((address, length));
    }
}

/// Registers, tables and draws of a test.
struct Rig {
    registers: Registers,
    luts: LutMemory,
    log: Arc<Log>,
    delay: Duration,
}

impl Rig {
    /// A target of 240x219.
    fn new() -> Self {
        let mut registers = Registers::new();
        let words = [
            (0x112, 15),
            (0x113, 15),
            (0x11c, DEPTH >> 3),
            (0x11d, COLOUR >> 3),
            (0x11e, 0x0100_00f0 | 218 << 12),
        ];
        words.iter().for_each(|&(id, word)| registers.set_raw(id, word));
        let (luts, log) = (LutMemory::default(), Arc::new(Log::default()));
        Self { registers, luts, log, delay: Duration::ZERO }
    }

    /// Lends a queue to `work`, which may be eager to hand over.
    fn with(&mut self, tiling: Tiling, work: impl FnOnce(&mut Self, &mut dyn TileQueue, &mut Stage)) -> u64 {
        let memory = Told { memory: BlockMemory::console(), log: Arc::clone(&self.log) };
        let mut stage = Stage { log: Arc::clone(&self.log), routines: 0, delay: self.delay };
        with_queue(tiling, &mut Workers::default(), &memory, &Stopper::default(), |queue| {
            work(self, queue, &mut stage);
            queue.finish();
            assert!(queue.is_idle());
            queue.take_fragments()
        })
    }

    fn draw(&self, queue: &mut dyn TileQueue, stage: &mut Stage, triangles: &[Triangle]) {
        self.piece(queue, stage, triangles, [true, true]);
    }

    fn piece(
        &self,
        queue: &mut dyn TileQueue,
        stage: &mut Stage,
        triangles: &[Triangle],
        [is_first, is_last]: [bool; 2],
    ) {
        let (state, memory) = ((&self.registers, &self.luts), BlockMemory::console());
        let mut triangles = triangles.into();
        let draw = Submitted::new(state, &mut triangles, &memory);
        queue.draw(stage, Submitted { is_first, is_last, ..draw });
    }

    /// The log, and a new one in its place.
    fn take(&mut self) -> Log {
        let log = std::mem::take(&mut self.log);
        Arc::into_inner(log).expect("nobody draws any more")
    }
}

/// Triangles of all sizes, partly outside, with their numbers in z.
fn triangles(seed: &mut u64, count: usize) -> Vec<Triangle> {
    let triangles = (0..count).filter_map(|n| {
        let size = [160, 800, 4000][n % 3];
        let [x, y] = [(); 2].map(|()| random(seed, 5000) - 600);
        window_triangle([(); 3].map(|()| [x, y].map(|at| at + random(seed, size) - size / 2)))
    });
    let numbered = (0_u16..).zip(triangles);
    numbered.map(|(n, triangle)| with_number(triangle, n)).collect()
}

fn with_number(triangle: Triangle, number: u16) -> Triangle {
    let number = f32::from(number);
    Triangle { z: [number; 3], p: [[number; SEMANTICS]; 3], ..triangle }
}

/// Hands everything over at once.
fn eager(threads: usize, side: u32) -> Tiling {
    Tiling { threads, tile: [side; 2], least_work: 0 }
}

fn pixels(log: Log) -> BTreeMap<(u32, i32, i32), Vec<Mark>> {
    log.pixels.into_inner().unwrap()
}

/// Many draws, small and large, in one piece or several, with scissors and to two targets.
fn scene(rig: &mut Rig, queue: &mut dyn TileQueue, stage: &mut Stage) {
    let mut seed = 2;
    for n in 0..60 {
        let count = [1, 4, 90][random(&mut seed, 3) as usize];
        let all = triangles(&mut seed, count);
        rig.registers.set_raw(0x065, [0, 1, 3][random(&mut seed, 3) as usize]);
        rig.registers.set_raw(0x066, 33 | 21 << 16);
        rig.registers.set_raw(0x067, 200 | 777 << 16);
        rig.registers.set_raw(0x11d, (if n % 20 < 15 { COLOUR } else { 0x1830_0000 }) >> 3);
        let (first, rest) = all.split_at(all.len() / 2);
        if first.is_empty() || n % 2 == 0 {
            rig.draw(queue, stage, &all);
        } else {
            rig.piece(queue, stage, first, [true, false]);
            rig.piece(queue, stage, rest, [false, true]);
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "too slow")]
fn threads_tiles_and_pieces_do_not_change_the_order_at_a_pixel() {
    let mut rig = Rig::new();
    let fragments = rig.with(Tiling::new(1), scene);
    let log = rig.take();
    let written = log.written.lock().unwrap().clone();
    let whole = pixels(log);
    assert_eq!(fragments, whole.values().map(Vec::len).sum::<usize>() as u64);
    assert!(fragments > 100_000 && whole.values().all(|order| order.is_sorted()));
    assert!(whole.keys().all(|&(_, x, y)| (0..240).contains(&x) && (0..219).contains(&y)));
    for tiling in [eager(2, 64), eager(5, 8), eager(5, 100), Tiling::new(2), Tiling::new(3)] {
        assert_eq!(rig.with(tiling, scene), fragments, "{tiling:?}");
        let log = rig.take();
        let told = log.written.lock().unwrap().clone();
        assert!(told.len() < written.len() && !told.is_empty(), "draws overlap");
        assert!(written.iter().all(|range| told.contains(range)));
        assert!(pixels(log) == whole, "{tiling:?}");
    }
}

#[test]
fn a_draw_with_more_entries_than_a_batch_holds() {
    let full: Vec<Triangle> = (0..3000_u16)
        .map(|n| with_number(window_triangle([[0, 0], [4000, 0], [0, 4000]]).unwrap(), n))
        .collect();
    let mut rig = Rig::new();
    rig.registers.set_raw(0x11e, 0x0100_0020 | 31 << 12);
    let mut seen = [1, 3].map(|threads| {
        let work =
            |rig: &mut Rig, queue: &mut dyn TileQueue, stage: &mut Stage| rig.draw(queue, stage, &full);
        assert_eq!(rig.with(eager(threads, 8), work), 3000 * 32 * 32);
        pixels(rig.take())
    });
    assert!(seen[0] == seen[1]);
    assert!(seen[0].pop_first().unwrap().1.is_sorted());
}

/// How many tiles were drawn when a second draw, after `change`, was submitted: all four of the first, or fewer.
fn waits(change: &[(u16, u32)]) -> bool {
    let mut rig = Rig::new();
    rig.delay = Duration::from_millis(20);
    rig.registers.set_raw(0x11e, 0x0100_0080 | 127 << 12);
    // Texture 0 is 8x8 pixels of a byte.
    [(0x082, 0x0008_0008), (0x08e, 7)].iter().for_each(|&(id, word)| rig.registers.set_raw(id, word));
    let triangle = [window_triangle([[0, 0], [4096, 0], [0, 4096]]).unwrap()];
    let mut drawn = 0;
    rig.with(eager(2, 64), |rig, queue, stage| {
        rig.draw(queue, stage, &triangle);
        change.iter().for_each(|&(id, word)| rig.registers.set_raw(id, word));
        stage.delay = Duration::ZERO;
        rig.draw(queue, stage, &triangle);
        drawn = rig.log.tiles.lock().unwrap().len();
    });
    drawn >= 4
}

#[test]
fn draws_wait_only_for_what_they_depend_on() {
    assert!(!waits(&[]));
    assert!(!waits(&[(0x115, 3), (0x100, 0x00e4_0000), (0x085, COLOUR >> 3)]), "the texture is off");
    assert!(!waits(&[(0x080, 1), (0x085, DEPTH >> 3)]), "nobody uses depth");
    assert!(waits(&[(0x11d, DEPTH >> 3)]), "another target");
    assert!(waits(&[(0x080, 1), (0x085, COLOUR >> 3)]), "a texture is the target");
    assert!(waits(&[(0x115, 3), (0x11c, (COLOUR + 64) >> 3)]), "depth overlaps colour");
}

#[test]
fn reading_waits_for_what_is_drawn_there() {
    let triangle = [window_triangle([[0, 0], [4096, 0], [0, 4096]]).unwrap()];
    let mut rig = Rig::new();
    rig.with(eager(2, 64), |rig, queue, stage| {
        for (bytes, waits) in [((DEPTH, 64), false), ((COLOUR - 64, 64), false), ((COLOUR - 64, 65), true)] {
            rig.draw(queue, stage, &triangle);
            queue.before_read(bytes);
            assert_eq!(queue.is_idle(), waits, "{bytes:x?}");
            queue.finish();
            rig.draw(queue, stage, &triangle);
            queue.start_list(bytes);
            assert_eq!(queue.is_idle(), waits, "a list at {bytes:x?}");
            // The list is being read, so drawing to it is no work for later.
            rig.draw(queue, stage, &triangle);
            assert_eq!(queue.is_idle(), waits, "a list at {bytes:x?}");
            queue.start_list((0, 0));
            queue.finish();
        }
    });
}

#[test]
fn entangled_draws_are_one_tile() {
    let mut seed = 3;
    let all = triangles(&mut seed, 40);
    let tiles = |changes: &[(u16, u32)]| {
        let mut rig = Rig::new();
        changes.iter().for_each(|&(id, word)| rig.registers.set_raw(id, word));
        rig.with(eager(2, 64), |rig, queue, stage| rig.draw(queue, stage, &all));
        rig.take().tiles.into_inner().unwrap().len()
    };
    let texture = [(0x085, COLOUR >> 3), (0x082, 0x0008_0008)];
    // The last one may be drawn in halves.
    assert!(matches!(tiles(&[]), 16 | 17));
    assert!(matches!(tiles(&texture), 16 | 17), "the unit is off");
    assert_eq!(tiles(&[texture[0], texture[1], (0x080, 1)]), 1, "a texture is the target");
    assert_eq!(tiles(&[(0x11c, (COLOUR + 64) >> 3), (0x115, 3)]), 1, "depth overlaps colour");
    assert_eq!(tiles(&[(0x11e, 0x0100_00ef | 218 << 12)]), 1, "half a block");
}

/// Code draws whole quads of a block, so threads must not meet in one.
#[test]
fn tiles_end_where_blocks_do() {
    for (height, top_first) in (210..218).flat_map(|height| [(height, false), (height, true)]) {
        let mut rig = Rig::new();
        rig.registers.set_raw(0x11e, u32::from(top_first) << 24 | (height - 1) << 12 | 0xf0);
        rig.with(eager(3, 16), |rig, queue, stage| rig.draw(queue, stage, &triangles(&mut 5, 90)));
        let log = rig.take();
        let height = height as i32;
        let is_end = |y: i32| y == 0 || y == height || (if top_first { height - y } else { y }) % 8 == 0;
        let tiles = log.tiles.lock().unwrap();
        assert!(tiles.len() > 20, "{tiles:?}");
        assert!(
            tiles.iter().all(|tile| is_end(tile.y0) && is_end(tile.y1)),
            "{height} {top_first}: {tiles:?}"
        );
    }
}

#[test]
fn too_many_textures_wait() {
    let triangle = [window_triangle([[0, 0], [64, 0], [0, 64]]).unwrap()];
    let mut rig = Rig::new();
    // 1024x1024 pixels of four bytes.
    [(0x080, 1), (0x082, 0x0400_0400)].iter().for_each(|&(id, word)| rig.registers.set_raw(id, word));
    rig.with(Tiling::new(2), |rig, queue, stage| {
        let mut waited = Vec::new();
        for n in 0..12 {
            rig.registers.set_raw(0x085, (0x2000_0000 + 0x40_0000 * (n / 2)) >> 3);
            let before = rig.log.tiles.lock().unwrap().len();
            rig.draw(queue, stage, &triangle);
            waited.push(rig.log.tiles.lock().unwrap().len() > before);
        }
        let expected: Vec<bool> = (0..12).map(|n| n == 8).collect();
        assert_eq!(waited, expected, "the fifth texture");
    });
}

#[test]
fn small_draws_stay_on_the_calling_thread() {
    let triangle = [window_triangle([[0, 0], [900, 0], [0, 900]]).unwrap()];
    let mut rig = Rig::new();
    rig.with(Tiling::new(4), |rig, queue, stage| rig.draw(queue, stage, &triangle));
    assert_eq!(rig.take().threads.into_inner().unwrap(), HashSet::from([thread::current().id()]));
}

#[test]
fn threads_work_at_once() {
    let triangle = [window_triangle([[0, 0], [8000, 0], [0, 8000]]).unwrap()];
    let mut rig = Rig::new();
    rig.delay = Duration::from_millis(5);
    rig.with(eager(3, 64), |rig, queue, stage| rig.draw(queue, stage, &triangle));
    assert_eq!(rig.take().threads.into_inner().unwrap().len(), 3);
}

#[test]
fn nothing_to_draw() {
    for tiling in [Tiling::new(1), eager(2, 64), Tiling::new(2)] {
        let mut rig = Rig::new();
        rig.registers.set_raw(0x065, 3);
        rig.registers.set_raw(0x066, 10);
        let all = triangles(&mut 5, 9);
        let fragments = rig.with(tiling, |rig, queue, stage| {
            rig.draw(queue, stage, &[]);
            rig.draw(queue, stage, &all);
        });
        assert_eq!(fragments, 0, "an empty scissor rectangle");
    }
}

/// Panics in the upper half of the target.
struct Faulty;

impl TileRoutine for Faulty {
    fn run(&self, batch: &TileBatch<'_>) -> u64 {
        assert!(batch.tile.y0 < 64, "a faulty engine");
        thread::sleep(Duration::from_millis(1));
        1
    }
}

#[test]
fn a_panic_reaches_the_caller() {
    let (registers, memory, luts) = (Rig::new().registers, BlockMemory::console(), Default::default());
    let state = FragmentState { registers: &registers, luts: &luts, memory: &memory };
    let all = triangles(&mut 7, 90)[..].into();
    for threads in [2, 5] {
        let draw = || rasterize_shared(&Faulty, state, &all, eager(threads, 64));
        let panic = catch_unwind(AssertUnwindSafe(draw)).expect_err("it panics");
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        assert_eq!(text.as_deref(), Some("a faulty engine"));
    }
}

/// A system without threads is done without.
#[test]
fn nobody_to_hire() {
    let memory = Told { memory: BlockMemory::console(), log: Arc::default() };
    let mut rig = Rig::new();
    let mut stage = Stage { log: Arc::clone(&rig.log), routines: 0, delay: Duration::ZERO };
    let asked = std::cell::Cell::new(0);
    let hire = || {
        asked.set(asked.get() + 1);
        false
    };
    let stopper = Stopper::default();
    let fragments = tile::without_threads(eager(5, 64), (&memory, &stopper), &hire, |overlap| {
        let mut pool = Pool::new((&memory, &stopper), overlap);
        scene(&mut rig, &mut pool, &mut stage);
        pool.finish();
        pool.take_fragments()
    });
    assert!(fragments > 100_000 && asked.get() == 1);
}
