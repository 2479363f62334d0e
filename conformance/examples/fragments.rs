//! Draws scenes on both engines and compares memory: `fragments [SCENE…]`.
use picaflor_conformance::scene::Scene;
use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::capture::{Capture, Event};
use picaflor_pipeline::memory::{BlockMemory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::stage::Stages;
use std::time::{Duration, Instant};

fn run(capture: &Capture, engine: &mut dyn Stages, threads: usize) -> (BlockMemory, Duration, String) {
    let memory = BlockMemory::zeroed(&capture.regions);
    let mut pica = Pica::new(capture.precision);
    pica.set_threads(threads);
    let mut time = Duration::ZERO;
    for event in &capture.events {
        match *event {
            Event::Memory { address, ref bytes } => write_bytes(&memory, address, bytes),
            Event::Mmio { address, value } => pica.write_mmio(engine, &memory, address, value).unwrap(),
            Event::Register { id, value, mask } => {
                pica.write_register(engine, &memory, id, value, mask).unwrap();
            }
            Event::List { address, size_bytes } => {
                let start = Instant::now();
                pica.run(engine, &memory, CommandList { address, size_bytes }).unwrap();
                time += start.elapsed();
            }
            Event::Frame => {}
        }
    }
    (memory, time, format!("{} fragments, {} triangles", pica.stats().fragments, pica.stats().triangles))
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    for scene in Scene::all().iter().filter(|s| names.is_empty() || names.iter().any(|n| n == s.name)) {
        let capture = scene.capture(Precision::Console);
        let (expected, slow, stats) = run(&capture, &mut Interpreter::new(), 1);
        let mut engine = Engine::builder().mode(EngineMode::Blocking).build().unwrap();
        run(&capture, &mut engine, 1);
        let (actual, fast, stats2) = run(&capture, &mut engine, 1);
        let mut differ = 0;
        for (a, b) in expected.blocks().iter().zip(actual.blocks()) {
            let (a, b) = (a.as_slice().to_vec(), b.as_slice().to_vec());
            differ += a.iter().zip(&b).filter(|(a, b)| a != b).count();
        }
        println!(
            "{:20} {stats} {} interp {slow:?} jit {fast:?} differing bytes {differ}",
            scene.name,
            if stats == stats2 { "" } else { "STATS DIFFER" }
        );
        println!("   {:?}", engine.stats());
    }
}
