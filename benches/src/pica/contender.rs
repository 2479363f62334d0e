//! The contenders: yardstick, interpreter and JIT behind one interface.

use crate::pica::workload::Workload;
use crate::pica::yardstick::Yardstick;
use picaflor_interp::Interpreter;
use picaflor_jit::{CompileError, Effort, Engine, EngineBuilder, EngineMode, RunReport, Stats};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::stage::{ShadedVertices, ShaderStage, VertexBatch};
use std::hint::black_box;

/// Precisions in the order of the table.
pub const PRECISIONS: [Precision; 2] = [Precision::Binary32, Precision::Console];

/// The name of a precision as the table prints it.
#[must_use]
pub const fn precision_name(precision: Precision) -> &'static str {
    match precision {
        Precision::Binary32 => "Binary32",
        Precision::Console => "Console",
    }
}

/// An engine that compiles before the batch runs, as every measurement here wants it.
#[must_use]
pub fn blocking_engine() -> EngineBuilder {
    Engine::builder().mode(EngineMode::Blocking)
}

/// The same with the code that an engine of the background mode has in the end: all of it made with care.
#[must_use]
pub fn settled_engine() -> EngineBuilder {
    blocking_engine().effort(Effort::Careful)
}

/// A shader engine with the room that its results take.
#[derive(Debug)]
pub struct Runner<S> {
    stage: S,
    out: ShadedVertices,
    faults: FaultList,
}

impl<S: ShaderStage> Runner<S> {
    /// A runner of `stage`.
    pub fn new(stage: S) -> Self {
        Self { stage, out: ShadedVertices::new(), faults: FaultList::new() }
    }

    /// Shades a batch and keeps the result from being optimised away.
    pub fn run(&mut self, batch: &VertexBatch<'_>) {
        self.stage.shade(black_box(batch), &mut self.out, &mut self.faults);
        black_box(self.out.component(0).as_ptr());
    }

    /// True if the last batch has the same bits as that of another runner.
    pub fn same_bits<T: ShaderStage>(&self, other: &Runner<T>) -> bool {
        let bits = |out: &ShadedVertices, k| out.component(k).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let same = |k| bits(&self.out, k) == bits(&other.out, k);
        self.out.components() == other.out.components() && (0..self.out.components()).all(same)
    }
}

impl Runner<Interpreter> {
    /// The interpreter.
    #[must_use]
    pub fn interpreter() -> Self {
        Self::new(Interpreter::new())
    }
}

impl Runner<Engine> {
    /// The JIT, compiling with care before it runs.
    ///
    /// # Errors
    /// If the host cannot run compiled code.
    pub fn jit() -> Result<Self, CompileError> {
        Ok(Self::new(settled_engine().build()?))
    }

    /// The engine's counters.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.stage.stats()
    }

    /// The report of the last batch.
    #[must_use]
    pub fn report(&self) -> &RunReport {
        self.stage.last_run()
    }
}

/// The yardstick with the room that its results take.
#[derive(Debug)]
pub struct Ruler {
    yardstick: Yardstick,
    out: ShadedVertices,
}

impl Ruler {
    /// The yardstick of a workload.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        Self { yardstick: Yardstick::new(workload), out: ShadedVertices::new() }
    }

    /// Shades the whole batch and keeps the result from being optimised away.
    pub fn run(&mut self) {
        black_box(&self.yardstick).shade(&mut self.out);
        black_box(self.out.component(0).as_ptr());
    }
}
