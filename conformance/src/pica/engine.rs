//! Engines by name: every case of this crate runs on all of them.

use crate::defect::Defect;
use crate::setup::Setup;
use picaflor_interp::Interpreter;
use picaflor_jit::{CompileError, DiskStats, Engine, EngineMode, Served, Variant};
use picaflor_pipeline::fault::{Fault, FaultList};
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::pica::display::ScanOut;
use picaflor_pipeline::pica::stage::blit::{BlitStage, Fill};
use picaflor_pipeline::pica::stage::primitive::{
    PendingVertices, PrimitiveBatch, PrimitiveStage, Primitives,
};
use picaflor_pipeline::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryBatch, GeometryRun, ShadedVertices, ShaderStage, Stages,
    TileRoutine, VertexBatch,
};
use picaflor_pipeline::pica::transfer::TransferRegisters;
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::tile::Workers;
use std::path::Path;
use std::sync::Arc;

/// The names, the reference first.
///
/// | name | what runs |
/// |---|---|
/// | `interp` | the interpreter, the reference of the others |
/// | `jit` | compiled code made on the spot, fast variant with replay |
/// | `jit-exact` | compiled code made on the spot, exact variant forced |
/// | `jit-no-fallback` | as `jit`, without fallback: work that compiled code refuses has no result |
/// | `jit-default` | the default of an embedding emulator |
pub const NAMES: [&str; 5] = ["interp", "jit", "jit-exact", "jit-no-fallback", "jit-default"];

/// The producer of the last result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Service {
    /// The interpreter, asked by name.
    Reference,
    /// Compiled code, after running this many groups again.
    Compiled {
        /// Groups in all.
        groups: u32,
        /// Groups that ran twice.
        replayed: u32,
    },
    /// The interpreter, as fallback of compiled code: nothing was compared.
    Interpreter(Option<CompileError>),
    /// None: the result is undefined.
    Nobody(Option<CompileError>),
}

impl Service {
    /// True if there is a result.
    #[must_use]
    pub const fn has_result(&self) -> bool {
        !matches!(self, Self::Nobody(_))
    }

    /// True if the comparison of the result counts: only results of compiled code are evidence about compiled code.
    #[must_use]
    pub const fn counts(&self) -> bool {
        matches!(self, Self::Reference | Self::Compiled { .. })
    }

    /// The reason in a few words, for tables of cases that could not be compared.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Reference => "the reference".into(),
            Self::Compiled { .. } => "compiled".into(),
            Self::Interpreter(Some(why)) => format!("interpreted: {why}"),
            Self::Interpreter(None) => "interpreted: not compiled yet, or a fault".into(),
            Self::Nobody(Some(why)) => format!("refused: {why}"),
            Self::Nobody(None) => "no engine served it".into(),
        }
    }
}

/// An engine that reports the producer of each result.
#[derive(Debug)]
pub struct NamedEngine {
    name: &'static str,
    kind: Kind,
    defect: Option<Defect>,
    /// True in a list in whose course memory is only changed by draws.
    keeps: bool,
}

#[derive(Debug)]
enum Kind {
    Interpreter(Interpreter),
    Compiled(Box<Engine>),
}

impl NamedEngine {
    /// The engine `interp`.
    #[must_use]
    pub const fn interpreter() -> Self {
        Self { name: NAMES[0], kind: Kind::Interpreter(Interpreter::new()), defect: None, keeps: false }
    }

    /// The engine of this name; `None` when there is none.
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    pub fn by_name(name: &str) -> Option<Result<Self, CompileError>> {
        Self::cached(name, None)
    }

    /// The engine of this name, with its compiled code in a folder; `None` if there is none.
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    pub fn cached(name: &str, cache: Option<&Path>) -> Option<Result<Self, CompileError>> {
        Self::with_setup(name, Setup { cache, ..Setup::default() })
    }

    /// The engine of this name, set up; `None` when there is none.
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    pub fn with_setup(name: &str, setup: Setup<'_>) -> Option<Result<Self, CompileError>> {
        let name = NAMES.into_iter().find(|&known| known == name)?;
        let builder = Engine::builder();
        let blocking = Engine::builder().mode(EngineMode::Blocking);
        let Setup { cache, dumps, defect } = setup;
        let builder = match name {
            "interp" => return Some(Ok(Self { defect, ..Self::interpreter() })),
            "jit" => blocking,
            "jit-exact" => blocking.variant(Variant::Exact),
            "jit-no-fallback" => blocking.fallback(false),
            _ => builder,
        };
        let builder = match cache {
            Some(folder) => builder.disk_cache(folder),
            None => builder,
        };
        let builder = match dumps {
            Some(folder) => builder.dumps(folder),
            None => builder,
        };
        Some(builder.build().map(|engine| Self {
            name,
            kind: Kind::Compiled(Box::new(engine)),
            defect,
            keeps: false,
        }))
    }

