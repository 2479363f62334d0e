//! Outcomes: a case on an engine, and its result in bits.

use std::collections::BTreeMap;

use crate::pica::notation::Row;
use crate::pica::programs::case::{BatchInputs, Case, GeometryWork, UnitState, VertexWork, Work};
use picaflor_interp::pica::shader::trace::Trace;
use picaflor_interp::pica::shader::{self, Invocation};
use picaflor_jit::{Engine, RunReport, Served};
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::memory::{FlatMemory, NoMemory};
use picaflor_pipeline::pica::shader::program::Program;
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};
use picaflor_pipeline::pica::stage::{
    Emission, GeometryBatch, GeometryRun, ShadedVertices, ShaderStage, VertexBatch,
};
use picaflor_pipeline::pica::vertex::{OutputForm, VertexInputs};

/// An engine that reports the producer of its last result.
pub trait Candidate: ShaderStage {
    /// Report of the last batch or run.
    fn last_run(&self) -> RunReport;
}

impl Candidate for Engine {
    fn last_run(&self) -> RunReport {
        Self::last_run(self).clone()
    }
}

impl Candidate for picaflor_interp::Interpreter {
    fn last_run(&self) -> RunReport {
        RunReport { served: Served::Interpreter(None), ..RunReport::default() }
    }
}

/// Everything that can be seen of a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Vertices shaded.
    pub vertices: usize,
    /// Number of components of each vertex, as reported by the engine.
    pub components: usize,
    /// Bits of the vertices: component `k` of vertex `n` at `k * vertices + n`.
    pub shaded: Vec<u32>,
    /// Geometry runs.
    pub runs: Vec<RunOutcome>,
    /// Faults in order.
    pub faults: Vec<Fault>,
    /// Faults that did not fit the list.
    pub faults_dropped: u64,
}

/// The result of one geometry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// Latch (id, primitive, winding) and bits of each emission.
    pub emitted: Vec<(u8, bool, bool, Vec<u32>)>,
    /// Registers of the unit as bits: `v`, `r`, `o` of both banks, four words each.
    pub registers: Vec<u32>,
    /// `a0.x`, `a0.y`, `aL`, `cmp.x`, `cmp.y`, bank, latch.
    pub state: [i64; 9],
    /// Boolean uniforms.
    pub bools: u16,
}

/// A case made ready to run, several times and on several engines.
pub struct Loaded<'a> {
    case: &'a Case,
    program: &'a Program,
    uniforms: Uniforms,
    vertex: Option<LoadedBatch<'a>>,
}

struct LoadedBatch<'a> {
    work: &'a VertexWork,
    memory: FlatMemory,
    inputs: VertexInputs,
    output: OutputForm,
}

impl<'a> Loaded<'a> {
    /// Builds the objects of a case. `program` is the case's, made once for all cases that share it.
    #[must_use]
    pub fn new(case: &'a Case, program: &'a Program) -> Self {
        let vertex = match &case.work {
            Work::Vertex(work) => Some(LoadedBatch {
                work,
                memory: work.memory(),
                inputs: work.inputs(),
                output: work.output.form(),
            }),
            Work::Geometry(_) => None,
        };
        Self { case, program, uniforms: case.uniforms.uniforms(), vertex }
    }

    /// Runs the case. `scratch` is the content of the output arrays beforehand, so that values that an engine leaves
    /// unwritten cannot pass for a result.
    pub fn run(&self, engine: &mut dyn Candidate, scratch: u32) -> (Outcome, RunReport) {
        match (&self.vertex, &self.case.work) {
            (Some(loaded), _) => self.run_batch(loaded, engine, scratch),
            (None, Work::Geometry(work)) => self.run_geometry(work, engine),
            (None, Work::Vertex(_)) => unreachable!("a vertex case has a loaded batch"),
        }
    }

    fn run_batch(
        &self,
        loaded: &LoadedBatch<'_>,
        engine: &mut dyn Candidate,
        scratch: u32,
    ) -> (Outcome, RunReport) {
        let batch = self.batch(loaded);
        let mut out = ShadedVertices::new();
        out.reset(batch.indices.len(), batch.output.components());
        out.values_mut().fill(f32::from_bits(scratch));
        let mut faults = FaultList::default();
        engine.shade(&batch, &mut out, &mut faults);
        let rows = (0..out.components()).flat_map(|k| out.component(k));
        let shaded = rows.map(|value| value.to_bits()).collect();
        let outcome =
            Outcome { vertices: out.len(), components: out.components(), shaded, ..Outcome::default() };
        (outcome.with_faults(&faults), engine.last_run())
    }

