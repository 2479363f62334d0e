//! Scenes through the recorder and through CiTrace files: what is replayed is what was drawn, byte for byte.

use picaflor_conformance::lockstep::Fingerprint;
use picaflor_conformance::pica::lockstep::fingerprint;
use picaflor_interp::Interpreter;
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::ctf::{CiTrace, Element, Layout, Tables};
use picaflor_pipeline::pica::capture::{Capture, Event, Origin};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_scenes::pica::Scene;

/// Registers of the P3D unit that start a list.
const LIST_SIZE: u32 = 0x1040_18e0;
const LIST_ADDRESS: u32 = 0x1040_18e8;
const LIST_START: u32 = 0x1040_18f0;

/// The hash of everything that a capture draws, and how many draws there are.
fn drawn(name: &str, capture: &Capture) -> (Fingerprint, u64) {
    let (hash, side) = fingerprint(capture, "interp", 2).unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(side.given_up.is_empty(), "{name}: {:?}", side.given_up);
    (hash, side.stats.draws)
}

/// Does by hand what a host does, with the recorder switched on.
fn recorded(scene: &Capture) -> Capture {
    let memory = BlockMemory::zeroed(&scene.regions);
    let mut pica = Pica::new(scene.precision);
    let mut engine = Interpreter::new();
    pica.load(&scene.initial).expect("a state");
    pica.start_recording(&memory, &scene.regions).expect("sound blocks");
    for event in &scene.events {
        match *event {
            Event::Memory { address, ref bytes } => write_bytes(&memory, address, bytes),
            Event::Register { id, value, mask } => {
                pica.write_register(&mut engine, &memory, id, value, mask).expect("a list that ends");
            }
            Event::Mmio { address, value } => {
                pica.write_mmio(&mut engine, &memory, address, value).expect("a list that ends");
            }
            Event::List { address, size_bytes } => {
                let list = CommandList { address, size_bytes };
                pica.run(&mut engine, &memory, list).expect("a list that ends");
            }
            Event::Frame => pica.frame_end(&memory),
            Event::VBlank { screen } => pica.vblank(screen),
            Event::Field { field, first, ref words } => {
                pica.write_field(field, first as usize, words).expect("a field");
            }
        }
    }
    pica.stop_recording().expect("a recording")
}

#[test]
fn a_recorded_scene_is_the_scene() {
    for scene in Scene::all() {
        let capture = scene.capture(Precision::Console);
        let recording = recorded(&capture);
        let file = recording.to_bytes();
        let read = Capture::read(&file).unwrap_or_else(|why| panic!("{}: {why}", scene.name));
        assert_eq!(read, recording, "{}", scene.name);
        assert_eq!(read.to_bytes(), file, "{}", scene.name);
        assert_eq!(drawn(scene.name, &read), drawn(scene.name, &capture), "{}", scene.name);
    }
}

/// The stream that a recording emulator would have made of a scene.
fn elements(capture: &Capture) -> Vec<Element> {
    let write = |address, value: u32| Element::Write { address, width_bytes: 4, value: value.into() };
    let elements = |event: &Event| match *event {
        Event::Memory { address, ref bytes } => vec![Element::Load { address, bytes: bytes.clone() }],
        Event::Register { id, value, mask } => {
            assert_eq!(mask, 15, "CiTrace has no masks");
            vec![write(0x1040_1000 + 4 * u32::from(id), value)]
        }
        Event::Mmio { address, value } => vec![write(address, value)],
        Event::List { address, size_bytes } => {
            vec![write(LIST_SIZE, size_bytes), write(LIST_ADDRESS, address >> 3), write(LIST_START, 1)]
        }
        Event::Frame => vec![Element::Frame],
        Event::VBlank { .. } | Event::Field { .. } => panic!("CiTrace has neither blanks nor fields"),
    };
    capture.events.iter().flat_map(elements).collect()
}

/// The layouts of files, each for every third scene.
#[test]
fn a_citrace_file_of_a_scene_is_the_scene() {
    let layouts = [(true, false), (false, false), (false, true)];
    for (scene, (first_generation, late_writes)) in Scene::all().iter().zip(layouts.into_iter().cycle()) {
        let capture = scene.capture(Precision::Console);
        let trace = CiTrace { tables: Tables::default(), elements: elements(&capture) };
        let file = trace.to_bytes(Layout { first_generation, late_writes });
        let read = Capture::read(&file).unwrap_or_else(|why| panic!("{}: {why}", scene.name));
        assert_eq!(read.origin, Origin::CiTrace);
        assert_eq!(drawn(scene.name, &read), drawn(scene.name, &capture), "{}", scene.name);
    }
}
