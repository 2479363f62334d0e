//! Order inside tiles, and waiting, with engines that note what they are asked to draw.

use super::*;
use crate::ge::clut::Clut;
use crate::ge::raster::{Corner, Shape};
use crate::ge::regs::{Registers, op};
use crate::ge::stage::{TileBatch, TileRoutine};
use crate::ge::vram::{AddressMaps, VRAM, VRAM_BYTES};
use crate::guest_slice::GuestSlice;
use crate::memory::BlockMemory;
use crate::rect::Rect;
use crate::tile::{Event, Timeline};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// Offsets of the buffers in VRAM, 8888 and 512 to the row.
const COLOUR: u32 = 0x0_0000;
const DEPTH: u32 = 0x10_0000;
/// An offset that nobody draws to.
const APART: u32 = 0x18_0000;

/// Draw, primitive, and the pixel, since several may share memory.
type Mark = (u32, i32, i32, i32);

/// What was drawn.
#[derive(Default)]
struct Log {
    /// What covered the pixel at an offset, in the order of drawing.
    pixels: Mutex<BTreeMap<usize, Vec<Mark>>>,
    tiles: Mutex<Vec<Rect>>,
    threads: Mutex<HashSet<ThreadId>>,
    /// What memory was told.
    written: Mutex<Vec<Bytes>>,
}

/// Draws into a log: of each primitive all pixels in its bounds.
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
        let mut drawn = Vec::new();
        for &n in batch.order {
            // Primitives have their number in z.
            let primitive = &batch.primitives[n as usize];
            let mark = |x, y| (self.draw, primitive.corners[1].z, y, x);
            let colour = |x, y| batch.target.colour_offset(x, y);
            let covered = primitive.bounds().intersect(batch.tile);
            let pixels = (covered.y0..covered.y1).flat_map(|y| (covered.x0..covered.x1).map(move |x| (x, y)));
            drawn.extend(pixels.map(|(x, y)| (colour(x, y), mark(x, y))));
        }
        let mut pixels = self.log.pixels.lock().unwrap();
        drawn.iter().for_each(|&(at, mark)| pixels.entry(at).or_default().push(mark));
        drawn.len() as u64
    }
}

/// Makes a recorder for each draw.
#[derive(Default)]
struct Stage {
    log: Arc<Log>,
    routines: u32,
    delay: Duration,
}

