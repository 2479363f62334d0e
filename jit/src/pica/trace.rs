//! Vertices for a [tracer](crate::tracer): registers and steps of a vertex program.

use picaflor_interp::pica::trace_vertex;
use picaflor_interp::trace::{Note, Stage, Value};
use picaflor_pipeline::pica::stage::VertexBatch;

const INPUTS: [&str; 16] =
    ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15"];
const OUTPUTS: [&str; 16] =
    ["o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7", "o8", "o9", "o10", "o11", "o12", "o13", "o14", "o15"];

/// The vertex at a position of a batch.
pub(crate) fn vertex(batch: &VertexBatch<'_>, position: usize) -> Vec<Note> {
    let Some(trace) = trace_vertex(batch, position) else { return Vec::new() };
    let note = |stage, name, value| Note { stage: Stage::one(stage), name, value };
    let registers = |stage: &'static str, names: &[&'static str; 16], values: &[[f32; 4]; 16]| -> Vec<Note> {
        let named = names.iter().zip(values);
        named.map(|(&name, value)| note(stage, name, Value::Floats(value.to_vec()))).collect()
    };
    let mut notes = registers("inputs", &INPUTS, &trace.before.v);
    let steps = trace.steps.steps().iter();
    notes.extend(steps.map(|step| note("program", "step", Value::Name(step.to_string()))));
    notes.extend(registers("outputs", &OUTPUTS, &trace.after.o[0]));
    notes
}
