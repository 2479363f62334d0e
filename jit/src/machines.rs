//! [`Engine`]: the core with one side for each machine. The only file besides the list of exports that names both
//! machines; each machine implements its seams in its own folder.

use crate::engine::EngineBuilder;
use crate::engine::core::Core;
use crate::error::CompileError;
use crate::profile::Watch;
use crate::stats::Stats;
use crate::textures::Textures;
use crate::tracer::Tracer;
use crate::{ge, pica};
use picaflor_pipeline::tile::Workers;
use std::sync::Arc;

/// The production engine: compiled code, with the interpreter as fallback.
///
/// One engine serves one thread at a time and owns its compile threads. A machine takes it (`pica.run(&mut engine,
/// …)`), or a host shades batches with it:
///
/// ```
/// use picaflor_jit::{Engine, EngineMode, Served};
/// use picaflor_pipeline::fault::FaultList;
/// use picaflor_pipeline::memory::FlatMemory;
/// use picaflor_pipeline::pica::float::Precision;
/// use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
/// use picaflor_pipeline::pica::shader::unit::Uniforms;
/// use picaflor_pipeline::pica::regs::geometry::ElementType;
/// use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
/// use picaflor_pipeline::pica::stage::{ShadedVertices, ShaderStage, VertexBatch};
///
/// // add o0, c0, v0; end
/// let program = Program::from_words(UnitKind::Vertex, &[0x0002_0000, 0x8800_0000], &[0x0006_c36f]);
/// let mut uniforms = Uniforms::default();
/// uniforms.set_float_f32(0, [0.5_f32; 4].map(f32::to_bits));
/// let (element, components) = (ElementType::U8, 1);
/// let v0 = AttributeSource::Array { address: 0x2000_0000, stride_bytes: 1, element, components };
/// let batch = VertexBatch {
///     memory: &FlatMemory::new(0x2000_0000, vec![10, 20, 30, 40, 50]),
///     indices: &[4, 0, 2],
///     inputs: &VertexInputs { attributes: vec![v0], permutation: 0 },
///     program: &program,
///     entry: 0,
///     uniforms: &uniforms,
///     output: &OutputForm::Records { mask: 1, slots: 1 },
///     precision: Precision::Console,
///     instruction_budget: 1000,
/// };
///
/// let mut engine = Engine::builder().mode(EngineMode::Blocking).build()?;
/// let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
/// engine.shade(&batch, &mut out, &mut faults);
/// assert_eq!(out.component(0), [50.5, 10.5, 30.5]); // x of o0
/// assert_eq!(engine.last_run().served, Served::Compiled);
/// # Ok::<(), picaflor_jit::CompileError>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    pub(crate) core: Core,
    /// Decoded images of both machines.
    pub(crate) textures: Textures,
    pub(crate) pica: pica::side::Side,
    pub(crate) ge: ge::side::Side,
    /// Threads that draw.
    pub(crate) workers: Workers,
}

impl EngineBuilder {
    /// The engine.
    ///
    /// # Errors
    /// [`CompileError::Host`] when the host cannot run compiled code; [`CompileError::Unwritable`];
    /// [`CompileError::UnnamedFolder`].
    /// [`EngineMode::InterpreterOnly`](crate::EngineMode::InterpreterOnly) needs nothing of the host.
    pub fn build(self) -> Result<Engine, CompileError> {
        let textures = Textures::new(self.texture_budget);
        Ok(Engine {
            core: self.core()?,
            textures,
            pica: pica::side::Side::new(),
            ge: ge::side::Side::default(),
            workers: Workers::default(),
        })
    }
}

impl Engine {
    /// A builder with default settings.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder::new()
    }

    /// Counters since the engine was built.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.core.stats(self.textures.stats())
    }

    /// A view of what is left to the interpreter, for an [observer](picaflor_pipeline::pica::observer) of a machine that is
    /// using the engine.
    #[must_use]
    pub fn watch(&self) -> Watch {
        Watch::new(Arc::clone(&self.core.profile))
    }

    /// The tracer of the draws that this engine makes.
    #[must_use]
    pub fn tracer(&self) -> Tracer {
        self.core.tracer.clone()
    }

    /// Waits until all queued compilations are finished.
    pub fn wait_for_compiles(&self) {
        self.core.wait();
    }
}