impl PixelStage for Stage {
    fn pixel_routine(&mut self, _: &PixelState<'_>, _: &[Primitive]) -> Arc<dyn TileRoutine> {
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

/// What a draw is made of.
struct Rig {
    registers: Registers,
    clut: Clut,
    memory: Arc<Told>,
    delay: Duration,
}

impl Rig {
    /// A target of 480 by 272; the texture is 16 by 16 texels of 8888 where nobody draws, switched off.
    fn new(words: &[(u8, u32)]) -> Self {
        let memory = Told { memory: BlockMemory::zeroed(&[(VRAM, VRAM_BYTES)]), log: Arc::default() };
        let (registers, clut) = (Registers::default(), Clut::default());
        let mut rig = Self { registers, clut, memory: Arc::new(memory), delay: Duration::ZERO };
        rig.set(&[
            (op::FBP, COLOUR),
            (op::FBW, 512),
            (op::PSM, 3),
            (op::ZBP, DEPTH),
            (op::ZBW, 512),
            (op::SCISSOR2, 271 << 10 | 479),
            (op::REGION2, 1023 << 10 | 1023),
            (op::TPSM, 3),
            (op::TSIZE0, 0x0404),
        ]);
        rig.set(&texture(VRAM + APART, 16));
        rig.set(words);
        rig
    }

    fn set(&mut self, words: &[(u8, u32)]) {
        words
            .iter()
            .for_each(|&(command, argument)| self.registers.write(u32::from(command) << 24 | argument));
    }

    /// Lends a queue to `work`, and has everything drawn. Returns the covered pixels and the log.
    fn with(
        &mut self,
        tiling: Tiling,
        work: impl FnOnce(&mut Self, &mut dyn Queue, &mut Stage),
    ) -> (u64, Log) {
        let log = Arc::default();
        let memory = Arc::new(Told { memory: self.memory.memory.clone(), log: Arc::clone(&log) });
        self.memory = Arc::clone(&memory);
        let mut stage = Stage { log: Arc::clone(&log), routines: 0, delay: self.delay };
        let pixels = with_queue(tiling, &*memory, |queue| {
            work(self, queue, &mut stage);
            queue.finish();
            queue.take_pixels()
        });
        drop((stage, memory));
        self.memory = Arc::new(Told { memory: self.memory.memory.clone(), log: Arc::default() });
        (pixels, Arc::into_inner(log).expect("nobody draws any more"))
    }

    fn draw(&self, queue: &mut dyn Queue, stage: &mut Stage, primitives: &[Primitive]) {
        let state = PixelState {
            registers: &self.registers,
            clut: &self.clut,
            memory: &*self.memory,
            maps: AddressMaps::default(),
            is_immediate: false,
        };
        queue.draw(stage, Submitted::new(state, &mut primitives.to_vec()));
    }

    /// Whether nothing is pending: memory was told.
    fn was_told(&self) -> bool {
        !self.memory.log.written.lock().unwrap().is_empty()
    }
}

/// Level 0 of a texture at an address.
fn texture(address: u32, width: u32) -> [(u8, u32); 2] {
    [(op::TBP0, address & 0xff_ffff), (op::TBW0, address >> 8 & 0x0f_0000 | width)]
}

fn primitive(shape: Shape, corners: [[i32; 2]; 3], number: i32) -> Primitive {
    let corner = |[x, y]: [i32; 2]| Corner {
        texture: [0.0, 0.0, 1.0],
        w: 1.0,
        x: 16 * x,
        y: 16 * y,
        z: number,
        colour: 0,
        secondary: 0,
        fog: 255,
    };
    Primitive { corners: corners.map(corner), shape, reserved: 0 }
}

fn rectangle(from: [i32; 2], to: [i32; 2]) -> Primitive {
    primitive(Shape::Rectangle, [from, to, to], 0)
}

/// The whole screen.
fn screen() -> [Primitive; 1] {
    [rectangle([0, 0], [480, 272])]
}

/// Hands everything over at once.
const fn eager(threads: usize, side: u32) -> Tiling {
    Tiling { threads, tile: [side; 2], least_work: 0 }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        crate::random::word(&mut self.0) % bound
    }

    /// A primitive of any shape and size, partly outside.
    fn primitive(&mut self, shape: Shape, number: i32) -> Primitive {
        let size = [12, 60, 300][self.below(3) as usize];
        let at = [500, 300].map(|bound| self.below(bound) as i32 - 20);
        let [a, b, c] = [(); 3].map(|()| at.map(|at| at + self.below(size) as i32));
        let clockwise = (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]);
        let corners = match shape {
            Shape::Point => [a; 3],
            Shape::Line | Shape::Rectangle => [a, b, b],
            Shape::Triangle if clockwise => [a, b, c],
            Shape::Triangle => [a, c, b],
        };
        primitive(shape, corners, number)
    }
}

/// Many draws, small and large, with scissors, to several targets, some of which have rows that share memory.
fn scene(rig: &mut Rig, queue: &mut dyn Queue, stage: &mut Stage) {
    let mut random = Random(2);
    for n in 0..60 {
        let shapes = [Shape::Point, Shape::Line, Shape::Rectangle, Shape::Triangle, Shape::Triangle];
        let shape = shapes[random.below(5) as usize];
        let count = [1, 4, 60][random.below(3) as usize];
        let all: Vec<_> = (0..count).map(|n| random.primitive(shape, n)).collect();
        rig.set(&[(op::SCISSOR1, [0, 21 << 10 | 33][random.below(2) as usize])]);
        rig.set(&[(op::SCISSOR2, 271 << 10 | [479, 479, 199, 63][random.below(4) as usize])]);
        rig.set(&[(op::FBP, if n % 20 < 15 { COLOUR } else { APART })]);
        rig.set(&[(op::FBW, if n % 20 < 8 { 512 } else { 64 })]);
        rig.draw(queue, stage, &all);
    }
}

