//! Memory that is told of changes: pictures are right under random writes of the host, whichever way an engine learns of them:
//! by announcements ([`Tracked`]), by asking the host for versions, or by looking at the bytes.

use picaflor_conformance::pica::events;
use picaflor_conformance::random::Random;
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture::{Capture as GeCapture, Event as GeEvent};
use picaflor_pipeline::ge::display_list::DisplayList;
use picaflor_pipeline::ge::list_builder::ListBuilder;
use picaflor_pipeline::ge::regs::op;
use picaflor_pipeline::ge::stage::Stages;
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, Memory, Tracked, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::float::Precision;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often a scene is played on the same memory.
const PASSES: usize = 4;
/// Writes of the host before each event.
const WRITES: u32 = 3;

/// Memory of a host that counts changes of blocks of 64 KiB, and answers with their sum.
struct Counted {
    memory: BlockMemory,
    counters: Vec<AtomicU64>,
}

impl Counted {
    fn count(&self, address: u32, length: u32) {
        for block in address >> 16..=address.saturating_add(length.max(1) - 1) >> 16 {
            self.counters[block as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Memory for Counted {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        self.count(address, length);
    }

    fn version(&self, address: u32, length: u32) -> Option<u64> {
        let blocks = address >> 16..=address.saturating_add(length.max(1) - 1) >> 16;
        Some(blocks.map(|block| self.counters[block as usize].load(Ordering::Relaxed)).sum())
    }
}

/// Memory with its uncached mirrors, as a host may serve them.
struct Mirrored(BlockMemory);

impl Memory for Mirrored {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.0.region(address & 0x0fff_ffff, length)
    }
}

/// A host writes a texture of the GE in a session, by any of its addresses.
#[test]
fn writes_by_uncached_addresses_are_seen() {
    const TEXTURE: u32 = 0x0401_0000;
    const LIST: u32 = 0x0880_0000;
    const VERTICES: u32 = LIST + 0x1000;
    let play = |stages: &mut dyn Stages, address: u32| {
        let memory = BlockMemory::zeroed(&[(0x0400_0000, 2 << 20), (LIST, 0x1_0000)]);
        let memory = Tracked::new(Mirrored(memory));
        let mut list = ListBuilder::new();
        list.write(op::FBW, 64)
            .write(op::PSM, 3)
            .write(op::SCISSOR2, 63 | 63 << 10)
            .write(op::REGION2, 0xf_ffff);
        list.write(op::TME, 1).write(op::TPSM, 3).write(op::TSIZE0, 3 | 3 << 8).write(op::TFUNC, 3);
        list.wide_pointer(op::TBP0, op::TBW0, TEXTURE, 8).write(op::VTYPE, 1 << 23 | 2 << 7 | 2);
        list.vertices(VERTICES).prim(6, 2);
        write_bytes(&memory, LIST, &list.finish(0));
        let vertices = [0_u16, 0, 0, 0, 0, 8, 8, 8, 8, 0];
        write_bytes(&memory, VERTICES, vertices.map(u16::to_le_bytes).as_flattened());
        let drawn = Ge::new().session(stages, &memory, |session| {
            [0x11_u8, 0x22, 0x33].map(|texel| {
                session.write(address, &[texel; 256]).expect("nobody stops it");
                session.run(&mut DisplayList::new(LIST, 0)).expect("the list ends");
                session.before_read(0x0400_0000, 4).expect("nobody stops it");
                memory.byte(0x0400_0000)
            })
        });
        drawn.expect("nobody stops it")
    };
    for address in [TEXTURE, TEXTURE | 0x4000_0000] {
        let mut engine = Engine::builder().mode(EngineMode::Blocking).build().expect("compiled code");
        assert_eq!(play(&mut Interpreter::new(), address), [0x11, 0x22, 0x33], "{address:#x}");
        assert_eq!(play(&mut engine, address), [0x11, 0x22, 0x33], "{address:#x}");
    }
}

/// A memory that the host writes, and announces its writes to.
trait Written: Memory {
    fn host_writes(&self, address: u32, bytes: &[u8]);
}

impl Written for BlockMemory {
    fn host_writes(&self, address: u32, bytes: &[u8]) {
        write_bytes(self, address, bytes);
    }
}

impl Written for Tracked<BlockMemory> {
    fn host_writes(&self, address: u32, bytes: &[u8]) {
        write_bytes(self.memory(), address, bytes);
        self.invalidate(address, bytes.len() as u32);
    }
}

impl Written for Counted {
    fn host_writes(&self, address: u32, bytes: &[u8]) {
        write_bytes(&self.memory, address, bytes);
        self.count(address, bytes.len() as u32);
    }
}

/// Writes bytes that differ, as a host does that loads what it has loaded already.
fn load(memory: &dyn Written, address: u32, bytes: &[u8]) {
    let is_there = memory.region(address, bytes.len() as u32).is_some_and(|slice| slice.equals(bytes));
    if !is_there {
        memory.host_writes(address, bytes);
    }
}

/// A few words into one of the ranges.
fn scribble(memory: &dyn Written, ranges: &[(u32, u32)], random: &mut Random) {
    for _ in 0..random.below(WRITES + 1) {
        let (start, length) = random.pick(ranges);
        let at = start + random.below(length.max(8) / 4 - 1) * 4;
        let words: Vec<u8> = (0..=random.below(3)).flat_map(|_| random.word().to_le_bytes()).collect();
        if memory.region(at, words.len() as u32).is_some() {
            memory.host_writes(at, &words);
        }
    }
}

/// Texture 0 of the PICA200, as far as its size says: at most 4 bytes a pixel.
fn pica_texture(pica: &Pica) -> (u32, u32) {
    let (dim, address) = (pica.registers().raw(0x082), pica.registers().raw(0x085) << 3);
    let pixels = (dim & 0x7ff) * (dim >> 16 & 0x7ff);
    (address, (pixels * 4).clamp(16, 1 << 20))
}

/// Plays a scene several times; the bytes of all memory after each time.
fn pica(
    capture: &Capture,
    memory: &dyn Written,
    engine: &mut dyn picaflor_pipeline::pica::stage::Stages,
) -> Vec<u64> {
    let mut machine = Pica::new(capture.precision);
    let mut random = Random::new(31);
    let mut textures = vec![(capture.regions[0].0, 4096)];
    let mut hashes = Vec::new();
    for _ in 0..PASSES {
        machine.load(&capture.initial).expect("a state");
        for event in &capture.events {
            match *event {
                Event::Memory { address, ref bytes } => load(memory, address, bytes),
                Event::List { .. } => {
                    scribble(memory, &textures, &mut random);
                    let _ = events::play(&mut machine, engine, &Borrowed(memory), event);
                    textures.push(pica_texture(&machine));
                }
                _ => drop(events::play(&mut machine, engine, &Borrowed(memory), event)),
            }
        }
        hashes.push(hash(memory, &capture.regions));
    }
    hashes
}

fn ge(
    capture: &GeCapture,
    memory: &dyn Written,
    engine: &mut dyn picaflor_pipeline::ge::stage::Stages,
) -> Vec<u64> {
    let mut machine = Ge::new();
    let mut random = Random::new(32);
    let mut textures = vec![(0x0400_0000, 4096)];
    let mut hashes = Vec::new();
    for _ in 0..PASSES {
        machine.load(&capture.initial).expect("a state");
        for event in &capture.events {
            match event {
                GeEvent::Memory { address, bytes } => load(memory, *address, bytes),
                GeEvent::Run(list) => {
                    scribble(memory, &textures, &mut random);
                    let _ = machine.run(engine, &Borrowed(memory), &mut list.clone());
                    let [low, high] = [0xa0, 0xa8].map(|command| machine.registers().arg(command));
                    textures.push(((low & 0xff_fff0) | (high & 0x0f_0000) << 8, 0x1_0000));
                }
                GeEvent::Execute(words) => {
                    let _ = machine.execute(engine, &Borrowed(memory), words);
                }
                GeEvent::State(state) => machine.load(state).expect("a state"),
                GeEvent::Display(_) => {}
            }
        }
        hashes.push(hash(memory, &capture.regions));
    }
    hashes
}

/// A trait object as a memory.
struct Borrowed<'a>(&'a dyn Written);

impl Memory for Borrowed<'_> {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.0.region(address, length)
    }

    fn written(&self, address: u32, length: u32) {
        self.0.written(address, length);
    }

    fn version(&self, address: u32, length: u32) -> Option<u64> {
        self.0.version(address, length)
    }
}

