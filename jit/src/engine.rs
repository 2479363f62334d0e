//! `Engine`: look a routine up, else interpret and enqueue.

use crate::error::CompileError;
use picaflor_interp::Interpreter;
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::stage::{Emission, GeometryRun, ShadedVertices, ShaderStage, VertexBatch};

/// When compiled code is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineMode {
    /// A missing routine is compiled before the batch runs. For tests and tools.
    Blocking,
    /// A missing routine is compiled on a worker; the interpreter serves until it is there. Both give the
    /// same bits, so nobody can see the swap.
    #[default]
    Background,
    /// Nothing is compiled.
    InterpreterOnly,
}

/// Which form of the code runs first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// Without the rare cases of the arithmetic; groups in which one could have mattered are replayed.
    #[default]
    Fast,
    /// With every rule of the arithmetic.
    Exact,
}

/// Who produced the result of the last batch or run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Served {
    /// Compiled code alone, replays included.
    Compiled,
    /// The interpreter, wholly or for some groups; the reason where there is one.
    Interpreter(Option<CompileError>),
    /// Nobody: the fallback is off and compiled code could not do it. Results are unspecified.
    #[default]
    Nobody,
}

/// How the last batch or run was served.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunReport {
    /// By whom.
    pub served: Served,
    /// Groups of four vertices, or geometry runs.
    pub groups: u32,
    /// Groups that the fast variant flagged and that ran again.
    pub replayed: u32,
    /// Why compiled code did not do it, where it did not.
    pub refusal: Option<CompileError>,
}

/// Settings of an [`Engine`].
#[derive(Debug, Clone)]
pub struct EngineBuilder {
    mode: EngineMode,
    variant: Variant,
    fallback: bool,
    compile_threads: usize,
    code_budget: usize,
}

impl EngineBuilder {
    /// When code is made. Default: [`EngineMode::Background`].
    #[must_use]
    pub fn mode(mut self, mode: EngineMode) -> Self {
        self.mode = mode;
        self
    }

    /// Which variant runs first. Default: [`Variant::Fast`].
    #[must_use]
    pub fn variant(mut self, variant: Variant) -> Self {
        self.variant = variant;
        self
    }

    /// Whether the interpreter may stand in. Default: true. Without it, what compiled code refuses is not
    /// computed at all, and replays run in compiled code only: for tests.
    #[must_use]
    pub fn fallback(mut self, fallback: bool) -> Self {
        self.fallback = fallback;
        self
    }

    /// Compile workers of the background mode. Default: 1.
    #[must_use]
    pub fn compile_threads(mut self, threads: usize) -> Self {
        self.compile_threads = threads;
        self
    }

    /// Bytes of compiled code to keep. Default: 16 MiB.
    #[must_use]
    pub fn code_budget(mut self, bytes: usize) -> Self {
        self.code_budget = bytes;
        self
    }

    /// The engine.
    ///
    /// # Errors
    /// [`CompileError::Host`] when the host cannot run compiled code.
    pub fn build(self) -> Result<Engine, CompileError> {
        Ok(Engine { interpreter: Interpreter::new(), last: RunReport::default() })
    }
}

/// The production engine.
#[derive(Debug)]
pub struct Engine {
    interpreter: Interpreter,
    last: RunReport,
}

impl Engine {
    /// Default settings, to be changed.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder {
            mode: EngineMode::default(),
            variant: Variant::default(),
            fallback: true,
            compile_threads: 1,
            code_budget: 16 << 20,
        }
    }

    /// How the last batch or run was served.
    #[must_use]
    pub fn last_run(&self) -> &RunReport {
        &self.last
    }
}

impl ShaderStage for Engine {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        self.interpreter.shade(batch, out, faults);
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.interpreter.run_geometry(run, emitted, faults);
    }
}