#[test]
fn threads_and_tiles_do_not_change_the_order_at_a_pixel() {
    let mut rig = Rig::new(&[]);
    let (pixels, log) = rig.with(Tiling::new(1), scene);
    let told = log.written.into_inner().unwrap().len();
    let expected = log.pixels.into_inner().unwrap();
    assert_eq!(pixels, expected.values().map(Vec::len).sum::<usize>() as u64);
    assert!(pixels > 100_000 && expected.values().any(|marks| marks.len() > 9));
    for tiling in [eager(2, 64), eager(5, 8), eager(5, 100), Tiling::new(2), Tiling::new(3)] {
        let (drawn, log) = rig.with(tiling, scene);
        assert_eq!(drawn, pixels, "{tiling:?}");
        assert!(log.written.into_inner().unwrap().len() < told, "draws overlap");
        assert!(log.pixels.into_inner().unwrap() == expected, "{tiling:?}");
    }
}

/// Whether a second draw, after changes, waits for the first.
fn waits(before: &[(u8, u32)], after: &[(u8, u32)]) -> bool {
    let mut rig = Rig::new(before);
    let mut waited = false;
    rig.with(eager(2, 64), |rig, queue, stage| {
        rig.draw(queue, stage, &screen());
        assert!(!rig.was_told());
        rig.set(after);
        rig.draw(queue, stage, &screen());
        waited = rig.was_told();
    });
    waited
}

#[test]
fn draws_wait_only_for_what_they_depend_on() {
    let on = (op::TME, 1);
    let sampled = |address: u32| {
        let [pointer, width] = texture(address, 16);
        [on, pointer, width]
    };
    assert!(!waits(&[], &[(op::ABE, 1), (op::SHADE, 1)]) && !waits(&[on], &[]));
    assert!(!waits(&[], &texture(VRAM + COLOUR, 16)), "the texture is off");
    assert!(!waits(&[], &sampled(VRAM + DEPTH)), "nobody uses depth");
    assert!(waits(&[(op::ZTE, 1)], &sampled(VRAM + DEPTH)), "a texture of depth");
    assert!(waits(&[], &sampled(VRAM + COLOUR)), "a texture is the target");
    assert!(waits(&[], &sampled(0x0420_0000 + APART)), "through a mirror that scatters");
    assert!(!waits(&[], &sampled(0x0440_0000 + APART)) && waits(&[], &sampled(0x0440_0000 + COLOUR)));
    assert!(waits(&[], &[(op::FBP, 0x9_0000)]), "another target");
    assert!(waits(&[], &[(op::ZBP, COLOUR), (op::ZTE, 1)]), "depth on colour");
    assert!(waits(&[], &[(op::FBW, 256)]), "rows share memory");
}

/// Levels count where they are used.
#[test]
fn textures_reach_as_far_as_their_levels() {
    let level_1 =
        [(op::TMODE, 1 << 16), (op::TBP0 + 1, COLOUR), (op::TBW0 + 1, 0x04_0010), (op::TSIZE0 + 1, 3)];
    let all = [&[(op::TME, 1)], level_1.as_slice()].concat();
    assert!(!waits(&[], &all));
    assert!(waits(&[], &[all.as_slice(), &[(op::TFLT, 4)]].concat()));
}

