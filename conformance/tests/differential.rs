//! Random programs on compiled code and on the interpreter, and the machinery that compares them held
//! against engines that are wrong on purpose.

use std::path::Path;
use std::time::Duration;

use picaflor_conformance::pica::programs::campaign::{self, PRECISIONS, Plan, Summary};
use picaflor_conformance::pica::programs::case::{Case, Work};
use picaflor_conformance::pica::programs::compare::{self, Verdict, Way};
use picaflor_conformance::pica::programs::generate::shader::{Shader, Shape};
use picaflor_conformance::pica::programs::generate::{self, CASES_PER_PROGRAM};
use picaflor_conformance::pica::programs::locate;
use picaflor_conformance::pica::programs::outcome::{Candidate, Loaded};
use picaflor_conformance::pica::programs::reduce;
use picaflor_conformance::pica::programs::report::{self, Subject};
use picaflor_conformance::random::Random;
use picaflor_interp::Interpreter;
use picaflor_jit::{CompileError, RunReport, Served};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::shader::ops::Opcode;
use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
use picaflor_pipeline::pica::stage::{Emission, GeometryRun, ShadedVertices, ShaderStage, VertexBatch};

fn plan(seed: u64, cases: u64) -> Plan {
    Plan { seed, first: 0, cases, shard: (0, 1), threads: 2 }
}

/// The check itself, as many cases of fixed seeds as a minute holds; fewer with an unoptimised compiler.
#[test]
fn compiled_code_equals_the_interpreter() {
    let cases = if cfg!(debug_assertions) { 120 } else { 1600 };
    for seed in [1, 2] {
        let make = |way: Way| Ok(Box::new(way.engine()?) as Box<dyn Candidate>);
        let summary =
            campaign::run(&plan(seed, cases), &make, &|_| {}).expect("this host runs compiled code");
        let first = summary.findings.first().map(|finding| (finding.number, &finding.differences));
        assert_eq!(summary.differences(), 0, "seed {seed}: {first:?}");
        for tally in summary.ways.iter().flatten() {
            assert!(tally.same * 2 > cases, "seed {seed}: too little was compared: {tally:?}");
        }
    }
}

/// Cases that differed once.
#[test]
fn kept_cases_equal_the_interpreter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for entry in std::fs::read_dir(&folder).expect("the folder of kept cases").flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let case = Case::load(&path).unwrap_or_else(|error| panic!("{error}"));
            for way in Way::ALL {
                let mut engine = way.engine().expect("this host runs compiled code");
                let verdict = verdict(&case, &mut engine);
                assert!(!matches!(verdict, Verdict::Differs(_)), "{}, {way}: {verdict:?}", path.display());
            }
        }
    }
}

fn verdict(case: &Case, engine: &mut dyn Candidate) -> Verdict {
    let program = case.program();
    let loaded = Loaded::new(case, &program);
    let expected = compare::reference(&loaded);
    compare::compare_contained(&loaded, &expected, engine).0
}

/// How an engine is wrong.
#[derive(Debug, Clone, Copy)]
enum Wrong {
    /// Not at all.
    Never,
    /// Computes `MIN` as `MAX`.
    MinIsMax,
    /// Flips the lowest bit of the first component where the index is odd.
    Bit,
    /// Leaves the last vertex of an incomplete group unwritten.
    Unwritten,
    /// Loses faults.
    Faults,
    /// Does not set b15.
    B15,
    /// Loses `aL` when a geometry run ends.
    Loop,
    /// Panics at a `LITP`.
    Panic,
    /// Leaves the work to nobody.
    Refuses,
}

/// An interpreter that passes for compiled code and is wrong.
#[derive(Debug)]
struct Tampered {
    wrong: Wrong,
    interpreter: Interpreter,
}

impl Tampered {
    fn new(wrong: Wrong) -> Self {
        Self { wrong, interpreter: Interpreter::new() }
    }

    fn program(&self, program: &Program) -> Program {
        let mut changed = program.clone();
        for (at, &word) in program.code().iter().enumerate() {
            match (self.wrong, Opcode::of(word)) {
                (Wrong::MinIsMax, Opcode::Min) => {
                    changed.write_code(at as u32, word & 0x03ff_ffff | Opcode::Max.code() << 26);
                }
                (Wrong::Panic, Opcode::Litp) => panic!("LITP"),
                _ => {}
            }
        }
        changed
    }
}

