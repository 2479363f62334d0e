//! Images of a host in place of textures: both engines show it the same textures and draw the same pictures, on any
//! number of threads.

use picaflor_conformance::pica::events;
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture::{Capture as GeCapture, Event as GeEvent};
use picaflor_pipeline::guest_slice::GuestSlice;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::texture::{Texture, hash};
use picaflor_pipeline::tile::Tiling;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a host puts in place of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Image {
    /// Nothing, and it is not asked.
    None,
    /// What it is shown.
    Same,
    /// Its negative, but for every fourth.
    Negative,
    /// A pattern of stripes that its identity chooses.
    Stripes,
}

/// A host that keeps the hash of what it was shown, by identity.
struct Host {
    memory: BlockMemory,
    image: Image,
    version: AtomicU64,
    shown: Mutex<BTreeMap<String, u64>>,
}

impl Host {
    fn new(regions: &[(u32, u32)], image: Image) -> Self {
        let memory = BlockMemory::zeroed(regions);
        Self { memory, image, version: AtomicU64::new(1), shown: Mutex::default() }
    }
}

impl Memory for Host {
    fn region(&self, address: u32, length: u32) -> Option<GuestSlice<'_>> {
        self.memory.region(address, length)
    }

    fn replacements(&self) -> Option<u64> {
        (self.image != Image::None).then(|| self.version.load(Ordering::Relaxed))
    }

    fn replace(&self, texture: &Texture, texels: &mut [u32]) {
        assert_eq!(texels.len(), texture.texels());
        let bytes: Vec<u8> = texels.iter().flat_map(|texel| texel.to_le_bytes()).collect();
        let before = self.shown.lock().expect("a lock").insert(format!("{texture:x?}"), hash(&bytes));
        assert!(before.is_none_or(|before| before == hash(&bytes)), "two textures are {texture:x?}");
        let width = texture.size[0] as usize;
        match self.image {
            Image::None | Image::Same => {}
            Image::Negative if texture.hash & 3 == 3 => {}
            Image::Negative => texels.iter_mut().for_each(|texel| *texel ^= 0xff_ffff),
            Image::Stripes => texels.iter_mut().enumerate().for_each(|(n, texel)| {
                let (x, y) = (n % width, n / width);
                *texel = if (x + 2 * y) & 4 == 0 { texture.hash as u32 } else { 0x8020_40ff };
            }),
        }
    }
}

/// Plays a scene of the PICA200; the bytes of all memory after each event that draws.
fn pica(
    capture: &Capture,
    host: &Host,
    engine: &mut dyn picaflor_pipeline::pica::stage::Stages,
    threads: usize,
) -> Vec<u64> {
    let mut machine = Pica::new(capture.precision);
    machine.set_tiling(Tiling::new(threads));
    machine.load(&capture.initial).expect("a state");
    let mut hashes = Vec::new();
    for event in &capture.events {
        if let Event::Memory { address, bytes } = event {
            write_bytes(host, *address, bytes);
        }
        let _ = events::play(&mut machine, engine, host, event);
        if matches!(event, Event::List { .. }) {
            hashes.push(contents(host, &capture.regions));
        }
    }
    hashes.push(contents(host, &capture.regions));
    hashes
}

fn ge(
    capture: &GeCapture,
    host: &Host,
    engine: &mut dyn picaflor_pipeline::ge::stage::Stages,
    threads: usize,
) -> Vec<u64> {
    let mut machine = Ge::new();
    machine.set_tiling(Tiling::new(threads));
    machine.load(&capture.initial).expect("a state");
    let mut hashes = Vec::new();
    for event in &capture.events {
        match event {
            GeEvent::Memory { address, bytes } => write_bytes(host, *address, bytes),
            GeEvent::Run(list) => {
                let _ = machine.run(engine, host, &mut list.clone());
                hashes.push(contents(host, &capture.regions));
            }
            GeEvent::Execute(words) => {
                let _ = machine.execute(engine, host, words);
            }
            GeEvent::State(state) => machine.load(state).expect("a state"),
            GeEvent::Display(_) => {}
        }
    }
    hashes.push(contents(host, &capture.regions));
    hashes
}

fn contents(memory: &dyn Memory, regions: &[(u32, u32)]) -> u64 {
    let block = |&(at, length): &(u32, u32)| hash(&memory.region(at, length).expect("mapped").to_vec());
    regions.iter().map(block).fold(0, |all, block| all.rotate_left(1) ^ block)
}

fn compiled() -> Engine {
    Engine::builder().mode(EngineMode::Blocking).build().expect("an engine")
}

/// Scenes, textures shown, and scenes that the images changed.
#[derive(Debug, Default)]
struct Counts {
    scenes: usize,
    textures: usize,
    changed: usize,
}

/// Plays a scene with every image, on both engines.
fn check(
    name: &str,
    regions: &[(u32, u32)],
    play: impl Fn(&Host, Option<&mut Engine>, usize) -> Vec<u64>,
    counts: &mut Counts,
) {
    let mut engine = compiled();
    let plain = play(&Host::new(regions, Image::None), Some(&mut engine), 1);
    counts.scenes += 1;
    for (version, image) in [Image::Same, Image::Negative, Image::Stripes].into_iter().enumerate() {
        let oracle = Host::new(regions, image);
        let expected = play(&oracle, None, 1);
        let known = oracle.shown.into_inner().expect("a lock");
        assert!(image != Image::Same || expected == plain, "{name}: nothing was changed");
        for threads in [1, 3] {
            // The same engine for all: what it holds decoded belongs to other images.
            let host = Host::new(regions, image);
            host.version.store(version as u64, Ordering::Relaxed);
            assert_eq!(
                play(&host, Some(&mut engine), threads),
                expected,
                "{name}: {image:?}, {threads} threads"
            );
            for (texture, texels) in host.shown.into_inner().expect("a lock") {
                assert_eq!(known.get(&texture), Some(&texels), "{name}: {texture}");
            }
        }
        counts.textures += known.len();
        counts.changed += usize::from(expected != plain);
    }
}

#[test]
fn images_in_place_of_textures_of_the_pica200() {
    let mut counts = Counts::default();
    for scene in picaflor_scenes::pica::Scene::all() {
        let capture = scene.capture(Precision::Console);
        let play = |host: &Host, engine: Option<&mut Engine>, threads: usize| match engine {
            Some(engine) => pica(&capture, host, engine, threads),
            None => pica(&capture, host, &mut Interpreter::new(), threads),
        };
        check(scene.name, &capture.regions, play, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.changed > 20 && counts.textures > 100, "{counts:?}");
}

#[test]
fn images_in_place_of_textures_of_the_ge() {
    let mut counts = Counts::default();
    for scene in picaflor_scenes::ge::Scene::all() {
        let capture = scene.capture();
        let play = |host: &Host, engine: Option<&mut Engine>, threads: usize| match engine {
            Some(engine) => ge(&capture, host, engine, threads),
            None => ge(&capture, host, &mut Interpreter::new(), threads),
        };
        check(scene.name, &capture.regions, play, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.changed > 15 && counts.textures > 50, "{counts:?}");
}