/// The same target, other rows, and a texture in some of them.
#[test]
fn draws_wait_for_textures_in_their_target() {
    let rows = |y| [rectangle([0, y], [8, y + 10])];
    let [pointer, width] = texture(VRAM + COLOUR + 100 * 2048, 16);
    let mut rig = Rig::new(&[(op::TME, 1), pointer, width]);
    rig.with(eager(2, 64), |rig, queue, stage| {
        rig.draw(queue, stage, &rows(0));
        rig.set(&[(op::TME, 0)]);
        rig.draw(queue, stage, &rows(50));
        assert!(!rig.was_told());
        rig.draw(queue, stage, &rows(95));
        assert!(rig.was_told(), "the first one samples there");
    });
    rig.with(eager(2, 64), |rig, queue, stage| {
        rig.draw(queue, stage, &rows(95));
        rig.draw(queue, stage, &rows(50));
        assert!(!rig.was_told());
        rig.set(&[(op::TME, 1)]);
        rig.draw(queue, stage, &rows(0));
        assert!(rig.was_told(), "it samples what the first one draws");
    });
}

#[test]
fn reading_and_writing_wait() {
    let mut rig = Rig::new(&[(op::TME, 1)]);
    let texture = VRAM + APART;
    let end = VRAM + COLOUR + 271 * 2048 + 480 * 4;
    let cases = [
        ((VRAM + DEPTH, 64), false, false),
        ((end, 64), false, false),
        ((end - 1, 64), true, true),
        ((texture - 64, 64), false, false),
        ((texture + 1023, 1), false, true),
        ((texture + 1024 + 3, 9), false, false),
    ];
    for (bytes, read_waits, write_waits) in cases {
        for (is_write, expected) in [(false, read_waits), (true, write_waits)] {
            rig.with(eager(2, 64), |rig, queue, stage| {
                rig.draw(queue, stage, &screen());
                if is_write {
                    queue.before_write(bytes)
                } else {
                    queue.before_read(bytes)
                }
                assert_eq!(rig.was_told(), expected, "{bytes:x?}, write: {is_write}");
            });
        }
    }
}

#[test]
fn entangled_draws_are_one_tile() {
    let tiles = |words: &[(u8, u32)]| {
        let draw =
            |rig: &mut Rig, queue: &mut dyn Queue, stage: &mut Stage| rig.draw(queue, stage, &screen());
        Rig::new(words).with(eager(2, 64), draw).1.tiles.into_inner().unwrap().len()
    };
    let sampled = texture(VRAM + COLOUR, 16);
    // The last one may be drawn in halves.
    assert!([tiles(&[]), tiles(&[(op::ZTE, 1)]), tiles(&sampled)].iter().all(|n| matches!(n, 40 | 41)));
    assert_eq!(tiles(&[sampled[0], sampled[1], (op::TME, 1)]), 1, "it samples its target");
    assert_eq!(tiles(&[(op::ZTE, 1), (op::ZBP, COLOUR + 0x8000)]), 1, "depth is on colour");
    assert_eq!(tiles(&[(op::FBW, 256)]), 1, "rows share memory");
    assert_eq!(tiles(&[(op::FBP, 0x1f_0000)]), 1, "it wraps");
}

/// Textures of 512 by 512 are a MiB each, decoded, and another table makes another texture.
#[test]
fn too_many_textures_wait() {
    let mut rig = Rig::new(&[(op::TME, 1), (op::TSIZE0, 0x0909), (op::TPSM, 5)]);
    rig.set(&texture(0x0900_0000, 512));
    rig.with(Tiling::new(2), |rig, queue, stage| {
        for n in 0..64 {
            rig.clut.change()[0] = n;
            (0..2).for_each(|_| rig.draw(queue, stage, &[rectangle([0, 0], [8, 8])]));
        }
        assert!(!rig.was_told());
        rig.clut.change()[0] = 64;
        rig.draw(queue, stage, &[rectangle([0, 0], [8, 8])]);
        assert!(rig.was_told());
    });
}

