//! Engines of the GE by name.

use crate::defect::Defect;
use crate::replay::ReplayError;
use crate::setup::Setup;
use crate::suggest::did_you_mean;
use picaflor_interp::Interpreter;
use picaflor_jit::{DiskStats, Engine, EngineMode};
use picaflor_pipeline::fault::Fault;
use picaflor_pipeline::ge::display::FrameBuffer;
use picaflor_pipeline::ge::raster::{Primitive, Shape};
use picaflor_pipeline::ge::regs::Registers;
use picaflor_pipeline::ge::stage::blit::BlitStage;
use picaflor_pipeline::ge::stage::primitive::{PendingVertices, PrimitiveBatch, PrimitiveStage};
use picaflor_pipeline::ge::stage::surface::{Surface, SurfaceBatch};
use picaflor_pipeline::ge::stage::{
    PixelStage, PixelState, Remembered, Stages, TileRoutine, TransformStage, VertexBatch,
};
use picaflor_pipeline::ge::vertex::Vertex;
use picaflor_pipeline::ge::vram::AddressMaps;
use picaflor_pipeline::memory::Memory;
use picaflor_pipeline::picture::Picture;
use picaflor_pipeline::tile::Workers;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The names, the reference first.
///
/// | name | what runs |
/// |---|---|
/// | `interp` | the interpreter, the reference of the others |
/// | `jit` | compiled code made on the spot, the interpreter for what it refuses |
/// | `jit-no-fallback` | as `jit`, without fallback: draws that compiled code refuses are dropped |
/// | `jit-default` | the default of an embedding emulator |
pub const NAMES: [&str; 4] = ["interp", "jit", "jit-no-fallback", "jit-default"];

/// An engine by name, which may be wrong on purpose.
pub struct Named {
    name: &'static str,
    kind: Kind,
    defect: Option<Defect>,
    /// States for which a way to draw was asked.
    asked: u64,
    /// True in a session in whose course memory was changed.
    keeps: bool,
}

/// Counters of an engine.
#[derive(Debug, Clone, Default)]
pub struct Work {
    /// States for which a routine was requested.
    pub asked: u64,
    /// States that compiled code draws.
    pub compiled: u64,
    /// Reasons of the refusals, with counts.
    pub refusals: BTreeMap<String, u64>,
    /// Tiles that the interpreter drew although this engine compiles.
    pub interpreted_tiles: u64,
    /// Counters of the disk cache.
    pub disk: DiskStats,
}

enum Kind {
    Interpreter(Interpreter),
    Compiled(Box<Engine>),
    Other(Box<dyn Stages + Send>),
}

impl Named {
    /// An engine from outside this list.
    #[must_use]
    pub fn other(name: &'static str, engine: impl Stages + Send + 'static) -> Self {
        Self { name, kind: Kind::Other(Box::new(engine)), defect: None, asked: 0, keeps: false }
    }

    /// The engine `interp`.
    #[must_use]
    pub const fn interpreter() -> Self {
        Self {
            name: NAMES[0],
            kind: Kind::Interpreter(Interpreter::new()),
            defect: None,
            asked: 0,
            keeps: false,
        }
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The counters so far.
    #[must_use]
    pub fn work(&self) -> Work {
        let Kind::Compiled(engine) = &self.kind else { return Work { asked: self.asked, ..Work::default() } };
        let stats = engine.stats();
        Work {
            asked: self.asked,
            compiled: stats.fragment_draws,
            refusals: stats.refusals,
            interpreted_tiles: stats.interpreted_tiles + stats.missing_tiles,
            disk: stats.disk,
        }
    }

    fn stages(&mut self) -> &mut dyn Stages {
        match &mut self.kind {
            Kind::Interpreter(engine) => engine,
            Kind::Compiled(engine) => engine.as_mut(),
            Kind::Other(engine) => engine.as_mut(),
        }
    }
}

impl TransformStage for Named {
    fn transform(&mut self, batch: &VertexBatch<'_>, out: &mut Vec<Vertex>) {
        self.stages().transform(batch, out);
        if let Some(defect) = self.defect {
            defect.ge_vertices(out);
        }
    }

