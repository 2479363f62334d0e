//! The oracle of the PICA200: programs, primitives, fragments and blits, interpreted beside the manuals.
//!
//! ```text
//!  VertexBatch ──► fetch ──► registers ──► one step after the other ──► output map ──► ShadedVertices
//!                  (pipeline) ShaderUnit    shader, shader/flow.rs       (pipeline)
//!
//!  PrimitiveBatch ──► assembly ──► quaternion signs ──► clipping ──► viewport, culling ──► Triangle
//!                     primitive, one vertex, one triangle, one plane at a time
//!
//!  TileBatch ──► coverage, scissor, interpolation ──► texturing, lighting, combiners, fog, tests, blending ──► bytes
//!                raster, one pixel at a time           fragment, one pixel at a time                           surface
//!
//!  Fill, TransferRegisters, ScanOut ──► bytes of memory, Picture
//!                                       blit, one byte or one pixel at a time
//! ```
//!
//! How to read it, with the manuals open beside it:
//!
//! * [`shader`] fetches, dispatches and counts steps: one arm for each opcode, in the order of the opcode
//!   table (pica-shader.md 2.2).
//! * `shader/operand.rs` decodes a field of an instruction word to a value: register, relative address, swizzle,
//!   negation, destination mask (pica-shader.md 2.3, 2.4).
//! * `shader/rules.rs` holds the rules of the two precisions (pica-shader.md 3.2, 3.4), `shader/alu.rs` the
//!   opcodes that compute (pica-shader.md 3.5).
//! * `shader/flow.rs` is the control-flow machine with its three stacks (pica-shader.md 4.1).
//! * `shader/geometry.rs` is `SETEMIT` and `EMIT` (pica-shader.md 5.4, 5.5).
//! * [`shader::trace`] records steps on request.
//! * `primitive` takes vertices to triangles in the window (pica-geometry.md 4.2, 5.2-5.6).
//! * `raster` decides which pixels a triangle covers and what they inherit (pica-geometry.md 6.1-6.5).
//! * [`surface`] finds pixels in memory (pica-geometry.md 6.6, 6.8); its formats serve textures and blits, too.
//! * `fragment` takes one fragment through the stages, in the order of pica-fragment.md 1.4.
//! * `blit` fills, transfers, copies and shows (pica-geometry.md 7.1-7.4, 8.6).
//!
//! Vertex fetch and the output map are those of `pipeline`. Of its other rooms the oracle uses the types of the seams,
//! the registers with their decoded fields, tables and memory, but nothing that computes a vertex, a pixel or a byte.

mod blit;
mod fragment;
mod primitive;
mod raster;
pub mod shader;
pub mod surface;

use crate::Interpreter;
use crate::trace::{Found, Subject};
use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::shader::unit::ShaderUnit;
use picaflor_pipeline::pica::stage::{
    Emission, FragmentStage, FragmentState, GeometryRun, ShadedVertices, ShaderStage, TileRoutine,
    VertexBatch,
};
use picaflor_pipeline::pica::transfer::TransferRegisters;
use picaflor_pipeline::pica::vertex::OutputForm;
use shader::Invocation;
use std::sync::{Arc, OnceLock};

/// Bit of `b15` in the boolean uniforms.
const B15: u16 = 1 << 15;

impl ShaderStage for Interpreter {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        out.reset(batch.indices.len(), batch.output.components());
        // Vertices that are missing belong to a draw that shows none.
        let wanted = batch.indices.iter().take_while(|_| !batch.memory.is_stopping());
        for (position, &index) in wanted.enumerate() {
            let unit = shade_vertex(batch, position, index, faults);
            for (k, value) in leaving(batch.output, &unit).into_iter().enumerate() {
                out.component_mut(k)[position] = value;
            }
        }
    }

    fn run_geometry(
        &mut self,
        run: &mut GeometryRun<'_>,
        emitted: &mut Vec<Emission>,
        faults: &mut FaultList,
    ) {
        let invocation = Invocation {
            program: run.program,
            entry: run.entry,
            uniforms: run.uniforms,
            output_mask: run.output_mask,
            precision: run.precision,
            instruction_budget: run.instruction_budget,
            vertex: 0,
        };
        shader::run_unit(&invocation, run.unit, emitted, faults, None);
        // The hardware sets b15 after each run (picasso's manual; gbatek read it back).
        run.uniforms.set_bools(run.uniforms.bools() | B15);
    }
}

/// The routine of the interpreter, which also records a subject in `found`; for draws in one state.
#[must_use]
pub fn traced(subject: Subject, found: &Found) -> Arc<dyn TileRoutine> {
    Arc::new(fragment::Traced { subject, found: found.clone(), replaced: OnceLock::new() })
}

/// Width, height and texels (red, green, blue, alpha) of a level of texture unit 0, 1 or 2, rows from the top; `None` if
/// the unit has no texture or no such level.
#[must_use]
pub fn texels(state: &FragmentState<'_>, unit: usize, level: u32) -> Option<([u32; 2], Vec<[u8; 4]>)> {
    fragment::texels(state, unit, level)
}

