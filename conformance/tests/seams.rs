//! Random primitives and blits: the same on the interpreter and on the compiling engine.

use picaflor_conformance::crew::Watch;
use picaflor_conformance::pica::seams::blit::BlitCase;
use picaflor_conformance::pica::seams::campaign::{self, Plan, Summary};
use picaflor_conformance::pica::seams::primitive::PrimitiveCase;
use picaflor_conformance::pica::seams::{self, Case, Engines, file};
use picaflor_interp::Interpreter;
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::blit::{BlitStage, Fill};
use picaflor_pipeline::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives,
};
use picaflor_pipeline::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, ShadedVertices, ShaderStage, TileRoutine,
    VertexBatch,
};
use picaflor_pipeline::pica::transfer::TransferRegisters;
use picaflor_pipeline::picture::Picture;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn run<C: Case>(seed: u64, cases: u64, threads: usize) -> Summary<C> {
    let plan = Plan { seed, first: 0, cases, time: None, threads };
    let patience = Duration::from_secs(600);
    let watch = Watch { progress: &|_| (), patience, stuck: &|number| panic!("case {number} does not end") };
    campaign::run(&plan, watch).expect("this host runs compiled code")
}

fn many(release: u64) -> u64 {
    if cfg!(debug_assertions) { release / 10 } else { release }
}

fn all_the_same<C: Case>(seed: u64, cases: u64) {
    let summary = run::<C>(seed, cases, 2);
    let first = summary.findings.first();
    assert_eq!(summary.failures, 0, "{:?}", first.map(|finding| (finding.number, &finding.failure)));
    assert_eq!(summary.same + summary.empty, cases);
    assert!(summary.same * 2 > cases, "{} of {cases}", summary.same);
    assert!(summary.counts.values().all(|&count| count > 0), "{:?}", summary.counts);
}

#[test]
fn random_primitives_are_the_same() {
    all_the_same::<PrimitiveCase>(41, many(20_000));
}

#[test]
fn random_blits_are_the_same() {
    all_the_same::<BlitCase>(42, many(10_000));
}

#[test]
fn results_do_not_depend_on_threads() {
    let (one, two) = (run::<PrimitiveCase>(43, 256, 1), run::<PrimitiveCase>(43, 256, 2));
    assert_eq!((one.digest, one.counts), (two.digest, two.counts));
    assert_ne!(one.digest, run::<PrimitiveCase>(44, 256, 2).digest);
    assert_eq!(run::<BlitCase>(43, 128, 1).digest, run::<BlitCase>(43, 128, 2).digest);
}

fn files_lose_nothing<C: Case + std::fmt::Debug>() {
    for number in 0..64 {
        let case: C = seams::case(45, number);
        let text = case.to_json();
        let back = C::from_json(&text).expect("a sound file");
        assert_eq!(back.to_json(), text);
    }
    assert!(C::from_json("{}").is_err());
}

#[test]
fn files_of_cases() {
    files_lose_nothing::<PrimitiveCase>();
    files_lose_nothing::<BlitCase>();
    let text = r#"{"registers":{},"vertices":[],"places":[],"filled":0,"is_ready":false,"is_reversed":false,"batches":[[0]]}"#;
    assert!(PrimitiveCase::from_json(text).is_err());
}

fn kept<C: Case>(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(folder);
    let mut engines = Engines::new().expect("this host runs compiled code");
    for entry in std::fs::read_dir(folder).expect("the folder of kept cases").flatten() {
        let case: C = file::load(&entry.path()).expect("a sound case");
        let failure = seams::check(&case, &mut engines).err();
        assert_eq!(failure, None, "{}", entry.path().display());
    }
}

/// Cases that failed once.
#[test]
fn kept_cases_are_the_same() {
    kept::<PrimitiveCase>("primitives");
    kept::<BlitCase>("blits");
}

/// The interpreter with a mistake in each seam: a corner is a sixteenth of a pixel off, and the last byte of a fill is
/// missing.
#[derive(Default)]
struct Wrong(Interpreter);

impl PrimitiveStage for Wrong {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        let before = out.triangles.len();
        self.0.primitives(batch, pending, out);
        // Only in triangles with a corner at the far plane.
        for face in out.triangles.parts_mut().0[before..].iter_mut().filter(|face| face.z.contains(&-1.0)) {
            face.x[0] += 1;
        }
    }
}

impl BlitStage for Wrong {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        self.0.fill(memory, &Fill { end: fill.end.saturating_sub(1), ..*fill })
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        self.0.transfer(memory, registers)
    }

    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
        self.0.scan_out(memory, source)
    }
}

impl ShaderStage for Wrong {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        self.0.shade(batch, out, faults);
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.0.run_geometry(run, emitted, faults);
    }
}

impl FragmentStage for Wrong {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        self.0.fragment_routine(state)
    }
}

/// A planted mistake is found, and the reduced case still shows it.
fn found<C: Case>(cases: u64, is_smaller: impl Fn(&C, &C) -> bool) {
    let mut engines = Engines::with(Box::<Wrong>::default());
    let mut summary = Summary::<C>::default();
    (0..cases).for_each(|number| campaign::one(46, number, &mut engines, &mut summary));
    assert!(summary.failures > 0 && summary.same > 0, "{} of {cases}", summary.failures);
    let finding = &summary.findings[0];
    assert!(!finding.failure.panicked);
    let time = Duration::from_secs(20);
    let reduced = seams::reduce(&finding.case, &finding.failure, time, &mut engines);
    assert!(seams::check(&reduced, &mut engines).is_err());
    assert!(is_smaller(&reduced, &finding.case), "{}", reduced.to_json());
}

#[test]
fn a_planted_mistake_in_set_up() {
    found::<PrimitiveCase>(500, |small, large| small.vertices.len() <= large.vertices.len().min(6));
}

#[test]
fn a_planted_mistake_in_fills() {
    found::<BlitCase>(200, |small, large| small.calls.len() == 1 && small.seed == large.seed);
}