    fn batch<'b>(&'b self, loaded: &'b LoadedBatch<'_>) -> VertexBatch<'b> {
        VertexBatch {
            memory: &loaded.memory,
            indices: &loaded.work.indices,
            inputs: &loaded.inputs,
            program: self.program,
            entry: self.case.entry,
            uniforms: &self.uniforms,
            output: &loaded.output,
            precision: self.case.precision,
            instruction_budget: self.case.budget,
        }
    }

    fn run_geometry(&self, work: &GeometryWork, engine: &mut dyn Candidate) -> (Outcome, RunReport) {
        if let Some(batch) = work.batch() {
            return self.run_together(work, &batch, engine);
        }
        let (mut unit, mut uniforms) = (work.start.unit(), self.uniforms.clone());
        let (mut faults, mut report) = (FaultList::default(), None);
        let mut runs = Vec::new();
        for run in &work.runs {
            run.apply(&mut unit, &mut uniforms);
            let mut emitted = Vec::new();
            let mut run = self.geometry_run(work, &mut unit, &mut uniforms);
            engine.run_geometry(&mut run, &mut emitted, &mut faults);
            runs.push(RunOutcome::of(&emitted, &unit, uniforms.bools()));
            report = Some(joined(report, engine.last_run()));
        }
        (Outcome { runs, ..Outcome::default() }.with_faults(&faults), report.unwrap_or_default())
    }

    /// A run of the program on these registers and uniforms.
    fn geometry_run<'r>(
        &'r self,
        work: &GeometryWork,
        unit: &'r mut ShaderUnit,
        uniforms: &'r mut Uniforms,
    ) -> GeometryRun<'r> {
        GeometryRun {
            program: self.program,
            entry: self.case.entry,
            uniforms,
            unit,
            output_mask: work.output_mask,
            precision: self.case.precision,
            instruction_budget: self.case.budget,
            memory: &NoMemory,
        }
    }

    /// The first run as a batch, the first two as one, and so on: what is seen after each is that after its last run.
    fn run_together(
        &self,
        work: &GeometryWork,
        inputs: &BatchInputs,
        engine: &mut dyn Candidate,
    ) -> (Outcome, RunReport) {
        let (mut faults, mut report, mut runs) = (FaultList::default(), None, Vec::new());
        for count in 1..=work.runs.len() {
            let (mut unit, mut uniforms) = (work.start.unit(), self.uniforms.clone());
            let mut emitted = Vec::new();
            let run = self.geometry_run(work, &mut unit, &mut uniforms);
            let (each, destination) = (inputs.each, inputs.destination);
            let mut batch =
                GeometryBatch { run, inputs: &inputs.inputs[..count * each.get()], each, destination };
            engine.run_geometry_batch(&mut batch, &mut emitted, &mut faults);
            runs.push(RunOutcome::of(&emitted, &unit, uniforms.bools()));
            report = Some(joined(report, engine.last_run()));
        }
        (Outcome { runs, ..Outcome::default() }.with_faults(&faults), report.unwrap_or_default())
    }

    /// The interpreter's steps of vertex or run number `at`; at most `limit`.
    #[must_use]
    pub fn trace(&self, at: usize, limit: usize) -> Trace {
        let mut trace = Trace::with_limit(limit);
        match (&self.vertex, &self.case.work) {
            (Some(loaded), _) => self.trace_vertex(loaded, at, &mut trace),
            (None, Work::Geometry(work)) => self.trace_run(work, at, &mut trace),
            (None, Work::Vertex(_)) => unreachable!("a vertex case has a loaded batch"),
        }
        trace
    }

    fn trace_vertex(&self, loaded: &LoadedBatch<'_>, at: usize, trace: &mut Trace) {
        let Some(&index) = loaded.work.indices.get(at) else { return };
        let v = loaded.inputs.fetch(&loaded.memory, index, self.case.precision);
        let mut unit = ShaderUnit { v, ..ShaderUnit::default() };
        self.step_through(&self.uniforms, 0, &mut unit, trace);
    }

    fn trace_run(&self, work: &GeometryWork, at: usize, trace: &mut Trace) {
        let (mut unit, mut uniforms) = (work.start.unit(), self.uniforms.clone());
        for (n, run) in work.runs.iter().enumerate().take(at + 1) {
            run.apply(&mut unit, &mut uniforms);
            let mut unseen = Trace::with_limit(0);
            let trace = if n == at { &mut *trace } else { &mut unseen };
            self.step_through(&uniforms, work.output_mask, &mut unit, trace);
            uniforms.set_bools(uniforms.bools() | 1 << 15);
        }
    }

    fn step_through(&self, uniforms: &Uniforms, output_mask: u16, unit: &mut ShaderUnit, trace: &mut Trace) {
        let invocation = Invocation {
            program: self.program,
            entry: self.case.entry,
            uniforms,
            output_mask,
            precision: self.case.precision,
            instruction_budget: self.case.budget,
            vertex: 0,
        };
        shader::run_unit(&invocation, unit, &mut Vec::new(), &mut FaultList::default(), Some(trace));
    }

    /// Instructions that all invocations of the case execute.
    #[must_use]
    pub fn words_executed(&self) -> u64 {
        let invocations = match &self.case.work {
            Work::Vertex(work) => work.indices.len(),
            Work::Geometry(work) => work.runs.len(),
        };
        (0..invocations).map(|at| self.trace(at, 0).omitted()).sum()
    }
}

