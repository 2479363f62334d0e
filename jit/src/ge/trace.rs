//! Vertices for a [tracer](crate::tracer): decoded components, and what transform and lighting made of them.

use picaflor_interp::Interpreter;
use picaflor_interp::ge::components;
use picaflor_interp::trace::{Note, Stage, Value};
use picaflor_pipeline::ge::stage::{TransformStage as _, VertexBatch};

/// The vertex at a position of a batch.
pub(crate) fn vertex(batch: &VertexBatch<'_>, position: usize) -> Vec<Note> {
    let Some(&index) = batch.indices.get(position) else { return Vec::new() };
    let note = |stage, name, value| Note { stage: Stage::one(stage), name, value };
    let decoded = components(batch, index).into_iter();
    let mut notes: Vec<Note> =
        decoded.map(|(name, values)| note("record", name, Value::Doubles(values))).collect();
    let mut out = Vec::new();
    Interpreter::new().transform(&VertexBatch { indices: &[index], ..*batch }, &mut out);
    for vertex in out {
        let colours = [vertex.colour, vertex.secondary].map(u32::to_le_bytes);
        notes.extend([
            note("vertex", "clip", Value::Doubles(vertex.clip.to_vec())),
            note("vertex", "texture", Value::Doubles(vertex.texture.to_vec())),
            note("vertex", "position / 16", Value::Integers(vec![vertex.x.into(), vertex.y.into()])),
            note("vertex", "depth", Value::Integer(vertex.z.into())),
            note("vertex", "colour", Value::Colour(colours[0])),
            note("vertex", "secondary", Value::Colour(colours[1])),
            note("vertex", "fog", Value::Integer(vertex.fog.into())),
            note("vertex", "outside", Value::Integer(vertex.outside.into())),
        ]);
    }
    notes
}