    fn remembered(&mut self, batch: &VertexBatch<'_>) -> Remembered {
        self.stages().remembered(batch)
    }

    fn is_outside(&mut self, batch: &VertexBatch<'_>) -> bool {
        self.stages().is_outside(batch)
    }

    fn is_unseen(&mut self, batch: &VertexBatch<'_>, shape: Shape) -> bool {
        self.stages().is_unseen(batch, shape)
    }

    fn immediate(&mut self, registers: &Registers) -> Vertex {
        self.stages().immediate(registers)
    }

    fn surface(&mut self, batch: &SurfaceBatch<'_>) -> Option<Box<dyn Surface>> {
        self.stages().surface(batch)
    }
}

impl PrimitiveStage for Named {
    fn primitives(
        &mut self,
        batch: &PrimitiveBatch<'_>,
        pending: &mut PendingVertices,
        out: &mut Vec<Primitive>,
    ) {
        self.stages().primitives(batch, pending, out);
    }
}

impl BlitStage for Named {
    fn block_transfer(
        &mut self,
        memory: &dyn Memory,
        registers: &Registers,
        maps: AddressMaps,
    ) -> Result<(), Fault> {
        self.stages().block_transfer(memory, registers, maps)
    }

    fn scan_out(&mut self, memory: &dyn Memory, maps: AddressMaps, frame: &FrameBuffer) -> Picture {
        self.stages().scan_out(memory, maps, frame)
    }
}

impl PixelStage for Named {
    fn pixel_routine(&mut self, state: &PixelState<'_>, primitives: &[Primitive]) -> Arc<dyn TileRoutine> {
        self.asked += 1;
        let routine = self.stages().pixel_routine(state, primitives);
        match self.defect {
            Some(defect) if defect.shows(self.keeps) => defect.ge_tiles(state, routine),
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
        self.stages().list_begins();
    }

    fn list_ends(&mut self) {
        self.keeps = false;
        self.stages().list_ends();
    }

    fn workers(&mut self) -> Option<&mut Workers> {
        self.stages().workers()
    }

    fn changed(&mut self, address: u32, length: u32) {
        self.keeps = true;
        self.stages().changed(address, length);
    }
}

/// The engine of this name.
///
/// # Errors
/// There is none, or it cannot run here.
pub fn by_name(name: &str) -> Result<Box<dyn Stages + Send>, ReplayError> {
    Ok(Box::new(with_setup(name, Setup::default())?))
}

/// The engine of this name, set up.
///
/// # Errors
/// There is none, or it cannot run here.
pub fn with_setup(name: &str, setup: Setup<'_>) -> Result<Named, ReplayError> {
    let Setup { cache, dumps, defect } = setup;
    let blocking = Engine::builder().mode(EngineMode::Blocking);
    let unknown = || ReplayError::NoSuchEngine(unknown(name));
    let name = NAMES.into_iter().find(|&known| known == name).ok_or_else(unknown)?;
    let builder = match name {
        "interp" => return Ok(Named { defect, ..Named::interpreter() }),
        "jit" => blocking,
        "jit-no-fallback" => blocking.fallback(false),
        _ => Engine::builder(),
    };
    let builder = match cache {
        Some(folder) => builder.disk_cache(folder),
        None => builder,
    };
    let builder = match dumps {
        Some(folder) => builder.dumps(folder),
        None => builder,
    };
    Ok(Named { name, kind: Kind::Compiled(Box::new(builder.build()?)), defect, asked: 0, keeps: false })
}

fn unknown(name: &str) -> String {
    let near = did_you_mean(name, NAMES);
    format!("the engine `{name}` does not draw what the GE draws{near}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_its_engine() {
        assert!(NAMES.into_iter().all(|name| by_name(name).is_ok()));
        assert!(by_name("gpu").is_err());
    }
}