/// Address of the first pixel of the input that a display transfer makes the pixel at `address` of its output of;
/// `None` if it makes no pixel there.
#[must_use]
pub fn transfer_source(registers: &TransferRegisters, address: u32) -> Option<u32> {
    blit::transfer_source(registers, address)
}

/// One vertex of a batch, step by step.
#[derive(Debug, Clone)]
pub struct VertexTrace {
    /// The registers before the first step: inputs in `v`.
    pub before: ShaderUnit,
    /// The executed instructions, up to the limit.
    pub steps: shader::trace::Trace,
    /// The registers after the last step.
    pub after: ShaderUnit,
}

/// Runs the vertex at a position of the batch as [`ShaderStage::shade`] does, and records up to `limit` of its steps;
/// `None` past the end of the batch.
#[must_use]
pub fn trace_vertex(batch: &VertexBatch<'_>, position: usize, limit: usize) -> Option<VertexTrace> {
    let index = *batch.indices.get(position)?;
    let (invocation, before) = entering(batch, position, index);
    let (mut after, mut steps) = (before.clone(), shader::trace::Trace::with_limit(limit));
    shader::run_unit(&invocation, &mut after, &mut Vec::new(), &mut FaultList::new(), Some(&mut steps));
    Some(VertexTrace { before, steps, after })
}

/// A run of a geometry program, step by step.
#[derive(Debug, Clone)]
pub struct GeometryTrace {
    /// The registers before the first step: inputs in `v`, or in uniforms.
    pub before: ShaderUnit,
    /// The executed instructions, up to the limit.
    pub steps: shader::trace::Trace,
    /// The emitted vertices.
    pub emitted: Vec<Emission>,
    /// The registers after the last step.
    pub after: ShaderUnit,
}

/// Runs a geometry program as [`ShaderStage::run_geometry`] does, and records up to `limit` of its steps; registers and
/// uniforms of the run stay as they are.
#[must_use]
pub fn trace_geometry(run: &GeometryRun<'_>, limit: usize) -> GeometryTrace {
    let before = run.unit.clone();
    let (mut after, mut emitted) = (before.clone(), Vec::new());
    let mut steps = shader::trace::Trace::with_limit(limit);
    let mut faults = FaultList::new();
    shader::run_unit(&running(run), &mut after, &mut emitted, &mut faults, Some(&mut steps));
    GeometryTrace { before, steps, emitted, after }
}

/// The invocation of a geometry run.
fn running<'a>(run: &'a GeometryRun<'_>) -> Invocation<'a> {
    Invocation {
        program: run.program,
        entry: run.entry,
        uniforms: run.uniforms,
        output_mask: run.output_mask,
        precision: run.precision,
        instruction_budget: run.instruction_budget,
        vertex: 0,
    }
}

impl FragmentStage for Interpreter {
    fn fragment_routine(&mut self, _state: &FragmentState<'_>) -> Arc<dyn TileRoutine> {
        Arc::new(fragment::Fragments::default())
    }
}

/// Runs one vertex from zeroed registers (assumed: on the console a vertex finds the leftovers of some earlier one,
/// the rule is unknown) and returns its unit.
fn shade_vertex(batch: &VertexBatch<'_>, position: usize, index: u32, faults: &mut FaultList) -> ShaderUnit {
    let (invocation, mut unit) = entering(batch, position, index);
    shader::run_unit(&invocation, &mut unit, &mut Vec::new(), faults, None);
    unit
}

/// The invocation of a vertex, and its unit before the first step.
fn entering<'a>(batch: &VertexBatch<'a>, position: usize, index: u32) -> (Invocation<'a>, ShaderUnit) {
    let invocation = Invocation {
        program: batch.program,
        entry: batch.entry,
        uniforms: batch.uniforms,
        output_mask: 0,
        precision: batch.precision,
        instruction_budget: batch.instruction_budget,
        vertex: position as u32,
    };
    let v = batch.inputs.fetch(batch.memory, index, batch.precision);
    (invocation, ShaderUnit { v, ..ShaderUnit::default() })
}

