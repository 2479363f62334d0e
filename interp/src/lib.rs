//! The oracle: PICA200 shader programs, interpreted beside the manual.
//!
//! Everything here is computed from register contents, program words and the batch. Nothing is derived ahead
//! of time: no control-flow graph, no state key, no analysis. That is what makes a comparison with the
//! compiled engine worth something, so keep it that way.
//!
//! How to read this crate, with the manual open beside it:
//!
//! * [`shader`] fetches, dispatches and counts steps: one arm for each opcode, in the order of the opcode
//!   table (2.2).
//! * `shader/operand.rs` is what happens between a field of an instruction word and a value: register,
//!   relative address, swizzle, negation, destination mask (2.3, 2.4).
//! * `shader/rules.rs` holds the rules of the two precisions (3.2, 3.4), `shader/alu.rs` the opcodes that
//!   compute (3.5).
//! * `shader/flow.rs` is the control-flow machine with its three stacks (4.1).
//! * `shader/geometry.rs` is `SETEMIT` and `EMIT` (5.4, 5.5).
//! * [`shader::trace`] records steps when somebody asks for them.
#![forbid(unsafe_code)]

pub mod shader;

use picaflor_pipeline::fault::FaultList;
use picaflor_pipeline::pica::shader::unit::ShaderUnit;
use picaflor_pipeline::pica::vertex::OutputForm;
use picaflor_pipeline::stage::{Emission, GeometryRun, ShadedVertices, ShaderStage, VertexBatch};
use shader::Invocation;

/// Bit of `b15` in the boolean uniforms.
const B15: u16 = 1 << 15;

/// The reference engine. It has no state: what persists on the console lives in [`ShaderUnit`].
#[derive(Debug, Default, Clone, Copy)]
pub struct Interpreter {}

impl Interpreter {
    /// An interpreter.
    #[must_use]
    pub const fn new() -> Self {
        Self {}
    }
}

impl ShaderStage for Interpreter {
    fn shade(&mut self, batch: &VertexBatch<'_>, out: &mut ShadedVertices, faults: &mut FaultList) {
        out.reset(batch.indices.len(), batch.output.components());
        for (position, &index) in batch.indices.iter().enumerate() {
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

/// Runs one vertex from zeroed registers (assumed: on the console a vertex finds the leftovers of some
/// earlier one, nobody knows which) and returns its unit.
fn shade_vertex(batch: &VertexBatch<'_>, position: usize, index: u32, faults: &mut FaultList) -> ShaderUnit {
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
    let mut unit = ShaderUnit { v, ..ShaderUnit::default() };
    shader::run_unit(&invocation, &mut unit, &mut Vec::new(), faults, None);
    unit
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
