//! Traces on request, through an engine: the same numbers whether it compiles or interprets, and no other picture.

use picaflor_jit::{Engine, EngineMode, Trace, TraceRequest, Tracer};
use picaflor_pipeline::ge;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::texture::hash;
use std::sync::{Arc, Mutex};

/// Observes a machine: traces the first draws, a pixel, two vertices and three geometry runs of each.
struct Debugger {
    tracer: Tracer,
    found: Arc<Mutex<Vec<Trace>>>,
}

/// Draws that are traced.
const DRAWS: u64 = 6;

impl Debugger {
    fn begin(&self, draws: u64) {
        if draws < DRAWS {
            let pixel = [40 + 3 * draws as i32, 60 + 5 * draws as i32];
            let request = TraceRequest::new().with_pixel(pixel[0], pixel[1]).with_vertices(1..3);
            self.tracer.arm(request.with_geometry_runs(2..5));
        }
    }

    fn end(&self) {
        self.tracer.disarm();
        let trace = self.tracer.take();
        if trace != Trace::default() {
            self.found.lock().expect("a lock").push(trace);
        }
    }
}

impl pica::observer::Observer for Debugger {
    fn draw_started(&mut self, view: pica::observer::View<'_>) {
        self.begin(view.stats.draws);
    }

    fn draw_done(&mut self, _: pica::observer::View<'_>) {
        self.end();
    }
}

impl ge::observer::Observer for Debugger {
    fn draw_started(&mut self, view: ge::observer::View<'_>) {
        self.begin(view.stats.draws);
    }

    fn draw_done(&mut self, _: ge::observer::View<'_>) {
        self.end();
    }
}

fn engine(mode: EngineMode) -> Engine {
    Engine::builder().mode(mode).build().expect("an engine")
}

fn contents(memory: &dyn Memory, regions: &[(u32, u32)]) -> Vec<u64> {
    regions.iter().map(|&(at, length)| hash(&memory.region(at, length).expect("mapped").to_vec())).collect()
}

/// Vertices, fragments, steps of programs, geometry runs and what they emitted.
#[derive(Debug, Default)]
struct Counts {
    vertices: usize,
    fragments: usize,
    steps: usize,
    runs: usize,
    emissions: usize,
}

/// Plays a scene without and with traces, on both modes.
fn check(name: &str, play: impl Fn(&mut Engine, Option<Debugger>) -> Vec<u64>, counts: &mut Counts) {
    let plain = play(&mut engine(EngineMode::Blocking), None);
    let traced = [EngineMode::Blocking, EngineMode::InterpreterOnly].map(|mode| {
        let (mut engine, found) = (engine(mode), Arc::<Mutex<Vec<Trace>>>::default());
        let debugger = Debugger { tracer: engine.tracer(), found: Arc::clone(&found) };
        assert_eq!(play(&mut engine, Some(debugger)), plain, "{name}: another picture");
        std::mem::take(&mut *found.lock().expect("a lock"))
    });
    // As text: a NaN is not equal to itself.
    let [compiled, interpreted] = [0, 1].map(|n| format!("{:?}", traced[n]));
    assert_eq!(compiled, interpreted, "{name}: other numbers");
    for trace in &traced[0] {
        counts.vertices += trace.vertices.len();
        counts.fragments += trace.fragments.len();
        counts.runs += trace.geometry_runs.len();
        for run in &trace.geometry_runs {
            let named = |name| run.notes.iter().filter(move |note| note.name == name).count();
            assert!((2..5).contains(&run.number) && named("v15") == 1 && named("step") > 1, "{name}");
            counts.emissions += named("vertex");
        }
        let notes = trace.vertices.iter().flat_map(|vertex| &vertex.notes);
        counts.steps += notes.filter(|note| note.name == "step").count();
        assert!(trace.vertices.iter().all(|vertex| !vertex.notes.is_empty()), "{name}");
    }
}

#[test]
fn traces_of_the_pica200() {
    let mut counts = Counts::default();
    for scene in picaflor_scenes::pica::Scene::all() {
        let capture = scene.capture(Precision::Console);
        let play = |engine: &mut Engine, debugger: Option<Debugger>| {
            let mut player = pica::capture::replay::Player::new(&capture).expect("a sound capture");
            player
                .pica_mut()
                .set_observer(debugger.map(|d| Box::new(d) as Box<dyn pica::observer::Observer>));
            while player.run_frame(engine).is_some() {}
            contents(player.memory(), &capture.regions)
        };
        check(scene.name, play, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.vertices > 100 && counts.fragments > 30 && counts.steps > 1000, "{counts:?}");
    assert!(counts.runs >= 9 && counts.emissions > counts.runs, "{counts:?}");
}

#[test]
fn traces_of_the_ge() {
    let mut counts = Counts::default();
    for scene in picaflor_scenes::ge::Scene::all() {
        let capture = scene.capture();
        let play = |engine: &mut Engine, debugger: Option<Debugger>| {
            let mut player = ge::capture::replay::Player::new(&capture).expect("a sound capture");
            player.ge_mut().set_observer(debugger.map(|d| Box::new(d) as Box<dyn ge::observer::Observer>));
            while player.run_frame(engine).is_some() {}
            contents(player.memory(), &capture.regions)
        };
        check(scene.name, play, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.vertices > 50 && counts.fragments > 10 && counts.runs == 0, "{counts:?}");
}