    /// All engines, in the order of [`NAMES`].
    ///
    /// # Errors
    /// [`CompileError`] when this host cannot run compiled code.
    pub fn all() -> Result<Vec<Self>, CompileError> {
        NAMES.into_iter().filter_map(Self::by_name).collect()
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Tiles of fragments that compiled code did not draw, though this engine compiles.
    #[must_use]
    pub fn interpreted_tiles(&self) -> u64 {
        let Kind::Compiled(engine) = &self.kind else { return 0 };
        let stats = engine.stats();
        stats.interpreted_tiles + stats.missing_tiles
    }

    /// Counters of the disk cache.
    #[must_use]
    pub fn disk_stats(&self) -> DiskStats {
        match &self.kind {
            Kind::Interpreter(_) => DiskStats::default(),
            Kind::Compiled(engine) => engine.stats().disk,
        }
    }

    /// The producer of the last batch or run.
    #[must_use]
    pub fn service(&self) -> Service {
        let Kind::Compiled(engine) = &self.kind else { return Service::Reference };
        let report = engine.last_run();
        match &report.served {
            Served::Compiled => Service::Compiled { groups: report.groups, replayed: report.replayed },
            Served::Interpreter(why) => Service::Interpreter(why.clone().or_else(|| report.refusal.clone())),
            Served::Nobody => Service::Nobody(report.refusal.clone()),
        }
    }

    fn stages(&mut self) -> &mut dyn Stages {
        match &mut self.kind {
            Kind::Interpreter(engine) => engine,
            Kind::Compiled(engine) => engine.as_mut(),
        }
    }
}

impl ShaderStage for NamedEngine {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        self.stages().shade(batch, out, faults);
        if let Some(defect) = self.defect {
            defect.vertices(out);
        }
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.stages().run_geometry(run, emitted, faults);
    }

    fn run_geometry_batch(
        &mut self,
        batch: &mut GeometryBatch<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        self.stages().run_geometry_batch(batch, emitted, faults);
    }
}

impl PrimitiveStage for NamedEngine {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Primitives,
    ) {
        self.stages().primitives(batch, pending, out);
    }
}

impl BlitStage for NamedEngine {
    fn fill(&mut self, memory: &dyn Memory, fill: &Fill) -> Result<(), Fault> {
        self.stages().fill(memory, fill)
    }

    fn transfer(&mut self, memory: &dyn Memory, registers: &TransferRegisters) -> Result<(), Fault> {
        self.stages().transfer(memory, registers)
    }

    fn scan_out(&mut self, memory: &dyn Memory, source: &ScanOut) -> Option<Picture> {
        self.stages().scan_out(memory, source)
    }
}

impl FragmentStage for NamedEngine {
    fn fragment_routine(&mut self, state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        let routine = self.stages().fragment_routine(state);
        match self.defect {
            Some(defect) if defect.shows(self.keeps) => defect.tiles(state, routine),
            _ => routine,
        }
    }

    fn is_full(&mut self) -> bool {
        self.stages().is_full()
    }

    fn next_draw(&mut self, pixels: u64) {
        self.stages().next_draw(pixels);
    }

    fn list_begins(&mut self) {
        self.keeps = true;
        self.stages().list_begins();
    }

    fn list_ends(&mut self) {
        self.keeps = false;
        self.stages().list_ends();
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        self.stages().workers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_its_engine() {
        let engines = NamedEngine::all().expect("this host can run compiled code");
        assert_eq!(engines.iter().map(NamedEngine::name).collect::<Vec<_>>(), NAMES);
        assert_eq!(engines[0].service(), Service::Reference);
        assert!(NamedEngine::by_name("gpu").is_none());
    }

    #[test]
    fn only_compiled_results_count() {
        assert!(Service::Compiled { groups: 1, replayed: 1 }.counts());
        assert!(!Service::Interpreter(None).counts() && Service::Interpreter(None).has_result());
        assert!(!Service::Nobody(None).counts() && !Service::Nobody(None).has_result());
    }
}