#[test]
fn threads_work_at_once() {
    let mut rig = Rig::new(&[]);
    rig.delay = Duration::from_millis(5);
    let draw = |rig: &mut Rig, queue: &mut dyn Queue, stage: &mut Stage| rig.draw(queue, stage, &screen());
    assert_eq!(rig.with(eager(3, 64), draw).1.threads.into_inner().unwrap().len(), 3);
    // A small draw stays where it is.
    let draw = |rig: &mut Rig, queue: &mut dyn Queue, stage: &mut Stage| {
        rig.draw(queue, stage, &[rectangle([0, 0], [9, 9])]);
    };
    let threads = rig.with(Tiling::new(4), draw).1.threads.into_inner().unwrap();
    assert_eq!(threads, HashSet::from([thread::current().id()]));
}

#[test]
fn nothing_to_draw() {
    for tiling in [Tiling::new(1), eager(2, 64), Tiling::new(2)] {
        let mut rig = Rig::new(&[]);
        let (pixels, log) = rig.with(tiling, |rig, queue, stage| {
            rig.draw(queue, stage, &[]);
            rig.draw(queue, stage, &[rectangle([500, 0], [600, 9])]);
            rig.set(&[(op::SCISSOR1, 480)]);
            rig.draw(queue, stage, &screen());
        });
        assert_eq!((pixels, log.written.into_inner().unwrap().len()), (0, 0));
    }
}

/// Every tile of a batch that was handed over is drawn once, or in two halves, before the next barrier; results are the same.
#[test]
fn timelines() {
    let recorded = |threads: usize| {
        let mut rig = Rig::new(&[]);
        let (timeline, mut workers, mut stage) = (Timeline::default(), Workers::default(), Stage::default());
        workers.timeline = Some(timeline.clone());
        let memory = Arc::clone(&rig.memory);
        with_queue_of(eager(threads, 64), &mut workers, &*memory, &Stopper::default(), |queue| {
            scene(&mut rig, queue, &mut stage);
            queue.finish();
        });
        let pixels = std::mem::take(&mut *stage.log.pixels.lock().unwrap());
        (timeline.take(), pixels)
    };
    let (alone, expected) = recorded(1);
    assert!(matches!(alone[..], [Event::Caller(_)]), "{alone:?}");
    let (events, pixels) = recorded(3);
    assert_eq!(pixels, expected);
    let (mut waiting, mut second_halves, mut batches) = (HashSet::new(), HashSet::new(), 0);
    for event in &events {
        match event {
            Event::Caller(_) => {}
            Event::HandedOver { batch, tiles } => {
                assert_eq!(*batch, batches);
                assert!(tiles.iter().all(|&tile| waiting.insert((*batch, tile))));
                batches += 1;
            }
            Event::Drawn { batch, tile, .. } => {
                let piece = (*batch, *tile);
                assert!(waiting.remove(&piece) || second_halves.insert(piece), "{event:?}");
            }
            Event::Barrier => {
                assert!(waiting.is_empty(), "{waiting:?}");
                let tiles: HashSet<usize> = second_halves.drain().map(|(_, tile)| tile).collect();
                assert!(tiles.len() <= 1, "{tiles:?}");
            }
        }
    }
    assert!(batches > 10 && waiting.is_empty(), "{batches} {waiting:?}");
    assert!(matches!(events[..], [Event::Caller(_), Event::HandedOver { .. }, ..]));
    assert!(matches!(events[..], [.., Event::Caller(_)]));
}

/// The pixels of a line have an order from end to end, which goes upward here: bands of rows would have another.
#[test]
fn lines_are_not_cut_where_somebody_may_stop_the_run() {
    let rig = Rig::new(&[]);
    let stopper = Stopper::default();
    let _watch = [stopper.clone(), stopper.clone()];
    let corners = [[0, 99], [199, 0], [199, 0]];
    let parts = [Shape::Line, Shape::Rectangle].map(|shape| {
        let mut stage = Stage::default();
        with_queue_of(Tiling::new(1), &mut Workers::default(), &rig.memory.memory, &stopper, |queue| {
            rig.draw(queue, &mut stage, &[primitive(shape, corners, 0)]);
        });
        stage.log.tiles.lock().unwrap().len()
    });
    assert!(parts[0] == 1 && parts[1] > 1, "{parts:?}");
}
