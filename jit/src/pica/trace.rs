//! Vertices and geometry runs for a [tracer](crate::tracer): registers and steps of a program, and what it emits.

use picaflor_interp::pica::shader::trace::Trace;
use picaflor_interp::pica::{trace_geometry, trace_vertex};
use picaflor_interp::trace::{Note, Stage, Value};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::unit::{Uniforms, Vec4};
use picaflor_pipeline::pica::stage::{Emission, GeometryRun, VertexBatch};

/// Most steps of a vertex or geometry run that are recorded. The default budget of an invocation is eight times as many,
/// and a step is a text of a hundred letters or more: without a limit, the [vertices](crate::MOST_TRACED_VERTICES) of a
/// single trace could take gigabytes.
const MOST_STEPS: usize = 1 << 13;
/// Most emitted vertices of a geometry run that are recorded.
const MOST_EMISSIONS: usize = 1 << 8;

const INPUTS: [&str; 16] =
    ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15"];
const OUTPUTS: [&str; 16] =
    ["o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7", "o8", "o9", "o10", "o11", "o12", "o13", "o14", "o15"];

const UNIFORMS: [&str; Uniforms::FLOATS] = [
    "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11", "c12", "c13", "c14", "c15",
    "c16", "c17", "c18", "c19", "c20", "c21", "c22", "c23", "c24", "c25", "c26", "c27", "c28", "c29", "c30",
    "c31", "c32", "c33", "c34", "c35", "c36", "c37", "c38", "c39", "c40", "c41", "c42", "c43", "c44", "c45",
    "c46", "c47", "c48", "c49", "c50", "c51", "c52", "c53", "c54", "c55", "c56", "c57", "c58", "c59", "c60",
    "c61", "c62", "c63", "c64", "c65", "c66", "c67", "c68", "c69", "c70", "c71", "c72", "c73", "c74", "c75",
    "c76", "c77", "c78", "c79", "c80", "c81", "c82", "c83", "c84", "c85", "c86", "c87", "c88", "c89", "c90",
    "c91", "c92", "c93", "c94", "c95",
];

/// The vertex at a position of a batch.
pub(crate) fn vertex(batch: &VertexBatch<'_>, position: usize) -> Vec<Note> {
    let Some(trace) = trace_vertex(batch, position, MOST_STEPS) else { return Vec::new() };
    let mut notes = registers("inputs", &INPUTS, &trace.before.v);
    notes.extend(steps(&trace.steps));
    notes.extend(registers("outputs", &OUTPUTS, &trace.after.o[0]));
    notes
}

/// A run of a geometry program that is next.
pub(crate) fn geometry_run(run: &GeometryRun<'_>) -> Vec<Note> {
    let trace = trace_geometry(run, MOST_STEPS);
    let mut notes = registers("inputs", &INPUTS, &trace.before.v);
    notes.extend(uniforms(run.uniforms, run.precision));
    notes.extend(steps(&trace.steps));
    notes.extend(trace.emitted.iter().take(MOST_EMISSIONS).flat_map(|e| emission(e, run.output_mask)));
    notes.extend(omitted("emission", trace.emitted.len().saturating_sub(MOST_EMISSIONS) as u64));
    notes
}

fn note(stage: &'static str, name: &'static str, value: Value) -> Note {
    Note { stage: Stage::one(stage), name, value }
}

fn registers(stage: &'static str, names: &[&'static str; 16], values: &[Vec4; 16]) -> Vec<Note> {
    let named = names.iter().zip(values);
    named.map(|(&name, value)| note(stage, name, Value::Floats(value.to_vec()))).collect()
}

/// Float uniforms that are not zero: in two of the three modes they hold the inputs of a geometry program.
fn uniforms(uniforms: &Uniforms, precision: Precision) -> impl Iterator<Item = Note> + '_ {
    let values = UNIFORMS.iter().enumerate().map(move |(n, &name)| (name, uniforms.float(n, precision)));
    let set = values.filter(|(_, value)| *value != [0.0; 4]);
    set.map(|(name, value)| note("uniforms", name, Value::Floats(value.to_vec())))
}

fn steps(steps: &Trace) -> impl Iterator<Item = Note> + '_ {
    let kept = steps.steps().iter().map(|step| note("program", "step", Value::Name(step.to_string())));
    kept.chain(omitted("program", steps.omitted()))
}

