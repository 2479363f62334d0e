//! Programs of draws, and the steps of a vertex.

use crate::inspect::{Program, ProgramStep};
use picaflor_interp::pica::shader::trace::{Step, Written};
use picaflor_interp::pica::{GeometryTrace, VertexTrace, trace_geometry, trace_vertex};
use picaflor_pipeline::pica::float::Precision;
use picaflor_pipeline::pica::shader::disasm::{disassemble, line};
use picaflor_pipeline::pica::shader::instr::{Destination, Instruction, OperandDescriptor};
use picaflor_pipeline::pica::shader::program::Program as Words;
use picaflor_pipeline::pica::shader::shbin::{Dvle, Dvlp, Shbin, Stage};
use picaflor_pipeline::pica::shader::unit::{ShaderUnit, Uniforms};
use picaflor_pipeline::pica::stage::{GeometryRun, VertexBatch};
use picaflor_pipeline::pica::vertex::OutputForm;

/// Names of the semantics, and their components.
const SEMANTICS: [(&str, &[usize]); 8] = [
    ("position", &[0, 1, 2, 3]),
    ("quaternion", &[4, 5, 6, 7]),
    ("colour", &[8, 9, 10, 11]),
    ("texcoord0", &[12, 13]),
    ("texcoord1", &[14, 15]),
    ("texcoord0 w", &[16]),
    ("view", &[18, 19, 20]),
    ("texcoord2", &[22, 23]),
];

/// Most steps of a vertex or run, of which one is shown at a time: the default budget of an invocation.
const MOST_STEPS: usize = 1 << 16;

/// Checksum of code and descriptors.
pub(super) fn checksum(program: &Words) -> u32 {
    let words = program.code().iter().chain(program.descriptors());
    let mut hasher = crc32fast::Hasher::new();
    words.for_each(|word| hasher.update(&word.to_le_bytes()));
    hasher.finalize()
}

/// The outputs of a vertex by name; `component` gives those of the batch.
pub(super) fn outputs(form: &OutputForm, component: &dyn Fn(usize) -> f64) -> Vec<(String, Vec<f64>)> {
    match form {
        OutputForm::Mapped(_) => {
            let named = SEMANTICS.iter();
            named.map(|(name, of)| ((*name).to_owned(), of.iter().map(|&k| component(k)).collect())).collect()
        }
        OutputForm::Records { slots, .. } => (0..usize::from(*slots))
            .map(|slot| (format!("slot {slot}"), (0..4).map(|k| component(4 * slot + k)).collect()))
            .collect(),
    }
}

/// The program of a batch, with the steps of the vertex at a position of it; `vertex` is the position in the draw.
pub(super) fn program(batch: &VertexBatch<'_>, position: usize, vertex: usize) -> Option<Program> {
    let trace = trace_vertex(batch, position, MOST_STEPS)?;
    let shbin = container(batch.program, batch.entry, Stage::Vertex);
    Some(Program {
        uniforms: uniforms(batch.uniforms, batch.precision),
        vertex,
        ..stepped(batch.program, batch.entry, &shbin, &trace)
    })
}

/// A geometry program, with the steps of a run that is about to begin; `number` is that of the run in the draw.
pub(super) fn geometry(run: &GeometryRun<'_>, number: usize) -> Program {
    let GeometryTrace { before, steps, after, .. } = trace_geometry(run, MOST_STEPS);
    let shbin = container(run.program, run.entry, Stage::Geometry);
    Program {
        uniforms: uniforms(run.uniforms, run.precision),
        vertex: number,
        ..stepped(run.program, run.entry, &shbin, &VertexTrace { before, steps, after })
    }
}

/// A program with the steps of a trace, without uniforms.
fn stepped(words: &Words, entry: u16, shbin: &Shbin, trace: &VertexTrace) -> Program {
    let code = shbin.program.code.len();
    let text = |pc: u16| {
        let word = words.instruction(pc).unwrap_or(Instruction(0));
        line(word, OperandDescriptor(descriptor(words, word)))
    };
    let mut unit = trace.before.clone();
    let steps = trace.steps.steps().iter().map(|step| told(step, &mut unit, &text)).collect();
    let registers = |of: &[[f32; 4]; 16], letter: char| {
        let used = (0..16).filter(|&n: &usize| of[n] != [0.0; 4]);
        used.map(|n| (format!("{letter}{n}"), of[n].map(f64::from).to_vec())).collect::<Vec<_>>()
    };
    Program {
        source: disassemble(shbin),
        listing: (0..code as u16).map(|pc| (pc.into(), text(pc))).collect(),
        entry: entry.into(),
        shbin: shbin.write(),
        inputs: registers(&trace.before.v, 'v'),
        steps,
        outputs: registers(&trace.after.o[0], 'o'),
        ..Program::default()
    }
}

fn descriptor(words: &Words, word: Instruction) -> u32 {
    words.descriptor(word.descriptor()).0
}

/// The program as a container with one executable, without the zeros behind its last word.
fn container(words: &Words, entry: u16, stage: Stage) -> Shbin {
    let length = |words: &[u32]| words.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
    let code = words.code()[..length(words.code())].to_vec();
    let end = code.len() as u32;
    let descriptors = words.descriptors();
    let descriptors = descriptors[..length(descriptors)].iter().map(|&bits| [bits, 0]).collect();
    let program = Dvlp { code, descriptors, ..Dvlp::default() };
    let entry = u32::from(entry);
    let executable = Dvle { version: 0x1002, stage, entry, end, ..Dvle::default() };
    Shbin { program, executables: vec![executable] }
}

/// A step in words; `unit` has the registers before it, and those after it afterwards.
fn told(step: &Step, unit: &mut ShaderUnit, text: &dyn Fn(u16) -> String) -> ProgramStep {
    let written = step.written.map(|written| {
        let Written { destination, value, .. } = written;
        let (name, register) = match destination {
            Destination::Output(n) => (format!("o{n}"), &mut unit.o[0][usize::from(n) % 16]),
            Destination::Temporary(n) => (format!("r{n}"), &mut unit.r[usize::from(n) % 16]),
        };
        (name, std::mem::replace(register, value), value)
    });
    let [x, y] = step.cmp.map(u8::from);
    let flags = format!("a0 {},{} aL {} cmp {x}{y}", step.a0[0], step.a0[1], step.al);
    ProgramStep { address: step.pc.into(), text: text(step.pc), written, flags }
}

/// Uniforms that are not 0.
fn uniforms(of: &Uniforms, precision: Precision) -> Vec<(String, Vec<f64>)> {
    let floats = (0..Uniforms::FLOATS).map(|n| (format!("c{n}"), of.float(n, precision)));
    let floats = floats.map(|(name, value)| (name, value.map(f64::from).to_vec()));
    let ints = of.ints().into_iter().enumerate();
    let ints = ints.map(|(n, value)| (format!("i{n}"), value.map(f64::from).to_vec()));
    let bools = (0..16).map(|n| (format!("b{n}"), vec![f64::from(u8::from(of.bool(n)))]));
    let all = floats.chain(ints).chain(bools);
    all.filter(|(_, value)| value.iter().any(|&number| number != 0.0)).collect()
}