impl ShaderStage for Tampered {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        let program = self.program(batch.program);
        let last = batch.indices.len() - 1;
        let before = out.component(0)[last];
        self.interpreter.shade(&VertexBatch { program: &program, ..*batch }, out, faults);
        match self.wrong {
            Wrong::Bit => {
                for (value, index) in out.component_mut(0).iter_mut().zip(batch.indices) {
                    *value = f32::from_bits(value.to_bits() ^ index & 1);
                }
            }
            Wrong::Unwritten if last % 4 != 3 => out.component_mut(0)[last] = before,
            Wrong::Faults => faults.clear(),
            _ => {}
        }
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        let program = self.program(run.program);
        let b15 = run.uniforms.bools() & 0x8000;
        let mut inner = GeometryRun {
            program: &program,
            entry: run.entry,
            uniforms: run.uniforms,
            unit: run.unit,
            output_mask: run.output_mask,
            precision: run.precision,
            instruction_budget: run.instruction_budget,
            memory: run.memory,
        };
        self.interpreter.run_geometry(&mut inner, emitted, faults);
        match self.wrong {
            Wrong::B15 => run.uniforms.set_bools(run.uniforms.bools() & 0x7fff | b15),
            Wrong::Loop => run.unit.al = 0,
            Wrong::Faults => faults.clear(),
            _ => {}
        }
    }
}

impl Candidate for Tampered {
    fn last_run(&self) -> RunReport {
        let (served, refusal) = match self.wrong {
            Wrong::Refuses => (Served::Nobody, Some(CompileError::TooManyStates { limit: 9 })),
            _ => (Served::Compiled, None),
        };
        RunReport { served, groups: 1, replayed: 0, refusal }
    }
}

fn summary_of(wrong: Wrong, cases: u64, threads: usize) -> Summary {
    let make = |_| Ok(Box::new(Tampered::new(wrong)) as Box<dyn Candidate>);
    let plan = Plan { threads, ..plan(7, cases) };
    campaign::run(&plan, &make, &|_| {}).expect("no compiled code is involved")
}

#[test]
fn every_kind_of_wrong_engine_is_noticed() {
    for wrong in
        [Wrong::MinIsMax, Wrong::Bit, Wrong::Unwritten, Wrong::Faults, Wrong::B15, Wrong::Loop, Wrong::Panic]
    {
        let summary = summary_of(wrong, 1_600, 2);
        let way = &summary.ways[0][0];
        assert!(way.differs > 10 && way.same > 100, "{wrong:?}: {way:?}");
        assert!(!summary.findings.is_empty(), "{wrong:?}");
    }
}

#[test]
fn a_right_engine_differs_nowhere_and_a_refusal_is_counted() {
    let right = summary_of(Wrong::Never, 1_600, 2);
    assert_eq!((right.cases, right.differences(), right.ways[1][2].same), (1_600, 0, 1_600));
    assert_eq!(right.programs as u64, 1_600 / CASES_PER_PROGRAM);
    let refusing = summary_of(Wrong::Refuses, 160, 2);
    let reasons = &refusing.ways[0][0].incomparable;
    assert_eq!(reasons.get("refused: control flow unfolds into more than N states"), Some(&160));
}

/// What is counted and found depends on the seed alone.
#[test]
fn threads_and_shards_change_nothing() {
    let (one, two) = (summary_of(Wrong::MinIsMax, 800, 1), summary_of(Wrong::MinIsMax, 800, 3));
    assert_eq!((one.words, one.programs, one.digest), (two.words, two.programs, two.digest));
    assert_eq!(one.ways, two.ways);
    let numbers = |summary: &Summary| summary.findings.iter().map(|f| f.number).collect::<Vec<_>>();
    assert_eq!(numbers(&one), numbers(&two));
    let make = |_| Ok(Box::new(Tampered::new(Wrong::MinIsMax)) as Box<dyn Candidate>);
    let shards = (0..3).map(|shard| {
        let plan = Plan { shard: (shard, 3), ..plan(7, 800) };
        campaign::run(&plan, &make, &|_| {}).expect("no compiled code is involved")
    });
    let sums = shards
        .fold((0, 0_u64), |sums, summary| (sums.0 + summary.words, sums.1.wrapping_add(summary.digest)));
    assert_eq!(sums, (one.words, one.digest));
}