fn hash(memory: &dyn Written, regions: &[(u32, u32)]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for &(address, length) in regions {
        for bytes in memory.region(address, length).expect("mapped").to_vec().chunks(8) {
            let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
            hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        }
    }
    hash
}

fn compiled() -> Engine {
    Engine::builder().mode(EngineMode::Blocking).build().expect("an engine")
}

/// The four ways to learn of a change; textures found decoded, and decoded, with announcements.
fn ways(
    regions: &[(u32, u32)],
    play: impl Fn(&dyn Written, Way<'_>) -> Vec<u64>,
    name: &str,
    counts: &mut (u64, u64, usize),
) {
    let expected = play(&BlockMemory::zeroed(regions), Way::Interpreted(&mut Interpreter::new()));
    let counted = Counted {
        memory: BlockMemory::zeroed(regions),
        counters: (0..1 << 16).map(|_| AtomicU64::new(0)).collect(),
    };
    let tracked = Tracked::new(BlockMemory::zeroed(regions));
    let plain = BlockMemory::zeroed(regions);
    let memories: [(&str, &dyn Written); 3] =
        [("looked at", &plain), ("asked for", &counted), ("announced", &tracked)];
    for (way, memory) in memories {
        let mut engine = compiled();
        assert_eq!(play(memory, Way::Compiled(&mut engine)), expected, "{name}: changes are {way}");
        let textures = engine.stats().textures;
        if way == "announced" {
            counts.0 += textures.hits;
            counts.1 += textures.misses;
        }
    }
    counts.2 += tracked.take_written().len();
}

enum Way<'a> {
    Interpreted(&'a mut Interpreter),
    Compiled(&'a mut Engine),
}

#[test]
fn random_writes_under_the_pica200() {
    let mut counts = (0, 0, 0);
    for scene in picaflor_scenes::pica::Scene::all().into_iter().step_by(2) {
        let capture = scene.capture(Precision::Console);
        let play = |memory: &dyn Written, way: Way<'_>| match way {
            Way::Interpreted(engine) => pica(&capture, memory, engine),
            Way::Compiled(engine) => pica(&capture, memory, engine),
        };
        ways(&capture.regions, play, scene.name, &mut counts);
    }
    println!("announced: {} textures found, {} decoded", counts.0, counts.1);
    assert!(counts.0 > counts.1 && counts.2 > 0, "{counts:?}");
}

#[test]
fn random_writes_under_the_ge() {
    let mut counts = (0, 0, 0);
    for scene in picaflor_scenes::ge::Scene::all() {
        let capture = scene.capture();
        let play = |memory: &dyn Written, way: Way<'_>| match way {
            Way::Interpreted(engine) => ge(&capture, memory, engine),
            Way::Compiled(engine) => ge(&capture, memory, engine),
        };
        ways(&capture.regions, play, scene.name, &mut counts);
    }
    println!("announced: {} textures found, {} decoded", counts.0, counts.1);
    assert!(counts.0 > counts.1 && counts.2 > 0, "{counts:?}");
}