/// The report of a sequence of runs: served by compiled code only if each was.
fn joined(first: Option<RunReport>, next: RunReport) -> RunReport {
    let Some(mut all) = first else { return next };
    all.groups += next.groups;
    all.replayed += next.replayed;
    if all.served == Served::Compiled || next.served == Served::Nobody {
        all.served = next.served;
    }
    all.refusal = all.refusal.or(next.refusal);
    all
}

impl Outcome {
    /// Stands for everything in here: FNV-1a over 32-bit words, so the same on every host.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        digest.words([self.vertices as u32, self.components as u32]);
        digest.words(self.shaded.iter().copied());
        for run in &self.runs {
            run.add_to(&mut digest);
        }
        for fault in &self.faults {
            digest.words(fault.to_string().bytes().map(u32::from));
        }
        digest.words([self.faults_dropped as u32]);
        digest.0
    }

    fn with_faults(mut self, faults: &FaultList) -> Self {
        self.faults = faults.as_slice().to_vec();
        self.faults_dropped = faults.dropped();
        self
    }
}

/// A hash under way.
struct Digest(u64);

impl Digest {
    fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        for word in words {
            self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

impl RunOutcome {
    fn add_to(&self, digest: &mut Digest) {
        for (id, primitive, winding, record) in &self.emitted {
            digest.words([u32::from(*id), u32::from(*primitive), u32::from(*winding)]);
            digest.words(record.iter().copied());
        }
        digest.words(self.registers.iter().copied());
        digest.words(self.state.iter().map(|&value| value as u32));
        digest.words([u32::from(self.bools)]);
    }

    /// The `v` registers.
    #[must_use]
    pub fn inputs(&self) -> BTreeMap<u8, Row> {
        self.rows(0, 16)
    }

    /// The unit, without its `v` registers.
    #[must_use]
    pub fn state(&self) -> UnitState {
        let [x, y, al, cmp_x, cmp_y, bank, id, primitive, winding] = self.state;
        UnitState {
            r: self.rows(16, 16),
            o: self.rows(32, 32),
            bank: bank as u8,
            a0: [x as i32, y as i32],
            al: al as i32,
            cmp: [cmp_x != 0, cmp_y != 0],
            latch: (id as u8, primitive != 0, winding != 0),
        }
    }

    /// `count` registers from number `first` in the order of `registers`.
    fn rows(&self, first: usize, count: usize) -> BTreeMap<u8, Row> {
        let rows = self.registers.chunks_exact(4).skip(first).take(count);
        rows.enumerate().map(|(n, row)| (n as u8, Row([row[0], row[1], row[2], row[3]]))).collect()
    }

    fn of(emitted: &[Emission], unit: &ShaderUnit, bools: u16) -> Self {
        let bits = |rows: &[Vec4]| rows.iter().flatten().map(|value| value.to_bits()).collect::<Vec<_>>();
        let latched = |e: &Emission| (e.latch.id, e.latch.primitive, e.latch.winding, bits(&e.record));
        let latch = unit.latch;
        Self {
            emitted: emitted.iter().map(latched).collect(),
            registers: [bits(&unit.v), bits(&unit.r), bits(&unit.o[0]), bits(&unit.o[1])].concat(),
            state: [
                unit.a0[0].into(),
                unit.a0[1].into(),
                unit.al.into(),
                unit.cmp[0].into(),
                unit.cmp[1].into(),
                unit.bank.into(),
                latch.id.into(),
                latch.primitive.into(),
                latch.winding.into(),
            ],
            bools,
        }
    }
}