/// A `MIN` that is computed as `MAX`: the reproducer is small, reads back, and the report names the word.
#[test]
fn a_wrong_opcode_is_reduced_and_located() {
    let summary = summary_of(Wrong::MinIsMax, 1_600, 2);
    let vertex = |case: &Case| matches!(case.work, Work::Vertex(_));
    let finding = summary.findings.iter().find(|finding| vertex(&finding.case)).expect("a vertex case");
    let mut engine = Tampered::new(Wrong::MinIsMax);
    let mut differs = |case: &Case| matches!(verdict(case, &mut engine), Verdict::Differs(_));
    let case = reduce::reduce(&finding.case, Duration::from_secs(30), &mut differs);
    assert!(case.code.len() <= 6, "{} words remain", case.code.len());
    let Work::Vertex(work) = &case.work else { panic!("the kind of work stays") };
    assert_eq!(work.indices.len(), 1);

    let read: Case = serde_json::from_str(&case.to_json()).expect("a case file reads back");
    assert_eq!(read, case);

    let mut engine = Tampered::new(Wrong::MinIsMax);
    let Verdict::Differs(differences) = verdict(&case, &mut engine) else {
        panic!("the reduced case differs")
    };
    let located = locate::locate(&case, 0, &mut engine).expect("the step is found");
    assert_eq!(located.step.word.opcode(), Opcode::Min);
    let subject = Subject {
        origin: "test",
        engine: "tampered",
        case: &case,
        differences: &differences,
        located: Some(&located),
    };
    let text = report::report(&subject);
    assert!(text.contains("min") && text.contains(" * engine"), "{text}");
}

/// In a whole program, too, the first wrong step is the `MIN`, although later ones compute with its result.
#[test]
fn the_first_wrong_step_of_an_unreduced_program() {
    let summary = summary_of(Wrong::MinIsMax, 1_600, 2);
    let mut found = 0;
    for finding in &summary.findings {
        let at = finding.differences.iter().find_map(|difference| difference.place.invocation());
        let mut engine = Tampered::new(Wrong::MinIsMax);
        if let Some(located) = locate::locate(&finding.case, at.unwrap_or(0), &mut engine) {
            let mut suspects = located.unseen.iter().chain([&located.step]);
            let min = suspects.any(|step| step.word.opcode() == Opcode::Min);
            assert!(min, "case {}: {located:?}", finding.number);
            found += 1;
        }
    }
    assert!(found * 2 > summary.findings.len(), "{found} of {}", summary.findings.len());
}

/// Every opcode is generated, in the shapes that assemblers write too.
#[test]
fn every_opcode_is_generated() {
    for shape in [Shape::Structured, Shape::Irregular] {
        let programs = (0..300).map(|n| Shader::of(&mut Random::of_item(5, n), UnitKind::Geometry, shape));
        let code: Vec<u32> = programs.flat_map(|program| program.code).collect();
        for &opcode in Opcode::ALL {
            let count = code.iter().filter(|&&word| Opcode::of(word) == opcode).count();
            assert!(count >= 10, "{shape:?}: {opcode:?} {count} times");
        }
    }
}

/// Generated programs mostly do something: most results are finite, and vertices of a batch differ.
#[test]
fn generated_cases_are_interesting() {
    let (mut values, mut finite, mut batches, mut diverse) = (0, 0, 0, 0);
    for case in (0..200).flat_map(|program| generate::cases(11, program)) {
        let program = case.program();
        let outcome = compare::reference(&Loaded::new(&case, &program));
        values += outcome.shaded.len();
        finite += outcome.shaded.iter().filter(|&&bits| f32::from_bits(bits).is_finite()).count();
        let count = outcome.vertices;
        if count > 1 {
            batches += 1;
            let differ = |row: &[u32]| row.iter().any(|&bits| bits != row[0]);
            diverse += u32::from(outcome.shaded.chunks(count).any(differ));
        }
    }
    assert!(finite * 100 > values * 75, "{finite} of {values} results are finite");
    assert!(diverse * 100 > batches * 55, "{diverse} of {batches} batches have different vertices");
}

/// A case survives the file in both precisions, whatever it holds.
#[test]
fn generated_cases_read_back() {
    for case in (0..60).flat_map(|program| generate::cases(13, program)) {
        for precision in PRECISIONS {
            let case = case.with_precision(precision);
            let read: Case = serde_json::from_str(&case.to_json()).expect("a case file reads back");
            assert_eq!(read, case);
        }
    }
}
