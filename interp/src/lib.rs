//! The oracle: an interpreter that follows the manuals, for programs, primitives, fragments and blits of the PICA200
//! ([`pica`]) and for every stage of the GE, GPU of the PlayStation Portable ([`ge`]).
//!
//! Invariant: every result is computed from register contents, tables, program words and the batch. Nothing is
//! derived ahead of time: no control-flow graph, no state key, no analysis. The comparison with the compiled engine
//! depends on this independence.
//!
//! * [`pica`]: the PICA200, beside pica-shader.md, pica-geometry.md and pica-fragment.md.
//! * [`ge`]: every stage of the GE that computes a vertex, a pixel or a byte of memory, beside psp-ge.md.
//! * [`host`]: images of a host in place of textures, where an engine that interprets some of its draws keeps them.
//!
//! [`Interpreter`] is an engine like any other: it implements every seam of each machine, and hosts may use it for
//! vertices only.
//!
//! ```
//! use picaflor_interp::Interpreter;
//! use picaflor_pipeline::fault::FaultList;
//! use picaflor_pipeline::memory::FlatMemory;
//! use picaflor_pipeline::pica::float::Precision;
//! use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
//! use picaflor_pipeline::pica::shader::unit::Uniforms;
//! use picaflor_pipeline::pica::vertex::{AttributeSource, OutputForm, VertexInputs};
//! use picaflor_pipeline::pica::stage::{ShadedVertices, ShaderStage, VertexBatch};
//!
//! // add o0, c0, v0; end
//! let program = Program::from_words(UnitKind::Vertex, &[0x0002_0000, 0x8800_0000], &[0x0006_c36f]);
//! let mut uniforms = Uniforms::default();
//! uniforms.set_float_f32(0, [1.0_f32, 2.0, 3.0, 4.0].map(f32::to_bits));
//! let batch = VertexBatch {
//!     memory: &FlatMemory::default(),
//!     indices: &[0],
//!     inputs: &VertexInputs { attributes: vec![AttributeSource::Fixed([0.5; 4])], permutation: 0 },
//!     program: &program,
//!     entry: 0,
//!     uniforms: &uniforms,
//!     output: &OutputForm::Records { mask: 1, slots: 1 },
//!     precision: Precision::Console,
//!     instruction_budget: 100,
//! };
//! let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
//! Interpreter::new().shade(&batch, &mut out, &mut faults);
//! assert_eq!([0, 1, 2, 3].map(|component| out.component(component)[0]), [1.5, 2.5, 3.5, 4.5]);
//! ```
//!
//! No Cargo features; the only dependency is `picaflor-pipeline`.
#![forbid(unsafe_code)]

pub mod ge;
pub mod host;
pub mod pica;
pub mod trace;

/// The reference engine of both machines. Stateless: the persistent state of a console is in the machine.
#[derive(Debug, Default, Clone, Copy)]
pub struct Interpreter {}

impl Interpreter {
    /// An interpreter.
    #[must_use]
    pub const fn new() -> Self {
        Self {}
    }
}