/// An emitted vertex: the latch, and the registers that the output mask enables.
fn emission(emission: &Emission, output_mask: u16) -> Vec<Note> {
    let note = |name, value| note("emission", name, value);
    let latch = emission.latch;
    let mut notes = vec![
        note("vertex", Value::Integer(latch.id.into())),
        note("completes a primitive", Value::Flag(latch.primitive)),
        note("winding reversed", Value::Flag(latch.winding)),
    ];
    let enabled = (0..16).filter(|n| output_mask >> n & 1 != 0).map(|n: usize| OUTPUTS[n]);
    let values = enabled.zip(&emission.record);
    notes.extend(values.map(|(name, value)| note(name, Value::Floats(value.to_vec()))));
    notes
}

/// How many more there were, if any.
fn omitted(stage: &'static str, count: u64) -> Option<Note> {
    (count > 0).then(|| note(stage, "omitted", Value::Integer(count as i64)))
}

#[cfg(test)]
mod tests {
    use super::{MOST_EMISSIONS, MOST_STEPS};
    use crate::{Engine, EngineMode, TraceRequest, TracedRun};
    use picaflor_interp::trace::{Note, Value};
    use picaflor_pipeline::fault::FaultList;
    use picaflor_pipeline::memory::{FlatMemory, NoMemory};
    use picaflor_pipeline::pica::float::Precision;
    use picaflor_pipeline::pica::shader::program::{Program, UnitKind};
    use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms, Vec4};
    use picaflor_pipeline::pica::stage::{
        Emission, GeometryBatch, GeometryInputs, GeometryRun, ShadedVertices, ShaderStage as _, VertexBatch,
    };
    use picaflor_pipeline::pica::vertex::{OutputForm, VertexInputs};
    use std::num::NonZeroUsize;

    /// A descriptor that writes every component and swizzles nothing.
    const IDENTITY: u32 = 0x0d86_c36f;
    const EMIT: u32 = 0x2a << 26;
    const END: u32 = 0x8800_0000;
    /// `mov o1, v0`, `add o3, c5, o1`'s source `v0`, `setemit 2, prim`.
    const MOV_O1_V0: u32 = 0x13 << 26 | 1 << 21;
    const ADD_O3_C5_V0: u32 = 3 << 21 | 0x25 << 12;
    const SETEMIT_2_PRIMITIVE: u32 = 0x2b << 26 | 2 << 24 | 1 << 23;

    /// Runs a program for each of the inputs in a batch, with a trace of some; returns what it emitted and the trace.
    fn traced(
        mode: EngineMode,
        code: &[u32],
        inputs: &[Vec4],
        request: TraceRequest,
    ) -> (Vec<Emission>, Vec<TracedRun>, ShaderUnit) {
        let mut engine = Engine::builder().mode(mode).build().expect("an engine");
        let program = Program::from_words(UnitKind::Geometry, code, &[IDENTITY]);
        let (mut uniforms, mut unit) = (Uniforms::default(), ShaderUnit::default());
        uniforms.set_float_register(5, [10.0; 4]);
        let run = GeometryRun {
            program: &program,
            entry: 0,
            uniforms: &mut uniforms,
            unit: &mut unit,
            output_mask: 0b1010,
            precision: Precision::Console,
            instruction_budget: 1 << 16,
            memory: &NoMemory,
        };
        let each = NonZeroUsize::MIN;
        let mut batch = GeometryBatch { run, inputs, each, destination: GeometryInputs::Registers(0) };
        let (tracer, mut emitted) = (engine.tracer(), Vec::new());
        tracer.arm(request);
        engine.run_geometry_batch(&mut batch, &mut emitted, &mut FaultList::new());
        tracer.disarm();
        (emitted, tracer.take().geometry_runs, unit)
    }

    fn floats<'a>(notes: &'a [Note], stage: &'a str, name: &'a str) -> Vec<&'a [f32]> {
        let named = notes.iter().filter(move |note| note.stage.name == stage && note.name == name);
        let values = named.map(|note| match &note.value {
            Value::Floats(values) => &values[..],
            other => panic!("{name}: {other}"),
        });
        values.collect()
    }

    /// How many more a stage had than were recorded.
    fn omitted(notes: &[Note], stage: &str) -> Option<String> {
        let mut all = notes.iter().filter(|note| note.stage.name == stage && note.name == "omitted");
        all.next().map(|note| note.value.to_string())
    }

    /// What was noted is what the engine emitted, run by run, and the trace changes nothing.
    #[test]
    fn geometry_runs() {
        let code = [MOV_O1_V0, ADD_O3_C5_V0, SETEMIT_2_PRIMITIVE, EMIT, EMIT, END];
        let inputs = [[1.0; 4], [2.0; 4], [3.0; 4]];
        for mode in [EngineMode::Blocking, EngineMode::InterpreterOnly] {
            let (plain, none, unit) = traced(mode, &code, &inputs, TraceRequest::new().with_vertices(0..9));
            assert!(none.is_empty(), "vertices alone are wanted");
            let request = TraceRequest::new().with_geometry_runs(1..9);
            let (emitted, runs, after) = traced(mode, &code, &inputs, request);
            assert_eq!((&emitted, &after), (&plain, &unit), "{mode:?}");
            assert_eq!(runs.iter().map(|run| run.number).collect::<Vec<_>>(), [1, 2]);
            for (n, run) in (1..).zip(&runs) {
                assert_eq!(floats(&run.notes, "inputs", "v0"), [inputs[n]]);
                assert_eq!(floats(&run.notes, "uniforms", "c5"), [[10.0; 4]]);
                assert_eq!(run.notes.iter().filter(|note| note.stage.name == "uniforms").count(), 1);
                assert_eq!(run.notes.iter().filter(|note| note.name == "step").count(), code.len());
                for (place, name) in ["o1", "o3"].into_iter().enumerate() {
                    let records = emitted[2 * n..2 * n + 2].iter().map(|e| &e.record[place][..]);
                    assert_eq!(floats(&run.notes, "emission", name), records.collect::<Vec<_>>());
                }
                let latch =
                    run.notes.iter().filter(|note| note.stage.name == "emission" && note.name == "vertex");
                assert_eq!(latch.map(|note| note.value.to_string()).collect::<Vec<_>>(), ["2", "2"]);
            }
            assert_eq!(emitted[2].record[..2], [[2.0; 4], [12.0; 4]], "the program does something");
        }
    }

    /// A run of many steps and vertices is cut off, and says by how much.
    #[test]
    fn long_geometry_runs() {
        // `loop`-free: emit, then jump back on `b0`, which is false, with the condition inverted.
        let jump_back = 0x2d << 26 | 1;
        let (emitted, runs, _) = traced(
            EngineMode::Blocking,
            &[EMIT, jump_back, END],
            &[[0.0; 4]],
            TraceRequest::new().with_geometry_runs(0..1),
        );
        let notes = &runs[0].notes;
        assert_eq!(notes.iter().filter(|note| note.name == "step").count(), MOST_STEPS);
        assert_eq!(omitted(notes, "program"), Some(((1 << 16) - MOST_STEPS).to_string()));
        assert_eq!(floats(notes, "emission", "o1").len(), MOST_EMISSIONS);
        assert_eq!(omitted(notes, "emission"), Some((emitted.len() - MOST_EMISSIONS).to_string()));
    }

    /// So is each vertex of a trace; its outputs are those after the last step.
    #[test]
    fn long_vertices() {
        const BUDGET: usize = 1 << 16;
        // `add o0, c5, v0`, and a jump back on `b0` as above.
        let program = Program::from_words(UnitKind::Vertex, &[0x25 << 12, 0x2d << 26 | 1, END], &[IDENTITY]);
        let mut uniforms = Uniforms::default();
        uniforms.set_float_register(5, [10.0; 4]);
        let batch = VertexBatch {
            memory: &FlatMemory::new(0, Vec::new()),
            indices: &[0, 1],
            inputs: &VertexInputs { attributes: Vec::new(), permutation: 0 },
            program: &program,
            entry: 0,
            uniforms: &uniforms,
            output: &OutputForm::Records { mask: 1, slots: 1 },
            precision: Precision::Console,
            instruction_budget: BUDGET as u32,
        };
        let mut engine = Engine::builder().mode(EngineMode::InterpreterOnly).build().expect("an engine");
        let tracer = engine.tracer();
        tracer.arm(TraceRequest::new().with_vertices(0..2));
        engine.shade(&batch, &mut ShadedVertices::new(), &mut FaultList::new());
        let vertices = tracer.take().vertices;
        assert_eq!(vertices.len(), 2);
        for vertex in &vertices {
            assert_eq!(vertex.notes.iter().filter(|note| note.name == "step").count(), MOST_STEPS);
            assert_eq!(omitted(&vertex.notes, "program"), Some((BUDGET - MOST_STEPS).to_string()));
            assert_eq!(floats(&vertex.notes, "outputs", "o0"), [[10.0; 4]]);
        }
    }
}