/// The components that leave a vertex unit, in the order of [`ShadedVertices`].
fn leaving(form: &OutputForm, unit: &ShaderUnit) -> Vec<f32> {
    match form {
        OutputForm::Mapped(map) => map.apply(&unit.packed_outputs(map.mask)).to_vec(),
        OutputForm::Records { mask, slots } => {
            let mut record = unit.packed_outputs(*mask).to_vec();
            record.resize(usize::from(*slots), [0.0; 4]);
            record.concat()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use picaflor_pipeline::fault::Fault;
    use picaflor_pipeline::memory::{FlatMemory, NoMemory};
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_pipeline::pica::regs::geometry::ElementType;
    use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
    use picaflor_pipeline::pica::shader::unit::Uniforms;
    use picaflor_pipeline::pica::vertex::{AttributeSource, OutputMap, VertexInputs};

    /// A descriptor that writes every component and swizzles nothing.
    const IDENTITY: u32 = 0x0d86_c36f;
    const END: u32 = 0x8800_0000;

    /// One attribute of two bytes at `v2`.
    fn inputs() -> VertexInputs {
        let array = AttributeSource::Array {
            address: 0x100,
            stride_bytes: 2,
            element: ElementType::I8,
            components: 2,
        };
        VertexInputs { attributes: vec![array], permutation: 2 }
    }

    fn shade(code: &[u32], output: OutputForm, indices: &[u32], budget: u32) -> (ShadedVertices, FaultList) {
        let memory = FlatMemory::new(0x100, vec![1, 2, 3, 4, 5, 0xfe]);
        let program = Program::from_words(UnitKind::Vertex, code, &[IDENTITY]);
        let batch = VertexBatch {
            memory: &memory,
            indices,
            inputs: &inputs(),
            program: &program,
            entry: 0,
            uniforms: &Uniforms::default(),
            output: &output,
            precision: Precision::Console,
            instruction_budget: budget,
        };
        let (mut out, mut faults) = (ShadedVertices::new(), FaultList::new());
        Interpreter::new().shade(&batch, &mut out, &mut faults);
        (out, faults)
    }

    /// `mov o3, v2`.
    const MOV_O3_V2: u32 = 0x13 << 26 | 3 << 21 | 2 << 12;

    #[test]
    fn mapped_vertices() {
        let map = OutputMap { mask: 1 << 3, total: 1, slots: [0x0b_0a_09_08, 0, 0, 0, 0, 0, 0] };
        let (out, faults) = shade(&[MOV_O3_V2, END], OutputForm::Mapped(map), &[2, 0, 9], 100);
        assert_eq!((out.len(), out.components()), (3, 24));
        // Colours are |c| up to 1; what is not mapped is 1; memory that is not there is 0.
        assert_eq!(out.component(8), [1.0, 1.0, 0.0]);
        assert_eq!(out.component(9), [1.0, 1.0, 0.0]);
        assert_eq!(out.component(10), [0.0; 3]);
        assert_eq!((out.component(0), out.component(11)), (&[1.0; 3][..], &[1.0; 3][..]));
        assert_eq!(faults, FaultList::new());
    }

    #[test]
    fn record_vertices() {
        let form = OutputForm::Records { mask: 0b1010, slots: 3 };
        let (out, _) = shade(&[MOV_O3_V2, END], form, &[2, 1], 100);
        assert_eq!(out.components(), 12);
        let rows: Vec<_> = (0..12).map(|k| out.component(k).to_vec()).collect();
        assert_eq!(rows[..4], [[0.0; 2]; 4]);
        assert_eq!(rows[4..8], [[5.0, 3.0], [-2.0, 4.0], [0.0, 0.0], [1.0, 1.0]]);
        assert_eq!(rows[8..], [[0.0; 2]; 4]);
    }

    /// A program that adds to a register it never wrote: every vertex starts from zero.
    #[test]
    fn vertices_do_not_see_each_other() {
        // add r0, v2, r0; mov o0, r0
        let code = [0x10 << 21 | 2 << 12 | 0x10 << 7, 0x13 << 26 | 0x10 << 12, END];
        let (out, _) = shade(&code, OutputForm::Records { mask: 1, slots: 1 }, &[0, 1, 2], 100);
        assert_eq!(out.component(0), [1.0, 3.0, 5.0]);
    }

    #[test]
    fn faults_name_the_vertex() {
        let form = OutputForm::Records { mask: 0, slots: 1 };
        let (_, faults) = shade(&[MOV_O3_V2, END], form, &[7, 7], 1);
        let expected = [0, 1].map(|vertex| Fault::InstructionBudget { pc: 1, vertex });
        assert_eq!(faults.as_slice(), expected);
    }

    #[test]
    fn geometry_run_sets_b15_and_keeps_the_unit() {
        // emit; add r0, v2, v2
        let code = [0x2a << 26, 0x10 << 21 | 2 << 12 | 2 << 7, END];
        let program = Program::from_words(UnitKind::Geometry, &code, &[IDENTITY]);
        let (mut uniforms, mut unit) = (Uniforms::default(), ShaderUnit::default());
        uniforms.set_bools(1);
        unit.v[2] = [2.0; 4];
        unit.o[0][1] = [8.0; 4];
        let mut emitted = Vec::new();
        for _ in 0..2 {
            let mut run = GeometryRun {
                program: &program,
                entry: 0,
                uniforms: &mut uniforms,
                unit: &mut unit,
                output_mask: 2,
                precision: Precision::Console,
                instruction_budget: 10,
                memory: &NoMemory,
            };
            Interpreter::new().run_geometry(&mut run, &mut emitted, &mut FaultList::new());
        }
        assert_eq!(uniforms.bools(), 0x8001);
        assert_eq!((unit.r[0], unit.bank), ([4.0; 4], 0));
        assert_eq!([0, 1].map(|n| emitted[n].record[0]), [[8.0; 4], [0.0; 4]]);
    }
}
