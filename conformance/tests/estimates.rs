//! Estimates of time: the same on both engines and any number of threads, and without an effect on what is drawn.

use picaflor_interp::Interpreter;
use picaflor_jit::{Engine, EngineMode};
use picaflor_pipeline::ge::Ge;
use picaflor_pipeline::ge::capture::{Capture as GeCapture, Event as GeEvent};
use picaflor_pipeline::ge::timing::Rates as GeRates;
use picaflor_pipeline::memory::{BlockMemory, Memory, write_bytes};
use picaflor_pipeline::pica::Pica;
use picaflor_pipeline::pica::capture::{Capture, Event};
use picaflor_pipeline::pica::command::CommandList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::stage::Stages;
use picaflor_pipeline::pica::timing::{Delay, Rates};
use picaflor_pipeline::texture::hash;
use picaflor_pipeline::tile::Tiling;

fn contents(memory: &dyn Memory, regions: &[(u32, u32)]) -> Vec<u64> {
    regions.iter().map(|&(at, length)| hash(&memory.region(at, length).expect("mapped").to_vec())).collect()
}

/// What a scene took: delays of interrupts, cycles of lists, and what it drew.
type Played = (Vec<Delay>, Vec<u64>, Vec<u64>);

fn pica(capture: &Capture, engine: &mut dyn Stages, threads: usize, rates: Option<Rates>) -> Played {
    let memory = BlockMemory::zeroed(&capture.regions);
    let mut machine = Pica::new(capture.precision);
    machine.set_tiling(Tiling::new(threads));
    machine.set_timing(rates);
    machine.load(&capture.initial).expect("a state");
    let (mut delays, mut cycles) = (Vec::new(), Vec::new());
    for event in &capture.events {
        match *event {
            Event::Memory { address, ref bytes } => write_bytes(&memory, address, bytes),
            Event::List { address, size_bytes } => {
                let _ = machine.run(engine, &memory, CommandList { address, size_bytes });
                cycles.push(machine.run_cycles());
            }
            Event::Mmio { address, value } => {
                let _ = machine.write_mmio(engine, &memory, address, value);
            }
            Event::Register { id, value, mask } => {
                let _ = machine.write_register(engine, &memory, id, value, mask);
            }
            Event::VBlank { screen } => machine.vblank(screen),
            Event::Field { .. } | Event::Frame => {}
        }
        delays.extend(machine.take_delays());
    }
    (delays, cycles, contents(&memory, &capture.regions))
}

fn ge(
    capture: &GeCapture,
    engine: &mut dyn picaflor_pipeline::ge::stage::Stages,
    threads: usize,
) -> Vec<u64> {
    let memory = BlockMemory::zeroed(&capture.regions);
    let (mut machine, rates) = (Ge::new(), GeRates::default());
    machine.set_tiling(Tiling::new(threads));
    machine.load(&capture.initial).expect("a state");
    let mut cycles = Vec::new();
    for event in &capture.events {
        match event {
            GeEvent::Memory { address, bytes } => write_bytes(&memory, *address, bytes),
            GeEvent::Run(list) => {
                let _ = machine.run(engine, &memory, &mut list.clone());
                cycles.push(rates.cycles(machine.stats()));
            }
            GeEvent::Execute(words) => {
                let _ = machine.execute(engine, &memory, words);
            }
            GeEvent::State(state) => machine.load(state).expect("a state"),
            GeEvent::Display(_) => {}
        }
    }
    cycles
}

fn compiled() -> Engine {
    Engine::builder().mode(EngineMode::Blocking).build().expect("an engine")
}

#[test]
fn estimates_of_the_pica200() {
    let (mut raised, mut most) = (0, 0);
    for scene in picaflor_scenes::pica::Scene::all().into_iter().step_by(2) {
        let capture = scene.capture(Precision::Console);
        let rates = Some(Rates::default());
        let expected = pica(&capture, &mut Interpreter::new(), 1, rates);
        for threads in [1, 3] {
            let played = pica(&capture, &mut compiled(), threads, rates);
            assert_eq!(played, expected, "{}, {threads} threads", scene.name);
        }
        let without = pica(&capture, &mut compiled(), 1, None);
        assert_eq!((without.0.len(), without.2), (0, expected.2), "{}", scene.name);
        raised += expected.0.len();
        most = most.max(expected.1.iter().copied().max().unwrap_or(0));
    }
    println!("{raised} interrupts, the longest list takes {most} cycles");
    assert!(raised > 60 && most > 100_000);
}

#[test]
fn estimates_of_the_ge() {
    let mut most = 0;
    for scene in picaflor_scenes::ge::Scene::all() {
        let capture = scene.capture();
        let expected = ge(&capture, &mut Interpreter::new(), 1);
        for threads in [1, 3] {
            assert_eq!(ge(&capture, &mut compiled(), threads), expected, "{}, {threads} threads", scene.name);
        }
        assert!(expected.is_sorted());
        most = most.max(expected.last().copied().unwrap_or(0));
    }
    println!("the longest scene takes {most} cycles");
    assert!(most > 100_000);
}