/// Every byte that a machine changes lies in a range that it announces.
#[test]
fn written_ranges_hold_every_change() {
    for scene in picaflor_scenes::pica::Scene::all().into_iter().step_by(3) {
        let capture = scene.capture(Precision::Console);
        let memory = Tracked::new(BlockMemory::zeroed(&capture.regions));
        let mut engine = compiled();
        let mut machine = Pica::new(capture.precision);
        machine.load(&capture.initial).expect("a state");
        let contents = || -> Vec<Vec<u8>> {
            let block = |&(at, length): &(u32, u32)| memory.region(at, length).expect("mapped").to_vec();
            capture.regions.iter().map(block).collect()
        };
        for event in &capture.events {
            let before = match event {
                Event::Memory { address, bytes } => {
                    memory.host_writes(*address, bytes);
                    continue;
                }
                _ => contents(),
            };
            let _ = events::play(&mut machine, &mut engine, &memory, event);
            let ranges = memory.take_written();
            for ((start, _), (old, new)) in capture.regions.iter().zip(before.iter().zip(contents())) {
                let changed = (0..old.len()).filter(|&n| old[n] != new[n]).map(|n| start + n as u32);
                let mut ranges = ranges.iter();
                let mut range = ranges.next();
                for at in changed {
                    while range
                        .is_some_and(|&(first, length)| u64::from(at) >= u64::from(first) + u64::from(length))
                    {
                        range = ranges.next();
                    }
                    assert!(
                        range.is_some_and(|&(first, _)| first <= at),
                        "{}: {at:#x} {event:?}",
                        scene.name
                    );
                }
            }
        }
    }
}
